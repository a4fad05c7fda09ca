#include "pintle/craft/jet_mission.h"

#include <algorithm>
#include <cmath>

namespace pintle::craft {
namespace {

using namespace mission;
using vehicle::JetParameters;

constexpr double kTick_s = 0.02;
constexpr double kBeginsInSight_m = 0.1, kCarSpeed_m_s = 0.6, kDropNeedsNoSight_m = 5;
constexpr double kAstray_m = 3, kUneven_m = 1;  // of a target from where it is expected
constexpr double kMost = 100;                   // m/s: no bound besides the loops' own

/// What every state of the flight has.
class Builder {
 public:
  Builder(const JetParameters& jet, const JetMissionOptions& options) : jet_(jet), o_(options) {}

  MissionSpec build() {
    whole();
    before_flight();
    delivery();
    return_home();
    ladder();
    return std::move(spec_);
  }

 private:
  StateSpec& add(const char* name, double timeout_s) {
    StateSpec& s = spec_.states.emplace_back();
    const std::size_t number = spec_.states.size() - 1;
    s.name = name;
    if (number < vehicle::kJetStates) s.dwell_s = kTick_s * jet_.duration.duration[number];
    s.timeout_s = timeout_s + s.dwell_s;
    return s;
  }
  StateSpec& ask(const char* name, Request request, double timeout_s, std::int32_t retries) {
    StateSpec& s = add(name, timeout_s);
    s.request = request;
    s.retries = retries;
    return s;
  }
  StateSpec& go(const char* name, double timeout_s) {
    StateSpec& s = add(name, timeout_s);
    s.success.position_m = o_.tolerance_m;
    s.success.settle_s = o_.settle_s;
    s.retries = 1;
    return s;
  }
  StateSpec& find(const char* name, TargetChoice target, double timeout_s) {
    StateSpec& s = add(name, timeout_s);
    s.search = {SearchPattern::kSquareSpiral, 0.5, 1.5, o_.search_to_m, 0.4};
    s.success.target = {target, fresh_s()};
    return s;
  }
  StateSpec& over(const char* name, TargetChoice target, double height_m, double timeout_s) {
    StateSpec& s = go(name, timeout_s);
    s.servo.target = target;
    s.servo.height_m = height_m;
    // the way down begins at the normal altitude, or higher, and with the pad in sight
    if (target == TargetChoice::kPad)
      s.servo.blind_below_m =
          std::clamp(jet_.flight.normal_altitude - kBeginsInSight_m, 0.0, s.servo.blind_below_m);
    return s;
  }
  [[nodiscard]] double fresh_s() const {
    return std::clamp(5e-3 * jet_.timeout.vision_callback_timeout, 0.02, 60.0);
  }

  void whole() {
    spec_.states.reserve(kMaxStates);  // references stay good
    spec_.start = "stand_by";
    spec_.abort = "abort_hold";
    spec_.time_limit_s = 900;
    AircraftSpec& a = spec_.aircraft;
    a.gripper_answers = o_.gripper_answers;
    a.frame_proof = o_.frame_proof;
    a.battery_min = 0.2;
    const Place p = drop();
    a.fence_radius_m = o_.fence_radius_m;
    a.ceiling_m = o_.ceiling_m;
    a.origin_window_s = 1;
    a.marker = {p.east, p.north, kAstray_m, -kUneven_m, kUneven_m, kCarSpeed_m_s};
    a.pad = {0, 0, kAstray_m, -kUneven_m, kUneven_m};
    a.navigation_tolerance_m = o_.tolerance_m;
  }

  void before_flight() {
    StateSpec& stand_by = add("stand_by", 5);
    stand_by.success.after_s = 0;
    stand_by.on_abort = "abort_land";
    StateSpec& grab = ask("grab_bullets", Request::kGrab, 5, 2);
    grab.success.gripper = GripperEvidence::kGrabbed;
    grab.on_abort = "abort_land";
    StateSpec& control = ask("request_control", Request::kTakeControl, 5, 3);
    control.success.control = true;
    control.on_abort = "abort_land";
    StateSpec& up = ask("take_off", Request::kTakeOff, 20, 1);
    up.go.x_m = up.go.y_m = 0;
    up.go.z_m = jet_.flight.takeoff_height;
    up.success.flight = FlightEvidence::kAirborne;
    up.success.z_above_m = 0.5 * jet_.flight.takeoff_height;
    up.on_abort = "abort_land";
  }

  void delivery() {
    StateSpec& altitude = go("to_normal_altitude", 30);
    altitude.go.x_m = altitude.go.y_m = 0;
    altitude.go.z_m = jet_.flight.normal_altitude;
    StateSpec& there = go("fly_to_car", 60);
    there.go.x_m = drop().east;
    there.go.y_m = drop().north;
    there.go.z_m = jet_.flight.normal_altitude;
    find("find_car", TargetChoice::kMarker, 90);
    StateSpec& serve = over("serve_car", TargetChoice::kMarker, jet_.dropoint.dropoint.z, 40);
    serve.servo.point_m = {o_.gripper_m.x, o_.gripper_m.y, 0};
    serve.success.target = {TargetChoice::kMarker, fresh_s()};
    const ServoSpec serve_servo = serve.servo;
    StateSpec& drop = ask("drop_bullets", Request::kRelease, 5, 2);
    drop.success.gripper = GripperEvidence::kReleased;
    // above it until it is dropped, also where the car drives on
    drop.servo = serve_servo;
    drop.servo.blind_below_m = kDropNeedsNoSight_m;
  }

  void return_home() {
    StateSpec& up = go("back_to_normal_altitude", 30);
    up.go.z_m = jet_.flight.normal_altitude;
    StateSpec& back = go("fly_back", 60);
    back.go.x_m = back.go.y_m = 0;
    back.go.z_m = jet_.flight.normal_altitude;
    find("find_park", TargetChoice::kPad, 90);
    StateSpec& servo =
        over("visual_servo_landing", TargetChoice::kPad, jet_.flight.landing_height, 40);
    // so near the ground the pad leaves the picture: memory is enough
    servo.success.target = {TargetChoice::kPad, spec_.aircraft.target_memory_s};
    StateSpec& land = ask("landing", Request::kLand, 30, 2);
    land.success.flight = FlightEvidence::kOnGround;
    land.on_abort = "abort_land";
    StateSpec& release = ask("release_control", Request::kReleaseControl, 5, 2);
    release.success.control = false;
    release.on_success = "pass";
    release.on_abort = "abort_land";
  }

  /// hold -> climb -> return -> search -> over the pad -> land; what cannot be done is left out.
  void ladder() {
    StateSpec& hold = add("abort_hold", 3);
    hold.success.after_s = 1.5;
    StateSpec& climb = go("abort_climb", 15);
    climb.go.z_m = std::max(o_.search_to_m, jet_.flight.normal_altitude);
    StateSpec& back = go("abort_return", 40);
    back.go.x_m = back.go.y_m = 0;
    find("abort_search", TargetChoice::kPad, 30);
    StateSpec& approach = over("abort_approach", TargetChoice::kPad, 0.5, 25);
    for (StateSpec* s : {&climb, &back, &approach}) {
      s->success.position_m = std::max(0.2, o_.tolerance_m);
      s->retries = 0;
    }
    const std::size_t first = vehicle::kJetStates;
    for (std::size_t i = first; i < spec_.states.size(); ++i)
      spec_.states[i].on_failure = "abort_land";
    StateSpec& land = ask("abort_land", Request::kLand, 30, 3);
    land.success.flight = FlightEvidence::kOnGround;
    land.success.settle_s = 0.5;
    StateSpec& release = ask("abort_release", Request::kReleaseControl, 5, 1);
    release.success.control = false;
    release.on_success = "abort";
  }

  struct Place {
    double east, north;
  };
  [[nodiscard]] Place drop() const { return {jet_.dropoint.dropoint.y, jet_.dropoint.dropoint.x}; }

  const JetParameters& jet_;
  const JetMissionOptions& o_;
  MissionSpec spec_;
};

}  // namespace

JetMissionOptions options_for(const JetParameters& jet, JetMissionOptions options) {
  const double band = std::max(jet.pid.pid.xy.db, jet.pid.pid.z.db);
  options.tolerance_m = std::max(options.tolerance_m, 1.05 * std::sqrt(3.0) * band);
  return options;
}

mission::MissionSpec jet_mission(const JetParameters& jet, const JetMissionOptions& options) {
  return Builder(jet, options).build();
}

namespace {

control::DeadbandPidParams loop_of(const vehicle::JetGains& g) {
  return {g.kp, g.ki, g.kd, g.db, g.it, g.Emax, g.Pmax, g.Imax, g.Dmax, g.Omax};
}

}  // namespace

void put_jet(const JetParameters& jet, VehicleFile& file) {
  const auto& pid = jet.pid.pid;
  control::follow_per_tick(file.laws, loop_of(pid.xy), loop_of(pid.z), loop_of(pid.yaw), kMost);
  file.control_rate_Hz = control::kDeadbandPidRate_Hz;
  file.estimation.stale_after_s = std::max(1e-3 * jet.timeout.odom_callback_timeout, 0.001);
}

}  // namespace pintle::craft
