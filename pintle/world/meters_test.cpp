#include "pintle/world/meters.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::world {
namespace {

/// Two thrusters of 100 N: 3000 rpm, 500 W and 20 W at rest, on 50 V.
struct Stand {
  explicit Stand(const MeterParams& params, const std::vector<FaultSpec>& faults = {})
      : truth{vehicle(), ChannelVector(2, 1.0)},
        schedule(truth.vehicle, faults),
        meters(truth, params, 50, 7),
        turning(2) {}
  static vehicle::Vehicle vehicle() {
    propulsion::ThrusterParams p;
    p.min_effort = -100;
    p.max_effort = 100;
    p.electrical.emplace();
    p.electrical->full_effort = 100;
    p.electrical->full_rpm = 3000;
    p.electrical->full_power_W = 500;
    p.electrical->idle_power_W = 20;
    vehicle::Vehicle v;
    v.propulsors.resize(2);
    v.propulsors[0].name = "a";
    v.propulsors[1].name = "b";
    for (vehicle::Propulsor& q : v.propulsors) q.model = propulsion::Thruster(p);
    return v;
  }
  /// In steps of a millisecond.
  void run(double seconds) {
    for (int k = 0; k < static_cast<int>(std::lround(seconds * 1000)); ++k) {
      now = now + Duration::from_seconds(0.001);
      schedule.update(now);
      meters.update(now, schedule, turning);
    }
  }
  TruthVehicle truth;
  FaultSchedule schedule;
  Meters meters;
  ChannelVector turning;
  Time now{};
};

MeterParams exact() {
  MeterParams p;
  p.rate_Hz = 50;
  p.rpm_noise = p.current_noise = p.voltage_noise_V = p.temperature_noise_C = 0;
  p.cable_Ohm = 0;
  return p;
}

TEST(Meters, SayWhatTheModelSays) {
  Stand s(exact());
  s.turning[0] = -25;
  s.run(0.1);
  const auto reports = s.meters.take(s.now);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_DOUBLE_EQ(reports[0].rpm, -1500);
  EXPECT_DOUBLE_EQ(reports[0].bus_V, 50);
  EXPECT_DOUBLE_EQ(reports[0].bus_A, (20 + 500.0 / 8) / 50);
  EXPECT_DOUBLE_EQ(reports[1].bus_A, 20.0 / 50);
  EXPECT_EQ(reports[1].rpm, 0);
}

TEST(Meters, ACableTakesItsShare) {
  MeterParams p = exact();
  p.cable_Ohm = 0.5;
  Stand s(p);
  s.turning[0] = 100;
  s.run(0.1);
  const PropulsorReport r = s.meters.exact(0);
  EXPECT_NEAR(r.bus_V * r.bus_A, 520, 1e-9);
  EXPECT_NEAR(r.bus_V, 50 - 0.5 * r.bus_A, 1e-9);
}

TEST(Meters, WhoAsksAsOftenAsTheySpeakHearsEveryRoundLateOrNot) {
  for (const double delay : {0.0, 0.01, 0.02, 0.05, 0.3}) {
    MeterParams p = exact();
    p.delay_s = delay;
    Stand s(p);
    std::size_t heard = 0;
    for (int k = 0; k < 100; ++k) {
      s.run(0.02);
      for (const PropulsorReport& r : s.meters.take(s.now)) {
        ++heard;
        EXPECT_GE((s.now - r.stamp).seconds(), delay - 1e-9);
        EXPECT_LT((s.now - r.stamp).seconds(), delay + 0.021);
      }
    }
    EXPECT_GE(heard, 2 * (99 - static_cast<std::size_t>(delay / 0.02 + 1))) << delay;
  }
}

TEST(Meters, FaultsLookAsTheyDo) {
  const auto look = [](FaultKind kind) {
    Stand s(exact(), {{"a", kind, 0, 1e9, 0.5, false}});
    s.turning[0] = 25;
    s.run(0.1);
    return s.meters.take(s.now)[0];
  };
  EXPECT_EQ(look(FaultKind::kDead).bus_A, 0);
  EXPECT_DOUBLE_EQ(look(FaultKind::kPropellerLost).rpm, 1650);
  EXPECT_DOUBLE_EQ(look(FaultKind::kPropellerLost).bus_A, (20 + 0.1 * 62.5) / 50);
  EXPECT_DOUBLE_EQ(look(FaultKind::kFouled).rpm, 900);
  EXPECT_DOUBLE_EQ(look(FaultKind::kFouled).bus_A, (20 + 2.5 * 62.5) / 50);
  EXPECT_DOUBLE_EQ(look(FaultKind::kWeak).rpm, 1500) << "its blades are the matter";
  EXPECT_DOUBLE_EQ(look(FaultKind::kReversed).rpm, 1500);
}

TEST(Meters, WarmUpByWhatTheyDraw) {
  Stand s(exact());
  s.turning[0] = 100;
  s.run(60);
  // 15 C + 0.1 * 520 W * (1 - 1/e)
  EXPECT_NEAR(s.meters.exact(0).temperature_C, 15 + 52 * (1 - std::exp(-1)), 0.05);
}

TEST(Meters, TheSameSeedSaysTheSameAndALostReportShiftsNothing) {
  MeterParams p = exact();
  p.rpm_noise = 0.01;
  Stand all(p);
  p.drop_out = 0.5;
  Stand some(p);
  std::size_t lost = 0;
  for (int k = 0; k < 100; ++k) {
    all.run(0.02);
    some.run(0.02);
    const auto a = all.meters.take(all.now), b = some.meters.take(some.now);
    lost += a.size() - b.size();
    for (const PropulsorReport& r : b)
      for (const PropulsorReport& q : a) {
        if (q.propulsor == r.propulsor) {
          EXPECT_EQ(q.rpm, r.rpm);
        }
      }
  }
  EXPECT_GT(lost, 50u);
  EXPECT_LT(lost, 150u);
}

}  // namespace
}  // namespace pintle::world
