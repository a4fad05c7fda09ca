#include "pintle/mission/arbiter.h"

namespace pintle {

template <>
const EnumTable& enum_table<mission::Owner>() {
  using mission::Owner;
  static constexpr std::array values{
      enum_value(Owner::kNobody, "nobody", "The pose of the moment is held."),
      enum_value(Owner::kMission, "mission", "The mission."),
      enum_value(Owner::kOperatorStep, "operator_step", "One state of the mission, alone."),
      enum_value(Owner::kNavigation, "navigation", "A goal from outside.")};
  static constexpr EnumTable table{"Owner", values};
  return table;
}

template <>
const EnumTable& enum_table<mission::Operator>() {
  using mission::Operator;
  static constexpr std::array values{
      enum_value(Operator::kNobody, "nobody", "The program itself."),
      enum_value(Operator::kConsole, "console", "A person at the console's keys."),
      enum_value(Operator::kRos, "ros", "A service of the ROS node."),
      enum_value(Operator::kCli, "cli", "`pintle command`, or a schedule of commands."),
      enum_value(Operator::kPage, "page", "The live page, or another client of the live server."),
      enum_value(Operator::kSite, "site", "A charge, which may start what somebody has armed."),
      enum_value(Operator::kYarp, "yarp", "A word at a port of YARP.")};
  static constexpr EnumTable table{"Operator", values};
  return table;
}

}  // namespace pintle
