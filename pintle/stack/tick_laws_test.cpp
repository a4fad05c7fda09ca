// What holds whichever law flies.
#include <gtest/gtest.h>

#include "pintle/stack/testing_bench.h"
#include "pintle/stack/testing_craft.h"

namespace pintle::stack {
namespace {

std::string quad() { return std::string(PINTLE_SOURCE_DIR) + "/vehicles/quad.yaml"; }
std::string oogway() { return std::string(PINTLE_SOURCE_DIR) + "/vehicles/oogway.yaml"; }

Vec3 integral_of(const AnyCraft& craft) {
  return std::get<control::ThrustVectorState>(craft.state->law).integral;
}

TEST(TickLaws, ResetControlForgetsTheIntegralOfACraftThatFlies) {
  VehicleFile file = craft_file(quad());
  file.laws.vector.velocity_integral = {0.5, 0.5, 0.5};
  AnyCraft craft(file);
  craft.fly(100);
  ASSERT_GT(norm(integral_of(craft)), 0.01);
  craft.said.clear();
  Inputs in = craft.good();
  in.has_odometry = false;
  in.commands.push_back({CommandCode::kResetControl});
  craft.tick(in);
  EXPECT_EQ(integral_of(craft), Vec3{});
  EXPECT_FALSE(craft.happened(EventCode::kCommandRefused));
}

TEST(TickLaws, WhatIsNotArmedSumsNothingUp) {
  VehicleFile file = craft_file(oogway());
  file.laws.control.behaviour = control::Behaviour::kSafe;
  for (auto* loops : {&file.laws.control.position, &file.laws.control.position_cascaded})
    (*loops)[2].ki = 0.5;
  AnyCraft craft(file);
  const auto integral = [&craft] {
    return std::get<control::SixAxisState>(craft.state->law).position[2].integral;
  };
  for (int i = 0; i < 100; ++i) craft.tick({});
  EXPECT_EQ(integral(), 0);
  craft.tick({CommandCode::kArm});
  for (int i = 0; i < 100; ++i) craft.tick({});
  EXPECT_GT(integral(), 0.01);
}

TEST(TickLaws, BehaviourOfALawThatIsNotInUseCountsForNothing) {
  VehicleFile file = craft_file(quad());
  file.laws.control.behaviour = control::Behaviour::kReference;
  AnyCraft craft(file);
  EXPECT_TRUE(craft.model.allocation.drop_traces);
  craft.fly(50);
  craft.said.clear();
  // the planner dies while it asks for a velocity: after a second the place is held
  Inputs in = craft.good();
  in.setpoint.mode[0] = AxisMode::kVelocity;
  in.setpoint.V_WD_B.v.x = 0.3;
  craft.tick(in);
  craft.has_planner = false;
  for (int i = 0; i < 200; ++i) craft.tick({});
  EXPECT_TRUE(craft.happened(EventCode::kInputStale));
  EXPECT_EQ(craft.out->setpoint.mode[0], AxisMode::kPosition);
}

TEST(TickLaws, AnotherLawFromOneGenerationToTheNextBeginsFromRest) {
  VehicleFile file = craft_file(quad());
  AnyCraft craft(file);
  craft.fly(50);
  file.laws.law = control::Law::kSixAxis;
  craft.model = build_model(file, nullptr, 2);
  craft.tick({});
  EXPECT_TRUE(std::holds_alternative<control::SixAxisState>(craft.state->law));
  EXPECT_TRUE(craft.sound());
}

TEST(TickLaws, AnyLawCanBeSupervised) {
  AnyCraft craft(craft_file(quad()));
  craft.model.supervised = true;
  craft.state = std::make_unique<State>(initial_state(craft.model));
  // without a word of the flight controller it may not
  Inputs in = craft.good();
  in.has_flight = false;
  in.commands.push_back({CommandCode::kArm});
  craft.tick(in);
  EXPECT_TRUE(craft.happened(EventCode::kArmingRefused));
  EXPECT_EQ(first_obstacle(craft.out->obstacles), ArmObstacle::kNoFlightReport);
  craft.fly(50);
  ASSERT_EQ(craft.out->arm, ArmState::kArmed);
  // a goal from outside is flown to, by the propulsors
  in = craft.good();
  in.has_navigation = true;
  in.navigation.id = 7;
  in.navigation.ask = NavigationAsk::kGoal;
  in.navigation.p_WB = craft.pose.p + Vec3{1, 0, 0};
  craft.tick(in);
  EXPECT_TRUE(craft.out->navigation.active);
  EXPECT_EQ(craft.out->owner, mission::Owner::kNavigation);
  EXPECT_EQ(craft.out->setpoint.X_WD.p, in.navigation.p_WB);
  EXPECT_GT(craft.out->demand.F_Bo_B.torque.y, 0) << "tilts forward";
  EXPECT_GT(craft.effort(), 0);
}

TEST(TickLaws, AWorkspaceMayBeTakenAwayAtAnyTime) {
  for (const std::string& path : {quad(), oogway()}) {
    AnyCraft kept(path), fresh(path);
    for (AnyCraft* c : {&kept, &fresh}) c->fly(50);
    for (int i = 0; i < 50; ++i) {
      *fresh.work = {};
      kept.tick({});
      fresh.tick({});
      ASSERT_GT(kept.effort(), 0);
      for (std::size_t k = 0; k < kept.out->actuation.effort.size(); ++k)
        ASSERT_NEAR(kept.out->actuation.effort[k], fresh.out->actuation.effort[k],
                    1e-9 * (1 + std::abs(kept.out->actuation.effort[k])));
    }
  }
}

TEST(TickAircraft, AChargeIsMissedOnceWhereItHasBeenTold) {
  AnyCraft craft(quad() + ":velocity");
  const auto missed = [&craft] {
    return std::count_if(craft.said.begin(), craft.said.end(), [](const Event& e) {
      return e.code == EventCode::kInputStale &&
             e.subject == static_cast<std::int32_t>(InputCode::kBattery);
    });
  };
  const auto tick = [&craft](bool told) {
    Inputs in = craft.good();
    in.flight.has_battery = told;
    craft.tick(in);
  };
  for (int i = 0; i < 5; ++i) tick(false);
  EXPECT_EQ(missed(), 0);
  for (int i = 0; i < 5; ++i) tick(true);
  EXPECT_EQ(missed(), 0);
  for (int i = 0; i < 5; ++i) tick(false);
  EXPECT_EQ(missed(), 1);
}

// a picture that is taken for another place, once; and a place that is another from now on
TEST(TickAircraft, OneBadSampleIsLeftOutAndALastingJumpIsTheEndOfItsOrigin) {
  AnyCraft craft(quad() + ":velocity");
  craft.fly(50);
  craft.said.clear();
  const auto off = [&craft] {
    Inputs in = craft.good();
    in.odometry.X_WB.p.x += 5;
    craft.tick(in);
  };
  for (int k = 0; k < 3; ++k) {
    off();
    EXPECT_TRUE(craft.happened(EventCode::kInputRejected));
    EXPECT_LT(craft.out->used.X_WB.p.x, 1);
    for (int i = 0; i < 100; ++i) craft.tick({});
    EXPECT_EQ(craft.out->used.validity, Validity::kValid);
  }
  EXPECT_FALSE(craft.happened(EventCode::kOriginCleared));
  const Time from = craft.clock;
  while ((craft.clock - from).seconds() < 0.48) off();
  EXPECT_FALSE(craft.happened(EventCode::kOriginCleared));
  while ((craft.clock - from).seconds() < 0.55) off();
  EXPECT_TRUE(craft.happened(EventCode::kOriginCleared));
  craft.tick({});
  EXPECT_NE(craft.out->used.validity, Validity::kValid);
  // said once, and not looked at any more before the ground
  craft.said.clear();
  for (int k = 0; k < 50; ++k) off();
  EXPECT_FALSE(craft.happened(EventCode::kOriginCleared));
  EXPECT_FALSE(craft.happened(EventCode::kInputRejected));
}

TEST(TickAircraft, CarriedOnTheGroundItIsElsewhereAndNothingIsSaidOfIt) {
  AnyCraft craft(quad() + ":velocity");
  for (int i = 0; i < 50; ++i) craft.tick({});
  craft.said.clear();
  craft.pose.p.x += 5;
  for (int i = 0; i < 50; ++i) craft.tick({});
  EXPECT_EQ(craft.out->used.X_WB.p, craft.pose.p);
  EXPECT_FALSE(craft.happened(EventCode::kMotionDisagrees));
  EXPECT_FALSE(craft.happened(EventCode::kInputRejected));
}

TEST(TickAircraft, UntilItIsInTheAirTheFlightControllerAloneGoesUpAndDown) {
  AnyCraft craft(quad() + ":velocity");
  craft.fly(50);
  ASSERT_GT(craft.out->motion.v_H.z, 0);
  for (const FlightPhase phase : {FlightPhase::kTakingOff, FlightPhase::kLanding}) {
    for (int i = 0; i < 20; ++i) {
      Inputs in = craft.good();
      in.flight.phase = phase;
      craft.tick(in);
    }
    EXPECT_EQ(craft.out->motion.v_H.z, 0) << int(phase);
    EXPECT_GT(craft.out->motion.v_H.x, 0) << int(phase);
  }
}

// the craft of a test with a mission of its own
void give(AnyCraft& craft, const mission::MissionSpec& spec) {
  craft.model = build_model(craft_file(quad() + ":velocity"), &spec);
  *craft.state = initial_state(craft.model);
}

TEST(TickAircraft, AFlightControllerThatHasNotSpokenYetIsMissedFromTheFirstTickOn) {
  mission::MissionSpec spec;
  mission::StateSpec wait;
  wait.name = "wait";
  wait.timeout_s = 100;
  wait.success.after_s = 90;
  spec.states = {wait};
  AnyCraft craft(quad() + ":velocity");
  give(craft, spec);
  const Time from = craft.clock;
  const auto tick = [&craft](CommandCode code, std::int32_t argument) {
    Inputs in = craft.good();
    in.has_flight = false;
    if (code != CommandCode::kNone) in.commands.push_back({code, argument});
    craft.tick(in);
  };
  tick(CommandCode::kNone, -1);
  tick(CommandCode::kMissionSelect, 0);
  while ((craft.clock - from).seconds() < 2.9) tick(CommandCode::kNone, -1);
  EXPECT_EQ(craft.out->mission.phase, MissionPhase::kPaused);
  while ((craft.clock - from).seconds() < 3.2) tick(CommandCode::kNone, -1);
  EXPECT_TRUE(craft.happened(EventCode::kMissionAborted));
}

TEST(TickCommander, ASiteMayArmWhatHasAFlightControllerWhileNobodyCommandsIt) {
  const auto armed_by_site = [](const char* vehicle, bool commanded) {
    AnyCraft craft(std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + vehicle);
    craft.tick({});
    Inputs in = craft.good();
    if (commanded) {
      in.commands.push_back({CommandCode::kTakeOver, -1, mission::Operator::kCli});
      craft.tick(in);
      in = craft.good();
    }
    in.commands.push_back({CommandCode::kArm, -1, mission::Operator::kSite});
    craft.tick(in);
    craft.tick({});
    return craft.out->arm == ArmState::kArmed;
  };
  EXPECT_TRUE(armed_by_site("quad.yaml:velocity", false));
  EXPECT_FALSE(armed_by_site("quad.yaml:velocity", true));
  EXPECT_FALSE(armed_by_site("quad.yaml", false));
}

}  // namespace
}  // namespace pintle::stack
