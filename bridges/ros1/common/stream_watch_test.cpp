#include "common/stream_watch.h"

#include <gtest/gtest.h>

namespace pintle::ros1 {
namespace {

using Lines = std::vector<std::string>;

TEST(StreamWatch, WhatIsBadIsToldOnceWithNumbersAndWhenItIsOver) {
  StreamWatch w("/image", "pictures");
  double t = 0;
  for (; t < 1; t += 0.1) w.used(t);
  EXPECT_EQ(w.news(t), Lines{});
  w.bad(t, "their stamp is 0");
  EXPECT_EQ(w.news(t), Lines{"/image: their stamp is 0"});
  EXPECT_EQ(w.trouble(), "/image: their stamp is 0");
  Lines all;
  // good and bad in turn are one trouble
  for (const double end = t + 15; t < end; t += 0.1) {
    w.bad(t, "their stamp is 0");
    w.used(t);
    for (const std::string& line : w.news(t)) all.push_back(line);
  }
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].find("/image: their stamp is 0 (10"), std::string::npos) << all[0];
  all.clear();
  for (const double end = t + 3; t < end; t += 0.1) {
    w.used(t);
    for (const std::string& line : w.news(t)) all.push_back(line);
  }
  EXPECT_EQ(all, Lines{"/image: good again"});
  EXPECT_EQ(w.trouble(), "");
}

TEST(StreamWatch, NumbersInAReasonAreNoNews) {
  StreamWatch w("/target", "targets");
  Lines all;
  for (int i = 0; i < 50; ++i) {
    w.bad(0.1 * i, "stamped " + std::to_string(i) + " s ahead");
    for (const std::string& line : w.news(0.1 * i)) all.push_back(line);
  }
  EXPECT_EQ(all, Lines{"/target: stamped 0 s ahead"});
  w.bad(5, "too old by 3 s");
  EXPECT_EQ(w.news(5), Lines{"/target: too old by 3 s (51 in 5.0 s)"});
}

TEST(StreamWatch, SilenceIsBadWhileTheyAreWantedAndAtNoOtherTime) {
  StreamWatch w("/image", "pictures");
  EXPECT_EQ(w.news(100), Lines{});
  EXPECT_FALSE(w.is_silent(100));
  w.want(true, 100);
  EXPECT_EQ(w.news(101.9), Lines{});
  EXPECT_FALSE(w.is_silent(101.9));
  EXPECT_EQ(w.news(102.5), Lines{"/image: no pictures come (for 2.5 s; 0 came)"});
  EXPECT_TRUE(w.is_silent(102.5));
  w.used(103);
  EXPECT_EQ(w.news(103), Lines{"/image: good again"});
  // they come, and none is of use
  Lines all;
  for (int i = 1; i < 30; ++i) {
    w.passed(103 + 0.1 * i);
    for (const std::string& line : w.news(103 + 0.1 * i)) all.push_back(line);
  }
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].find("none of the pictures is new enough"), std::string::npos);
  EXPECT_FALSE(w.is_silent(105.9));
  w.want(false, 106);
  EXPECT_EQ(w.news(106), Lines{});
  EXPECT_EQ(w.trouble(), "");
}

TEST(StreamWatch, AClockThatIsSetBackBeginsAnew) {
  StreamWatch w("/image", "pictures");
  w.want(true, 1000);
  w.bad(1000, "cut short");
  EXPECT_EQ(w.news(1000).size(), 1u);
  w.used(10);
  EXPECT_EQ(w.news(12.5).size(), 1u);
  EXPECT_NE(w.trouble(), "/image: cut short");
}

}  // namespace
}  // namespace pintle::ros1
