/// A delivery without physics: a craft that follows velocities with a lag, a flight controller, a
/// gripper and targets that can each be broken. What the simulated world does properly, quickly.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"
#include "pintle/craft/jet_mission.h"
#include "pintle/craft/load.h"
#include "pintle/stack/tick.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::testing {

enum class Fault : std::uint8_t {
  kNone,
  kMissing,
  kFrozen,   ///< The last thing said, with a new stamp.
  kStale,    ///< Stamps stand still.
  kGarbage,  ///< Numbers that are none, or far away.
  kJump,     ///< Off by some metres (odometry, targets); refusing (controller, gripper).
  kFails,    ///< Requests are taken on and fail.
  kMute,     ///< Requests are not heard.
};
inline constexpr std::size_t kFaults = 8;
enum class Part : std::uint8_t { kOdometry, kTargets, kGripper, kFlight };
inline constexpr std::size_t kParts = 4;

struct DeliveryRig {
  explicit DeliveryRig(stack::Model m) : model(std::move(m)) {
    state = std::make_unique<stack::State>(stack::initial_state(model));
    out = std::make_unique<stack::Outputs>();
  }

  // ---------------------------------------------------------------- the world
  Vec3 p{0.3, -0.2, 0};  ///< Where it really is.
  double yaw = 0.3;
  Vec3 v{};
  Vec3 car{-0.99 + 0.3 + 0.15, -1.97 - 0.2 - 0.1, 0.25};
  Vec3 pad{0.3 + 0.08, -0.2 - 0.05, 0};
  FlightPhase phase = FlightPhase::kMotorsOff;
  bool has_control = false, payload = true, grabbed = false;
  double battery = 0.9;
  bool tells_battery = true;
  Vec3 odometry_from{};                    ///< Where its odometry counts from.
  double hand_z_m_s = 0;                   ///< Lifted by hand …
  Vec3 hand_aside_m_s{};                   ///< … and carried.
  Vec3 wind{};                             ///< Pushes along.
  double seen_from_m = 0.35;               ///< Nearer targets are out of the picture.
  bool mirror_z = false, swap_xy = false;  ///< Wrongly declared odometry.
  bool mirror_witness = false;             ///< The flight controller's velocity too.
  std::uint32_t flight_number = 0, gripper_number = 0;
  RequestOutcome flight_outcome{}, gripper_outcome{};
  FlightRequestKind flight_doing{};
  double doing_s = 0, gripper_s = 0;
  bool dropped = false;
  Vec3 dropped_at{};
  std::array<Fault, kParts> fault{};
  double take_off_late_s = 0;  ///< A take-off that was asked for comes whatever is asked for next.
  double rises_in_s = -1;
  bool only_queues = false;  ///< Take-off and landing are called done when they are asked for.
  double false_alarms = 0;   ///< Of the pictures: a marker somewhere in its area.
  RandomStream pictures{1, "pictures"};
  std::uint64_t allocated = 0;                 ///< By the ticks.
  std::function<void(TargetSighting&)> spoil;  ///< What becomes of a sighting on its way.
  std::function<void(Sightings&)> look;        ///< What a camera has found, in place of all that.

  stack::Model model;
  std::unique_ptr<stack::State> state;
  std::unique_ptr<stack::Workspace> work = std::make_unique<stack::Workspace>();
  std::unique_ptr<stack::Outputs> out;
  stack::Inputs in;
  Time now = Time::from_seconds(1);
  std::optional<Time> clock_stands;  ///< The tick's clock, of which stamps know nothing.
  Duration clock_off{};              ///< … or by how much it is wrong.
  estimation::Measurement last_odometry;
  FlightReport last_flight;
  GripperReport last_gripper;
  TargetSighting last_target;
  std::vector<stack::OperatorCommand> pending;
  std::vector<Event> said;
  std::uint64_t ticks = 0;

  [[nodiscard]] Fault at(Part part) const { return fault[static_cast<std::size_t>(part)]; }
  void fail(Part part, Fault how) { fault[static_cast<std::size_t>(part)] = how; }
  [[nodiscard]] bool airborne() const { return !on_ground(phase); }
  [[nodiscard]] bool happened(EventCode code) const {
    return std::any_of(said.begin(), said.end(), [code](const Event& e) { return e.code == code; });
  }
  [[nodiscard]] int index_of(const std::string& name) const {
    for (std::size_t i = 0; i < model.mission.states.size(); ++i)
      if (model.mission.states[i].name == name) return static_cast<int>(i);
    return -1;
  }

  void command(stack::CommandCode code, std::int32_t argument = -1) {
    pending.push_back({code, argument});
  }

  void move(double dt) {
    Vec3 wanted{};
    const MotionCommand& m = out->motion;
    double rate = 0;
    const bool flies = phase == FlightPhase::kAirborne;
    if (flies && has_control) {
      wanted = rotate(from_rpy({0, 0, yaw}), m.v_H);
      rate = m.yaw_rate_rad_s;
    }
    if (phase == FlightPhase::kTakingOff) wanted.z = 0.6;
    if (phase == FlightPhase::kLanding) wanted.z = -0.4;
    if (!airborne()) {
      v = hand_aside_m_s + Vec3{0, 0, hand_z_m_s};
    } else {
      v = v + std::min(1.0, dt / 0.25) * (wanted + wind - v);
    }
    p = p + dt * v;
    yaw = wrap_angle(yaw + dt * rate);
    if (airborne() && phase != FlightPhase::kTakingOff && p.z <= 0) {
      p.z = 0;
      v = {};
      phase = FlightPhase::kMotorsOff;
    }
    if (phase == FlightPhase::kTakingOff && p.z >= 1.0) phase = FlightPhase::kAirborne;
    battery -= dt * 2e-5;
  }

  void serve_requests(double dt) {
    const Fault f = at(Part::kFlight);
    const FlightRequest& r = out->flight_request;
    if (f != Fault::kMute && r.number != flight_number) {
      flight_number = r.number;
      flight_doing = r.kind;
      doing_s = 0.2;
      flight_outcome = RequestOutcome::kPending;
      const bool refuses = f == Fault::kJump ||
                           (r.kind == FlightRequestKind::kTakeOff && airborne()) ||
                           (r.kind == FlightRequestKind::kTakeOff && !has_control);
      if (refuses) {
        flight_outcome = RequestOutcome::kRefused;
        flight_doing = FlightRequestKind::kNone;
      }
    }
    if (flight_doing != FlightRequestKind::kNone && (doing_s -= dt) <= 0) {
      if (f == Fault::kFails) {
        flight_outcome = RequestOutcome::kFailed;
      } else {
        switch (flight_doing) {
          case FlightRequestKind::kTakeControl: has_control = true; break;
          case FlightRequestKind::kReleaseControl: has_control = false; break;
          case FlightRequestKind::kTakeOff:
            if (!only_queues) rises_in_s = take_off_late_s;
            break;
          case FlightRequestKind::kLand:
            if (airborne() && !only_queues) phase = FlightPhase::kLanding;
            break;
          default: break;
        }
        flight_outcome = RequestOutcome::kDone;
      }
      flight_doing = FlightRequestKind::kNone;
    }
    if (rises_in_s >= 0 && (rises_in_s -= dt) < 0 && !airborne()) phase = FlightPhase::kTakingOff;
    const Fault g = at(Part::kGripper);
    const GripperRequest& q = out->gripper_request;
    if (g == Fault::kMute || g == Fault::kMissing) return;
    if (q.number != gripper_number) {
      gripper_number = q.number;
      gripper_s = 0.3;
      gripper_outcome = g == Fault::kJump ? RequestOutcome::kRefused : RequestOutcome::kPending;
    }
    if (gripper_outcome == RequestOutcome::kPending && (gripper_s -= dt) <= 0) {
      gripper_outcome = g == Fault::kFails ? RequestOutcome::kFailed : RequestOutcome::kDone;
      if (gripper_outcome == RequestOutcome::kDone) {
        if (grabbed && q.kind == GripperRequestKind::kRelease && !dropped) {
          dropped = true;
          dropped_at = p;
        }
        grabbed = q.kind == GripperRequestKind::kGrab;
      }
    }
  }

  void sense() {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    std::vector<stack::OperatorCommand> commands;
    commands.swap(pending);
    const stack::Inputs before = in;
    in = {};
    in.now = clock_stands.value_or(now + clock_off);
    in.generation = model.generation;
    in.has_navigation = before.has_navigation && keep_navigation;
    in.navigation = before.navigation;
    keep_navigation = false;
    for (const auto& c : commands) in.commands.push_back(c);

    const Quat q = from_rpy({0, 0, yaw});
    Vec3 seen = p - odometry_from, seen_v = v;
    double seen_yaw = yaw;
    if (mirror_z) seen.z = -seen.z, seen_v.z = -seen_v.z;
    if (swap_xy) {
      std::swap(seen.x, seen.y);
      std::swap(seen_v.x, seen_v.y);
      seen_yaw = kPi / 2 - yaw;
    }
    const Quat seen_q = from_rpy({0, 0, seen_yaw});
    estimation::Measurement o{now, {seen, seen_q}, {rotate(conjugate(seen_q), seen_v), {}}};
    const Fault of = at(Part::kOdometry);
    in.has_odometry = of != Fault::kMissing && of != Fault::kMute;
    if (of == Fault::kFrozen) o.X_WB = last_odometry.X_WB, o.V_WB_B = last_odometry.V_WB_B;
    if (of == Fault::kStale) o = last_odometry;
    if (of == Fault::kGarbage) o.X_WB.p.x = kNan;
    if (of == Fault::kJump) o.X_WB.p = o.X_WB.p + Vec3{7, -4, 3};
    if (of == Fault::kFails) o.X_WB.q = {9, 9, 9, 9};
    if (of == Fault::kNone) last_odometry = o;
    in.odometry = o;

    const Fault ff = at(Part::kFlight);
    const Vec3 told{v.x, v.y, mirror_witness ? -v.z : v.z};
    FlightReport r{now, phase,   has_control,   told,          true,
                   yaw, battery, flight_number, flight_outcome};
    r.has_battery = tells_battery;
    in.has_flight = ff != Fault::kMissing;
    if (ff == Fault::kFrozen) r = last_flight, r.stamp = now;
    if (ff == Fault::kStale) r = last_flight;
    if (ff == Fault::kGarbage) r.v_W.x = kNan, r.battery = -3;
    if (ff != Fault::kFrozen && ff != Fault::kStale) last_flight = r;
    in.flight = r;

    const Fault gf = at(Part::kGripper);
    GripperReport g{now, grabbed ? GripperHold::kGrabbed : GripperHold::kReleased, true,
                    gripper_number, gripper_outcome};
    in.has_gripper = gf != Fault::kMissing;
    if (gf == Fault::kFrozen) g = last_gripper, g.stamp = now;
    if (gf == Fault::kStale) g = last_gripper;
    if (gf == Fault::kGarbage) g.hold = static_cast<GripperHold>(77);
    if (gf != Fault::kFrozen && gf != Fault::kStale) last_gripper = g;
    in.gripper = g;

    // pictures at 25 Hz, of what lies below within 45 degrees
    if (look)
      look(in.targets);
    else if (ticks % 2 == 0)
      see(conjugate(q));
    ++ticks;
  }

  void see(Quat q_BW) {
    const Fault tf = at(Part::kTargets);
    if (tf == Fault::kMissing || tf == Fault::kMute || tf == Fault::kFails) return;
    const auto visible = [this](Vec3 t) {
      return p.z - t.z > seen_from_m && std::hypot(t.x - p.x, t.y - p.y) < p.z - t.z;
    };
    if (pictures.uniform() < false_alarms) {
      const mission::TargetArea& a = model.mission.aircraft.marker;
      const Vec3 p_WT = state->aircraft.origin_m + Vec3{a.x_m + pictures.uniform(-2, 2),
                                                        a.y_m + pictures.uniform(-2, 2), 0.25};
      if (p.z > 0.5)
        in.targets.push_back({now, TargetKind::kMarker, rotate(q_BW, p_WT - (p - odometry_from))});
      return;
    }
    const bool marker = visible(car) && (!visible(pad) || ticks % 4 == 0);
    if (!marker && !visible(pad)) return;
    TargetSighting s{now, marker ? TargetKind::kMarker : TargetKind::kPad,
                     rotate(q_BW, (marker ? car : pad) - p)};
    if (tf == Fault::kFrozen) s.p_BT_B = last_target.p_BT_B;
    if (tf == Fault::kStale) s.stamp = last_target.stamp;
    if (tf == Fault::kGarbage) s.p_BT_B.y = std::numeric_limits<double>::infinity();
    if (tf == Fault::kJump) s.p_BT_B = s.p_BT_B + Vec3{ticks % 8 < 4 ? 3.0 : -3.0, 1, 0};
    if (tf == Fault::kNone) last_target = s;
    if (spoil) spoil(s);
    in.targets.push_back(s);
  }

  void tick() {
    const double dt = model.period.seconds();
    sense();
    const std::uint64_t before = heap_allocations();
    stack::tick(model, *state, *work, in, *out);
    allocated += heap_allocations() - before;
    for (const Event& e : out->events) said.push_back(e);
    serve_requests(dt);
    move(dt);
    now = now + model.period;
  }
  void run(double seconds) {
    for (int n = static_cast<int>(std::lround(seconds / model.period.seconds())); n > 0; --n)
      tick();
  }
  /// Until it is so; false: not within so many seconds.
  bool run_until_so(const std::function<bool()>& so, double at_most_s) {
    for (double t = 0; t < at_most_s && !so(); t += model.period.seconds()) tick();
    return so();
  }
  /// Until the mission is in that state; false: not within so many seconds.
  bool run_until(int wanted, double at_most_s) {
    for (double t = 0; t < at_most_s; t += model.period.seconds()) {
      tick();
      if (out->mission.state == wanted) return true;
    }
    return false;
  }
  bool run_to_end(double at_most_s) {
    for (double t = 0; t < at_most_s; t += model.period.seconds()) {
      tick();
      if (ended()) return true;
    }
    return false;
  }
  [[nodiscard]] bool ended() const {
    return out->mission.phase == MissionPhase::kPassed ||
           out->mission.phase == MissionPhase::kFailed ||
           out->mission.phase == MissionPhase::kAborted;
  }
  /// Stands still, is lifted by 0.3 m, held there, put down, stands still.
  void carry(double hold_s = 0) {
    run(1.2);
    hand_z_m_s = 0.3;
    run(1);
    hand_z_m_s = 0;
    run(hold_s);
    hand_z_m_s = -0.3;
    run(1);
    hand_z_m_s = 0;
    run(1.5);
  }
  void start() {
    carry();
    command(stack::CommandCode::kArm);
    tick();
    command(stack::CommandCode::kMissionStart);
    tick();
  }
  void ask(NavigationAsk what, std::uint64_t id, Vec3 where = {}, double yaw_rad = 0) {
    in.has_navigation = keep_navigation = true;
    in.navigation = {what, id, where, yaw_rad};
  }
  bool keep_navigation = false;
};

/// The shipped mission.
inline stack::Model delivery_model() {
  const craft::MissionFile file =
      craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
  return craft::build_model(file.vehicle, &file.mission);
}

}  // namespace pintle::testing
