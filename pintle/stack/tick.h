/// The whole stack as one function.
///
///   estimate -> predict -> safety -> find failures -> mission and guidance -> linearise
///            -> control -> [ allocate -> gate: bounds, invert, finite? ]
///
/// `Model` is immutable and built off the tick; `State` is one plain struct, copied as bytes;
/// `Inputs` hold everything from outside; `Workspace` is memory that a tick takes up where the last
/// one left it, and can do without. No clock, I/O, heap, lock or exception inside. Simulator,
/// hardware and replay call the same function. Which control law flies is known to control/law.h
/// alone; here its traits are asked for.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "pintle/allocation/power.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation/smoothing.h"
#include "pintle/control/hover_slam.h"
#include "pintle/control/law.h"
#include "pintle/estimation/failure_detector.h"
#include "pintle/estimation/inertial.h"
#include "pintle/estimation/motion_watch.h"
#include "pintle/estimation/mount_check.h"
#include "pintle/estimation/odometry_frame.h"
#include "pintle/estimation/origin.h"
#include "pintle/estimation/wind.h"
#include "pintle/mission/mission.h"
#include "pintle/mission/navigation.h"
#include "pintle/propulsion/propulsor.h"
#include "pintle/stack/failsafe.h"
#include "pintle/stack/own_time.h"
#include "pintle/stack/signals.h"
#include "pintle/stack/telemetry.h"
#include "pintle/vehicle/supplies.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::stack {

/// What an armed craft does without a valid state. What flies needs an inertial sensor for it
/// (estimation/inertial.h); without one that is fit, and on the ground, it is kOff.
enum class OnStateLost : std::uint8_t {
  kOff,  ///< Efforts fall to zero: what floats, and what had better fall than fly on.
  // by the inertial sensor, for latch_after_s at most: then latched and off, also in the air
  kHoldThrust,  ///< Level, at zero velocity.
  kDescend,     ///< Level, down at `descend_m_s` until it stands.
};

/// What the vehicle does when it may not go on, and when that is. The safe effort is zero on every
/// channel.
struct SafetyParams {
  std::optional<OnStateLost> on_state_lost;  ///< Not given: kOff.
  double descend_m_s = 0.7;                  ///< Downwards; also of a failsafe's `land`.
  /// State lost: efforts fall to zero over this time. Disarming is at once.
  double ramp_to_safe_s = 0.5;
  /// A state that is needed lost for this long while armed or waiting to be, whatever is done
  /// meanwhile: latched safe. While it is back the time counts down again as fast as it went up.
  /// Under supervision the mission's `state_lost_s` counts instead.
  double latch_after_s = 5;
  /// A planner's setpoint older than this is let go of: a wrench becomes zero, or a hold where the
  /// craft would fall, a velocity a hold; a pose stands as long as the state was never lost. 0:
  /// never. Not given: kSetpointStale_s; never with `behaviour: reference`, as in the original.
  std::optional<double> setpoint_stale_s;
  /// A pose goes on being followed when a lost state is back; off: the place where that was is
  /// held.
  bool resume_pose = false;
};

inline constexpr double kSetpointStale_s = 1;

[[nodiscard]] Findings check(const SafetyParams& params);

/// What the stack takes the surroundings for, where no sensor says: effectiveness of fins, drag.
struct SurroundingsParams {
  double gravity_m_s2 = 9.80665;
  double air_density_kg_m3 = 1.225;
};

[[nodiscard]] Findings check(const SurroundingsParams& params);

/// What of a vehicle a landing on its engine needs and no tick changes.
struct Airframe {
  bool can_land = false;                       ///< Engines that light, feet to stand on.
  double axial_drag_m2 = 0, side_drag_m2 = 0;  ///< Drag areas, Cd A: along z, and across it.
  double stands_at_m = 0;  ///< Height of the body origin over the ground when it stands.
  /// Headings in the body, counter-clockwise from its x axis, in which a push tips it over last: where
  /// the feet reach farthest out. Empty where all are alike.
  FixedVector<double, 8> stable_headings_rad;
};

[[nodiscard]] Airframe airframe_of(const vehicle::Vehicle& vehicle) noexcept;

/// Immutable. Built by craft/load.h; one generation a change of parameters.
struct Model {
  std::uint32_t generation = 0;
  vehicle::Vehicle vehicle;
  /// Of the mounts with everything running; what changes is renewed each tick.
  Effectiveness effectiveness;
  AxisMask whole_axes = 0;  ///< Which of the controlled ones it reaches with all propulsors whole.
  std::vector<std::size_t> owner;  ///< Of each channel: the number of its propulsor.
  bool single_channels = true;     ///< Channels and propulsors are the same in number and order.
  bool thrusters_only = true;
  /// What takes the commands wants efforts: curve, dead band and quantum of the thrusters are
  /// behind it.
  bool sends_efforts = false;
  bool single_precision = false;  ///< And has 32 bits for each …
  double least_effort = 0;        ///< … and takes smaller ones for none.
  bool fixed_boxes = true;        ///< Thrusters without slew limits: only derating moves bounds.
  control::LawParams law;
  control::LawTraits traits;  ///< Of the law.
  /// The law leaves the propulsors to a flight controller: origin, proof of the frame, navigation
  /// and owner are looked after (tick_aircraft.cpp).
  bool supervised = false;
  control::HoverSlamParams landing;
  Airframe airframe;
  SurroundingsParams surroundings;
  allocation::Settings allocation;
  allocation::DeadBands dead_bands;
  allocation::PowerModel power;
  bool caps_power = false;  ///< Power is modelled, so that caps on it can be kept.
  estimation::EstimatorParams estimation;
  estimation::WindParams wind;
  SafetyParams safety;
  FailsafeParams failsafe;
  FailsafeRows failsafes;  ///< The same, as rows.
  AlarmParams alarms;
  estimation::DetectorParams detector;
  estimation::BodyModel body;   ///< Of the vehicle, for the detector.
  estimation::Freedom freedom;  ///< Of it, where the detector may excite.
  bool has_mission = false;
  mission::Mission mission;
  Duration period;            ///< Nominal, of the tick: horizon of bounds, dt of slew limits.
  double nominal_bus_V = 16;  ///< Until a reading comes.
};

/// What supervision remembers of a craft whose flight controller reports.
struct AircraftState {
  FlightReport flight;  ///< The newest good one …
  bool has_flight = false, flight_fresh = false;
  double suspected_m_s = 0;    ///< Of a blow that the next report has to confirm …
  Vec3 v_unstruck_W{};         ///< … and the velocity before it.
  bool battery_known = false;  ///< As the newest report says.
  bool is_silent = false;  ///< It has reported, and does not any more: until it has for a second.
  Time silent_at{};
  /// Of the mission, while it is armed and in the air: until it is known to be within for as long.
  std::uint8_t limits_passed = 0;
  std::array<Time, mission::kMissionLimits> passed_at{};
  bool refuses_flight = false, refuses_gripper = false;  ///< The last one was no good.
  GripperReport gripper;                                 ///< … and of the gripper.
  bool has_gripper = false, gripper_fresh = false;
  Time begun{};
  bool flew = false;            ///< In the air since the origin was set.
  bool may_be_charged = false;  ///< Armed, and not started since: an operator may begin it.
  bool has_flown = false;       ///< Since it was armed.
  bool has_ended = false;       ///< A mission has since: disarmed once it stands.
  Time down_at{};               ///< It stands since then.
  estimation::Origin origin{estimation::OriginParams{}};
  bool has_origin = false;
  Vec3 origin_m{};
  bool off_its_place = false;  ///< By the last sample on the ground.
  estimation::FrameCheck frames{estimation::OdometryFrame::kEnu, estimation::FrameCheckParams{}};
  estimation::MountCheck mount;  ///< Of the camera, with the frames.
  bool refusing = false;         ///< Odometry that has jumped …
  Time refusing_since{};
  bool repeats = false;  ///< Odometry gives the same numbers all the time; in flight that is none.
  Time differed_at{};    ///< By its stamp.
  bool origin_lost = false;          ///< … and stayed away: not trusted until the ground.
  estimation::DeadReckoning way{0};  ///< By the flight controller's velocity, in flight.
  estimation::MotionWatch watch;
  bool watched = false;        ///< In the air, as the watch knows it.
  bool frame_refuted = false;  ///< By a take-off: not armed until the proof is begun anew.
  mission::Navigation navigation{mission::NavigationParams{}};
  Pose navigation_goal{};
  mission::Owner owner = mission::Owner::kNobody;
};

/// Everything that lives from tick to tick.
struct State {
  std::uint64_t ticks = 0;
  std::uint32_t generation = 0;
  OwnTime time;
  bool clock_moved = false;  ///< Since the last act.
  std::uint64_t acts = 0;    ///< Of the ticks, those that ran as a whole …
  Time last_act{};           ///< … and when the last of them was.
  mission::Operator commander = mission::Operator::kNobody;
  // safety
  ArmState arm = ArmState::kDisarmed;
  bool wants_arm = false;    ///< To be armed as soon as it may be.
  bool terminated = false;   ///< Latched until that is reset: no `enable` lifts it.
  bool abort_asked = false;  ///< Of the mission, by a latch that no act has seen.
  Validity last_validity = Validity::kMissing;
  bool refuses_odometry = false;  ///< The last one was no good.
  std::optional<Time> leapt_at;   ///< The last place that its own speed did not explain.
  bool refuses_thrust = false, refuses_imu = false;
  std::optional<Time> thrust_at;  ///< When one was last measured.
  bool lost = false;              ///< The state is not valid while armed …
  Time lost_at{};                 ///< … since then.
  Duration lost_for{};            ///< Before it was valid again, …
  Time found_at{};                ///< … at this time.
  bool copes = false;             ///< It flies on all the same; see OnStateLost.
  Time ramp_at{};                 ///< When it ceased to fly …
  ChannelVector ramp_from;        ///< … and the efforts of that moment.
  bool fell = false;   ///< In the air without thrust and without a state since it was armed.
  bool aloft = false;  ///< It has left where it stood …
  Vec3 stood_m{};      ///< … which was here.
  Time flew_at{};      ///< When it last did not look like standing.
  // blocks
  estimation::EstimatorState odometry;
  Time heard_at{};           ///< Of odometry, on arrival: no clock makes it young again.
  Quat static_attitude{};    ///< Turns the static force.
  bool measured = false;     ///< Since the last act …
  double measured_dt_s = 0;  ///< … and the sum of the steps.
  estimation::InertialState inertial;
  bool carried = false;  ///< The state in use is carried on by it.
  double mass_kg = 0;    ///< As the law last took it.
  Vec3 felt_W{};         ///< Its mean acceleration of late, by the inertial sensor.
  Vec3 last_v_W{};       ///< Of odometry …
  Vec3 last_p_W{};       ///< … and where that was.
  Vec3 gained_W{};       ///< Velocity gained as measured since the last act …
  double gained_s = 0;   ///< … over this span …
  Vec3 expected_W{};     ///< … and what the propulsors have made of it.
  Vec3 blow_W{};         ///< Velocity of late that nothing explains.
  control::LawState law;
  control::HoverSlamState landing;
  estimation::WindState wind;  ///< Of a landing.
  std::int32_t stable_heading =
      -1;  ///< Which of `Airframe::stable_headings_rad` is turned downwind; -1: none.
  bool is_landing = false;  ///< The last tick was in a state that lands.
  mission::EngineState mission;
  AircraftState aircraft;
  std::uint8_t planner_parts = 0;  ///< SetpointPart: what the planner has ever given.
  bool has_planner_setpoint = false;
  bool planner_stale = false;     ///< Its setpoint has been let go of.
  bool planner_outlived = false;  ///< The state was lost since it came.
  Time planner_setpoint_at{};
  // of its parts, since each may be another program's; new modes give them time to come
  Time planner_pose_at{}, planner_wrench_at{}, planner_velocity_at{};
  Setpoint planner_setpoint{};
  vehicle::PropulsorStates propulsors;  ///< Predicted from what was sent.
  vehicle::TankFill tank_kg;            ///< The same of the tanks.
  ChannelVector last_command;           ///< What was sent to the drivers …
  std::uint64_t last_ignition = 0;      ///< … and which were to burn.
  std::uint64_t ignition = 0;  ///< Which are to burn while it is armed: one bit a propulsor.
  FixedVector<PropulsorHealth, kMaxPropulsors> announced;  ///< As told.
  FixedVector<PropulsorHealth, kMaxPropulsors> known;      ///< By operator, line, report, or told.
  FixedVector<PropulsorHealth, kMaxPropulsors> found;      ///< Found out by how the craft moves.
  FixedVector<PropulsorHealth, kMaxPropulsors> health;     ///< As believed: known, or found out.
  FixedVector<Health, kMaxPropulsors> told_health;         ///< The last event of each.
  std::uint64_t bad = 0;     ///< Those whose health is not good, one bit each.
  bool health_news = false;  ///< What is believed may not be what was told.
  /// What was found out is believed: its file says so, or the failsafe that acts.
  bool found_counts = false;
  Telemetry telemetry;
  allocation::SmoothingState smoothing;  ///< Preferred efforts in use, dead bands entered.
  estimation::ExcitationState excitation;
  ChannelVector last_effort;  ///< What was sent.
  double bus_V = 0;
  AxisMask reachable = kAllAxes;
  AxisMask told_lost = 0;                    ///< Axes whose loss has been told …
  std::array<Time, kAxes> unreachable_at{};  ///< … and when each was last out of reach.
  FailsafeState failsafe;
  bool saturated = false;
  Time saturated_at{};  ///< Last.
  bool power_capped = false;
};
static_assert(std::is_trivially_copyable_v<State>);
// one a lane of a batch, and one a snapshot: what is large belongs into the workspace
static_assert(sizeof(State) <= 40 * 1024);

/// What a tick works with beside its State: one for each that is flown, and not part of a snapshot.
/// A new one may take its place at any time: the detector then learns anew, and allocation gives the
/// same efforts to rounding.
struct Workspace {
  std::uint32_t generation = 0;     ///< Of the model that it was made for; 0: of none.
  Effectiveness effectiveness;      ///< The model's, with the bounds of this tick.
  allocation::Prepared allocation;  ///< What it keeps between demands.
  FixedVector<PropulsorHealth, kMaxChannels> channel_health;  ///< Of this tick, one a channel.
  estimation::DetectorState detector;
};
static_assert(std::is_trivially_copyable_v<Workspace>);

[[nodiscard]] State initial_state(const Model& model) noexcept;

/// What the detector needs to know of the body. Displaces fresh water: what is not so is learnt.
[[nodiscard]] estimation::BodyModel body_model(const vehicle::Vehicle& vehicle,
                                               const Effectiveness& effectiveness) noexcept;

/// Origin, navigation and proof of the frame, with the mission's numbers.
void prepare_aircraft(const Model& model, AircraftState& state) noexcept;

/// A state for a new generation of the same vehicle: everything goes on, the parameters are the new
/// ones.
void adopt(const Model& model, State& state) noexcept;

/// One step, or (`Phase::kTake`) the part of it that takes in what has come:
///
///   kTake   health, reports, commands but the mission's, the planner's setpoint, estimate, and the loops of
///           a law that runs once per measurement
///   kAct    all of it; what was measured since the last one counts as measured in it
///
/// A craft with a flight controller knows whole ticks only. `now` may be that of the tick before.
/// Safe for any bit pattern in the inputs; answers within bounds whatever happens.
/// The outputs count in own time (own_time.h): that of the inputs as long as their clock goes on.
void tick(const Model& model, State& state, Workspace& work, const Inputs& inputs,
          Outputs& outputs) noexcept;

}  // namespace pintle::stack

namespace pintle {
template <>
const Table& table_of<stack::SafetyParams>();
template <>
const EnumTable& enum_table<stack::OnStateLost>();
template <>
const Table& table_of<stack::SurroundingsParams>();
}  // namespace pintle
