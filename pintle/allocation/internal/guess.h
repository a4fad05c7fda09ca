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
#include "pintle/allocation/internal/gram.h"
#include "pintle/allocation/internal/held_bits.h"
#include "pintle/allocation/internal/kink_search.h"
#include "pintle/allocation/internal/multipliers.h"

namespace pintle::allocation {

namespace PINTLE_LEVEL {

class Guess {
 public:
  /// Of the set in the solution, whenever one is solved.
  Guess(const BoxProblem& problem, BoxSolution& solution) noexcept
      : rows(problem), p_(problem), s_(solution) {}

  /// For the free channels, with the others on their bounds. False: not to be trusted.
  bool solve() noexcept {
    std::array<Lanes, kAxes> through;
    if (!solve_set(through)) return false;
    // what every channel would be with these multipliers: the free ones take it
    rows.times(system.l, target_);
    if (!system.spanned) multipliers_.set_missing(system, p_.b, through);
    return true;
  }

  /// Puts every channel whose condition fails where it wants to be; how many there were.
  int exchange() noexcept {
    int wrong = 0;
    for (std::size_t c = 0; c < chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned free = free_bits_[c];
      const unsigned held = used(c) & ~free & ~static_cast<unsigned>(fixed_bits_[c]);
      const Lanes target = load(&target_[at]);
      store(select(lanes_of(free), target, load(&s_.x[at])), &s_.x[at]);
      const unsigned under = bits_of(target < load(&p_.lower[at]) - kInside) & free;
      const unsigned over = bits_of(load(&p_.upper[at]) + kInside < target) & free;
      const unsigned in = held == 0
                              ? 0
                              : multipliers_.wrong(system, system.spanned, p_.r, columns_of(c),
                                                   load(&s_.x[at]), target, up_bits_[c], held);
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

  /// False: the last system is too near singular.
  [[nodiscard]] bool trusted() const noexcept { return trusted_; }

  /// The system as matrices; false when it is not well conditioned.
  bool factor(HeldSet& set) noexcept {
    std::copy_n(s_.held.begin(), n(), set.held.begin());
    system.squared = true;
    std::array<Lanes, kAxes> through;
    if (!solve_set(through) || system.carried || system.thin || system.loses) return false;
    set.spanned = system.spanned;
    set.weak = system.weak;
    const auto slope = system.slopes(columns(), free_count_, p_.r);
    // symmetric; no number of a scaled column is above 2
    Lanes most = all_lanes(0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      most += 2 * magnitude(slope[k]);
      store_six(slope[k], set.slope[k].v.data());
      set.outside[k] = {};
    }
    store_six(most, set.through.v.data());
    if (!set.spanned) {
      const auto outside = system.outside(FreeSystem::units());
      for (std::size_t k = 0; k < kAxes; ++k) store_six(outside[k], set.outside[k].v.data());
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

  [[nodiscard]] PINTLE_INLINE FreeSystem::Six columns_of(std::size_t c) const noexcept {
    FreeSystem::Six a;
    for (std::size_t k = 0; k < kAxes; ++k) a[k] = rows.row[k][c];
    return a;
  }

  // the columns of a chunk that the free ones produce
  [[nodiscard]] unsigned in_span(std::size_t c) const noexcept {
    const FreeSystem::Six a = columns_of(c);
    const FreeSystem::Six rest = system.outside(a);
    Lanes whole = a[0] * a[0];
    Lanes left = rest[0] * rest[0];
    for (std::size_t k = 1; k < kAxes; ++k) {
      whole += a[k] * a[k];
      left += rest[k] * rest[k];
    }
    return bits_of(left <= kRankTolerance * kRankTolerance * whole) & used(c);
  }

  // `through`: the sizes of what the held channels move
  bool solve_set(std::array<Lanes, kAxes>& through) noexcept {
    read_held();
    std::array<Lanes, kAxes> moved;
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
    return trusted_;
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

  static void pack(const Vec6& a, Padded& out) noexcept { out.v = pad(a.v.data()); }

  const BoxProblem& p_;
  BoxSolution& s_;
  bool trusted_ = true;
  std::size_t free_count_ = 0;
  Vec6 c_;
  Multipliers multipliers_;
  bool packed_ = false;
  std::array<std::uint8_t, kMaxChannels / kLanes> free_bits_, up_bits_, fixed_bits_;  // `held`
  Uncleared<Padded, kMaxChannels> columns_;
  std::array<double, kMaxChannels> target_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
