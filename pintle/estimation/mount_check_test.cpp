#include "pintle/estimation/mount_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/rotation.h"

namespace pintle::estimation {
namespace {

constexpr Vec3 kPad{0.1, -0.05, 0};
constexpr double kYaw = 0.7;

/// Carried from a place above the pad by `way`, in pictures; `shown`: what becomes of p_BT_B.
template <class Shown>
bool found_on(Vec3 way, Shown shown, int pictures = 20) {
  MountCheck check;
  const Quat q = from_rpy({0, 0, kYaw});
  for (int k = 0; k <= pictures; ++k) {
    const Vec3 p = Vec3{0.2, 0.1, 0.4} + (double(k) / pictures) * way;
    const Vec3 p_BT_B = rotate(conjugate(q), kPad - p);
    check.observe(p, p + rotate(q, shown(k, p_BT_B)));
  }
  return check.disagrees();
}
const auto kTrue = [](int, Vec3 p) { return p; };
auto turned(double deg) {
  return [deg](int, Vec3 p) { return rotate(from_rpy({0, 0, radians(deg)}), p); };
}

TEST(MountCheck, AMountAsItsFileSaysIsNeverRefused) {
  for (const Vec3 way : {Vec3{0.4, 0, 0}, Vec3{0, -0.4, 0.3}, Vec3{0, 0, 0.5}, Vec3{}})
    EXPECT_FALSE(found_on(way, kTrue));
  // a bracket that is a little crooked, and a picture in five that shows something else
  EXPECT_FALSE(found_on({0.4, 0.2, 0}, turned(8)));
  EXPECT_FALSE(found_on({0.4, 0.2, 0}, [](int k, Vec3 p) {
    return k % 5 == 2 ? p + Vec3{1.5, -0.7, 0.2} : p;
  }));
}

TEST(MountCheck, AQuarterTurnAHalfTurnAndAMirrorShowOnAWaySideways) {
  for (const double deg : {90.0, 180.0, -90.0, 60.0}) {
    EXPECT_TRUE(found_on({0.3, 0, 0}, turned(deg))) << deg;
    EXPECT_TRUE(found_on({0, 0.3, 0.1}, turned(deg))) << deg;
  }
  const auto mirrored = [](int, Vec3 p) { return Vec3{p.x, -p.y, p.z}; };
  EXPECT_TRUE(found_on({-0.3 * std::sin(kYaw), 0.3 * std::cos(kYaw), 0}, mirrored));
}

TEST(MountCheck, AMarkerOfAnotherSizeShowsOnTheWayUp) {
  for (const double scale : {1.0 / 3, 2.5})
    EXPECT_TRUE(found_on({0, 0, 0.4}, [scale](int, Vec3 p) { return scale * p; })) << scale;
}

TEST(MountCheck, WhatIsNoNumberIsLeftOut) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(found_on({0.4, 0, 0}, [](int k, Vec3 p) {
    return k % 2 == 0 ? Vec3{kNan, p.y, p.z} : p;
  }));
  EXPECT_TRUE(found_on(
      {0.4, 0, 0},
      [](int k, Vec3 p) {
        return k % 2 == 0 ? Vec3{kNan, p.y, p.z} : Vec3{-p.x, -p.y, p.z};
      },
      40));
}

}  // namespace
}  // namespace pintle::estimation
