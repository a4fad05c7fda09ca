/// SubjuGator layouts: `/thruster_layout` (2017 on) and `/busses` (2016), read and written
/// unchanged.
///
/// With or without the top-level key. Directions are used as given, within 1e-3 of unit length, as
/// the original does. Keys of earlier years (`motor_id`, `bounds`) are read with a warning, unknown
/// ones are warned about. A curve has four coefficients each way (M5) or six (the CAN board that
/// replaced the M5 bus, whose driver cuts commands at 0.58, some 48 N; the layout does not say so).
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
  bool busses = false;                        ///< It came from a /busses file.
};

/// Who allocates needs mounts; bounds and curves belong to who drives the thrusters, and the bounds
/// may come from there.
enum class LayoutUse : std::uint8_t { kDrive, kAllocate };

/// For kAllocate, `thrust_bounds` and `calib` may be missing, and curves are not looked at.
[[nodiscard]] SubjugatorLayout read_subjugator(config::Reader& reader,
                                               const config::Document& document,
                                               LayoutUse use = LayoutUse::kDrive);

/// /thruster_layout: its polynomials and bounds. /busses: the measured M5 table and its 0.8 margin.
/// The body is an assumed one (reasons in vehicles/subjugator8.yaml).
[[nodiscard]] VehicleSpec to_spec(const SubjugatorLayout& layout, std::string_view name);

/// "thruster_layout.thrusters.FLH.node_id" for ("FLH", "node_id"), as the document has it; "" when
/// there is no such thruster. For config::Document::with.
[[nodiscard]] std::string subjugator_path(const config::Document& document,
                                          std::string_view thruster, std::string_view key);

}  // namespace pintle::vehicle
