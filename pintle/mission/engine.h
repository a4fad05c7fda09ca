/// Runs a mission, one tick at a time: a function of (mission, state, input). No clock, no heap.
///
/// In a tick: command, abort request, time limit, success, timeout; the first that applies decides,
/// and at most one state is left and one entered. A state entered is judged from the next tick on,
/// with nothing inherited: settle clock, turn and time start at zero.
///
///   start    from idle or ended, on a valid vehicle state. Unnamed axes hold where the vehicle is.
///   pause    while running: the pose of that moment is held, the state's time stands still.
///   resume   the state goes on towards its goal; the settle clock starts again.
///   jump     while running or paused (then it stays paused): as if started there.
///   axes     those that were there at the start and are not any more are told (event and status)
///            when they change; with on_axis_lost: abort that is an abort request. One is back when
///            it has stayed for kAxisBack; of a landing, attitudes that its goal does not name are
///            free and cannot be lost.
///   abort    while running or paused: on_abort of the state, unnamed axes hold where the vehicle
///            is. On the abort path nothing but its own end can be asked for.
///
///   reload   a model whose state asks for another pose moves the goal of the running state; what
///            was settled there counts no more. Time limits, heights above targets and what a
///            success takes are those of the newest model anyway.
///
///   step     from any rest: one state in closed loop, with its retries; then a pause at it.
///   select   from any rest, or while running: a pause at a state, where resume goes on afresh.
///   cut off  while running or paused: idle where the vehicle is; the next start begins anew.
///
/// Of craft with a flight controller (see aircraft.h): a request goes out once per attempt, in the
/// second tick of a state (so that nothing is asked for in a pause), and not at all where what it
/// asks of the flight is so already. A refused one ends its attempt after half a second. Battery,
/// fence, a flight controller that is silent, a gripper that says for kPayloadGone that what it held
/// is gone though nobody asked for that and, in flight, odometry that is lost ask for an abort; a
/// pilot who takes over ends the mission. On the abort path a state that goes somewhere (position,
/// velocity, target, search) and leads to another where it fails ends as by its time limit, without
/// its retries, where no pose has come for kLostOnTheWayHome; and a landing that is refused is asked
/// for again every kAskedAgain until its time limit. The abort path may also be taken from rest, in
/// the air. Conditions that need no pose are judged without one.
///
/// A take-off that was asked for may come late. Until the flight controller has refused it or is
/// seen off the ground, or has answered a landing and stood for kLateTakeOff, to stand is no
/// evidence of having landed: a landing is asked for all the same, and once more if it rises then.
///
///   land     while active, and at rest with a craft that is or may be in the air: the landing of
///            the abort path, where the vehicle is.
///
/// Instants are on the engine's own clock: it sums up the time between ticks since the start, and a
/// tick whose `now` is not later adds nothing. Evidence (settling, turning) is not carried over
/// gaps longer than kLongestGap; over a shorter one of the vehicle state the settle clock stands. A
/// vehicle state counts as valid when it is marked so, finite, within 1e7 and its quaternion within
/// 1 % of a unit one.
///
/// Does not judge whether a vehicle state that stays away is a danger: that is the safety layer's.
#pragma once
#include "pintle/mission/mission.h"
#include "pintle/mission/target_track.h"

namespace pintle::mission {

/// Between two ticks, or two valid states. Longer: what happened in between is not known.
inline constexpr Duration kLongestGap{500'000'000};
/// Without a pose for so long, nothing on the abort path waits for it any more: the main path has
/// then waited for state_lost_s and held.
inline constexpr Duration kLostOnTheWayHome{5'000'000'000};
/// From a landing's being refused on the abort path to its being asked for again.
inline constexpr Duration kAskedAgain{2'000'000'000};
/// An axis that was lost is back when it has been there for so long.
inline constexpr Duration kAxisBack{1'000'000'000};

/// From the first report that says that nothing is held to another one that does: one is no loss.
inline constexpr Duration kPayloadGone{500'000'000};

/// From a take-off's being asked for to the craft's being seen to rise, at most.
inline constexpr Duration kLateTakeOff{3'000'000'000};

/// What an operator may ask of a mission.
enum class Command : std::uint8_t {
  kNone,
  kStart,
  kPause,
  kResume,
  kAbort,
  kJump,
  kStep,
  kSelect,
  kCutOff,
  kLand
};

/// What an attempt has asked for.
struct Requests {
  FlightRequest flight;    ///< Of the newest one …
  GripperRequest gripper;  ///< … and the newest to the gripper.
  bool due = false;        ///< Not sent yet in this attempt.
  bool sent = false;       ///< In this attempt.
  bool rising = false;     ///< A take-off was asked for, and may still come …
  Time rising_since{};     ///< … since then, on the caller's clock.
  bool failed = false;     ///< Refused, or it went wrong …
  Time failed_at{};        ///< … on the engine's clock.
};

/// What the gripper says that it holds.
struct Payload {
  bool held = false;  ///< And nobody has asked for its release.
  bool gone = false;  ///< It says so now …
  Time gone_since{};  ///< … since then, by the stamps of its reports.
  bool lost = false;  ///< In this tick: it has said so for kPayloadGone.
};

/// What is said by flight controller, gripper and camera, as the tick passes it on.
struct AircraftInput {
  bool present = false;  ///< False: a craft that has none of these.
  FlightReport flight;   ///< The newest good one.
  bool flight_fresh = false, flight_lost = false;
  GripperReport gripper;
  bool gripper_fresh = false;
  bool state_lost = false;  ///< No valid odometry for too long.
  /// Since the last tick, several of one picture side by side; null: none.
  const Sightings* sightings = nullptr;
  Vec3 origin_W{};  ///< What positions count from; where it has moved all is forgotten.
};

/// Of the mission's limits, one bit a MissionLimit.
struct LimitsPassed {
  bool in_flight = false;  ///< On the ground none is passed.
  std::uint8_t passed = 0, known = 0;
};
/// `p` counts from the origin of the flight; null: it is not known.
[[nodiscard]] LimitsPassed limits_passed(const AircraftSpec& spec, const AircraftInput& in,
                                         const Vec3* p) noexcept;

/// What it does on the way down to a target.
enum class ApproachPhase : std::uint8_t {
  kNone,     ///< No state that serves one, or nothing to go by yet.
  kComes,    ///< Towards its place over the target, or there.
  kHolds,    ///< Outside of the cone: it keeps its height, and comes over the target.
  kClimbs,   ///< It has lost it and climbs to see it again.
  kBlind,    ///< So low that it goes on without seeing it.
  kGivenUp,  ///< Lost too often: nothing is left but to land, or what the mission says then.
};

/// On the way down to a target.
struct Approach {
  bool has_aim = false;
  Vec3 aim{}, v_aim{};      ///< Where the target is, or was last; and its velocity.
  bool holds = false;       ///< Outside of the cone: not lower than …
  double not_below_m = 0;   ///< … this.
  bool climbs = false;      ///< To see it again …
  double climb_to_m = 0;    ///< … from this height …
  Time since{};             ///< … since then.
  std::int32_t losses = 0;  ///< In this attempt.
  bool given_up = false;
  // of the last tick
  ApproachPhase phase = ApproachPhase::kNone;
  double height_m = 0;   ///< Over the target.
  double aside_m = 0;    ///< From the axis of the cone …
  double allowed_m = 0;  ///< … which is so wide there.
};

struct EngineState {
  MissionPhase phase = MissionPhase::kIdle;
  std::int32_t state = -1;
  std::uint32_t attempt = 0;
  bool aborting = false;  ///< On the abort path: the ending is kAborted whatever it is called.
  Time mission_started{}, state_entered{}, settled_since{};  ///< On the engine's clock.
  bool settled = false;    ///< The success condition held in the last tick.
  Duration time_paused{};  ///< In this state: does not count against its timeout.
  Time paused_at{};
  Setpoint setpoint{};  ///< Commanded in this tick and held until something else is.
  Vec6 goal_pose{};     ///< x, y, z, roll, pitch, yaw carried from state to state.
  Quat q_WD{};          ///< Of goal_pose.
  Vec6 goal_asked{};    ///< What the state in the file asked for; a reload may ask for another.
  Vec3 turned{};        ///< Accumulated turn about the body axes since entry, rad.
  Time last_tick{};
  bool has_setpoint = false;  ///< `setpoint` holds a known pose.
  bool has_ticked = false;
  Time clock{};       ///< The engine's own, from the start of the mission.
  Time last_valid{};  ///< On the caller's clock: when last_pose was seen.
  Pose last_pose{};   ///< The last valid one.
  bool has_pose = false;
  AxisMask axes_at_start = 0;                 ///< Reachable when the mission began.
  AxisMask axes_lost = 0;                     ///< Of those, as last told.
  std::array<Time, kAxes> axis_missing_at{};  ///< On the engine's clock: when last.
  bool single = false;                        ///< One state alone, then a pause …
  bool selected = false;                      ///< … from which resume enters the state afresh.
  Requests requests;
  Payload payload;
  bool had_control = false;  ///< The flight controller obeyed since the mission began.
  PoseHistory poses;
  std::array<TargetTrack, 2> targets;                     ///< Marker and pad.
  bool refuses_sightings = false;                         ///< The last one was no good.
  FixedVector<SightingFate, Sightings::kCapacity> fates;  ///< Of those of this tick.
  Vec3 origin{};                                          ///< Of poses and targets.
  Approach approach;
  Vec3 search_from{};
  double search_way_m = 0;
};

struct EngineInput {
  Time now;
  VehicleState vehicle;  ///< Not valid: no success counts, time goes on.
  Command command = Command::kNone;
  std::int32_t jump_to = -1;
  AxisMask reachable = kAllAxes;  ///< Axes of the body that the propulsors can produce.
  bool abort = false;             ///< The safety layer asks for the abort path.
  bool failed = false;            ///< It has hit something, or a failsafe ends it: nothing succeeds
                                  ///< any more.
  bool aloft = false;             ///< It flies: also what has ended may still be broken off.
  bool follow_vehicle = false;    ///< Somebody else flies: what is held at rest is where it is.
  AircraftInput aircraft;
  bool disarmed = false;  ///< Nothing reaches the propulsors: a hold goes where the vehicle goes,
                          ///< so that it does not rush back to an old place when it is armed.
};

struct EngineOutput {
  Setpoint setpoint;  ///< Always usable: a hold when nothing else is wanted.
  MissionStatus status;
  bool reset_control = false;
  bool finished = false;    ///< In this tick.
  bool refused = false;     ///< The command does not apply now; the caller says so.
  bool pose_known = false;  ///< False: no valid state has ever come. The setpoint then holds the
                            ///< world's origin, level: usable as numbers, not as a wish.
  FlightRequest flight_request;
  GripperRequest gripper_request;
  bool single = false;   ///< An operator's single step is what moves.
  bool servo = false;    ///< The goal follows a target.
  bool changed = false;  ///< Another state, or hold, than in the tick before.
};

/// Events go to `events` (lost when it is full).
[[nodiscard]] EngineOutput step(const Mission& mission, EngineState& state,
                                const EngineInput& input, EventList& events) noexcept;

}  // namespace pintle::mission

namespace pintle {
template <>
const EnumTable& enum_table<mission::Command>();
template <>
const EnumTable& enum_table<mission::ApproachPhase>();
template <>
const Table& table_of<mission::EngineState>();
}  // namespace pintle
