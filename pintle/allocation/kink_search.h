/// The held set of a demand that is out of reach (r = 0). Internal to this room.
///
/// Minimises the dual of the distance to what can be reached,
///
///   1/2 |e|^2 - b'e + sum_i max(lower_i a_i'e, upper_i a_i'e),
///
/// over the residual e. It has a kink wherever some a_i'e is 0; the kinks that e sits on are the
/// free channels, at most five. Every search along a line goes past all kinks to the lowest point
/// (exact), so the dual falls strictly and no set of kinks comes back.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/free_system.h"

namespace pintle::allocation {

// of the largest bound: a free channel this far outside is inside to rounding
inline constexpr double kInside = 1e-14;

namespace PINTLE_LEVEL {

template <int N>
std::size_t channels(const BoxProblem& problem) noexcept {
  return N > 0 ? static_cast<std::size_t>(N) : problem.n;
}

/// The columns row by row, in whole lanes; what lies behind the last channel is zero.
struct Rows {
  explicit Rows(const BoxProblem& problem) noexcept : n(problem.n) {
    for (std::size_t at = 0; at < n; at += kLanes) {
      Uncleared<Padded, kLanes> eight;
      for (std::size_t i = 0; i < kLanes; ++i)
        eight[i].v = at + i < n ? pad(problem.column[at + i].v.data()) : all_lanes(0);
      std::array<Lanes, kAxes> part;
      transpose(eight.data(), part.data());
      for (std::size_t k = 0; k < kAxes; ++k) row[k][at / kLanes] = part[k];
    }
  }

  /// out[i] = a_i' v
  void times(const Vec6& v, std::array<double, kMaxChannels>& out) const noexcept {
    for (std::size_t c = 0; c * kLanes < n; ++c) {
      Lanes sum = v[0] * row[0][c];
      for (std::size_t k = 1; k < kAxes; ++k) sum += v[k] * row[k][c];
      store(sum, &out[kLanes * c]);
    }
  }

  std::size_t n;
  std::array<Uncleared<Lanes, kMaxChannels / kLanes>, kAxes> row;
};

// of the demand: a residual below this may be none
inline constexpr double kNearEdge = 1e-4;

template <int N>
class KinkSearch {
 public:
  KinkSearch(const BoxProblem& problem, const Rows& rows, BoxSolution& solution) noexcept
      : p_(problem), rows_(rows), s_(solution) {}

  /// From efforts inside the box. False: the demand can be met (and is not on the edge), or no end.
  bool run(const std::array<double, kMaxChannels>& start, int max_iterations) noexcept {
    e_ = p_.b;
    for (std::size_t i = 0; i < channels<N>(p_); ++i) e_ = e_ - start[i] * p_.column[i];
    return run(max_iterations);
  }

  /// From a residual.
  bool run(const Vec6& start, int max_iterations) noexcept {
    e_ = start;
    return run(max_iterations);
  }

 private:
  bool run(int max_iterations) noexcept {
    begin();
    const int end =
        std::min(max_iterations, s_.iterations + 3 * static_cast<int>(channels<N>(p_)) + 12);
    while (++s_.iterations <= end) {
      Vec6 goal = c_;
      for (std::size_t s = 0; s < count_; ++s) goal = goal - dot(q_[s], goal) * q_[s];
      const Vec6 direction = goal - e_;
      rows_.times(direction, slope_);
      const int found = search_line(dot(direction, direction), direction);
      if (found >= 0) {
        if (!add_kink(static_cast<std::size_t>(found))) return p_.r == 0 && residual() < kNearEdge;
      } else if (found == kArrived && !drop_kink()) {
        return out_of_reach();
      }
    }
    return false;
  }

  void begin() noexcept {
    count_ = 0;
    rows_.times(e_, value_);
    std::array<Lanes, kAxes> moved;
    moved.fill(all_lanes(0));
    for (std::size_t c = 0; c < chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const std::size_t count = std::min(kLanes, p_.n - at);
      unsigned wide = 0;
      for (std::size_t i = 0; i < count; ++i)
        wide |= static_cast<unsigned>(s_.held[at + i] != Held::kFixed) << i;
      const Lanes zero = all_lanes(0);
      const LaneMask used = lanes_of((1U << count) - 1);
      const LaneMask up = lanes_of(bits_of(load(&value_[at]) > zero) & wide);
      const Lanes lower = load(&p_.lower[at]);
      const Lanes upper = load(&p_.upper[at]);
      const Lanes x = select(used, select(up, upper, lower), zero);
      width_[c] = select(lanes_of(wide), upper - lower, zero);
      store(select(lanes_of(wide), select(up, all_lanes(1), all_lanes(-1)), zero), &side_[at]);
      store(x, &s_.x[at]);
      for (std::size_t k = 0; k < kAxes; ++k) moved[k] += x * rows_.row[k][c];
      for (unsigned bits = wide; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        s_.held[at + i] = side_[at + i] > 0 ? Held::kUpper : Held::kLower;
      }
    }
    for (std::size_t k = 0; k < kAxes; ++k) c_[k] = p_.b[k] - sum_of(moved[k]);
  }

  [[nodiscard]] std::size_t chunks() const noexcept { return (p_.n + kLanes - 1) / kLanes; }

  static constexpr double kNever = 2;  // behind the end of the full step
  static constexpr int kArrived = -1;
  static constexpr int kBetween = -2;

  // the channels that cross their kink before the end of the step, where, and by how much the slope
  // of the dual jumps there; whether there are any
  bool find_crossings() noexcept {
    const Lanes zero = all_lanes(0);
    unsigned any = 0;
    for (std::size_t c = 0; c < chunks(); ++c) {
      const Lanes value = load(&value_[kLanes * c]);
      const Lanes slope = load(&slope_[kLanes * c]);
      const unsigned crosses = bits_of((load(&side_[kLanes * c]) * slope < zero) &
                                       (magnitude(value) < magnitude(slope)));
      const LaneMask mask = lanes_of(crosses);
      at_[c] = select(mask, greater_of(zero - value / slope, zero), all_lanes(kNever));
      jump_[c] = select(mask, magnitude(slope) * width_[c], zero);
      open_[c] = static_cast<std::uint8_t>(crosses);
      any |= crosses;
    }
    return any != 0;
  }

  // the jumps up to a place along the line, that one included or not
  double jumps_to(double place, bool included) const noexcept {
    Lanes sum = all_lanes(0);
    const Lanes here = all_lanes(place);
    for (std::size_t c = 0; c < chunks(); ++c)
      sum += select(included ? at_[c] <= here : at_[c] < here, jump_[c], all_lanes(0));
    return sum_of(sum);
  }

  // some open crossing, about in the middle of them; the places lie in no order
  [[nodiscard]] int some_open() const noexcept {
    int left = 0;
    for (std::size_t c = 0; c < chunks(); ++c) left += std::popcount(open_[c] + 0U);
    left /= 2;
    for (std::size_t c = 0; c < chunks(); ++c) {
      const int count = std::popcount(open_[c] + 0U);
      if (left >= count) {
        left -= count;
        continue;
      }
      return static_cast<int>(kLanes * c) + std::countr_zero(open_[c] + 0U);
    }
    return -1;
  }

  // the crossing at which the slope turns upwards, -1 for none: parted about one of those that are
  // left, as a median is found
  int find_turning(double length2) noexcept {
    int turning = -1;
    for (int pivot = some_open(); pivot >= 0; pivot = some_open()) {
      const auto i = static_cast<std::size_t>(pivot);
      const double place = at_[i / kLanes][i % kLanes];
      const bool upwards = place * length2 + jumps_to(place, true) >= length2;
      if (upwards) turning = pivot;
      const Lanes here = all_lanes(place);
      for (std::size_t c = 0; c < chunks(); ++c) {
        const unsigned keep = bits_of(upwards ? at_[c] < here : here < at_[c]);
        open_[c] = static_cast<std::uint8_t>(open_[c] & keep);
      }
    }
    return turning;
  }

  // to the lowest point along the direction, past all kinks before it; the channel whose kink it
  // is, or kArrived at the end of the full step, or kBetween
  int search_line(double length2, const Vec6& direction) noexcept {
    double step = 1;
    int result = kArrived;
    if (find_crossings()) {
      // the slope is -length2 + jumps + step * length2
      const int turning = find_turning(length2);
      const auto t = static_cast<std::size_t>(std::max(turning, 0));
      const double place = turning < 0 ? kNever : at_[t / kLanes][t % kLanes];
      const double jumps = jumps_to(place, false);
      const double level = length2 - jumps;
      if (turning < 0 || place * length2 >= level) {
        if (jumps > 0) {
          step = std::min(std::max(level / length2, 0.0), 1.0);
          result = kBetween;
        }
      } else {
        step = place;
        result = turning;
      }
      for (std::size_t c = 0; c < chunks(); ++c)
        for (unsigned bits = bits_of(at_[c] < all_lanes(place)); bits != 0; bits &= bits - 1)
          flip(kLanes * c + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    e_ = e_ + step * direction;
    for (std::size_t at = 0; at < kLanes * chunks(); at += kLanes)
      store(load(&value_[at]) + step * load(&slope_[at]), &value_[at]);
    return result;
  }

  void flip(std::size_t i) noexcept {
    const bool up = s_.held[i] == Held::kLower;
    const double width = p_.upper[i] - p_.lower[i];
    c_ = c_ - (up ? width : -width) * p_.column[i];
    s_.x[i] = up ? p_.upper[i] : p_.lower[i];
    s_.held[i] = up ? Held::kUpper : Held::kLower;
    side_[i] = up ? 1 : -1;
  }

  // false when all rows are spanned: nothing is out of reach
  bool add_kink(std::size_t i) noexcept {
    if (count_ + 1 >= kAxes) return false;
    c_ = c_ + s_.x[i] * p_.column[i];
    s_.held[i] = Held::kFree;
    side_[i] = 0;
    kink_[count_] = i;
    return span_kink(count_);
  }

  // the next direction of the basis, from kink_[s], with its triangular coordinates
  bool span_kink(std::size_t s) noexcept {
    const Vec6& a = p_.column[kink_[s]];
    Vec6 q = a;
    triangle_[s] = {};
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < s; ++j) {
        const double part = dot(q_[j], q);
        triangle_[s][j] += part;
        q = q - part * q_[j];
      }
    const double left = norm(q);
    if (!(left > kIndependent * norm(a))) return false;
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
    s_.held[i] = up ? Held::kUpper : Held::kLower;
    side_[i] = up ? 1 : -1;
    s_.x[i] = up ? p_.upper[i] : p_.lower[i];
    c_ = c_ - s_.x[i] * p_.column[i];
    value_[i] = 0;
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
  [[nodiscard]] double residual() const noexcept {
    double size = 0;
    for (std::size_t k = 0; k < kAxes; ++k) size = std::max(size, std::abs(p_.b[k]));
    return norm(e_) / size;
  }

  // nothing left to the demand: that is the other case, but for the edge
  [[nodiscard]] bool out_of_reach() const noexcept {
    return residual() > 1e-12 || count_ + 1 == kAxes;
  }

  const BoxProblem& p_;
  const Rows& rows_;
  BoxSolution& s_;
  std::size_t count_ = 0;
  Vec6 e_, c_;
  std::array<std::size_t, kAxes> kink_;
  std::array<Vec6, kAxes> q_, triangle_;
  std::array<double, kMaxChannels> value_, slope_;
  Uncleared<Lanes, kMaxChannels / kLanes> width_, at_, jump_;
  std::array<std::uint8_t, kMaxChannels / kLanes> open_;  // crossings not yet on one side
  std::array<double, kMaxChannels> side_;  // 1 on the upper bound, -1 on the lower, 0 else
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
