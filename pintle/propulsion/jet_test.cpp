#include "pintle/propulsion/jet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pintle/base/random.h"
#include "pintle/propulsion/jet_kernel.h"

namespace pintle::propulsion {
namespace {

JetParams simple(JetModel model, double a = 0) {
  JetParams p;
  p.model = model;
  p.max_thrust_N = 220;
  p.jet_axis = {0, 0, -1};
  p.inverse_time_constant_per_s = a;
  return p;
}

TEST(Jet, FirstOrderFollowsTheImplicitUpdateOverALongRun) {
  for (const double a : {0.0, 0.3, 2.5}) {
    const JetParams p = simple(JetModel::kFirstOrder, a);
    JetState state;
    double x = 0;
    RandomStream random(1, "jet");
    for (int i = 0; i < 50000; ++i) {
      const double u = random.uniform(-400, 420);
      const JetStep out = step(p, state, {u}, {}, {}, 0.001);
      x = (x + u * 0.001) / (1 - a * 0.001);
      if (x <= 0) x = 0;
      if (x >= 220) x = 220;
      ASSERT_NEAR(out.thrust_N, x, 1e-12 * 220) << i;
      ASSERT_EQ(out.rate_N_s, u) << "the raw input is published as the rate";
      ASSERT_EQ(out.wrench_P.force.z, -out.thrust_N);
    }
  }
}

TEST(Jet, FirstOrderDoesNotWindUpOnItsBounds) {
  const JetParams p = simple(JetModel::kFirstOrder);
  JetState s;
  for (int i = 0; i < 100; ++i) (void)step(p, s, {100}, {}, {}, 0.1);
  EXPECT_EQ(s.thrust_N, 220);
  EXPECT_NEAR(step(p, s, {-100}, {}, {}, 0.1).thrust_N, 210, 1e-12);
}

TEST(Jet, InputsBeyondAllReasonSaturateAsAnyOthersDo) {
  for (const double u : {1e29, 1e30, 1e31, 1e300, 1.7e308})
    for (const auto& [model, a] :
         {std::pair{JetModel::kFirstOrder, 0.0}, std::pair{JetModel::kFirstOrder, 2.5},
          std::pair{JetModel::kDirect, 0.0}}) {
      JetState s{100, 0, JetPhase::kRunning, 0};
      EXPECT_EQ(step(simple(model, a), s, {u}, {}, {}, 0.001).thrust_N, 220) << u;
      EXPECT_EQ(step(simple(model, a), s, {-u}, {}, {}, 0.001).thrust_N, 0) << u;
    }
}

TEST(Jet, FirstOrderRefusesAStepThatItsImplicitRuleCannotTake) {
  const JetParams p = simple(JetModel::kFirstOrder, 10);
  JetState s{50, 0, JetPhase::kRunning, 0};
  EXPECT_EQ(step(p, s, {1}, {}, {}, 0.1).thrust_N, 50) << "1 - a dt = 0";
  EXPECT_EQ(step(p, s, {1}, {}, {}, 0.2).thrust_N, 50);
  EXPECT_EQ(step(p, s, {1}, {}, {}, -0.01).thrust_N, 50);
  EXPECT_NEAR(step(p, s, {1}, {}, {}, 0.05).thrust_N, 50.05 / 0.5, 1e-12);
}

TEST(Jet, FirstOrderConvergesToTheExponentialThatItIs) {
  // T' = a T + u from 10 N: T(t) = (10 + u/a) e^{at} - u/a
  const double a = 0.5, u = 4, exact = (10 + u / a) * std::exp(a * 2) - u / a;
  double before = 0;
  for (const int n : {100, 200, 400}) {
    JetState s{10, 0, JetPhase::kRunning, 0};
    for (int i = 0; i < n; ++i)
      (void)step(simple(JetModel::kFirstOrder, a), s, {u}, {}, {}, 2.0 / n);
    const double off = std::fabs(s.thrust_N - exact);
    if (before > 0) {
      EXPECT_NEAR(before / off, 2, 0.05) << "first order in dt";
    }
    before = off;
  }
  EXPECT_LT(before, 0.2);
}

TEST(Jet, StableLagIsExactForAnyStep) {
  JetParams p = simple(JetModel::kFirstOrder);
  p.tau_s = 0.8;
  for (const int n : {1, 10, 333}) {
    JetState s{20, 0, JetPhase::kRunning, 0};
    JetStep out;
    for (int i = 0; i < n; ++i) out = step(p, s, {150}, {}, {}, 1.2 / n);
    const double exact = 150 - 130 * std::exp(-1.5);
    EXPECT_NEAR(out.thrust_N, exact, 1e-11) << n;
    EXPECT_NEAR(out.rate_N_s, (150 - exact) / 0.8, 1e-10);
  }
}

TEST(Jet, NonlinearFollowsThePublishedUpdateOverALongRun) {
  for (std::string_view name : jet_library_names()) {
    const JetParams& p = *jet_library(name);
    const JetCoefficients& k = p.jet_coefficients;
    JetState state{10, 0, JetPhase::kRunning, 0};
    double T = 10, D = 0;
    RandomStream random(2, name);
    double u = 40;
    for (int i = 0; i < 30000; ++i) {
      if (i % 100 == 0) u = random.uniform(-5, 120);
      const JetStep out = step(p, state, {u}, {}, {}, 0.005);
      const double acc = k[0] * T + k[1] * T * T + k[2] * D + k[3] * D * D + k[4] * T * D + k[9] +
                         (k[5] + k[6] * T + k[7] * D) * (u + k[8] * u * u);
      const double next = T + D * 0.005 + acc * 0.005 * 0.005 / 2;
      D += acc * 0.005;
      if (next <= 0)
        D = std::max(0.0, D);
      else if (next >= p.max_thrust_N)
        D = std::min(0.0, D);
      T = std::min(std::max(next, 0.0), p.max_thrust_N);
      ASSERT_NEAR(out.thrust_N, T, 1e-12 * p.max_thrust_N) << name << " " << i;
      ASSERT_NEAR(out.rate_N_s, D, 1e-9) << name << " " << i;
    }
  }
}

TEST(Jet, NonlinearSettlesAtTheThrustOfItsThrottle) {
  struct Row {
    std::string_view name;
    std::array<double, 3> thrust;  // at 30, 50 and 80 %
  };
  for (const Row& row :
       {Row{"p100_kerosene", {3.0, 21.7, 52.3}}, Row{"p160_kerosene", {67.5, 96.4, 135.3}},
        Row{"p220_kerosene", {93.8, 131.5, 185.1}}, Row{"p220_kerosene_mk1", {19.4, 64.9, 143.8}},
        Row{"p100_diesel", {5.0, 24.9, 59.1}}, Row{"p220_diesel", {16.6, 69.0, 149.6}}}) {
    const JetParams& p = *jet_library(row.name);
    for (std::size_t i = 0; i < 3; ++i) {
      JetState s{10, 0, JetPhase::kRunning, 0};
      for (int j = 0; j < 6000; ++j)
        (void)step(p, s, {std::array{30.0, 50.0, 80.0}[i]}, {}, {}, 0.01);
      EXPECT_NEAR(s.thrust_N, row.thrust[i], 0.06) << row.name << " " << i;
      EXPECT_NEAR(s.rate_N_s, 0, 1e-3);
    }
  }
}

TEST(Jet, ThrustLawReachesTheThrustAskedFor) {
  for (std::string_view name : jet_library_names()) {
    const JetParams& p = *jet_library(name);
    JetState s{30, 0, JetPhase::kRunning, 0};
    for (const double share : {0.5, 0.25, 0.7}) {
      const double wanted = share * p.max_thrust_N;
      for (int i = 0; i < 600; ++i) (void)step(p, s, invert(p, s, wanted, 0.01), {}, {}, 0.01);
      EXPECT_NEAR(s.thrust_N, wanted, 0.02 * p.max_thrust_N) << name << " " << share;
    }
  }
}

TEST(Jet, ThrustLawGivesTheAccelerationItAskedFor) {
  const JetParams& p = *jet_library("p220_kerosene");
  JetState s{120, 8, JetPhase::kRunning, 0};
  const JetInput u = invert(p, s, 123, 0.01);
  ASSERT_GT(u.value, 0);
  ASSERT_LT(u.value, 100);
  // rate wanted: 2 * 3 = 6 N/s
  EXPECT_NEAR(JetNonlinearKernel::acceleration(prepare(p, 0), 120, 8, u.value), -50 * (8 - 6),
              1e-9);
}

TEST(Jet, ThrustLawSurvivesCoefficientsThatDivideByZero) {
  JetParams p = *jet_library("p220_kerosene");
  p.jet_coefficients[8] = 0;
  JetState s{100, 0, JetPhase::kRunning, 0};
  EXPECT_TRUE(std::isfinite(invert(p, s, 110, 0.01).value));
  p.jet_coefficients[5] = p.jet_coefficients[6] = p.jet_coefficients[7] = 0;
  const double u = invert(p, s, 200, 0.01).value;
  EXPECT_TRUE(u == 0 || u == 100);
}

TEST(Jet, SaysWhatItCanReachWithinAHorizon) {
  const JetParams& p = *jet_library("p220_kerosene");
  const JetState s{100, 0, JetPhase::kRunning, 0};
  double before_low = 100, before_high = 100;
  for (const double horizon : {0.1, 0.5, 1.0, 2.0}) {
    const Linearised l = linearise(p, s, {}, horizon);
    EXPECT_LT(l.lower[0], before_low);
    EXPECT_GT(l.upper[0], before_high);
    before_low = l.lower[0];
    before_high = l.upper[0];
    // the bounds are what full and closed throttle give
    JetState up = s;
    const int n = static_cast<int>(std::ceil(horizon / 0.02 - 1e-9));
    for (int i = 0; i < n; ++i) (void)step(p, up, {100}, {}, {}, horizon / n);
    EXPECT_NEAR(l.upper[0], up.thrust_N, 1e-9);
  }
  EXPECT_LT(linearise(p, s, {}, 0.1).upper[0], 105) << "a turbine needs seconds";
}

JetParams with_sequence() {
  JetParams p = *jet_library("p220_kerosene");
  p.start_up_s = 8;
  p.stabilise_s = 1;
  p.run_down_s = 2;
  return p;
}

TEST(Jet, StartsAndStopsInItsSequence) {
  const JetParams p = with_sequence();
  JetState s = initial_state(p);
  EXPECT_EQ(s.phase, JetPhase::kOff);
  double t = 0;
  const auto fly = [&](double until, bool run) {
    JetStep out;
    for (; t < until - 1e-9; t += 0.01) out = step(p, s, {60, run}, {}, {}, 0.01);
    return out;
  };
  EXPECT_EQ(fly(1, false).thrust_N, 0);
  EXPECT_EQ(fly(8, true).thrust_N, 0);
  EXPECT_EQ(s.phase, JetPhase::kStarting);
  EXPECT_EQ(fly(9.5, true).thrust_N, p.idle_thrust_N);
  EXPECT_EQ(linearise(p, s, {}, 1).upper[0], p.idle_thrust_N);
  EXPECT_GT(fly(15, true).thrust_N, 100);
  const double running = s.thrust_N;
  EXPECT_NEAR(fly(16, false).thrust_N, running / 2, 0.02 * running);
  EXPECT_EQ(fly(18, false).thrust_N, 0);
  EXPECT_EQ(s.phase, JetPhase::kOff);
}

TEST(Jet, AStartThatIsBrokenOffRunsDownBeforeItBeginsAnew) {
  const JetParams p = with_sequence();
  for (const JetPhase broken_off : {JetPhase::kStarting, JetPhase::kStabilising}) {
    JetState s{0, 0, broken_off, 0.5};
    const auto fly = [&](double seconds, bool run) {
      for (double t = 0; t < seconds - 1e-9; t += 0.01) (void)step(p, s, {60, run}, {}, {}, 0.01);
    };
    fly(1.5, false);
    EXPECT_EQ(s.phase, JetPhase::kRunningDown);
    fly(0.4, true);
    EXPECT_EQ(s.phase, JetPhase::kRunningDown) << "wanted again, and still turning";
    fly(0.2, false);
    EXPECT_EQ(s.phase, JetPhase::kOff);
    fly(7.9, true);
    EXPECT_EQ(s.phase, JetPhase::kStarting) << "the whole sequence again";
    fly(1.2, true);
    EXPECT_EQ(s.phase, JetPhase::kRunning);
  }
}

TEST(Jet, BurnsFuelInProportionToThrustAboveIdle) {
  const JetParams& p = *jet_library("p220_kerosene");
  EXPECT_NEAR(fuel_flow_kg_s(p, 220), 0.725 / 60 * 0.8, 1e-15);
  EXPECT_NEAR(fuel_flow_kg_s(p, 9), 0.13 / 60 * 0.8, 1e-15);
  EXPECT_NEAR(fuel_flow_kg_s(p, 114.5), 0.4275 / 60 * 0.8, 1e-15);
  EXPECT_EQ(fuel_flow_kg_s(p, 0), 0);
}

TEST(Jet, GivesNoThrustWithoutFuel) {
  JetState s{100, 5, JetPhase::kRunning, 0};
  const JetStep out = step(simple(JetModel::kFirstOrder), s, {50}, {}, {0}, 0.1);
  EXPECT_EQ(out.thrust_N, 0);
  EXPECT_EQ(out.demand.mass_flow_kg_s, 0);
  EXPECT_EQ(s.thrust_N, 0);
}

TEST(JetCheck, RefusesTheStableSignAndSaysWhatToWrite) {
  JetParams p = simple(JetModel::kFirstOrder, -2);
  const Findings findings = check(p);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].path, "inverse_time_constant_per_s");
  EXPECT_NE(findings[0].fix.find("tau_s: 0.5"), std::string::npos);
  for (std::string_view name : jet_library_names())
    EXPECT_TRUE(check(*jet_library(name)).empty()) << name;
}

}  // namespace
}  // namespace pintle::propulsion
