#include "pintle/testing/heap_counter.h"

#include <cerrno>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(PINTLE_SANITIZED)
#define PINTLE_COUNTS_HEAP 1
#else
#define PINTLE_COUNTS_HEAP 0
#endif

namespace {
// initial-exec: reading it must not itself ask for memory
[[gnu::tls_model("initial-exec")]] thread_local std::uint64_t allocations = 0;
}  // namespace

#if PINTLE_COUNTS_HEAP
// glibc's own functions under their second names; free() needs no replacement
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT: glibc's name
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT: glibc's name
void* __libc_realloc(void* old, std::size_t size);               // NOLINT: glibc's name
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT: glibc's name

void* malloc(std::size_t size) noexcept {
  ++allocations;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) noexcept {
  ++allocations;
  return __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  ++allocations;
  void* p = __libc_memalign(alignment, size);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
}
#endif

namespace pintle::testing {
std::uint64_t heap_allocations() noexcept { return allocations; }
bool heap_counting_available() noexcept { return PINTLE_COUNTS_HEAP != 0; }
}  // namespace pintle::testing
