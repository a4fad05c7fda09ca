#include "pintle/base/fixed_vector.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <type_traits>

#include "pintle/testing/heap_counter.h"

namespace pintle {
namespace {

using Three = FixedVector<int, 3>;

static_assert(std::is_trivially_copyable_v<Three> && std::is_standard_layout_v<Three>);
static_assert(std::is_trivially_copyable_v<FixedVector<double, 64>>);
static_assert(Three::kCapacity == 3);

TEST(FixedVector, StartsEmpty) {
  const Three v;
  EXPECT_EQ(v.size(), 0U);
  EXPECT_TRUE(v.empty());
  EXPECT_FALSE(v.full());
  EXPECT_EQ(v.begin(), v.end());
}

TEST(FixedVector, TakesAsManyAsItHoldsAndRefusesTheNext) {
  Three v;
  EXPECT_TRUE(v.push_back(10));
  EXPECT_TRUE(v.push_back(20));
  EXPECT_FALSE(v.full());
  EXPECT_TRUE(v.push_back(30));
  EXPECT_TRUE(v.full());
  EXPECT_FALSE(v.push_back(40));
  EXPECT_EQ(v.size(), 3U);
  EXPECT_EQ(v[0], 10);
  EXPECT_EQ(v[1], 20);
  EXPECT_EQ(v[2], 30);
}

TEST(FixedVector, AskedForMoreThanItHoldsItIsFull) {
  EXPECT_EQ(Three(7, 5).size(), 3U);
  Three v(1, 5);
  v.resize(1000, 6);
  EXPECT_EQ(v.size(), 3U);
  EXPECT_EQ(v[0], 5);
  EXPECT_EQ(v[1], 6);
  EXPECT_EQ(v[2], 6);
}

TEST(FixedVector, GrownAgainHasNothingOfWhatItDropped) {
  Three v(3, 9);
  v.resize(1);
  v.resize(3);
  EXPECT_EQ(v[0], 9);
  EXPECT_EQ(v[1], 0);
  EXPECT_EQ(v[2], 0);
  v.clear();
  EXPECT_TRUE(v.empty());
}

TEST(FixedVector, AssignedItHoldsWhatTheOtherHolds) {
  Three longer(3, 9), shorter(1, 4);
  shorter.assign(longer);
  EXPECT_EQ(shorter, longer);
  longer.assign(Three(1, 4));
  EXPECT_EQ(longer, Three(1, 4));
  longer.assign(longer);
  EXPECT_EQ(longer, Three(1, 4));
  longer.assign({});
  EXPECT_TRUE(longer.empty());
}

TEST(FixedVector, IsEqualBySizeAndElementsOnly) {
  Three a(2, 1), b(3, 1);
  EXPECT_FALSE(a == b);
  // the third element of b lies behind its end
  b.resize(2);
  EXPECT_TRUE(a == b);
  b[1] = 2;
  EXPECT_FALSE(a == b);
}

TEST(FixedVector, RangeForSeesTheElementsInOrder) {
  Three v;
  for (int x : {1, 2}) v.push_back(x);
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0, [](int s, int x) { return 10 * s + x; }), 12);
  for (int& x : v) x += 1;
  const Three& same = v;
  EXPECT_EQ(std::accumulate(same.begin(), same.end(), 0, [](int s, int x) { return 10 * s + x; }),
            23);
  EXPECT_EQ(same.data(), same.begin());
}

TEST(FixedVector, IsCopiedAsBytes) {
  Three a, b;
  for (int x : {7, 8, 9}) a.push_back(x);
  std::memcpy(&b, &a, sizeof a);
  EXPECT_EQ(a, b);
}

TEST(FixedVector, NeverAsksForHeapMemory) {
  const auto before = testing::heap_allocations();
  FixedVector<double, 64> v(10, 1.0);
  while (v.push_back(2.0)) {
  }
  const FixedVector<double, 64> copy = v;
  v.resize(3);
  EXPECT_EQ(testing::heap_allocations(), before);
  EXPECT_EQ(copy.size(), 64U);
}

}  // namespace
}  // namespace pintle
