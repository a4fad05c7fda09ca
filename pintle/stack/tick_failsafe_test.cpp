// Failsafes row by row: when a row comes on, what is done then, when it is over. Whole flights are in
// tests/scenarios/failsafe_test.cpp.
#include <gtest/gtest.h>

#include "pintle/base/rotation.h"
#include "pintle/stack/testing_craft.h"

namespace pintle::stack {
namespace {

using Condition = FailsafeCondition;
using Action = FailsafeAction;

VehicleFile shipped(const std::string& name) {
  VehicleFile file = craft_file(std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + name);
  file.failsafes = {};
  return file;
}

/// A craft with nothing but the rows of a test, its clock and its inputs.
struct Craft : AnyCraft {
  explicit Craft(const VehicleFile& file) : AnyCraft(file) {}

  const Outputs& step(double seconds = 0) {
    const auto n = std::max(1L, std::lround(seconds / model.period.seconds()));
    for (long i = 0; i < n; ++i) {
      Inputs in = good();
      in.has_setpoint = in.has_setpoint && i == 0;
      if (prepare) prepare(in);
      for (const CommandCode c : next) in.commands.push_back({c, argument, from});
      next.clear();
      tick(in);
    }
    return *out;
  }
  void command(CommandCode code, std::int32_t arg = -1) {
    next.push_back(code);
    argument = arg;
  }
  void arm() {
    step();
    command(CommandCode::kArm);
    step();
    ASSERT_EQ(out->arm, ArmState::kArmed);
  }
  /// Off the ground, in a tenth of a second.
  void rise() {
    twist.v.z = 1;
    step(0.1);
    twist = {};
    pose.p.z += 2;
  }
  [[nodiscard]] bool on(Condition c) const {
    return (out->failsafe.on >> static_cast<unsigned>(c) & 1U) != 0;
  }
  [[nodiscard]] int told(EventCode code, Condition c) const {
    return static_cast<int>(std::count_if(said.begin(), said.end(), [&](const Event& e) {
      return e.code == code && e.subject == static_cast<std::int32_t>(c);
    }));
  }

  std::function<void(Inputs&)> prepare;
  std::vector<CommandCode> next;
  std::int32_t argument = -1;
  mission::Operator from = mission::Operator::kNobody;
};

/// The craft of the pool with its mission, which a low battery holds; nothing is told of it yet.
Craft pool_craft() {
  const MissionFile file = load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/pool.yaml");
  VehicleFile vehicle = file.vehicle;
  vehicle.failsafes = {};
  vehicle.failsafes.battery_low = {0.3, 0, Action::kHold};
  Craft craft(vehicle);
  craft.model = build_model(vehicle, &file.mission);
  *craft.state = initial_state(craft.model);
  return craft;
}

Craft leaning_quad(double limit_deg) {
  VehicleFile file = shipped("quad.yaml");
  file.failsafes.tilt = {limit_deg, 0.5, Action::kOff};
  return Craft(file);
}

void lean(Craft& craft, double deg) { craft.pose.q = from_rpy({radians(deg), 0, 0.4}); }

TEST(TickFailsafe, WhatFliesIsNotArmedOnTheGroundForLongerThanItMay) {
  for (const bool rises : {false, true}) {
    VehicleFile file = shipped("quad.yaml");
    file.failsafes.on_ground = {3, 0, Action::kLand};
    Craft craft(file);
    craft.arm();
    craft.step(2.8);
    ASSERT_EQ(craft.out->arm, ArmState::kArmed);
    if (rises) {
      craft.rise();
      craft.step(5);
    } else {
      craft.step(0.3);
    }
    EXPECT_EQ(craft.told(EventCode::kFailsafe, Condition::kOnGround), rises ? 0 : 1);
    EXPECT_EQ(craft.out->arm, rises ? ArmState::kArmed : ArmState::kLatchedSafe);
  }
  // what floats is armed at rest for hours
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.on_ground = {3, 0, Action::kLand};
  Craft diver(file);
  diver.arm();
  diver.step(10);
  EXPECT_EQ(diver.told(EventCode::kFailsafe, Condition::kOnGround), 0);
}

TEST(TickFailsafe, AComputerThatLagsIsTold) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.tick_late = {0.3, 0, Action::kHold};
  Craft craft(file);
  craft.arm();
  craft.step(2);
  EXPECT_EQ(craft.told(EventCode::kFailsafe, Condition::kTickLate), 0);
  craft.clock = craft.clock + Duration::from_seconds(0.2);
  craft.step();
  EXPECT_EQ(craft.told(EventCode::kFailsafe, Condition::kTickLate), 0);
  craft.clock = craft.clock + Duration::from_seconds(0.4);
  craft.step();
  EXPECT_EQ(craft.told(EventCode::kFailsafe, Condition::kTickLate), 1);
  EXPECT_TRUE(craft.on(Condition::kTickLate));
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  craft.step(1.2);
  EXPECT_EQ(craft.told(EventCode::kFailsafeOver, Condition::kTickLate), 1);
}

TEST(TickFailsafe, LeantTooFarForTooLongItIsSwitchedOffLatchedAndTold) {
  Craft craft = leaning_quad(60);
  craft.arm();
  lean(craft, 59);
  craft.step(3);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed) << "within its limit";
  lean(craft, 62);
  craft.step(0.4);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed) << "not for long enough";
  lean(craft, 10);
  craft.step(0.1);
  lean(craft, 62);
  craft.step(0.4);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed) << "without a break";
  craft.step(0.15);
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);
  EXPECT_EQ(craft.effort(), 0);
  ASSERT_EQ(craft.told(EventCode::kFailsafe, Condition::kTilt), 1);
  const auto event = std::find_if(craft.said.begin(), craft.said.end(),
                                  [](const Event& e) { return e.code == EventCode::kFailsafe; });
  EXPECT_NEAR(event->value, 62, 1e-9);
  ASSERT_EQ(craft.out->alarms.size(), 1U);
  EXPECT_EQ(craft.out->alarms[0].code, AlarmCode::kFailsafe);
  EXPECT_EQ(craft.out->alarms[0].severity, Severity::kCritical);
}

TEST(TickFailsafe, WhileARowIsOnItIsNotArmedAndSaysWhy) {
  Craft craft = leaning_quad(60);
  lean(craft, 180);
  craft.step(1);
  craft.command(CommandCode::kArm);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kDisarmed);
  EXPECT_EQ(craft.out->obstacles, obstacle_bit(ArmObstacle::kFailsafe));
  EXPECT_TRUE(craft.happened(EventCode::kArmingRefused));
  lean(craft, 58);
  craft.step(2);
  EXPECT_TRUE(craft.on(Condition::kTilt)) << "5 % within, or it comes and goes";
  lean(craft, 56);
  craft.step(0.9);
  EXPECT_TRUE(craft.on(Condition::kTilt));
  craft.step(0.2);
  EXPECT_EQ(craft.out->obstacles, 0U);
  EXPECT_EQ(craft.told(EventCode::kFailsafeOver, Condition::kTilt), 1);
  craft.command(CommandCode::kArm);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kArmed);
}

Inputs& told(Inputs& in, std::uint8_t fields) {
  in.has_housekeeping = true;
  in.housekeeping.stamp = in.now;
  in.housekeeping.valid = fields;
  return in;
}

TEST(TickFailsafe, ItsAlarmIsAsGraveAsItsActionAndClearedWhenItIsOver) {
  struct Row {
    Condition condition;
    std::function<void(FailsafeParams&, Action)> declare;
    std::function<void(Inputs&)> good, past;
  };
  const auto charge = [](double x) {
    return [x](Inputs& in) { told(in, kHasCharge).housekeeping.charge = x; };
  };
  const auto heat = [](double x) {
    return [x](Inputs& in) { told(in, kHasInnerTemperature).housekeeping.temperature_C = x; };
  };
  const auto at = [](double z) { return [z](Inputs& in) { in.odometry.X_WB.p.z = z; }; };
  const auto bus = [](double x) {
    return [x](Inputs& in) {
      in.has_bus_voltage = true;
      in.bus_V = x;
    };
  };
  const std::vector<Row> rows{
      {Condition::kBatteryLow,
       [](FailsafeParams& p, Action a) {
         p.battery_low = {0.3, 0, a};
       },
       charge(0.9), charge(0.1)},
      {Condition::kTemperature,
       [](FailsafeParams& p, Action a) {
         p.temperature = {70, 0, a};
       },
       heat(20), heat(80)},
      {Condition::kBusVoltage,
       [](FailsafeParams& p, Action a) {
         p.bus_voltage = {13, 0, a};
       },
       bus(15), bus(12)},
      {Condition::kLeak,
       [](FailsafeParams& p, Action a) {
         p.leak = {0, 0, a};
       },
       [](Inputs& in) { told(in, kHasLeak); },
       [](Inputs& in) { told(in, kHasLeak).housekeeping.leak = true; }},
      {Condition::kPressure,
       [](FailsafeParams& p, Action a) {
         p.pressure = {105, 0, a};
       },
       [](Inputs& in) { told(in, kHasPressure).housekeeping.pressure_kPa = 98; },
       [](Inputs& in) { told(in, kHasPressure).housekeeping.pressure_kPa = 106; }},
      {Condition::kDepth,
       [](FailsafeParams& p, Action a) {
         p.depth = {5, 0, a};
       },
       at(-4), at(-6)},
      {Condition::kFence,
       [](FailsafeParams& p, Action a) { p.fence = Fence{0, 0, 10, 0, 0, 0, a}; },
       [](Inputs& in) { in.odometry.X_WB.p.x = 1; }, [](Inputs& in) { in.odometry.X_WB.p.x = 11; }},
      {Condition::kPlaceUncertain,
       [](FailsafeParams& p, Action a) {
         p.place_uncertain = {2, 0, a};
       },
       [](Inputs& in) { in.odometry.position_std_m = 0.1; },
       [](Inputs& in) { in.odometry.position_std_m = 2.5; }},
      {Condition::kGroundNear,
       [](FailsafeParams& p, Action a) {
         p.ground_near = {1.5, 0, a};
       },
       [](Inputs& in) { told(in, kHasRange).housekeeping.range_m = 3; },
       [](Inputs& in) { told(in, kHasRange).housekeeping.range_m = 1.4; }},
      {Condition::kWind,
       [](FailsafeParams& p, Action a) {
         p.wind = {8, 0, a};
       },
       [](Inputs& in) { told(in, kHasWind).housekeeping.wind_m_s = 5; },
       [](Inputs& in) { told(in, kHasWind).housekeeping.wind_m_s = 9; }},
  };
  const std::vector<std::pair<Action, Severity>> grave{{Action::kWarn, Severity::kWarning},
                                                       {Action::kHold, Severity::kError},
                                                       {Action::kAbort, Severity::kError},
                                                       {Action::kLand, Severity::kCritical},
                                                       {Action::kOff, Severity::kCritical}};
  for (const Row& row : rows)
    for (const auto& [action, severity] : grave) {
      const std::string what =
          std::string(to_string(row.condition)) + " " + std::string(to_string(action));
      VehicleFile file = shipped("oogway.yaml");
      row.declare(file.failsafes, action);
      Craft craft(file);
      craft.pose.p = {1, 2, -4};
      craft.prepare = row.good;
      craft.arm();
      craft.step(1);
      ASSERT_EQ(craft.out->alarms.size(), 0U) << what;
      craft.prepare = row.past;
      const Time before = craft.clock;
      craft.step(0.5);
      ASSERT_EQ(craft.out->alarms.size(), 1U) << what;
      const Alarm& alarm = craft.out->alarms[0];
      EXPECT_EQ(alarm.code, AlarmCode::kFailsafe) << what;
      EXPECT_EQ(alarm.subject, static_cast<std::int32_t>(row.condition)) << what;
      EXPECT_EQ(alarm.severity, severity) << what;
      EXPECT_EQ(alarm.since, before) << what;
      craft.prepare = row.good;
      craft.step(0.5);
      EXPECT_EQ(craft.out->alarms.size(), 1U) << "a second within first: " << what;
      craft.step(1);
      ASSERT_FALSE(craft.on(row.condition)) << what;
      EXPECT_EQ(craft.out->alarms.size(), 0U) << what;
    }
}

TEST(TickFailsafe, EachRowHasAnAlarmOfItsOwn) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.battery_low = {0.3, 0, Action::kWarn};
  file.failsafes.temperature = {70, 0, Action::kHold};
  Craft craft(file);
  double charge = 0.2, heat = 80;
  craft.prepare = [&](Inputs& in) {
    Housekeeping& h = told(in, kHasCharge | kHasInnerTemperature).housekeeping;
    h.charge = charge;
    h.temperature_C = heat;
  };
  craft.step(0.2);
  ASSERT_EQ(craft.out->alarms.size(), 2U);
  charge = 0.9;
  craft.step(1.2);
  ASSERT_EQ(craft.out->alarms.size(), 1U);
  EXPECT_EQ(craft.out->alarms[0].subject, static_cast<std::int32_t>(Condition::kTemperature));
  EXPECT_EQ(craft.out->alarms[0].severity, Severity::kError);
  heat = 20;
  craft.step(1.2);
  EXPECT_EQ(craft.out->alarms.size(), 0U);
}

TEST(TickFailsafe, APlaceOfWhichNobodySaysHowGoodItIsIsNotUncertain) {
  for (const double std_m : {0.0, -3.0, std::numeric_limits<double>::quiet_NaN()}) {
    VehicleFile file = shipped("oogway.yaml");
    file.failsafes.place_uncertain = {2, 0, Action::kHold};
    Craft craft(file);
    craft.prepare = [std_m](Inputs& in) { in.odometry.position_std_m = std_m; };
    craft.arm();
    craft.step(1);
    EXPECT_EQ(craft.out->failsafe.on, 0U) << std_m;
  }
}

TEST(TickFailsafe, APlaceThatIsSaidToBeUncertainNowAndThenIsUncertain) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.place_uncertain = {2, 0.5, Action::kWarn};
  Craft craft(file);
  double std_m = 20;
  int n = 0;
  craft.prepare = [&](Inputs& in) { in.odometry.position_std_m = n++ % 3 == 0 ? std_m : 0; };
  craft.step(1);
  EXPECT_TRUE(craft.on(Condition::kPlaceUncertain));
  std_m = 0.1;
  craft.step(1.3);
  EXPECT_FALSE(craft.on(Condition::kPlaceUncertain));
  std_m = std::numeric_limits<double>::infinity();
  craft.step(1);
  EXPECT_TRUE(craft.on(Condition::kPlaceUncertain));
}

TEST(TickFailsafe, AFenceThatIsForeseenRefusesNoSlowerVelocity) {
  VehicleFile file = shipped("quad.yaml");
  file.failsafes.fence = Fence{0, 0, 10, 0, 0, 0, Action::kWarn, 4};
  Craft craft(file);
  craft.has_planner = false;
  craft.pose.p = {7.5, 0, 2};
  craft.twist.v.x = 1;
  craft.prepare = [](Inputs& in) {
    in.has_setpoint = true;
    in.setpoint = {};
    in.setpoint.X_WD.p.z = 2;
    in.setpoint.mode[0] = AxisMode::kVelocity;
    in.setpoint.V_WD_B.v.x = 0.7;
  };
  craft.arm();
  EXPECT_EQ(craft.out->setpoint_answer.refusal, control::SetpointRefusal::kNone);
  EXPECT_EQ(craft.out->setpoint.V_WD_B.v.x, 0.7);
}

TEST(TickFailsafe, ABottomThatIsNearIsLeftUpwardsAndNoOtherWay) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.ground_near = {1, 0, Action::kHold};
  Craft craft(file);
  craft.pose.p = {1, 2, -4};
  craft.prepare = [](Inputs& in) { told(in, kHasRange).housekeeping.range_m = 0.9; };
  craft.has_planner = false;
  double z = 0;
  const auto asked = [&](double z_m) {
    z = z_m;
    craft.has_planner = true;
    const auto before = craft.prepare;
    craft.prepare = [&](Inputs& in) {
      before(in);
      in.setpoint = {};
      in.setpoint.X_WD.p = {5, 2, z};
    };
    craft.step(0.1);
    craft.prepare = before;
    return craft.out->setpoint.X_WD.p.z;
  };
  craft.prepare = [](Inputs& in) { told(in, kHasRange).housekeeping.range_m = 3; };
  craft.arm();
  craft.prepare = [](Inputs& in) { told(in, kHasRange).housekeeping.range_m = 0.9; };
  craft.step(0.2);
  ASSERT_EQ(craft.out->failsafe.action, Action::kHold);
  EXPECT_NEAR(asked(-4.5), -4, 1e-9);
  EXPECT_NEAR(asked(-3), -3, 1e-9);
  EXPECT_NEAR(craft.out->setpoint.X_WD.p.x, 1, 1e-9) << "up, and not along the bottom";
  EXPECT_EQ(craft.out->authority, Authority::kSafe);
}

TEST(TickFailsafe, WhatOneSensorCannotMeanTakesNothingFromTheOthers) {
  for (const double range_m : {5.0, std::numeric_limits<double>::infinity(), -1.0,
                               std::numeric_limits<double>::quiet_NaN()}) {
    VehicleFile file = shipped("oogway.yaml");
    file.failsafes.leak = {{}, 0, Action::kLand};
    file.failsafes.battery_critical = {0.2, 0, Action::kLand};
    file.failsafes.ground_near = {1, 0, Action::kHold};
    Craft craft(file);
    craft.pose.p.z = -4;
    bool leaks = false;
    craft.prepare = [&](Inputs& in) {
      Housekeeping& h = told(in, kHasLeak | kHasRange | kHasCharge).housekeeping;
      h.range_m = range_m;
      h.leak = leaks;
      h.charge = leaks ? 0.1 : 0.9;
    };
    craft.arm();
    EXPECT_EQ(craft.out->failsafe.on, 0U) << range_m;
    leaks = true;
    craft.step(0.2);
    EXPECT_TRUE(craft.on(Condition::kLeak)) << range_m;
    EXPECT_TRUE(craft.on(Condition::kBatteryCritical)) << range_m;
    EXPECT_FALSE(craft.on(Condition::kGroundNear)) << range_m;
    EXPECT_EQ(craft.happened(EventCode::kInputRejected), !(range_m > 0)) << range_m;
  }
}

TEST(TickFailsafe, AFenceThatItWouldLeaveIsHeldBefore) {
  for (const double ahead_s : {0.0, 2.0}) {
    VehicleFile file = shipped("oogway.yaml");
    file.failsafes.fence = Fence{0, 0, 10, 0, 0, 0, Action::kHold, ahead_s};
    Craft craft(file);
    craft.pose.p = {8.5, 0, -2};
    craft.arm();
    // 1 m/s to the north of the world, the nose to the east
    craft.pose.q = from_rpy({0, 0, -kPi / 2});
    craft.twist.v = {1, 0, 0};
    craft.step(0.2);
    EXPECT_FALSE(craft.on(Condition::kFence)) << "along it";
    craft.pose.q = {};
    craft.twist.v = {0.7, 0, 0};
    craft.step(0.2);
    EXPECT_FALSE(craft.on(Condition::kFence)) << "1.4 of 1.5 m in two seconds";
    craft.twist.v = {0.8, 0, 0};
    craft.step(0.2);
    EXPECT_EQ(craft.on(Condition::kFence), ahead_s > 0);
    EXPECT_EQ(craft.out->failsafe.action, ahead_s > 0 ? Action::kHold : Action::kWarn);
    // where it leaves it slowly it is outside all the same
    craft.twist = {};
    craft.pose.p.x = 10.1;
    craft.step(0.1);
    EXPECT_TRUE(craft.on(Condition::kFence));
  }
}

TEST(TickFailsafe, WhatShakesIsToldAndWhatOnlyTurnsOrClimbsIsNot) {
  // what is added to gravity, t seconds after it began
  const auto on_after = [](const std::function<double(double)>& added, double seconds,
                           double rate_Hz = 100, double silent_s = 0) {
    VehicleFile file = shipped("quad.yaml");
    file.failsafes.vibration = {6, 0, Action::kLand};
    file.control_rate_Hz = rate_Hz;
    Craft craft(file);
    const double from_s = craft.clock.seconds();
    craft.prepare = [&, from_s](Inputs& in) {
      const double t = in.now.seconds() - from_s;
      in.has_imu = !(t > 1 && t < 1 + silent_s);
      in.imu = {in.now, {}, {added(t), 0, 9.80665}};
    };
    craft.step(seconds);
    return craft.on(Condition::kVibration);
  };
  const auto shakes = [](double peak) {
    // at none of the rates below it is seen as slow
    return [peak](double t) { return peak * std::sin(2 * kPi * 43.3 * t); };
  };
  // the root mean square of a sine is its peak over the root of two
  for (const double rate_Hz : {30.0, 100.0, 400.0, 1000.0}) {
    EXPECT_FALSE(on_after(shakes(7.2), 6, rate_Hz)) << rate_Hz;
    EXPECT_TRUE(on_after(shakes(9.6), 6, rate_Hz)) << rate_Hz;
  }
  EXPECT_FALSE(on_after(shakes(9.5), 0.5)) << "within the second over which it is counted";
  EXPECT_FALSE(on_after([](double t) { return t > 2 ? 9.0 : 0.0; }, 4)) << "a push";
  EXPECT_FALSE(on_after([](double t) { return 9 * std::sin(t); }, 6)) << "a turn";
  EXPECT_FALSE(on_after([](double t) { return t > 1.5 ? 30.0 : 0.0; }, 3, 100, 1)) << "a gap";
  // what it shook before a silence is over after it
  EXPECT_TRUE(on_after([&](double t) { return t < 1.02 ? shakes(30)(t) : 0.0; }, 1.1));
  EXPECT_FALSE(on_after([&](double t) { return t < 1.02 ? shakes(30)(t) : 0.0; }, 8, 100, 5));
}

TEST(TickFailsafe, WhatNoSensorHasFeltForAWhileIsNotKnown) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.ground_near = {1, 0, Action::kHold};
  file.failsafes.wind = {8, 0, Action::kHold};
  file.failsafes.housekeeping_silent = {4, 0, Action::kWarn};
  Craft craft(file);
  double range_m = 5, wind_m_s = 2;
  std::uint8_t says = kHasRange | kHasWind;
  craft.prepare = [&](Inputs& in) {
    Housekeeping& h = told(in, says).housekeeping;
    h.range_m = range_m;
    h.wind_m_s = wind_m_s;
  };
  craft.arm();
  craft.step(1);
  EXPECT_EQ(craft.out->failsafe.on, 0U);
  // a reading that cannot be is none
  for (const double x : {-1.0, 1e6, std::numeric_limits<double>::quiet_NaN()}) {
    range_m = x;
    craft.step(0.2);
    range_m = 5;
    wind_m_s = x;
    craft.step(0.2);
    wind_m_s = 2;
  }
  EXPECT_EQ(craft.out->failsafe.on, 0U);
  range_m = 0.9;
  wind_m_s = 9;
  craft.step();
  EXPECT_TRUE(craft.on(Condition::kGroundNear));
  EXPECT_TRUE(craft.on(Condition::kWind));
  // what is not known any more stays as it was, and its silence is told
  says = kHasLeak;
  craft.step(3);
  EXPECT_TRUE(craft.on(Condition::kGroundNear));
  EXPECT_FALSE(craft.on(Condition::kHousekeepingSilent));
  craft.step(1.1);
  EXPECT_TRUE(craft.on(Condition::kHousekeepingSilent));
  // and what has not come on does not by a reading of long ago
  file.failsafes.ground_near->after_s = 2.5;
  for (const double told_s : {0.1, 2.0}) {
    Craft other(file);
    const double from_s = other.clock.seconds();
    other.prepare = [=](Inputs& in) {
      if (in.now.seconds() - from_s < told_s) told(in, kHasRange).housekeeping.range_m = 0.9;
    };
    other.step(4);
    EXPECT_EQ(other.told(EventCode::kFailsafe, Condition::kGroundNear), told_s > 1 ? 1 : 0);
  }
}

TEST(TickFailsafe, ABatteryHasTwoLevelsAndAnAge) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.battery_low = {0.3, 1, Action::kHold};
  file.failsafes.battery_critical = {0.1, 1, Action::kLand};
  file.failsafes.battery_silent = {2, 0, Action::kWarn};
  file.failsafes.battery_silent->action = Action::kHold;
  Craft craft(file);
  craft.pose.p = {1, 2, -4};
  craft.step(1);
  craft.command(CommandCode::kArm);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kDisarmed) << "nobody has told its charge";
  double charge = 0.31;
  craft.prepare = [&charge](Inputs& in) { told(in, kHasCharge).housekeeping.charge = charge; };
  craft.step(1.5);
  craft.arm();
  craft.step(3);
  EXPECT_EQ(craft.out->failsafe.on, 0U);
  charge = 0.29;
  craft.step(1.2);
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  EXPECT_EQ(craft.out->setpoint.X_WD.p.x, 1) << "here, and not where the planner wants it";
  EXPECT_EQ(craft.out->authority, Authority::kSafe);
  charge = 0.31;
  craft.step(3);
  EXPECT_TRUE(craft.on(Condition::kBatteryLow)) << "two percent more are noise";
  charge = 0.09;
  craft.step(1.2);
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand);
  EXPECT_EQ(craft.out->failsafe.cause, Condition::kBatteryCritical);
  EXPECT_EQ(craft.told(EventCode::kFailsafe, Condition::kBatteryCritical), 1);
  craft.prepare = nullptr;
  craft.step(2.5);
  EXPECT_TRUE(craft.on(Condition::kBatterySilent));
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand) << "made no weaker";
}

TEST(TickFailsafe, AnAbortWithoutAMissionIsALanding) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.battery_low = {0.3, 0, Action::kAbort};
  Craft craft(file);
  craft.pose.p = {1, 2, -4};
  double charge = 0.5;
  craft.prepare = [&charge](Inputs& in) { told(in, kHasCharge).housekeeping.charge = charge; };
  craft.arm();
  charge = 0.29;
  craft.step(2);
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand);
  EXPECT_EQ(craft.out->authority, Authority::kSafe);
  EXPECT_GT(craft.out->setpoint.X_WD.p.z, -3.9) << "up, and not where the planner wants it";
  EXPECT_EQ(craft.out->setpoint.X_WD.p.x, 1);
}

TEST(TickFailsafe, WhatDivesComesUpLevelAtItsSpeedAndStopsAtTheSurface) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.leak = {0, 0.2, Action::kLand};
  file.failsafes.rise_m_s = 0.4;
  Craft craft(file);
  craft.pose = {{1, 2, -3}, from_rpy({2, 0.3, 1})};
  craft.arm();
  craft.command(CommandCode::kLeak, 1);
  craft.step();
  EXPECT_EQ(craft.out->failsafe.action, Action::kWarn) << "a splash on the sensor";
  craft.step(0.3);
  ASSERT_EQ(craft.out->failsafe.action, Action::kLand);
  const double from = craft.out->setpoint.X_WD.p.z;
  craft.step(1);
  EXPECT_NEAR(craft.out->setpoint.X_WD.p.z - from, 0.4, 0.03);
  craft.step(5);
  EXPECT_NEAR(craft.out->setpoint.X_WD.p.z, -2, 1e-9) << "a metre ahead of what does not move";
  EXPECT_EQ(craft.out->setpoint.X_WD.p.x, 1);
  const Vec3 up = rotate(craft.out->setpoint.X_WD.q, {0, 0, 1});
  EXPECT_NEAR(up.z, 1, 1e-12) << "level";
  EXPECT_FALSE(craft.out->failsafe.arrived);
  craft.pose.p.z = -0.2;
  craft.step(4);
  EXPECT_EQ(craft.out->setpoint.X_WD.p.z, 0);
  EXPECT_TRUE(craft.out->failsafe.arrived);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed) << "what would sink is held up";
}

TEST(TickFailsafe, WhatFliesGoesDownWhereItIsAndWhatStandsIsSwitchedOff) {
  VehicleFile file = shipped("quad.yaml");
  file.failsafes.temperature = {70, 0, Action::kLand};
  Craft craft(file);
  craft.arm();
  craft.step(1);
  craft.pose.p.z += 2;
  craft.step(1);
  ASSERT_TRUE(craft.out->aloft);
  craft.prepare = [](Inputs& in) {
    told(in, kHasInnerTemperature).housekeeping.temperature_C = 80;
  };
  craft.step(0.2);
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand);
  EXPECT_EQ(craft.out->setpoint.mode[2], AxisMode::kVelocity);
  EXPECT_EQ(craft.out->setpoint.V_WD_B.v.z, -craft.model.safety.descend_m_s);
  EXPECT_EQ(craft.out->setpoint.X_WD.p.x, craft.pose.p.x);
  // at rest although it is asked down: it stands
  craft.step(1);
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);

  Craft stands(file);
  stands.arm();
  stands.prepare = craft.prepare;
  stands.step(0.1);
  EXPECT_EQ(stands.out->arm, ArmState::kLatchedSafe) << "it never left the ground";
}

TEST(TickFailsafe, AnOperatorCountsFromHisFirstWordOn) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.heartbeat = {2, 0, Action::kHold};
  Craft craft(file);
  craft.arm();
  craft.step(10);
  EXPECT_FALSE(craft.on(Condition::kHeartbeat)) << "nobody was ever there";
  craft.from = mission::Operator::kCli;
  craft.command(CommandCode::kMissionPause);
  craft.step(5);
  EXPECT_FALSE(craft.on(Condition::kHeartbeat)) << "who asks for something need not stay";
  craft.command(CommandCode::kHeartbeat);
  craft.step(1.9);
  EXPECT_FALSE(craft.on(Condition::kHeartbeat));
  EXPECT_EQ(craft.out->commander, mission::Operator::kNobody) << "to be there is not to command";
  craft.step(0.3);
  EXPECT_TRUE(craft.on(Condition::kHeartbeat));
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  // any word of his will do
  craft.command(CommandCode::kResetControl);
  craft.step(1.2);
  EXPECT_FALSE(craft.on(Condition::kHeartbeat));
  EXPECT_EQ(craft.out->failsafe.action, Action::kWarn) << "the planner is followed again";
  // while it lay there nobody had to be at it
  craft.command(CommandCode::kDisarm);
  craft.step(10);
  craft.from = mission::Operator::kNobody;
  craft.command(CommandCode::kArm);
  craft.step(1.5);
  EXPECT_EQ(craft.out->arm, ArmState::kArmed);
  EXPECT_FALSE(craft.on(Condition::kHeartbeat));
}

TEST(TickFailsafe, TheWordOfAnotherOperatorDoesNotStandForThatOfWhoCommands) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.heartbeat = {2, 0, Action::kHold};
  for (const CommandCode word : {CommandCode::kHeartbeat, CommandCode::kResetControl}) {
    Craft craft(file);
    craft.arm();
    const auto says = [&](mission::Operator who, CommandCode code) {
      craft.from = who;
      craft.command(code);
    };
    says(mission::Operator::kConsole, CommandCode::kTakeOver);
    craft.step();
    says(mission::Operator::kConsole, CommandCode::kHeartbeat);
    craft.step();
    for (int i = 0; i < 3; ++i) {
      says(mission::Operator::kCli, word);
      craft.step(0.8);
    }
    EXPECT_TRUE(craft.on(Condition::kHeartbeat)) << "he is gone: " << static_cast<int>(word);
    // who takes over is the one who is to be there: who has never said that he is need not say it
    says(mission::Operator::kCli, CommandCode::kTakeOver);
    for (int i = 0; i < 3; ++i) {
      craft.step(0.8);
      says(mission::Operator::kCli, CommandCode::kHeartbeat);
    }
    EXPECT_FALSE(craft.on(Condition::kHeartbeat)) << static_cast<int>(word);
    craft.step(2.3);
    EXPECT_TRUE(craft.on(Condition::kHeartbeat)) << static_cast<int>(word);
  }
}

TEST(TickFailsafe, OnlyAnOperatorIsHeardAsOne) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.heartbeat = {2, 0, Action::kHold};
  for (const mission::Operator other : {mission::Operator::kNobody, mission::Operator::kSite}) {
    Craft craft(file);
    craft.arm();
    craft.from = mission::Operator::kCli;
    craft.command(CommandCode::kHeartbeat);
    craft.step();
    craft.from = other;
    for (int i = 0; i < 3; ++i) {
      craft.command(CommandCode::kResetControl);
      craft.step(0.8);
    }
    EXPECT_TRUE(craft.on(Condition::kHeartbeat)) << static_cast<int>(other);
  }
}

TEST(TickFailsafe, APlannerThatIsSilentIsTheDeclaredAction) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.planner = {3, 0, Action::kLand};
  Craft craft(file);
  craft.arm();
  craft.has_planner = false;
  craft.step(2.8);
  EXPECT_FALSE(craft.on(Condition::kPlanner));
  craft.step(0.4);
  EXPECT_TRUE(craft.on(Condition::kPlanner));
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand);
}

TEST(TickFailsafe, TheBusHasAVoltageAndAnAge) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.bus_voltage = {13, 1, Action::kHold};
  file.failsafes.bus_silent = {2, 0, Action::kHold};
  Craft craft(file);
  double volt = 14;
  craft.prepare = [&volt](Inputs& in) {
    in.has_bus_voltage = true;
    in.bus_V = volt;
  };
  craft.step(1.2);
  craft.arm();
  volt = 12;
  craft.step(0.9);
  volt = 14;
  craft.step(0.1);
  EXPECT_FALSE(craft.on(Condition::kBusVoltage)) << "a dip under load";
  volt = 12;
  craft.step(1.1);
  EXPECT_TRUE(craft.on(Condition::kBusVoltage));
  EXPECT_FALSE(craft.on(Condition::kBusSilent));
  craft.prepare = nullptr;
  craft.step(2.2);
  EXPECT_TRUE(craft.on(Condition::kBusSilent));
}

TEST(TickFailsafe, FenceHeightAndDepthHoldAndAGoalBeyondThemIsRefusedAtOnce) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.fence = Fence{10, 0, 5, 4, 100, 0, Action::kHold};
  file.failsafes.depth = {8, 0, Action::kHold};
  file.failsafes.height = {0.5, 0, Action::kHold};
  Craft craft(file);
  craft.pose.p = {10, 0, -2};
  craft.arm();
  const auto asked = [&craft](Vec3 p) {
    Inputs in = craft.good();
    in.setpoint = {};
    in.setpoint.X_WD.p = p;
    craft.tick(in);
    return craft.out->setpoint_answer.refusal;
  };
  using R = control::SetpointRefusal;
  EXPECT_EQ(asked({13.5, 3, -2}), R::kNone);
  EXPECT_EQ(asked({14.5, 0, -2}), R::kBeyond) << "in the circle, out of the box";
  EXPECT_EQ(asked({10, -5.5, -2}), R::kBeyond) << "in the box, out of the circle";
  EXPECT_EQ(asked({10, 0, -8.1}), R::kBeyond);
  EXPECT_EQ(asked({10, 0, 0.6}), R::kBeyond);
  EXPECT_EQ(craft.out->setpoint.X_WD.p.x, 13.5) << "the old one stands";
  craft.pose.p = {14.2, 0, -2};
  craft.step(0.1);
  EXPECT_TRUE(craft.on(Condition::kFence));
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  craft.pose.p = {10, 0, -8.5};
  craft.step(0.1);
  EXPECT_TRUE(craft.on(Condition::kDepth));
  craft.pose.p = {10, 0, 0.7};
  craft.step(0.1);
  EXPECT_TRUE(craft.on(Condition::kHeight));
}

TEST(TickFailsafe, TheWayHomeIsCountedAtTheRateOfTheFlight) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.way_home = {0.2, 0.01, 1, Action::kHold};
  Craft craft(file);
  craft.pose.p = {10, 0, -2};
  constexpr double kPer_s = 0.0034;
  Time full{};
  craft.prepare = [&](Inputs& in) {
    told(in, kHasCharge).housekeeping.charge =
        full == Time{} ? 1 : 1 - kPer_s * (in.now - full).seconds();
  };
  craft.step(5);
  craft.arm();
  full = craft.clock;
  craft.step(20);
  craft.pose.p.x = 12;
  craft.step(8);
  EXPECT_EQ(craft.out->failsafe.on, 0U) << "half a minute says nothing of the rate";
  craft.pose.p.x = 10.6;
  craft.step(72);
  EXPECT_EQ(craft.out->failsafe.on, 0U) << "0.66, of which 60 s home take a fifth";
  craft.pose.p.x = 12;
  craft.step(2);
  EXPECT_TRUE(craft.on(Condition::kWayHome)) << "200 s home take all of it";
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  const auto event = std::find_if(craft.said.begin(), craft.said.end(),
                                  [](const Event& e) { return e.code == EventCode::kFailsafe; });
  EXPECT_NEAR(event->value, 1 - kPer_s * (101 + 200), 0.005);
  craft.pose.p.x = 10.04;
  craft.step(2);
  EXPECT_FALSE(craft.on(Condition::kWayHome)) << "nearly there";
  // the next flight begins anew, with what there is then
  craft.command(CommandCode::kDisarm);
  craft.step(1);
  craft.pose.p.x = 12;
  craft.arm();
  craft.step(60);
  EXPECT_FALSE(craft.on(Condition::kWayHome));
}

TEST(TickFailsafe, AHeightThatItHadAndShallKeepIsLostAndAGoalFarAboveIsNot) {
  VehicleFile file = shipped("quad.yaml");
  file.failsafes.height_lost = {1.5, 0.3, Action::kLand};
  Craft craft(file);
  craft.pose.p = {0, 0, 10};
  double goal = 10;
  craft.prepare = [&goal](Inputs& in) {
    if (in.has_setpoint) in.setpoint.X_WD.p = {0, 0, goal};
  };
  craft.arm();
  craft.step(1);
  goal = 20;
  craft.step(3);
  EXPECT_FALSE(craft.on(Condition::kHeightLost)) << "it is still to climb there";
  craft.pose.p.z = 14;
  craft.step(0.1);
  craft.pose.p.z = 12.6;
  craft.step(1);
  EXPECT_FALSE(craft.on(Condition::kHeightLost)) << "1.4 m";
  goal = 5;
  craft.step(0.1);
  craft.pose.p.z = 5.2;
  craft.step(1);
  EXPECT_FALSE(craft.on(Condition::kHeightLost)) << "asked down it goes down";
  craft.pose.p.z = 3.3;
  craft.step(0.2);
  EXPECT_FALSE(craft.on(Condition::kHeightLost));
  craft.step(0.2);
  EXPECT_TRUE(craft.on(Condition::kHeightLost)) << "1.7 m below what it had and shall keep";
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand);
  EXPECT_EQ(craft.told(EventCode::kFailsafe, Condition::kHeightLost), 1);
}

TEST(TickFailsafe, AFenceHasAMiddleAndABoxTwoWidths) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.fence = Fence{10, -6, 0, 4, 2, 0, Action::kHold};
  for (const double aside : {-1.0, 1.0})
    for (const Vec3 way : {Vec3{4, 0, 0}, Vec3{0, 2, 0}}) {
      Craft craft(file);
      craft.pose.p = Vec3{10, -6, -2} + 0.95 * aside * way;
      craft.arm();
      ASSERT_EQ(craft.out->failsafe.on, 0U) << way.y;
      Inputs in = craft.good();
      in.setpoint = {};
      in.setpoint.X_WD.p = Vec3{10, -6, -2} + 1.05 * aside * way;
      craft.tick(in);
      EXPECT_EQ(craft.out->setpoint_answer.refusal, control::SetpointRefusal::kBeyond) << way.y;
      craft.pose.p = in.setpoint.X_WD.p;
      craft.step();
      EXPECT_TRUE(craft.on(Condition::kFence)) << way.y;
      EXPECT_EQ(craft.out->failsafe.action, Action::kHold) << way.y;
    }
}

/// Out of a circle of 5 m, by a planner's craft that is held there.
Craft held_outside() {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.fence = Fence{0, 0, 5, 0, 0, 0, Action::kHold};
  Craft craft(file);
  craft.has_planner = false;
  craft.pose.p = {4, 0, -2};
  craft.arm();
  craft.pose.p.x = 5.5;
  craft.step(0.2);
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  EXPECT_EQ(craft.out->authority, Authority::kSafe);
  EXPECT_NEAR(craft.out->setpoint.X_WD.p.x, 5.5, 1e-9);
  return craft;
}

TEST(TickFailsafe, APlannerMayLeadBackWhatIsHeldWhereItMayNotBe) {
  Craft craft = held_outside();
  const auto asks = [&craft](double x, AxisMode mode) {
    Inputs in = craft.good();
    in.has_setpoint = true;
    in.setpoint = {};
    in.setpoint.X_WD.p = {x, 0, -2};
    in.setpoint.mode[0] = mode;
    in.setpoint.V_WD_B.v.x = 0.2;
    craft.tick(in);
  };
  asks(6, AxisMode::kPosition);
  EXPECT_EQ(craft.out->authority, Authority::kSafe) << "further out is refused";
  asks(3, AxisMode::kVelocity);
  EXPECT_EQ(craft.out->authority, Authority::kSafe) << "a speed leads anywhere";
  asks(3, AxisMode::kPosition);
  EXPECT_EQ(craft.out->authority, Authority::kPlanner);
  EXPECT_EQ(craft.out->setpoint.X_WD.p.x, 3);
  EXPECT_TRUE(craft.on(Condition::kFence)) << "it is not back yet";
  craft.pose.p.x = 3;
  craft.step(1.5);
  EXPECT_FALSE(craft.on(Condition::kFence));
  EXPECT_EQ(craft.out->failsafe.action, Action::kWarn);
  // what it asked for before it was held is no way back
  craft.pose.p.x = 5.5;
  craft.step(0.2);
  EXPECT_EQ(craft.out->authority, Authority::kSafe);
}

/// The parts of a setpoint may be of several programs.
TEST(TickFailsafe, APoseOfBeforeTheHoldIsNoWayBackWhateverElseIsAskedForSince) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.fence = Fence{0, 0, 5, 0, 0, 0, Action::kHold};
  Craft craft(file);
  craft.has_planner = false;
  craft.pose.p = {4, 0, -2};
  craft.arm();
  const auto asks = [&craft](std::uint8_t parts) {
    Inputs in = craft.good();
    in.has_setpoint = true;
    in.setpoint_parts = parts;
    in.setpoint = {};
    in.setpoint.X_WD.p = {3, 0, -2};
    craft.tick(in);
  };
  asks(kPosePart);
  ASSERT_EQ(craft.out->authority, Authority::kPlanner);
  craft.pose.p.x = 5.5;
  craft.step(0.2);
  ASSERT_EQ(craft.out->authority, Authority::kSafe);
  asks(kVelocityPart);
  EXPECT_EQ(craft.out->authority, Authority::kSafe) << "nobody has asked for the place again";
  asks(kPosePart);
  EXPECT_EQ(craft.out->authority, Authority::kPlanner);
}

TEST(TickFailsafe, WithoutAMissionAnOperatorsResumeEndsAHold) {
  Craft craft = held_outside();
  craft.command(CommandCode::kMissionPause);
  craft.step(0.1);
  EXPECT_TRUE(craft.happened(EventCode::kCommandRefused));
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  craft.said.clear();
  craft.command(CommandCode::kMissionResume);
  craft.step(0.1);
  EXPECT_FALSE(craft.happened(EventCode::kCommandRefused));
  EXPECT_EQ(craft.out->failsafe.action, Action::kWarn);
  EXPECT_EQ(craft.out->authority, Authority::kPlanner);
  craft.command(CommandCode::kMissionResume);
  craft.step(0.1);
  EXPECT_TRUE(craft.happened(EventCode::kCommandRefused)) << "there is nothing to end";
}

TEST(TickFailsafe, AFenceIsOverFivePercentInside) {
  Craft craft = held_outside();
  craft.pose.p.x = 4.9;
  craft.step(3);
  EXPECT_TRUE(craft.on(Condition::kFence)) << "or it comes and goes at the edge";
  craft.pose.p.x = 4.7;
  craft.step(1.2);
  EXPECT_FALSE(craft.on(Condition::kFence));
}

TEST(TickFailsafe, AMissionThatHasNotBegunIsHeldWhereItIsToo) {
  Craft craft = pool_craft();
  craft.pose.p = {1, 2, -0.5};
  double charge = 0.5;
  craft.prepare = [&charge](Inputs& in) { told(in, kHasCharge).housekeeping.charge = charge; };
  craft.arm();
  craft.step(0.5);
  charge = 0.2;
  craft.step(0.2);
  ASSERT_EQ(craft.out->failsafe.action, Action::kHold);
  EXPECT_EQ(craft.out->authority, Authority::kSafe);
  EXPECT_NEAR(craft.out->setpoint.X_WD.p.y, 2, 1e-9);
}

TEST(TickFailsafe, AnInertialSensorThatIsSilentOrWasNeverThereIsTheDeclaredAction) {
  VehicleFile file = shipped("quad.yaml");
  file.failsafes.imu_silent = {0.5, 0, Action::kLand};
  Craft craft(file);
  bool speaks = false;
  craft.prepare = [&speaks](Inputs& in) {
    in.has_imu = speaks;
    in.imu = {in.now, {}, {0, 0, 9.80665}};
  };
  craft.step();
  craft.command(CommandCode::kArm);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kDisarmed) << "it has never been there";
  EXPECT_EQ(craft.out->obstacles, obstacle_bit(ArmObstacle::kFailsafe));
  EXPECT_TRUE(craft.on(Condition::kImuSilent));
  speaks = true;
  craft.step(1.5);
  craft.arm();
  craft.rise();
  craft.step(2);
  EXPECT_FALSE(craft.on(Condition::kImuSilent));
  // a clock that is ahead is no silence
  craft.prepare = [](Inputs& in) {
    in.has_imu = true;
    in.imu = {in.now + Duration{50'000'000}, {}, {0, 0, 9.80665}};
  };
  craft.step(2);
  EXPECT_FALSE(craft.on(Condition::kImuSilent));
  // the same message again and again is
  const Time stands = craft.clock + Duration{50'000'000};
  craft.prepare = [stands](Inputs& in) {
    in.has_imu = true;
    in.imu = {stands, {}, {0, 0, 9.80665}};
  };
  craft.step(0.4);
  EXPECT_FALSE(craft.on(Condition::kImuSilent));
  craft.step(0.2);
  EXPECT_TRUE(craft.on(Condition::kImuSilent));
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand);
}

TEST(TickFailsafe, WhatFliesOrIsArmedForLongerThanItMayIsTheDeclaredAction) {
  VehicleFile file = shipped("quad.yaml");
  file.failsafes.flight_time = {3, 0, Action::kLand};
  Craft craft(file);
  craft.arm();
  craft.step(5);
  EXPECT_FALSE(craft.on(Condition::kFlightTime)) << "it stands";
  craft.rise();
  craft.step(2.7);
  EXPECT_FALSE(craft.on(Condition::kFlightTime));
  craft.step(0.4);
  EXPECT_TRUE(craft.on(Condition::kFlightTime));
  EXPECT_EQ(craft.out->failsafe.action, Action::kLand);
  file = shipped("oogway.yaml");
  file.failsafes.flight_time = {3, 0, Action::kHold};
  Craft diver(file);
  diver.step(5);
  diver.arm();
  diver.step(2.9);
  EXPECT_FALSE(diver.on(Condition::kFlightTime)) << "before it was armed no time went by";
  diver.step(0.2);
  EXPECT_TRUE(diver.on(Condition::kFlightTime));
}

TEST(TickFailsafe, APlaceGivenBeforeSomebodyFollowsItIsRefusedWhenItIsToBeFollowed) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.depth = {20, 0, Action::kHold};
  Craft craft(file);
  craft.pose.p = {0, 0, -2};
  craft.arm();
  using R = control::SetpointRefusal;
  const auto asked = [&craft](std::uint8_t parts, AxisMode z, double depth_m) {
    Inputs in = craft.good();
    in.has_setpoint = true;
    in.setpoint_parts = parts;
    in.setpoint = {};
    in.setpoint.mode.fill(AxisMode::kPosition);
    in.setpoint.mode[2] = z;
    in.setpoint.X_WD.p = {0, 0, -depth_m};
    craft.tick(in);
    return craft.out->setpoint_answer.refusal;
  };
  ASSERT_EQ(asked(kModePart, AxisMode::kWrench, 0), R::kNone);
  EXPECT_EQ(asked(kPosePart, AxisMode::kWrench, 50), R::kNone) << "nobody goes there";
  EXPECT_EQ(asked(kModePart, AxisMode::kPosition, 0), R::kBeyond);
  EXPECT_EQ(craft.out->setpoint.mode[2], AxisMode::kWrench) << "as before";
  EXPECT_EQ(asked(kPosePart, AxisMode::kWrench, 5), R::kNone);
  EXPECT_EQ(asked(kModePart, AxisMode::kPosition, 0), R::kNone);
  EXPECT_EQ(craft.out->setpoint.X_WD.p.z, -5);
}

TEST(TickFailsafe, EachSensorOfTheHullHasAnAgeOfItsOwn) {
  VehicleFile file = shipped("bluerov2_heavy.yaml");
  file.failsafes.leak = {{}, 0, Action::kLand};
  file.failsafes.housekeeping_silent = {1, 0, Action::kWarn};
  Craft craft(file);
  craft.pose.p.z = -3;
  std::uint8_t says = kHasLeak | kHasPressure;
  craft.prepare = [&says](Inputs& in) { told(in, says).housekeeping.pressure_kPa = 101; };
  craft.arm();
  craft.step(1.5);
  EXPECT_FALSE(craft.on(Condition::kHousekeepingSilent)) << "nobody has ever told the temperature";
  says = kHasPressure;
  craft.step(0.8);
  EXPECT_FALSE(craft.on(Condition::kHousekeepingSilent));
  craft.step(0.4);
  EXPECT_TRUE(craft.on(Condition::kHousekeepingSilent)) << "of a leak nobody says a word any more";
  // what a row goes by must have been told
  for (int k = 0; k < 4; ++k) {
    VehicleFile of = shipped("bluerov2_heavy.yaml");
    of.failsafes.housekeeping_silent = {1, 0, Action::kHold};
    if (k == 0) of.failsafes.leak = {{}, 0, Action::kLand};
    if (k == 1) of.failsafes.pressure = {105, 0, Action::kWarn};
    if (k == 2) of.failsafes.temperature = {60, 0, Action::kWarn};
    if (k == 3) of.failsafes.ground_near = {1, 0, Action::kHold};
    Craft other(of);
    other.prepare = [](Inputs& in) { told(in, kHasWind).housekeeping.wind_m_s = 1; };
    other.step(0.5);
    EXPECT_TRUE(other.on(Condition::kHousekeepingSilent)) << k;
    EXPECT_EQ(other.out->obstacles & obstacle_bit(ArmObstacle::kFailsafe),
              obstacle_bit(ArmObstacle::kFailsafe));
  }
}

TEST(TickFailsafe, WhatIsNotKnownAnyMoreIsNotOver) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.fence = Fence{0, 0, 5, 0, 0, 0, Action::kHold};
  file.safety.latch_after_s = 10;
  Craft craft(file);
  craft.pose.p = {4, 0, -2};
  craft.arm();
  craft.pose.p.x = 6;
  craft.step();
  ASSERT_TRUE(craft.on(Condition::kFence));
  for (int i = 0; i < 100; ++i) craft.tick(craft.silent());
  ASSERT_NE(craft.out->used.validity, Validity::kValid);
  EXPECT_TRUE(craft.on(Condition::kFence));
  craft.step(0.2);
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  EXPECT_EQ(craft.told(EventCode::kFailsafe, Condition::kFence), 1);
  EXPECT_EQ(craft.told(EventCode::kFailsafeOver, Condition::kFence), 0);
}

TEST(TickFailsafe, PressureAndHousekeepingThatCannotBeChangesNothingAndIsSaidOnce) {
  VehicleFile file = shipped("bluerov2_heavy.yaml");
  file.failsafes.pressure = {105, 0, Action::kHold};
  file.failsafes.housekeeping_silent = {1, 0, Action::kWarn};
  Craft craft(file);
  craft.pose.p.z = -3;
  double kPa = 101;
  craft.prepare = [&kPa](Inputs& in) { told(in, kHasPressure).housekeeping.pressure_kPa = kPa; };
  craft.arm();
  craft.step(0.5);
  EXPECT_EQ(craft.out->failsafe.on, 0U);
  kPa = std::numeric_limits<double>::quiet_NaN();
  craft.step(0.5);
  EXPECT_EQ(craft.out->failsafe.on, 0U);
  EXPECT_EQ(std::count_if(craft.said.begin(), craft.said.end(),
                          [](const Event& e) {
                            return e.code == EventCode::kInputRejected &&
                                   e.subject == static_cast<std::int32_t>(InputCode::kHousekeeping);
                          }),
            1);
  craft.step(1);
  EXPECT_TRUE(craft.on(Condition::kHousekeepingSilent)) << "refused is silent";
  kPa = 106;
  craft.step(0.2);
  EXPECT_TRUE(craft.on(Condition::kPressure));
}

TEST(TickFailsafe, AnEngineIsLitInTwoStepsWithinTenSeconds) {
  Craft craft(shipped("rocket.yaml"));
  craft.arm();
  const auto burns = [&craft] { return craft.out->actuation.ignition != 0; };
  craft.command(CommandCode::kIgnite);
  craft.step();
  EXPECT_FALSE(burns());
  craft.command(CommandCode::kReadyIgnition);
  craft.step(10.5);
  craft.command(CommandCode::kIgnite);
  craft.step();
  EXPECT_FALSE(burns()) << "too late";
  craft.command(CommandCode::kReadyIgnition);
  craft.step(9);
  craft.command(CommandCode::kIgnite);
  craft.step();
  EXPECT_TRUE(burns());
  craft.command(CommandCode::kShutDown);
  craft.step();
  craft.command(CommandCode::kIgnite);
  craft.step();
  EXPECT_FALSE(burns()) << "readied once, lit once";
}

TEST(TickFailsafe, WhatWasReadiedIsForgottenWhenItIsDisarmedLatchedOrShutDown) {
  for (const CommandCode off :
       {CommandCode::kDisarmForce, CommandCode::kTerminate, CommandCode::kShutDown}) {
    Craft craft(shipped("rocket.yaml"));
    craft.arm();
    craft.command(CommandCode::kReadyIgnition);
    craft.step();
    craft.command(off);
    craft.step();
    craft.command(CommandCode::kResetLatch);
    craft.step();
    craft.arm();
    ASSERT_EQ(craft.out->arm, ArmState::kArmed);
    craft.command(CommandCode::kIgnite);
    craft.step();
    EXPECT_EQ(craft.out->actuation.ignition, 0U) << int(off);
  }
}

TEST(TickFailsafe, TerminateSwitchesOffInTheAirAndLatches) {
  Craft craft(shipped("quad.yaml"));
  craft.arm();
  craft.step(0.5);
  craft.pose.p.z += 2;
  craft.step(0.5);
  ASSERT_TRUE(craft.out->aloft);
  craft.command(CommandCode::kTerminate);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);
  EXPECT_EQ(craft.effort(), 0);
  craft.command(CommandCode::kArm);
  craft.step();
  EXPECT_EQ(craft.out->obstacles, obstacle_bit(ArmObstacle::kLatched));
  craft.command(CommandCode::kEnable);
  craft.step(0.5);
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe)
      << "who enables a latched craft ends no termination";
  craft.command(CommandCode::kResetLatch);
  craft.step();
  craft.command(CommandCode::kEnable);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kArmed);
}

TEST(TickFailsafe, AnybodyMayTerminate) {
  Craft craft(shipped("oogway.yaml"));
  craft.arm();
  craft.from = mission::Operator::kConsole;
  craft.command(CommandCode::kResetControl);
  craft.step();
  ASSERT_EQ(craft.out->commander, mission::Operator::kConsole);
  craft.from = mission::Operator::kPage;
  craft.command(CommandCode::kTerminate);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);
  EXPECT_EQ(craft.effort(), 0);
  EXPECT_EQ(craft.out->commander, mission::Operator::kConsole);
}

TEST(TickFailsafe, TerminateIsTheEndOfAMissionAndNotItsAbortPath) {
  const MissionFile file = load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/pool.yaml");
  Craft craft(file.vehicle);
  craft.model = build_model(file.vehicle, &file.mission);
  *craft.state = initial_state(craft.model);
  craft.pose.p = {0, 0, -0.2};
  craft.arm();
  craft.command(CommandCode::kMissionStart);
  craft.step(1);
  ASSERT_EQ(craft.out->mission.phase, MissionPhase::kRunning);
  craft.said.clear();
  craft.command(CommandCode::kTerminate);
  craft.step();
  EXPECT_EQ(craft.out->arm, ArmState::kLatchedSafe);
  EXPECT_EQ(craft.out->mission.phase, MissionPhase::kFailed);
  EXPECT_TRUE(craft.happened(EventCode::kMissionFinished));
  EXPECT_FALSE(craft.happened(EventCode::kMissionAborted));
}

TEST(TickFailsafe, AnOperatorsWordThatIsRefusedLiftsNothing) {
  Craft craft = pool_craft();
  craft.pose.p = {0, 0, -0.2};
  double charge = 0.5;
  craft.prepare = [&charge](Inputs& in) { told(in, kHasCharge).housekeeping.charge = charge; };
  craft.arm();
  craft.command(CommandCode::kMissionStart);
  craft.step(1);
  charge = 0.2;
  craft.step(0.2);
  ASSERT_EQ(craft.out->failsafe.action, Action::kHold);
  ASSERT_EQ(craft.out->mission.phase, MissionPhase::kPaused);
  craft.said.clear();
  craft.command(CommandCode::kMissionPause);
  craft.step(0.1);
  EXPECT_TRUE(craft.happened(EventCode::kCommandRefused)) << "it is paused already";
  EXPECT_EQ(craft.out->failsafe.action, Action::kHold);
  craft.command(CommandCode::kMissionResume);
  craft.step(0.1);
  EXPECT_EQ(craft.out->mission.phase, MissionPhase::kRunning);
  EXPECT_EQ(craft.out->failsafe.action, Action::kWarn) << "he has the last word";
}

TEST(TickFailsafe, WhatIsNotArmedIsNotSentAnywhere) {
  VehicleFile file = shipped("oogway.yaml");
  file.failsafes.leak = {0, 0, Action::kLand};
  Craft craft(file);
  craft.pose.p = {1, 2, -3};
  craft.arm();
  craft.command(CommandCode::kLeak, 1);
  craft.step(1);
  ASSERT_EQ(craft.out->failsafe.action, Action::kLand);
  ASSERT_NE(craft.out->setpoint.X_WD.p, craft.good().setpoint.X_WD.p);
  craft.command(CommandCode::kDisarm);
  craft.step(0.1);
  ASSERT_EQ(craft.out->arm, ArmState::kDisarmed);
  EXPECT_EQ(craft.out->setpoint.X_WD.p, craft.good().setpoint.X_WD.p) << "the planner's again";
  EXPECT_FALSE(craft.out->failsafe.arrived);
}

TEST(TickFailsafe, ALandingBehindAFlightControllerIsTheMissions) {
  VehicleFile file = shipped("quad.yaml");
  file.laws.law = control::Law::kVelocity;
  file.failsafes.temperature = {70, 0, Action::kLand};
  mission::MissionSpec spec;
  mission::StateSpec stay, down;
  stay.name = "stay";
  stay.timeout_s = 100;
  stay.success.after_s = 90;
  down.name = "down";
  down.request = mission::Request::kLand;
  down.success.flight = mission::FlightEvidence::kOnGround;
  down.timeout_s = 100;
  spec.states = {stay, down};
  spec.abort = "down";
  Craft craft(file);
  craft.model = build_model(file, &spec);
  *craft.state = initial_state(craft.model);
  craft.arm();
  craft.flies = true;
  craft.step(1);
  craft.command(CommandCode::kMissionStart);
  craft.step(1);
  ASSERT_EQ(craft.out->mission.phase, MissionPhase::kRunning);
  const Setpoint before = craft.out->setpoint;
  craft.prepare = [](Inputs& in) {
    told(in, kHasInnerTemperature).housekeeping.temperature_C = 80;
  };
  craft.step(0.2);
  ASSERT_EQ(craft.out->failsafe.action, Action::kLand);
  EXPECT_EQ(craft.out->flight_request.kind, FlightRequestKind::kLand);
  EXPECT_EQ(craft.out->authority, Authority::kMission);
  EXPECT_EQ(craft.out->setpoint.mode, before.mode) << "the flight controller goes down by itself";
}

}  // namespace
}  // namespace pintle::stack
