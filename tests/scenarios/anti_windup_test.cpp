#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "pintle/simulation/run.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_reader.h"

namespace pintle::simulation {
namespace {

namespace fs = std::filesystem;

constexpr double kGoal_m = 6;

/// From the surface down, then straight ahead further than the thrusters can push at once.
MissionFile dash(bool anti_windup) {
  MissionFile mission = load_mission(fs::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml");
  mission.world.faults.clear();
  mission::MissionSpec& spec = mission.mission;
  mission::StateSpec down = spec.states.front(), ahead = down;
  down.on_success = "ahead";
  ahead.name = "ahead";
  ahead.go = {};
  ahead.go.x_m = kGoal_m;
  ahead.success = {};
  ahead.success.after_s = 60;
  ahead.timeout_s = 80;
  ahead.on_success = "pass";
  spec.states = {down, ahead};
  spec.start = down.name;
  spec.abort.clear();
  control::SixAxisParams& control = mission.vehicle.laws.control;
  control.anti_windup = anti_windup;
  // the loop may ask for more than the thrusters have: what they cannot give is all that stops it
  for (control::PidParams& p : control.position) {
    p.min_effort = -20;
    p.max_effort = 20;
  }
  control.position[0].ki = 0.6;
  return mission;
}

struct Dash {
  double overshoot_m = 0;   ///< Past the goal.
  double most_missing = 0;  ///< Of the demand along x.
  double settled_s = 0;     ///< Last instant further than 0.1 m from the goal, since the start.
};

Dash fly(bool anti_windup) {
  const fs::path log =
      fs::temp_directory_path() / ("pintle-windup-" + std::to_string(::getpid()) + ".mcap");
  RunOptions options;
  options.log = log;
  const RunResult run_result = run(dash(anti_windup), options);
  EXPECT_EQ(run_result.verdict, Verdict::kPass) << run_result.reason;
  Dash result;
  const auto out = std::make_unique<Outputs>();
  telemetry::McapReader(log).for_each([&](const telemetry::McapMessage& m) {
    if (m.topic != "/outputs" || !telemetry::decode_cdr(m.bytes, *out)) return true;
    if (out->mission.state != 1) return true;
    const double x = out->used.X_WB.p.x;
    result.overshoot_m = std::max(result.overshoot_m, x - kGoal_m);
    result.most_missing = std::max(result.most_missing, out->allocation.residual.force.x);
    if (std::abs(x - kGoal_m) > 0.1) result.settled_s = out->mission.time_in_state_s;
    return true;
  });
  fs::remove(log);
  return result;
}

TEST(AntiWindup, WhatTheAllocationCannotGiveFedBackTakesTwoThirdsOfTheOvershootAway) {
  const Dash wound = fly(false), fed_back = fly(true);
  RecordProperty("overshoot_without_m", std::to_string(wound.overshoot_m));
  RecordProperty("overshoot_with_m", std::to_string(fed_back.overshoot_m));
  // the thrusters are at their bounds for a good part of the way, in both
  EXPECT_GT(wound.most_missing, 3);
  EXPECT_GT(fed_back.most_missing, 3);
  EXPECT_GT(wound.overshoot_m, 1);
  // 2.58 m and 0.77 m: what is left is the loop's own, for this much integral
  EXPECT_LT(fed_back.overshoot_m, 0.35 * wound.overshoot_m);
  EXPECT_LT(fed_back.settled_s, 0.6 * wound.settled_s);
}

}  // namespace
}  // namespace pintle::simulation
