#include "pintle/propulsion/supply.h"

#include <cmath>

#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/check_numbers.h"
#include "pintle/propulsion/internal/numbers.h"

namespace pintle::propulsion {
namespace {

/// The share of `wanted` that `available` covers.
double share_of(double available, double wanted) noexcept {
  if (!(wanted > 0)) return 1;
  if (!(available > 0)) return 0;
  return available >= wanted ? 1 : available / wanted;
}

}  // namespace

Grant grant(const TankParams&, const TankState& state, double flow_kg_s, double dt_s) noexcept {
  return {share_of(tame(state.mass_kg), tame(flow_kg_s) * usable(dt_s))};
}

void drain(const TankParams& p, TankState& state, double mass_kg) noexcept {
  const double left = tame(state.mass_kg) - tame(mass_kg);
  // what rounding leaves of the last step is nothing
  state.mass_kg = left > 1e-15 * p.capacity_kg ? left : 0;
}

double fuel_ratio(const TankParams& p, const TankState& state) noexcept {
  return p.capacity_kg > 0 ? tame(state.mass_kg) / p.capacity_kg : 0;
}

MassProperties contents(const TankParams& p, const TankState& state) noexcept {
  const double ratio = clip(fuel_ratio(p, state), 0, 1);
  const double m = ratio * p.capacity_kg;
  if (p.shape == TankShape::kProportional) return {m, p.position_m, ratio * p.max_inertia_kgm2};

  // the liquid is a cylinder of the tank's radius that stands on its bottom
  const Vec3 up = unit_or_x(p.axis);
  const double depth = ratio * p.height_m;
  const double across = m * (3 * p.radius_m * p.radius_m + depth * depth) / 12;
  const double along = m * p.radius_m * p.radius_m / 2;
  const Vec3 centre = p.position_m + (0.5 * (depth - p.height_m)) * up;
  Vec3 inertia{across, across, across};
  const double ax = std::fabs(up.x), ay = std::fabs(up.y), az = std::fabs(up.z);
  inertia[az >= ax && az >= ay ? 2 : (ay >= ax ? 1 : 0)] = along;
  return {m, centre, inertia};
}

Findings check(const TankParams& p) {
  Findings out;
  check_above(out, "capacity_kg", p.capacity_kg, "write the mass of a full tank");
  if (!is_finite(p.position_m))
    out.push_back({"position_m", "expected finite numbers", "write three numbers"});
  for (std::size_t i = 0; i < 3; ++i)
    check_range(out, "max_inertia_kgm2", p.max_inertia_kgm2[i], 0, kLargest,
                "write the inertia of the full tank");
  if (p.shape != TankShape::kCylinder) return out;
  check_above(out, "radius_m", p.radius_m, "write the tank's inner radius");
  check_above(out, "height_m", p.height_m, "write the tank's inner height");
  check_unit(out, "axis", p.axis, true);
  return out;
}

Grant grant(const BatteryParams& p, const BatteryState& state, double current_A,
            double dt_s) noexcept {
  const double wanted = magnitude(tame(current_A));
  const double charge = clip(state.charge_ratio, 0, 1) * p.capacity_Ah * 3600;
  const double by_charge = share_of(charge, wanted * usable(dt_s));
  const double by_current = p.max_current_A > 0 ? share_of(p.max_current_A, wanted) : 1;
  return {by_charge < by_current ? by_charge : by_current};
}

void drain(const BatteryParams& p, BatteryState& state, double current_A, double dt_s) noexcept {
  if (!(p.capacity_Ah > 0)) return;
  const double taken = tame(current_A) * usable(dt_s) / (p.capacity_Ah * 3600);
  state.charge_ratio = clip(clip(state.charge_ratio, 0, 1) - tame(taken), 0, 1);
}

double voltage(const BatteryParams& p, const BatteryState& state, double current_A) noexcept {
  const double charge = clip(state.charge_ratio, 0, 1);
  const double open = p.empty_V + (p.full_V - p.empty_V) * charge;
  const double v = open - tame(current_A) * p.resistance_ohm;
  return v > 0 ? v : 0;
}

Findings check(const BatteryParams& p) {
  Findings out;
  check_above(out, "capacity_Ah", p.capacity_Ah, "write the charge when full");
  check_range(out, "empty_V", p.empty_V, 0, 1e5, "write the open-circuit voltage when empty");
  check_range(out, "full_V", p.full_V, 0, 1e5, "write the open-circuit voltage when full");
  if (p.full_V < p.empty_V)
    out.push_back(
        {"full_V",
         "expected at least empty_V (" + short_text(p.empty_V) + "), got " + short_text(p.full_V),
         "exchange the two"});
  check_range(out, "resistance_ohm", p.resistance_ohm, 0, 1e6, "write 0 for none");
  check_range(out, "max_current_A", p.max_current_A, 0, kLargest, "write 0 for no limit");
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::BatteryParams;
using propulsion::TankParams;
using propulsion::TankShape;

template <>
const EnumTable& enum_table<TankShape>() {
  static constexpr std::array kValues{
      enum_value(TankShape::kProportional, "proportional",
                 "Mass and inertia in proportion to the fuel; the centre stays."),
      enum_value(TankShape::kCylinder, "cylinder",
                 "Settled liquid in an upright cylinder; the centre sinks.")};
  static constexpr EnumTable kTable{"TankShape", kValues};
  return kTable;
}

template <>
const Table& table_of<TankParams>() {
  static const Table table =
      TableBuilder<TankParams>("Tank", "Fuel that propulsors share.")
          .field("capacity_kg", &TankParams::capacity_kg, "kg", "Fuel when full.")
          .above(0)
          .required()
          .field("shape", &TankParams::shape, "", "proportional or cylinder.")
          .field("position_m", &TankParams::position_m, "m", "Centre of the full tank.")
          .field("max_inertia_kgm2", &TankParams::max_inertia_kgm2, "kg m^2",
                 "Diagonal inertia when full (proportional).")
          .field("axis", &TankParams::axis, "", "Up, away from where the liquid settles.")
          .field("radius_m", &TankParams::radius_m, "m", "Inside (cylinder).")
          .at_least(0)
          .field("height_m", &TankParams::height_m, "m", "Inside (cylinder).")
          .at_least(0)
          .build();
  return table;
}

template <>
const Table& table_of<BatteryParams>() {
  static const Table table =
      TableBuilder<BatteryParams>("Battery", "Charge that propulsors share.")
          .field("capacity_Ah", &BatteryParams::capacity_Ah, "A h", "Charge when full.")
          .above(0)
          .required()
          .field("full_V", &BatteryParams::full_V, "V", "Open-circuit voltage when full.")
          .at_least(0)
          .field("empty_V", &BatteryParams::empty_V, "V", "Open-circuit voltage when empty.")
          .at_least(0)
          .field("resistance_ohm", &BatteryParams::resistance_ohm, "ohm", "Inner resistance.")
          .at_least(0)
          .field("max_current_A", &BatteryParams::max_current_A, "A",
                 "Most that may be drawn; 0 is unlimited.")
          .at_least(0)
          .build();
  return table;
}

}  // namespace pintle
