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
    c_ = p_.b;
    for (std::size_t i = 0; i < channels<N>(p_); ++i) {
      side_[i] = s_.held[i] == Held::kFixed ? 0 : value_[i] > 0 ? 1 : -1;
      if (side_[i] != 0) s_.held[i] = value_[i] > 0 ? Held::kUpper : Held::kLower;
      s_.x[i] = s_.held[i] == Held::kUpper ? p_.upper[i] : p_.lower[i];
      c_ = c_ - s_.x[i] * p_.column[i];
    }
  }

  static constexpr int kArrived = -1;
  static constexpr int kBetween = -2;

  // the channels that cross their kink before the end of the step, and where
  void find_crossings() noexcept {
    crossings_ = 0;
    const Lanes zero = all_lanes(0);
    for (std::size_t at = 0; at < p_.n; at += kLanes) {
      const Lanes value = load(&value_[at]);
      const Lanes slope = load(&slope_[at]);
      const LaneMask crosses =
          (load(&side_[at]) * slope < zero) & (magnitude(value) < magnitude(slope));
      store(greater_of(zero - value / slope, zero), &at_[at]);
      unsigned bits = bits_of(crosses);
      if (p_.n - at < kLanes) bits &= (1U << (p_.n - at)) - 1;
      for (; bits != 0; bits &= bits - 1)
        crossing_[crossings_++] =
            static_cast<std::uint8_t>(at + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }

  // to the lowest point along the direction, past all kinks before it (found as a median is, by
  // parting them about one of them); the channel whose kink it is, or kArrived at the end of the
  // full step, or kBetween
  int search_line(double length2, const Vec6& direction) noexcept {
    find_crossings();
    double jumps = 0;  // the slope is -length2 + jumps + step * length2
    std::size_t begin = 0;
    std::size_t end = crossings_;
    int turning = -1;
    while (begin < end) {
      std::swap(crossing_[(begin + end) / 2], crossing_[end - 1]);
      const std::size_t pivot = crossing_[end - 1];
      double more = 0;
      std::size_t middle = begin;
      for (std::size_t c = begin; c < end; ++c) {
        const std::size_t i = crossing_[c];
        if (at_[i] > at_[pivot]) continue;
        more += std::abs(slope_[i]) * (p_.upper[i] - p_.lower[i]);
        std::swap(crossing_[c], crossing_[middle++]);
      }
      if (at_[pivot] * length2 + (jumps + more) >= length2) {
        // the pivot came last of those that are not above it
        turning = static_cast<int>(pivot);
        end = middle - 1;
      } else {
        jumps += more;
        for (; begin < middle; ++begin) flip(crossing_[begin]);
      }
    }
    double step = 1;
    int result = kArrived;
    const double level = length2 - jumps;
    if (turning < 0 || at_[static_cast<std::size_t>(turning)] * length2 >= level) {
      if (jumps > 0) {
        step = std::min(std::max(level / length2, 0.0), 1.0);
        result = kBetween;
      }
    } else {
      step = at_[static_cast<std::size_t>(turning)];
      result = turning;
    }
    e_ = e_ + step * direction;
    for (std::size_t i = 0; i < channels<N>(p_); ++i) value_[i] += step * slope_[i];
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
  std::size_t crossings_ = 0;
  std::array<std::uint8_t, kMaxChannels> crossing_;
  std::array<double, kMaxChannels> value_, slope_, at_;
  std::array<double, kMaxChannels> side_;  // 1 on the upper bound, -1 on the lower, 0 else
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
