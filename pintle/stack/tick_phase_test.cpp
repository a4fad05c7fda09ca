#include <gtest/gtest.h>

#include "pintle/craft/load.h"
#include "pintle/stack/tick.h"

namespace pintle::stack {

using namespace craft;

namespace {

/// A craft on which nothing acts, in ticks of either kind.
struct Bench {
  explicit Bench(const VehicleFile& file)
      : model(build_model(file, nullptr)), state(initial_state(model)) {}
  explicit Bench(std::string_view name = "oogway") : Bench(vehicle(name)) {}

  static VehicleFile vehicle(std::string_view name) {
    return load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + std::string(name) +
                        ".yaml");
  }
  const Outputs& step(Phase phase) {
    in.now = now;
    in.phase = phase;
    in.generation = model.generation;
    tick(model, state, work, in, out);
    in = {};
    return out;
  }
  void measure() {
    in.has_odometry = true;
    in.odometry = {now, pose, {}};
  }
  void command(CommandCode code) { in.commands.push_back({code, -1}); }
  void give(std::uint8_t parts, const Setpoint& s) {
    in.has_setpoint = true;
    in.setpoint = s;
    in.setpoint_parts = parts;
  }
  void wait(double s) { now = now + Duration::from_seconds(s); }

  Model model;
  State state;
  Workspace work;
  Inputs in;
  Outputs out;
  Time now = Time::from_seconds(10);
  Pose pose;
};

TEST(Phase, ATakeDecidesAndSendsNothing) {
  Bench b;
  b.measure();
  b.command(CommandCode::kArm);
  b.step(Phase::kAct);
  ASSERT_EQ(b.out.arm, ArmState::kArmed);
  const ChannelVector before = b.out.actuation.effort;
  const ChannelVector predicted = b.state.last_effort;
  Setpoint s;
  s.X_WD.p = {1, 0, 0};
  b.give(kPosePart, s);
  b.wait(0.02);
  b.measure();
  b.step(Phase::kTake);
  EXPECT_GT(b.out.law.control.position_error[0], 0.99) << "the loops have seen it";
  EXPECT_EQ(b.out.actuation.effort, before);
  EXPECT_EQ(b.state.last_effort, predicted);
  b.step(Phase::kAct);
  EXPECT_GT(std::abs(b.out.actuation.effort[1]), 0.01) << "at the same instant";
  EXPECT_TRUE(b.out.events.empty()) << "an equal time is no time that goes back";
}

TEST(Phase, TheStepOfAnActIsTheTimeSinceTheLastAct) {
  VehicleFile file = Bench::vehicle("oogway");
  for (auto& type : file.vehicle.thruster_types) type.thruster.slew_per_s = 1;
  Bench b(file);
  b.measure();
  b.command(CommandCode::kArm);
  b.step(Phase::kAct);
  Setpoint s;
  s.mode.fill(AxisMode::kWrench);
  s.F_Bo_B.force.x = 1;
  b.give(kWholeSetpoint, s);
  for (int i = 0; i < 5; ++i) {
    b.wait(0.01);
    b.measure();
    b.step(Phase::kTake);
  }
  b.step(Phase::kAct);
  double most = 0;
  for (const double u : b.out.proposed) most = std::max(most, std::abs(u));
  // one period of the tick is the horizon of the bounds, whatever came between
  EXPECT_NEAR(most, b.model.period.seconds(), 1e-3);
  EXPECT_NEAR(most, 0.05, 1e-3);
}

TEST(Phase, WhatWasMeasuredBetweenActsCountsAsMeasuredInTheNext) {
  Bench b("flying_box");
  ASSERT_TRUE(b.model.traits.carries_itself());
  b.measure();
  b.command(CommandCode::kArm);
  b.step(Phase::kAct);
  for (int i = 0; i < 3; ++i) {
    b.wait(0.01);
    b.measure();
    b.step(Phase::kTake);
  }
  EXPECT_TRUE(b.state.measured);
  EXPECT_NEAR(b.state.measured_dt_s, 0.03, 1e-12);
  b.step(Phase::kAct);
  EXPECT_GT(b.out.demand.F_Bo_B.force.z, 1) << "the law has run";
  EXPECT_FALSE(b.state.measured);
}

TEST(Phase, PartsOfASetpointAreJudgedAtOnceAndTheRestStays) {
  Bench b;
  Setpoint s;
  s.X_WD.p = {1, 2, -3};
  b.give(kPosePart, s);
  b.step(Phase::kTake);
  EXPECT_EQ(b.out.setpoint_answer.refusal, control::SetpointRefusal::kNone);
  s.X_WD.q = {0, 0, 0, 1.1};
  s.V_WD_B.v.x = 0.5;
  b.give(kPosePart, s);
  b.step(Phase::kTake);
  EXPECT_EQ(b.out.setpoint_answer.refusal, control::SetpointRefusal::kQuaternionNotUnit);
  b.give(kVelocityPart, s);
  b.step(Phase::kTake);
  EXPECT_EQ(b.out.setpoint_answer.refusal, control::SetpointRefusal::kNone);
  b.step(Phase::kAct);
  EXPECT_EQ(b.out.setpoint.X_WD.p, (Vec3{1, 2, -3}));
  EXPECT_EQ(b.out.setpoint.X_WD.q, Quat{});
  EXPECT_EQ(b.out.setpoint.V_WD_B.v.x, 0.5);
}

TEST(Phase, APlaceThatIsRefusedIsNotFollowedUntilTheNextActEither) {
  VehicleFile file = Bench::vehicle("oogway");
  file.failsafes.fence = Fence{0, 0, 5, 0, 0, 0, FailsafeAction::kHold};
  Bench b(file);
  b.measure();
  b.command(CommandCode::kArm);
  Setpoint s;
  s.X_WD.p = {1, 0, 0};
  b.give(kPosePart, s);
  b.step(Phase::kAct);
  s.X_WD.p = {6, 0, 0};
  b.give(kPosePart, s);
  b.wait(0.02);
  b.measure();
  b.step(Phase::kTake);
  EXPECT_EQ(b.out.setpoint_answer.refusal, control::SetpointRefusal::kBeyond);
  EXPECT_NEAR(b.out.law.control.position_error[0], 1, 1e-9) << "the loops have not heard of it";
}

TEST(Phase, AWrenchBeyondItsLimitIsRefusedWhenItIsGivenWhateverTheModes) {
  Bench b;
  Setpoint s;
  s.F_Bo_B.force.y =
      std::get<control::SixAxisParams>(b.model.law).desired_wrench_limits[1].max + 0.5;
  b.give(kWrenchPart, s);
  b.step(Phase::kTake);
  EXPECT_EQ(b.out.setpoint_answer.refusal, control::SetpointRefusal::kWrenchLimit);
  EXPECT_EQ(b.out.setpoint_answer.axis, 1);
}

TEST(Enable, WaitsForAStateAndArmsWithIt) {
  Bench b;
  b.command(CommandCode::kEnable);
  for (int i = 0; i < 500; ++i) {
    b.step(Phase::kAct);
    b.wait(0.05);
  }
  EXPECT_EQ(b.out.arm, ArmState::kDisarmed);
  b.measure();
  b.step(Phase::kTake);
  EXPECT_EQ(b.out.arm, ArmState::kArmed);
}

TEST(Enable, IsOverOnceItIsDisarmed) {
  Bench b;
  b.command(CommandCode::kEnable);
  b.step(Phase::kTake);
  b.command(CommandCode::kDisarm);
  b.step(Phase::kTake);
  b.measure();
  b.step(Phase::kAct);
  EXPECT_EQ(b.out.arm, ArmState::kDisarmed);
}

TEST(Enable, EndsTheLatchAndALossFromBeforeDoesNotCount) {
  Bench b;
  const auto lose = [&b](double s) {
    for (double t = 0; t < s; t += 0.05) {
      b.wait(0.05);
      b.step(Phase::kAct);
    }
  };
  b.measure();
  b.command(CommandCode::kArm);
  b.step(Phase::kAct);
  lose(6);
  ASSERT_EQ(b.out.arm, ArmState::kLatchedSafe);
  b.command(CommandCode::kEnable);
  b.step(Phase::kAct);
  EXPECT_EQ(b.out.arm, ArmState::kDisarmed);
  lose(4);
  EXPECT_EQ(b.out.arm, ArmState::kDisarmed);
  lose(2);
  EXPECT_EQ(b.out.arm, ArmState::kLatchedSafe) << "who waits for a lost state waits no longer";
}

TEST(Enable, AVehicleThatOnlyDoesAsItIsToldNeedsNoState) {
  VehicleFile file = Bench::vehicle("oogway");
  file.laws.control.static_force = {};
  file.safety.setpoint_stale_s = 0;
  Bench b(file);
  Setpoint s;
  s.mode.fill(AxisMode::kWrench);
  s.F_Bo_B.force.x = 0.5;
  b.give(kWholeSetpoint, s);
  b.command(CommandCode::kEnable);
  b.step(Phase::kTake);
  for (int i = 0; i < 400; ++i) {
    b.wait(0.05);
    b.step(Phase::kAct);
  }
  EXPECT_EQ(b.out.arm, ArmState::kArmed);
  EXPECT_EQ(b.out.authority, Authority::kPlanner);
  EXPECT_NEAR(b.out.allocation.achieved.force.x, 0.5 * file.laws.control.scale, 0.02);
  // one axis that follows a pose needs one
  s.mode[5] = AxisMode::kPosition;
  b.give(kModePart, s);
  b.step(Phase::kTake);
  b.wait(0.05);
  b.step(Phase::kAct);
  EXPECT_EQ(b.out.authority, Authority::kSafe);
}

}  // namespace
}  // namespace pintle::stack
