/// Measurements to the state that the stack uses.
///
/// `pass_through` takes the newest accepted measurement as it is. `delay_compensation` moves it
/// from its stamp to now with its own twist (constant body velocity), and lets the variances grow
/// accordingly:
///   position += velocity^2 dt^2 + q_v dt^3 / 3,  attitude += rate^2 dt^2 + q_w dt^3 / 3,
///   velocities += q dt.
/// Refuses what is not finite, has a quaternion far from unit length, or a stamp that goes
/// backwards or lies in the future. Does not model: sensors with other rates or frames (later
/// estimators).
#pragma once
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"

namespace pintle::estimation {

enum class Method : std::uint8_t { kPassThrough, kDelayCompensation };

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

/// A measurement of pose and twist.
struct Measurement {
  Time stamp;
  Pose X_WB;
  Twist V_WB_B;
};

/// What became of the last measurement.
enum class MeasurementVerdict : std::uint8_t {
  kNone,
  kAccepted,
  kNotFinite,
  kBadQuaternion,
  kTimeReversed,
  kFromFuture
};

struct EstimatorState {
  Measurement last{};
  bool has_measurement = false;
  std::uint32_t refused = 0;  ///< Since the start.
};

struct Estimate {
  VehicleState state;
  MeasurementVerdict verdict = MeasurementVerdict::kNone;
  bool fresh = false;  ///< A new measurement was accepted in this call.
  double dt_s = 0;     ///< Between the stamps of the last two accepted ones; 0 for the first.
};

/// `measurement` may be null: nothing new has come.
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
