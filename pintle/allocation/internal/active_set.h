/// The fast solver: guesses the set of held bounds, and proves the answer.
///
/// The problem of bounded_least_squares.h. What a guess costs is a 6 x 6 system,
/// whatever n is:
///
///   free columns of full row rank     (A_F A_F' + r I) l = c,  x = A_F' l,  d = 0     (Cholesky)
///   fewer, or dependent               A_F = Q R by Gram-Schmidt, again where most went
///
/// Without a set to start from the first guess is that nothing is held. Up to eight channels
/// (small_solver.h) those that leave their box are put on it while that makes them fewer; then
/// comes a tableau of the problem with a little r added, which pivots until its own conditions hold
/// (tableau.h: finite, after Murty). Above eight (block_solver.h) all channels whose condition
/// fails are exchanged at once (block principal pivoting: Judice & Pires 1994), and where that does
/// not settle a search over the multipliers follows (multiplier_search.h), which falls at each step.
/// A demand beyond what all channels move along some axis starts with it.
///
/// An answer is given only with its proof: every free channel inside its bounds, every multiplier
/// of a held one of the right sign (for r = 0 as polynomials in an infinitesimal r). The set that
/// satisfies this is the optimum wherever the search came from, so a starting set changes the time
/// and not the answer. Where a system is too near singular to be trusted, or nothing settles, the
/// result is false: `solve` then searches in double-double (refine.h), which has a quarter of the cap.
///
/// Why it ends: pivots of the tableau, exchanges and iterations of the search are each counted
/// and capped; the search falls strictly and cannot repeat a set; what is left goes to the search
/// in double-double, which ends (see there) or is capped.
#pragma once
#include <bit>
#include <cstring>

#include "pintle/allocation/internal/bounded_least_squares.h"

namespace pintle::allocation {

/// Exchanges in a row that need not make the wrong channels fewer, once a search has ended.
inline constexpr int kPatience = 2;

/// The optimum: by blocks, from `solution.held` when `warm`, and in double-double where they give no
/// proof. Capped, it is the point of the box nearest to zero, or one that misses less.
void solve(const BoxProblem& problem, bool warm, int max_iterations,
           BoxSolution& solution) noexcept;

/// A set of at most eight channels that the search from nothing held has come to, before its
/// tableau; with none `systems` is 0.
struct ReachedSet {
  int systems = 0;
  unsigned free = 0;
  unsigned up = 0;
};

/// `solve` of new columns, for which another search has come to this set.
void solve_from(const BoxProblem& problem, const ReachedSet& set, int max_iterations,
                BoxSolution& solution) noexcept;

/// `solve` without double-double: where nothing is proved, `held` is how far it came and
/// `converged` is false.
void solve_quickly(const BoxProblem& problem, bool warm, int max_iterations,
                   BoxSolution& solution) noexcept;

/// A proved set and its system as matrices: the next demand is a few products away if the set
/// stays.
struct HeldSet {
  bool ready = false;
  bool spanned = false;
  bool weak = false;  ///< A pivot is small: products with the matrices lose digits.
  std::array<Held, kMaxChannels> held;
  std::array<Vec6, kAxes> slope;    ///< l = slope * c
  std::array<Vec6, kAxes> outside;  ///< d = outside * c
  Vec6 through;                     ///< At most what products with an axis of c add up to.
  ChannelMask in_span = 0;          ///< Columns that the free ones produce.
  ChannelMask free = 0;             ///< `held` as bits: free,
  ChannelMask up = 0;               ///< on the upper bound,
  ChannelMask fixed = 0;            ///< without width.
};

/// Which of eight channels are held and how, as bits.
struct HeldBits {
  unsigned lower = 0, upper = 0, fixed = 0;
};

// bytes 0xFF, 0, 1 and 2
static_assert(sizeof(Held) == 1 && static_cast<int>(Held::kLower) == -1 &&
              static_cast<int>(Held::kFree) == 0 && static_cast<int>(Held::kUpper) == 1 &&
              static_cast<int>(Held::kFixed) == 2);

[[gnu::always_inline]] inline HeldBits read_eight(const Held* held) noexcept {
  std::uint64_t eight = 0;
  std::memcpy(&eight, held, sizeof(eight));
  if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
  // bit k of every byte, gathered
  const auto each = [eight](int k) {
    return static_cast<unsigned>((eight >> k & 0x0101'0101'0101'0101) * 0x0102'0408'1020'4080 >>
                                 56);
  };
  const unsigned lower = each(7);
  return {lower, each(0) & ~lower, each(1) & ~lower};
}

/// The others are free.
[[gnu::always_inline]] inline void write_eight(const HeldBits& bits, Held* held) noexcept {
  // 1 in the byte of every bit
  const auto spread = [](unsigned some) {
    const std::uint64_t own = (some * 0x0101'0101'0101'0101U) & 0x8040'2010'0804'0201U;
    return (own + 0x7F7F'7F7F'7F7F'7F7FU) >> 7 & 0x0101'0101'0101'0101U;
  };
  std::uint64_t eight = spread(bits.lower) * 0xFF | spread(bits.upper) | spread(bits.fixed) << 1;
  if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
  std::memcpy(held, &eight, sizeof(eight));
}

}  // namespace pintle::allocation
