// What may go wrong between a picture and the stack, as it arrives where targets come in: ranges of
// the wrong scale, axes of the wrong sign, somebody else's pad, numbers that are none, old
// pictures.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <limits>

#include "pintle/base/random.h"
#include "pintle/testing/delivery_rig.h"

namespace pintle {
namespace {

using testing::DeliveryRig;
using testing::Fault;
using testing::Part;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

DeliveryRig shipped() { return DeliveryRig(testing::delivery_model()); }

double level(Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// Flown to its end: how high and how low it was while it looked for the car and served it.
struct Flown {
  double lowest_m = 100, highest_m = 0, farthest_m = 0;
};
Flown fly(DeliveryRig& rig) {
  Flown f;
  rig.start();
  for (int k = 0; k < 50 * 600 && !rig.ended(); ++k) {
    rig.tick();
    f.highest_m = std::max(f.highest_m, rig.p.z);
    f.farthest_m = std::max(f.farthest_m, std::hypot(rig.p.x - 0.3, rig.p.y + 0.2));
    const int state = rig.out->mission.state;
    if (state == 6 || state == 7) f.lowest_m = std::min(f.lowest_m, rig.p.z);
  }
  EXPECT_TRUE(rig.ended());
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
  return f;
}

TEST(Hazard06, ATargetThatIsLostWhileItIsApproachedEndsTheFlight) {
  for (const int state : {7, 12}) {
    DeliveryRig rig = shipped();
    rig.start();
    ASSERT_TRUE(rig.run_until(state, 200));
    rig.fail(Part::kTargets, Fault::kMissing);
    // where it was is not forgotten at once, and a landing begun is good
    rig.state->mission.targets = {};
    ASSERT_TRUE(rig.run_to_end(300)) << state;
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << state;
    EXPECT_EQ(rig.dropped, state == 12);
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff) << state;
  }
}

TEST(Hazard06, FalseSightingsDoNotStopASearch) {
  const auto found_after_s = [](double false_alarms, std::uint64_t seed) {
    DeliveryRig rig = shipped();
    rig.pictures = RandomStream(seed, "pictures");
    // out of sight from where the search begins
    rig.car = rig.car + Vec3{1.3, 0.9, 0};
    rig.start();
    EXPECT_TRUE(rig.run_until(6, 200));
    rig.false_alarms = false_alarms;
    const Time from = rig.now;
    EXPECT_TRUE(rig.run_until(7, 100)) << false_alarms << " " << seed;
    return (rig.now - from).seconds();
  };
  const double without = found_after_s(0, 1);
  EXPECT_GT(without, 8) << "the test is of a search";
  for (const double share : {0.01, 0.03, 0.1})
    for (const std::uint64_t seed : {1U, 2U, 3U})
      EXPECT_LT(found_after_s(share, seed), 1.3 * without + 3) << share << " " << seed;
}

TEST(Hazard08, AMarkerOfAnotherSizeThanDeclaredIsNotServed) {
  for (const double scale : {3.0, 1.0 / 3.0}) {
    DeliveryRig rig = shipped();
    rig.spoil = [scale](TargetSighting& s) { s.p_BT_B = scale * s.p_BT_B; };
    const Flown f = fly(rig);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted) << scale;
    EXPECT_FALSE(rig.dropped) << scale;
    EXPECT_GT(f.lowest_m, 0.9) << scale;
    // the search climbs to 2.5 m; lost, it climbs by half a metre three times at most
    EXPECT_LT(f.highest_m, 4.1) << scale;
    EXPECT_TRUE(rig.happened(EventCode::kInputRejected));
  }
}

TEST(Hazard09, ARangeThatIsOffByAFewPercentCostsCentimetres) {
  for (const double scale : {0.98, 1.02}) {
    DeliveryRig rig = shipped();
    rig.spoil = [scale](TargetSighting& s) { s.p_BT_B = scale * s.p_BT_B; };
    (void)fly(rig);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed) << scale;
    EXPECT_LT(level(rig.dropped_at, rig.car), 0.06) << scale;
    EXPECT_NEAR(rig.dropped_at.z, rig.car.z + 1, 0.08) << scale;
    EXPECT_LT(level(rig.p, rig.pad), 0.10) << scale;
  }
}

TEST(Hazard12, ACameraThatIsMountedOtherwiseNeverLeadsToADropNorFarAway) {
  const std::function<void(Vec3&)> wrong[]{[](Vec3& v) { v.x = -v.x, v.y = -v.y; },
                                           [](Vec3& v) {
                                             v = {-v.y, v.x, v.z};
                                           },
                                           [](Vec3& v) {
                                             v = {v.y, -v.x, v.z};
                                           },
                                           [](Vec3& v) { v.z = -v.z; }};
  for (const auto& mounted : wrong) {
    DeliveryRig rig = shipped();
    rig.spoil = [&mounted](TargetSighting& s) { mounted(s.p_BT_B); };
    const Flown f = fly(rig);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
    EXPECT_FALSE(rig.dropped);
    // the car is expected 2.2 m from home, and no target further than 3 m from there
    EXPECT_LT(f.farthest_m, 6);
  }
}

TEST(Hazard16, ASightingThatCannotBeMovesNothing) {
  const std::function<void(TargetSighting&)> wrong[]{
      [](TargetSighting& s) { s.p_BT_B.x = kNan; },
      [](TargetSighting& s) { s.p_BT_B.z = -kInfinity; },
      [](TargetSighting& s) { s.p_BT_B = {}; },  // nothing found, published all the same
      [](TargetSighting& s) { s.p_BT_B.z = -s.p_BT_B.z; },
      [](TargetSighting& s) { s.p_BT_B = 1000 * s.p_BT_B; },  // millimetres
      [](TargetSighting& s) { s.stamp = s.stamp - Duration{3'000'000'000}; },
      [](TargetSighting& s) { s.stamp = s.stamp + Duration{50'000'000}; },
      [](TargetSighting& s) { s.stamp = {}; },
      [](TargetSighting& s) { s.kind = static_cast<TargetKind>(7); }};
  int which = 0;
  for (const auto& spoilt : wrong) {
    DeliveryRig rig = shipped();
    rig.start();
    ASSERT_TRUE(rig.run_until(7, 200));
    // servoing, from near where it is to be
    rig.run(1);
    const Vec3 goal = rig.out->setpoint.X_WD.p;
    const Time seen = rig.state->mission.targets[0].seen_at;
    rig.said.clear();
    rig.spoil = spoilt;
    for (int k = 0; k < 50; ++k) {
      rig.tick();
      ASSERT_EQ(rig.out->setpoint.X_WD.p, goal) << which;
    }
    EXPECT_EQ(rig.state->mission.targets[0].seen_at, seen) << which << ": no sighting, not fresh";
    EXPECT_EQ(std::count_if(rig.said.begin(), rig.said.end(),
                            [](const Event& e) { return e.code == EventCode::kInputRejected; }),
              1)
        << which << ": said once";
    ++which;
  }
}

TEST(Hazard16, ALatePictureIsPutWhereTheCraftWasThen) {
  DeliveryRig rig = shipped();
  std::deque<TargetSighting> under_way;
  rig.spoil = [&under_way](TargetSighting& s) {
    under_way.push_back(s);
    s = under_way.front();  // ten pictures, 0.4 s
    if (under_way.size() > 10) under_way.pop_front();
  };
  rig.start();
  ASSERT_TRUE(rig.run_until(5, 200));
  int looked = 0;
  while (rig.out->mission.state == 5) {
    rig.tick();
    const mission::TargetTrack& t = rig.state->mission.targets[0];
    if (!t.found || norm(rig.v) < 0.4) continue;
    ++looked;
    ASSERT_LT(norm(t.p_WT - (rig.car - rig.out->aircraft.origin_m)), 0.03);
  }
  EXPECT_GT(looked, 8);
}

TEST(Hazard16, OutliersAmongTheSightingsMoveNeitherDropNorLanding) {
  DeliveryRig rig = shipped();
  int n = 0;
  rig.spoil = [&n](TargetSighting& s) {
    if (++n % 4 == 0) s.p_BT_B += Vec3{n % 8 == 0 ? 1.5 : -1.5, 0.8, 0};
  };
  (void)fly(rig);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_LT(level(rig.dropped_at, rig.car), 0.06);
  EXPECT_LT(level(rig.p, rig.pad), 0.10);
}

TEST(DeliveryOfTargets, ACarThatDrivesOnIsFollowedAndServed) {
  for (const Vec3 v : {Vec3{0.3, 0, 0}, Vec3{-0.2, 0.2, 0}}) {
    DeliveryRig rig = shipped();
    rig.start();
    ASSERT_TRUE(rig.run_until(7, 200));
    Vec3 off{9, 9, 0};
    for (int k = 0; k < 50 * 300 && !rig.ended(); ++k) {
      if (!rig.dropped) rig.car = rig.car + 0.02 * v;
      rig.tick();
      if (rig.dropped && off.x == 9) off = rig.dropped_at - rig.car;
    }
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
    EXPECT_LT(std::hypot(off.x, off.y), 0.1) << v.x;
  }
}

TEST(DeliveryOfTargets, FalsePicturesDoNotSpoilADelivery) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    DeliveryRig rig = shipped();
    rig.pictures = RandomStream(seed, "pictures");
    rig.false_alarms = 0.03;
    (void)fly(rig);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed) << seed;
    EXPECT_LT(level(rig.dropped_at, rig.car), 0.1) << seed;
    EXPECT_LT(level(rig.p, rig.pad), 0.10) << seed;
  }
}

TEST(DeliveryOfTargets, APadThatIsLostOnTheWayDownIsSoughtAgainAndLandedOn) {
  DeliveryRig rig = shipped();
  // from further up, where it has to be seen
  for (mission::State& s : rig.model.mission.states)
    if (s.servo.target == mission::TargetChoice::kPad) s.servo.blind_below_m = 0.5;
  rig.start();
  ASSERT_TRUE(rig.run_until(12, 200));
  rig.fail(Part::kTargets, Fault::kMissing);
  const double from_m = rig.p.z;
  ASSERT_TRUE(rig.run_until_so([&] { return rig.happened(EventCode::kTargetSoughtAgain); }, 5));
  rig.run(2);
  EXPECT_GT(rig.p.z, from_m);
  rig.fault = {};
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_LT(level(rig.p, rig.pad), 0.10);
}

TEST(DeliveryOfTargets, APadThatIsLostAsTheWayDownBeginsIsSoughtAgainByTheShippedFile) {
  DeliveryRig rig = shipped();
  rig.start();
  ASSERT_TRUE(rig.run_until(12, 200));
  EXPECT_LT(rig.p.z, 1.3);
  rig.fail(Part::kTargets, Fault::kMissing);
  EXPECT_TRUE(rig.run_until_so([&] { return rig.happened(EventCode::kTargetSoughtAgain); }, 5));
  rig.fault = {};
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
}

TEST(Hazard17, APadOfAnotherColourElsewhereIsNotLandedOn) {
  DeliveryRig rig = shipped();
  const Vec3 home = rig.p;
  rig.pad = home + Vec3{3.3, 0, 0};
  bool in_sight = false;
  rig.spoil = [&in_sight](TargetSighting& s) { in_sight |= s.kind == TargetKind::kPad; };
  (void)fly(rig);
  EXPECT_TRUE(in_sight);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
  EXPECT_GT(level(rig.p, rig.pad), 1);
}

TEST(Hazard19, WhateverStandsInASightingTheCraftComesHomeWithItsPayload) {
  DeliveryRig rig = shipped();
  RandomStream random(19, "pictures");
  int n = 0;
  rig.spoil = [&](TargetSighting& s) {
    if (++n % 2 == 0) {
      s.kind = n % 4 == 0 ? TargetKind::kMarker : TargetKind::kPad;
      s.p_BT_B = {random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5)};
      return;
    }
    std::array<unsigned char, sizeof s> bytes;
    for (unsigned char& b : bytes) b = static_cast<unsigned char>(random.uniform(0, 256));
    std::memcpy(static_cast<void*>(&s), bytes.data(), sizeof s);
  };
  (void)fly(rig);
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
  EXPECT_FALSE(rig.dropped);
  // where the last search ended
  EXPECT_LT(std::hypot(rig.p.x - 0.3, rig.p.y + 0.2), 2.2);
}

}  // namespace
}  // namespace pintle
