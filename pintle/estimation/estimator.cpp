#include "pintle/estimation/estimator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include "pintle/base/usable.h"

namespace pintle::estimation {
namespace {

Time counts_from(const Measurement& m) noexcept { return m.stamp - m.older; }

bool is_finite_measurement(const Measurement& m) noexcept {
  // the usual case in one look: a sum that is usable has only usable parts
  const Vec3 &p = m.X_WB.p, &v = m.V_WB_B.v, &w = m.V_WB_B.w;
  const Quat& q = m.X_WB.q;
  double sum = 0;
  for (const double x : {p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z})
    sum += std::abs(x);
  if (is_usable(sum)) return true;
  return is_usable(p) && is_usable(q) && is_usable(v) && is_usable(w);
}

MeasurementVerdict judge(const EstimatorParams& params, const EstimatorState& state,
                         const Measurement& m, Time now) noexcept {
  if (!m.has_pose) return MeasurementVerdict::kNoPose;
  if (!is_finite_measurement(m)) return MeasurementVerdict::kNotFinite;
  if (!(std::abs(std::sqrt(squared_norm(m.X_WB.q)) - 1) <= kQuaternionTolerance))
    return MeasurementVerdict::kBadQuaternion;
  if (counts_from(m) - now > Duration::from_seconds(params.future_tolerance_s))
    return MeasurementVerdict::kFromFuture;
  if (!state.has_measurement) return MeasurementVerdict::kAccepted;
  if (m.stamp < state.last.stamp) return MeasurementVerdict::kTimeReversed;
  return m.stamp == state.last.stamp ? MeasurementVerdict::kNone : MeasurementVerdict::kAccepted;
}

void take_as_sent(const EstimatorParams& params, EstimatorState& state, const Measurement& m,
                  Time now, Estimate& out) noexcept {
  const Duration limit = Duration::from_seconds(params.stale_after_s);
  const Duration step = state.has_stamp ? m.stamp - state.last_stamp : Duration{};
  state.has_stamp = true;
  state.last_stamp = m.stamp;
  out.dt_s = step <= limit ? step.seconds() : 0;
  if (!m.has_pose) {
    out.verdict = MeasurementVerdict::kNoPose;
    return;
  }
  const bool has_direction = squared_norm(m.X_WB.q) > 0;
  if (!is_finite_measurement(m) || !has_direction) {
    ++state.refused;
    out.verdict = is_finite_measurement(m) ? MeasurementVerdict::kBadQuaternion
                                           : MeasurementVerdict::kNotFinite;
    return;
  }
  const bool begins = !state.in_row || step > limit || now - counts_from(state.last) > limit;
  out.verdict =
      begins || step <= Duration{} ? MeasurementVerdict::kFirst : MeasurementVerdict::kAccepted;
  out.begins = begins;
  if (begins) {
    out.dt_s = 0;
    state.in_row = true;
    state.is_valid = false;
  } else if (step <= Duration{}) {
    return;
  } else {
    out.fresh = state.is_valid = state.was_valid = true;
  }
  state.last = m;
  state.has_measurement = true;
}

/// exp of a twist held for a time: where the body is then, seen from where it was.
Pose screw(const Twist& V_WB_B, double time_s) noexcept {
  const Vec3 d = time_s * V_WB_B.v, r = time_s * V_WB_B.w;
  const double a = norm(r);
  double b = 0.5, c = 1.0 / 6;  // (1 - cos a) / a^2 and (a - sin a) / a^3
  if (a > 1e-2) {
    const double h = std::sin(a / 2) / a;
    b = 2 * h * h;
    c = (1 - std::sin(a) / a) / a / a;
  } else {
    b -= a * a / 24;
    c -= a * a / 120;
  }
  const Vec3 rd = cross(r, d);
  return {d + b * rd + c * cross(r, rd), from_rotation_vector(r)};
}

void set_variance(const EstimatorParams& p, double age_s, VehicleState& state) noexcept {
  const double attitude = radians(p.attitude_std_deg), rate = radians(p.rate_std_deg_s);
  const double v = p.velocity_std_m_s * p.velocity_std_m_s, w = rate * rate;
  const double a2 = age_s * age_s, a3 = a2 * age_s / 3;
  for (std::size_t i = 0; i < 3; ++i) {
    state.variance[i] = p.position_std_m * p.position_std_m + v * a2 + p.acceleration_psd * a3;
    state.variance[3 + i] = attitude * attitude + w * a2 + p.angular_acceleration_psd * a3;
    state.variance[6 + i] = v + p.acceleration_psd * age_s;
    state.variance[9 + i] = w + p.angular_acceleration_psd * age_s;
  }
}

}  // namespace

Estimate estimate(const EstimatorParams& params, EstimatorState& state,
                  const Measurement* measurement, Time now) noexcept {
  Estimate out;
  const bool as_sent = params.method == Method::kAsSent;
  if (measurement != nullptr && as_sent) {
    take_as_sent(params, state, *measurement, now, out);
  } else if (measurement != nullptr) {
    out.verdict = judge(params, state, *measurement, now);
    out.fresh = out.verdict == MeasurementVerdict::kAccepted;
    if (out.fresh) {
      if (state.has_measurement) out.dt_s = (measurement->stamp - state.last.stamp).seconds();
      state.last = *measurement;
      state.has_measurement = true;
    } else if (out.verdict != MeasurementVerdict::kNone &&
               out.verdict != MeasurementVerdict::kNoPose) {
      ++state.refused;
    }
  }
  if (!state.has_measurement) return out;

  // rounding apart, a unit quaternion stays as it came
  VehicleState& s = out.state;
  s.stamp = state.last.stamp;
  s.X_WB = state.last.X_WB;
  if (!as_sent && !(std::abs(squared_norm(s.X_WB.q) - 1) < 1e-12)) s.X_WB.q = normalized(s.X_WB.q);
  s.V_WB_B = state.last.V_WB_B;

  const double age = (now - counts_from(state.last)).seconds();
  const bool in_time = age <= params.stale_after_s && age >= -params.future_tolerance_s;
  s.validity = in_time && (!as_sent || state.is_valid) ? Validity::kValid
               : as_sent && !state.was_valid           ? Validity::kMissing
                                                       : Validity::kStale;

  double grown = 0;
  if (params.method == Method::kDelayCompensation) {
    s.stamp = now;
    grown = std::abs(age);
    const double carry = std::clamp(age, -params.future_tolerance_s, params.stale_after_s);
    s.X_WB = s.X_WB * screw(s.V_WB_B, carry);
    s.X_WB.q = normalized(s.X_WB.q);
  }
  set_variance(params, grown, s);
  return out;
}

namespace {

struct Number {
  const char* name;
  double value;
  double most;
  bool zero_allowed;
};

}  // namespace

Findings check(const EstimatorParams& p) {
  Findings out;
  if (p.method != Method::kPassThrough && p.method != Method::kDelayCompensation &&
      p.method != Method::kAsSent)
    out.push_back({"method", "expected pass_through, delay_compensation or as_sent",
                   "write  method: pass_through", true});
  const std::array numbers{
      Number{"stale_after_s", p.stale_after_s, 3600, false},
      Number{"future_tolerance_s", p.future_tolerance_s, 3600, true},
      Number{"position_std_m", p.position_std_m, 1e6, true},
      Number{"attitude_std_deg", p.attitude_std_deg, 1e6, true},
      Number{"velocity_std_m_s", p.velocity_std_m_s, 1e6, true},
      Number{"rate_std_deg_s", p.rate_std_deg_s, 1e6, true},
      Number{"acceleration_psd", p.acceleration_psd, 1e6, true},
      Number{"angular_acceleration_psd", p.angular_acceleration_psd, 1e6, true},
  };
  for (const Number& n : numbers) {
    const bool low = n.zero_allowed ? n.value >= 0 : n.value > 0;
    if (low && n.value <= n.most) continue;
    out.push_back({n.name,
                   std::string("expected ") + (n.zero_allowed ? "0" : "more than 0") + " to " +
                       text(n.most) + ", found " + text(n.value),
                   "write a number in that range", true});
  }
  return out;
}

}  // namespace pintle::estimation

namespace pintle {

namespace {

using namespace estimation;

}  // namespace

template <>
const EnumTable& enum_table<Method>() {
  static constexpr std::array values{
      enum_value(Method::kPassThrough, "pass_through", "The newest measurement as it is."),
      enum_value(Method::kDelayCompensation, "delay_compensation",
                 "The newest measurement moved from its stamp to now with its own velocity."),
      enum_value(Method::kAsSent, "as_sent",
                 "The newest measurement to the bit, from the second in a row on: for "
                 "`behaviour: reference`.")};
  static constexpr EnumTable table{"Method", values};
  return table;
}

template <>
const EnumTable& enum_table<MeasurementVerdict>() {
  using V = MeasurementVerdict;
  static constexpr std::array values{
      enum_value(V::kNone, "none", "Nothing new has come."),
      enum_value(V::kAccepted, "accepted", "It is in use."),
      enum_value(V::kNotFinite, "not_finite", "A component is not a usable number."),
      enum_value(V::kBadQuaternion, "bad_quaternion", "Its quaternion is far from unit length."),
      enum_value(V::kTimeReversed, "time_reversed", "Its stamp is before the one of the last."),
      enum_value(V::kFromFuture, "from_future", "Its stamp is after now."),
      enum_value(V::kFirst, "first", "Noted; there is no time step since another yet."),
      enum_value(V::kNoPose, "no_pose", "Noted; there is no pose in it.")};
  static constexpr EnumTable table{"MeasurementVerdict", values};
  return table;
}

template <>
const Table& table_of<EstimatorParams>() {
  using P = EstimatorParams;
  static const Table table =
      TableBuilder<P>("EstimatorParams", "How measurements become the state that is used.")
          .field("method", &P::method, "", "What is done with a measurement.")
          .field("stale_after_s", &P::stale_after_s, "s",
                 "A state older than this is stale: the vehicle goes to its safe commands.")
          .range(0, 3600)
          .above(0)
          .field("future_tolerance_s", &P::future_tolerance_s, "s",
                 "A stamp further ahead of now than this is refused; covers clocks that differ.")
          .range(0, 3600)
          .field("position_std_m", &P::position_std_m, "m",
                 "Standard deviation of a measured position, per axis.")
          .range(0, 1e6)
          .field("attitude_std_deg", &P::attitude_std_deg, "deg",
                 "Standard deviation of a measured attitude, per axis.")
          .range(0, 1e6)
          .field("velocity_std_m_s", &P::velocity_std_m_s, "m/s",
                 "Standard deviation of a measured velocity, per axis.")
          .range(0, 1e6)
          .field("rate_std_deg_s", &P::rate_std_deg_s, "deg/s",
                 "Standard deviation of a measured turn rate, per axis.")
          .range(0, 1e6)
          .field("acceleration_psd", &P::acceleration_psd, "m^2/s^3",
                 "How fast the velocity wanders: its variance gains this per second of age.")
          .range(0, 1e6)
          .field("angular_acceleration_psd", &P::angular_acceleration_psd, "rad^2/s^3",
                 "How fast the turn rate wanders: its variance gains this per second of age.")
          .range(0, 1e6)
          .build();
  return table;
}

template <>
const Table& table_of<Measurement>() {
  using M = Measurement;
  static const Table table =
      TableBuilder<M>("Measurement", "Pose and velocity of the body origin, as measured.")
          .field("stamp_ns", &M::stamp, "ns", "When it was so.")
          .field("X_WB", &M::X_WB, "", "Body in the world.")
          .field("V_WB_B", &M::V_WB_B, "", "Velocity in body coordinates.")
          .field("older_ns", &M::older, "ns", "Its age counts from so long before its stamp.")
          .field("has_pose", &M::has_pose, "", "There is a pose in it.")
          .field("position_std_m", &M::position_std_m, "m",
                 "One standard deviation of the position as who measured it says; 0: not told.")
          .build();
  return table;
}

template <>
const Table& table_of<EstimatorState>() {
  using S = EstimatorState;
  static const Table table =
      TableBuilder<S>("EstimatorState", "What the estimator remembers.")
          .field("last", &S::last, "", "The last measurement accepted, as it came.")
          .field("has_measurement", &S::has_measurement, "", "There is one.")
          .field("last_stamp_ns", &S::last_stamp, "ns", "as_sent: of whatever came last.")
          .field("has_stamp", &S::has_stamp, "", "There is one.")
          .field("in_row", &S::in_row, "", "as_sent: the next may have a time step.")
          .field("is_valid", &S::is_valid, "", "as_sent: the row has two.")
          .field("was_valid", &S::was_valid, "", "as_sent: there has been such a row.")
          .field("refused", &S::refused, "", "Measurements refused since the start.")
          .build();
  return table;
}

}  // namespace pintle
