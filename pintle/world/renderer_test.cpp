#include "pintle/world/renderer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::world {
namespace {

CameraModel onboard() {
  CameraModel c;
  c.fx = 489.4777069384356;
  c.fy = 488.1852660517832;
  c.cx = 308.8032768908899;
  c.cy = 268.6371343845645;
  c.distortion = {0.03618971518001553, -0.08383321211248897, 0.004030107525985591,
                  -0.00436503049466556, 0};
  return c;
}

/// A camera that looks at the origin from this far, tilted and turned.
Pose above(double far, double roll, double pitch, double yaw) {
  const Quat q = from_rpy({roll, pitch, yaw}) * CameraModel{}.X_BC.q;
  return {-far * rotate(q, {0, 0, 1}) + Vec3{0.05, -0.08, 0}, q};
}

Exposure clean() {
  Exposure e;
  e.blur_px = 0.6;
  e.noise = 0;
  return e;
}

double grey(const Image& image, Pixel p) {
  const int u = static_cast<int>(std::floor(p.u)), v = static_cast<int>(std::floor(p.v));
  const double a = p.u - u, b = p.v - v;
  const auto at = [&](int y, int x) { return double(image.view().row(y)[3 * x + 1]); };
  return (at(v, u) * (1 - a) + at(v, u + 1) * a) * (1 - b) +
         (at(v + 1, u) * (1 - a) + at(v + 1, u + 1) * a) * b;
}

/// Where an edge is along a line through its true place: the middle of its step, by the area
/// under it. Positive: further along the normal.
double edge_offset(const Image& image, Pixel at, Pixel normal, double reach) {
  const int n = 200;
  const double before = grey(image, at + (-reach) * normal),
               after = grey(image, at + reach * normal);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double s = -reach + 2 * reach * (i + 0.5) / n;
    sum += (grey(image, at + s * normal) - before) / (after - before) * 2 * reach / n;
  }
  return reach - sum;
}

/// The mean offset over points along an edge of a face (straight, or bent by the lens), given as a
/// function of 0 … 1; `worst`: of twenty neighbours together, since a grey step is 1/200 of an
/// edge.
template <class F>
double mean_offset(const CameraModel& camera, const Image& image, const Pose& X_CF, F point,
                   double reach, double& worst) {
  double sum = 0, some = 0;
  const int n = 400;
  worst = 0;
  for (int i = 0; i < n; ++i) {
    const double s = (i + 0.5) / n;
    const auto seen = [&](double at) {
      Pixel p;
      EXPECT_TRUE(project(camera, X_CF.p + rotate(X_CF.q, point(at)), p));
      return p;
    };
    const Pixel along = seen(s + 1e-4) - seen(s - 1e-4);
    const double length = std::hypot(along.u, along.v);
    const double off = edge_offset(image, seen(s), {-along.v / length, along.u / length}, reach);
    sum += off / n;
    some += off / 20;
    if (i % 20 != 19) continue;
    worst = std::max(worst, std::abs(some));
    some = 0;
  }
  return sum;
}

TEST(Renderer, EdgesOfAMarkerStandWhereTheProjectionPutsThem) {
  const CameraModel camera = onboard();
  Renderer renderer(camera);
  Scene scene;
  scene.ground.contrast = 0;
  scene.ground.tint = 0;
  const Pose X_WF{{0.2, 0.1, 0.05}, from_rpy({0.05, -0.08, 0.6})};
  std::vector<std::uint8_t> black(49, 0);
  scene.faces.push_back(marker_face(X_WF, 0.3, 7, black));
  for (const double tilt : {0.0, 0.3, -0.5}) {
    const Pose X_WC = above(1.5, tilt, -0.5 * tilt, 0.35);
    Image image;
    renderer.render(scene, X_WC, clean(), image);
    const Pose X_CF = inverse(X_WC) * X_WF;
    const double h = 0.15;
    const std::array<Vec3, 5> corner{Vec3{-h, h, 0}, Vec3{h, h, 0}, Vec3{h, -h, 0}, Vec3{-h, -h, 0},
                                     Vec3{-h, h, 0}};
    for (std::size_t side = 0; side < 4; ++side) {
      double worst = 0;
      const double mean = mean_offset(
          camera, image, X_CF,
          [&](double s) {
            return corner[side] + (0.1 + 0.8 * s) * (corner[side + 1] - corner[side]);
          },
          4, worst);
      EXPECT_NEAR(mean, 0, 0.02) << "side " << side << " tilt " << tilt;
      EXPECT_LT(worst, 0.05) << "side " << side << " tilt " << tilt;
    }
  }
}

TEST(Renderer, BothEdgesOfARingStandWhereTheProjectionPutsThem) {
  const CameraModel camera = onboard();
  Renderer renderer(camera);
  Scene scene;
  scene.ground.contrast = 0;
  scene.ground.tint = 0;
  scene.faces.push_back(ring_face({{0.1, 0, 0}, {}}, 0.45, 0.50, {20, 30, 190}));
  const Pose X_WC = above(2.2, 0.2, -0.1, 1.0);
  Image image;
  renderer.render(scene, X_WC, clean(), image);
  for (const double r : {0.45, 0.50}) {
    double worst = 0;
    const double mean = mean_offset(
        camera, image, inverse(X_WC) * scene.faces[0].ring.X_WF,
        [&](double s) {
          return Vec3{r * std::cos(2 * kPi * s), r * std::sin(2 * kPi * s), 0};
        },
        4, worst);
    EXPECT_NEAR(mean, 0, 0.02) << r;
    EXPECT_LT(worst, 0.05) << r;
  }
}

TEST(Renderer, AnEdgeIsAsSteepAsALensAndSquarePixelsLeaveIt) {
  // straight down on an edge along v: each column has its own place within the step, which is
  // the integral over a pixel of a bell's
  CameraModel camera;
  camera.fx = camera.fy = 500;
  camera.cx = 320;
  camera.cy = 240;
  Renderer renderer(camera);
  Scene scene;
  scene.ground.contrast = scene.ground.tint = 0;
  scene.faces.push_back(plain_face({}, 4, 4, {100, 100, 100}));
  scene.faces.push_back(plain_face({{0, 0, 0}, {}}, 0.5, 4, {200, 200, 200}));
  for (const double sigma : {0.0, 0.3, 0.45, 0.7, 1.1, 1.9})
    for (const double aside : {0.0, 0.0007, 0.0013}) {
      Exposure e;
      e.blur_px = sigma;
      e.noise = 0;
      e.gain = 1;
      const Pose X_WC{{aside, 0, 1}, from_rpy({kPi, 0, 0})};
      Image image;
      renderer.render(scene, X_WC, e, image);
      Pixel at;
      ASSERT_TRUE(project(camera, (inverse(X_WC) * Pose{{0.25, 0, 0}, {}}).p, at));
      const auto sum = [&](double x) {
        if (sigma == 0) return std::max(x, 0.0);
        return x * 0.5 * std::erfc(-x / sigma / std::sqrt(2.0)) +
               sigma * std::exp(-0.5 * x * x / sigma / sigma) / std::sqrt(2 * kPi);
      };
      for (int u = static_cast<int>(at.u) - 7; u < at.u + 7; ++u) {
        const double inside = at.u - u, share = sum(inside + 0.5) - sum(inside - 0.5);
        EXPECT_NEAR(image.view().row(240)[3 * u], 100 + 100 * share, 1.3)
            << "sigma " << sigma << " at " << u - at.u;
      }
    }
}

TEST(Renderer, TheSameSeedGivesTheSameBytesAndAnotherDoesNot) {
  const CameraModel camera = onboard();
  Scene scene;
  scene.faces.push_back(ring_face({}, 0.45, 0.50, {20, 60, 190}));
  add_box(scene.faces, {{0.3, 0.2, 0.1}, from_rpy({0, 0, 0.5})}, {0.3, 0.2, 0.2}, {200, 40, 40});
  scene.shadow = {{0.2, 0, 0}, 0.5, 0.4, 0.02, 0.5};
  scene.glare = {{300, 200}, 60, 80};
  Exposure e;
  e.motion = {3, -2};
  Image a, b, c;
  Renderer(camera).render(scene, above(2, 0.1, 0, 0), e, a);
  Renderer(camera).render(scene, above(2, 0.1, 0, 0), e, b);
  EXPECT_EQ(a.pixels, b.pixels);
  e.seed = 2;
  Renderer(camera).render(scene, above(2, 0.1, 0, 0), e, c);
  EXPECT_NE(a.pixels, c.pixels);
}

TEST(Renderer, NoiseHasTheSigmaThatWasAskedFor) {
  CameraModel camera = onboard();
  Scene scene;
  scene.ground.contrast = 0;
  scene.ground.tint = 0;
  Exposure e = clean();
  e.noise = 5;
  Image image;
  Renderer(camera).render(scene, above(2, 0, 0, 0), e, image);
  double sum = 0, sum2 = 0;
  for (const std::uint8_t p : image.pixels) sum += p, sum2 += double(p) * p;
  const double n = static_cast<double>(image.pixels.size()), mean = sum / n;
  // three colours of the ground differ: variance between them is (25 + 6.25 …)/…, see below
  const double between =
      (std::pow(120 - 121, 2) + std::pow(125 - 121, 2) + std::pow(118 - 121, 2)) / 3;
  EXPECT_NEAR(mean, 121, 0.05);
  EXPECT_NEAR(std::sqrt(sum2 / n - mean * mean - between), 5, 0.03);
}

TEST(Renderer, MotionSpreadsAnEdgeEvenlyOverItsLength) {
  CameraModel camera = onboard();
  camera.distortion = {};
  Scene scene;
  scene.ground.contrast = 0;
  scene.ground.tint = 0;
  scene.faces.push_back(plain_face({{0, 1, 0}, {}}, 4, 2, {200, 200, 200}));  // everything left
  Exposure e = clean();
  e.blur_px = 0;
  e.motion = {8, 0};
  Image image;
  Renderer(camera).render(scene, Pose{{0, 0, 2}, {}} * Pose{{}, camera.X_BC.q}, e, image);
  // light to the left, dark ground to the right; half a slope of eight pixels each way
  const double edge = camera.cx;
  for (const double d : {-3.0, -1.5, 0.0, 2.0, 3.0})
    EXPECT_NEAR(grey(image, {edge + d, 240}), 200 - 75 * (d + 4) / 8, 1.5) << d;
  EXPECT_NEAR(grey(image, {edge - 6, 240}), 200, 1);
  EXPECT_NEAR(grey(image, {edge + 6, 240}), 125, 1);
}

TEST(Renderer, AShadowDarkensItsStripAndNothingElse) {
  const CameraModel camera = onboard();
  Scene scene;
  scene.ground.contrast = 0;
  scene.ground.tint = 0;
  scene.shadow = {{0, 0, 0}, 0, 0.5, 0.01, 0.4};  // along x, half a metre wide
  Image image;
  Renderer(camera).render(scene, Pose{{0, 0, 2}, {}} * Pose{{}, camera.X_BC.q}, clean(), image);
  EXPECT_NEAR(grey(image, {camera.cx, 240}), 125 * 0.6, 1);
  EXPECT_NEAR(grey(image, {camera.cx + 100, 240}), 125, 1);
  EXPECT_NEAR(grey(image, {camera.cx - 100, 240}), 125, 1);
}

TEST(Renderer, AFaceThatReachesFromBehindTheCameraToTheHorizonIsPaintedWhole) {
  const CameraModel c = onboard();
  // low over the ground, looking at it aslant: all four corners lie beyond the picture, or behind
  const Pose X_WC = above(1.5, 0, 0.9, 0.4);
  Scene bare, covered;
  covered.faces.push_back(plain_face({}, 2000, 2000, {200, 40, 40}));
  Image ground, plane;
  Renderer renderer(c);
  renderer.render(bare, X_WC, clean(), ground);
  renderer.render(covered, X_WC, clean(), plane);
  int on_ground = 0, red = 0;
  for (int v = 0; v < c.height; ++v)
    for (int u = 0; u < c.width; ++u) {
      const Vec3 ray = rotate(X_WC.q, unproject(c, {double(u), double(v)}));
      if (ray.z > -0.03) continue;  // sky, or too near to the horizon
      const std::uint8_t* p = plane.view().row(v) + 3 * u;
      ++on_ground;
      red += p[0] > 190 && p[1] < 50;
    }
  EXPECT_GT(on_ground, c.width * c.height / 4);
  EXPECT_EQ(red, on_ground);
}

TEST(Renderer, WhatLiesBesideThePictureOrBehindTheCameraChangesNoByte) {
  const CameraModel c = onboard();
  const Pose X_WC = above(2, 0.1, -0.2, 0.3);
  Scene bare;
  Image expected, seen;
  Renderer renderer(c);
  renderer.render(bare, X_WC, clean(), expected);
  for (const Vec3 p :
       {Vec3{6, 0, 0}, Vec3{-6, 1, 0}, Vec3{0, 6, 0}, Vec3{2, -6, 0}, Vec3{0, 0, 9}}) {
    Scene scene;
    scene.faces.push_back(ring_face({p, {}}, 0.4, 0.5, {200, 40, 40}));
    scene.faces.push_back(plain_face({p, {}}, 1, 1, {200, 40, 40}));
    renderer.render(scene, X_WC, clean(), seen);
    EXPECT_EQ(seen.pixels, expected.pixels) << p.x << ' ' << p.y << ' ' << p.z;
  }
}

}  // namespace
}  // namespace pintle::world
