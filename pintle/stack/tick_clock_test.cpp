// Every shipped vehicle under every law with a clock that stops, is set or is wrong once: what is
// armed is safe in time, and what has its state flies on.
#include <gtest/gtest.h>

#include <limits>

#include "pintle/stack/testing_craft.h"
#include "pintle/testing/thorough.h"

namespace pintle::stack {
namespace {

/// Where a clock is set to. Too far means to the ends of the numbers.
const std::vector<Duration> kLeaps{Duration::from_seconds(1),    Duration::from_seconds(-1),
                                   Duration::from_seconds(1e6),  Duration::from_seconds(-1e6),
                                   Duration::from_seconds(1e30), Duration::from_seconds(-1e30)};

class TickClock : public ::testing::TestWithParam<std::string> {
 protected:
  /// In the air, with something to lose.
  static void fly(AnyCraft& craft) {
    craft.fly();
    ASSERT_EQ(craft.out->arm, ArmState::kArmed);
    ASSERT_GT(craft.effort(), 1e-3);
  }
  /// Ticks at the clock that `at` gives until it is safe; how many there were.
  template <class Clock>
  static int until_safe(AnyCraft& craft, int most, bool repeat_odometry, Clock at) {
    const Inputs last = craft.good();
    for (int i = 0; i < most; ++i) {
      Inputs in = craft.silent();
      in.now = at(i);
      if (repeat_odometry) {
        in.has_odometry = true;
        in.odometry = last.odometry;
      }
      craft.tick(in);
      EXPECT_TRUE(craft.sound());
      if (craft.safe()) return i;
    }
    return most;
  }
  static int ticks_of(const AnyCraft& craft, double seconds) {
    return static_cast<int>(seconds / craft.model.period.seconds()) + 1;
  }
};

TEST_P(TickClock, OneTickFarOffAndThenSilenceIsSafeInTime) {
  for (const Duration leap : kLeaps) {
    AnyCraft craft(GetParam());
    fly(craft);
    Inputs wrong = craft.silent();
    wrong.now = craft.clock + leap;
    craft.tick(wrong);
    const Time from = craft.clock;
    const int most = ticks_of(craft, craft.safe_within_s());
    const auto right = [&](int i) { return Time{from.ns + i * craft.model.period.ns}; };
    EXPECT_LT(until_safe(craft, most, true, right), most) << leap.ns;
  }
}

TEST_P(TickClock, OneTickFarOffLeavesAFlightAlone) {
  for (const Duration leap : kLeaps) {
    AnyCraft craft(GetParam());
    fly(craft);
    Inputs wrong = craft.silent();
    wrong.now = craft.clock + leap;
    craft.tick(wrong);
    EXPECT_EQ(craft.happened(EventCode::kTimeReversed), leap < Duration{});
    EXPECT_EQ(craft.happened(EventCode::kInputRejected), leap > kLongestStep);
    for (int i = 0; i < ticks_of(craft, 1); ++i) {
      // what is controlled by is never older than the clock's own stamps say
      craft.tick({});
      ASSERT_EQ(craft.out->used.validity, Validity::kValid) << leap.ns << " " << i;
    }
    EXPECT_EQ(craft.out->arm, ArmState::kArmed);
  }
}

TEST_P(TickClock, AClockThatIsSetIsFollowed) {
  for (const Duration leap : kLeaps) {
    AnyCraft craft(GetParam());
    fly(craft);
    // at the end of the numbers it could not go on
    craft.clock = craft.clock + leap - Duration::from_seconds(leap > Duration{} ? 1e4 : 0);
    for (int i = 0; i < ticks_of(craft, 3); ++i) {
      craft.tick({});
      ASSERT_TRUE(craft.sound());
    }
    EXPECT_EQ(craft.out->arm, ArmState::kArmed) << leap.ns;
    EXPECT_EQ(craft.out->used.validity, Validity::kValid) << leap.ns;
    // and then silence
    const Time from = craft.clock;
    const int most = ticks_of(craft, craft.safe_within_s());
    const auto right = [&](int i) { return from + Duration{i * craft.model.period.ns}; };
    EXPECT_LT(until_safe(craft, most, false, right), most) << leap.ns;
  }
}

TEST_P(TickClock, AClockThatStandsIsSafeInTimeAndStaysSo) {
  for (const bool repeat : {false, true}) {
    AnyCraft craft(GetParam());
    fly(craft);
    const Time stands = craft.clock;
    const int most = ticks_of(craft, craft.safe_within_s());
    const auto standing = [&](int) { return stands; };
    ASSERT_LT(until_safe(craft, most, repeat, standing), most);
    for (int i = 0; i < testing::few(20000); ++i) {
      Inputs in = craft.silent();
      in.now = stands;
      craft.tick(in);
      ASSERT_TRUE(craft.safe() && craft.sound()) << i;
    }
  }
}

TEST_P(TickClock, AClockThatStandsAgainAndAgainIsSafeInTime) {
  AnyCraft craft(GetParam());
  fly(craft);
  const int most = ticks_of(craft, craft.safe_within_s() + 1);
  const Time from = craft.clock;
  // so long that it is no coarse clock, then one step
  const int stands = ticks_of(craft, 0.2);
  const auto limping = [&](int i) { return from + Duration{i / stands * craft.model.period.ns}; };
  EXPECT_LT(until_safe(craft, most, false, limping), most);
}

INSTANTIATE_TEST_SUITE_P(Shipped, TickClock,
                         ::testing::ValuesIn(every_craft(PINTLE_SOURCE_DIR "/vehicles")),
                         [](const auto& craft) { return craft_name(craft.param); });

}  // namespace
}  // namespace pintle::stack
