#include "pintle/vision/face_fit.h"

#include <gtest/gtest.h>

#include "pintle/base/random.h"
#include "pintle/vision/dictionary.h"
#include "pintle/vision/plane.h"

namespace pintle::vision {
namespace {

const std::vector<std::uint8_t>& cells() {
  static const auto all = marker_cells(MarkerFamily::kArucoOriginal, 100);
  return all;
}

Pattern marker() { return Pattern::of_cells(7, cells()); }
Pattern ring() {
  Pattern p;
  p.kind = Pattern::Kind::kRing;
  p.inner = 0.9;
  return p;
}

TEST(Pattern, DerivativesAreThoseOfThePattern) {
  RandomStream random(1, "pattern");
  for (const Pattern& p : {marker(), ring()})
    for (int i = 0; i < 200; ++i) {
      const double reach = p.kind == Pattern::Kind::kRing ? 1.1 : 0.6;
      const double X = random.uniform(-reach, reach), Y = random.uniform(-reach, reach);
      const double a = random.uniform(0.0004, 0.003), b = random.uniform(0.0004, 0.003), h = 2e-3;
      const Drawn d = p.at(X, Y, a, b);
      // the table of the bell is good to 1e-5: differences over steps that are not too small
      EXPECT_NEAR(d.x, (p.at(X + h, Y, a, b).t - p.at(X - h, Y, a, b).t) / (2 * h), 0.15);
      EXPECT_NEAR(d.y, (p.at(X, Y + h, a, b).t - p.at(X, Y - h, a, b).t) / (2 * h), 0.15);
      const double k = 5e-5;
      EXPECT_NEAR(d.var_x, (p.at(X, Y, a + k, b).t - p.at(X, Y, a - k, b).t) / (2 * k), 6);
      EXPECT_NEAR(d.var_y, (p.at(X, Y, a, b + k).t - p.at(X, Y, a, b - k).t) / (2 * k), 6);
    }
}

TEST(Pattern, IsTheCellInItsMiddleAndWhiteAround) {
  const Pattern p = marker();
  // the second row of marker 100 is 1 0 1 1 1; with its border it is row 2 of the face
  const auto middle = [&](int row, int column) {
    return p.at((column + 0.5) / 7 - 0.5, 0.5 - (row + 0.5) / 7, 1e-5, 1e-5).t;
  };
  EXPECT_NEAR(middle(2, 1), 1, 1e-6);
  EXPECT_NEAR(middle(2, 2), 0, 1e-6);
  EXPECT_NEAR(middle(2, 3), 1, 1e-6);
  EXPECT_NEAR(middle(0, 3), 0, 1e-6);
  EXPECT_NEAR(middle(-1, 3), 1, 1e-6);
  EXPECT_NEAR(ring().at(0.95, 0, 1e-6, 1e-6).t, 1, 1e-6);
  EXPECT_NEAR(ring().at(0, -0.8, 1e-6, 1e-6).t, 0, 1e-6);
  EXPECT_NEAR(ring().at(0.6, 0.8, 1e-6, 1e-6).t, 0.5, 1e-3);
}

TEST(Pattern, ARingBlurredIsWhatItsMeanOverABellIs) {
  // half of a pixel's blur is enough to see that round edges move inwards: sums over a fine lattice
  const Pattern p = ring();
  const double sigma = 0.035;
  for (const double r : {0.86, 0.89, 0.93, 0.96, 0.99, 1.02, 1.05}) {
    double sum = 0, weights = 0;
    const double step = sigma / 40;
    for (double x = -4 * sigma; x <= 4 * sigma; x += step)
      for (double y = -4 * sigma; y <= 4 * sigma; y += step) {
        const double w = std::exp(-0.5 * (x * x + y * y) / (sigma * sigma));
        const double at = std::hypot(r + x, y);
        sum += at > 0.9 && at < 1 ? w : 0;
        weights += w;
      }
    EXPECT_NEAR(p.at(r * 0.6, r * 0.8, sigma * sigma, sigma * sigma).t, sum / weights, 3e-3) << r;
  }
}

TEST(Plane, DerivativesByThePoseAreThoseOfThePlane) {
  const Pose X{{0.2, -0.1, 1.7}, from_rpy({2.9, 0.3, 1})};
  const double x = 0.15, y = -0.02, size = 0.3;
  OnPlane o;
  ASSERT_TRUE(Plane(X, size, 490, 480).at(x, y, o));
  for (std::size_t k = 0; k < 6; ++k) {
    const double h = 1e-6;
    double moved[2][2];
    for (int way = 0; way < 2; ++way) {
      Vec3 p, w;
      (k < 3 ? p : w)[k % 3] = way ? h : -h;
      OnPlane m;
      ASSERT_TRUE(Plane({X.p + p, normalized(from_rotation_vector(w) * X.q)}, size, 490, 480)
                      .meet(x, y, m));
      moved[way][0] = m.X;
      moved[way][1] = m.Y;
    }
    EXPECT_NEAR(o.X_by_pose[k], (moved[1][0] - moved[0][0]) / (2 * h), 1e-5) << k;
    EXPECT_NEAR(o.Y_by_pose[k], (moved[1][1] - moved[0][1]) / (2 * h), 1e-5) << k;
  }
  OnPlane m;
  ASSERT_TRUE(Plane(X, size, 490, 480).meet(x + 1e-6, y, m));
  EXPECT_NEAR(o.Xu * 490, (m.X - o.X) / 1e-6, 1e-3);
}

/// Samples of a pattern as a camera would see it, from its own model.
std::vector<FaceSample> samples_of(const Pattern& p, const Pose& X_CF, double size, double blur_px,
                                   double noise, std::uint64_t seed) {
  RandomStream random(seed, "noise");
  std::vector<FaceSample> out;
  const Plane plane(X_CF, size, 490, 490);
  const double reach = p.kind == Pattern::Kind::kRing ? 1.1 : 0.6;
  for (int v = -240; v < 240; ++v)
    for (int u = -320; u < 320; ++u) {
      OnPlane o;
      if (!plane.meet(u / 490.0, v / 490.0, o) || std::abs(o.X) > reach || std::abs(o.Y) > reach)
        continue;
      if (p.kind == Pattern::Kind::kRing && std::abs(std::hypot(o.X, o.Y) - 0.95) > 0.12) continue;
      double vx = blur_px * blur_px * (o.Xu * o.Xu + o.Xv * o.Xv);
      double vy = blur_px * blur_px * (o.Yu * o.Yu + o.Yv * o.Yv);
      if (p.kind == Pattern::Kind::kRing) {
        const double r = std::hypot(o.X, o.Y);
        vx = blur_px * blur_px *
             (std::pow(o.X * o.Xu + o.Y * o.Yu, 2) + std::pow(o.X * o.Xv + o.Y * o.Yv, 2)) /
             (r * r);
        vy = blur_px * blur_px *
             (std::pow(o.X * o.Yu - o.Y * o.Xu, 2) + std::pow(o.X * o.Yv - o.Y * o.Xv, 2)) /
             (r * r);
      }
      const double value = 40 + 10 * o.X + (150 - 20 * o.Y) * p.at(o.X, o.Y, vx, vy).t;
      out.push_back({float(u / 490.0), float(v / 490.0), float(value + noise * random.normal())});
    }
  return out;
}

/// As many as a detector takes, evenly.
std::vector<FaceSample> some_of(std::vector<FaceSample> all) {
  constexpr std::size_t kMany = 160;
  for (std::size_t k = 0; k < kMany; ++k) all[k] = all[k * all.size() / kMany];
  all.resize(kMany);
  return all;
}

TEST(FaceFit, FindsThePoseOfItsOwnModelAndSaysHowWell) {
  const double size = 0.2;
  double nees = 0, residual = 0;
  const int runs = 60;
  for (int i = 0; i < runs; ++i) {
    const Pose truth{{0.1, -0.05, 1.5}, from_rpy({kPi - 0.3, 0.2, 0.4 + 0.1 * i})};
    const auto samples =
        some_of(samples_of(marker(), truth, size, 0.8, 4, static_cast<std::uint64_t>(i)));
    FaceFit start;
    start.X_CF = {truth.p + Vec3{0.001, -0.001, 0.02},
                  from_rotation_vector({0.03, -0.02, 0.01}) * truth.q};
    start.white2 = 16;
    const FaceFit fit = fit_face(marker(), size, 490, 490, samples, start, {}, 20);
    ASSERT_TRUE(fit.converged);
    residual += fit.residual / runs;
    EXPECT_GT(fit.agreement, 0.98);
    const Vec3 e = fit.X_CF.p - truth.p;
    EXPECT_LT(norm(e), 0.01);
    // along the axis alone: error over its sigma
    nees += e.z * e.z / fit.covariance[14] / runs;
  }
  EXPECT_NEAR(residual, 4, 0.25);
  // chi-squared of 60: 0.68 to 1.38 in 95 of 100 sets; these are always the same
  EXPECT_GT(nees, 0.6);
  EXPECT_LT(nees, 1.5);
}

TEST(FaceFit, WhatItStatesFollowsTheNoiseInThePixels) {
  const double size = 0.2;
  const Pose truth{{0.1, -0.05, 1.5}, from_rpy({kPi - 0.3, 0.2, 0.4})};
  FaceFit start;
  start.X_CF = truth;
  const auto variance = [&](double noise) {
    const auto samples = some_of(samples_of(marker(), truth, size, 1, noise, 5));
    start.white2 = noise * noise;
    return fit_face(marker(), size, 490, 490, samples, start, {}, 20).covariance[14];
  };
  // three times the noise, nine times the variance; the least is that of whole steps
  EXPECT_NEAR(variance(12) / variance(4), 9, 1);
  EXPECT_GT(variance(0), 0.002 * variance(4));
  EXPECT_LT(variance(0), 0.2 * variance(4));
}

TEST(FaceFit, WhatIsNoNoiseOfTheCameraIsNotAveragedAway) {
  const double size = 0.2;
  const Pose truth{{0.1, -0.05, 1.5}, from_rpy({kPi - 0.3, 0.2, 0.4})};
  const auto samples = some_of(samples_of(marker(), truth, size, 1, 4, 5));
  FaceFit start;
  start.X_CF = truth;
  const auto variance = [&](double white2) {
    start.white2 = white2;
    return fit_face(marker(), size, 490, 490, samples, start, {}, 20).covariance[14];
  };
  EXPECT_GT(variance(2), 3 * variance(16));
}

TEST(FaceFit, FindsASharpArcFromWhereItIsBlurredAndPixelsAway) {
  // a free blur would close upon the few pixels that fit at first, and see no others
  const double size = 0.5;
  Pattern sharp = ring();
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Pose truth{{0.26, -0.07, 0.83}, from_rpy({kPi - 0.09, 0.04, 0.1})};
    auto samples = samples_of(sharp, truth, size, 0.42, 1.5, i);
    // a third of the round, of which edges are a few
    std::erase_if(samples, [](const FaceSample& a) { return a.x > 0.1F; });
    std::size_t kept = 0;
    for (std::size_t k = i; k < samples.size(); k += 37) samples[kept++] = samples[k];
    samples.resize(kept);
    RandomStream random(i, "start");
    FaceFit start;
    start.X_CF = {truth.p + 0.0015 * Vec3{random.normal(), random.normal(), random.normal()},
                  from_rotation_vector(0.02 * Vec3{random.normal(), random.normal(), 0}) * truth.q};
    start.blur_px2 = {4, 0, 4};
    start.white2 = 2.25;
    const UpPrior up{rotate(truth.q, {0, 0, 1}), radians(1)};
    const FaceFit fit = fit_face(sharp, size, 490, 490, samples, start, up, 12);
    ASSERT_TRUE(fit.converged);
    EXPECT_LT(norm(fit.X_CF.p - truth.p), 0.0005)
        << i << " of " << samples.size() << " z " << std::sqrt(fit.covariance[14]);
  }
}

TEST(FaceFit, WhatWasKnownOfTheAttitudeIsNoBetterKnownByAnotherNoise) {
  const double size = 0.5, sigma = 0.02;
  const Pose truth{{0.1, -0.05, 4}, from_rpy({kPi - 0.1, 0.1, 0})};
  FaceFit start;
  start.X_CF = truth;
  const UpPrior up{rotate(truth.q, {0, 0, 1}), sigma};
  // the pixels of a short arc say next to nothing of the tilt: what is stated is what was known
  auto samples = samples_of(ring(), truth, size, 1, 12, 3);
  std::erase_if(samples, [](const FaceSample& s) { return s.x < 0.135F; });
  const FaceFit fit = fit_face(ring(), size, 490, 490, samples, start, up, 30);
  ASSERT_TRUE(fit.converged);
  const double tilt = std::sqrt(fit.covariance[21] + fit.covariance[28]);
  EXPECT_NEAR(tilt, sigma * std::sqrt(2.0), 0.1 * sigma);
}

TEST(FaceFit, AThingInFrontOfItHasNoSay) {
  const double size = 0.5;
  const Pose truth{{0.1, -0.05, 1.5}, from_rpy({kPi - 0.1, 0.1, 0})};
  auto samples = samples_of(ring(), truth, size, 0.8, 2, 3);
  for (FaceSample& s : samples)
    if (s.x > 0.1 && s.x < 0.16) s.value = 20;  // an arm across the ring
  FaceFit start;
  start.X_CF = {truth.p + Vec3{0.004, -0.004, 0.02}, truth.q};
  const UpPrior up{rotate(truth.q, {0, 0, 1}), 0.02};
  const FaceFit fit = fit_face(ring(), size, 490, 490, samples, start, up, 30);
  ASSERT_TRUE(fit.converged);
  EXPECT_LT(norm(fit.X_CF.p - truth.p), 0.003);
}

TEST(FaceFit, WithTooLittleToSeeItDoesNotSayThatItConverged) {
  FaceFit start;
  start.X_CF.p = {0, 0, 1};
  EXPECT_FALSE(fit_face(marker(), 0.2, 490, 490, {}, start, {}, 10).converged);
  const std::vector<FaceSample> even(100, FaceSample{0, 0, 100});
  EXPECT_FALSE(fit_face(marker(), 0.2, 490, 490, even, start, {}, 10).converged);
}

}  // namespace
}  // namespace pintle::vision
