#include "pintle/sight/world_sight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"
#include "pintle/craft/load.h"

namespace pintle::sight {
namespace {

/// The shipped delivery, with the craft wherever the test puts it.
struct Bench {
  explicit Bench(Retouch retouch = {}) : retouch_(std::move(retouch)) {
    mission = craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
    mission.world.sightings.from = world::SightingSource::kImages;
    mission.world.sightings.drop_out = 0;
    truth.X_WB.p = {0, 0, 0.2};
    for (const world::BodySpec& b : mission.world.bodies)
      truth.bodies.push_back({b.position_m, {}});
    // delivered: at the start the payload stands on the marker in the middle of the pad
    truth.bodies[1].p = {-1.2, -2.2, 0.35};
  }
  /// What is seen from there within a quarter of a second, of the last picture.
  std::vector<TargetSighting> from(Vec3 p, double tilt_deg = 0) {
    if (!sight) {
      sight = sight_factory(retouch_)(mission, 3);
      Sightings none;
      sight->look(truth, none);
    }
    truth.X_WB = {p, from_rpy({radians(tilt_deg), 0, 0.4})};
    std::vector<TargetSighting> out;
    for (int k = 0; k < 12; ++k) {
      truth.time = truth.time + Duration{20'000'000};
      Sightings seen;
      sight->look(truth, seen);
      if (!seen.empty()) out.assign(seen.begin(), seen.end());
    }
    return out;
  }
  [[nodiscard]] Vec3 in_body(Vec3 p_W) const {
    return rotate(conjugate(truth.X_WB.q), p_W - truth.X_WB.p);
  }
  craft::MissionFile mission;
  world::Truth truth;

 private:
  Retouch retouch_;
  std::unique_ptr<simulation::Sight> sight;
};

const TargetSighting* find(const std::vector<TargetSighting>& seen, TargetKind kind,
                           std::uint32_t id) {
  const auto at = std::find_if(seen.begin(), seen.end(), [&](const TargetSighting& s) {
    return s.kind == kind && s.id == id;
  });
  return at == seen.end() ? nullptr : &*at;
}

TEST(WorldSight, SeesRingAndMarkersOfAPadAtOneMiddle) {
  Bench b;
  for (const double tilt_deg : {0.0, 8.0}) {
    const auto seen = b.from({-0.1, 0.05, 1.5}, tilt_deg);
    for (const std::uint32_t id : {0U, 7U, 11U}) {
      const TargetSighting* s = find(seen, TargetKind::kPad, id);
      ASSERT_NE(s, nullptr) << id << " at " << tilt_deg;
      EXPECT_LT(norm(s->p_BT_B - b.in_body({0, 0, 0})), 0.03) << id << " at " << tilt_deg;
      EXPECT_GT(s->sigma_B_m.z, 0) << id;
      EXPECT_LT(s->sigma_B_m.z, 0.1) << id;
    }
  }
}

TEST(WorldSight, AtLandingHeightTheMarkerInTheMiddleIsLeft) {
  Bench b;
  const auto seen = b.from({0, 0, 0.4});
  EXPECT_EQ(find(seen, TargetKind::kPad, 0), nullptr) << "the ring is outside of the picture";
  const TargetSighting* s = find(seen, TargetKind::kPad, 7);
  ASSERT_NE(s, nullptr);
  EXPECT_LT(norm(s->p_BT_B - b.in_body({0, 0, 0})), 0.01);
}

TEST(WorldSight, SeesTheMarkerOnTheCar) {
  Bench b;
  const auto seen = b.from({-0.9, -1.9, 1.3});
  const TargetSighting* s = find(seen, TargetKind::kMarker, 100);
  ASSERT_NE(s, nullptr);
  EXPECT_LT(norm(s->p_BT_B - b.in_body({-0.99, -1.97, 0.3})), 0.02);
}

// mutant: RingFinder::find told the other hue
TEST(Hazard17, ARedRingIsNoBlueOne) {
  Bench b([](Time, world::Scene& scene, world::Exposure&) {
    std::erase_if(scene.faces,
                  [](const world::Face& f) { return f.kind == world::Face::Kind::kCells; });
    for (world::Face& f : scene.faces) f.ring.color = {200, 35, 30};
  });
  EXPECT_TRUE(b.from({0, 0, 1.5}).empty());
}

// mutant: Dictionary::find with a bit corrected
TEST(WorldSight, AMarkerWithOneWrongCellIsNoTarget) {
  Bench b([](Time, world::Scene& scene, world::Exposure&) {
    for (world::Face& f : scene.faces)
      if (f.kind == world::Face::Kind::kCells && f.cells.columns == 9) f.cells.light[31] ^= 1;
  });
  EXPECT_EQ(find(b.from({-0.9, -1.9, 1.3}), TargetKind::kMarker, 100), nullptr);
}

TEST(WorldSight, ABlurredPictureShowsLessAndNothingThatIsNotThere) {
  Bench b([](Time, world::Scene&, world::Exposure& e) { e.blur_px = 8; });
  for (const TargetSighting& s : b.from({0, 0, 1.2}))
    EXPECT_LT(norm(s.p_BT_B - b.in_body({0, 0, 0})), 0.1);
}

TEST(WorldSight, PicturesAreLateLostSilentOrAlwaysTheSame) {
  Bench late;
  late.mission.world.sightings.delay_s = 0.2;
  const auto seen = late.from({0, 0, 1.2});
  ASSERT_FALSE(seen.empty());
  EXPECT_LE(seen[0].stamp.seconds(), late.truth.time.seconds() - 0.2 + 1e-9);

  Bench lost;
  lost.mission.world.sightings.drop_out = 1;
  EXPECT_TRUE(lost.from({0, 0, 1.2}).empty());

  Bench silent;
  silent.mission.world.device_faults = {
      {world::Device::kCamera, world::DeviceFaultKind::kSilent, 0, 1e9, 0}};
  EXPECT_TRUE(silent.from({0, 0, 1.2}).empty());

  Bench hangs;
  hangs.mission.world.device_faults = {
      {world::Device::kCamera, world::DeviceFaultKind::kHangs, 0.25, 1e9, 0}};
  const auto before = hangs.from({0, 0, 1.2});
  const auto after = hangs.from({0.5, 0, 1.2});
  ASSERT_FALSE(before.empty());
  ASSERT_FALSE(after.empty());
  EXPECT_GT(after[0].stamp, before[0].stamp);
  EXPECT_LT(norm(after[0].p_BT_B - before[0].p_BT_B), 0.01);
}

TEST(WorldSight, OnTheGroundNothingIsDrawnAndACameraThatLooksForNothingIsRefused) {
  Bench b;
  EXPECT_TRUE(b.from({0, 0, 0.2}).empty());
  vehicle::Camera& c = *b.mission.vehicle.vehicle.camera;
  c.car_markers.reset();
  c.pad_markers.reset();
  c.ring.reset();
  EXPECT_THROW((void)sight_factory()(b.mission, 1), std::invalid_argument);
}

}  // namespace
}  // namespace pintle::sight
