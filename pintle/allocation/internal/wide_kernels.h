/// What gains from the widest registers: batches, and double-doubles. In all else the chains of
/// dependent operations count, and eight lanes in two halves overlap them better (attainable new
/// problem 200 against 225 ns, tick with nothing held 38 against 41). Internal to this room.
#pragma once
#include "pintle/allocation/internal/batch_kernel.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/refine_kernel.h"

namespace pintle::allocation::PINTLE_LEVEL {
namespace {

void batch(const Batch& problems, std::size_t begin, std::size_t groups, double* x,
           const BatchRest& rest) noexcept {
  BatchOfEight kernel(problems);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t j = begin + kLanes * g;
    const unsigned left = ~kernel.run(j, x) & 0xFFU;
    if (left != 0) rest.solve(rest.self, j, left, kernel.eight());
  }
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
