#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>

#include "pintle/base/fields.h"

namespace pintle {
namespace {

using Four = FixedString<4>;
static_assert(std::is_trivially_copyable_v<Four> && std::is_standard_layout_v<Four>);
static_assert(sizeof(Four) == 5);

TEST(FixedString, HoldsUpToItsCapacityAndCutsTheRest) {
  EXPECT_EQ(Four{}.view(), "");
  Four s;
  EXPECT_TRUE(s.assign("abcd"));
  EXPECT_EQ(s.view(), "abcd");
  EXPECT_FALSE(s.assign("efghi"));
  EXPECT_EQ(s.view(), "efgh");
  EXPECT_TRUE(s.assign(""));
  EXPECT_EQ(s.view(), "");
  EXPECT_EQ(Four("longer").view(), "long");
  // a zero is a character like any other
  EXPECT_TRUE(s.assign(std::string_view("a\0b", 3)));
  EXPECT_EQ(s.view().size(), 3U);
}

TEST(FixedString, EqualTextIsEqualInEveryByte) {
  // so that records can be compared as bytes
  Four a{"abcd"};
  a.assign("x");
  const Four b{"x"};
  EXPECT_EQ(a, b);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
  EXPECT_FALSE(a == Four{"xy"});
}

TEST(FixedString, TheLongestHas255Bytes) {
  const std::string text(300, 'q');
  FixedString<255> s;
  EXPECT_FALSE(s.assign(text));
  EXPECT_EQ(s.view(), std::string_view(text).substr(0, 255));
}

}  // namespace
}  // namespace pintle
