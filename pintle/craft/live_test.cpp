#include "pintle/craft/live.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pintle/craft/file_kind.h"
#include "pintle/craft/read_vehicle.h"

namespace pintle::craft {
namespace {

const control::SixAxisParams& loops_of(const Model& model) {
  return std::get<control::SixAxisParams>(model.law);
}

namespace fs = std::filesystem;

/// A copy of a shipped file in a folder of its own.
class LiveParameters : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("pintle-live-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_ / "config");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path copy(const std::string& file) {
    fs::path to = folder_ / "config" / fs::path(file).filename();
    fs::copy_file(fs::path(PINTLE_SOURCE_DIR) / file, to, fs::copy_options::overwrite_existing);
    return to;
  }
  static std::string text(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path folder_;
};

TEST_F(LiveParameters, AreANewGenerationAndAreSavedWithEverythingElseUntouched) {
  const fs::path path = copy("vehicles/oogway.yaml");
  const std::string before = text(path);
  LiveModel live(load_vehicle(path), nullptr, path);
  const auto old = live.current();
  const ChangeResult r = live.set("control.velocity.z.kp", 0.625);
  EXPECT_TRUE(r.applied) << r.message;
  EXPECT_TRUE(r.saved) << r.message;
  EXPECT_EQ(live.current()->generation, old->generation + 1);
  EXPECT_EQ(loops_of(*live.current()).velocity[2].kp, 0.625);
  EXPECT_EQ(loops_of(*old).velocity[2].kp, 0.5);
  EXPECT_EQ(load_vehicle(path).laws.control.velocity[2].kp, 0.625);

  // one place differs, and only there
  const std::string after = text(path);
  std::size_t first = 0;
  while (first < before.size() && before[first] == after[first]) ++first;
  std::size_t tail = 0;
  while (tail < before.size() - first &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  EXPECT_LE(before.size() - first - tail, 5U);
}

TEST_F(LiveParameters, AreSavedIntoADukeFileUnderItsOwnKeys) {
  const fs::path path = copy("vehicles/original/duke/config/oogway.yaml");
  LiveModel live(load_vehicle(path), nullptr, path);
  EXPECT_TRUE(live.set_all({{"control.position.x.kp", 1.85},
                            {"control.scale", 0.75},
                            {"control.static_force.z", -0.2}})
                  .saved);
  const VehicleFile again = load_vehicle(path);
  EXPECT_EQ(again.laws.control.position[0].kp, 1.85);
  EXPECT_EQ(again.laws.control.scale, 0.75);
  EXPECT_EQ(again.laws.control.static_force.z, -0.2);
  EXPECT_NE(text(path).find("1.85"), std::string::npos);
}

TEST_F(LiveParameters, KeepTheRunningValueWhenTheFileCannotBeSaved) {
  const fs::path path = copy("vehicles/oogway.yaml");
  LiveModel live(load_vehicle(path), nullptr, path);
  fs::remove_all(folder_);
  const ChangeResult r = live.set("control.scale", 0.5);
  EXPECT_TRUE(r.applied);
  EXPECT_FALSE(r.saved);
  EXPECT_TRUE(r.message.starts_with("applied, NOT saved: ")) << r.message;
  EXPECT_EQ(loops_of(*live.current()).scale, 0.5);
}

TEST_F(LiveParameters, ThatCouldNotBeSavedAreInTheNextSave) {
  const fs::path path = copy("vehicles/oogway.yaml"), away = folder_ / "away";
  LiveModel live(load_vehicle(path), nullptr, path);
  fs::rename(folder_ / "config", away);
  EXPECT_FALSE(live.set("control.scale", 0.5).saved);
  EXPECT_FALSE(live.set("control.scale", 0.625).saved);
  fs::rename(away, folder_ / "config");
  EXPECT_TRUE(live.set("control.velocity.z.kp", 0.75).saved);
  EXPECT_EQ(load_vehicle(path).laws.control.scale, 0.625);
  EXPECT_EQ(load_vehicle(path).laws.control.velocity[2].kp, 0.75);
}

TEST_F(LiveParameters, WithoutAFileAreNotSavedAndItIsSaid) {
  LiveModel live(load_vehicle(copy("vehicles/oogway.yaml")), nullptr, {});
  const ChangeResult r = live.set("control.scale", 0.5);
  EXPECT_TRUE(r.applied);
  EXPECT_FALSE(r.saved);
  EXPECT_TRUE(r.message.starts_with("applied, NOT saved: ")) << r.message;
}

TEST_F(LiveParameters, RefuseWhatTheRoomRefusesAndChangeNothing) {
  const fs::path path = copy("vehicles/oogway.yaml");
  LiveModel live(load_vehicle(path), nullptr, path);
  const std::string before = text(path);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, double>>{{"control.scale", nan},
                                                   {"control.velocity.z.kp", INFINITY},
                                                   {"control.velocity.z.min_effort", 2},
                                                   {"control.velocity.q.kp", 1},
                                                   {"control.velocity.z.kpp", 1},
                                                   {"control.velocity.z", 1},
                                                   {"control.group.x", 300},
                                                   {"control.group.x", -1},
                                                   {"control.anti_windup", 2},
                                                   {"allocation.preset", 9},
                                                   {"control.velocity[6].kp", 1},
                                                   {"name", 1},
                                                   {"nothing", 1},
                                                   {"", 1},
                                                   {"allocation.k1", 0},
                                                   {"safety.latch_after_s", -1}}) {
    const ChangeResult r = live.set(key, value);
    EXPECT_FALSE(r.applied) << key;
    EXPECT_FALSE(r.message.empty()) << key;
  }
  EXPECT_EQ(live.current()->generation, 1U);
  EXPECT_EQ(text(path), before);
}

TEST_F(LiveParameters, AreAllOrNothing) {
  const fs::path path = copy("vehicles/oogway.yaml");
  LiveModel live(load_vehicle(path), nullptr, path);
  EXPECT_FALSE(live.set_all({{"control.scale", 0.5}, {"control.scal", 0.5}}).applied);
  EXPECT_NE(loops_of(*live.current()).scale, 0.5);
}

TEST_F(LiveParameters, AreJudgedTogetherAndRefusedTogether) {
  const fs::path path = copy("vehicles/oogway.yaml");
  const std::string before = text(path);
  LiveModel live(load_vehicle(path), nullptr, path);
  const auto running = live.current();
  // the last of three crosses the limits: not one of them is taken, and the model in use stays the
  // same object
  EXPECT_FALSE(live.set_all({{"control.scale", 0.5},
                             {"control.velocity.x.kp", 3},
                             {"control.velocity.x.min_effort", 2}})
                   .applied);
  EXPECT_EQ(live.current(), running);
  EXPECT_EQ(live.file().laws.control.scale, 1);
  EXPECT_EQ(live.file().laws.control.velocity[0].kp, 1.75);
  EXPECT_EQ(text(path), before);
  // each alone would be refused, together they are a window
  EXPECT_TRUE(
      live.set_all({{"control.velocity.x.min_effort", 2}, {"control.velocity.x.max_effort", 3}})
          .applied);
  EXPECT_NE(live.current(), running);
  EXPECT_EQ(loops_of(*running).velocity[0].min_effort, -1);
}

TEST(FileKind, IsWhatItsFormatSaysAndElseWhatItsSectionsSay) {
  const auto said = [](const std::string& text) {
    try {
      require_kind(config::Document::parse(text, "file.yaml"), FileKind::kWorld);
    } catch (const config::ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(said("format: pintle/world/1\nmission: {}\n"), "");
  EXPECT_NE(said("format: pintle/mission/1\n").find("mission"), std::string::npos);
  EXPECT_NE(said("mission: {states: []}\n").find("mission"), std::string::npos);
  EXPECT_NE(said("format: bread\n").find("is not a format of Pintle"), std::string::npos);
}

TEST(Sections, WhatIsWrongInOneIsSaidUnderItsName) {
  const std::string path = std::string(PINTLE_SOURCE_DIR) + "/vehicles/oogway.yaml";
  const auto said = [&](const std::string& section, auto spoil) {
    VehicleFile file = load_vehicle(path);
    spoil(file);
    for (const Finding& f : check_sections(file))
      if (f.is_error && f.path.starts_with(section + ".")) return true;
    return false;
  };
  EXPECT_TRUE(said("allocation", [](VehicleFile& f) { f.allocation.k1 = -1; }));
  EXPECT_TRUE(said("estimation", [](VehicleFile& f) { f.estimation.stale_after_s = -1; }));
  EXPECT_TRUE(said("failure_detection", [](VehicleFile& f) { f.detector.threshold = -1; }));
}

TEST(Model, HasTheDeadBandsOfItsThrusters) {
  VehicleFile file = load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/subjugator8.yaml");
  const Model model = build_model(file, nullptr);
  EXPECT_TRUE(model.dead_bands.any);
  for (std::size_t i = 0; i < model.effectiveness.n; ++i) EXPECT_EQ(model.dead_bands.band[i], 0.01);
}

}  // namespace
}  // namespace pintle::craft
