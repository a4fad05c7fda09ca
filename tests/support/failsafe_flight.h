/// A whole flight with something wrong on the way, and what became of it by the truth.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pintle/testing/blind_flight.h"

namespace pintle::testing {

inline craft::MissionFile shipped(const std::string& name) {
  return craft::load_mission(in_source("missions/" + name + ".yaml"));
}

struct Flown {
  simulation::RunResult result;
  std::vector<Event> said;
  world::Truth last;
  double effort_at_end = 0;
  double works_tilted_s = 0;  ///< So long it worked its propulsors while it leant over by 80 deg.
  double highest_m = -1e9, lowest_m = 1e9;
  double farthest_m = 0;  ///< Level, from the world's origin.
  bool latched = false;

  [[nodiscard]] std::optional<double> told_at(stack::FailsafeCondition c,
                                              EventCode code = EventCode::kFailsafe) const {
    for (const Event& e : said)
      if (e.code == code && e.subject == static_cast<std::int32_t>(c)) return e.time.seconds();
    return std::nullopt;
  }
  [[nodiscard]] std::optional<double> at(EventCode code) const {
    for (const Event& e : said)
      if (e.code == code) return e.time.seconds();
    return std::nullopt;
  }
};

using Bend = std::function<void(stack::Inputs&)>;

/// The program makes no tick for so long: the world goes on with what was sent last.
struct Stands {
  double from_s = 0, for_s = 0;
};

/// The simulated world, and what somebody does to what comes from it.
class BentSite final : public flight::Site {
 public:
  BentSite(simulation::SimulatedSite& under, Bend bend, Stands stands)
      : under_(under), bend_(std::move(bend)), stands_(stands) {}
  [[nodiscard]] Time now() const noexcept override { return under_.now(); }
  bool sense(Time due, stack::Inputs& in) override {
    // once a tick was late the next ones are due from there on
    bool goes_on = under_.sense(std::max(due, next_), in);
    while (goes_on && model_ != nullptr && in.now.seconds() >= stands_.from_s &&
           in.now.seconds() < stands_.from_s + stands_.for_s) {
      under_.act(*model_, sent_);
      const Time next = in.now + model_->period;
      stack::clear(in);
      goes_on = under_.sense(next, in);
    }
    if (bend_) bend_(in);
    return goes_on;
  }
  void act(const stack::Model& model, const stack::Outputs& out) override {
    under_.act(model, out);
    next_ = out.now + model.period;
    if (!(stands_.for_s > 0)) return;
    model_ = &model;
    sent_ = out;
  }
  [[nodiscard]] bool outlasts() const noexcept override { return under_.outlasts(); }

 private:
  simulation::SimulatedSite& under_;
  Bend bend_;
  Stands stands_;
  Time next_{};
  const stack::Model* model_ = nullptr;
  stack::Outputs sent_{};
};

struct FlyHow {
  std::vector<flight::ScheduledWords> schedule{};
  /// What is over is watched on until then, as a craft is that stays where it fell.
  double until_s = 0;
  Bend bend{};           ///< Each tick's inputs.
  bool planner = false;  ///< Without its mission: `bend` gives setpoints; until `until_s`.
  Stands stands{};
  std::function<void(const stack::Outputs&, const world::Truth&)> watch{};  ///< After each tick.
};

inline Flown fly(const craft::MissionFile& mission, FlyHow how = {}) {
  Flown f;
  simulation::RunOptions options;
  options.schedule = std::move(how.schedule);
  options.planner = how.planner;
  std::atomic<bool> stop{false};
  bool armed = false, started = false;
  const double until_s = how.until_s;
  if (how.bend || how.stands.for_s > 0)
    options.over = [&how](simulation::SimulatedSite& under) {
      return std::make_unique<BentSite>(under, how.bend, how.stands);
    };
  if (until_s > 0) {
    options.stop = &stop;
    options.operate = [&, until_s](const stack::Model&, const stack::Outputs& last,
                                   stack::Inputs& in) {
      using stack::CommandCode;
      if (!armed && last.obstacles == 0 && last.used.validity == Validity::kValid)
        in.commands.push_back({CommandCode::kArm, -1}), armed = true;
      else if (!how.planner && !started && last.arm == stack::ArmState::kArmed)
        in.commands.push_back({CommandCode::kMissionStart, -1}), started = true;
      if (in.now.seconds() >= until_s) stop = true;
    };
  }
  options.witness = [&](const stack::Outputs& o, const world::Truth& now) {
    for (const Event& e : o.events) f.said.push_back(e);
    double effort = 0;
    for (const double u : o.actuation.effort) effort += std::abs(u);
    const bool tilted = rotate(now.X_WB.q, {0, 0, 1}).z < 0.17;
    if (tilted && effort > 0) f.works_tilted_s += 0.01;
    if (!stop) f.effort_at_end = effort;
    f.highest_m = std::max(f.highest_m, now.X_WB.p.z);
    f.lowest_m = std::min(f.lowest_m, now.X_WB.p.z);
    f.farthest_m = std::max(f.farthest_m, std::hypot(now.X_WB.p.x, now.X_WB.p.y));
    f.last = now;
    f.latched = o.arm == stack::ArmState::kLatchedSafe;
    if (how.watch) how.watch(o, now);
  };
  f.result = simulation::run(mission, options);
  return f;
}

}  // namespace pintle::testing
