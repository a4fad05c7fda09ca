// What flies and loses its odometry: it comes down softly by its inertial sensor, a rocket lands
// through a short gap and is ended in a long one, and nobody says that it went well when it did
// not.
#include <gtest/gtest.h>

#include "pintle/testing/blind_flight.h"
#include "pintle/testing/thorough.h"

namespace pintle {
namespace {

using flight::Verdict;
using stack::OnStateLost;
using testing::blind_mission;
using testing::BlindFlight;
using testing::fly_blind;

TEST(BlindFlight, EveryHoveringCraftTouchesSoftlyHoweverLongOdometryIsAway) {
  for (const char* craft : {"box", "quad", "ironcub"}) {
    const craft::MissionFile mission = blind_mission(craft);
    for (const double gap_s : testing::cases({2.0, 0.5, 1.0, 5.0, 1e6}))
      for (std::uint64_t seed = 1; seed <= testing::cases(2U); ++seed) {
        const double at_s = testing::drawn_loss(seed, gap_s, 8, 30);
        const BlindFlight f = fly_blind(mission, seed, at_s, gap_s);
        const std::string what =
            std::string(craft) + " seed " + std::to_string(seed) + " gap " + std::to_string(gap_s);
        EXPECT_TRUE(f.touched) << what << ": " << f.result.reason;
        EXPECT_LE(f.touch_m_s, 2) << what << " from " << f.lost_from_m << " m";
        // half a second and a little is just beyond what counts as lost
        EXPECT_TRUE(f.told || gap_s <= 0.5) << what;
        EXPECT_FALSE(f.impact) << what;
      }
  }
}

TEST(BlindFlight, OdometryThatComesTooLateIsAsGoodAsNone) {
  for (const char* craft : {"box", "quad", "ironcub"})
    for (const double lasts_s : testing::cases({2.0, 1e6})) {
      craft::MissionFile mission = blind_mission(craft);
      mission.input_faults.push_back(
          {stack::InputCode::kOdometry, craft::InputFaultKind::kDelayed, 20, 20 + lasts_s, 1});
      const BlindFlight f = fly_blind(mission, 1, 0, 0);
      EXPECT_TRUE(f.touched && f.told) << craft << ": " << f.result.reason;
      EXPECT_LE(f.touch_m_s, 2) << craft << " late for " << lasts_s << " s";
    }
}

TEST(BlindFlight, WithoutTheSensorItFallsIsToldAndNothingSucceedsAfterTheImpact) {
  for (const bool declared : {false, true}) {
    craft::MissionFile mission = blind_mission("box");
    mission.vehicle.failsafes.imu_silent.reset();
    if (declared)
      mission.input_faults.push_back(
          {stack::InputCode::kImu, craft::InputFaultKind::kOff, 0, 1e9, 0});
    else
      mission.vehicle.safety.on_state_lost = OnStateLost::kOff;
    const BlindFlight f = fly_blind(mission, 1, 20, 2);
    EXPECT_GT(f.touch_m_s, 3);
    EXPECT_TRUE(f.told);
    EXPECT_TRUE(f.impact);
    EXPECT_FALSE(f.succeeded_after_impact);
    EXPECT_EQ(f.result.verdict, Verdict::kFail) << f.result.reason;
  }
}

// whatever comes back, on the ground or before: what fell has not done what was asked of it
TEST(BlindFlight, WhatFellWhileNothingWasFeltSucceedsInNothing) {
  for (const double at_s : testing::cases({28.0, 29.5})) {
    craft::MissionFile mission =
        craft::load_mission(testing::in_source("missions/hover_ironcub.yaml"));
    mission.input_faults.push_back(
        {stack::InputCode::kImu, craft::InputFaultKind::kOff, at_s, at_s + 3, 0});
    const BlindFlight f = fly_blind(mission, 1, at_s, 3);
    EXPECT_FALSE(f.impact) << "felt after all, at " << at_s;
    EXPECT_GT(f.touch_m_s, 2) << at_s;
    EXPECT_EQ(f.result.verdict, Verdict::kFail) << at_s << " " << f.result.reason;
  }
}

TEST(BlindFlight, ThrustIsHeldForItsTimeAndNoLonger) {
  craft::MissionFile mission = blind_mission("quad");
  mission.vehicle.safety.on_state_lost = OnStateLost::kHoldThrust;
  mission.vehicle.safety.latch_after_s = 4;
  const BlindFlight back = fly_blind(mission, 1, 15, 3);
  EXPECT_EQ(back.result.verdict, Verdict::kPass) << back.result.reason;
  // nothing brakes it: it goes on as it was going, and is at most a metre off that
  EXPECT_LT(back.drift_m, 1 + 3 * back.lost_m_s);
  const BlindFlight gone = fly_blind(mission, 1, 15, 1e6);
  EXPECT_TRUE(gone.latched);
  EXPECT_GT(gone.touch_m_s, 2);
}

TEST(BlindFlight, ARocketLandsThroughAGapAndIsEndedInALongOne) {
  const craft::MissionFile mission = blind_mission("rocket");
  std::uint64_t flown = 0;
  const std::uint64_t seeds = testing::cases(8U);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const BlindFlight whole = fly_blind(mission, seed, 0, 0);
    if (whole.result.verdict != Verdict::kPass) continue;
    ++flown;
    const double at_s = testing::drawn_loss(seed, 0.5, 2, whole.result.duration_s - 1.5);
    const BlindFlight gap = fly_blind(mission, seed, at_s, 0.5);
    EXPECT_EQ(gap.result.verdict, Verdict::kPass)
        << "seed " << seed << " at " << at_s << ": " << gap.result.reason;
    EXPECT_LE(gap.touch_m_s, 2) << "seed " << seed << " at " << at_s;
    for (const double long_s : {0.7, 2.0}) {
      const BlindFlight ended = fly_blind(mission, seed, at_s, long_s);
      EXPECT_TRUE(ended.told && ended.latched) << "seed " << seed << " " << long_s << " s";
      EXPECT_NE(ended.result.verdict, Verdict::kPass) << "seed " << seed << " " << long_s << " s";
      EXPECT_FALSE(ended.succeeded_after_impact) << "seed " << seed << " " << long_s << " s";
    }
  }
  EXPECT_GE(2 * flown, seeds) << "of those that land at all";
}

}  // namespace
}  // namespace pintle
