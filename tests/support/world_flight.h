/// The delivery in its simulated world, tick by tick: flight controller, gripper, camera, wind.
/// What `pintle run` flies, for tests that break something on the way and judge by the truth.
#pragma once
#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "pintle/base/rotation.h"
#include "pintle/craft/input_faults.h"
#include "pintle/craft/load.h"
#include "pintle/mujoco/plant_factory.h"
#include "pintle/simulation/aircraft_rig.h"
#include "pintle/simulation/input_spoiler.h"
#include "pintle/stack/tick.h"
#include "pintle/world/world.h"

namespace pintle::testing {

/// What the truth says of a flight so far.
struct FlightRecord {
  double hardest_m_s = 0;     ///< Change of velocity in one tick: what it has hit.
  double blow_m_s = 0;        ///< The same, of the last tick.
  double tilt_rad = 0;        ///< Most, while off the ground.
  double away_m = 0;          ///< Farthest from where it began, level.
  double highest_m = 0;       ///< Over where it began.
  bool sound = true;          ///< Every command was finite and within bounds.
  double rests_s = 0;         ///< So long it has not moved by more than kRests_m.
  std::uint64_t dropped = 0;  ///< Times that the payload was let go above the ground.
};
inline constexpr double kRests_m = 0.25;

struct WorldFlight {
  explicit WorldFlight(const craft::MissionFile& m, std::uint64_t seed)
      : file(m),
        model(craft::build_model(file.vehicle, &file.mission)),
        world(model.vehicle, file.world, seed, {mujoco::plant_factory()}),
        rig(file, seed),
        state(std::make_unique<stack::State>(stack::initial_state(model))),
        out(std::make_unique<stack::Outputs>()),
        truth(world.truth()),
        seed_(seed) {}

  craft::MissionFile file;
  stack::Model model;
  world::World world;
  simulation::AircraftRig rig;
  std::unique_ptr<stack::State> state;
  std::unique_ptr<stack::Workspace> work = std::make_unique<stack::Workspace>();
  stack::Inputs in;
  std::unique_ptr<stack::Outputs> out;
  world::Truth truth;
  FlightRecord record;
  Time now{};
  bool flies_by_itself = true;  ///< Arms when nothing is against it, then starts the mission.
  std::vector<stack::OperatorCommand> pending;
  std::vector<Event> said;

  void command(stack::CommandCode code, std::int32_t argument = -1) {
    pending.push_back({code, argument});
  }
  /// From now on.
  void spoil(const craft::InputFault& fault) {
    spoilers_.emplace_back(std::vector<craft::InputFault>{fault}, seed_);
  }
  void break_device(const world::DeviceFault& fault) { rig.break_device(world, fault); }

  void tick() {
    sense();
    for (simulation::InputSpoiler& s : spoilers_) s.apply(in, now);
    stack::tick(model, *state, *work, in, *out);
    for (const Event& e : out->events) said.push_back(e);
    now = now + model.period;
    rig.advance(world, *out, now);
    observe();
  }
  void run(double seconds) {
    for (auto n = std::lround(seconds / model.period.seconds()); n > 0; --n) tick();
  }
  /// False: not within so many seconds.
  bool run_until(std::int32_t wanted, double at_most_s) {
    for (double t = 0; t < at_most_s; t += model.period.seconds()) {
      tick();
      if (out->mission.state == wanted) return true;
    }
    return false;
  }
  [[nodiscard]] bool ended() const {
    using P = MissionPhase;
    const P p = out->mission.phase;
    return p == P::kPassed || p == P::kFailed || p == P::kAborted;
  }
  bool run_to_end(double at_most_s) {
    for (double t = 0; t < at_most_s && !ended(); t += model.period.seconds()) tick();
    return ended();
  }
  [[nodiscard]] bool happened(EventCode code) const {
    return std::any_of(said.begin(), said.end(), [code](const Event& e) { return e.code == code; });
  }
  /// Its motors are off and it lies still, on whatever is below.
  [[nodiscard]] bool landed() const {
    return rig.controller().phase() == FlightPhase::kMotorsOff && norm(truth.V_WB_B.v) < 0.05;
  }
  /// From the vertical, rad.
  [[nodiscard]] double tilt() const {
    return std::acos(std::clamp(rotate(truth.X_WB.q, {0, 0, 1}).z, -1.0, 1.0));
  }
  [[nodiscard]] double payload_to_marker_m() const {
    for (const auto& [name, value] : simulation::aircraft_figures(file.world, truth))
      if (name == "payload_to_marker_m") return value;
    return 1e9;
  }

 private:
  void sense() {
    const stack::Inputs before = in;
    in = {};
    in.now = now;
    in.generation = model.generation;
    if (const auto sample = world.take_odometry()) {
      in.has_odometry = true;
      in.odometry = simulation::measurement_of(*sample, file.world.odometry.frame,
                                               file.vehicle.odometry_frame);
    } else {
      in.odometry = before.odometry;
    }
    in.has_bus_voltage = true;
    in.bus_V = world.bus_V();
    in.flight = before.flight;
    in.gripper = before.gripper;
    rig.sense(world, in);
    if (flies_by_itself) operate();
    for (const stack::OperatorCommand& c : pending) in.commands.push_back(c);
    pending.clear();
  }
  void operate() {
    using stack::ArmState;
    using stack::CommandCode;
    const bool ready = out->tick > 0 && out->obstacles == 0;
    if (!armed_ && ready && out->used.validity == Validity::kValid) {
      command(CommandCode::kArm);
      armed_ = true;
    } else if (armed_ && !started_ && out->arm == ArmState::kArmed) {
      command(CommandCode::kMissionStart);
      started_ = true;
    }
  }
  void observe() {
    const world::Truth next = world.truth();
    const Vec3 v = rotate(next.X_WB.q, next.V_WB_B.v);
    const Vec3 before = rotate(truth.X_WB.q, truth.V_WB_B.v);
    const double period_s = model.period.seconds();
    // what propellers and weight do within a tick is no blow
    record.blow_m_s = norm(v - before) - 10 * period_s;
    record.hardest_m_s = std::max(record.hardest_m_s, record.blow_m_s);
    const bool held = truth.held >= 0 && next.held < 0;
    if (held && next.X_WB.p.z > 0.35) ++record.dropped;
    truth = next;
    const bool flying = rig.controller().phase() == FlightPhase::kTakingOff ||
                        rig.controller().phase() == FlightPhase::kAirborne;
    if (flying) record.tilt_rad = std::max(record.tilt_rad, tilt());
    const Vec3 p = truth.X_WB.p - file.world.start_position_m;
    record.away_m = std::max(record.away_m, std::hypot(p.x, p.y));
    record.highest_m = std::max(record.highest_m, p.z);
    const MotionCommand& m = out->motion;
    const control::VelocityLawParams& law = std::get<control::VelocityLawParams>(model.law);
    record.sound = record.sound && std::hypot(m.v_H.x, m.v_H.y) <= law.max_speed_m_s * (1 + 1e-9) &&
                   m.v_H.z <= law.max_climb_m_s && m.v_H.z >= -law.max_descent_m_s &&
                   std::abs(m.yaw_rate_rad_s) <= law.max_yaw_rate_rad_s;
    if (norm(truth.X_WB.p - rests_at_) > kRests_m) {
      rests_at_ = truth.X_WB.p;
      record.rests_s = 0;
    } else {
      record.rests_s += period_s;
    }
  }

  std::deque<simulation::InputSpoiler> spoilers_;
  std::uint64_t seed_;
  bool armed_ = false, started_ = false;
  Vec3 rests_at_{};
};

inline craft::MissionFile delivery_file() {
  return craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/delivery.yaml");
}

}  // namespace pintle::testing
