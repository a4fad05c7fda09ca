/// Small crafts for the tests of this room.
#pragma once
#include <limits>

#include "pintle/world/world.h"

namespace pintle::world {

inline Time at(double s) { return Time::from_seconds(s); }

inline ChannelVector numbers(std::initializer_list<double> values) {
  ChannelVector c;
  for (const double v : values) c.push_back(v);
  return c;
}

/// 40 kg dry, no propulsor yet.
inline vehicle::Vehicle bare_craft() {
  vehicle::Vehicle v;
  v.name = "craft";
  v.body.mass_kg = 40;
  v.body.inertia_kgm2 = {5, 6, 7};
  return v;
}

/// 100 to 1000 N upwards at 0.5 kg/s in full, 60 kg of its own fuel, no lag.
inline propulsion::BoosterParams booster() {
  propulsion::BoosterParams p;
  p.min_thrust_N = 100;
  p.max_thrust_N = 1000;
  p.max_fuel_rate_kg_s = 0.5;
  p.total_fuel_mass_kg = 60;
  return p;
}

inline vehicle::Propulsor mounted(std::string name, propulsion::Propulsor model,
                                  Vec3 position_m = {}, std::int32_t tank = vehicle::kNoTank) {
  vehicle::Propulsor p;
  p.name = std::move(name);
  p.mount.position_m = position_m;
  p.model = std::move(model);
  p.tank = tank;
  return p;
}

inline vehicle::Vehicle rocket() {
  vehicle::Vehicle v = bare_craft();
  v.propulsors.push_back(mounted("main", booster()));
  return v;
}

/// Nothing around, nothing that pulls.
inline WorldParams space(double step_s = 0.001) {
  WorldParams p;
  p.water.density_kg_m3 = 0;
  p.gravity_m_s2 = 0;
  p.step_s = step_s;
  return p;
}

/// Still air at sea level, gravity.
inline WorldParams calm() {
  WorldParams p = space();
  p.gravity_m_s2 = 9.80665;
  p.air = AirParams{};
  return p;
}

inline constexpr std::uint64_t kLit = ~std::uint64_t{0};

}  // namespace pintle::world
