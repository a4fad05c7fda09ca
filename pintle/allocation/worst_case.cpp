#include "pintle/allocation/worst_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <set>
#include <unordered_map>

#include "pintle/allocation/internal/demand_cone.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/small_solver.h"
// of it only how many sets it tries
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "pintle/allocation/internal/set_search.h"
#pragma GCC diagnostic pop

namespace pintle::allocation {
namespace {

constexpr std::size_t kS = kConeAxes - 1;  // the scale beside the demand
// a score this near to another everywhere is told from it by rounding
constexpr double kSameScore = 1e-9;
constexpr std::size_t kKeptDemands = 24;

Form operator*(double f, Form a) {
  for (double& x : a) x *= f;
  return a;
}
Form operator+(Form a, const Form& b) {
  for (std::size_t k = 0; k < kConeAxes; ++k) a[k] += b[k];
  return a;
}
Form operator-(const Form& a, const Form& b) { return a + -1.0 * b; }
Form constant(double x) {
  Form f{};
  f[kS] = x;
  return f;
}
double magnitude_of(const Form& a) {
  double most = 0;
  for (double x : a) most = std::max(most, std::abs(x));
  return most;
}

/// Free columns as an orthonormal basis of what they span.
struct Basis {
  std::vector<Vec6> q;
  bool clear = true;  ///< No column is nearly in the span of the others.

  Vec6 outside(Vec6 v) const {
    for (int pass = 0; pass < 2; ++pass)
      for (const Vec6& s : q) v = v - dot(s, v) * s;
    return v;
  }
};

/// What decides in a held set, affine in the demand.
struct Decisions {
  bool clear = true;
  bool spans = false;
  unsigned in_span = 0;          ///< Columns that the free ones produce.
  std::array<Form, 8> effort;    ///< a_i'l
  std::array<Form, 8> missing;   ///< a_i'd
  std::array<Form, 8> gradient;  ///< a_i'(A x - b) + r x_i, of held ones
  std::array<double, 8> score;   ///< By which what is wrong is measured: one over a root of a pivot
};

class Follower {
 public:
  Follower(const BoxProblem& p, long most_parts) : p_(p), most_(most_parts) {
    double largest = 0;
    for (std::size_t i = 0; i < p.n; ++i) {
      all_ |= 1U << i;
      if (!(p.lower[i] < p.upper[i])) fixed_ |= 1U << i;
      symmetric_ = symmetric_ && p.lower[i] == -p.upper[i];
      double own = 0;
      for (std::size_t k = 0; k < kAxes; ++k) {
        const double a = p.column[i][k];
        own += a * a;
        reach_[k] += std::abs(a) * std::max(std::abs(p.lower[i]), std::abs(p.upper[i]));
      }
      largest = std::max(largest, own);
    }
    for (std::size_t k = 0; k < kAxes; ++k)
      if (reach_[k] == 0) empty_ |= 1U << k;
    added_ = kTableauTrade * largest;
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

  void follow_all() { begin(DemandCone(empty_)); }

  void follow(const Vec6& b) {
    Form point{};
    for (std::size_t k = 0; k < kAxes; ++k)
      if (reach_[k] > 0) point[k] = b[k] / reach_[k];
    point[kS] = 1;
    point_ = &point;
    begin(DemandCone(empty_));
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
    const double s = std::max(z[kS], 1e-4);
    for (std::size_t k = 0; k < kAxes; ++k) b[k] = z[k] * reach_[k] / s;
    return b;
  }

 private:
  struct State {
    unsigned free = 0, up = 0;
    SearchPath path;
  };
  using Verdict = std::pair<unsigned, unsigned>;  // wrong ones, and those above their box

  DemandCone::Side split(DemandCone& cone, const Form& form, DemandCone& rest) const {
    if (point_ == nullptr) return cone.split(form, rest);
    double value = 0, size = 0;
    for (std::size_t k = 0; k < kConeAxes; ++k) {
      value += form[k] * (*point_)[k];
      size = std::max(size, std::abs(form[k]));
    }
    return value > 1e-13 * size ? DemandCone::Side::kAbove : DemandCone::Side::kBelow;
  }

  /// Both ways where both are there.
  template <class Above, class Below>
  void either(DemandCone cone, const Form& form, const Above& above, const Below& below) {
    if (over) return;
    DemandCone rest;
    switch (split(cone, form, rest)) {
      case DemandCone::Side::kAbove: return above(std::move(cone));
      case DemandCone::Side::kBelow: return below(std::move(cone));
      case DemandCone::Side::kBoth: above(std::move(cone)); below(std::move(rest));
    }
  }

  void begin(DemandCone cone) {
    if (point_ != nullptr) return far_out(std::move(cone), 0);
    if (!symmetric_) return both_ways(cone);
    // the other half is its image
    Form half{};
    for (std::size_t k = 0; k < kAxes && half == Form{}; ++k)
      if (reach_[k] > 0) half[k] = 1;
    if (half == Form{}) return both_ways(cone);
    either(
        std::move(cone), half, [&](const DemandCone& c) { both_ways(c); },
        [](const DemandCone&) {});
  }

  // what is far out is no cone: all demands are followed as if they were, and then as if not
  void both_ways(const DemandCone& cone) {
    pull(cone, State{}, 0);
    cut(cone, State{all_ & ~fixed_, 0, {}}, 9, true);
  }

  // beyond what all channels move along some axis
  void far_out(DemandCone cone, std::size_t axis) {
    if (axis == 2 * kAxes) return cut(std::move(cone), State{all_ & ~fixed_, 0, {}}, 9, true);
    const std::size_t k = axis / 2;
    if (reach_[k] == 0) return far_out(std::move(cone), axis + 1);
    Form beyond = constant(-kFarOut);
    beyond[k] = axis % 2 == 0 ? 1 : -1;
    either(
        std::move(cone), beyond, [&](DemandCone c) { pull(std::move(c), State{}, 0); },
        [&](DemandCone c) { far_out(std::move(c), axis + 1); });
  }

  // from the bounds that it pulls to
  void pull(DemandCone cone, State s, std::size_t i) {
    while (i < p_.n && (fixed_ >> i & 1) != 0) ++i;
    if (i == p_.n) return tableau(std::move(cone), s);
    Form f{};
    for (std::size_t k = 0; k < kAxes; ++k) f[k] = p_.column[i][k] * reach_[k];
    either(
        std::move(cone), f,
        [&](DemandCone c) {
          State t = s;
          t.up |= 1U << i;
          pull(std::move(c), t, i + 1);
        },
        [&](DemandCone c) { pull(std::move(c), s, i + 1); });
  }

  // those that leave their box are put on it, while that makes them fewer
  void cut(DemandCone cone, State s, int fewest, bool first) {
    if (!has_room(s.free)) return tableau(std::move(cone), s);
    ++s.path.systems;
    const Decisions& d = decisions(s.free, s.up, p_.r);
    if (!d.clear) return end(cone, s, false);
    judge(std::move(cone), d, s, 0, {}, [&](DemandCone c, Verdict v) {
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
    settle(std::move(cone), s, static_cast<int>(kLanes) + 1);
  }

  void settle(DemandCone cone, State s, int fewest) {
    if (s.path.pivots >= kTableauSweeps) return end(cone, s, false);
    const Decisions& d = decisions(s.free, s.up, p_.r + added_);
    judge_tableau(std::move(cone), d, s, 0, {}, [&](DemandCone c, Verdict v) {
      if (v.first == 0) return prove(std::move(c), s, static_cast<int>(kLanes) + 1, kPatience);
      const int count = std::popcount(v.first);
      if (count < fewest) return sweep(std::move(c), s, v.first, count);
      if (s.path.pivots >= kTableauKeen)
        return sweep(std::move(c), s, std::bit_floor(v.first), fewest);
      keenest(std::move(c), d, s, v, 8, v.first, fewest);
    });
  }

  // the one that lowers the cost most: what is left of `others` against the best so far
  void keenest(DemandCone cone, const Decisions& d, const State& s, Verdict v, unsigned best,
               unsigned others, int fewest) {
    if (others == 0) return sweep(std::move(cone), s, 1U << best, fewest);
    const auto i = static_cast<unsigned>(std::countr_zero(others));
    others &= others - 1;
    if (best == 8) return keenest(std::move(cone), d, s, v, i, others, fewest);
    const Form mine = off(d, s, v, i), its = off(d, s, v, best);
    const Form more = mine - its;
    const auto take = [&](unsigned which) {
      return [&, which](DemandCone c) { keenest(std::move(c), d, s, v, which, others, fewest); };
    };
    if (magnitude_of(more) <= kSameScore * magnitude_of(mine)) {
      take(i)(cone);
      // of equal channels rounding may take the other
      if (point_ == nullptr) take(best)(std::move(cone));
      return;
    }
    either(std::move(cone), more, take(i), take(best));
  }

  Form off(const Decisions& d, const State& s, Verdict v, unsigned i) const {
    const bool up = (s.up >> i & 1) != 0;
    if ((s.free >> i & 1) == 0) return (up ? d.score[i] : -d.score[i]) * d.gradient[i];
    const bool above = (v.second >> i & 1) != 0;
    return d.score[i] *
           (above ? d.effort[i] - constant(p_.upper[i]) : constant(p_.lower[i]) - d.effort[i]);
  }

  void sweep(DemandCone cone, State s, unsigned bits, int fewest) {
    if (bits == 0) return settle(std::move(cone), s, fewest);
    const auto i = static_cast<unsigned>(std::countr_zero(bits));
    bits &= bits - 1;
    ++s.path.pivots;
    const unsigned bit = 1U << i;
    if ((s.free & bit) == 0) {
      s.free |= bit;
      return sweep(std::move(cone), s, bits, fewest);
    }
    // the nearer bound
    const Form middle = decisions(s.free, s.up, p_.r + added_).effort[i] -
                        constant((p_.upper[i] + p_.lower[i]) / 2);
    State low = s;
    low.free &= ~bit;
    low.up &= ~bit;
    State high = low;
    high.up |= bit;
    either(
        std::move(cone), middle, [&](DemandCone c) { sweep(std::move(c), high, bits, fewest); },
        [&](DemandCone c) { sweep(std::move(c), low, bits, fewest); });
  }

  void prove(DemandCone cone, State s, int fewest, int left) {
    ++s.path.systems;
    const Decisions& d = decisions(s.free, s.up, p_.r);
    if (!d.clear) return end(cone, s, false);
    judge(std::move(cone), d, s, 0, {}, [&](DemandCone c, Verdict v) {
      if (v.first == 0) return end(c, s, true);
      const int count = std::popcount(v.first);
      if (count >= fewest && left == 0) return end(c, s, false);
      State next = s;
      exchange(next, v);
      if (count < fewest) return prove(std::move(c), next, count, kPatience);
      prove(std::move(c), next, fewest, left - 1);
    });
  }

  void end(const DemandCone& cone, const State& s, bool settled) {
    last = s.path;
    last.free = s.free;
    last.up = s.up & ~s.free & ~fixed_;
    last.settled = settled;
    if (++parts >= most_) over = true;
    if (!settled)
      ++unsettled;
    else {
      regions.insert(last.free << 8 | last.up);
      if (symmetric_) regions.insert(last.free << 8 | (all_ & ~last.free & ~fixed_ & ~last.up));
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

  [[nodiscard]] bool has_room(unsigned free) const {
    return std::popcount(free) + std::popcount(empty_) >= static_cast<int>(kAxes);
  }

  // channel by channel: which conditions are broken
  template <class Then>
  void judge(DemandCone cone, const Decisions& d, const State& s, std::size_t i, Verdict v,
             const Then& then) {
    while (i < p_.n && (fixed_ >> i & 1) != 0) ++i;
    if (i == p_.n) return then(std::move(cone), v);
    const unsigned bit = 1U << i;
    const auto next = [&](Verdict w) {
      return [&, w](DemandCone c) { judge(std::move(c), d, s, i + 1, w, then); };
    };
    if ((s.free & bit) != 0) return judge_free(std::move(cone), d, i, v, next);
    const bool up = (s.up & bit) != 0;
    const Form second = d.effort[i] - constant(up ? p_.upper[i] : p_.lower[i]);
    const Form gain = (d.in_span & bit) != 0 ? second : d.missing[i] + p_.r * second;
    either(std::move(cone), up ? -1.0 * gain : gain, next({v.first | bit, v.second}), next(v));
  }

  template <class Then>
  void judge_tableau(DemandCone cone, const Decisions& d, const State& s, std::size_t i, Verdict v,
                     const Then& then) {
    while (i < p_.n && (fixed_ >> i & 1) != 0) ++i;
    if (i == p_.n) return then(std::move(cone), v);
    const unsigned bit = 1U << i;
    const auto next = [&](Verdict w) {
      return [&, w](DemandCone c) { judge_tableau(std::move(c), d, s, i + 1, w, then); };
    };
    if ((s.free & bit) != 0) return judge_free(std::move(cone), d, i, v, next);
    const Form inwards = (s.up & bit) != 0 ? d.gradient[i] : -1.0 * d.gradient[i];
    either(std::move(cone), inwards, next({v.first | bit, v.second}), next(v));
  }

  template <class Next>
  void judge_free(DemandCone cone, const Decisions& d, std::size_t i, Verdict v, const Next& next) {
    const unsigned bit = 1U << i;
    either(std::move(cone), d.effort[i] - constant(p_.upper[i]),
           next({v.first | bit, v.second | bit}), [&](DemandCone c) {
             either(std::move(c), constant(p_.lower[i]) - d.effort[i],
                    next({v.first | bit, v.second}), next(v));
           });
  }

  [[nodiscard]] Basis basis_of(unsigned free) const {
    Basis basis;
    // the longest of what is left goes first
    for (unsigned bits = free; bits != 0;) {
      unsigned best = 0;
      double most = -1, of = 0;
      Vec6 longest_left;
      for (unsigned b = bits; b != 0; b &= b - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(b));
        const Vec6 left = basis.outside(p_.column[i]);
        if (dot(left, left) <= most) continue;
        most = dot(left, left);
        of = dot(p_.column[i], p_.column[i]);
        best = i;
        longest_left = left;
      }
      bits &= ~(1U << best);
      if (!(most > kDependent * kDependent * of) || basis.q.size() == kAxes) break;
      if (!(most > kIndependent * kIndependent * of)) basis.clear = false;
      basis.q.push_back((1 / std::sqrt(most)) * longest_left);
    }
    return basis;
  }

  /// Of one set: (R R' + r I)^-1 in the basis of its free columns.
  struct System {
    Basis basis;
    std::vector<std::vector<double>> inverse;

    [[nodiscard]] double outside_and(const Vec6& a, double r) const {
      const Vec6 left = basis.outside(a);
      double sum = dot(left, left) + r;
      for (std::size_t s = 0; s < basis.q.size(); ++s)
        for (std::size_t t = 0; t < basis.q.size(); ++t)
          sum += r * dot(basis.q[s], a) * inverse[s][t] * dot(basis.q[t], a);
      return sum;
    }
  };

  [[nodiscard]] System system_of(unsigned free, double r) const {
    System system{basis_of(free), {}};
    const std::size_t m = system.basis.q.size();
    std::vector<std::vector<double>> g(m, std::vector<double>(2 * m));
    for (std::size_t s = 0; s < m; ++s) {
      for (std::size_t t = 0; t < m; ++t)
        for (unsigned b = free; b != 0; b &= b - 1) {
          const Vec6& a = p_.column[static_cast<std::size_t>(std::countr_zero(b))];
          g[s][t] += dot(system.basis.q[s], a) * dot(system.basis.q[t], a);
        }
      g[s][s] += r;
      g[s][m + s] = 1;
    }
    // Gauss and Jordan: positive definite, so the diagonal will do
    for (std::size_t s = 0; s < m; ++s) {
      const double inverse = 1 / g[s][s];
      for (double& x : g[s]) x *= inverse;
      for (std::size_t t = 0; t < m; ++t) {
        if (t == s) continue;
        const double part = g[t][s];
        for (std::size_t c = 0; c < 2 * m; ++c) g[t][c] -= part * g[s][c];
      }
    }
    for (const auto& row : g)
      system.inverse.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(m), row.end());
    return system;
  }

  const Decisions& decisions(unsigned free, unsigned up, double r) {
    up &= ~free;
    auto& known = r == p_.r ? exact_ : traded_;
    auto& slot = known[free << 8 | up];
    if (!slot) slot = std::make_unique<Decisions>(make(free, up, r));
    return *slot;
  }

  [[nodiscard]] Decisions make(unsigned free, unsigned up, double r) const {
    Decisions d;
    const System system = system_of(free, r);
    const auto& q = system.basis.q;
    d.clear = system.basis.clear;
    d.spans = has_room(free) && q.size() + static_cast<std::size_t>(std::popcount(empty_)) >= kAxes;
    // c: what the held channels leave of the demand
    std::array<Form, kAxes> c{};
    for (std::size_t k = 0; k < kAxes; ++k) {
      c[k][k] = reach_[k];
      for (std::size_t i = 0; i < p_.n; ++i)
        if ((free >> i & 1) == 0) c[k][kS] -= bound(i, up) * p_.column[i][k];
    }
    std::vector<Form> y(q.size());
    for (std::size_t s = 0; s < q.size(); ++s)
      for (std::size_t k = 0; k < kAxes; ++k) y[s] = y[s] + q[s][k] * c[k];
    std::array<Form, kAxes> l{}, missing = c;
    for (std::size_t s = 0; s < q.size(); ++s) {
      Form mu{};
      for (std::size_t t = 0; t < q.size(); ++t) mu = mu + system.inverse[s][t] * y[t];
      for (std::size_t k = 0; k < kAxes; ++k) {
        l[k] = l[k] + q[s][k] * mu;
        missing[k] = missing[k] - q[s][k] * y[s];
      }
    }
    for (std::size_t i = 0; i < p_.n; ++i) {
      d.effort[i] = d.missing[i] = Form{};
      const Vec6& a = p_.column[i];
      const Vec6 outside = system.basis.outside(a);
      const bool in_span = dot(outside, outside) <= kDependent * kDependent * dot(a, a);
      if (in_span) d.in_span |= 1U << i;
      for (std::size_t k = 0; k < kAxes; ++k) {
        d.effort[i] = d.effort[i] + a[k] * l[k];
        if (!in_span) d.missing[i] = d.missing[i] + outside[k] * c[k];
      }
      const bool is_free = (free >> i & 1) != 0;
      d.gradient[i] = -1.0 * d.missing[i] - r * d.effort[i] + constant(r * bound(i, up));
      if ((fixed_ >> i & 1) != 0 || r == p_.r) continue;
      d.score[i] = is_free ? std::sqrt(system_of(free & ~(1U << i), r).outside_and(a, r))
                           : 1 / std::sqrt(system.outside_and(a, r));
    }
    return d;
  }

  [[nodiscard]] double bound(std::size_t i, unsigned up) const {
    return (up >> i & 1) != 0 ? p_.upper[i] : p_.lower[i];
  }

  const BoxProblem& p_;
  const long most_;
  unsigned all_ = 0, fixed_ = 0, empty_ = 0;
  bool symmetric_ = true;
  Vec6 reach_;
  double added_ = 0;
  const Form* point_ = nullptr;
  std::unordered_map<unsigned, std::unique_ptr<Decisions>> exact_, traded_;
};

}  // namespace

int steps_from_free() noexcept { return 1 + 1 + kMostSets; }

SearchPath search_path(const BoxProblem& problem) {
  Follower follower(problem, 2);
  follower.follow(problem.b);
  return follower.last;
}

CallPath call_path(const Prepared& after, const Allocation& answer) {
  if (!after.set_first) return {1, {}};
  if (after.map.ready) return {1 + answer.iterations, {}};
  const SearchPath search = search_path(after.scaled.box);
  return {2 + search.steps(), search};
}

WorstCase worst_case(const Settings& settings, const Effectiveness& effectiveness,
                     const WrenchDemand& demand, const PropulsorHealth* health, long most_parts) {
  WorstCase result;
  result.cap = iteration_cap(settings, effectiveness.n);
  // a tableau may begin its last exchange one short of its cap, and there are two at most
  constexpr int kPivots = 2 * (kTableauSweeps - 1 + static_cast<int>(kLanes));
  result.capped_steps =
      effectiveness.n > kLanes ? 1 + result.cap : steps_from_free() + kPivots + result.cap;
  const auto prepared = std::make_unique<Prepared>();
  std::array<double, kAxes> weight{};
  const bool groups = first_group(demand, weight);
  kernels().prepare(*prepared, settings, effectiveness, demand.weight, health);
  if (effectiveness.n > kLanes)
    result.why_not = "more than eight channels";
  else if (groups)
    result.why_not = "axes in several groups";
  else if (settings.objective.preserve_direction || settings.objective.refine)
    result.why_not = "preserve_direction or refine is set";
  else if (!prepared->made || !prepared->usable)
    result.why_not = "numbers that cannot be used";
  else if (prepared->uneven || prepared->wide_rows)
    result.why_not = "sizes so far apart that double-double decides";
  if (groups || settings.objective.preserve_direction) result.capped_steps = 0;
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
