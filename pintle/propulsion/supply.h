/// Supplies that several propulsors share: tanks and batteries.
///
///   each propulsor says what it wants -> the supply grants one share to all -> it is drained
///
/// Tank: `proportional` (mass and inertia in proportion to the fuel, the centre stays: what simple
/// simulators do) or `cylinder` (settled liquid fills an upright cylinder from the bottom: the
/// centre sinks along the axis, inertia is that of the liquid's cylinder). Battery: open-circuit
/// voltage falls in a straight line with the charge, terminal voltage is lower by the current times
/// the inner resistance. The charge taken is the current times the time; nothing is lost or made.
///
/// Does not model: slosh, boil-off, pressurant, temperature, ageing.
#pragma once
#include "pintle/propulsion/model.h"

namespace pintle::propulsion {

enum class TankShape : std::uint8_t { kProportional, kCylinder };

struct TankParams {
  double capacity_kg = 0;
  TankShape shape = TankShape::kProportional;
  Vec3 position_m{};        ///< Centre of the full tank.
  Vec3 max_inertia_kgm2{};  ///< Of kProportional, when full.
  /// Of kCylinder: axis up (away from where the liquid settles), radius and height inside.
  Vec3 axis{0, 0, 1};
  double radius_m = 0, height_m = 0;
};

[[nodiscard]] Findings check(const TankParams& params);

struct TankState {
  double mass_kg = 0;
};

/// The share of a flow that can be had over the step; 1 for no flow.
[[nodiscard]] Grant grant(const TankParams&, const TankState&, double flow_kg_s,
                          double dt_s) noexcept;
/// Takes mass; what is less than nothing stays 0.
void drain(const TankParams&, TankState&, double mass_kg) noexcept;
[[nodiscard]] double fuel_ratio(const TankParams&, const TankState&) noexcept;
/// kCylinder: the inertia of an axis that is not x, y or z is given along the nearest of them.
[[nodiscard]] MassProperties contents(const TankParams&, const TankState&) noexcept;

struct BatteryParams {
  double capacity_Ah = 0;
  double full_V = 16.8, empty_V = 13.2;  ///< Open circuit.
  double resistance_ohm = 0;
  double max_current_A = 0;  ///< 0 is unlimited.
};

[[nodiscard]] Findings check(const BatteryParams& params);

struct BatteryState {
  double charge_ratio = 1;
};

[[nodiscard]] Grant grant(const BatteryParams&, const BatteryState&, double current_A,
                          double dt_s) noexcept;
void drain(const BatteryParams&, BatteryState&, double current_A, double dt_s) noexcept;
/// Terminal voltage under a current, never below 0.
[[nodiscard]] double voltage(const BatteryParams&, const BatteryState&, double current_A) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const EnumTable& enum_table<propulsion::TankShape>();
template <>
const Table& table_of<propulsion::TankParams>();
template <>
const Table& table_of<propulsion::BatteryParams>();
}  // namespace pintle
