#include "pintle/simulation/touch_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pintle/base/rotation.h"

namespace pintle::simulation {
namespace {

constexpr double kTipped_deg = 45;

double tilt_deg(Quat q) {
  return degrees(std::acos(std::clamp(rotate(q, Vec3{0, 0, 1}).z, -1.0, 1.0)));
}

}  // namespace

TouchLog::TouchLog(const Model& model)
    : model_(model),
      lands_(std::any_of(model.mission.states.begin(), model.mission.states.end(),
                         [](const mission::State& s) { return s.land; })) {}

void TouchLog::take(const Outputs& out, const world::Truth& truth,
                    const std::optional<world::Touch>& touch) {
  if (!lands_) return;
  landing_ = landing_ || mission::lands(model_.mission, out.mission.state);
  if (!landing_) return;
  rest_tilt_deg_ = tilt_deg(truth.X_WB.q);
  if (!touched_) {
    watch(out);
    // as it is, until it was
    const world::Touch now = touch.value_or(world::Touch{truth.time, truth.X_WB, truth.V_WB_B});
    const Vec3 away = now.X_WB.p - out.setpoint.X_WD.p;
    off_m_ = std::hypot(away.x, away.y);
    speed_m_s_ = norm(now.V_WB_B.v);
    tilt_deg_ = tilt_deg(now.X_WB.q);
    touched_at_ = now.time;
    touched_ = touch.has_value();
  } else if (!tipped_ && rest_tilt_deg_ > kTipped_deg) {
    tipped_ = true;
    tipped_at_ = truth.time;
  }
}

/// What fins and engine are told.
void TouchLog::watch(const Outputs& out) {
  constexpr double kLimit = 0.999;
  ++ticks_;
  bool at_limit = false;
  std::size_t channel = 0, fins = 0;
  for (const vehicle::Propulsor& p : model_.vehicle.propulsors) {
    if (std::holds_alternative<propulsion::FinParams>(p.model)) {
      const double command = out.actuation.command[channel];
      at_limit = at_limit || std::abs(command) >= kLimit;
      if (ticks_ > 1) {
        const double step = std::abs(command - last_.command[channel]);
        travel_ += step;
        largest_step_ = std::max(largest_step_, step);
      }
      ++fins;
    }
    channel += propulsion::channels(p.model);
  }
  fins_ = fins;
  last_ = out.actuation;
  at_limit_ += at_limit ? 1 : 0;
  if (out.actuation.ignition != 0) {
    if (!(burns_s_ > 0)) ++lit_;
    burns_s_ += model_.period.seconds();
  } else if (burns_s_ > 0) {
    shortest_s_ = std::min(shortest_s_, burns_s_);
    burns_s_ = 0;
  }
}

std::vector<std::pair<std::string, double>> TouchLog::figures() const {
  if (!touched_) return {};
  return {{"touch_off_m", off_m_},
          {"touch_speed_m_s", speed_m_s_},
          {"touch_tilt_deg", tilt_deg_},
          {"rest_tilt_deg", rest_tilt_deg_},
          {"fins_at_limit", static_cast<double>(at_limit_) / static_cast<double>(ticks_)},
          {"fin_travel_per_s", travel_ / (static_cast<double>(std::max<std::size_t>(fins_, 1)) *
                                          static_cast<double>(ticks_) * model_.period.seconds())},
          {"fin_fastest_per_s", largest_step_ / model_.period.seconds()},
          {"engine_lit", static_cast<double>(lit_)},
          {"shortest_burn_s", burns_s_ > 0 ? std::min(shortest_s_, burns_s_) : shortest_s_}};
}

std::string TouchLog::sentence() const {
  if (!landing_) return {};
  if (!touched_)
    return fmt::format("never touched the ground: {:.1f} m off at the end, {:.1f} m/s", off_m_,
                       speed_m_s_);
  std::string text = fmt::format("touched {:.2f} m off at {:.2f} m/s, {:.1f} deg from upright",
                                 off_m_, speed_m_s_, tilt_deg_);
  if (tipped_)
    text += fmt::format(", and tipped over {:.1f} s later", (tipped_at_ - touched_at_).seconds());
  return text;
}

}  // namespace pintle::simulation
