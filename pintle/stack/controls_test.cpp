#include "pintle/stack/controls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

namespace pintle::stack {
namespace {

namespace fs = std::filesystem;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const fs::path kOriginal = fs::path(PINTLE_SOURCE_DIR) / "vehicles/original/duke";

struct ControlsTest : testing::Test {
  ControlsOptions options;
  ControlsCycle cycle;
  double t = 100;

  Controls make(const fs::path& save_to = {}) {
    return {load_vehicle(kOriginal / "config/oogway.yaml"), options, save_to};
  }
  Time now() const { return Time::from_seconds(t); }
  /// Good states and allocations for a while.
  void go(Controls& c, double seconds, const Pose& X = {}) {
    for (const double end = t + seconds; t < end;) {
      t += 0.05;
      c.on_state(X, {}, &X, now(), now());
      c.allocate(now(), 0.05, cycle);
    }
  }
  void wait(Controls& c, double seconds) {
    for (const double end = t + seconds; t < end;) {
      t += 0.05;
      c.allocate(now(), 0.05, cycle);
    }
  }
};

TEST_F(ControlsTest, SendsOnlyWhileEnabledAndOneSafeAllocationAfter) {
  Controls c = make();
  go(c, 0.2);
  EXPECT_FALSE(cycle.status);
  EXPECT_FALSE(cycle.send);
  EXPECT_EQ(c.enable(true).message, "Controls enabled.");
  go(c, 0.2);
  EXPECT_TRUE(cycle.status && cycle.send);
  EXPECT_EQ(cycle.allocs, cycle.constrained);
  EXPECT_EQ(c.enable(false).message, "Controls disabled.");
  go(c, 0.05);
  EXPECT_FALSE(cycle.status);
  EXPECT_TRUE(cycle.send);
  EXPECT_EQ(cycle.allocs, std::vector<double>(8, 0.0));
  go(c, 0.05);
  EXPECT_FALSE(cycle.send);
}

TEST_F(ControlsTest, AsTheOriginalSendsNothingOnDisableWhenToldSo) {
  options.zero_on_disable = false;
  Controls c = make();
  c.enable(true);
  go(c, 0.2);
  c.enable(false);
  go(c, 0.05);
  EXPECT_FALSE(cycle.send);
}

TEST_F(ControlsTest, AStateThatStopsEndsSafeInTimeAndComesBackByItself) {
  Controls c = make();
  c.enable(true);
  go(c, 0.5);
  wait(c, 0.45);
  EXPECT_TRUE(cycle.status) << "not yet";
  wait(c, 0.1);
  EXPECT_FALSE(cycle.status);
  EXPECT_EQ(c.hold(), ControlsHold::kStale);
  go(c, 0.2);
  EXPECT_TRUE(cycle.status);
  EXPECT_LE(c.trace().delta_time_s, 0.051) << "the gap is not integrated over";
}

TEST_F(ControlsTest, AFailedTransformAgesTheStateToo) {
  Controls c = make();
  c.enable(true);
  go(c, 0.5);
  for (int i = 0; i < 12; ++i) {
    t += 0.05;
    EXPECT_EQ(c.on_state({}, {}, nullptr, now(), now()), StateUse::kNoTransform);
    c.allocate(now(), 0.05, cycle);
  }
  EXPECT_EQ(c.hold(), ControlsHold::kStale);
}

TEST_F(ControlsTest, ALongLossLatchesUntilSomebodyEnables) {
  Controls c = make();
  c.enable(true);
  go(c, 0.5);
  wait(c, 6);
  EXPECT_EQ(c.hold(), ControlsHold::kLatched);
  go(c, 1);
  EXPECT_EQ(c.hold(), ControlsHold::kLatched);
  c.enable(true);
  go(c, 0.1);
  EXPECT_TRUE(cycle.status);
}

TEST_F(ControlsTest, AClockSetBackDoesNotKeepOldStatesYoung) {
  Controls c = make();
  c.enable(true);
  go(c, 0.5);
  t -= 1000;
  wait(c, 0.6);
  EXPECT_EQ(c.hold(), ControlsHold::kStale);
}

TEST_F(ControlsTest, PowerOnAllAxesWithoutStaticForceNeedsNoState) {
  Controls c = make();
  c.enable(true);
  ASSERT_TRUE(c.set_control_types({2, 2, 2, 2, 2, 2}).success);
  c.allocate(now(), 0, cycle);
  EXPECT_EQ(c.hold(), ControlsHold::kNoState) << "oogway's static force turns with the attitude";
  ASSERT_TRUE(c.set_static_power({}).success);
  EXPECT_EQ(c.desired_power({{0.5, 0, 0}, {}}), "");
  c.allocate(now(), 0, cycle);
  EXPECT_TRUE(cycle.status);
  EXPECT_EQ(cycle.base[0], 0.5);
}

TEST_F(ControlsTest, TheMessagesOfTheOriginalComeFirst) {
  Controls c = make();
  EXPECT_EQ(c.desired_position({{}, {0, 0, 0, 1.1}}),
            "Invalid desired position orientation. Quaternion must have length 1.");
  EXPECT_NE(c.desired_power({{0, 1.5, 0}, {}}).find("Axis y: 1.5"), std::string::npos);
  EXPECT_NE(c.desired_power({{0, kNan, 0}, {}}), "");
  EXPECT_EQ(
      c.set_control_types({0, 0, 0, 0, 0, 3})
          .message.find("Failed to update control types. One or more control types was invalid."),
      0U);
  EXPECT_EQ(c.set_pid_gains({{0, 6, 0, 1}})
                .message.find("Failed to update PID gains. One or more PID gains was invalid."),
            0U);
  EXPECT_EQ(c.reset_pid_loops().message, "Reset PID loops successfully.");
  EXPECT_EQ(c.refused(), 5U);
}

TEST_F(ControlsTest, GainsAreAllOrNothingAndTheLastOfSeveralWins) {
  Controls c = make();
  EXPECT_FALSE(c.set_pid_gains({{0, 0, 0, 9}, {0, 0, 1, kNan}}).success);
  EXPECT_EQ(c.position_loop()[0].kp, 1.8);
  EXPECT_TRUE(c.set_pid_gains({{0, 0, 0, 9}, {1, 5, 2, 4}, {0, 0, 0, 2}}).success);
  EXPECT_EQ(c.position_loop()[0].kp, 2);
  EXPECT_EQ(c.model().control.velocity[5].kd, 4);
  EXPECT_TRUE(c.set_pid_gains({}).success);
}

TEST_F(ControlsTest, InACascadeThePositionGainsAreTheCascadedOnes) {
  options.cascaded = true;
  Controls c = make();
  EXPECT_EQ(c.position_loop()[0].kp, 4);
  EXPECT_TRUE(c.set_pid_gains({{0, 0, 0, 3}}).success);
  EXPECT_EQ(c.model().control.position_cascaded[0].kp, 3);
  EXPECT_EQ(c.model().control.position[0].kp, 1.8);
}

TEST_F(ControlsTest, ALoopThatIsOffGivesZeroAndDoesNotEndAnything) {
  for (const bool position : {false, true}) {
    options.enable_position = position;
    options.enable_velocity = !position;
    Controls c = make();
    c.enable(true);
    go(c, 0.5, {{1, 0, 0}, {}});
    EXPECT_TRUE(cycle.status);
    EXPECT_EQ(c.state().position_effort == Vec6{}, !position);
    EXPECT_EQ(c.state().velocity_effort, Vec6{}) << "nothing moves and nothing shall";
  }
}

TEST_F(ControlsTest, TuningRefusesWhatIsNotFiniteAndANegativeScale) {
  Controls c = make();
  EXPECT_FALSE(c.set_power_scale_factor(-0.1).success);
  EXPECT_FALSE(c.set_power_scale_factor(kNan).success);
  EXPECT_FALSE(c.set_static_power({0, kNan, 0}).success);
  EXPECT_TRUE(c.set_power_scale_factor(0).success);
  EXPECT_EQ(c.model().control.scale, 0);
}

TEST_F(ControlsTest, ASaveThatFailsKeepsTheRunningValue) {
  Controls c = make("/nowhere/oogway.yaml");
  const ControlsAnswer a = c.set_power_scale_factor(0.5);
  EXPECT_TRUE(a.success && a.save_failed);
  EXPECT_EQ(a.message.find("applied, NOT saved: "), 0U) << a.message;
  EXPECT_EQ(c.model().control.scale, 0.5);
}

TEST_F(ControlsTest, AStateThatIsNotFiniteIsRefusedAndTheEffortsHold) {
  Controls c = make();
  go(c, 0.5, {{1, 0, 0}, {}});
  const Vec6 before = c.state().position_effort;
  const Pose broken{{kNan, 0, 0}, {}};
  EXPECT_EQ(c.on_state(broken, {}, &broken, now(), now()), StateUse::kRefused);
  EXPECT_EQ(c.state().position_effort, before);
}

}  // namespace
}  // namespace pintle::stack
