/// The held set of a demand that can be met, or is traded against effort. Internal to this room.
///
/// Minimises the dual, convex and smooth with quadratic pieces,
///
///   r/2 |l|^2 - b'l + sum_i max over x in the box of (a_i'l) x - x^2 / 2,
///
/// whose gradient is A x(l) + r l - b with x_i(l) = a_i'l cut to the box. Newton's steps on the
/// piece at hand, each followed along its line to the lowest point (semismooth Newton: Qi & Sun
/// 1993), so the dual falls strictly and no piece comes back. Where the free columns do not span
/// all rows a little is added, of each row's own size. What is found is a guess, to be proved.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/gram.h"
#include "pintle/allocation/internal/kink_search.h"

namespace pintle::allocation {

// added to a row, of its own squared length, and where that leaves it nearly singular
inline constexpr double kLittle = 1e-12;
inline constexpr double kMuch = 1e-4;
inline constexpr double kSingular = 1e-9;
// of the slope at the beginning of a line: less is its lowest point
inline constexpr double kLevel = 1e-9;
// a step this near to one is Newton's own
inline constexpr double kWhole = 1e-2;
// multipliers beyond it say nothing about efforts near one
inline constexpr double kLargestPrice = 1e12;
// of the demand: a direction that parts it from the reach by less may be rounding
inline constexpr double kBeyond = 1e-10;
inline constexpr int kLooksAlong = 20;
// where r = 0 is approached
inline constexpr double kSmallTrade = 1e-8;

namespace PINTLE_LEVEL {

class DualSearch {
 public:
  /// For the demand b instead of the problem's.
  DualSearch(const BoxProblem& problem, const Rows& rows, const Vec6& b,
             BoxSolution& solution) noexcept
      : p_(problem), rows_(rows), b_(b), s_(solution), r_(problem.r) {}

  /// From multipliers l. False where it does not settle, or the demand is out of reach.
  bool run(const Vec6& start, int max_iterations) noexcept {
    ray_ = false;
    begin(start);
    const int n = static_cast<int>(p_.n);
    const int end = std::min(max_iterations, s_.iterations + std::min(3 * n + 12, n / 4 + 24));
    for (bool begun = false; ++s_.iterations <= end; begun = true) {
      // in the end multipliers of what is out of reach point along what is missing, if not at once
      if (is_ray(l_, value_) || !(norm(l_) < kLargestPrice)) break;
      if (!begun) set_piece();
      Vec6 direction = gradient();
      const Vec6 down = direction;
      solve(direction);
      set_slope(direction);
      const double step = search_line(direction, dot(down, direction));
      if (ray_ || !(step > 0)) break;
      l_ = l_ + step * direction;
      if (!move(step) && std::abs(step - 1) < kWhole) {
        hold();
        return true;
      }
    }
    return false;
  }

  /// What is out of reach will not be left to the other search, but traded: for r = 0 at a small r.
  void go_through_rays() noexcept {
    through_rays_ = true;
    r_ = std::max(r_, kSmallTrade);
  }
  [[nodiscard]] double r() const noexcept { return r_; }

  /// Out of reach: a residual from which the search over residuals (kink_search.h) only falls.
  [[nodiscard]] bool out_of_reach() const noexcept { return ray_; }
  [[nodiscard]] const Vec6& residual() const noexcept { return residual_; }

 private:
  using Chunks = Uncleared<Lanes, kMaxChannels / kLanes>;

  void begin(const Vec6& start) noexcept {
    l_ = start;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const LaneMask used = lanes_of(rows_.used(c));
      lower_[c] = select(used, load(&p_.lower[at]), all_lanes(0));
      upper_[c] = select(used, load(&p_.upper[at]), all_lanes(0));
      value_[c] = combined(l_, rows_[c]);
    }
  }

  // which channels are free, their gram matrix, and the size of each row
  void set_piece() noexcept {
    free_ = 0;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) free_ |= ChannelMask{between(c)} << kLanes * c;
    gram_ = gram_of_rows<false>(rows_, free_);
    SixLanes square;
    square.fill(all_lanes(0));
    for (std::size_t c = 0; c < rows_.chunks(); ++c)
      for (std::size_t k = 0; k < kAxes; ++k) square[k] += rows_[c][k] * rows_[c][k];
    size_ = six_sums(square);
    // a row of zeros is no axis
    for (double& size : size_.v) size = size > 0 ? size : 1;
  }

  void set_slope(const Vec6& direction) noexcept {
    for (std::size_t c = 0; c < rows_.chunks(); ++c) slope_[c] = combined(direction, rows_[c]);
  }

  // b - A x - r l
  [[nodiscard]] Vec6 gradient() const noexcept {
    SixLanes sum;
    sum.fill(all_lanes(0));
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const Lanes x = inside(c, value_[c]);
      for (std::size_t k = 0; k < kAxes; ++k) sum[k] += x * rows_[c][k];
    }
    const Vec6 made = six_sums(sum);
    Vec6 down;
    for (std::size_t k = 0; k < kAxes; ++k) down[k] = (b_[k] - made[k]) - r_ * l_[k];
    return down;
  }

  // the channels inside their bounds
  [[nodiscard]] PINTLE_INLINE unsigned between(std::size_t c) const noexcept {
    return bits_of((lower_[c] < value_[c]) & (value_[c] < upper_[c]));
  }

  PINTLE_INLINE Lanes inside(std::size_t c, const Lanes& v) const noexcept {
    return clamped(v, lower_[c], upper_[c]);
  }

  void solve(Vec6& direction) noexcept {
    const Vec6 down = direction;
    for (const double share : {kLittle, kMuch}) {
      for (std::size_t j = 0; j < kAxes; ++j) {
        g_.row[j] = gram_[j];
        g_.row[j].set(j, std::max(g_.row[j][j], 0.0) + (r_ + share * size_[j]));
      }
      direction = down;
      g_.factor_any();
      g_.solve(direction);
      // what is traded leaves it that way
      if (through_rays_ || !g_.weaker_than(kSingular)) return;
    }
  }

  // the slope of the dual along the line at one step, and the slope of that
  void look(double step, double& slope, double& curve) const noexcept {
    Lanes first = all_lanes(0);
    Lanes second = all_lanes(0);
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const Lanes v = value_[c] + step * slope_[c];
      first += slope_[c] * inside(c, v);
      second += select((lower_[c] < v) & (v < upper_[c]), slope_[c] * slope_[c], all_lanes(0));
    }
    slope = at_zero_ + step * own_ + sum_of(first);
    curve = own_ + sum_of(second);
  }

  // to the lowest point along the direction: the slope grows from piece to piece
  double search_line(const Vec6& direction, double fall) noexcept {
    if (!(fall > 0)) return 0;
    at_zero_ = r_ * dot(l_, direction) - dot(b_, direction);
    own_ = r_ * dot(direction, direction);
    double low = 0;
    double step = 1;
    for (int looks = 0; looks < kLooksAlong; ++looks) {
      double slope = 0;
      double curve = 0;
      look(step, slope, curve);
      if (std::abs(slope) <= kLevel * fall) return step;
      if (slope > 0) return walk(low, step);
      low = step;
      if (curve == own_ && is_ray(direction, slope_)) return 0;
      step = std::min(std::max(step - slope / curve, 2 * step), 16 * step);
    }
    return low;
  }

  // the zero of the slope between two steps, from piece to piece
  [[nodiscard]] double walk(double low, double high) const noexcept {
    struct Turn {
      double at, change;
    };
    std::array<Turn, 2 * kMaxChannels> turn;
    std::size_t count = 0;
    const auto add = [&](std::size_t c, const LaneMask& between, const Lanes& bound,
                         bool is_lower) {
      for (unsigned bits = bits_of(between); bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        const double s = slope_[c][i];
        turn[count++] = {(bound[i] - value_[c][i]) / s, (s > 0) == is_lower ? s * s : -(s * s)};
      }
    };
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      const Lanes v = value_[c] + low * slope_[c];
      const Lanes w = value_[c] + high * slope_[c];
      for (const bool is_lower : {true, false}) {
        const Lanes& bound = is_lower ? lower_[c] : upper_[c];
        add(c, ((v < bound) & (bound < w)) | ((w < bound) & (bound < v)), bound, is_lower);
      }
    }
    std::sort(turn.begin(), turn.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Turn& a, const Turn& b) { return a.at < b.at; });
    double slope = 0;
    double curve = 0;
    look(low, slope, curve);
    double found = low;
    for (std::size_t k = 0; k < count; ++k) {
      const double next = slope + curve * (turn[k].at - found);
      if (next >= 0) break;
      slope = next;
      found = turn[k].at;
      curve = std::max(curve + turn[k].change, own_);
    }
    return found - slope / curve;
  }

  // whether the direction parts the demand from all that can be reached: but for r the dual falls
  // without end
  bool is_ray(const Vec6& direction, const Chunks& slope) noexcept {
    if (through_rays_) return false;
    Lanes most = all_lanes(0);
    for (std::size_t c = 0; c < rows_.chunks(); ++c)
      most += greater_of(lower_[c] * slope[c], upper_[c] * slope[c]);
    const double beyond = dot(b_, direction) - sum_of(most);
    ray_ = beyond > kBeyond * norm(b_) * norm(direction);
    if (ray_) residual_ = (beyond / dot(direction, direction)) * direction;
    return ray_;
  }

  // along the line; whether another piece begins there. Keeps the gram matrix of the free ones
  bool move(double step) noexcept {
    ChannelMask any = 0;
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      value_[c] += step * slope_[c];
      const unsigned now = between(c);
      const unsigned changed = now ^ eight_at(free_, kLanes * c);
      any |= ChannelMask{changed} << kLanes * c;
      for (unsigned bits = changed; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(bits));
        const Lanes a = pad(p_.column[kLanes * c + i].v.data());
        const double sign = (now >> i & 1) != 0 ? 1 : -1;
        unrolled<kAxes>([&](auto j) { gram_[j] += (sign * a[j]) * a; });
      }
    }
    free_ ^= any;
    return any != 0;
  }

  void hold() noexcept {
    for (std::size_t c = 0; c < rows_.chunks(); ++c) {
      Held* const held = &s_.held[kLanes * c];
      const unsigned fixed = read_eight(held).fixed;
      const unsigned lower = bits_of(value_[c] <= lower_[c]) & ~fixed;
      const unsigned upper = bits_of(upper_[c] <= value_[c]) & ~(fixed | lower);
      write_eight({lower, upper, fixed}, held);
    }
  }

  const BoxProblem& p_;
  const Rows& rows_;
  const Vec6 b_;
  BoxSolution& s_;
  double r_;
  double at_zero_ = 0, own_ = 0;  // along the line: what of its slope is no channel's
  Vec6 l_, size_;
  bool ray_ = false;
  bool through_rays_ = false;
  Vec6 residual_;
  Definite g_;
  SixLanes gram_;
  Chunks value_, slope_, lower_, upper_;
  ChannelMask free_ = 0;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
