/// What crosses the border between a stack and an aircraft that has a flight controller of its own,
/// a gripper and a camera: reports in, a motion command and requests out.
///
/// A request is made once and answered once, told apart by its number: whoever carries it out acts
/// when the number rises and reports the number back with the outcome. Done means seen to be done
/// (the phase of the flight, the status of the gripper), never "queued".
#pragma once
#include <cstdint>

#include "pintle/base/fields.h"
#include "pintle/base/geometry.h"
#include "pintle/base/time.h"

namespace pintle {

// ---------------------------------------------------------------------------------------------
// flight controller

/// Phase of a flight. Numbered as the flight status of DJI's onboard interface, which the `jet`
/// package answers to a charge.
enum class FlightPhase : std::uint8_t {
  kMotorsOff = 0,
  kOnGround = 1,  ///< Motors turn.
  kTakingOff = 2,
  kAirborne = 3,
  kLanding = 4,
  kTouchingDown = 5,
};

[[nodiscard]] constexpr bool on_ground(FlightPhase p) noexcept {
  return p == FlightPhase::kMotorsOff || p == FlightPhase::kOnGround;
}

enum class FlightRequestKind : std::uint8_t {
  kNone,
  kTakeControl,     ///< Motion commands are obeyed from now on.
  kReleaseControl,  ///< The flight controller holds by itself, or its pilot flies.
  kTakeOff,
  kLand,
};

enum class RequestOutcome : std::uint8_t {
  kNone,     ///< Nothing was asked yet.
  kPending,  ///< Taken on, not done.
  kDone,     ///< Seen to be done.
  kRefused,  ///< It will not be done.
  kFailed,   ///< It was tried.
};

/// What the flight controller says of itself; the witness that does not depend on odometry.
struct FlightReport {
  Time stamp;
  FlightPhase phase = FlightPhase::kMotorsOff;
  bool has_control = false;  ///< Our motion commands are obeyed.
  Vec3 v_W{};                ///< Its own velocity, world (east, north, up), m/s.
  bool has_yaw = false;
  double yaw_rad = 0;                              ///< Of its compass, counter-clockwise from east.
  double battery = 1;                              ///< Charge left, 0 to 1.
  std::uint32_t request = 0;                       ///< Number of the newest request heard …
  RequestOutcome outcome = RequestOutcome::kNone;  ///< … and what became of it.
  bool has_battery = true;  ///< False: it has not told its charge, or not lately.
};

struct FlightRequest {
  FlightRequestKind kind = FlightRequestKind::kNone;
  std::uint32_t number = 0;  ///< Rises with each request.
};

/// Velocity for a flight controller that closes the inner loops. Sent in every tick.
struct MotionCommand {
  Vec3 v_H{};                 ///< Forward, left, up, in the frame turned by the heading only, m/s.
  double yaw_rate_rad_s = 0;  ///< Counter-clockwise seen from above.
};

// ---------------------------------------------------------------------------------------------
// gripper

enum class GripperHold : std::uint8_t {
  kUnknown,  ///< No fresh status.
  kReleased,
  kGrabbed,
};

struct GripperReport {
  Time stamp;
  GripperHold hold = GripperHold::kUnknown;  ///< As the gripper itself says.
  bool connected = false;
  std::uint32_t request = 0;                       ///< Number of the newest request heard …
  RequestOutcome outcome = RequestOutcome::kNone;  ///< … and what became of it.
  bool by_hand = false;  ///< Somebody else has asked it for something since.
};

enum class GripperRequestKind : std::uint8_t { kNone, kGrab, kRelease };

struct GripperRequest {
  GripperRequestKind kind = GripperRequestKind::kNone;
  std::uint32_t number = 0;
};

// ---------------------------------------------------------------------------------------------
// targets

enum class TargetKind : std::uint8_t {
  kMarker,  ///< On the car.
  kPad,     ///< To land on.
};

/// A target as a camera saw it, or as a simulated world knows it. Of what is told with it the
/// tracker uses number and deviations; share and confidence are for who reads the log.
struct TargetSighting {
  Time stamp;  ///< Of the picture.
  TargetKind kind = TargetKind::kMarker;
  Vec3 p_BT_B{};             ///< From the body origin, forward, left, up, in the tilted body, m.
  std::uint32_t id = 0;      ///< Of a marker; targets without a number have 0.
  Vec3 sigma_B_m{};          ///< Standard deviation by axis of the body; 0: not stated.
  double visible_share = 1;  ///< Of its outline.
  double confidence = 1;     ///< 0 to 1, as the detector has it.
};

/// Of one tick; a picture may show several.
using Sightings = FixedVector<TargetSighting, 8>;

// ---------------------------------------------------------------------------------------------
// navigation goals

/// Asked for from outside: see mission/navigation.h.
enum class NavigationAsk : std::uint8_t { kNone, kGoal, kCancel };

struct NavigationRequest {
  NavigationAsk ask = NavigationAsk::kNone;
  std::uint64_t id = 0;
  Vec3 p_WB{};  ///< World, from the origin of the flight.
  double yaw_rad = 0;
};

/// Numbered as mission::NavigationOutcome.
struct NavigationStatus {
  bool active = false;
  std::uint64_t id = 0;                    ///< Of the active goal.
  std::array<std::uint8_t, 4> progress{};  ///< Percent of x, y, z, yaw.
  std::uint64_t ended_id = 0;              ///< Of a goal that ended in this tick …
  std::uint8_t ended_as = 0;               ///< … and how; 0: none did.
};

// field tables of the above
template <>
const EnumTable& enum_table<FlightPhase>();
template <>
const EnumTable& enum_table<FlightRequestKind>();
template <>
const EnumTable& enum_table<RequestOutcome>();
template <>
const EnumTable& enum_table<GripperHold>();
template <>
const EnumTable& enum_table<GripperRequestKind>();
template <>
const EnumTable& enum_table<TargetKind>();
template <>
const EnumTable& enum_table<NavigationAsk>();
template <>
const Table& table_of<FlightReport>();
template <>
const Table& table_of<FlightRequest>();
template <>
const Table& table_of<MotionCommand>();
template <>
const Table& table_of<GripperReport>();
template <>
const Table& table_of<GripperRequest>();
template <>
const Table& table_of<TargetSighting>();
template <>
const Table& table_of<NavigationRequest>();
template <>
const Table& table_of<NavigationStatus>();

}  // namespace pintle
