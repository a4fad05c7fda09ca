/// Inputs spoilt on purpose, between the world and the tick: what a broken sensor or bus does to
/// the stack. Devices that misbehave themselves are in world/device_faults.h.
///
/// Part of a mission file (`input_faults:`), applied before the inputs are recorded, so that a
/// replay meets the same bytes. Not available when the stack drives hardware.
#pragma once
#include <cstdint>
#include <vector>

#include "pintle/base/finding.h"
#include "pintle/base/random.h"
#include "pintle/stack/signals.h"

namespace pintle::stack {

enum class InputFaultKind : std::uint8_t {
  kOff,           ///< Nothing comes.
  kStuck,         ///< The same message, stamp included, again and again.
  kFrozen,        ///< The same message under new stamps.
  kNan,           ///< Every number is NaN.
  kInfinite,      ///< Every number is infinite.
  kGarbage,       ///< Random finite numbers of any size.
  kTimeReversed,  ///< Stamps run backwards.
  kFromFuture,    ///< Stamps are `value` seconds ahead.
  kDelayed,       ///< Stamps are `value` seconds old.
  kIntermittent,  ///< Lost with probability `value`.
  kShifted,       ///< `value` too much on the first axis: m of odometry and targets, m/s of flight.
  kNoisy,         ///< Noise with the standard deviation `value` on every axis.
};

struct InputFault {
  InputCode input =
      InputCode::kOdometry;  ///< odometry, flight, gripper, target, bus_voltage, clock.
  InputFaultKind kind = InputFaultKind::kOff;
  double at_s = 0;
  double until_s = 1e9;
  double value = 0;
};

[[nodiscard]] Findings check(const std::vector<InputFault>& faults);

/// Applies the faults that are active at the tick's true time.
class InputSpoiler {
 public:
  InputSpoiler(std::vector<InputFault> faults, std::uint64_t seed);
  void apply(Inputs& inputs) noexcept;

 private:
  struct Active {
    InputFault fault;
    RandomStream random;
    Inputs first{};
    bool has_first = false;
  };
  std::vector<Active> faults_;
};

}  // namespace pintle::stack

namespace pintle {
template <>
const EnumTable& enum_table<stack::InputFaultKind>();
template <>
const Table& table_of<stack::InputFault>();
}  // namespace pintle
