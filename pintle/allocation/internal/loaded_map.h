/// A held set of up to eight channels as a linear map of the demand. Internal to this room.
///
/// y = constant + sum_k b_k gain_k are numbers, one a channel, that say whether the set is optimal:
///
///   free columns fewer than the axes   the tableau of M = A'A + r I with the free channels swept:
///                                      y is the effort of a free and the gradient of a held one
///   as many, or more (`spanned`)       S = (A_F A_F' + r I)^-1,  gain = A' S:
///                                      y is the effort that each channel would take if it were
///                                      free
///
/// Directions that no channel gives count as spanned: the matrix has them filled (row_system.h).
/// S itself is kept only where effort is traded: without, nothing asks for it.
///
/// A channel that becomes free or held changes either by a product of two vectors, one sweep of the
/// tableau (tableau.h) or Sherman and Morrison's formula. Columns that hardly stand apart are
/// refused.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>

#include "pintle/allocation/internal/free_system.h"
#include "pintle/allocation/internal/row_system.h"
#include "pintle/allocation/internal/tableau.h"
#include "pintle/allocation/prepared.h"

namespace pintle::allocation::PINTLE_LEVEL {

struct LoadedMap {
  std::array<Lanes, kLanes> k;  ///< The tableau, or S in six rows where r > 0.
  std::array<Lanes, kAxes> gain;
  unsigned free = 0;
  bool spanned = false;
  /// Of squares of columns, by updates: S has lost as many digits.
  double left = 1;

  /// `r` as it was: says whether there is a `k`.
  void read(const SetMap& map, double r) noexcept {
    for (std::size_t i = 0; i < kLanes && !(map.spanned && r == 0); ++i)
      k[i] = load(map.k[i].data());
    for (std::size_t a = 0; a < kAxes; ++a) gain[a] = load(map.gain[a].data());
    free = map.free;
    spanned = map.spanned;
    left = map.left;
  }

  void write(SetMap& map, double r) const noexcept {
    for (std::size_t i = 0; i < kLanes && !(spanned && r == 0); ++i) store(k[i], map.k[i].data());
    for (std::size_t a = 0; a < kAxes; ++a) store(gain[a], map.gain[a].data());
    map.free = free;
    map.spanned = spanned;
    map.left = left;
  }

  /// Of few columns that stand apart, from nothing; `length2`: squares of all.
  bool sweep_in(const std::array<Lanes, kAxes>& row, double r, unsigned bits,
                const Lanes& length2) noexcept {
    set_products(row, r, k);
    for (std::size_t a = 0; a < kAxes; ++a) gain[a] = all_lanes(0) - row[a];
    free = 0;
    spanned = false;
    for (; bits != 0; bits &= bits - 1)
      if (!sweep(static_cast<unsigned>(std::countr_zero(bits)), length2)) return false;
    return true;
  }

  /// Of columns with this gram matrix, which span all axes, or all but directions that no channel
  /// gives, with those filled.
  bool invert(const SixLanes& row, const SixLanes& gram, double r, unsigned bits) noexcept {
    Definite g;
    g.row = gram;
    double largest = 0, least = HUGE_VAL;
    for (std::size_t a = 0; a < kAxes; ++a) {
      const double own = gram[a][a];
      largest = std::max(largest, own);
      least = std::min(least, own);
      g.row[a].set(a, own + r);
    }
    // a row that is nothing beside another is rounding (the cosine of a right angle), not an axis
    return least > kIndependent * kIndependent * largest && g.factor() && take(g, row, r, bits);
  }

  /// The same factored.
  bool take(const Definite& g, const SixLanes& row, double r, unsigned bits) noexcept {
    // less of a row is not trusted outside the span of those before it
    if (g.weaker_than(kRefineBelow)) return false;
    gain = row;
    g.solve(gain);
    if (r > 0) {
      SixLanes slope = units();
      g.solve(slope);
      std::copy_n(slope.begin(), kAxes, k.begin());
      k[6] = k[7] = all_lanes(0);
    }
    free = bits;
    spanned = true;
    left = 1;
    return true;
  }

  /// Channel i becomes free or held; false where its column lies too near the span of others.
  bool exchange(unsigned i, const BoxProblem& box, const Lanes& length2) noexcept {
    return spanned ? update(i, box) : sweep(i, length2);
  }

  /// What held channels with these efforts (zero for all others) add to y.
  [[nodiscard]] Lanes of_bounds(const Lanes& bound, const BoxProblem& box) const noexcept {
    if (spanned) return all_lanes(0) - combined(numbers_of(wrench_of(bound, box)), gain);
    const Lanes sum = combined(bound, k);
    return select(lanes_of(free), all_lanes(0) - sum, sum);
  }

  /// The step of Newton's method that efforts x still miss the optimum of the set by.
  [[nodiscard]] Lanes step(const Lanes& x, const Lanes& bound, const BoxProblem& box,
                           const std::array<Lanes, kAxes>& row) const noexcept {
    const Lanes b = pad(box.b.v.data());
    Lanes missing = b - wrench_of(x, box);
    if (!spanned) return step_of(k, free, combined(numbers_of(missing), row) - box.r * x);
    if (box.r > 0) missing -= box.r * combined(numbers_of(b - wrench_of(bound, box)), k);
    return combined(numbers_of(missing), gain);
  }

  /// Whether the free columns stand apart.
  [[nodiscard]] bool apart(const Lanes& length2) const noexcept {
    return spanned || bits_of(inverse_diagonal(k, free) * length2 <= all_lanes(kWellApart)) == 0xFF;
  }

  [[nodiscard]] static Lanes wrench_of(const Lanes& x, const BoxProblem& box) noexcept {
    Lanes sum = x[0] * pad(box.column[0].v.data());
    for (std::size_t i = 1; i < box.n; ++i) sum += x[i] * pad(box.column[i].v.data());
    return sum;
  }

 private:
  bool sweep(unsigned i, const Lanes& length2) noexcept {
    const Lanes own = k[i];
    const double pivot = own[i];
    const bool was_free = (free >> i & 1) != 0;
    if (!was_free && !(kWellApart * pivot >= length2[i])) return false;
    const LaneMask here = lane(i);
    const double inverse = 1 / pivot, factor = was_free ? -inverse : inverse;
    const Lanes moves = select(lanes_of(free), all_lanes(0) - own, own);
    const Lanes share = select(here, all_lanes(factor), factor * moves);
    for (std::size_t a = 0; a < kAxes; ++a)
      gain[a] = select(here, all_lanes(0), gain[a]) - gain[a][i] * share;
    sweep_rows(k, i, own, inverse, factor);
    free ^= 1U << i;
    return true;
  }

  bool update(unsigned i, const BoxProblem& box) noexcept {
    const Vec6& column = box.column[i];
    const bool was_free = (free >> i & 1) != 0;
    const Lanes all = combined(column, gain);
    // what of the column is outside the span of the others, squared, where it leaves
    const double part = was_free ? 1 - all[i] : 1 + all[i];
    left = std::min(left * part, 1.0);
    if (was_free && !(kWellApart * left >= 1)) return false;
    const double share = (was_free ? 1 : -1) / part;
    alignas(64) std::array<double, kLanes> own{};
    for (std::size_t a = 0; a < kAxes; ++a) own[a] = gain[a][i];
    const Lanes six = load(own.data());
    for (std::size_t a = 0; a < kAxes; ++a) {
      gain[a] += (share * own[a]) * all;
      if (box.r > 0) k[a] += (share * own[a]) * six;
    }
    free ^= 1U << i;
    return true;
  }
};

}  // namespace pintle::allocation::PINTLE_LEVEL
