#include "pintle/flight/pacer.h"

#include <gtest/gtest.h>

namespace pintle::flight {
namespace {

using std::chrono::milliseconds;
const Pacer::Clock::time_point kStart{milliseconds(5000)};

TEST(Pacer, KeepsToTheWallClockAndMakesUpForALittle) {
  Pacer pacer(kStart);
  EXPECT_EQ(pacer.due({20'000'000}, kStart + milliseconds(3)), kStart + milliseconds(20));
  // a tick that took 200 ms: the next ones come without waiting until the clock has been met
  EXPECT_EQ(pacer.due({40'000'000}, kStart + milliseconds(240)), kStart + milliseconds(40));
  EXPECT_EQ(pacer.missed_s(), 0);
  EXPECT_EQ(pacer.due({260'000'000}, kStart + milliseconds(250)), kStart + milliseconds(260));
}

TEST(Pacer, DropsWhatAStopHasMissedAndGoesOnAtTheSamePace) {
  Pacer pacer(kStart);
  EXPECT_EQ(pacer.due({20'000'000}, kStart), kStart + milliseconds(20));
  // stopped for ten seconds
  const auto back = kStart + milliseconds(10'040);
  EXPECT_EQ(pacer.due({40'000'000}, back), back);
  EXPECT_DOUBLE_EQ(pacer.missed_s(), 10);
  EXPECT_EQ(pacer.due({60'000'000}, back), back + milliseconds(20)) << "no rush";
  EXPECT_EQ(pacer.missed_s(), 0);
}

}  // namespace
}  // namespace pintle::flight
