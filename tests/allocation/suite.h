/// Random allocation problems of every kind that has hurt a solver, reproducible from a stream.
///
/// For tests, benchmarks and fuzzing: not used by the tick.
#pragma once
#include "pintle/allocation/allocator.h"
#include "pintle/base/random.h"

namespace pintle::allocation {

enum class ProblemClass : std::uint8_t {
  kAttainable,  ///< Well inside the box.
  kMild,        ///< Few channels saturate: of 8 one or two, of 64 about a tenth.
  kHeavy,       ///< Most saturate, several times beyond reach.
  kDegenerate,  ///< Repeated, opposite and zero columns, demands on facets and corners.
  kDeficient,   ///< Rank 1 to 5, exactly.
  kFailed,      ///< Some boxes without width.
  kScaled,      ///< Rows, columns and bounds of 1e-4 to 1e4.
  kNarrow,      ///< One-sided, asymmetric and very narrow boxes, preferred efforts.
  kUnweighted,  ///< Weights of zero and of many sizes.
  kEdge,        ///< On the very edge of the reach, to rounding.
  kLayout,      ///< Eight thrusters of a vehicle that ships, some failed; n is not asked.
  kScaledTies,  ///< Degenerate or deficient, with rows, columns and bounds of 2^-13 to 2^13.
};
inline constexpr std::size_t kProblemClasses = 12;

[[nodiscard]] std::string_view name_of(ProblemClass c) noexcept;

struct Problem {
  Settings settings;
  Effectiveness effectiveness;
  WrenchDemand demand;
};

/// n from 1 to 64 channels. About half of the problems have r = 0, the others r between 1e-8 and 1
/// of the largest gain squared. Classes that are not described above lie anywhere between nothing
/// saturated and nearly all, for few channels and for many alike.
[[nodiscard]] Problem make_problem(ProblemClass c, std::uint32_t n, RandomStream& random) noexcept;

/// k2 such that r is this share of the largest gain squared: a plain number would decide everything
/// where units are extreme.
void set_trade(Problem& problem, double share) noexcept;

/// The columns of a vehicle that ships, bounds -1 and 1; any number names one of them.
void make_layout(Effectiveness& effectiveness, std::uint64_t which) noexcept;

}  // namespace pintle::allocation
