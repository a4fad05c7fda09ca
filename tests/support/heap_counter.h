/// Counts heap allocations, so that a test can prove that a piece of code makes none.
///
/// Linking `pintle_testing` replaces the global operator new; the count covers malloc through it
/// only.
#pragma once
#include <cstdint>

namespace pintle::testing {

/// Allocations by this thread since the program started.
[[nodiscard]] std::uint64_t heap_allocations() noexcept;

}  // namespace pintle::testing
