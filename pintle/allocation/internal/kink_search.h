/// The held set of a demand that is out of reach (r = 0). Internal to this room.
///
/// Minimises the dual of the distance to what can be reached,
///
///   1/2 |e|^2 - b'e + sum_i max(lower_i a_i'e, upper_i a_i'e),
///
/// over the residual e. It has a kink wherever some a_i'e is 0; the kinks that e sits on are the
/// free channels, at most five. Every search along a line goes past all kinks to the lowest point
/// (exact), so the dual falls strictly and no set of kinks comes back. It ends before that where
/// many columns tie: the residual is found then, but not which of them are free.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/gram.h"
#include "pintle/allocation/internal/held_bits.h"

namespace pintle::allocation {

// of the largest bound: a free channel this far outside is inside to rounding
inline constexpr double kInside = 1e-14;

// of what a direction is the difference of: its rounding
inline constexpr double kAcross = 1e-14;
// of that: less is no way at all
inline constexpr double kMoves = 1e3;
inline constexpr int kPatienceInPlace = 2;
// of the demand: a residual below this may be none
inline constexpr double kNearEdge = 1e-4;

namespace PINTLE_LEVEL {

/// In a tree: the next waits for it.
PINTLE_INLINE double short_dot(const Vec6& a, const Vec6& b) noexcept {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

class KinkSearch {
 public:
  /// For the demand b instead of the problem's.
  KinkSearch(const BoxProblem& problem, const Rows& rows, const Vec6& b,
             BoxSolution& solution) noexcept
      : p_(problem), rows_(rows), b_(b), s_(solution) {}

  /// From a residual. False: the demand can be met (and is not on the edge), or no end.
  bool run(const Vec6& start, int max_iterations) noexcept {
    e_ = start;
    const bool found = run(max_iterations);
    const Lanes zero = all_lanes(0);
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const Lanes side = load(&side_[kLanes * c]);
      write_eight(
          {bits_of(side < zero), bits_of(zero < side), ~eight_at(wide_, kLanes * c) & 0xFFU},
          &s_.held[kLanes * c]);
    }
    return found;
  }

  /// Where it ended.
  [[nodiscard]] const Vec6& residual() const noexcept { return e_; }

 private:
  bool run(int max_iterations) noexcept {
    begin();
    const int end = std::min(max_iterations, s_.iterations + 3 * static_cast<int>(p_.n) + 12);
    int stuck = 0;
    while (++s_.iterations <= end) {
      Vec6 goal = c_;
      for (std::size_t s = 0; s < count_; ++s) goal = goal - short_dot(q_[s], goal) * q_[s];
      const Vec6 direction = goal - e_;
      const int found = search_line(short_dot(direction, direction), direction);
      if (found >= 0) {
        if (!add_kink(static_cast<std::size_t>(found))) return p_.r == 0 && share() < kNearEdge;
      } else if (found == kArrived) {
        if (!drop_kink()) return out_of_reach();
        // nothing falls any more: only sets at one place are tried
        stuck = went2_ > kMoves * noise_ * (kMoves * noise_) ? 0 : stuck + 1;
        if (stuck > kPatienceInPlace) return out_of_reach();
        went2_ = 0;
      }
    }
    return false;
  }

  void begin() noexcept {
    count_ = 0;
    step_ = 0;
    wide_ = 0;
    std::array<Lanes, kAxes> moved;
    moved.fill(all_lanes(0));
    const Lanes zero = all_lanes(0);
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned wide = rows_.used(c) & ~read_eight(&s_.held[at]).fixed;
      wide_ |= ChannelMask{wide} << at;
      const Lanes value = combined(e_, rows_[c]);
      store(value, &value_[at]);
      store(zero, &slope_[at]);
      const LaneMask used = lanes_of(rows_.used(c));
      const LaneMask is_wide = lanes_of(wide);
      const LaneMask up = (value > zero) & is_wide;
      const Lanes lower = load(&p_.lower[at]);
      const Lanes upper = load(&p_.upper[at]);
      const Lanes x = select(used, select(up, upper, lower), zero);
      store(select(is_wide, upper - lower, zero), &width_[at]);
      store(select(is_wide, select(up, all_lanes(1), all_lanes(-1)), zero), &side_[at]);
      for (std::size_t k = 0; k < kAxes; ++k) moved[k] += x * rows_[c][k];
    }
    c_ = b_ - six_sums(moved);
    noise_ = kAcross * (norm(b_) + norm(c_));
  }

  static constexpr int kArrived = -1;
  static constexpr int kBetween = -2;

  // ends the last step; then the channels that cross their kink before the end of the next
  ChannelMask find_crossings(const Vec6& direction) noexcept {
    const Lanes zero = all_lanes(0);
    const Lanes level = all_lanes(noise_);
    // copies, which no store below can change
    const Vec6 ahead = direction;
    const double step = step_;
    ChannelMask open = 0;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const Lanes value = load(&value_[at]) + step * load(&slope_[at]);
      const Lanes slope = combined(ahead, rows_[c]);
      store(value, &value_[at]);
      store(slope, &slope_[at]);
      const unsigned crosses =
          bits_of((load(&side_[at]) * slope < zero) & (magnitude(value) < magnitude(slope)) &
                  (level < magnitude(slope)));
      open |= ChannelMask{crosses} << (kLanes * c);
    }
    return open;
  }

  // to the lowest point along the direction, past all kinks before it; the channel whose kink it
  // is, or kArrived at the end of the full step, or kBetween
  int search_line(double length2, const Vec6& direction) noexcept {
    struct Crossing {
      double at;
      std::size_t whose;
    };
    std::array<Crossing, kMaxChannels> crossing;
    std::size_t count = 0;
    for (ChannelMask bits = find_crossings(direction); bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      crossing[count++] = {std::max(-value_[i] / slope_[i], 0.0), i};
    }
    const auto later = [](const Crossing& a, const Crossing& b) { return b.at < a.at; };
    const auto begin = crossing.begin();
    auto end = begin + static_cast<std::ptrdiff_t>(count);
    std::make_heap(begin, end, later);
    // the slope of the dual at a place is (place - 1) length2 and the jumps before it
    double jumps = 0;
    int result = kArrived;
    step_ = 1;
    for (; end != begin; --end) {
      const auto [at, whose] = *begin;
      if ((at - 1) * length2 + jumps >= 0) break;
      const double jump = std::abs(slope_[whose]) * width_[whose];
      if ((at - 1) * length2 + (jumps + jump) >= 0) {
        step_ = at;
        result = static_cast<int>(whose);
        break;
      }
      jumps += jump;
      flip(whose);
      std::pop_heap(begin, end, later);
    }
    if (result == kArrived && jumps > 0) {
      step_ = std::clamp(1 - jumps / length2, 0.0, 1.0);
      result = kBetween;
    }
    e_ = e_ + step_ * direction;
    went2_ += step_ * step_ * length2;
    return result;
  }

  void flip(std::size_t i) noexcept {
    c_ = c_ + (side_[i] * (p_.upper[i] - p_.lower[i])) * p_.column[i];
    side_[i] = -side_[i];
  }

  // false when all rows are spanned: nothing is out of reach
  bool add_kink(std::size_t i) noexcept {
    if (count_ + 1 >= kAxes) return false;
    const bool up = side_[i] > 0;
    c_ = c_ + (up ? p_.upper[i] : p_.lower[i]) * p_.column[i];
    side_[i] = 0;
    kink_[count_] = i;
    return span_kink(count_);
  }

  // the next direction of the basis, from kink_[s], with its triangular coordinates
  bool span_kink(std::size_t s) noexcept {
    const Vec6& a = p_.column[kink_[s]];
    Vec6 q = a;
    triangle_[s] = {};
    const double size2 = short_dot(a, a);
    double left2 = size2;
    // again where most of it went
    for (double before = 0; !(left2 > 0.25 * before) || before == 0;) {
      before = left2;
      for (std::size_t j = 0; j < s; ++j) {
        const double part = short_dot(q_[j], q);
        triangle_[s][j] += part;
        q = q - part * q_[j];
      }
      left2 = short_dot(q, q);
      if (!(left2 > kIndependent * kIndependent * size2)) return false;
    }
    const double left = std::sqrt(left2);
    triangle_[s][s] = left;
    q_[s] = (1 / left) * q;
    count_ = s + 1;
    return true;
  }

  // the free channel that is furthest out goes to its bound; false when all are inside
  bool drop_kink() noexcept {
    Vec6 y;
    for (std::size_t s = 0; s < count_; ++s) y[s] = dot(q_[s], c_);
    std::size_t worst = count_;
    double furthest = kInside;
    for (std::size_t s = count_; s-- > 0;) {
      double x = y[s];
      for (std::size_t j = s + 1; j < count_; ++j) x -= triangle_[j][s] * y[j];
      y[s] = x / triangle_[s][s];
      const std::size_t i = kink_[s];
      const double out = std::max(p_.lower[i] - y[s], y[s] - p_.upper[i]);
      if (out > furthest) {
        furthest = out;
        worst = s;
      }
    }
    if (worst == count_) return false;
    const std::size_t i = kink_[worst];
    const bool up = y[worst] > p_.upper[i];
    side_[i] = up ? 1 : -1;
    c_ = c_ - (up ? p_.upper[i] : p_.lower[i]) * p_.column[i];
    value_[i] = 0;
    slope_[i] = 0;
    const std::size_t count = count_ - 1;
    for (std::size_t s = worst; s < count; ++s) {
      kink_[s] = kink_[s + 1];
      // was independent with more beside it
      static_cast<void>(span_kink(s));
    }
    count_ = count;
    return true;
  }

  // of the demand
  [[nodiscard]] double share() const noexcept {
    double size = 0;
    for (std::size_t k = 0; k < kAxes; ++k) size = std::max(size, std::abs(b_[k]));
    return norm(e_) / size;
  }

  // nothing left to the demand: that is the other case, but for the edge
  [[nodiscard]] bool out_of_reach() const noexcept {
    return share() > 1e-12 || count_ + 1 == kAxes;
  }

  const BoxProblem& p_;
  const Rows& rows_;
  const Vec6 b_;
  BoxSolution& s_;
  std::size_t count_ = 0;
  Vec6 e_, c_;
  double went2_ = 0;  // since the last arrival, sum of squares
  double noise_ = 0;  // a column at right angles to a direction moves by this much along it
  std::array<std::size_t, kAxes> kink_;
  std::array<Vec6, kAxes> q_, triangle_;
  ChannelMask wide_ = 0;  // bounds apart
  using Each = Uncleared<double, kMaxChannels>;
  Each value_, slope_;  // at the beginning of the last step, and along it
  Each width_;          // of the box
  Each side_;           // 1 on the upper bound, -1 on the lower, 0 else
  double step_ = 0;     // how far the last went
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
