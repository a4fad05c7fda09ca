/// SubjuGator layouts: `/thruster_layout` (2017 on) and `/busses` (2016), read and written
/// unchanged.
#pragma once
#include <string>
#include <vector>

#include "pintle/config/reader.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {

[[nodiscard]] bool is_thruster_layout(
    const config::Document& document) noexcept;  ///< With or without the top-level key.
[[nodiscard]] bool is_busses(const config::Document& document) noexcept;

struct SubjugatorPort {
  std::string port;
  std::vector<std::string> thruster_names;
  bool confident_mode = false;
};
struct SubjugatorThruster {
  std::string name;
  std::int32_t node_id = 0;
  Vec3 position{}, direction{};
  std::vector<double> thrust_bounds;  ///< min, max in N; empty in /busses files.
  std::vector<double> calib_forward, calib_backward;
};
struct SubjugatorLayout {
  std::vector<SubjugatorPort> ports;
  std::vector<SubjugatorThruster> thrusters;  ///< File order.
};

[[nodiscard]] SubjugatorLayout read_subjugator(config::Reader& reader,
                                               const config::Document& document);

/// /thruster_layout: its polynomials and bounds. /busses: the measured M5 table and its 0.8 margin.
[[nodiscard]] VehicleSpec to_spec(const SubjugatorLayout& layout, std::string_view name);

}  // namespace pintle::vehicle
