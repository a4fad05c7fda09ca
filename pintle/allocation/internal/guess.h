/// One guess of the held set: its system solved, and the channels that it has wrong. Internal to
/// this room.
///
/// The efforts of the free channels are A_F' l, and each has to lie in its box; a held one has to
/// lose by moving inwards, for which `l` and what is missing (`d`, see free_system.h) say the
/// price. Eight channels at a time, close calls one by one.
#pragma once
#include <algorithm>
#include <bit>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/gram.h"
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
    SixLanes through;
    if (!solve_set(through)) return false;
    // what every channel would be with these multipliers: the free ones take it
    for (std::size_t c = 0; c < rows.chunks(); ++c)
      store(combined(system.l, rows[c]), &target_[kLanes * c]);
    if (!system.spanned) multipliers_.set_missing(system, p_.b, through);
    return true;
  }

  /// Puts every channel whose condition fails where it wants to be; how many there were.
  int exchange() noexcept {
    int wrong = 0;
    for (std::size_t c = 0; c < rows.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned free = eight_at(free_, at),
                     held = rows.used(c) & ~free & ~eight_at(fixed_, at);
      const Lanes target = load(&target_[at]);
      store(select(lanes_of(free), target, load(&s_.x[at])), &s_.x[at]);
      const unsigned under = bits_of(target < load(&p_.lower[at]) - kInside) & free;
      const unsigned over = bits_of(load(&p_.upper[at]) + kInside < target) & free;
      const unsigned in =
          held == 0 ? 0
                    : multipliers_.wrong(system, system.spanned, p_.r, rows[c], load(&s_.x[at]),
                                         target, eight_at(up_, at), held);
      wrong += std::popcount(under | over | in);
      for (unsigned bits = under | over | in; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        s_.held[at + i] = (in >> i & 1) != 0      ? Held::kFree
                          : (under >> i & 1) != 0 ? Held::kLower
                                                  : Held::kUpper;
      }
    }
    if (wrong == 0) system.see_what_cancels(p_.column.data(), free_);
    return wrong;
  }

  /// Whether double does not do: see row_system.h. `reach`: the most that all channels together move
  /// along each axis.
  [[nodiscard]] bool uneven(Vec6& reach) const noexcept {
    Unevenness unevenness;
    SixLanes sum;
    sum.fill(all_lanes(0));
    for (std::size_t c = 0; c < rows.chunks(); ++c) {
      const Lanes lower = load(&p_.lower[kLanes * c]), upper = load(&p_.upper[kLanes * c]);
      const LaneMask used = lanes_of(rows.used(c));
      const Lanes most = select(used, greater_of(magnitude(lower), magnitude(upper)), all_lanes(0));
      unevenness.add(rows[c], (lower < upper) & used, most);
      for (std::size_t k = 0; k < kAxes; ++k) sum[k] += most * magnitude(rows[c][k]);
    }
    reach = six_sums(sum);
    return unevenness.some();
  }

  /// False: the last system is too near singular.
  [[nodiscard]] bool trusted() const noexcept { return trusted_; }

  /// The system as matrices; false when it is not well conditioned.
  bool factor(HeldSet& set) noexcept {
    std::copy_n(s_.held.begin(), p_.n, set.held.begin());
    SixLanes through;
    if (!solve_set(through) || system.carried || system.thin || system.loses) return false;
    set.spanned = system.spanned;
    set.weak = system.weak;
    const auto slope = system.slopes(p_.column.data(), free_, p_.r);
    // symmetric; no number of a scaled column is above 2
    Lanes most = all_lanes(0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      most += 2 * magnitude(slope[k]);
      store_six(slope[k], set.slope[k].v.data());
      set.outside[k] = {};
    }
    store_six(most, set.through.v.data());
    if (!set.spanned) {
      const auto outside = system.outside(units());
      for (std::size_t k = 0; k < kAxes; ++k) store_six(outside[k], set.outside[k].v.data());
    }
    set.free = free_;
    set.up = up_;
    set.fixed = fixed_;
    set.in_span = 0;
    for (std::size_t c = 0; c < rows.chunks(); ++c)
      set.in_span |= ChannelMask{set.spanned ? rows.used(c) : in_span(c)} << kLanes * c;
    return true;
  }

  Rows rows;
  FreeSystem system;

 private:
  // the columns of a chunk that the free ones produce
  [[nodiscard]] unsigned in_span(std::size_t c) const noexcept {
    const SixLanes& a = rows[c];
    const SixLanes rest = system.outside(a);
    return bits_of(combined(rest, rest) <= kRankTolerance * kRankTolerance * combined(a, a)) &
           rows.used(c);
  }

  // `through`: the sizes of what the held channels move
  bool solve_set(SixLanes& through) noexcept {
    read_held();
    SixLanes moved;
    moved.fill(all_lanes(0));
    through.fill(all_lanes(0));
    for (std::size_t c = 0; c < rows.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned free = eight_at(free_, at);
      if (free == rows.used(c)) continue;
      const Lanes bound = bounds_of(c);
      store(select(lanes_of(free), load(&s_.x[at]), bound), &s_.x[at]);
      unrolled<kAxes>([&](auto k) PINTLE_EACH {
        const Lanes part = bound * rows[c][k];
        moved[k] += part;
        through[k] += magnitude(part);
      });
    }
    const Vec6 c = p_.b - six_sums(moved);
    const auto gram = [this] { return gram_of_rows(rows, free_); };
    return trusted_ = system.solve(gram, p_.column.data(), free_, p_.r, c);
  }

  void read_held() noexcept {
    free_ = up_ = fixed_ = 0;
    for (std::size_t c = 0; c < rows.chunks(); ++c) {
      const HeldBits held = read_eight(&s_.held[kLanes * c]);
      const auto add = [&](unsigned some, ChannelMask& all) {
        all |= ChannelMask{some & rows.used(c)} << kLanes * c;
      };
      add(~(held.lower | held.upper | held.fixed), free_);
      add(held.upper, up_);
      add(held.fixed, fixed_);
    }
  }

  // efforts of the held channels of a chunk, 0 for the others
  PINTLE_INLINE Lanes bounds_of(std::size_t c) const noexcept {
    const std::size_t at = kLanes * c;
    const Lanes bound =
        select(lanes_of(eight_at(up_, at)), load(&p_.upper[at]), load(&p_.lower[at]));
    return select(lanes_of(rows.used(c) & ~eight_at(free_, at)), bound, all_lanes(0));
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  bool trusted_ = true;
  Multipliers multipliers_;
  ChannelMask free_ = 0, up_ = 0, fixed_ = 0;  // `held`
  std::array<double, kMaxChannels> target_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
