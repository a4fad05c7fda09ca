#include "pintle/world/meters.h"

#include <algorithm>
#include <cmath>

namespace pintle::world {
namespace {

constexpr double kTick_s = 0.005;  ///< Of speed, power and heat between two rounds.
constexpr double kFreeSpeed = 1.1, kFreePower = 0.1, kFouledSpeed = 0.6, kFouledPower = 2.5;
constexpr std::uint8_t kAll = kHasRpm | kHasVoltage | kHasCurrent | kHasTemperature | kHasFault;

}  // namespace

Meters::Meters(const TruthVehicle& truth, const MeterParams& params, double bus_V,
               std::uint64_t seed)
    : params_(params), bus_V_(bus_V), due_(Time::from_seconds(1 / params.rate_Hz)) {
  for (std::size_t i = 0; i < truth.vehicle.propulsors.size(); ++i) {
    const vehicle::Propulsor& p = truth.vehicle.propulsors[i];
    const auto* thruster = std::get_if<propulsion::Thruster>(&p.model);
    if (thruster == nullptr || !thruster->params().electrical) continue;
    const double full = std::max(std::abs(thruster->lower()), std::abs(thruster->upper()));
    meters_.push_back({i, *thruster->params().electrical, full,
                       RandomStream(seed, "meters " + p.name), params.water_C});
  }
}

void Meters::turn(Meter& m, const FaultEffect& fault, double effort, double dt_s) noexcept {
  m.rpm = propulsion::rpm_of(m.electrical, effort);
  m.power_W = propulsion::power_W(m.electrical, effort);
  const double idle = m.electrical.idle_power_W;
  if (fault.dead) {
    m.power_W = 0;
  } else if (fault.propeller_lost) {
    m.rpm *= kFreeSpeed;
    m.power_W = idle + kFreePower * (m.power_W - idle);
  } else if (fault.fouled) {
    m.rpm *= kFouledSpeed;
    m.power_W = idle + kFouledPower * (m.power_W - idle);
  }
  m.temperature_C =
      propulsion::heated_C(m.electrical, m.temperature_C, m.power_W, params_.water_C, dt_s);
}

PropulsorReport Meters::reading(const Meter& m) const noexcept {
  PropulsorReport r;
  r.propulsor = static_cast<std::uint32_t>(m.propulsor);
  r.contact = PropulsorContact::kGood;
  r.valid = kAll;
  r.rpm = m.rpm;
  // power and cable: I V = P, V = bus - R I
  const double root = std::sqrt(std::max(bus_V_ * bus_V_ - 4 * params_.cable_Ohm * m.power_W, 0.0));
  r.bus_V = 0.5 * (bus_V_ + root);
  r.bus_A = r.bus_V > 0 ? m.power_W / r.bus_V : 0;
  r.temperature_C = m.temperature_C;
  return r;
}

void Meters::sample(Meter& m, Time now) noexcept {
  PropulsorReport r = reading(m);
  r.stamp = now;
  const double full_A = propulsion::current_A(m.electrical, m.full_effort, bus_V_);
  // drawn in any case, so that a message that is lost shifts nothing
  const double rpm = m.noise.normal(), volt = m.noise.normal(), ampere = m.noise.normal(),
               celsius = m.noise.normal(), luck = m.noise.uniform();
  r.rpm += rpm * params_.rpm_noise * m.electrical.full_rpm;
  r.bus_V += volt * params_.voltage_noise_V;
  r.bus_A += ampere * params_.current_noise * full_A;
  r.temperature_C += celsius * params_.temperature_noise_C;
  if (luck < params_.drop_out) return;
  // checked: there is room for as many as its delay holds
  (void)m.on_the_way.push_back(r);
}

void Meters::update(Time now, const FaultSchedule& faults, const ChannelVector& turning) noexcept {
  const bool is_due = now >= due_;
  const double dt_s = (now - last_).seconds();
  if (!is_due && dt_s < kTick_s) return;
  last_ = now;
  for (Meter& m : meters_) turn(m, faults.effect(m.propulsor), turning[m.propulsor], dt_s);
  if (!is_due) return;
  due_ = due_ + Duration::from_seconds(1 / params_.rate_Hz);
  for (Meter& m : meters_) sample(m, now);
}

FixedVector<PropulsorReport, kMaxPropulsors> Meters::take(Time now) noexcept {
  FixedVector<PropulsorReport, kMaxPropulsors> out;
  for (Meter& m : meters_) {
    std::size_t arrived = 0;
    while (arrived < m.on_the_way.size() &&
           (now - m.on_the_way[arrived].stamp).seconds() >= params_.delay_s)
      ++arrived;
    if (arrived == 0) continue;
    out.push_back(m.on_the_way[arrived - 1]);
    std::move(m.on_the_way.begin() + arrived, m.on_the_way.end(), m.on_the_way.begin());
    m.on_the_way.resize(m.on_the_way.size() - arrived);
  }
  return out;
}

PropulsorReport Meters::exact(std::size_t propulsor) const noexcept {
  for (const Meter& m : meters_)
    if (m.propulsor == propulsor) return reading(m);
  return {};
}

}  // namespace pintle::world
