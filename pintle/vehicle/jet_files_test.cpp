#include "pintle/vehicle/jet_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

namespace pintle::vehicle {
namespace {

namespace fs = std::filesystem;

const fs::path kShipped = fs::path(PINTLE_SOURCE_DIR) / "tests/files/jet";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct JetFilesTest : ::testing::Test {
  JetFilesTest() {
    folder =
        fs::path(::testing::TempDir()) /
        (std::string("jet_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder);
    fs::copy(kShipped, folder);
  }
  ~JetFilesTest() override { fs::remove_all(folder); }
  fs::path folder;
};

TEST_F(JetFilesTest, TheOriginalsFilesLoadUnchanged) {
  const JetFiles files = JetFiles::load(folder);
  const auto p = files.current();
  EXPECT_EQ(p->dropoint.dropoint.x, -1.97);
  EXPECT_EQ(p->dropoint.dropoint.y, -0.99);
  EXPECT_EQ(p->dropoint.dropoint.z, 1.0);
  EXPECT_EQ(p->flight.normal_altitude, 1.1);
  EXPECT_EQ(p->flight.landing_height, 0.4);
  EXPECT_EQ(p->flight.takeoff_height, 1.2);
  EXPECT_EQ(p->timeout.odom_callback_timeout, 60);
  EXPECT_EQ(p->timeout.vision_callback_timeout, 100);
  EXPECT_EQ(p->pid.pid.xy.Imax, 0.5);
  EXPECT_EQ(p->pid.pid.z.it, 0.2);
  EXPECT_EQ(p->pid.pid.yaw.it, 0);
  unsigned ticks = 0;
  for (const std::uint32_t d : p->duration.duration) ticks += d;
  EXPECT_EQ(ticks, 1465U);  // 29.3 s at 50 Hz
}

TEST_F(JetFilesTest, SavingWithoutAChangeKeepsEveryByteAndAChangeOnlyItsNumber) {
  JetFiles files = JetFiles::load(folder);
  for (std::size_t i = 0; i < kJetFiles; ++i) {
    const auto which = static_cast<JetFile>(i);
    ASSERT_TRUE(files.save(which, {3, false}).saved);
    const std::string name(JetFiles::file_name(which));
    EXPECT_EQ(text_of(folder / name), text_of(kShipped / name));
  }
  ASSERT_TRUE(files.set(JetFile::kTimeout, {{"odom_callback_timeout", 80}}).applied);
  ASSERT_TRUE(files.save(JetFile::kTimeout, {3, false}).saved);
  std::string expected = text_of(kShipped / "timeout.yaml");
  expected.replace(expected.find("60"), 2, "80");
  EXPECT_EQ(text_of(folder / "timeout.yaml"), expected);
}

TEST_F(JetFilesTest, WhatCameFromParametersIsSavedWithTheCommentsOfTheFile) {
  JetFiles files = JetFiles::load(folder);
  ASSERT_TRUE(files
                  .reload_text(JetFile::kTimeout,
                               "odom_callback_timeout: 80\nvision_callback_timeout: 100\n",
                               "parameters")
                  .applied);
  ASSERT_TRUE(files.save(JetFile::kTimeout, {3, false}).saved);
  std::string expected = text_of(kShipped / "timeout.yaml");
  expected.replace(expected.find("60"), 2, "80");
  EXPECT_EQ(text_of(folder / "timeout.yaml"), expected);
  const std::string dwells =
      "duration: [10, 50, 5, 99, 100, 100, 100, 100, 100, 100, 100, 100, 20, 220, 10]";
  ASSERT_TRUE(files.reload_text(JetFile::kDuration, dwells, "parameters").applied);
  EXPECT_NE(files.text(JetFile::kDuration).find("# "), std::string::npos);
  EXPECT_NE(files.text(JetFile::kDuration).find("5, 99, 100"), std::string::npos);
  EXPECT_TRUE(files.undo());
  EXPECT_EQ(files.text(JetFile::kDuration), text_of(kShipped / "duration.yaml"));
}

TEST_F(JetFilesTest, AChangeByValueIsAllOrNothing) {
  JetFiles files = JetFiles::load(folder);
  const auto held = files.current();
  const JetChange bad = files.set(JetFile::kPid, {{"pid.xy.kp", 2.0}, {"pid.z.Omax", -1.0}});
  EXPECT_FALSE(bad.applied);
  EXPECT_NE(bad.message.find("Omax"), std::string::npos) << bad.message;
  EXPECT_EQ(files.current(), held);
  EXPECT_EQ(files.generation(), 0U);
  EXPECT_FALSE(files.set(JetFile::kPid, {{"pid.xy.kq", 1.0}}).applied);
  EXPECT_FALSE(
      files.set(JetFile::kPid, {{"pid.xy.kp", std::numeric_limits<double>::quiet_NaN()}}).applied);
  EXPECT_FALSE(files.set(JetFile::kDuration, {{"duration[3]", -1}}).applied);
  EXPECT_TRUE(files.set(JetFile::kDuration, {{"duration[3]", 400}}).applied);
  EXPECT_EQ(files.current()->duration.duration[3], 400U);
  // who held the old set still has it
  EXPECT_EQ(held->duration.duration[3], 350U);
}

TEST_F(JetFilesTest, EveryChangeCanBeUndone) {
  JetFiles files = JetFiles::load(folder);
  EXPECT_FALSE(files.undo());
  ASSERT_TRUE(files.set(JetFile::kFlight, {{"normal_altitude", 2.0}}).applied);
  ASSERT_TRUE(files.set(JetFile::kPid, {{"pid.z.kp", 0.5}}).applied);
  EXPECT_EQ(files.history(), 2U);
  EXPECT_TRUE(files.undo());
  EXPECT_EQ(files.current()->pid.pid.z.kp, 1.0);
  EXPECT_EQ(files.current()->flight.normal_altitude, 2.0);
  EXPECT_TRUE(files.undo());
  EXPECT_EQ(files.current()->flight.normal_altitude, 1.1);
  EXPECT_EQ(files.text(JetFile::kFlight), text_of(kShipped / "flight.yaml"));
  EXPECT_FALSE(files.undo());
  EXPECT_EQ(files.generation(), 4U);
}

TEST_F(JetFilesTest, ReloadsFromTheFileAndTimeoutsToo) {
  JetFiles files = JetFiles::load(folder);
  std::ofstream(folder / "timeout.yaml")
      << "odom_callback_timeout: 70\nvision_callback_timeout: 200\n";
  ASSERT_TRUE(files.reload(JetFile::kTimeout).applied);
  EXPECT_EQ(files.current()->timeout.vision_callback_timeout, 200);
  std::ofstream(folder / "timeout.yaml") << "odom_callback_timeout: 70\nvision";
  EXPECT_FALSE(files.reload(JetFile::kTimeout).applied);
  fs::remove(folder / "timeout.yaml");
  EXPECT_FALSE(files.reload(JetFile::kTimeout).applied);
  EXPECT_EQ(files.current()->timeout.odom_callback_timeout, 70);
}

TEST_F(JetFilesTest, ReloadsFromParameters) {
  JetFiles files = JetFiles::load(folder);
  ASSERT_TRUE(
      files.reload_text(JetFile::kDropoint, "{dropoint: {x: 1.5, y: 0.79, z: 0.6}}", "parameters")
          .applied);
  EXPECT_EQ(files.current()->dropoint.dropoint.y, 0.79);
}

TEST_F(JetFilesTest, HazardShortMissingOrUnknownValuesAreRefusedNotDefaulted) {
  JetFiles files = JetFiles::load(folder);
  const auto refused = [&](JetFile which, const char* text) {
    const JetChange change = files.reload_text(which, text, "parameters");
    EXPECT_FALSE(change.applied) << text;
    EXPECT_FALSE(change.message.empty());
  };
  // out of bounds in the original
  refused(JetFile::kDuration, "duration: [10, 50]");
  refused(JetFile::kDuration, "duration: []");
  refused(JetFile::kDuration, "duration: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]");
  // a dead axis there
  refused(JetFile::kPid, "pid: {xy: {kp: 1}, z: {kp: 1}, yaw: {kp: 1}}");
  refused(JetFile::kFlight, "landing_height: 0.4\nnormal_altitude: 1.1");
  refused(JetFile::kFlight,
          "takeoff_height: 1.2\nlanding_height: 0.4\nnormal_altitude: 1.1\nnormal_height: 2");
  refused(JetFile::kDropoint, "dropoint: {x: .nan, y: 0, z: 1}");
  refused(JetFile::kTimeout, "odom_callback_timeout: 0\nvision_callback_timeout: 100");
  EXPECT_EQ(files.generation(), 0U);
}

TEST_F(JetFilesTest, ADeadAxisIsTakenWithAWarning) {
  JetFiles files = JetFiles::load(folder);
  const JetChange change = files.set(JetFile::kPid, {{"pid.yaw.Omax", 0}});
  EXPECT_TRUE(change.applied);
  EXPECT_NE(change.message.find("never moves"), std::string::npos) << change.message;
}

TEST_F(JetFilesTest, LoadingTellsWhatIsWrongInAllFilesAtOnce) {
  fs::remove(folder / "flight.yaml");
  std::ofstream(folder / "duration.yaml") << "duration: [1]\n";
  try {
    (void)JetFiles::load(folder);
    FAIL();
  } catch (const config::ConfigError& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("flight.yaml"), std::string::npos);
    EXPECT_NE(what.find("duration.yaml"), std::string::npos);
  }
}

}  // namespace
}  // namespace pintle::vehicle
