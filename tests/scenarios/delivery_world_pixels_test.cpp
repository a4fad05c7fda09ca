// The delivery in its simulated world, seen by pictures: the lift before take-off, and the pictures in
// the log, which change nothing else.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "pintle/base/rotation.h"
#include "pintle/flight/replay.h"
#include "pintle/mujoco/plant_factory.h"
#include "pintle/sight/picture_log.h"
#include "pintle/sight/world_sight.h"
#include "pintle/simulation/run.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/ros_messages.h"
#include "pintle/testing/thorough.h"
#include "pintle/vision/image_file.h"

namespace pintle {
namespace {

namespace fs = std::filesystem;

struct Flown {
  fs::path log;
  std::vector<telemetry::ros::CompressedImage> pictures;
  std::vector<double> at_s;  ///< In the log.
  std::uint64_t outputs_hash = 0;
};

/// Carried by hand over its pad, and no further.
Flown fly(const std::string& name, double log_Hz) {
  Flown f;
  f.log = fs::temp_directory_path() / ("pintle_picture_log_" + name + ".mcap");
  simulation::MissionFile mission =
      simulation::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
  mission.world.sightings.from = world::SightingSource::kImages;
  mission.world.sightings.drop_out = 0;
  mission.world.sightings.log_Hz = log_Hz;
  mission.mission.time_limit_s = 8;
  mission.vehicle.vehicle.camera->rate_Hz = 8;
  simulation::RunOptions options;
  options.seed = 5;
  options.log = f.log;
  options.site.world.mujoco = mujoco::plant_factory();
  options.site.sight = sight::sight_factory();
  EXPECT_EQ(simulation::run(mission, options).log_trouble, "");
  telemetry::McapReader(f.log).for_each([&f](const telemetry::McapMessage& m) {
    if (m.topic == "/outputs")
      for (const std::byte b : m.bytes)
        f.outputs_hash = f.outputs_hash * 1'099'511'628'211U + std::to_integer<unsigned>(b);
    if (m.topic != "/camera/image/compressed") return true;
    EXPECT_TRUE(telemetry::decode_cdr(m.bytes, f.pictures.emplace_back()));
    f.at_s.push_back(f.pictures.back().header.stamp.sec +
                     1e-9 * f.pictures.back().header.stamp.nanosec);
    return true;
  });
  return f;
}

TEST(PictureLog, AFlightsPicturesAreInItsLogAndItsReplayIsTheSameToTheBit) {
  const Flown without = fly("without", 0), with = fly("with", 5);
  EXPECT_TRUE(without.pictures.empty());
  ASSERT_GT(with.pictures.size(), 12U);
  for (std::size_t i = 1; i < with.at_s.size(); ++i)
    EXPECT_GE(with.at_s[i] - with.at_s[i - 1], 0.2 - 1e-9);
  Image image;
  std::string why;
  for (const auto& p : with.pictures) {
    EXPECT_EQ(p.format, "jpeg");
    EXPECT_EQ(p.header.frame_id, "camera");
    ASSERT_TRUE(vision::decode_image(p.data, image, why)) << why;
    EXPECT_EQ(image.width, 640);
    EXPECT_EQ(image.height, 480);
    EXPECT_LT(p.data.size(), 100'000U);
    EXPECT_GT(p.data.size(), 5'000U);
  }
  EXPECT_EQ(with.outputs_hash, without.outputs_hash);
  for (const Flown* f : {&without, &with}) {
    const flight::ReplayResult again = flight::replay(f->log);
    EXPECT_GT(again.ticks, 300U);
    EXPECT_EQ(again.mismatches, 0U) << again.first_mismatch;
  }
  // what the log has grown by is the pictures, and a tenth of that at most
  std::size_t pictures = 0;
  for (const auto& p : with.pictures) pictures += p.data.size();
  const auto grown = fs::file_size(with.log) - fs::file_size(without.log);
  EXPECT_LT(double(grown), 1.1 * double(pictures) + 10'000);
  RecordProperty("bytes_a_picture", static_cast<int>(pictures / with.pictures.size()));
  fs::remove(without.log);
  fs::remove(with.log);
}

// the shipped world's hand moves it sideways too, without which a turn about the axis does not show
TEST(Hazard12, ACameraThatIsTurnedIsFoundInTheShippedLift) {
  for (const double turn_deg : testing::cases({90.0, 0.0, 180.0, -90.0})) {
    simulation::MissionFile mission =
        simulation::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
    mission.world.sightings.from = world::SightingSource::kImages;
    CameraModel real = mission.vehicle.vehicle.camera->calibration;
    real.X_BC.q = from_rpy({0, 0, radians(turn_deg)}) * real.X_BC.q;
    std::atomic<bool> stop{false};
    bool armed = false, refused = false;
    simulation::RunOptions options;
    options.seed = 2;
    options.stop = &stop;
    options.site.world.mujoco = mujoco::plant_factory();
    options.site.sight = sight::sight_factory({}, real);
    options.witness = [&](const stack::Outputs& out, const world::Truth& t) {
      armed = armed || out.arm == stack::ArmState::kArmed;
      refused = (out.obstacles & stack::obstacle_bit(stack::ArmObstacle::kMountDisagrees)) != 0;
      if (armed || t.time > Time::from_seconds(15)) stop = true;
    };
    (void)simulation::run(mission, options);
    EXPECT_EQ(armed, turn_deg == 0) << turn_deg;
    EXPECT_EQ(refused, turn_deg != 0) << turn_deg;
  }
}

TEST(PictureLog, KeepsTheOrderAndLeavesOutWhatNobodyTakes) {
  sight::PictureLog log;
  Image image;
  image.resize(64, 48, 3);
  std::size_t taken = 0;
  for (int k = 0; k < 40; ++k) taken += log.put(image, Time{k}) ? 1U : 0U;
  EXPECT_EQ(taken, sight::PictureLog::kMostUnderWay);
  simulation::EncodedPicture out;
  for (int k = 0; k < int(sight::PictureLog::kMostUnderWay); ++k) {
    ASSERT_TRUE(log.take(out, true));
    EXPECT_EQ(out.stamp, Time{k});
  }
  EXPECT_FALSE(log.take(out, true));
  // what is under way when it ends is not waited for
  EXPECT_TRUE(log.put(image, Time{99}));
}

}  // namespace
}  // namespace pintle
