#include "pintle/estimation/failure_detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "pintle/testing/heap_counter.h"

namespace pintle::estimation {
namespace {

/// A box of 30 kg with added mass, four thrusters in the plane at 45 degrees, four upright.
BodyModel box() {
  BodyModel m;
  const std::array<double, 6> mass{30, 30, 30, 1.5, 1.5, 2};
  m.added_mass = {10, 10, 25, 0.5, 0.5, 1};
  for (std::size_t i = 0; i < 6; ++i) m.mass[7 * i] = mass[i] + m.added_mass[i];
  complete(m);
  m.linear_damping = {10, 10, 20, 3, 3, 2};
  m.quadratic_damping = {80, 100, 200, 4, 4, 4};
  m.weight_N = m.buoyancy_N = 294;
  m.center_of_buoyancy_m = {0, 0, 0.05};
  const auto add = [&m](Vec3 p, Vec3 d) {
    const Vec3 t = cross(p, d);
    m.column_N[m.n] = {{40 * d.x, 40 * d.y, 40 * d.z, 40 * t.x, 40 * t.y, 40 * t.z}};
    m.tau_s[m.n] = 0.1;
    m.largest[m.n++] = 1;
  };
  const double c = std::sqrt(0.5);
  for (const double x : {0.3, -0.3})
    for (const double y : {0.25, -0.25}) add({x, y, 0.02}, {c, (x > 0) == (y > 0) ? -c : c, 0});
  for (const double x : {0.2, -0.2})
    for (const double y : {0.3, -0.3}) add({x, y, 0}, {0, 0, 1});
  return m;
}

/// Flies a body exactly as its model says, but for what each propulsor does with its effort.
struct Flight {
  DetectorParams params;
  BodyModel believed = box(), real = believed;
  DetectorState state;
  std::array<double, 8> share{1, 1, 1, 1, 1, 1, 1, 1}, offset{};
  std::array<PropulsorHealth, 8> health{};
  Vec3 push_B{};  ///< A hand.
  double velocity_noise = 0.004, rate_noise = 0.003, delay_s = 0.02;
  bool active = true;

  Vec6 nu{};
  Quat q{};
  std::array<double, 8> thrust{};
  ChannelVector sent = ChannelVector(8);
  std::int64_t tick = 0;
  std::mt19937_64 random{1};
  FixedVector<Measurement, 4> on_their_way;
  Detection last;
  int declared = 0;
  double declared_s = -1;
  Detection verdict;

  [[nodiscard]] double now_s() const { return 0.02 * static_cast<double>(tick); }

  void measure() {
    std::normal_distribution<double> n;
    Measurement m{Time::from_seconds(now_s()), {{}, q}, to_twist(nu)};
    for (double* x : {&m.V_WB_B.v.x, &m.V_WB_B.v.y, &m.V_WB_B.v.z})
      *x += velocity_noise * n(random);
    for (double* x : {&m.V_WB_B.w.x, &m.V_WB_B.w.y, &m.V_WB_B.w.z}) *x += rate_noise * n(random);
    if (on_their_way.full()) {
      for (std::size_t i = 1; i < on_their_way.size(); ++i) on_their_way[i - 1] = on_their_way[i];
      on_their_way.resize(on_their_way.size() - 1);
    }
    on_their_way.push_back(m);
  }

  /// M dnu = B f - C - D + G, one step of a millisecond; the box is symmetric.
  void step(double dt) {
    Vec6 f = to_vec6(Wrench{push_B, {}});
    for (std::size_t i = 0; i < 8; ++i) {
      thrust[i] += (1 - std::exp(-dt / 0.1)) * (sent[i] - thrust[i]);
      for (std::size_t k = 0; k < 6; ++k)
        f[k] += real.column_N[i][k] * (share[i] * thrust[i] + offset[i]);
    }
    const Vec3 v{nu[0], nu[1], nu[2]}, w{nu[3], nu[4], nu[5]};
    const Vec3 P{real.mass[0] * v.x, real.mass[7] * v.y, real.mass[14] * v.z};
    const Vec3 H{real.mass[21] * w.x, real.mass[28] * w.y, real.mass[35] * w.z};
    const Vec3 up = rotate(conjugate(q), Vec3{0, 0, 1});
    const Vec6 acts = to_vec6(
        Wrench{(real.buoyancy_N - real.weight_N) * up - cross(w, P),
               real.buoyancy_N * cross(real.center_of_buoyancy_m, up) - cross(w, H) - cross(v, P)});
    for (std::size_t k = 0; k < 6; ++k) {
      f[k] +=
          acts[k] - (real.linear_damping[k] + real.quadratic_damping[k] * std::abs(nu[k])) * nu[k];
      nu[k] += dt * f[k] / real.mass[7 * k];
    }
    q = normalized(q * from_rotation_vector(dt * Vec3{nu[3], nu[4], nu[5]}));
  }

  /// Efforts that keep it busy: a slow sway in every direction.
  void sway() {
    for (std::size_t i = 0; i < 8; ++i) {
      const double a = static_cast<double>(i);
      sent[i] = 0.1 * std::sin(0.9 * now_s() + 2.1 * a) + (i < 4 ? 0.03 : 0.05);
    }
    if (std::abs(nu[5]) > 0.2) sent[0] -= 0.05 * nu[5];
  }

  void fly(double seconds, bool swaying = true) {
    for (int k = 0; k < static_cast<int>(std::lround(seconds / 0.02)); ++k) {
      const Time now = Time::from_seconds(now_s());
      measure();
      const std::size_t late = static_cast<std::size_t>(std::lround(delay_s / 0.02));
      const bool has = on_their_way.size() > late;
      const Measurement m = has ? on_their_way[on_their_way.size() - 1 - late] : Measurement{};
      last =
          detect(params, believed, state, {now, active, has ? &m : nullptr, &sent, health.data()});
      if (last.declared) {
        if (declared++ == 0) verdict = last;
        if (declared_s < 0) declared_s = now_s();
      }
      if (swaying) sway();
      for (int i = 0; i < 20; ++i) step(0.001);
      ++tick;
    }
  }
};

TEST(FailureDetector, SaysNothingOfAVehicleThatIsAsItsFileSays) {
  Flight f;
  f.fly(120);
  EXPECT_EQ(f.declared, 0);
}

TEST(FailureDetector, SaysNothingOfOneThatDiffersFromItsFileAsVehiclesDo) {
  Flight f;
  const std::array<double, 8> strength{1.08, 0.93, 1.03, 0.96, 0.94, 1.07, 0.98, 1.02};
  for (std::size_t i = 0; i < 8; ++i) f.real.column_N[i] = strength[i] * f.real.column_N[i];
  for (std::size_t k = 0; k < 6; ++k) {
    f.real.linear_damping[k] *= k % 2 == 0 ? 1.3 : 0.7;
    f.real.quadratic_damping[k] *= k % 2 == 0 ? 1.3 : 0.7;
    f.real.mass[7 * k] += (k % 2 == 0 ? 0.2 : -0.2) * f.real.added_mass[k];
  }
  f.real.weight_N += 8;
  f.fly(120);
  EXPECT_EQ(f.declared, 0);
}

TEST(FailureDetector, FindsEachDeadPropulsorWithinASecondOfUse) {
  for (std::size_t i = 0; i < 8; ++i) {
    Flight f;
    f.fly(15);
    ASSERT_EQ(f.declared, 0);
    // wait until it is in use
    while (std::abs(f.thrust[i]) < 0.08) f.fly(0.02);
    const double failed_s = f.now_s();
    f.share[i] = 0;
    f.fly(1.0);
    ASSERT_GE(f.declared, 1) << i;
    EXPECT_EQ(f.verdict.propulsor, static_cast<int>(i));
    EXPECT_LT(f.declared_s - failed_s, 1.0);
    EXPECT_LT(f.verdict.efficiency, 0.55);
    EXPECT_GT(f.verdict.efficiency, -0.4);
    EXPECT_EQ(f.verdict.alike, ChannelMask{1} << i);
  }
}

TEST(FailureDetector, KnowsReversedFromDeadAndFromAPropulsorThatPushesUnasked) {
  Flight reversed;
  reversed.fly(15);
  while (std::abs(reversed.thrust[2]) < 0.06) reversed.fly(0.02);
  reversed.share[2] = -1;
  reversed.fly(1);
  ASSERT_EQ(reversed.declared, 1);
  EXPECT_EQ(reversed.verdict.propulsor, 2);
  EXPECT_LT(reversed.verdict.efficiency, 0.2);
  EXPECT_TRUE(reversed.verdict.is_loss());
  // what is left of it is learnt on the way
  reversed.fly(6);
  EXPECT_NEAR(1 + reversed.state.error.theta[2], -1, 0.3);

  Flight stuck;
  stuck.fly(15);
  stuck.share[5] = 0;
  stuck.offset[5] = 0.4;
  stuck.fly(1);
  ASSERT_GE(stuck.declared, 1);
  EXPECT_EQ(stuck.verdict.propulsor, 5);
  EXPECT_FALSE(stuck.verdict.is_loss());
  // and so it is believed to go on, whatever is asked of it
  EXPECT_EQ(stuck.state.found_stuck, ChannelMask{1} << 5);
  EXPECT_NEAR(stuck.state.found_effort[5], stuck.verdict.delivered, 1e-12);
  EXPECT_EQ(reversed.state.found_stuck, 0U);
  EXPECT_GT(stuck.verdict.delivered, 0.15);
}

TEST(FailureDetector, DoesNotJudgeAPropulsorThatNobodyUses) {
  Flight f;
  f.fly(15);
  f.share[3] = 0;
  for (int k = 0; k < 500; ++k) {
    f.sway();
    f.sent[3] = 0;
    f.fly(0.02, false);
  }
  EXPECT_EQ(f.declared, 0);
  Suspicion s;
  suspect(f.params, f.believed, f.state, s);
  EXPECT_EQ(s.judged >> 3 & 1U, 0U);
  ASSERT_EQ(s.likelihood.size(), 8U);
  // needed at last, it is found
  for (int k = 0; k < 50; ++k) {
    f.sway();
    f.sent[3] = 0.15;
    f.fly(0.02, false);
  }
  ASSERT_EQ(f.declared, 1);
  EXPECT_EQ(f.verdict.propulsor, 3);
}

TEST(FailureDetector, DoesNotLearnAFailureAsAPropertyOfTheVehicle) {
  Flight f;
  f.fly(15);
  f.share[6] = 0;
  // asked for so little that it does not matter, for half a minute
  for (int k = 0; k < 1500; ++k) {
    f.sway();
    f.sent[6] = 0.01 * std::sin(1.3 * f.now_s());
    f.fly(0.02, false);
  }
  EXPECT_EQ(f.declared, 0);
  EXPECT_GE(f.state.error.theta[6], -3 * f.params.known_to.thrust_std - 1e-12);
  // needed at last, it is found as what it is
  const double needed_s = f.now_s();
  for (int k = 0; k < 50 && f.declared == 0; ++k) {
    f.sway();
    f.sent[6] = 0.12;
    f.fly(0.02, false);
  }
  ASSERT_EQ(f.declared, 1);
  EXPECT_EQ(f.verdict.propulsor, 6);
  EXPECT_LT(f.verdict.efficiency, 0.5);
  EXPECT_LT(f.declared_s - needed_s, 0.8);
}

TEST(FailureDetector, TakesAThrusterThatIsATenthWeakerForHealthy) {
  Flight f;
  f.share[3] = 0.87;
  f.share[7] = 1.13;
  f.fly(60);
  EXPECT_EQ(f.declared, 0);
  EXPECT_NEAR(f.state.error.theta[3], -0.13, 0.06);
}

TEST(FailureDetector, NamesAllOfAGroupThatCannotBeToldApartAndConvictsNone) {
  Flight f;
  // two upright ones on one spot, asked for the same
  f.believed.column_N[5] = f.real.column_N[5] = f.believed.column_N[4];
  const auto fly = [&f](int ticks) {
    for (int k = 0; k < ticks; ++k) {
      f.sway();
      f.sent[4] = f.sent[5] = 0.2 + 0.05 * std::sin(f.now_s());
      f.fly(0.02, false);
    }
  };
  fly(750);
  f.share[4] = 0;
  fly(50);
  EXPECT_EQ(f.declared, 0);
  EXPECT_GT(f.last.likelihood, f.params.threshold);
  EXPECT_EQ(f.last.alike, ChannelMask{0x30});
}

TEST(FailureDetector, DoesNotTakeAHandForAFailure) {
  Flight f;
  f.fly(15);
  f.push_B = {0, 0, 12};
  f.fly(2);
  f.push_B = {6, -2, 0};
  f.fly(2);
  EXPECT_EQ(f.declared, 0);
}

TEST(FailureDetector, BelievesWhatIsAnnounced) {
  Flight f;
  f.fly(15);
  f.share[0] = 0;
  f.health[0] = {Health::kOut, 1, 0};
  f.share[6] = 0.5;
  f.health[6] = {Health::kWeak, 0.5, 0};
  f.fly(30);
  EXPECT_EQ(f.declared, 0);
}

TEST(FailureDetector, SaysItOnceUntilToldOtherwise) {
  Flight f;
  f.fly(15);
  f.share[1] = 0;
  f.fly(20);
  EXPECT_EQ(f.declared, 1);
  // repaired by word of mouth alone: it is found again
  forget(f.params, f.believed, f.state, 1);
  EXPECT_EQ(f.state.found, 0U);
  f.fly(20);
  EXPECT_EQ(f.declared, 2);
  EXPECT_EQ(f.last.declared ? f.last.propulsor : f.verdict.propulsor, 1);
}

TEST(FailureDetector, WhatADeclaredFailureExplainsIsNotLearntOnceMore) {
  Flight f;
  f.fly(15);
  while (std::abs(f.thrust[4]) < 0.08) f.fly(0.02);
  f.share[4] = 0;
  while (f.declared == 0 && f.now_s() < 40) f.fly(0.02);
  ASSERT_EQ(f.declared, 1);
  // some 3 N upwards were missing
  EXPECT_LT(std::abs(f.state.fast.r[2]), 1);
  f.fly(0.3);
  EXPECT_NEAR(1 + f.state.error.theta[4], 0, 0.1);
}

TEST(FailureDetector, AVerdictThatWasInterruptedIsConfirmedAnew) {
  Flight f;
  f.fly(15);
  while (std::abs(f.thrust[2]) < 0.08) f.fly(0.02);
  f.share[2] = 0;
  while (f.state.fast.candidate != 2 && f.now_s() < 40) f.fly(0.02);
  ASSERT_EQ(f.state.fast.candidate, 2);
  ASSERT_EQ(f.declared, 0);
  // one judgement that proves nothing
  const double threshold = std::exchange(f.params.threshold, 1e9);
  do f.fly(0.02);
  while (f.state.fast.since_judged_s > 0);
  f.params.threshold = threshold;
  // the next one is the first of those that must agree for so long
  do f.fly(0.02);
  while (f.state.fast.since_judged_s > 0);
  const double first_s = f.now_s();
  f.fly(1);
  ASSERT_EQ(f.declared, 1);
  EXPECT_GE(f.declared_s - first_s, f.params.confirm_s - 0.021);
}

TEST(FailureDetector, AMeasurementThatComesTwiceCountsOnce) {
  Flight f;
  f.fly(5);
  Measurement m{f.state.measured_at, {{}, f.q}, to_twist(f.nu)};
  const Vec6 r = f.state.fast.r;
  const double since_s = f.state.since_start_s;
  for (const double earlier_s : {0.0, 0.01}) {
    m.stamp = f.state.measured_at - Duration::from_seconds(earlier_s);
    (void)detect(f.params, f.believed, f.state,
                 {Time::from_seconds(f.now_s()), true, &m, &f.sent, f.health.data()});
    EXPECT_TRUE(f.state.running);
    EXPECT_EQ(f.state.fast.r, r);
    EXPECT_EQ(f.state.since_start_s, since_s);
  }
}

TEST(FailureDetector, AfterAGapItsWindowsBeginWithWhatIsAsked) {
  Flight f;
  f.fly(15);
  Measurement m{Time::from_seconds(f.now_s() + 1), {{}, f.q}, to_twist(f.nu)};
  (void)detect(f.params, f.believed, f.state, {m.stamp, true, &m, &f.sent, f.health.data()});
  ASSERT_EQ(f.state.since_gap_s, 0);
  for (const DetectorWindow* w : {&f.state.fast, &f.state.slow})
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_EQ(w->second.effort[i], f.state.thrust_at_measurement[i]) << i;
}

TEST(FailureDetector, IsNotDisturbedByForgettingWhatWasNeverFound) {
  Flight f;
  f.fly(15);
  while (std::abs(f.thrust[2]) < 0.08) f.fly(0.02);
  f.share[2] = 0;
  for (int k = 0; k < 50 && f.declared == 0; ++k) {
    f.fly(0.02);
    if (f.declared == 0) forget(f.params, f.believed, f.state, 2);
  }
  EXPECT_EQ(f.declared, 1);
}

TEST(FailureDetector, BeginsAnewWhenItWasNotActive) {
  Flight f;
  f.fly(15);
  f.active = false;
  f.share[0] = 0;
  f.fly(5);
  EXPECT_EQ(f.declared, 0);
  EXPECT_FALSE(f.state.running);
  f.active = true;
  f.fly(f.params.settle_s - 0.5);
  EXPECT_EQ(f.declared, 0) << "no verdict before it has settled";
}

TEST(FailureDetector, GivesTheSameForTheSameInputAndStaysFiniteOnGarbage) {
  Flight a, b;
  a.fly(20);
  b.fly(20);
  EXPECT_EQ(a.state.fast.r, b.state.fast.r);
  EXPECT_EQ(a.state.error.theta, b.state.error.theta);

  Flight f;
  f.fly(5);
  const double nan = std::nan(""), inf = INFINITY;
  for (const double bad : {nan, inf, -1e300, 1e300}) {
    Measurement m{Time::from_seconds(f.now_s()), {}, {{bad, 0, 0}, {0, bad, 0}}};
    ChannelVector sent(8, bad);
    const Detection d = detect(f.params, f.believed, f.state,
                               {Time::from_seconds(f.now_s()), true, &m, &sent, f.health.data()});
    EXPECT_TRUE(std::isfinite(d.likelihood) && std::isfinite(d.efficiency));
    ++f.tick;
  }
  f.fly(5);
  EXPECT_TRUE(is_finite(f.state.fast.r));
  EXPECT_EQ(f.declared, 0);
}

TEST(FailureDetector, WorksWithoutTheHeap) {
  Flight f;
  f.fly(5);
  const Measurement m{Time::from_seconds(f.now_s()), {{}, f.q}, to_twist(f.nu)};
  const auto before = testing::heap_allocations();
  const Detection d = detect(f.params, f.believed, f.state,
                             {Time::from_seconds(f.now_s()), true, &m, &f.sent, f.health.data()});
  EXPECT_EQ(testing::heap_allocations(), before);
  EXPECT_FALSE(d.declared);
}

TEST(FailureDetector, RefusesParametersOutOfTheirRange) {
  EXPECT_TRUE(check(DetectorParams{}).empty());
  DetectorParams p;
  p.window_s = 0;
  p.known_to.thrust_std = std::nan("");
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "window_s");
  EXPECT_EQ(found[1].path, "known_to.thrust_std");
}

}  // namespace
}  // namespace pintle::estimation
