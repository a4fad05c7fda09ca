// Hazards of the delivery that begin in a picture, on pixels: the world is drawn as its camera sees
// it, spoilt there, searched, and flown by. Above a test the change to the code that it does not survive: `scripts/mutate --named` tries them all.
#include <gtest/gtest.h>

#include "pintle/config/reader.h"
#include "pintle/testing/pictured_rig.h"
#include "pintle/testing/thorough.h"
#include "pintle/vehicle/vision_files.h"
#include "pintle/vision/dictionary.h"
#include "pintle/vision/sightings.h"
#include "pintle/world/renderer.h"

namespace pintle {
namespace {

using testing::PicturedRig;

constexpr world::Color kBlue{20, 60, 190}, kRed{200, 35, 30};

CameraModel shipped_camera() {
  const auto document =
      config::Document::load(std::string(PINTLE_SOURCE_DIR) + "/vision/camera_onboard.yaml");
  config::Reader reader(document);
  vehicle::CameraFile out;
  vehicle::read_camera_file(reader, document, out);
  (void)reader.finish();
  return out.model;
}

bool is_ring(const world::Face& f) { return f.kind == world::Face::Kind::kRing; }

void expect_home_with_payload(PicturedRig& r, const std::string& what) {
  EXPECT_EQ(r.rig.out->mission.phase, MissionPhase::kAborted) << what;
  EXPECT_FALSE(r.rig.dropped) << what;
  EXPECT_EQ(r.rig.phase, FlightPhase::kMotorsOff) << what;
  // the car is expected 2.2 m from home, and no target further than 3 m from there
  EXPECT_LT(r.farthest_m, 6) << what;
}

TEST(DeliveryOnPixels, IsMadeWithNothingElseToSeeBy) {
  PicturedRig r(1);
  r.fly();
  EXPECT_EQ(r.rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_LT(PicturedRig::level(r.rig.dropped_at, r.rig.car), 0.10);
  EXPECT_LT(PicturedRig::level(r.rig.p, r.rig.pad), 0.10);
}

// mutant: where a target can be is not looked at (mission/target_track.cpp)
TEST(Hazard08, AMarkerThatIsPrintedInAnotherSizeThanItsFileSaysIsNotServed) {
  for (const double scale : testing::cases({1.0 / 3, 2.5})) {
    PicturedRig r(2, [scale](Time, world::Scene& scene, world::Exposure&) {
      for (world::Face& f : scene.faces)
        // the car's, which stands higher
        if (!is_ring(f) && f.cells.columns > 1 && f.cells.X_WF.p.z > 0.1)
          f.cells.width_m *= scale, f.cells.height_m *= scale;
    });
    r.fly();
    expect_home_with_payload(r, std::to_string(scale));
    EXPECT_GT(r.lowest_m, 0.85) << scale;
  }
}

// mutant: projection_matrix is taken, and no distortion (vehicle/vision_files.cpp)
TEST(Hazard09, MatrixAndDistortionOfTheRawPictureCountAndNotItsProjection) {
  const CameraModel camera = shipped_camera();
  CameraModel projection = camera;
  projection.fx = 488.5268249511719, projection.cx = 305.0990841060138;
  projection.fy = 489.0720520019531, projection.cy = 269.8452152812879;
  projection.distortion = {};
  vision::Targets targets;
  targets.ring = RingTarget{};
  vision::Detector right(vision::settings_of(camera, targets)),
      wrong(vision::settings_of(projection, targets));
  world::Renderer renderer(camera);
  world::Scene scene;
  scene.faces.push_back(world::ring_face({}, 0.45, 0.50, kBlue));
  double worst_right = 0, sum_wrong = 0;
  int n = 0;
  for (const Vec3 from : {Vec3{0.5, 0.35, 2}, Vec3{-0.5, 0.4, 2}, Vec3{0.4, -0.5, 2.2}}) {
    const Pose X_WB{from, {}};
    Image image;
    renderer.render(scene, X_WB * camera.X_BC, {}, image);
    vision::Detections found;
    std::string why;
    const auto off = [&](vision::Detector& d) {
      EXPECT_TRUE(d.detect(image.view(), Vec3{0, 0, 1}, found, why)) << why;
      EXPECT_EQ(found.size(), 1U);
      return found.empty() ? 9 : norm(found[0].target_B + from) / norm(from);
    };
    worst_right = std::max(worst_right, off(right));
    sum_wrong += off(wrong);
    ++n;
  }
  EXPECT_LT(worst_right, 0.002);
  EXPECT_GT(sum_wrong / n, 0.005) << "the test tells them apart";
}

// mutant: a state is done wherever the craft is (mission/evidence.cpp)
TEST(Hazard12, ACameraThatIsMountedOtherwiseThanItsFileSaysNeverLeadsToADropNorFarAway) {
  for (const double turn_deg : testing::cases({90.0, 180.0, -90.0})) {
    PicturedRig r(3, {}, [&](CameraModel& c) {
      c.X_BC.q = from_rpy({0, 0, radians(turn_deg)}) * c.X_BC.q;
    });
    r.fly();
    expect_home_with_payload(r, std::to_string(turn_deg));
  }
}

// mutant: the pad is not looked at while it is carried (stack/tick_aircraft.cpp)
TEST(Hazard12, ACameraThatIsMountedOtherwiseIsFoundInTheHandAndNotArmed) {
  for (const double turn_deg : {90.0, 0.0, 180.0, -90.0}) {
    PicturedRig r(3, {}, [&](CameraModel& c) {
      c.X_BC.q = from_rpy({0, 0, radians(turn_deg)}) * c.X_BC.q;
    });
    testing::DeliveryRig& rig = r.rig;
    const auto carry = [&](Vec3 v, double seconds) {
      rig.hand_z_m_s = v.z;
      rig.hand_aside_m_s = {v.x, v.y, 0};
      rig.run(seconds);
    };
    carry({}, 1.2);
    carry({0, 0, 0.45}, 2);
    carry({0.15, -0.2, 0}, 1);
    carry({}, 1.6);
    carry({-0.15, 0.2, 0}, 1);
    carry({0, 0, -0.45}, 2);
    carry({}, 2);
    rig.command(stack::CommandCode::kArm);
    rig.tick();
    const bool turned = turn_deg != 0;
    EXPECT_EQ(stack::first_obstacle(rig.out->obstacles),
              turned ? stack::ArmObstacle::kMountDisagrees : stack::ArmObstacle::kNone)
        << turn_deg;
    EXPECT_EQ(rig.out->arm, turned ? stack::ArmState::kDisarmed : stack::ArmState::kArmed)
        << turn_deg;
    EXPECT_EQ(rig.happened(EventCode::kArmingRefused), turned) << turn_deg;
  }
}

// mutant: blue and red change places (vision/detector.cpp)
TEST(Hazard17, ARedPadNearHomeIsNotLandedOn) {
  const Vec3 aside{1.2, 0.6, 0};
  const testing::DeliveryRig* rig = nullptr;
  PicturedRig r(4, [&](Time, world::Scene& scene, world::Exposure&) {
    // two rings, and nothing else to tell them by
    std::erase_if(scene.faces,
                  [](const world::Face& f) { return !is_ring(f) && f.cells.X_WF.p.z < 0.01; });
    const auto pad = world::ring_face({rig->pad + aside, {}}, 0.45, 0.50, kRed);
    scene.faces.insert(scene.faces.begin(), pad);
  });
  rig = &r.rig;
  r.fly();
  EXPECT_EQ(r.rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_LT(PicturedRig::level(r.rig.p, r.rig.pad), 0.10);
}

// mutant: red counts where blue is asked for (vision/detector.cpp)
TEST(Hazard17, WhereOnlyARedPadIsNearHomeThereIsNone) {
  const Vec3 aside{0.5, -0.3, 0};
  const testing::DeliveryRig* rig = nullptr;
  PicturedRig r(5, [&](Time, world::Scene& scene, world::Exposure&) {
    std::erase_if(scene.faces, [](const world::Face& f) {
      return (is_ring(f) ? f.ring.X_WF : f.cells.X_WF).p.z < 0.01;
    });
    const auto pad = world::ring_face({rig->pad + aside, {}}, 0.45, 0.50, kRed);
    scene.faces.insert(scene.faces.begin(), pad);
  });
  rig = &r.rig;
  r.fly();
  EXPECT_EQ(r.rig.out->mission.phase, MissionPhase::kAborted);
  EXPECT_FALSE(r.rig.happened(EventCode::kTargetSoughtAgain));
  EXPECT_GT(PicturedRig::level(r.rig.p, r.rig.pad + aside), 0.3);
}

// mutant: the whole round must be in the picture (vision/ring.cpp)
TEST(Hazard19, ARingThatTheBordersCutIsWhereItIsOrIsNotSeen) {
  const CameraModel camera = shipped_camera();
  vision::Targets targets;
  targets.ring = RingTarget{};
  world::Renderer renderer(camera);
  world::Scene scene;
  scene.faces.push_back(world::ring_face({}, 0.45, 0.50, kBlue));
  int seen = 0, cut = 0;
  for (const RingMethod method :
       testing::cases({RingMethod::kBest, RingMethod::kHough, RingMethod::kRansac})) {
    targets.ring->method = method;
    vision::Detector detector(vision::settings_of(camera, targets));
    for (double x = -1.6; x < 1.7; x += 0.4)
      for (double y = -1.6; y < 1.7; y += 0.4) {
        const Pose X_WB{{x, y, 1.2}, {}};
        Image image;
        renderer.render(scene, X_WB * camera.X_BC, {}, image);
        vision::Detections found;
        std::string why;
        ASSERT_TRUE(detector.detect(image.view(), Vec3{0, 0, 1}, found, why)) << why;
        for (const vision::Detection& d : found) {
          ++seen;
          cut += d.visible_share < 0.95 ? 1 : 0;
          EXPECT_LT(norm(d.target_B + X_WB.p), 0.08 * norm(X_WB.p)) << x << " " << y;
        }
      }
  }
  EXPECT_GT(seen, testing::cases(3) * 8);
  EXPECT_GT(cut, testing::cases(3) * 2);
}

// mutant: what lies beyond the left and right borders is read (vision/ring.cpp)
TEST(Hazard19, WhatLiesBeyondTheBordersOfAPictureChangesNothing) {
  const CameraModel camera = shipped_camera();
  vision::Targets targets;
  targets.ring = RingTarget{};
  targets.pad = MarkerTargets{MarkerFamily::kArucoOriginal, 0.15, {152}, {}};
  world::Renderer renderer(camera);
  world::Scene scene;
  scene.faces.push_back(world::ring_face({}, 0.45, 0.50, kBlue));
  scene.faces.push_back(
      world::marker_face({}, 0.15, 7, vision::marker_cells(MarkerFamily::kArucoOriginal, 152)));
  vision::Detector detector(vision::settings_of(camera, targets));
  int seen = 0;
  for (double x = -1.2; x < 1.3; x += 0.4)
    for (double y = -0.8; y < 0.9; y += 0.4) {
      Image image;
      renderer.render(scene, Pose{{x, y, 1.2}, {}} * camera.X_BC, {}, image);
      // the same picture in memory that is black, blue or stripes around it
      constexpr int kAround = 256;
      const int width = image.width + 2 * kAround, height = image.height + 2 * kAround;
      std::vector<vision::Detections> found(3);
      for (std::size_t k = 0; k < found.size(); ++k) {
        std::vector<std::uint8_t> all(3 * static_cast<std::size_t>(width * height));
        for (std::size_t i = 0; i < all.size(); ++i)
          all[i] = k == 0 ? 0 : k == 1 ? (i % 3 == 2 ? 190 : 30) : i / 30 % 2 == 0 ? 255 : 0;
        const auto at = [&](int v) {
          return all.data() + 3 * static_cast<std::size_t>((v + kAround) * width + kAround);
        };
        for (int v = 0; v < image.height; ++v)
          std::copy_n(image.view().row(v), image.stride(), at(v));
        std::string why;
        ASSERT_TRUE(detector.detect(
            {at(0), image.width, image.height, 3, 3 * static_cast<std::size_t>(width)},
            Vec3{0, 0, 1}, found[k], why))
            << why;
      }
      seen += found[0].empty() ? 0 : 1;
      for (const vision::Detections& other : {found[1], found[2]}) {
        ASSERT_EQ(other.size(), found[0].size()) << x << " " << y;
        for (std::size_t i = 0; i < other.size(); ++i) {
          EXPECT_EQ(other[i].X_CT, found[0][i].X_CT) << x << " " << y;
          EXPECT_EQ(other[i].covariance, found[0][i].covariance) << x << " " << y;
        }
      }
    }
  EXPECT_GT(seen, 8);
}

// late, blurred, frozen: what is seen then is old, or nothing, and nothing is dropped by it
TEST(DeliveryOnPixels, LateAndFrozenPicturesEndTheFlightWithThePayloadOrInTheRightPlace) {
  using world::DeviceFaultKind;
  for (const DeviceFaultKind kind : testing::cases(
           {DeviceFaultKind::kSlow, DeviceFaultKind::kSilent, DeviceFaultKind::kHangs})) {
    PicturedRig r(6, {});
    r.mission.world.device_faults.push_back({});
    world::DeviceFault& f = r.mission.world.device_faults.back();
    f.device = world::Device::kCamera;
    f.kind = kind;
    f.at_s = 20;
    f.value = kind == DeviceFaultKind::kSlow ? 1.5 : 0;
    r.fly();
    EXPECT_TRUE(r.rig.ended());
    EXPECT_EQ(r.rig.phase, FlightPhase::kMotorsOff);
    if (r.rig.dropped) {
      EXPECT_LT(PicturedRig::level(r.rig.dropped_at, r.rig.car), 0.15);
    }
    EXPECT_LT(r.farthest_m, 6);
  }
}

TEST(DeliveryOnPixels, BlurredPicturesShowLessAndLeadNobodyAstray) {
  PicturedRig r(7, [](Time, world::Scene&, world::Exposure& e) {
    e.blur_px = 6;
    e.motion = {25, 8};
  });
  r.fly();
  EXPECT_TRUE(r.rig.ended());
  EXPECT_EQ(r.rig.phase, FlightPhase::kMotorsOff);
  if (r.rig.dropped) {
    EXPECT_LT(PicturedRig::level(r.rig.dropped_at, r.rig.car), 0.15);
  }
}

}  // namespace
}  // namespace pintle
