// The laws of the bus to the nanosecond, with a protocol of two bytes in place of a real one.
#include "pintle/device/propulsor_bus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace pintle::device {
namespace {

enum class Frame : std::uint8_t { kGreet, kCommand, kPoll, kAll };

/// What was asked of it, in order.
struct Log {
  struct Asked {
    Frame what;
    std::size_t channel;
    double effort;
  };
  std::vector<Asked> asked;
  int forgotten = 0, given_up = 0;
  std::size_t missing = 0;
};

/// A frame is what and channel; an answer is channel and `BusMessage::Kind`. Ten bytes are due.
class TwoBytes : public PropulsorProtocol {
 public:
  explicit TwoBytes(Log& log) : log_(&log) {}
  [[nodiscard]] const BusCapabilities& capabilities() const noexcept override {
    static constexpr BusCapabilities kTwo{.watchdog_s = 2, .answers = true, .last_node = 255};
    return kTwo;
  }
  BusFrame greet(std::size_t c, Out out) noexcept override { return put(Frame::kGreet, c, 0, out); }
  void forget(std::size_t) noexcept override { ++log_->forgotten; }
  BusFrame command(std::size_t c, double effort, Out out) noexcept override {
    return put(Frame::kCommand, c, effort, out);
  }
  BusFrame command_all(std::span<const double> efforts, std::size_t responder,
                       Out out) noexcept override {
    return put(Frame::kAll, responder, efforts[0], out);
  }
  BusFrame poll(std::size_t c, Out out) noexcept override { return put(Frame::kPoll, c, 0, out); }
  bool hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept override {
    if (bytes.size() < 2) return false;
    message = {};
    message.channel = bytes[0];
    message.kind = static_cast<BusMessage::Kind>(bytes[1]);
    message.report.valid = kHasRpm;
    message.report.rpm = 1000;
    bytes = bytes.subspan(2);
    return true;
  }
  void give_up() noexcept override { ++log_->given_up; }
  [[nodiscard]] std::size_t missing() const noexcept override { return log_->missing; }
  [[nodiscard]] std::uint64_t garbage() const noexcept override { return 0; }

 private:
  BusFrame put(Frame what, std::size_t channel, double effort, Out out) noexcept {
    log_->asked.push_back({what, channel, effort});
    out[0] = static_cast<std::uint8_t>(what);
    out[1] = static_cast<std::uint8_t>(channel);
    return {2, 10};
  }
  Log* log_;
};

BusSettings settings_for_tests() {
  BusSettings s;
  s.baudrate = 100000;  // a byte takes 0.1 ms: a frame and its answer 1.2 ms
  return s;
}

struct Bus {
  explicit Bus(std::size_t channels = 1, const BusSettings& settings = settings_for_tests(),
               bool confident = false)
      : bus(std::make_unique<TwoBytes>(log), wiring(channels, confident), settings) {
    bus.line(true, at(0));
  }
  static std::vector<BusChannel> wiring(std::size_t n, bool confident) {
    std::vector<BusChannel> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      out[i].name.assign(std::string(1, static_cast<char>('a' + i)));
      out[i].node = static_cast<std::uint8_t>(i);
      out[i].confident = confident;
    }
    return out;
  }
  static Time at(double s) { return Time::from_seconds(100 + s); }

  /// What goes out at this time, if something does.
  std::optional<Log::Asked> sent(double s) {
    if (bus.next_frame(at(s)).empty()) return std::nullopt;
    return log.asked.back();
  }
  void answer(std::size_t c, double s, BusMessage::Kind kind = BusMessage::Kind::kReport) {
    const std::array bytes{static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(kind)};
    bus.heard(bytes, at(s));
  }
  /// Every question is answered, 2 ms later, to this time; the last command to channel 0.
  void run(double& s, double until, bool answers = true) {
    for (; s < until; s += 0.001) {
      const auto frame = sent(s);
      if (!frame) continue;
      if (frame->what == Frame::kCommand || frame->what == Frame::kAll) effort = frame->effort;
      if (!answers || frame->channel == silent) continue;
      s += 0.002;
      answer(
          frame->channel, s,
          frame->what == Frame::kGreet ? BusMessage::Kind::kGreeting : BusMessage::Kind::kReport);
    }
  }
  [[nodiscard]] double wake_s() const { return (bus.wake_at() - at(0)).seconds(); }

  Log log;
  PropulsorBus bus;
  double effort = 0;
  std::size_t silent = 99;
};

TEST(PropulsorBus, WhatWasSilentWhileKilledHasItsWholeDebounceAfterwards) {
  Bus b;
  double s = 0;
  b.run(s, 1);
  b.bus.kill(true, Bus::at(s));
  b.run(s, 11, false);
  EXPECT_FALSE(b.bus.is_out(0));
  b.bus.kill(false, Bus::at(s));
  b.run(s, 11.8, false);
  EXPECT_FALSE(b.bus.is_out(0));
  b.run(s, 13, false);
  EXPECT_TRUE(b.bus.is_out(0));
}

TEST(PropulsorBus, AfterAKillNobodyIsWaitedForLongerThanBefore) {
  Bus b;
  b.bus.kill(true, Bus::at(0));
  double s = 0;
  b.run(s, 10, false);
  // what is under way is given up
  s += 1;
  EXPECT_FALSE(b.sent(s));
  b.bus.kill(false, Bus::at(s));
  for (; !b.sent(s); s += 0.001) {
  }
  // 12 bytes on the wire and the first time limit
  EXPECT_NEAR(b.wake_s() - s, 0.0012 + 0.03, 1e-9);
}

TEST(PropulsorBus, ALineThatWasAwayBeginsAnew) {
  Bus b(2);
  double s = 0;
  b.run(s, 1);
  b.bus.command(0, 0.5, Bus::at(s));
  b.bus.command(1, 0.5, Bus::at(s));
  b.run(s, 1.9);
  EXPECT_FALSE(b.bus.is_at_rest());
  b.run(s, 2.2, false);
  b.bus.stop(Bus::at(s));
  const int forgotten = b.log.forgotten, given_up = b.log.given_up;
  b.bus.line(false, Bus::at(s));
  // the other end of a cut cable is not our effort any more
  EXPECT_TRUE(b.bus.is_at_rest());
  EXPECT_EQ(b.log.forgotten, forgotten + 2);
  EXPECT_EQ(b.log.given_up, given_up + 1);
  // what was in the wire says nothing
  b.answer(0, s, BusMessage::Kind::kGreeting);
  EXPECT_EQ(b.bus.reports()[0].contact, PropulsorContact::kNoPort);
  b.bus.line(true, Bus::at(s + 5));
  ASSERT_TRUE(b.sent(s + 5));
  EXPECT_EQ(b.log.asked.back().what, Frame::kGreet);
  // neither zeros nor misses are carried over
  EXPECT_NEAR(b.wake_s() - s - 5, 0.0012 + 0.01, 1e-9);
}

TEST(PropulsorBus, IsAtRestOnceAZeroWasAnswered) {
  BusSettings settings = settings_for_tests();
  settings.silent_after_s = 100;
  Bus b(1, settings);
  double s = 0;
  b.run(s, 1);
  b.bus.command(0, 0.5, Bus::at(s));
  b.run(s, 1.9);
  ASSERT_EQ(b.effort, 0.5);
  b.bus.stop(Bus::at(s));
  while (!b.sent(s)) s += 0.001;
  ASSERT_EQ(b.log.asked.back().what, Frame::kCommand);
  ASSERT_EQ(b.log.asked.back().effort, 0);
  EXPECT_FALSE(b.bus.is_at_rest());
  // lost: said again, three times at most
  int zeros = 1;
  for (s += 0.2; !b.bus.is_at_rest() && s < 10; s += 0.2)
    if (const auto f = b.sent(s); f && f->what == Frame::kCommand) {
      EXPECT_EQ(f->effort, 0);
      ++zeros;
    }
  EXPECT_EQ(zeros, 3);
  // also one that was commanded is under way until it is answered
  s = 20;
  b.run(s, 20.5);
  b.bus.command(0, 0, Bus::at(s));
  while (true) {
    const auto f = b.sent(s);
    if (f && f->what == Frame::kCommand) break;
    if (f) b.answer(f->channel, s + 0.002);
    s += 0.003;
  }
  EXPECT_FALSE(b.bus.is_at_rest());
  b.answer(0, s + 0.002);
  EXPECT_TRUE(b.bus.is_at_rest());
  // an answered one is enough
  b.run(s, 22);
  b.bus.command(0, 0.5, Bus::at(s));
  b.run(s, 22.9);
  b.bus.stop(Bus::at(s));
  const std::size_t before = b.log.asked.size();
  b.run(s, 24);
  zeros = 0;
  for (std::size_t k = before; k < b.log.asked.size(); ++k)
    zeros += b.log.asked[k].what == Frame::kCommand ? 1 : 0;
  EXPECT_EQ(zeros, 1);
}

TEST(PropulsorBus, AnAnswerToAPollIsNoAnswerToAZero) {
  Bus b(2);
  double s = 0;
  b.run(s, 1);
  b.bus.command(0, 0.5, Bus::at(s));
  b.run(s, 1.9);
  // a poll is under way while it is stopped
  b.bus.poll(0);
  while (true) {
    const auto f = b.sent(s);
    if (f && f->what == Frame::kPoll && f->channel == 0) break;
    s += 0.002;
    if (f) b.answer(f->channel, s);
    s += 0.001;
    b.bus.poll(0);
    b.bus.command(0, 0.5, Bus::at(s));
  }
  b.bus.stop(Bus::at(s));
  s += 0.002;
  b.answer(0, s);
  EXPECT_FALSE(b.bus.is_at_rest());
}

TEST(PropulsorBus, AnAnswerThatComesTooLateIsNoAnswerToAZero) {
  for (const bool by_kill : {false, true}) {
    Bus b;
    double s = 0;
    b.run(s, 1);
    b.bus.command(0, 0.5, Bus::at(s));
    b.run(s, 1.9);
    b.bus.command(0, 0.6, Bus::at(s));
    const auto command_at = [&] {
      for (;; s += 0.001) {
        const auto f = b.sent(s);
        if (f && f->what == Frame::kCommand) return f->effort;
        if (f) b.answer(0, s += 0.002);
      }
    };
    ASSERT_EQ(command_at(), 0.6);
    // its answer is given up, and it is stopped
    s = b.wake_s();
    if (by_kill)
      b.bus.kill(true, Bus::at(s));
    else
      b.bus.stop(Bus::at(s));
    EXPECT_EQ(command_at(), 0);
    // here it is at last, and on the line it has met the zero
    b.answer(0, s += 0.001);
    EXPECT_FALSE(b.bus.is_at_rest()) << by_kill;
    EXPECT_EQ(command_at(), 0);
    b.answer(0, s += 0.002);
    EXPECT_TRUE(b.bus.is_at_rest()) << by_kill;
  }
}

TEST(PropulsorBus, WhatComesBackIsRampedUpAndLetDownAtOnce) {
  Bus b;
  double s = 0;
  // nothing was commanded yet: no reason to forget that it has just come back
  b.run(s, 2);
  b.bus.command(0, 0.8, Bus::at(s));
  b.run(s, 2.05);
  EXPECT_GT(b.effort, 0);
  EXPECT_LT(b.effort, 0.1);
  b.bus.command(0, 0.8, Bus::at(s));
  b.run(s, 2.5);
  const double reached = b.effort;
  EXPECT_NEAR(reached, 0.5, 0.03);
  b.bus.command(0, 0.1, Bus::at(s));
  b.run(s, 2.53);
  EXPECT_EQ(b.effort, 0.1);
}

TEST(PropulsorBus, ASilentOneIsProbedTwiceASecondAlsoWhenItIsAskedFor) {
  Bus b;
  double s = 0;
  b.run(s, 3, false);
  ASSERT_TRUE(b.bus.is_out(0));
  const auto sent = b.bus.reports()[0].sent;
  for (int k = 0; k < 1000; ++k) {
    b.bus.poll(0);
    (void)b.sent(s);
    s += 0.01;
  }
  EXPECT_NEAR(b.bus.reports()[0].sent - sent, 20, 2);
}

TEST(PropulsorBus, ATimeLimitFollowsWhatWasMeasuredWithinItsBounds) {
  Bus b;
  double s = 0;
  b.run(s, 20);
  // 0.8 ms beside the wire, always: the least limit
  for (; !b.sent(s); s += 0.001) {
  }
  EXPECT_NEAR(b.wake_s() - s, 0.0012 + 0.01, 1e-9);
  // each miss in a row doubles it, to the most
  std::vector<double> limits;
  for (int k = 0; k < 6; ++k) {
    s = b.wake_s();
    for (; !b.sent(s); s += 0.0001) {
    }
    limits.push_back(b.wake_s() - s - 0.0012);
  }
  EXPECT_LE(limits[0], 0.0101);
  EXPECT_GT(limits[4], limits[0]);
  for (const double limit : limits) EXPECT_LE(limit, 0.1 + 1e-9);
  // the beginning of an answer that never ended is forgotten each time
  EXPECT_EQ(b.log.given_up, 1 + static_cast<int>(b.bus.reports()[0].unanswered));
}

TEST(PropulsorBus, AfterTheFirstAnswerThreeTimesItsLatencyIsWaitedFor) {
  Bus b;
  ASSERT_TRUE(b.sent(0));
  // 1.2 ms on the wire and 8 ms beside it
  b.answer(0, 0.0092, BusMessage::Kind::kGreeting);
  double s = 0.01;
  for (; !b.sent(s); s += 0.001) {
  }
  EXPECT_NEAR(b.wake_s() - s, 0.0012 + 0.024, 1e-9);
}

TEST(PropulsorBus, AZeroThatWasSaidIsNotSaidAgainAndAnEffortIs) {
  for (const auto& [effort, frames] : {std::pair{0.0, 1}, std::pair{0.5, 9}}) {
    BusSettings settings = settings_for_tests();
    settings.slew_per_s = 0;
    Bus b(1, settings);
    double s = 0;
    b.run(s, 1);
    b.bus.command(0, effort, Bus::at(s));
    const std::size_t before = b.log.asked.size();
    b.run(s, 1.9);
    const auto said =
        std::count_if(b.log.asked.begin() + static_cast<std::ptrdiff_t>(before), b.log.asked.end(),
                      [](const auto& a) { return a.what == Frame::kCommand; });
    EXPECT_NEAR(static_cast<double>(said), frames, 1 - (frames == 1)) << effort;
  }
}

TEST(PropulsorBus, WhoAnswersUnevenlyIsWaitedForToo) {
  Bus b;
  double s = 0;
  std::uint32_t early = 0;
  for (int k = 0; k < 200; ++k) {
    std::optional<Log::Asked> f;
    for (; !f; s += 0.001) f = b.sent(s);
    s += k % 2 == 0 ? 0.002 : 0.042;
    (void)b.sent(s - 0.0001);
    b.answer(0, s,
             f->what == Frame::kGreet ? BusMessage::Kind::kGreeting : BusMessage::Kind::kReport);
    if (k == 40) early = b.bus.reports()[0].unanswered;
  }
  EXPECT_EQ(b.bus.reports()[0].unanswered, early);
}

TEST(PropulsorBus, AConfidentOneIsNotStoppedForItsSilence) {
  Bus b(1, settings_for_tests(), true);
  double s = 0;
  b.run(s, 1);
  double least = 1;
  for (int k = 0; k < 500; ++k) {
    b.bus.command(0, 0.5, Bus::at(s));
    b.run(s, s + 0.01, false);
    if (s > 2) least = std::min(least, b.effort);
    // between two commands, too
    b.run(s, s + 0.01, false);
    if (s > 2) least = std::min(least, b.effort);
  }
  EXPECT_EQ(b.bus.reports()[0].contact, PropulsorContact::kSilent);
  EXPECT_EQ(least, 0.5);
}

TEST(PropulsorBus, AnAnswerThatHasBegunIsWaitedFor) {
  Bus b;
  double s = 0;
  b.run(s, 20);
  for (; !b.sent(s); s += 0.001) {
  }
  const double limit = b.wake_s();
  b.log.missing = 50;
  b.bus.heard(std::array<std::uint8_t, 1>{0}, Bus::at(limit - 0.001));
  // 50 bytes are 5 ms
  EXPECT_NEAR(b.wake_s(), limit - 0.001 + 0.005 + 0.01, 1e-9);
  // but not for ever
  for (int k = 0; k < 100; ++k)
    b.bus.heard(std::array<std::uint8_t, 1>{0}, Bus::at(b.wake_s() - 0.001));
  EXPECT_NEAR(b.wake_s() - s, 0.0012 + 0.2, 1e-9);
}

TEST(PropulsorBus, OnlyWhoWasAskedFreesTheLine) {
  Bus b(2);
  double s = 0;
  b.run(s, 1);
  std::optional<Log::Asked> f;
  for (; !f; s += 0.001) f = b.sent(s);
  b.answer(1 - f->channel, s);
  EXPECT_FALSE(b.sent(s + 0.005));
  b.answer(f->channel, s + 0.006);
  // and not before the turnaround is over
  b.bus.command(0, 0.5, Bus::at(s + 0.006));
  EXPECT_FALSE(b.sent(s + 0.0061));
  EXPECT_TRUE(b.sent(s + 0.0063));
}

TEST(PropulsorBus, UnaskedWordsTeachNoLatency) {
  Bus b;
  double s = 0;
  b.run(s, 5);
  const double before = b.bus.reports()[0].latency_s;
  EXPECT_NEAR(before, 0.002, 1e-6);
  for (int k = 0; k < 50; ++k) b.answer(0, s + 0.05);
  EXPECT_NEAR(b.bus.reports()[0].latency_s, before, 1e-4);
}

TEST(PropulsorBus, OutTakesSixMissesAndTakesItsWordsAway) {
  BusSettings settings = settings_for_tests();
  settings.silent_after_s = 0.02;
  Bus b(1, settings);
  double s = 0;
  b.run(s, 1);
  const auto missed = b.bus.reports()[0].unanswered;
  while (!b.bus.is_out(0) && s < 5) b.run(s, s + 0.0001, false);
  EXPECT_EQ(b.bus.reports()[0].unanswered - missed, 6U);
  EXPECT_EQ(b.bus.reports()[0].valid, 0);
  // what comes back may be another: it is greeted before it is commanded, and a report is no greeting
  const std::size_t before = b.log.asked.size();
  for (; b.log.asked.back().what != Frame::kGreet && s < 10; s += 0.01) {
    b.bus.command(0, 0.5, Bus::at(s));
    (void)b.sent(s);
  }
  for (std::size_t k = before; k < b.log.asked.size(); ++k) EXPECT_EQ(b.log.asked[k].effort, 0);
  b.answer(0, s);
  EXPECT_TRUE(b.bus.is_out(0));
  b.answer(0, s, BusMessage::Kind::kGreeting);
  EXPECT_FALSE(b.bus.is_out(0));
}

TEST(PropulsorBus, TheOneThatAnswersForAllGoesRoundAmongThoseThatDo) {
  BusSettings settings = settings_for_tests();
  settings.multicast = true;
  Bus b(4, settings);
  double s = 0;
  b.silent = 3;
  b.run(s, 3);
  ASSERT_TRUE(b.bus.is_out(3));
  std::array<int, 4> turns{};
  const std::size_t before = b.log.asked.size();
  for (int k = 0; k < 60; ++k) {
    for (const std::size_t i : {0U, 1U, 2U}) b.bus.command(i, 0.5, Bus::at(s));
    b.run(s, s + 0.01);
  }
  for (std::size_t k = before; k < b.log.asked.size(); ++k)
    if (b.log.asked[k].what == Frame::kAll) ++turns[b.log.asked[k].channel];
  for (const std::size_t i : {0U, 1U, 2U}) EXPECT_GT(turns[i], 10) << i;
  EXPECT_EQ(turns[3], 0);
}

TEST(PropulsorBus, ItWakesForTheEndOfACommandAndNotBeforeTheLineIsFree) {
  BusSettings settings = settings_for_tests();
  settings.refresh_s = settings.poll_s = 60;
  Bus b(1, settings);
  double s = 0;
  b.run(s, 0.5);
  b.bus.command(0, 0.5, Bus::at(s));
  const double commanded = s;
  b.run(s, commanded + 0.9);
  EXPECT_NEAR(b.wake_s(), commanded + 1, 1e-6);
  b.run(s, commanded + 1.1);
  EXPECT_EQ(b.effort, 0);
  // an expired command is no new one
  b.bus.line(false, Bus::at(s));
  b.bus.line(true, Bus::at(s));
  b.run(s, s + 1);
  EXPECT_EQ(b.effort, 0);
  // just answered: the turnaround comes first
  b.bus.command(0, 0.3, Bus::at(s));
  while (!b.sent(s)) s += 0.0001;
  b.answer(0, s + 0.002);
  b.bus.command(0, 0.4, Bus::at(s + 0.002));
  EXPECT_NEAR(b.wake_s(), s + 0.002 + 0.0002, 1e-6);
}

}  // namespace
}  // namespace pintle::device
