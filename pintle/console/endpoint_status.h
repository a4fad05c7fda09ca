/// How a stack stands, as one copy of plain values, and as text.
#pragma once
#include <string>

#include "pintle/flight/event_words.h"
#include "pintle/stack/tick.h"

namespace pintle::console {

struct EndpointStatus {
  double time_s = 0;
  stack::ArmState arm = stack::ArmState::kDisarmed;
  stack::ArmObstacles obstacles = 0;  ///< To being armed.
  stack::FailsafeStatus failsafe;
  MissionStatus mission;
  mission::Owner owner = mission::Owner::kNobody;
  mission::Operator commander = mission::Operator::kNobody;
  bool state_valid = false;
  Vec3 position_m{}, velocity_m_s{}, error_m{};  ///< World; wanted minus actual.
  double yaw_deg = 0, yaw_error_deg = 0;
  bool has_flight = false;
  FlightReport flight;  ///< The newest.
  AlarmList alarms;     ///< Those that stand.
};

/// Takes over what a tick has seen and decided.
void update(EndpointStatus& status, const stack::Inputs& in, const stack::Outputs& out) noexcept;

/// For a person, a few lines.
[[nodiscard]] std::string text_of(const EndpointStatus& status, const flight::EventNames& names);
/// For a program: "name value" a line, times and angles as the name says.
[[nodiscard]] std::string fields_of(const EndpointStatus& status, const flight::EventNames& names);

}  // namespace pintle::console
