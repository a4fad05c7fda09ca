#pragma once

/// What the tests of the tick share: an underwater vehicle at rest, tick after tick.
#include <algorithm>
#include <cmath>
#include <vector>

#include "pintle/craft/load.h"
#include "pintle/stack/tick.h"

namespace pintle::stack {

using namespace craft;

/// A vehicle at rest in perfect water: what comes back is what it was, tick after tick.
class Bench {
 public:
  explicit Bench(Model model) : model_(std::move(model)), state_(initial_state(model_)) {}

  /// One tick with fresh odometry at its time.
  const Outputs& tick_fresh() {
    in_ = {};
    in_.now = now_;
    in_.generation = model_.generation;
    in_.has_odometry = true;
    in_.odometry = {now_, pose_, twist_};
    return tick_as_is();
  }
  const Outputs& tick_without_odometry() {
    in_ = {};
    in_.now = now_;
    return tick_as_is();
  }
  const Outputs& tick_as_is() {
    for (const OperatorCommand& c : commands_) in_.commands.push_back(c);
    commands_.clear();
    stack::tick(model_, state_, work_, in_, out_);
    now_ = now_ + model_.period;
    return out_;
  }
  void command(CommandCode code, std::int32_t argument = -1) {
    commands_.push_back({code, argument});
  }
  void arm() {
    tick_fresh();
    command(CommandCode::kArm);
    tick_fresh();
  }
  [[nodiscard]] bool happened(EventCode code) const {
    for (const Event& e : out_.events)
      if (e.code == code) return true;
    return false;
  }
  [[nodiscard]] double largest_effort() const {
    double most = 0;
    for (double u : out_.actuation.effort) most = std::max(most, std::abs(u));
    return most;
  }
  [[nodiscard]] bool bounded() const {
    bool ok = out_.actuation.command.size() == model_.vehicle.channels() &&
              is_finite(out_.allocation.achieved);
    for (std::size_t i = 0; ok && i < out_.actuation.effort.size(); ++i)
      ok = std::isfinite(out_.actuation.command[i]) &&
           out_.actuation.effort[i] >= model_.effectiveness.lower[i] &&
           out_.actuation.effort[i] <= model_.effectiveness.upper[i];
    return ok;
  }

  Model model_;
  State state_;
  Workspace work_;
  Inputs in_;
  Outputs out_;
  Time now_{};
  Pose pose_;
  Twist twist_;

 private:
  std::vector<OperatorCommand> commands_;
};

inline Setpoint push_forward(double x) {
  Setpoint s;
  s.mode.fill(AxisMode::kWrench);
  s.F_Bo_B.force.x = x;
  return s;
}

inline void ask(Bench& b, const Setpoint& s, std::uint8_t parts = Inputs{}.setpoint_parts) {
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.has_odometry = true;
  b.in_.odometry = {b.now_, b.pose_, b.twist_};
  b.in_.has_setpoint = true;
  b.in_.setpoint = s;
  b.in_.setpoint_parts = parts;
  b.tick_as_is();
}

}  // namespace pintle::stack
