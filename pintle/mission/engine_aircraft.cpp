#include "pintle/mission/engine_aircraft.h"

#include <algorithm>
#include <cmath>

#include "pintle/mission/arbiter.h"
#include "pintle/mission/evidence.h"
#include "pintle/mission/goal.h"
#include "pintle/mission/search.h"

namespace pintle::mission {
namespace {

/// A refused request is asked again after this.
constexpr Duration kAfterRefusal{500'000'000};
/// Past what may be a target a search goes slower: after one glimpse for two pictures at ten a
/// second, where two agree for a second.
constexpr double kGlimpse_s = 0.2, kLook_s = 1;
constexpr double kGlimpsed = 0.5, kLooking = 0.1;
/// A climb is over when it is so near its height.
constexpr double kClimbed_m = 0.2;

std::size_t index_of(TargetChoice choice) noexcept { return choice == TargetChoice::kPad ? 1 : 0; }

bool is_of_gripper(Request r) noexcept { return r == Request::kGrab || r == Request::kRelease; }

FlightRequestKind flight_kind(Request r) noexcept {
  switch (r) {
    case Request::kTakeControl: return FlightRequestKind::kTakeControl;
    case Request::kReleaseControl: return FlightRequestKind::kReleaseControl;
    case Request::kTakeOff: return FlightRequestKind::kTakeOff;
    case Request::kLand: return FlightRequestKind::kLand;
    default: return FlightRequestKind::kNone;
  }
}

bool flight_holds(FlightEvidence wanted, const EngineState& s, const AircraftInput& a) noexcept {
  if (wanted == FlightEvidence::kAny) return true;
  if (!a.flight_fresh) return false;
  // what stands and is about to take off has not landed
  const bool stays = !s.requests.rising;
  switch (wanted) {
    case FlightEvidence::kMotorsOff: return stays && a.flight.phase == FlightPhase::kMotorsOff;
    case FlightEvidence::kOnGround: return stays && on_ground(a.flight.phase);
    default: return a.flight.phase == FlightPhase::kAirborne;
  }
}

bool control_holds(const std::optional<bool>& wanted, const AircraftInput& a) noexcept {
  return !wanted || (a.flight_fresh && a.flight.has_control == *wanted);
}

/// What became of the request of this attempt.
RequestOutcome outcome(const State& state, const EngineState& s, const AircraftInput& a) noexcept {
  if (!s.requests.sent) return RequestOutcome::kNone;
  if (is_of_gripper(state.request))
    return a.gripper_fresh && a.gripper.request == s.requests.gripper.number
               ? a.gripper.outcome
               : RequestOutcome::kPending;
  return a.flight_fresh && a.flight.request == s.requests.flight.number ? a.flight.outcome
                                                                        : RequestOutcome::kPending;
}

/// Whether a take-off that was asked for may still come.
void watch_rising(Requests& r, const AircraftInput& a, Time now) noexcept {
  if (!r.rising || !a.flight_fresh) return;
  const bool lands = r.flight.kind == FlightRequestKind::kLand;
  if (!on_ground(a.flight.phase)) {
    r.rising = false;
    // a landing that was answered on the ground is not meant for this flight
    if (lands) r.due = r.sent;
    return;
  }
  if (a.flight.request != r.flight.number) return;
  const RequestOutcome o = a.flight.outcome;
  const bool will_not = o == RequestOutcome::kRefused || o == RequestOutcome::kFailed;
  if (lands ? o == RequestOutcome::kDone && now - r.rising_since > kLateTakeOff : will_not)
    r.rising = false;
}

/// What was grabbed and is let go of without having been asked for: it has dropped, or was taken out.
void watch_payload(const AircraftSpec& spec, const State* state, EngineState& s,
                   const EngineInput& in, EventList& events) noexcept {
  Payload& p = s.payload;
  const AircraftInput& a = in.aircraft;
  p.lost = false;
  const bool asked = s.requests.gripper.kind == GripperRequestKind::kRelease || a.gripper.by_hand;
  if (!is_under_way(s.phase) || asked) {
    p = {};
    return;
  }
  const bool speaks = spec.gripper_answers && a.gripper_fresh && a.gripper.connected;
  // a state that asks it for something goes by its answer
  if (!speaks || (state != nullptr && is_of_gripper(state->request))) {
    p.gone = false;
    return;
  }
  const bool holds = a.gripper.hold == GripperHold::kGrabbed;
  const bool gone = p.held && a.gripper.hold == GripperHold::kReleased;
  if (gone && !p.gone) p.gone_since = a.gripper.stamp;
  p.gone = gone;
  p.lost = gone && a.gripper.stamp - p.gone_since >= kPayloadGone;
  p.held = (p.held || holds) && !p.lost;
  if (p.lost) events.push_back({in.now, EventCode::kPayloadLost, s.state, 0});
}

/// The gripper's own word, and when this state asked for something: its word on that.
bool gripper_holds(const AircraftSpec& spec, const State& state, const EngineState& s,
                   const AircraftInput& a) noexcept {
  const GripperEvidence wanted = state.success.gripper;
  if (wanted == GripperEvidence::kAny) return true;
  const bool asked = is_of_gripper(state.request);
  if (!spec.gripper_answers) return !asked || s.requests.sent;
  if (!a.gripper_fresh || !a.gripper.connected) return false;
  if (asked && outcome(state, s, a) != RequestOutcome::kDone) return false;
  return a.gripper.hold ==
         (wanted == GripperEvidence::kGrabbed ? GripperHold::kGrabbed : GripperHold::kReleased);
}

/// Whether it needs to know where the target is.
bool goes_by(const State& state, std::size_t target) noexcept {
  const auto is_it = [target](TargetChoice choice) {
    return choice != TargetChoice::kNone && index_of(choice) == target;
  };
  return is_it(state.servo.target) || is_it(state.success.target.kind);
}

}  // namespace

void observe(const AircraftSpec& spec, const State* state, EngineState& s, const EngineInput& in,
             bool usable, EventList& events) noexcept {
  s.fates.clear();
  if (!in.aircraft.present) return;
  watch_rising(s.requests, in.aircraft, in.now);
  watch_payload(spec, state, s, in, events);
  if (!(in.aircraft.origin_W == s.origin)) {
    // places in the old world mean nothing in the new one
    s.origin = in.aircraft.origin_W;
    s.poses.clear();
    s.targets = {};
    s.approach = {};
  }
  if (usable) s.poses.take(in.vehicle.stamp, s.last_pose);
  const bool by_target =
      state != nullptr && (s.phase == MissionPhase::kRunning || s.phase == MissionPhase::kAborting);
  for (std::size_t i = 0; i < s.targets.size(); ++i)
    if (s.targets[i].forget(in.now, spec.target_memory_s))
      events.push_back({in.now, EventCode::kTargetLost, static_cast<std::int32_t>(i),
                        by_target && goes_by(*state, i) ? 1.0 : 0.0});

  const std::size_t seen_now = in.aircraft.sightings != nullptr ? in.aircraft.sightings->size() : 0;
  for (std::size_t n = 0; n < seen_now; ++n) {
    const TargetSighting& seen = (*in.aircraft.sightings)[n];
    const auto kind = static_cast<std::size_t>(seen.kind);
    Pose X_WB;
    WorldSighting at;
    const TargetArea& area = seen.kind == TargetKind::kPad ? spec.pad : spec.marker;
    // without the pose of its moment a sighting says nothing of the world
    SightingFate fate = SightingFate::kNoSighting;
    bool good = kind < s.targets.size() && can_be_seen(seen) && seen.stamp <= in.now;
    if (good) {
      fate = SightingFate::kNoPose;
      good = usable && s.poses.find(seen.stamp, X_WB);
    }
    if (good) {
      fate = SightingFate::kOutsideArea;
      at = in_world(seen, X_WB);
      good = can_be_at(area, at.p_WT);
    }
    // pictures are many: that they are no good is said once, until one is
    if (!good && !s.refuses_sightings)
      events.push_back({in.now, EventCode::kInputRejected, kTargetInput, 0});
    s.refuses_sightings = !good;
    if (!good) {
      s.fates.push_back(fate);
      continue;
    }
    const TrackRules rules{static_cast<std::uint32_t>(std::max(spec.sightings, 1)), spec.spread_m,
                           area.speed_m_s};
    fate = s.targets[kind].take(at, rules);
    if (fate == SightingFate::kFound)
      events.push_back({in.now, EventCode::kTargetFound, static_cast<std::int32_t>(kind), 0});
    s.fates.push_back(fate);
  }
}

bool in_the_air(const EngineInput& in) noexcept {
  return in.aircraft.present && in.aircraft.flight_fresh &&
         in.aircraft.flight.phase == FlightPhase::kAirborne;
}

bool may_fly(const EngineState& s, const EngineInput& in) noexcept {
  return in_the_air(in) || s.requests.rising ||
         (in.aircraft.present && in.aircraft.flight_fresh &&
          in.aircraft.flight.phase == FlightPhase::kTakingOff);
}

LimitsPassed limits_passed(const AircraftSpec& spec, const AircraftInput& in,
                           const Vec3* p) noexcept {
  if (!in.present || (in.flight_fresh && on_ground(in.flight.phase))) return {};
  LimitsPassed out{true};
  const auto add = [&out](bool is_past, MissionLimit limit) {
    const unsigned bit = 1U << static_cast<unsigned>(limit);
    out.known = static_cast<std::uint8_t>(out.known | bit);
    if (is_past) out.passed = static_cast<std::uint8_t>(out.passed | bit);
  };
  if (in.flight_fresh && in.flight.has_battery)
    add(in.flight.battery < spec.battery_min, MissionLimit::kCharge);
  if (p == nullptr) return out;
  add(spec.fence_radius_m > 0 && std::hypot(p->x, p->y) > spec.fence_radius_m,
      MissionLimit::kFence);
  add(spec.ceiling_m > 0 && p->z > spec.ceiling_m, MissionLimit::kCeiling);
  return out;
}

bool endangered(const AircraftSpec& spec, const EngineState& s, const EngineInput& in, bool usable,
                EventList& events) noexcept {
  const AircraftInput& a = in.aircraft;
  if (!a.present) return false;
  if (s.payload.lost) return true;
  // on the ground the states' own conditions and time limits are enough
  if (a.flight_lost) return s.phase == MissionPhase::kRunning || s.phase == MissionPhase::kPaused;
  if (a.flight_fresh && on_ground(a.flight.phase)) return false;
  if (a.state_lost) return true;
  const Vec3& p = in.vehicle.X_WB.p;
  const std::uint8_t passed = limits_passed(spec, a, usable ? &p : nullptr).passed;
  const auto is_past = [passed](MissionLimit l) {
    return (passed >> static_cast<unsigned>(l) & 1U) != 0;
  };
  if (is_past(MissionLimit::kCharge))
    events.push_back({in.now, EventCode::kBatteryLow, -1, a.flight.battery});
  else if (passed != 0)
    events.push_back({in.now, EventCode::kBeyondFence, -1,
                      is_past(MissionLimit::kFence) ? std::hypot(p.x, p.y) : p.z});
  return passed != 0;
}

bool pilot_took_over(const State* state, EngineState& s, const EngineInput& in,
                     EventList& events) noexcept {
  const AircraftInput& a = in.aircraft;
  if (!a.present || !a.flight_fresh) return false;
  if (a.flight.has_control) {
    s.had_control = true;
    return false;
  }
  if (!s.had_control) return false;
  const bool ours = state != nullptr && (state->request == Request::kReleaseControl ||
                                         state->request == Request::kTakeControl);
  // on the ground it is given back by itself on some craft
  if (ours || on_ground(a.flight.phase)) return false;
  events.push_back({in.now, EventCode::kControlLost, s.state, 0});
  return true;
}

void begin_attempt(const State& state, EngineState& s) noexcept {
  s.requests.due = state.request != Request::kNone;
  s.requests.sent = s.requests.failed = false;
  s.approach = {};
  s.search_from = {s.goal_pose[0], s.goal_pose[1], s.goal_pose[2]};
  s.search_way_m = 0;
}

void send_request(const State& state, EngineState& s, const EngineInput& in,
                  EventList& events) noexcept {
  if (!s.requests.due) return;
  s.requests.due = false;
  std::uint32_t number = 0;
  if (is_of_gripper(state.request)) {
    s.requests.gripper = {
        state.request == Request::kGrab ? GripperRequestKind::kGrab : GripperRequestKind::kRelease,
        s.requests.gripper.number + 1};
    number = s.requests.gripper.number;
  } else {
    // in the air there is nothing to take off from, on the ground nothing to land
    const SuccessSpec& e = state.success;
    const bool speaks = e.flight != FlightEvidence::kAny || e.control.has_value();
    if (speaks && !e.request_done && flight_holds(e.flight, s, in.aircraft) &&
        control_holds(e.control, in.aircraft))
      return;
    if (state.request == Request::kReleaseControl && in_the_air(in)) {
      // nobody would fly it: a pilot takes over by himself
      s.requests.failed = true;
      s.requests.failed_at = s.clock;
      events.push_back({in.now, EventCode::kRequestFailed, static_cast<std::int32_t>(state.request),
                        static_cast<double>(RequestOutcome::kRefused)});
      return;
    }
    s.requests.flight = {flight_kind(state.request), s.requests.flight.number + 1};
    number = s.requests.flight.number;
    if (state.request == Request::kTakeOff) {
      s.requests.rising = true;
      s.requests.rising_since = in.now;
    }
  }
  s.requests.sent = true;
  events.push_back(
      {in.now, EventCode::kRequestSent, static_cast<std::int32_t>(state.request), double(number)});
}

bool attempt_failed(const State& state, EngineState& s, const EngineInput& in,
                    EventList& events) noexcept {
  const RequestOutcome o = outcome(state, s, in.aircraft);
  if (!s.requests.failed) {
    if (o != RequestOutcome::kRefused && o != RequestOutcome::kFailed) return false;
    s.requests.failed = true;
    s.requests.failed_at = s.clock;
    events.push_back({in.now, EventCode::kRequestFailed, static_cast<std::int32_t>(state.request),
                      static_cast<double>(o)});
  }
  if (!s.aborting || state.request != Request::kLand)
    return s.clock - s.requests.failed_at >= kAfterRefusal;
  // nothing else is left to it
  if (s.clock - s.requests.failed_at < kAskedAgain) return false;
  s.requests.due = true;
  s.requests.sent = s.requests.failed = false;
  return false;
}

namespace {

void put(EngineState& s, Vec3 p) noexcept {
  s.goal_pose[0] = p.x;
  s.goal_pose[1] = p.y;
  s.goal_pose[2] = p.z;
}

/// Whether it climbs to see the target again, or gives up.
void seek_again(const ServoSpec& servo, Approach& a, bool seen, double height_m, double z_m,
                Time now, EventList& events) noexcept {
  if (seen) {
    a.climbs = false;
    return;
  }
  if (a.climbs) {
    // up there it looks about for a while
    if (std::abs(z_m - a.climb_to_m) > kClimbed_m) a.since = now;
    if ((now - a.since).seconds() < servo.lost_after_s) return;
    a.climbs = false;
  } else if (height_m <= servo.blind_below_m) {
    return;
  }
  const bool again = a.losses < servo.attempts;
  if (!a.given_up)
    events.push_back({now, EventCode::kTargetSoughtAgain,
                      static_cast<std::int32_t>(index_of(servo.target)),
                      again ? a.losses + 1.0 : 0.0});
  a.given_up = !again;
  if (!again) return;
  ++a.losses;
  a.climbs = true;
  a.climb_to_m = z_m + servo.climb_m;
  a.since = now;
}

void follow(const ServoSpec& servo, EngineState& s, Time now, const Pose& X_WB,
            EventList& events) noexcept {
  const TargetTrack& t = s.targets[index_of(servo.target)];
  Approach& a = s.approach;
  if (t.found) {
    a.has_aim = true;
    a.aim = t.position(now);
    a.v_aim = t.velocity();
  }
  if (!a.has_aim) return;  // it stays where the goal was last
  const bool seen = t.is_fresh(now, servo.lost_after_s);
  if (!seen) a.v_aim = {};
  const Quat heading = from_rpy({0, 0, to_rpy(to_matrix(s.q_WD)).yaw});
  const Vec3 wanted = a.aim + Vec3{0, 0, servo.height_m} - rotate(heading, servo.point_m);
  const double height = X_WB.p.z + servo.point_m.z - a.aim.z;
  seek_again(servo, a, seen, height, X_WB.p.z, now, events);

  const double aside = std::hypot(wanted.x - X_WB.p.x, wanted.y - X_WB.p.y);
  const double allowed = servo.descend_within_m +
                         std::tan(radians(servo.cone_deg)) * std::max(0.0, height - servo.height_m);
  const bool holds = height > servo.blind_below_m && aside > allowed;
  if (holds && !a.holds) a.not_below_m = X_WB.p.z;
  a.holds = holds;
  Vec3 goal = wanted;
  if (a.climbs)
    goal.z = a.climb_to_m;
  else if (holds)
    goal.z = std::max(wanted.z, a.not_below_m);
  put(s, goal);
  a.height_m = height;
  a.aside_m = aside;
  a.allowed_m = allowed;
  a.phase = a.climbs                                 ? ApproachPhase::kClimbs
            : !seen && height <= servo.blind_below_m ? ApproachPhase::kBlind
            : a.given_up                             ? ApproachPhase::kGivenUp
            : holds                                  ? ApproachPhase::kHolds
                                                     : ApproachPhase::kComes;
}

}  // namespace

void lead(const State& state, EngineState& s, Time now, Duration dt, bool usable, const Pose& X_WB,
          EventList& events) noexcept {
  if (state.servo.target != TargetChoice::kNone) {
    if (usable) follow(state.servo, s, now, X_WB, events);
    return;
  }
  if (state.search.pattern == SearchPattern::kNone) return;
  const TargetTrack& seen = s.targets[index_of(state.success.target.kind)];
  const double ago_s = (now - seen.glimpsed_at).seconds();
  if (seen.is_fresh(now, kLook_s)) return;
  double pace = 1;
  if (seen.count > 0 && ago_s <= kGlimpse_s) pace = kGlimpsed;
  if (seen.agreeing >= 2 && ago_s <= kLook_s) pace = kLooking;
  // the goal waits for the craft
  const Vec3 goal{s.goal_pose[0], s.goal_pose[1], s.goal_pose[2]};
  if (!usable || norm(goal - X_WB.p) > std::max(0.5, state.search.speed_m_s)) return;
  s.search_way_m = std::min(s.search_way_m + pace * state.search.speed_m_s * dt.seconds(),
                            search_length(state.search, s.search_from));
  put(s, search_point(state.search, s.search_from, s.search_way_m));
}

bool aircraft_holds(const AircraftSpec& spec, const State& state, const EngineState& s,
                    const EngineInput& in) noexcept {
  const SuccessSpec& e = state.success;
  const AircraftInput& a = in.aircraft;
  if (state.servo.target != TargetChoice::kNone && !s.targets[index_of(state.servo.target)].found)
    return false;
  if (!speaks_of_aircraft(e)) return true;
  if (!a.present || !flight_holds(e.flight, s, a) || !control_holds(e.control, a) ||
      !gripper_holds(spec, state, s, a))
    return false;
  if (e.request_done && outcome(state, s, a) != RequestOutcome::kDone) return false;
  if (e.target.kind == TargetChoice::kNone) return true;
  // what it is above must not be climbed away from
  if (state.servo.target != TargetChoice::kNone && s.approach.climbs) return false;
  return s.targets[index_of(e.target.kind)].is_fresh(in.now, e.target.fresh_s);
}

}  // namespace pintle::mission
