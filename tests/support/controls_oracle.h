/// What the `controls` node of Duke Robotics does with each message, as it was before it flew on
/// the tick: a frozen copy to compare with, at the node's two rates.
///
///   state message  -> both loops, static force           on_state
///   timer or state -> base -> demand -> allocation       allocate
///
/// Not to be changed with the product. It shares the arithmetic of `control` and `allocation`, so
/// that answers can be compared to the bit; what it holds by itself is the order of things: which
/// state steps the loops and by how much, what is refused, when something is sent.
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"
#include "pintle/control/six_axis.h"
#include "pintle/stack/tick.h"
#include "pintle/vehicle/effectiveness.h"

namespace pintle::testing {

enum class OracleUse { kUsed, kFirst, kNoTransform, kRefused };
enum class OracleHold { kNone, kDisabled, kNoState, kStale, kLatched };

struct OracleCycle {
  OracleHold hold = OracleHold::kDisabled;
  bool status = false, send = false;
  std::vector<double> allocs, constrained, unconstrained;
  Vec6 base{}, unscaled{}, wanted{}, achieved{};
};

class ControlsOracle {
 public:
  ControlsOracle(const stack::Model& model, double state_timeout_s, double latch_after_s)
      : control_(std::get<control::SixAxisParams>(model.law)),
        settings_(model.allocation),
        effectiveness_(model.effectiveness),
        pinv_rows_(vehicle::analyse(model.vehicle).pinv_rows),
        state_timeout_s_(state_timeout_s),
        latch_after_s_(latch_after_s) {}

  // true when taken
  bool desired_position(const Pose& X_WD) {
    Setpoint wanted = state_.setpoint;
    wanted.X_WD = X_WD;
    return offer(wanted);
  }
  bool desired_velocity(const Twist& V_WD_B) {
    Setpoint wanted = state_.setpoint;
    wanted.V_WD_B = V_WD_B;
    return offer(wanted);
  }
  bool desired_power(const Wrench& F_Bo_B) {
    Setpoint wanted = state_.setpoint;
    wanted.F_Bo_B = F_Bo_B;
    return offer(wanted);
  }
  bool control_types(const std::array<AxisMode, kAxes>& modes) {
    Setpoint wanted = state_.setpoint;
    wanted.mode = modes;
    return offer(wanted);
  }
  void enable(bool on) {
    enabled_ = on;
    latched_ = lost_ = false;
  }
  void reset() { control::reset(control_, state_); }
  /// Gains, static force and scale as they are from now on.
  void change(const control::SixAxisParams& control) { control_ = control; }

  OracleUse on_state(const Pose& X_WB, const Twist& V_WB_B, const Pose* transform, Time at,
                     Time now) {
    double dt = has_state_ ? (at - last_state_).seconds() : 0;
    const double limit = state_timeout_s_;
    const bool gap = dt > limit || (now - last_arrival_).seconds() > limit;
    if (gap) dt = 0;
    has_state_ = true;
    last_state_ = at;
    last_arrival_ = now;
    if (transform == nullptr) {
      trace_.delta_time_s = dt;
      return OracleUse::kNoTransform;
    }
    if (!control::update(control_, state_, {*transform, X_WB.q, V_WB_B}, dt, trace_))
      return OracleUse::kRefused;
    // the one thing that was mended: the loops' history is not older than the gap
    if (gap && has_good_) control::refresh(control_, state_, {*transform, X_WB.q, V_WB_B});
    if (!(dt > 0)) return OracleUse::kFirst;
    has_good_ = true;
    last_good_ = now;
    return OracleUse::kUsed;
  }

  void allocate(Time now, double dt_s, OracleCycle& cycle) {
    judge(now);
    const WrenchDemand demand = control::demand(control_, state_, trace_);
    Allocation a;
    allocation::allocate(prepared_, settings_, effectiveness_, demand, nullptr, a);
    cycle.hold = hold_;
    cycle.base = trace_.base;
    cycle.unscaled = trace_.unscaled;
    cycle.wanted = to_vec6(demand.F_Bo_B);
    cycle.achieved = to_vec6(a.achieved);
    control::note_achieved(control_, state_, cycle.wanted, cycle.achieved,
                           hold_ == OracleHold::kNone ? dt_s : 0.0);
    cycle.constrained.assign(a.effort.begin(), a.effort.end());
    cycle.unconstrained.resize(pinv_rows_.size());
    for (std::size_t i = 0; i < pinv_rows_.size(); ++i)
      cycle.unconstrained[i] = dot(pinv_rows_[i], cycle.wanted);
    cycle.status = hold_ == OracleHold::kNone;
    cycle.send = cycle.status || was_on_;
    if (cycle.status)
      cycle.allocs = cycle.constrained;
    else
      cycle.allocs.assign(cycle.constrained.size(), 0.0);
    was_on_ = cycle.status;
  }

  [[nodiscard]] const control::SixAxisTrace& trace() const { return trace_; }
  [[nodiscard]] const control::SixAxisState& state() const { return state_; }

 private:
  bool offer(const Setpoint& wanted) {
    return control::accept(control_, state_, wanted) == control::SetpointRefusal::kNone;
  }
  [[nodiscard]] bool needs_state() const {
    if (!(control_.static_force == Vec3{})) return true;
    return std::any_of(state_.setpoint.mode.begin(), state_.setpoint.mode.end(),
                       [](AxisMode m) { return m != AxisMode::kWrench; });
  }
  void judge(Time now) {
    hold_ = OracleHold::kNone;
    if (!enabled_) {
      hold_ = OracleHold::kDisabled;
    } else if (latched_) {
      hold_ = OracleHold::kLatched;
    } else if (needs_state()) {
      const double age =
          has_good_ ? (now - last_good_).seconds() : std::numeric_limits<double>::infinity();
      if (!(age <= state_timeout_s_)) hold_ = has_good_ ? OracleHold::kStale : OracleHold::kNoState;
    }
    const bool lost = hold_ == OracleHold::kStale;
    if (lost && !lost_) lost_at_ = now;
    lost_ = lost;
    if (lost && (now - lost_at_).seconds() >= latch_after_s_) {
      latched_ = true;
      hold_ = OracleHold::kLatched;
    }
  }

  control::SixAxisParams control_;
  allocation::Settings settings_;
  Effectiveness effectiveness_;
  std::vector<Vec6> pinv_rows_;
  double state_timeout_s_, latch_after_s_;
  control::SixAxisState state_;
  control::SixAxisTrace trace_;
  allocation::Prepared prepared_;
  bool enabled_ = false, latched_ = false, has_state_ = false, has_good_ = false, lost_ = false;
  bool was_on_ = false;
  Time last_state_{}, last_arrival_{}, last_good_{}, lost_at_{};
  OracleHold hold_ = OracleHold::kDisabled;
};

}  // namespace pintle::testing
