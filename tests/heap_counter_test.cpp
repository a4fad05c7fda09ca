#include "pintle/testing/heap_counter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace pintle::testing {
namespace {

// kept out of sight of the optimiser, which may remove an allocation that nothing looks at
void* volatile sink = nullptr;

template <class F>
std::uint64_t allocations_of(F work) {
  const std::uint64_t before = heap_allocations();
  work();
  return heap_allocations() - before;
}

// a test that counts must not pass because nothing is counted
TEST(HeapCounter, CountsExactlyInBuildsWithoutSanitizers) {
#ifdef PINTLE_SANITIZED
  EXPECT_FALSE(heap_counting_available());
#else
  EXPECT_TRUE(heap_counting_available());
#endif
}

TEST(HeapCounter, CountsEveryWayToAskForMemory) {
  const std::uint64_t one = heap_counting_available() ? 1 : 0;
  struct alignas(128) Wide {
    double x[16];
  };
  EXPECT_EQ(allocations_of([] {
              auto p = std::make_unique<int>(3);
              sink = p.get();
            }),
            one);
  EXPECT_EQ(allocations_of([] {
              auto p = std::make_unique<Wide>();
              sink = p.get();
            }),
            one);
  EXPECT_EQ(allocations_of([] {
              std::vector<double> v(1000);
              sink = v.data();
            }),
            one);
  EXPECT_EQ(allocations_of([] {
              void* p = std::malloc(10);
              sink = p;
              std::free(p);
            }),
            one);
  EXPECT_EQ(allocations_of([] {
              void* p = std::calloc(3, 10);
              sink = p;
              p = std::realloc(p, 100);
              sink = p;
              std::free(p);
            }),
            2 * one);
}

TEST(HeapCounter, CountsNothingWhereNothingIsAllocated) {
  double x = 1;
  EXPECT_EQ(allocations_of([&x] {
              for (int i = 0; i < 1000; ++i) x = x * 1.5 + 0.25;
              sink = &x;
            }),
            0U);
}

TEST(HeapCounter, LeavesOtherThreadsOutOfTheCount) {
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::thread other([&] {
    inside = allocations_of([] {
      std::vector<int> v(10);
      sink = v.data();
    });
  });
  outside = allocations_of([&] { other.join(); });
  EXPECT_EQ(inside, heap_counting_available() ? 1U : 0U);
  EXPECT_EQ(outside, 0U);
}

}  // namespace
}  // namespace pintle::testing
