#include "pintle/base/spsc_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace pintle {
namespace {

TEST(SpscRing, RefusesWhatFindsNoRoomAndKeepsTheOrder) {
  SpscRing<int, 3> ring;
  int x = 0;
  EXPECT_FALSE(ring.pop(x));
  EXPECT_TRUE(ring.push(1) && ring.push(2) && ring.push(3));
  EXPECT_FALSE(ring.push(4));
  EXPECT_TRUE(ring.pop(x) && x == 1);
  EXPECT_TRUE(ring.push(5));
  EXPECT_TRUE(ring.pop(x) && x == 2 && ring.pop(x) && x == 3 && ring.pop(x) && x == 5);
  EXPECT_FALSE(ring.pop(x));
}

TEST(SpscRing, BetweenTwoThreadsNothingIsLostOrTorn) {
  struct Pair {
    std::uint64_t a = 0, b = 0;
  };
  SpscRing<Pair, 16> ring;
  constexpr std::uint64_t kN = 200'000;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kN;)
      if (ring.push({i, ~i})) ++i;
  });
  std::uint64_t expected = 1;
  for (Pair p; expected <= kN;)
    if (ring.pop(p)) {
      ASSERT_EQ(p.a, expected);
      ASSERT_EQ(p.b, ~expected);
      ++expected;
    }
  writer.join();
}

}  // namespace
}  // namespace pintle
