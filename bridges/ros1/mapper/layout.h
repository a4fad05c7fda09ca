/// A SubjuGator layout as mapper and driver use it, from the text of /thruster_layout or /busses.
///
/// The order of thrusters is that of the ports, as the file lists them, and by name within a port
/// of /busses. The parameter server keeps lists in order and maps not: this is the one order that
/// can be relied on, and for the published layouts it is that of the file.
///
/// Headers of this folder are the border between C++20 (Pintle's rooms) and C++17 (ROS): plain
/// types only.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/plain.h"

namespace pintle::ros1 {

struct LayoutThruster {
  std::string name;
  int node_id = 0;
  std::string port;
  bool confident = false;  ///< CONFIDENT_MODE: present whether it answers or not.
  std::array<double, 3> position_m{}, direction{};
  bool has_bounds = false;
  double lower_N = 0, upper_N = 0;
};

struct Layout {
  std::vector<LayoutThruster> thrusters;
  bool busses = false;                ///< It is a /busses layout (2016).
  std::string text;                   ///< What it was read from.
  std::vector<std::string> warnings;  ///< Keys of earlier years, unknown ones.

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
  /// "FLH, FLV, …".
  [[nodiscard]] std::string names() const;
};

/// For driving every thruster needs its curve and (unless /busses) its bounds; for allocating it
/// needs neither.
enum class Use { kAllocate, kDrive };

/// @throws std::runtime_error with everything that is wrong, lines and fixes included.
[[nodiscard]] Layout read_layout(const std::string& yaml, Use use);

/// The names in the parameters of a thruster-out alarm, {"offline_thruster_names": ["FLH", …]}.
/// Nothing when they are not there.
[[nodiscard]] std::optional<std::vector<std::string>> names_in_alarm(const std::string& json);

/// The nearest float that does not lie outside the bounds: what messages carry.
[[nodiscard]] float inside(double value, double lower, double upper);

}  // namespace pintle::ros1
