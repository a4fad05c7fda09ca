#include "pintle/allocation/worst_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <set>

#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/held_decisions.h"
#include "pintle/allocation/internal/small_solver.h"
#include "pintle/allocation/levels.h"
#include "pintle/allocation/rejection.h"
// of it only how many sets it tries
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "pintle/allocation/internal/set_search.h"
#pragma GCC diagnostic pop

namespace pintle::allocation {
namespace {

constexpr int kAll = static_cast<int>(kLanes) + 1;
constexpr std::size_t kKeptDemands = 24;

class Follower {
 public:
  Follower(const BoxProblem& p, long most_parts, double same_plane = kSamePlane)
      : p_(p), sets_(p, same_plane), most_(most_parts) {
    for (std::size_t i = 0; i < p.n; ++i) {
      all_ |= 1U << i;
      symmetric_ = symmetric_ && p.lower[i] == -p.upper[i];
    }
    channels_ = all_ & ~sets_.fixed();
  }

  /// Rows that differ much in length go another way, which rounding decides.
  [[nodiscard]] bool is_uneven() const {
    double least = HUGE_VAL, most = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      double size = 0;
      for (std::size_t i = 0; i < p_.n; ++i) size += p_.column[i][k] * p_.column[i][k];
      if (size > 0) least = std::min(least, size);
      most = std::max(most, size);
    }
    return least < kUneven * kUneven * most;
  }

  void follow_all() {
    const DemandCone cone(sets_.empty());
    // the other half is its image
    Plane half = 0;
    for (std::size_t k = 0; k < kAxes && symmetric_ && half == 0; ++k)
      if (reach()[k] > 0) half = axis_above(k, 0);
    if (half == 0) return both_ways(cone);
    either(
        cone, half, [&](const DemandCone& c) { both_ways(c); }, [](const DemandCone&) {});
  }

  void follow(const Vec6& b) {
    Form point{};
    for (std::size_t k = 0; k < kAxes; ++k)
      if (reach()[k] > 0) point[k] = b[k] / reach()[k];
    point.back() = 1;
    point_ = &point;
    far_out(DemandCone(sets_.empty()), 0);
    point_ = nullptr;
  }

  long parts = 0, unsettled = 0;
  bool over = false;
  SearchPath longest, last;
  std::set<unsigned> regions;
  std::vector<std::pair<int, Form>> dearest;

  [[nodiscard]] Vec6 demand_of(const Form& z) const {
    Vec6 b;
    // a direction: so far out that nothing else counts
    const double s = std::max(z.back(), 1e-4);
    for (std::size_t k = 0; k < kAxes; ++k) b[k] = z[k] * reach()[k] / s;
    return b;
  }

 private:
  struct State {
    unsigned free = 0, up = 0;
    SearchPath path;
  };
  using Verdict = std::pair<unsigned, unsigned>;  // wrong ones, and those above their box

  [[nodiscard]] const Vec6& reach() const { return sets_.reach(); }

  [[nodiscard]] int side_of_point(Plane plane) const {
    const Form& form = sets_.planes[std::abs(plane)];
    double value = 0;
    for (std::size_t k = 0; k < kConeAxes; ++k) value += form[k] * (*point_)[k];
    return (plane < 0 ? -value : value) > 1e-13 ? 1 : -1;
  }

  /// On which the part at hand lies, of the form of `plane`; 0 where that is not known.
  int side_of(Plane plane) {
    if (plane == 0) return -1;
    if (point_ != nullptr) return side_of_point(plane);
    const auto number = static_cast<std::size_t>(std::abs(plane));
    if (side_.size() <= number) side_.resize(sets_.planes.size());
    return plane < 0 ? -side_[number] : side_[number];
  }

  /// Where the form of `plane` is above 0, and the rest: both ways where both are there. Parts of
  /// a part lie on the side of it, so that no plane is asked for twice on one way.
  template <class Above, class Below>
  void either(DemandCone cone, Plane plane, const Above& above, const Below& below) {
    if (over) return;
    int side = side_of(plane);
    if (side > 0) return above(std::move(cone));
    if (side < 0) return below(std::move(cone));
    const auto number = static_cast<std::size_t>(std::abs(plane));
    const int sign = plane < 0 ? -1 : 1;
    DemandCone rest;
    side = static_cast<int>(cone.split(sets_.planes[static_cast<Plane>(number)], rest));
    if (side == 0 && sign < 0) std::swap(cone, rest);
    side *= sign;
    if (side >= 0) {
      side_[number] = static_cast<std::int8_t>(sign);
      above(std::move(cone));
    }
    if (side <= 0) {
      side_[number] = static_cast<std::int8_t>(-sign);
      below(std::move(side == 0 ? rest : cone));
    }
    side_[number] = 0;
  }

  // what is far out is no cone: all demands are followed as if they were, and then as if not
  void both_ways(const DemandCone& cone) {
    pull(cone, State{}, 0);
    cut(cone, State{channels_, 0, {}}, kAll, true);
  }

  Plane axis_above(std::size_t k, double level) {
    Form f{};
    f[k] = level < 0 ? -1 : 1;
    f.back() = -std::abs(level);
    return sets_.planes.of(f);
  }

  // beyond what all channels move along some axis
  void far_out(DemandCone cone, std::size_t axis) {
    if (axis == 2 * kAxes) return cut(std::move(cone), State{channels_, 0, {}}, kAll, true);
    const std::size_t k = axis / 2;
    if (reach()[k] == 0) return far_out(std::move(cone), axis + 1);
    either(
        std::move(cone), axis_above(k, axis % 2 == 0 ? kFarOut : -kFarOut),
        [&](DemandCone c) { pull(std::move(c), State{}, 0); },
        [&](DemandCone c) { far_out(std::move(c), axis + 1); });
  }

  // from the bounds that it pulls to
  void pull(DemandCone cone, State s, std::size_t i) {
    while (i < p_.n && (channels_ >> i & 1) == 0) ++i;
    if (i == p_.n) return tableau(std::move(cone), s);
    Form f{};
    for (std::size_t k = 0; k < kAxes; ++k) f[k] = p_.column[i][k] * reach()[k];
    either(
        std::move(cone), sets_.planes.of(f),
        [&](DemandCone c) {
          State t = s;
          t.up |= 1U << i;
          pull(std::move(c), t, i + 1);
        },
        [&](DemandCone c) { pull(std::move(c), s, i + 1); });
  }

  // those that leave their box are put on it, while that makes them fewer
  void cut(DemandCone cone, State s, int fewest, bool first) {
    if (!sets_.has_room(s.free)) return tableau(std::move(cone), s);
    ++s.path.systems;
    const Decisions& d = sets_.of(s.free, s.up, false);
    if (!d.clear) return end(cone, s, false);
    judge(std::move(cone), d, s, channels_, {}, kAll, [&](DemandCone c, Verdict v) {
      if (v.first == 0) return end(c, s, true);
      State next = s;
      exchange(next, v);
      const int count = std::popcount(v.first);
      // the first is exchanged whatever comes
      if ((!first && count >= fewest) || !d.spans) return tableau(std::move(c), next);
      cut(std::move(c), next, count, false);
    });
  }

  void tableau(DemandCone cone, State s) {
    // channels that are free already go in one after the other
    s.path.pivots += std::popcount(s.free);
    settle(std::move(cone), s, kAll);
  }

  void settle(DemandCone cone, State s, int fewest) {
    if (s.path.pivots >= kTableauSweeps) return end(cone, s, false);
    const bool keen = s.path.pivots < kTableauKeen;
    if (!keen && !is_clear(cone)) return;
    Decisions& d = sets_.of(s.free, s.up, true);
    // of so many wrong ones one is exchanged, whoever the others are
    const int enough = keen ? fewest : kAll;
    judge(std::move(cone), d, s, channels_, {}, enough, [&](DemandCone c, Verdict v) {
      if (v.first == 0) return prove(std::move(c), s, kAll, kPatience);
      const int count = std::popcount(v.first);
      if (count < fewest) return sweep(std::move(c), s, v.first, count);
      if (!keen) return sweep(std::move(c), s, std::bit_floor(v.first), fewest);
      for (unsigned best = kBreaches; best-- > 0;)
        if (may_be(d, s, best) && keenest(c, d, s, best, 0, fewest)) return;
    });
  }

  // the ways that channels may be wrong
  bool may_be(const Decisions& d, const State& s, unsigned breach) {
    const unsigned i = breach / 2;
    if ((channels_ >> i & 1) == 0) return false;
    if (breach % 2 != 0) return side_of(d.is_over[i]) >= 0;
    return (s.free >> i & 1) != 0 && side_of(d.is_over[i]) <= 0 && side_of(d.is_under[i]) >= 0;
  }

  // where `best` is the one that lowers the cost most; whether it is for the one demand followed
  bool keenest(DemandCone cone, Decisions& d, const State& s, unsigned best, unsigned other,
               int fewest) {
    for (; other < kBreaches; ++other) {
      if (other == best || !may_be(d, s, other)) continue;
      const Plane plane = sets_.keener(d, best, other);
      // of equal channels rounding may take the other
      if (plane == 0) continue;
      // where a demand has both the same, the first asked for is taken
      const int side = point_ != nullptr ? -side_of(-plane) : side_of(plane);
      if (side > 0) continue;
      if (side < 0) return false;
      either(
          std::move(cone), plane,
          [&](DemandCone c) { keenest(std::move(c), d, s, best, other + 1, fewest); },
          [](const DemandCone&) {});
      return false;
    }
    move(std::move(cone), s, best / 2, best % 2 != 0, 0, fewest);
    return point_ != nullptr;
  }

  void sweep(DemandCone cone, const State& s, unsigned bits, int fewest) {
    if (bits == 0) return settle(std::move(cone), s, fewest);
    const auto i = static_cast<unsigned>(std::countr_zero(bits));
    bits &= bits - 1;
    if ((s.free >> i & 1) == 0) return move(std::move(cone), s, i, false, bits, fewest);
    // the nearer bound
    const auto to = [&](bool high) {
      return [&, high](DemandCone c) { move(std::move(c), s, i, high, bits, fewest); };
    };
    either(std::move(cone), sets_.of(s.free, s.up, true).is_high[i], to(true), to(false));
  }

  // one channel in or out, the others of `bits` after it
  void move(DemandCone cone, State s, unsigned i, bool high, unsigned bits, int fewest) {
    const unsigned bit = 1U << i;
    ++s.path.pivots;
    if ((s.free & bit) != 0) s.up = high ? s.up | bit : s.up & ~bit;
    s.free ^= bit;
    sweep(std::move(cone), s, bits, fewest);
  }

  void prove(DemandCone cone, State s, int fewest, int left) {
    ++s.path.systems;
    const Decisions& d = sets_.of(s.free, s.up, false);
    if (!d.clear) return end(cone, s, false);
    judge(std::move(cone), d, s, channels_, {}, kAll, [&](DemandCone c, Verdict v) {
      if (v.first == 0) return end(c, s, true);
      const int count = std::popcount(v.first);
      if (count >= fewest && left == 0) return end(c, s, false);
      State next = s;
      exchange(next, v);
      if (count < fewest) return prove(std::move(c), next, count, kPatience);
      prove(std::move(c), next, fewest, left - 1);
    });
  }

  // whether some demand of the part is clear of all planes that were decided on its way: it may lie
  // in the margins of several, where decisions do not fit together
  [[nodiscard]] bool is_clear(DemandCone cone) const {
    if (point_ != nullptr) return true;
    for (std::size_t n = 0; n < side_.size(); ++n)
      if (side_[n] != 0 && !cone.keep(side_[n] * sets_.planes[static_cast<Plane>(n)])) return false;
    return true;
  }

  void end(const DemandCone& cone, const State& s, bool settled) {
    if ((!settled || s.path.steps() > longest.steps()) && !is_clear(cone)) return;
    last = s.path;
    last.free = s.free;
    last.up = s.up & ~s.free & channels_;
    last.settled = settled;
    if (++parts >= most_) over = true;
    if (!settled)
      ++unsettled;
    else {
      regions.insert(last.free << 8 | last.up);
      if (symmetric_) regions.insert(last.free << 8 | (channels_ & ~last.free & ~last.up));
      if (last.steps() > longest.steps()) longest = last;
    }
    if (point_ != nullptr) return;
    const int rank = last.steps() + (settled ? 0 : 1000);
    if (dearest.size() == kKeptDemands && rank <= dearest.back().first) return;
    if (dearest.size() == kKeptDemands) dearest.pop_back();
    const auto at = std::find_if(dearest.begin(), dearest.end(),
                                 [&](const auto& other) { return other.first < rank; });
    dearest.insert(at, {rank, cone.witness()});
  }

  static void exchange(State& s, Verdict v) {
    s.up = (s.up & ~(v.first & s.free)) | (v.second & v.first & s.free);
    s.free ^= v.first;
  }

  // channel by channel: which conditions are broken, until `enough` are. Those first of which that
  // is known
  template <class Then>
  void judge(DemandCone cone, const Decisions& d, const State& s, unsigned left, Verdict v,
             int enough, const Then& then) {
    for (unsigned bits = left; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(bits));
      const unsigned bit = 1U << i, above = s.free & bit;
      const int outside = side_of(d.is_over[i]), under = above != 0 ? side_of(d.is_under[i]) : -1;
      if (outside > 0)
        v = {v.first | bit, v.second | above};
      else if (under > 0)
        v.first |= bit;
      else if (outside == 0 || under == 0)
        continue;
      left &= ~bit;
    }
    if (left == 0 || std::popcount(v.first) >= enough) return then(std::move(cone), v);
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    const auto next = [&](DemandCone c) { judge(std::move(c), d, s, left, v, enough, then); };
    if (side_of(d.is_over[i]) == 0) return either(std::move(cone), d.is_over[i], next, next);
    either(std::move(cone), d.is_under[i], next, next);
  }

  const BoxProblem& p_;
  HeldDecisions sets_;
  const long most_;
  unsigned all_ = 0, channels_ = 0;
  bool symmetric_ = true;
  const Form* point_ = nullptr;
  std::vector<std::int8_t> side_;  // of each plane, on which the part at hand lies
};

}  // namespace

int steps_from_free() noexcept { return 1 + 1 + kMostSets; }

SearchPath search_path(const BoxProblem& problem) {
  Follower follower(problem, 2, 0);
  follower.follow(problem.b);
  return follower.last;
}

CallPath call_path(const Prepared& after, const Allocation& answer) {
  if (!after.set_first) return {1, {}};
  if (after.map.ready) return {1 + answer.iterations, {}};
  const SearchPath search = search_path(after.scaled.box);
  return {2 + search.steps(), search};
}

namespace {

int groups_of(const WrenchDemand& demand) {
  std::set<int> groups;
  for (std::size_t k = 0; k < kAxes; ++k)
    if (demand.weight[k] != 0) groups.insert(demand.group[k]);
  return std::max(1, static_cast<int>(groups.size()));
}

int capped_steps(const Settings& settings, std::uint32_t n, const WrenchDemand& demand) {
  const int cap = iteration_cap(settings, n);
  // a tableau may begin its last exchange one short of its cap, and a search has two at most
  constexpr int kTableaus = 2 * (kTableauSweeps - 1 + static_cast<int>(kLanes));
  const int pivots = n > kLanes ? 0 : kTableaus;
  const int solves = groups_of(demand) * (settings.objective.preserve_direction ? kMaxPlanes : 1);
  // each is begun anew once where nothing is proved, within the cap
  if (has_levels(settings, demand)) return 1 + solves * (cap + 2 * pivots);
  if (n > kLanes) return 1 + cap;
  return steps_from_free() + cap + 2 * pivots;
}

}  // namespace

WorstCase worst_case(const Settings& settings, const Effectiveness& effectiveness,
                     const WrenchDemand& demand, const PropulsorHealth* health, long most_parts) {
  WorstCase result;
  result.cap = iteration_cap(settings, effectiveness.n);
  result.capped_steps = capped_steps(settings, effectiveness.n, demand);
  const auto prepared = std::make_unique<Prepared>();
  kernels().prepare(*prepared, settings, effectiveness, demand.weight, health);
  if (effectiveness.n > kLanes)
    result.why_not = "more than eight channels";
  else if (groups_of(demand) > 1)
    result.why_not = "axes in several groups";
  else if (settings.objective.preserve_direction || settings.objective.refine)
    result.why_not = "preserve_direction or refine is set";
  else if (!prepared->made || !prepared->usable || !weights_are_near(effectiveness, demand))
    result.why_not = "numbers that cannot be used";
  else if (prepared->uneven || prepared->wide_rows)
    result.why_not = "sizes so far apart that double-double decides";
  if (!result.why_not.empty()) return result;
  Follower follower(prepared->scaled.box, most_parts);
  if (follower.is_uneven()) {
    result.why_not = "axes so far apart that rounding decides";
    return result;
  }
  follower.follow_all();
  result.complete = !follower.over;
  result.parts = follower.parts;
  result.regions = static_cast<long>(follower.regions.size());
  result.unsettled = follower.unsettled;
  result.longest = follower.longest;
  const Scaled& scaled = prepared->scaled;
  for (const auto& [steps, z] : follower.dearest) {
    Vec6 w = scaled.offset;
    const Vec6 b = follower.demand_of(z);
    for (std::size_t k = 0; k < kAxes; ++k)
      if (scaled.weight[k] > 0)
        w[k] += b[k] * scaled.effort_unit * scaled.gain_unit / scaled.weight[k];
    result.dearest.push_back(w);
  }
  return result;
}

}  // namespace pintle::allocation
