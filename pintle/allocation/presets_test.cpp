#include <gtest/gtest.h>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation_suite/interior.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"

namespace pintle::allocation {
namespace {

using namespace testing;

Settings with(Preset preset) {
  Settings s;
  s.objective.preset = preset;
  s.objective = resolved(s.objective);
  return s;
}

/// |Bu - w|^2 + r |u|^2 in 34 digits.
Real cost(const Dense& p, const std::vector<Real>& u, Real r) {
  Real sum = 0;
  for (std::size_t k = 0; k < kAxes; ++k) {
    Real row = -p.b[k];
    for (std::size_t i = 0; i < u.size(); ++i) row += p.a[i][k] * u[i];
    sum += row * row;
  }
  for (const Real x : u) sum += r * x * x;
  return sum;
}

struct Case {
  Effectiveness e;
  WrenchDemand d;
};

/// Attainable, at the limits and far beyond, in turn.
Case random_case(RandomStream& random, const Effectiveness& e) {
  Vec6 w;
  const double size = std::pow(10.0, random.uniform(-1, 1.5));
  for (std::size_t i = 0; i < e.n; ++i) w = w + size * random.normal() * e.upper[i] * e.column[i];
  return {e, demand_of(w)};
}

void expect_never_above_the_optimum(Preset preset, const Effectiveness& vehicle, int cases) {
  RandomStream random(42, "presets");
  const Settings settings = with(preset);
  const Real r = settings.objective.r();
  for (int trial = 0; trial < cases; ++trial) {
    const Case c = random_case(random, vehicle);
    const Allocation a = solve(settings, c.e, c.d);
    const Dense p = dense(c.e, c.d, r);
    const std::vector<Real> best = interior_optimum(p);
    std::vector<Real> u;
    for (const double x : a.effort) u.push_back(x);
    const Real optimum = cost(p, best, r), ours = cost(p, u, r);
    ASSERT_LE(static_cast<double>(ours - optimum),
              1e-12 * static_cast<double>(cost(p, std::vector<Real>(u.size(), 0), r)))
        << trial;
    for (std::size_t i = 0; i < c.e.n; ++i) {
      ASSERT_GE(a.effort[i], c.e.lower[i]);
      ASSERT_LE(a.effort[i], c.e.upper[i]);
    }
  }
}

TEST(Presets, SubjugatorIsNeverAboveTheExactOptimumInAThousandCases) {
  expect_never_above_the_optimum(Preset::kSubjugator, sub8(85), 1000);
}

TEST(Presets, DukeIsNeverAboveTheExactOptimumInAThousandCases) {
  expect_never_above_the_optimum(Preset::kDuke, oogway(), 1000);
}

TEST(Presets, BussesIsNeverAboveTheExactOptimumInAThousandCases) {
  expect_never_above_the_optimum(Preset::kSubjugatorBusses, sub8(85), 1000);
}

TEST(Presets, GiveTheTradesOfTheOriginals) {
  EXPECT_EQ(with(Preset::kDuke).objective.r(), 0);
  EXPECT_EQ(with(Preset::kSubjugator).objective.r(), 1e-4);
  EXPECT_EQ(with(Preset::kSubjugatorBusses).objective.r(), 1);
  Objective own;
  own.k2 = 0.5;
  EXPECT_EQ(resolved(own).r(), 0.5);
}

TEST(Presets, BesideNumbersOfOnesOwnAreRefused) {
  Objective both;
  both.preset = Preset::kSubjugator;
  EXPECT_TRUE(check(both).empty());
  both.k2 = 0.01;
  const Findings found = check(both);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, "preset");
  both.k2 = 0;
  EXPECT_TRUE(check(resolved(both)).empty()) << "what it resolves to stays good";
}

}  // namespace
}  // namespace pintle::allocation
