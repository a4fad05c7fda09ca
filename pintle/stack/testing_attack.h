/// Somebody who stops and sets clocks, repeats, reorders, spoils and silences inputs, and what must hold
/// all the same: what goes out is sound in every tick, and silence is safe in time.
#pragma once
#include <bit>
#include <string>

#include "pintle/base/random.h"
#include "pintle/stack/testing_craft.h"

namespace pintle::stack {

class Attacker {
 public:
  explicit Attacker(std::uint64_t seed) : random_(seed, "attack") {}

  /// The inputs of one tick as they should be, and what is made of them.
  void upset(Inputs& in, const AnyCraft& craft) {
    if (one_in(200)) mood_ = static_cast<int>(random_.bits() % 8);
    if (one_in(3000))
      offset_ = Duration{static_cast<std::int64_t>(random_.bits() >> (random_.bits() % 40))};
    if (one_in(3000)) offset_ = Duration{-offset_.ns};
    in.has_imu = true;
    in.imu = {in.now, {0.01 * random_.normal(), 0, 0}, {0, 0, 9.8 + 0.1 * random_.normal()}};
    for (Time* t : {&in.now, &in.odometry.stamp, &in.imu.stamp, &in.flight.stamp})
      *t = *t + offset_;
    switch (mood_) {
      case 1: in.now = stood_; break;                                       // the clock stands
      case 2: in.has_odometry = false; break;                               // no state
      case 3: in.has_odometry = in.has_imu = in.has_flight = false; break;  // silence
      case 4: in.odometry = before_.odometry; break;                        // the same again
      case 5:                                                               // out of order
        if (one_in(2)) in.odometry.stamp = in.odometry.stamp - Duration{in.now.ns / 1000};
        if (one_in(2)) std::swap(in.odometry.stamp, in.imu.stamp);
        break;
      case 6: spoil(in); break;
      default: stood_ = in.now; break;
    }
    if (one_in(500)) in.now = {static_cast<std::int64_t>(random_.bits())};
    in.has_setpoint = in.has_setpoint && !one_in(3);
    if (one_in(50))
      in.setpoint.mode[random_.bits() % 6] = static_cast<AxisMode>(random_.bits() % 4);
    if (one_in(100)) in.health.push_back(report(craft));
    if (one_in(40))
      in.commands.push_back({static_cast<CommandCode>(random_.bits() % 24),
                             static_cast<std::int32_t>(random_.bits() % 5) - 1,
                             {}});
    before_ = in;
  }
  [[nodiscard]] bool one_in(std::uint64_t n) { return random_.bits() % n == 0; }

 private:
  double wild() { return std::bit_cast<double>(random_.bits()); }
  void spoil(Inputs& in) {
    for (double* x : {&in.odometry.X_WB.p.x, &in.odometry.X_WB.q.w, &in.odometry.V_WB_B.v.z,
                      &in.odometry.V_WB_B.w.y, &in.imu.w_B.x, &in.imu.f_B.z, &in.flight.v_W.x,
                      &in.setpoint.V_WD_B.v.x, &in.setpoint.X_WD.p.z, &in.bus_V})
      if (one_in(3)) *x = wild();
    in.has_bus_voltage = true;
  }
  HealthReport report(const AnyCraft& craft) {
    const std::size_t n = craft.model.vehicle.propulsors.size() + 1;
    return {static_cast<std::uint32_t>(random_.bits() % n),
            {static_cast<Health>(random_.bits() % 7), random_.uniform(-0.1, 1.1),
             one_in(2) ? wild() : random_.uniform(-2, 2)}};
  }

  RandomStream random_;
  int mood_ = 0;
  Duration offset_{};
  Time stood_{};
  Inputs before_{};
};

/// So many ticks of a craft under attack, and each two thousand of them silence. Empty: all held.
/// `armed` counts the ticks that it was.
inline std::string attack(AnyCraft& craft, std::uint64_t seed, int ticks, long& armed) {
  Attacker attacker(seed);
  RandomStream walk(seed, "walk");
  const double period_s = craft.model.period.seconds();
  craft.fly(20);
  for (int i = 0; i < ticks; ++i) {
    craft.said.clear();
    craft.twist.v = 0.98 * craft.twist.v + 0.1 * Vec3{walk.normal(), walk.normal(), walk.normal()};
    craft.pose.p += period_s * craft.twist.v;
    Inputs in = craft.good();
    attacker.upset(in, craft);
    craft.tick(in);
    armed += craft.out->arm == ArmState::kArmed ? 1 : 0;
    if (!craft.sound()) return "not sound in tick " + std::to_string(i);
    if (craft.out->arm == ArmState::kLatchedSafe) craft.tick({CommandCode::kResetLatch});
    if (craft.out->arm == ArmState::kDisarmed && i % 50 == 0)
      craft.tick({CommandCode::kArm, CommandCode::kReadyIgnition, CommandCode::kIgnite});
    if (i % 2000 != 1999) continue;
    // and now nothing: whatever was before, it ends safe
    const double most_s = craft.safe_within_s();
    for (double s = 0; s < most_s && craft.out->arm == ArmState::kArmed && !craft.safe();
         s += period_s) {
      Inputs silent = craft.silent();
      silent.now = craft.state->time.clock + craft.model.period;
      craft.tick(silent);
      if (!craft.sound()) return "not sound in silence after tick " + std::to_string(i);
    }
    if (craft.out->arm == ArmState::kArmed && !craft.safe())
      return "not safe within " + std::to_string(most_s) + " s after tick " + std::to_string(i);
  }
  return {};
}

}  // namespace pintle::stack
