#include "pintle/allocation/allocator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation/suite.h"
#include "pintle/allocation/testing_oracle.h"
#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::allocation {
namespace {

using testing::check_optimal;
using testing::dense;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// eight thrusters of a Sub 8: columns front-left, front-right, back-left, back-right, each
// horizontal then vertical; thrust in N
Effectiveness sub8(double limit) {
  const double level[6][8] = {{0.866, 0, 0.866, 0, -0.866, 0, -0.866, 0},
                              {-0.5, 0, 0.5, 0, -0.5, 0, 0.5, 0},
                              {0, 1, 0, 1, 0, 1, 0, 1},
                              {0, 0.169, 0, -0.169, 0, 0.169, 0, -0.169},
                              {0, -0.1583, 0, -0.1583, 0, 0.1583, 0, 0.1583},
                              {-0.375947, 0, 0.375947, 0, 0.375947, 0, -0.375947, 0}};
  Effectiveness e;
  e.n = 8;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < 6; ++k) e.column[i][k] = level[k][i];
    e.lower[i] = -limit;
    e.upper[i] = limit;
  }
  return e;
}

// a thruster at p, pushing along R x with R = Rz Ry Rx, sign -1 when flipped
Vec6 thruster(Vec3 p, double pitch_deg, double yaw_deg, double sign) {
  const double b = pitch_deg * M_PI / 180;
  const double c = yaw_deg * M_PI / 180;
  const Vec3 f = sign * Vec3{std::cos(c) * std::cos(b), std::sin(c) * std::cos(b), -std::sin(b)};
  return to_vec6(Wrench{f, cross(p, f)});
}

Effectiveness oogway() {
  Effectiveness e;
  e.n = 8;
  e.column[0] = thruster({0.20528, 0.397763, -0.033285}, 90, 0, 1);
  e.column[1] = thruster({0.342119, 0.378052, 0.041947}, 0, -45, -1);
  e.column[2] = thruster({0.342146, -0.32021, 0.041947}, 0, 45, -1);
  e.column[3] = thruster({0.205315, -0.341812, -0.033285}, 90, 0, -1);
  e.column[4] = thruster({-0.204592, 0.397763, -0.032393}, 90, 0, 1);
  e.column[5] = thruster({-0.342897, 0.378061, 0.041947}, 0, -135, -1);
  e.column[6] = thruster({-0.204592, -0.341812, -0.033285}, 90, 0, 1);
  e.column[7] = thruster({-0.342925, -0.320244, 0.041947}, 0, 135, -1);
  for (std::size_t i = 0; i < 8; ++i) {
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  return e;
}

WrenchDemand demand_of(const Vec6& w) {
  WrenchDemand d;
  d.F_Bo_B = to_wrench(w);
  return d;
}

WrenchDemand axis_demand(std::size_t axis, double value) {
  Vec6 w;
  w[axis] = value;
  return demand_of(w);
}

Settings with_r(double r) {
  Settings s;
  s.objective.k2 = r;
  return s;
}

Allocation solve(const Settings& s, const Effectiveness& e, const WrenchDemand& d,
                 const PropulsorHealth* health = nullptr) {
  Allocation out;
  allocate(s, e, d, health, out);
  return out;
}

double span_of(const Effectiveness& e) {
  double span = 0;
  for (std::size_t i = 0; i < e.n; ++i)
    span = std::max({span, std::abs(e.lower[i]), std::abs(e.upper[i])});
  return span;
}

double distance(const ChannelVector& a, const ChannelVector& b) {
  double largest = a.size() == b.size() ? 0 : kInfinity;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(Allocate, ATradeOfOneGivesEachAxisItsShare) {
  // sigma^2 / (sigma^2 + 1): 4 * 0.866^2, 4 * 0.5^2, 4, 4 * 0.169^2, 4 * 0.1583^2, 4 * 0.375947^2
  const double share[6] = {0.75, 0.5, 0.8, 0.103, 0.091, 0.361};
  for (std::size_t k = 0; k < 6; ++k) {
    const Allocation a = solve(with_r(1), sub8(100), axis_demand(k, 10));
    EXPECT_NEAR(to_vec6(a.achieved)[k] / 10, share[k], 5e-4) << kAxisNames[k];
    EXPECT_EQ(a.grade, AllocationGrade::kExact);
  }
}

TEST(Allocate, ASmallTradeLosesAThousandthAtMost) {
  const Allocation a = solve(with_r(1e-4), sub8(100), axis_demand(4, 10));
  const double s2 = 4 * 0.1583 * 0.1583;
  EXPECT_NEAR(a.achieved.torque.y, 10 * s2 / (s2 + 1e-4), 1e-9);
}

TEST(Allocate, WithoutATradeTheEffortsAreThePseudoinverse) {
  // by hand: surge 2 on four thrusters of 0.866 each
  const Allocation a = solve(with_r(0), sub8(10), axis_demand(0, 2));
  for (std::size_t i = 0; i < 8; i += 2)
    EXPECT_NEAR(a.effort[i], (i < 4 ? 1 : -1) * 2 / (4 * 0.866), 1e-14);
  for (std::size_t i = 1; i < 8; i += 2) EXPECT_NEAR(a.effort[i], 0, 1e-15);
  EXPECT_EQ(a.grade, AllocationGrade::kExact);
  EXPECT_NEAR(a.margin, 10 / (2 / (4 * 0.866)), 1e-9);
}

TEST(Allocate, OogwayPitchSaturatesAtItsKnownShare) {
  // one unit of pitch asks for 1.22 of the largest thruster
  Effectiveness wide = oogway();
  for (std::size_t i = 0; i < 8; ++i) {
    wide.lower[i] = -10;
    wide.upper[i] = 10;
  }
  const Allocation free = solve(with_r(0), wide, axis_demand(4, 1));
  double largest = 0;
  for (double u : free.effort) largest = std::max(largest, std::abs(u));
  EXPECT_NEAR(largest, 1.22, 0.005);
  const Allocation held = solve(with_r(0), oogway(), axis_demand(4, 1));
  EXPECT_EQ(held.grade, AllocationGrade::kBounded);
  EXPECT_NE(held.at_lower | held.at_upper, 0U);
  EXPECT_EQ(held.margin, 0);
  for (std::size_t k : {0UL, 1UL, 2UL, 5UL})
    EXPECT_EQ(solve(with_r(0), oogway(), axis_demand(k, 1)).grade, AllocationGrade::kExact);
}

TEST(Allocate, TheLeastEffortIsOrthogonalToEveryFreeMotion) {
  RandomStream random(7, "minimum norm");
  const Effectiveness e = oogway();
  for (int trial = 0; trial < 200; ++trial) {
    Vec6 w;
    for (double& x : w.v) x = random.uniform(-0.2, 0.2);
    const Allocation a = solve(with_r(0), e, demand_of(w));
    ASSERT_EQ(a.grade, AllocationGrade::kExact);
    // the fitted multipliers reproduce every effort: u = B' l
    const auto p = dense(e, demand_of(w), 0);
    EXPECT_LT(check_optimal(p, a.effort, e).worst, 1e-13);
  }
}

TEST(Allocate, EveryRandomProblemSatisfiesTheOptimalityConditions) {
  RandomStream random(1, "allocation suite");
  int undetermined = 0;
  int total = 0;
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    for (int trial = 0; trial < 400; ++trial) {
      const auto n = static_cast<std::uint32_t>(1 + random.bits() % (trial % 8 == 0 ? 64 : 16));
      const Problem p = make_problem(static_cast<ProblemClass>(c), n, random);
      const Allocation a = solve(p.settings, p.effectiveness, p.demand);
      ASSERT_NE(a.grade, AllocationGrade::kRejected);
      ASSERT_NE(a.grade, AllocationGrade::kIterationCapped)
          << name_of(static_cast<ProblemClass>(c)) << " " << trial;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_GE(a.effort[i], p.effectiveness.lower[i]);
        ASSERT_LE(a.effort[i], p.effectiveness.upper[i]);
      }
      const auto d = dense(p.effectiveness, p.demand, p.settings.objective.r());
      const auto found = check_optimal(d, a.effort, p.effectiveness);
      EXPECT_LT(found.worst, 1e-9) << name_of(static_cast<ProblemClass>(c)) << " n " << n
                                   << " trial " << trial << " r " << p.settings.objective.r();
      ++total;
      // on the edge the free channels never determine all multipliers
      undetermined +=
          found.determined || c == static_cast<std::size_t>(ProblemClass::kEdge) ? 0 : 1;
    }
  EXPECT_LT(undetermined, total / 20);
}

TEST(Allocate, SmallProblemsEqualTheEnumerationOfAllActiveSets) {
  RandomStream random(2, "allocation suite");
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    for (int trial = 0; trial < 12; ++trial) {
      const auto n = static_cast<std::uint32_t>(1 + trial % 6);
      const Problem p = make_problem(static_cast<ProblemClass>(c), n, random);
      const Allocation a = solve(p.settings, p.effectiveness, p.demand);
      double worst = 0;
      const auto best =
          testing::enumerate(dense(p.effectiveness, p.demand, p.settings.objective.r()), worst);
      ASSERT_LT(worst, 1e-8);
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(a.effort[i], static_cast<double>(best[i]), 1e-9 * span_of(p.effectiveness))
            << name_of(static_cast<ProblemClass>(c)) << " n " << n << " trial " << trial << " r "
            << p.settings.objective.r();
    }
}

TEST(Allocate, AVanishingTradeIsTheLimitOfSmallOnes) {
  RandomStream random(3, "limit");
  for (int trial = 0; trial < 300; ++trial) {
    Problem p =
        make_problem(trial % 2 == 0 ? ProblemClass::kAttainable : ProblemClass::kHeavy, 8, random);
    const Allocation limit = solve(with_r(0), p.effectiveness, p.demand);
    const double size = span_of(p.effectiveness);
    double before = kInfinity;
    for (double r : {1e-4, 1e-6, 1e-8}) {
      const double away =
          distance(solve(with_r(r), p.effectiveness, p.demand).effort, limit.effort);
      EXPECT_LE(away, std::max(before, 1e-9 * size));
      before = away;
    }
    EXPECT_LT(before, 1e-4 * size);
  }
}

TEST(Allocate, TheAnswerHasNoJumpWhereThrustersSaturate) {
  // a ray through mild into heavy saturation, in small steps
  RandomStream random(4, "ray");
  for (int trial = 0; trial < 40; ++trial) {
    const Effectiveness e = trial % 2 == 0 ? sub8(1) : oogway();
    Vec6 w;
    for (double& x : w.v) x = random.normal();
    ChannelVector before;
    for (int step = 0; step <= 2000; ++step) {
      const Allocation a = solve(with_r(0), e, demand_of(0.002 * step * w));
      // gains of any active set are below about 40 for these geometries
      if (step > 0) {
        ASSERT_LT(distance(a.effort, before), 0.002 * norm(w) * 40);
      }
      before = a.effort;
    }
  }
}

TEST(Allocate, TheAnswerDoesNotDependOnWhatCameBefore) {
  RandomStream random(5, "history");
  Allocation used;
  for (int trial = 0; trial < 200; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 8, random);
    allocate(p.settings, p.effectiveness, p.demand, nullptr, used);
    EXPECT_EQ(used.effort, solve(p.settings, p.effectiveness, p.demand).effort);
  }
}

TEST(Allocate, AnAxisWithoutWeightIsNotDemanded) {
  WrenchDemand d = axis_demand(0, 2);
  d.F_Bo_B.torque.z = 1e6;
  d.weight[5] = 0;
  const Allocation a = solve(with_r(0), sub8(10), d);
  EXPECT_NEAR(a.achieved.force.x, 2, 1e-12);
  EXPECT_EQ(a.grade, AllocationGrade::kExact);
}

TEST(Allocate, WithoutAnyWeightThePreferredEffortsAreGiven) {
  Effectiveness e = sub8(1);
  e.preferred[3] = 0.25;
  e.preferred[4] = 7;
  WrenchDemand d = axis_demand(0, 2);
  d.weight.fill(0);
  const Allocation a = solve(with_r(0), e, d);
  EXPECT_EQ(a.effort[3], 0.25);
  EXPECT_EQ(a.effort[4], 1);
  EXPECT_EQ(a.effort[0], 0);
  EXPECT_EQ(a.at_upper, ChannelMask{1} << 4);
}

TEST(Allocate, APropulsorOutEqualsAVehicleWithoutIt) {
  RandomStream random(6, "out");
  for (int trial = 0; trial < 100; ++trial) {
    const Effectiveness e = oogway();
    const std::size_t lost = random.bits() % 8;
    PropulsorHealth health[8];
    health[lost].health = Health::kOut;
    Effectiveness less = e;
    less.n = 7;
    for (std::size_t i = lost; i < 7; ++i) less.column[i] = e.column[i + 1];
    Vec6 w;
    for (double& x : w.v) x = random.normal();
    const Allocation a = solve(with_r(0), e, demand_of(w), health);
    const Allocation b = solve(with_r(0), less, demand_of(w));
    EXPECT_EQ(a.effort[lost], 0);
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(a.effort[i < lost ? i : i + 1], b.effort[i], 1e-12);
    EXPECT_EQ(a.at_upper & (ChannelMask{1} << lost), 0U);
  }
}

TEST(Allocate, AStuckPropulsorCountsAsBias) {
  PropulsorHealth health[8];
  health[1] = {Health::kStuck, 1, 0.5};
  const Allocation a = solve(with_r(0), sub8(10), axis_demand(2, 4), health);
  EXPECT_EQ(a.effort[1], 0.5);
  EXPECT_NEAR(a.achieved.force.z, 4, 1e-12);
  EXPECT_NEAR(a.achieved.torque.x, 0, 1e-12);
  // beyond the bounds the command stays inside, what it gives does not
  health[1].stuck_effort = 12;
  const Allocation b = solve(with_r(0), sub8(10), axis_demand(2, 12), health);
  EXPECT_EQ(b.effort[1], 10);
  EXPECT_NEAR(b.achieved.force.z, 12, 1e-12);
}

TEST(Allocate, AWeakPropulsorIsAskedForWhatItDelivers) {
  PropulsorHealth health[8];
  health[1] = {Health::kWeak, 0.5, 0};
  const Allocation a = solve(with_r(0), sub8(10), axis_demand(2, 4), health);
  EXPECT_NEAR(a.achieved.force.z, 4, 1e-12);
  Vec6 delivered;
  for (std::size_t i = 0; i < 8; ++i)
    delivered = delivered + (i == 1 ? 0.5 : 1) * a.effort[i] * sub8(10).column[i];
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(to_vec6(a.achieved)[k], delivered[k], 1e-14);
}

TEST(Allocate, AReversedPropulsorIsCommandedTheOtherWay) {
  PropulsorHealth health[8];
  health[1].health = Health::kReversed;
  const Allocation good = solve(with_r(0), sub8(10), axis_demand(2, 4));
  const Allocation a = solve(with_r(0), sub8(10), axis_demand(2, 4), health);
  EXPECT_NEAR(a.effort[1], -good.effort[1], 1e-14);
  EXPECT_NEAR(a.achieved.force.z, 4, 1e-12);
}

TEST(Allocate, TheCosineOfARightAngleIsNoAxis) {
  // two level and two vertical thrusters of a boat-like body: nothing can pitch it
  Effectiveness e;
  e.n = 6;
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = i < 2 ? 0.3 : -0.3;
    const double y = i % 2 == 0 ? 0.2 : -0.2;
    e.column[i] = thruster({x, y, 0}, 0, i == 0 || i == 3 ? -45 : 45, 1);
  }
  e.column[4] = thruster({1e-17, 0.2, 0}, 90, 0, 1);
  e.column[5] = thruster({-2e-17, -0.2, 0}, 90, 0, 1);
  for (std::size_t i = 0; i < 6; ++i) {
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  for (double r : {0.0, 1e-4}) {
    WrenchDemand d = axis_demand(2, 0.5);
    d.F_Bo_B.torque.y = 0.3;
    const Allocation a = solve(with_r(r), e, d);
    EXPECT_NEAR(a.achieved.force.z, 0.5, 1e-4);
    for (double u : a.effort) EXPECT_LT(std::abs(u), 0.3);
    EXPECT_EQ(a.reachable, kAllAxes & ~axis_bit(4));
    EXPECT_EQ(a.at_lower | a.at_upper, 0U);
    if (r == 0) {
      EXPECT_EQ(a.grade, AllocationGrade::kBounded);
    }
  }
}

TEST(Allocate, SaturationIsReportedOnlyForChannelsThatCouldMove) {
  Effectiveness e = sub8(1);
  e.lower[1] = e.upper[1] = 0.3;
  const Allocation a = solve(with_r(0), e, axis_demand(2, 100));
  EXPECT_EQ(a.at_upper, (ChannelMask{1} << 3) | (ChannelMask{1} << 5) | (ChannelMask{1} << 7));
  EXPECT_EQ(a.effort[1], 0.3);
  EXPECT_EQ(a.grade, AllocationGrade::kBounded);
}

TEST(Allocate, ADemandThatIsNotFiniteIsRejected) {
  for (double bad : {kNaN, kInfinity, -kInfinity}) {
    Effectiveness e = sub8(1);
    e.lower[2] = 0.25;
    const Allocation a = solve(with_r(0), e, axis_demand(3, bad));
    EXPECT_EQ(a.grade, AllocationGrade::kRejected);
    EXPECT_EQ(a.effort[0], 0);
    EXPECT_EQ(a.effort[2], 0.25);
    EXPECT_EQ(a.margin, 0);
  }
}

TEST(Allocate, BadBoundsAndColumnsAreRejected) {
  const auto rejected = [](const Effectiveness& e) {
    const Allocation a = solve(with_r(0), e, axis_demand(0, 1));
    for (double u : a.effort)
      if (!std::isfinite(u)) return false;
    return a.grade == AllocationGrade::kRejected;
  };
  Effectiveness crossed = sub8(1);
  crossed.lower[3] = 2;
  EXPECT_TRUE(rejected(crossed));
  for (double bad : {kNaN, kInfinity}) {
    Effectiveness e = sub8(1);
    e.upper[0] = bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.lower[0] = -bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.column[5][2] = bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.preferred[5] = bad;
    EXPECT_TRUE(rejected(e));
    e = sub8(1);
    e.bias.force.y = bad;
    EXPECT_TRUE(rejected(e));
  }
  Effectiveness many = sub8(1);
  many.n = 65;
  EXPECT_TRUE(rejected(many));
}

TEST(Allocate, ExtremeMagnitudesStayInsideTheBounds) {
  for (double size : {5e-324, 1e-300, 1e-150, 1e150, 1e300}) {
    Effectiveness e = sub8(1);
    for (std::size_t i = 0; i < 8; ++i) e.column[i] = size * e.column[i];
    for (double ask : {5e-324, 1e-300, 1.0, 1e300}) {
      const Allocation a = solve(with_r(0), e, axis_demand(0, ask));
      for (double u : a.effort) {
        EXPECT_LE(std::abs(u), 1);
        EXPECT_TRUE(std::isfinite(u));
      }
    }
  }
}

TEST(Allocate, ColumnsThatAreNearlyButNotQuiteDependentAreSolvedTheSameTwice) {
  // a part of 4e-6 beside the others: the fast solver must not guess on
  Effectiveness e;
  e.n = 28;
  for (std::size_t i = 0; i < 28; ++i) {
    e.column[i].v.fill(-5);
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  e.column[0] = {{0, 0, 1.8e-5, 1.8e-5, 1.8e-5, 1.8e-5}};
  e.column[1] = {{0, -4.3125, -5, -5, -5, -5}};
  const WrenchDemand d = demand_of({{-5, -5, -5, 0.5, 0.5, 0.5}});
  const Allocation a = solve(with_r(0), e, d);
  EXPECT_LT(check_optimal(dense(e, d, 0), a.effort, e).worst, 1e-9);
  for (int again = 0; again < 5; ++again) EXPECT_EQ(solve(with_r(0), e, d).effort, a.effort);
}

TEST(Allocate, UnitsScaleTheAnswer) {
  RandomStream random(8, "units");
  for (int trial = 0; trial < 100; ++trial) {
    Problem p = make_problem(ProblemClass::kMild, 8, random);
    const Allocation a = solve(with_r(0), p.effectiveness, p.demand);
    // efforts in thousandths: columns shrink, bounds grow
    Effectiveness e = p.effectiveness;
    for (std::size_t i = 0; i < e.n; ++i) {
      e.column[i] = (1 / 1024.0) * e.column[i];
      e.lower[i] *= 1024;
      e.upper[i] *= 1024;
      e.preferred[i] *= 1024;
    }
    const Allocation b = solve(with_r(0), e, p.demand);
    for (std::size_t i = 0; i < e.n; ++i) EXPECT_EQ(b.effort[i], 1024 * a.effort[i]);
    // a common weight changes nothing
    WrenchDemand d = p.demand;
    for (double& w : d.weight) w *= 8;
    EXPECT_EQ(solve(with_r(0), p.effectiveness, d).effort, a.effort);
  }
}

TEST(Allocate, TheOrderOfTheChannelsDoesNotMatter) {
  RandomStream random(9, "order");
  for (std::size_t c = 0; c < kProblemClasses; ++c)
    for (int trial = 0; trial < 50; ++trial) {
      const Problem p = make_problem(static_cast<ProblemClass>(c), 8, random);
      Effectiveness e = p.effectiveness;
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t j = (3 * i + 1) % 8;
        e.column[j] = p.effectiveness.column[i];
        e.lower[j] = p.effectiveness.lower[i];
        e.upper[j] = p.effectiveness.upper[i];
        e.preferred[j] = p.effectiveness.preferred[i];
      }
      const Allocation a = solve(p.settings, p.effectiveness, p.demand);
      const Allocation b = solve(p.settings, e, p.demand);
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(b.effort[(3 * i + 1) % 8], a.effort[i], 1e-9 * span_of(e))
            << name_of(static_cast<ProblemClass>(c));
    }
}

TEST(Allocate, AUselessPropulsorChangesNothing) {
  RandomStream random(10, "useless");
  for (int trial = 0; trial < 100; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 8, random);
    Effectiveness e = p.effectiveness;
    e.n = 9;
    e.column[8] = {};
    e.lower[8] = -1;
    e.upper[8] = 1;
    const Allocation a = solve(p.settings, p.effectiveness, p.demand);
    const Allocation b = solve(p.settings, e, p.demand);
    EXPECT_EQ(b.effort[8], 0);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(b.effort[i], a.effort[i], 1e-12 * span_of(e));
  }
}

TEST(Allocate, AWiderBoxNeverWorsensTheWrench) {
  RandomStream random(11, "wider");
  for (int trial = 0; trial < 300; ++trial) {
    Problem p = make_problem(ProblemClass::kHeavy, 8, random);
    const auto error = [&](const Allocation& a) {
      double sum = 0;
      for (std::size_t k = 0; k < 6; ++k) {
        const double x = p.demand.weight[k] * to_vec6(a.residual)[k];
        sum += x * x;
      }
      return sum;
    };
    const double before = error(solve(with_r(0), p.effectiveness, p.demand));
    p.effectiveness.upper[random.bits() % 8] += 0.3 * span_of(p.effectiveness);
    const double after = error(solve(with_r(0), p.effectiveness, p.demand));
    EXPECT_LE(after, before * (1 + 1e-12));
  }
}

TEST(Allocate, TheDemandTimesTheMarginIsStillMet) {
  RandomStream random(12, "margin");
  for (int trial = 0; trial < 200; ++trial) {
    const Problem p = make_problem(ProblemClass::kAttainable, 8, random);
    Effectiveness e = p.effectiveness;
    e.bias = {{0.01, 0, -0.02}, {0, 0.01, 0}};
    const Allocation a = solve(with_r(0), e, p.demand);
    if (a.grade != AllocationGrade::kExact) continue;
    ASSERT_GE(a.margin, 1 - 1e-12);
    WrenchDemand d = p.demand;
    d.F_Bo_B = a.margin * (1 - 1e-9) * p.demand.F_Bo_B;
    EXPECT_EQ(solve(with_r(0), e, d).grade, AllocationGrade::kExact);
  }
  EXPECT_EQ(solve(with_r(0), sub8(1), axis_demand(0, 0)).margin, kLargestMargin);
}

TEST(Allocate, ACapGivesAFeasibleAnswerAndSaysSo) {
  RandomStream random(13, "cap");
  Settings s = with_r(0);
  s.max_iterations = 1;
  int capped = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Problem p = make_problem(ProblemClass::kHeavy, 16, random);
    const Allocation a = solve(s, p.effectiveness, p.demand);
    EXPECT_LE(a.iterations, 1);
    capped += a.grade == AllocationGrade::kIterationCapped ? 1 : 0;
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_GE(a.effort[i], p.effectiveness.lower[i]);
      EXPECT_LE(a.effort[i], p.effectiveness.upper[i]);
    }
  }
  EXPECT_GT(capped, 0);
}

TEST(Allocate, NothingIsAllocatedOnTheHeap) {
  RandomStream random(14, "heap");
  const Problem p = make_problem(ProblemClass::kHeavy, 64, random);
  Allocation out;
  const auto before = pintle::testing::heap_allocations();
  allocate(p.settings, p.effectiveness, p.demand, nullptr, out);
  set_sent(p.effectiveness, p.demand, nullptr, out.effort, out);
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
}

TEST(AllocatePrepared, TheAnswerIsTheOneOfAFreshCallWhateverCameBefore) {
  RandomStream random(15, "prepared");
  for (std::size_t c = 0; c < kProblemClasses; ++c) {
    Prepared prepared;
    for (int vehicle = 0; vehicle < 6; ++vehicle) {
      const auto n = static_cast<std::uint32_t>(1 + random.bits() % 12);
      Problem p = make_problem(static_cast<ProblemClass>(c), n, random);
      std::array<PropulsorHealth, kMaxChannels> health{};
      const Vec6 base = to_vec6(p.demand.F_Bo_B);
      for (int tick = 0; tick < 60; ++tick) {
        // the demand wanders; now and then bounds, bias, health, weights or preferences change
        Vec6 w = base;
        for (double& x : w.v) x *= 1 + 0.3 * std::sin(0.1 * tick) + 0.01 * random.normal();
        p.demand.F_Bo_B = to_wrench(w);
        const std::size_t i = random.bits() % n;
        if (tick % 7 == 1) p.effectiveness.upper[i] += 0.1 * span_of(p.effectiveness);
        if (tick % 11 == 2) p.effectiveness.bias.force.x += 0.01 * base[0];
        if (tick % 13 == 3) health[i].health = static_cast<Health>(random.bits() % 5);
        if (tick % 17 == 4) p.demand.weight[random.bits() % 6] *= 2;
        if (tick % 19 == 5) p.effectiveness.preferred[i] = 0.1 * p.effectiveness.upper[i];
        if (tick % 23 == 6) p.effectiveness.lower[i] = p.effectiveness.upper[i];
        Allocation warm, cold;
        allocate(prepared, p.settings, p.effectiveness, p.demand, health.data(), warm);
        allocate(p.settings, p.effectiveness, p.demand, health.data(), cold);
        ASSERT_LT(distance(warm.effort, cold.effort), 1e-10 * span_of(p.effectiveness))
            << name_of(static_cast<ProblemClass>(c)) << " " << vehicle << " " << tick;
        ASSERT_EQ(warm.grade, cold.grade);
        ASSERT_EQ(warm.reachable, cold.reachable);
        ASSERT_NEAR(warm.margin, cold.margin, 1e-6 * cold.margin);
      }
    }
  }
}

TEST(AllocatePrepared, BadInputIsRejectedAndTheNextGoodOneIsNot) {
  Prepared prepared;
  Allocation out;
  Effectiveness e = sub8(1);
  allocate(prepared, with_r(0), e, axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kExact);
  allocate(prepared, with_r(0), e, axis_demand(0, kNaN), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kRejected);
  e.upper[2] = kNaN;
  allocate(prepared, with_r(0), e, axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kRejected);
  e.n = 70;
  allocate(prepared, with_r(0), e, axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kRejected);
  allocate(prepared, with_r(0), sub8(1), axis_demand(0, 1), nullptr, out);
  EXPECT_EQ(out.grade, AllocationGrade::kExact);
}

TEST(AllocatePrepared, NothingIsAllocatedOnTheHeap) {
  Prepared prepared;
  Allocation out;
  const auto before = pintle::testing::heap_allocations();
  for (double ask : {0.1, 5.0, 0.2})
    allocate(prepared, with_r(0), sub8(1), axis_demand(2, ask), nullptr, out);
  EXPECT_EQ(pintle::testing::heap_allocations(), before);
}

TEST(SetSent, AchievedIsWhatIsReallySent) {
  const Effectiveness e = sub8(10);
  PropulsorHealth health[8];
  health[0].health = Health::kOut;
  health[1] = {Health::kWeak, 0.25, 0};
  health[3] = {Health::kStuck, 1, -2};
  health[5].health = Health::kReversed;
  const ChannelVector sent(8, 4.0);
  Allocation out;
  set_sent(e, axis_demand(2, 1), health, sent, out);
  // vertical: 0.25 * 4 - 2 - 4 + 4
  EXPECT_DOUBLE_EQ(out.achieved.force.z, -1);
  EXPECT_DOUBLE_EQ(out.residual.force.z, 2);
  EXPECT_DOUBLE_EQ(out.achieved.force.x, -0.866 * 4);
  EXPECT_EQ(out.effort, sent);
  const ChannelVector broken(8, kNaN);
  set_sent(e, axis_demand(2, 1), nullptr, broken, out);
  EXPECT_EQ(out.achieved.force.z, 0);
}

}  // namespace
}  // namespace pintle::allocation
