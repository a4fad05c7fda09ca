/// The held set of many channels, from the multipliers of the wrench. Internal to this room.
///
/// Minimises the dual, convex and smooth with quadratic pieces,
///
///   r/2 |l|^2 - b'l + sum_i max over x in the box of (a_i'l) x - x^2 / 2,
///
/// whose gradient is A x(l) + r l - b with x_i(l) = a_i'l cut to the box. Newton's steps on the
/// piece at hand, each followed along its line to its lowest point or nearly (semismooth Newton: Qi
/// & Sun 1993), so the dual falls but for rounding. A demand out of reach has no lowest point at
/// r = 0, where r l is what is missing: r is no less than a small trade here. What is found is a
/// guess, to be proved; the iterations are counted.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/gram.h"

namespace pintle::allocation {

// r is approached by no less
inline constexpr double kSmallTrade = 1e-8;
// a step this near to one is Newton's own
inline constexpr double kWhole = 1e-2;
// of the slope where a line begins: what is left of it at a point that does,
inline constexpr double kLevel = 0.1;
// and behind the lowest
inline constexpr double kBeyond = 1e-6;
inline constexpr int kLooks = 6;
inline constexpr int kMostLooks = 20;
// part that the trade has in the growth of the slope: below, the demand is in reach of those free
inline constexpr double kReached = 0.5;

namespace PINTLE_LEVEL {

class MultiplierSearch {
 public:
  /// For the demand b instead of the problem's.
  MultiplierSearch(const BoxProblem& problem, const Rows& rows, const Vec6& b,
                   BoxSolution& solution) noexcept
      : p_(problem), rows_(rows), b_(b), s_(solution), r_(std::max(problem.r, kSmallTrade)) {}

  /// From multipliers l and a residual d; leaves the set in the solution. False where it does not
  /// settle.
  bool run(const Vec6& l, const Vec6& d, int max_iterations) noexcept {
    Vec6 down = begin(l + (1 / r_) * d);
    const int n = static_cast<int>(p_.n);
    const int end = std::min(max_iterations, s_.iterations + std::min(3 * n + 12, n / 4 + 24));
    while (++s_.iterations <= end) {
      const Vec6 direction = newton_step(down);
      for (std::size_t c = 0; c < rows_.chunks(); ++c) slope_[c] = combined(direction, rows_[c]);
      const double fall = dot(down, direction);
      if (!(fall > 0)) return false;
      const double step = lowest_point(fall, r_ * dot(direction, direction));
      down = (1 - step) * down;
      if (!move(step, down) && std::abs(step - 1) < kWhole) {
        hold();
        return true;
      }
    }
    return false;
  }

 private:
  using Chunks = Uncleared<Lanes, kMaxChannels / kLanes>;

  // on which side of their bounds eight channels are
  struct Sides {
    unsigned above_lower, below_upper;
    [[nodiscard]] unsigned free() const noexcept { return above_lower & below_upper; }
  };

  using AllSides = std::array<Sides, kMaxChannels / kLanes>;

  // how the dual falls from there: b - A x - r l
  Vec6 begin(const Vec6& l) noexcept {
    ChannelMask free = 0;
    SixLanes sum;
    sum.fill(all_lanes(0));
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const LaneMask used = lanes_of(rows_.used(c));
      lower_[c] = select(used, load(&p_.lower[at]), all_lanes(0));
      upper_[c] = select(used, load(&p_.upper[at]), all_lanes(0));
      value_[c] = combined(l, rows_[c]);
      sides_[c] = sides_of(c, value_[c]);
      free |= ChannelMask{sides_[c].free()} << at;
      const Lanes x = clamped(value_[c], lower_[c], upper_[c]);
      for (std::size_t k = 0; k < kAxes; ++k) sum[k] += x * rows_[c][k];
    }
    gram_ = gram_of_rows(rows_, free);
    return b_ - six_sums(sum) - r_ * l;
  }

  [[nodiscard]] PINTLE_INLINE Sides sides_of(std::size_t c, const Lanes& v) const noexcept {
    return {bits_of(lower_[c] < v), bits_of(v < upper_[c])};
  }

  // to the lowest point of the piece at hand
  [[nodiscard]] Vec6 newton_step(Vec6 down) const noexcept {
    Definite g;
    for (std::size_t k = 0; k < kAxes; ++k) {
      g.row[k] = gram_[k];
      g.row[k].set(k, std::max(gram_[k][k], 0.0) + r_);
    }
    g.factor<false>();
    g.solve(down);
    return down;
  }

  // of the dual along the line: its slope is -fall at the beginning and never falls. `own`: what it
  // grows by on every piece. Newton's steps while they lead on, then between two of them
  [[nodiscard]] double lowest_point(double fall, double own) const noexcept {
    const double begin = along(0).slope + fall;
    const int looks = own < kReached * fall ? kLooks : 1;
    double step = 1, before = 0, behind = HUGE_VAL, slope_before = -fall, curve_before = fall;
    for (int look = 1; before < step && step < behind; ++look) {
      const Along there = along(step);
      const double slope = there.slope + step * own - begin, curve = there.curve + own;
      // not quite there is as good, not beyond
      if ((-kLevel * fall <= slope && slope <= kBeyond * fall) || look > kMostLooks) return step;
      (slope < 0 ? before : behind) = step;
      if (slope < 0) slope_before = slope, curve_before = curve;
      step -= slope / curve;
      if (look >= looks && behind < HUGE_VAL) break;
    }
    return among_turns(before, behind, slope_before - curve_before * before, curve_before, own);
  }

  // where a channel comes to a bound, and what that changes of the slope's growth
  struct Turn {
    double at, change;
  };

  // between two steps; before the first turn the slope is slope + curve t
  [[nodiscard]] double among_turns(double from, double to, double slope, double curve,
                                   double own) const noexcept {
    std::array<Turn, 2 * kMaxChannels> turns;
    Turn *first = turns.data(), *last = first;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const auto add = [&](unsigned which, const Lanes& bound, bool is_lower) {
        for (; which != 0; which &= which - 1) {
          const auto i = static_cast<std::size_t>(std::countr_zero(which));
          const double s = slope_[c][i];
          *last++ = {(bound[i] - value_[c][i]) / s, (s > 0) == is_lower ? s * s : -(s * s)};
        }
      };
      const Sides before = sides_of(c, value_[c] + from * slope_[c]);
      const Sides behind = sides_of(c, value_[c] + to * slope_[c]);
      add(before.above_lower ^ behind.above_lower, lower_[c], true);
      add(before.below_upper ^ behind.below_upper, upper_[c], false);
    }
    // those on one side of some turn, until none is left
    while (first != last) {
      std::swap(*first, first[(last - first) / 2]);
      const Turn turn = *first++;
      Turn* const before = std::partition(first, last, [&](Turn t) { return t.at < turn.at; });
      double slope_there = slope, curve_there = curve;
      for (const Turn* t = first; t != before; ++t) {
        slope_there -= t->change * t->at;
        curve_there += t->change;
      }
      if (slope_there + curve_there * turn.at < 0) {
        slope = slope_there - turn.change * turn.at;
        curve = curve_there + turn.change;
        first = before;
      } else {
        last = before;
      }
    }
    return -slope / std::max(curve, own);
  }

  struct Along {
    double slope, curve;
  };

  // of the channels
  [[nodiscard]] Along along(double step) const noexcept {
    Lanes slope = all_lanes(0), curve = all_lanes(0);
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const Lanes value = value_[c] + step * slope_[c];
      slope += clamped(value, lower_[c], upper_[c]) * slope_[c];
      const LaneMask free = (lower_[c] < value) & (value < upper_[c]);
      curve += select(free, slope_[c] * slope_[c], all_lanes(0));
    }
    return {sum_of(slope), sum_of(curve)};
  }

  // along the line; whether another piece begins there. Keeps the gram matrix of the free ones, and
  // takes from `down`, as the piece at hand has it there, what channels do that turn on the way
  bool move(double step, Vec6& down) noexcept {
    unsigned any = 0;
    Lanes turned = all_lanes(0);
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const Lanes before = value_[c];
      value_[c] += step * slope_[c];
      const Sides was = sides_[c];
      const Sides now = sides_[c] = sides_of(c, value_[c]);
      unsigned bits = (was.above_lower ^ now.above_lower) | (was.below_upper ^ now.below_upper);
      if (bits == 0) continue;
      const Lanes moved =
          clamped(value_[c], lower_[c], upper_[c]) -
          select(lanes_of(was.free()), value_[c], clamped(before, lower_[c], upper_[c]));
      for (; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(bits));
        const Lanes column = pad(p_.column[kLanes * c + i].v.data());
        turned += moved[i] * column;
        const int more =
            static_cast<int>(now.free() >> i & 1) - static_cast<int>(was.free() >> i & 1);
        any |= static_cast<unsigned>(more);
        if (more != 0) add_outer(gram_, more, column);
      }
    }
    Vec6 sum;
    store_six(turned, sum.v.data());
    down = down - sum;
    return any != 0;
  }

  void hold() noexcept {
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      Held* const held = &s_.held[kLanes * c];
      const unsigned fixed = read_eight(held).fixed;
      const unsigned lower = ~sides_[c].above_lower & 0xFFU & ~fixed;
      const unsigned upper = ~sides_[c].below_upper & 0xFFU & ~(fixed | lower);
      write_eight({lower, upper, fixed}, held);
    }
  }

  const BoxProblem& p_;
  const Rows& rows_;
  const Vec6 b_;
  BoxSolution& s_;
  const double r_;
  SixLanes gram_;
  Chunks value_, slope_, lower_, upper_;
  AllSides sides_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
