#include "pintle/allocation/objective.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::allocation {
namespace {

TEST(Objective, TheDefaultAndASmallTradeAreFine) {
  EXPECT_TRUE(check(Objective{}).empty());
  EXPECT_TRUE(check(Objective{1, 1e-4}).empty());
  EXPECT_DOUBLE_EQ((Objective{2, 1}).r(), 0.5);
}

TEST(Objective, WhatCannotBeMinimisedIsAnError) {
  for (double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const Findings findings = check(Objective{bad, 0});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].path, "k1");
    EXPECT_TRUE(findings[0].is_error);
  }
  ASSERT_EQ(check(Objective{1, -1}).size(), 1U);
  EXPECT_EQ(check(Objective{1, -1})[0].path, "k2");
  EXPECT_TRUE(check(Objective{1e-300, 1e300})[0].is_error);
}

TEST(Objective, ATradeThatTakesHalfOfEveryWrenchIsAWarning) {
  const Findings findings = check(Objective{1, 1});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_FALSE(findings[0].is_error);
}

TEST(Objective, ItsTableNamesBothWeights) {
  const Table& table = table_of<Objective>();
  ASSERT_NE(table.find("k1"), nullptr);
  EXPECT_TRUE(table.find("k1")->above_minimum);
  ASSERT_NE(table.find("k2"), nullptr);
}

}  // namespace
}  // namespace pintle::allocation
