#include "controls/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/random.h"

namespace pintle::ros1 {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(Arrivals, StepByTheArrivalWhereMessagesDoNotQueue) {
  Arrivals a(false);
  for (int i = 1; i < 20; ++i) {
    const auto t = a.take((1000 + 33 * i) * kMs, (1001 + 50 * i) * kMs);
    EXPECT_EQ(t.steps_ns, (1001 + 50 * i) * kMs);
    EXPECT_EQ(t.counts_from_ns, (1000 + 33 * i) * kMs);
  }
}

TEST(Arrivals, OfAQueueAreHalfTheirStampsApartAndNoTimeIsLost) {
  Arrivals a(false);
  // ten at 200 Hz, used in one go every 50 ms and ten microseconds apart
  std::int64_t before = 0, at = 0;
  for (int batch = 1; batch < 20; ++batch)
    for (int i = 0; i < 10; ++i) {
      const std::int64_t now = 50 * batch * kMs + 10'000 * i;
      at = a.take((50 * batch - 50 + 5 * i + 1) * kMs, now).steps_ns;
      if (before != 0) {
        EXPECT_GE(at - before, 5 * kMs / 2);
      }
      before = at;
    }
  EXPECT_LT(at - 50 * 19 * kMs, 25 * kMs) << "never further ahead than the queue is long";
}

TEST(Arrivals, OfAQueueWithoutStampsThatGrowAreNotMicrosecondsApartEither) {
  constexpr int kPerBatch = 20;  // 400 Hz, used in one go every 50 ms: 2.5 ms apart in truth
  for (const std::int64_t stamp : {std::int64_t{0}, 7 * kMs, std::int64_t{-1}}) {
    Arrivals a(false);
    std::int64_t before = 0, now = 0;
    for (int batch = 1; batch < 40; ++batch)
      for (int i = 0; i < kPerBatch; ++i) {
        now = 50 * batch * kMs + 10'000 * i;
        // 0: none; -1: they go backwards
        const std::int64_t at = a.take(stamp < 0 ? 9000 * kMs - now : stamp, now).steps_ns;
        if (before != 0) {
          EXPECT_GT(at - before, kMs / 2) << stamp << " " << batch << " " << i;
        }
        before = at;
      }
    EXPECT_LT(before - now, 50 * kMs) << "never further ahead than the queue is long";
  }
}

TEST(Arrivals, ALongQueueAfterSilenceStepsNoTimeBackwards) {
  Arrivals a(false);
  std::int64_t before = 0, now = 0;
  for (int i = 0; i < 50; ++i) before = a.take(0, now += 1000 * kMs).steps_ns;
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t at = a.take(0, now += 1000).steps_ns;
    ASSERT_GT(at, before) << i;
    before = at;
  }
  EXPECT_LT(before - now, 1000 * kMs);
}

TEST(Arrivals, WithoutStampsStepByTheArrivalWhereTheyDoNotQueue) {
  Arrivals a(false);
  for (int i = 1; i < 200; ++i) EXPECT_EQ(a.take(0, 5 * i * kMs).steps_ns, 5 * i * kMs);
}

TEST(Arrivals, ByStampAreTheStamps) {
  Arrivals a(true);
  EXPECT_EQ(a.take(7, 100 * kMs).steps_ns, 7);
  EXPECT_EQ(a.take(5, 101 * kMs).steps_ns, 5) << "also back";
  EXPECT_EQ(a.take(0, 102 * kMs).steps_ns, 102 * kMs) << "no stamp at all";
}

TEST(Arrivals, AnOldStampIsOldAndOneThatStandsAges) {
  for (const bool by_stamp : {false, true}) {
    Arrivals a(by_stamp);
    EXPECT_EQ(a.take(100 * kMs, 10'100 * kMs).counts_from_ns, 100 * kMs);
    // ahead of this clock: new as long as there is another one each time
    EXPECT_EQ(a.take(99'000 * kMs, 10'200 * kMs).counts_from_ns, 10'200 * kMs);
    EXPECT_EQ(a.take(99'030 * kMs, 10'230 * kMs).counts_from_ns, 10'230 * kMs);
    for (int i = 1; i < 9; ++i)
      EXPECT_EQ(a.take(99'030 * kMs, (10'230 + 30 * i) * kMs).counts_from_ns, 10'230 * kMs);
  }
}

TEST(Arrivals, StampsAheadThatComeAgainInTurnAge) {
  Arrivals a(false);
  EXPECT_EQ(a.take(99'000 * kMs, 10'000 * kMs).counts_from_ns, 10'000 * kMs);
  EXPECT_EQ(a.take(99'020 * kMs, 10'020 * kMs).counts_from_ns, 10'020 * kMs);
  EXPECT_EQ(a.take(99'040 * kMs, 10'040 * kMs).counts_from_ns, 10'040 * kMs);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(a.take((99'000 + 20 * (i % 3)) * kMs, (10'060 + 20 * i) * kMs).counts_from_ns,
              10'040 * kMs);
  EXPECT_EQ(a.take(99'060 * kMs, 10'700 * kMs).counts_from_ns, 10'700 * kMs) << "another one";
}

TEST(Arrivals, OneStampFarAheadDoesNotAgeTheRightOnesAfterIt) {
  Arrivals a(false);
  a.take(99'000 * kMs, 10'000 * kMs);
  EXPECT_EQ(a.take(10'019 * kMs, 10'020 * kMs).counts_from_ns, 10'019 * kMs);
  // two clocks that agree but for some milliseconds
  EXPECT_EQ(a.take(10'043 * kMs, 10'040 * kMs).counts_from_ns, 10'040 * kMs);
}

TEST(Arrivals, StampsOfAnyBitsAreTaken) {
  RandomStream random(1, "arrivals");
  for (const bool by_stamp : {false, true}) {
    Arrivals a(by_stamp);
    for (int i = 0; i < 10000; ++i)
      EXPECT_LE(a.take(static_cast<std::int64_t>(random.bits() >> 1), 5000 * kMs).counts_from_ns,
                5000 * kMs);
  }
}

}  // namespace
}  // namespace pintle::ros1
