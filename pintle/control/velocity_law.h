/// From a pose to the velocity that leads there, for a flight controller that closes the inner
/// loops.
///
///   error      = goal - position, turned by the heading; yaw by the shortest turn
///   v, yaw'    = one loop with a dead band per axis (deadband_pid.h); v and what the goal moves by
///   axes in velocity mode pass the velocity that is wanted; those in wrench mode give none
///   |v_xy| <= max_speed, -max_descent <= v_z <= max_climb, |yaw'| <= max_yaw_rate
///
/// `form: per_tick` takes gains per step at 50 Hz, as the `jet` package's pid.yaml; `timed`, the
/// native one, takes ki per second and kd in seconds. There x and y are loops of the ground's axes
/// or of the craft's, as the manoeuvre was; `world_axes` chooses.
///
/// Input that is not usable gives zero: to stay. A goal is reached by the mission's tolerances,
/// never because an output is zero.
///
/// Not modelled: the flight controller's own lag, wind (the integral takes it up).
#pragma once
#include <array>

#include "pintle/base/aircraft.h"
#include "pintle/base/signals.h"
#include "pintle/control/deadband_pid.h"
#include "pintle/control/law_interface.h"

namespace pintle::control {

enum class VelocityForm : std::uint8_t { kTimed, kPerTick };

struct VelocityLawParams {
  VelocityForm form = VelocityForm::kTimed;
  // kp ki kd db it Emax Pmax Imax Dmax Omax
  DeadbandPidParams xy{0.9, 0.15, 0, 0.02, 0.5, 5, 2, 0.4, 0, 2};
  DeadbandPidParams z{1.0, 0.15, 0, 0.02, 0.5, 5, 1.5, 0.3, 0, 1.5};
  DeadbandPidParams yaw{0.8, 0, 0, 0.01, 0, 3.2, 1, 0, 0, 1};
  double max_speed_m_s = 1.5;
  double max_climb_m_s = 1;
  double max_descent_m_s = 0.6;
  double max_yaw_rate_rad_s = 0.8;
};

[[nodiscard]] Findings check(const VelocityLawParams& params);

inline constexpr LawTraits kVelocityTraits{0, false, true, false, false, false};

/// Loops in the order x, y, z, yaw.
struct VelocityLawState {
  std::array<DeadbandPidState, 4> loops{};
  std::array<AxisMode, 4> mode{};
  bool world_axes = false;
  Setpoint setpoint;     ///< The last one accepted.
  MotionCommand motion;  ///< As last worked out.
};

struct VelocityLawTrace {
  std::array<double, 4> error{};  ///< Ahead, to the left, up, turn to make; m and rad.
  std::array<bool, 4> inside{};   ///< Within the dead band.
};

void reset(VelocityLawState& state) noexcept;

/// One step over dt_s (not used per tick). False: input not usable, and `out` is zero.
bool step(const VelocityLawParams& params, VelocityLawState& state, const Setpoint& setpoint,
          const Pose& X_WB, double dt_s, bool world_axes, MotionCommand& out,
          VelocityLawTrace& trace) noexcept;

/// Takes a setpoint over if pose and velocity are finite. `axis`: always -1.
[[nodiscard]] SetpointRefusal accept(const VelocityLawParams&, VelocityLawState& state,
                                     const Setpoint& setpoint, int* axis = nullptr,
                                     bool wrench_is_new = false) noexcept;
/// `step` on a fresh state or a new goal, per tick in every tick; with the craft's axes where the
/// goal follows a target. A craft that is to stay gets no velocity, and the loops begin anew.
[[nodiscard]] bool measure(const VelocityLawParams& params, VelocityLawState& state,
                           const LawInput& input, VelocityLawTrace& trace) noexcept;
/// Whatever the cause.
void reset(const VelocityLawParams&, VelocityLawState& state, ResetCause cause) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const EnumTable& enum_table<control::VelocityForm>();
template <>
const Table& table_of<control::VelocityLawParams>();
template <>
const Table& table_of<control::VelocityLawTrace>();
}  // namespace pintle
