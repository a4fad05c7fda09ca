/// The reference solver: slow, small, and hard to fool. The fast solver falls back on it.
///
///   minimise  | A x - b |^2 + r | x |^2   subject to  lower <= x <= upper      (A: at most 6 rows)
///
/// r = 0 is the limit r -> 0. A primal active set method; the free part of each step is solved
/// through a singular value decomposition (one-sided Jacobi), which is accurate also where rows
/// differ by many orders of magnitude. With free set F, c = b - A_A x_A and A_F = U S V':
///
///   x_F = V S / (S^2 + r) U' c,     residual e = d + r l,   d = c - U U' c,   l = U U'c / (S^2 +
///   r)
///
/// and the multiplier of a held x_i is  g_i = -a_i' d + r (x_i - a_i' l).  For r = 0 the first term
/// decides, and the bracket decides where the first vanishes: multipliers are compared as
/// polynomials in an infinitesimal r.
///
/// Why it ends: each step of a length above zero lowers the cost (as a polynomial in r) strictly,
/// so a set of held bounds cannot come back, and there are finitely many. A step of length zero (a
/// free channel that sits on its bound and wants out) only exchanges held channels at one point;
/// after n of them in a row the first candidate is taken instead of the best (Bland's rule).
/// Multipliers that are zero to rounding can break the argument: a released channel that wants out
/// of the box is put back and left alone until the next move, and the iterations are capped. The
/// iterate is inside the bounds at all times.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "pintle/base/signals.h"

namespace pintle::allocation {

/// An array that is not cleared first: Vec6 would be, and large ones take longer to clear than
/// small problems take to solve.
template <class T, std::size_t N>
struct Uncleared {
  T& operator[](std::size_t i) noexcept { return reinterpret_cast<T*>(bytes)[i]; }
  const T& operator[](std::size_t i) const noexcept { return reinterpret_cast<const T*>(bytes)[i]; }
  const T* data() const noexcept { return reinterpret_cast<const T*>(bytes); }

 private:
  alignas(64) std::byte bytes[N * sizeof(T)];
};

/// A is stored by columns; rows of unused axes are zero.
struct BoxProblem {
  std::uint32_t n = 0;
  double r = 0;
  Vec6 b;
  Uncleared<Vec6, kMaxChannels> column;
  std::array<double, kMaxChannels> lower;
  std::array<double, kMaxChannels> upper;
};

/// What a solver of up to eight channels can keep of columns that stay. Whoever changes the columns
/// clears `ready`.
struct KnownColumns {
  bool ready = false;
  bool uneven = false;                          ///< Rows that differ much in length.
  double largest = 0;                           ///< Of the squared columns.
  alignas(64) std::array<double, 64> products;  ///< A'A.
};

enum class Held : std::int8_t { kLower = -1, kFree = 0, kUpper = 1, kFixed = 2 };

struct BoxSolution {
  std::array<double, kMaxChannels> x;  ///< Held ones are on their bound bit for bit.
  std::array<Held, kMaxChannels> held;
  int iterations = 0;
  bool converged = false;  ///< False: the cap was reached, x is the best so far.
  /// Free columns are so nearly dependent, or were so hard to tell apart, that only arithmetic of
  /// more digits says what the efforts are.
  bool loses_digits = false;
};

/// Singular directions below this part of the largest are taken for rounding.
inline constexpr double kRankTolerance = 1e-13;

/// The right side a little aside (1e-11 of what the channels can move), always the same way. The
/// optimum is continuous in it; ties between held sets are not. For demands on the very edge of the
/// reach, where every set of several is as good as another and multipliers say nothing.
[[nodiscard]] Vec6 aside(const BoxProblem& problem) noexcept;

/// All data finite, lower <= upper, of a magnitude near 1 (see allocator.cpp, which scales).
void solve_reference(const BoxProblem& problem, int max_iterations, BoxSolution& solution) noexcept;

}  // namespace pintle::allocation
