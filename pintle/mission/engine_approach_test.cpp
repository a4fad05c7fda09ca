// down to a target: the cone, what is lost on the way, what moves, what glimpses do to a search
#include <gtest/gtest.h>

#include "pintle/mission/testing_engine.h"

namespace pintle::mission {
namespace {

/// Over a pad from where the craft is put; pictures at every tick unless it looks away.
struct Over : Rig {
  Sightings sightings;
  static MissionSpec mission_of(const ServoSpec& servo, double speed_m_s) {
    MissionSpec spec;
    StateSpec s = mission::state("down", 60);
    s.servo = servo;
    s.success.position_m = 0.06;
    s.success.settle_s = 30;  // it is watched on the way, not at its end
    s.success.target = {TargetChoice::kPad, 5};
    spec.states.push_back(s);
    spec.aircraft.pad.speed_m_s = speed_m_s;
    return spec;
  }
  static ServoSpec down_to(double height_m) {
    ServoSpec s;
    s.target = TargetChoice::kPad;
    s.height_m = height_m;
    return s;
  }
  explicit Over(const ServoSpec& servo, double speed_m_s = 0) : Rig(mission_of(servo, speed_m_s)) {
    in.aircraft.present = in.aircraft.flight_fresh = true;
    in.aircraft.flight.phase = FlightPhase::kAirborne;
    in.aircraft.flight.has_control = true;
  }
  void fly(double seconds) {
    for (int n = static_cast<int>(std::lround(seconds * 50)); n > 0; --n) {
      sightings.clear();
      in.aircraft.sightings = &sightings;
      const Time stamp = in.now + Duration{20'000'000};
      in.vehicle.stamp = stamp;
      pad = pad + 0.02 * pad_v;
      if (sees)
        sightings.push_back(
            {stamp, kind, rotate(conjugate(in.vehicle.X_WB.q), pad - in.vehicle.X_WB.p)});
      tick();
      if (follows) {
        const Vec3 to = out.setpoint.X_WD.p - in.vehicle.X_WB.p;
        const double d = norm(to);
        put(in.vehicle.X_WB.p + (d > 0.01 ? 0.01 / d : 1) * to);
      }
    }
  }
  [[nodiscard]] Vec3 goal() const { return out.setpoint.X_WD.p; }
  Vec3 pad{}, pad_v{};
  TargetKind kind = TargetKind::kPad;
  bool sees = true, follows = false;
};

TEST(Approach, KeepsItsHeightUntilItIsOverTheTarget) {
  Over o(Over::down_to(0.4));
  o.put({0.9, 0, 2});
  o.tick(Command::kStart);
  o.fly(0.5);
  // 0.2 m and tan 15 degrees of 1.6 m: 0.63 m
  EXPECT_NEAR(o.goal().x, 0, 0.01);
  EXPECT_NEAR(o.goal().z, 2, 1e-9);
  o.put({0.6, 0, 2});
  o.fly(0.1);
  EXPECT_NEAR(o.goal().z, 0.4, 0.01);
  // lower the cone is narrower
  o.put({0.6, 0, 1});
  o.fly(0.1);
  EXPECT_NEAR(o.goal().z, 1, 1e-9);
}

// wherever it begins and however it is pushed: lower only inside of the cone, and down in the end
TEST(Approach, DescendsInsideOfItsConeOnly) {
  for (const double cone_deg : {5.0, 15.0, 30.0})
    for (const double height_m : {1.5, 2.5})
      for (const double angle : {0.3, 2.0, 4.4}) {
        ServoSpec servo = Over::down_to(0.4);
        servo.cone_deg = cone_deg;
        Over o(servo);
        o.pad = {0.4, -0.3, 0.1};
        const auto aside = [&] {
          const Vec3 p = o.in.vehicle.X_WB.p;
          return std::hypot(p.x - o.pad.x, p.y - o.pad.y);
        };
        o.put(o.pad + Vec3{1.2 * std::cos(angle), 1.2 * std::sin(angle), height_m});
        o.tick(Command::kStart);
        o.fly(0.3);
        o.follows = true;
        int within_cone_alone = 0;
        for (int n = 0; n < 400; ++n) {
          const Vec3 from = o.in.vehicle.X_WB.p;
          const double was_aside = aside();
          o.fly(0.02);
          const double fell = from.z - o.in.vehicle.X_WB.p.z;
          if (fell > 1e-6) {
            const double wide = 0.2 + std::tan(radians(cone_deg)) * (from.z - o.pad.z - 0.4);
            EXPECT_LE(was_aside, wide + 0.01) << cone_deg << " " << height_m << " " << from.z;
            within_cone_alone += was_aside > 0.21 ? 1 : 0;
          }
          // a gust, half of the way down
          if (n == 120) o.put(o.in.vehicle.X_WB.p + Vec3{0.8, 0.1, 0});
        }
        EXPECT_LT(aside(), 0.02);
        EXPECT_NEAR(o.in.vehicle.X_WB.p.z, o.pad.z + 0.4, 0.02);
        EXPECT_GT(within_cone_alone, 0) << "a cone, and no pipe: " << cone_deg;
      }
}

TEST(Approach, ClimbsToSeeItAgainThreeTimesAndThenTheAttemptHasFailed) {
  ServoSpec servo = Over::down_to(0.4);
  servo.lost_after_s = 0.5;
  Over o(servo);
  o.put({0, 0, 2});
  o.tick(Command::kStart);
  o.fly(0.5);
  o.sees = false;
  o.follows = true;
  double highest = 0;
  for (int k = 0; k < 60 && o.out.status.phase == MissionPhase::kRunning; ++k) {
    o.fly(0.5);
    highest = std::max(highest, o.in.vehicle.X_WB.p.z);
  }
  EXPECT_EQ(o.count(EventCode::kTargetSoughtAgain), 4) << "three times, and no more";
  EXPECT_EQ(o.count(EventCode::kStateTimedOut), 1);
  EXPECT_GT(highest, 3);
  EXPECT_LT(highest, 3.6);
}

TEST(Approach, GoesOnWhenItIsSeenAgain) {
  ServoSpec servo = Over::down_to(0.4);
  servo.lost_after_s = 0.5;
  Over o(servo);
  o.put({0, 0, 2});
  o.tick(Command::kStart);
  o.fly(0.5);
  o.sees = false;
  o.fly(0.7);
  EXPECT_NEAR(o.goal().z, 2.5, 0.01);
  o.sees = true;
  o.fly(0.3);
  EXPECT_NEAR(o.goal().z, 0.4, 0.01);
}

TEST(Approach, BelowItsHeightItNeedNotSee) {
  Over o(Over::down_to(0.4));
  o.put({0, 0, 2});
  o.tick(Command::kStart);
  o.fly(0.5);
  o.put({0, 0, 0.55});
  o.sees = false;
  o.fly(3);
  EXPECT_NEAR(o.goal().z, 0.4, 0.01);
  EXPECT_EQ(o.count(EventCode::kTargetSoughtAgain), 0);
}

// who rests on the pad does not see it, and nobody looks for it
TEST(Approach, AForgottenTargetIsAWarningWhileTheStateGoesByIt) {
  const auto forgotten = [](Command first, TargetKind kind, bool by_servo) {
    Over o(by_servo ? Over::down_to(0.4) : ServoSpec{});
    o.kind = kind;
    o.put({0, 0, 2});
    o.tick(Command::kStart);
    o.fly(0.5);
    o.tick(first);
    o.sees = false;
    o.fly(6);
    for (const Event& e : o.said)
      if (e.code == EventCode::kTargetLost) {
        EXPECT_EQ(e.subject, static_cast<std::int32_t>(kind));
        return severity_of(e, {});
      }
    ADD_FAILURE() << "nothing is said";
    return Severity::kCritical;
  };
  EXPECT_EQ(forgotten(Command::kNone, TargetKind::kPad, true), Severity::kWarning);
  EXPECT_EQ(forgotten(Command::kNone, TargetKind::kPad, false), Severity::kWarning)
      << "its success waits for it";
  EXPECT_EQ(forgotten(Command::kNone, TargetKind::kMarker, true), Severity::kInfo) << "another one";
  EXPECT_EQ(forgotten(Command::kPause, TargetKind::kPad, true), Severity::kInfo) << "at rest";
}

TEST(Approach, GoesAlongWithWhatMoves) {
  Over o(Over::down_to(1), 0.6);
  o.pad_v = {0.3, 0, 0};
  o.put({0, 0, 1}, 0, 0, 90);
  o.tick(Command::kStart);
  o.fly(4);
  EXPECT_NEAR(o.goal().x, o.pad.x, 0.03);
  // east is to the right of a craft that looks north
  EXPECT_NEAR(o.out.setpoint.V_WD_B.v.y, -0.3, 0.03);
  EXPECT_NEAR(o.out.setpoint.V_WD_B.v.x, 0, 0.01);
}

TEST(Approach, PlacesOfAnOldOriginAreForgotten) {
  Over o(Over::down_to(0.4));
  o.put({0, 0, 2});
  o.tick(Command::kStart);
  o.fly(0.5);
  ASSERT_TRUE(o.state.targets[1].found);
  o.sees = false;
  o.in.aircraft.origin_W = {5, 0, 0};
  o.fly(0.02);
  EXPECT_FALSE(o.state.targets[1].found);
  EXPECT_LE(o.state.poses.count, 1U);
}

/// Metres of a search in ten seconds, with a glimpse of something every so often.
double searched_m(int every) {
  MissionSpec spec;
  StateSpec s = state("search", 60);
  s.success = {};
  s.search = {SearchPattern::kSquareSpiral, 0.5, 3, 1, 0.4};
  s.success.target = {TargetChoice::kPad, 0.5};
  spec.states.push_back(s);
  Rig rig(spec);
  rig.in.aircraft.present = true;
  rig.put({0, 0, 1});
  rig.tick(Command::kStart);
  Sightings sightings;
  for (int k = 0; k < 500; ++k) {
    sightings.clear();
    rig.in.aircraft.sightings = &sightings;
    rig.in.vehicle.stamp = rig.in.now + Duration{20'000'000};
    // never twice in one place
    if (every > 0 && k % every == 0)
      sightings.push_back(
          {rig.in.vehicle.stamp, TargetKind::kPad, {3.0 * (k / every % 7) - 9, 0, -1}});
    rig.tick();
    rig.put(rig.out.setpoint.X_WD.p);
  }
  return rig.state.search_way_m;
}

TEST(Search, OneGlimpseSlowsItAndNeverStopsIt) {
  const double without = searched_m(0);
  EXPECT_NEAR(without, 4, 0.02);
  // a second apart: 0.2 s at half the speed in each
  EXPECT_NEAR(searched_m(50), 0.9 * without, 0.03 * without);
  EXPECT_GT(searched_m(5), 0.45 * without);
}

}  // namespace
}  // namespace pintle::mission
