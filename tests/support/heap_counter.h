/// Counts heap allocations, so that a test can prove that a piece of code makes none.
///
///   const auto before = heap_allocations();
///   tick(model, state, work, inputs, outputs);
///   EXPECT_EQ(heap_allocations(), before);
///
/// Linking `pintle_testing` puts counting functions in place of malloc, calloc, realloc and the
/// aligned ones: everything that asks for memory passes there, operator new and Eigen's matrices
/// included. Under a sanitizer, which needs these functions itself, nothing is counted and the
/// count stays 0; tests/heap_counter_test.cpp proves that it counts in every other build. Does not
/// see memory taken from the system directly (mmap).
#pragma once
#include <cstdint>

namespace pintle::testing {

/// Allocations by this thread since it started; always 0 where nothing is counted.
[[nodiscard]] std::uint64_t heap_allocations() noexcept;

/// Whether this build counts: false under sanitizers and on C libraries other than glibc.
[[nodiscard]] bool heap_counting_available() noexcept;

}  // namespace pintle::testing
