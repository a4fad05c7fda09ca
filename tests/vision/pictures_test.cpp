// The detectors on pictures of the world's camera. The campaign of tests/soak/vision does the same
// with thousands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "labelled_set.h"
#include "pintle/base/random.h"
#include "pintle/testing/thorough.h"
#include "pintle/vision/calibrate.h"
#include "pintle/vision/detector.h"
#include "pintle/vision/dictionary.h"

namespace pintle::testing {
namespace {

using vision::Detection;
using vision::Detections;
using world::Scene;

Drawing drawing() {
  Drawing d;
  d.seed = 5;
  d.camera = onboard_camera();
  d.markers = {MarkerFamily::kArucoOriginal, 0.15, {100, 152}, {{7, 0.05}}};
  return d;
}

vision::DetectorSettings settings() {
  const Drawing d = drawing();
  vision::DetectorSettings s;
  s.camera = d.camera;
  s.markers = d.markers;
  s.ring = d.ring;
  return s;
}

/// A camera over the origin, so tilted, turned and high that the origin appears in the middle.
Pose above(double height, RollPitchYaw rpy) {
  const CameraModel c = onboard_camera();
  const Quat q_WC = from_rpy(rpy) * c.X_BC.q;
  const Vec3 axis = rotate(q_WC, {0, 0, 1});
  return {height / axis.z * axis, q_WC};
}

Vec3 up_of(RollPitchYaw rpy) { return rotate(conjugate(from_rpy(rpy)), {0, 0, 1}); }

Scene scene_with(world::Face face) {
  Scene s;
  s.ground.contrast = 0.08;
  s.faces.push_back(std::move(face));
  return s;
}

Detections found_in(const Scene& scene, const Pose& X_WC, std::optional<Vec3> up,
                    vision::DetectorSettings s = settings()) {
  const CameraModel camera = s.camera;
  Image image;
  world::Renderer(camera).render(scene, X_WC, {}, image);
  Detections found;
  std::string why;
  EXPECT_TRUE(vision::Detector(s).detect(image.view(), up, found, why)) << why;
  return found;
}

world::Face marker(std::uint32_t id, double side = 0.15, const Pose& X = {}) {
  return world::marker_face(X, side, 7, vision::marker_cells(MarkerFamily::kArucoOriginal, id));
}

TEST(Pictures, AMarkerIsFoundWithItsNumberPlaceTurnAndCorners) {
  const RollPitchYaw rpy{0.15, -0.2, 0.7};
  const Pose X_WC = above(1.2, rpy), X_WT{{0.1, -0.05, 0}, from_rpy({0, 0, 2})};
  const Detections found = found_in(scene_with(marker(152, 0.15, X_WT)), X_WC, up_of(rpy));
  ASSERT_EQ(found.size(), 1u);
  const Detection& d = found[0];
  EXPECT_EQ(d.kind, Detection::Kind::kMarker);
  EXPECT_EQ(d.id, 152u);
  const Pose truth = inverse(X_WC) * X_WT;
  EXPECT_LT(norm(d.X_CT.p - truth.p), 0.002);
  EXPECT_LT(norm(to_rotation_vector(conjugate(truth.q) * d.X_CT.q)), 0.02);
  const CameraModel c = onboard_camera();
  Pixel corner;
  ASSERT_TRUE(project(c, (truth * Pose{{-0.075, 0.075, 0}, {}}).p, corner));
  EXPECT_NEAR(d.corners[0].u, corner.u, 0.1);
  EXPECT_NEAR(d.corners[0].v, corner.v, 0.1);
  // in the body: forward, left, up, the camera 0.1 m ahead
  const Vec3 target_B = c.X_BC.p + rotate(c.X_BC.q, truth.p);
  EXPECT_LT(norm(d.target_B - target_B), 0.002);
  EXPECT_LT(d.target_B.z, -1);
}

TEST(Pictures, ATargetToTheLeftIsToTheLeftInTheBodyAndOneAheadIsAhead) {
  // hazard 12: the camera's axes; level, nothing turned
  const RollPitchYaw level{};
  const CameraModel c = onboard_camera();
  const Pose X_WC = Pose{{-c.X_BC.p.x, 0, 1.5}, {}} * c.X_BC;  // the camera over the origin
  const auto target = [&](Vec3 at) {
    const Detections found = found_in(scene_with(marker(100, 0.15, {at, {}})), X_WC, up_of(level));
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Vec3{} : found[0].target_B;
  };
  const Vec3 ahead = target({0.4, 0, 0}), left = target({0, 0.4, 0});
  EXPECT_NEAR(ahead.x, 0.5, 0.005);
  EXPECT_NEAR(ahead.y, 0, 0.005);
  EXPECT_NEAR(ahead.z, -1.5, 0.01);
  EXPECT_NEAR(left.x, 0.1, 0.005);
  EXPECT_NEAR(left.y, 0.4, 0.005);
}

TEST(Pictures, OfALargePictureAMarkerIsFoundAsWell) {
  // three times as many pixels each way, of which no table of rays is kept
  vision::DetectorSettings large = settings();
  CameraModel& c = large.camera;
  c.width *= 3, c.height *= 3, c.fx *= 3, c.fy *= 3;
  c.cx = 3 * (c.cx + 0.5) - 0.5, c.cy = 3 * (c.cy + 0.5) - 0.5;
  large.ring.reset();
  const RollPitchYaw rpy{0.15, -0.2, 0.7};
  const Pose X_WC = above(1.2, rpy), X_WT{{0.3, -0.25, 0}, from_rpy({0, 0, 2})};
  const Detections found = found_in(scene_with(marker(152, 0.15, X_WT)), X_WC, up_of(rpy), large);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(norm(found[0].X_CT.p - (inverse(X_WC) * X_WT).p), 0.001);
}

TEST(Pictures, NumbersOutsideOfTheListAreNotSeen) {
  EXPECT_TRUE(found_in(scene_with(marker(101)), above(1.2, {}), up_of({})).empty());
  EXPECT_EQ(found_in(scene_with(marker(100)), above(1.2, {}), up_of({})).size(), 1u);
}

TEST(Pictures, TheSizeOfTheNumberCounts) {
  // hazard 8: 0.05 m read as 0.15 m would be three times as far
  const Detections found = found_in(scene_with(marker(7, 0.05)), above(0.5, {}), up_of({}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].X_CT.p.z, 0.5, 0.005);
}

TEST(Pictures, TheTrueMatrixAndDistortionAreUsed) {
  // hazard 9: far from the middle, the matrix of the rectified picture would be 4 px off
  const RollPitchYaw rpy{};
  const Pose X_WC = above(1.0, rpy), X_WT{{0.42, 0.5, 0}, {}};
  const Detections found = found_in(scene_with(marker(100, 0.15, X_WT)), X_WC, up_of(rpy));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(norm(found[0].X_CT.p - (inverse(X_WC) * X_WT).p), 0.002);
}

TEST(Pictures, TheAttitudeDecidesWhichOfTwoPosesASmallMarkerHas) {
  int right = 0, of = 0;
  for (int k = 0; k < 12; ++k) {
    const RollPitchYaw rpy{0.25 * std::cos(k), 0.25 * std::sin(k), 0.3 * k};
    const Pose X_WC = above(2.8, rpy);
    for (const Detection& d : found_in(scene_with(marker(100)), X_WC, up_of(rpy))) {
      ++of;
      right +=
          norm(rotate(d.X_CT.q, {0, 0, 1}) - rotate(conjugate(X_WC.q), {0, 0, 1})) < 0.15 ? 1 : 0;
    }
  }
  EXPECT_GE(of, 11);
  EXPECT_EQ(right, of);
}

TEST(Pictures, SharpMarkersOfFourteenPixelsAreFound) {
  Drawing d = drawing();
  d.markers = {MarkerFamily::kTag36h11, 0.15, {100, 152}, {}};
  vision::DetectorSettings s = settings();
  s.markers = d.markers;
  vision::Detector detector(s);
  world::Renderer renderer(d.camera);
  Image image;
  Detections found;
  std::string why;
  constexpr Level kLevels[] = {Level::kEasy, Level::kMedium, Level::kHard};
  int of = 0, hits = 0;
  for (std::uint64_t i = 0; of < 40; ++i) {
    const LabelledScene drawn = draw_scene(d, Subject::kMarker, kLevels[i % 3], i);
    const double side_px = drawn.label.side_px;
    if (!(side_px >= 13 && side_px < 15.5 && drawn.label.blur_px < 0.6)) continue;
    ++of;
    renderer.render(drawn.scene, drawn.X_WC, drawn.exposure, image);
    ASSERT_TRUE(detector.detect(image.view(), drawn.label.up_B, found, why)) << why;
    for (const Detection& one : found) {
      EXPECT_EQ(one.id, drawn.label.id) << i;
      EXPECT_LT(norm(one.X_CT.p - drawn.label.X_CT.p), 0.05 * norm(drawn.label.X_CT.p)) << i;
    }
    hits += static_cast<int>(found.size());
  }
  EXPECT_GE(hits, 39);
}

TEST(Pictures, ASharpMarkerOfLargeCellsIsFoundAlthoughTheyTellNoBlur) {
  // cells of 8 px say a blur of up to 2 px: from there the fit of this one overshot to none
  Drawing d = drawing();
  d.seed = 6202;
  const LabelledScene s = draw_descent(d, 88, 90);
  Image image;
  world::Renderer(d.camera).render(s.scene, s.X_WC, s.exposure, image);
  Detections found;
  std::string why;
  ASSERT_TRUE(vision::Detector(settings()).detect(image.view(), s.label.up_B, found, why)) << why;
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](const Detection& o) { return o.id == 7; }),
            1);
}

TEST(Pictures, ARingIsFoundWholeCutAndTilted) {
  const struct {
    double height;
    Vec3 at;
    RollPitchYaw rpy;
    double least_share, most_share;
  } cases[] = {{2, {}, {}, 0.95, 1},
               {1.5, {0.1, 0.1, 0}, {0.35, -0.3, 1}, 0.9, 1},
               {0.8, {0.45, 0.4, 0}, {0.05, 0.05, 0}, 0.2, 0.7},
               {4.5, {}, {0, 0.2, 0}, 0.9, 1}};
  for (const auto& c : cases) {
    const Pose X_WC = above(c.height, c.rpy), X_WT{c.at, {}};
    const Detections found =
        found_in(scene_with(world::ring_face(X_WT, 0.45, 0.50, {20, 60, 190})), X_WC, up_of(c.rpy));
    ASSERT_EQ(found.size(), 1u) << c.height;
    EXPECT_EQ(found[0].kind, Detection::Kind::kCircle);
    EXPECT_LT(norm(found[0].X_CT.p - (inverse(X_WC) * X_WT).p), 0.01 * c.height) << c.height;
    EXPECT_GE(found[0].visible_share, c.least_share) << c.height;
    EXPECT_LE(found[0].visible_share, c.most_share) << c.height;
  }
}

TEST(Pictures, ConicsRunThroughTheEdgesOfTheRing) {
  const RollPitchYaw rpy{0.2, 0.1, 0};
  const Pose X_WC = above(2, rpy);
  const CameraModel camera = onboard_camera();
  const Detections found =
      found_in(scene_with(world::ring_face({}, 0.45, 0.50, {20, 60, 190})), X_WC, up_of(rpy));
  ASSERT_EQ(found.size(), 1u);
  CameraModel ideal = camera;
  ideal.distortion = {};
  for (const std::size_t edge : {0u, 1u})
    for (int k = 0; k < 8; ++k) {
      const double r = edge == 0 ? 0.50 : 0.45;
      const Vec3 p_W{r * std::cos(k), r * std::sin(k), 0};
      Pixel p;
      ASSERT_TRUE(project(ideal, (inverse(X_WC) * Pose{p_W, {}}).p, p));
      const auto& c = found[0].conics[edge];
      const double f =
          c[0] * p.u * p.u + c[1] * p.u * p.v + c[2] * p.v * p.v + c[3] * p.u + c[4] * p.v + c[5];
      const double by_u = 2 * c[0] * p.u + c[1] * p.v + c[3],
                   by_v = c[1] * p.u + 2 * c[2] * p.v + c[4];
      EXPECT_LT(std::abs(f) / std::hypot(by_u, by_v), 0.3);  // px from the curve
    }
}

TEST(Pictures, WhatIsNoRingOfThisKindIsRefused) {
  const world::Color blue{20, 60, 190}, red{200, 35, 30}, green{30, 160, 50};
  const Pose X_WC = above(2, {});
  const auto count = [&](const Scene& s) { return found_in(s, X_WC, up_of({})).size(); };
  EXPECT_EQ(count(scene_with(world::ring_face({}, 0.45, 0.50, blue))), 1u);
  EXPECT_EQ(count(scene_with(world::ring_face({}, 0.40, 0.50, blue))), 0u) << "ratio 0.8";
  EXPECT_EQ(count(scene_with(world::ring_face({}, 0.475, 0.50, blue))), 0u) << "ratio 0.95";
  EXPECT_EQ(count(scene_with(world::ring_face({}, 0, 0.50, blue))), 0u) << "a disc";
  EXPECT_EQ(count(scene_with(world::ring_face({}, 0.45, 0.50, red))), 0u)
      << "hazard 17: red is not blue";
  EXPECT_EQ(count(scene_with(world::ring_face({}, 0.45, 0.50, green))), 0u);
  Scene square = scene_with(world::plain_face({}, 1.0, 1.0, blue));
  square.faces.push_back(world::plain_face({}, 0.9, 0.9, {120, 120, 120}));
  EXPECT_EQ(count(square), 0u) << "a square frame";
}

TEST(Pictures, ARedPadIsFoundWhenRedIsAskedForAndEitherWhenEitherIs) {
  vision::DetectorSettings s = settings();
  const Pose X_WC = above(2, {});
  const Scene red = scene_with(world::ring_face({}, 0.45, 0.50, {200, 35, 30})),
              blue = scene_with(world::ring_face({}, 0.45, 0.50, {20, 60, 190}));
  s.ring->color = RingColor::kRed;
  EXPECT_EQ(found_in(red, X_WC, up_of({}), s).size(), 1u);
  EXPECT_EQ(found_in(blue, X_WC, up_of({}), s).size(), 0u);
  s.ring->color = RingColor::kBlueOrRed;
  EXPECT_EQ(found_in(red, X_WC, up_of({}), s).size(), 1u);
  EXPECT_EQ(found_in(blue, X_WC, up_of({}), s).size(), 1u);
}

TEST(Pictures, BothMethodsOfTheOriginalFindAWholeRingFromAbove) {
  for (const RingMethod method : {RingMethod::kHough, RingMethod::kRansac, RingMethod::kBest}) {
    vision::DetectorSettings s = settings();
    s.ring->method = method;
    const Detections found = found_in(scene_with(world::ring_face({}, 0.45, 0.50, {20, 60, 190})),
                                      above(2, {}), up_of({}), s);
    ASSERT_EQ(found.size(), 1u) << static_cast<int>(method);
    EXPECT_NEAR(found[0].X_CT.p.z, 2, 0.01);
  }
}

TEST(Pictures, AtLandingHeightTheMarkerInsideOfTheRingIsLeft) {
  // hazard 7: at 0.4 m the ring is outside of the picture
  Scene s = scene_with(world::ring_face({}, 0.45, 0.50, {20, 60, 190}));
  s.faces.push_back(marker(152, 0.15, {{0, 0.15, 0}, {}}));
  s.faces.push_back(marker(7, 0.05));
  const Detections low = found_in(s, above(0.4, {}), up_of({}));
  ASSERT_GE(low.size(), 1u);
  for (const Detection& d : low) EXPECT_EQ(d.kind, Detection::Kind::kMarker);
  EXPECT_NEAR(low[0].X_CT.p.z, 0.4, 0.01);
}

TEST(Pictures, DrawnOnesAreFoundAndPicturesWithoutATargetStayEmpty) {
  const Drawing d = drawing();
  world::Renderer renderer(d.camera);
  vision::Detector detector(settings());
  Image image;
  Detections found;
  std::string why;
  int markers = 0, rings = 0;
  for (int i = 0; i < 10; ++i) {
    for (const Subject subject : {Subject::kMarker, Subject::kRing, Subject::kNothing}) {
      const LabelledScene s = draw_scene(d, subject, Level::kMedium, static_cast<std::uint64_t>(i));
      renderer.render(s.scene, s.X_WC, s.exposure, image);
      ASSERT_TRUE(detector.detect(image.view(), s.label.up_B, found, why)) << why;
      if (subject == Subject::kNothing) {
        EXPECT_TRUE(found.empty()) << i;
      }
      for (const Detection& one : found) {
        EXPECT_LT(norm(one.X_CT.p - s.label.X_CT.p), 0.05 * norm(s.label.X_CT.p)) << i;
        ++(one.kind == Detection::Kind::kMarker ? markers : rings);
      }
    }
  }
  EXPECT_GE(markers, 9);
  EXPECT_GE(rings, 9);
}

TEST(Pictures, CornersOfFramesAndBlurredRingsOfHalfTheWidthAreNoRings) {
  struct {
    std::uint64_t seed, index;
    const char* shows;
  } constexpr kPictures[] = {{7, 98, "half the width"},   {7, 397, "a frame, cut"},
                             {7, 1193, "half the width"}, {7, 2041, "a frame, cut"},
                             {11, 697, "a frame, cut"},   {11, 2882, "half the width"},
                             {99, 425, "half the width"}, {99, 2936, "half the width"}};
  constexpr Level kLevels[] = {Level::kEasy, Level::kMedium, Level::kHard};
  Image image;
  Detections found;
  std::string why;
  for (const auto& p : kPictures) {
    Drawing d;
    d.seed = p.seed;
    d.camera = onboard_camera();
    d.markers = {MarkerFamily::kArucoOriginal, 0.15, {100, 152}, {{7, 0.05}}};
    vision::DetectorSettings s;
    s.camera = d.camera;
    s.ring = d.ring;
    const LabelledScene scene = draw_scene(d, Subject::kNothing, kLevels[p.index % 3], p.index);
    world::Renderer(d.camera).render(scene.scene, scene.X_WC, scene.exposure, image);
    ASSERT_TRUE(vision::Detector(s).detect(image.view(), scene.label.up_B, found, why)) << why;
    EXPECT_TRUE(found.empty()) << p.shows << ", seed " << p.seed << ", picture " << p.index;
  }
}

/// e^T C^-1 e.
double normalised_squared(const Mat3& C, Vec3 e) {
  const Vec3 a{C(0, 0), C(1, 0), C(2, 0)}, b{C(0, 1), C(1, 1), C(2, 1)},
      c{C(0, 2), C(1, 2), C(2, 2)};
  return (e.x * dot(e, cross(b, c)) + e.y * dot(a, cross(e, c)) + e.z * dot(a, cross(b, e))) /
         dot(a, cross(b, c));
}

TEST(Pictures, AnAttitudeThatIsWrongMakesNoPoseThatIsWrongAndSure) {
  Drawing d = drawing();
  d.seed = 31;
  vision::DetectorSettings s = settings();
  s.ring.reset();
  vision::Detector detector(s);
  world::Renderer renderer(d.camera);
  RandomStream random(d.seed, "attitudes");
  Image image;
  Detections found;
  std::string why;
  int of = 0, seen = 0, wrong_and_sure = 0;
  for (std::uint64_t i = 0; of < 24 * 4; ++i) {
    const LabelledScene scene = draw_scene(d, Subject::kMarker, Level::kMedium, i);
    if (!(scene.label.side_px > 24)) continue;
    renderer.render(scene.scene, scene.X_WC, scene.exposure, image);
    for (const double off_deg : {15., 30., 50., 90.}) {
      const double way = random.uniform(0, 2 * kPi);
      const Vec3 up =
          rotate(from_rotation_vector(radians(off_deg) * Vec3{std::cos(way), std::sin(way), 0}),
                 scene.label.up_B);
      ASSERT_TRUE(detector.detect(image.view(), up, found, why)) << why;
      ++of;
      for (const Detection& one : found) {
        ++seen;
        Mat3 turn;
        for (std::size_t r = 0; r < 3; ++r)
          for (std::size_t c = 0; c < 3; ++c) turn(r, c) = one.covariance[6 * (3 + r) + 3 + c];
        const Vec3 off = to_rotation_vector(one.X_CT.q * conjugate(scene.label.X_CT.q));
        wrong_and_sure += normalised_squared(turn, off) > 25 ? 1 : 0;
      }
    }
  }
  EXPECT_GE(seen, of - 2);
  EXPECT_LE(wrong_and_sure, 2);
}

TEST(Pictures, EveryCovarianceIsSymmetricAndPositive) {
  Drawing d = drawing();
  vision::Detector detector(settings());
  world::Renderer renderer(d.camera);
  Image image;
  Detections found;
  std::string why;
  int of = 0;
  const auto look = [&](const std::optional<Vec3>& up) {
    ASSERT_TRUE(detector.detect(image.view(), up, found, why)) << why;
    for (const Detection& one : found) {
      ++of;
      // Cholesky, of the correlations
      std::array<std::array<double, 6>, 6> L{};
      const auto C = [&](std::size_t i, std::size_t j) {
        EXPECT_EQ(one.covariance[6 * i + j], one.covariance[6 * j + i]);
        return one.covariance[6 * i + j] / std::sqrt(one.covariance[7 * i] * one.covariance[7 * j]);
      };
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          double left = C(i, j);
          for (std::size_t k = 0; k < j; ++k) left -= L[i][k] * L[j][k];
          if (i == j) {
            ASSERT_GT(left, 1e-12) << static_cast<int>(one.kind);
          }
          L[i][j] = i == j ? std::sqrt(left) : left / L[j][j];
        }
    }
  };
  const auto of_each = static_cast<std::uint64_t>(cases(24));
  for (std::uint64_t i = 0; i < of_each; ++i)
    for (const Subject subject : {Subject::kMarker, Subject::kRing}) {
      const LabelledScene s = draw_scene(d, subject, i % 2 == 0 ? Level::kEasy : Level::kHard, i);
      renderer.render(s.scene, s.X_WC, s.exposure, image);
      look(s.label.up_B);
      look(std::nullopt);
    }
  // small, and from straight above; near, without noise
  for (const double height : {0.45, 2., 4.8, 6.}) {
    renderer.render(scene_with(marker(100)), above(height, {}), {}, image);
    look(up_of({}));
    look(std::nullopt);
  }
  EXPECT_GT(of, kThorough ? 80 : 1);
}

// the sum of n normalised squares of three is 3 n, and off by sqrt(6 n); tails are allowed for
TEST(Pictures, TheStatedCovarianceOfMarkersIsTrueInEasyAndInHardPictures) {
  Drawing d = drawing();
  d.seed = 77;
  vision::DetectorSettings s = settings();
  s.ring.reset();
  vision::Detector detector(s);
  world::Renderer renderer(d.camera);
  for (const Level level : {Level::kEasy, Level::kMedium, Level::kHard}) {
    double sum = 0;
    int n = 0;
    for (std::uint64_t i = 0; i < cases(100U); ++i) {
      const LabelledScene scene = draw_scene(d, Subject::kMarker, level, i);
      Image image;
      renderer.render(scene.scene, scene.X_WC, scene.exposure, image);
      Detections found;
      std::string why;
      ASSERT_TRUE(detector.detect(image.view(), scene.label.up_B, found, why)) << why;
      for (const Detection& one : found) {
        sum += normalised_squared(one.covariance_B, one.target_B - scene.label.target_B);
        ++n;
      }
    }
    if (!kThorough) continue;
    ASSERT_GT(n, 80) << name_of(level);
    EXPECT_GT(sum / n, 2) << name_of(level) << ": stated too large";
    EXPECT_LT(sum / n, 4) << name_of(level) << ": stated too small";
  }
}

TEST(Pictures, TheSamePictureGivesTheSameAnswer) {
  const Drawing d = drawing();
  const LabelledScene s = draw_scene(d, Subject::kRing, Level::kMedium, 3);
  const Detections a = found_in(s.scene, s.X_WC, s.label.up_B),
                   b = found_in(s.scene, s.X_WC, s.label.up_B);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].X_CT, b[i].X_CT);
    EXPECT_EQ(a[i].covariance, b[i].covariance);
  }
}

/// The pictures of a stream, one after the other.
class Stream {
 public:
  Detections next(const Scene& scene, const Pose& X_WC, Vec3 up) {
    Detections found;
    std::string why;
    Image image;
    renderer_.render(scene, X_WC, {}, image);
    EXPECT_TRUE(detector_.follow(image.view(), up, found, why)) << why;
    return found;
  }

 private:
  vision::Detector detector_{settings()};
  world::Renderer renderer_{onboard_camera()};
};

constexpr int kWholeEvery = 30;  // pictures, as the header says

TEST(Stream, WhatIsFollowedIsWhatThePictureAloneShows) {
  const Drawing d = drawing();
  world::Renderer renderer(d.camera);
  vision::Detector follower(settings()), alone(settings());
  Image image;
  Detections followed, found;
  std::string why;
  const int of = cases(90);
  int seen = 0, not_yet = 0;
  for (int i = 0; i < of; ++i) {
    const LabelledScene s = draw_descent(d, i, of);
    renderer.render(s.scene, s.X_WC, s.exposure, image);
    ASSERT_TRUE(follower.follow(image.view(), s.label.up_B, followed, why)) << why;
    ASSERT_TRUE(alone.detect(image.view(), s.label.up_B, found, why)) << why;
    for (const Detection& f : followed) {
      const auto is_same = [&](const Detection& o) { return o.kind == f.kind && o.id == f.id; };
      const auto same = std::find_if(found.begin(), found.end(), is_same);
      ASSERT_NE(same, found.end()) << i << ": found where the whole picture shows none";
      Pixel a, b, true_middle;
      ASSERT_TRUE(project(d.camera, f.X_CT.p, a) && project(d.camera, same->X_CT.p, b) &&
                  project(d.camera, s.label.X_CT.p, true_middle));
      // both begin at other places and end where their pixels say; the middle of a fifth of a ring
      // is far from what is seen of it, and so stated
      const auto sigma_px = [&](const Detection& o) {
        return d.camera.fx * std::sqrt(std::max(o.covariance[0], o.covariance[7])) / o.X_CT.p.z;
      };
      if (f.kind == Detection::Kind::kMarker) {
        EXPECT_LT(std::hypot(a.u - b.u, a.v - b.v), 0.5) << i;
      } else {
        EXPECT_LT(std::hypot(a.u - b.u, a.v - b.v),
                  std::max(0.5, 3 * std::hypot(sigma_px(f), sigma_px(*same))))
            << i;
        EXPECT_LT(std::hypot(a.u - true_middle.u, a.v - true_middle.v),
                  std::max(0.3, 4 * sigma_px(f)))
            << i;
      }
      EXPECT_LT(norm(f.X_CT.p - same->X_CT.p), 0.02 * norm(f.X_CT.p)) << i;
      found.erase(same);
      ++seen;
    }
    not_yet += static_cast<int>(found.size());
  }
  if (!kThorough) return;
  EXPECT_GT(seen, 2 * of);
  // what appears is seen at the next whole picture
  EXPECT_LT(not_yet, 2 * kWholeEvery);
}

TEST(Stream, ANewTargetAtTheOtherSideIsSeenWithinThirtyPictures) {
  const Pose X_WC = above(1.6, {}), left{{-0.1, 0.5, 0}, {}}, right{{-0.1, -0.5, 0}, {}};
  const world::Face kNew[] = {marker(152, 0.15, right),
                              world::ring_face({{0, -0.1, 0}, {}}, 0.45, 0.50, {20, 60, 190})};
  for (const world::Face& face : kNew) {
    Stream stream;
    Scene s = scene_with(marker(100, 0.15, left));
    for (int i = 0; i < 4; ++i) ASSERT_EQ(stream.next(s, X_WC, up_of({})).size(), 1u) << i;
    s.faces.insert(s.faces.begin(), face);
    int took = 1;
    while (took < 60 && stream.next(s, X_WC, up_of({})).size() < 2) ++took;
    EXPECT_LE(took, kWholeEvery);
    EXPECT_EQ(stream.next(s, X_WC, up_of({})).size(), 2u) << "and then it is followed";
  }
}

TEST(Stream, ALostTargetIsSoughtInTheWholePictureAtOnce) {
  const Pose X_WC = above(1.6, {});
  const auto at = [&](Vec3 p) { return scene_with(marker(100, 0.15, {p, {}})); };
  const auto ring = [&](Vec3 p) {
    return scene_with(world::ring_face({p, {}}, 0.45, 0.50, {20, 60, 190}));
  };
  Stream stream;
  ASSERT_EQ(stream.next(at({0, 0.5, 0}), X_WC, up_of({})).size(), 1u);
  ASSERT_EQ(stream.next(at({0, 0.5, 0}), X_WC, up_of({})).size(), 1u);
  ASSERT_EQ(stream.next(at({0, -0.5, 0}), X_WC, up_of({})).size(), 1u) << "in the same picture";
  Stream rings;
  ASSERT_EQ(rings.next(ring({0, 0.2, 0}), X_WC, up_of({})).size(), 1u);
  ASSERT_EQ(rings.next(ring({0, 0.2, 0}), X_WC, up_of({})).size(), 1u);
  ASSERT_EQ(rings.next(ring({0, -0.2, 0}), X_WC, up_of({})).size(), 1u);
  // gone for a while, and nothing else to follow: each picture is searched as a whole
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(stream.next(Scene{}, X_WC, up_of({})).empty());
  ASSERT_EQ(stream.next(at({0.3, 0.1, 0}), X_WC, up_of({})).size(), 1u);
}

TEST(Stream, InThePlaceOfOneThatWasFollowedTheSameIsRefusedAsAlone) {
  const world::Color blue{20, 60, 190}, red{200, 35, 30}, green{30, 160, 50};
  const Pose X_WC = above(2, {});
  const Scene pad = scene_with(world::ring_face({}, 0.45, 0.50, blue));
  Scene square = scene_with(world::plain_face({}, 1.0, 1.0, blue));
  square.faces.push_back(world::plain_face({}, 0.9, 0.9, {120, 120, 120}));
  const struct {
    const char* what;
    Scene instead;
  } rings[] = {{"ratio 0.8", scene_with(world::ring_face({}, 0.40, 0.50, blue))},
               {"ratio 0.95", scene_with(world::ring_face({}, 0.475, 0.50, blue))},
               {"a disc", scene_with(world::ring_face({}, 0, 0.50, blue))},
               {"red", scene_with(world::ring_face({}, 0.45, 0.50, red))},
               {"green", scene_with(world::ring_face({}, 0.45, 0.50, green))},
               {"hardly blue", scene_with(world::ring_face({}, 0.45, 0.50, {160, 162, 180}))},
               {"a square", square}};
  for (const auto& c : rings) {
    ASSERT_TRUE(found_in(c.instead, X_WC, up_of({})).empty()) << c.what;
    Stream stream;
    ASSERT_EQ(stream.next(pad, X_WC, up_of({})).size(), 1u);
    ASSERT_EQ(stream.next(pad, X_WC, up_of({})).size(), 1u);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(stream.next(c.instead, X_WC, up_of({})).empty()) << c.what;
  }
  auto cells = vision::marker_cells(MarkerFamily::kArucoOriginal, 100);
  cells[24] ^= 1;  // one bit is wrong
  Scene border = scene_with(marker(100));
  border.faces.push_back(world::plain_face({{0.0643, 0, 0}, {}}, 0.0214, 0.1, {230, 230, 230}));
  const Scene markers[] = {scene_with(marker(101)), border,
                           scene_with(world::marker_face({}, 0.15, 7, cells))};
  for (const Scene& instead : markers) {
    ASSERT_TRUE(found_in(instead, X_WC, up_of({})).empty());
    Stream stream;
    ASSERT_EQ(stream.next(scene_with(marker(100)), X_WC, up_of({})).size(), 1u);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream.next(instead, X_WC, up_of({})).empty());
  }
}

TEST(Stream, TheSamePicturesInTheSameOrderGiveTheSameAnswers) {
  const Drawing d = drawing();
  world::Renderer renderer(d.camera);
  vision::Detector one(settings()), other(settings());
  Image image;
  Detections a, b, alone;
  std::string why;
  for (int i = 0; i < cases(24); ++i) {
    const LabelledScene s = draw_descent(d, 60 + i, 120);
    renderer.render(s.scene, s.X_WC, s.exposure, image);
    ASSERT_TRUE(one.follow(image.view(), s.label.up_B, a, why));
    ASSERT_TRUE(other.follow(image.view(), s.label.up_B, b, why));
    // what is asked for alone in between changes nothing
    ASSERT_TRUE(other.detect(image.view(), s.label.up_B, alone, why));
    ASSERT_EQ(a.size(), b.size()) << i;
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].X_CT, b[k].X_CT) << i;
      EXPECT_EQ(a[k].covariance, b[k].covariance) << i;
    }
  }
}

TEST(Pictures, AnyPixelsAreWorkedOnAndGiveFiniteAnswers) {
  // hazard 19: no pixel is read outside of the picture (the sanitizers look)
  vision::Detector detector(settings());
  RandomStream random(3, "pixels");
  Image image;
  image.resize(640, 480, 3);
  Detections found;
  std::string why;
  for (int kind = 0; kind < 6; ++kind) {
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      const std::size_t u = i / 3 % 640, v = i / 1920;
      image.pixels[i] = static_cast<std::uint8_t>(
          kind == 0   ? 0
          : kind == 1 ? 255
          : kind == 2 ? random.bits() & 255
          : kind == 3 ? (i % 3 == 2 ? 255 : 0)                    // all blue
          : kind == 4 ? (((u / 16 + v / 16) % 2) != 0 ? 255 : 0)  // a board
                      : (i % 3 == 2 && (u < 3 || v < 3 || u > 636 || v > 476) ? 255 : 60));
    }
    ASSERT_TRUE(detector.detect(image.view(), std::nullopt, found, why)) << why;
    for (const Detection& d : found) EXPECT_TRUE(is_finite(d.X_CT));
  }
}

TEST(Pictures, APictureOfAnotherSizeIsRefused) {
  vision::Detector detector(settings());
  Image image;
  image.resize(320, 240, 3);
  Detections found;
  std::string why;
  EXPECT_FALSE(detector.detect(image.view(), std::nullopt, found, why));
  EXPECT_EQ(why, "the picture is 320 x 240, the camera file says 640 x 480");
}

TEST(Calibration, OfDrawnChessboardsIsTheCameraThatDrewThem) {
  const CameraModel truth = onboard_camera();
  const vision::Board board{9, 6, 0.03};
  world::CellFace cells;
  cells.columns = board.columns + 3;
  cells.rows = board.rows + 3;
  cells.width_m = board.square_m * cells.columns;
  cells.height_m = board.square_m * cells.rows;
  for (int r = 0; r < cells.rows; ++r)
    for (int c = 0; c < cells.columns; ++c) {
      const bool margin = r == 0 || c == 0 || r == cells.rows - 1 || c == cells.columns - 1;
      cells.light.push_back(margin || (r + c) % 2 == 0 ? 1 : 0);
    }
  world::Face face;
  face.kind = world::Face::Kind::kCells;
  face.cells = cells;
  world::Renderer renderer(truth);
  RandomStream random(4, "boards");
  Image image;
  std::vector<vision::BoardView> views;
  vision::BoardView view;
  std::string why;
  for (int k = 0; k < 14; ++k) {
    Pose X_WC = above(random.uniform(0.4, 0.6), {random.uniform(-0.5, 0.5),
                                                 random.uniform(-0.5, 0.5), random.uniform(-3, 3)});
    X_WC.p = X_WC.p + Vec3{random.uniform(-0.05, 0.05), random.uniform(-0.04, 0.04), 0};
    world::Exposure exposure;
    exposure.seed = static_cast<std::uint64_t>(k);
    renderer.render(scene_with(face), X_WC, exposure, image);
    if (vision::find_board(image.view(), board, view, why)) views.push_back(view);
  }
  EXPECT_GE(views.size(), 10U);
  vision::Calibration c;
  ASSERT_TRUE(vision::calibrate(views, truth.width, truth.height, c, why)) << why;
  EXPECT_LT(c.residual_px, 0.2);
  const std::array<double, 4> found{c.camera.fx, c.camera.fy, c.camera.cx, c.camera.cy},
      is{truth.fx, truth.fy, truth.cx, truth.cy};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(c.sigma[i], 2) << i;
    EXPECT_LT(std::abs(found[i] - is[i]), 4 * c.sigma[i] + 0.3) << i;
  }
  // the unit of length is nobody's business but the board's
  std::vector<vision::BoardView> longer = views;
  for (auto& v : longer)
    for (Vec3& p : v.at_m) p = 0.0041 * p;
  vision::Calibration scaled;
  ASSERT_TRUE(vision::calibrate(longer, truth.width, truth.height, scaled, why)) << why;
  EXPECT_NEAR(scaled.camera.fx, c.camera.fx, 1e-6 * c.camera.fx);
  EXPECT_NEAR(scaled.sigma[0], c.sigma[0], 1e-4 * c.sigma[0]);
  // what is seen twice counts once
  std::vector<vision::BoardView> twice = views;
  twice.insert(twice.end(), views.begin(), views.end());
  ASSERT_TRUE(vision::calibrate(twice, truth.width, truth.height, scaled, why)) << why;
  EXPECT_EQ(scaled.camera, c.camera);
  EXPECT_EQ(scaled.sigma, c.sigma);
  EXPECT_EQ(scaled.of_picture_px.size(), twice.size());
  EXPECT_FALSE(vision::calibrate(std::vector(15, views[0]), 640, 480, scaled, why));
  EXPECT_NE(why.find("1 of 15 pictures differ"), std::string::npos) << why;
  // too few, or corners of another board
  EXPECT_FALSE(vision::calibrate({views[0], views[1]}, 640, 480, c, why));
  EXPECT_NE(why.find("it takes 4"), std::string::npos) << why;
  std::reverse(views[0].seen.begin(), views[0].seen.begin() + 20);
  EXPECT_FALSE(vision::calibrate(views, 640, 480, c, why));
}

TEST(Calibration, CornersInALargePictureAreFoundToPartsOfAPixelOfLargeAndSmallSquares) {
  const vision::Board board;
  Image image;
  image.resize(4000, 3000, 3);
  for (const double side_px : {210.0, 26.0}) {
    // straight edges that take two pixels, turned by 0.3 rad
    const double c = std::cos(0.3), s = std::sin(0.3), u0 = 1200.3, v0 = 700.7;
    const auto sign = [&](double at) {
      const double k = std::round(at / side_px), off = std::clamp(at - k * side_px, -1.0, 1.0);
      return static_cast<int>(k) % 2 == 0 ? off : -off;
    };
    for (int v = 0; v < image.height; ++v)
      for (int u = 0; u < image.width; ++u) {
        const double x = c * (u - u0) + s * (v - v0), y = -s * (u - u0) + c * (v - v0);
        const bool on = std::min(x, y) > -side_px && x < 9 * side_px && y < 6 * side_px;
        std::fill_n(image.pixels.data() + 3 * (std::size_t(v) * 4000 + std::size_t(u)), 3,
                    static_cast<std::uint8_t>(on ? 130 - 90 * sign(x) * sign(y) : 220));
      }
    vision::BoardView view;
    std::string why;
    ASSERT_TRUE(vision::find_board(image.view(), board, view, why)) << side_px << why;
    for (const Pixel& p : view.seen) {
      const double x = c * (p.u - u0) + s * (p.v - v0), y = -s * (p.u - u0) + c * (p.v - v0);
      EXPECT_NEAR(x, side_px * std::round(x / side_px), 0.05);
      EXPECT_NEAR(y, side_px * std::round(y / side_px), 0.05);
    }
  }
}

TEST(Calibration, OfABoardThatIsNeverTiltedIsRefusedAndSaysWhy) {
  // exact corners: no noise could tell a long lens from a short one
  const CameraModel truth = onboard_camera();
  for (const double lean : {0.0, 0.01, 0.35}) {
    std::vector<vision::BoardView> views;
    for (int k = 0; k < 12; ++k) {
      const Pose X_WC =
          above(0.4 + 0.01 * k, {lean * std::sin(k), lean * std::cos(2.0 * k), 0.2 * k});
      vision::BoardView& view = views.emplace_back();
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 9; ++c) {
          const Vec3 p{0.02 * (c - 4), 0.02 * (r - 2.5), 0};
          Pixel at;
          ASSERT_TRUE(project(truth, rotate(inverse(X_WC).q, p - X_WC.p), at));
          view.seen.push_back(at);
          view.at_m.push_back({0.02 * c, 0.02 * r, 0});
        }
    }
    vision::Calibration c;
    std::string why;
    const bool good = vision::calibrate(views, truth.width, truth.height, c, why);
    EXPECT_EQ(good, lean > 0.1) << lean;
    if (good) {
      EXPECT_NEAR(c.camera.fx, truth.fx, 0.1);
    } else {
      EXPECT_NE(why.find("Tilt the board"), std::string::npos) << why;
    }
  }
}

/// Pictures of a board of markers from all sides, some of them with the board partly outside.
std::vector<Image> pictures_of(const vision::MarkerBoard& board, const CameraModel& camera) {
  Scene scene = scene_with({});
  scene.faces.clear();
  const double pitch = board.side_m + board.gap_m;
  // the paper
  world::Face paper;
  paper.kind = world::Face::Kind::kCells;
  paper.cells.columns = paper.cells.rows = 1;
  paper.cells.width_m = pitch * board.columns + board.gap_m;
  paper.cells.height_m = pitch * board.rows + board.gap_m;
  paper.cells.light = {1};
  scene.faces.push_back(paper);
  for (int r = 0; r < board.rows; ++r)
    for (int c = 0; c < board.columns; ++c) {
      const Vec3 at{pitch * (c - 0.5 * (board.columns - 1)), -pitch * (r - 0.5 * (board.rows - 1)),
                    0};
      const auto id = board.first_id + static_cast<std::uint32_t>(r * board.columns + c);
      scene.faces.push_back(world::marker_face({at, {}}, board.side_m,
                                               vision::cells_along(board.family),
                                               vision::marker_cells(board.family, id)));
    }
  world::Renderer renderer(camera);
  RandomStream random(6, "marker boards");
  std::vector<Image> out(15);
  for (std::size_t k = 0; k < out.size(); ++k) {
    Pose X_WC =
        above(random.uniform(0.3, 0.45),
              {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-3, 3)});
    X_WC.p = X_WC.p + Vec3{random.uniform(-0.1, 0.1), random.uniform(-0.08, 0.08), 0};
    world::Exposure exposure;
    exposure.seed = k;
    renderer.render(scene, X_WC, exposure, out[k]);
  }
  return out;
}

TEST(Calibration, OfDrawnMarkerBoardsIsTheCameraThatDrewThem) {
  CameraModel truth = onboard_camera();
  truth.distortion = {-0.12, 0.05, 0.001, -0.0015, 0};
  for (const MarkerFamily family :
       testing::cases({MarkerFamily::kTag36h11, MarkerFamily::kArucoOriginal})) {
    const vision::MarkerBoard board{family, 6, 5, 0.04, 0.01, 20};
    std::vector<vision::BoardView> views;
    vision::BoardView view;
    std::string why;
    bool some_in_part = false;
    for (const Image& image : pictures_of(board, truth)) {
      if (!vision::find_board(image.view(), board, view, why)) continue;
      views.push_back(view);
      some_in_part = some_in_part || view.seen.size() < 4U * 30;
    }
    ASSERT_GE(views.size(), 12U) << why;
    EXPECT_TRUE(some_in_part);
    vision::Calibration c;
    ASSERT_TRUE(vision::calibrate(views, truth.width, truth.height, c, why)) << why;
    EXPECT_LT(c.residual_px, 0.2);
    const std::array<double, 8> found{c.camera.fx,
                                      c.camera.fy,
                                      c.camera.cx,
                                      c.camera.cy,
                                      c.camera.distortion[0],
                                      c.camera.distortion[1],
                                      c.camera.distortion[2],
                                      c.camera.distortion[3]},
        is{truth.fx,
           truth.fy,
           truth.cx,
           truth.cy,
           truth.distortion[0],
           truth.distortion[1],
           truth.distortion[2],
           truth.distortion[3]},
        within{1, 1, 1, 1, 0.005, 0.03, 0.0005, 0.0005};
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_LT(std::abs(found[i] - is[i]), within[i]) << i;
      EXPECT_LT(std::abs(found[i] - is[i]), 5 * c.sigma[i] + 0.2 * within[i]) << i;
    }
  }
}

TEST(Calibration, OfAnotherMarkerBoardIsRefusedAndSaysWhy) {
  const vision::MarkerBoard printed{MarkerFamily::kTag36h11, 6, 5, 0.04, 0.01, 20};
  const std::vector<Image> pictures = pictures_of(printed, onboard_camera());
  vision::BoardView view;
  std::string why;
  // other numbers
  vision::MarkerBoard said = printed;
  said.first_id = 200;
  EXPECT_FALSE(vision::find_board(pictures[0].view(), said, view, why));
  EXPECT_NE(why.find("markers of another board"), std::string::npos) << why;
  EXPECT_NE(why.find("200 to 229"), std::string::npos) << why;
  // another dictionary
  said = printed;
  said.family = MarkerFamily::kArucoOriginal;
  EXPECT_FALSE(vision::find_board(pictures[0].view(), said, view, why));
  EXPECT_NE(why.find("0 of the board's 30 markers"), std::string::npos) << why;
  // along and across exchanged, another gap: what is seen fits no camera
  for (const bool turned : {true, false}) {
    said = printed;
    if (turned)
      std::swap(said.columns, said.rows);
    else
      said.gap_m = 0.02;
    std::vector<vision::BoardView> views;
    for (const Image& image : pictures)
      if (vision::find_board(image.view(), said, view, why)) views.push_back(view);
    vision::Calibration c;
    EXPECT_FALSE(vision::calibrate(views, 640, 480, c, why)) << turned << c.residual_px;
    EXPECT_NE(why.find("gaps of markers"), std::string::npos) << why;
  }
  EXPECT_TRUE(check(printed).empty());
  said = printed;
  said.first_id = 580;
  ASSERT_EQ(check(said).size(), 1U);
  EXPECT_EQ(check(said)[0].path, "first");
}

}  // namespace
}  // namespace pintle::testing
