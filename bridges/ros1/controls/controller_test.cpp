#include "controls/controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <thread>

#include "pintle/base/random.h"
#include "pintle/flight/replay.h"
#include "world/simulation.h"

namespace pintle::ros1 {
namespace {

namespace fs = std::filesystem;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const fs::path kSource = PINTLE_SOURCE_DIR;
const fs::path kRobot = kSource / "vehicles/original/duke/config/oogway.yaml";

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}
void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

struct ControllerTest : ::testing::Test {
  ControllerOptions options;
  CycleReport cycle;
  StateReport state;
  double t = 100;
  fs::path folder;

  void SetUp() override {
    options.file = kRobot;
    options.enable_position = options.enable_velocity = true;
    options.setpoint_timeout_s = 0;
    folder = fs::temp_directory_path() /
             ("pintle-controls-" + std::to_string(::getpid()) +
              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path copy(const fs::path& file) {
    fs::copy_file(file, folder / file.filename(), fs::copy_options::overwrite_existing);
    return folder / file.filename();
  }
  std::int64_t now() const { return static_cast<std::int64_t>(std::llround(t * 1e9)); }
  void on_state(Controller& c, const PlainPose& X, const PlainPose* transform, const Six& V = {}) {
    state = c.on_state({now(), X, V, transform}, now(), false);
  }
  /// Good states and allocations for a while.
  void go(Controller& c, double seconds, const PlainPose& X = {}, const Six& V = {}) {
    for (const double end = t + seconds; t < end;) {
      t += 0.05;
      on_state(c, X, &X, V);
      cycle = c.allocate(now());
    }
  }
  void wait(Controller& c, double seconds) {
    for (const double end = t + seconds; t < end;) {
      t += 0.05;
      cycle = c.allocate(now());
    }
  }
  /// The shipped vehicle with lines before one of its own, or words after it.
  fs::path oogway_with(const std::string& line, const std::string& before,
                       const std::string& after = "",
                       const fs::path& of = kSource / "vehicles/oogway.yaml") const {
    std::string text = text_of(of);
    replace(text, line, before + line + after);
    const fs::path file = folder / "oogway.yaml";
    std::ofstream(file) << text;
    return file;
  }
  /// Of any allocation from one cycle to the next.
  double largest_step(Controller& c, double seconds) {
    double most = 0;
    std::vector<double> before = cycle.allocs;
    before.resize(8);
    for (const double end = t + seconds; t < end; before = cycle.allocs) {
      go(c, 0.05);
      for (std::size_t i = 0; i < 8; ++i)
        most = std::max(most, std::abs(cycle.allocs[i] - before[i]));
    }
    return most;
  }
  double largest() const {
    double most = 0;
    for (const double u : cycle.allocs) most = std::max(most, std::abs(u));
    return most;
  }
};

TEST_F(ControllerTest, AClockThatStandsIsStaleByTicksAloneAndNotToldInEachOfThem) {
  Controller c(options);
  c.enable(true, now());
  go(c, 0.5);
  EXPECT_TRUE(cycle.status);
  (void)c.take_events();
  for (int i = 0; i < 11; ++i) cycle = c.allocate(now());
  EXPECT_EQ(cycle.hold, Hold::kStale);
  EXPECT_EQ(largest(), 0);
  EXPECT_EQ(c.take_events(), std::vector<std::string>{"state lost: off"});
  go(c, 0.2);
  EXPECT_TRUE(cycle.status) << "it comes back as after any gap";
}

/// What came of states at 200 Hz with the noise of a good sensor, in cycles of 20 Hz.
struct Fed {
  double derivative_rms = 0, least_dt_s = 1e9;
  double saturated = 0;  ///< Of the answers to states: the share with an effort at its limit.
};

/// `queued`: ten at once and 10 us apart, as a loop finds them that only now looks; else each in its
/// time. `acts`: an allocation for each of them (~allocate_on: state).
Fed feed(Controller& c, bool queued, bool acts) {
  constexpr std::int64_t kMs = 1'000'000, kBegin = 100'000 * kMs;
  constexpr int kBatches = 200, kEach = 10;
  RandomStream random(1, "velocities");
  (void)c.enable(true, kBegin);
  (void)c.set_control_types({1, 1, 1, 1, 1, 1}, kBegin);
  (void)c.desired_velocity({}, kBegin);
  Fed fed;
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::int64_t end = kBegin + 50 * kMs * (batch + 1);
    for (int i = 0; i < kEach; ++i) {
      Six V{};
      for (double& v : V) v = 0.001 * random.normal();
      const PlainPose X;
      const std::int64_t stamp = end - 5 * kMs * (kEach - i);
      const std::int64_t now = queued ? end + 10'000 * i : stamp + kMs;
      const StateReport s = c.on_state({stamp, X, V, &X}, now, acts);
      // with the first ten the loops begin
      if (batch == 0) continue;
      fed.least_dt_s = std::min(fed.least_dt_s, s.delta_time_s);
      fed.derivative_rms += std::pow(s.velocity[0].calculated_derivative, 2);
      double most = 0;
      for (const double effort : s.velocity_efforts) most = std::max(most, std::abs(effort));
      if (acts)
        for (const double u : c.last_cycle().allocs) most = std::max(most, std::abs(u));
      if (most > 0.999) fed.saturated += 1;
    }
    if (!acts) c.allocate(end + kMs);
    EXPECT_TRUE(c.last_cycle().status);
  }
  constexpr double kCounted = kEach * (kBatches - 1);
  fed.derivative_rms = std::sqrt(fed.derivative_rms / kCounted);
  fed.saturated /= kCounted;
  return fed;
}

TEST_F(ControllerTest, StatesThatHaveQueuedUpAreNoLouderThanHalfTheirTimeMakesThem) {
  for (const bool acts : {false, true}) {
    Controller calm(options), late(options);
    const Fed in_time = feed(calm, false, acts), queued = feed(late, true, acts);
    EXPECT_NEAR(in_time.least_dt_s, 0.005, 1e-9);
    EXPECT_NEAR(in_time.derivative_rms, std::sqrt(2.0) * 0.001 / 0.005, 0.02);
    EXPECT_EQ(in_time.saturated, 0);
    // stepped by their arrivals: 10 us, 500 times the noise, and efforts at their limits all the time
    EXPECT_GE(queued.least_dt_s, 0.0025 - 1e-9) << acts;
    EXPECT_LT(queued.derivative_rms, 2.1 * in_time.derivative_rms) << acts;
    EXPECT_LT(queued.saturated, 0.01) << acts;
  }
}

TEST_F(ControllerTest, SendsOnlyWhileEnabledAndOneSafeAllocationAfter) {
  Controller c(options);
  go(c, 0.2);
  EXPECT_FALSE(cycle.status);
  EXPECT_FALSE(cycle.send);
  EXPECT_EQ(c.enable(true, now()).message, "Controls enabled.");
  go(c, 0.2);
  EXPECT_TRUE(cycle.status && cycle.send);
  EXPECT_EQ(cycle.allocs, cycle.constrained);
  EXPECT_EQ(c.enable(false, now()).message, "Controls disabled.");
  go(c, 0.05);
  EXPECT_FALSE(cycle.status);
  EXPECT_TRUE(cycle.send);
  EXPECT_EQ(cycle.allocs, std::vector<double>(8, 0.0));
  go(c, 0.05);
  EXPECT_FALSE(cycle.send);
}

TEST_F(ControllerTest, AsTheOriginalSendsNothingOnDisableWhenToldSo) {
  options.zero_on_disable = false;
  Controller c(options);
  (void)c.enable(true, now());
  go(c, 0.2);
  (void)c.enable(false, now());
  go(c, 0.05);
  EXPECT_FALSE(cycle.send);
}

TEST_F(ControllerTest, AStateThatStopsEndsSafeInTimeAndComesBackByItself) {
  Controller c(options);
  (void)c.enable(true, now());
  go(c, 0.5);
  wait(c, 0.45);
  EXPECT_TRUE(cycle.status) << "not yet";
  wait(c, 0.1);
  EXPECT_FALSE(cycle.status);
  EXPECT_EQ(cycle.hold, Hold::kStale);
  EXPECT_EQ(largest(), 0) << "at once";
  go(c, 0.2);
  EXPECT_TRUE(cycle.status);
  EXPECT_LE(state.delta_time_s, 0.051) << "the gap is not integrated over";
}

TEST_F(ControllerTest, AStateAfterAGapGivesNoKickOfWhatWasBeforeIt) {
  Controller c(options);
  (void)c.enable(true, now());
  (void)c.set_control_types({1, 1, 1, 1, 1, 1}, now());
  (void)c.desired_velocity({0.2, 0, 0, 0, 0, 0}, now());
  go(c, 1);
  wait(c, 0.7);
  double most = 0;
  for (int i = 0; i < 10; ++i) {
    go(c, 0.05, {}, {0.2, 0, 0, 0, 0, 0});
    most = std::max(most, std::abs(state.velocity[0].calculated_derivative));
  }
  EXPECT_LT(most, 0.01) << "it was -4 per second, and full reverse";
}

TEST_F(ControllerTest, AFailedTransformAgesTheStateToo) {
  Controller c(options);
  (void)c.enable(true, now());
  go(c, 0.5);
  for (int i = 0; i < 12; ++i) {
    t += 0.05;
    on_state(c, {}, nullptr);
    EXPECT_EQ(state.outcome, StateOutcome::kNoTransform);
    EXPECT_NEAR(state.delta_time_s, 0.05, 1e-9);
    cycle = c.allocate(now());
  }
  EXPECT_EQ(cycle.hold, Hold::kStale);
}

TEST_F(ControllerTest, StampsThatAreOldOrStandStillAreStale) {
  for (const bool frozen : {false, true}) {
    Controller c(options);
    (void)c.enable(true, now());
    const double begin = t;
    const PlainPose X;
    for (int i = 0; i < 60; ++i) {
      t += 0.033;
      const double stamp = frozen ? begin : t - 10;
      (void)c.on_state({static_cast<std::int64_t>(stamp * 1e9), X, {}, &X}, now(), false);
      cycle = c.allocate(now());
    }
    EXPECT_FALSE(cycle.status);
    EXPECT_GT(c.age_s(), frozen ? 0.5 : 9);
  }
}

TEST_F(ControllerTest, ALongLossLatchesUntilSomebodyEnables) {
  Controller c(options);
  (void)c.enable(true, now());
  go(c, 0.5);
  wait(c, 6);
  EXPECT_EQ(cycle.hold, Hold::kLatched);
  go(c, 1);
  EXPECT_EQ(cycle.hold, Hold::kLatched);
  (void)c.enable(true, now());
  go(c, 0.15);
  EXPECT_TRUE(cycle.status);
}

TEST_F(ControllerTest, AClockSetBackDoesNotKeepOldStatesYoung) {
  Controller c(options);
  (void)c.enable(true, now());
  go(c, 0.5);
  t -= 50;
  wait(c, 0.7);
  EXPECT_EQ(cycle.hold, Hold::kStale);
}

TEST_F(ControllerTest, PowerOnAllAxesWithoutStaticForceNeedsNoStateAndHasATimeout) {
  options.file = copy(kRobot);
  options.setpoint_timeout_s = 1;
  Controller c(options);
  (void)c.enable(true, now());
  ASSERT_TRUE(c.set_control_types({2, 2, 2, 2, 2, 2}, now()).success);
  wait(c, 0.05);
  EXPECT_EQ(cycle.hold, Hold::kNoState) << "oogway's static force turns with the attitude";
  ASSERT_TRUE(c.set_static_power({}).success);
  EXPECT_EQ(c.desired_power({0.5, 0, 0, 0, 0, 0}, now()), "");
  wait(c, 0.9);
  EXPECT_TRUE(cycle.status);
  EXPECT_EQ(cycle.base[0], 0.5);
  EXPECT_GT(largest(), 0.1);
  // its planner has ended
  wait(c, 0.3);
  EXPECT_EQ(cycle.base[0], 0);
  EXPECT_EQ(largest(), 0);
}

TEST_F(ControllerTest, AVelocityOfAPlannerThatHasEndedBecomesAHoldAndAPoseStands) {
  options.setpoint_timeout_s = 1;
  Controller c(options);
  (void)c.enable(true, now());
  (void)c.set_control_types({1, 0, 0, 0, 0, 0}, now());
  (void)c.desired_position({{0, 0, -1}, {0, 0, 0, 1}}, now());
  (void)c.desired_velocity({0.3, 0, 0, 0, 0, 0}, now());
  const PlainPose X{{2, 0, -1}, {0, 0, 0, 1}};
  go(c, 0.8, X);
  EXPECT_NEAR(state.velocity_error[0], 0.3, 1e-12);
  go(c, 0.5, X);
  EXPECT_EQ(cycle.control_types[0], 0);
  EXPECT_NEAR(state.position_error[0], 0, 1e-9) << "here";
  go(c, 3, X);
  EXPECT_NEAR(state.position_error[2], 0, 1e-9) << "the depth is still the one asked for";
}

TEST_F(ControllerTest, TheMessagesOfTheOriginalComeFirst) {
  Controller c(options);
  EXPECT_EQ(c.desired_position({{}, {0, 0, 0, 1.1}}, now()),
            "Invalid desired position orientation. Quaternion must have length 1.");
  EXPECT_NE(c.desired_power({0, 1.5, 0, 0, 0, 0}, now()).find("Axis y: 1.5"), std::string::npos);
  EXPECT_NE(c.desired_power({0, kNan, 0, 0, 0, 0}, now()), "");
  EXPECT_EQ(
      c.set_control_types({0, 0, 0, 0, 0, 3}, now())
          .message.find("Failed to update control types. One or more control types was invalid."),
      0U);
  EXPECT_EQ(c.set_pid_gains({{0, 6, 0, 1}})
                .message.find("Failed to update PID gains. One or more PID gains was invalid."),
            0U);
  EXPECT_EQ(c.reset_pid_loops(now()).message, "Reset PID loops successfully.");
  EXPECT_EQ(c.refused(), 5U);
}

TEST_F(ControllerTest, AGainOfNoLoopNoAxisOrNoKindIsNamedByItsPlaceInTheRequest) {
  options.file = copy(kRobot);
  Controller c(options);
  for (const PlainGain& wrong :
       {PlainGain{-1, 0, 0, 1}, PlainGain{2, 0, 0, 1}, PlainGain{0, -1, 0, 1},
        PlainGain{0, 6, 0, 1}, PlainGain{0, 0, -1, 1}, PlainGain{0, 0, 4, 1}}) {
    const PlainAnswer a = c.set_pid_gains({{0, 0, 0, 2}, wrong});
    EXPECT_FALSE(a.success);
    EXPECT_NE(a.message.find("(entry 1: loop is 0 or 1, axis 0 to 5, gain 0 to 3)"),
              std::string::npos)
        << a.message;
  }
  EXPECT_EQ(c.allocate(now()).gains[0].value, 1.8) << "nor the good one beside it";
}

TEST(RobotFile, WhereNoneIsItIsSaidWhoNamedTheFolder) {
  const auto why = [](const std::string& config, const std::string& environment) -> std::string {
    try {
      return find_robot_file(config, environment, "/none", "");
    } catch (const std::runtime_error& e) {
      return e.what();
    }
  };
  EXPECT_NE(why("", "").find("/none/config/oogway.yaml (the folder is the package's folder"),
            std::string::npos);
  EXPECT_NE(why("", "/team").find("/team/oogway.yaml (the folder is $PINTLE_CONFIG_DIR"),
            std::string::npos);
  EXPECT_NE(why("/mine", "/team").find("/mine/oogway.yaml (the folder is ~config_dir"),
            std::string::npos);
}

TEST_F(ControllerTest, PowerBeyondItsLimitsIsAnsweredAtOnceWhateverTheModes) {
  // a native file: safe
  options.file = kSource / "vehicles/oogway.yaml";
  Controller c(options);
  EXPECT_NE(c.desired_power({0, 1e6, 0, 0, 0, 0}, now()).find("Axis y"), std::string::npos);
  EXPECT_TRUE(c.set_control_types({2, 2, 2, 2, 2, 2}, now()).success);
}

TEST_F(ControllerTest, GainsAreAllOrNothingAndTheLastOfSeveralWins) {
  options.file = copy(kRobot);
  Controller c(options);
  const auto gain = [&](int loop, int axis, int which) {
    cycle = c.allocate(now());
    return cycle.gains[static_cast<std::size_t>(24 * loop + 4 * axis + which)].value;
  };
  EXPECT_FALSE(c.set_pid_gains({{0, 0, 0, 9}, {0, 0, 1, kNan}}).success);
  EXPECT_EQ(gain(0, 0, 0), 1.8);
  EXPECT_TRUE(c.set_pid_gains({{0, 0, 0, 9}, {1, 5, 2, 4}, {0, 0, 0, 2}}).success);
  EXPECT_EQ(gain(0, 0, 0), 2);
  EXPECT_EQ(gain(1, 5, 2), 4);
  EXPECT_TRUE(c.set_pid_gains({}).success);
}

TEST_F(ControllerTest, AllGainsOfARequestAreInForceTogetherWhileTheLoopGoesOn) {
  options.file = copy(kRobot);
  Controller c(options);
  // as often as it takes to see cycles begin and end within one request
  constexpr int kWithin = 5, kMost = 5000;
  std::atomic<bool> over{false};
  std::atomic<int> request{0}, within{0};
  int made = 0;
  std::thread saver([&] {
    while (made < kMost && within < kWithin) {
      ++made;
      std::vector<PlainGain> gains;
      for (int i = 0; i < 48; ++i)
        gains.push_back({i / 24, i / 4 % 6, i % 4, 0.125 * (1 + made % 8)});
      request = made;
      EXPECT_TRUE(c.set_pid_gains(gains).saved);
      request = 0;
    }
    over = true;
  });
  for (bool last = false; !last;) {
    last = over;
    const int begun = request;
    cycle = c.allocate(now());
    within += begun != 0 && begun == request ? 1 : 0;
    t += 0.05;
    if (cycle.gains[0].value == 1.8) continue;  // as in the file
    EXPECT_TRUE(std::all_of(cycle.gains.begin(), cycle.gains.end(),
                            [&](const PlainGain& g) { return g.value == cycle.gains[0].value; }));
  }
  saver.join();
  EXPECT_GE(within, kWithin) << "the loop stood while gains were saved";
  const double newest = 0.125 * (1 + made % 8);
  EXPECT_EQ(cycle.gains[47].value, newest);
  const craft::VehicleFile read = craft::load_vehicle(options.file);
  EXPECT_EQ(read.laws.control.velocity[5].ff, newest);
}

TEST_F(ControllerTest, InACascadeThePositionGainsAreTheCascadedOnes) {
  options.file = copy(kRobot);
  options.cascaded = true;
  Controller c(options);
  cycle = c.allocate(now());
  EXPECT_EQ(cycle.gains[0].value, 4);
  EXPECT_TRUE(c.set_pid_gains({{0, 0, 0, 3}}).success);
  cycle = c.allocate(now());
  EXPECT_EQ(cycle.gains[0].value, 3);
}

TEST_F(ControllerTest, ACascadeWithoutVelocityLoopsSaysSo) {
  options.cascaded = true;
  EXPECT_TRUE(Controller(options).warnings().empty() ||
              Controller(options).warnings()[0].find("cascaded_pid") == std::string::npos);
  options.enable_velocity = false;
  std::string all;
  for (const std::string& w : Controller(options).warnings()) all += w;
  EXPECT_NE(all.find("cascaded_pid without enable_velocity_pid"), std::string::npos);
}

TEST_F(ControllerTest, TuningRefusesWhatIsNotFiniteAndANegativeScale) {
  options.file = copy(kRobot);
  Controller c(options);
  EXPECT_FALSE(c.set_power_scale_factor(-0.1).success);
  EXPECT_FALSE(c.set_power_scale_factor(kNan).success);
  EXPECT_FALSE(c.set_static_power({0, kNan, 0}).success);
  EXPECT_TRUE(c.set_power_scale_factor(0).success);
  EXPECT_EQ(c.allocate(now()).power_scale_factor, 0);
}

TEST_F(ControllerTest, TuningThatIsTakenAndQuestionableIsSaid) {
  options.file = copy(kRobot);
  Controller c(options);
  EXPECT_EQ(c.set_pid_gains({{0, 0, 0, 2.5}}).warning, "");
  const PlainAnswer a = c.set_pid_gains({{0, 0, 0, -2.5}});
  EXPECT_TRUE(a.success) << "teams have such files";
  EXPECT_NE(a.warning.find("kp"), std::string::npos) << a.warning;
  EXPECT_FALSE(c.set_static_power({0, 1e30, 0}).success);
}

TEST_F(ControllerTest, ASaveThatFailsKeepsTheRunningValueAndSaysSo) {
  options.file = copy(kRobot);
  Controller c(options);
  fs::remove_all(folder);
  const PlainAnswer a = c.set_power_scale_factor(0.5);
  EXPECT_TRUE(a.success && a.save_failed);
  EXPECT_EQ(a.message.find("applied, NOT saved: "), 0U) << a.message;
  EXPECT_EQ(c.allocate(now()).power_scale_factor, 0.5);
}

TEST_F(ControllerTest, ValuesOfAMissionAreNotSavedAndItIsSaid) {
  options.file = kSource / "missions/pool.yaml";
  Controller c(options);
  const PlainAnswer a = c.set_pid_gains({{0, 0, 0, 2}});
  EXPECT_TRUE(a.success && a.save_failed);
  EXPECT_EQ(a.message.find("applied, NOT saved: "), 0U) << a.message;
}

TEST_F(ControllerTest, AStateThatIsNotFiniteIsRefusedAndTheEffortsHold) {
  Controller c(options);
  go(c, 0.5, {{1, 0, 0}, {0, 0, 0, 1}});
  const Six before = state.position_efforts;
  const PlainPose broken{{kNan, 0, 0}, {0, 0, 0, 1}};
  t += 0.05;
  on_state(c, broken, &broken);
  EXPECT_EQ(state.outcome, StateOutcome::kRefused);
  EXPECT_EQ(state.position_efforts, before);
}

TEST_F(ControllerTest, ACraftWhoseLawAllocatesOtherwiseIsRefused) {
  options.file = kSource / "missions/hover_box.yaml";
  EXPECT_THROW(Controller{options}, std::runtime_error);
}

TEST_F(ControllerTest, CapsOfTheVehicleFileHold) {
  const fs::path file = copy(kSource / "vehicles/oogway.yaml");
  std::ofstream(file, std::ios::app) << "\npower: {max_power_W: 50, full_power_W: 300}\n";
  double most[2] = {0, 0};
  for (const bool capped : {false, true}) {
    options.file = capped ? file.string() : (kSource / "vehicles/oogway.yaml").string();
    Controller c(options);
    (void)c.enable(true, now());
    (void)c.set_control_types({2, 2, 2, 2, 2, 2}, now());
    (void)c.desired_power({1, 0, 0, 0, 0, 0}, now());
    go(c, 1);
    ASSERT_TRUE(cycle.status);
    most[capped ? 1 : 0] = largest();
  }
  EXPECT_LT(most[1], 0.6 * most[0]);
  EXPECT_GT(most[1], 0.05);
}

TEST_F(ControllerTest, SlewLimitsOfTheVehicleFileHold) {
  double most[2] = {0, 0};
  for (const bool limited : {false, true}) {
    options.file = oogway_with("      tau_s: 0.1", limited ? "      slew_per_s: 0.4\n" : "");
    Controller c(options);
    (void)c.enable(true, now());
    (void)c.set_control_types({2, 2, 2, 2, 2, 2}, now());
    go(c, 1);
    (void)c.desired_power({1, 0, 0, 0, 0, 0}, now());
    most[limited ? 1 : 0] = largest_step(c, 5);
    EXPECT_GT(largest(), 0.2) << "it gets there";
  }
  EXPECT_GT(most[0], 0.2);
  EXPECT_NEAR(most[1], 0.4 * 0.05, 1e-6);
}

TEST_F(ControllerTest, SmoothingOfTheVehicleFileHolds) {
  double most[2] = {0, 0};
  for (const bool smooth : {false, true}) {
    const fs::path file =
        oogway_with("allocation: {k1: 1, k2: 0", "", smooth ? ", preferred_rate: 0.1" : "");
    options.file = oogway_with("      tau_s: 0.1", "      preferred_effort: 0.2\n", "", file);
    Controller c(options);
    (void)c.enable(true, now());
    (void)c.set_control_types({2, 2, 2, 2, 2, 2}, now());
    ASSERT_TRUE(c.set_static_power({0, 0, 0}).success);
    cycle = {};
    most[smooth ? 1 : 0] = largest_step(c, 10);
    EXPECT_GT(largest(), 0.05) << "where the demand leaves freedom they turn against each other";
  }
  EXPECT_GT(most[0], 0.05) << "at once";
  EXPECT_LT(most[1], 0.1 * 0.05 + 1e-9);
  EXPECT_GT(most[1], 0);
}

TEST_F(ControllerTest, AThrusterThatIsDeadWithoutAWordIsFoundAndDropped) {
  std::string text = text_of(kSource / "missions/pool.yaml");
  for (const std::string& up : {std::string("vehicle: "), std::string("file: ")})
    replace(text, up + "..", up + kSource.string());
  replace(text, "at_s: 60, announced: false", "at_s: 5, announced: false");
  options.file = folder / "pool.yaml";
  std::ofstream(options.file) << text << "\nfailure_detection: {on_detection: drop}\n";
  Controller c(options);
  (void)c.enable(true, now());
  Simulation world(options.file, 1);
  const double begin = t;
  const auto fly = [&](double until_s, const std::function<bool()>& is_over) {
    while (t - begin < until_s && !is_over()) {
      t = begin + 1e-9 * static_cast<double>(world.now_ns()) + 0.05;
      world.advance(0.05, cycle.allocs);
      // up and down, ahead and back
      (void)c.desired_position({{std::sin(t), 0, -1.5 + 0.4 * std::sin(0.7 * t)}, {0, 0, 0, 1}},
                               now());
      for (WorldSample s; world.take(s);) on_state(c, s.pose, &s.pose, s.twist);
      cycle = c.allocate(now());
    }
  };
  const auto is_found = [&c] { return !c.faults().text.empty(); };
  fly(5, is_found);
  EXPECT_EQ(c.faults().text, "") << "all of them push";
  fly(40, is_found);
  EXPECT_NE(c.faults().text.find("thruster out: top_back_left"), std::string::npos)
      << c.faults().text;
  fly(t - begin + 0.1, [] { return false; });
  EXPECT_EQ(cycle.allocs[5], 0) << "and used no more";
}

TEST_F(ControllerTest, WhatTheIntegralsGatheredWhileNothingWasSentDoesNotSurviveEnabling) {
  const PlainPose far{{-0.3, 0, 0}, {0, 0, 0, 1}};
  std::vector<double> allocs[3];
  for (const int kind : {0, 1, 2}) {
    options.file = copy(kSource / "vehicles/oogway.yaml");
    Controller c(options);
    ASSERT_TRUE(c.set_pid_gains({{0, 0, 1, 0.5}}).success);
    (void)c.desired_position({}, now());
    // never enabled before, disabled for a while, enabled and disabled again
    if (kind == 2) (void)c.enable(true, now());
    go(c, kind > 0 ? 5 : 0.05, far);
    if (kind == 2) (void)c.enable(false, now());
    (void)c.enable(true, now());
    go(c, 0.2, far);
    ASSERT_TRUE(cycle.status);
    allocs[kind] = cycle.allocs;
  }
  ASSERT_GT(largest(), 0.1);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(allocs[1][i], allocs[0][i], 1e-9) << i;
    EXPECT_NEAR(allocs[2][i], allocs[0][i], 1e-9) << i;
  }
}

TEST_F(ControllerTest, WhatStandsAgainstEnablingIsNoOldState) {
  options.file =
      oogway_with("  leak: {after_s: 0.5", "  battery_silent: {limit_s: 1, action: land}\n");
  Controller c(options);
  (void)c.enable(true, now());
  go(c, 3);
  EXPECT_FALSE(cycle.status) << "no topic of this node tells a charge";
  EXPECT_STREQ(name_of(cycle.hold), "refused");
  EXPECT_NE(c.against().find("battery silent"), std::string::npos) << c.against();
}

TEST_F(ControllerTest, WhereMatrixAndThrustersDisagreeTheMatrixFliesOnceSomebodyHasSaidSo) {
  fs::create_directories(folder / "config");
  fs::create_directories(folder / "data");
  options.file = folder / "config/oogway.yaml";
  fs::copy_file(kRobot, options.file);
  const auto matrix = [this](double lever) {
    // two thrusters ahead, beside the middle
    std::ofstream(folder / "data/oogway_wrench_matrix.csv") << "1,1\n0,0\n0,0\n0,0\n0,0\n"
                                                            << -lever << "," << lever << "\n";
  };
  const auto asked = [this](MatrixAnswer answer, std::string& why) {
    options.matrix = answer;
    Controller c(options);
    (void)c.set_control_types({2, 2, 2, 2, 2, 2}, now());
    const PlainAnswer a = c.enable(true, now());
    why = a.message;
    (void)c.desired_power({0, 0, 0, 0, 0, 0.5}, now());
    go(c, 0.5);
    EXPECT_EQ(cycle.status, a.success);
    return cycle.constrained;
  };
  matrix(0.5);
  std::string why;
  EXPECT_EQ(asked(MatrixAnswer::kAsk, why).size(), 2U);
  EXPECT_NE(why.find("~wrench_matrix"), std::string::npos) << why;
  const std::vector<double> by_matrix = asked(MatrixAnswer::kMatrix, why);
  ASSERT_EQ(by_matrix.size(), 2U);
  EXPECT_NEAR(by_matrix[0], -0.5, 1e-6);
  EXPECT_NEAR(by_matrix[1], 0.5, 1e-6);
  EXPECT_EQ(asked(MatrixAnswer::kThrusters, why).size(), 8U);
  EXPECT_EQ(why, "Controls enabled.");
  // beside the vehicle's file, not beside the mission's that names it
  fs::create_directories(folder / "elsewhere");
  std::ofstream(folder / "elsewhere/mission.yaml")
      << "format: pintle/mission/1\nname: still\nvehicle: ../config/oogway.yaml\nworld:\n  file: "
      << (kSource / "worlds/pool.yaml").string()
      << "\nmission:\n  start: still\n  states:\n    - {name: still, timeout_s: 5}\n";
  const std::string alone = std::exchange(options.file, folder / "elsewhere/mission.yaml");
  EXPECT_EQ(asked(MatrixAnswer::kMatrix, why).size(), 2U);
  options.file = alone;
  // a column without a force is no thruster's
  std::ofstream(folder / "data/oogway_wrench_matrix.csv") << "1\n0\n0\n0\n0\n0\n";
  EXPECT_NO_THROW((void)asked(MatrixAnswer::kMatrix, why));
  std::ofstream(folder / "data/oogway_wrench_matrix.csv") << "0\n0\n0\n0\n0\n1\n";
  EXPECT_THROW((void)asked(MatrixAnswer::kMatrix, why), std::runtime_error);
  (void)asked(MatrixAnswer::kAsk, why);
  EXPECT_NE(why.find("Controls not enabled"), std::string::npos);
  // the one that ships is that of its thrusters
  fs::copy_file(kSource / "vehicles/original/duke/data/oogway_wrench_matrix.csv",
                folder / "data/oogway_wrench_matrix.csv", fs::copy_options::overwrite_existing);
  EXPECT_EQ(asked(MatrixAnswer::kAsk, why).size(), 8U);
  EXPECT_EQ(why, "Controls enabled.");
}

TEST_F(ControllerTest, GainsOfAnAxisThatIsAnAliasAreSaved) {
  const fs::path file = copy(kSource / "vehicles/oogway.yaml");
  std::string text;
  {
    std::stringstream all;
    all << std::ifstream(file).rdbuf();
    text = all.str();
  }
  const std::size_t at = text.find("position:", text.find("control:"));
  ASSERT_NE(at, std::string::npos);
  const std::size_t x = text.find("x: ", at), y = text.find("y: ", x);
  const std::size_t x_end = text.find('\n', x), y_end = text.find('\n', y);
  ASSERT_EQ(text.substr(x + 3, 1), "{") << text.substr(x, 40);
  text.replace(y, y_end - y, "y: *surge");
  text.insert(x + 3, "&surge ");
  (void)x_end;
  std::ofstream(file) << text;
  options.file = file;
  Controller c(options);
  const PlainAnswer a = c.set_pid_gains({{0, 0, 0, 2.5}, {0, 1, 0, 3.5}});
  EXPECT_TRUE(a.saved) << a.message;
  const craft::VehicleFile read = craft::load_vehicle(file);
  EXPECT_EQ(read.laws.control.position[0].kp, 2.5);
  EXPECT_EQ(read.laws.control.position[1].kp, 3.5);
}

TEST_F(ControllerTest, ItsLogReplaysToTheBitAcrossChangesOfParameters) {
  options.file = copy(kRobot);
  options.log = folder / "controls.mcap";
  options.log_waits = true;
  options.setpoint_timeout_s = 1;
  {
    Controller c(options);
    go(c, 0.2);
    (void)c.enable(true, now());
    (void)c.desired_position({{1, 0.5, -1}, {0, 0, 0, 1}}, now());
    go(c, 1, {{0.1, 0, 0}, {0, 0, 0, 1}}, {0.1, 0, 0, 0, 0, 0.2});
    (void)c.set_pid_gains({{0, 0, 0, 2.5}});
    (void)c.set_control_types({1, 0, 0, 0, 0, 2}, now());
    (void)c.desired_velocity({0.3, 0, 0, 0, 0, 0}, now());
    go(c, 2, {{0.2, 0, 0}, {0, 0, 0, 1}});
    wait(c, 7);
    EXPECT_EQ(cycle.hold, Hold::kLatched);
  }
  const flight::ReplayResult r = flight::replay(options.log);
  EXPECT_TRUE(r.complete) << r.note;
  EXPECT_GT(r.ticks, 250U);
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
}

}  // namespace
}  // namespace pintle::ros1
