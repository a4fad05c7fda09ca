/// Inputs spoilt on purpose, between the world and the tick: what a broken sensor or bus does to
/// the stack. Devices that misbehave themselves are in world_params/device_faults.h.
///
/// Part of a mission file (`input_faults:`); a simulated world applies them (simulation/input_spoiler.h).
#pragma once
#include <cstdint>
#include <vector>

#include "pintle/base/finding.h"
#include "pintle/craft/names.h"

namespace pintle::craft {

enum class InputFaultKind : std::uint8_t {
  kOff,           ///< Nothing comes.
  kStuck,         ///< The same message, stamp included, again and again; the clock stands.
  kFrozen,        ///< The same message under new stamps.
  kNan,           ///< Every number is NaN.
  kInfinite,      ///< Every number is infinite.
  kGarbage,       ///< Random finite numbers of any size.
  kTimeReversed,  ///< Stamps, or the clock, run backwards.
  kFromFuture,    ///< Stamps, or the clock, are `value` seconds ahead.
  kDelayed,       ///< Stamps, or the clock, are `value` seconds old.
  kIntermittent,  ///< Lost with probability `value`.
  /// `value` more on the first number: m (odometry, target), m/s (flight), m/s^2 (imu), V.
  kShifted,
  /// Noise of the standard deviation `value` on position (odometry, target), velocity (flight),
  /// specific force and turn rate (imu), voltage.
  kNoisy,
};

struct InputFault {
  /// odometry, flight, gripper, target, bus_voltage, imu, clock.
  InputCode input = InputCode::kOdometry;
  InputFaultKind kind = InputFaultKind::kOff;
  double at_s = 0;
  double until_s = 1e9;
  double value = 0;
};

/// Of the clock only stuck, time_reversed, from_future and delayed; of the gripper no nan, infinite,
/// shifted or noisy; of the bus voltage nothing with stamps.
[[nodiscard]] Findings check(const std::vector<InputFault>& faults);

}  // namespace pintle::craft

namespace pintle {
template <>
const EnumTable& enum_table<craft::InputFaultKind>();
template <>
const Table& table_of<craft::InputFault>();
}  // namespace pintle
