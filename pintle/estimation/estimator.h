/// Measurements to the state that the stack uses.
///
/// `pass_through` takes the newest accepted measurement as it is, with its own stamp.
/// `delay_compensation` moves it from its stamp to now with its own twist, held constant in body
/// coordinates (an exact screw motion), and lets the variances grow with the age a:
///
///   X_WB(now)  = X_WB(stamp) exp(V_WB_B a)
///   position  += var(velocity) a^2 + q_v a^3 / 3,   velocity += q_v a
///   attitude  += var(rate) a^2     + q_w a^3 / 3,   rate     += q_w a
///
/// `as_sent` is for vehicles that reproduce another system's numbers: the quaternion stays as it
/// came, a stamp that goes back is only noted, and a state is valid from the second of a row on,
/// because one alone has no time step. A gap of more than stale_after_s ends the row.
///
/// The other two refuse a quaternion whose length is off by more than 1 %, and a stamp that goes
/// backwards or lies in the future. What is not finite (or beyond 1e50) is always refused, and what
/// is answered always finite.
///
/// Not modelled: sensors with other rates or frames (later estimators), and the part of the
/// position variance that comes from the attitude's while the vehicle moves. The pose is carried on
/// for stale_after_s at most; after that it stays and only the variances grow.
#pragma once
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"

namespace pintle::estimation {

enum class Method : std::uint8_t { kPassThrough, kDelayCompensation, kAsSent };

struct EstimatorParams {
  Method method = Method::kPassThrough;
  double stale_after_s = 0.5;         ///< Older than this is stale.
  double future_tolerance_s = 0.005;  ///< A stamp further ahead of now is refused.
  double position_std_m = 0.01, attitude_std_deg = 0.5, velocity_std_m_s = 0.02,
         rate_std_deg_s = 0.5;            ///< Of a measurement.
  double acceleration_psd = 0.1;          ///< q_v, (m/s^2)^2 s.
  double angular_acceleration_psd = 0.1;  ///< q_w, (rad/s^2)^2 s.
};

[[nodiscard]] Findings check(const EstimatorParams& params);

/// How far the length of a measured quaternion may be from 1.
inline constexpr double kQuaternionTolerance = 0.01;

/// A measurement of pose and twist.
struct Measurement {
  Time stamp;  ///< The loops step by the differences of these.
  Pose X_WB;
  Twist V_WB_B;
  /// Its age counts from stamp - older. Not zero where the stamp is that of its arrival, or of a
  /// clock ahead of ours.
  Duration older{};
  bool has_pose = true;  ///< False: there is none now; the stamp counts all the same.
  /// One standard deviation of the position as who measured it says, the largest of its axes; 0:
  /// he does not say.
  double position_std_m = 0;
};

/// What became of the measurement of this call.
enum class MeasurementVerdict : std::uint8_t {
  kNone,  ///< There was none, or one with the stamp of the last: nothing new, and no error.
  kAccepted,
  kNotFinite,
  kBadQuaternion,
  kTimeReversed,
  kFromFuture,
  kFirst,   ///< Of `as_sent`: the first of a row, or without a step since the last.
  kNoPose,  ///< Noted, with nothing in it to go by.
};

struct EstimatorState {
  Measurement last{};  ///< The last accepted, as it came.
  bool has_measurement = false;
  // of as_sent
  Time last_stamp{};  ///< Of whatever came last.
  bool has_stamp = false, in_row = false, is_valid = false, was_valid = false;
  std::uint32_t refused = 0;  ///< Since the start.
};

struct Estimate {
  VehicleState state;  ///< With a quaternion of unit length.
  MeasurementVerdict verdict = MeasurementVerdict::kNone;
  bool fresh = false;   ///< A new measurement was accepted in this call.
  bool begins = false;  ///< Of as_sent: it begins a row.
  /// If fresh: between the stamps of this one and the one accepted before. 0 for the first, and
  /// when not fresh (as_sent: then since the one before, unless a row begins).
  double dt_s = 0;
};

/// `measurement` may be null: nothing new has come. A state older than stale_after_s is kStale, and
/// so is one whose stamp lies in the future by more than the tolerance because `now` was set back.
[[nodiscard]] Estimate estimate(const EstimatorParams&, EstimatorState&,
                                const Measurement* measurement, Time now) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const EnumTable& enum_table<estimation::Method>();
template <>
const EnumTable& enum_table<estimation::MeasurementVerdict>();
template <>
const Table& table_of<estimation::EstimatorParams>();
template <>
const Table& table_of<estimation::Measurement>();
template <>
const Table& table_of<estimation::EstimatorState>();
}  // namespace pintle
