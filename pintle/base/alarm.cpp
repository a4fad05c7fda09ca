#include "pintle/base/alarm.h"

#include <array>

namespace pintle {

template <>
const EnumTable& enum_table<Severity>() {
  static constexpr std::array values{
      enum_value(Severity::kInfo, "info", "Worth knowing."),
      enum_value(Severity::kWarning, "warning", "It goes on, with less."),
      enum_value(Severity::kError, "error", "Something is lost."),
      enum_value(Severity::kCritical, "critical", "Stop.")};
  static constexpr EnumTable table{"Severity", values};
  return table;
}

template <>
const EnumTable& enum_table<AlarmCode>() {
  using A = AlarmCode;
  static constexpr std::array values{
      enum_value(A::kNone, "none", "Nothing."),
      enum_value(A::kThrusterOut, "thruster_out",
                 "A propulsor does not answer, does not turn, or was taken out."),
      enum_value(A::kPropellerLost, "propeller_lost",
                 "A propulsor turns and draws next to nothing."),
      enum_value(A::kFouled, "fouled", "A propulsor draws much more than its thrust costs."),
      enum_value(A::kDeviceFault, "device_fault", "A propulsor reports a fault."),
      enum_value(A::kTemperature, "temperature", "A propulsor is hot."),
      enum_value(A::kBusVoltage, "bus_voltage", "The voltage of the bus is low."),
      enum_value(A::kConnector, "connector",
                 "One propulsor alone has a low voltage: look at its connector."),
      enum_value(A::kAxisLost, "axis_lost", "An axis cannot be produced both ways."),
      enum_value(A::kKilled, "killed", "The kill switch is pulled."),
      enum_value(A::kFailsafe, "failsafe", "A row of the vehicle's failsafes is on."),
      enum_value(A::kStateLost, "state_lost",
                 "Where the craft is was known, and is not any more: look at its odometry."),
      enum_value(A::kFlightLost, "flight_lost",
                 "The flight controller has reported, and does not any more: look at its link."),
      enum_value(A::kMissionLimit, "mission_limit",
                 "Less charge than the mission needs, or beyond its fence or ceiling.")};
  static constexpr EnumTable table{"AlarmCode", values};
  return table;
}

template <>
const EnumTable& enum_table<OutCause>() {
  using C = OutCause;
  static constexpr std::array values{
      enum_value(C::kMotion, "motion_disagrees", "The craft does not move as if it pushed."),
      enum_value(C::kWeak, "weak", "It gives less than it should."),
      enum_value(C::kAnnounced, "announced", "Somebody has said so."),
      enum_value(C::kOperator, "by_operator", "An operator took it out."),
      enum_value(C::kStopped, "does_not_turn", "It says that it does not turn."),
      enum_value(C::kSilent, "silent", "It was asked and does not answer."),
      enum_value(C::kNoPort, "no_port", "Its line is not there.")};
  static constexpr EnumTable table{"OutCause", values};
  return table;
}

template <>
const Table& table_of<Alarm>() {
  static const Table table =
      TableBuilder<Alarm>("Alarm", "What is wrong with the craft, for as long as it is.")
          .field("code", &Alarm::code, "", "What.")
          .field("severity", &Alarm::severity, "", "How bad.")
          .field("subject", &Alarm::subject, "",
                 "Propulsor, axis, condition or limit, -1 the craft.")
          .field("since_ns", &Alarm::since, "ns", "When it was raised.")
          .field("value", &Alarm::value, "",
                 "Volt, degrees, bits or an OutCause, as the code says.")
          .build();
  return table;
}

}  // namespace pintle
