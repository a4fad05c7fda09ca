/// The `six_axis` law: position and velocity loops on six axes, cascaded or not, mixed per axis.
///
///   position effort   = PID(pose error)                    provided derivative: - body velocity
///   velocity setpoint = position effort                    cascaded and the axis in position mode
///                     | desired velocity                   else
///   velocity effort   = PID(velocity setpoint - velocity)  provided derivative: - achieved wrench
///   base              = position effort | velocity effort | desired wrench
///                                                          by the axis's mode; cascaded, position
///                                                          mode takes the velocity effort
///   demand            = scale * (base + static force turned into the body)
///
/// Source: Duke Robotics `controls` (its "power" is our wrench, its "control types" our modes). All
/// six axes are demanded, with the weight and group of the parameters. Two functions, because the
/// original has two rates: `update` once per fresh state, `demand` once per allocation.
///
/// kReference runs both loops in every update whatever the modes, so that the integral of a loop
/// winds up while its effort is not used. In kSafe such a loop rests: effort zero, integral kept,
/// history taken afresh when the axis uses it again. kReference turns the static force with the
/// quaternion as it comes (|q| = L scales it by L^2, q = 0 gives 0); kSafe normalises it. Past a
/// half turn kSafe goes on turning the way it began (see pose_error.h); a loop that is off forgets
/// everything in kSafe.
///
/// Two options of kSafe, both off in a file that says nothing:
///   shape_setpoints   the loops follow a reference that moves inside `motion_limits`
///                     (setpoint_shaping.h). Its velocity is fed forward: to the velocity setpoint
///                     when cascaded, else into the provided derivative.
///   position_law: square_root   when cascaded the pose error is `braking_error` of it, with the
///                     loop's kp and the axis's max_acceleration: far away the velocity setpoint is
///                     what the axis can still brake from.
/// With either no velocity setpoint of a cascade exceeds max_velocity.
///
/// Not modelled: coupling between axes.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/signals.h"
#include "pintle/control/law_interface.h"
#include "pintle/control/pid.h"
#include "pintle/control/pose_error.h"
#include "pintle/control/setpoint_shaping.h"

namespace pintle::control {

template <class T>
using PerAxis = std::array<T, kAxes>;

struct WrenchLimit {
  double min = -1, max = 1;
};

/// From pose error to velocity setpoint, when cascaded.
enum class PositionLaw : std::uint8_t { kLinear, kSquareRoot };

struct SixAxisParams {
  Behaviour behaviour = Behaviour::kSafe;
  bool enable_position = true;    ///< Off: position efforts are zero.
  bool enable_velocity = true;    ///< Off: velocity efforts are zero.
  bool cascaded = false;          ///< Position efforts are velocity setpoints.
  PerAxis<PidParams> position{};  ///< In use when not cascaded.
  PerAxis<PidParams> position_cascaded{};
  PerAxis<PidParams> velocity{};
  PerAxis<WrenchLimit> desired_wrench_limits{};
  Vec3 static_force{};  ///< World coordinates, the vehicle's unit; added along the linear axes.
  double scale = 1;     ///< Multiplies the whole demand, static part included.
  PerAxis<double> weight{1, 1, 1, 1, 1, 1};
  PerAxis<std::uint8_t> group{};
  /// Feed the allocation's residual back into the integrals, by each one's back_calculation.
  bool anti_windup = false;
  bool shape_setpoints = false;
  PositionLaw position_law = PositionLaw::kLinear;
  MotionLimits motion_limits{};
};

[[nodiscard]] Findings check(const SixAxisParams& params);

inline constexpr LawTraits kSixAxisTraits{kAllAxes, true, false, true, false, false};

struct SixAxisState {
  PerAxis<PidState> position{}, velocity{};
  Vec6 position_effort{}, velocity_effort{};
  Vec3 static_local{};   ///< Body coordinates.
  Vec6 last_achieved{};  ///< Wrench of the last allocation.
  Vec6 last_demand{};
  Vec3 last_turn{};         ///< Last angular error, kSafe only: see `keep_direction`.
  Setpoint setpoint{};      ///< The last one accepted.
  ShapingState shaping{};   ///< Of it.
  Time last_update{};       ///< For the caller to note the stamp it got dt_s from.
  bool has_update = false;  ///< `update` has accepted an input.
};

/// What `update` worked out, for tuning: names as Duke's topics.
struct SixAxisTrace {
  double delta_time_s = 0;
  Vec6 position_error{}, velocity_error{};
  PerAxis<PidTerms> position{}, velocity{};
  Vec3 static_local{};
  Vec6 base{}, unscaled{}, demand{};
  Pose reference{};           ///< That the loops follow, where setpoints are shaped …
  Vec6 reference_velocity{};  ///< … and how it moves, body axes.
};

struct SixAxisInput {
  Pose X_WB;      ///< For the pose error (Duke takes it from tf).
  Quat q_static;  ///< Attitude that turns the static force (Duke takes it from the state).
                  ///< Reference: not normalised.
  Twist V_WB_B;
};

/// Takes a setpoint over if it is acceptable: a known mode on every axis, finite, |1 - |q|| < 1e-6,
/// wrench inside its limits (inclusive) on the axes in wrench mode (kReference, or where somebody
/// has just given the wrench: on all axes). Otherwise the old one stays whole. `axis` gets the
/// first offending axis, -1 for none.
[[nodiscard]] SetpointRefusal accept(const SixAxisParams&, SixAxisState&, const Setpoint&,
                                     int* axis = nullptr, bool wrench_is_new = false) noexcept;

/// Runs the loops on a fresh state. dt_s <= 0 (the first one): the trace gets dt_s and nothing else
/// happens. Without `acts` (nobody acts on the efforts) kSafe integrates nothing. False if the input
/// was refused (not finite, or a quaternion without a direction): nothing changes then, the last
/// efforts hold, and the caller counts it.
bool update(const SixAxisParams&, SixAxisState&, const SixAxisInput&, double dt_s, SixAxisTrace&,
            bool acts = true) noexcept;

/// The first state after a gap: all loops take it as their history, so that the next step knows
/// nothing of before, and a shaped setpoint sets out anew. Efforts and integrals stay. False as
/// above.
bool refresh(const SixAxisParams&, SixAxisState&, const SixAxisInput&) noexcept;

/// Both, as the input says: `refresh` where a gap ends, `update` on a fresh state. False: refused.
[[nodiscard]] bool measure(const SixAxisParams&, SixAxisState&, const LawInput&,
                           SixAxisTrace&) noexcept;

/// Whether the demand depends on the vehicle's state: not where every axis follows the desired
/// wrench and no static force has to be turned into the body.
[[nodiscard]] bool needs_state(const SixAxisParams&, const SixAxisState&) noexcept;

/// The wrench to allocate now, from the last efforts.
[[nodiscard]] WrenchDemand demand(const SixAxisParams&, const SixAxisState&,
                                  SixAxisTrace&) noexcept;

/// After allocation: what is really done of what was asked. Feeds the velocity derivative and, if
/// on, anti-windup: the residual over scale goes to the loop whose effort the axis uses, and in a
/// cascade also, through the inner kp, to the outer loop. dt_s <= 0: no anti-windup. Ignored if not
/// finite.
void note_achieved(const SixAxisParams&, SixAxisState&, const Vec6& demanded, const Vec6& achieved,
                   double dt_s) noexcept;

/// The same as a stack does it: the original's loops see what allocation gave, sent or not; ours see
/// what is really done, and without effect know no windup.
void achieved(const SixAxisParams&, SixAxisState&, const Vec6& demanded, const Vec6& allocated,
              const Vec6& sent, double dt_s, bool live) noexcept;

/// Resets both loops (see pid.h for how much) and lets a shaped setpoint set out anew. The last
/// efforts hold until the next update.
void reset(const SixAxisParams&, SixAxisState&) noexcept;
/// The same when it is asked for; kReference goes on through gaps and arming, and a new goal is no
/// cause for either.
void reset(const SixAxisParams&, SixAxisState&, ResetCause) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const EnumTable& enum_table<control::PositionLaw>();
template <>
const Table& table_of<control::WrenchLimit>();
template <>
const Table& table_of<control::SixAxisParams>();
template <>
const Table& table_of<control::SixAxisState>();
template <>
const Table& table_of<control::SixAxisTrace>();
}  // namespace pintle
