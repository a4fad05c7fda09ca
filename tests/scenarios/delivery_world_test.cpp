// The delivery in its simulated world: one cycle with everything that the truth says of it, and the
// frames of the odometry in every wrong combination.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>

#include "pintle/mujoco/plant_factory.h"
#include "pintle/simulation/report_data.h"
#include "pintle/simulation/run.h"
#include "pintle/testing/thorough.h"
#include "pintle/testing/world_flight.h"

namespace pintle::simulation {
namespace {

MissionFile shipped() {
  return load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
}

RunResult flown(const MissionFile& mission, std::uint64_t seed) {
  RunOptions options;
  options.seed = seed;
  options.site.world.mujoco = mujoco::plant_factory();
  return run(mission, options);
}

double figure(const RunResult& r, std::string_view name) {
  for (const auto& [key, value] : r.figures)
    if (key == name) return value;
  return 1e9;
}

TEST(DeliveryInTheWorld, LeavesThePayloadOnTheMarkerAndLandsOnThePadTheSameWayForTheSameSeed) {
  for (const std::uint64_t seed : testing::cases({1U, 63U})) {
    const RunResult r = flown(shipped(), seed);
    // the same seed is the same flight
    if (seed == 63U) {
      EXPECT_EQ(r.figures, flown(shipped(), seed).figures);
    }
    EXPECT_EQ(r.verdict, Verdict::kPass) << r.reason;
    EXPECT_LT(figure(r, "payload_to_marker_m"), 0.15) << seed;
    EXPECT_NEAR(figure(r, "payload_over_marker_m"), 0, 0.02) << seed;
    EXPECT_LT(figure(r, "craft_to_pad_m"), 0.10) << seed;
    EXPECT_NEAR(figure(r, "height_over_pad_m"), 0.2, 0.02) << seed;
    EXPECT_GT(figure(r, "battery_left"), 0.5) << seed;
    EXPECT_LT(figure(r, "height_error_m"), 0.1) << seed;
  }
}

// from the log alone: false sightings on the way, and a camera that is silent before the pad is found
TEST(DeliveryInTheWorld, ItsReportSaysWhatCountedAndWhyItLandedWithoutThePad) {
  MissionFile mission = shipped();
  mission.world.sightings.false_alarms = 0.05;
  mission.world.device_faults = {
      {world::Device::kCamera, world::DeviceFaultKind::kSilent, 47.5, 1e9, 0}};
  RunOptions options;
  options.seed = 1;
  options.log = std::filesystem::temp_directory_path() / "pintle_landing_story.mcap";
  options.site.world.mujoco = mujoco::plant_factory();
  EXPECT_EQ(run(mission, options).verdict, Verdict::kAborted);
  const telemetry::ReportData data = report_data(options.log);
  std::filesystem::remove(options.log);
  ASSERT_EQ(data.stories.size(), 1U);
  std::string fates, decisions;
  for (const auto& row : data.stories[0].tables[0].rows) fates += row[0] + "\n";
  for (const auto& row : data.stories[0].tables[1].rows) decisions += row[1] + ": " + row[2] + "\n";
  for (const char* words : {"it moved the estimate", "left out by the gate", "outside of the area"})
    EXPECT_NE(fates.find(words), std::string::npos) << words << "\n" << fates;
  std::size_t at = 0;
  for (const char* words :
       {"sightings of the marker left out", "looks for the pad: state find_park",
        "has forgotten where the pad is", "has failed: state find_park", "takes the abort path",
        "looks for the pad: state abort_search", "is asked to land without the pad: it was seen"}) {
    at = decisions.find(words, at);
    ASSERT_NE(at, std::string::npos) << words << "\n" << decisions;
  }
  const std::string page = telemetry::report_html(data);
  EXPECT_NE(page.find("<section id=\"landing\">"), std::string::npos);
  EXPECT_NE(page.find("is asked to land without the pad"), std::string::npos);
}

TEST(DeliveryInTheWorld, WhoStopsTheProgramInTheAirHasItPutDownFirst) {
  // as it begins to rise, half way up, and up there
  for (const double at_m : testing::cases({0.5, 0.3, 1.0})) {
    std::atomic<bool> stop{false};
    world::Truth last;
    double stopped_at_s = 1e9;
    bool in_flight = true;
    RunOptions options;
    options.site.world.mujoco = mujoco::plant_factory();
    options.stop = &stop;
    options.witness = [&](const Outputs& out, const world::Truth& t) {
      last = t;
      in_flight = out.aircraft.in_flight;
      if (stop || !out.aloft || t.X_WB.p.z < at_m) return;
      stopped_at_s = t.time.seconds();
      stop = true;
    };
    const RunResult r = run(shipped(), options);
    EXPECT_LT(last.X_WB.p.z, 0.4) << "it hangs there, and nobody is at it any more";
    EXPECT_LT(norm(last.V_WB_B.v), 0.05);
    EXPECT_FALSE(in_flight) << "its flight controller has not finished the landing";
    EXPECT_LT(r.duration_s - stopped_at_s, 20) << "the mission went on, from " << at_m << " m";
    EXPECT_EQ(r.verdict, Verdict::kAborted);
    EXPECT_EQ(r.reason, "stopped by the operator");
  }
}

TEST(DeliveryInTheWorld, WhatIsOffIsDownBeforeTheFlightIsOver) {
  // its first landing is refused; whoever lifts the latch, or leaves, meanwhile. Or it was at rest, and
  // its flight controller says nothing for longer than a flight waits to be armed
  for (const std::string_view then : testing::cases({"", "reset_latch", "stop", "silence"})) {
    const bool silent = then == "silence";
    MissionFile mission = shipped();
    mission.world.device_faults.push_back(
        {.device = world::Device::kFlightController,
         .kind = silent ? world::DeviceFaultKind::kSilent : world::DeviceFaultKind::kRefuses,
         .at_s = silent ? 21.0 : 19.5,
         .until_s = silent ? 75.0 : 26.0});
    std::atomic<bool> stop{false};
    world::Truth last;
    bool latched = false, in_flight = true;
    RunOptions options;
    options.site.world.mujoco = mujoco::plant_factory();
    options.stop = &stop;
    options.schedule = {{silent ? 23.0 : 20.0, "terminate"}};
    if (silent) options.schedule.insert(options.schedule.begin(), {20, "cutoff"});
    if (then == "reset_latch") options.schedule.push_back({22, "reset_latch"});
    options.witness = [&](const Outputs& out, const world::Truth& t) {
      last = t;
      in_flight = out.aircraft.in_flight;
      latched = latched || out.arm == stack::ArmState::kLatchedSafe;
      if (then == "stop" && latched) stop = true;
    };
    const RunResult r = run(mission, options);
    EXPECT_TRUE(latched) << then;
    EXPECT_LT(last.X_WB.p.z, 0.4) << then << ": it hangs there, and nobody is at it any more";
    EXPECT_FALSE(in_flight) << then;
    EXPECT_EQ(r.verdict, Verdict::kAborted) << then;
    // of simulated time, the same on every machine
    EXPECT_LT(r.duration_s, silent ? 110 : 60) << then;
  }
}

TEST(DeliveryInTheWorld, EveryWronglyDeclaredFrameIsCaughtBeforeTakeOff) {
  constexpr std::array all{OdometryFrame::kEnu, OdometryFrame::kNeu, OdometryFrame::kNed};
  for (const OdometryFrame source :
       testing::cases({OdometryFrame::kEnu, OdometryFrame::kNeu, OdometryFrame::kNed}))
    for (const OdometryFrame declared : all) {
      MissionFile mission = shipped();
      mission.world.odometry.frame = source;
      mission.vehicle.odometry_frame = declared;
      mission.mission.time_limit_s = source == declared ? 9 : 200;
      RunOptions options;
      options.site.world.mujoco = mujoco::plant_factory();
      double highest = 0;
      bool armed = false;
      options.witness = [&](const Outputs& out, const world::Truth& t) {
        highest = std::max(highest, t.time.seconds() > 8 ? t.X_WB.p.z : 0.0);
        armed = armed || out.arm == ArmState::kArmed;
      };
      const RunResult r = run(mission, options);
      EXPECT_EQ(armed, source == declared) << to_string(source) << " as " << to_string(declared);
      if (source == declared) continue;
      EXPECT_NE(r.verdict, Verdict::kPass);
      EXPECT_LT(highest, 0.25) << to_string(source) << " as " << to_string(declared);
      EXPECT_NE(r.reason.find("may not be armed"), std::string::npos) << r.reason;
    }
}

TEST(DeliveryInTheWorld, IsArmedOnTheGroundHoweverStillTheHandIs) {
  struct Hand {
    std::uint64_t seed;
    double height_m, hold_s;
  };
  for (const Hand& hand :
       testing::cases({Hand{9003, 0.6, 0.5}, Hand{9012, 0.6, 1.5}, Hand{1, 0.3, 8}})) {
    MissionFile mission = shipped();
    mission.world.carry->height_m = hand.height_m;
    mission.world.carry->hold_s = hand.hold_s;
    const double down_s = 2 + 2 * mission.world.carry->lift_s + hand.hold_s;
    mission.mission.time_limit_s = down_s + 4;
    RunOptions options;
    options.seed = hand.seed;
    options.site.world.mujoco = mujoco::plant_factory();
    double armed_s = 0;
    options.witness = [&](const Outputs& out, const world::Truth& t) {
      if (out.arm == ArmState::kArmed && armed_s == 0) armed_s = t.time.seconds();
    };
    const RunResult r = run(mission, options);
    EXPECT_GT(armed_s, down_s - 0.5) << hand.seed << ", held " << hand.hold_s << " s";
    EXPECT_LT(figure(r, "armed_at_m"), 0.05) << hand.seed << ", held " << hand.hold_s << " s";
  }
}

TEST(DeliveryInTheWorld, AGripperThatGrabsNothingNeverTakesOff) {
  MissionFile mission = shipped();
  mission.world.bodies[1].position_m.x = 0.6;
  const RunResult r = flown(mission, 1);
  EXPECT_NE(r.verdict, Verdict::kPass);
  EXPECT_NEAR(figure(r, "height_over_pad_m"), 0.2, 0.02);
}

/// A device that breaks in the air: in bounded time it stands somewhere.
void expect_on_the_ground(const world::DeviceFault& fault) {
  MissionFile mission = shipped();
  mission.world.device_faults = {fault};
  const RunResult r = flown(mission, 1);
  EXPECT_LT(r.duration_s, 600);
  EXPECT_NEAR(figure(r, "height_over_pad_m"), 0.2, 0.35) << r.reason;
}

TEST(DeliveryInTheWorld, AGripperThatHangsInTheAirEndsOnTheGround) {
  expect_on_the_ground({world::Device::kGripper, world::DeviceFaultKind::kHangs, 20, 1e9, 0});
}

TEST(DeliveryInTheWorld, AGripperThatOpensInTheAirEndsOnTheGround) {
  expect_on_the_ground({world::Device::kGripper, world::DeviceFaultKind::kOpens, 35, 36, 0});
}

// from take-off to the drop: it is told, and nothing was delivered
TEST(DeliveryInTheWorld, APayloadThatDropsOnTheWayIsToldAndNoDelivery) {
  for (const char* const where : {"take_off", "fly_to_car", "serve_car"}) {
    testing::WorldFlight flight(testing::delivery_file(), 1);
    const auto& states = flight.model.mission.states;
    const auto at = std::find_if(states.begin(), states.end(),
                                 [where](const auto& s) { return s.name == where; });
    ASSERT_TRUE(flight.run_until(std::int32_t(at - states.begin()), 200)) << where;
    flight.run(2);
    ASSERT_GE(flight.truth.held, 0) << where;
    flight.break_device(
        {world::Device::kGripper, world::DeviceFaultKind::kOpens, flight.now.seconds(), 1e9, 0});
    EXPECT_TRUE(flight.run_to_end(300)) << where;
    EXPECT_TRUE(flight.happened(EventCode::kPayloadLost)) << where;
    EXPECT_EQ(flight.out->mission.phase, MissionPhase::kAborted) << where;
    flight.run(10);
    EXPECT_TRUE(flight.landed()) << where;
  }
}

// odometry and flight controller agree that it does not move: it would be blown, or steered, away
TEST(DeliveryInTheWorld, OdometryThatHangsIsNoneAlsoWhereTheFlightControllerDoesNotTell) {
  using craft::InputFaultKind;
  for (const InputFaultKind flight_is : {InputFaultKind::kFrozen, InputFaultKind::kInfinite}) {
    testing::WorldFlight flight(testing::delivery_file(), 1);
    ASSERT_TRUE(flight.run_until(5, 200)) << "it flies to the car";
    flight.run(4);
    flight.spoil({stack::InputCode::kFlight, flight_is, 0, 1e9, 0});
    flight.spoil({stack::InputCode::kOdometry, InputFaultKind::kFrozen, 0, 1e9, 0});
    EXPECT_TRUE(flight.run_to_end(200));
    EXPECT_EQ(flight.out->mission.phase, MissionPhase::kAborted);
    flight.run(20);
    EXPECT_TRUE(flight.landed());
    EXPECT_LT(flight.record.away_m, 6);
    EXPECT_LT(flight.record.highest_m, 6);
  }
}

TEST(DeliveryInTheWorld, ACameraThatGoesSilentInTheAirEndsOnTheGround) {
  expect_on_the_ground({world::Device::kCamera, world::DeviceFaultKind::kSilent, 40, 1e9, 0});
}

}  // namespace
}  // namespace pintle::simulation
