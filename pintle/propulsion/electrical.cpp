#include "pintle/propulsion/electrical.h"

#include <algorithm>
#include <cmath>

#include "pintle/propulsion/check_numbers.h"

namespace pintle::propulsion {
namespace {

// of the thrust that a lower voltage leaves: Blue Robotics T200, 36.4 N at 12 V and 51.4 N at 16 V
constexpr double kThrustOfVoltage = 1.2;

double share_of(const ElectricalParams& p, double thrust) noexcept {
  const double x = std::abs(thrust) / p.full_effort;
  return x <= kLargest ? x : 0;
}

// VideoRay M5. Its protocol document shows an answer with 1640 rpm, 49.62 V and 1.516 A: 75.2 W.
// SubjuGator 8 ran it at a limit of 600 W, with bounds of 100 N; the cubic law leads from the one
// to the other at 3276 rpm. Over-temperature trips at 100 C (its factory setting). Assumed: idle
// power, heating, from where it is spared.
constexpr ElectricalParams kM5{.full_effort = 100,
                               .full_rpm = 3276,
                               .full_power_W = 597,
                               .idle_power_W = 3,
                               .rated_V = 44,
                               .heating_C_W = 0.1,
                               .heating_tau_s = 60,
                               .hot_share = 0.3};

// Blue Robotics T200, published performance data of September 2019 at 16 V: 51.4 N at 3520 rpm and
// 390 W, brought to the 34.5 N that the normalised curve counts as 1 (full reverse at 14 V).
// Assumed: idle power, heating; there is no sensor of its temperature.
constexpr ElectricalParams kT200{.full_effort = 1,
                                 .full_rpm = 2884,
                                 .full_power_W = 214,
                                 .idle_power_W = 1,
                                 .rated_V = 14,
                                 .heating_C_W = 0.1,
                                 .heating_tau_s = 60,
                                 .hot_share = 0.3};

}  // namespace

Findings check(const ElectricalParams& p) {
  Findings out;
  check_above(out, "full_effort", p.full_effort, "write the thrust that full_rpm belongs to");
  check_above(out, "full_rpm", p.full_rpm, "write the speed at full_effort");
  check_range(out, "full_power_W", p.full_power_W, 0, kLargest, "write what full_effort costs");
  check_range(out, "idle_power_W", p.idle_power_W, 0, kLargest, "write 0 for none");
  check_above(out, "rated_V", p.rated_V, "write the lowest voltage that gives all of the thrust");
  check_range(out, "heating_C_W", p.heating_C_W, 0, kLargest, "write 0 for none");
  check_above(out, "heating_tau_s", p.heating_tau_s, "write  heating_tau_s: 60");
  if (!(p.warm_C < p.hot_C && p.hot_C <= kLargest && p.warm_C >= -kLargest))
    out.push_back({"warm_C", "expected warm_C below hot_C", "write  warm_C: 80  and  hot_C: 95"});
  check_range(out, "hot_share", p.hot_share, 0, 1, "write  hot_share: 0.3");
  return out;
}

double rpm_of(const ElectricalParams& p, double thrust) noexcept {
  return std::copysign(p.full_rpm * std::sqrt(share_of(p, thrust)), thrust);
}

double power_W(const ElectricalParams& p, double thrust) noexcept {
  const double x = share_of(p, thrust);
  return p.idle_power_W + p.full_power_W * x * std::sqrt(x);
}

double current_A(const ElectricalParams& p, double thrust, double bus_V) noexcept {
  return bus_V > 0 ? power_W(p, thrust) / bus_V : 0;
}

double share_at_voltage(const ElectricalParams& p, double bus_V) noexcept {
  if (!(bus_V < p.rated_V)) return 1;
  return bus_V > 0 ? std::pow(bus_V / p.rated_V, kThrustOfVoltage) : 0;
}

double share_at_temperature(const ElectricalParams& p, double temperature_C) noexcept {
  if (!(temperature_C > p.warm_C)) return 1;
  const double way = std::min(1.0, (temperature_C - p.warm_C) / (p.hot_C - p.warm_C));
  return 1 - way * (1 - p.hot_share);
}

double heated_C(const ElectricalParams& p, double temperature_C, double power_W, double water_C,
                double dt_s) noexcept {
  const double target = water_C + p.heating_C_W * power_W;
  return target + (temperature_C - target) * std::exp(-std::max(dt_s, 0.0) / p.heating_tau_s);
}

const ElectricalParams* library_electrical(std::string_view curve) noexcept {
  if (curve == "t200") return &kT200;
  return curve.starts_with("m5_") ? &kM5 : nullptr;
}

}  // namespace pintle::propulsion

namespace pintle {

template <>
const Table& table_of<propulsion::ElectricalParams>() {
  using P = propulsion::ElectricalParams;
  static const Table table =
      TableBuilder<P>("Electrical", "What a thruster turns, draws and heats.")
          .field("full_effort", &P::full_effort, "", "Thrust that the next three belong to.")
          .above(0)
          .field("full_rpm", &P::full_rpm, "rpm", "Speed there.")
          .above(0)
          .field("full_power_W", &P::full_power_W, "W", "Drawn there, above idle_power_W.")
          .at_least(0)
          .field("idle_power_W", &P::idle_power_W, "W", "Drawn at rest, driver included.")
          .at_least(0)
          .field("rated_V", &P::rated_V, "V", "From this voltage on it reaches its bounds.")
          .above(0)
          .field("heating_C_W", &P::heating_C_W, "",
                 "Above the water in the end, in degrees for each watt drawn.")
          .at_least(0)
          .field("heating_tau_s", &P::heating_tau_s, "s", "Time constant of that.")
          .above(0)
          .field("warm_C", &P::warm_C, "C", "Up to here all of its thrust is used …")
          .field("hot_C", &P::hot_C, "C", "… and from here on hot_share of it.")
          .field("hot_share", &P::hot_share, "", "Part of the bounds that is left when it is hot.")
          .range(0, 1)
          .build();
  return table;
}

}  // namespace pintle
