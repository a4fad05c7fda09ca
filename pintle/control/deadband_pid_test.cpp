#include "pintle/control/deadband_pid.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace pintle::control {
namespace {

/// The gains that the original ships for x and y.
DeadbandPidParams shipped() { return {1.0, 0.1, 0.1, 0.1, 0.2, 1.0, 2.0, 0.5, 0.0, 1.5}; }

constexpr std::array kErrors{2.0, 0.8, 0.15, 0.15, 0.15, 0.15, 0.2, 0.1, 0.0999, 0.15, -0.15, -3.0};

void expect_sequence(const DeadbandPidParams& params, const std::array<double, 12>& outputs) {
  DeadbandPidState state;
  for (std::size_t i = 0; i < kErrors.size(); ++i)
    EXPECT_NEAR(step_per_tick(params, state, kErrors[i]).output, outputs[i], 1e-12) << "step " << i;
}

TEST(DeadbandPid, TheShippedGainsAnswerAsTheOriginalDoes) {
  expect_sequence(shipped(),
                  {1.0, 0.8, 0.165, 0.18, 0.195, 0.21, 0.2, 0.11, 0, 0.165, -0.15, -1.0});
}

TEST(DeadbandPid, WithADerivativeLimitItAnswersAsTheOriginalDoes) {
  DeadbandPidParams p = shipped();
  p.d_max = 1.0;
  expect_sequence(p, {1.1, 0.78, 0.1, 0.18, 0.195, 0.21, 0.205, 0.1, 0, 0.17001, -0.18, -1.085});
}

TEST(DeadbandPid, WindsToItsLimitInThirtyFourSteps) {
  DeadbandPidState state;
  double output = 0;
  for (int i = 0; i < 33; ++i) output = step_per_tick(shipped(), state, 0.15).output;
  EXPECT_NEAR(output, 0.15 + 33 * 0.015, 1e-12);
  EXPECT_NEAR(step_per_tick(shipped(), state, 0.15).output, 0.65, 1e-12);
  EXPECT_NEAR(step_per_tick(shipped(), state, 0.15).output, 0.65, 1e-12);
}

TEST(DeadbandPid, AnErrorOfExactlyTheBandIsOutside) {
  DeadbandPidState state;
  EXPECT_FALSE(step_per_tick(shipped(), state, 0.1).inside);
  EXPECT_TRUE(step_per_tick(shipped(), state, std::nextafter(0.1, 0.0)).inside);
}

TEST(DeadbandPid, TheBandClearsTheIntegral) {
  DeadbandPidState state;
  for (int i = 0; i < 10; ++i) (void)step_per_tick(shipped(), state, 0.15);
  EXPECT_GT(state.integral, 0.1);
  (void)step_per_tick(shipped(), state, 0.05);
  EXPECT_EQ(state.integral, 0);
}

TEST(DeadbandPid, ZeroLimitsClampToZero) {
  DeadbandPidParams p = shipped();
  p.d_max = 1;
  p.p_max = 0;
  p.i_max = 0;
  DeadbandPidState state;
  EXPECT_NEAR(step_per_tick(p, state, 2.0).output, 0.1, 1e-15);  // the derivative alone
  p = shipped();
  p.it = 0;
  state = {};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(step_per_tick(p, state, 0.15).output, 0.15, 1e-15);
  for (double DeadbandPidParams::*limit : {&DeadbandPidParams::e_max, &DeadbandPidParams::o_max}) {
    p = shipped();
    p.*limit = 0;
    state = {};
    EXPECT_EQ(step_per_tick(p, state, 2.0).output, 0);
  }
}

TEST(DeadbandPid, ADeadAxisIsNotReached) {
  DeadbandPidState state;
  const DeadbandPidTerms terms = step_per_tick(DeadbandPidParams{}, state, 2.0);
  EXPECT_EQ(terms.output, 0);
  EXPECT_FALSE(terms.inside);
  // and with no band at all nothing ever is, not even no error
  EXPECT_FALSE(step_per_tick(DeadbandPidParams{}, state, 0.0).inside);
}

TEST(DeadbandPid, ConvertedGainsAnswerTheSameAtTheirOwnRate) {
  DeadbandPidParams p = shipped();
  p.d_max = 1.0;
  const DeadbandPidParams native = timed(p);
  EXPECT_DOUBLE_EQ(native.ki, 5.0);
  EXPECT_DOUBLE_EQ(native.kd, 0.002);
  EXPECT_EQ(per_tick(native), p);
  DeadbandPidState a;
  DeadbandPidState b;
  for (std::size_t i = 0; i < kErrors.size(); ++i) {
    const double expected = step_per_tick(p, a, kErrors[i]).output;
    const double found = step_timed(native, b, kErrors[i], 0.02).output;
    // the first step has no derivative kick
    EXPECT_NEAR(found, i == 0 ? expected - 0.1 : expected, 1e-12) << "step " << i;
  }
}

TEST(DeadbandPid, TheTimedIntegralIsTheSameAtEveryRate) {
  DeadbandPidParams native = timed(shipped());
  native.i_max = 10;
  native.o_max = 20;
  for (const int rate : {10, 50, 200, 1000}) {
    DeadbandPidState state;
    for (int i = 0; i < rate / 2; ++i) (void)step_timed(native, state, 0.15, 1.0 / rate);
    EXPECT_NEAR(state.integral, 5 * 0.15 * 0.5, 1e-9) << rate;
  }
}

TEST(DeadbandPid, RefusesWhatIsNoNumberAndStays) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1e60}) {
    DeadbandPidState state;
    (void)step_per_tick(shipped(), state, 0.15);
    const DeadbandPidState before = state;
    const DeadbandPidTerms terms = step_per_tick(shipped(), state, bad);
    EXPECT_TRUE(terms.refused);
    EXPECT_FALSE(terms.inside);
    EXPECT_EQ(terms.output, 0);
    EXPECT_TRUE(step_timed(shipped(), state, bad, 0.02).refused);
    EXPECT_TRUE(step_timed(shipped(), state, 0.5, bad).refused);
    EXPECT_TRUE(step_timed(shipped(), state, 0.5, 0).refused);
    EXPECT_EQ(state.error, before.error);
    EXPECT_EQ(state.integral, before.integral);
  }
}

TEST(DeadbandPid, ChecksSayWhatLeavesAnAxisDead) {
  EXPECT_TRUE(check(shipped()).empty());
  const Findings dead = check(DeadbandPidParams{});
  ASSERT_EQ(dead.size(), 3U);
  EXPECT_EQ(dead[0].path, "Emax");
  EXPECT_EQ(dead[1].path, "Omax");
  EXPECT_EQ(dead[2].path, "db");
  for (const Finding& f : dead) EXPECT_FALSE(f.is_error);
  DeadbandPidParams p = shipped();
  p.i_max = -1;
  p.ki = std::numeric_limits<double>::quiet_NaN();
  p.kp = -1;
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "kp");
  EXPECT_TRUE(found[0].is_error);
  EXPECT_TRUE(found[1].is_error);
  EXPECT_EQ(found[2].path, "Imax");
}

}  // namespace
}  // namespace pintle::control
