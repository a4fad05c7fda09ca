/// Which instructions the solver uses: the widest that the machine has, picked when the program
/// starts. The answers do not depend on it, not by one bit. Internal to this room.
///
/// Wide ones are built for x86-64 where the optimiser is on: without it, small functions of other
/// headers would be emitted with wide instructions and shared with code that must run everywhere.
#pragma once
#include "pintle/allocation/batch.h"
#include "pintle/allocation/prepared.h"

#if defined(__x86_64__) && defined(__OPTIMIZE__)
#define PINTLE_HAS_WIDE_KERNELS 1
#else
#define PINTLE_HAS_WIDE_KERNELS 0
#endif

namespace pintle::allocation {

enum class Level : std::uint8_t { kBaseline, kAvx2, kAvx512 };
inline constexpr std::size_t kLevels = 3;

/// What is compiled once per level.
struct Kernels {
  /// See active_set.h. `held` of the solution is the set to start from when `warm`. False: nothing
  /// proved.
  bool (*solve_blocks)(const BoxProblem&, bool warm, int max_iterations, BoxSolution&) noexcept;
  /// See active_set.h: false where that must begin anew.
  bool (*continue_from)(const BoxProblem&, const ReachedSet&, int max_iterations,
                        BoxSolution&) noexcept;
  /// For the set in `held` of the solution; false (and not ready) when it is not well conditioned.
  bool (*factor_set)(const BoxProblem&, BoxSolution&, HeldSet&) noexcept;

  /// Copies an effectiveness, as if all propulsors were good; whether it is usable.
  bool (*take_over)(const Effectiveness&, Working&) noexcept;
  /// See scaling.h: columns and r; bounds and offset; the right side. False when numbers leave the
  /// range.
  bool (*scale_columns)(double r, const Working&, const std::array<double, kAxes>& weight,
                        Scaled&) noexcept;
  bool (*scale_box)(const Working&, Scaled&) noexcept;
  bool (*scale_demand)(const Wrench&, Scaled&) noexcept;

  /// reachable_axes of what apply_health made of these columns. What `reach` knows is taken over
  /// where it is of the same columns and health.
  void (*update_reach)(const Effectiveness&, const Working&, bool same_columns, double threshold,
                       Reach&) noexcept;

  /// Makes of it what these inputs need; called by allocate().
  void (*prepare)(Prepared&, const Settings&, const Effectiveness&,
                  const std::array<double, kAxes>& weight, const PropulsorHealth*) noexcept;
  /// The whole call where only the demand is new and what is kept answers it; else false, and
  /// what was proved stays.
  bool (*allocate_again)(Prepared&, const Settings&, const Effectiveness&, const WrenchDemand&,
                         const PropulsorHealth*, Allocation&) noexcept;
  /// The whole call where nothing but the demand can be new.
  void (*allocate_same)(Prepared&, const Settings&, const WrenchDemand&, Allocation&) noexcept;
  /// The efforts without bounds; false when they leave the box.
  bool (*allocate_free)(const Prepared&, const WrenchDemand&, Allocation&) noexcept;
  /// The optimum of prepared.scaled with the set proved last; false when it is not proved again.
  bool (*repeat_products)(Prepared&) noexcept;
  /// The optimum of prepared.scaled from prepared.set, and its map; false without a proof.
  bool (*make_map)(Prepared&) noexcept;
  /// As repeat_products with the map, also with sets a few exchanges away; false, and not ready,
  /// without a proof.
  bool (*repeat_map)(Prepared&) noexcept;
  /// The optimum of prepared.scaled from the set without held channels, and its map; false without
  /// a proof.
  bool (*leave_free)(Prepared&) noexcept;
  /// See batch.h; the sizes of its arrays are right.
  std::size_t (*solve_batch)(const Batch&, double* x) noexcept;
  /// The last digits of the demand's answer: see refine.h. False, and nothing changed, where numbers
  /// leave the range of the arithmetic or the rounds run out. Rounds count as iterations.
  bool (*refine)(const Working&, const Wrench& demand, const Scaled&, int max_rounds,
                 BoxSolution&) noexcept;
  /// The same of the numbers in the problem, from the set in the solution; see active_set.h.
  void (*search_in_double_double)(const BoxProblem&, int max_rounds, BoxSolution&) noexcept;
  bool (*is_unclear)(const BoxProblem&, const BoxSolution&) noexcept;
  /// Efforts, masks, grade and margin of prepared.solution, which is in the numbers of `scaled`.
  void (*unscale)(const Prepared&, const Scaled&, const WrenchDemand&, Allocation&) noexcept;
  /// See proof.h.
  double (*gap_of)(const Prepared&, const WrenchDemand&, const Allocation&) noexcept;
};

namespace baseline {
extern const Kernels kKernels;
}
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
/// What gains from the widest registers: batches and double-double. In all else the chains of
/// dependent operations count, and eight lanes in two halves overlap them better (attainable new
/// problem 200 against 225 ns, tick with nothing held 38 against 41).
void widen(Kernels& kernels) noexcept;
}  // namespace avx512

/// Those compiled for a level; null where the compiler or the machine cannot. With AVX-512 those of
/// AVX2, widened.
[[nodiscard]] const Kernels* kernels_of(Level level) noexcept;

extern const Kernels* kernels_in_use;
[[nodiscard]] inline const Kernels& kernels() noexcept { return *kernels_in_use; }

/// For tests; not while others solve. False, and nothing changed, where the level is not there.
bool use_level(Level level) noexcept;
[[nodiscard]] Level level_in_use() noexcept;

}  // namespace pintle::allocation
