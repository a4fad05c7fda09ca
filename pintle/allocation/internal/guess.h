/// One guess of the held set: its system solved, and the channels that it has wrong. Internal to
/// this room.
///
/// The efforts of the free channels are A_F' l, and each has to lie in its box; a held one has to
/// lose by moving inwards, for which `l` and what is missing (`d`, see free_system.h) say the
/// price. Eight channels at a time, close calls one by one.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/edge.h"
#include "pintle/allocation/internal/gram.h"
#include "pintle/allocation/internal/held_bits.h"
#include "pintle/allocation/internal/kink_search.h"

namespace pintle::allocation {

namespace PINTLE_LEVEL {

class Guess {
 public:
  /// Of the set in the solution, whenever one is solved.
  Guess(const BoxProblem& problem, BoxSolution& solution) noexcept
      : rows(problem), p_(problem), s_(solution) {}

  /// For the free channels, with the others on their bounds. False: not to be trusted.
  bool solve() noexcept {
    read_held();
    std::array<Lanes, kAxes> moved, through;
    moved.fill(all_lanes(0));
    through.fill(all_lanes(0));
    for (std::size_t c = 0; c < chunks(); ++c) {
      const std::size_t at = kLanes * c;
      if (free_bits_[c] == used(c)) continue;
      const Lanes bound = bounds_of(c);
      store(select(lanes_of(free_bits_[c]), load(&s_.x[at]), bound), &s_.x[at]);
      unrolled<kAxes>([&](auto k) PINTLE_EACH {
        const Lanes part = bound * rows.row[k][c];
        moved[k] += part;
        through[k] += magnitude(part);
      });
    }
    c_ = p_.b - six_sums(moved);
    solve_system();
    if (!trusted_) return false;
    // what every channel would be with these multipliers: the free ones take it
    price_ = 0;
    for (const double l : system.l.v) price_ += std::abs(l);
    if (system.spanned) {
      rows.times(system.l, target_);
      return true;
    }
    rows.times(system.l, system.d, target_, first_);
    met_ = true;
    const Vec6 sum = six_sums(through);
    passed_ = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      size_[k] = std::abs(p_.b[k]) + sum[k];
      passed_ += size_[k];
      met_ = met_ && std::abs(system.d[k]) <= kNoise * size_[k];
    }
    return true;
  }

  /// Puts every channel whose condition fails where it wants to be; how many there were.
  int exchange() noexcept {
    const bool edge = !system.spanned && p_.r == 0 && system.rank + 1 == kAxes && on_edge();
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

  /// In the system solved last.
  [[nodiscard]] bool is_free(std::size_t i) const noexcept {
    return (free_bits_[i / kLanes] >> i % kLanes & 1) != 0;
  }

  /// What a channel would be with the multipliers of the system solved last.
  [[nodiscard]] double target(std::size_t i) const noexcept { return target_[i]; }
  /// The demand without what the held channels make.
  [[nodiscard]] const Vec6& left() const noexcept { return c_; }
  /// False: the last system is too near singular.
  [[nodiscard]] bool trusted() const noexcept { return trusted_; }

  /// Of a held channel: inwards is 1 on the lower bound, -1 on the upper.
  [[nodiscard]] bool wants_inwards(std::size_t i, double inwards) const noexcept {
    const double second = target_[i] - s_.x[i];
    if (system.spanned) return inwards * second > 0 && inwards * second > kNoise * second_size(i);
    const double first = inwards * first_multiplier(i);
    if (p_.r > 0) {
      const double gain = first + inwards * p_.r * second;
      return gain > 0 && gain > kNoise * (std::abs(first) + p_.r * second_size(i));
    }
    if (first != 0) return first > 0;
    return inwards * second > kNoise * second_size(i);
  }

  /// The system as matrices; false when it is not well conditioned.
  bool factor(HeldSet& set) noexcept {
    std::copy_n(s_.held.begin(), n(), set.held.begin());
    system.squared = true;
    if (!solve() || system.carried || system.thin || system.loses) return false;
    set.spanned = system.spanned;
    set.weak = system.weak;
    const auto slope = system.slopes(columns(), free_count_, p_.r);
    const auto outside = set.spanned ? FreeSystem::Six{} : system.outside(FreeSystem::units());
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

  Rows rows;
  FreeSystem system;

 private:
  [[nodiscard]] std::size_t n() const noexcept { return p_.n; }

  [[nodiscard]] std::size_t chunks() const noexcept { return (n() + kLanes - 1) / kLanes; }

  [[nodiscard]] unsigned used(std::size_t c) const noexcept {
    const std::size_t left = n() - kLanes * c;
    return left >= kLanes ? 0xFFU : (1U << left) - 1;
  }

  // the columns of a chunk that the free ones produce
  [[nodiscard]] unsigned in_span(std::size_t c) const noexcept {
    FreeSystem::Six a;
    for (std::size_t k = 0; k < kAxes; ++k) a[k] = rows.row[k][c];
    const FreeSystem::Six rest = system.outside(a);
    Lanes whole = a[0] * a[0];
    Lanes left = rest[0] * rest[0];
    for (std::size_t k = 1; k < kAxes; ++k) {
      whole += a[k] * a[k];
      left += rest[k] * rest[k];
    }
    return bits_of(left <= kRankTolerance * kRankTolerance * whole) & used(c);
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
      trusted_ = system.solve(columns(), free_count_, p_.r, c_);
      return;
    }
    const auto gram = free_count_ == n() ? gram_of_rows<true>(rows.row, chunks(), &free_bits_[0])
                                         : gram_of_rows<false>(rows.row, chunks(), &free_bits_[0]);
    trusted_ = system.solve(
        gram, [this] { return columns(); }, free_count_, p_.r, c_);
  }

  // efforts of the held channels of a chunk, 0 for the others
  PINTLE_INLINE Lanes bounds_of(std::size_t c) const noexcept {
    const Lanes bound =
        select(lanes_of(up_bits_[c]), load(&p_.upper[kLanes * c]), load(&p_.lower[kLanes * c]));
    return select(lanes_of(used(c) & ~free_bits_[c]), bound, all_lanes(0));
  }

  // demand on the edge of the reach: see edge.h
  [[nodiscard]] PINTLE_SELDOM bool on_edge() const noexcept {
    Edge edge;
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      if (first_multiplier(i) != 0) return false;
      edge.find_normal(system, p_.column[i]);
    }
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      const double sign = s_.held[i] == Held::kUpper ? 1 : -1;
      const double second = sign * (target_[i] - s_.x[i]);
      edge.narrow(p_.column[i], sign, second, -second > kNoise * second_size(i));
    }
    return edge.open();
  }

  // those of a chunk's held channels that want in: `wants_inwards` of each. Sizes are at most those
  // of the largest column: only what is not clear beside that is looked at closely
  [[nodiscard]] unsigned wrong_held(std::size_t c, unsigned held) noexcept {
    const std::size_t at = kLanes * c;
    const Lanes zero = all_lanes(0);
    const Lanes x = load(&s_.x[at]);
    const LaneMask is_up = lanes_of(up_bits_[c]);
    const Lanes beyond = load(&target_[at]) - x;
    const Lanes second = select(is_up, zero - beyond, beyond);
    const double most = largest();
    const Lanes size = magnitude(x) + most * price_;
    if (system.spanned) {
      const unsigned in = bits_of(second > zero) & held;
      return (in & ~bits_of(second > kNoise * size)) == 0 ? in : wrong_closely(c, held);
    }
    if (met_) return wrong_closely(c, held);
    const Lanes first = load(&first_[at]);
    const Lanes inwards = select(is_up, zero - first, first);
    const Lanes gain = p_.r > 0 ? inwards + p_.r * second : inwards;
    const unsigned in = bits_of(gain > zero) & held;
    const LaneMask known = magnitude(first) > all_lanes(kClear * most * passed_);
    const LaneMask clear = gain > kNoise * (magnitude(first) + p_.r * size);
    return (held & ~bits_of(known)) == 0 && (in & ~bits_of(clear)) == 0 ? in
                                                                        : wrong_closely(c, held);
  }

  // twice the largest number of all columns: no rounding makes it too small
  [[nodiscard]] double largest() noexcept {
    if (largest_ < 0) {
      Lanes most = all_lanes(0);
      for (std::size_t c = 0; c < chunks(); ++c)
        for (std::size_t k = 0; k < kAxes; ++k) most = greater_of(most, magnitude(rows.row[k][c]));
      largest_ = 2 * greatest_of(most);
    }
    return largest_;
  }

  [[nodiscard]] PINTLE_SELDOM unsigned wrong_closely(std::size_t c, unsigned held) const noexcept {
    const std::size_t at = kLanes * c;
    const Lanes zero = all_lanes(0);
    const Lanes x = load(&s_.x[at]);
    const LaneMask is_up = lanes_of(up_bits_[c]);
    Lanes size = magnitude(x);
    for (std::size_t k = 0; k < kAxes; ++k) size += magnitude(system.l[k] * rows.row[k][c]);
    const Lanes beyond = load(&target_[at]) - x;
    const Lanes second = select(is_up, zero - beyond, beyond);
    const unsigned second_in = bits_of((second > zero) & (second > kNoise * size)) & held;
    if (system.spanned) return second_in;

    Lanes through = zero;
    for (std::size_t k = 0; k < kAxes; ++k) through += size_[k] * magnitude(rows.row[k][c]);
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

  [[nodiscard]] double second_size(std::size_t i) const noexcept {
    double size = std::abs(s_.x[i]);
    for (std::size_t k = 0; k < kAxes; ++k) size += std::abs(p_.column[i][k] * system.l[k]);
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
    const Vec6 outside = system.outside(a);
    if (dot(outside, outside) <= kRankTolerance * kRankTolerance * dot(a, a)) return 0;
    double sum = 0;
    double size = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      sum += outside[k] * system.d[k];
      size += std::abs(outside[k]) * size_[k] + std::abs(a[k] * system.d[k]);
    }
    return std::abs(sum) > kNoise * size ? sum : 0;
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  bool trusted_ = true;
  std::size_t free_count_ = 0;
  Vec6 c_;
  Vec6 size_;          // what passes through each row,
  double passed_ = 0;  // their sum, and that of the multipliers
  double price_ = 0;
  double largest_ = -1;  // below 0: not known yet
  bool met_ = false;     // and whether what is missing there may be its rounding
  bool packed_ = false;
  std::array<std::uint8_t, kMaxChannels / kLanes> free_bits_, up_bits_, fixed_bits_;  // `held`
  Uncleared<Padded, kMaxChannels> columns_;
  std::array<double, kMaxChannels> target_, first_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
