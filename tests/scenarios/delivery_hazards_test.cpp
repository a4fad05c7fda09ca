// What went wrong, or could, in the software that this mission replaces: each shown not to happen
// here. What is about pictures alone (intrinsics on raw images, the axes of the camera, colours,
// pixels beyond the edge) belongs to the room that looks at pictures.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <new>

#include "pintle/telemetry/encoding.h"
#include "pintle/testing/delivery_rig.h"

namespace pintle {
namespace {

using stack::ArmObstacle;
using stack::ArmState;
using stack::CommandCode;
using testing::DeliveryRig;
using testing::Fault;
using testing::Part;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

DeliveryRig shipped() { return DeliveryRig(testing::delivery_model()); }

/// In the air, on its way.
DeliveryRig flying(const char* state = "fly_to_car") {
  DeliveryRig rig = shipped();
  rig.start();
  EXPECT_TRUE(rig.run_until(rig.index_of(state), 200));
  return rig;
}

bool is_usable(const MotionCommand& m) {
  return norm(m.v_H) <= 3 && std::abs(m.yaw_rate_rad_s) <= 1;
}

TEST(Hazard01, AWrongFrameIsFoundBeforeTakeOffInEveryCombination) {
  for (const bool mirror : {false, true})
    for (const bool swap : {false, true}) {
      DeliveryRig rig = shipped();
      rig.mirror_z = mirror;
      rig.swap_xy = swap;
      rig.start();
      rig.run(2);
      if (!mirror && !swap) {
        EXPECT_EQ(rig.out->arm, ArmState::kArmed);
        continue;
      }
      EXPECT_EQ(rig.out->arm, ArmState::kDisarmed) << mirror << swap;
      EXPECT_EQ(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kFrameDisagrees)
          << mirror << swap;
      EXPECT_TRUE(rig.happened(EventCode::kArmingRefused));
      EXPECT_EQ(rig.out->flight_request.number, 0U);
    }
}

TEST(Hazard01, ACraftThatWasNotLiftedIsNotArmed) {
  DeliveryRig rig = shipped();
  rig.run(5);
  rig.command(CommandCode::kArm);
  rig.tick();
  EXPECT_EQ(rig.out->arm, ArmState::kDisarmed);
  EXPECT_EQ(stack::first_obstacle(rig.out->obstacles), ArmObstacle::kFrameUndecided);
}

TEST(Hazard02, AVelocityGoesOutInEveryTickAndAPauseIsHeldAgainstAPush) {
  DeliveryRig rig = flying();
  rig.command(CommandCode::kMissionPause);
  rig.tick();
  const Vec3 here = rig.p;
  for (int k = 0; k < 500; ++k) {
    rig.tick();
    ASSERT_TRUE(is_usable(rig.out->motion));
  }
  EXPECT_LT(norm(rig.p - here), 0.35) << "it was moving";
  const Vec3 held = rig.p;
  rig.p = rig.p + Vec3{0.3, 0.2, 0};
  rig.run(8);
  EXPECT_LT(norm(rig.p - held), 0.1);
}

TEST(Hazard02, ACutOffIsAHoldAndTheNextStartBeginsAnew) {
  DeliveryRig rig = flying();
  rig.command(CommandCode::kMissionCutoff);
  rig.tick();
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle);
  const Vec3 here = rig.p;
  rig.run(5);
  EXPECT_LT(norm(rig.p - here), 0.35);
  EXPECT_EQ(rig.phase, FlightPhase::kAirborne);
  rig.command(CommandCode::kMissionStart);
  rig.tick();
  EXPECT_EQ(rig.out->mission.state, 0);
}

TEST(Hazard05, WhatIsAskedForIsNotWhatWasDone) {
  for (const Fault f : {Fault::kMute, Fault::kFails, Fault::kFrozen}) {
    DeliveryRig rig = shipped();
    rig.tick();
    rig.fail(Part::kGripper, f);
    rig.start();
    ASSERT_TRUE(rig.run_to_end(60));
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
    EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
    EXPECT_FALSE(rig.airborne());
  }
  DeliveryRig rig = shipped();
  rig.carry();
  rig.fail(Part::kFlight, Fault::kFails);
  rig.start();
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
}

TEST(Hazard05, ATakeOffOrLandingThatIsCalledDoneMustBeSeen) {
  DeliveryRig rig = shipped();
  rig.only_queues = true;
  rig.start();
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborted);
  EXPECT_EQ(std::count_if(rig.said.begin(), rig.said.end(),
                          [](const Event& e) {
                            return e.code == EventCode::kStateSucceeded && e.subject == 3;
                          }),
            0);
  DeliveryRig high = flying("landing");
  high.only_queues = true;
  high.run(60);
  EXPECT_NE(high.out->mission.phase, MissionPhase::kPassed);
  EXPECT_TRUE(high.has_control) << "nothing is given back in the air";
}

TEST(Hazard06, WithoutAMarkerItSearchesComesBackAndLandsAndDropsNothing) {
  DeliveryRig rig = shipped();
  rig.car = {40, 40, 0};
  rig.start();
  ASSERT_TRUE(rig.run_until(6, 120));
  double widest = 0;
  while (rig.out->mission.state == 6) {
    rig.tick();
    widest = std::max(widest, std::hypot(rig.p.x + 0.69, rig.p.y + 2.17));
  }
  EXPECT_GT(widest, 1);
  ASSERT_TRUE(rig.run_to_end(200));
  EXPECT_FALSE(rig.dropped);
  EXPECT_EQ(rig.phase, FlightPhase::kMotorsOff);
  EXPECT_LT(std::hypot(rig.p.x - rig.pad.x, rig.p.y - rig.pad.y), 0.3);
}

TEST(Hazard07, ThePadThatLeavesThePictureIsLandedOnFromMemory) {
  DeliveryRig rig = shipped();
  rig.seen_from_m = 0.8;
  rig.start();
  ASSERT_TRUE(rig.run_to_end(300));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_LT(std::hypot(rig.p.x - rig.pad.x, rig.p.y - rig.pad.y), 0.1);
}

TEST(Hazard08, AKeyThatNothingReadsIsRefused) {
  const std::string file = std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml";
  std::string with;
  const auto open = [&with](const std::filesystem::path& path) {
    config::Document document = config::Document::load(path);
    if (path.filename() != "delivery.yaml") return document;
    std::string text = document.text();
    const std::string key = "battery_min";
    text.replace(text.find(key), key.size(), with);
    return config::Document::parse(text, "delivery.yaml");
  };
  with = "battery_min";
  EXPECT_NO_THROW((void)craft::load_mission(file, open));
  with = "batery_min";
  try {
    (void)craft::load_mission(file, open);
    FAIL() << "a key that nothing reads was taken";
  } catch (const config::ConfigError& e) {
    EXPECT_NE(std::string(e.what()).find("batery_min"), std::string::npos) << e.what();
  }
}

TEST(Hazard11, ALegHoldsItsHeight) {
  DeliveryRig rig = flying();
  rig.wind = {0, 0, -0.03};
  double worst = 0;
  while (rig.out->mission.state == 5) {
    rig.tick();
    worst = std::max(worst, std::abs(rig.out->used.X_WB.p.z - 1.1));
  }
  EXPECT_LT(worst, 0.1);
}

TEST(Hazard13, LoopsForgetFromStateToState) {
  DeliveryRig rig = flying("to_normal_altitude");
  ASSERT_TRUE(rig.run_until_so([&] { return rig.out->mission.settled_s > 0.5; }, 60));
  // at rest, a little off the goal of both states: neither dead band nor threshold clear the
  // integral by themselves
  for (const bool jumps : {false, true}) {
    rig.p = rig.state->aircraft.origin_m + Vec3{0.1, 0, 1.1};
    rig.v = {};
    for (auto& loop : std::get<control::VelocityLawState>(rig.state->law).loops)
      loop.integral = 0.3;
    if (jumps) rig.command(CommandCode::kMissionJump, rig.index_of("fly_back"));
    rig.tick();
    EXPECT_NEAR(rig.out->setpoint.X_WD.p.x, 0, 1e-9);
    EXPECT_NEAR(std::get<control::VelocityLawState>(rig.state->law).loops[0].integral,
                jumps ? 0 : 0.3, 0.02)
        << jumps;
  }
}

TEST(Hazard14, AWholeMissionAllocatesNothing) {
  DeliveryRig rig = shipped();
  rig.start();
  ASSERT_TRUE(rig.run_until(rig.index_of("back_to_normal_altitude"), 200)) << "in the air";
  rig.command(CommandCode::kMissionPause);
  rig.run(0.5);
  rig.ask(NavigationAsk::kGoal, 1, {0.5, 0.5, 1.5});
  rig.run(1);
  rig.command(CommandCode::kMissionResume);
  rig.run(0.5);
  for (const Part part : {Part::kOdometry, Part::kTargets}) {
    rig.fail(part, Fault::kGarbage);
    rig.run(0.5);
    rig.fail(part, Fault::kNone);
  }
  ASSERT_TRUE(rig.run_to_end(300));
  EXPECT_EQ(rig.out->mission.phase, MissionPhase::kPassed);
  EXPECT_EQ(rig.allocated, 0U);
}

/// Of this thread: how often it has given the processor away of itself.
long waits() {
  rusage used{};
  EXPECT_EQ(getrusage(RUSAGE_THREAD, &used), 0);
  return used.ru_nvcsw;
}

TEST(Hazard14, AWholeMissionWaitsForNothing) {
  // a page that is read from a disk is waited for once, and not in each of three flights
  long fewest = std::numeric_limits<long>::max();
  for (int flight = 0; flight < 3; ++flight) {
    DeliveryRig rig = shipped();
    const long before = waits();
    rig.start();
    ASSERT_TRUE(rig.run_to_end(300));
    fewest = std::min(fewest, waits() - before);
  }
  EXPECT_EQ(fewest, 0);
}

TEST(Hazard15, NobodyStartsACraftThatIsNotArmedNorReleasesControlInTheAir) {
  DeliveryRig rig = shipped();
  rig.carry();
  for (const CommandCode c : {CommandCode::kMissionStart, CommandCode::kMissionStep}) {
    rig.command(c, 3);
    rig.tick();
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kIdle);
    EXPECT_TRUE(rig.happened(EventCode::kCommandRefused));
  }
  DeliveryRig high = flying();
  high.command(CommandCode::kMissionPause);
  high.tick();
  high.command(CommandCode::kMissionStep, high.index_of("release_control"));
  high.run(10);
  EXPECT_TRUE(high.has_control);
  EXPECT_EQ(high.phase, FlightPhase::kAirborne);
  EXPECT_EQ(high.out->mission.phase, MissionPhase::kPaused);
}

TEST(Hazard16, WhatIsNoNumberOrTooOldIsNotFlownBy) {
  for (const Part part : {Part::kOdometry, Part::kTargets, Part::kFlight, Part::kGripper})
    for (const Fault f : {Fault::kGarbage, Fault::kStale}) {
      DeliveryRig rig = flying();
      rig.fail(part, f);
      for (int k = 0; k < 100; ++k) {
        rig.tick();
        ASSERT_TRUE(is_usable(rig.out->motion)) << int(part) << int(f);
      }
      if (part == Part::kOdometry) {
        EXPECT_EQ(rig.out->motion.v_H, Vec3{}) << int(f);
      }
      // what is no longer fresh is evidence of nothing
      EXPECT_EQ(rig.out->aircraft.flight_fresh, part != Part::kFlight) << int(f);
      EXPECT_EQ(rig.out->aircraft.gripper_fresh, part != Part::kGripper) << int(f);
    }
}

TEST(Hazard16, AChargeThatCannotBeIsASilentFlightController) {
  for (const double charge : {kNan, 7.0, -0.1}) {
    DeliveryRig rig = flying();
    rig.battery = charge;
    rig.run(1.2);
    EXPECT_FALSE(rig.out->aircraft.flight_fresh) << charge;
    EXPECT_TRUE(rig.happened(EventCode::kInputRejected)) << charge;
    rig.run(2.4);
    EXPECT_EQ(rig.out->mission.phase, MissionPhase::kAborting) << charge;
  }
}

/// As initial_state makes it, in memory that held something else before.
std::unique_ptr<stack::State> state_in(const stack::Model& model, unsigned char held) {
  constexpr auto kAlign = alignof(stack::State);
  void* memory = nullptr;
  if constexpr (kAlign > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
    memory = ::operator new (sizeof(stack::State), std::align_val_t{kAlign});
  else
    memory = ::operator new(sizeof(stack::State));
  auto* byte = static_cast<volatile unsigned char*>(memory);
  for (std::size_t i = 0; i < sizeof(stack::State); ++i) byte[i] = held;
  return std::unique_ptr<stack::State>(::new (memory) stack::State(stack::initial_state(model)));
}

TEST(Hazard16, WhatIsRefusedInFlightIsSaidOnceAndNotInEveryTick) {
  for (const Part part : {Part::kOdometry, Part::kFlight, Part::kGripper})
    for (const Fault f : {Fault::kGarbage, Fault::kJump, Fault::kFails, Fault::kStale}) {
      DeliveryRig rig = flying();
      rig.said.clear();
      rig.fail(part, f);
      rig.run(9);
      const auto refusals = std::count_if(rig.said.begin(), rig.said.end(), [](const Event& e) {
        return e.code == EventCode::kInputRejected || e.code == EventCode::kTimeReversed;
      });
      EXPECT_LE(refusals, 2) << int(part) << " " << int(f);
    }
}

TEST(Hazard18, NothingIsLeftToWhatMemoryHeld) {
  // outputs of the middle of another flight
  DeliveryRig before = flying("fly_to_car");
  before.command(CommandCode::kMissionPause);
  before.tick();
  before.ask(NavigationAsk::kGoal, 9, {1, 1, 1});
  before.run(0.5);
  std::vector<std::byte> wanted;
  for (const int held : {0, 1, 0xA5}) {
    DeliveryRig rig = shipped();
    rig.state = state_in(rig.model, static_cast<unsigned char>(held));
    if (held > 0) *rig.out = *before.out;
    std::vector<std::byte> all, one;
    const auto note = [&] {
      one.clear();
      telemetry::encode_cdr(*rig.out, one);
      all.insert(all.end(), one.begin(), one.end());
    };
    for (int k = 0; k < 20; ++k) {
      rig.tick();
      note();
    }
    rig.start();
    for (int k = 0; k < 1500; ++k) {
      rig.tick();
      if (k % 10 == 0) note();
    }
    if (held == 0) wanted = all;
    EXPECT_TRUE(all == wanted) << held;
  }
}

TEST(Hazard20, TheNextOriginIsWhereItStandsForASecondAndAJumpIsNoMovement) {
  DeliveryRig rig = flying("landing");
  ASSERT_TRUE(rig.run_until_so([&] { return !rig.airborne(); }, 60));
  rig.run(0.06);
  EXPECT_FALSE(rig.out->aircraft.has_origin) << "not the first sample";
  // it slides on for half a second: nothing of that counts
  for (int k = 0; k < 25; ++k) {
    rig.p.x += 0.01;
    rig.tick();
    EXPECT_FALSE(rig.out->aircraft.has_origin);
  }
  rig.run(0.8);
  EXPECT_FALSE(rig.out->aircraft.has_origin) << "not a whole second";
  rig.run(1);
  EXPECT_TRUE(rig.out->aircraft.has_origin);
  EXPECT_LT(norm(rig.out->used.X_WB.p), 0.03);
  EXPECT_NEAR(rig.out->aircraft.origin_m.x, rig.p.x, 0.03);

  DeliveryRig jumps = flying();
  const Vec3 before = jumps.out->used.X_WB.p;
  jumps.fail(Part::kOdometry, Fault::kJump);
  for (int k = 0; k < 5; ++k) jumps.tick();
  EXPECT_LT(norm(jumps.out->used.X_WB.p - before), 0.2);
  ASSERT_TRUE(jumps.run_to_end(300));
  EXPECT_EQ(jumps.phase, FlightPhase::kMotorsOff);
}

}  // namespace
}  // namespace pintle
