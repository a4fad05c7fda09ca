#include "pintle/world/battery.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace pintle::world {

void BatteryInWorld::drain(const vehicle::Vehicle& craft, const ChannelVector& thrust_N,
                           double density_kg_m3, double dt_s) noexcept {
  propulsion::Ambient ambient;
  ambient.density_kg_m3 = density_kg_m3;
  double shafts_W = 0;
  for (std::size_t i = 0; i < craft.propulsors.size() && i < thrust_N.size(); ++i)
    if (const auto* p = std::get_if<propulsion::PropellerParams>(&craft.propulsors[i].model))
      shafts_W += propulsion::shaft_power_W(*p, thrust_N[i], ambient);
  power_W_ = shafts_W / battery_.drive_efficiency + battery_.avionics_W;

  const double open_V = propulsion::voltage(battery_.params, state_, 0);
  const double R = battery_.params.resistance_ohm;
  double current = open_V > 0 ? power_W_ / open_V : 0;
  if (R > 0) {
    // more than the battery can give at all: the most
    const double root = std::sqrt(std::max(open_V * open_V - 4 * R * power_W_, 0.0));
    current = (open_V - root) / (2 * R);
  }
  propulsion::drain(battery_.params, state_, current, dt_s);
}

}  // namespace pintle::world
