/// The `six_axis` law: position and velocity loops on six axes, cascaded or not, mixed per axis.
///
///   position effort  = PID(pose error)                              provided derivative: - body
///   velocity velocity setpoint = position effort (cascaded and axis in position mode), else the
///   desired velocity velocity effort  = PID(velocity setpoint - velocity)            provided
///   derivative: - last achieved wrench base             = per axis: position effort | velocity
///   effort | desired wrench, by its mode demand           = scale * (base + static wrench turned
///   into the body)
///
/// Source: Duke Robotics `controls` (its "power" is our wrench, its "control types" our modes). All
/// six axes are demanded, with the weight and group of the parameters. Two functions, because the
/// original has two rates: `update` once per fresh state, `demand` once per allocation.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/signals.h"
#include "pintle/control/pid.h"
#include "pintle/control/pose_error.h"

namespace pintle::control {

template <class T>
using PerAxis = std::array<T, kAxes>;

struct WrenchLimit {
  double min = -1, max = 1;
};

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
  bool anti_windup = false;  ///< Feed the allocation's residual back into the integrals.
};

[[nodiscard]] Findings check(const SixAxisParams& params);

struct SixAxisState {
  PerAxis<PidState> position{}, velocity{};
  Vec6 position_effort{}, velocity_effort{};
  Vec3 static_local{};   ///< Body coordinates.
  Vec6 last_achieved{};  ///< Wrench of the last allocation.
  Vec6 last_demand{};
  Setpoint setpoint{};  ///< The last one accepted.
  Time last_update{};
  bool has_update = false;
};

/// What `update` worked out, for tuning: names as the seed's topics.
struct SixAxisTrace {
  double delta_time_s = 0;
  Vec6 position_error{}, velocity_error{};
  PerAxis<PidTerms> position{}, velocity{};
  Vec3 static_local{};
  Vec6 base{}, unscaled{}, demand{};
};

struct SixAxisInput {
  Pose X_WB;      ///< For the pose error (the seed takes it from tf).
  Quat q_static;  ///< Attitude that turns the static force (the seed takes it from the state).
                  ///< Reference: not normalised.
  Twist V_WB_B;
};

/// Why a setpoint was refused.
enum class SetpointRefusal : std::uint8_t { kNone, kNotFinite, kQuaternionNotUnit, kWrenchLimit };

/// Takes a setpoint over if it is acceptable: finite, |1 - |q|| < 1e-6, wrench inside its limits on
/// the axes in wrench mode (kReference: on all axes). Otherwise the old one stays. `axis` gets the
/// first offending axis.
[[nodiscard]] SetpointRefusal set_setpoint(const SixAxisParams&, SixAxisState&, const Setpoint&,
                                           int* axis = nullptr) noexcept;

/// Runs the loops on a fresh state. dt_s <= 0 (the first one): only time is noted. False if the
/// input was refused.
bool update(const SixAxisParams&, SixAxisState&, const SixAxisInput&, double dt_s,
            SixAxisTrace&) noexcept;

/// The wrench to allocate now, from the last efforts.
[[nodiscard]] WrenchDemand demand(const SixAxisParams&, const SixAxisState&,
                                  SixAxisTrace&) noexcept;

/// After allocation: what is really done of what was asked. Feeds the velocity derivative and, if
/// on, anti-windup.
void note_achieved(const SixAxisParams&, SixAxisState&, const Vec6& demanded, const Vec6& achieved,
                   double dt_s) noexcept;

/// Resets both loops (see pid.h for how much).
void reset(const SixAxisParams&, SixAxisState&) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const EnumTable& enum_table<control::SetpointRefusal>();
template <>
const Table& table_of<control::WrenchLimit>();
template <>
const Table& table_of<control::SixAxisParams>();
template <>
const Table& table_of<control::SixAxisState>();
template <>
const Table& table_of<control::SixAxisTrace>();
}  // namespace pintle
