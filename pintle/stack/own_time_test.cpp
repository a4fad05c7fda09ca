#include "pintle/stack/own_time.h"

#include <gtest/gtest.h>

#include <limits>

#include "pintle/base/random.h"

namespace pintle::stack {
namespace {

constexpr Duration kPeriod{10'000'000};
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Time ms(std::int64_t t) { return {t * 1'000'000}; }

OwnTime begun_at(Time t) {
  OwnTime own;
  (void)advance(own, t, kPeriod);
  return own;
}

TEST(OwnTime, IsTheClockToTheNanosecondWhileThatGoesOn) {
  RandomStream random(1, "own time");
  OwnTime own;
  Time t = Time::from_seconds(1.7e9);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(advance(own, t, kPeriod).verdict, ClockVerdict::kGood);
    EXPECT_EQ(own.now, t);
    EXPECT_EQ(own.shift, Duration{});
    t = t + Duration::from_seconds(random.uniform(1e-9, 10));
  }
}

TEST(OwnTime, AClockThatIsNoTimeBeginsAtZeroAndItsStampsAreOfNow) {
  for (const std::int64_t t : {kMost, kMost / 2 + 2, -kMost}) {
    const OwnTime own = begun_at({t});
    EXPECT_EQ(own.now, Time{});
    EXPECT_EQ(own.shift, Time{} - Time{t});
  }
}

TEST(OwnTime, CountsAPeriodATickWhileTheClockStands) {
  OwnTime own = begun_at(ms(500));
  for (int i = 1; i <= 100000; ++i) {
    EXPECT_EQ(advance(own, ms(500), kPeriod).verdict, ClockVerdict::kStood);
    ASSERT_EQ(own.now, ms(500 + 10 * i));
  }
  // what is stamped by the clock that stands grows old
  EXPECT_EQ(own.shift, Duration{});
  // and when it goes on nothing is taken back
  EXPECT_EQ(advance(own, ms(520), kPeriod).verdict, ClockVerdict::kGood);
  EXPECT_EQ(own.now, ms(500 + 1000000 + 20));
  EXPECT_EQ(own.now - ms(520), own.shift) << "a stamp of now is as old as it says";
}

TEST(OwnTime, RunsAtTheRightRateByAClockThatIsCoarserThanTheTicks) {
  OwnTime own = begun_at(ms(0));
  for (int i = 1; i <= 1000; ++i) {
    (void)advance(own, ms(50 * (i / 5)), kPeriod);
    ASSERT_EQ(own.now, ms(10 * i));
  }
  EXPECT_EQ(own.shift, Duration{});
}

TEST(OwnTime, FollowsAClockThatIsSetBackFromWhereItWas) {
  for (const std::int64_t by_ms : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1000000000}}) {
    OwnTime own = begun_at(ms(5000));
    const ClockStep step = advance(own, ms(5000 - by_ms), kPeriod);
    EXPECT_EQ(step.verdict, ClockVerdict::kBack);
    EXPECT_EQ(step.off, Time{} - ms(by_ms));
    EXPECT_EQ(own.now, ms(5010));
    (void)advance(own, ms(5000 - by_ms + 7), kPeriod);
    EXPECT_EQ(own.now, ms(5017));
  }
}

TEST(OwnTime, CountsTenSecondsOfALeapAndOneBadStampLeavesNothingBehind) {
  OwnTime own = begun_at(ms(5000));
  EXPECT_EQ(advance(own, ms(1000000000), kPeriod).verdict, ClockVerdict::kLeapt);
  EXPECT_EQ(own.now, ms(15000));
  EXPECT_EQ(advance(own, ms(5020), kPeriod).verdict, ClockVerdict::kBack);
  EXPECT_EQ(own.now, ms(15010));
  for (int i = 1; i < 100; ++i) {
    EXPECT_EQ(advance(own, ms(5020 + 10 * i), kPeriod).verdict, ClockVerdict::kGood);
    EXPECT_EQ(own.now, ms(15010 + 10 * i));
    EXPECT_EQ(ms(5020 + 10 * i) + own.shift, own.now);
  }
}

TEST(OwnTime, GoesOnAtTheEndsOfTheNumbers) {
  for (const std::int64_t first : {kLeast, kMost, std::int64_t{0}})
    for (const std::int64_t second : {kLeast, kMost}) {
      OwnTime own = begun_at({first});
      Time last = own.now;
      EXPECT_EQ(last, Time{});
      for (int i = 0; i < 100; ++i) {
        (void)advance(own, {i % 2 == 0 ? second : first}, kPeriod);
        ASSERT_GE(own.now - last, kPeriod);
        ASSERT_LE(own.now - last, kLongestStep);
        last = own.now;
      }
    }
}

TEST(OwnTime, NeverGoesBackWhateverTheClockDoes) {
  RandomStream random(2, "own time");
  OwnTime own = begun_at(ms(0));
  for (int i = 0; i < 200000; ++i) {
    const Time last = own.now;
    Time t = own.clock;
    switch (random.bits() % 4) {
      case 0: t = {static_cast<std::int64_t>(random.bits())}; break;
      case 1: t = t + kPeriod; break;
      case 2: t = t + Duration::from_seconds(random.uniform(-20, 20)); break;
      default: break;
    }
    const bool went_on = advance(own, t, kPeriod).verdict == ClockVerdict::kGood;
    ASSERT_GE(own.now, last);
    ASSERT_LE(own.now - last, kLongestStep);
    if (!went_on) {
      ASSERT_GE(own.now - last, kPeriod);
    }
  }
}

}  // namespace
}  // namespace pintle::stack
