/// ROS parameters as documents in the format of the five files, for the same strict reader.
#pragma once
#include <ros/node_handle.h>

#include <optional>
#include <string>
#include <vector>

#include "jet/aircraft.h"

namespace pintle::ros1 {

inline constexpr JetPart kJetParts[] = {JetPart::kDropoint, JetPart::kDuration, JetPart::kFlight,
                                        JetPart::kPid, JetPart::kTimeout};

/// Keys at the top of the file, which are the names of its private parameters.
[[nodiscard]] const std::vector<std::string>& keys_of(JetPart part);

/// What the parameters say: none of them set, none. A parameter is looked up once, without waiting
/// for a master that is not there.
/// @throws std::runtime_error when the master does not answer.
[[nodiscard]] std::optional<std::string> text_of(const ros::NodeHandle& own, JetPart part);

/// @throws std::runtime_error naming private parameters that nobody reads.
void refuse_unknown(const ros::NodeHandle& own, const std::vector<std::string>& known);

}  // namespace pintle::ros1
