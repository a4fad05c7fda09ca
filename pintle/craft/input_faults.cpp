#include "pintle/craft/input_faults.h"

#include <string>

namespace pintle {

using namespace craft;

template <>
const EnumTable& enum_table<InputFaultKind>() {
  static constexpr std::array values{
      enum_value(InputFaultKind::kOff, "off", "Nothing comes."),
      enum_value(InputFaultKind::kStuck, "stuck",
                 "The same message comes again and again; the clock stands."),
      enum_value(InputFaultKind::kFrozen, "frozen", "The same message comes under new stamps."),
      enum_value(InputFaultKind::kNan, "nan", "Every number is NaN."),
      enum_value(InputFaultKind::kInfinite, "infinite", "Every number is infinite."),
      enum_value(InputFaultKind::kGarbage, "garbage", "Random finite numbers of any size."),
      enum_value(InputFaultKind::kTimeReversed, "time_reversed",
                 "Stamps, or the clock, run backwards."),
      enum_value(InputFaultKind::kFromFuture, "from_future",
                 "Stamps, or the clock, are `value` seconds ahead."),
      enum_value(InputFaultKind::kDelayed, "delayed",
                 "Stamps, or the clock, are `value` seconds old."),
      enum_value(InputFaultKind::kIntermittent, "intermittent", "Lost with probability `value`."),
      enum_value(InputFaultKind::kShifted, "shifted",
                 "`value` too much on the first axis: m of odometry and target, m/s of flight."),
      enum_value(InputFaultKind::kNoisy, "noisy",
                 "Noise with the standard deviation `value` on every axis.")};
  static constexpr EnumTable table{"InputFaultKind", values};
  return table;
}

template <>
const Table& table_of<InputFault>() {
  static const Table table =
      TableBuilder<InputFault>("InputFault", "An input spoilt on purpose for some time.")
          .field("input", &InputFault::input, "",
                 "odometry, imu, flight, gripper, target, bus_voltage or clock.")
          .required()
          .field("kind", &InputFault::kind, "", "What happens to it.")
          .required()
          .field("at_s", &InputFault::at_s, "s", "From this time on.")
          .at_least(0)
          .field("until_s", &InputFault::until_s, "s", "Until this time.")
          .at_least(0)
          .field("value", &InputFault::value, "",
                 "Seconds, a probability, m or m/s, as the kind says.")
          .at_least(0)
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::craft {
namespace {

bool can_be_spoilt(InputCode input) noexcept {
  return input == InputCode::kOdometry || input == InputCode::kImu || input == InputCode::kFlight ||
         input == InputCode::kGripper || input == InputCode::kTarget ||
         input == InputCode::kBusVoltage || input == InputCode::kClock;
}

/// What is wrong with a kind for such an input; "" for nothing.
std::string misfit(const InputFault& f) {
  using K = InputFaultKind;
  const bool moves_stamps =
      f.kind == K::kTimeReversed || f.kind == K::kFromFuture || f.kind == K::kDelayed;
  if (f.input == InputCode::kClock)
    return moves_stamps || f.kind == K::kStuck
               ? ""
               : "the clock can only be stuck, time_reversed, from_future or delayed";
  const bool of_numbers =
      f.kind == K::kNan || f.kind == K::kInfinite || f.kind == K::kShifted || f.kind == K::kNoisy;
  if (f.input == InputCode::kGripper && of_numbers) return "the gripper's report has no numbers";
  if (f.input == InputCode::kBusVoltage && (moves_stamps || f.kind == K::kFrozen))
    return "the bus voltage has no stamp";
  return "";
}

}  // namespace

Findings check(const std::vector<InputFault>& faults) {
  Findings findings;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const InputFault& f = faults[i];
    const std::string path = "[" + std::to_string(i) + "]";
    if (!can_be_spoilt(f.input))
      findings.push_back(
          {path + ".input",
           "only odometry, imu, flight, gripper, target, bus_voltage and clock can be spoilt",
           "write  input: odometry"});
    else if (const std::string why = misfit(f); !why.empty())
      findings.push_back(
          {path + ".kind", why,
           f.input == InputCode::kClock ? "write  kind: stuck" : "write  kind: off"});
    if (!(f.until_s > f.at_s))
      findings.push_back({path + ".until_s", "expected a time after at_s",
                          "leave until_s out for a fault that stays"});
    if (f.kind == InputFaultKind::kIntermittent && f.value > 1)
      findings.push_back({path + ".value", "expected a probability of at most 1",
                          "write 0.2 for one message in five"});
  }
  return findings;
}

}  // namespace pintle::craft
