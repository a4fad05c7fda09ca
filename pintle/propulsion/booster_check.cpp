#include "pintle/propulsion/booster.h"
#include "pintle/propulsion/check_numbers.h"

namespace pintle::propulsion {

Findings check(const BoosterParams& p) {
  Findings out;
  check_range(out, "tau_s", p.tau_s, 0, 60, "write seconds; 0 is no lag");
  check_range(out, "total_fuel_mass_kg", p.total_fuel_mass_kg, 0, kLargest,
              "write the mass of a full tank");
  if (p.behaviour == Behaviour::kReference && p.total_fuel_mass_kg == 0)
    out.push_back({"total_fuel_mass_kg", "expected a mass above 0 with behaviour: reference",
                   "write the mass of a full tank"});
  check_range(out, "max_fuel_rate_kg_s", p.max_fuel_rate_kg_s, 0, kLargest,
              "write the mass flow at full thrust");
  check_range(out, "specific_impulse_s", p.specific_impulse_s, 0, 1e6,
              "write seconds, or leave it out to use max_fuel_rate_kg_s");
  if (p.specific_impulse_s > 0 && p.max_fuel_rate_kg_s > 0)
    out.push_back({"specific_impulse_s",
                   "specific_impulse_s and max_fuel_rate_kg_s both say what it burns; the impulse "
                   "is used",
                   "keep one of the two", false});
  check_above(out, "max_thrust_N", p.max_thrust_N, "write the thrust at full throttle");
  check_range(out, "min_thrust_N", p.min_thrust_N, 0, kLargest,
              "write the least thrust while lit; 0 throttles down to nothing");
  if (p.min_thrust_N > p.max_thrust_N)
    out.push_back({"min_thrust_N",
                   "expected at most max_thrust_N (" + short_text(p.max_thrust_N) + "), got " +
                       short_text(p.min_thrust_N),
                   "exchange the two"});
  check_range(out, "noise_ratio", p.noise_ratio, 0, 1, "write a share of the thrust");
  check_unit(out, "thrust_unit", p.thrust_unit, true);
  for (std::size_t i = 0; i < 3; ++i)
    check_range(out, "max_inertia_kgm2", p.max_inertia_kgm2[i], 0, kLargest,
                "write the inertia of the full tank");
  for (std::size_t i = 0; i < 3; ++i)
    check_range(out, "fuel_position_m", p.fuel_position_m[i], -1000, 1000,
                "write metres from the mount, or leave it out: it lies at the mount");
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::BoosterParams;
using propulsion::BoosterState;

template <>
const Table& table_of<BoosterParams>() {
  static const Table table =
      TableBuilder<BoosterParams>("Booster", "A fuelled rocket engine.")
          .field("tau_s", &BoosterParams::tau_s, "s", "Ramp-up time constant; 0 is none.")
          .range(0, 60)
          .field("total_fuel_mass_kg", &BoosterParams::total_fuel_mass_kg, "kg",
                 "Mass of its own fuel when full; 0 where a shared tank feeds it.")
          .at_least(0)
          .field("max_fuel_rate_kg_s", &BoosterParams::max_fuel_rate_kg_s, "kg/s",
                 "Mass flow at max_thrust_N.")
          .at_least(0)
          .field("specific_impulse_s", &BoosterParams::specific_impulse_s, "s",
                 "Instead of max_fuel_rate_kg_s: mass flow is thrust / (this * 9.80665).")
          .at_least(0)
          .field("max_inertia_kgm2", &BoosterParams::max_inertia_kgm2, "kg m^2",
                 "Diagonal inertia of its own fuel when full.")
          .field("fuel_position_m", &BoosterParams::fuel_position_m, "m",
                 "Middle of its own fuel, mount coordinates.")
          .field("min_thrust_N", &BoosterParams::min_thrust_N, "N",
                 "Thrust at pwm 0 while lit; less than this is off.")
          .at_least(0)
          .field("max_thrust_N", &BoosterParams::max_thrust_N, "N", "Thrust at pwm 1.")
          .above(0)
          .required()
          .field("thrust_unit", &BoosterParams::thrust_unit, "",
                 "Direction of the force on the vehicle, mount coordinates.")
          .field("reignitable", &BoosterParams::reignitable, "",
                 "It can be shut down and lit again; false: once lit it burns to the end.")
          .field("noise_ratio", &BoosterParams::noise_ratio, "",
                 "Standard deviation of the thrust as a share of it.")
          .range(0, 1)
          .field("behaviour", &BoosterParams::behaviour, "",
                 "reference (the original simulator's numbers) or physical.")
          .build();
  return table;
}

template <>
const Table& table_of<BoosterState>() {
  static const Table table =
      TableBuilder<BoosterState>("BoosterState", "Where a booster stands.")
          .field("lit", &BoosterState::lit, "", "1 while it burns.")
          .field("fuel_ratio", &BoosterState::fuel_ratio, "", "Share of its fuel that is left.")
          .field("throttle", &BoosterState::throttle, "", "Share of the full thrust.")
          .build();
  return table;
}

}  // namespace pintle
