/// Internal to active_set.h, where it is explained.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/active_set.h"
#include "pintle/allocation/dual_search.h"
#include "pintle/allocation/edge.h"
#include "pintle/allocation/gram.h"
#include "pintle/allocation/held_bits.h"
#include "pintle/allocation/kink_search.h"

namespace pintle::allocation {

// of the largest bound: moves below this are rounding
inline constexpr double kMoved = 1e-13;

inline constexpr int kFirstPatience = 0;
inline constexpr int kManyWrong = 3;
inline constexpr int kPatience = 2;
// up to so many free columns are summed one by one
inline constexpr std::size_t kFewColumns = 16;

namespace PINTLE_LEVEL {

template <int N>
class BlockSolver {
 public:
  BlockSolver(const BoxProblem& problem, BoxSolution& solution) noexcept
      : p_(problem), s_(solution), rows_(problem) {}

  /// Counts on from the iterations in the solution.
  bool run(bool warm, int max_iterations) noexcept {
    system_.empty = rows_.empty();
    start(warm);
    bool found = exchange_blocks(max_iterations, kFirstPatience);
    if (!found && warm) {
      found = follow(max_iterations);
      if (!found) {
        start(false);
        found = exchange_blocks(max_iterations, kFirstPatience);
      }
    }
    if (!found) {
      if (!trusted_) return false;
      remember_start();
      if (!search(max_iterations) && !descend(max_iterations)) return false;
    }
    return finish();
  }

  // the set in `solution` evaluated for this problem, without a proof
  bool settle() noexcept {
    if (!solve_free()) return false;
    for (std::size_t i = 0; i < n(); ++i) {
      if (!is_free(i)) continue;
      s_.x[i] = std::clamp(target_[i], p_.lower[i], p_.upper[i]);
    }
    s_.loses_digits = system_.loses;
    return true;
  }

  // the system of the held set as matrices; false when it is not well conditioned
  bool factor(HeldSet& set) noexcept {
    std::copy_n(s_.held.begin(), n(), set.held.begin());
    system_.squared = true;
    if (!solve_free() || system_.carried || system_.thin || system_.loses) return false;
    set.spanned = system_.spanned;
    set.weak = system_.weak;
    const auto slope = system_.slopes(columns(), free_count_, p_.r);
    const auto outside = set.spanned ? FreeSystem::Six{} : system_.outside(FreeSystem::units());
    // lane by lane; both matrices are symmetric
    for (std::size_t k = 0; k < kAxes; ++k) {
      set.through[k] = 0;
      for (std::size_t j = 0; j < kAxes; ++j) {
        set.slope[k][j] = slope[j][k];
        set.outside[k][j] = set.spanned ? 0 : outside[j][k];
        // no number of a scaled column is above 2
        set.through[k] += 2 * std::abs(set.slope[k][j]);
      }
    }
    set.in_span = set.free = set.up = set.fixed = 0;
    for (std::size_t c = 0; c < chunks(); ++c) {
      const auto bits = [&](unsigned some) { return ChannelMask{some} << (kLanes * c); };
      set.free |= bits(free_bits_[c]);
      set.up |= bits(up_bits_[c]);
      set.fixed |= bits(fixed_bits_[c]);
      set.in_span |= bits(set.spanned ? used(c) : in_span(c));
    }
    return true;
  }

 private:
  // the columns of a chunk that the free ones produce
  [[nodiscard]] unsigned in_span(std::size_t c) const noexcept {
    FreeSystem::Six a;
    for (std::size_t k = 0; k < kAxes; ++k) a[k] = rows_.row[k][c];
    const FreeSystem::Six rest = system_.outside(a);
    Lanes whole = a[0] * a[0];
    Lanes left = rest[0] * rest[0];
    for (std::size_t k = 1; k < kAxes; ++k) {
      whole += a[k] * a[k];
      left += rest[k] * rest[k];
    }
    return bits_of(left <= kRankTolerance * kRankTolerance * whole) & used(c);
  }

  bool finish() noexcept {
    // the held ones are on their bound bit for bit
    for (std::size_t at = 0; at < n(); at += kLanes) store(cut(load(&s_.x[at]), at), &s_.x[at]);
    s_.converged = true;
    s_.loses_digits = system_.loses;
    return true;
  }

  // exchanges all wrong channels at once while that makes them fewer
  bool exchange_blocks(int max_iterations, int patience) noexcept {
    int fewest = static_cast<int>(n()) + 1;
    int left = patience;
    while (++s_.iterations <= max_iterations) {
      if (!solve_free()) return false;
      const int wrong = exchange();
      if (wrong == 0) return true;
      // with many wrong the first guess says little: the falling search takes fewer steps
      if (patience == kFirstPatience && wrong >= kManyWrong) return false;
      if (wrong < fewest) {
        fewest = wrong;
        left = patience;
      } else if (--left < 0) {
        return false;
      }
    }
    return false;
  }

  void start(bool warm) noexcept {
    for (std::size_t c = 0; c < chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned fixed = used(c) & ~bits_of(load(&p_.lower[at]) < load(&p_.upper[at]));
      HeldBits held = warm ? read_eight(&s_.held[at]) : HeldBits{};
      held.lower &= ~fixed;
      held.upper &= ~fixed;
      held.fixed = fixed;
      write_eight(held, &s_.held[at]);
    }
  }

  // the residual of the last set leads to that of a demand which is still out of reach
  bool follow(int max_iterations) noexcept {
    return trusted_ && !system_.spanned &&
           dot(system_.d, system_.d) > kNearEdge * dot(p_.b, p_.b) &&
           KinkSearch<N>(p_, rows_, p_.b, s_).run(system_.d, max_iterations) &&
           exchange_blocks(max_iterations, kFirstPatience);
  }

  // over the multipliers; over the residual if those say that the demand is out of reach; and with
  // more ties than a residual can tell apart over the multipliers again, from where it ended
  bool search(int max_iterations) noexcept {
    // what no channel produces changes no channel
    const Vec6 b = system_.spanned ? p_.b : p_.b - system_.d;
    DualSearch<N> dual(p_, rows_, b, s_);
    if (dual.run(system_.l, max_iterations)) return exchange_blocks(max_iterations, kPatience);
    if (!dual.out_of_reach()) return false;
    KinkSearch<N> kinks(p_, rows_, b, s_);
    if (kinks.run(dual.residual(), max_iterations) &&
        exchange_blocks(max_iterations, kFirstPatience))
      return true;
    if (!trusted_) return false;
    dual.go_through_rays();
    return dual.run(system_.l + (1 / dual.r()) * kinks.residual(), max_iterations) &&
           exchange_blocks(max_iterations, kPatience);
  }

  // the last answer cut to the box: where the searches below begin
  void remember_start() noexcept {
    for (std::size_t at = 0; at < n(); at += kLanes) store(cut(load(&s_.x[at]), at), &start_[at]);
    std::copy_n(s_.held.begin(), n(), start_held_.begin());
  }

  // to the box
  PINTLE_INLINE Lanes cut(const Lanes& x, std::size_t at) const noexcept {
    const Lanes lower = load(&p_.lower[at]);
    const Lanes upper = load(&p_.upper[at]);
    return select(x < lower, lower, select(upper < x, upper, x));
  }

  // the reference's descent with this solver's kernels: inside the box, the cost falls each step
  PINTLE_SELDOM bool descend(int max_iterations) noexcept {
    if (s_.iterations >= max_iterations) return false;
    for (std::size_t i = 0; i < n(); ++i) {
      s_.x[i] = start_[i];
      if (s_.held[i] != Held::kFixed) s_.held[i] = start_held_[i];
      if (s_.held[i] == Held::kFree && start_[i] == p_.lower[i]) s_.held[i] = Held::kLower;
      if (s_.held[i] == Held::kFree && start_[i] == p_.upper[i]) s_.held[i] = Held::kUpper;
    }
    bool moved = true;
    while (++s_.iterations <= max_iterations) {
      if (!solve_free()) return false;
      if (!advance(moved)) continue;
      const int wrong = release(moved);
      if (wrong <= 0) return wrong == 0;
      moved = false;
    }
    return false;
  }

  // moves the free channels towards their targets as far as the box lets them; true when all arrive
  bool advance(bool& moved) noexcept {
    bool blocked = false;
    bool back = false;
    double length = 1;
    std::array<double, kMaxChannels> goal;
    for (std::size_t i = 0; i < n(); ++i) {
      if (!is_free(i)) continue;
      goal[i] = std::clamp(target_[i], p_.lower[i], p_.upper[i]);
      if (std::abs(goal[i] - target_[i]) <= kInside) continue;
      blocked = true;
      if (goal[i] == s_.x[i]) {
        // on its bound and wants out
        s_.held[i] = target_[i] < goal[i] ? Held::kLower : Held::kUpper;
        back = true;
      } else {
        length = std::min(length, (goal[i] - s_.x[i]) / (target_[i] - s_.x[i]));
      }
    }
    if (back) return false;
    if (blocked && !falls(goal)) {
      for (std::size_t i = 0; i < n(); ++i) {
        if (!is_free(i)) continue;
        const double step = length * (target_[i] - s_.x[i]);
        // those that reach their bound first end on it bit for bit
        if (goal[i] == target_[i] || std::abs(goal[i] - s_.x[i]) > std::abs(step))
          goal[i] = std::clamp(s_.x[i] + step, p_.lower[i], p_.upper[i]);
      }
    }
    for (std::size_t i = 0; i < n(); ++i) {
      if (!is_free(i)) continue;
      moved = moved || std::abs(goal[i] - s_.x[i]) > kMoved;
      s_.x[i] = goal[i];
      if (!blocked) continue;
      if (goal[i] == p_.lower[i] && target_[i] < goal[i]) s_.held[i] = Held::kLower;
      if (goal[i] == p_.upper[i] && target_[i] > goal[i]) s_.held[i] = Held::kUpper;
    }
    return !blocked;
  }

  // whether the cost is safely lower with the free channels there
  [[nodiscard]] bool falls(const std::array<double, kMaxChannels>& goal) const noexcept {
    Vec6 now = c_;
    Vec6 then = c_;
    double now_r = 0;
    double then_r = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      if (!is_free(i)) continue;
      now = now - s_.x[i] * p_.column[i];
      then = then - goal[i] * p_.column[i];
      now_r += s_.x[i] * s_.x[i];
      then_r += goal[i] * goal[i];
    }
    return dot(then, then) + p_.r * then_r < 0.999 * (dot(now, now) + p_.r * now_r);
  }

  // releases all held channels that want in, or only the keenest when the last release moved
  // nothing; how many, -1 when nothing would come of it
  int release(bool all) noexcept {
    int wrong = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      if (!wants_inwards(i, s_.held[i] == Held::kLower ? 1 : -1)) continue;
      ++wrong;
      if (all) s_.held[i] = Held::kFree;
    }
    return !all && wrong > 0 ? -1 : wrong;
  }

  [[nodiscard]] std::size_t n() const noexcept { return channels<N>(p_); }

  [[nodiscard]] std::size_t chunks() const noexcept { return (n() + kLanes - 1) / kLanes; }

  [[nodiscard]] unsigned used(std::size_t c) const noexcept {
    const std::size_t left = n() - kLanes * c;
    return left >= kLanes ? 0xFFU : (1U << left) - 1;
  }

  void read_held() noexcept {
    free_count_ = 0;
    for (std::size_t c = 0; c < chunks(); ++c) {
      const HeldBits held = read_eight(&s_.held[kLanes * c]);
      const unsigned free = used(c) & ~(held.lower | held.upper | held.fixed);
      free_bits_[c] = static_cast<std::uint8_t>(free);
      up_bits_[c] = static_cast<std::uint8_t>(held.upper & used(c));
      fixed_bits_[c] = static_cast<std::uint8_t>(held.fixed & used(c));
      free_count_ += static_cast<std::size_t>(std::popcount(free));
    }
    packed_ = false;
  }

  // the free columns side by side
  const Padded* columns() noexcept {
    if (packed_) return columns_.data();
    std::size_t f = 0;
    for (std::size_t c = 0; c < chunks(); ++c)
      for (unsigned bits = free_bits_[c]; bits != 0; bits &= bits - 1)
        pack(p_.column[kLanes * c + static_cast<std::size_t>(std::countr_zero(bits))],
             columns_[f++]);
    packed_ = true;
    return columns_.data();
  }

  void solve_system() noexcept {
    if (free_count_ <= kFewColumns) {
      trusted_ = system_.solve(columns(), free_count_, p_.r, c_);
      return;
    }
    const auto gram = free_count_ == n() ? gram_of_rows<true>(rows_.row, chunks(), &free_bits_[0])
                                         : gram_of_rows<false>(rows_.row, chunks(), &free_bits_[0]);
    trusted_ = system_.solve(
        gram, [this] { return columns(); }, free_count_, p_.r, c_);
  }

  // in the system solved last
  [[nodiscard]] bool is_free(std::size_t i) const noexcept {
    return (free_bits_[i / kLanes] >> i % kLanes & 1) != 0;
  }

  // efforts of the held channels of a chunk, 0 for the others
  PINTLE_INLINE Lanes bounds_of(std::size_t c) const noexcept {
    const Lanes bound =
        select(lanes_of(up_bits_[c]), load(&p_.upper[kLanes * c]), load(&p_.lower[kLanes * c]));
    return select(lanes_of(used(c) & ~free_bits_[c]), bound, all_lanes(0));
  }

  // solves for the free channels with the others on their bounds
  bool solve_free() noexcept {
    read_held();
    std::array<Lanes, kAxes> moved;
    moved.fill(all_lanes(0));
    for (std::size_t c = 0; c < chunks(); ++c) {
      const std::size_t at = kLanes * c;
      if (free_bits_[c] == used(c)) continue;
      const Lanes bound = bounds_of(c);
      store(select(lanes_of(free_bits_[c]), load(&s_.x[at]), bound), &s_.x[at]);
      for (std::size_t k = 0; k < kAxes; ++k) moved[k] += bound * rows_.row[k][c];
    }
    c_ = p_.b - six_sums(moved);
    solve_system();
    if (!trusted_) return false;
    // what every channel would be with these multipliers: the free ones take it
    rows_.times(system_.l, target_);
    if (system_.spanned) return true;
    rows_.times(system_.d, first_);
    std::array<Lanes, kAxes> through;
    through.fill(all_lanes(0));
    for (std::size_t c = 0; c < chunks(); ++c) {
      if (free_bits_[c] == used(c)) continue;
      const Lanes bound = bounds_of(c);
      for (std::size_t k = 0; k < kAxes; ++k) through[k] += magnitude(bound * rows_.row[k][c]);
    }
    met_ = true;
    const Vec6 sum = six_sums(through);
    for (std::size_t k = 0; k < kAxes; ++k) {
      size_[k] = std::abs(p_.b[k]) + sum[k];
      met_ = met_ && std::abs(system_.d[k]) <= kNoise * size_[k];
    }
    return true;
  }

  // demand on the edge of the reach: see edge.h
  [[nodiscard]] PINTLE_SELDOM bool on_edge() const noexcept {
    Edge edge;
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      if (first_multiplier(i) != 0) return false;
      edge.find_normal(system_, p_.column[i]);
    }
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      const double sign = s_.held[i] == Held::kUpper ? 1 : -1;
      const double second = sign * (target_[i] - s_.x[i]);
      edge.narrow(p_.column[i], sign, second, -second > kNoise * second_size(i));
    }
    return edge.open();
  }

  // puts every channel whose condition fails where it wants to be; how many there were
  int exchange() noexcept {
    const bool edge = !system_.spanned && p_.r == 0 && system_.rank + 1 == kAxes && on_edge();
    int wrong = 0;
    for (std::size_t c = 0; c < chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned free = free_bits_[c];
      const unsigned held = used(c) & ~free & ~static_cast<unsigned>(fixed_bits_[c]);
      const Lanes target = load(&target_[at]);
      store(select(lanes_of(free), target, load(&s_.x[at])), &s_.x[at]);
      const unsigned under = bits_of(target < load(&p_.lower[at]) - kInside) & free;
      const unsigned over = bits_of(load(&p_.upper[at]) + kInside < target) & free;
      const unsigned in = edge || held == 0 ? 0 : wrong_held(c, held);
      wrong += std::popcount(under | over | in);
      for (unsigned bits = under | over | in; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        s_.held[at + i] = (in >> i & 1) != 0      ? Held::kFree
                          : (under >> i & 1) != 0 ? Held::kLower
                                                  : Held::kUpper;
      }
    }
    return wrong;
  }

  // those of a chunk's held channels that want in: `wants_inwards` of each
  [[nodiscard]] unsigned wrong_held(std::size_t c, unsigned held) const noexcept {
    const std::size_t at = kLanes * c;
    const Lanes zero = all_lanes(0);
    const Lanes x = load(&s_.x[at]);
    const LaneMask is_up = lanes_of(up_bits_[c]);
    Lanes size = magnitude(x);
    for (std::size_t k = 0; k < kAxes; ++k) size += magnitude(system_.l[k] * rows_.row[k][c]);
    const Lanes beyond = load(&target_[at]) - x;
    const Lanes second = select(is_up, zero - beyond, beyond);
    const unsigned second_in = bits_of((second > zero) & (second > kNoise * size)) & held;
    if (system_.spanned) return second_in;

    Lanes through = zero;
    for (std::size_t k = 0; k < kAxes; ++k) through += size_[k] * magnitude(rows_.row[k][c]);
    Lanes first = met_ ? zero : load(&first_[at]);
    unsigned close = met_ ? 0 : held & ~bits_of(magnitude(first) > kClear * through);
    for (; close != 0; close &= close - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(close));
      first.set(i, first_multiplier(at + i));
    }
    const Lanes inwards = select(is_up, zero - first, first);
    if (p_.r > 0) {
      const Lanes gain = inwards + p_.r * second;
      return bits_of((gain > zero) & (gain > kNoise * (magnitude(first) + p_.r * size))) & held;
    }
    return (bits_of(inwards > zero) | (second_in & bits_of(first == zero))) & held;
  }

  static void pack(const Vec6& a, Padded& out) noexcept { out.v = pad(a.v.data()); }

  [[nodiscard]] bool wants_inwards(std::size_t i, double inwards) const noexcept {
    const double second = target_[i] - s_.x[i];
    if (system_.spanned) return inwards * second > 0 && inwards * second > kNoise * second_size(i);
    const double first = inwards * first_multiplier(i);
    if (p_.r > 0) {
      const double gain = first + inwards * p_.r * second;
      return gain > 0 && gain > kNoise * (std::abs(first) + p_.r * second_size(i));
    }
    if (first != 0) return first > 0;
    return inwards * second > kNoise * second_size(i);
  }

  [[nodiscard]] double second_size(std::size_t i) const noexcept {
    double size = std::abs(s_.x[i]);
    for (std::size_t k = 0; k < kAxes; ++k) size += std::abs(p_.column[i][k] * system_.l[k]);
    return size;
  }

  // a_i' d, or 0 where rounding made it
  [[nodiscard]] double first_multiplier(std::size_t i) const noexcept {
    if (met_) return 0;
    const Vec6& a = p_.column[i];
    double through = 0;
    for (std::size_t k = 0; k < kAxes; ++k) through += std::abs(a[k]) * size_[k];
    if (std::abs(first_[i]) > kClear * through) return first_[i];

    // close: only what of the column lies outside the span counts
    const Vec6 outside = system_.outside(a);
    if (dot(outside, outside) <= kRankTolerance * kRankTolerance * dot(a, a)) return 0;
    double sum = 0;
    double size = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      sum += outside[k] * system_.d[k];
      size += std::abs(outside[k]) * size_[k] + std::abs(a[k] * system_.d[k]);
    }
    return std::abs(sum) > kNoise * size ? sum : 0;
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  Rows rows_;
  FreeSystem system_;
  bool trusted_ = true;
  std::size_t free_count_ = 0;
  Vec6 c_;
  Vec6 size_;         // what passes through each row,
  bool met_ = false;  // and whether what is missing there may be its rounding
  bool packed_ = false;
  std::array<std::uint8_t, kMaxChannels / kLanes> free_bits_, up_bits_, fixed_bits_;  // `held`
  Uncleared<Padded, kMaxChannels> columns_;
  std::array<double, kMaxChannels> target_, first_, start_;
  std::array<Held, kMaxChannels> start_held_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
