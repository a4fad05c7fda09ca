/// A mission flown through a gap of its odometry, judged by the truth: for the test and the
/// campaign.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"
#include "pintle/simulation/run.h"

namespace pintle::testing {

inline std::filesystem::path in_source(const std::string& file) {
  return std::filesystem::path(PINTLE_SOURCE_DIR) / file;
}

/// hover_box, hover_ironcub, rocket_landing; "quad" is the first with another vehicle.
/// The hovering ones fly five metres high.
inline craft::MissionFile blind_mission(const std::string& craft) {
  if (craft == "rocket") return craft::load_mission(in_source("missions/rocket_landing.yaml"));
  const std::string name = craft == "ironcub" ? "hover_ironcub" : "hover_box";
  craft::MissionFile mission = craft::load_mission(
      in_source("missions/" + name + ".yaml"), [&craft](const std::filesystem::path& file) {
        const bool other = craft == "quad" && file.filename() == "flying_box.yaml";
        return craft::open_from_disk(other ? in_source("vehicles/quad.yaml") : file);
      });
  for (mission::StateSpec& s : mission.mission.states)
    if (s.go.z_m && *s.go.z_m > 1) s.go.z_m = 5;
  return mission;
}

struct BlindFlight {
  double lost_from_m = 0;  ///< Height of the origin when the odometry stopped.
  double touch_m_s = 0;    ///< Hardest first contact after having been off the ground.
  double lost_m_s = 0;     ///< Level speed when it was lost.
  double drift_m = 0;      ///< Level, from where it was lost to where it came back or touched.
  bool touched = false;    ///< Came down at all.
  bool told = false;       ///< A lost state or an impact was said.
  bool latched = false;
  bool impact = false;
  bool succeeded_after_impact = false;
  simulation::RunResult result;
};

/// Odometry is off from `at_s` for `gap_s`; 0: never.
inline BlindFlight fly_blind(craft::MissionFile mission, std::uint64_t seed, double at_s,
                             double gap_s) {
  if (gap_s > 0)
    mission.input_faults.push_back(
        {stack::InputCode::kOdometry, craft::InputFaultKind::kOff, at_s, at_s + gap_s, 0});
  BlindFlight out;
  simulation::RunOptions options;
  options.seed = seed;
  bool off_ground = false, lost = false;
  world::Truth before;
  Vec3 lost_at;
  options.witness = [&](const stack::Outputs& o, const world::Truth& now) {
    const bool contact = norm(now.contact_W) > 0;
    // what touches has come down; a hop while the turbines spool up is none
    if (contact && off_ground) {
      out.touch_m_s = std::max(out.touch_m_s, norm(before.V_WB_B.v));
      out.touched = true;
      off_ground = false;
    }
    const double t = o.now.seconds();
    if (!contact && now.X_WB.p.z > mission.world.start_position_m.z + 0.2) off_ground = true;
    if (!lost && gap_s > 0 && t >= at_s) {
      lost = true;
      lost_at = now.X_WB.p;
      const Vec3 v_W = rotate(now.X_WB.q, now.V_WB_B.v);
      out.lost_m_s = std::hypot(v_W.x, v_W.y);
      out.lost_from_m = now.X_WB.p.z;
    }
    if (lost && t <= at_s + gap_s && !out.touched) {
      const Vec3 d = now.X_WB.p - lost_at;
      out.drift_m = std::max(out.drift_m, std::hypot(d.x, d.y));
    }
    for (const Event& e : o.events) {
      out.told = out.told || e.code == EventCode::kStateLost;
      out.latched = out.latched || e.code == EventCode::kLatchedSafe;
      out.impact = out.impact || e.code == EventCode::kImpact;
      if (out.impact && e.code == EventCode::kStateSucceeded) out.succeeded_after_impact = true;
    }
    before = now;
  };
  out.result = simulation::run(mission, options);
  return out;
}

/// When the odometry of a flight with such a seed stops: anywhere between `from_s` and `to_s`.
inline double drawn_loss(std::uint64_t seed, double gap_s, double from_s, double to_s) {
  RandomStream random(seed, "loss of " + std::to_string(gap_s));
  return random.uniform(from_s, to_s);
}

}  // namespace pintle::testing
