#include <string>

#include "pintle/control/pid.h"
#include "pintle/control/six_axis.h"

namespace pintle {

namespace {

using namespace control;

}  // namespace

template <>
const EnumTable& enum_table<Behaviour>() {
  static constexpr std::array values{
      enum_value(Behaviour::kReference, "reference",
                 "The numbers of the original controllers, for gains tuned there."),
      enum_value(
          Behaviour::kSafe, "safe",
          "No start-up kick, no windup of unused or saturated loops, full reset, shortest turn.")};
  static constexpr EnumTable table{"Behaviour", values};
  return table;
}

template <>
const EnumTable& enum_table<Derivative>() {
  static constexpr std::array values{
      enum_value(Derivative::kCalculated, "calculated", "From the change of the ramped error."),
      enum_value(Derivative::kProvided, "provided",
                 "Minus the measured rate: set-point jumps do not kick.")};
  static constexpr EnumTable table{"Derivative", values};
  return table;
}

template <>
const EnumTable& enum_table<SetpointRefusal>() {
  static constexpr std::array values{
      enum_value(SetpointRefusal::kNone, "none", "Accepted."),
      enum_value(SetpointRefusal::kNotFinite, "not_finite", "A component is not a usable number."),
      enum_value(SetpointRefusal::kQuaternionNotUnit, "quaternion_not_unit",
                 "The length of the attitude quaternion differs from 1 by 1e-6 or more."),
      enum_value(SetpointRefusal::kWrenchLimit, "wrench_limit",
                 "The desired wrench is outside its limits."),
      enum_value(SetpointRefusal::kBadMode, "bad_mode", "An axis has a mode that does not exist."),
      enum_value(SetpointRefusal::kBeyond, "beyond",
                 "The place is past a limit of the craft's failsafes.")};
  static constexpr EnumTable table{"SetpointRefusal", values};
  return table;
}

template <>
const EnumTable& enum_table<PositionLaw>() {
  static constexpr std::array values{
      enum_value(PositionLaw::kLinear, "linear", "In proportion."),
      enum_value(PositionLaw::kSquareRoot, "square_root",
                 "Far away with its root: what max_acceleration can still brake.")};
  static constexpr EnumTable table{"PositionLaw", values};
  return table;
}

template <>
const Table& table_of<PidParams>() {
  using P = PidParams;
  static const Table table =
      TableBuilder<P>("PidParams", "Gains, limits and filter of one axis of feedback.")
          .field("kp", &P::kp, "", "Effort per unit of filtered error.")
          .range(-kLargest, kLargest)
          .field("ki", &P::ki, "", "Effort per unit of error times second.")
          .range(-kLargest, kLargest)
          .field("kd", &P::kd, "", "Effort per unit of error per second, filtered.")
          .range(-kLargest, kLargest)
          .field("ff", &P::ff, "", "Constant effort, added as it is.")
          .range(-kLargest, kLargest)
          .field("min_effort", &P::min_effort, "",
                 "The output is never below this; not above max_effort.")
          .range(-kLargest, kLargest)
          .field("max_effort", &P::max_effort, "",
                 "The output is never above this; not below min_effort.")
          .range(-kLargest, kLargest)
          .field("derivative", &P::derivative, "",
                 "Where the derivative comes from: the change of the error, or the measured rate.")
          .field("error_ramp_rate", &P::error_ramp_rate, "1/s",
                 "Most that the error seen by kp and kd may change per second; tames set-point "
                 "jumps.")
          .at_least(0)
          .field("integral_limit", &P::integral_limit, "s",
                 "Most that the integral itself (not ki times it) may reach, either way.")
          .range(0, kLargest)
          .field(
              "back_calculation", &P::back_calculation, "1/s",
              "Anti-windup: part of the effort not achieved that leaves the integral per second; "
              "0 is off, 1 to 5 is usual.")
          .range(0, kLargest)
          .field("filter_cutoff_Hz", &P::filter_cutoff_Hz, "Hz",
                 "Cut-off of the filter on error and derivative; 0 takes a quarter of the rate at "
                 "which states arrive.")
          .range(0, 1e9)
          .build();
  return table;
}

template <>
const Table& table_of<PidState>() {
  using S = PidState;
  static const Table table =
      TableBuilder<S>("PidState", "What one axis of feedback remembers, newest first.")
          .field("error", &S::error, "", "Ramped errors.")
          .field("filtered_error", &S::filtered_error, "", "Filtered errors.")
          .field("derivative", &S::derivative, "1/s", "Derivatives in use.")
          .field("filtered_derivative", &S::filtered_derivative, "1/s", "Filtered derivatives.")
          .field("filtered_error_rate", &S::filtered_error_rate, "1/s",
                 "Rate of the filtered error, with filter_cutoff_Hz.")
          .field("filtered_derivative_rate", &S::filtered_derivative_rate, "1/s^2",
                 "Rate of the filtered derivative, with filter_cutoff_Hz.")
          .field("integral", &S::integral, "s", "Integral of the raw error.")
          .field("ki", &S::ki, "", "With which the integral was made; safe behaviour only.")
          .field("output", &S::output, "", "The last output.")
          .field("has_history", &S::has_history, "", "A step has been made since the last reset.")
          .build();
  return table;
}

template <>
const Table& table_of<PidTerms>() {
  using T = PidTerms;
  static const Table table =
      TableBuilder<T>("PidTerms", "Everything that made one output, for tuning.")
          .field("output", &T::output, "", "Effort after the limits.")
          .field("p", &T::p, "", "Proportional part, before the limits.")
          .field("i", &T::i, "", "Integral part, before the limits.")
          .field("d", &T::d, "", "Derivative part, before the limits.")
          .field("ff", &T::ff, "", "Constant part.")
          .field("filtered_error", &T::filtered_error, "", "What kp multiplies.")
          .field("integral", &T::integral, "s", "What ki multiplies.")
          .field("filtered_derivative", &T::filtered_derivative, "1/s", "What kd multiplies.")
          .field("calculated_derivative", &T::calculated_derivative, "1/s",
                 "Change of the ramped error over dt.")
          .field("provided_derivative", &T::provided_derivative, "1/s",
                 "Minus the measured rate, as given.")
          .field("refused", &T::refused, "", "Nothing was updated: dt or an input was not usable.")
          .build();
  return table;
}

template <>
const Table& table_of<WrenchLimit>() {
  static const Table table =
      TableBuilder<WrenchLimit>("WrenchLimit",
                                "What may be asked of one axis as a wrench, in the vehicle's unit.")
          .field("min", &WrenchLimit::min, "", "Smallest desired wrench, inclusive.")
          .range(-kLargest, kLargest)
          .field("max", &WrenchLimit::max, "", "Largest desired wrench, inclusive.")
          .range(-kLargest, kLargest)
          .build();
  return table;
}

template <>
const Table& table_of<SixAxisParams>() {
  using P = SixAxisParams;
  static const Table table =
      TableBuilder<P>("SixAxisParams",
                      "Position and velocity loops on six axes, with a static force and a scale.")
          .field("behaviour", &P::behaviour, "",
                 "Numbers of the original controllers, or the safer ones of Pintle.")
          .field("enable_position", &P::enable_position, "",
                 "Run the position loops; off, their efforts are zero.")
          .field("enable_velocity", &P::enable_velocity, "",
                 "Run the velocity loops; off, their efforts are zero.")
          .field("cascaded", &P::cascaded, "",
                 "Position efforts become velocity setpoints, so that position_cascaded is in use "
                 "instead of position.")
          .field("position", &P::position, "",
                 "Position loops when not cascaded: metres or radians in, the vehicle's unit out.")
          .keyed(kAxisNames)
          .field("position_cascaded", &P::position_cascaded, "",
                 "Position loops when cascaded: metres or radians in, m/s or rad/s out.")
          .keyed(kAxisNames)
          .field("velocity", &P::velocity, "",
                 "Velocity loops: m/s or rad/s in, the vehicle's unit out.")
          .keyed(kAxisNames)
          .field("desired_wrench_limits", &P::desired_wrench_limits, "",
                 "Setpoints that ask for a wrench outside these are refused.")
          .keyed(kAxisNames)
          .field("static_force", &P::static_force, "",
                 "Constant force in world coordinates (east, north, up), in the vehicle's unit; "
                 "against buoyancy, say.")
          .field("scale", &P::scale, "",
                 "Multiplies the whole demand: efforts, desired wrench and static force.")
          .range(0, kLargest)
          .field("weight", &P::weight, "",
                 "How much each axis counts when not all can be achieved; 0 gives the axis up.")
          .range(0, kLargest)
          .keyed(kAxisNames)
          .field("group", &P::group, "",
                 "Priority of each axis: group 0 is served first, whatever it costs the others.")
          .keyed(kAxisNames)
          .field("anti_windup", &P::anti_windup, "",
                 "Take the wrench that the propulsors could not give out of the integrals, at each "
                 "one's back_calculation.")
          .field("shape_setpoints", &P::shape_setpoints, "",
                 "The loops follow a reference that moves to the setpoint inside motion_limits.")
          .field("position_law", &P::position_law, "",
                 "When cascaded: how the velocity setpoint grows with the distance.")
          .field("motion_limits", &P::motion_limits, "",
                 "How each axis may be asked to move: m and rad, the goal's axes or the body's.")
          .keyed(kAxisNames)
          .build();
  return table;
}

template <>
const Table& table_of<SixAxisState>() {
  using S = SixAxisState;
  static const Table table =
      TableBuilder<S>("SixAxisState", "What the six-axis law remembers.")
          .field("position", &S::position, "", "Position loops.")
          .keyed(kAxisNames)
          .field("velocity", &S::velocity, "", "Velocity loops.")
          .keyed(kAxisNames)
          .field("position_effort", &S::position_effort, "", "Last efforts of the position loops.")
          .field("velocity_effort", &S::velocity_effort, "", "Last efforts of the velocity loops.")
          .field("static_local", &S::static_local, "", "Static force in body coordinates.")
          .field("last_achieved", &S::last_achieved, "", "Wrench of the last allocation.")
          .field("last_demand", &S::last_demand, "", "Wrench last asked of the allocation.")
          .field("last_turn", &S::last_turn, "rad", "Last angular error, with behaviour safe.")
          .field("setpoint", &S::setpoint, "", "The last one accepted.")
          .field("shaping", &S::shaping, "", "Of it, with shape_setpoints.")
          .field("last_update_ns", &S::last_update, "ns", "Stamp of the last update.")
          .field("has_update", &S::has_update, "", "An input has been accepted.")
          .build();
  return table;
}

template <>
const Table& table_of<SixAxisTrace>() {
  using T = SixAxisTrace;
  static const Table table =
      TableBuilder<T>("SixAxisTrace", "How a demand came about, for tuning.")
          .field("delta_time_s", &T::delta_time_s, "s", "Between the last two states.")
          .field("position_error", &T::position_error, "",
                 "Desired pose in body coordinates: metres, then radians.")
          .field("velocity_error", &T::velocity_error, "",
                 "Velocity setpoint minus velocity: m/s, then rad/s.")
          .field("position", &T::position, "", "Terms of the position loops.")
          .keyed(kAxisNames)
          .field("velocity", &T::velocity, "", "Terms of the velocity loops.")
          .keyed(kAxisNames)
          .field("static_local", &T::static_local, "", "Static force in body coordinates.")
          .field("base", &T::base, "", "Efforts or desired wrench, by the mode of each axis.")
          .field("unscaled", &T::unscaled, "", "With the static force.")
          .field("demand", &T::demand, "", "Times the scale: what is allocated.")
          .field("reference", &T::reference, "", "What the loops follow, with shape_setpoints.")
          .field("reference_velocity", &T::reference_velocity, "",
                 "How that moves, body axes: m/s, then rad/s.")
          .build();
  return table;
}

}  // namespace pintle
