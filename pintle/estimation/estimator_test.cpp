#include "pintle/estimation/estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::estimation {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMs = 1'000'000;

Measurement at(std::int64_t ms, Pose X_WB = {}, Twist V_WB_B = {}) {
  return {{ms * kMs}, X_WB, V_WB_B};
}

Estimate at_ms(const EstimatorParams& p, EstimatorState& s, const Measurement* m, std::int64_t ms) {
  return estimate(p, s, m, {ms * kMs});
}

EstimatorParams compensating() {
  EstimatorParams p;
  p.method = Method::kDelayCompensation;
  return p;
}

void expect_near(const Pose& actual, const Pose& expected, double tolerance = 1e-12) {
  EXPECT_NEAR(norm(actual.p - expected.p), 0, tolerance);
  const Mat3 a = to_matrix(actual.q), b = to_matrix(expected.q);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(a.m[i], b.m[i], tolerance) << i;
}

// ---------------------------------------------------------------------------------------------
// pass-through

TEST(PassThrough, NothingMeasuredIsMissing) {
  EstimatorState s;
  const Estimate e = at_ms({}, s, nullptr, 1000);
  EXPECT_EQ(e.state.validity, Validity::kMissing);
  EXPECT_EQ(e.verdict, MeasurementVerdict::kNone);
  EXPECT_FALSE(e.fresh);
}

TEST(PassThrough, TheNewestMeasurementComesOutAsItIsWithItsOwnStamp) {
  EstimatorState s;
  const Measurement m = at(100, {{1, 2, 3}, from_rpy({0.1, 0.2, 0.3})}, {{4, 5, 6}, {7, 8, 9}});
  const Estimate e = at_ms({}, s, &m, 130);
  EXPECT_EQ(e.verdict, MeasurementVerdict::kAccepted);
  EXPECT_TRUE(e.fresh);
  EXPECT_EQ(e.dt_s, 0);
  EXPECT_EQ(e.state.validity, Validity::kValid);
  EXPECT_EQ(e.state.stamp, m.stamp);
  EXPECT_EQ(e.state.X_WB, m.X_WB);
  EXPECT_EQ(e.state.V_WB_B, m.V_WB_B);
  EXPECT_NEAR(e.state.variance[0], 1e-4, 1e-18);
  EXPECT_NEAR(e.state.variance[5], std::pow(0.5 * kPi / 180, 2), 1e-18);
  EXPECT_NEAR(e.state.variance[7], 4e-4, 1e-18);
  EXPECT_NEAR(e.state.variance[11], std::pow(0.5 * kPi / 180, 2), 1e-18);
}

TEST(PassThrough, BetweenMeasurementsTheLastOneHoldsAndIsNotFresh) {
  EstimatorState s;
  const Measurement first = at(100), second = at(150, {{1, 0, 0}, {}});
  (void)at_ms({}, s, &first, 100);
  const Estimate fresh = at_ms({}, s, &second, 160);
  EXPECT_TRUE(fresh.fresh);
  EXPECT_DOUBLE_EQ(fresh.dt_s, 0.05);
  const Estimate held = at_ms({}, s, nullptr, 180);
  EXPECT_FALSE(held.fresh);
  EXPECT_EQ(held.dt_s, 0);
  EXPECT_EQ(held.state.X_WB.p.x, 1);
  EXPECT_EQ(held.state.validity, Validity::kValid);
}

TEST(PassThrough, ARepeatedStampIsNeitherFreshNorAnError) {
  EstimatorState s;
  const Measurement m = at(100), again = at(100, {{9, 9, 9}, {}});
  (void)at_ms({}, s, &m, 100);
  const Estimate e = at_ms({}, s, &again, 110);
  EXPECT_FALSE(e.fresh);
  EXPECT_EQ(e.verdict, MeasurementVerdict::kNone);
  EXPECT_EQ(s.refused, 0U);
  EXPECT_EQ(e.state.X_WB.p.x, 0);
}

TEST(PassThrough, AQuaternionThatIsSlightlyOffComesOutWithUnitLength) {
  EstimatorState s;
  const Measurement m = at(100, {{}, {0, 0, 0.6 * 1.005, 0.8 * 1.005}});
  const Estimate e = at_ms({}, s, &m, 100);
  EXPECT_TRUE(e.fresh);
  EXPECT_NEAR(e.state.X_WB.q.z, 0.6, 1e-15);
  EXPECT_NEAR(e.state.X_WB.q.w, 0.8, 1e-15);
  EXPECT_EQ(s.last.X_WB.q.z, 0.6 * 1.005);  // what came is kept as it came
}

// ---------------------------------------------------------------------------------------------
// staleness

TEST(Staleness, AStateIsStaleOnceItIsOlderThanItsLimitAndRecoversWithTheNextMeasurement) {
  for (const Method method : {Method::kPassThrough, Method::kDelayCompensation}) {
    EstimatorParams p;
    p.method = method, p.stale_after_s = 0.2;
    EstimatorState s;
    const Measurement first = at(1000), next = at(2000);
    (void)at_ms(p, s, &first, 1000);
    EXPECT_EQ(at_ms(p, s, nullptr, 1200).state.validity, Validity::kValid);
    EXPECT_EQ(at_ms(p, s, nullptr, 1201).state.validity, Validity::kStale);
    const Estimate back = at_ms(p, s, &next, 2010);
    EXPECT_EQ(back.state.validity, Validity::kValid);
    EXPECT_TRUE(back.fresh);
    EXPECT_DOUBLE_EQ(back.dt_s, 1);
  }
}

TEST(Staleness, AMeasurementThatArrivesTooLateIsTakenOverButStale) {
  EstimatorState s;
  const Measurement old = at(0, {{1, 0, 0}, {}});
  const Estimate e = at_ms({}, s, &old, 5000);
  EXPECT_TRUE(e.fresh);
  EXPECT_EQ(e.state.validity, Validity::kStale);
}

TEST(Staleness, AClockSetBackMakesTheStateStale) {
  EstimatorState s;
  const Measurement m = at(5000);
  (void)at_ms({}, s, &m, 5000);
  EXPECT_EQ(at_ms({}, s, nullptr, 4000).state.validity, Validity::kStale);
}

// ---------------------------------------------------------------------------------------------
// refusals

TEST(Refusal, EveryNumberOfAMeasurementMustBeUsable) {
  for (std::size_t i = 0; i < 13; ++i) {
    for (const double bad : {kNaN, std::numeric_limits<double>::infinity(), -1e300}) {
      EstimatorState s;
      const Measurement good = at(100, {{1, 2, 3}, {}});
      (void)at_ms({}, s, &good, 100);
      Measurement m = at(150);
      double* numbers[] = {&m.X_WB.p.x,   &m.X_WB.p.y,   &m.X_WB.p.z,   &m.X_WB.q.x,
                           &m.X_WB.q.y,   &m.X_WB.q.z,   &m.X_WB.q.w,   &m.V_WB_B.v.x,
                           &m.V_WB_B.v.y, &m.V_WB_B.v.z, &m.V_WB_B.w.x, &m.V_WB_B.w.y,
                           &m.V_WB_B.w.z};
      *numbers[i] = bad;
      const Estimate e = at_ms({}, s, &m, 150);
      EXPECT_EQ(e.verdict, MeasurementVerdict::kNotFinite);
      EXPECT_FALSE(e.fresh);
      EXPECT_EQ(e.state.X_WB.p.z, 3);
      EXPECT_EQ(s.refused, 1U);
    }
  }
}

TEST(Refusal, AQuaternionMayBeOffByOnePercentAndNoMore) {
  for (const auto& [w, good] : {std::pair{1.0099, true},
                                {0.9901, true},
                                {-1.0, true},
                                {1.0101, false},
                                {0.9899, false},
                                {0.0, false}}) {
    EstimatorState s;
    const Measurement m = at(100, {{}, {0, 0, 0, w}});
    EXPECT_EQ(at_ms({}, s, &m, 100).verdict,
              good ? MeasurementVerdict::kAccepted : MeasurementVerdict::kBadQuaternion)
        << w;
    EXPECT_EQ(s.has_measurement, good);
  }
}

TEST(Refusal, AStampBeforeTheLastOneIsRefusedAndTheNextGoodOneAccepted) {
  EstimatorState s;
  const Measurement first = at(100), back = at(99), next = at(101);
  (void)at_ms({}, s, &first, 100);
  EXPECT_EQ(at_ms({}, s, &back, 110).verdict, MeasurementVerdict::kTimeReversed);
  EXPECT_EQ(s.last.stamp.ns, 100 * kMs);
  const Estimate e = at_ms({}, s, &next, 120);
  EXPECT_EQ(e.verdict, MeasurementVerdict::kAccepted);
  EXPECT_DOUBLE_EQ(e.dt_s, 0.001);
}

TEST(Refusal, AStampFromTheFutureIsRefusedBeyondTheTolerance) {
  EstimatorParams p;
  p.future_tolerance_s = 0.005;
  EstimatorState s;
  const Measurement near = at(105), far = at(111);
  EXPECT_EQ(at_ms(p, s, &near, 100).verdict, MeasurementVerdict::kAccepted);
  EXPECT_EQ(at_ms(p, s, nullptr, 100).state.validity, Validity::kValid);
  EXPECT_EQ(at_ms(p, s, &far, 105).verdict, MeasurementVerdict::kFromFuture);
  EXPECT_EQ(at_ms(p, s, &far, 106).verdict, MeasurementVerdict::kAccepted);
}

TEST(Refusal, EveryRefusedMeasurementIsCounted) {
  EstimatorState s;
  const Measurement good = at(100), reversed = at(50), future = at(10000),
                    bad = at(120, {{}, {0, 0, 0, 0}}), nan = at(120, {{kNaN, 0, 0}, {}});
  (void)at_ms({}, s, &good, 100);
  for (const Measurement* m : {&reversed, &future, &bad, &nan, &good}) (void)at_ms({}, s, m, 130);
  EXPECT_EQ(s.refused, 4U);
}

// ---------------------------------------------------------------------------------------------
// delay compensation

TEST(DelayCompensation, ConstantVelocityMovesTheBodyAlongItsOwnAxes) {
  // at (1, 2, 3) looking north (its x is the world's y, its y the world's -x), 2 m/s ahead, 1 m/s
  // to the left and 0.5 m/s up: after 0.1 s it is 0.2 m north, 0.1 m west and 0.05 m higher
  EstimatorState s;
  const Pose X{{1, 2, 3}, from_rpy({0, 0, kPi / 2})};
  const Measurement m = at(1000, X, {{2, 1, 0.5}, {}});
  const Estimate e = at_ms(compensating(), s, &m, 1100);
  expect_near(e.state.X_WB, {{0.9, 2.2, 3.05}, X.q});
  EXPECT_EQ(e.state.stamp.ns, 1100 * kMs);
  EXPECT_EQ(e.state.V_WB_B, m.V_WB_B);
}

TEST(DelayCompensation, AConstantTurnMovesTheBodyAlongACircle) {
  // 1 m/s ahead, turning left by 90 degrees per second, for 1 s: a quarter of a circle of radius
  // 2 / pi, which ends the radius ahead and the radius to the left, looking left
  EstimatorParams p = compensating();
  p.stale_after_s = 2;
  const double r = 2 / kPi;
  EstimatorState s;
  const Measurement m =
      at(0, {{5, 5, 0}, from_rpy({0, 0, -kPi / 2})}, {{1, 0, 0}, {0, 0, kPi / 2}});
  // it looks south at first: ahead is the world's -y, left is the world's x
  expect_near(at_ms(p, s, &m, 1000).state.X_WB, {{5 + r, 5 - r, 0}, {}});
}

TEST(DelayCompensation, IsTheExactScrewMotionOfAnyTwist) {
  // against ten thousand small steps of the pose equation, by the midpoint rule
  RandomStream random(5, "screws");
  EstimatorParams p = compensating();
  p.stale_after_s = 1;
  for (int k = 0; k < 5; ++k) {
    const auto number = [&] { return random.normal(); };
    const Pose X{{number(), number(), number()},
                 normalized({number(), number(), number(), number()})};
    const Twist V{{number(), number(), number()}, {number(), number(), 3 * number()}};
    constexpr int kSteps = 10000;
    const double h = 0.4 / kSteps;
    Pose Y = X;
    for (int i = 0; i < kSteps; ++i) {
      const Quat half = from_rotation_vector((h / 2) * V.w);
      Y.p += h * rotate(Y.q * half, V.v);
      Y.q = normalized(Y.q * half * half);
    }
    EstimatorState s;
    const Measurement m = at(0, X, V);
    expect_near(at_ms(p, s, &m, 400).state.X_WB, Y, 1e-8);
  }
}

TEST(DelayCompensation, SlowAndFastTurnsMeetWithoutAStep) {
  // either side of the angle where the series takes over from the closed form
  EstimatorParams p = compensating();
  Pose reached[2];
  for (int i = 0; i < 2; ++i) {
    EstimatorState s;
    const double w = (1e-2 + (i == 0 ? -1e-9 : 1e-9)) / 0.1;
    const Measurement m = at(0, {}, {{1, 2, 3}, {0, w, 0}});
    reached[i] = at_ms(p, s, &m, 100).state.X_WB;
  }
  EXPECT_NEAR(norm(reached[0].p - reached[1].p), 0, 2e-9);
}

TEST(DelayCompensation, TwoShortDelaysAreOneLongOne) {
  const Twist V{{1, -0.5, 0.2}, {0.3, -0.7, 1.1}};
  EstimatorState one, two, three;
  const Measurement m = at(0, {{1, 2, 3}, from_rpy({0.4, 0.5, 0.6})}, V);
  const Pose whole = at_ms(compensating(), one, &m, 300).state.X_WB;
  const Measurement part = at(100, at_ms(compensating(), two, &m, 100).state.X_WB, V);
  expect_near(at_ms(compensating(), three, &part, 300).state.X_WB, whole);
}

TEST(DelayCompensation, VariancesGrowAsComputedByHand) {
  EstimatorParams p = compensating();
  p.position_std_m = 0.1, p.velocity_std_m_s = 0.2, p.acceleration_psd = 0.3;
  p.attitude_std_deg = degrees(0.01), p.rate_std_deg_s = degrees(0.02),
  p.angular_acceleration_psd = 0.6;
  p.stale_after_s = 1;
  EstimatorState s;
  const Measurement m = at(0);
  const auto v = at_ms(p, s, &m, 500).state.variance;
  for (std::size_t i = 0; i < 3; ++i) {
    // 0.01 + 0.04 * 0.25 + 0.3 * 0.125 / 3, and 0.04 + 0.3 * 0.5
    EXPECT_NEAR(v[i], 0.0325, 1e-15);
    EXPECT_NEAR(v[6 + i], 0.19, 1e-15);
    // 1e-4 + 4e-4 * 0.25 + 0.6 * 0.125 / 3, and 4e-4 + 0.6 * 0.5
    EXPECT_NEAR(v[3 + i], 0.0252, 1e-15);
    EXPECT_NEAR(v[9 + i], 0.3004, 1e-15);
  }
  EXPECT_NEAR(at_ms(p, s, nullptr, 0).state.variance[0], 0.01, 1e-15);
}

TEST(DelayCompensation, APoseThatIsStaleIsCarriedNoFurtherWhileItsVarianceGrows) {
  EstimatorParams p = compensating();
  p.stale_after_s = 0.5;
  EstimatorState s;
  const Measurement m = at(0, {}, {{2, 0, 0}, {}});
  (void)at_ms(p, s, &m, 0);
  EXPECT_NEAR(at_ms(p, s, nullptr, 400).state.X_WB.p.x, 0.8, 1e-12);
  const Estimate late = at_ms(p, s, nullptr, 10000);
  EXPECT_NEAR(late.state.X_WB.p.x, 1.0, 1e-12);
  EXPECT_EQ(late.state.validity, Validity::kStale);
  EXPECT_GT(late.state.variance[0], 30);  // 0.1 * 1000 / 3
}

TEST(DelayCompensation, AStampSlightlyAheadIsCarriedBack) {
  EstimatorState s;
  const Measurement m = at(104, {}, {{2, 0, 0}, {}});
  const Estimate e = at_ms(compensating(), s, &m, 100);
  EXPECT_NEAR(e.state.X_WB.p.x, -0.008, 1e-15);
  EXPECT_EQ(e.state.stamp.ns, 100 * kMs);
  EXPECT_GT(e.state.variance[6], 4e-4);
}

// ---------------------------------------------------------------------------------------------
// properties, findings and fields

TEST(EstimatorProperty, WhatComesOutIsFiniteForAnyMeasurementAndAnyClock) {
  using Limits = std::numeric_limits<double>;
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min(),
                         kLast = std::numeric_limits<std::int64_t>::max();
  const double odd[] = {0,    -0.0,          Limits::denorm_min(), 1,   -1, 0.5, 1e9, 1e50, -1e50,
                        1e51, Limits::max(), Limits::infinity(),   kNaN};
  const std::int64_t stamps[] = {kFirst, -1, 0, 1, 100, kLast / 2, kLast - 1, kLast};
  RandomStream random(9, "odd measurements");
  const auto pick = [&] {
    return random.uniform() < 0.8 ? random.normal() : odd[random.bits() % 13];
  };
  const auto stamp = [&] { return Time{stamps[random.bits() % 8]}; };
  int accepted = 0;
  for (int k = 0; k < 30000; ++k) {
    EstimatorParams p;
    p.method = k % 2 ? Method::kPassThrough : Method::kDelayCompensation;
    EstimatorState s;
    for (int i = 0; i < 3; ++i) {
      const Quat q = random.uniform() < 0.8 ? normalized({pick(), pick(), pick(), pick()})
                                            : Quat{pick(), pick(), pick(), pick()};
      const Measurement m{stamp(),
                          {{pick(), pick(), pick()}, q},
                          {{pick(), pick(), pick()}, {pick(), pick(), pick()}}};
      const Estimate e = estimate(p, s, &m, stamp());
      accepted += e.fresh ? 1 : 0;
      ASSERT_TRUE(is_finite(e.state.X_WB));
      ASSERT_TRUE(is_finite(e.state.V_WB_B));
      ASSERT_TRUE(std::isfinite(e.dt_s) && e.dt_s >= 0);
      for (const double v : e.state.variance) ASSERT_TRUE(std::isfinite(v) && v >= 0);
      if (e.state.validity != Validity::kMissing) {
        ASSERT_NEAR(squared_norm(e.state.X_WB.q), 1, 1e-9);
      }
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(EstimatorProperty, TheTickPathTakesNoMemory) {
  EstimatorState s;
  const auto before = testing::heap_allocations();
  for (int k = 0; k < 100; ++k) {
    const Measurement m = at(k, {}, {{1, 0, 0}, {0, 0, 1}});
    (void)at_ms(compensating(), s, &m, k + 3);
  }
  EXPECT_EQ(testing::heap_allocations(), before);
}

EstimatorParams as_sent() {
  EstimatorParams p;
  p.method = Method::kAsSent;
  return p;
}

TEST(EstimatorAsSent, IsValidFromTheSecondOfARowOnAndLeavesTheQuaternionAlone) {
  EstimatorState s;
  Measurement m = at(0);
  m.X_WB.q = {0, 0, 0, 2};
  Estimate e = at_ms(as_sent(), s, &m, 0);
  EXPECT_EQ(e.verdict, MeasurementVerdict::kFirst);
  EXPECT_TRUE(e.begins);
  EXPECT_EQ(e.state.validity, Validity::kMissing);
  m.stamp = Time{50'000'000};
  e = at_ms(as_sent(), s, &m, 50);
  EXPECT_EQ(e.verdict, MeasurementVerdict::kAccepted);
  EXPECT_NEAR(e.dt_s, 0.05, 1e-12);
  EXPECT_EQ(e.state.validity, Validity::kValid);
  EXPECT_EQ(e.state.X_WB.q.w, 2);
}

TEST(EstimatorAsSent, AGapBeginsANewRowAndAStampThatGoesBackIsOnlyNoted) {
  EstimatorState s;
  Measurement m;
  const auto take = [&](std::int64_t stamp_ms, std::int64_t now_ms) {
    m = at(stamp_ms);
    return at_ms(as_sent(), s, &m, now_ms);
  };
  (void)take(0, 0);
  (void)take(50, 50);
  Estimate e = take(20, 70);
  EXPECT_EQ(e.verdict, MeasurementVerdict::kFirst);
  EXPECT_FALSE(e.begins);
  EXPECT_NEAR(e.dt_s, -0.03, 1e-12);
  EXPECT_NEAR(take(90, 90).dt_s, 0.07, 1e-12) << "since whatever came last";
  e = take(900, 900);
  EXPECT_TRUE(e.begins);
  EXPECT_EQ(e.dt_s, 0);
  EXPECT_EQ(e.state.validity, Validity::kStale);
  EXPECT_EQ(take(950, 950).state.validity, Validity::kValid);
}

TEST(EstimatorAsSent, AgesByWhenItWasSoWhateverItsStampSays) {
  // arrivals that go on, of a state that does not: frozen at its source
  for (const bool as : {true, false}) {
    const EstimatorParams p = as ? as_sent() : EstimatorParams{};
    EstimatorState s;
    Estimate e;
    for (int ms = 0; ms <= 600; ms += 30) {
      Measurement m = at(ms);
      m.older = Duration{std::int64_t{ms} * 1'000'000};
      e = at_ms(p, s, &m, ms);
      if (ms == 480) {
        EXPECT_EQ(e.state.validity, Validity::kValid);
      }
    }
    EXPECT_EQ(e.state.validity, Validity::kStale);
  }
}

TEST(EstimatorCheck, DefaultsAreGoodAndEveryProblemIsNamed) {
  EXPECT_TRUE(check(EstimatorParams{}).empty());
  EstimatorParams p;
  p.method = static_cast<Method>(7);
  p.stale_after_s = 0, p.future_tolerance_s = -1, p.position_std_m = kNaN;
  p.angular_acceleration_psd = std::numeric_limits<double>::infinity();
  std::vector<std::string> paths;
  for (const Finding& f : check(p)) {
    EXPECT_TRUE(f.is_error);
    paths.push_back(f.path);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"method", "stale_after_s", "future_tolerance_s",
                                             "position_std_m", "angular_acceleration_psd"}));
}

TEST(EstimatorFields, NamesCarryTheirUnitsAndStaleAfterMustBeAboveZero) {
  const Table& table = table_of<EstimatorParams>();
  for (const char* name :
       {"method", "stale_after_s", "future_tolerance_s", "position_std_m", "attitude_std_deg",
        "velocity_std_m_s", "rate_std_deg_s", "acceleration_psd", "angular_acceleration_psd"})
    EXPECT_NE(table.find(name), nullptr) << name;
  EXPECT_TRUE(table.find("stale_after_s")->above_minimum);
  EXPECT_EQ(table.find("stale_after_s")->maximum, 3600);
  EXPECT_EQ(to_string(Method::kDelayCompensation), "delay_compensation");
  EXPECT_EQ(to_string(MeasurementVerdict::kFromFuture), "from_future");
  EXPECT_NE(table_of<EstimatorState>().find("last"), nullptr);
}

}  // namespace
}  // namespace pintle::estimation
