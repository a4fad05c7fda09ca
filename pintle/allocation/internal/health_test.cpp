#include "pintle/allocation/internal/health.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/suite.h"
#include "pintle/allocation_suite/vehicles.h"
#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::allocation {
namespace {

using namespace testing;

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

TEST(Allocate, SaturationIsReportedOnlyForChannelsThatCouldMove) {
  Effectiveness e = sub8(1);
  e.lower[1] = e.upper[1] = 0.3;
  const Allocation a = solve(with_r(0), e, axis_demand(2, 100));
  EXPECT_EQ(a.at_upper, (ChannelMask{1} << 3) | (ChannelMask{1} << 5) | (ChannelMask{1} << 7));
  EXPECT_EQ(a.effort[1], 0.3);
  EXPECT_EQ(a.grade, AllocationGrade::kBounded);
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
