/// The `.ini` file of the jets plugin for Gazebo (iRonCub): turbines, their links and YARP ports.
///
/// Everything that is missing or wrong is an error with file and line, where the original says a
/// word and goes on, reads zeros, or picks the first link. Port names are kept for a bridge.
///
///   x' = a x + u, saturated to [0, max]   a: inverse-time-constant-in-one-over-seconds
///
/// keeps the original's sign: a above 0 is unstable in open loop, below 0 is refused, and so is
/// 1000 and more, with which the step of 1 ms is never made (a dt >= 1: the original complains each
/// step, and the thrust stays what it is). The force acts at the origin of the link's frame along jet-axis in the link's coordinates.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/config/problem.h"
#include "pintle/propulsion/jet.h"
#include "pintle/vehicle/structure.h"
#include "pintle/vehicle/yarp_config.h"

namespace pintle::vehicle {

struct JetsIniJet {
  std::string link;  ///< As written.
  config::Location link_at;
  double max_thrust_N = 0;
  Vec3 axis{};  ///< As written: its length scales the force.
  std::optional<propulsion::JetCoefficients> coefficients;
};

struct JetsIni {
  std::filesystem::path file;
  std::string robot_name;  ///< gazeboYarpPluginsRobotName, may be empty.
  std::string input_port, thrust_port;
  std::string d_thrust_port;  ///< Empty: the file is of a version without it.
  double inverse_time_constant_1_s = 0;
  std::vector<JetsIniJet> jets;
  std::vector<config::Problem> warnings;
};

/// `model_name`: of the Gazebo model whose plugin names the file. The plugin puts it as
/// gazeboYarpPluginsRobotName before it reads the file, which may write another one. Empty: there
/// is no model.
/// @throws config::ConfigError with every problem at once.
[[nodiscard]] JetsIni parse_jets_ini(std::string_view text, const std::filesystem::path& file,
                                     const std::string& model_name = {});
[[nodiscard]] JetsIni load_jets_ini(const std::filesystem::path& file,
                                    const std::string& model_name = {});
/// Whether a file is one: by its name (.ini), or by a line that begins with a key of the plugin.
[[nodiscard]] bool is_jets_ini(const std::filesystem::path& file, std::string_view text);

/// A jet on a link of a structure, in the order of the file.
struct MountedJet {
  std::size_t link = 0;
  Vec3 axis_L{};
  double max_thrust_N = 0;
};
/// Each link name must mean one link (`match_link`); the original takes the first that ends with
/// it.
/// @throws config::ConfigError naming the line of the name, with every problem at once.
[[nodiscard]] std::vector<MountedJet> mount_jets(const JetsIni& jets, const Structure& structure);

}  // namespace pintle::vehicle
