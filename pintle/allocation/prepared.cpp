#include "pintle/allocation/prepared.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pintle::allocation {
namespace {

bool same_numbers(const double* a, const double* b, std::size_t n) noexcept {
  return std::memcmp(a, b, n * sizeof(double)) == 0;
}

bool same_health(const Prepared& p, const PropulsorHealth* health, std::size_t n) noexcept {
  static constexpr PropulsorHealth kGood;
  for (std::size_t i = 0; i < n; ++i) {
    const PropulsorHealth& now = health != nullptr ? health[i] : kGood;
    if (now.health != p.health[i].health || now.efficiency != p.health[i].efficiency ||
        now.stuck_effort != p.health[i].stuck_effort)
      return false;
  }
  return true;
}

enum class Change { kNone, kBox, kAll };

Change compare(const Prepared& p, const Settings& settings, const Effectiveness& e,
               const std::array<double, kAxes>& weight, const PropulsorHealth* health) noexcept {
  const std::size_t n = e.n;
  const Effectiveness& old = p.effectiveness;
  if (!p.made || n > kMaxChannels || n != old.n ||
      settings.objective.k1 != p.settings.objective.k1 ||
      settings.objective.k2 != p.settings.objective.k2 || !same_health(p, health, n) ||
      !same_numbers(weight.data(), p.weight.data(), kAxes) ||
      std::memcmp(e.column.data(), old.column.data(), n * sizeof(Vec6)) != 0)
    return Change::kAll;
  if (same_numbers(e.lower.data(), old.lower.data(), n) &&
      same_numbers(e.upper.data(), old.upper.data(), n) &&
      same_numbers(e.preferred.data(), old.preferred.data(), n) && e.bias == old.bias)
    return Change::kNone;
  // a channel that gains or loses its width changes the system of the free ones
  for (std::size_t i = 0; i < n; ++i)
    if ((e.lower[i] < e.upper[i]) != (old.lower[i] < old.upper[i])) return Change::kAll;
  return Change::kBox;
}

void keep_inputs(Prepared& p, const Settings& settings, const Effectiveness& e,
                 const std::array<double, kAxes>& weight, const PropulsorHealth* health) noexcept {
  const std::size_t n = std::min<std::size_t>(e.n, kMaxChannels);
  p.settings = settings;
  p.weight = weight;
  p.effectiveness.n = e.n;
  p.effectiveness.bias = e.bias;
  std::copy_n(e.column.begin(), n, p.effectiveness.column.begin());
  std::copy_n(e.lower.begin(), n, p.effectiveness.lower.begin());
  std::copy_n(e.upper.begin(), n, p.effectiveness.upper.begin());
  std::copy_n(e.preferred.begin(), n, p.effectiveness.preferred.begin());
  for (std::size_t i = 0; i < n; ++i)
    p.health[i] = health != nullptr ? health[i] : PropulsorHealth{};
}

// the linear map without bounds; its system stays while columns, health and weights do
void prepare_gain(Prepared& p) noexcept {
  for (std::size_t i = 0; i < p.working.n; ++i) {
    const bool fixed = !(p.working.lower[i] < p.working.upper[i]);
    p.solution.held[i] = fixed ? Held::kFixed : Held::kFree;
  }
  p.scaled.box.b = {};
  if (!factor_set(p.scaled.box, p.solution, p.free)) return;
  for (std::size_t i = 0; i < p.working.n; ++i) {
    p.gain[i] = {};
    if (p.free.held[i] == Held::kFixed) continue;
    for (std::size_t k = 0; k < kAxes; ++k)
      p.gain[i][k] =
          dot(p.free.slope[k], p.scaled.box.column[i]) * p.scaled.weight[k] / p.scaled.gain_unit;
  }
}

// what of the box enters the case without bounds
void prepare_idle(Prepared& p) noexcept {
  const Working& w = p.working;
  // what is there without the free channels leaving their preferred efforts
  Vec6 there = p.scaled.offset;
  for (std::size_t i = 0; i < w.n; ++i)
    if (p.free.held[i] == Held::kFixed) there = there + (w.lower[i] - w.preferred[i]) * w.column[i];
  Vec6 achieved = w.bias;
  for (std::size_t i = 0; i < w.n; ++i) {
    p.idle[i] =
        p.free.held[i] == Held::kFixed ? w.lower[i] : w.preferred[i] - dot(p.gain[i], there);
    achieved = achieved + p.idle[i] * w.column[i];
    const double up = w.upper[i] - p.idle[i];
    const double down = w.lower[i] - p.idle[i];
    p.per_room_up[i] = up > 0 ? std::min(1 / up, 1e300) : 0;
    p.per_room_down[i] = down < 0 ? std::max(1 / down, -1e300) : 0;
  }
  p.idle_is_zero = true;
  for (std::size_t k = 0; k < kAxes; ++k)
    if (p.weight[k] != 0 && p.settings.objective.r() == 0 &&
        !(std::abs(achieved[k]) <= 1e-9 * p.row_size[k]))
      p.idle_is_zero = false;
}

void prepare_rows(Prepared& p) noexcept {
  for (std::size_t k = 0; k < kAxes; ++k) p.row_size[k] = std::abs(p.working.bias[k]);
  for (std::size_t i = 0; i < p.working.n; ++i) {
    const double reach = std::max(std::abs(p.working.lower[i]), std::abs(p.working.upper[i]));
    for (std::size_t k = 0; k < kAxes; ++k)
      p.row_size[k] += std::abs(p.working.column[i][k]) * reach;
  }
}

void prepare_set(Prepared& p) noexcept {
  p.set_wrench = {};
  for (std::size_t i = 0; i < p.working.n; ++i) {
    if (p.set.held[i] == Held::kFree) continue;
    const BoxProblem& box = p.scaled.box;
    const double x = p.set.held[i] == Held::kUpper ? box.upper[i] : box.lower[i];
    p.set_wrench = p.set_wrench + x * box.column[i];
  }
}

}  // namespace

void prepare(Prepared& p, const Settings& settings, const Effectiveness& effectiveness,
             const std::array<double, kAxes>& weight, const PropulsorHealth* health) noexcept {
  const Change change = compare(p, settings, effectiveness, weight, health);
  p.settings = settings;
  if (change == Change::kNone) return;
  keep_inputs(p, settings, effectiveness, weight, health);
  p.made = true;
  apply_health(effectiveness, health, p.working);
  p.usable = p.working.usable;
  if (change == Change::kAll) {
    p.free.ready = p.set.ready = false;
    p.usable = p.usable && scale_columns(settings, p.working, weight, p.scaled);
  }
  // boxes of other widths have other reaches: relative to each other they may lose an axis
  p.reachable = reachable_axes(effectiveness, health);
  p.usable = p.usable && scale_box(p.working, p.scaled);
  if (!p.usable) {
    // nothing of it may be taken over by the next call
    p.made = false;
    return;
  }
  prepare_rows(p);
  if (change == Change::kAll) prepare_gain(p);
  if (p.free.ready) prepare_idle(p);
  if (p.set.ready) prepare_set(p);
}

void solve_anew(Prepared& p) noexcept {
  const int n = static_cast<int>(p.working.n);
  const int cap = p.settings.max_iterations > 0 ? p.settings.max_iterations : 10 * n + 20;
  const bool warm = p.set.ready;
  if (warm) std::copy_n(p.set.held.begin(), n, p.solution.held.begin());
  solve(p.scaled.box, warm, cap, p.solution);
  p.set.ready = false;
  if (p.solution.converged && factor_set(p.scaled.box, p.solution, p.set)) prepare_set(p);
}

bool repeat_set(Prepared& p) noexcept {
  const BoxProblem& box = p.scaled.box;
  const Vec6 c = box.b - p.set_wrench;
  Vec6 l, d;
  for (std::size_t k = 0; k < kAxes; ++k) l = l + c[k] * p.set.slope[k];
  double size = 0;
  if (!p.set.spanned) {
    for (std::size_t k = 0; k < kAxes; ++k) {
      d = d + c[k] * p.set.outside[k];
      size = std::max({size, std::abs(box.b[k]), std::abs(p.set_wrench[k])});
    }
  }
  // only what is clear is taken: whatever is close goes to the solver
  constexpr double kClose = 1e-14;
  bool proved = true;
  for (std::size_t i = 0; i < box.n; ++i) {
    const Vec6& a = box.column[i];
    const double target = dot(a, l);
    const Held held = p.set.held[i];
    p.solution.held[i] = held;
    if (held == Held::kFree) {
      p.solution.x[i] = target;
      proved = proved && target >= box.lower[i] && target <= box.upper[i];
      continue;
    }
    const bool up = held == Held::kUpper;
    p.solution.x[i] = up ? box.upper[i] : box.lower[i];
    if (held == Held::kFixed) continue;
    double outwards = target - p.solution.x[i];
    if (!p.set.spanned && (p.set.in_span >> i & 1) == 0)
      outwards = (dot(a, d) - 1e-9 * (up ? size : -size)) + box.r * outwards;
    proved = proved && (up ? outwards >= -kClose : outwards <= kClose);
  }
  p.solution.iterations = 1;
  p.solution.converged = true;
  return proved;
}

}  // namespace pintle::allocation
