#include "pintle/mission/search.h"

#include <gtest/gtest.h>

namespace pintle::mission {
namespace {

TEST(Search, ASquareSpiralGoesRoundInEverWiderSteps) {
  const SearchSpec s{SearchPattern::kSquareSpiral, 1, 1, 0, 0.5};
  const Vec3 from{10, 20, 2};
  // one turn: 1 east, 1 north, 2 west, 2 south
  EXPECT_EQ(search_length(s, from), 6);
  EXPECT_EQ(search_point(s, from, 0), from);
  EXPECT_EQ(search_point(s, from, 1), (Vec3{11, 20, 2}));
  EXPECT_EQ(search_point(s, from, 2), (Vec3{11, 21, 2}));
  EXPECT_EQ(search_point(s, from, 3.5), (Vec3{9.5, 21, 2}));
  EXPECT_EQ(search_point(s, from, 6), (Vec3{9, 19, 2}));
  EXPECT_EQ(search_point(s, from, 100), (Vec3{9, 19, 2}));
}

TEST(Search, ClimbsInStepWithItsWayAndNeverDown) {
  const SearchSpec s{SearchPattern::kSquareSpiral, 1, 1, 5, 0.5};
  EXPECT_EQ(search_point(s, {0, 0, 2}, 3).z, 3.5);
  EXPECT_EQ(search_point(s, {0, 0, 9}, 3).z, 9);
  const SearchSpec up{SearchPattern::kClimb, 1, 1, 5, 0.5};
  EXPECT_EQ(search_length(up, {0, 0, 2}), 3);
  EXPECT_EQ(search_point(up, {7, 8, 2}, 1), (Vec3{7, 8, 3}));
  EXPECT_EQ(search_length(up, {0, 0, 9}), 0);
}

}  // namespace
}  // namespace pintle::mission
