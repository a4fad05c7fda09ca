/// Events and alarms in words: for reports, consoles, logs of text and buses.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "pintle/base/signals.h"
#include "pintle/flight/names.h"

namespace pintle::flight {

/// What subjects that count states and propulsors are called.
struct EventNames {
  std::vector<std::string> states, propulsors;
};
[[nodiscard]] EventNames event_names(const Model& model);
[[nodiscard]] EventNames event_names(const MissionFile& file);

/// "flight controller" of "flight_controller".
[[nodiscard]] std::string spaced(std::string_view name);
/// What stands against being armed, in short: "no state, battery low".
[[nodiscard]] std::string pre_arm(ArmObstacles obstacles, std::string_view between = ", ");
/// The same with what each means, and which failsafes: the one list for console, command and buses.
[[nodiscard]] std::string pre_arm_list(ArmObstacles obstacles, const FailsafeStatus& failsafe);
/// "leak, battery low".
[[nodiscard]] std::string failsafes_on(const FailsafeStatus& failsafe);
/// What it speaks of and what its value says: "front, temperature"; "" for nothing in particular.
/// Names of files stay as they are written there.
[[nodiscard]] std::string about(const Event& event, const EventNames& names);
/// As every log, report, screen and bus says it: "axis lost: yaw, failed propulsors".
[[nodiscard]] std::string sentence(const Event& event, const EventNames& names);
/// Of one that stands: "temperature: front, 97 deg C".
[[nodiscard]] std::string sentence(const Alarm& alarm, const EventNames& names);
/// All that stand, in one line: "kill switch pulled; axis lost: yaw".
[[nodiscard]] std::string sentences(const AlarmList& alarms, const EventNames& names);

}  // namespace pintle::flight
