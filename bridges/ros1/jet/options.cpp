#include <fcntl.h>
#include <ros/file_log.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "common/node.h"
#include "jet/node.h"

namespace pintle::ros1 {
namespace {

/// The program lies in its package.
std::string package_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

/// The terminal for the console alone: what is said goes to a file beside ROS's logs. -1: there is
/// no terminal.
int take_terminal() {
  if (isatty(0) == 0 || isatty(1) == 0) {
    ROS_WARN("~console: this is no terminal; /jet/command takes the same commands");
    return -1;
  }
  std::string folder = ros::file_log::getLogDirectory();
  if (folder.empty()) folder = ".";
  const std::string file = folder + "/jet-console.log";
  ROS_INFO("the log is in %s", file.c_str());
  const int log = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const int out = dup(1);
  if (log < 0 || out < 0) throw std::runtime_error(file + ": cannot be written");
  dup2(log, 1);
  dup2(log, 2);
  close(log);
  return out;
}

}  // namespace

const std::vector<std::string>& keys_of(JetPart part) {
  static const std::vector<std::string> keys[] = {
      {"dropoint"},
      {"duration"},
      {"takeoff_height", "landing_height", "normal_altitude"},
      {"pid"},
      {"odom_callback_timeout", "vision_callback_timeout"}};
  return keys[static_cast<std::size_t>(part)];
}

JetOptions read_jet_options(const ros::NodeHandle& own) {
  std::vector<std::string> known{
      "use_guidance",   "spin_rate",   "enable_serial", "serial_port", "serial_baudrate",
      "require_arming", "frame_proof", "vehicle",       "console",     "config_dir",
      "camera",         "listen",      "log",           "fence",       "ceiling"};
  for (const JetPart part : kJetParts)
    for (const std::string& key : keys_of(part)) known.push_back(key);
  refuse_unknown_params(own, known);

  JetOptions o;
  AircraftOptions& a = o.aircraft;
  // no default: the wrong one turns the height loop round
  if (!own.hasParam("use_guidance"))
    throw std::runtime_error("parameter " + own.resolveName("use_guidance") +
                             ": say true for odometry in north, east, down (Guidance), false for "
                             "north, east, up");
  a.use_guidance = bool_param(own, "use_guidance", true);
  a.require_arming = bool_param(own, "require_arming", true);
  a.proof_by_carrying = word_param(own, "frame_proof", "carry", {"carry", "declared"}) == "carry";
  a.rate_Hz = number_param(own, "spin_rate", 50, 10, 200);
  a.enable_serial = bool_param(own, "enable_serial", true);
  a.serial_port = text_param(own, "serial_port", a.serial_port);
  a.serial_baudrate = static_cast<int>(number_param(own, "serial_baudrate", 115200, 9600, 921600));
  a.vehicle_file = text_param(own, "vehicle", package_folder() + "/vehicles/quad.yaml");
  a.config_dir = text_param(own, "config_dir", package_folder() + "/config");
  a.listen = text_param(own, "listen", "default");
  if (a.listen == "none") a.listen.clear();
  a.fence_m = number_param(own, "fence", a.fence_m, 1, 10000);
  a.ceiling_m = number_param(own, "ceiling", a.ceiling_m, 1, 1000);
  a.log = text_param(own, "log", "");
  o.camera_file = text_param(own, "camera", "");
  if (bool_param(own, "console", false)) a.console_out = take_terminal();
  return o;
}

}  // namespace pintle::ros1
