/// The most steps that the solver takes for any demand, proved by following it. Not for the tick.
///
/// Up to eight channels the search of a new problem (internal/small_solver.h) goes through held
/// sets, and each decision on the way is the sign of something affine in the demand. So a set of
/// demands that begins as all of them is cut, decision by decision, into parts in which the solver
/// does the same, until each part has its answer; what makes no difference to the next set cuts
/// nothing: of many wrong channels the keenest alone is asked for. So critical regions are enumerated
/// (Bemporad, Morari, Dua, Pistikopoulos 2002, Automatica 38, 3-20), here along the path of the
/// solver (Cimini, Bemporad 2017, IEEE Trans. Automatic Control 62, 6094-6109). Parts are cones in
/// demand and scale (internal/demand_cone.h), so demands of any size are among them; the one at
/// hand and those it was cut from are all that is kept.
///
/// What is proved is so in exact arithmetic, but for demands nearer to a plane between two decisions
/// than 1e-7 of their own size: there the tolerances of the solver decide, and only its cap holds.
#pragma once
#include <string>
#include <vector>

#include "pintle/allocation/prepared.h"

namespace pintle::allocation {

/// One way through the search of a new problem.
struct SearchPath {
  int systems = 0;            ///< Held sets that a system was solved for: what `iterations` counts.
  int pivots = 0;             ///< Of the tableau, which go in with what `systems` does not count.
  bool settled = true;        ///< Proved by these alone, without what is there for hard cases.
  unsigned free = 0, up = 0;  ///< Its held set, one bit a channel.

  [[nodiscard]] int steps() const { return systems + pivots; }
};

/// The searches before that of a new problem: nothing held, and sets in the map from there.
[[nodiscard]] int steps_from_free() noexcept;

struct WorstCase {
  std::string why_not;    ///< Followed for no demand, and why; empty otherwise.
  bool complete = false;  ///< All parts were followed to their end.
  long parts = 0;         ///< Of the demands.
  long regions = 0;       ///< Held sets that answer some of them.
  long unsettled = 0;     ///< Parts that go on to the searches for hard cases: there the cap holds.
  SearchPath longest;     ///< The most steps of a part that settles.
  int cap = 0;            ///< `max_iterations`.
  /// What holds wherever nothing better is proved: every search of every solve at its own cap, the
  /// tableaus' pivots beside `max_iterations`.
  int capped_steps = 0;

  /// Demands of long paths, the longest first, in the vehicle's unit.
  std::vector<Vec6> dearest;

  /// Steps of a whole first call; 0 where nothing is proved.
  [[nodiscard]] int proved_steps() const noexcept {
    return complete && unsettled == 0 ? steps_from_free() + longest.steps() : 0;
  }
};

/// The whole space of demands, with the weights of `demand`; after `most_parts` it ends incomplete.
[[nodiscard]] WorstCase worst_case(const Settings& settings, const Effectiveness& effectiveness,
                                   const WrenchDemand& demand, const PropulsorHealth* health,
                                   long most_parts);

/// The same path for one demand, of a problem of at most eight channels.
[[nodiscard]] SearchPath search_path(const BoxProblem& problem);

/// The steps of a first call that was answered without doubt, `after` what it has left: no more
/// than it took, as of sets tried in vain in the map the first is counted.
struct CallPath {
  int steps = 0;
  SearchPath search;  ///< Where it went on to the search of a new problem.
};
[[nodiscard]] CallPath call_path(const Prepared& after, const Allocation& answer);

}  // namespace pintle::allocation
