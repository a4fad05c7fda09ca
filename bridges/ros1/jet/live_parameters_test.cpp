#include "jet/live_parameters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace pintle::ros1 {
namespace {

namespace fs = std::filesystem;
const fs::path kShipped = PINTLE_SOURCE_DIR "/bridges/ros1/packages/jet/config";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct LiveParametersTest : ::testing::Test {
  LiveParametersTest() : folder(fs::path(::testing::TempDir()) / "live_parameters") {
    fs::remove_all(folder);
    fs::copy(kShipped, folder);
    live = std::make_unique<LiveParameters>(PINTLE_SOURCE_DIR "/vehicles/quad.yaml",
                                            folder.string(), DeliveryOptions{});
    (void)live->take();
  }
  ~LiveParametersTest() override { fs::remove_all(folder); }
  /// What is said, or why not.
  std::string say(const std::string& line) {
    std::string told;
    const std::string why = live->command(line, told);
    return why.empty() ? told : "no: " + why;
  }
  fs::path folder;
  std::unique_ptr<LiveParameters> live;
};

TEST_F(LiveParametersTest, AValueIsSetUndoneAndSavedAlone) {
  EXPECT_EQ(live->take(), nullptr);
  EXPECT_EQ(say("set pid.xy.kp 0.9 pid.z.kp 0.8"), "Taken over.");
  const auto next = live->take();
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(std::get<control::VelocityLawParams>(next->model.law).xy.kp, 0.9);
  EXPECT_EQ(std::get<control::VelocityLawParams>(next->model.law).z.kp, 0.8);
  EXPECT_EQ(next->model.generation, 2U);
  EXPECT_EQ(say("get pid.xy.kp duration[3]"), "pid.xy.kp: 0.9, duration[3]: 350");
  EXPECT_EQ(say("save pid"), "pid.yaml saved");
  std::string expected = text_of(kShipped / "pid.yaml");
  expected.replace(expected.find("kp: 1.0"), 7, "kp: 0.9");
  expected.replace(expected.find("kp: 1.0"), 7, "kp: 0.8");
  EXPECT_EQ(text_of(folder / "pid.yaml"), expected);
  EXPECT_EQ(text_of(folder / "pid.yaml.1"), text_of(kShipped / "pid.yaml"));
  EXPECT_EQ(say("undo"), "Taken over.");
  EXPECT_EQ(std::get<control::VelocityLawParams>(live->take()->model.law).xy.kp, 1.0);
  EXPECT_EQ(say("undo"), "no: there is no change to undo");
  EXPECT_EQ(say("save all"),
            "dropoint.yaml, duration.yaml, flight.yaml, pid.yaml, timeout.yaml saved");
}

TEST_F(LiveParametersTest, WhatIsWrongChangesNothingAndSaysWhy) {
  for (const char* line :
       {"", "set", "set pid.xy.kp", "set pid.xy.kp 1 2", "set pid.xy.kp one", "set pid.xy.kp nan",
        "set pid.xy.Omax -1", "set pid.xy.kq 1", "set size 1", "set pid.xy.kp 1 normal_altitude 1",
        "set duration[15] 1", "set duration[3] 1.5", "get", "get pid.xy", "save", "save marker",
        "undo twice", "forget"})
    EXPECT_EQ(say(line).rfind("no: ", 0), 0U) << line << ": " << say(line);
  EXPECT_EQ(live->take(), nullptr);
  EXPECT_EQ(text_of(folder / "pid.yaml"), text_of(kShipped / "pid.yaml"));
}

TEST_F(LiveParametersTest, EveryFileHasItsKeys) {
  for (const auto& [key, file] :
       {std::pair{"pid.z.kp 0.8", "pid"}, std::pair{"duration[3] 300", "duration"},
        std::pair{"dropoint.x 3", "dropoint"}, std::pair{"takeoff_height 1.5", "flight"},
        std::pair{"odom_callback_timeout 400", "timeout"},
        std::pair{"vision_callback_timeout 600", "timeout"}}) {
    const fs::path saved = folder / (std::string(file) + ".yaml");
    const std::string before = text_of(saved);
    EXPECT_EQ(say(std::string("set ") + key), "Taken over.") << key;
    EXPECT_EQ(say(std::string("save ") + file), std::string(file) + ".yaml saved");
    EXPECT_NE(text_of(saved), before) << key;
  }
}

TEST_F(LiveParametersTest, AReloadBringsNoDeadAxisUntilSomebodyWasSureOfIt) {
  const std::string dead =
      "pid: {xy: &a {kp: 1, ki: 0, kd: 0, db: 0.1, it: 0, Emax: 0, Pmax: 2, Imax: 0.5, Dmax: 0, "
      "Omax: 1.5}, z: *a, yaw: *a}\n";
  const auto reload_file = [this, &dead] {
    std::ofstream(folder / "pid.yaml") << dead;
    return live->reload(JetPart::kPid, nullptr);
  };
  const std::string in_file = reload_file();
  EXPECT_NE(in_file.find("Emax: a limit of 0 clamps to 0"), std::string::npos) << in_file;
  EXPECT_NE(in_file.find("set pid.xy.Emax 0 pid.z.Emax 0 pid.yaw.Emax 0 sure"), std::string::npos)
      << in_file;
  std::string no_gain = text_of(kShipped / "pid.yaml");
  no_gain.replace(no_gain.find("kp: 1.0"), 7, "kp: 0.0");
  const std::string by_text = live->reload(JetPart::kPid, &no_gain);
  EXPECT_NE(by_text.find("set pid.xy.kp 0 sure"), std::string::npos) << by_text;
  EXPECT_EQ(live->take(), nullptr);
  EXPECT_EQ(say("get pid.xy.kp pid.xy.Emax"), "pid.xy.kp: 1, pid.xy.Emax: 1");
  EXPECT_EQ(say("undo"), "no: there is no change to undo");

  // what is in effect already may be reloaded, what is not may not, though it reads alike
  EXPECT_EQ(say("set pid.xy.Emax 0 sure"), "Taken over.");
  const std::string others = reload_file();
  EXPECT_NE(others.find("set pid.z.Emax 0 pid.yaw.Emax 0 sure"), std::string::npos) << others;
  EXPECT_EQ(say("set pid.z.Emax 0 pid.yaw.Emax 0 sure"), "Taken over.");
  EXPECT_EQ(reload_file(), "");
  EXPECT_EQ(std::get<control::VelocityLawParams>(live->take()->model.law).xy.ki, 0);
}

TEST_F(LiveParametersTest, AtTheStartADeadAxisIsTakenAndToldOf) {
  std::string no_gain = text_of(kShipped / "pid.yaml"), warning;
  no_gain.replace(no_gain.find("kp: 1.0"), 7, "kp: 0.0");
  EXPECT_EQ(live->start_with(JetPart::kPid, no_gain, warning), "");
  EXPECT_NE(warning.find("kp: a gain of 0"), std::string::npos) << warning;
  EXPECT_EQ(say("get pid.xy.kp"), "pid.xy.kp: 0");
}

TEST_F(LiveParametersTest, TheTargetsAreLookedForWhereTheDropPointIs) {
  EXPECT_EQ(say("set dropoint.x 3 dropoint.y 4"), "Taken over.");
  const auto next = live->take();
  EXPECT_EQ(next->model.mission.aircraft.marker.x_m, 4);
  EXPECT_EQ(next->model.mission.aircraft.marker.y_m, 3);
}

}  // namespace
}  // namespace pintle::ros1
