/// What is wrong with the craft, for as long as it is: raised once, cleared when it is over.
///
/// One list of names and one scale for every site, bridge, log and screen.
#pragma once
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/fixed_vector.h"
#include "pintle/base/time.h"

namespace pintle {

enum class Severity : std::uint8_t {
  kInfo,      ///< Worth knowing.
  kWarning,   ///< It goes on, with less.
  kError,     ///< Something is lost.
  kCritical,  ///< Stop.
};

enum class AlarmCode : std::uint8_t {
  kNone,
  kThrusterOut,    ///< It does not answer, does not turn, or was taken out.
  kPropellerLost,  ///< It turns, and draws next to nothing.
  kFouled,         ///< It draws much more than its thrust costs.
  kDeviceFault,    ///< Its fault bits; the value of the alarm.
  kTemperature,
  kBusVoltage,
  kConnector,  ///< One propulsor has a low voltage, the bus has not.
  kAxisLost,
  kKilled,        ///< The kill switch is pulled.
  kFailsafe,      ///< A row of the vehicle's failsafes is on; the subject is its condition.
  kStateLost,     ///< Where the craft is was known, and is not any more.
  kFlightLost,    ///< The flight controller has reported, and does not any more.
  kMissionLimit,  ///< Past one of the mission's own; the subject is the MissionLimit.
};

/// Why a thruster is out: the value of that alarm.
enum class OutCause : std::uint8_t {
  kMotion,     ///< The craft does not move as if it pushed.
  kWeak,       ///< Neither as if it pushed fully.
  kAnnounced,  ///< Somebody has said so.
  kOperator,   ///< Taken out by an operator.
  kStopped,    ///< It says that it does not turn.
  kSilent,     ///< It was asked and does not answer.
  kNoPort,     ///< Its line is not there.
};

struct Alarm {
  AlarmCode code = AlarmCode::kNone;
  Severity severity = Severity::kInfo;
  std::int32_t subject = -1;  ///< Propulsor, axis or condition; -1: the craft.
  Time since;                 ///< Raised, at this or a lower severity.
  double value = 0;           ///< V, degrees, bits or an OutCause, as the code says.
};

/// More than these at once are not told apart any more.
inline constexpr std::size_t kMaxAlarms = 48;
using AlarmList = FixedVector<Alarm, kMaxAlarms>;

template <>
const EnumTable& enum_table<Severity>();
template <>
const EnumTable& enum_table<OutCause>();
template <>
const EnumTable& enum_table<AlarmCode>();
template <>
const Table& table_of<Alarm>();

}  // namespace pintle
