// what an operator may ask of a mission that rests while the craft is in the air
#include <gtest/gtest.h>

#include "pintle/mission/testing_engine.h"

namespace pintle::mission {
namespace {

MissionSpec with_ladder() {
  MissionSpec m;
  m.states = {state("work"), state("down")};
  m.states[0].go.z_m = 5;
  m.states[0].on_success = "pass";
  m.states[1].go.z_m = 0;
  m.states[1].on_success = "abort";
  m.abort = "down";
  return m;
}

void fly(Rig& rig, FlightPhase phase) {
  rig.in.aircraft.present = true;
  rig.in.aircraft.flight_fresh = true;
  rig.in.aircraft.flight.phase = phase;
  rig.in.aircraft.flight.has_control = true;
  rig.in.aircraft.flight.battery = 1;
  rig.put({0, 0, 3});
}

TEST(EngineAtRest, TheAbortPathIsOpenToAnOperatorAfterACutoffInTheAir) {
  Rig rig(with_ladder());
  fly(rig, FlightPhase::kAirborne);
  rig.tick(Command::kStart);
  rig.tick(Command::kCutOff);
  ASSERT_EQ(rig.state.phase, MissionPhase::kIdle);
  rig.tick(Command::kAbort);
  EXPECT_FALSE(rig.out.refused);
  EXPECT_EQ(rig.state.phase, MissionPhase::kAborting);
  EXPECT_EQ(rig.out.setpoint.X_WD.p.z, 0);
  // it has ended without coming down: an operator may ask for it once more
  rig.run(30);
  ASSERT_EQ(rig.state.phase, MissionPhase::kAborted);
  rig.tick(Command::kAbort);
  EXPECT_FALSE(rig.out.refused);
  EXPECT_EQ(rig.state.phase, MissionPhase::kAborting);
  rig.tick(Command::kAbort);
  EXPECT_TRUE(rig.out.refused) << "it is under way";
}

TEST(EngineAtRest, OnTheGroundOrWithoutControlThereIsNothingToAbort) {
  for (const bool on_ground : {true, false}) {
    Rig rig(with_ladder());
    fly(rig, on_ground ? FlightPhase::kOnGround : FlightPhase::kAirborne);
    rig.in.aircraft.flight.has_control = on_ground;
    rig.tick();
    rig.tick(Command::kAbort);
    EXPECT_TRUE(rig.out.refused);
    EXPECT_EQ(rig.state.phase, MissionPhase::kIdle);
  }
}

}  // namespace
}  // namespace pintle::mission
