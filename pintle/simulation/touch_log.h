/// How a landing on the engine went, seen from outside: the truth at the first contact, and after
/// it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "pintle/simulation/names.h"
#include "pintle/world/world.h"

namespace pintle::simulation {

/// Follows a run. What counts as the touch is the physics step before ground or pad first pushed.
class TouchLog {
 public:
  explicit TouchLog(const Model& model);

  void take(const Outputs& out, const world::Truth& truth,
            const std::optional<world::Touch>& touch);
  /// touch_off_m (level distance from the goal), touch_speed_m_s, touch_tilt_deg, rest_tilt_deg
  /// (at the end); and until the touch: fins_at_limit (share of the ticks in which one of them is),
  /// fin_travel_per_s (of a fin's command, one way and back, in shares of its limit) and
  /// fin_fastest_per_s (the largest step of one from tick to tick, as a rate), engine_lit (times),
  /// shortest_burn_s. Empty where no state of the mission lands.
  [[nodiscard]] std::vector<std::pair<std::string, double>> figures() const;
  /// "touched 0.3 m off at 0.5 m/s, 2 deg from upright, and tipped over 1.4 s later"; empty where
  /// no state lands.
  [[nodiscard]] std::string sentence() const;

 private:
  void watch(const Outputs& out);

  const Model& model_;
  bool lands_ = false, landing_ = false, touched_ = false;
  double off_m_ = 0, speed_m_s_ = 0, tilt_deg_ = 0;  ///< At the touch, or as of the last tick.
  double rest_tilt_deg_ = 0;
  std::uint64_t ticks_ = 0, at_limit_ = 0, lit_ = 0;
  double travel_ = 0, largest_step_ = 0;
  std::size_t fins_ = 0;
  PropulsorCommands last_{};
  double burns_s_ = 0, shortest_s_ = 1e9;
  Time touched_at_{}, tipped_at_{};
  bool tipped_ = false;
};

}  // namespace pintle::simulation
