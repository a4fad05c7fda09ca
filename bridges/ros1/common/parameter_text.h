/// ROS parameters as documents in the format of parameter files, for the same strict reader.
#pragma once
#include <ros/node_handle.h>

#include <optional>
#include <string>
#include <vector>

namespace pintle::ros1 {

/// What the private parameters with these names say, which are the keys at the top of a file: none
/// of them set, none. A parameter is looked up once, without waiting for a master that is not
/// there.
/// @throws std::runtime_error when the master does not answer.
[[nodiscard]] std::optional<std::string> text_of(const ros::NodeHandle& own,
                                                 const std::vector<std::string>& keys);

}  // namespace pintle::ros1
