#include "pintle/simulation/hull_sensors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pintle::simulation {
namespace {

constexpr Duration kPeriod{200'000'000};
constexpr double kDry_kPa = 101.3, kCool_C = 25;

/// What its failsafes need to know.
std::uint8_t asked_of(const craft::VehicleFile& file) {
  const FailsafeParams& f = file.failsafes;
  unsigned all = 0;
  if (f.leak || f.housekeeping_silent) all |= kHasLeak;
  if (f.pressure) all |= kHasPressure;
  if (f.temperature) all |= kHasInnerTemperature;
  // a flight controller tells the charge by itself
  if (control::traits(file.laws.law).allocates &&
      (f.battery_low || f.battery_critical || f.battery_silent || f.way_home))
    all |= kHasCharge;
  if (f.ground_near) all |= kHasRange;
  const auto& propulsors = file.vehicle.propulsors;
  if (f.wind && std::none_of(propulsors.begin(), propulsors.end(),
                             [](const auto& p) { return p.type == "booster"; }))
    all |= kHasWind;
  return static_cast<std::uint8_t>(all);
}

}  // namespace

HullSensors::HullSensors(const MissionFile& mission)
    : hull_(mission.world.device_faults, world::Device::kHull),
      battery_(mission.world.device_faults, world::Device::kBattery),
      ground_(mission.world.ground, mission.world.pads),
      told_(asked_of(mission.vehicle)) {}

void HullSensors::sense(Time now, const world::World& world, Inputs& in) {
  using K = world::DeviceFaultKind;
  if (told_ == 0 || now < due_) return;
  due_ = now + kPeriod;
  unsigned told = told_;
  if (hull_.active(K::kSilent, now)) told &= kHasCharge | kHasRange | kHasWind;
  if (told == 0) return;
  Housekeeping& h = in.housekeeping;
  in.has_housekeeping = true;
  h.stamp = now;
  h.valid = static_cast<std::uint8_t>(told);
  h.leak = hull_.active(K::kLeaks, now);
  h.pressure_kPa = hull_.active(K::kPresses, now) ? hull_.value(K::kPresses, now) : kDry_kPa;
  h.temperature_C = hull_.active(K::kHeats, now) ? hull_.value(K::kHeats, now) : kCool_C;
  const world::Truth truth = world.truth();
  const double charge = truth.battery;
  const Vec3& p = truth.X_WB.p;
  // without a ground nothing is in its reach
  h.range_m = ground_.exists() ? std::max(p.z - ground_.height_m(p.x, p.y), 0.0)
                               : std::numeric_limits<double>::infinity();
  h.wind_m_s = std::hypot(truth.wind_W.x, truth.wind_W.y);
  h.charge = battery_.active(K::kEmpties, now) ? std::min(charge, battery_.value(K::kEmpties, now))
                                               : charge;
}

}  // namespace pintle::simulation
