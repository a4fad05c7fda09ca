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
        const Mat3& C = one.covariance_B;
        const Vec3 e = one.target_B - scene.label.target_B;
        const Vec3 a{C(0, 0), C(1, 0), C(2, 0)}, b{C(0, 1), C(1, 1), C(2, 1)},
            c{C(0, 2), C(1, 2), C(2, 2)};
        sum += (e.x * dot(e, cross(b, c)) + e.y * dot(a, cross(e, c)) + e.z * dot(a, cross(b, e))) /
               dot(a, cross(b, c));
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
  std::vector<std::vector<Pixel>> corners;
  for (int k = 0; k < 14; ++k) {
    Pose X_WC = above(random.uniform(0.4, 0.6), {random.uniform(-0.5, 0.5),
                                                 random.uniform(-0.5, 0.5), random.uniform(-3, 3)});
    X_WC.p = X_WC.p + Vec3{random.uniform(-0.05, 0.05), random.uniform(-0.04, 0.04), 0};
    world::Exposure exposure;
    exposure.seed = static_cast<std::uint64_t>(k);
    renderer.render(scene_with(face), X_WC, exposure, image);
    if (auto found = vision::find_board(image.view(), board)) corners.push_back(*found);
  }
  EXPECT_GE(corners.size(), 10U);
  vision::Calibration c;
  std::string why;
  ASSERT_TRUE(vision::calibrate(board, corners, truth.width, truth.height, c, why)) << why;
  EXPECT_LT(c.residual_px, 0.2);
  const std::array<double, 4> found{c.camera.fx, c.camera.fy, c.camera.cx, c.camera.cy},
      is{truth.fx, truth.fy, truth.cx, truth.cy};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(c.sigma[i], 2) << i;
    EXPECT_LT(std::abs(found[i] - is[i]), 4 * c.sigma[i] + 0.3) << i;
  }
  // too few, or corners of another board
  EXPECT_FALSE(vision::calibrate(board, {corners[0], corners[1]}, 640, 480, c, why));
  EXPECT_NE(why.find("it takes 4"), std::string::npos) << why;
  std::reverse(corners[0].begin(), corners[0].begin() + 20);
  EXPECT_FALSE(vision::calibrate(board, corners, 640, 480, c, why));
}

}  // namespace
}  // namespace pintle::testing
