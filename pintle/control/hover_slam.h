/// Landing on a rocket engine: fall, light it as late as is safe, and be at rest where the ground
/// is.
///
///   stop from v to v_e at thrust T, over v (RK4), after a dead time of falling:
///     a = (T + D)/m - g      dh/dv = -v / a      dt/dv = -1 / a      dm/dv = T / (c a)
///     D = rho/2 CdA v^2,  rho = rho_0 exp(-z / H)
///   light when  stop(v, T_n) >= height,    T_n = T_max - reserve (T_max - T_min)
///   dead time = delay + lag + one period   (thrust behind a first-order lag is thrust `lag` later)
///   while it burns, constant deceleration to the ground, from where it will be `ahead` later:
///     a* = (v^2 - v_e^2) / 2 h,   T cos(tilt) = m k (a* + g) - D
///   sideways, with s the time to go:  a* = -12 e / s^2 - 6 v / s - d
///     whose answers e ~ s^3 and s^4 end with no error, no speed and no tilt
///     d: what pushes sideways beside the thrust (wind, lift), felt and filtered
///
/// k is the mass over the mass believed, from thrust and measured acceleration along the axis; it
/// takes in whatever else is wrong with thrust over mass.
///
/// An engine whose least thrust is above the weight cannot hover. One that can be lit again is cut
/// when it would stop well above the ground, and lit again by the same rule, down to where a fall
/// does no harm, as long as it may be lit (`most_burns`): its last burn goes on until it touches or
/// has stopped. One that cannot is lit late: its reserve is at most half of the throttle range, so
/// that it is as far from one end as from the other.
///
/// Before ignition fins are the only authority. They hold the axis against the airflow and, just
/// before, lean it as the burn will want it. They do not steer: a leant body is carried one way by
/// its sides and the other way by its blunt end, the two cancel at an angle of the size that an
/// unknown wind makes (0.1 rad for a long cylinder), and the sign turns round at ignition.
///
/// At speed the air also holds the craft upright against the lean that a burn wants, the more the
/// longer it takes. So a craft whose engine lights again steers on the way down by short hard
/// burns: fins lean it, the engine pushes, until the velocity
///   v_s = -e / (s - 2/3 b) - drift      b: length of the stop
/// brings it to where the stop's own law (v = 3 e / s) takes over; the drift is what wind that is
/// known makes of the fall before it.
///
/// Contact is a flag where there is a sensor; else height and speed near zero, or a push upwards
/// near the ground that the engine does not explain. Then the engine is cut.
///
/// Sources: the stop is Newton's law with v as the variable; the sideways law is the quadratic
/// guidance of Klumpp, "Apollo lunar descent guidance", Automatica 10 (1974), with the acceleration
/// at the end zero. Not modelled: wind that is not given, slopes, fuel-optimal paths, sideways
/// force of engine and fins that turn the craft (the attitude law's business).
#pragma once
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"

namespace pintle::control {

struct HoverSlamParams {
  double throttle_reserve = 0.9;  ///< Of the throttle range, kept above T_n.
  double delay_s = 0.01;          ///< From decision to command, and of the state estimate.
  double touch_speed_m_s = 0.3;   ///< v_e.
  double max_tilt_rad = 0.35;     ///< Of the wanted axis from up while it burns …
  double touch_tilt_rad = 0.02;   ///< … at contact, …
  double tilt_height_m = 40;      ///< … growing from one to the other up to this height.
  double min_time_to_go_s = 3.5;  ///< s never below: near the ground the sideways law is a PD.
  double lean_s = 1;              ///< Before ignition the axis goes where the burn wants it.
  double airflow_speed_m_s = 15;  ///< Slower than this the axis is held up before ignition.
  double steer_from_m_s = 0.8;    ///< Sideways speed missing that is worth a burn; 0: never.
  double steer_to_m_s = 0.3;      ///< What may be missing after it.
  double steer_fall_m_s = 38;     ///< Falling at least this fast; such a burn takes half of it.
  double steer_tilt_rad = 0.28;   ///< Lean of the wanted axis in it.
  double steer_soft_m_s = 0.2;    ///< Leant less when less than this is missing.
  double drift_share = 0.5;       ///< Of the drift that the wind will make, taken into account.
  double steer_throttle = 1;      ///< Share of the throttle range.
  double steer_burns = 100;       ///< Only as long as it was lit less often.
  double steer_room = 0.5;        ///< Only where a stop at this share of the throttle range …
  double steer_height_m = 100;    ///< … would end this high.
  double drop_speed_m_s = 0.7;    ///< A fall from rest that ends slower needs no engine.
  double most_burns = 100;        ///< Ignitions in all. The last burn goes on until it touches.
  double min_burn_s = 0;          ///< No burn is shorter, but where it touches.
  double min_off_s = 0.02;        ///< Between two burns.
  double height_time_s = 0;       ///< Time constant of the height over that of speed; 0: none.
  double estimate_time_s = 0.25;  ///< Time constant of k; 0: k is 1.
  double push_time_s = 0.4;       ///< Time constant of d; 0: d is 0.
  double push_height_m = 3;  ///< Below, d stays as it is: the last turns would be taken for wind.
  double estimate_limit = 0.25;    ///< k within 1 - this and 1 + this.
  double contact_height_m = 0.02;  ///< Below it a speed under `contact_speed_m_s` is contact.
  double contact_speed_m_s = 0.5;
  double contact_jump_m_s2 = 8;  ///< Unexplained push upwards, below `contact_jump_height_m`.
  double contact_jump_height_m = 0.1;
  double rest_speed_m_s = 0.3;      ///< At rest below this …
  double settle_s = 0.5;            ///< … for this long: landed.
  double max_touch_speed_m_s = 2;   ///< At contact; above: failed.
  double max_rest_tilt_rad = 0.15;  ///< At rest; above: failed.
  double light_time_s = 0.5;        ///< No thrust this long after ignition: failed.
};

[[nodiscard]] Findings check(const HoverSlamParams& params);

enum class LandingPhase : std::uint8_t {
  kCoast,      ///< Falls; the engine is off.
  kSteer,      ///< Leans and burns to get where the stop can do the rest.
  kIgnition,   ///< The engine is told to burn and does not push yet.
  kBurn,       ///< Brakes.
  kTouchDown,  ///< Has touched; the engine is cut.
  kLanded,     ///< At rest, upright.
  kFailed,     ///< See the reason.
};

/// The last thing that went wrong; only with kFailed is it the end.
enum class LandingReason : std::uint8_t {
  kNone,
  kTooLate,      ///< Full thrust does not stop it above the ground.
  kFuelShort,    ///< The stop takes more fuel than there is.
  kNotLit,       ///< The engine does not light.
  kBurntOut,     ///< Out of fuel in the air.
  kStoppedHigh,  ///< Stopped above the ground with an engine that cannot be lit again.
  kHardContact,  ///< Touched too fast.
  kTipped,       ///< Not upright at rest.
};

/// The craft as it is believed to be.
struct LandingCraft {
  double mass_kg = 1, fuel_kg = 0;
  double min_thrust_N = 0, max_thrust_N = 0;  ///< Of a lit engine.
  double exhaust_speed_m_s = 0;               ///< c: thrust over mass flow. 0: mass stays.
  double lag_s = 0;                           ///< Of the thrust.
  double thrust_N = 0;                        ///< Now.
  bool reignitable = true;
  double axial_drag_m2 = 0, side_drag_m2 = 0;           ///< Cd times area.
  double density_kg_m3 = 1.225, scale_height_m = 8500;  ///< At the landing point; H, 0: uniform.
  double gravity_m_s2 = 9.80665;
  Vec3 wind_W;              ///< As far as it is known.
  Vec3 p_WL;                ///< Where to land.
  double feet_below_m = 0;  ///< How far its lowest foot is below the body origin, as it leans now.
  bool contact = false;     ///< From a sensor; false where there is none.
};

/// How it stops. Not possible: the thrust does not slow it down.
struct Stop {
  double height_m = 0, time_s = 0, fuel_kg = 0;
  bool possible = true;
};

struct HoverSlamState {
  LandingPhase phase = LandingPhase::kCoast;
  LandingReason reason = LandingReason::kNone;
  double in_phase_s = 0, at_rest_s = 0;
  double lit_s = 0;       ///< Since the last ignition.
  double mass_scale = 1;  ///< k.
  Vec3 push_W;            ///< d, level.
  std::uint32_t burns = 0;
  bool burning = false;  ///< While it steers.
  Vec3 steer_W;          ///< Level direction of that burn.
  Vec3 last_velocity_W;
  double last_height_m = 0;
  bool has_velocity = false;
};

struct LandingCommand {
  LandingPhase phase = LandingPhase::kCoast;
  LandingReason reason = LandingReason::kNone;
  double mass_scale = 1;  ///< k.
  bool ignition = false;
  Vec3 up_W{0, 0, 1};   ///< Where the body's z axis is to point, unit.
  double thrust_N = 0;  ///< Along the body's z axis, as it points now.
  Vec3 acceleration_W;  ///< Wanted, gravity not counted.
  double height_m = 0;  ///< Of the feet.
  double time_to_go_s = 0;
  Stop stop;             ///< From here at T_n, dead time included.
  double spare_m_s = 0;  ///< Speed change that the fuel gives beyond that stop.
  bool tilt_limited = false, thrust_limited = false;
};

/// T_n of the equation.
[[nodiscard]] double nominal_thrust_N(const HoverSlamParams&, const LandingCraft&) noexcept;

/// From `height_m` above the ground, falling at speed_m_s, to end_speed_m_s. With the craft's mass
/// as it is.
[[nodiscard]] Stop stop(const LandingCraft&, double height_m, double speed_m_s, double thrust_N,
                        double end_speed_m_s, double dead_s) noexcept;

/// One step on a fresh state. Not finite, or a craft that none is (no mass, gravity or thrust, a
/// least thrust above the largest): false, nothing changes and nothing may be sent.
[[nodiscard]] bool step(const HoverSlamParams&, HoverSlamState&, const LandingCraft&,
                        const Pose& X_WB, const Twist& V_WB_B, double dt_s,
                        LandingCommand& out) noexcept;

}  // namespace pintle::control

namespace pintle {
template <>
const EnumTable& enum_table<control::LandingPhase>();
template <>
const EnumTable& enum_table<control::LandingReason>();
template <>
const Table& table_of<control::HoverSlamParams>();
template <>
const Table& table_of<control::HoverSlamState>();
template <>
const Table& table_of<control::Stop>();
template <>
const Table& table_of<control::LandingCommand>();
}  // namespace pintle
