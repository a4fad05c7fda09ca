/// What gains from the widest registers: batches, and double-doubles. In all else the chains of
/// dependent operations count, and eight lanes in two halves overlap them better (attainable new
/// problem 200 against 225 ns, tick with nothing held 38 against 41). Internal to this room.
#pragma once
#include "pintle/allocation/internal/batch_kernel.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/refine_kernel.h"

namespace pintle::allocation::PINTLE_LEVEL {
namespace {

std::size_t solve_batch(const Batch& batch, double* x) noexcept {
  BatchOfEight eight(batch);
  std::size_t solved = batch.count;
  for (std::size_t j = 0; j < batch.count; j += kLanes) solved -= eight.run(j, x);
  return solved;
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
