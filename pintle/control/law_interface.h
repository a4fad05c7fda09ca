/// What the stack and a control law say to each other. law.h knows the laws themselves.
#pragma once
#include <cstdint>

#include "pintle/base/aircraft.h"
#include "pintle/base/finding.h"
#include "pintle/base/rotation.h"
#include "pintle/base/signals.h"

namespace pintle::control {

/// What kind of craft a law is for. Nobody asks which law it is: whoever has to know something about
/// it finds it here.
struct LawTraits {
  AxisMask axes = kAllAxes;  ///< That it asks the propulsors for.
  /// Every axis by itself, along the body, by loops that `view_of_loops` shows and the section
  /// `control` tunes: each may follow a wrench while the others hold. Otherwise x and y lie level, ahead
  /// and to the left.
  bool each_axis = false;
  bool flies = false;  ///< Its craft falls when it is switched off in the air.
  /// Asks our own propulsors for wrenches. Otherwise a flight controller has them: it takes
  /// velocities, reports, and holds the craft by itself.
  bool allocates = true;
  bool needs_craft = false;  ///< Mass, inertia and thrust within reach: `LawInput::craft`.
  bool points = false;       ///< Has an attitude half for a guidance: `point`.

  /// Nothing but our propulsors keeps it in the air.
  [[nodiscard]] constexpr bool carries_itself() const noexcept { return flies && allocates; }
};

/// The craft now: tanks drain, so mass and inertia are inputs and not parameters.
struct CraftNow {
  double mass_kg = 1;
  Mat3 inertia_kgm2 = Mat3::identity();  ///< About the centre of mass, body axes.
  Vec3 p_BoBcm_B;                        ///< Centre of mass.
  Vec3 known_force_W;                    ///< Drag, buoyancy, where they are known; no gravity.
  double gravity_m_s2 = 9.80665;
  double min_thrust_N = 0;  ///< Along z, of everything together, within the horizon.
  double max_thrust_N = 0;
  Vec3 max_torque_Nm;  ///< About each body axis, either way, within the horizon; 0: not known.
  AxisMask reachable = kAllAxes;
};

/// What a law may go by in one tick.
struct LawInput {
  const Pose& X_WB;
  const Twist& V_WB_B;
  const Quat& q_static;  ///< Attitude that turns a static force: the odometry's own.
  bool whole = true;     ///< The tick acts; between two acts it only takes in what has come.
  // the measurement of this tick
  bool fresh = false;    ///< It was accepted …
  double dt_s = 0;       ///< … and came so long after the one before.
  bool begins = false;   ///< It ends a gap: what was before is no history.
  bool untimed = false;  ///< It has a time step to be told and is nothing to run loops on.
  // all since the last act
  bool measured = false;  ///< Something was, or was felt …
  double measured_dt_s = 0;
  bool live = false;  ///< What is asked for is being done.
  double period_s = 0;
  const CraftNow* craft = nullptr;  ///< Null unless `needs_craft`.
  // of craft with a flight controller
  bool stays = false;     ///< It is to stay where it is: nothing may be asked of it.
  bool new_goal = false;  ///< Since the tick before.
  bool servo = false;     ///< The goal follows a target.
};

/// What an attitude half is asked for by a guidance.
struct Pointing {
  Vec3 up_W{0, 0, 1};  ///< Where the z axis is to point; any length but zero.
  double along_N = 0;  ///< Force along the z axis as it points now; cut to what there is.
};

/// Why loops are reset.
enum class ResetCause : std::uint8_t {
  kAsked,    ///< Somebody wants it: an operator, or the mission.
  kArmed,    ///< They have run without effect until now.
  kGap,      ///< Time has gone by that they did not see.
  kNewGoal,  ///< Another state of the mission, or another owner.
};

/// Why a setpoint was refused.
enum class SetpointRefusal : std::uint8_t {
  kNone,
  kNotFinite,
  kQuaternionNotUnit,
  kWrenchLimit,
  kBadMode,
  kBeyond,  ///< The place is past a limit of the craft's failsafes.
};

}  // namespace pintle::control

namespace pintle {
template <>
const EnumTable& enum_table<control::SetpointRefusal>();
}
