#include "pintle/craft/file_change.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

namespace pintle::craft {
namespace {

using estimation::Miswiring;

const std::string kVehicle = R"(format: pintle/vehicle/1
name: rig   # on the bench
body: {mass_kg: 10, inertia_kgm2: [1, 1, 1]}
thruster_types: [{name: t, thruster: {library: m5_polynomial}}]
propulsors:
  - {name: left, use: t, position_m: [0, 0.3, 0], direction: [1, 0, 0]}
  - {name: right, use: t, position_m: [0, -0.3, 0], direction: [1, 0, 0], flipped: true}
  - name: up   # in the middle
    use: t
    position_m: [0, 0, 0]
    direction: [0, 0, 1]
control: {scale: 0.5}
)";

class FileChange_ : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("pintle-change-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& text, const char* name = "rig.yaml") {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(FileChange_, WhatIsReversedIsFlipped) {
  const auto path = file(kVehicle);
  const std::array mends{
      Miswiring{Miswiring::Kind::kReversed, 0}, Miswiring{Miswiring::Kind::kReversed, 1},
      Miswiring{Miswiring::Kind::kReversed, 2}, Miswiring{Miswiring::Kind::kDead, 1}};
  const auto changes = with_mends(path, mends);
  ASSERT_EQ(changes.size(), 1U);
  const std::string d = diff(changes[0]);
  EXPECT_EQ(d, R"(--- rig.yaml
+++ rig.yaml
@@ -5,4 +5,4 @@
 propulsors:
-  - {name: left, use: t, position_m: [0, 0.3, 0], direction: [1, 0, 0]}
-  - {name: right, use: t, position_m: [0, -0.3, 0], direction: [1, 0, 0], flipped: true}
+  - {name: left, use: t, position_m: [0, 0.3, 0], direction: [1, 0, 0], flipped: true}
+  - {name: right, use: t, position_m: [0, -0.3, 0], direction: [1, 0, 0], flipped: false}
   - name: up   # in the middle
@@ -11,2 +11,3 @@
     direction: [0, 0, 1]
+    flipped: true
 control: {scale: 0.5}
)");
  ASSERT_TRUE(write(changes[0]).saved);
  const VehicleFile now = load_vehicle(path);
  EXPECT_TRUE(now.vehicle.propulsors[0].flipped);
  EXPECT_FALSE(now.vehicle.propulsors[1].flipped);
  EXPECT_TRUE(now.vehicle.propulsors[2].flipped);
  // what was shown is not what stands there any more
  EXPECT_FALSE(write(changes[0]).saved);
}

TEST_F(FileChange_, ASwappedPairChangesMountsWithTheWayItWasSeenToPush) {
  const auto path = file(kVehicle);
  Miswiring m{Miswiring::Kind::kSwapped, 0, 1};
  m.other_reversed = true;  // what "left" moves hangs at the right, and pushes against that column
  const auto changes = with_mends(path, std::array{m});
  ASSERT_EQ(changes.size(), 1U);
  ASSERT_TRUE(write(changes[0]).saved);
  const VehicleFile now = load_vehicle(path);
  EXPECT_EQ(now.vehicle.propulsors[0].position_m, (Vec3{0, -0.3, 0}));
  EXPECT_EQ(now.vehicle.propulsors[1].position_m, (Vec3{0, 0.3, 0}));
  // the right one's column was flipped: against it is as the direction says
  EXPECT_FALSE(now.vehicle.propulsors[0].flipped);
  EXPECT_FALSE(now.vehicle.propulsors[1].flipped);
}

TEST_F(FileChange_, OnALineTheChannelIsChangedAndTheMountStays) {
  const auto path = file(kVehicle + R"(devices:
  - name: bus
    type: m5
    path: /dev/ttyUSB0
    channels:
      - {propulsor: left, node_id: 3}
      - {propulsor: right, node_id: 1, reversed: true}
      - {propulsor: up, node_id: 2}
)");
  const std::array mends{Miswiring{Miswiring::Kind::kReversed, 2},
                         Miswiring{Miswiring::Kind::kSwapped, 0, 1}};
  const auto changes = with_mends(path, mends);
  ASSERT_EQ(changes.size(), 1U);
  ASSERT_TRUE(write(changes[0]).saved);
  const auto now = load_vehicle(path).vehicle;
  EXPECT_EQ(now.devices[0].channels[0].node_id, 1);
  EXPECT_EQ(now.devices[0].channels[1].node_id, 3);
  EXPECT_TRUE(now.devices[0].channels[0].reversed);
  EXPECT_FALSE(now.devices[0].channels[1].reversed);
  EXPECT_TRUE(now.devices[0].channels[2].reversed);
  EXPECT_EQ(now.propulsors[0].position_m, (Vec3{0, 0.3, 0}));
}

TEST_F(FileChange_, NumbersGoToTheFileThatHasThem) {
  const auto vehicle = file(kVehicle);
  const auto mission = file("control:\n  scale: 0.7   # gentler\n", "mission.yaml");
  const auto all = with_parameters(vehicle, VehicleFormat::kNative, mission,
                                   {{"control.scale", 0.8}, {"body.mass_kg", 11}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].after, "control:\n  scale: 0.8   # gentler\n");
  EXPECT_EQ(diff(all[1]), R"(--- rig.yaml
+++ rig.yaml
@@ -2,3 +2,3 @@
 name: rig   # on the bench
-body: {mass_kg: 10, inertia_kgm2: [1, 1, 1]}
+body: {mass_kg: 11, inertia_kgm2: [1, 1, 1]}
 thruster_types: [{name: t, thruster: {library: m5_polynomial}}]
)");
  EXPECT_TRUE(
      with_parameters(vehicle, VehicleFormat::kNative, {}, {{"control.scale", 0.5}}).empty());
}

}  // namespace
}  // namespace pintle::craft
