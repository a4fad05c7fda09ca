#include "pintle/base/time.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "pintle/base/random.h"

namespace pintle {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr double kInf = std::numeric_limits<double>::infinity();

static_assert(std::is_trivially_copyable_v<Time> && sizeof(Time) == 8);
static_assert(std::is_trivially_copyable_v<Duration> && sizeof(Duration) == 8);
static_assert(Time{5} - Time{7} == Duration{-2});
static_assert(Time{5} + Duration{7} == Time{12});
static_assert(Time{5} - Duration{7} == Time{-2});
static_assert(Duration{5} + Duration{7} == Duration{12});
static_assert(Duration{5} - Duration{7} == Duration{-2});
static_assert(Time{-1} < Time{0} && Duration{3} >= Duration{3});
static_assert(Duration{1'500'000'000}.seconds() == 1.5);

TEST(Time, SecondsBecomeTheNearestNanosecond) {
  EXPECT_EQ(Duration::from_seconds(0).ns, 0);
  // 0.1 is not a double, 100 000 000 ns is what was meant
  EXPECT_EQ(Duration::from_seconds(0.1).ns, 100'000'000);
  EXPECT_EQ(Duration::from_seconds(1.0 / 3).ns, 333'333'333);
  EXPECT_EQ(Duration::from_seconds(2.0 / 3).ns, 666'666'667);
  EXPECT_EQ(Duration::from_seconds(0.4e-9).ns, 0);
  EXPECT_EQ(Duration::from_seconds(0.6e-9).ns, 1);
  EXPECT_EQ(Duration::from_seconds(-0.4e-9).ns, 0);
  EXPECT_EQ(Duration::from_seconds(-0.6e-9).ns, -1);
  EXPECT_EQ(Time::from_seconds(-12.25).ns, -12'250'000'000);
}

TEST(Time, TooManySecondsSaturate) {
  EXPECT_EQ(Duration::from_seconds(9.1e9).ns, 9'100'000'000'000'000'000);
  EXPECT_EQ(Duration::from_seconds(-9.1e9).ns, -9'100'000'000'000'000'000);
  for (const double s : {9.2e9, 1e10, 1e300, kInf}) {
    EXPECT_EQ(Duration::from_seconds(s).ns, kMost) << s;
    EXPECT_EQ(Duration::from_seconds(-s).ns, kLeast) << s;
    EXPECT_EQ(Time::from_seconds(s).ns, kMost) << s;
    EXPECT_EQ(Time::from_seconds(-s).ns, kLeast) << s;
  }
}

TEST(Time, SumsAndDifferencesStopAtTheEndsInsteadOfWrapping) {
  EXPECT_EQ((Time{kLeast} - Time{kMost}).ns, kLeast);
  EXPECT_EQ((Time{kMost} - Time{kLeast}).ns, kMost);
  EXPECT_EQ((Time{0} - Time{kLeast}).ns, kMost);
  EXPECT_EQ((Time{-2} - Time{kLeast}).ns, kMost - 1) << "what still fits is exact";
  EXPECT_EQ((Time{kMost} + Duration{1}).ns, kMost);
  EXPECT_EQ((Time{kLeast} + Duration{-1}).ns, kLeast);
  EXPECT_EQ((Time{kLeast} - Duration{1}).ns, kLeast);
  EXPECT_EQ((Time{1} - Duration{kLeast}).ns, kMost);
  EXPECT_EQ((Duration{kMost} + Duration{kMost}).ns, kMost);
  EXPECT_EQ((Duration{kLeast} - Duration{kMost}).ns, kLeast);
}

TEST(Time, NaNSecondsAreZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Duration::from_seconds(nan).ns, 0);
  EXPECT_EQ(Time::from_seconds(nan).ns, 0);
}

TEST(Time, SecondsAndBackIsTheSameNanosecondForElevenDays) {
  RandomStream random(1, "time");
  for (int k = 0; k < 10'000; ++k) {
    const Time t{static_cast<std::int64_t>(random.uniform(-1e15, 1e15))};
    ASSERT_EQ(Time::from_seconds(t.seconds()), t);
    ASSERT_EQ(Duration::from_seconds(Duration{t.ns}.seconds()).ns, t.ns);
  }
}

TEST(Time, AMillionStepsOfATenthOfASecondAreExact) {
  // in doubles this sum is off by more than a microsecond
  Time t;
  double seconds = 0;
  const Duration step = Duration::from_seconds(0.1);
  for (int k = 0; k < 1'000'000; ++k) t = t + step, seconds += 0.1;
  EXPECT_EQ(t.ns, 100'000'000'000'000);
  EXPECT_GT(std::abs(seconds - 1e5), 1e-6);
}

}  // namespace
}  // namespace pintle
