/// The last proved set of up to eight channels as a tableau. Internal to this room.
///
/// Where the free columns stand well apart, and are fewer than the axes, the conditions of a set
/// are linear in the demand: y = constant + sum_k b_k gain_k holds the efforts of the free channels
/// and the gradients of the held ones,
///
///   w = M x - A'b,  M = A'A + r I,   free: w = 0,   lower: w >= 0,   upper: w <= 0.
///
/// A demand near the last one is six products. One that moves channels over their bounds costs a
/// sweep for each (see tableau.h, here with nothing added to r), and the set found is proved in the
/// numbers of the problem: by the step that Newton's method would still make, and by gradients that
/// are clear of rounding. Whatever is close, or loses digits, goes to the solver.
#pragma once
#include <algorithm>
#include <bit>

#include "pintle/allocation/edge.h"
#include "pintle/allocation/held_bits.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation/tableau.h"

namespace pintle::allocation {

// of the largest bound: a set whose products are further from the optimum is made anew
inline constexpr double kDrift = 1e-13;
// of the largest bound: sums of larger products may leave fewer than twelve digits of an effort
inline constexpr double kMostSummed = 1e3;
// sets tried for one demand
inline constexpr int kMostSets = 6;
// demands for which a set that was too close to call is left to the matrices
inline constexpr int kRest = 16;

namespace PINTLE_LEVEL {

class SetSearch {
 public:
  explicit SetSearch(Prepared& prepared) noexcept
      : p_(prepared), box_(prepared.scaled.box), t_(prepared.tableau) {
    lower_ = load(box_.lower.data());
    upper_ = load(box_.upper.data());
  }

  /// From the columns and prepared.set.held; false where it cannot be used.
  bool make() noexcept {
    const unsigned all = (1U << box_.n) - 1;
    const HeldBits held = read_eight(p_.set.held.data());
    const unsigned fixed = held.fixed | ~all;
    const unsigned free = all & ~(held.lower | held.upper | fixed);
    t_.most_free = static_cast<unsigned>(kAxes) - 1;
    std::array<Lanes, kAxes> row;
    const LaneMask used = lanes_of(all);
    for (std::size_t k = 0; k < kAxes; ++k) {
      row[k] = select(used, load(p_.row[k].data()), all_lanes(0));
      // weights of zero, or axes that no channel moves
      if (bits_of(row[k] == all_lanes(0)) == 0xFF && t_.most_free > 0) --t_.most_free;
    }
    if (static_cast<unsigned>(std::popcount(free)) > t_.most_free) return false;
    Lanes length = magnitude(row[0]);
    length2_ = row[0] * row[0];
    gain_[0] = all_lanes(0) - row[0];
    for (std::size_t k = 1; k < kAxes; ++k) {
      length += magnitude(row[k]);
      length2_ += row[k] * row[k];
      gain_[k] = all_lanes(0) - row[k];
    }
    store(length, t_.length.data());
    store(length2_, t_.length2.data());
    for (std::size_t i = 0; i < kLanes; ++i) {
      Lanes sum = row[0][i] * row[0];
      for (std::size_t k = 1; k < kAxes; ++k) sum += row[k][i] * row[k];
      k_[i] = select(lanes_of(1U << i), sum + box_.r, sum);
    }
    free_ = 0;
    up_ = held.upper & all & ~fixed;
    fixed_ = fixed & 0xFFU;
    keep_reach();
    return exchange(free) && settle_set();
  }

  /// What of the box enters.
  void refresh() noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) k_[i] = load(t_.k[i].data());
    free_ = t_.free;
    up_ = t_.up;
    fixed_ = t_.fixed;
    store(constant(), t_.constant.data());
    keep_reach();
  }

  /// The optimum for the demand, with the kept set or one that is a few exchanges away.
  bool run() noexcept {
    const Lanes summed =
        pad(t_.most.v.data()) * (magnitude(pad(box_.b.v.data())) + pad(t_.reach.v.data()));
    if (!(sum_of(summed) <= kMostSummed)) return leave();
    double most = box_.r;
    for (std::size_t k = 0; k < kAxes; ++k) most = std::max(most, std::abs(box_.b[k]));
    // efforts are below 2, and gains of the eight columns
    through_ = (most + kMostOfEight) * load(t_.length.data());
    free_ = t_.free;
    up_ = t_.up;
    fixed_ = t_.fixed;
    const auto part = [&](std::size_t k)
                          PINTLE_EACH { return box_.b[k] * load(t_.gain[k].data()); };
    y_ = ((part(0) + part(1)) + (part(2) + part(3))) +
         ((part(4) + part(5)) + load(t_.constant.data()));
    unsigned wrong = 0;
    p_.solution.iterations = 1;
    if (judge(wrong)) return finish();
    return wrong != 0 ? search(wrong) && finish() : leave();
  }

 private:
  bool leave() noexcept {
    t_.rest = kRest;
    return false;
  }

  // whether the conditions hold clear of rounding; else which are broken
  bool judge(unsigned& wrong) noexcept {
    const unsigned inside = bits_of((lower_ <= y_) & (y_ <= upper_)) & free_;
    const Lanes outwards = select(lanes_of(up_), all_lanes(0) - y_, y_);
    const unsigned clear = bits_of(outwards > kClear * through_) & ~free_;
    if (((inside | clear | fixed_) & 0xFFU) == 0xFFU) return true;
    const unsigned inwards = bits_of(outwards < (-kClear) * through_) & ~free_;
    wrong = ((free_ & ~inside) | inwards) & ~fixed_;
    // what is too close to call
    if ((~(inside | clear | fixed_ | wrong) & 0xFFU) != 0) wrong = 0;
    return false;
  }

  // all wrong channels change at once while that makes them fewer, then the last
  bool search(unsigned wrong) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i) k_[i] = load(t_.k[i].data());
    for (std::size_t k = 0; k < kAxes; ++k) gain_[k] = load(t_.gain[k].data());
    length2_ = load(t_.length2.data());
    int fewest = static_cast<int>(kLanes) + 1;
    for (int set = 0; set < kMostSets; ++set) {
      ++p_.solution.iterations;
      const int count = std::popcount(wrong);
      if (count >= fewest) wrong = std::bit_floor(wrong);
      fewest = std::min(fewest, count);
      const unsigned above = bits_of(y_ > upper_) & wrong & free_;
      // out first: fewer are apart more easily
      const unsigned in = wrong & ~free_;
      if (static_cast<unsigned>(std::popcount((free_ & ~wrong) | in)) > t_.most_free) return false;
      const unsigned out = wrong & free_;
      up_ = (up_ & ~wrong) | above;
      if (!exchange(out) || !exchange(in)) return false;
      y_ = constant();
      for (std::size_t k = 0; k < kAxes; ++k) y_ += box_.b[k] * gain_[k];
      if (judge(wrong)) return is_exact() && settle_set();
      if (wrong == 0) return false;
    }
    return false;
  }

  // a sweep each; false where a column lies too near the span of the free ones
  bool exchange(unsigned bits) noexcept {
    for (; bits != 0; bits &= bits - 1)
      if (!sweep(static_cast<unsigned>(std::countr_zero(bits)))) return false;
    return true;
  }

  bool sweep(unsigned i) noexcept {
    const Lanes own = k_[i];
    const double pivot = own[i];
    const bool was_free = (free_ >> i & 1) != 0;
    if (!was_free && !(kWellApart * pivot >= length2_[i])) return false;
    const LaneMask here = lanes_of(1U << i);
    const double inverse = 1 / pivot;
    const Lanes moves = select(lanes_of(free_), all_lanes(0) - own, own);
    for (std::size_t k = 0; k < kAxes; ++k) {
      const double t = (was_free ? gain_[k][i] : -gain_[k][i]) * inverse;
      gain_[k] = select(here, all_lanes(t), gain_[k] + t * moves);
    }
    sweep_rows(k_, i, own, inverse, was_free ? -inverse : inverse);
    free_ ^= 1U << i;
    return true;
  }

  // what the bounds of the held ones move
  [[nodiscard]] Lanes constant() const noexcept {
    const Lanes bound = bounds();
    Lanes sum = bound[0] * k_[0];
    for (std::size_t i = 1; i < kLanes; ++i) sum += bound[i] * k_[i];
    return select(lanes_of(free_), all_lanes(0) - sum, sum);
  }

  // 0 for the free ones and behind the last
  [[nodiscard]] Lanes bounds() const noexcept {
    const LaneMask held = lanes_of(((1U << box_.n) - 1) & ~free_);
    return select(held, select(lanes_of(up_), upper_, lower_), all_lanes(0));
  }

  // whether one more step of Newton's would move next to nothing
  [[nodiscard]] bool is_exact() const noexcept {
    const Lanes x = select(lanes_of(free_), y_, bounds());
    Lanes missing = pad(box_.b.v.data());
    for (std::size_t i = 0; i < box_.n; ++i) missing -= x[i] * pad(box_.column[i].v.data());
    Lanes gradient = (-box_.r) * x;
    for (std::size_t k = 0; k < kAxes; ++k) gradient += missing[k] * load(p_.row[k].data());
    Lanes step = all_lanes(0);
    for (unsigned bits = free_; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      step -= gradient[i] * k_[i];
    }
    return (bits_of(magnitude(step) <= all_lanes(kDrift)) & free_) == free_;
  }

  // keeps the set if its free columns stand apart
  bool settle_set() noexcept {
    Lanes own = all_lanes(0);
    for (std::size_t i = 0; i < kLanes; ++i)
      own = select(lanes_of(1U << i & free_), all_lanes(0) - k_[i], own);
    if (bits_of(own * length2_ <= all_lanes(kWellApart)) != 0xFF) return false;
    const LaneMask is_free = lanes_of(free_);
    for (std::size_t i = 0; i < kLanes; ++i) store(k_[i], t_.k[i].data());
    for (std::size_t k = 0; k < kAxes; ++k) {
      store(gain_[k], t_.gain[k].data());
      t_.most[k] = greatest_of(select(is_free, magnitude(gain_[k]), all_lanes(0)));
    }
    t_.free = free_;
    t_.up = up_;
    t_.fixed = fixed_;
    write_eight({0xFFU & ~(free_ | up_ | fixed_), up_, fixed_}, p_.set.held.data());
    p_.set.free = free_;
    p_.set.up = up_;
    p_.set.fixed = fixed_;
    store(constant(), t_.constant.data());
    return true;
  }

  // the most that the channels move along each axis
  void keep_reach() noexcept {
    const Lanes most = greater_of(magnitude(lower_), magnitude(upper_));
    Lanes reach = all_lanes(0);
    for (std::size_t i = 0; i < box_.n; ++i)
      reach += most[i] * magnitude(pad(box_.column[i].v.data()));
    store_six(reach, t_.reach.v.data());
  }

  bool finish() noexcept {
    BoxSolution& s = p_.solution;
    store(select(lanes_of(free_), y_, bounds()), s.x.data());
    std::copy_n(p_.set.held.begin(), kLanes, s.held.begin());
    s.converged = true;
    s.loses_digits = false;
    return true;
  }

  Prepared& p_;
  const BoxProblem& box_;
  SetTableau& t_;
  unsigned free_ = 0, up_ = 0, fixed_ = 0;
  std::array<Lanes, kLanes> k_;
  std::array<Lanes, kAxes> gain_;
  Lanes lower_, upper_, y_, through_, length2_;
};

namespace {

bool make_tableau(Prepared& p) noexcept { return p.tableau.ready = SetSearch(p).make(); }

void refresh_tableau(Prepared& p) noexcept { SetSearch(p).refresh(); }

// nothing that is kept changes where it fails
PINTLE_SELDOM bool follow_tableau(Prepared& p) noexcept { return SetSearch(p).run(); }

bool repeat_tableau(Prepared& p) noexcept { return p.tableau.ready = follow_tableau(p); }

}  // namespace
}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
