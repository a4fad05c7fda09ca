// What comes from outside and is not to be believed, or not for ever: planners and reports of
// health.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "pintle/stack/testing_bench.h"
#include "pintle/stack/testing_craft.h"

namespace pintle::stack {
namespace {

VehicleFile oogway() {
  return load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/oogway.yaml");
}

TEST(TickPlanner, AWrenchOfAPlannerThatHasDiedIsZeroAfterASecondUnlessAskedOtherwise) {
  for (const double limit : {-1.0, 0.0, 0.5, 3.0}) {
    VehicleFile file = oogway();
    if (limit >= 0) file.safety.setpoint_stale_s = limit;
    Bench b(build_model(file, nullptr));
    b.arm();
    for (int i = 0; i < 10; ++i) ask(b, push_forward(0.4));
    const Time heard = b.out_.now;
    const double until_s = limit < 0 ? 1 : limit;
    for (int i = 0; i < 200; ++i) {
      b.tick_fresh();
      const bool pushes = limit == 0 || (b.out_.now - heard).seconds() <= until_s;
      ASSERT_EQ(b.out_.demand.F_Bo_B.force.x,
                pushes ? 0.4 * std::get<control::SixAxisParams>(b.model_.law).scale : 0)
          << limit;
      EXPECT_EQ(b.out_.setpoint.mode[0], AxisMode::kWrench);
    }
    // whoever comes back is obeyed
    ask(b, push_forward(0.2));
    EXPECT_EQ(b.out_.demand.F_Bo_B.force.x,
              0.2 * std::get<control::SixAxisParams>(b.model_.law).scale);
  }
}

TEST(TickPlanner, WhatAnotherOneSaysKeepsNoPushAndNoVelocityOfOneThatHasDied) {
  for (const AxisMode mode : {AxisMode::kWrench, AxisMode::kVelocity}) {
    Bench b(build_model(oogway(), nullptr));
    b.arm();
    Setpoint s = push_forward(0.4);
    s.mode[0] = mode;
    s.V_WD_B.v.x = 0.3;
    for (int i = 0; i < 10; ++i) ask(b, s);
    Setpoint other;
    other.mode = s.mode;
    const Time heard = b.out_.now;
    bool told = false;
    while ((b.out_.now - heard).seconds() < 1.2) {
      // a pose that no axis asks for, and modes that are so already
      other.X_WD = b.pose_;
      ask(b, other, kPosePart | kModePart);
      told = told || b.happened(EventCode::kInputStale);
    }
    EXPECT_TRUE(told);
    EXPECT_EQ(b.out_.setpoint.V_WD_B.v.x, 0);
    EXPECT_EQ(b.out_.setpoint.F_Bo_B.force.x, 0);
  }
}

TEST(TickPlanner, WhatFliesHoldsOnceTheWrenchOfAPlannerThatHasDiedHasExpired) {
  for (const char* name : {"quad", "flying_box", "ironcub_body"}) {
    AnyCraft craft(std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + name + ".yaml");
    craft.fly(200);
    Inputs in = craft.good();
    in.setpoint = {};
    in.setpoint.mode.fill(AxisMode::kWrench);
    in.setpoint.F_Bo_B.force = {1, 0, 2};
    craft.tick(in);
    ASSERT_EQ(craft.out->setpoint.mode[2], AxisMode::kWrench) << name;
    craft.has_planner = false;
    for (int i = 0; i < 500 && !craft.happened(EventCode::kInputStale); ++i) craft.tick({});
    const double silent_s = (craft.out->now - in.now).seconds();
    EXPECT_NEAR(silent_s, kSetpointStale_s, 0.05) << name;
    const Vec3 held = craft.pose.p;
    craft.pose.p.z -= 0.5;
    craft.tick({});
    for (const AxisMode mode : craft.out->setpoint.mode)
      EXPECT_EQ(mode, AxisMode::kPosition) << name << " falls by what is no push any more";
    EXPECT_EQ(craft.out->setpoint.X_WD.p, held) << name;
    EXPECT_EQ(craft.out->arm, ArmState::kArmed);
  }
}

TEST(TickPlanner, AWrenchOfAPlannerThatHasDiedEndsAlsoWithoutAState) {
  // neutral, and pushed along every axis, it needs no state: that it has none stops nothing
  VehicleFile file = oogway();
  file.laws.control.static_force = {};
  Bench b(build_model(file, nullptr));
  b.arm();
  for (int i = 0; i < 10; ++i) ask(b, push_forward(0.4));
  while (b.out_.used.validity == Validity::kValid) b.tick_without_odometry();
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.has_setpoint = true;
  b.in_.setpoint = push_forward(0.4);
  b.tick_as_is();
  const Time heard = b.out_.now;
  ASSERT_GT(b.largest_effort(), 0.1);
  while ((b.out_.now - heard).seconds() < 1.1) b.tick_without_odometry();
  EXPECT_EQ(b.out_.arm, ArmState::kArmed);
  EXPECT_EQ(b.out_.demand.F_Bo_B.force.x, 0);
}

TEST(TickPlanner, AVelocityOfAPlannerThatHasDiedBecomesAHoldAndAPoseStands) {
  Bench b(build_model(oogway(), nullptr));
  // looking north, so that forwards is along y
  b.pose_ = {{1, 2, -3}, from_rpy({0, 0, kPi / 2})};
  b.arm();
  Setpoint s;
  s.mode[0] = AxisMode::kVelocity;
  s.V_WD_B.v.x = 0.3;
  s.X_WD = {{5, 6, -7}, from_rpy({0, 0, 0.5})};
  ask(b, s);
  b.pose_.p = {1, 4, -3};
  bool told = false;
  for (int i = 0; i < 30; ++i) {
    b.tick_fresh();
    told = told || b.happened(EventCode::kInputStale);
  }
  EXPECT_TRUE(told);
  EXPECT_EQ(b.out_.setpoint.mode[0], AxisMode::kPosition);
  EXPECT_EQ(b.out_.setpoint.V_WD_B.v.x, 0);
  EXPECT_NEAR(b.out_.setpoint.X_WD.p.x, 5, 1e-9) << "sideways the pose stands";
  EXPECT_NEAR(b.out_.setpoint.X_WD.p.y, 4, 1e-9) << "forwards it is held where it was";
  EXPECT_NEAR(b.out_.setpoint.X_WD.p.z, -7, 1e-9);
  EXPECT_NEAR(yaw_of(b.out_.setpoint.X_WD.q), 0.5, 1e-9);

  // a pose alone stands for minutes …
  s.mode[0] = AxisMode::kPosition;
  ask(b, s);
  for (int i = 0; i < 2000; ++i) {
    b.tick_fresh();
    ASSERT_EQ(b.out_.setpoint.X_WD.p, s.X_WD.p);
    ASSERT_FALSE(b.happened(EventCode::kInputStale));
  }
  // … but not longer than the state does
  for (int i = 0; i < 20; ++i) b.tick_without_odometry();
  b.pose_.p = {9, 9, -9};
  b.tick_fresh();
  b.tick_fresh();
  EXPECT_EQ(b.out_.setpoint.X_WD.p, b.pose_.p);
}

TEST(TickPlanner, UnderEveryLawAVelocityOfAPlannerThatHasDiedBecomesAHold) {
  std::set<control::Law> laws;
  for (const std::string& path : every_craft(PINTLE_SOURCE_DIR "/vehicles")) {
    AnyCraft craft(path);
    if (control::behaviour(craft.model.law) != control::Behaviour::kSafe) continue;
    craft.has_planner = false;
    craft.fly(10);
    Inputs in = craft.good();
    in.has_setpoint = true;
    in.setpoint.X_WD = craft.pose;
    in.setpoint.mode.fill(AxisMode::kPosition);
    in.setpoint.mode[0] = AxisMode::kVelocity;
    in.setpoint.V_WD_B.v.x = 0.3;
    craft.tick(in);
    // some files have no gains
    if (craft.out->setpoint_answer.refusal != control::SetpointRefusal::kNone) continue;
    laws.insert(craft_file(path).laws.law);
    EXPECT_EQ(craft.out->setpoint.V_WD_B.v.x, 0.3) << path;
    craft.said.clear();
    for (double t = 0; t < 1.2; t += craft.model.period.seconds()) craft.tick({});
    EXPECT_TRUE(craft.happened(EventCode::kInputStale)) << path;
    EXPECT_EQ(craft.out->setpoint.mode[0], AxisMode::kPosition) << path;
    EXPECT_EQ(craft.out->setpoint.V_WD_B.v.x, 0) << path;
  }
  EXPECT_EQ(laws.size(), enum_table<control::Law>().values.size());
}

TEST(TickPlanner, TheOriginalsPlannerIsObeyedForEverUnlessTheFileSaysOtherwise) {
  for (const bool limited : {false, true}) {
    VehicleFile file = oogway();
    file.laws.control.behaviour = control::Behaviour::kReference;
    if (limited) file.safety.setpoint_stale_s = 1;
    Bench b(build_model(file, nullptr));
    b.arm();
    for (int i = 0; i < 10; ++i) ask(b, push_forward(0.4));
    for (int i = 0; i < 2000; ++i) b.tick_fresh();
    EXPECT_EQ(b.out_.demand.F_Bo_B.force.x,
              limited ? 0 : 0.4 * std::get<control::SixAxisParams>(b.model_.law).scale);
  }
}

/// A flight in which this is said of a propulsor once, or nothing.
std::unique_ptr<AnyCraft> flown(const VehicleFile& file, std::uint32_t propulsor,
                                const PropulsorHealth* said) {
  auto craft = std::make_unique<AnyCraft>(file);
  craft->fly(20);
  craft->said.clear();
  for (int i = 0; i < 30; ++i) {
    Inputs in = craft->good();
    if (i == 5 && said != nullptr) in.health.push_back({propulsor, *said});
    craft->tick(in);
    EXPECT_TRUE(craft->sound());
  }
  return craft;
}

void expect_refused(const std::string& path) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const VehicleFile file = craft_file(path);
  const auto untold = flown(file, 0, nullptr);
  const auto& owner = untold->model.owner;
  for (std::uint32_t p = 0; p < untold->model.vehicle.propulsors.size(); p += 3) {
    const auto at = std::find(owner.begin(), owner.end(), p);
    ASSERT_NE(at, owner.end());
    const double most =
        std::max(untold->model.effectiveness.upper[std::size_t(at - owner.begin())], 0.0);
    for (const PropulsorHealth& h :
         {PropulsorHealth{Health::kStuck, 1, kNan}, PropulsorHealth{Health::kStuck, 1, kInf},
          PropulsorHealth{Health::kStuck, 1, -kInf}, PropulsorHealth{Health::kGood, 1, kNan},
          PropulsorHealth{Health::kStuck, 1, 1e308}, PropulsorHealth{Health::kStuck, 1, -1e308},
          PropulsorHealth{Health::kStuck, 1, 1.001 * most + 1e-3},
          PropulsorHealth{static_cast<Health>(5), 1, 0},
          PropulsorHealth{static_cast<Health>(255), 1, 0}, PropulsorHealth{Health::kWeak, -0.1, 0},
          PropulsorHealth{Health::kWeak, 1.1, 0}, PropulsorHealth{Health::kWeak, kNan, 0}}) {
      const auto craft = flown(file, p, &h);
      EXPECT_TRUE(craft->happened(EventCode::kInputRejected)) << p << " at " << h.stuck_effort;
      EXPECT_EQ(craft->state->health[p].health, Health::kGood);
      // the rest goes on as if nothing had been said
      EXPECT_EQ(craft->out->arm, untold->out->arm);
      for (std::size_t i = 0; i < craft->out->actuation.effort.size(); ++i)
        EXPECT_EQ(craft->out->actuation.effort[i], untold->out->actuation.effort[i]) << i;
    }
    const PropulsorHealth possible{Health::kStuck, 1, most};
    const auto craft = flown(file, p, &possible);
    EXPECT_FALSE(craft->happened(EventCode::kInputRejected)) << p;
    EXPECT_EQ(craft->state->health[p].health, Health::kStuck);
  }
}

TEST(TickHealth, WhatNoPropulsorCanDoIsNotBelievedOfItsHealth) {
  for (const std::string& path : every_craft(PINTLE_SOURCE_DIR "/vehicles")) {
    SCOPED_TRACE(path);
    expect_refused(path);
  }
}

}  // namespace
}  // namespace pintle::stack
