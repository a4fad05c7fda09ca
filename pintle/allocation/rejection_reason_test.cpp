#include <gtest/gtest.h>

#include "pintle/allocation/rejection.h"
#include "pintle/allocation_suite/vehicles.h"

namespace pintle::allocation {
namespace {

using namespace testing;

struct Case {
  Settings settings;
  Effectiveness effectiveness = sub8(1);
  WrenchDemand demand = axis_demand(0, 0.5);
  std::array<PropulsorHealth, kMaxChannels> health{};

  // the reason, after making sure that allocate() agrees that there is one
  [[nodiscard]] Rejection why() const {
    Allocation out;
    allocate(settings, effectiveness, demand, health.data(), out);
    const Rejection r = why_rejected(settings, effectiveness, demand, health.data());
    EXPECT_EQ(out.grade == AllocationGrade::kRejected, r.reason != RejectionReason::kNone);
    return r;
  }
};

TEST(WhyRejected, NothingIsWrongWithASoundProblem) {
  EXPECT_EQ(Case{}.why().reason, RejectionReason::kNone);
}

TEST(WhyRejected, NamesTheFirstThingWrongAndItsChannel) {
  Case c;
  c.effectiveness.lower[5] = 2;
  EXPECT_EQ(c.why().reason, RejectionReason::kBoundsCrossed);
  EXPECT_EQ(c.why().channel, 5U);
  c.effectiveness.upper[3] = kInfinity;
  EXPECT_EQ(c.why().reason, RejectionReason::kBoundNotFinite);
  EXPECT_EQ(c.why().channel, 3U);
  c.effectiveness.column[1][4] = kNaN;
  EXPECT_EQ(c.why().reason, RejectionReason::kColumnNotFinite);
  EXPECT_EQ(c.why().channel, 1U);
  c.effectiveness.bias.torque.y = -kInfinity;
  EXPECT_EQ(c.why().reason, RejectionReason::kBiasNotFinite);
  c.demand.weight[2] = 2e12;
  EXPECT_EQ(c.why().reason, RejectionReason::kWeightsTooFarApart);
  c.demand.weight[2] = kNaN;
  EXPECT_EQ(c.why().reason, RejectionReason::kWeightNotFinite);
  c.demand.F_Bo_B.force.z = kNaN;
  EXPECT_EQ(c.why().reason, RejectionReason::kDemandNotFinite);
  c.settings.objective.k2 = -1;
  EXPECT_EQ(c.why().reason, RejectionReason::kTradeNotSound);
  c.effectiveness.n = 65;
  EXPECT_EQ(c.why().reason, RejectionReason::kTooManyChannels);
}

TEST(WhyRejected, WeightsMayBeAsFarApartAsDigitsReach) {
  Case c;
  c.demand.weight = {1e12, 1, 0, 1, 1, 1};
  EXPECT_EQ(c.why().reason, RejectionReason::kNone);
  c.demand.weight[1] = 0.9;
  EXPECT_EQ(c.why().reason, RejectionReason::kWeightsTooFarApart);
}

TEST(WhyRejected, LooksAtTheHealthThatCounts) {
  Case c;
  c.health[4] = {Health::kGood, kNaN, kNaN};
  EXPECT_EQ(c.why().reason, RejectionReason::kNone);
  c.health[4].health = Health::kWeak;
  EXPECT_EQ(c.why().reason, RejectionReason::kHealthNotSound);
  EXPECT_EQ(c.why().channel, 4U);
  c.health[4] = {Health::kStuck, 1, kInfinity};
  EXPECT_EQ(c.why().reason, RejectionReason::kHealthNotSound);
}

TEST(WhyRejected, FiniteNumbersWhoseProductsAreNotAreBeyondRange) {
  Case c;
  c.demand.weight.fill(1e300);
  c.effectiveness.column[0][0] = 1e300;
  EXPECT_EQ(c.why().reason, RejectionReason::kBeyondRange);
}

}  // namespace
}  // namespace pintle::allocation
