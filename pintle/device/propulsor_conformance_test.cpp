// What every kind of thruster on a line must do behind its bus, whatever its frames are.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/testing/heap_counter.h"
#include "pintle/testing/propulsor_rig.h"

namespace pintle::device {
namespace {

class Conformance : public ::testing::TestWithParam<PropulsorKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Conformance, ::testing::Values(m5_kind(), vesc_kind(), pwm_kind()),
                         [](const auto& kind) { return kind.param.name; });
/// Of those that answer.
class Answers : public Conformance {};
INSTANTIATE_TEST_SUITE_P(Kinds, Answers, ::testing::Values(m5_kind(), vesc_kind()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(Conformance, AnEffortArrives) {
  PropulsorRig rig(GetParam());
  rig.run(5);
  EXPECT_EQ(rig.device->commands(0) + rig.device->commands(1), 0U);
  rig.hold(2, 0.5, -0.25);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
  EXPECT_NEAR(rig.effort(1), -0.25, 1e-3);
  EXPECT_EQ(rig.report(0).effort, 0.5);
  EXPECT_EQ(rig.report(0).contact, PropulsorContact::kGood);
  EXPECT_FALSE(rig.bus.is_out(0) || rig.bus.is_out(1));
}

TEST_P(Answers, AnEffortArrivesAndIsReportedOn) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, -0.25);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
  EXPECT_NEAR(rig.effort(1), -0.25, 1e-3);
  for (const std::size_t i : {0U, 1U}) {
    const PropulsorReport& r = rig.report(i);
    EXPECT_EQ(r.contact, PropulsorContact::kGood);
    EXPECT_FALSE(rig.bus.is_out(i));
    EXPECT_NEAR(r.bus_V, 48, 1);
    EXPECT_GT(r.received, 50U);
    EXPECT_LT(rig.now_s() - r.stamp.seconds(), 0.1);
  }
  EXPECT_NEAR(rig.report(0).rpm, 3600 * std::sqrt(0.5), 40);
  EXPECT_LT(rig.report(1).rpm, -1000);
  EXPECT_EQ(rig.report(0).effort, 0.5);
}

TEST_P(Answers, PollingCommandsNothing) {
  PropulsorRig rig(GetParam());
  rig.run(5);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(rig.device->commands(i), 0U);
    // ten times a second
    EXPECT_GE(rig.report(i).received, 45U);
    EXPECT_TRUE(rig.report(i).has(kHasVoltage));
  }
}

TEST_P(Conformance, WhatIsNoNumberIsZeroAndWhatIsTooMuchIsCut) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 7, -7);
  EXPECT_NEAR(rig.effort(0), 1, 1e-3);
  EXPECT_NEAR(rig.effort(1), -1, 1e-3);
  rig.hold(0.1, std::nan(""), INFINITY);
  EXPECT_EQ(rig.effort(0), 0);
  EXPECT_EQ(rig.effort(1), 0);
}

TEST_P(Conformance, TheNewestCommandIsTheOneThatIsSent) {
  PropulsorRig rig(GetParam());
  rig.hold(1.5, 0.1, 0.1);
  const auto sent = rig.report(0).sent;
  for (int i = 0; i < 1000; ++i) rig.bus.command(0, i % 2 == 0 ? 0.9 : -0.9, rig.wire.now());
  rig.bus.command(0, 0.3, rig.wire.now());
  rig.run(0.05);
  EXPECT_NEAR(rig.effort(0), 0.3, 1e-3);
  EXPECT_LE(rig.report(0).sent, sent + 2);
}

TEST_P(Conformance, ACommandThatNobodyRepeatsEndsBeforeTheDevicesOwnWatchdog) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.run(0.9);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
  rig.run(0.2);
  EXPECT_EQ(rig.effort(0), 0);
  EXPECT_EQ(rig.effort(1), 0);
  EXPECT_EQ(rig.report(0).effort, 0);
  EXPECT_EQ(rig.report(0).contact, PropulsorContact::kGood);
}

TEST_P(Conformance, WhenTheHostDiesTheDeviceStopsByItself) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  const double watchdog = rig.bus.capabilities().watchdog_s;
  ASSERT_GT(watchdog, 0);
  const Time dead = rig.wire.now();
  EXPECT_NE(rig.device->effort(0, dead + Duration::from_seconds(watchdog * 0.5)), 0);
  EXPECT_EQ(rig.device->effort(0, dead + Duration::from_seconds(watchdog + 0.2)), 0);
}

TEST_P(Conformance, StopIsZeroAtOnceAndNewCommandsAreObeyed) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.bus.stop(rig.wire.now());
  rig.run(0.03);
  EXPECT_EQ(rig.effort(0), 0);
  EXPECT_EQ(rig.effort(1), 0);
  rig.hold(0.5, 0.2, 0.2);
  EXPECT_NEAR(rig.effort(0), 0.2, 1e-3);
}

TEST_P(Conformance, AKillIsZeroAtOnceAndSilenceMeansNothingMeanwhile) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.bus.kill(true, rig.wire.now());
  rig.run(0.03);
  EXPECT_EQ(rig.effort(0), 0);
  EXPECT_EQ(rig.effort(1), 0);
  // the switch takes their power
  rig.faults(0).gone = rig.faults(1).gone = true;
  rig.hold(10, 0.5, 0.5);
  EXPECT_FALSE(rig.bus.is_out(0));
  EXPECT_FALSE(rig.bus.is_out(1));
  rig.faults(0).gone = rig.faults(1).gone = false;
  rig.bus.kill(false, rig.wire.now());
  // whoever still asks for thrust gets none before having asked for none
  rig.hold(3, 0.5, 0.5);
  EXPECT_EQ(rig.effort(0), 0);
  rig.hold(0.1, 0, 0.5);
  rig.hold(3, 0.5, 0.5);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
  EXPECT_EQ(rig.effort(1), 0);
  // silence of the one who commands is neutral, too
  rig.run(2);
  rig.hold(3, 0.5, 0.5);
  EXPECT_NEAR(rig.effort(1), 0.5, 1e-3);
}

TEST_P(Answers, OutIsWhoWasSilentForLongerThanTheDebounceAndBackWhoAnswers) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.faults(0).mute = true;
  rig.hold(0.8, 0.5, 0.5);
  EXPECT_FALSE(rig.bus.is_out(0));
  rig.hold(0.6, 0.5, 0.5);
  EXPECT_TRUE(rig.bus.is_out(0));
  EXPECT_FALSE(rig.bus.is_out(1));
  // only its voice was lost: it must not go on pushing on its own
  rig.hold(0.5, 0.5, 0.5);
  EXPECT_EQ(rig.effort(0), 0);
  EXPECT_NEAR(rig.effort(1), 0.5, 1e-3);
  rig.faults(0).mute = false;
  while (rig.bus.is_out(0) && rig.now_s() < 60) rig.hold(0.02, 0.5, 0.5);
  // back, and not with a jerk
  rig.hold(0.1, 0.5, 0.5);
  EXPECT_LT(rig.effort(0), 0.3);
  rig.hold(1, 0.5, 0.5);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
}

TEST_P(Answers, AConfidentOneIsCommandedWithoutAnAnswer) {
  std::vector<BusChannel> wiring{channel("FLH", 3), channel("FLV", 1)};
  wiring[0].confident = true;
  PropulsorRig rig(GetParam(), {}, wiring);
  rig.faults(0).mute = true;
  rig.hold(10, 0.5, 0.5);
  EXPECT_FALSE(rig.bus.is_out(0));
  EXPECT_EQ(rig.report(0).contact, PropulsorContact::kSilent);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
}

TEST_P(Answers, ADeadOneDoesNotDelayTheOther) {
  PropulsorRig rig(GetParam());
  rig.faults(0).gone = true;
  rig.hold(5, 0.5, 0.5);
  const auto before = rig.report(1).received;
  rig.hold(10, 0.5, 0.5);
  // 50 commands a second were given; the dead one takes its probes' time
  EXPECT_GE(rig.report(1).received - before, 400U);
  EXPECT_TRUE(rig.bus.is_out(0));
}

TEST_P(Answers, OnePercentOfBytesHitIsNoFailure) {
  PropulsorRig rig(GetParam());
  // a third of the exchanges: at 20 and 32 bytes that is 1 % of bytes
  for (const std::size_t i : {0U, 1U}) {
    rig.faults(i).corrupt = 0.27;
    rig.faults(i).lose = 0.18;
  }
  for (int i = 0; i < 6000; ++i) {
    rig.hold(0.1, 0.5, -0.5);
    ASSERT_FALSE(rig.bus.is_out(0) && rig.now_s() > 2) << rig.now_s();
    ASSERT_FALSE(rig.bus.is_out(1) && rig.now_s() > 2) << rig.now_s();
  }
  EXPECT_GT(rig.report(0).unanswered, 100U);
}

TEST_P(Answers, LateBrokenNoisyAndEchoedAnswersAreUnderstood) {
  for (int kind = 0; kind < 4; ++kind) {
    PropulsorRig rig(GetParam());
    for (const std::size_t i : {0U, 1U}) {
      if (kind == 0) rig.faults(i).late_s = 0.04;
      if (kind == 1) rig.faults(i).pieces = 4;
      if (kind == 2) rig.faults(i).hum = true;
    }
    rig.device->echo = kind == 3;
    rig.hold(3, 0.5, -0.5);
    EXPECT_NEAR(rig.effort(0), 0.5, 1e-3) << kind;
    const auto lost = rig.report(0).unanswered + rig.report(1).unanswered;
    rig.hold(5, 0.5, -0.5);
    // the time limit has learnt how slow they are
    EXPECT_EQ(rig.report(0).unanswered + rig.report(1).unanswered, lost) << kind;
    EXPECT_FALSE(rig.bus.is_out(0) || rig.bus.is_out(1)) << kind;
  }
}

TEST_P(Answers, AnAnswerInAnothersNameIsNotTakenForTheRightOne) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.faults(0).wrong_id = 77;
  rig.hold(3, 0.5, 0.5);
  EXPECT_TRUE(rig.bus.is_out(0));
  EXPECT_FALSE(rig.bus.is_out(1));
  EXPECT_GT(rig.bus.strangers(), 0U);
}

TEST_P(Answers, AStallAndItsFaultBitsAreReported) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.faults(0).stalled = true;
  rig.faults(1).temperature_C = 91;
  rig.faults(1).bus_V = 42.5;
  rig.hold(0.2, 0.5, 0.5);
  EXPECT_EQ(rig.report(0).rpm, 0);
  EXPECT_GT(rig.report(0).bus_A, 10);
  EXPECT_NE(rig.report(0).fault & (kFaultStall | kFaultDriver), 0);
  EXPECT_NEAR(rig.report(1).temperature_C, 91, 0.1);
  EXPECT_NEAR(rig.report(1).bus_V, 42.5, 0.1);
}

TEST_P(Answers, AReadingThatIsNoNumberIsMissingAndKillsNobody) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.faults(0).temperature_C = std::nan("");
  rig.hold(3, 0.5, 0.5);
  EXPECT_FALSE(rig.bus.is_out(0));
  EXPECT_TRUE(rig.report(0).has(kHasVoltage));
  EXPECT_TRUE(std::isfinite(rig.report(0).temperature_C));
}

TEST_P(Conformance, PulledAndPutBackItStartsGently) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.8, 0.8);
  rig.wire.plug(false, rig.wire.now());
  EXPECT_TRUE(rig.bus.is_out(0));
  EXPECT_EQ(rig.report(0).contact, PropulsorContact::kNoPort);
  rig.hold(5, 0.8, 0.8);
  EXPECT_EQ(rig.effort(0), 0);
  rig.wire.plug(true, rig.wire.now());
  rig.hold(0.3, 0.8, 0.8);
  EXPECT_GT(rig.effort(0), 0.05);
  EXPECT_LT(rig.effort(0), 0.5);
  rig.hold(1, 0.8, 0.8);
  EXPECT_NEAR(rig.effort(0), 0.8, 1e-3);
}

TEST_P(Answers, ABrownOutComesBackByItself) {
  PropulsorRig rig(GetParam());
  rig.hold(2, 0.5, 0.5);
  rig.faults(0).brown_out = true;
  rig.hold(2.5, 0.5, 0.5);
  EXPECT_TRUE(rig.bus.is_out(0));
  rig.hold(3, 0.5, 0.5);
  EXPECT_FALSE(rig.bus.is_out(0));
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
}

TEST_P(Conformance, ReversedIsReversedBothWays) {
  std::vector<BusChannel> wiring{channel("FLH", 3), channel("FLV", 1)};
  wiring[0].reversed = true;
  PropulsorRig rig(GetParam(), {}, wiring);
  rig.hold(2, 0.5, 0.5);
  EXPECT_NEAR(rig.effort(0), -0.5, 1e-3);
  if (rig.bus.capabilities().answers) {
    EXPECT_GT(rig.report(0).rpm, 1000);
  }
  EXPECT_EQ(rig.report(0).effort, 0.5);
}

TEST_P(Conformance, TheBusTakesNoMemory) {
  PropulsorRig rig(GetParam());
  rig.hold(1, 0.5, 0.5);
  // by hand, since the emulator may take what it wants
  std::uint64_t taken = 0;
  Time now = rig.wire.now();
  for (int i = 0; i < 2000; ++i) {
    const auto before = testing::heap_allocations();
    rig.bus.command(static_cast<std::size_t>(i % 2), 0.1, now);
    const auto frame = rig.bus.next_frame(now);
    taken += testing::heap_allocations() - before;
    rig.device->heard(frame, now);
    now = now + Duration::from_seconds(0.006);
    for (auto said = rig.device->say(now); !said.empty(); said = rig.device->say(now)) {
      const auto again = testing::heap_allocations();
      rig.bus.heard(said, now);
      taken += testing::heap_allocations() - again;
    }
  }
  EXPECT_EQ(taken, 0U);
  EXPECT_GT(rig.report(0).sent, 500U);
}

TEST_P(Conformance, AnythingOnTheLineIsSurvived) {
  for (int seed = 0; seed < 20; ++seed) {
    PropulsorRig rig(GetParam());
    RandomStream random(static_cast<std::uint64_t>(seed), "conformance");
    for (int k = 0; k < 200; ++k) {
      PropulsorFaults& f = rig.faults(random.bits() % 2);
      switch (random.bits() % 8) {
        case 0: f.gone = !f.gone; break;
        case 1: f.mute = !f.mute; break;
        case 2: f.late_s = random.uniform(0, 0.3); break;
        case 3: f.corrupt = random.uniform(); break;
        case 4:
          f.wrong_id = random.uniform() < 0.5 ? -1 : static_cast<int>(random.bits() % 5);
          break;
        case 5: f.pieces = 1 + static_cast<int>(random.bits() % 6); break;
        case 6: rig.wire.plug(random.uniform() < 0.7, rig.wire.now()); break;
        default: f.brown_out = true;
      }
      rig.device->echo = random.uniform() < 0.3;
      rig.hold(random.uniform(0, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    }
    // and everything is well again once the faults are gone
    rig.faults(0) = rig.faults(1) = {};
    rig.wire.plug(true, rig.wire.now());
    rig.hold(8, 0.4, 0.4);
    EXPECT_FALSE(rig.bus.is_out(0) || rig.bus.is_out(1)) << seed;
    EXPECT_NEAR(rig.effort(0), 0.4, 1e-3) << seed;
    EXPECT_NEAR(rig.effort(1), 0.4, 1e-3) << seed;
  }
}

}  // namespace
}  // namespace pintle::device
