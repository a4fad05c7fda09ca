#include "pintle/vision/sightings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/random.h"

namespace pintle::vision {
namespace {

/// A pad whose number 7 lies 0.3 m to the right and 0.4 m to the top of its middle.
Targets pad() {
  Targets t;
  t.pad = MarkerTargets{MarkerFamily::kArucoOriginal, 0.15, {152}, {{7, 0.05, 0.3, 0.4}}};
  return t;
}

Detection marker(std::uint32_t id) {
  Detection d;
  d.id = id;
  d.X_CT = {{0.1, -0.2, 1.5}, {}};
  return d;
}

void covariance(Detection& d, std::size_t i, std::size_t j, double x) {
  d.covariance[6 * i + j] = d.covariance[6 * j + i] = x;
}

TEST(Sightings, AMarkerBesideTheMiddleKnowsItByItsArmTimesItsAttitudesError) {
  Detection d = marker(7);
  for (std::size_t i = 0; i < 3; ++i) covariance(d, i, i, 1e-6);  // 1 mm
  covariance(d, 3, 3, square(0.10));                              // of a turn about x
  covariance(d, 5, 5, square(0.01));                              // and about z
  const TargetSighting s = sighting_of(d, pad(), {}, {});
  // about x the arm's 0.4 m along y move z; about z 0.4 m move x, 0.3 m move y
  EXPECT_NEAR(s.sigma_B_m.x, std::hypot(0.001, 0.4 * 0.01), 1e-12);
  EXPECT_NEAR(s.sigma_B_m.y, std::hypot(0.001, 0.3 * 0.01), 1e-12);
  EXPECT_NEAR(s.sigma_B_m.z, std::hypot(0.001, 0.4 * 0.10), 1e-12);
  d.id = 152;  // in the middle itself
  EXPECT_NEAR(sighting_of(d, pad(), {}, {}).sigma_B_m.z, 0.001, 1e-12);
}

TEST(Sightings, TheStatedDeviationsAreThoseOfDrawnPlacesAndTurns) {
  // place and turn go with each other: x = A n of six independent numbers, C = A A^T
  RandomStream random(8, "arms");
  std::array<double, 36> A{};
  for (double& a : A) a = 0.01 * random.normal();
  Detection d = marker(7);
  d.X_CT.q = from_rpy({2.8, 0.3, 1.1});
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 6; ++k) sum += A[6 * i + k] * A[6 * j + k];
      covariance(d, i, j, sum);
    }
  const Pose X_BC{{0.1, 0, 0}, from_rpy({3, 0.1, -1.6})};
  const auto middle = [&](const Pose& X_CT) {
    Detection at = d;
    at.X_CT = X_CT;
    at.target_B = X_BC.p + rotate(X_BC.q, X_CT.p);
    return sighting_of(at, pad(), X_BC, {}).p_BT_B;
  };
  const Vec3 told = middle(d.X_CT);
  constexpr int kDrawn = 40000;
  Vec3 squares;
  for (int k = 0; k < kDrawn; ++k) {
    std::array<double, 6> n{}, x{};
    for (double& one : n) one = random.normal();
    for (std::size_t i = 0; i < 36; ++i) x[i / 6] += A[i] * n[i % 6];
    const Vec3 off = middle({d.X_CT.p + Vec3{x[0], x[1], x[2]},
                             from_rotation_vector({x[3], x[4], x[5]}) * d.X_CT.q}) -
                     told;
    squares += Vec3{square(off.x), square(off.y), square(off.z)} / kDrawn;
  }
  const Vec3 sigma = sighting_of(d, pad(), X_BC, {}).sigma_B_m;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(sigma[i], std::sqrt(squares[i]), 0.03 * sigma[i]) << i;
}

TEST(Sightings, TheSurestOneKnowsTheTargetsMiddleBest) {
  Detections found{marker(7), marker(152)};
  for (std::size_t i = 0; i < 6; ++i) {
    covariance(found[0], i, i, i < 3 ? 1e-6 : square(0.05));
    covariance(found[1], i, i, i < 3 ? 4e-6 : square(0.05));
  }
  // 7 knows its own place better, yet its arm is half a metre
  EXPECT_EQ(surest(found, pad(), {}), 1U);
  found.pop_back();
  EXPECT_EQ(surest(found, pad(), {}), 0U);
  EXPECT_EQ(surest({}, pad(), {}), std::nullopt);
}

}  // namespace
}  // namespace pintle::vision
