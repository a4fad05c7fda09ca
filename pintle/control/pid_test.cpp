#include "pintle/control/pid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"

namespace pintle::control {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The published update equations with whole histories in plain lists: shares nothing with pid.cpp.
class PlainPid {
 public:
  explicit PlainPid(const PidParams& params) : p(params) {}

  double step(double error, double dt, double provided) {
    if (dt <= 0) return 0;
    const std::size_t k = e.size();
    const double before = at(e, k, 1), m = p.error_ramp_rate * dt;
    double ramped = error;
    if (ramped > before + m) ramped = before + m;
    if (ramped < before - m) ramped = before - m;
    e.push_back(ramped);
    ef.push_back((at(e, k, 0) + 2 * at(e, k, 1) + at(e, k, 2) - 0.586 * at(ef, k, 2)) / 3.414);
    integral += error * dt;
    if (integral > p.integral_limit) integral = p.integral_limit;
    if (integral < -p.integral_limit) integral = -p.integral_limit;
    calculated = (ramped - before) / dt;
    d.push_back(p.derivative == Derivative::kProvided ? provided : calculated);
    df.push_back((at(d, k, 0) + 2 * at(d, k, 1) + at(d, k, 2) - 0.586 * at(df, k, 2)) / 3.414);
    const double u = p.kp * ef.back() + p.ki * integral + p.kd * df.back() + p.ff;
    return u > p.max_effort ? p.max_effort : u < p.min_effort ? p.min_effort : u;
  }

  PidParams p;
  std::vector<double> e, ef, d, df;
  double integral = 0, calculated = 0;

 private:
  static double at(const std::vector<double>& v, std::size_t k, std::size_t back) {
    return k >= back && k - back < v.size() ? v[k - back] : 0;
  }
};

std::vector<PidParams> parameter_sets() {
  PidParams provided;
  provided.kp = 1.8, provided.kd = 1.2, provided.derivative = Derivative::kProvided;
  PidParams heavy;
  heavy.kp = 15, heavy.ki = 0.3, heavy.kd = 0.12, heavy.min_effort = -40, heavy.max_effort = 55;
  PidParams ramped;
  ramped.kp = 0.5, ramped.ki = 0.2, ramped.kd = 0.3, ramped.ff = -0.15;
  ramped.error_ramp_rate = 0.7, ramped.min_effort = -3, ramped.max_effort = 2;
  PidParams tight;
  tight.kp = 0.01, tight.ki = 2, tight.integral_limit = 0.4, tight.ff = 0.1;
  PidParams frozen;
  frozen.kp = 3, frozen.min_effort = frozen.max_effort = 0.25;
  PidParams turned;
  turned.kp = -2, turned.ki = -0.4, turned.kd = -0.03, turned.error_ramp_rate = 0;
  PidParams wide;
  wide.kp = 3, wide.ki = 0.02, wide.kd = 0.05, wide.error_ramp_rate = kInf, wide.max_effort = 1e6;
  return {provided, heavy, ramped, tight, frozen, turned, wide};
}

void expect_close(double actual, double expected, const char* what) {
  EXPECT_NEAR(actual, expected, 1e-12 * std::max(1.0, std::abs(expected))) << what;
}

TEST(Pid, ReferenceReproducesThePublishedEquationsOverRandomSequences) {
  int set = 0;
  for (const PidParams& params : parameter_sets()) {
    SCOPED_TRACE(set);
    RandomStream random(static_cast<std::uint64_t>(set++), "pid reference");
    PlainPid plain(params);
    PidState state;
    for (int k = 0; k < 500; ++k) {
      // mostly 20 Hz with jitter, now and then a step that must not count
      const double error = random.normal() * (k % 50 == 0 ? 40 : 2), provided = random.normal();
      const double dt =
          random.uniform() < 0.05 ? -random.uniform() * (k % 2) : 0.03 + 0.04 * random.uniform();
      const PidTerms t = step(params, state, error, dt, provided, Behaviour::kReference);
      expect_close(t.output, plain.step(error, dt, provided), "output");
      ASSERT_EQ(t.refused, dt <= 0);
      if (k == 300) {
        reset(state, Behaviour::kReference);
        plain.integral = 0;
      }
      if (t.refused || k == 300) continue;
      expect_close(t.filtered_error, plain.ef.back(), "filtered error");
      expect_close(t.filtered_derivative, plain.df.back(), "filtered derivative");
      expect_close(t.calculated_derivative, plain.calculated, "calculated derivative");
      expect_close(t.integral, plain.integral, "integral");
      expect_close(t.p, params.kp * plain.ef.back(), "p");
      expect_close(t.i, params.ki * plain.integral, "i");
      expect_close(t.d, params.kd * plain.df.back(), "d");
      EXPECT_EQ(t.ff, params.ff);
      EXPECT_EQ(t.provided_derivative, provided);
    }
  }
}

TEST(Pid, ReferenceFirstStepsAreTheOnesComputedByHand) {
  PidParams p;
  p.kp = 2, p.ki = 0.5, p.kd = 0.1, p.ff = 0.25, p.min_effort = -100, p.max_effort = 100;
  PidState s;
  // e = 1, 1, 1 at 0.1 s: derivative 10, 0, 0
  PidTerms t = step(p, s, 1, 0.1, 7, Behaviour::kReference);
  EXPECT_NEAR(t.filtered_error, 1 / 3.414, 1e-15);
  EXPECT_NEAR(t.filtered_derivative, 10 / 3.414, 1e-14);
  EXPECT_NEAR(t.integral, 0.1, 1e-16);
  // 2 * 0.292911540714704 + 0.5 * 0.1 + 0.1 * 2.92911540714704 + 0.25
  EXPECT_NEAR(t.output, 1.178734622144112, 1e-12);
  EXPECT_DOUBLE_EQ(t.calculated_derivative, 10);
  EXPECT_DOUBLE_EQ(t.provided_derivative, 7);

  t = step(p, s, 1, 0.1, 7, Behaviour::kReference);
  EXPECT_NEAR(t.filtered_error, 3 / 3.414, 1e-15);
  EXPECT_NEAR(t.filtered_derivative, 20 / 3.414, 1e-14);

  // the feedback of the filter reaches two samples back
  t = step(p, s, 1, 0.1, 7, Behaviour::kReference);
  EXPECT_NEAR(t.filtered_error, (4 - 0.586 / 3.414) / 3.414, 1e-15);
  EXPECT_NEAR(t.filtered_derivative, (10 - 0.586 * 10 / 3.414) / 3.414, 1e-14);
}

TEST(Pid, RampLimitsTheErrorFromTheFirstReferenceStepAndNotTheIntegral) {
  PidParams p;
  p.kp = 1, p.error_ramp_rate = 2;
  PidState s;
  // 2 per second for 0.1 s: the error is seen as 0.2, then 0.4
  EXPECT_NEAR(step(p, s, 5, 0.1, 0, Behaviour::kReference).filtered_error, 0.2 / 3.414, 1e-15);
  EXPECT_NEAR(s.error[0], 0.2, 1e-15);
  const PidTerms t = step(p, s, 5, 0.1, 0, Behaviour::kReference);
  EXPECT_NEAR(t.filtered_error, (0.4 + 2 * 0.2) / 3.414, 1e-15);
  EXPECT_NEAR(t.integral, 1.0, 1e-15);
  EXPECT_NEAR(t.calculated_derivative, 2, 1e-12);
}

TEST(Pid, FilterHasUnityGainForAConstant) {
  PidParams p;
  p.kp = 1, p.max_effort = 10;
  PidState s;
  PidTerms t;
  for (int k = 0; k < 100; ++k) t = step(p, s, 3, 0.05, 0, Behaviour::kReference);
  EXPECT_NEAR(t.filtered_error, 3, 1e-14);
}

TEST(Pid, SafeFirstStepHasNoDerivativeKickNoRunUpAndNoIntegral) {
  PidParams p;
  p.kp = 0.1, p.ki = 1, p.kd = 5, p.error_ramp_rate = 0.1;
  PidState s;
  const PidTerms t = step(p, s, 4, 0.05, 0, Behaviour::kSafe);
  EXPECT_NEAR(t.filtered_error, 4, 1e-14);
  EXPECT_EQ(t.filtered_derivative, 0);
  EXPECT_EQ(t.integral, 0);
  EXPECT_NEAR(t.output, 0.4, 1e-14);
  EXPECT_NEAR(step(p, s, 4, 0.05, 0, Behaviour::kSafe).integral, 0.2, 1e-15);
}

TEST(Pid, SafeFirstStepTakesTheProvidedDerivativeWhole) {
  PidParams p;
  p.kd = 0.5, p.derivative = Derivative::kProvided;
  PidState s;
  EXPECT_NEAR(step(p, s, 0, 0.05, -0.8, Behaviour::kSafe).output, -0.4, 1e-15);
}

TEST(Pid, ResetClearsTheIntegralOnlyInReferenceAndEverythingInSafe) {
  PidParams p;
  p.kp = 1, p.ki = 1;
  PidState s;
  for (int k = 0; k < 5; ++k) (void)step(p, s, 1, 0.1, 0, Behaviour::kReference);
  PidState reference = s;
  reset(reference, Behaviour::kReference);
  EXPECT_EQ(reference.integral, 0);
  EXPECT_EQ(reference.error, s.error);
  EXPECT_EQ(reference.filtered_error, s.filtered_error);
  reset(s, Behaviour::kSafe);
  EXPECT_EQ(s.integral, 0);
  EXPECT_EQ(s.error, (std::array<double, 2>{}));
  EXPECT_FALSE(s.has_history);
}

TEST(Pid, AChangeOfKiMovesNoEffortInSafeAndCountsWhatWasInReference) {
  const auto after = [](Behaviour behaviour, double before, double then) {
    PidParams p;
    p.ki = before;
    PidState s;
    for (int k = 0; k < 100; ++k) (void)step(p, s, 0.5, 0.1, 0, behaviour);
    const double effort = s.output;
    p.ki = then;
    return step(p, s, 0, 0.1, 0, behaviour).output - effort;
  };
  // of 10 s at 0.5 m: 5 m s, the first step of safe apart
  EXPECT_NEAR(after(Behaviour::kReference, 0.02, 0.06), 0.2, 1e-12);
  EXPECT_NEAR(after(Behaviour::kReference, 0, 0.02), 0.1, 1e-12);
  EXPECT_NEAR(after(Behaviour::kSafe, 0.02, 0.06), 0, 1e-12);
  EXPECT_NEAR(after(Behaviour::kSafe, 0.02, 0.0001), 0, 1e-12) << "beyond the integral's limit";
  EXPECT_NEAR(after(Behaviour::kSafe, 0, 0.02), 0, 1e-12) << "nothing was stored without ki";
  EXPECT_NEAR(after(Behaviour::kSafe, 0.02, 0), -0.02 * 4.95, 1e-12) << "without ki no integral";
}

TEST(Pid, UnusableInputChangesNothingAndKeepsTheLastOutput) {
  for (const Behaviour behaviour : {Behaviour::kReference, Behaviour::kSafe}) {
    PidParams p;
    p.kp = 0.3, p.ki = 0.1;
    PidState s, twin;
    const double last = step(p, s, 1, 0.05, 0, behaviour).output;
    (void)step(p, twin, 1, 0.05, 0, behaviour);
    struct {
      double error, dt, provided;
    } const bad[] = {{kNaN, 0.05, 0}, {kInf, 0.05, 0}, {-kInf, 0.05, 0}, {1, kNaN, 0},
                     {1, kInf, 0},    {1, 0.05, kNaN}, {1, 0.05, kInf},  {kNaN, kNaN, kNaN}};
    for (const auto& b : bad) {
      const PidTerms t = step(p, s, b.error, b.dt, b.provided, behaviour);
      EXPECT_TRUE(t.refused);
      EXPECT_EQ(t.output, last);
    }
    // the next good step is the one of a loop that never saw them
    EXPECT_EQ(step(p, s, 2, 0.05, 0, behaviour).output,
              step(p, twin, 2, 0.05, 0, behaviour).output);
    EXPECT_EQ(s.integral, twin.integral);
  }
}

TEST(Pid, StepWithoutTimeAnswersZeroInReferenceAndTheLastOutputInSafe) {
  PidParams p;
  p.kp = 0.5;
  for (const double dt : {0.0, -0.0, -1.0}) {
    PidState s;
    const double last = step(p, s, 1, 0.1, 0, Behaviour::kSafe).output;
    ASSERT_NE(last, 0);
    const PidTerms reference = step(p, s, 1, dt, 0, Behaviour::kReference);
    EXPECT_TRUE(reference.refused);
    EXPECT_EQ(reference.output, 0);
    const PidTerms safe = step(p, s, 1, dt, 0, Behaviour::kSafe);
    EXPECT_TRUE(safe.refused);
    EXPECT_EQ(safe.output, last);
    EXPECT_EQ(s.output, last);
  }
}

// ---------------------------------------------------------------------------------------------
// the filter with a cut-off of its own

PidParams filter_only(double cutoff_Hz) {
  PidParams p;
  p.kp = 1, p.min_effort = -1e6, p.max_effort = 1e6, p.error_ramp_rate = kInf;
  p.filter_cutoff_Hz = cutoff_Hz;
  return p;
}

TEST(PidCutoff, StepResponseIsTheClosedFormWhateverTheSteps) {
  // y(t) = 1 - exp(-z t) (cos z t + sin z t), z = pi sqrt(2) f
  const double f = 3, t_end = 0.12, z = kPi * std::sqrt(2.0) * f;
  const double expected = 1 - std::exp(-z * t_end) * (std::cos(z * t_end) + std::sin(z * t_end));
  for (const std::vector<double>& steps :
       {std::vector<double>{0.12}, {0.06, 0.06}, {0.01, 0.07, 0.002, 0.038}}) {
    PidState s;
    PidTerms t;
    for (const double dt : steps) t = step(filter_only(f), s, 1, dt, 0, Behaviour::kReference);
    EXPECT_NEAR(t.filtered_error, expected, 1e-14);
  }
}

TEST(PidCutoff, AmplitudeAtTheCutOffIsDownByThreeDecibels) {
  const double f = 2, dt = 1e-3;
  PidState s;
  double largest = 0;
  for (int k = 0; k < 5000; ++k) {
    const double x = std::sin(2 * kPi * f * k * dt);
    const double y = step(filter_only(f), s, x, dt, 0, Behaviour::kSafe).filtered_error;
    if (k > 4000) largest = std::max(largest, std::abs(y));
  }
  EXPECT_NEAR(largest, std::sqrt(0.5), 1e-3);
}

TEST(PidCutoff, VeryLongAndVeryShortStepsStayFinite) {
  PidState s;
  EXPECT_NEAR(step(filter_only(5), s, 1, 1e9, 0, Behaviour::kReference).filtered_error, 1, 1e-12);
  EXPECT_NEAR(step(filter_only(5), s, 9, 1e-300, 0, Behaviour::kReference).filtered_error, 1,
              1e-12);
  EXPECT_NEAR(step(filter_only(1e9), s, 9, 0.05, 0, Behaviour::kReference).filtered_error, 9,
              1e-12);
}

// ---------------------------------------------------------------------------------------------
// properties

void expect_finite(const PidState& s) {
  for (std::size_t i = 0; i < s.error.size(); ++i) {
    EXPECT_TRUE(std::isfinite(s.error[i]));
    EXPECT_TRUE(std::isfinite(s.filtered_error[i]));
    EXPECT_TRUE(std::isfinite(s.derivative[i]));
    EXPECT_TRUE(std::isfinite(s.filtered_derivative[i]));
  }
  EXPECT_TRUE(std::isfinite(s.filtered_error_rate));
  EXPECT_TRUE(std::isfinite(s.filtered_derivative_rate));
  EXPECT_TRUE(std::isfinite(s.integral));
  EXPECT_TRUE(std::isfinite(s.output));
}

TEST(PidProperty, OutputStaysInItsLimitsAndStateFiniteForAnyInput) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> odd{
      0,     -0.0,   Limits::denorm_min(), 1e-300,           1e-9, 0.05,  1,   -1, 3e7, 1e50, -1e99,
      1e300, -1e300, Limits::max(),        Limits::lowest(), kInf, -kInf, kNaN};
  std::vector<PidParams> sets = parameter_sets();
  PidParams extreme;
  extreme.kp = 1e50, extreme.ki = -1e50, extreme.kd = 1e50, extreme.integral_limit = 1e50;
  extreme.min_effort = -1e50, extreme.max_effort = 1e50, extreme.filter_cutoff_Hz = 1e9;
  sets.push_back(extreme);
  PidParams filtered = filter_only(4);
  filtered.ki = 1e-30, filtered.kd = 2, filtered.back_calculation = 1e50;
  sets.push_back(filtered);
  for (const PidParams& p : sets) ASSERT_TRUE(std::ranges::none_of(check(p), &Finding::is_error));

  RandomStream random(7, "odd numbers");
  const auto pick = [&] { return odd[random.bits() % odd.size()]; };
  for (const PidParams& p : sets) {
    for (const Behaviour behaviour : {Behaviour::kReference, Behaviour::kSafe}) {
      PidState s;
      bool stepped = false;
      for (int k = 0; k < 5000; ++k) {
        const double dt = random.uniform() < 0.5 ? 0.05 : pick();
        const PidTerms t = step(p, s, pick(), dt, pick(), behaviour);
        stepped = stepped || !t.refused;
        if (stepped && !t.refused) {
          EXPECT_GE(t.output, p.min_effort);
          EXPECT_LE(t.output, p.max_effort);
        }
        EXPECT_TRUE(std::isfinite(t.p + t.i + t.d + t.ff));
        feed_back(p, s, pick(), pick(), pick());
        expect_finite(s);
        ASSERT_FALSE(::testing::Test::HasFailure());
      }
      // and it recovers: a hundred ordinary steps give the ordinary answer
      reset(s, Behaviour::kSafe);
      EXPECT_FALSE(step(p, s, 0.1, 0.05, 0, behaviour).refused);
    }
  }
}

TEST(PidProperty, ParametersThatWereNeverCheckedCannotPutNaNIntoTheState) {
  PidParams p;
  p.kp = kNaN;
  PidState s;
  EXPECT_TRUE(step(p, s, 1, 0.05, 0, Behaviour::kSafe).refused);
  p.kp = 1, p.integral_limit = kNaN, p.ki = 1, p.max_effort = kNaN;
  EXPECT_TRUE(step(p, s, 1, 0.05, 0, Behaviour::kReference).refused);
  EXPECT_FALSE(s.has_history);
  expect_finite(s);
}

// ---------------------------------------------------------------------------------------------
// findings and fields

TEST(PidCheck, DefaultsAreGoodAndEveryProblemIsNamed) {
  EXPECT_TRUE(check(PidParams{}).empty());
  PidParams equal;
  equal.min_effort = equal.max_effort = 0.5;
  EXPECT_TRUE(check(equal).empty());

  PidParams bad;
  bad.kp = kNaN, bad.ki = kInf, bad.min_effort = 2, bad.error_ramp_rate = -1;
  bad.integral_limit = -1, bad.back_calculation = kNaN, bad.filter_cutoff_Hz = -3;
  bad.derivative = static_cast<Derivative>(2);
  std::vector<std::string> paths;
  for (const Finding& f : check(bad)) {
    EXPECT_TRUE(f.is_error);
    paths.push_back(f.path);
  }
  EXPECT_EQ(paths,
            (std::vector<std::string>{"kp", "ki", "max_effort", "derivative", "error_ramp_rate",
                                      "integral_limit", "back_calculation", "filter_cutoff_Hz"}));
  bad = {};
  bad.error_ramp_rate = kNaN;
  ASSERT_EQ(check(bad).size(), 1U);
  bad = {};
  bad.max_effort = kNaN;
  ASSERT_EQ(check(bad).size(), 1U);
}

TEST(PidCheck, NegativeGainIsAWarning) {
  PidParams p;
  p.kd = -1;
  ASSERT_EQ(check(p).size(), 1U);
  EXPECT_FALSE(check(p)[0].is_error);
}

TEST(PidFields, KeysAreTheOnesOfTheFileFormat) {
  std::vector<std::string_view> names;
  for (const Field& f : table_of<PidParams>().fields) names.push_back(f.name);
  EXPECT_EQ(names,
            (std::vector<std::string_view>{"kp", "ki", "kd", "ff", "min_effort", "max_effort",
                                           "derivative", "error_ramp_rate", "integral_limit",
                                           "back_calculation", "filter_cutoff_Hz"}));
  EXPECT_EQ(to_string(Derivative::kProvided), "provided");
  EXPECT_EQ(enum_table<Derivative>().value_of("calculated"), 0);
  EXPECT_EQ(to_string(Behaviour::kReference), "reference");
}

TEST(Pid, RefreshedItGoesOnAsIfItHadAlwaysBeenThere) {
  for (const double cutoff_Hz : {0.0, 5.0}) {
    PidParams p;
    p.kp = 2, p.ki = 1, p.kd = 3;
    p.min_effort = -100, p.max_effort = 100;
    p.filter_cutoff_Hz = cutoff_Hz;
    PidState s;
    for (const double error : {5.0, -3.0, 4.0}) (void)step(p, s, error, 0.1, 0, Behaviour::kSafe);
    const double before = s.integral;
    refresh(p, s, 1, 0);
    const PidTerms t = step(p, s, 1, 0.1, 0, Behaviour::kSafe);
    EXPECT_NEAR(t.filtered_error, 1, 1e-12);
    EXPECT_NEAR(t.d, 0, 1e-12);
    EXPECT_NEAR(t.integral, before + 0.1, 1e-12);
    PidState young;
    refresh(p, young, 1, 0);
    EXPECT_NEAR(step(p, young, 1, 0.1, 0, Behaviour::kSafe).integral, 0.1, 1e-12);
  }
}

}  // namespace
}  // namespace pintle::control
