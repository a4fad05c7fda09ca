// What flies: when it counts as in the air, what it does without odometry, what it takes for a
// blow. Whole flights are in tests/scenarios/blind_flight_test.cpp.
#include <gtest/gtest.h>

#include "pintle/craft/read_vehicle.h"
#include "pintle/stack/testing_craft.h"

namespace pintle::stack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string shipped(const std::string& name) {
  return std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + name;
}

/// A craft at rest in the air by its inertial sensor, with odometry or without.
Inputs hovering(const AnyCraft& craft, bool odometry) {
  Inputs in = craft.good();
  in.has_odometry = odometry;
  in.has_imu = true;
  in.imu = {craft.clock, {}, {0, 0, 9.80665}};
  return in;
}

/// Armed, off the ground, and the sensor taught.
void rise(AnyCraft& craft) {
  craft.fly(10);
  craft.pose.p.z += 1;
  for (int i = 0; i < 300; ++i) craft.tick(hovering(craft, true));
  ASSERT_EQ(craft.out->arm, ArmState::kArmed);
  ASSERT_TRUE(craft.out->aloft);
}

TEST(TickBlind, InTheAirDisarmIsRefusedAndDisarmForceIsNot) {
  for (const char* name : {"quad.yaml", "quad.yaml:velocity", "flying_box.yaml", "rocket.yaml"}) {
    AnyCraft craft(shipped(name));
    craft.fly(10);
    craft.pose.p.z += 1;  // it has left where it stood
    craft.tick({});
    EXPECT_TRUE(craft.out->aloft) << name;
    craft.tick({CommandCode::kDisarm});
    EXPECT_EQ(craft.out->arm, ArmState::kArmed) << name;
    EXPECT_TRUE(craft.happened(EventCode::kCommandRefused)) << name;
    craft.tick({CommandCode::kDisarmForce});
    EXPECT_EQ(craft.out->arm, ArmState::kDisarmed) << name;
    craft.tick({});
    EXPECT_EQ(craft.effort(), 0) << name;
  }
}

TEST(TickBlind, WhatFliesStaysInTheAirWhileItsFlightControllerIsSilent) {
  AnyCraft craft(shipped("quad.yaml:velocity"));
  craft.fly(10);
  for (int i = 0; i < 1000; ++i) craft.tick(craft.silent());
  ASSERT_FALSE(craft.state->aircraft.flight_fresh);
  EXPECT_TRUE(craft.out->aloft);
  Inputs in = craft.silent();
  in.commands.push_back({CommandCode::kDisarm, -1});
  craft.tick(in);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed);
  EXPECT_TRUE(craft.happened(EventCode::kCommandRefused));
}

TEST(TickBlind, WhereItStandsDisarmIsObeyedAtOnce) {
  for (const char* name : {"quad.yaml", "flying_box.yaml", "oogway.yaml"}) {
    AnyCraft craft(shipped(name));
    craft.fly(100);
    EXPECT_FALSE(craft.out->aloft) << name;
    craft.tick({CommandCode::kDisarm});
    EXPECT_EQ(craft.out->arm, ArmState::kDisarmed) << name;
  }
}

TEST(TickBlind, ItHasLandedWhenItIsAskedDownAndStaysWhereItIs) {
  AnyCraft craft(shipped("quad.yaml"));
  rise(craft);
  const auto asked = [&craft](double up_m_s, double seconds) {
    for (int i = 0; i < std::lround(seconds * 100); ++i) {
      Inputs in = hovering(craft, true);
      in.setpoint = {};
      in.setpoint.mode[2] = AxisMode::kVelocity;
      in.setpoint.V_WD_B.v.z = up_m_s;
      craft.tick(in);
    }
  };
  asked(0, 3);
  EXPECT_TRUE(craft.out->aloft) << "a hover is no landing";
  asked(-0.3, 0.4);
  EXPECT_TRUE(craft.out->aloft);
  asked(-0.3, 0.2);
  EXPECT_FALSE(craft.out->aloft);
}

TEST(TickBlind, WhatLiftsOffWhenItsStateIsLostIsPutDownAndNotSwitchedOff) {
  for (const char* name : {"quad.yaml", "flying_box.yaml", "ironcub_body.yaml"}) {
    AnyCraft craft(shipped(name));
    craft.fly(10);
    for (int i = 0; i < 500; ++i) craft.tick(hovering(craft, true));
    ASSERT_FALSE(craft.out->aloft) << name << ": it has not moved";
    // its pose is held with all of its weight
    bool off = false, descends = false;
    for (int i = 0; i < 70; ++i) {
      craft.tick(hovering(craft, false));
      for (const Event& e : craft.out->events)
        if (e.code == EventCode::kStateLost)
          (e.subject == static_cast<std::int32_t>(OnStateLost::kOff) ? off : descends) = true;
    }
    EXPECT_FALSE(off) << name;
    EXPECT_TRUE(descends) << name;
    EXPECT_TRUE(craft.out->aloft) << name;
  }
}

TEST(TickBlind, AClockThatLeapsIsNoBlow) {
  for (const double leap_s : {1.0, 8.0, 1e3}) {
    AnyCraft craft(shipped("quad.yaml"));
    rise(craft);
    craft.clock = craft.clock + Duration::from_seconds(leap_s);
    for (int i = 0; i < 20; ++i) {
      craft.tick(hovering(craft, true));
      EXPECT_FALSE(craft.happened(EventCode::kImpact)) << leap_s;
    }
    EXPECT_EQ(craft.out->arm, ArmState::kArmed) << leap_s;
  }
}

TEST(TickBlind, WithoutOdometryItGoesDownLevelUntilItsTimeIsOver) {
  AnyCraft craft(shipped("quad.yaml"));
  rise(craft);
  const Time from = craft.clock;
  while ((craft.clock - from).seconds() < 0.45) {
    craft.tick(hovering(craft, false));
    ASSERT_EQ(craft.out->used.validity, Validity::kValid);
  }
  EXPECT_FALSE(craft.happened(EventCode::kStateLost));
  bool descends = false;
  while ((craft.clock - from).seconds() < 1.2) {
    craft.tick(hovering(craft, false));
    descends = descends || craft.out->law.vector.wanted_velocity_W.z < 0;
    ASSERT_TRUE(craft.sound());
    ASSERT_GT(craft.effort(), 0);
  }
  EXPECT_TRUE(craft.happened(EventCode::kStateLost));
  EXPECT_EQ(craft.out->authority, Authority::kSafe);
  EXPECT_NEAR(craft.out->law.vector.wanted_velocity_W.z, -0.7, 1e-9);
  EXPECT_LT(norm(craft.out->law.vector.turn_B), 0.1) << "level";
  // the sensor feels that it does not go down: it stands
  while ((craft.clock - from).seconds() < 3) craft.tick(hovering(craft, false));
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);
  EXPECT_EQ(craft.effort(), 0);
}

TEST(TickBlind, WithoutASensorThatIsFitItsEffortsFallToZero) {
  const auto lost_with = [](auto spoil) {
    AnyCraft craft(shipped("quad.yaml"));
    rise(craft);
    double last = 0;
    for (int i = 0; i < 130; ++i) {
      Inputs in = hovering(craft, false);
      spoil(in);
      craft.tick(in);
      EXPECT_TRUE(craft.sound());
      last = craft.effort();
    }
    return last;
  };
  EXPECT_GT(lost_with([](Inputs&) {}), 1);
  EXPECT_EQ(lost_with([](Inputs& in) { in.has_imu = false; }), 0);
  EXPECT_EQ(lost_with([](Inputs& in) { in.imu.f_B.z = kNan; }), 0);
  EXPECT_EQ(lost_with([](Inputs& in) { in.imu.stamp = Time::from_seconds(1); }), 0);
}

TEST(TickBlind, TheEffortsOfTheLastBlindMomentAreWhereTheRampBegins) {
  AnyCraft craft(shipped("quad.yaml"));
  rise(craft);
  for (int i = 0; i < 80; ++i) craft.tick(hovering(craft, false));
  ASSERT_TRUE(craft.state->copes);
  // and then the sensor goes too; after 0.1 s it is out of date
  while (craft.state->copes) craft.tick(craft.silent());
  double last = craft.effort();
  ASSERT_GT(last, 1);
  for (int i = 0; i < 51; ++i) {
    craft.tick(craft.silent());
    EXPECT_LE(craft.effort(), last + 1e-9);
    EXPECT_GE(craft.effort(), last - 0.2) << i;
    last = craft.effort();
  }
  EXPECT_EQ(last, 0);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed);
}

TEST(TickBlind, AfterASilenceOnlyWhatHasMovedHasHitSomething) {
  const auto impact_after = [](bool sensor, double fell_m, double fell_m_s) {
    VehicleFile file = craft_file(shipped("flying_box.yaml"));
    file.failsafes.imu_silent.reset();
    AnyCraft craft(file);
    craft.has_sensor = sensor;
    const auto with = [sensor](Inputs in) {
      in.has_imu = in.has_imu && sensor;
      return in;
    };
    craft.fly(10);
    craft.pose.p.z += 1;
    for (int i = 0; i < 300; ++i) craft.tick(with(hovering(craft, true)));
    EXPECT_TRUE(craft.out->aloft);
    craft.said.clear();
    for (int i = 0; i < 300; ++i) craft.tick(craft.silent());
    craft.pose.p.z -= fell_m;
    craft.twist.v.z = -fell_m_s;
    // the sensor is back a tick before odometry
    craft.tick(with(hovering(craft, false)));
    for (int i = 0; i < 20; ++i) craft.tick(with(hovering(craft, true)));
    return craft.happened(EventCode::kImpact);
  };
  EXPECT_FALSE(impact_after(false, 0, 0)) << "the world stood, and its clock with it";
  EXPECT_FALSE(impact_after(true, 0, 0));
  EXPECT_TRUE(impact_after(false, 0.9, 0)) << "it fell, and lies there";
}

TEST(TickBlind, ABlowThatIsSeenFailsTheMissionAndSwitchesNothingOff) {
  const MissionFile file =
      load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/hover_box.yaml");
  AnyCraft craft(file.vehicle);
  craft.model = build_model(file.vehicle, &file.mission);
  *craft.state = initial_state(craft.model);
  craft.pose.p = {};
  craft.tick(hovering(craft, true));
  Inputs in = hovering(craft, true);
  in.commands.push_back({CommandCode::kArm, -1});
  in.commands.push_back({CommandCode::kMissionStart, -1});
  craft.tick(in);
  for (int i = 0; i < 400; ++i) craft.tick(hovering(craft, true));
  craft.pose.p.z += 1;
  for (int i = 0; i < 300; ++i) craft.tick(hovering(craft, true));
  ASSERT_TRUE(craft.out->aloft);
  ASSERT_EQ(craft.out->mission.phase, MissionPhase::kRunning);
  ASSERT_FALSE(craft.happened(EventCode::kImpact));
  // 4 m/s within a tick is no work of the engines
  craft.twist.v.x = 4;
  in = hovering(craft, true);
  in.imu.f_B.x = 4 / craft.model.period.seconds();
  craft.tick(in);
  for (int i = 0; i < 20; ++i) craft.tick(hovering(craft, true));
  EXPECT_TRUE(craft.happened(EventCode::kImpact));
  EXPECT_EQ(craft.out->mission.phase, MissionPhase::kFailed);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed) << "it flies, and knows where it is";
}

TEST(TickBlind, WhatFliesSaysWhatItDoesWithoutAState) {
  const auto told = [](VehicleFile file) {
    std::string text;
    for (const Finding& f : check_sections(file)) {
      EXPECT_FALSE(f.is_error);
      if (!f.path.starts_with("safety")) continue;
      text += f.path + ": " + f.message + "\n";
    }
    return text;
  };
  for (const std::string& craft : every_craft(PINTLE_SOURCE_DIR "/vehicles"))
    EXPECT_EQ(told(craft_file(craft)), "") << craft;
  VehicleFile quad = load_vehicle(shipped("quad.yaml"));
  quad.vehicle.imu.reset();
  EXPECT_NE(told(quad).find("safety.on_state_lost: without an inertial sensor"), std::string::npos);
  quad.safety.on_state_lost = OnStateLost::kOff;
  EXPECT_EQ(told(quad), "");
  quad.safety.on_state_lost.reset();
  EXPECT_NE(told(quad).find("nothing says what it does without a state"), std::string::npos);
  quad.laws.law = control::Law::kSixAxis;
  EXPECT_EQ(told(quad), "") << "what floats need not";
}

TEST(TickBlind, ARowThatCanNeverComeOnIsSaid) {
  const auto told = [](const VehicleFile& file) {
    std::string text;
    for (const Finding& f : check_sections(file))
      if (f.path.starts_with("failsafes") && f.message.find("never comes on") != std::string::npos)
        text += f.path + " ";
    return text;
  };
  for (const std::string& craft : every_craft(PINTLE_SOURCE_DIR "/vehicles")) {
    // of another law than its file's
    if (craft.find(':') != std::string::npos) continue;
    EXPECT_EQ(told(craft_file(craft)), "") << craft;
  }
  VehicleFile quad = load_vehicle(shipped("quad.yaml"));
  quad.failsafes.on_ground.emplace();
  quad.failsafes.height_lost.emplace();
  quad.failsafes.flight_silent.emplace();
  quad.failsafes.vibration.emplace();
  EXPECT_EQ(told(quad), "");
  quad.failsafes.ground_near.emplace();
  EXPECT_EQ(told(quad), "failsafes.ground_near ") << "it lands";
  quad.laws.law = control::Law::kVelocity;
  EXPECT_EQ(told(quad), "failsafes.height_lost failsafes.vibration failsafes.ground_near ");
  quad.laws.law = control::Law::kSixAxis;
  quad.vehicle.imu.reset();
  EXPECT_EQ(told(quad),
            "failsafes.crash failsafes.on_ground failsafes.flight_silent failsafes.vibration ");
}

// it has touched down while nobody looked: by what was added up since, it still goes sideways
TEST(TickBlind, ItStandsAlsoWhenItsSpeedIsNotKnownToATenth) {
  AnyCraft craft(shipped("quad.yaml"));
  craft.fly(10);
  craft.twist.v.x = 0.3;
  craft.pose.p.z += 1;
  for (int i = 0; i < 300; ++i) {
    craft.pose.p.x += 0.3 * craft.model.period.seconds();
    craft.tick(hovering(craft, true));
  }
  ASSERT_TRUE(craft.out->aloft);
  const Time from = craft.clock;
  while ((craft.clock - from).seconds() < 4 && craft.out->arm == ArmState::kArmed) {
    craft.tick(hovering(craft, false));
    if (craft.out->arm == ArmState::kArmed) {
      ASSERT_GT(norm(craft.out->used.V_WB_B.v), 0.2);
    }
  }
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);
  EXPECT_LT((craft.clock - from).seconds(), 3.5);
}

}  // namespace
}  // namespace pintle::stack
