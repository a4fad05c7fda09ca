/// A first guess of the held set for up to eight channels. Internal to this room.
///
/// With a little r added the problem is strictly convex in x itself, and its optimality conditions
/// are a linear complementarity problem with bounds,
///
///   w = M x - A'b,  M = A'A + r I,   free: w = 0,   lower: w >= 0,   upper: w <= 0.
///
/// The symmetric tableau K holds M with the free channels swept, y the efforts of the free and the
/// gradients w of the held ones. Moving one channel in or out is one sweep: eight lanes by eight
/// rows. All wrong channels move at once while that makes them fewer, else only the keenest, and
/// after kTableauKeen sweeps the last, which ends for every M that is positive definite (Murty 1974;
/// Judice & Pires 1994).
///
/// Rounding is 1e-16 / r here: the set is a guess, and small_solver.h proves or drops it.
#pragma once
#include <algorithm>
#include <bit>

#include "pintle/allocation/internal/bounded_least_squares.h"
#include "pintle/allocation/internal/sums.h"

namespace pintle::allocation {

// added to r, of the largest squared column
inline constexpr double kTableauTrade = 1e-8;
// and where little more than the least squares counts
inline constexpr double kTableauLeast = 1e-15;
// of the largest bound
inline constexpr double kTableauInside = 1e-10;
// of the largest gradient that is possible
inline constexpr double kTableauGradient = 1e-14;
// a free column whose length is more than this over what of it lies outside the others, squared,
// is solved for with more care
inline constexpr double kWellApart = 100;
// at most what eight channels move through an axis
inline constexpr double kMostOfEight = 32;
inline constexpr int kTableauSweeps = 120;
// until then the keenest channel goes first, afterwards the last, which ends
inline constexpr int kTableauKeen = 60;
inline constexpr int kTableauPatience = 0;

namespace PINTLE_LEVEL {

alignas(64) inline constexpr std::array<std::int64_t, 2 * kLanes> kOneOfMany{0, 0, 0, 0, 0,
                                                                             0, 0, 0, -1};
/// lanes_of(1U << p)
PINTLE_INLINE LaneMask lane(unsigned p) noexcept {
  const auto mask = load(reinterpret_cast<const double*>(&kOneOfMany[kLanes - p]));
  LaneMask here;
  each_part([&](auto w) PINTLE_EACH { here.part[w] = (PartMask)mask.part[w]; });
  return here;
}

/// The rows of a symmetric tableau when channel p, whose row is `own`, moves in or out: `inverse`
/// of its pivot, of the other sign in `factor` when it moves out.
PINTLE_INLINE void sweep_rows(std::array<Lanes, kLanes>& rows, unsigned p, const Lanes& own,
                              double inverse, double factor) noexcept {
  const LaneMask here = lane(p);
  const Lanes share = select(here, all_lanes(-factor), inverse * own);
  alignas(64) std::array<double, kLanes> mine;
  store(own, mine.data());
  for (std::size_t i = 0; i < kLanes; ++i)
    rows[i] = select(here, all_lanes(0), rows[i]) - mine[i] * share;
  rows[p] = select(here, all_lanes(-inverse), factor * own);
}

/// A'A + trade I of eight columns.
PINTLE_INLINE void set_products(const SixLanes& row, double trade,
                                std::array<Lanes, kLanes>& k) noexcept {
  unrolled<kLanes>([&](auto i) PINTLE_EACH {
    Lanes sum = row[0][i] * row[0];
    for (std::size_t a = 1; a < kAxes; ++a) sum += row[a][i] * row[a];
    k[i] = select(lanes_of(1U << i), sum + trade, sum);
  });
}

/// What the free channels of a tableau move for a gradient: one step of Newton's.
PINTLE_INLINE Lanes step_of(const std::array<Lanes, kLanes>& k, unsigned free,
                            const Lanes& gradient) noexcept {
  Lanes sum = all_lanes(0);
  for (unsigned bits = free; bits != 0; bits &= bits - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(bits));
    sum -= gradient[i] * k[i];
  }
  return select(lanes_of(free), sum, all_lanes(0));
}

/// The free channels' numbers of the inverse: large where a column lies in the span of others.
PINTLE_INLINE Lanes inverse_diagonal(const std::array<Lanes, kLanes>& k, unsigned free) noexcept {
  return select(lanes_of(free), all_lanes(0) - diagonal_of(k), all_lanes(0));
}

/// At most what enters a gradient for each unit of its column's size: efforts are below 2, and gains
/// of the eight columns.
PINTLE_INLINE double most_through(const BoxProblem& p) noexcept {
  return std::max(p.r, greatest_of(magnitude(pad(p.b.v.data())))) + kMostOfEight;
}

class Tableau {
 public:
  /// One bit per channel: free and held on its upper bound, to begin with and at the end. `fixed`
  /// ones stay held. False when it has not settled.
  unsigned free = 0;
  unsigned up = 0;
  unsigned fixed = 0;
  int sweeps = 0;
  double added = 0;  ///< To r.

  /// `row`: of A, eight lanes each, zero behind n, where lanes must be fixed.
  bool run(const SixLanes& row, const Lanes& lower, const Lanes& upper, const Vec6& b, double r,
           double trade = kTableauTrade) noexcept {
    const Lanes zero{};
    sweeps = 0;
    const double largest = greatest_of(combined(row, row));
    added = trade * largest;
    noise_ = kTableauGradient * largest;
    set_products(row, r + added, k_);
    lower_ = lower;
    upper_ = upper;
    const Lanes inside = clamped(zero, lower_, upper_);
    const Lanes value = select(lanes_of(free), inside, select(lanes_of(up), upper_, lower_));
    store(value, value_.data());
    // w = A'(A x - b) + r x
    y_ = (r + added) * value + combined(six_sums(times_each(value, row)) - b, row);
    unsigned bits = free;
    free = 0;
    sign_ = all_lanes(1);
    exchange(bits);
    return settle();
  }

  /// Efforts of the free channels once it has settled.
  [[nodiscard]] const Lanes& efforts() const noexcept { return y_; }

  [[nodiscard]] const std::array<Lanes, kLanes>& rows() const noexcept { return k_; }

 private:
  [[nodiscard]] unsigned wrong() const noexcept {
    const Lanes zero{};
    const LaneMask out = (y_ < lower_ - kTableauInside) | (y_ > upper_ + kTableauInside);
    const Lanes inwards = select(lanes_of(up), y_, zero - y_);
    const LaneMask in = inwards > all_lanes(noise_);
    return ((bits_of(out) & free) | (bits_of(in) & ~free)) & ~fixed;
  }

  bool settle() noexcept {
    Fewer fewer{kTableauPatience};
    while (sweeps < kTableauSweeps) {
      unsigned bits = wrong();
      if (bits == 0) return true;
      if (!fewer.go_on(std::popcount(bits)))
        bits = sweeps < kTableauKeen ? keenest(bits) : std::bit_floor(bits);
      exchange(bits);
    }
    return false;
  }

  // the one whose move alone lowers the cost most
  [[nodiscard]] unsigned keenest(unsigned bits) const noexcept {
    if (std::has_single_bit(bits)) return bits;
    const Lanes outside = greater_of(lower_ - y_, y_ - upper_);
    const Lanes off = select(lanes_of(free), outside, y_);
    const Lanes gain =
        select(lanes_of(bits), off * off / magnitude(diagonal_of(k_)), all_lanes(-1));
    const unsigned best = bits_of(gain == all_lanes(greatest_of(gain))) & bits;
    // none where numbers are none
    return std::bit_floor(best != 0 ? best : bits);
  }

  void exchange(unsigned bits) noexcept {
    for (; bits != 0; bits &= bits - 1) sweep(static_cast<unsigned>(std::countr_zero(bits)));
  }

  // moves channel p in or out: its number outside the basis moves by t, y_p becomes `now`
  void sweep(unsigned p) noexcept {
    ++sweeps;
    const LaneMask here = lane(p);
    const Lanes own = load(numbers_of(k_[p]));
    const double y = numbers_of(y_)[p], inverse = 1 / numbers_of(k_[p])[p];
    const double low = numbers_of(lower_)[p], high = numbers_of(upper_)[p];
    const bool was_free = (free >> p & 1) != 0, over = y > (high + low) / 2;
    const double bound = over ? high : low;
    const double t = (was_free ? y - bound : -y) * inverse;
    const double now = was_free ? t : value_[p] + t;
    const double f = was_free ? -inverse : inverse;
    y_ = select(here, all_lanes(now), y_ + (t * sign_) * own);
    sign_ = select(here, all_lanes(was_free ? 1 : -1), sign_);
    value_[p] = was_free ? bound : value_[p];
    up = was_free ? (up & ~(1U << p)) | static_cast<unsigned>(over) << p : up;
    free ^= 1U << p;
    sweep_rows(k_, p, own, inverse, f);
  }

  std::array<Lanes, kLanes> k_;
  Lanes y_, lower_, upper_;
  Lanes sign_;  // 1, of the free ones -1
  alignas(64) std::array<double, kLanes> value_;
  double noise_ = 0;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
