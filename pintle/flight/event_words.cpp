#include "pintle/flight/event_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pintle/base/propulsor_report.h"
#include "pintle/control/hover_slam.h"
#include "pintle/stack/limits.h"

namespace pintle::flight {
namespace {

std::string at(const std::vector<std::string>& names, std::size_t index) {
  return index < names.size() ? names[index] : "";
}

}  // namespace

EventNames event_names(const Model& model) {
  EventNames out;
  for (const mission::State& s : model.mission.states) out.states.emplace_back(s.name);
  for (const vehicle::Propulsor& p : model.vehicle.propulsors) out.propulsors.push_back(p.name);
  return out;
}

EventNames event_names(const MissionFile& file) {
  EventNames out;
  for (const mission::StateSpec& s : file.mission.states) out.states.push_back(s.name);
  // gimbals of the file are no propulsors of the vehicle
  for (const vehicle::PropulsorSpec& p : file.vehicle.vehicle.propulsors)
    if (p.type != "gimbal") out.propulsors.push_back(p.name);
  return out;
}

std::string spaced(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string pre_arm(ArmObstacles obstacles, std::string_view between) {
  std::string all;
  for (const EnumValue& v : enum_table<ArmObstacle>().values)
    if ((obstacles & obstacle_bit(static_cast<ArmObstacle>(v.value))) != 0)
      all += (all.empty() ? "" : std::string(between)) + spaced(v.name);
  return all;
}

std::string failsafes_on(const FailsafeStatus& failsafe) {
  std::string all;
  for (const EnumValue& c : enum_table<FailsafeCondition>().values)
    if ((failsafe.on >> static_cast<unsigned>(c.value) & 1U) != 0)
      all += (all.empty() ? "" : ", ") + spaced(c.name);
  return all;
}

std::string pre_arm_list(ArmObstacles obstacles, const FailsafeStatus& failsafe) {
  std::string all;
  const auto add = [&all](std::string_view name, std::string_view meaning) {
    all += (all.empty() ? "" : "; ") + spaced(name) + ": " + std::string(meaning);
    while (!all.empty() && all.back() == '.') all.pop_back();
  };
  for (const EnumValue& v : enum_table<ArmObstacle>().values) {
    const auto o = static_cast<ArmObstacle>(v.value);
    if ((obstacles & obstacle_bit(o)) == 0) continue;
    if (o != ArmObstacle::kFailsafe) {
      add(v.name, v.meaning);
      continue;
    }
    for (const EnumValue& c : enum_table<FailsafeCondition>().values)
      if ((failsafe.on >> static_cast<unsigned>(c.value) & 1U) != 0) add(c.name, c.meaning);
  }
  return all;
}

namespace {

/// What an alarm speaks of: a propulsor, but an axis or a failsafe's condition for some; "" for nothing.
std::string alarm_subject(AlarmCode code, std::int32_t subject, const EventNames& names) {
  if (subject < 0) return {};
  const auto index = static_cast<std::size_t>(subject);
  switch (code) {
    case AlarmCode::kAxisLost: return index < kAxes ? std::string(kAxisNames[index]) : "";
    case AlarmCode::kFailsafe: return spaced(to_string(static_cast<FailsafeCondition>(subject)));
    case AlarmCode::kMissionLimit:
      return std::string(to_string(static_cast<mission::MissionLimit>(subject)));
    default: return at(names.propulsors, index);
  }
}

constexpr double kYears_s = 1e8;  // what is older was never told

/// What a failsafe's condition has read, in its unit.
std::string reading(FailsafeCondition condition, double x) {
  using C = FailsafeCondition;
  switch (condition) {
    case C::kTilt: return fmt::format("{:.0f} deg", x);
    case C::kCrash:
    case C::kWind: return fmt::format("{:.1f} m/s", x);
    case C::kBatteryLow:
    case C::kBatteryCritical:
    case C::kWayHome: return fmt::format("{:.0f} %", 100 * x);
    case C::kBatterySilent:
    case C::kBusSilent:
    case C::kHousekeepingSilent:
    case C::kFlightSilent:
    case C::kImuSilent:
    case C::kFlightTime:
    case C::kHeartbeat:
    case C::kOnGround:
    case C::kPlanner: return x < kYears_s ? fmt::format("{:.1f} s", x) : "never told";
    case C::kTickLate: return fmt::format("{:.2f} s", x);
    case C::kBusVoltage: return fmt::format("{:.1f} V", x);
    case C::kDepth:
    case C::kHeight:
    case C::kFence:
    case C::kPlaceUncertain:
    case C::kGroundNear:
    case C::kHeightLost: return fmt::format("{:.1f} m", x);
    case C::kVibration: return fmt::format("{:.1f} m/s^2", x);
    case C::kLeak:
    case C::kOperator: return {};
    case C::kPressure: return fmt::format("{:.0f} kPa", x);
    case C::kTemperature: return fmt::format("{:.0f} deg C", x);
  }
  return {};
}

/// What a value counts or names; 0 where it does neither: it may be seconds to the end of some clock, and
/// a log may hold anything.
std::int64_t whole(double x) { return std::abs(x) < 9e15 ? static_cast<std::int64_t>(x) : 0; }

/// What was wrong with an input, where a number says it.
std::string rejected(InputCode input, double x, const EventNames& names) {
  switch (input) {
    case InputCode::kHealth:
    case InputCode::kReports: return at(names.propulsors, static_cast<std::size_t>(whole(x)));
    case InputCode::kOdometry: return x != 0 ? fmt::format("{:.2f} m off", x) : std::string{};
    default: return x != 0 ? fmt::format("{:.3g} s off", x) : std::string{};
  }
}

std::string value_in_words(const Event& e, const EventNames& names) {
  const std::int64_t index = whole(e.value);
  switch (e.code) {
    // whose command goes before it stands with the subject
    case EventCode::kCommandRefused: return {};
    case EventCode::kArmingRefused: return pre_arm(static_cast<ArmObstacles>(index));
    case EventCode::kAxisLost:
      return index == 0 ? std::string{} : spaced(to_string(static_cast<AxisLossCause>(index)));
    case EventCode::kPropulsorFailed:
    case EventCode::kPropulsorRecovered:
      return index == 0 ? std::string{} : std::string(to_string(static_cast<Health>(index)));
    case EventCode::kMissionImpaired: {
      std::string axes;
      for (std::size_t a = 0; a < kAxes; ++a)
        if ((static_cast<unsigned>(index) & axis_bit(a)) != 0)
          axes += (axes.empty() ? "without " : ", ") + std::string(kAxisNames[a]);
      return axes.empty() ? "whole again" : axes;
    }
    case EventCode::kLandingPhase:
      return index == 0 ? std::string{}
                        : spaced(to_string(static_cast<control::LandingReason>(index)));
    case EventCode::kMissionFinished: return spaced(to_string(static_cast<MissionPhase>(index)));
    case EventCode::kRequestFailed: return spaced(to_string(static_cast<RequestOutcome>(index)));
    case EventCode::kStateSucceeded:
    case EventCode::kStateTimedOut:
    case EventCode::kMissionAborted: return fmt::format("after {:.1f} s", e.value);
    case EventCode::kStateEntered:
      return index == 0 ? std::string{} : fmt::format("attempt {}", index + 1);
    case EventCode::kStateRetried: return fmt::format("attempt {}", index + 1);
    case EventCode::kOriginSet:
    case EventCode::kOriginCleared:
    case EventCode::kGoalMoved:
    case EventCode::kMotionDisagrees: return fmt::format("{:.2f} m", e.value);
    case EventCode::kImpact: return fmt::format("{:.1f} m/s", e.value);
    case EventCode::kFailureSuspected: return fmt::format("gives {:.0f} %", 100 * e.value);
    case EventCode::kSaturated: return fmt::format("{:.3g} left over", e.value);
    case EventCode::kUnsaturated: return {};
    case EventCode::kAlarmRaised:
    case EventCode::kAlarmCleared: return spaced(to_string(static_cast<AlarmCode>(index)));
    case EventCode::kTimeReversed:
      return e.value != 0 ? fmt::format("{:.3g} s off", e.value) : std::string{};
    case EventCode::kInputRejected:
      return rejected(static_cast<InputCode>(e.subject), e.value, names);
    case EventCode::kSetpointRejected:
      return spaced(to_string(static_cast<control::SetpointRefusal>(index)));
    case EventCode::kFailsafe:
    case EventCode::kFailsafeOver:
      return reading(static_cast<FailsafeCondition>(e.subject), e.value);
    case EventCode::kBatteryLow: return fmt::format("{:.0f} %", 100 * e.value);
    case EventCode::kBeyondFence: return fmt::format("{:.1f} m", e.value);
    case EventCode::kCommanderChanged:
      return index == 0 ? std::string{}
                        : spaced(to_string(static_cast<mission::Operator>(index))) + " is lost";
    case EventCode::kTargetSoughtAgain:
      return index == 0 ? "no more" : fmt::format("attempt {}", index + 1);
    // by which number it is known to who asked
    case EventCode::kRequestSent:
    case EventCode::kNavigationEnded: return {};
    default: return e.value != 0 ? fmt::format("{:.3g}", e.value) : std::string{};
  }
}

std::string subject_in_words(const Event& e, const EventNames& names) {
  if (e.subject < 0) return {};
  const auto index = static_cast<std::size_t>(e.subject);
  switch (e.code) {
    case EventCode::kStateEntered:
    case EventCode::kStateSucceeded:
    case EventCode::kStateTimedOut:
    case EventCode::kStateRetried:
    case EventCode::kMissionFinished:
    case EventCode::kMissionAborted:
    case EventCode::kMissionImpaired:
    case EventCode::kPayloadLost:
    case EventCode::kControlLost: return at(names.states, index);
    case EventCode::kAxisLost:
    case EventCode::kAxisRegained:
    case EventCode::kSetpointRejected: return index < kAxes ? std::string(kAxisNames[index]) : "";
    case EventCode::kGateChanged:
    case EventCode::kPropulsorFailed:
    case EventCode::kPropulsorRecovered:
    case EventCode::kFailureSuspected:
    case EventCode::kIgnited:
    case EventCode::kShutDown: return at(names.propulsors, index);
    case EventCode::kAlarmRaised:
    case EventCode::kAlarmCleared:
      return alarm_subject(static_cast<AlarmCode>(whole(e.value)), e.subject, names);
    case EventCode::kFailsafe:
    case EventCode::kFailsafeOver:
      return spaced(to_string(static_cast<FailsafeCondition>(e.subject)));
    case EventCode::kInputMissing:
    case EventCode::kInputStale:
    case EventCode::kInputRecovered:
    case EventCode::kInputRejected:
    case EventCode::kTimeReversed: return spaced(to_string(static_cast<InputCode>(e.subject)));
    case EventCode::kCommandRefused: {
      std::string text = spaced(to_string(static_cast<CommandCode>(e.subject)));
      if (e.value > 0)
        text +=
            " (" + spaced(to_string(static_cast<mission::Operator>(whole(e.value)))) + " commands)";
      return text;
    }
    case EventCode::kCommanderChanged:
      return spaced(to_string(static_cast<mission::Operator>(e.subject)));
    case EventCode::kStateLost: return spaced(to_string(static_cast<OnStateLost>(e.subject)));
    case EventCode::kOwnerChanged: return spaced(to_string(static_cast<mission::Owner>(e.subject)));
    // the value says all of them
    case EventCode::kArmingRefused: return {};
    case EventCode::kTargetFound:
    case EventCode::kTargetSoughtAgain:
    case EventCode::kTargetLost: return spaced(to_string(static_cast<TargetKind>(e.subject)));
    case EventCode::kRequestSent:
    case EventCode::kRequestFailed:
      return spaced(to_string(static_cast<mission::Request>(e.subject)));
    case EventCode::kLandingPhase:
      return spaced(to_string(static_cast<control::LandingPhase>(e.subject)));
    case EventCode::kParametersChanged: return "generation " + std::to_string(e.subject);
    case EventCode::kNavigationEnded:
      return spaced(to_string(static_cast<mission::NavigationOutcome>(e.subject)));
    default: return {};
  }
}

}  // namespace

std::string about(const Event& e, const EventNames& names) {
  const std::string subject = subject_in_words(e, names), value = value_in_words(e, names);
  return subject + (subject.empty() || value.empty() ? "" : ", ") + value;
}

std::string sentence(const Event& e, const EventNames& names) {
  const std::string what = about(e, names);
  return spaced(to_string(e.code)) + (what.empty() ? "" : ": ") + what;
}

std::string sentence(const Alarm& a, const EventNames& names) {
  std::string what = alarm_subject(a.code, a.subject, names), value;
  switch (a.code) {
    case AlarmCode::kThrusterOut:
      value = spaced(to_string(static_cast<OutCause>(whole(a.value))));
      break;
    case AlarmCode::kDeviceFault:
      value = fault_text(static_cast<std::uint8_t>(whole(a.value)));
      break;
    case AlarmCode::kTemperature: value = fmt::format("{:.0f} deg C", a.value); break;
    case AlarmCode::kBusVoltage:
    case AlarmCode::kConnector: value = fmt::format("{:.1f} V", a.value); break;
    default: break;
  }
  if (!value.empty()) what += (what.empty() ? "" : ", ") + value;
  return spaced(to_string(a.code)) + (what.empty() ? "" : ": ") + what;
}

std::string sentences(const AlarmList& alarms, const EventNames& names) {
  std::string out;
  for (const Alarm& a : alarms) out += (out.empty() ? "" : "; ") + sentence(a, names);
  return out;
}

}  // namespace pintle::flight
