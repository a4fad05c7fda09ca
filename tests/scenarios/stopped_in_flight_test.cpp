// A signal, a lost terminal, the end of what was served: what flies comes down before it is off.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <string>

#include "pintle/base/rotation.h"
#include "pintle/craft/load.h"
#include "pintle/flight/fly.h"
#include "pintle/simulation/site.h"

namespace pintle::simulation {
namespace {

using flight::FlightResult;
using stack::ArmState;
using stack::CommandCode;
using stack::Inputs;
using stack::Model;
using stack::Outputs;

craft::MissionFile mission_of(const std::string& name) {
  return craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/" + name + ".yaml");
}

struct Stopped {
  FlightResult result;
  bool flew = false, forced_off_aloft = false, struck = false;
  double stopped_at_m = 0, down_m_s = 0, down_s = 0;
};

/// Flown, and told to stop at a time; height over where it began, speed when it was switched off.
Stopped stop(const craft::MissionFile& mission, double at_s,
             const std::function<void(const Model&, const Outputs&, Inputs&)>& ask = nullptr,
             bool planner = true, bool twice = false) {
  Stopped s;
  SimulatedSite site(mission, 3, {});
  std::atomic<bool> told{false}, again{false};
  flight::FlyOptions o;
  o.planner = planner && ask;
  o.stop = &told;
  o.stop_at_once = &again;
  o.ask = ask;
  bool was_aloft = false;
  o.watch = [&](const Model&, const Inputs& in, const Outputs& out) {
    const double t = in.now.seconds();
    told = t >= at_s;
    again = twice && t >= at_s + 0.1;
    if (told && was_aloft && s.stopped_at_m == 0) s.stopped_at_m = out.used.X_WB.p.z;
    for (const stack::OperatorCommand& c : in.commands)
      s.forced_off_aloft = s.forced_off_aloft || (c.code == CommandCode::kDisarmForce && was_aloft);
    for (const Event& e : out.events) s.struck = s.struck || e.code == EventCode::kImpact;
    if (out.aloft) s.down_m_s = norm(out.used.V_WB_B.v);
    was_aloft = out.aloft;
    s.flew = s.flew || out.aloft;
    s.down_s = t - at_s;
  };
  s.result = flight::fly(mission, site, o);
  return s;
}

void expect_came_down(const Stopped& s, const std::string& what,
                      flight::Verdict verdict = flight::Verdict::kAborted) {
  EXPECT_TRUE(s.flew) << what;
  EXPECT_GT(s.stopped_at_m, 1) << what << ": it was not in the air when it was told";
  EXPECT_FALSE(s.forced_off_aloft) << what << ": switched off in the air";
  EXPECT_FALSE(s.struck) << what << ": it has hit the ground";
  EXPECT_LE(s.down_m_s, 1) << what << ": switched off at this speed";
  EXPECT_GT(s.down_s, 1) << what;
  EXPECT_EQ(s.result.verdict, verdict) << what;
  EXPECT_EQ(s.result.reason, "stopped by the operator") << what;
}

TEST(StoppedInFlight, WhatCarriesItselfTakesItsAbortPath) {
  for (const char* mission : {"hover_box", "hover_ironcub"})
    for (const double at_s : {9.0, 20.0}) {
      const Stopped s = stop(mission_of(mission), at_s);
      expect_came_down(s, std::string(mission) + " at " + std::to_string(at_s));
      EXPECT_EQ(s.result.states.back().name, "abort_land") << mission;
    }
}

TEST(StoppedInFlight, WithoutAnAbortPathItSinksWhereItIs) {
  craft::MissionFile mission = mission_of("hover_box");
  mission.mission.abort.clear();
  mission.mission.states.pop_back();
  const Stopped s = stop(mission, 9);
  expect_came_down(s, "without an abort path");
  EXPECT_LT(s.down_s, 6) << "it has flown its mission to the end";
}

TEST(StoppedInFlight, AnAbortPathThatEndsInTheAirIsNotTheEnd) {
  craft::MissionFile mission = mission_of("hover_box");
  mission.mission.states.back().timeout_s = 0.6;
  expect_came_down(stop(mission, 9), "an abort path of half a second");
}

/// Told to stop in the first state, which is a hold twenty metres up.
craft::MissionFile high_up() {
  craft::MissionFile mission = mission_of("hover_box");
  mission.mission.states[0].timeout_s = mission.mission.states[1].timeout_s = 200;
  mission.mission.states[0].go.z_m = 10;
  return mission;
}

TEST(StoppedInFlight, AnAbortThatEndsAtOnceIsNotTheEnd) {
  for (const char* end : {"fail", "abort"}) {
    craft::MissionFile mission = high_up();
    for (mission::StateSpec& s : mission.mission.states)
      if (s.name != "abort_land") s.on_abort = end;
    const Stopped s = stop(mission, 15);
    expect_came_down(s, std::string("on_abort: ") + end);
    EXPECT_LT(s.down_s, 40) << end;
  }
}

TEST(StoppedInFlight, WhoeverElseHasAWordMeanwhileDoesNotEndIt) {
  for (const CommandCode code : {CommandCode::kMissionStart, CommandCode::kMissionResume,
                                 CommandCode::kMissionStep, CommandCode::kMissionSelect}) {
    craft::MissionFile mission = high_up();
    mission.mission.abort.clear();
    mission.mission.states.pop_back();
    const Stopped s = stop(
        mission, 15,
        [code](const Model&, const Outputs& last, Inputs& in) {
          // from the tick of the signal on, every second
          if (in.now.seconds() > 14.9 && last.arm == ArmState::kArmed &&
              in.now.ns % 1000000000 == 0)
            in.commands.push_back({code, 0, mission::Operator::kConsole});
        },
        false);
    expect_came_down(s, std::string(to_string(code)));
    EXPECT_LT(s.down_s, 60) << to_string(code);
  }
}

TEST(StoppedInFlight, ASecondSignalIsOffAtOnce) {
  const Stopped s = stop(high_up(), 15, nullptr, false, true);
  EXPECT_TRUE(s.forced_off_aloft);
  EXPECT_LT(s.down_s, 0.5);
}

TEST(StoppedInFlight, AnAbortPathThatHoversIsWaitedForAndThenItSinks) {
  craft::MissionFile mission = high_up();
  mission::StateSpec& path = mission.mission.states.back();
  path.velocity = {};
  path.timeout_s = 30;
  const Stopped s = stop(mission, 15);
  expect_came_down(s, "an abort path that hovers");
  EXPECT_GT(s.down_s, 30);
  EXPECT_LT(s.down_s, 70);
}

TEST(StoppedInFlight, AnAbortPathThatClimbsFirstLeavesTimeToComeDown) {
  craft::MissionFile mission = high_up();
  mission::StateSpec& path = mission.mission.states.back();
  path.velocity = {};
  path.go.z_m = 70;
  path.success = {};
  path.success.position_m = 1;
  path.timeout_s = 100;
  const Stopped s = stop(mission, 15);
  expect_came_down(s, "an abort path that climbs");
  EXPECT_GT(s.down_s, 100);
}

TEST(StoppedInFlight, WhatAPlannerFliesSinksThoughItGoesOnAsking) {
  const auto hover = [](const Model&, const Outputs&, Inputs& in) {
    in.has_setpoint = true;
    in.setpoint_parts = stack::kPosePart;
    in.setpoint = {};
    in.setpoint.X_WD.p = {0, 0, 2.5};
  };
  expect_came_down(stop(mission_of("hover_box"), 9, hover), "a planner", flight::Verdict::kPass);
}

TEST(StoppedInFlight, ALandingOnTheEngineGoesOn) {
  craft::MissionFile mission = mission_of("rocket_landing");
  mission::StateSpec hold;
  hold.name = "hold";
  hold.success.after_s = 1;
  hold.timeout_s = 5;
  hold.on_success = "abort";
  for (const bool has_path : {false, true}) {
    if (has_path) {
      mission.mission.abort = "hold";
      mission.mission.states.push_back(hold);
    }
    const Stopped s = stop(mission, 4);
    EXPECT_GT(s.stopped_at_m, 100);
    EXPECT_FALSE(s.forced_off_aloft) << "switched off in the air";
    EXPECT_FALSE(s.struck) << has_path;
    EXPECT_LE(s.down_m_s, 1) << has_path;
  }
}

/// A bus on which nothing comes any more after so long. The mission must outlive it.
class Forsaken final : public flight::Site {
 public:
  Forsaken(const craft::MissionFile& mission, double from_s)
      : under_(mission, 3, {}), from_s_(from_s) {}
  [[nodiscard]] Time now() const noexcept override { return under_.now(); }
  bool sense(Time due, Inputs& in) override { return under_.sense(due, in); }
  void act(const Model& model, const Outputs& out) override { under_.act(model, out); }
  [[nodiscard]] bool outlasts() const noexcept override { return true; }
  [[nodiscard]] bool is_gone() const noexcept override { return now().seconds() > from_s_; }

 private:
  SimulatedSite under_;
  double from_s_;
};

TEST(StoppedInFlight, WhereNothingComesAnyMoreItIsSwitchedOff) {
  const craft::MissionFile mission = mission_of("hover_box");
  Forsaken site(mission, 10);
  std::atomic<bool> told{false};
  flight::FlyOptions o;
  o.stop = &told;
  double off_s = 0;
  ArmState last = ArmState::kArmed;
  o.watch = [&](const Model&, const Inputs& in, const Outputs& out) {
    told = in.now.seconds() >= 9;
    off_s = in.now.seconds();
    last = out.arm;
  };
  const FlightResult result = flight::fly(mission, site, o);
  EXPECT_EQ(result.verdict, flight::Verdict::kAborted);
  EXPECT_NE(last, ArmState::kArmed);
  EXPECT_GE(off_s, 10);
  EXPECT_LT(off_s, 10.1);
}

}  // namespace
}  // namespace pintle::simulation
