#include "pintle/estimation/odometry_frame.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace pintle::estimation {
namespace {

constexpr std::array kFrames{OdometryFrame::kEnu, OdometryFrame::kNeu, OdometryFrame::kNed};

/// What a source of that frame says of a craft at p with a yaw: written out, not by `to_world`.
RawOdometry said_by(OdometryFrame frame, Vec3 p, double yaw) {
  switch (frame) {
    case OdometryFrame::kNeu: return {{p.y, p.x, p.z}, {}, kPi / 2 - yaw};
    case OdometryFrame::kNed: return {{p.y, p.x, -p.z}, {}, kPi / 2 - yaw};
    case OdometryFrame::kEnu: break;
  }
  return {p, {}, yaw};
}

/// Carried along a straight line for two seconds, at 50 Hz.
void carry(FrameCheck& check, OdometryFrame source, Vec3 velocity, double yaw, bool compass,
           double from_s = 0) {
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.02 * i;
    FrameWitness witness{velocity, {}};
    if (compass) witness.yaw_rad = yaw;
    check.update(said_by(source, t * velocity, yaw), witness, Time::from_seconds(from_s + t));
  }
}

TEST(OdometryFrame, ConvertsByHandComputedNumbers) {
  // 1 m north, 2 m east, 3 m up, moving west at 4 and down at 5, heading east
  const Vec3 p{2, 1, 3};
  const Vec3 v{-4, 0, -5};
  const std::array raws{RawOdometry{{2, 1, 3}, {-4, 0, -5}, 0},
                        RawOdometry{{1, 2, 3}, {0, -4, -5}, kPi / 2},
                        RawOdometry{{1, 2, -3}, {0, -4, 5}, kPi / 2}};
  for (std::size_t i = 0; i < kFrames.size(); ++i) {
    const WorldOdometry w = to_world(kFrames[i], raws[i]);
    EXPECT_EQ(w.position_m, p);
    EXPECT_EQ(w.velocity_m_s, v);
    EXPECT_NEAR(w.yaw_rad, 0, 1e-15);
  }
}

TEST(OdometryFrame, YawStaysWithinHalfATurn) {
  EXPECT_NEAR(yaw_to_world(OdometryFrame::kNed, -3 * kPi / 4), -3 * kPi / 4, 1e-12);
  EXPECT_NEAR(yaw_to_world(OdometryFrame::kNed, kPi), -kPi / 2, 1e-12);
  EXPECT_NEAR(yaw_to_world(OdometryFrame::kEnu, 3 * kPi), kPi, 1e-12);
}

TEST(OdometryFrame, HazardAFlippedDeclarationIsCaughtBeforeTakeOffInEveryCombination) {
  for (const OdometryFrame source : kFrames)
    for (const OdometryFrame declared : kFrames)
      for (const double side : {0.2, -0.2})
        for (const double lift : {0.2, -0.2}) {
          FrameCheck check(declared, {});
          EXPECT_FALSE(check.may_arm());
          // once up or down, then once aside
          carry(check, source, {0, 0, lift}, 0.3, false);
          carry(check, source, {side, 0.05, 0}, 0.3, false, 10);
          EXPECT_EQ(check.may_arm(), source == declared);
          const bool same_up = (source == OdometryFrame::kNed) == (declared == OdometryFrame::kNed);
          EXPECT_EQ(check.up(), same_up ? FrameVerdict::kAgrees : FrameVerdict::kDisagrees);
          EXPECT_NE(check.horizontal(), FrameVerdict::kUndecided);
        }
}

TEST(OdometryFrame, ACompassTellsNorthFromEastWithoutACarry) {
  for (const OdometryFrame source : kFrames)
    for (const OdometryFrame declared : kFrames) {
      FrameCheck check(declared, {});
      carry(check, source, {0, 0, 0.2}, -1.0, true);
      EXPECT_EQ(check.may_arm(), source == declared);
    }
}

TEST(OdometryFrame, WhatTellsNothingDoesNotAllowArming) {
  for (const OdometryFrame source : kFrames) {
    FrameCheck still(source, {});
    carry(still, source, {}, 0.3, false);
    EXPECT_EQ(still.up(), FrameVerdict::kUndecided);
    EXPECT_EQ(still.horizontal(), FrameVerdict::kUndecided);
    // north-east: the same when exchanged, moved and headed
    FrameCheck diagonal(source, {});
    carry(diagonal, source, {0.2, 0.2, 0.2}, kPi / 4, true);
    EXPECT_EQ(diagonal.up(), FrameVerdict::kAgrees);
    EXPECT_EQ(diagonal.horizontal(), FrameVerdict::kUndecided);
    EXPECT_FALSE(diagonal.may_arm());
  }
}

TEST(OdometryFrame, ADisagreementStays) {
  FrameCheck check(OdometryFrame::kNeu, {});
  carry(check, OdometryFrame::kNed, {0.2, 0, 0.2}, 0.3, true);
  carry(check, OdometryFrame::kNeu, {0.2, 0, 0.2}, 0.3, true, 10);
  EXPECT_EQ(check.up(), FrameVerdict::kDisagrees);
  EXPECT_FALSE(check.may_arm());
}

TEST(OdometryFrame, HeightThatDoesNotFollowTheVerticalVelocityIsCaught) {
  FrameCheck check(OdometryFrame::kEnu, {});
  for (int i = 0; i <= 100; ++i)
    check.update({{}, {}, 0}, {{0, 0, 0.3}, {}}, Time::from_seconds(0.02 * i));
  EXPECT_EQ(check.up(), FrameVerdict::kDisagrees);
}

/// Lifted by 0.3 m and put down, a second each way; odometry is away for gap_s from at_s on.
FrameCheck lifted(double at_s, double gap_s, double begin_s) {
  FrameCheck check(OdometryFrame::kEnu, {});
  for (double t = 0; t < begin_s + 4; t += 0.02) {
    const double u = t - begin_s;
    const double v = u < 0 || u >= 2 ? 0 : u < 1 ? 0.3 : -0.3;
    const double z = u < 0 || u >= 2 ? 0 : u < 1 ? 0.3 * u : 0.3 * (2 - u);
    const Time now = Time::from_seconds(t);
    check.witnessed({0, 0, v}, now);
    if (u >= at_s && u < at_s + gap_s) continue;
    check.observe({{0, 0, z}, {}, -1.0}, -1.0, now);
  }
  return check;
}

TEST(OdometryFrame, AGapOfTheOdometryWhereverItIsLeavesALiftAProof) {
  for (double at_s = -0.5; at_s < 2; at_s += 0.1)
    for (const double gap_s : {0.1, 0.25, 0.5})
      EXPECT_TRUE(lifted(at_s, gap_s, 1).may_arm()) << at_s << " " << gap_s;
}

TEST(OdometryFrame, AGapOfTheWitnessWhereverItIsRefutesNothing) {
  // a quick hand, and a node that a busy machine does not let hear
  for (double at_s = -0.5; at_s < 1.5; at_s += 0.02)
    for (const double gap_s : {0.08, 0.14, 0.2, 0.28, 0.5}) {
      FrameCheck check(OdometryFrame::kEnu, {});
      for (double t = 0; t < 4; t += 0.02) {
        const double u = t - 1;
        const double v = u < 0 || u >= 1 ? 0 : u < 0.5 ? 0.6 : -0.6;
        const double z = u < 0 || u >= 1 ? 0 : u < 0.5 ? 0.6 * u : 0.6 * (1 - u);
        const Time now = Time::from_seconds(t);
        if (u < at_s || u >= at_s + gap_s) check.witnessed({0, 0, v}, now);
        check.observe({{0, 0, z}, {}, -1.0}, -1.0, now);
      }
      EXPECT_NE(check.up(), FrameVerdict::kDisagrees) << at_s << " " << gap_s;
    }
}

TEST(OdometryFrame, ALiftIsAProofWheneverItBegins) {
  for (double begin_s = 0; begin_s < 11; begin_s += 0.25)
    EXPECT_TRUE(lifted(9, 0, begin_s).may_arm()) << begin_s;
}

TEST(OdometryFrame, OdometryThatComesBackElsewhereAfterALongGapIsNoDisagreement) {
  FrameCheck check(OdometryFrame::kEnu, {});
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.02 * i;
    const Time now = Time::from_seconds(t);
    check.witnessed({0, 0, t < 1 ? 0.15 : 0}, now);
    // begun anew by its source, its origin with it
    if (t < 0.5 || t > 3) check.observe({{0, 0, t < 1 ? 0.15 * t : 7}, {}, -1.0}, -1.0, now);
  }
  EXPECT_EQ(check.up(), FrameVerdict::kUndecided);
}

TEST(OdometryFrame, WhatIsNotFiniteIsLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  FrameCheck check(OdometryFrame::kEnu, {});
  check.update({{nan, 0, 0}, {}, 0}, {{}, {}}, Time::from_seconds(0));
  check.update({{}, {}, nan}, {{}, {}}, Time::from_seconds(0.1));
  check.update({{}, {}, 0}, {{0, 0, nan}, nan}, Time::from_seconds(0.2));
  EXPECT_EQ(check.up(), FrameVerdict::kUndecided);
  carry(check, OdometryFrame::kEnu, {0.2, 0, 0.2}, 0.3, true, 1);
  EXPECT_TRUE(check.may_arm());
}

}  // namespace
}  // namespace pintle::estimation
