#include "pintle/stack/tick.h"

namespace pintle {

using namespace stack;

template <>
const Table& table_of<SafetyParams>() {
  static const Table table =
      TableBuilder<SafetyParams>("SafetyParams", "What the vehicle does when it may not go on.")
          .field("on_state_lost", &SafetyParams::on_state_lost, "",
                 "Without a valid state while armed; what flies must say it.")
          .field("descend_m_s", &SafetyParams::descend_m_s, "m/s",
                 "How fast it goes down then, with on_state_lost: descend.")
          .range(0.05, 5)
          .field("ramp_to_safe_s", &SafetyParams::ramp_to_safe_s, "s",
                 "State lost: efforts fall to zero over this time.")
          .range(0, 60)
          .field("latch_after_s", &SafetyParams::latch_after_s, "s",
                 "State lost for this long while armed: stop until an operator resets.")
          .range(0, 3600)
          .field("setpoint_stale_s", &SafetyParams::setpoint_stale_s, "s",
                 "A planner's setpoint older than this: wrenches become zero, velocities a hold; "
                 "0 is never. Not given: 1, and never with behaviour: reference.")
          .range(0, 3600)
          .field("resume_pose", &SafetyParams::resume_pose, "",
                 "When a lost state is back, its pose is followed again; off: the place where that "
                 "was is held.")
          .build();
  return table;
}

template <>
const EnumTable& enum_table<OnStateLost>() {
  static constexpr std::array values{
      enum_value(OnStateLost::kOff, "off", "The efforts fall to zero."),
      enum_value(OnStateLost::kHoldThrust, "hold_thrust",
                 "Level and at no speed by the inertial sensor, for latch_after_s."),
      enum_value(OnStateLost::kDescend, "descend",
                 "Level and down by the inertial sensor until it stands, for latch_after_s.")};
  static constexpr EnumTable table{"OnStateLost", values};
  return table;
}

template <>
const Table& table_of<SurroundingsParams>() {
  static const Table table =
      TableBuilder<SurroundingsParams>("Surroundings",
                                       "What the stack takes for granted of where it flies.")
          .field("gravity_m_s2", &SurroundingsParams::gravity_m_s2, "m/s^2", "Of the weight.")
          .range(0, 100)
          .field("air_density_kg_m3", &SurroundingsParams::air_density_kg_m3, "kg/m^3",
                 "For fins, propellers and drag; 0 is none.")
          .range(0, 100)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::stack {

Findings check(const SafetyParams&) { return {}; }        // the ranges of the table say it all
Findings check(const SurroundingsParams&) { return {}; }  // so do these

}  // namespace pintle::stack
