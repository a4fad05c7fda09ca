#include "pintle/flight/event_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pintle::flight {
namespace {

Event event(EventCode code, int subject) { return {Time{}, code, subject, 0}; }

TEST(EventWords, SubjectsAreNamedByWhatTheyCount) {
  const EventNames names{{"dive", "fly_back"}, {"front", "rear"}};
  const auto say = [&names](EventCode code, int subject) {
    return about(event(code, subject), names);
  };
  EXPECT_EQ(say(EventCode::kStateEntered, 1), "fly_back");
  EXPECT_EQ(say(EventCode::kStateEntered, 2), "");
  EXPECT_EQ(say(EventCode::kStateEntered, -1), "");
  EXPECT_EQ(say(EventCode::kPropulsorFailed, 0), "front");
  EXPECT_EQ(say(EventCode::kAxisLost, 5), "yaw");
  EXPECT_EQ(say(EventCode::kAxisLost, 6), "");
  EXPECT_EQ(say(EventCode::kInputRejected, 8), spaced(to_string(InputCode::kTarget)));
  EXPECT_EQ(say(EventCode::kRequestSent, 3), "take control");
  EXPECT_EQ(say(EventCode::kTargetFound, 1), "pad");
  EXPECT_EQ(say(EventCode::kArmed, 1), "");
}

TEST(EventWords, ASentenceHasWhatWhoAndHowMuch) {
  const EventNames names{{"dive", "fly_back"}, {"front", "rear"}};
  const auto say = [&names](EventCode code, int subject, double value) {
    return sentence(Event{Time{}, code, subject, value}, names);
  };
  EXPECT_EQ(say(EventCode::kArmed, -1, 0), "armed");
  EXPECT_EQ(say(EventCode::kStateEntered, 1, 1), "state entered: fly_back, attempt 2");
  EXPECT_EQ(say(EventCode::kAxisLost, 5, 1), "axis lost: yaw, failed propulsors");
  EXPECT_EQ(say(EventCode::kImpact, -1, 1.25), "impact: 1.2 m/s");
  EXPECT_EQ(say(EventCode::kAlarmRaised, 1, static_cast<double>(AlarmCode::kTemperature)),
            "alarm raised: rear, temperature");
}

TEST(EventWords, ANumberHasItsUnitAndWhatIsNoNumberForAPersonIsAWord) {
  const EventNames names{{"dive"}, {"front", "rear"}};
  const auto say = [&names](EventCode code, auto subject, double value) {
    return sentence(Event{Time{}, code, static_cast<std::int32_t>(subject), value}, names);
  };
  using C = FailsafeCondition;
  EXPECT_EQ(say(EventCode::kFailsafe, C::kTilt, 61.27), "failsafe: tilt, 61 deg");
  EXPECT_EQ(say(EventCode::kFailsafe, C::kBatteryLow, 0.294), "failsafe: battery low, 29 %");
  EXPECT_EQ(say(EventCode::kFailsafe, C::kFence, 1.234), "failsafe: fence, 1.2 m");
  EXPECT_EQ(say(EventCode::kFailsafe, C::kHeartbeat, 5.02), "failsafe: heartbeat, 5.0 s");
  EXPECT_EQ(say(EventCode::kFailsafe, C::kBatterySilent, 1e9),
            "failsafe: battery silent, never told");
  EXPECT_EQ(say(EventCode::kFailsafe, C::kLeak, 1), "failsafe: leak");
  EXPECT_EQ(say(EventCode::kFailsafeOver, C::kBusVoltage, 12.345),
            "failsafe over: bus voltage, 12.3 V");
  EXPECT_EQ(say(EventCode::kFailsafe, C::kPressure, 123.4), "failsafe: pressure, 123 kPa");
  EXPECT_EQ(say(EventCode::kBatteryLow, -1, 0.194), "battery low: 19 %");
  EXPECT_EQ(say(EventCode::kBeyondFence, -1, 15.23), "beyond fence: 15.2 m");
  EXPECT_EQ(say(EventCode::kTargetSoughtAgain, TargetKind::kPad, 1),
            "target sought again: pad, attempt 2");
  EXPECT_EQ(say(EventCode::kTargetSoughtAgain, TargetKind::kPad, 0),
            "target sought again: pad, no more");
  EXPECT_EQ(say(EventCode::kRequestSent, 3, 7), "request sent: take control");
  EXPECT_EQ(say(EventCode::kInputRejected, InputCode::kHealth, 0), "input rejected: health, front");
  EXPECT_EQ(say(EventCode::kInputRejected, InputCode::kReports, 1),
            "input rejected: reports, rear");
  EXPECT_EQ(say(EventCode::kInputRejected, InputCode::kOdometry, 2.345),
            "input rejected: odometry, 2.35 m off");
  EXPECT_EQ(say(EventCode::kInputRejected, InputCode::kClock, 1e6),
            "input rejected: clock, 1e+06 s off");
  EXPECT_EQ(
      say(EventCode::kSetpointRejected, 0, static_cast<double>(control::SetpointRefusal::kBeyond)),
      "setpoint rejected: x, beyond");
}

// a log may hold anything, and the end of ROS's time is 4.29e9 s away
TEST(EventWords, WhateverAValueIsHasASentence) {
  const EventNames names{{"dive"}, {"front"}};
  for (int code = 0; code < 256; ++code)
    for (const double value : {4294967295.0, -4294967295.0, 1e300, -1e300, 2147483648.0,
                               std::numeric_limits<double>::infinity(), std::nan("")})
      for (const int subject : {-1, 0, 1000})
        EXPECT_LT(
            sentence(Event{Time{}, static_cast<EventCode>(code), subject, value}, names).size(),
            400U);
  EXPECT_EQ(sentence(Event{Time{}, EventCode::kTimeReversed, -1, -4294967295.0}, names),
            "time reversed: -4.29e+09 s off");
}

TEST(EventWords, AnAlarmThatStandsSaysWhatWhoAndHowMuch) {
  const EventNames names{{}, {"front", "rear"}};
  const auto say = [&names](AlarmCode code, int subject, double value) {
    return sentence(Alarm{code, Severity::kWarning, subject, {}, value}, names);
  };
  EXPECT_EQ(say(AlarmCode::kTemperature, 0, 97.2), "temperature: front, 97 deg C");
  EXPECT_EQ(say(AlarmCode::kBusVoltage, -1, 43.24), "bus voltage: 43.2 V");
  EXPECT_EQ(say(AlarmCode::kThrusterOut, 1, static_cast<double>(OutCause::kNoPort)),
            "thruster out: rear, no port");
  EXPECT_EQ(say(AlarmCode::kAxisLost, 5, 0), "axis lost: yaw");
  EXPECT_EQ(say(AlarmCode::kFouled, 7, 0), "fouled");
}

TEST(EventWords, AFileAndItsModelNameTheSame) {
  for (const char* name :
       {"/missions/delivery.yaml", "/missions/pool.yaml", "/missions/rocket_landing.yaml"}) {
    const MissionFile file = load_mission(std::string(PINTLE_SOURCE_DIR) + name);
    const EventNames of_file = event_names(file);
    const EventNames of_model = event_names(build_model(file.vehicle, &file.mission));
    EXPECT_EQ(of_file.states, of_model.states) << name;
    EXPECT_EQ(of_file.propulsors, of_model.propulsors) << name;
  }
}

}  // namespace
}  // namespace pintle::flight
