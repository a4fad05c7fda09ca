#pragma once

/// What the tests of the tick share: any vehicle that is shipped, at rest, under any law, and every
/// input it could have, tick after tick.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "pintle/craft/load.h"
#include "pintle/stack/tick.h"

namespace pintle::stack {

using namespace craft;

/// Every vehicle file under a folder, and the quadrotor once more behind a flight controller: the
/// law behind a colon.
inline std::vector<std::string> every_craft(const std::filesystem::path& folder) {
  std::vector<std::string> files{(folder / "quad.yaml:velocity").string()};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

inline VehicleFile craft_file(const std::string& path) {
  const std::size_t colon = path.find(':');
  VehicleFile file = load_vehicle(path.substr(0, colon));
  if (colon != std::string::npos)
    file.laws.law = static_cast<control::Law>(
        enum_table<control::Law>().value_of(path.substr(colon + 1)).value());
  return file;
}

/// "original/duke/config/oogway.yaml" as the name of a test.
inline std::string craft_name(const std::string& path) {
  std::string name = path.substr(path.rfind("vehicles/") + 9);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class AnyCraft {
 public:
  explicit AnyCraft(const std::string& path) : AnyCraft(craft_file(path)) {}
  explicit AnyCraft(const VehicleFile& file)
      : model(build_model(file, nullptr)), state(std::make_unique<State>(initial_state(model))) {
    pose.p.z = 10;
  }

  /// Everything there is, stamped now; `clock` goes on by a period afterwards.
  Inputs good() const {
    Inputs in;
    in.now = clock;
    in.generation = model.generation;
    in.has_odometry = true;
    in.odometry = {clock, pose, twist};
    // no sensor gives the same numbers twice
    if (model.supervised)
      in.odometry.V_WB_B.w.z += 1e-12 * static_cast<double>(clock.ns / 1000000 % 100);
    in.has_setpoint = has_planner;
    in.setpoint.X_WD.p = pose.p + Vec3{0.2, 0, 0.2};
    // some files have no gains
    if (model.traits.each_axis) in.setpoint.mode[0] = AxisMode::kWrench;
    in.setpoint.F_Bo_B.force.x = 0.3;
    in.has_imu = has_sensor && model.traits.carries_itself();
    in.imu = {clock, twist.w, rotate(conjugate(pose.q), {0, 0, model.surroundings.gravity_m_s2})};
    in.has_flight = true;
    in.flight.stamp = clock;
    in.flight.phase = flies ? FlightPhase::kAirborne : FlightPhase::kMotorsOff;
    in.flight.has_control = flies;
    return in;
  }
  /// The clock and nothing else.
  Inputs silent() const {
    Inputs in;
    in.now = clock;
    in.generation = model.generation;
    return in;
  }
  const Outputs& tick(const Inputs& in) {
    stack::tick(model, *state, *work, in, *out);
    for (const Event& e : out->events) said.push_back(e);
    clock = clock + model.period;
    return *out;
  }
  const Outputs& tick(std::initializer_list<CommandCode> commands) {
    Inputs in = good();
    for (const CommandCode c : commands) in.commands.push_back({c, -1});
    return tick(in);
  }
  /// Armed, every engine lit, and some seconds in the air.
  void fly(int ticks = 400) {
    tick({});
    tick({CommandCode::kArm, CommandCode::kReadyIgnition, CommandCode::kIgnite});
    flies = true;
    for (int i = 0; i < ticks; ++i) tick({});
  }
  [[nodiscard]] bool happened(EventCode code) const {
    return std::any_of(said.begin(), said.end(), [code](const Event& e) { return e.code == code; });
  }
  /// The largest of what is asked of propulsors or of a flight controller.
  [[nodiscard]] double effort() const {
    double most = std::max(norm(out->motion.v_H), std::abs(out->motion.yaw_rate_rad_s));
    for (const double u : out->actuation.effort) most = std::max(most, std::abs(u));
    return most;
  }
  /// Finite, and within what the propulsors can do at all.
  [[nodiscard]] bool sound() const {
    bool ok = out->actuation.command.size() == model.effectiveness.n &&
              is_finite(out->allocation.achieved) && is_finite(out->allocation.residual) &&
              is_finite(out->motion.v_H) && std::isfinite(out->motion.yaw_rate_rad_s);
    for (std::size_t i = 0; ok && i < out->actuation.effort.size(); ++i) {
      const double u = out->actuation.effort[i];
      ok = std::isfinite(out->actuation.command[i]) &&
           u >= std::min(model.effectiveness.lower[i], 0.0) - 1e-9 &&
           u <= std::max(model.effectiveness.upper[i], 0.0) + 1e-9;
    }
    return ok;
  }
  /// So long it may go on without a state at most.
  [[nodiscard]] double safe_within_s() const {
    return model.estimation.stale_after_s + model.safety.ramp_to_safe_s +
           model.safety.latch_after_s + 10 * model.period.seconds();
  }
  /// Nothing is asked any more; whoever has a flight controller is held by that.
  [[nodiscard]] bool safe() const {
    const bool held = model.supervised || out->arm == ArmState::kLatchedSafe;
    return held && effort() == 0 && out->actuation.ignition == 0;
  }

  Model model;
  std::unique_ptr<State> state;
  std::unique_ptr<Workspace> work = std::make_unique<Workspace>();
  std::unique_ptr<Outputs> out = std::make_unique<Outputs>();
  std::vector<Event> said;
  Time clock = Time::from_seconds(100);
  Pose pose{};
  Twist twist{};
  bool has_planner = true;
  bool has_sensor = true;  ///< An inertial one, of what carries itself.
  bool flies = false;
};

}  // namespace pintle::stack
