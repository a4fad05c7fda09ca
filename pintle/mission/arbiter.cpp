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

}  // namespace pintle
