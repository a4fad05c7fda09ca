/// Small things that every node needs: parameters that are read strictly, transport without delay.
#pragma once
#include <ros/node_handle.h>
#include <ros/time.h>
#include <ros/transport_hints.h>

#include <string>
#include <vector>

namespace pintle::ros1 {

/// A parameter of the wrong type or out of its range stops the start; the text says what to write.
/// An absent one has its default.
/// @throws std::runtime_error
[[nodiscard]] bool bool_param(const ros::NodeHandle& node, const std::string& name, bool fallback);
[[nodiscard]] double number_param(const ros::NodeHandle& node, const std::string& name,
                                  double fallback, double min, double max);
[[nodiscard]] std::string text_param(const ros::NodeHandle& node, const std::string& name,
                                     const std::string& fallback);
/// The path of a file, also where it is written as file://PATH.
[[nodiscard]] std::string path_param(const ros::NodeHandle& node, const std::string& name,
                                     const std::string& fallback);
/// One of the words given.
[[nodiscard]] std::string word_param(const ros::NodeHandle& node, const std::string& name,
                                     const std::string& fallback,
                                     const std::vector<std::string>& words);

/// Private parameters that nobody reads: a mistyped one must not be taken silently.
/// @throws std::runtime_error
void refuse_unknown_params(const ros::NodeHandle& own, const std::vector<std::string>& known);

/// TCP without Nagle's wait: a small message leaves at once.
[[nodiscard]] inline ros::TransportHints no_delay() { return ros::TransportHints().tcpNoDelay(); }

/// A clock that nobody sets.
[[nodiscard]] inline double steady_s() { return ros::SteadyTime::now().toSec(); }

}  // namespace pintle::ros1
