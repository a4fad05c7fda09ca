#include <cstdlib>
#include <filesystem>

#include "common/node.h"
#include "controls/node.h"

namespace pintle::ros1 {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The program lies in its package.
std::string package_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

}  // namespace

NodeOptions read_options(const ros::NodeHandle& own) {
  NodeOptions o;
  ControllerOptions& c = o.controller;
  // as in the original: accepted, without meaning
  static_cast<void>(bool_param(own, "sim", false));
  c.enable_position = bool_param(own, "enable_position_pid", false);
  c.enable_velocity = bool_param(own, "enable_velocity_pid", false);
  c.cascaded = bool_param(own, "cascaded_pid", false);
  c.zero_on_disable = bool_param(own, "zero_on_disable", true);
  c.state_timeout_s = number_param(own, "state_timeout", 0.5, 0.01, 60);
  c.latch_after_s = number_param(own, "latch_after", 5, 0, 3600);
  c.setpoint_timeout_s = number_param(own, "setpoint_timeout", 1, 0, 3600);
  c.log = text_param(own, "log", "");
  c.file = text_param(own, "file", "");
  if (c.file.empty())
    c.file = find_robot_file(text_param(own, "config_dir", ""), environment("PINTLE_CONFIG_DIR"),
                             package_folder(), environment("ROBOT_NAME"));
  const std::string matrix = word_param(own, "wrench_matrix", "ask", {"ask", "csv", "thrusters"});
  c.matrix = matrix == "csv"         ? MatrixAnswer::kMatrix
             : matrix == "thrusters" ? MatrixAnswer::kThrusters
                                     : MatrixAnswer::kAsk;
  o.on_state = word_param(own, "allocate_on", "timer", {"timer", "state"}) == "state";
  c.stamp_dt = word_param(own, "dt_source", "callback", {"callback", "stamp"}) == "stamp";
  o.tf_at_stamp = word_param(own, "tf_at", "latest", {"latest", "stamp"}) == "stamp";
  o.tf_wait_s = number_param(own, "tf_wait", 0.1, 0, 10);
  o.rate_Hz = number_param(own, "rate", 0, 0, 2000);
  o.queue_size = static_cast<std::uint32_t>(number_param(own, "queue_size", 1, 1, 10000));
  o.odom_frame = text_param(own, "odom_frame", "odom");
  o.base_frame = text_param(own, "base_frame", "base_link");
  return o;
}

}  // namespace pintle::ros1
