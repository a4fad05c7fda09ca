#include "pintle/yarp_site/sender_clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::yarp_site {
namespace {

constexpr std::int64_t kMs = 1'000'000;
Time ms(double x) { return {static_cast<std::int64_t>(std::llround(x * 1e6))}; }

/// How old the newest message is taken to be, in ms, after so many of one each 10 ms whose sender's
/// clock is at `there`, and which take `delay` to come.
template <class There, class Delay>
double age_after(SenderClock& clock, int from, int to, bool flies, There there, Delay delay) {
  double age = 0;
  for (int i = from; i < to; ++i) {
    const double sent = 10.0 * i;
    const Time here = ms(sent + delay(i));
    age = static_cast<double>((here - clock.own(ms(there(sent)), here, flies)).ns) / kMs;
  }
  return age;
}

double its_own(double t) { return t - 5000; }

TEST(SenderClock, AgeIsThatBeyondTheQuickestMessage) {
  SenderClock clock;
  const auto delay = [](int i) { return i % 7 == 3 ? 2.0 : 9.0; };
  EXPECT_NEAR(age_after(clock, 0, 2000, true, its_own, delay), 7, 0.1) << "the last one took 9 ms";
}

TEST(SenderClock, WhatIsLateAllAtOnceIsOldForAsLongAsSomebodyFliesByIt) {
  SenderClock clock;
  const auto prompt = [](int) { return 3.0; };
  const auto late = [](int i) { return i % 2 == 0 ? 1503.0 : 1500.0; };
  EXPECT_NEAR(age_after(clock, 0, 500, true, its_own, prompt), 0, 0.1);
  EXPECT_GT(age_after(clock, 500, 6000, true, its_own, late), 1490) << "nor after a minute";
  EXPECT_LT(age_after(clock, 6000, 6002, false, its_own, late), 5) << "a sender that has stood";
}

TEST(SenderClock, ASimulatorAtHalfPaceIsFollowed) {
  SenderClock clock;
  const auto half = [](double t) { return t / 2; };
  double most = 0;
  for (int i = 0; i < 3000; ++i)
    most = std::max(most, age_after(clock, i, i + 1, true, half, [](int) { return 3.0; }));
  EXPECT_LT(most, 125);
  EXPECT_GT(most, 0);
}

TEST(SenderClock, AClockThatIsAheadOfOursIsFollowedAtOnce) {
  SenderClock clock;
  const auto twice = [](double t) { return 2 * t; };
  EXPECT_NEAR(age_after(clock, 0, 1000, true, twice, [](int) { return 3.0; }), 0, 1e-6);
}

}  // namespace
}  // namespace pintle::yarp_site
