/// The held set of many channels, from the multipliers of the wrench. Internal to this room.
///
/// Minimises the dual, convex and smooth with quadratic pieces,
///
///   r/2 |l|^2 - b'l + sum_i max over x in the box of (a_i'l) x - x^2 / 2,
///
/// whose gradient is A x(l) + r l - b with x_i(l) = a_i'l cut to the box. Newton's steps on the
/// piece at hand, each followed along its line to the lowest point (semismooth Newton: Qi & Sun
/// 1993), so the dual falls strictly and no piece comes back. A demand out of reach has none at
/// r = 0, where r l is what is missing: r is no less than a small trade here. What is found is a
/// guess, to be proved.
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
// a line is looked along in stretches, each so many times as long as all before
inline constexpr double kStretch = 4;
inline constexpr int kStretches = 20;

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
    begin(l + (1 / r_) * d);
    const int n = static_cast<int>(p_.n);
    const int end = std::min(max_iterations, s_.iterations + std::min(3 * n + 12, n / 4 + 24));
    while (++s_.iterations <= end) {
      const Vec6 down = gradient();
      const Vec6 direction = newton_step(down);
      for (std::size_t c = 0; c < rows_.chunks(); ++c) slope_[c] = combined(direction, rows_[c]);
      const double fall = dot(down, direction);
      if (!(fall > 0)) return false;
      const double step = lowest_point(fall, r_ * dot(direction, direction));
      l_ = l_ + step * direction;
      if (!move(step) && std::abs(step - 1) < kWhole) {
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

  void begin(const Vec6& start) noexcept {
    l_ = start;
    ChannelMask free = 0;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const LaneMask used = lanes_of(rows_.used(c));
      lower_[c] = select(used, load(&p_.lower[at]), all_lanes(0));
      upper_[c] = select(used, load(&p_.upper[at]), all_lanes(0));
      value_[c] = combined(l_, rows_[c]);
      sides_[c] = sides_of(c, value_[c]);
      free |= ChannelMask{sides_[c].free()} << at;
    }
    gram_ = gram_of_rows<false>(rows_, free);
  }

  [[nodiscard]] PINTLE_INLINE Sides sides_of(std::size_t c, const Lanes& v) const noexcept {
    return {bits_of(lower_[c] < v), bits_of(v < upper_[c])};
  }

  // b - A x - r l
  [[nodiscard]] Vec6 gradient() const noexcept {
    SixLanes sum;
    sum.fill(all_lanes(0));
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const Lanes x = clamped(value_[c], lower_[c], upper_[c]);
      for (std::size_t k = 0; k < kAxes; ++k) sum[k] += x * rows_[c][k];
    }
    return b_ - six_sums(sum) - r_ * l_;
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

  // of the dual along the line, in steps of Newton's: its slope is -fall at the beginning, grows by
  // `fall` on the piece at hand, and by at least `own` on each
  [[nodiscard]] double lowest_point(double fall, double own) const noexcept {
    // at a step t it is slope + curve t, all turns before t counted
    double slope = -fall, curve = fall, lowest = 1, end = 1;
    std::array<Turn, 2 * kMaxChannels> turns;
    AllSides sides = sides_;
    for (int stretch = 0; stretch < kStretches; ++stretch, end *= kStretch) {
      Turn* first = turns.data();
      Turn* last = find_turns(sides, end, first);
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
      lowest = -slope / std::max(curve, own);
      if (lowest <= end) break;
    }
    return lowest;
  }

  // where a channel comes to a bound, and what that changes of the slope's growth
  struct Turn {
    double at, change;
  };

  // those between `sides` and the end, and behind the last; `sides`: of the end
  Turn* find_turns(AllSides& sides, double end, Turn* const turn) const noexcept {
    Turn* next = turn;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const auto add = [&](unsigned turns, const Lanes& bound, bool is_lower) {
        for (; turns != 0; turns &= turns - 1) {
          const auto i = static_cast<std::size_t>(std::countr_zero(turns));
          const double s = slope_[c][i];
          *next++ = {(bound[i] - value_[c][i]) / s, (s > 0) == is_lower ? s * s : -(s * s)};
        }
      };
      const Sides was = sides[c];
      const Sides now = sides[c] = sides_of(c, value_[c] + end * slope_[c]);
      add(was.above_lower ^ now.above_lower, lower_[c], true);
      add(was.below_upper ^ now.below_upper, upper_[c], false);
    }
    return next;
  }

  // along the line; whether another piece begins there. Keeps the gram matrix of the free ones
  bool move(double step) noexcept {
    unsigned any = 0;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      value_[c] += step * slope_[c];
      const unsigned was = sides_[c].free();
      sides_[c] = sides_of(c, value_[c]);
      const unsigned now = sides_[c].free();
      any |= now ^ was;
      for (unsigned bits = now ^ was; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(bits));
        add_outer(gram_, (now >> i & 1) != 0 ? 1 : -1, pad(p_.column[kLanes * c + i].v.data()));
      }
    }
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
  Vec6 l_;
  SixLanes gram_;
  Chunks value_, slope_, lower_, upper_;
  AllSides sides_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
