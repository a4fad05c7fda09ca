#include "pintle/device/gripper.h"

#include <gtest/gtest.h>
#include <termios.h>

#include <array>
#include <span>

#include "pintle/device/gripper_emulator.h"

namespace pintle::device {
namespace {

/// A driver and an emulated gripper on one virtual clock, 50 Hz.
struct Bench {
  explicit Bench(double move_s = 0.1, bool acknowledged = true)
      : emulator(move_s), gripper(params(acknowledged)) {}

  GripperParams params(bool acknowledged) {
    EXPECT_TRUE(emulator.plug());
    GripperParams p;
    p.serial_port = emulator.path();
    p.acknowledged = acknowledged;
    return p;
  }
  /// One tick. Bytes pass through the system in their own time: wait until they are there.
  void tick() {
    const int frames = gripper.report().attempt;
    gripper.update(now);
    if (gripper.report().attempt > frames) {
      EXPECT_TRUE(emulator.wait_for_input(2000));
    }
    emulator.update(now);
    now = now + Duration::from_seconds(0.02);
  }
  /// Until the command is no longer pending; the ticks it took.
  int run() {
    for (int i = 1; i < 1000; ++i) {
      tick();
      if (gripper.report().progress != GripperProgress::kPending) return i;
    }
    return 1000;
  }

  GripperEmulator emulator;
  Gripper gripper;
  Time now{};
};

TEST(Gripper, ACommandSucceedsWhenTheGripperSaysSo) {
  Bench bench;
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kIdle);
  for (const auto command : {GripperCommand::kGrab, GripperCommand::kRelease}) {
    bench.gripper.request(command);
    bench.tick();
    // written is not done
    EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kPending);
    bench.run();
    EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kConfirmed);
    EXPECT_EQ(bench.gripper.report().status, static_cast<int>(command));
    EXPECT_EQ(bench.emulator.status(), static_cast<int>(command));
  }
}

TEST(Gripper, ALostFrameIsSentAgain) {
  Bench bench;
  bench.emulator.faults.deaf_to = 3;
  bench.gripper.request(GripperCommand::kGrab);
  bench.run();
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kConfirmed);
  EXPECT_GE(bench.gripper.report().attempt, 4);
}

TEST(Gripper, WithoutAnAnswerItFailsAfterItsAttemptsAndStopsSending) {
  Bench bench;
  bench.emulator.faults.mute = true;
  bench.gripper.request(GripperCommand::kGrab);
  // five frames, 0.2 s for each
  EXPECT_LE(bench.run(), 60);
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kFailed);
  EXPECT_EQ(bench.gripper.report().status, kGripperUnknown);
  for (int i = 0; i < 100; ++i) bench.tick();
  EXPECT_EQ(bench.emulator.frames_heard(), 5);
}

TEST(Gripper, AGripperThatDoesNotMoveIsNoSuccess) {
  Bench bench;
  bench.emulator.faults.stuck = true;
  bench.gripper.request(GripperCommand::kGrab);
  bench.run();
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kFailed);
}

TEST(Gripper, SpoiltReportsAreNoAnswer) {
  Bench bench;
  bench.emulator.faults.spoil = 0x01;
  bench.gripper.request(GripperCommand::kGrab);
  bench.run();
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kFailed);
}

TEST(Gripper, ReportsAreFoundInNoise) {
  Bench bench;
  bench.emulator.faults.hum = {0xA5, 0xA5, 0x00, 0xFE};
  bench.gripper.request(GripperCommand::kGrab);
  bench.run();
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kConfirmed);
}

TEST(Gripper, WithoutAnAcknowledgementSentIsNotConfirmed) {
  Bench bench(0.1, false);
  bench.emulator.faults.mute = true;
  bench.gripper.request(GripperCommand::kGrab);
  bench.tick();
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kSent);
  EXPECT_EQ(bench.gripper.report().status, kGripperUnknown);
}

TEST(Gripper, ANewCommandReplacesThePendingOne) {
  Bench bench(10);
  bench.gripper.request(GripperCommand::kGrab);
  bench.tick();
  bench.gripper.request(GripperCommand::kRelease);
  bench.tick();
  EXPECT_EQ(bench.gripper.report().command, GripperCommand::kRelease);
  EXPECT_EQ(bench.gripper.report().attempt, 1);
  bench.gripper.cancel();
  bench.tick();
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kIdle);
}

TEST(Gripper, WhatIsOverCannotBeCalledOff) {
  Bench bench;
  bench.gripper.request(GripperCommand::kGrab);
  bench.run();
  ASSERT_EQ(bench.gripper.report().progress, GripperProgress::kConfirmed);
  bench.gripper.cancel();
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kConfirmed);
}

TEST(Gripper, AMissingPortFailsACommandAtOnce) {
  GripperParams p;
  p.serial_port = "/nonexistent/tty";
  Gripper gripper(p);
  gripper.request(GripperCommand::kGrab);
  EXPECT_EQ(gripper.update(Time{}).progress, GripperProgress::kFailed);
  EXPECT_EQ(gripper.report().port, PortError::kMissing);
}

TEST(Gripper, PulledOutItFailsThePendingCommandAndNothingIsDroppedLater) {
  Bench bench(10);
  bench.gripper.request(GripperCommand::kGrab);
  bench.tick();
  bench.emulator.unplug();
  bench.gripper.update(bench.now);
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kFailed);
  EXPECT_EQ(bench.gripper.report().status, kGripperUnknown);
  EXPECT_NE(bench.gripper.report().port, PortError::kNone);
  const int heard = bench.emulator.frames_heard();
  for (int i = 0; i < 200; ++i) {
    bench.now = bench.now + Duration::from_seconds(0.02);
    bench.gripper.update(bench.now);
  }
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kFailed);
  EXPECT_EQ(bench.emulator.frames_heard(), heard);
}

TEST(Gripper, ALineThatTakesNothingFailsThePendingCommandAndNothingIsDroppedLater) {
  Bench bench;
  SerialPort hand;
  ASSERT_TRUE(hand.hold(bench.emulator.path()));
  bench.gripper.request(GripperCommand::kGrab);
  bench.run();
  ASSERT_EQ(bench.gripper.report().progress, GripperProgress::kConfirmed);
  const int heard = bench.emulator.frames_heard();
  ASSERT_EQ(::tcflow(hand.descriptor(), TCOOFF), 0);
  bench.gripper.request(GripperCommand::kRelease);
  EXPECT_LE(bench.run(), 12) << "what an answer may take";
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kFailed);
  EXPECT_EQ(bench.gripper.report().port, PortError::kStopped);
  ASSERT_EQ(::tcflow(hand.descriptor(), TCOON), 0);
  for (int i = 0; i < 200; ++i) bench.tick();
  EXPECT_EQ(bench.gripper.report().port, PortError::kNone) << "opened again";
  EXPECT_EQ(bench.gripper.report().progress, GripperProgress::kFailed);
  EXPECT_EQ(bench.emulator.frames_heard(), heard);
  EXPECT_EQ(bench.emulator.status(), 1) << "it holds what it held";
}

TEST(Gripper, AnOldStatusIsUnknown) {
  Bench bench;
  bench.gripper.request(GripperCommand::kGrab);
  bench.run();
  EXPECT_EQ(bench.gripper.report().status, 1);
  for (int i = 0; i < 55; ++i) bench.tick();
  EXPECT_EQ(bench.gripper.report().status, kGripperUnknown);
}

TEST(SerialPort, SaysWhyItDoesNotOpen) {
  SerialPort port;
  EXPECT_EQ(port.open("/nonexistent/tty", 115200), PortError::kMissing);
  for (const char* other : {"/dev/null", "/tmp"}) {
    EXPECT_EQ(port.open(other, 115200), PortError::kNotSerial) << other;
    EXPECT_EQ(problem_of(other, PortError::kNotSerial),
              std::string(other) + " is not a serial port (pintle doctor lists those there are)");
  }
  PseudoTerminal line;
  ASSERT_TRUE(line.open());
  EXPECT_EQ(port.open(line.path, 12345), PortError::kBadRate);
  EXPECT_EQ(port.open(line.path, 115200), PortError::kNone);
  SerialPort second;
  EXPECT_EQ(second.open(line.path, 115200), PortError::kBusy);
  port.close();
  EXPECT_EQ(second.open(line.path, 115200), PortError::kNone);
}

TEST(SerialPort, CarriesEveryByteUnchangedAndNeverWaits) {
  PseudoTerminal line;
  ASSERT_TRUE(line.open());
  SerialPort port;
  ASSERT_EQ(port.open(line.path, 115200), PortError::kNone);
  std::array<std::uint8_t, 256> into{};
  EXPECT_EQ(port.read(into).bytes, 0U);
  EXPECT_EQ(port.read(into).error, PortError::kNone);
  std::array<std::uint8_t, 256> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(line.device.write(all).bytes, all.size());
  std::size_t got = 0;
  while (got < all.size() && port.wait_readable(2000))
    got += port.read(std::span(into).subspan(got)).bytes;
  EXPECT_EQ(into, all);
}

TEST(SerialPort, IsGoneWhenTheOtherEndIs) {
  PseudoTerminal line;
  ASSERT_TRUE(line.open());
  SerialPort port;
  ASSERT_EQ(port.open(line.path, 115200), PortError::kNone);
  line.device.close();
  std::array<std::uint8_t, 4> bytes{};
  EXPECT_EQ(port.read(bytes).error, PortError::kGone);
  EXPECT_EQ(port.write(bytes).error, PortError::kGone);
  port.close();
  EXPECT_EQ(port.read(bytes).error, PortError::kGone);
}

}  // namespace
}  // namespace pintle::device
