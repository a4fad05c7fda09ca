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
    tell(in, craft);
    in.has_imu = true;
    in.imu = {in.now, {0.01 * random_.normal(), 0, 0}, {0, 0, 9.8 + 0.1 * random_.normal()}};
    for (Time* t : {&in.now, &in.odometry.stamp, &in.imu.stamp, &in.flight.stamp,
                    &in.housekeeping.stamp, &in.gripper.stamp})
      *t = *t + offset_;
    for (PropulsorReport& r : in.reports) r.stamp = r.stamp + offset_;
    for (TargetSighting& t : in.targets) t.stamp = t.stamp + offset_;
    switch (mood_) {
      case 1: in.now = stood_; break;                 // the clock stands
      case 2: in.has_odometry = false; break;         // no state
      case 3: in = silent_of(in); break;              // silence
      case 4: in.odometry = before_.odometry; break;  // the same again
      case 5:                                         // out of order
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
    if (one_in(40)) in.commands.push_back(command());
    if (one_in(1000)) in.has_kill = in.killed = true;
    if (one_in(20)) in.has_kill = true, in.killed = false;
    before_ = in;
  }
  [[nodiscard]] bool one_in(std::uint64_t n) { return random_.bits() % n == 0; }

 private:
  /// What hull, propulsors, gripper, camera and goals say while all is well.
  void tell(Inputs& in, const AnyCraft& craft) {
    in.has_housekeeping = true;
    in.housekeeping = {
        in.now,
        kHasLeak | kHasPressure | kHasInnerTemperature | kHasCharge | kHasRange | kHasWind,
        false,
        101,
        25,
        random_.uniform(0.6, 1),
        random_.uniform(1, 20),
        random_.uniform(0, 10)};
    in.odometry.position_std_m = random_.uniform(0, 0.9);
    in.has_bus_voltage = true;
    in.bus_V = craft.model.nominal_bus_V;
    const std::size_t n = craft.model.vehicle.propulsors.size();
    if (one_in(4) && n > 0) {
      PropulsorReport r;
      r.propulsor = static_cast<std::uint32_t>(random_.bits() % n);
      r.stamp = in.now;
      r.contact = PropulsorContact::kGood;
      r.valid = static_cast<std::uint8_t>(random_.bits());
      r.bus_V = in.bus_V;
      r.rpm = random_.uniform(-3000, 3000);
      r.temperature_C = 30;
      in.reports.push_back(r);
    }
    in.has_gripper = one_in(5);
    in.gripper = {in.now, static_cast<GripperHold>(random_.bits() % 3), true, 0, {}};
    if (one_in(10))
      in.targets.push_back({in.now,
                            static_cast<TargetKind>(random_.bits() % 2),
                            {random_.normal(), random_.normal(), -2}});
    if (one_in(200)) {
      in.has_navigation = true;
      in.navigation = {one_in(3) ? NavigationAsk::kCancel : NavigationAsk::kGoal, random_.bits(),
                       craft.pose.p + Vec3{random_.normal(), random_.normal(), 0}, 0};
    }
  }
  static Inputs silent_of(const Inputs& in) {
    Inputs out;
    out.now = in.now;
    out.generation = in.generation;
    return out;
  }
  /// Any of them, of anybody, with any argument.
  OperatorCommand command() {
    const auto& codes = enum_table<CommandCode>().values;
    const auto code = random_.bits() % (codes.size() + 1);  // one more than there are
    const auto from = random_.bits() % (mission::kOperators + 1);
    return {static_cast<CommandCode>(code), static_cast<std::int32_t>(random_.bits() % 5) - 1,
            static_cast<mission::Operator>(from)};
  }

  double wild() { return std::bit_cast<double>(random_.bits()); }
  void spoil(Inputs& in) {
    for (double* x : {&in.odometry.X_WB.p.x, &in.odometry.X_WB.q.w, &in.odometry.V_WB_B.v.z,
                      &in.odometry.V_WB_B.w.y, &in.imu.w_B.x, &in.imu.f_B.z, &in.flight.v_W.x,
                      &in.setpoint.V_WD_B.v.x, &in.setpoint.X_WD.p.z, &in.bus_V, &in.flight.battery,
                      &in.housekeeping.pressure_kPa, &in.housekeeping.temperature_C,
                      &in.housekeeping.charge, &in.housekeeping.range_m, &in.housekeeping.wind_m_s,
                      &in.odometry.position_std_m, &in.navigation.p_WB.x})
      if (one_in(3)) *x = wild();
    for (PropulsorReport& r : in.reports)
      for (double* x : {&r.bus_V, &r.bus_A, &r.rpm, &r.temperature_C, &r.effort})
        if (one_in(3)) *x = wild();
    for (TargetSighting& t : in.targets)
      if (one_in(3)) t.p_BT_B.x = wild();
    if (one_in(3)) in.gripper.hold = static_cast<GripperHold>(random_.bits());
    if (one_in(50)) in.housekeeping.leak = true;
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

/// Every row, at limits that an attack goes past now and then, with actions as they are drawn.
inline FailsafeParams every_failsafe(std::uint64_t seed) {
  RandomStream random(seed, "failsafes");
  const auto action = [&random] { return static_cast<FailsafeAction>(random.bits() % 5); };
  const auto after_s = [&random] { return random.uniform(0, 2); };
  FailsafeParams f;
  f.tilt = {60, after_s(), action()};
  f.crash = {2, after_s(), random.bits() % 2 == 0 ? FailsafeAction::kOff : FailsafeAction::kWarn};
  f.battery_low = {0.5, after_s(), action()};
  f.battery_critical = {0.2, after_s(), action()};
  f.battery_silent = {3, after_s(), action()};
  f.bus_voltage = {1, after_s(), action()};
  f.bus_silent = {3, after_s(), action()};
  f.depth = {20, after_s(), action()};
  f.height = {20, after_s(), action()};
  f.height_lost = {5, after_s(), action()};
  f.way_home = WayHome{0.1, 1, after_s(), action()};
  f.fence = Fence{0, 0, 15, 0, 0, after_s(), action(), 1};
  f.leak = {0, after_s(), action()};
  f.pressure = {110, after_s(), action()};
  f.temperature = {60, after_s(), action()};
  f.housekeeping_silent = {3, after_s(), action()};
  f.heartbeat = {3, after_s(), action()};
  f.planner = {3, after_s(), action()};
  f.on_ground = {20, after_s(), action()};
  f.wind = {8, after_s(), action()};
  f.tick_late = {1, after_s(), action()};
  f.flight_silent = {2, after_s(), action()};
  f.place_uncertain = {1, after_s(), action()};
  f.vibration = {5, after_s(), action()};
  f.ground_near = {2, after_s(), action()};
  f.imu_silent = {0.5, after_s(), action()};
  f.flight_time = {40, after_s(), action()};
  return f;
}

/// So many ticks of a clock that stands, once it is safe. Empty: it stayed so.
inline std::string stand(AnyCraft& craft, int ticks) {
  craft.fly(20);
  Inputs in = craft.silent();
  const double most_s = craft.safe_within_s();
  for (double s = 0; s < most_s && !craft.safe(); s += craft.model.period.seconds()) craft.tick(in);
  for (int i = 0; i < ticks; ++i) {
    craft.tick(in);
    if (!craft.safe() || !craft.sound())
      return "not safe in tick " + std::to_string(i) + " of a clock that stands";
  }
  return {};
}

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
