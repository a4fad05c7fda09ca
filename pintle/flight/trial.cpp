#include "pintle/flight/trial.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/base/rotation.h"
#include "pintle/propulsion/propulsor.h"

namespace pintle::flight {
namespace {

using Kind = TrialRequest::Kind;

constexpr double kSlow_m_s = 0.3, kSlow_rad_s = 0.4;
/// A planner that gave a setpoint this recently is there.
constexpr double kForeign_s = 1;
/// Before a step is asked for.
constexpr double kHold_s = 1;
/// At the end of each rest and push its twist is averaged.
constexpr double kMean_s = 0.15;

/// Of a setpoint, what pushes and moves.
constexpr std::uint8_t kMotionParts = stack::kVelocityPart | stack::kWrenchPart | stack::kModePart;

/// Rests for so long before it is pushed.
constexpr double kStill_s = 0.5;
/// The others are in use again after this at the latest.
constexpr double kBack_s = 1;

bool is_valid(const Outputs& out) noexcept { return out.used.validity == Validity::kValid; }

bool is_slow(const Outputs& out) noexcept {
  const Twist& V = out.used.V_WB_B;
  return norm(V.v) < kSlow_m_s && norm(V.w) < kSlow_rad_s;
}

double end_of(int pieces) { return pieces * (kPushRest_s + kPush_s); }

/// Of the two pushes, when each window ends in which the twist is averaged: a rest's, its push's.
double window_end(std::size_t window) {
  return end_of(static_cast<int>(window / 2)) + kPushRest_s + (window % 2 == 1 ? kPush_s : 0);
}

double pose_of(const Pose& X, std::size_t axis) noexcept {
  if (axis < 3) return X.p[axis];
  const RollPitchYaw a = to_rpy(to_matrix(X.q));
  return Vec3{a.roll, a.pitch, a.yaw}[axis - 3];
}

bool in_range(const TrialRequest& r) noexcept {
  const double most = r.axis < 3 ? kMostStep_m : kMostStep_rad;
  if (r.kind == Kind::kStep)
    return r.axis < kAxes && std::abs(r.size) <= most && std::abs(r.size) > 0 && r.seconds >= 1 &&
           r.seconds <= kMostStepSeconds;
  return r.share >= kLeastShare && r.share <= kMostShare;
}

}  // namespace

control::StepSample sample_of(const Outputs& out, std::size_t axis, bool velocity) noexcept {
  const double t = out.now.seconds();
  if (velocity) return {t, to_vec6(out.setpoint.V_WD_B)[axis], to_vec6(out.used.V_WB_B)[axis]};
  return {t, pose_of(out.setpoint.X_WD, axis), pose_of(out.used.X_WB, axis)};
}

TrialTrouble Trial::trouble_of(const Model& model, const Outputs& last, bool sees) const noexcept {
  if (model.has_mission) return TrialTrouble::kMission;
  if (last.arm != ArmState::kArmed) return TrialTrouble::kDisarmed;
  if (!sees) return TrialTrouble::kState;
  if (last.failsafe.on != 0) return TrialTrouble::kFailsafe;
  if (last.commander != mission::Operator::kNobody && last.commander != mission::Operator::kPage)
    return TrialTrouble::kElse;
  if (foreign_at_ && (last.now - *foreign_at_).seconds() < kForeign_s) return TrialTrouble::kElse;
  return TrialTrouble::kNone;
}

std::optional<TrialOutcome> Trial::begin(const Model& model, const TrialRequest& request,
                                         const Outputs& last) noexcept {
  if (request.kind == Kind::kStop) {
    if (is_busy()) trouble_ = TrialTrouble::kStopped;
    return TrialOutcome{request.number, TrialTrouble::kNone, {}, 0};
  }
  const auto refuse = [&](TrialTrouble why) { return TrialOutcome{request.number, why, {}, 0}; };
  if (is_busy()) return refuse(TrialTrouble::kBusy);
  if (!in_range(request)) return refuse(TrialTrouble::kNumbers);
  const bool sees = is_valid(last) || request.kind == Kind::kPush;
  if (const TrialTrouble t = trouble_of(model, last, sees); t != TrialTrouble::kNone)
    return refuse(t);
  if (!model.traits.allocates || !model.traits.each_axis || model.traits.flies)
    return refuse(TrialTrouble::kUnfit);
  if (request.kind == Kind::kPush) {
    if (last.limits.by_health != 0) return refuse(TrialTrouble::kOut);
    if (!model.thrusters_only || !model.single_channels ||
        request.propulsor >= model.owner.size() || model.period.seconds() > kSlowest_s)
      return refuse(TrialTrouble::kUnfit);
  }
  const std::optional<Time> foreign = foreign_at_;
  const bool restores = restores_;
  *this = {};
  foreign_at_ = foreign;
  restores_ = restores;
  request_ = request;
  begun_ = last_now_ = fast_at_ = sure_at_ = last.now;
  place_ = last.used.X_WB.p;
  base_.X_WD = last.used.X_WB;
  base_.mode.fill(request.kind == Kind::kPush ? AxisMode::kWrench
                  : request.velocity          ? AxisMode::kVelocity
                                              : AxisMode::kPosition);
  // it holds what it was told to hold
  const auto& modes = last.setpoint.mode;
  if (request.kind == Kind::kStep && !request.velocity &&
      std::all_of(modes.begin(), modes.end(), [](AxisMode m) { return m == AxisMode::kPosition; }))
    base_.X_WD = last.setpoint.X_WD;
  if (request.axis >= 3) angle_ = pose_of(base_.X_WD, request.axis);
  return std::nullopt;
}

void Trial::put_step(Inputs& in, double t_s) noexcept {
  in.setpoint = base_;
  const bool stepped = chosen_ && t_s >= kHold_s && t_s < kHold_s + request_.seconds;
  if (!stepped) return;
  const std::size_t a = request_.axis;
  if (request_.velocity) {
    Vec3& v = a < 3 ? in.setpoint.V_WD_B.v : in.setpoint.V_WD_B.w;
    (a % 3 == 0 ? v.x : a % 3 == 1 ? v.y : v.z) = request_.size;
  } else if (a < 3) {
    Vec3& p = in.setpoint.X_WD.p;
    (a == 0 ? p.x : a == 1 ? p.y : p.z) += request_.size;
  } else {
    RollPitchYaw rpy = to_rpy(to_matrix(base_.X_WD.q));
    (a == 3 ? rpy.roll : a == 4 ? rpy.pitch : rpy.yaw) += request_.size;
    in.setpoint.X_WD.q = from_rpy(rpy);
  }
}

void Trial::put_push(const Model& model, Inputs& in, double t_s) noexcept {
  in.setpoint = base_;
  const double period = kPushRest_s + kPush_s, phase = std::fmod(t_s, period);
  if (!chosen_ || t_s >= end_of(2) || phase < kPushRest_s) return;
  const std::size_t c = request_.propulsor;
  const double lower = -model.effectiveness.lower[c], upper = model.effectiveness.upper[c];
  // one that pushes one way alone is pushed so twice
  const bool both = lower > 0 && upper > 0;
  const double most = both ? std::min(lower, upper) : std::max(lower, upper);
  sign_ = both ? (t_s < period ? 1 : -1) : (upper > 0 ? 1 : -1);
  in.setpoint.F_Bo_B = to_wrench((sign_ * request_.share * most) * model.effectiveness.column[c]);
}

/// Its last setpoint, which may stand for long: no push, no step. Said until it is heard, and for what needs no
/// place without one: beyond a fence that would be refused.
void Trial::let_go(Inputs& in) noexcept {
  if (!stands_ || in.has_setpoint) return;
  const bool has_place = base_.mode[0] == AxisMode::kPosition;
  in.has_setpoint = lets_go_ = true;
  in.setpoint_parts = has_place ? std::uint8_t{stack::kWholeSetpoint} : kMotionParts;
  in.setpoint = base_;
  if (has_place) stands_ = false;
}

/// Whose setpoint stands: what is refused, or is a part, leaves the old one in force.
void Trial::hear_answer(const Outputs& out) noexcept {
  const bool is_heard = out.setpoint_answer.refusal == control::SetpointRefusal::kNone;
  if (is_heard && gives_) stands_ = true;
  if (is_heard && (lets_go_ || replaces_)) stands_ = false;
  gives_ = lets_go_ = replaces_ = false;
}

void Trial::put(const Model& model, const Outputs& last, Inputs& in) noexcept {
  sample_.reset();
  if (in.has_setpoint) foreign_at_ = last.now;
  replaces_ = in.has_setpoint && (in.setpoint_parts & kMotionParts) == kMotionParts;
  if (in.has_odometry) age_ = in.now - (in.odometry.stamp - in.odometry.older);
  if (restores_ && (ended_ || request_.kind != Kind::kPush) &&
      in.commands.push_back({CommandCode::kRestorePropulsor, -1}))
    restores_ = false;
  if (ended_ || !is_busy()) let_go(in);
  if (!is_busy() || ended_) return;
  if (is_valid(last)) sure_at_ = last.now;
  const double patience_s = request_.kind == Kind::kPush ? kBlind_s : 0;
  if (trouble_ == TrialTrouble::kNone)
    trouble_ = trouble_of(model, last, (last.now - sure_at_).seconds() <= patience_s);
  if (in.has_setpoint) trouble_ = TrialTrouble::kElse;
  if (trouble_ != TrialTrouble::kNone) {
    ends_ = true;
    let_go(in);
    return;
  }
  if (request_.kind == Kind::kPush && told_ < model.vehicle.propulsors.size()) {
    const std::size_t n = model.vehicle.propulsors.size();
    for (; told_ < n && !in.commands.full(); ++told_)
      if (told_ != request_.propulsor) {
        in.commands.push_back({CommandCode::kFailPropulsor, static_cast<std::int32_t>(told_),
                               mission::Operator::kPage});
        restores_ = true;
      }
  }
  in.has_setpoint = gives_ = true;
  in.setpoint_parts = stack::kWholeSetpoint;
  // of the tick to come, by the stack's own time: the clock may be set meanwhile
  const double t_s = (last.now + model.period - begun_).seconds();
  if (request_.kind == Kind::kStep)
    put_step(in, t_s);
  else
    put_push(model, in, t_s);
}

/// Where it is to be, and at rest, measured by what it is to do next.
bool Trial::holds(const Outputs& out) const noexcept {
  const double near = 0.1 * std::abs(request_.size);
  const double v = to_vec6(out.used.V_WB_B)[request_.axis];
  if (request_.velocity) return std::abs(v) < near;
  const double wanted = pose_of(base_.X_WD, request_.axis),
               is = pose_of(out.used.X_WB, request_.axis);
  const double off = request_.axis < 3 ? is - wanted : wrap_angle(is - wanted);
  return std::abs(off) < near && std::abs(v) < near;
}

/// All others are out.
bool Trial::is_alone(const Model& model, const Outputs& out) const noexcept {
  const std::size_t n = model.owner.size();
  const ChannelMask all = n < 64 ? (ChannelMask{1} << n) - 1 : ~ChannelMask{0};
  return (out.limits.by_health | ChannelMask{1} << request_.propulsor) == all;
}

/// True: all has been seen. A twist counts for when it was measured, and between two it changed evenly.
bool Trial::take_push(const Outputs& out, double dt_s) noexcept {
  const double t_s = (out.now - begun_).seconds();
  const std::size_t piece = t_s < end_of(1) ? 0 : 1;
  if (t_s < end_of(2) && t_s >= window_end(2 * piece))
    impulse_[piece] += out.actuation.effort[request_.propulsor] * dt_s;
  if (out.measured != estimation::MeasurementVerdict::kAccepted) return false;
  const Time at = out.now - age_;
  const Vec6 twist = to_vec6(out.used.V_WB_B);
  const double from_s = (seen_at_ - begun_).seconds(), to_s = (at - begun_).seconds();
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const double a = std::max(from_s, window_end(i) - kMean_s), b = std::min(to_s, window_end(i));
    if (a >= b) continue;
    const double way = ((a + b) / 2 - from_s) / (to_s - from_s);
    mean_[i] = mean_[i] + ((b - a) / kMean_s) * (seen_ + way * (twist - seen_));
  }
  seen_at_ = std::max(seen_at_, at);
  seen_ = twist;
  return to_s >= end_of(2);
}

void Trial::begin_again(const Outputs& out) noexcept {
  chosen_ = false;
  begun_ = fast_at_ = out.now;
  mean_ = {};
  impulse_ = {};
  if (++tries_ < kMostTries) return;
  trouble_ = TrialTrouble::kLate;
  ends_ = true;
}

std::optional<TrialOutcome> Trial::take(const Model& model, const Outputs& out) noexcept {
  hear_answer(out);
  if (!is_busy()) return std::nullopt;
  // it is over when all others are in use again, for which the tick need not be waited for long
  if (ended_) {
    const bool back = !restores_ && out.limits.by_health == 0;
    if (!back && (out.now - last_now_).seconds() < kBack_s) return std::nullopt;
    request_.kind = Kind::kNone;
    return std::exchange(ended_, std::nullopt);
  }
  const bool is_push = request_.kind == Kind::kPush;
  const bool all_told = told_ == model.vehicle.propulsors.size();
  // whoever took one back into use pushes along
  if (is_push && all_told && is_valid(out) && !is_alone(model, out)) {
    trouble_ = TrialTrouble::kElse;
    ends_ = true;
  }
  if (!chosen_) {
    if (!(is_push ? is_valid(out) && is_slow(out) : holds(out))) fast_at_ = out.now;
    chosen_ = (!is_push || all_told) && (out.now - fast_at_).seconds() >= kStill_s;
    // where the first push began, however often it is pushed
    if (tries_ == 0) place_ = out.used.X_WB.p;
    if ((out.now - begun_).seconds() > kSettle_s) {
      trouble_ = TrialTrouble::kMoves;
      ends_ = true;
    } else if (chosen_) {
      begun_ = last_now_ = seen_at_ = out.now;
      seen_ = to_vec6(out.used.V_WB_B);
    }
  }
  const double t_s = (out.now - begun_).seconds(), dt_s = (out.now - last_now_).seconds();
  last_now_ = out.now;
  if (!ends_ && chosen_ && is_push) {
    // the state's own stamp may be that of the tick
    const bool old = (out.now - seen_at_).seconds() > kOld_s;
    if (dt_s > kLate_s || old || !is_valid(out)) begin_again(out);
  }
  if (!(norm(out.used.X_WB.p - place_) < kReach_m)) {
    trouble_ = TrialTrouble::kFar;
    ends_ = true;
  }
  TrialOutcome outcome{request_.number, trouble_, {}, 0};
  if (!ends_ && chosen_ && request_.kind == Kind::kStep) {
    control::StepSample s = sample_of(out, request_.axis, request_.velocity);
    if (request_.axis >= 3 && !request_.velocity) {
      s.wanted = pose_of(base_.X_WD, request_.axis) +
                 wrap_angle(s.wanted - pose_of(base_.X_WD, request_.axis));
      angle_ += wrap_angle(s.is - angle_);
      s.is = angle_;
    }
    ends_ = t_s >= kHold_s + request_.seconds;
    if (!ends_) sample_ = s;
  } else if (!ends_ && chosen_ && take_push(out, dt_s)) {
    ends_ = true;
    std::array<Vec6, 2> change;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < kAxes; ++k) change[i][k] = mean_[2 * i + 1][k] - mean_[2 * i][k];
    // the second one the other way: what acts all the time falls out
    const bool both = impulse_[0] * impulse_[1] < 0;
    outcome.impulse = both ? (impulse_[0] - impulse_[1]) / 2 : (impulse_[0] + impulse_[1]) / 2;
    outcome.change = both ? 0.5 * (change[0] - change[1]) : 0.5 * (change[0] + change[1]);
    const std::size_t c = request_.propulsor;
    const double most = std::max(model.effectiveness.upper[c], -model.effectiveness.lower[c]);
    if (!(std::abs(outcome.impulse) > 0.3 * kLeastShare * most * kPush_s))
      outcome.trouble = TrialTrouble::kNoEffort;
  }
  if (ends_) ended_ = outcome;
  return std::nullopt;
}

}  // namespace pintle::flight

namespace pintle {

template <>
const EnumTable& enum_table<flight::TrialTrouble>() {
  using T = flight::TrialTrouble;
  static constexpr std::array values{
      enum_value(T::kNone, "done", "It went to its end."),
      enum_value(T::kMission, "mission",
                 "a mission is flown: trials go with  pintle run … --planner --live"),
      enum_value(T::kDisarmed, "disarmed", "arm it first"),
      enum_value(T::kState, "state",
                 "odometry is missing or stale, and what it measures is not known"),
      enum_value(T::kFailsafe, "failsafe", "a failsafe is on"),
      enum_value(
          T::kElse, "else",
          "somebody else commands: another operator has taken over, or a planner gives setpoints"),
      enum_value(T::kOut, "out", "a propulsor is out already: restore it, or mend it first"),
      enum_value(T::kMoves, "moves", "it did not come to rest within 20 s"),
      enum_value(T::kFar, "far", "it went too far: stopped"),
      enum_value(
          T::kUnfit, "unfit",
          "not with this craft: it flies, or its law allocates no wrench, or its propulsors are no "
          "thrusters, or its control rate is below 10 Hz"),
      enum_value(T::kNumbers, "numbers",
                 "out of range: steps of at most 2 m, 0.8 rad, 2 m/s or 0.8 rad/s watched for 1 to "
                 "60 s; pushes "
                 "of 0.05 to 0.5 of the weaker way"),
      enum_value(T::kNoEffort, "no_effort",
                 "the push was not sent: is it beyond desired_wrench_limits, or derated?"),
      enum_value(
          T::kLate, "late",
          "ticks or odometry came late in every push, and what was measured proves nothing: does "
          "the machine do something else, does odometry come less than five times a second?"),
      enum_value(T::kBusy, "busy", "another trial is under way"),
      enum_value(T::kStopped, "stopped", "stopped by the operator")};
  static constexpr EnumTable table{"TrialTrouble", values};
  return table;
}

}  // namespace pintle
