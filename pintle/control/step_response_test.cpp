#include "pintle/control/step_response.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pintle::control {
namespace {

/// A second of rest, then a step of `size` from `from`, of a system that answers as `answer(t)`.
template <class Answer>
std::vector<StepSample> response(double from, double size, double end_s, Answer answer) {
  std::vector<StepSample> all;
  for (int i = -100; i <= static_cast<int>(end_s * 100); ++i) {
    const double t = 0.01 * i;
    all.push_back({10 + t, i < 0 ? from : from + size, i < 0 ? from : from + size * answer(t)});
  }
  return all;
}

TEST(StepResponse, OfAFirstOrderLagIsTheClosedForm) {
  // 1 - exp(-t/T): rise T ln 9, settling T ln 20, no overshoot
  for (const double size : {2.0, -0.3}) {
    const auto f =
        step_figures(response(5, size, 8, [](double t) { return 1 - std::exp(-t / 0.5); }));
    ASSERT_TRUE(f);
    EXPECT_NEAR(f->at_s, 10, 1e-12);
    EXPECT_NEAR(f->from, 5, 1e-12);
    EXPECT_NEAR(f->size, size, 1e-12);
    EXPECT_NEAR(f->rise_s.value_or(0), 0.5 * std::log(9.0), 1e-4);
    EXPECT_NEAR(f->settling_s.value_or(0), 0.5 * std::log(20.0), 1e-4);
    EXPECT_EQ(f->overshoot, 0);
    EXPECT_NEAR(f->error, 0, 1e-4);
  }
}

TEST(StepResponse, OfASecondOrderLagIsTheClosedForm) {
  // damping 0.5, 2 rad/s: overshoot exp(-pi z / sqrt(1 - z^2)) = 0.16303
  const double z = 0.5, w = 2, d = w * std::sqrt(1 - z * z);
  const auto f = step_figures(response(0, 1, 12, [&](double t) {
    return 1 - std::exp(-z * w * t) * (std::cos(d * t) + z * w / d * std::sin(d * t));
  }));
  ASSERT_TRUE(f);
  EXPECT_NEAR(f->overshoot, 0.16303, 1e-4);
  // in steps of 1e-5 s: 10 % at 0.24412, 90 % at 1.06291, within 5 % from 2.64454 on
  EXPECT_NEAR(f->rise_s.value_or(0), 0.81879, 1e-4);
  EXPECT_NEAR(f->settling_s.value_or(0), 2.64454, 1e-4);
}

TEST(StepResponse, TimeThatStandsOrWhatIsNotFiniteHasNone) {
  auto samples = response(0, 1, 5, [](double t) { return 1 - std::exp(-t); });
  ASSERT_TRUE(step_figures(samples));
  const auto spoilt = [&](auto spoil) {
    auto other = samples;
    spoil(other[200]);
    return !step_figures(other);
  };
  EXPECT_TRUE(spoilt([&](StepSample& s) { s.t_s = samples[199].t_s; }));
  EXPECT_TRUE(spoilt([&](StepSample& s) { s.t_s = samples[100].t_s; }));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(spoilt([&](StepSample& s) { s.t_s = nan; }));
  EXPECT_TRUE(spoilt([&](StepSample& s) { s.is = nan; }));
  EXPECT_TRUE(spoilt([&](StepSample& s) { s.wanted = nan; }));
}

TEST(StepResponse, SaysWhatNeverCameAbout) {
  const auto half = step_figures(response(0, 1, 5, [](double t) { return std::min(0.5, t); }));
  ASSERT_TRUE(half);
  EXPECT_FALSE(half->rise_s);
  EXPECT_FALSE(half->settling_s);
  EXPECT_NEAR(half->error, 0.5, 1e-12);
  // there at once, away again at the end: not settled
  const auto left = step_figures(response(0, 1, 5, [](double t) {
    return t > 4.9 ? 2.0 : t > 0 ? 1.0 : 0.0;
  }));
  ASSERT_TRUE(left);
  EXPECT_FALSE(left->settling_s);
  EXPECT_NEAR(left->overshoot, 1, 1e-12);
}

TEST(StepResponse, IsNoneWithoutAStepOrOfBadNumbers) {
  EXPECT_FALSE(step_figures({}));
  EXPECT_FALSE(step_figures(response(1, 0, 3, [](double) { return 1.0; })));
  auto bad = response(0, 1, 3, [](double) { return 1.0; });
  bad[150].is = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(step_figures(bad));
  auto back = response(0, 1, 3, [](double) { return 1.0; });
  back[150].t_s = back[149].t_s;
  EXPECT_FALSE(step_figures(back));
}

}  // namespace
}  // namespace pintle::control
