#include "jet/tick_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "common/world_time.h"
#include "jet/command_desk.h"

namespace pintle::ros1 {
namespace {

constexpr std::int64_t kPeriod = 20'000'000, kSecond = 1'000'000'000;

TEST(TickClock, AStampLessThanAPeriodAheadIsOfNow) {
  EXPECT_EQ(TickClock::age_ns(kSecond, kSecond - 5), 5);
  EXPECT_EQ(TickClock::age_ns(kSecond, kSecond + kPeriod - 1), 0);
  EXPECT_EQ(TickClock::age_ns(kSecond, kSecond + 2 * kPeriod), -2 * kPeriod);
}

TEST(WorldTime, WhatWasBeforeTheClockBeganIsOfItsBeginning) {
  WorldTime time(0);
  constexpr std::int64_t kDelay = 20'000'000;
  for (std::int64_t world = 0; world < kSecond; world += 4'000'000) {
    time.follow(0, world);
    EXPECT_EQ(time.stamp_ns(world), 0);
    EXPECT_EQ(time.stamp_ns(world - kDelay), 0) << "no stamp is before that";
  }
  time.follow(kSecond, kSecond);
  EXPECT_EQ(time.stamp_ns(kSecond - kDelay), kSecond - kDelay);
}

TEST(WorldTime, IsNeverAheadOfTheClockAndNeverFarBehind) {
  WorldTime time(kSecond);
  std::int64_t clock = kSecond, before = 0;
  for (std::int64_t k = 0; k < 1000; ++k) {
    // a step of 5 ms that takes 1 to 9; once the machine stands, once the clock is set back
    clock += 1'000'000 * (1 + k % 9) + (k == 500 ? kSecond : 0) - (k == 700 ? kSecond / 2 : 0);
    time.follow(clock, 5'000'000 * k);
    const std::int64_t stamp = time.stamp_ns(5'000'000 * k);
    EXPECT_LE(stamp, clock);
    EXPECT_GE(stamp, clock - WorldTime::kLate_ns);
    if (k != 700) {
      EXPECT_GE(stamp, before);
    }
    before = stamp;
  }
}

TEST(TickClock, TwoClocksThatWereReadApartAreReadAgain) {
  // somebody else runs for 5 ms between the first two; the wall's is 100 s ahead
  std::int64_t now = kSecond;
  int reads = 0;
  const auto steady = [&] { return now += 1000; };
  const auto wall = [&] {
    now += reads++ == 0 ? 5'000'000 : 1000;
    return now + 100 * kSecond;
  };
  const auto [a, b] = TickClock::read_as_one(steady, wall);
  EXPECT_EQ(reads, 2);
  EXPECT_LE(b - a - 100 * kSecond, TickClock::kAtOnce_ns);
  // always interrupted: it is said what there is
  reads = -1000;
  const auto slow = [&] { return now += (++reads, 5'000'000); };
  (void)TickClock::read_as_one(steady, slow);
  EXPECT_EQ(reads, -997);
}

TEST(TickClock, AClockThatIsAtTheEndOfTimeAgainAndAgainTicksOn) {
  TickClock clock;
  std::int64_t last = clock.take(kSecond, kPeriod).ns;
  constexpr std::int64_t kEnd = 4'294'967'295 * kSecond;  // the last that a stamp can say
  for (int k = 0; k < 10; ++k)
    for (const std::int64_t t : {kEnd, 3 * kSecond, 3 * kSecond + kPeriod}) {
      const TickClock::Now now = clock.take(t + k, kPeriod);
      EXPECT_NE(now.step, TickClock::Step::kStands);
      EXPECT_GT(now.ns, last) << k;
      EXPECT_GE(clock.of(kEnd), clock.of(t)) << k;
      last = now.ns;
    }
}

TEST(TickClock, TimeThatIsSetBackGoesOnFromWhereItWas) {
  TickClock clock;
  std::int64_t last = 0;
  for (std::int64_t t = 100 * kSecond; t < 101 * kSecond; t += kPeriod)
    last = clock.take(t, kPeriod).ns;
  const TickClock::Now back = clock.take(50 * kSecond, kPeriod);
  EXPECT_EQ(back.step, TickClock::Step::kSetBack);
  EXPECT_EQ(back.ns, last + kPeriod);
  EXPECT_EQ(back.back_ns, 101 * kSecond - kPeriod - 50 * kSecond);
  // from there on it goes on as the clock does, and so do stamps
  const TickClock::Now next = clock.take(50 * kSecond + kPeriod, kPeriod);
  EXPECT_EQ(next.step, TickClock::Step::kOn);
  EXPECT_EQ(next.ns, back.ns + kPeriod);
  EXPECT_EQ(clock.of(50 * kSecond + kPeriod), next.ns);
  // once more, to zero
  EXPECT_EQ(clock.take(0, kPeriod).ns, next.ns + kPeriod);
}

TEST(TickClock, TimeThatStandsIsToldAndALittleLateIsNotSetBack) {
  TickClock clock;
  (void)clock.take(kSecond, kPeriod);
  EXPECT_EQ(clock.take(kSecond, kPeriod).step, TickClock::Step::kStands);
  EXPECT_EQ(clock.take(kSecond - kPeriod, kPeriod).step, TickClock::Step::kStands);
  EXPECT_EQ(clock.take(kSecond + 1, kPeriod).step, TickClock::Step::kOn);
}

TEST(CommandDesk, WhoAsksHearsWhatBecameOfIt) {
  CommandDesk desk;
  CommandAnswer heard;
  std::thread operator_thread([&] { heard = desk.ask("pause", true, 60); });
  std::optional<std::string> words;
  while (!words) {
    words = desk.take();
    std::this_thread::yield();
  }
  EXPECT_EQ(*words, "pause");
  EXPECT_FALSE(desk.take()) << "once";
  desk.tell({true, "accepted: paused"});
  operator_thread.join();
  EXPECT_TRUE(heard.accepted);
  EXPECT_EQ(heard.text, "accepted: paused");
}

TEST(CommandDesk, WhatStopsIsTakenBeforeWhatMovesHoweverManyWaitForThat) {
  CommandDesk desk;
  std::vector<std::thread> crowd;
  std::atomic<int> turned_away{0};
  // a machine that stands meanwhile is another test
  const auto now = CommandDesk::Clock::now();
  const auto come = [&](const char* words, bool is_urgent) {
    crowd.emplace_back([&desk, &turned_away, words, is_urgent, now] {
      if (desk.ask(words, is_urgent, 60, now).text == CommandDesk::kTooMany) ++turned_away;
    });
  };
  for (int i = 0; i < 10; ++i) come("resume", false);
  while (turned_away < 10 - static_cast<int>(CommandDesk::kMost)) std::this_thread::yield();
  come("abort", true);
  while (desk.waiting() < 1 + CommandDesk::kMost) std::this_thread::yield();
  std::vector<std::string> taken;
  while (taken.size() < 1 + CommandDesk::kMost) {
    const auto words = desk.take(now);
    if (!words) continue;
    taken.push_back(*words);
    desk.tell({true, "accepted"});
  }
  for (std::thread& t : crowd) t.join();
  EXPECT_EQ(taken[0], "abort");
  EXPECT_EQ(turned_away, 10 - static_cast<int>(CommandDesk::kMost));
}

TEST(CommandDesk, WhatWasAskedBeforeItStoodStillIsDoneOnlyWhereItStops) {
  using namespace std::chrono_literals;
  CommandDesk desk;
  const auto before = CommandDesk::Clock::now(), after = before + 5s;
  std::vector<std::thread> crowd;
  CommandAnswer waited, stopped, again;
  std::deque<std::atomic<bool>> gone;
  const auto come = [&](const char* words, bool is_urgent, auto at, CommandAnswer& heard) {
    const std::size_t were = desk.waiting();
    std::atomic<bool>& is_gone = gone.emplace_back(false);
    crowd.emplace_back([&desk, &is_gone, words, is_urgent, at, &heard] {
      heard = desk.ask(words, is_urgent, 60, at);
      is_gone = true;
    });
    while (desk.waiting() == were && !is_gone) std::this_thread::yield();
  };
  const auto take = [&](auto now) {
    std::optional<std::string> words;
    while (!words && desk.waiting() > 0) words = desk.take(now);
    return words.value_or("");
  };
  desk.look(before);
  come("resume", false, before, waited);
  // what still lay in the socket is read now, whoever of the two threads is first
  EXPECT_EQ(desk.ask("resume", false, 60, after).text, flight::kSaidLate);
  EXPECT_EQ(take(after), "");
  come("abort", true, after, stopped);
  EXPECT_EQ(take(after), "abort");
  desk.tell({true, "accepted"});
  // who is still about to go has the desk locked, and a look that finds it so is none
  for (std::thread& t : crowd) t.join();
  crowd.clear();
  for (int round = 1; round <= 3; ++round) desk.look(after + round * CommandDesk::kRound);
  come("resume", false, after + 4 * CommandDesk::kRound, again);
  EXPECT_EQ(take(after + 4 * CommandDesk::kRound), "resume");
  desk.tell({true, "accepted"});
  for (std::thread& t : crowd) t.join();
  EXPECT_EQ(waited.text, flight::kSaidLate);
  EXPECT_TRUE(stopped.accepted);
  EXPECT_TRUE(again.accepted);
}

TEST(CommandDesk, WhatNobodyTicksForIsTakenBack) {
  CommandDesk desk;
  const CommandAnswer none = desk.ask("free_style", false, 0.001);
  EXPECT_FALSE(none.accepted);
  EXPECT_NE(none.text.find("not done"), std::string::npos);
  EXPECT_FALSE(desk.take()) << "it does not fly minutes later";
  desk.tell({true, "late"});
}

}  // namespace
}  // namespace pintle::ros1
