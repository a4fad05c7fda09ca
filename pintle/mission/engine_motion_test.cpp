// States that go by velocity and states that turn: what is wanted in each tick, and what counts.
#include <gtest/gtest.h>

#include "pintle/mission/testing_engine.h"

namespace pintle::mission {
namespace {

TEST(Engine, ALegByVelocityKeepsHeightAndLineAndIsHeldWhereItEnds) {
  MissionSpec m;
  m.states = {state("leg"), state("stop"), state("back")};
  m.states[0].go = {{}, {}, -1.5, {}, {}, 90};
  m.states[0].velocity.x_m_s = 0.25;
  m.states[0].success = {};
  m.states[0].success.y_above_m = 2;
  m.states[2].go.y_m = 0;
  m.states[1].go.yaw_deg = 0;
  EXPECT_THROW((void)compile([&] {
                 auto bad = m;
                 bad.states[0].go.x_m = 1;
                 return bad;
               }()),
               std::invalid_argument);
  Rig rig(m);
  rig.put({2, 0, -1.5}, 0, 0, 90);
  rig.tick(Command::kStart);
  rig.put({2.1, 1, -1.4}, 0, 0, 93);
  rig.tick();
  EXPECT_EQ(rig.out.setpoint.mode[0], AxisMode::kVelocity);
  EXPECT_EQ(rig.out.setpoint.V_WD_B.v, (Vec3{0.25, 0, 0}));
  EXPECT_NEAR(norm(rig.out.setpoint.X_WD.p - Vec3{2, 1, -1.5}), 0, 1e-12);
  rig.put({2.1, 2.02, -1.4}, 0, 0, 90);
  rig.tick();
  EXPECT_EQ(rig.out.status.state, 1);
  // nothing jumps back to y = 0, and the line x = 2 stays wanted
  EXPECT_NEAR(norm(rig.out.setpoint.X_WD.p - Vec3{2, 2.02, -1.5}), 0, 1e-12);
  EXPECT_EQ(rig.out.setpoint.mode[0], AxisMode::kPosition);
  EXPECT_EQ(rig.out.setpoint.V_WD_B, Twist{});
  rig.put({2.1, 2.5, -1.4}, 0, 0, 0);  // coasting on does not move it
  rig.tick();
  EXPECT_NEAR(rig.out.setpoint.X_WD.p.y, 2.02, 1e-12);
}

TEST(Engine, ARollIsCountedBySignedRateFromEntryOn) {
  MissionSpec m;
  m.states = {state("wait"), state("roll", 20), state("level")};
  m.states[0].success.after_s = 1;
  m.states[1].velocity.roll_deg_s = 60;
  m.states[1].success = {};
  m.states[1].success.turned_roll_deg = 360;
  m.states[2].go.roll_deg = 0;
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.in.vehicle.V_WB_B.w.x = radians(60);  // turning already: not inherited
  rig.run(1);
  ASSERT_EQ(rig.out.status.state, 1);
  double angle = 0;
  const auto turn = [&](double seconds, double rate) {
    for (int n = static_cast<int>(std::lround(seconds * 50)); n > 0; --n) {
      angle += rate / 50;
      rig.in.vehicle.V_WB_B.w.x = radians(rate);
      rig.put({}, angle, 0, 0);
      rig.tick();
      if (rig.out.status.state != 1 || rig.in.vehicle.validity != Validity::kValid) continue;
      // the attitude wanted goes with the vehicle: no axis fights
      const Quat error = conjugate(rig.in.vehicle.X_WB.q) * rig.out.setpoint.X_WD.q;
      ASSERT_NEAR(norm(to_rotation_vector(error)), 0, 1e-9);
    }
  };
  turn(1, -60);
  turn(5, 60);
  rig.in.vehicle.validity = Validity::kStale;  // a short drop-out is turned through
  turn(0.4, 60);
  rig.in.vehicle.validity = Validity::kValid;
  turn(1.58, 60);
  EXPECT_EQ(rig.out.status.state, 1);
  turn(0.04, 60);
  EXPECT_EQ(rig.out.status.state, 2);
  EXPECT_NEAR(norm(to_rotation_vector(rig.out.setpoint.X_WD.q)), 0, 1e-12);
}

TEST(Engine, AVelocityStateForgetsTheOldGoalAlongItsAxisInItsFirstTick) {
  MissionSpec m;
  m.states = {state("far"), state("on")};
  m.states[0].go = {5, 3, {}, {}, {}, {}};
  m.states[0].success = {};
  m.states[0].success.after_s = 0.5;
  m.states[1].velocity.x_m_s = 0.2;
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.run(0.5);
  ASSERT_EQ(rig.out.status.state, 1);
  EXPECT_EQ(rig.out.setpoint.X_WD.p, (Vec3{0, 3, 0}));
}

TEST(Engine, ATurnThatNobodySawIsNotCounted) {
  MissionSpec m;
  m.states = {state("roll")};
  m.states[0].velocity.roll_deg_s = 60;
  m.states[0].success = {};
  m.states[0].success.turned_roll_deg = 180;
  Rig rig(m);
  rig.tick(Command::kStart);
  rig.in.vehicle.V_WB_B.w.x = radians(60);
  rig.in.now = rig.in.now + Duration::from_seconds(4);
  rig.tick();
  EXPECT_EQ(rig.state.turned, Vec3{});
  rig.run(2.98);
  EXPECT_EQ(rig.out.status.state, 0);
  rig.run(0.04);
  EXPECT_EQ(rig.out.status.phase, MissionPhase::kPassed);
}

}  // namespace
}  // namespace pintle::mission
