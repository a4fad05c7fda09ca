#include "pintle/simulation/run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "pintle/flight/recorder.h"
#include "pintle/flight/replay.h"
#include "pintle/simulation/report_data.h"
#include "pintle/testing/standing_disk.h"

namespace pintle::simulation {
namespace {

namespace fs = std::filesystem;

/// A short mission in a folder of its own: dive half a metre on oogway in still water.
class ShortRun : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("pintle-run-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  MissionFile mission(const std::string& extra = "") {
    const fs::path file = folder_ / "dive.yaml";
    std::ofstream(file)
        << "format: pintle/mission/1\nname: dive\nvehicle: " << PINTLE_SOURCE_DIR
        << "/vehicles/oogway.yaml\ncontrol_rate_Hz: 50\nworld: {file: " << PINTLE_SOURCE_DIR
        << "/worlds/still_water.yaml, start_position_m: [0, 0, -1]}\n"
        << extra
        << "mission:\n  states:\n    - name: dive\n      go: {x_m: 0, y_m: 0, z_m: -1.2}\n"
           "      success: {after_s: 3}\n      timeout_s: 8\n";
    return load_mission(file);
  }
  RunResult record(const MissionFile& m, std::vector<ScheduledChange> changes = {}) {
    RunOptions options;
    options.log = log_ = folder_ / "log.mcap";
    options.changes = std::move(changes);
    return run(m, options);
  }
  /// Of a log of 20 ticks in which the outputs of the tenth have been changed.
  ReplayResult replay_changed(Duration begin, const std::function<void(Outputs&)>& change) {
    const MissionFile m = mission();
    LiveModel live(m.vehicle, &m.mission, {});
    flight::Flight flight(live.generation());
    log_ = folder_ / "changed.mcap";
    flight::Recorder log(log_, flight::title_of(m, 1));
    log.generation(*live.generation(), Time{});
    for (int i = 0; i < 20; ++i) {
      Inputs in;
      in.now = Time{(i + 1) * live.current()->period.ns} + begin;
      in.has_odometry = true;
      in.odometry.stamp = in.now;
      in.odometry.X_WB.p.z = -1;
      if (i == 1) in.commands.push_back({CommandCode::kArm, -1});
      Outputs out = flight.step(in);
      if (i == 10) change(out);
      log.tick(in, out);
    }
    log.finish("pass");
    return replay(log_);
  }
  fs::path folder_, log_;
};

TEST_F(ShortRun, EndsWithAVerdictStatesAndFigures) {
  const RunResult r = record(mission());
  EXPECT_EQ(r.verdict, Verdict::kPass) << r.reason;
  ASSERT_EQ(r.states.size(), 1U);
  EXPECT_EQ(r.states[0].name, "dive");
  EXPECT_EQ(r.states[0].outcome, "succeeded");
  EXPECT_GT(r.states[0].left_s, 2.9);
  EXPECT_FALSE(r.figures.empty());
}

TEST_F(ShortRun, PicturesAreRefusedWhereNothingSearchesThem) {
  MissionFile m = mission();
  m.world.sightings.from = world::SightingSource::kImages;
  try {
    (void)record(m);
    FAIL() << "it ran";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("scripts/setup --vision"), std::string::npos);
  }
}

TEST_F(ShortRun, ReplaysBitForBit) {
  record(mission());
  const ReplayResult r = replay(log_);
  EXPECT_GT(r.ticks, 100U);
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
  EXPECT_TRUE(r.complete);
  EXPECT_FALSE(r.other_build);
}

TEST_F(ShortRun, ALogOfSomethingElseIsNoneAndOneWithoutAPictureIsReplayed) {
  const fs::path other = folder_ / "other.mcap";
  telemetry::McapWriter(other).close();
  EXPECT_THROW((void)replay(other), std::runtime_error);

  const MissionFile m = mission();
  flight::RecorderOptions bare;
  bare.picture_rate_Hz = 0;
  flight::Recorder recorder(folder_ / "bare.mcap", flight::title_of(m, 1), bare);
  recorder.tick({}, {});
  recorder.finish("pass");
  EXPECT_EQ(recorder.missing(), 0U);
  EXPECT_EQ(recorder.trouble(), "");
}

TEST_F(ShortRun, ReplaysBitForBitWithNanAndOtherBrokenInputs) {
  record(
      mission("input_faults:\n"
              "  - {input: odometry, kind: nan, at_s: 0.5, until_s: 0.8}\n"
              "  - {input: odometry, kind: garbage, at_s: 1.0, until_s: 1.1}\n"
              "  - {input: odometry, kind: infinite, at_s: 1.2, until_s: 1.3}\n"
              "  - {input: odometry, kind: time_reversed, at_s: 1.4, until_s: 1.5}\n"
              "  - {input: odometry, kind: stuck, at_s: 1.6, until_s: 1.7}\n"
              "  - {input: bus_voltage, kind: nan, at_s: 0, until_s: 3}\n"
              "  - {input: clock, kind: time_reversed, at_s: 2.0, until_s: 2.1}\n"));
  const ReplayResult r = replay(log_);
  EXPECT_GT(r.ticks, 100U);
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
}

TEST_F(ShortRun, ReplaysBitForBitAcrossAChangeOfParameters) {
  record(mission(), {{1.0, "control.scale", 0.5}, {1.5, "control.position.z.kp", 0.9}});
  const ReplayResult r = replay(log_);
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
}

TEST_F(ShortRun, NoticesAnOutputThatIsNotTheSame) {
  const ReplayResult r = replay_changed({}, [](Outputs& out) {
    // the last bit of one effort
    out.actuation.effort[3] = std::nextafter(out.actuation.effort[3], 1.0);
  });
  EXPECT_EQ(r.ticks, 20U);
  EXPECT_EQ(r.mismatches, 1U);
  EXPECT_NE(r.first_mismatch.find("tick 10"), std::string::npos) << r.first_mismatch;
  const std::size_t at = r.first_mismatch.find("actuation.effort[3]: recorded ");
  ASSERT_NE(at, std::string::npos) << r.first_mismatch;
  // both to the last bit
  double recorded = 0, now = 0;
  ASSERT_EQ(std::sscanf(r.first_mismatch.c_str() + at, "actuation.effort[3]: recorded %lf, now %lf",
                        &recorded, &now),
            2);
  EXPECT_EQ(recorded, std::nextafter(now, 1.0));
}

TEST_F(ShortRun, TellsTwoTimesApartThatDifferByANanosecondInOurCentury) {
  const ReplayResult r =
      replay_changed(Duration{1'700'000'000'000'000'001}, [](Outputs& out) { out.now.ns += 1; });
  EXPECT_EQ(r.mismatches, 1U);
  EXPECT_NE(r.first_mismatch.find("recorded 1700000000220000002, now 1700000000220000001"),
            std::string::npos)
      << r.first_mismatch;
}

TEST_F(ShortRun, AMissionFileSaysWhatItIsAndItsFaultsAreJudged) {
  const MissionFile m = mission("description: half a metre down\nseed: 7\n");
  EXPECT_EQ(m.name, "dive");
  EXPECT_EQ(m.description, "half a metre down");
  EXPECT_EQ(m.seed, 7U);
  const auto refused = [&](const std::string& faults) {
    try {
      (void)mission("device_faults:\n  - " + faults + "\n");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("{device: hull, kind: leaks, at_s: 20}"), "");
  EXPECT_NE(refused("{device: hull, kind: leaks, at_s: 20, until_s: 10}").find("until_s: expected"),
            std::string::npos);
}

TEST_F(ShortRun, ALogThatTheDiskCouldNotFollowSaysSoAndReplaysUpToThere) {
  const MissionFile m = mission();
  LiveModel live(m.vehicle, &m.mission, {});
  log_ = folder_ / "lacking.mcap";
  constexpr std::uint64_t kTicks = 3'000;
  std::uint64_t missing = 0;
  testing::StandingDisk disk;
  {
    flight::Flight flight(live.generation(),
                          std::make_unique<flight::Recorder>(
                              disk.path(), flight::title_of(m, 1),
                              flight::RecorderOptions{
                                  .mcap = {.chunk_bytes = 32 << 10, .queue = 2, .waits = false}}));
    const auto step = [&] {
      Inputs in;
      in.now = Time{static_cast<std::int64_t>(flight.ticks() + 1) * live.current()->period.ns};
      flight.step(in);
      const std::uint64_t before = std::exchange(missing, flight.log()->missing());
      return missing == before;
    };
    EXPECT_TRUE(step());
    EXPECT_EQ(flight.log()->trouble(), "");
    while (flight.ticks() < kTicks) step();
    // until one is recorded again
    for (disk.go_on(); !step();) std::this_thread::yield();
    EXPECT_EQ(flight.log()->trouble(), "the log lacks ticks: the disk could not follow");
    flight.log()->finish("pass");
  }
  std::ofstream(log_, std::ios::binary) << disk.content();
  EXPECT_GT(missing, kTicks / 10);
  EXPECT_EQ(telemetry::McapReader(log_).metadata().at("verdict/ticks_missing"),
            std::to_string(missing));
  const ReplayResult r = replay(log_);
  EXPECT_GT(r.ticks, 0U);
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
  EXPECT_FALSE(r.complete);
  EXPECT_NE(r.note.find("ticks are missing before"), std::string::npos) << r.note;
}

TEST_F(ShortRun, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const MissionFile m = mission();
  RunOptions options;
  options.seed = 3;
  const RunResult a = run(m, options), b = run(m, options);
  EXPECT_EQ(a.figures, b.figures);
}

TEST_F(ShortRun, LeavesAReadableLogWhereverItIsCut) {
  record(mission());
  std::ifstream in(log_, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const std::uint64_t ticks = replay(log_).ticks;
  const fs::path cut = folder_ / "cut.mcap";
  std::uint64_t last = 0;
  for (int i = 1; i <= 20; ++i) {
    const std::size_t length = whole.size() * static_cast<std::size_t>(i) / 20 - (i < 20 ? 7 : 1);
    std::ofstream(cut, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    ReplayResult r;
    try {
      r = replay(cut);
    } catch (const std::runtime_error&) {
      // cut before the mission's own files were written: nothing to replay yet
      EXPECT_LT(i, 8);
      continue;
    }
    EXPECT_EQ(r.mismatches, 0U);
    EXPECT_GE(r.ticks, last);
    EXPECT_FALSE(r.complete && i < 20);
    last = r.ticks;
  }
  EXPECT_GT(last, ticks / 2);
}

TEST_F(ShortRun, StopsSafelyWhenAsked) {
  const std::atomic<bool> stop{true};
  RunOptions options;
  options.stop = &stop;
  options.log = folder_ / "log.mcap";
  const RunResult r = run(mission(), options);
  EXPECT_EQ(r.verdict, Verdict::kAborted);
  EXPECT_EQ(r.reason, "stopped by the operator");
  EXPECT_NO_THROW(write_report(options.log, folder_ / "report.html"));
  EXPECT_TRUE(fs::exists(folder_ / "report.html"));
}

TEST_F(ShortRun, EndsWhenItIsDisarmedAndSaysWho) {
  RunOptions options;
  options.schedule = {{0.5, "disarm"}};
  const RunResult r = run(mission(), options);
  EXPECT_EQ(r.verdict, Verdict::kAborted);
  EXPECT_EQ(r.reason, "disarmed by the operator");
}

TEST_F(ShortRun, WhoDisarmsItBeforeItIsArmedHasItStayOff) {
  bool armed = false;
  RunOptions options;
  options.schedule = {{0, "disarm"}};
  options.watch = [&armed](const Model&, const Inputs&, const Outputs& out) {
    armed = armed || out.arm == ArmState::kArmed;
  };
  const RunResult r = run(mission(), options);
  EXPECT_EQ(r.verdict, Verdict::kAborted);
  EXPECT_EQ(r.reason, "disarmed by the operator");
  EXPECT_FALSE(armed);
}

TEST_F(ShortRun, RefusesAScheduledChangeBeforeItStarts) {
  EXPECT_THROW(record(mission(), {{1.0, "control.scal", 0.5}}), std::invalid_argument);
}

TEST_F(ShortRun, TellsOfAScheduledChangeThatWasRefusedAndOfNoOther) {
  const RunResult r =
      record(mission(), {{1.0, "control.scale", 0.5}, {1.5, "control.velocity.x.min_effort", 2}});
  ASSERT_EQ(r.refused.size(), 1U);
  EXPECT_NEAR(r.refused[0].at_s, 1.5, 0.03);
  EXPECT_EQ(r.refused[0].path, "control.velocity.x.min_effort");
  EXPECT_NE(r.refused[0].reason, "");
}

TEST_F(ShortRun, ReportShowsStatesEventsAndChannels) {
  record(mission());
  const telemetry::ReportData d = report_data(log_);
  EXPECT_EQ(d.verdict, "pass");
  ASSERT_EQ(d.states.size(), 1U);
  EXPECT_EQ(d.states[0].name, "dive");
  EXPECT_EQ(d.channels.size(), 8U);
  EXPECT_GT(d.samples.size(), 100U);
  EXPECT_FALSE(d.events.empty());
  EXPECT_TRUE(d.alarms.empty());
}

TEST_F(ShortRun, ReportShowsAlarmsAsLongAsTheyStood) {
  record(
      mission("faults:\n"
              "  - {propulsor: top_front_left, kind: dead, at_s: 1, until_s: 2, announced: true}\n"
              "  - {propulsor: bottom_back_left, kind: dead, at_s: 1.5, announced: true}\n"));
  const telemetry::ReportData d = report_data(log_);
  ASSERT_EQ(d.alarms.size(), 2U);
  EXPECT_EQ(d.alarms[0].what, "thruster out: top_front_left, announced");
  EXPECT_EQ(d.alarms[0].severity, "error");
  EXPECT_NEAR(d.alarms[0].raised_s, 1, 0.05);
  EXPECT_NEAR(d.alarms[0].cleared_s, 2, 0.05);
  EXPECT_EQ(d.alarms[1].what, "thruster out: bottom_back_left, announced");
  EXPECT_NEAR(d.alarms[1].raised_s, 1.5, 0.05);
  EXPECT_TRUE(std::isnan(d.alarms[1].cleared_s));
}

}  // namespace
}  // namespace pintle::simulation
