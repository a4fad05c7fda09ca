#include "pintle/estimation/lone_push.h"

#include <gtest/gtest.h>

#include <array>

namespace pintle::estimation {
namespace {

/// 10 kg and 1 kg m^2: two that push forward, left and right of the middle, one to the left, one up.
BodyModel craft() {
  BodyModel m;
  for (std::size_t i = 0; i < 6; ++i) m.mass[7 * i] = i < 3 ? 10 : 1;
  m.n = 4;
  m.column_N[0] = {{1, 0, 0, 0, 0, -0.3}};
  m.column_N[1] = {{1, 0, 0, 0, 0, 0.3}};
  m.column_N[2] = {{0, 1, 0, 0, 0, 0.1}};
  m.column_N[3] = {{0, 0, 1, 0, 0, 0}};
  return m;
}

/// Twist after an impulse along a column of that craft: its wrench over the masses.
Vec6 moved(std::size_t propulsor, double impulse) {
  Vec6 v;
  for (std::size_t i = 0; i < 6; ++i)
    v[i] = craft().column_N[propulsor][i] * impulse / (i < 3 ? 10 : 1);
  return v;
}

TEST(LonePush, SaysWhichWayItPushed) {
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(judge_push(craft(), i, moved(i, 0.8), 1).verdict, PushVerdict::kGood) << i;
    EXPECT_EQ(judge_push(craft(), i, moved(i, -0.8), 1).verdict, PushVerdict::kReversed) << i;
    EXPECT_EQ(judge_push(craft(), i, moved(i, 0.8), -1).verdict, PushVerdict::kReversed) << i;
    EXPECT_EQ(judge_push(craft(), i, moved(i, 0.1), 1).verdict, PushVerdict::kDead) << i;
    EXPECT_NEAR(judge_push(craft(), i, moved(i, 0.8), 1).share, 0.8, 1e-12);
  }
}

TEST(LonePush, SaysWhoseMotionItWas) {
  const PushFinding f = judge_push(craft(), 0, moved(1, 1), 1);
  EXPECT_EQ(f.verdict, PushVerdict::kLike);
  EXPECT_EQ(f.like, 1);
  EXPECT_FALSE(f.reversed);
  EXPECT_TRUE(judge_push(craft(), 0, moved(3, -1), 1).reversed);
  // a motion of nobody: it rolls
  EXPECT_EQ(judge_push(craft(), 0, {{0, 0, 0, 1, 0, 0}}, 1).verdict, PushVerdict::kUnclear);
  EXPECT_EQ(judge_push(craft(), 0, moved(0, 1), 0).verdict, PushVerdict::kUnclear);
  EXPECT_EQ(judge_push(craft(), 9, moved(0, 1), 1).verdict, PushVerdict::kUnclear);
}

TEST(LonePush, APairIsSwappedWhenEachLookedLikeTheOther) {
  const auto like = [](std::int32_t other, bool reversed = false) {
    return PushFinding{PushVerdict::kLike, other, reversed, 0};
  };
  const PushFinding good{PushVerdict::kGood, -1, false, 1};
  {
    const auto all = conclude(std::array{like(2), good, like(0, true), good});
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].kind, Miswiring::Kind::kSwapped);
    EXPECT_EQ(all[0].propulsor, 0);
    EXPECT_EQ(all[0].other, 2);
    EXPECT_TRUE(all[0].reversed);
    EXPECT_FALSE(all[0].other_reversed);
  }
  EXPECT_TRUE(conclude(std::array{like(2), good, good, like(1)}).empty());
  const auto two = conclude(
      std::array{PushFinding{PushVerdict::kDead}, good, PushFinding{PushVerdict::kReversed}});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].kind, Miswiring::Kind::kDead);
  EXPECT_EQ(two[1].kind, Miswiring::Kind::kReversed);
  EXPECT_EQ(two[1].propulsor, 2);
}

}  // namespace
}  // namespace pintle::estimation
