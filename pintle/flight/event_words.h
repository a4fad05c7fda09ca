/// What an event speaks of, in words: for reports, consoles and logs of text.
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
/// "" when it speaks of nothing in particular. Names of files stay as they are written there.
/// What its value says, rounded and with its unit; "" when it says nothing.
[[nodiscard]] std::string value_in_words(const Event& event);
[[nodiscard]] std::string subject_in_words(const Event& event, const EventNames& names);

}  // namespace pintle::flight
