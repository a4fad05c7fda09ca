#include "pintle/estimation/heat.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::estimation {
namespace {

TEST(HeatWatch, RaisesAtItsLimitsAndClearsWithHysteresisThrusterByThruster) {
  HeatWatch watch({}, 2);
  const auto at = [&](double celsius) {
    watch.add(0, celsius);
    return watch.severity(0);
  };
  EXPECT_EQ(at(80), 0);
  EXPECT_EQ(at(81), 3);
  EXPECT_EQ(at(76), 3);
  EXPECT_EQ(at(96), 4);
  EXPECT_EQ(at(91), 4);
  // what cannot be read is no all-clear
  EXPECT_EQ(at(std::nan("")), 4);
  EXPECT_EQ(watch.celsius(0), 91);
  EXPECT_EQ(at(89), 3);
  EXPECT_EQ(at(74), 0);
  EXPECT_EQ(watch.severity(1), 0);
  EXPECT_FALSE(watch.celsius(1));
}

TEST(HeatWatch, LimitsTheWrongWayRoundAreFound) {
  EXPECT_TRUE(check(HeatSettings{}).empty());
  EXPECT_EQ(check(HeatSettings{99, 50, 5}).size(), 1U);
  EXPECT_EQ(check(HeatSettings{80, 95, -1}).size(), 1U);
}

}  // namespace
}  // namespace pintle::estimation
