/// Between ROS's types and plain values. Total: any input has an answer, none throws.
#pragma once
#include <geometry_msgs/Transform.h>
#include <geometry_msgs/Wrench.h>
#include <sub8_msgs/Thrust.h>
#include <sub8_msgs/ThrusterInfo.h>
#include <sub8_msgs/ThrusterStatus.h>
#include <xmlrpcpp/XmlRpcValue.h>

#include <string>

#include "mapper/driver.h"
#include "mapper/mapper.h"

namespace pintle::ros1 {

/// A parameter as YAML. Whole numbers stay whole, texts are quoted; dates and bytes become "".
[[nodiscard]] std::string to_yaml(const XmlRpc::XmlRpcValue& value);

[[nodiscard]] Six from_ros(const geometry_msgs::Wrench& wrench);
[[nodiscard]] geometry_msgs::Wrench to_ros(const Six& wrench);
[[nodiscard]] sub8_msgs::Thrust to_ros(const Layout& layout, const std::vector<float>& thrust_N);
[[nodiscard]] sub8_msgs::ThrusterStatus to_ros(const ThrusterStatus& status);
[[nodiscard]] sub8_msgs::ThrusterInfo::Response to_ros(const ThrusterFacts& facts);
[[nodiscard]] Driver::Commands from_ros(const sub8_msgs::Thrust& thrust);

/// A wrench at the origin of the frame of `body_from_frame`, as the wrench at the body's origin
/// that does the same.
[[nodiscard]] Six in_body(const Six& wrench, const geometry_msgs::Transform& body_from_frame);

/// Frames of tf2 have no leading slash; those of the original's time had.
[[nodiscard]] std::string without_slash(const std::string& frame);

/// JSON list of texts.
[[nodiscard]] std::string to_json(const std::vector<std::string>& names);
[[nodiscard]] std::string to_json(const std::vector<ThrusterFacts>& thrusters);

}  // namespace pintle::ros1
