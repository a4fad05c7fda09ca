/// The double-double set search of refine.h. Internal to this room.
#pragma once
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/refine_system.h"
#include "pintle/allocation/internal/row_system.h"
#include "pintle/allocation/internal/scaling.h"

namespace pintle::allocation::PINTLE_LEVEL {

inline constexpr double kLargest = 1e60;
// of a channel's range: a step shorter than this is rounding
inline constexpr double kNoStep = 1e-13;

class Refiner {
 public:
  explicit Refiner(const BoxProblem& box) noexcept : box_(box), n_(box.n) {}

  /// False where the numbers leave the range of the arithmetic.
  bool read(const Working& working, const Wrench& demand, const Scaled& scaled) noexcept {
    const double share = 1 / scaled.effort_unit;
    for (std::size_t i = 0; i < n_; ++i) {
      const double preferred = share * working.preferred[i];
      lower_.set(i, exact_sum(share * working.lower[i], -preferred));
      upper_.set(i, exact_sum(share * working.upper[i], -preferred));
      // until it is moved
      x_.set(i, {preferred, 0});
    }
    bool small = box_.r < kLargest;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const double unit = scaled.weight[k] / scaled.gain_unit;
      for (std::size_t i = 0; i < n_; ++i) {
        const DoubleDouble a = exact_product(unit, working.column[i][k]);
        // gains of nothing as in scale_columns
        a_[k].set(i, std::abs(a.hi) < kNothing ? DoubleDouble{0, 0} : a);
      }
      const DoubleDouble own = exact_sum(to_vec6(demand)[k] * share, -(working.bias[k] * share));
      b_[k] = own * DoubleDouble{unit, 0} - dot(a_[k], x_, eights());
      // written so that NaN fails
      small = small && std::abs(b_[k].hi) < kLargest;
    }
    return small;
  }

  /// The problem in its scaled numbers, taken for exact.
  void read(const BoxProblem& box) noexcept {
    for (std::size_t i = 0; i < n_; ++i) {
      lower_.set(i, {box.lower[i], 0});
      upper_.set(i, {box.upper[i], 0});
      for (std::size_t k = 0; k < kAxes; ++k) a_[k].set(i, {box.column[i][k], 0});
    }
    for (std::size_t k = 0; k < kAxes; ++k) b_[k] = {box.b[k], 0};
  }

  /// From the set in the solution, inside the box, the cost falling with each step. Where the rounds
  /// run out the solution stays as it was: see `settle`.
  bool run(int max_rounds, BoxSolution& solution) noexcept {
    begin(solution);
    bool moved = true;
    int stalled = 0;
    ChannelMask released = 0, settled = 0;
    for (int round = 1; round <= max_rounds; ++round) {
      solve_free();
      for (std::size_t i = 0; round == 1 && i < n_; ++i)
        now_[i] = std::clamp(x_.hi[i], lower_.hi[i], upper_.hi[i]);
      const ChannelMask wrong = find_wrong() & ~(settled & ~free_);
      if (wrong == 0) return accept(round, solution);
      if ((wrong & free_) != 0) {
        const bool step = move(wrong & free_, stalled > static_cast<int>(n_));
        moved = step || moved;
        stalled = step ? 0 : stalled + 1;
        // who was let go alone and goes straight back was wanted in by rounding
        if (step || std::has_single_bit(released))
          settled = step ? 0 : settled | (released & ~free_);
        released = 0;
        continue;
      }
      std::copy_n(x_.hi.begin(), n_, now_.begin());
      // all that want in, or the keenest where the last release moved nothing
      released = moved ? wrong : keenest(wrong, stalled > static_cast<int>(n_));
      free_ |= released;
      moved = false;
      ++stalled;
    }
    return false;
  }

  /// Where a search that proved nothing came to, if that misses less than what the solution has.
  void settle(int rounds, BoxSolution& solution) const noexcept {
    solution.iterations += rounds;
    const bool better = missed(now_) < missed(solution.x);
    for (std::size_t i = 0; better && i < n_; ++i)
      solution.x[i] = std::clamp(now_[i], box_.lower[i], box_.upper[i]);
  }

 private:
  [[nodiscard]] double missed(const std::array<double, kMaxChannels>& x) const noexcept {
    Lanes left = pad(box_.b.v.data());
    for (std::size_t i = 0; i < n_; ++i) left -= x[i] * pad(box_.column[i].v.data());
    return sum_of(left * left);
  }

  // the free channels towards where they want to be until the first of `out` is on its bound;
  // whether that is a step at all. With `one` only the first of those that are on it leaves, as only
  // the first of those that want in is let go then: so no set comes twice at one place (Bland 1977)
  bool move(ChannelMask out, bool one) noexcept {
    const auto bound = [&](std::size_t i) { return has(above_, i) ? upper_.hi[i] : lower_.hi[i]; };
    // what lies outside by less than double shows is at the bound after the whole step
    const auto part = [&](std::size_t i) {
      const double left = bound(i) - now_[i], share = left / (x_.hi[i] - now_[i]);
      if (one && std::abs(left) <= kNoStep * (upper_.hi[i] - lower_.hi[i])) return 0.0;
      return share < 1 ? share : 1.0;
    };
    double length = 1;
    ChannelMask stopped = 0;
    bool moved = false;
    for (std::size_t i = 0; i < n_; ++i)
      if (has(out, i)) length = std::min(length, part(i));
    for (std::size_t i = 0; i < n_; ++i) {
      const bool stops = has(out, i) && part(i) <= length && !(one && stopped != 0);
      if (stops) stopped |= ChannelMask{1} << i;
      if (!has(free_, i)) continue;
      const double step = length * (x_.hi[i] - now_[i]);
      moved = moved || std::abs(step) > kNoStep * (upper_.hi[i] - lower_.hi[i]);
      now_[i] = stops ? bound(i) : now_[i] + step;
    }
    free_ &= ~stopped;
    up_ = (up_ & ~stopped) | (above_ & stopped);
    return moved;
  }

  // of what is missed, whatever r is, before all else; or simply the first of them
  [[nodiscard]] ChannelMask keenest(ChannelMask wrong, bool first) const noexcept {
    if ((wrong & decided_) != 0) wrong &= decided_;
    std::size_t best = kMaxChannels;
    for (std::size_t i = 0; i < n_; ++i)
      if (has(wrong, i) && (best == kMaxChannels || (!first && pull_[i] > pull_[best]))) best = i;
    return ChannelMask{1} << best;
  }

  static bool has(ChannelMask mask, std::size_t i) noexcept { return (mask >> i & 1) != 0; }

  [[nodiscard]] std::size_t eights() const noexcept { return (n_ + kLanes - 1) / kLanes; }

  void begin(const BoxSolution& solution) noexcept {
    free_ = up_ = fixed_ = 0;
    now_ = solution.x;
    for (std::size_t i = 0; i < n_; ++i) {
      const ChannelMask bit = ChannelMask{1} << i;
      if (solution.held[i] == Held::kFree) free_ |= bit;
      if (solution.held[i] == Held::kUpper) up_ |= bit;
      if (solution.held[i] == Held::kFixed) fixed_ |= bit;
    }
  }

  // numbers out of range end as NaN: those are not taken
  bool accept(int rounds, BoxSolution& solution) const noexcept {
    for (std::size_t i = 0; i < n_; ++i)
      if (!(std::abs(x_.hi[i]) < kLargest)) return false;
    for (std::size_t i = 0; i < n_; ++i) {
      solution.x[i] = std::clamp(x_.hi[i], box_.lower[i], box_.upper[i]);
      solution.held[i] = has(fixed_, i)  ? Held::kFixed
                         : has(free_, i) ? Held::kFree
                         : has(up_, i)   ? Held::kUpper
                                         : Held::kLower;
    }
    solution.iterations += rounds;
    solution.converged = true;
    solution.decided = decided_;
    return true;
  }

  void solve_free() noexcept {
    for (std::size_t i = 0; i < n_; ++i)
      x_.set(i, has(free_, i) ? DoubleDouble{0, 0} : has(up_, i) ? upper_[i] : lower_[i]);
    std::array<DoubleDouble, kAxes> c;
    Vec6 through;
    for (std::size_t k = 0; k < kAxes; ++k) {
      c[k] = b_[k] - dot(a_[k], x_, eights());
      Lanes moved = all_lanes(0);
      for (std::size_t at = 0; at < n_; at += kLanes)
        moved += magnitude(load(&a_[k].hi[at]) * load(&x_.hi[at]));
      through[k] = std::abs(b_[k].hi) + sum_of(moved);
    }
    system_.run(a_, n_, free_, box_.r, c, through);
    system_.targets(target_, size_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      if (has(free_, i)) x_.set(i, target_[i]);
      size_[i] += std::abs(x_.hi[i]);
    }
  }

  // channels that belong elsewhere, given the present multipliers
  ChannelMask find_wrong() noexcept {
    ChannelMask wrong = 0;
    above_ = decided_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const ChannelMask bit = ChannelMask{1} << i;
      const double rounding = kRounding * size_[i];
      if (has(free_, i)) {
        if (rounding < (x_[i] - upper_[i]).hi) above_ |= bit;
        if (rounding < (lower_[i] - x_[i]).hi) wrong |= bit;
      } else if (!has(fixed_, i)) {
        double outwards = (target_[i] - x_[i]).hi;
        if (!(rounding < std::abs(outwards))) outwards = 0;
        if (const double first = system_.outside(i); first != 0) {
          outwards = first;
          decided_ |= bit;
        }
        pull_[i] = std::abs(outwards);
        if (has(up_, i) ? outwards < 0 : outwards > 0) wrong |= bit;
      }
    }
    return wrong | above_;
  }

  const BoxProblem& box_;
  std::size_t n_;
  std::array<Row, kAxes> a_{};
  Row lower_, upper_, x_{}, target_;
  std::array<double, kMaxChannels + kLanes> size_;  // of what enters x and target
  ChannelMask free_ = 0, up_ = 0, fixed_ = 0;       // one bit a channel
  ChannelMask above_ = 0, decided_ = 0;             // over the upper; wanted in by what is missed
  std::array<double, kMaxChannels> pull_;           // of the held ones
  std::array<double, kMaxChannels> now_;            // inside the box
  std::array<DoubleDouble, kAxes> b_;
  Echelon system_;
};

namespace {

bool refine(const Working& working, const Wrench& demand, const Scaled& scaled, int max_rounds,
            BoxSolution& solution) noexcept {
  Refiner refiner(scaled.box);
  return refiner.read(working, demand, scaled) && refiner.run(max_rounds, solution);
}

void search_in_double_double(const BoxProblem& problem, int max_rounds,
                             BoxSolution& solution) noexcept {
  Refiner refiner(problem);
  refiner.read(problem);
  if (!refiner.run(max_rounds, solution)) refiner.settle(max_rounds, solution);
}

// of what enters a multiplier of a free channel: more is no rounding any more
constexpr double kOffBalance = 1e-10;
// what efforts are off shows in the free multipliers, and at most so many times more in held ones
constexpr double kFreeToHeld = 16;
// of what enters a multiplier: less may be rounding where r = 0
constexpr double kUnclearLimit = 1e-12;

/// For a problem of wide rows (scaling.h): whether a demand is missed and the multiplier of some
/// held channel is within what rounding may make of it, which is what its sums round and a multiple
/// of what the free ones are from zero, or these are off balance. Then, where no matrices can be
/// made of the set, and where a solution loses digits (bounded_least_squares.h), the set is found
/// again in double-double, asked or not.
bool is_unclear(const BoxProblem& p, const BoxSolution& solution) noexcept {
  Lanes missing = pad(p.b.v.data()), size = magnitude(missing);
  for (std::size_t i = 0; i < p.n; ++i) {
    const Lanes part = solution.x[i] * pad(p.column[i].v.data());
    missing -= part;
    size += magnitude(part);
  }
  if (bits_of(magnitude(missing) <= kRankTolerance * size) == 0xFF) return false;
  double least_held = 1, most_free = 0;
  for (std::size_t at = 0; at < p.n; at += kLanes) {
    const unsigned used = used_of(p.n, at);
    const SixLanes row = rows_of(&p.column[at], used);
    const Lanes own = p.r * load(&solution.x[at]);
    const Lanes through = combined(numbers_of(size), magnitudes(row)) + magnitude(own);
    const Lanes share = magnitude(combined(numbers_of(missing), row) - own) / through;
    // none of a column of zeros
    const LaneMask there = lanes_of(used) & (all_lanes(0) < through);
    const HeldBits held = read_eight(&solution.held[at]);
    const unsigned is_held = held.lower | held.upper;
    const LaneMask is_free = lanes_of(~(is_held | held.fixed) & 0xFFU) & there;
    most_free = std::max(most_free, greatest_of(select(is_free, share, all_lanes(0))));
    least_held = std::min(least_held, -greatest_of(select(lanes_of(is_held) & there,
                                                          all_lanes(0) - share, all_lanes(-1))));
  }
  // sums of n and of six, and what the efforts are away from where free multipliers vanish; where
  // nothing is traded a column nearly parallel to a free one turns on less
  const double rounding = p.r > 0 ? 0x1p-52 * static_cast<double>(p.n + 8) : kUnclearLimit;
  return most_free > kOffBalance || least_held <= std::max(rounding, kFreeToHeld * most_free);
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
