// The problems that are measured, in the vehicle's numbers for Pintle and scaled for the others.
#pragma once
#include <vector>

#include "pintle/allocation/internal/scaling.h"
#include "pintle/allocation_suite/suite.h"

namespace pintle::bench {

struct Measured {
  allocation::Problem problem;
  allocation::Scaled scaled;         ///< Of the problem.
  allocation::BoxProblem for_peers;  ///< r = 0 has no place in a plain solver: 1e-8 instead.
};

/// What effort may cost.
enum class Trade : std::uint8_t {
  kLittle,  ///< r of 1e-8 to 1e-4 of the largest gain squared: the same problem for every solver.
  kLimit,   ///< r = 0, the limit: harder, and another problem than the 1e-8 that the others get.
};

[[nodiscard]] Measured measured(const allocation::Problem& problem);

/// `count` problems of every class, or of one (`only` from 0); -1: of all but the traps, demands on
/// the edge of the reach to rounding and ties in wild units, which -2 has as well.
[[nodiscard]] std::vector<Measured> new_problems(std::uint32_t n, int only, int count, Trade trade);

/// One vehicle, a demand that wanders at every tick and jumps every fifty.
struct Sequence {
  struct Tick {
    Wrench demand;
    Vec6 b;  ///< Scaled.
  };
  Measured first;
  std::vector<Tick> ticks;
};
[[nodiscard]] std::vector<Sequence> sequences(std::uint32_t n, allocation::ProblemClass c,
                                              int vehicles, int ticks, Trade trade);

}  // namespace pintle::bench
