// The core of the node jet without ROS: in plain values, tick by tick.
#include "jet/aircraft.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "pintle/flight/replay.h"

namespace pintle::ros1 {
namespace {

AircraftOptions options() {
  AircraftOptions o;
  o.vehicle_file = PINTLE_SOURCE_DIR "/vehicles/quad.yaml";
  o.config_dir = PINTLE_SOURCE_DIR "/bridges/ros1/packages/jet/config";
  o.use_guidance = false;
  o.enable_serial = false;
  return o;
}

/// A craft that is carried about by the test: 20 ms a step.
struct Bench {
  Aircraft aircraft;
  std::int64_t now_ns = 1'000'000'000;
  double up_m = 0, up_m_s = 0;
  bool mirrored = false;  ///< The odometry says down for up.
  int phase = 0;
  bool has_control = false, has_battery = true;

  explicit Bench(const AircraftOptions& o) : aircraft(o) {}
  const JetCycle& step() {
    now_ns += 20'000'000;
    up_m += 0.02 * up_m_s;
    // nose to the north
    // in the air no sensor gives the same numbers twice
    const double noise_m = phase < 2 ? 0 : 1e-6 * static_cast<double>(now_ns / 20000000 % 10);
    aircraft.odometry(now_ns, {{2 + noise_m, 1, mirrored ? -up_m : up_m}, {0, 0, 0, 1}});
    PlainFlight f;
    f.stamp_ns = now_ns;
    f.phase = phase;
    f.has_control = has_control;
    f.has_battery = has_battery;
    f.battery = 0.9;
    f.velocity = {0, 0, up_m_s};
    f.has_attitude = true;
    f.attitude = {0, 0, std::sqrt(0.5), std::sqrt(0.5)};
    aircraft.flight(f);
    return aircraft.cycle(now_ns);
  }
  const JetCycle& pass(double seconds) {
    const JetCycle* c = &step();
    for (int i = 1; i < static_cast<int>(seconds * 50); ++i) c = &step();
    return *c;
  }
  void lift() {
    pass(1.5);
    up_m_s = 0.4;
    pass(0.8);
    up_m_s = -0.4;
    pass(0.8);
    up_m_s = 0;
    pass(2);
  }
};

TEST(Aircraft, LeavesALogThatReplaysBitForBitAcrossChangesOfItsFiles) {
  AircraftOptions o = options();
  o.log =
      std::filesystem::temp_directory_path() / ("pintle-jet-" + std::to_string(getpid()) + ".mcap");
  std::uint64_t ticks = 0;
  {
    Bench b(o);
    b.lift();
    ASSERT_EQ(b.aircraft.arm(true), "");
    b.step();
    std::string told;
    ASSERT_EQ(b.aircraft.parameter("set pid.xy.kp 0.7", told), "");
    const std::string durations = "duration: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\n";
    ASSERT_EQ(b.aircraft.reload(JetPart::kDuration, &durations), "");
    int result = 0;
    ASSERT_EQ(b.aircraft.charge(result), "");
    b.pass(1);
    ticks = static_cast<std::uint64_t>((b.now_ns - 1'000'000'000) / 20'000'000);
  }
  const flight::ReplayResult r = flight::replay(o.log);
  EXPECT_EQ(r.ticks, ticks);
  EXPECT_EQ(r.mismatches, 0U) << r.first_mismatch;
  EXPECT_TRUE(r.complete);
  std::filesystem::remove(o.log);
}

TEST(Aircraft, IsNotArmedBeforeTheFrameIsProvedAndNotChargedBeforeItIsArmed) {
  Bench b(options());
  b.pass(2);
  int result = -1;
  EXPECT_NE(b.aircraft.charge(result).find("not armed"), std::string::npos);
  EXPECT_EQ(result, 0);
  EXPECT_NE(b.aircraft.arm(true).find("lift the craft"), std::string::npos);
  b.lift();
  EXPECT_EQ(b.aircraft.arm(true), "");
  EXPECT_TRUE(b.step().armed);
  EXPECT_EQ(b.aircraft.charge(result), "");
  EXPECT_EQ(b.step().activity, "running");
}

/// Armed, charged, and asked to take off.
int to_take_off(Bench& b) {
  b.lift();
  EXPECT_EQ(b.aircraft.arm(true), "");
  b.step();
  int result = 0;
  EXPECT_EQ(b.aircraft.charge(result), "");
  b.has_control = true;
  int n = 0;
  while (b.step().service != FlightService::kTakeOff && n < 1000) ++n;
  return n;
}

TEST(Aircraft, ToldToEndBeforeItRisesItAsksForALandingAndWaitsForIt) {
  for (const bool rises : {false, true}) {
    Bench b(options());
    ASSERT_LT(to_take_off(b), 1000);
    double t = 0;
    FlightService last = FlightService::kNone;
    std::uint32_t landings = 0, number = 0;
    while (!b.aircraft.leave(t) && t < 60) {
      const JetCycle& c = b.step();
      if (c.service == FlightService::kLand && c.service_number != number) {
        number = c.service_number;
        ++landings;
        b.aircraft.answered(number, ServiceAnswer::kAccepted);
      }
      last = c.service;
      t += 0.02;
      if (rises && t > 1) b.phase = landings < 2 ? 2 : 4;
    }
    EXPECT_LT(t, 12) << "roslaunch kills after fifteen seconds";
    EXPECT_EQ(last, rises ? FlightService::kLand : FlightService::kReleaseControl);
    EXPECT_EQ(landings, rises ? 2U : 1U)
        << "one that was answered on the ground is none in the air";
  }
}

TEST(Aircraft, ToldToEndFarAwayItsLastWordIsALanding) {
  Bench b(options());
  ASSERT_LT(to_take_off(b), 1000);
  b.phase = 3;
  b.up_m_s = 1;
  b.pass(1.2);
  b.up_m_s = 0;
  b.pass(1);
  double t = 0;
  const JetCycle* c = nullptr;
  for (; !b.aircraft.leave(t) && t < 60; t += 0.02) {
    c = &b.step();
    if (c->service == FlightService::kLand) b.phase = 4;
  }
  EXPECT_LT(t, 12);
  EXPECT_GT(t, 5) << "the way home first";
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->service, FlightService::kLand);
}

TEST(Aircraft, AChargeIsForTheGroundAndForOneFlight) {
  Bench b(options());
  ASSERT_LT(to_take_off(b), 1000);
  b.phase = 3;
  b.up_m_s = 1;
  b.pass(1.2);
  b.up_m_s = 0;
  int result = 0;
  EXPECT_NE(b.aircraft.charge(result).find("under way"), std::string::npos);
  EXPECT_EQ(result, 3);
  ASSERT_EQ(b.aircraft.command("pause"), "");
  b.step();
  result = -1;
  EXPECT_NE(b.aircraft.charge(result).find("paused"), std::string::npos);
  EXPECT_EQ(result, 3);
  ASSERT_EQ(b.aircraft.command("cutoff"), "");
  b.step();
  EXPECT_NE(b.aircraft.charge(result).find("in the air"), std::string::npos);
  EXPECT_EQ(b.step().activity, "idle");
  b.up_m = 0;
  b.phase = 0;
  b.pass(2);
  EXPECT_NE(b.aircraft.charge(result).find("arm it anew"), std::string::npos);
}

TEST(Aircraft, AMirroredHeightIsNeverArmed) {
  Bench b(options());
  b.mirrored = true;
  b.lift();
  EXPECT_NE(b.aircraft.arm(true).find("moves otherwise"), std::string::npos);
}

TEST(Aircraft, PoseIsNorthEastUpOfTheOriginAndTfIsEastNorthUp) {
  Bench b(options());
  b.lift();
  b.up_m = 0.04;
  const JetCycle& c = b.step();
  ASSERT_TRUE(c.pose_valid);
  EXPECT_NEAR(c.pose_neu[0], 0, 1e-9);
  EXPECT_NEAR(c.pose_neu[1], 0, 1e-9);
  EXPECT_NEAR(c.pose_neu[2], 0.04, 0.005);
  EXPECT_NEAR(c.yaw_north, 0, 1e-9);
  EXPECT_NEAR(c.origin[0], 1, 1e-9);
  EXPECT_NEAR(c.origin[1], 2, 1e-9);
}

TEST(Aircraft, TheOldStampOfALateMessageIsNoFreshOdometry) {
  Bench b(options());
  b.pass(1);
  for (int i = 0; i < 10; ++i) {
    b.now_ns += 20'000'000;
    // newer than the one before, but a second old when it arrives
    b.aircraft.odometry(b.now_ns - 200'000'000, {{2, 1, 0}, {0, 0, 0, 1}});
    (void)b.aircraft.cycle(b.now_ns);
  }
  EXPECT_FALSE(b.aircraft.cycle(b.now_ns + 1).pose_valid);
}

TEST(Aircraft, AReloadIsWholeOrNotAtAll) {
  Bench b(options());
  const std::string good = "takeoff_height: 1.5\nlanding_height: 0.4\nnormal_altitude: 1.4\n";
  EXPECT_EQ(b.aircraft.reload(JetPart::kFlight, &good), "");
  const std::string bad = "takeoff_height: 1.5\nlanding_height: .nan\nnormal_altitude: 1.4\n";
  EXPECT_NE(b.aircraft.reload(JetPart::kFlight, &bad).find("landing_height"), std::string::npos);
  EXPECT_EQ(b.aircraft.reload(JetPart::kPid, nullptr), "");
  b.pass(1);
}

TEST(Aircraft, AGoalThatIsNotFiniteOrOnTheGroundIsNotFlown) {
  Bench b(options());
  b.lift();
  EXPECT_NE(b.aircraft.navigate(1, {0, std::nan(""), 0}, 0), "");
  EXPECT_EQ(b.aircraft.navigate(2, {1, 0, 1}, 0), "");
  const JetCycle& c = b.step();
  EXPECT_EQ(c.navigation.ended_id, 2U);
  EXPECT_EQ(c.navigation.ended_as, "refused");
}

TEST(Aircraft, AGoalBeyondFenceAndCeilingIsRefusedWhereItIsAskedFor) {
  Bench b(options());
  b.lift();
  EXPECT_NE(b.aircraft.navigate(1, {1, 1, 30}, 0).find("the ceiling is at 8.0 m"),
            std::string::npos);
  EXPECT_NE(b.aircraft.navigate(1, {12, 12, 2}, 0).find("the fence is at 15.0 m"),
            std::string::npos);
  EXPECT_NE(b.aircraft.navigate(1, {1, 1, 0}, 0).find("lands by request"), std::string::npos);
  EXPECT_EQ(b.aircraft.navigate(1, {10, 10, 7.9}, 0), "");
}

TEST(Aircraft, FenceAndCeilingDoNotFollowATypingError) {
  Bench b(options());
  b.pass(1);
  std::string told;
  for (const char* line : {"set dropoint.x 500", "set dropoint.z 500", "set normal_altitude 500",
                           "set normal_altitude 0", "set takeoff_height 80", "set pid.xy.kp -1",
                           "set pid.z.ki -0.1", "set pid.xy.Emax 0", "set pid.z.kp 0"})
    EXPECT_NE(b.aircraft.parameter(line, told), "") << line;
  EXPECT_NE(b.aircraft.parameter("set pid.xy.kp -1 sure", told), "") << "no word makes it fly away";
  EXPECT_NE(b.aircraft.parameter("set pid.yaw.Emax 0", told).find("sure"), std::string::npos);
  EXPECT_EQ(b.aircraft.parameter("set pid.yaw.Emax 0 sure", told), "");
  const std::string far = "dropoint: {x: 500, y: 0, z: 1.0}\n";
  EXPECT_NE(b.aircraft.reload(JetPart::kDropoint, &far).find("fence"), std::string::npos);
  AircraftOptions wide = options();
  wide.fence_m = 600;
  Bench far_away(wide);
  const std::string near = "dropoint: {x: 50, y: 0, z: 1.0}\n";
  EXPECT_EQ(far_away.aircraft.reload(JetPart::kDropoint, &near), "");
}

/// The node's own fence and ceiling are wide enough for anything.
AircraftOptions wide_options() {
  AircraftOptions wide = options();
  wide.fence_m = 600;
  wide.ceiling_m = 600;
  return wide;
}

TEST(Aircraft, NoFenceOfTheNodeLetsALiveGoalPastTheVehiclesOwnRows) {
  Bench b(wide_options());
  b.pass(1);
  std::string told;
  for (const auto& [line, row] : {std::pair{"set dropoint.x 500", "failsafes.fence"},
                                  std::pair{"set dropoint.z 40", "failsafes.height"},
                                  std::pair{"set normal_altitude 40", "failsafes.height"},
                                  std::pair{"set takeoff_height 40", "failsafes.height"}})
    EXPECT_NE(b.aircraft.parameter(line, told).find(row), std::string::npos) << line;
  const std::string far = "dropoint: {x: 500, y: 0, z: 1.0}\n";
  EXPECT_NE(b.aircraft.reload(JetPart::kDropoint, &far).find("past the vehicle's failsafes.fence"),
            std::string::npos);
  EXPECT_EQ(b.aircraft.parameter("get dropoint.x normal_altitude", told), "");
  EXPECT_EQ(told, "dropoint.x: -1.97, normal_altitude: 1.1") << "the old values stay";
}

TEST(Aircraft, NoFenceOfTheNodeLetsItStartWithGoalsPastTheVehiclesOwnRows) {
  namespace fs = std::filesystem;
  AircraftOptions o = wide_options();
  const fs::path folder =
      fs::temp_directory_path() / ("pintle-jet-goals-" + std::to_string(getpid()));
  fs::copy(o.config_dir, folder);
  o.config_dir = folder;
  for (const auto& [file, text, row] :
       {std::tuple{"dropoint.yaml", "dropoint: {x: 500, y: 0, z: 1.0}\n", "failsafes.fence"},
        std::tuple{"dropoint.yaml", "dropoint: {x: 2, y: 0, z: 40}\n", "failsafes.height"},
        std::tuple{"flight.yaml", "takeoff_height: 1.2\nlanding_height: 0.4\nnormal_altitude: 40\n",
                   "failsafes.height"}}) {
    fs::copy(options().config_dir, folder, fs::copy_options::overwrite_existing);
    std::ofstream(folder / file) << text;
    try {
      const Aircraft started(o);
      ADD_FAILURE() << text;
    } catch (const std::exception& e) {
      EXPECT_NE(std::string(e.what()).find(row), std::string::npos) << e.what();
    }
  }
  fs::remove_all(folder);
  // what the node's parameters say in the place of a file
  Bench b(wide_options());
  std::string warning;
  EXPECT_NE(b.aircraft.start_with(JetPart::kDropoint, "dropoint: {x: 500, y: 0, z: 1.0}\n", warning)
                .find("failsafes.fence"),
            std::string::npos);
}

TEST(Aircraft, ACommandIsAnsweredByWhatBecameOfIt) {
  Bench b(options());
  ASSERT_LT(to_take_off(b), 1000);
  EXPECT_EQ(b.aircraft.command("pause"), "");
  EXPECT_NE(b.aircraft.command("resume").find("no answer yet"), std::string::npos) << "one by one";
  const JetCycle& c = b.step();
  EXPECT_TRUE(c.accepted);
  EXPECT_NE(c.answer.find("paused at take_off"), std::string::npos) << c.answer;
  EXPECT_EQ(b.step().answer, "") << "once";
  // refused by the tick, and not just handed on
  EXPECT_EQ(b.aircraft.command("pause"), "");
  b.step();
  EXPECT_FALSE(c.accepted);
  EXPECT_NE(c.answer.find("does not apply now"), std::string::npos) << c.answer;
}

TEST(Aircraft, AChargeThatNobodyTellsIsNotFull) {
  Bench b(options());
  b.has_battery = false;
  b.lift();
  EXPECT_NE(b.aircraft.arm(true).find("does not tell its charge"), std::string::npos);
  b.has_battery = true;
  b.step();
  EXPECT_EQ(b.aircraft.arm(true), "");
}

TEST(Aircraft, ACancelInTheTickOfItsGoalEndsIt) {
  Bench b(options());
  b.lift();
  b.phase = 3;
  b.has_control = true;
  b.pass(0.5);
  EXPECT_EQ(b.aircraft.navigate(3, {1, 0, 1}, 0), "");
  b.aircraft.cancel_navigation(3);
  const JetCycle& c = b.step();
  EXPECT_EQ(c.navigation.ended_id, 3U);
  EXPECT_EQ(c.navigation.ended_as, "canceled");
  EXPECT_FALSE(b.step().navigation.active);
}

TEST(Aircraft, ATargetInAnotherFrameIsNotTaken) {
  Bench b(options());
  b.pass(1);
  for (const char* frame : {"", "object", "base_link", "/object", "marker", "pad"}) {
    b.aircraft.target(b.now_ns, {0.3, 0.1, 1}, frame);
    const JetCycle& c = b.step();
    EXPECT_TRUE(c.has_target) << frame;
    EXPECT_EQ(c.target, (Three{0.3, -0.1, -1})) << frame;
  }
  int told = 0;
  for (int i = 0; i < 5; ++i) {
    b.aircraft.target(b.now_ns, {0.3, 0.1, 1}, "camera");
    const JetCycle& c = b.step();
    EXPECT_FALSE(c.has_target);
    for (const Note& n : c.notes) told += n.text.find("camera") != std::string::npos;
  }
  EXPECT_EQ(told, 1);
}

TEST(Aircraft, ItsCameraIsThatOfTheVehicleUnlessAFileSaysAnother) {
  const std::string vision = PINTLE_SOURCE_DIR "/vision/";
  Bench b(options());
  EXPECT_EQ(b.aircraft.camera("").position[0], 0.1);
  EXPECT_EQ(b.aircraft.camera(vision + "camera_onboard.yaml").position[0], 0.1);
  EXPECT_THROW((void)b.aircraft.camera(vision + "none.yaml"), std::exception);
}

TEST(Aircraft, WhatNoCameraCanHaveSeenIsNotShownInTheTree) {
  Bench b(options());
  b.pass(1);
  for (const Three& seen : {Three{0, 0, 0}, Three{0, std::nan(""), 1}, Three{0, 0, -1}}) {
    b.aircraft.target(b.now_ns, seen, "object");
    EXPECT_FALSE(b.step().has_target);
  }
}

TEST(Aircraft, OnTheAbortPathItsNumberAsksForThePadAndAnUnnamedTargetIsThat) {
  Bench b(options());
  b.lift();
  ASSERT_EQ(b.aircraft.arm(true), "");
  b.step();
  int result = 0;
  ASSERT_EQ(b.aircraft.charge(result), "");
  b.phase = 3;
  b.has_control = true;
  b.up_m_s = 1;
  b.pass(2.5);
  b.up_m_s = 0;
  for (const char* line : {"pause", "select 5", "resume"}) {
    ASSERT_EQ(b.aircraft.command(line), "");
    b.step();
  }
  EXPECT_EQ(b.step().state, 5);
  ASSERT_EQ(b.aircraft.command("abort"), "");
  int n = 0;
  while (b.step().state != 11 && n < 50 * 30) ++n;
  ASSERT_LT(n, 50 * 30);
  EXPECT_EQ(b.step().activity, "aborting");
  for (int i = 0; i < 10; ++i) {
    b.aircraft.target(b.now_ns, {0, 0, b.up_m}, "object");
    b.step();
  }
  EXPECT_EQ(b.step().state, 12);
  // by hand down to the ground: nobody is to look for anything any more
  b.phase = 1;
  b.up_m = 0;
  n = 0;
  while (b.step().activity == "aborting" && n < 50 * 60) ++n;
  EXPECT_EQ(b.step().activity, "aborted");
  EXPECT_EQ(b.step().state, 0);
}

}  // namespace
}  // namespace pintle::ros1
