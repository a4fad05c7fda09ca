// Propulsors that say how they are: contact, verdicts, bounds, cap, alarms.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "pintle/propulsion/electrical.h"
#include "pintle/stack/testing_bench.h"

namespace pintle::stack {
namespace {

constexpr std::uint8_t kAll = kHasRpm | kHasVoltage | kHasCurrent | kHasTemperature | kHasFault;

VehicleFile sub() {
  return load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/subjugator8.yaml");
}

/// Eight M5s that say what their model says, as one may change it.
class Talking : public Bench {
 public:
  explicit Talking(const VehicleFile& file = sub()) : Bench(build_model(file, nullptr)) {
    change = [](PropulsorReport&) {};
    arm();
  }
  const propulsion::ElectricalParams& electrical(std::size_t i) const {
    return *std::get_if<propulsion::Thruster>(&model_.vehicle.propulsors[i].model)
                ->params()
                .electrical;
  }
  PropulsorReport honest(std::size_t i) const {
    const double thrust = work_.detector.thrust[i];
    PropulsorReport r;
    r.propulsor = static_cast<std::uint32_t>(i);
    r.stamp = now_;
    r.contact = PropulsorContact::kGood;
    r.valid = kAll;
    r.rpm = propulsion::rpm_of(electrical(i), thrust);
    r.bus_V = 48;
    r.bus_A = propulsion::current_A(electrical(i), thrust, 48);
    r.temperature_C = 30;
    return r;
  }
  /// Forward, with everybody reporting; the vehicle does not move.
  void push(double newtons, int ticks = 1) {
    for (int k = 0; k < ticks; ++k) {
      in_ = {};
      in_.now = now_;
      in_.has_odometry = true;
      in_.odometry = {now_, pose_, twist_};
      in_.has_setpoint = true;
      in_.setpoint = push_forward(newtons);
      for (std::size_t i = 0; i < 8; ++i) {
        PropulsorReport r = honest(i);
        change(r);
        in_.reports.push_back(r);
      }
      tick_as_is();
      for (const Event& e : out_.events) {
        if (e.code == EventCode::kFailureSuspected) suspected.push_back(e.subject);
        if (e.code == EventCode::kInputRejected) ++rejected;
        if (e.code == EventCode::kPropulsorFailed) ++failed;
        if (e.code == EventCode::kPropulsorRecovered) ++recovered;
      }
    }
  }
  [[nodiscard]] const Alarm* alarm(AlarmCode code, std::int32_t subject) const {
    for (const Alarm& a : out_.alarms)
      if (a.code == code && a.subject == subject) return &a;
    return nullptr;
  }
  std::function<void(PropulsorReport&)> change;
  std::vector<std::int32_t> suspected;
  int rejected = 0, failed = 0, recovered = 0;
};

VehicleFile fast_sub() {
  VehicleFile file = sub();
  file.control_rate_Hz = 50;
  // the water does not answer in this bench, and that is not what is tested
  file.detector.threshold = 1e6;
  return file;
}

TEST(TickReports, HonestOnesAccuseNobodyWhateverIsAsked) {
  Talking b(fast_sub());
  for (int k = 0; k < 400; ++k) b.push(120 * std::sin(0.3 * k) + 40 * std::sin(0.047 * k));
  EXPECT_TRUE(b.suspected.empty());
  EXPECT_EQ(b.rejected, 0);
  EXPECT_TRUE(b.out_.alarms.empty());
}

// as the ramp to safe outputs does when the state is lost, and what follows it
TEST(TickReports, WhoFollowsFasterThanItsModelIsNotAccusedWhenThrustGoesOrComes) {
  Talking b(fast_sub());
  b.change = [&b](PropulsorReport& r) {
    const double thrust = b.state_.last_effort[r.propulsor];
    r.rpm = propulsion::rpm_of(b.electrical(r.propulsor), thrust);
    r.bus_A = propulsion::current_A(b.electrical(r.propulsor), thrust, 48);
  };
  b.push(100, 50);
  ASSERT_GT(std::abs(b.out_.actuation.effort[2]), 10);
  for (int k = 8; k >= 0; --k) b.push(100.0 * k / 8);
  b.push(0, 50);
  EXPECT_EQ(b.out_.actuation.effort[2], 0);
  EXPECT_TRUE(b.suspected.empty());
  for (const double newtons : {100.0, 0.0, -100.0, 100.0, 10.0}) b.push(newtons, 50);
  EXPECT_TRUE(b.suspected.empty());
}

TEST(TickReports, AThrusterThatDoesNotTurnIsFoundWithinThreeTenthsStandingStill) {
  Talking b(fast_sub());
  b.push(100, 50);
  b.change = [](PropulsorReport& r) {
    if (r.propulsor == 2) r.rpm = r.bus_A = 0;
  };
  int ticks = 0;
  while (b.suspected.empty() && ticks < 100) {
    b.push(100);
    ++ticks;
  }
  EXPECT_LE(ticks * 0.02, 0.3);
  ASSERT_EQ(b.suspected, std::vector<std::int32_t>{2});
  // re-allocated in the same tick, and said once
  EXPECT_EQ(b.out_.actuation.effort[2], 0);
  EXPECT_EQ(b.state_.health[2].health, Health::kOut);
  ASSERT_NE(b.alarm(AlarmCode::kThrusterOut, 2), nullptr);
  EXPECT_EQ(b.alarm(AlarmCode::kThrusterOut, 2)->severity, Severity::kError);
  b.push(100, 100);
  EXPECT_EQ(b.suspected.size(), 1u);
  // until an operator trusts it
  b.change = [](PropulsorReport&) {};
  b.command(CommandCode::kTrustPropulsor, 2);
  b.push(100);
  EXPECT_EQ(b.state_.health[2].health, Health::kGood);
  EXPECT_EQ(b.alarm(AlarmCode::kThrusterOut, 2), nullptr);
  b.push(100);
  EXPECT_GT(std::abs(b.out_.actuation.effort[2]), 1);
}

/// Two that push the same way at the same place: how the vehicle moves cannot tell them apart.
VehicleFile side_by_side() {
  VehicleFile file = fast_sub();
  for (const std::size_t i : {0U, 2U}) {
    file.vehicle.propulsors[i].position_m = {0.27, 0, 0};
    file.vehicle.propulsors[i].direction = Vec3{1, 0, 0};
  }
  return file;
}

TEST(TickReports, OfTwoSideBySideTheOneThatDoesNotTurnIsFoundWithinThreeTenthsOrBoth) {
  for (const std::vector<std::int32_t>& dead :
       std::vector<std::vector<std::int32_t>>{{0}, {2}, {0, 2}}) {
    Talking b(side_by_side());
    b.push(100, 50);
    ASSERT_TRUE(b.suspected.empty());
    ASSERT_NEAR(b.out_.actuation.effort[0], b.out_.actuation.effort[2], 1e-6);
    b.change = [&dead](PropulsorReport& r) {
      if (std::find(dead.begin(), dead.end(), static_cast<std::int32_t>(r.propulsor)) != dead.end())
        r.rpm = r.bus_A = 0;
    };
    int ticks = 0;
    while (b.suspected.size() < dead.size() && ticks < 100) {
      b.push(100);
      ++ticks;
    }
    EXPECT_LE(ticks * 0.02, 0.3);
    b.push(100, 50);
    EXPECT_EQ(b.suspected, dead) << "and nobody else";
  }
}

TEST(TickReports, AFailureThatTheMotionGaveAwayIsNotToldAgainByTheReport) {
  Talking b(fast_sub());
  b.push(100, 50);
  // it was found, and by its parameters that is an event and no more
  ASSERT_EQ(b.model_.detector.on_detection, estimation::OnDetection::kReport);
  b.work_.detector.found = 1U << 2U;
  b.change = [](PropulsorReport& r) {
    if (r.propulsor == 2) r.rpm = r.bus_A = 0;
  };
  b.push(100, 50);
  EXPECT_TRUE(b.suspected.empty());
  EXPECT_EQ(b.state_.health[2].health, Health::kOut);
  EXPECT_EQ(b.failed, 1);
}

/// The switch, as something on the vehicle tells of it.
void say_killed(Talking& b, bool killed) {
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.has_odometry = true;
  b.in_.odometry = {b.now_, b.pose_, b.twist_};
  b.in_.has_setpoint = true;
  b.in_.setpoint = push_forward(100);
  b.in_.has_kill = true;
  b.in_.killed = killed;
  b.tick_as_is();
}

TEST(TickReports, AKillIsZeroAtOnceAndSilenceAndLowVoltageSayNothingMeanwhile) {
  VehicleFile file = fast_sub();
  file.alarms.bus_voltage.emplace();
  file.alarms.bus_voltage->window_s = 2;
  Talking b(file);
  b.change = [](PropulsorReport& r) {
    if (r.propulsor == 7) r.contact = PropulsorContact::kSilent, r.valid = 0;
  };
  b.push(100, 100);
  ASSERT_GT(b.largest_effort(), 10);
  say_killed(b, true);
  EXPECT_EQ(b.largest_effort(), 0);
  ASSERT_NE(b.alarm(AlarmCode::kKilled, -1), nullptr);
  // the power is cut: low voltages first, then nothing; and one line is gone altogether
  b.change = [](PropulsorReport& r) { r.bus_V = 20, r.rpm = 0, r.bus_A = 0; };
  b.push(100, 100);
  b.change = [](PropulsorReport& r) {
    r.contact = r.propulsor < 2 ? PropulsorContact::kNoPort : PropulsorContact::kSilent;
    r.valid = 0;
  };
  b.push(100, 100);
  EXPECT_EQ(b.largest_effort(), 0);
  EXPECT_EQ(b.out_.alarms.size(), 1u) << "that it is killed, and no more";
  EXPECT_TRUE(b.suspected.empty());
  EXPECT_EQ(b.failed, 1) << "the one before the kill";
  EXPECT_EQ(b.work_.effectiveness.upper[2], b.model_.effectiveness.upper[2]);
  // neither one nor the other arms it
  b.command(CommandCode::kArm);
  b.command(CommandCode::kEnable);
  b.push(100);
  EXPECT_EQ(b.out_.arm, ArmState::kDisarmed);
  say_killed(b, false);
  b.push(100);
  EXPECT_EQ(b.alarm(AlarmCode::kKilled, -1), nullptr);
  // what is not there now counts
  EXPECT_NE(b.alarm(AlarmCode::kThrusterOut, 0), nullptr);
  b.change = [](PropulsorReport&) {};
  b.push(100, 50);
  EXPECT_TRUE(b.out_.alarms.empty());
  EXPECT_EQ(b.largest_effort(), 0) << "nobody has armed it since";
  b.command(CommandCode::kArm);
  b.push(100, 2);
  EXPECT_GT(b.largest_effort(), 10);
}

TEST(TickReports, APropellerThatIsLostAndOneThatIsFouledAreNamed) {
  Talking b(fast_sub());
  b.push(120, 50);
  b.change = [](PropulsorReport& r) {
    if (r.propulsor == 0) r.rpm *= 1.1, r.bus_A = 0.1;
    if (r.propulsor == 4) r.rpm *= 0.6, r.bus_A = 2.5 * r.bus_A + 2;
  };
  b.push(120, 50);
  EXPECT_EQ(b.suspected.size(), 2u);
  EXPECT_NE(b.alarm(AlarmCode::kPropellerLost, 0), nullptr);
  EXPECT_NE(b.alarm(AlarmCode::kFouled, 4), nullptr);
  EXPECT_EQ(b.alarm(AlarmCode::kThrusterOut, 0), nullptr) << "one alarm for one failure";
}

TEST(TickReports, WhoIsSilentIsOutAtOnceAndBackWhenItAnswers) {
  Talking b(fast_sub());
  b.push(100, 20);
  for (const PropulsorContact contact : {PropulsorContact::kSilent, PropulsorContact::kNoPort}) {
    b.change = [contact](PropulsorReport& r) {
      if (r.propulsor == 6) r.contact = contact, r.valid = 0;
    };
    b.push(100);
    EXPECT_EQ(b.out_.actuation.effort[6], 0);
    ASSERT_NE(b.alarm(AlarmCode::kThrusterOut, 6), nullptr);
    EXPECT_EQ(b.alarm(AlarmCode::kThrusterOut, 6)->value,
              static_cast<double>(contact == PropulsorContact::kNoPort ? OutCause::kNoPort
                                                                       : OutCause::kSilent));
    b.change = [](PropulsorReport&) {};
    b.push(100);
    EXPECT_EQ(b.state_.health[6].health, Health::kGood);
    EXPECT_EQ(b.alarm(AlarmCode::kThrusterOut, 6), nullptr);
  }
  EXPECT_EQ(b.failed, 2);
  EXPECT_EQ(b.recovered, 2);
}

TEST(TickReports, WithoutAnyPropulsorThatCanBeReachedItIsNotArmedAndSaysWhy) {
  Talking b(fast_sub());
  b.command(CommandCode::kDisarm);
  b.push(100, 2);
  ASSERT_EQ(b.out_.arm, ArmState::kDisarmed);
  const auto asked = [&b] {
    b.command(CommandCode::kArm);
    b.push(100);
    return b.out_.arm == ArmState::kArmed;
  };
  b.change = [](PropulsorReport& r) {
    r.contact = r.propulsor < 3 ? PropulsorContact::kNoPort : PropulsorContact::kSilent;
    r.valid = 0;
  };
  EXPECT_FALSE(asked());
  EXPECT_EQ(b.out_.obstacles, obstacle_bit(ArmObstacle::kNoPropulsor));
  EXPECT_TRUE(b.happened(EventCode::kArmingRefused));
  // with one of them it may be tried
  b.change = [](PropulsorReport& r) {
    if (r.propulsor != 7) r.contact = PropulsorContact::kNoPort, r.valid = 0;
  };
  EXPECT_TRUE(asked());
}

TEST(TickReports, OfSeveralReasonsAgainstArmingTheKillSwitchIsToldBeforeWhatItBrings) {
  EXPECT_EQ(first_obstacle(obstacle_bit(ArmObstacle::kKilled)), ArmObstacle::kKilled);
  for (const EnumValue& v : enum_table<ArmObstacle>().values) {
    const auto o = static_cast<ArmObstacle>(v.value);
    EXPECT_EQ(first_obstacle(obstacle_bit(o)), o) << v.name << ": each is told when it is alone";
  }
  EXPECT_EQ(
      first_obstacle(obstacle_bit(ArmObstacle::kNoPropulsor) | obstacle_bit(ArmObstacle::kKilled) |
                     obstacle_bit(ArmObstacle::kNoState)),
      ArmObstacle::kKilled);
}

TEST(TickReports, OperatorLineAndReportAreUnitedWhoeverSpeaksLast) {
  // in the original, failing BLH brought a dropped FLV back
  Talking b(fast_sub());
  b.push(100, 20);
  b.command(CommandCode::kFailPropulsor, 1);
  b.push(100);
  EXPECT_EQ(b.state_.health[1].health, Health::kOut);
  b.command(CommandCode::kFailPropulsor, 4);
  b.push(100);
  EXPECT_EQ(b.state_.health[1].health, Health::kOut);
  EXPECT_EQ(b.state_.health[4].health, Health::kOut);
  // an announcement that all is well does not overrule an operator
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.health.push_back({1, {Health::kGood, 1, 0}});
  b.tick_as_is();
  EXPECT_EQ(b.state_.health[1].health, Health::kOut);
  b.command(CommandCode::kFailPropulsor, 1);
  b.push(100);
  EXPECT_TRUE(b.happened(EventCode::kCommandRefused)) << "it is out already";
  b.command(CommandCode::kRestorePropulsor, 1);
  b.push(100);
  EXPECT_EQ(b.state_.health[1].health, Health::kGood);
  EXPECT_EQ(b.state_.health[4].health, Health::kOut);
  b.command(CommandCode::kRestorePropulsor, -1);
  b.push(100);
  EXPECT_EQ(b.state_.health[4].health, Health::kGood);
}

TEST(TickReports, GarbageIsRefusedOrLeftOut) {
  Talking b(fast_sub());
  b.push(100, 20);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  b.change = [nan](PropulsorReport& r) {
    r.temperature_C = nan;
    if (r.propulsor == 0) r.rpm = nan, r.bus_V = 1e300, r.bus_A = -nan;
    if (r.propulsor == 1) r.propulsor = 4'000'000'000U;
    if (r.propulsor == 2) r.stamp = r.stamp + Duration::from_seconds(5);
    if (r.propulsor == 3) r.contact = static_cast<PropulsorContact>(77);
  };
  b.push(100, 100);
  EXPECT_EQ(b.rejected, 300);
  EXPECT_TRUE(b.suspected.empty()) << "a temperature that is no number is no dead thruster";
  EXPECT_TRUE(b.bounded());
  EXPECT_EQ(b.failed, 0);
}

TEST(TickReports, HeatTakesBoundsAwayAndIsAnAlarm) {
  Talking b(fast_sub());
  double celsius = 87.5;
  b.change = [&celsius](PropulsorReport& r) {
    if (r.propulsor == 3) r.temperature_C = celsius;
  };
  b.push(0, 5);
  // half way from 80 to 95 C: 0.65 of the bounds
  EXPECT_NEAR(b.work_.effectiveness.lower[3], 0.65 * b.model_.effectiveness.lower[3], 1e-9);
  EXPECT_NEAR(b.work_.effectiveness.upper[3], 0.65 * b.model_.effectiveness.upper[3], 1e-9);
  EXPECT_EQ(b.work_.effectiveness.upper[2], b.model_.effectiveness.upper[2]);
  ASSERT_NE(b.alarm(AlarmCode::kTemperature, 3), nullptr);
  EXPECT_EQ(b.alarm(AlarmCode::kTemperature, 3)->severity, Severity::kWarning);
  celsius = 96;
  b.push(0);
  EXPECT_TRUE(b.happened(EventCode::kAlarmRaised)) << "worse is said again";
  EXPECT_EQ(b.alarm(AlarmCode::kTemperature, 3)->severity, Severity::kError);
  celsius = 40;
  b.push(0, 2);
  EXPECT_EQ(b.alarm(AlarmCode::kTemperature, 3), nullptr);
  EXPECT_EQ(b.work_.effectiveness.upper[3], b.model_.effectiveness.upper[3]);
}

TEST(TickReports, ALowVoltageTakesBoundsAwayAndIsAnAlarmThatClears) {
  VehicleFile file = fast_sub();
  file.alarms.bus_voltage.emplace();
  file.alarms.bus_voltage->window_s = 2;
  Talking b(file);
  double volt = 40;
  b.change = [&volt](PropulsorReport& r) { r.bus_V = volt; };
  b.push(0, 300);
  const double share = std::pow(40.0 / 44, 1.2);
  EXPECT_NEAR(b.work_.effectiveness.upper[0], share * b.model_.effectiveness.upper[0], 1e-3);
  ASSERT_NE(b.alarm(AlarmCode::kBusVoltage, -1), nullptr);
  EXPECT_EQ(b.alarm(AlarmCode::kBusVoltage, -1)->severity, Severity::kCritical);
  EXPECT_NEAR(b.state_.bus_V, 40, 1e-6) << "it is the bus that the stack counts with";
  volt = 48;
  b.push(0, 300);
  EXPECT_EQ(b.alarm(AlarmCode::kBusVoltage, -1), nullptr);
  b.change = [](PropulsorReport& r) {
    if (r.propulsor == 5) r.bus_V = 40;
  };
  b.push(0, 300);
  EXPECT_NE(b.alarm(AlarmCode::kConnector, 5), nullptr);
  EXPECT_EQ(b.alarm(AlarmCode::kBusVoltage, -1), nullptr);
}

TEST(TickReports, FaultBitsAreAnAlarmButNotUndervoltAlone) {
  Talking b(fast_sub());
  std::uint8_t fault = kFaultUndervolt;
  b.change = [&fault](PropulsorReport& r) {
    if (r.propulsor == 7) r.fault = fault;
  };
  b.push(0, 3);
  EXPECT_TRUE(b.out_.alarms.empty());
  fault = kFaultOvertemp;
  b.push(0);
  ASSERT_NE(b.alarm(AlarmCode::kDeviceFault, 7), nullptr);
  EXPECT_EQ(b.alarm(AlarmCode::kDeviceFault, 7)->value, kFaultOvertemp);
  const Time since = b.alarm(AlarmCode::kDeviceFault, 7)->since;
  b.push(0, 10);
  EXPECT_EQ(b.alarm(AlarmCode::kDeviceFault, 7)->since, since);
}

TEST(TickReports, ALostAxisIsAnAlarm) {
  Talking b(fast_sub());
  b.push(0, 10);
  // the four vertical ones carry z, roll and pitch
  b.change = [](PropulsorReport& r) {
    if (r.propulsor % 2 == 1) r.contact = PropulsorContact::kNoPort, r.valid = 0;
  };
  b.push(0, 3);
  for (const std::int32_t axis : {2, 3, 4}) EXPECT_NE(b.alarm(AlarmCode::kAxisLost, axis), nullptr);
  EXPECT_EQ(b.alarm(AlarmCode::kAxisLost, 0), nullptr);
  b.change = [](PropulsorReport&) {};
  b.push(0, 50);
  EXPECT_TRUE(b.out_.alarms.empty());
}

TEST(TickReports, MoreNewsThanATickHasRoomForWaitsAndNeverVanishes) {
  Talking b(fast_sub());
  b.push(0, 10);
  int raised = 0, cleared = 0, failed_before = b.failed;
  std::uint32_t lost = 0;
  const auto run = [&](int ticks) {
    for (int k = 0; k < ticks; ++k) {
      b.push(0);
      lost += b.out_.events_lost;
      for (const Event& e : b.out_.events) {
        raised += e.code == EventCode::kAlarmRaised ? 1 : 0;
        cleared += e.code == EventCode::kAlarmCleared ? 1 : 0;
      }
    }
  };
  b.change = [](PropulsorReport& r) {
    r.temperature_C = 120;
    r.fault = kFaultDriver;
    r.contact = PropulsorContact::kSilent;
  };
  run(20);
  EXPECT_EQ(b.failed - failed_before, 8);
  EXPECT_EQ(raised, 16);
  b.change = [](PropulsorReport&) {};
  run(80);
  EXPECT_EQ(b.recovered, 8);
  EXPECT_EQ(cleared, 16);
  EXPECT_EQ(lost, 0u);
}

TEST(TickReports, MeasuredCurrentClosesTheCapOnPower) {
  VehicleFile file = fast_sub();
  file.power.max_power_W = 600;
  Talking b(file);
  ASSERT_TRUE(b.model_.caps_power) << "by the figures of the thrusters, without any of the file";
  const auto modelled = [&b] {
    return allocation::power_of(b.model_.power, nullptr, b.out_.actuation.effort);
  };
  b.push(150, 400);
  EXPECT_NEAR(modelled(), 600, 12);
  // they draw half as much again as their model says
  b.change = [](PropulsorReport& r) { r.bus_A *= 1.5; };
  b.push(150, 600);
  EXPECT_NEAR(b.state_.telemetry.power_ratio, 1.5, 0.02);
  EXPECT_NEAR(1.5 * modelled(), 600, 15);
}

TEST(TickReports, TheCapCountsWhatTheElectricalModelSays) {
  VehicleFile file = fast_sub();
  file.power.max_power_W = 600;
  const Model model = build_model(file, nullptr);
  ChannelVector effort(8);
  double sum = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    effort[i] = 7.0 * static_cast<double>(i) - 30;
    const auto& t = std::get<propulsion::Thruster>(model.vehicle.propulsors[i].model);
    sum += propulsion::power_W(*t.params().electrical, effort[i]);
  }
  EXPECT_NEAR(allocation::power_of(model.power, nullptr, effort), sum, 1e-9 * sum);
}

// what is under way may be longer than it takes to be taken for fouled
TEST(TickReports, WhoIsReportedLateIsNotTakenForFouledWhileThrustComes) {
  VehicleFile file = fast_sub();
  file.detector.reports.slack_s = 0.5;
  file.detector.reports.fouled_s = 0.1;
  file.laws.control.desired_wrench_limits[0] = {-300, 300};
  Talking b(file);
  // one that says its speed is seen to turn faster
  b.change = [](PropulsorReport& r) { r.valid &= static_cast<std::uint8_t>(~unsigned{kHasRpm}); };
  b.push(0, 50);
  b.push(250, 50);
  EXPECT_GT(b.largest_effort(), 0.5 * b.model_.effectiveness.upper[0]);
  EXPECT_TRUE(b.suspected.empty());
  EXPECT_TRUE(b.out_.alarms.empty());
}

TEST(TickReports, AnAlarmSaysWhyOneIsNotGood) {
  Talking b(fast_sub());
  b.push(100, 20);
  const auto announce = [&b](Health health, double efficiency) {
    b.in_ = {};
    b.in_.now = b.now_;
    b.in_.health.push_back({3, {health, efficiency, 0}});
    b.tick_as_is();
    b.push(100);
    const Alarm* a = b.alarm(AlarmCode::kThrusterOut, 3);
    return a == nullptr ? std::pair{Severity::kInfo, -1.0} : std::pair{a->severity, a->value};
  };
  const auto why = [](OutCause c) { return static_cast<double>(c); };
  EXPECT_EQ(announce(Health::kWeak, 0.7), (std::pair{Severity::kWarning, why(OutCause::kWeak)}));
  EXPECT_EQ(announce(Health::kOut, 1), (std::pair{Severity::kError, why(OutCause::kAnnounced)}));
  EXPECT_EQ(announce(Health::kGood, 1).first, Severity::kInfo);
}

}  // namespace
}  // namespace pintle::stack
