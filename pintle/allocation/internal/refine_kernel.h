/// The double-double set search of refine.h, eight channels at a time. Internal to this room.
///
/// A round costs six sums over all channels, six pivots of refine_system.h, which go through all
/// columns, and a product per row and eight channels.
#pragma once
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/refine.h"
#include "pintle/allocation/internal/refine_system.h"
#include "pintle/allocation/internal/scaling_kernels.h"

namespace pintle::allocation::PINTLE_LEVEL {

inline constexpr double kLargest = 1e60;
// of what enters a multiplier of a free channel: more is no rounding any more
inline constexpr double kOffBalance = 1e-10;
// rounds that do not make the wrong ones fewer, before the search inside the box
inline constexpr int kTries = 3;
// part of a step that is rounding
inline constexpr double kNoStep = 1e-13;
// what efforts are off shows in the free multipliers, and at most so many times more in held ones
inline constexpr double kFreeToHeld = 16;

/// Up to eight columns as rows, zeros behind them.
PINTLE_INLINE void transpose_eight(const Vec6* of, std::size_t count,
                                   std::array<Lanes, kAxes>& row) noexcept {
  std::array<Padded, kLanes> column;
  for (std::size_t i = 0; i < kLanes; ++i)
    column[i].v = i < count ? pad(of[i].v.data()) : all_lanes(0);
  transpose(column.data(), row.data());
}

class Refiner {
 public:
  explicit Refiner(const BoxProblem& box) noexcept
      : box_(box), n_(box.n), chunks_((n_ + kLanes - 1) / kLanes) {}

  /// False where the numbers leave the range of the arithmetic.
  bool read(const Working& working, const Wrench& demand, const Scaled& scaled) noexcept {
    std::array<double, kAxes> unit;
    for (std::size_t k = 0; k < kAxes; ++k) unit[k] = scaled.weight[k] / scaled.gain_unit;
    const double share = 1 / scaled.effort_unit;
    const Lanes zero = all_lanes(0);
    bool all_zero = true;
    for (std::size_t c = 0; c < chunks_; ++c) {
      const std::size_t at = kLanes * c;
      const unsigned used = channels_at(n_, at);
      read_columns(working, unit, c);
      const LaneMask here = lanes_of(used);
      const Lanes preferred = select(here, share * load(&working.preferred[at]), zero);
      const Lanes lower = select(here, share * load(&working.lower[at]), zero);
      const Lanes upper = select(here, share * load(&working.upper[at]), zero);
      lower_[c] = exact_difference(lower, preferred);
      upper_[c] = exact_difference(upper, preferred);
      // until they are moved
      x_[c] = {preferred, zero};
      all_zero = all_zero && bits_of(preferred == zero) == 0xFF;
    }
    return set_demand(working, demand, unit, share, all_zero);
  }

  /// The problem in its scaled numbers, taken for exact.
  void read(const BoxProblem& box) noexcept {
    const Lanes zero = all_lanes(0);
    for (std::size_t c = 0; c < chunks_; ++c) {
      const std::size_t at = kLanes * c;
      const LaneMask here = lanes_of(channels_at(n_, at));
      std::array<Lanes, kAxes> row;
      transpose_eight(box.column.data() + at, n_ - at, row);
      for (std::size_t k = 0; k < kAxes; ++k) a_[c][k] = {row[k], zero};
      lower_[c] = {select(here, load(&box.lower[at]), zero), zero};
      upper_[c] = {select(here, load(&box.upper[at]), zero), zero};
    }
    b_.hi.fill(0);
    b_.lo.fill(0);
    std::copy_n(box.b.v.begin(), kAxes, b_.hi.begin());
  }

  /// From the set in the solution, exchanging all wrong ones while that makes them fewer. Where the
  /// rounds run out the solution stays as it was.
  bool run(int max_rounds, BoxSolution& solution) noexcept {
    begin(solution);
    if (n_ == 0) return accept(0, solution);
    int fewest = static_cast<int>(n_) + 1;
    int round = 1;
    for (int left = kTries; round <= max_rounds && left > 0; ++round) {
      solve_free();
      int wrong = 0;
      for (std::size_t c = 0; c < chunks_; ++c) wrong += std::popcount(find_wrong(c));
      if (wrong == 0) return accept(round, solution);
      left = wrong < fewest ? kTries : left - 1;
      fewest = std::min(fewest, wrong);
      for (std::size_t c = 0; c < chunks_; ++c) {
        up_[c] = (up_[c] & ~wrong_[c]) | (above_[c] & wrong_[c]);
        free_[c] ^= wrong_[c];
      }
    }
    begin(solution);
    return descend(round, max_rounds, solution);
  }

 private:
  // inside the box, the cost falling with each step
  bool descend(int round, int max_rounds, BoxSolution& solution) noexcept {
    bool moved = true;
    int stalled = 0;
    for (bool first = true; round <= max_rounds; ++round, first = false) {
      solve_free();
      for (std::size_t c = 0; first && c < chunks_; ++c)
        now_[c] = select(x_[c].hi < lower_[c].hi, lower_[c].hi,
                         select(upper_[c].hi < x_[c].hi, upper_[c].hi, x_[c].hi));
      double length = 1;
      bool blocked = false;
      for (std::size_t c = 0; c < chunks_; ++c) blocked = cut_step(c, length) || blocked;
      if (blocked) {
        moved = length > kNoStep || moved;
        stalled = length > kNoStep ? 0 : stalled + 1;
        for (std::size_t c = 0; c < chunks_; ++c) advance(c, length);
        continue;
      }
      int wrong = 0;
      for (std::size_t c = 0; c < chunks_; ++c) {
        now_[c] = x_[c].hi;
        wrong += std::popcount(find_wrong(c));
      }
      if (wrong == 0) return accept(round, solution);
      release(moved, stalled > static_cast<int>(n_));
      moved = false;
      ++stalled;
    }
    return false;
  }

  // how far the channels can go towards where they want to be; whether some leave their box there
  bool cut_step(std::size_t c, double& length) noexcept {
    const Lanes rounding = kRounding * size_[c];
    const unsigned above = bits_of(rounding < (x_[c] - upper_[c]).hi) & free_[c];
    const unsigned below = bits_of(rounding < (lower_[c] - x_[c]).hi) & free_[c];
    above_[c] = above;
    wrong_[c] = above | below;
    if (wrong_[c] == 0) return false;
    const Lanes bound = select(lanes_of(above), upper_[c].hi, lower_[c].hi);
    // what lies outside by less than double shows is at the bound after the whole step
    const Lanes whole = all_lanes(1);
    const Lanes part = (bound - now_[c]) / (x_[c].hi - now_[c]);
    part_[c] = select(lanes_of(wrong_[c]), select(part < whole, part, whole), all_lanes(2));
    for (std::size_t i = 0; i < kLanes; ++i) length = std::min(length, part_[c][i]);
    return true;
  }

  void advance(std::size_t c, double length) noexcept {
    const unsigned stopped =
        wrong_[c] == 0 ? 0 : bits_of(part_[c] <= all_lanes(length)) & wrong_[c];
    const Lanes held = select(lanes_of(above_[c]), upper_[c].hi, lower_[c].hi);
    const Lanes x = now_[c] + length * (x_[c].hi - now_[c]);
    now_[c] = select(lanes_of(stopped), held, select(lanes_of(free_[c]), x, now_[c]));
    free_[c] &= ~stopped;
    up_[c] = (up_[c] & ~stopped) | (above_[c] & stopped);
  }

  // all that want in, or the keenest where the last release moved nothing, or the first of them
  void release(bool all, bool first) noexcept {
    bool any_first = false;
    for (std::size_t c = 0; c < chunks_; ++c)
      any_first = any_first || (wrong_[c] & decided_[c]) != 0;
    std::size_t best = 0;
    double most = -1;
    for (std::size_t c = 0; c < chunks_; ++c) {
      if (all) free_[c] |= wrong_[c];
      unsigned bits = any_first ? wrong_[c] & decided_[c] : wrong_[c];
      for (; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        if (!(pull_[c][i] > most) || (first && most >= 0)) continue;
        most = pull_[c][i];
        best = kLanes * c + i;
      }
    }
    if (!all) free_[best / kLanes] |= 1U << best % kLanes;
  }

  void read_columns(const Working& working, const std::array<double, kAxes>& unit,
                    std::size_t c) noexcept {
    std::array<Lanes, kAxes> row;
    transpose_eight(working.column.data() + kLanes * c, n_ - kLanes * c, row);
    const Lanes zero = all_lanes(0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      const LanesPair a = exact_product(all_lanes(unit[k]), row[k]);
      // gains of nothing as in scale_columns
      const LaneMask nothing = magnitude(a.hi) < all_lanes(kNothing);
      a_[c][k] = select(nothing, LanesPair{zero, zero}, a);
    }
  }

  bool set_demand(const Working& working, const Wrench& demand,
                  const std::array<double, kAxes>& unit, double share,
                  bool none_preferred) noexcept {
    const Vec6 wanted = to_vec6(demand);
    Row moved;
    moved.hi.fill(0);
    moved.lo.fill(0);
    if (!none_preferred) {
      std::array<SumOfProducts<Lanes>, kLanes> sums;
      for (std::size_t k = 0; k < kAxes; ++k) {
        sums[k].begin(a_[0][k], x_[0]);
        for (std::size_t c = 1; c < chunks_; ++c) sums[k].add(a_[c][k], x_[c]);
      }
      sums[6] = sums[7] = sums[0];
      moved.set(sums_of_eight(sums.data()));
    }
    bool small = box_.r < kLargest;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const DoubleDouble own = exact_difference(wanted[k] * share, working.bias[k] * share);
      const DoubleDouble b = own * DoubleDouble{unit[k], 0} - moved.at(k);
      b_.set(k, b);
      // written so that NaN fails
      small = small && std::abs(b.hi) < kLargest;
    }
    return small;
  }

  void begin(const BoxSolution& solution) noexcept {
    for (std::size_t c = 0; c < chunks_; ++c) {
      unsigned free = 0;
      unsigned up = 0;
      unsigned fixed = 0;
      const std::size_t count = std::min(kLanes, n_ - kLanes * c);
      for (std::size_t i = 0; i < count; ++i) {
        const Held held = solution.held[kLanes * c + i];
        free |= static_cast<unsigned>(held == Held::kFree) << i;
        up |= static_cast<unsigned>(held == Held::kUpper) << i;
        fixed |= static_cast<unsigned>(held == Held::kFixed) << i;
      }
      free_[c] = free;
      up_[c] = up;
      fixed_[c] = fixed;
    }
  }

  // numbers out of range end as NaN: those are not taken
  bool accept(int rounds, BoxSolution& solution) const noexcept {
    for (std::size_t c = 0; c < chunks_; ++c)
      if (bits_of(magnitude(x_[c].hi) < all_lanes(kLargest)) != 0xFF) return false;
    for (std::size_t c = 0; c < chunks_; ++c) {
      const std::size_t at = kLanes * c;
      const Lanes lower = load(&box_.lower[at]);
      const Lanes upper = load(&box_.upper[at]);
      const Lanes x = x_[c].hi;
      store(select(x < lower, lower, select(upper < x, upper, x)), &solution.x[at]);
      const std::size_t count = std::min(kLanes, n_ - at);
      for (std::size_t i = 0; i < count; ++i)
        solution.held[at + i] = (fixed_[c] >> i & 1) != 0  ? Held::kFixed
                                : (free_[c] >> i & 1) != 0 ? Held::kFree
                                : (up_[c] >> i & 1) != 0   ? Held::kUpper
                                                           : Held::kLower;
    }
    solution.iterations += rounds;
    solution.converged = true;
    return true;
  }

  void solve_free() noexcept {
    const LanesPair zero{all_lanes(0), all_lanes(0)};
    std::array<SumOfProducts<Lanes>, kLanes> sums;
    for (auto& sum : sums) sum.sum = zero;
    std::array<Lanes, kAxes> size;
    size.fill(all_lanes(0));
    for (std::size_t c = 0; c < chunks_; ++c) {
      x_[c] = select(lanes_of(free_[c]), zero, select(lanes_of(up_[c]), upper_[c], lower_[c]));
      for (std::size_t k = 0; k < kAxes; ++k) {
        sums[k].add(a_[c][k], x_[c]);
        size[k] += magnitude(a_[c][k].hi * x_[c].hi);
      }
    }
    Row c;
    c.set(b_.lanes() - sums_of_eight(sums.data()));
    Vec6 through;
    for (std::size_t k = 0; k < kAxes; ++k) through[k] = std::abs(b_.hi[k]) + sum_of(size[k]);
    system_.run(a_, chunks_, free_.data(), box_.r, c, through);
    for (std::size_t j = 0; j < chunks_; ++j) {
      target_[j] = system_.target(j, size_[j]);
      x_[j] = select(lanes_of(free_[j]), target_[j], x_[j]);
      size_[j] += magnitude(x_[j].hi);
    }
  }

  // channels that belong elsewhere, given the present multipliers
  unsigned find_wrong(std::size_t c) noexcept {
    const Lanes zero = all_lanes(0);
    const Lanes over = (x_[c] - upper_[c]).hi;
    const Lanes under = (lower_[c] - x_[c]).hi;
    const Lanes rounding = kRounding * size_[c];
    const unsigned above = bits_of(rounding < over) & free_[c];
    const unsigned below = bits_of(rounding < under) & free_[c];
    above_[c] = above;
    unsigned wrong = above | below;
    const unsigned held = channels_at(n_, kLanes * c) & ~free_[c] & ~fixed_[c];
    decided_[c] = 0;
    if (held != 0) {
      Lanes outwards = (target_[c] - x_[c]).hi;
      outwards = select(kRounding * size_[c] < magnitude(outwards), outwards, zero);
      if (!system_.spanned()) {
        const Lanes first = system_.outside(c);
        const LaneMask none = first == zero;
        decided_[c] = ~bits_of(none);
        outwards = select(none, outwards, first);
      }
      pull_[c] = magnitude(outwards);
      const LaneMask is_up = lanes_of(up_[c]);
      wrong |= bits_of(select(is_up, outwards, zero - outwards) < zero) & held;
    }
    return wrong_[c] = wrong;
  }

  const BoxProblem& box_;
  std::size_t n_;
  std::size_t chunks_;
  Echelon::Columns a_;
  std::array<LanesPair, kMaxChannels / kLanes> lower_, upper_, x_, target_;
  std::array<unsigned, kMaxChannels / kLanes> free_, up_, fixed_;  // one bit a channel
  std::array<unsigned, kMaxChannels / kLanes> wrong_, above_;      // those that belong elsewhere
  std::array<unsigned, kMaxChannels / kLanes> decided_;  // by what is missed, whatever r is
  std::array<Lanes, kMaxChannels / kLanes> pull_, now_, part_;
  std::array<Lanes, kMaxChannels / kLanes> size_;  // of what enters x and target
  Row b_;
  Echelon system_;
};

namespace {

bool refine(const Working& working, const Wrench& demand, const Scaled& scaled, int max_rounds,
            BoxSolution& solution) noexcept {
  Refiner refiner(scaled.box);
  return refiner.read(working, demand, scaled) && refiner.run(max_rounds, solution);
}

// |a_i'(b - A x) - r x_i| over what passes through it, for eight channels; NaN for a column of
// zeros
PINTLE_INLINE Lanes share_left(const BoxProblem& p, const BoxSolution& solution, std::size_t at,
                               const Lanes& missing, const Lanes& size) noexcept {
  std::array<Lanes, kAxes> row;
  transpose_eight(p.column.data() + at, p.n - at, row);
  const Lanes zero = all_lanes(0);
  const Lanes own = p.r * select(lanes_of(channels_at(p.n, at)), load(&solution.x[at]), zero);
  Lanes gain = zero - own;
  Lanes through = magnitude(own);
  for (std::size_t k = 0; k < kAxes; ++k) {
    gain += missing[k] * row[k];
    through += size[k] * magnitude(row[k]);
  }
  return magnitude(gain) / through;
}

bool refine_box(const BoxProblem& problem, int max_rounds, BoxSolution& solution) noexcept {
  Refiner refiner(problem);
  refiner.read(problem);
  return refiner.run(max_rounds, solution);
}

// of what enters a multiplier: less may be rounding where r = 0
constexpr double kUnclearLimit = 1e-12;

bool is_unclear(const BoxProblem& p, const BoxSolution& solution) noexcept {
  Lanes missing = pad(p.b.v.data());
  Lanes size = magnitude(missing);
  for (std::size_t i = 0; i < p.n; ++i) {
    const Lanes part = solution.x[i] * pad(p.column[i].v.data());
    missing -= part;
    size += magnitude(part);
  }
  if (bits_of(magnitude(missing) <= kRankTolerance * size) == 0xFF) return false;
  double least_held = 1;
  double most_free = 0;
  for (std::size_t at = 0; at < p.n; at += kLanes) {
    const Lanes share = share_left(p, solution, at, missing, size);
    const std::size_t count = std::min(kLanes, p.n - at);
    for (std::size_t i = 0; i < count; ++i) {
      const Held held = solution.held[at + i];
      // NaN changes neither
      if (held == Held::kFree)
        most_free = std::max(most_free, share[i]);
      else if (held != Held::kFixed)
        least_held = std::min(least_held, share[i]);
    }
  }
  // sums of n and of six, and what the efforts are away from where free multipliers vanish; where
  // nothing is traded a column nearly parallel to a free one turns on less
  const double rounding = p.r > 0 ? 0x1p-52 * static_cast<double>(p.n + 8) : kUnclearLimit;
  return most_free > kOffBalance || least_held <= std::max(rounding, kFreeToHeld * most_free);
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
