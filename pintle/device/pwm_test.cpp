#include <gtest/gtest.h>

#include <cmath>

#include "pintle/device/virtual_line.h"
#include "pintle/testing/propulsor_rig.h"

namespace pintle::device {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(Pwm, EveryPulseThatACurveAsksForArrivesUnchanged) {
  for (int us = 1100; us <= 1900; ++us) EXPECT_EQ(pwm_pulse_us(pwm_effort(us)), us);
  EXPECT_EQ(pwm_pulse_us(0), 1500);
  EXPECT_EQ(pwm_pulse_us(1), 1900);
  EXPECT_EQ(pwm_pulse_us(-7), 1100);
  EXPECT_EQ(pwm_pulse_us(std::nan("")), 1500);
  for (const double none : {HUGE_VAL, std::nan(""), 0.0, -1500.0, 799.0, 2201.0})
    EXPECT_EQ(pwm_effort(none), 0) << none << " is no pulse";
  EXPECT_EQ(pwm_effort(2100), 1);
}

TEST(Pwm, AFrameHoldsAllOutputsUpToTheLastAndTheOthersRest) {
  std::vector<BusChannel> wiring{channel("FLH", 3), channel("FLV", 1)};
  wiring[1].reversed = true;
  PwmProtocol protocol(wiring);
  std::array<std::uint8_t, kMaxBusFrame> out{};
  // 1900 is 07 6C, 1500 is 05 DC, 1300 is 05 14
  EXPECT_EQ(protocol.command_all(std::array{1.0, 0.5}, 0, out).bytes, 10U);
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 10),
            (Bytes{0xFF, 0xFF, 0x05, 0xDC, 0x05, 0x14, 0x05, 0xDC, 0x07, 0x6C}));
  // one alone leaves the others as they were, until the line has been away
  EXPECT_EQ(protocol.command(0, 0, out).answer_bytes, 0U);
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 10),
            (Bytes{0xFF, 0xFF, 0x05, 0xDC, 0x05, 0x14, 0x05, 0xDC, 0x05, 0xDC}));
  protocol.forget(1);
  (void)protocol.command(0, 0, out);
  EXPECT_EQ(out[5], 0xDC);
}

TEST(Pwm, TheStartOfAFrameIsFoundNowhereElse) {
  for (int us = 1100; us <= 1900; ++us) EXPECT_NE(us >> 8, 0xFF);
  PwmEmulator board(std::array<std::uint8_t, 2>{0, 1});
  const Time now = Time::from_seconds(1);
  // half a frame, its low bytes FF (1535 is 05 FF), then a whole one
  board.heard(Bytes{0xFF, 0xFF, 0x05, 0xFF, 0xFF, 0xFF, 0x05, 0xFF, 0x06, 0xFF}, now);
  EXPECT_NEAR(board.effort(0, now), 35 / 400.0, 1e-12);
  EXPECT_NEAR(board.effort(1, now), 291 / 400.0, 1e-12);
  EXPECT_EQ(board.dropped(), 1U);
}

TEST(Pwm, OneBadPulseDropsTheFrameAndSilenceRestsTheBoard) {
  PwmEmulator board(std::array<std::uint8_t, 2>{0, 1});
  board.heard(Bytes{0xFF, 0xFF, 0x06, 0x40, 0x06, 0x40}, Time::from_seconds(1));
  board.heard(Bytes{0xFF, 0xFF, 0x05, 0x14, 0x08, 0x00}, Time::from_seconds(1.5));
  EXPECT_NEAR(board.effort(0, Time::from_seconds(1.9)), 0.25, 1e-12);
  EXPECT_EQ(board.dropped(), 1U);
  EXPECT_EQ(board.effort(0, Time::from_seconds(2.1)), 0);
  // inside the dead band of a speed controller: 1512 us
  board.heard(Bytes{0xFF, 0xFF, 0x05, 0xE8, 0x06, 0x40}, Time::from_seconds(3));
  EXPECT_EQ(board.effort(0, Time::from_seconds(3)), 0);
}

TEST(Pwm, NoFrameIsSentIntoTheOneBefore) {
  BusSettings settings;
  settings.baudrate = 57600;
  settings.slew_per_s = 0;
  const std::vector<BusChannel> wiring{channel("T0", 0)};
  PropulsorBus bus(pwm_kind().protocol(wiring), wiring, settings);
  const Time now = Time::from_seconds(1);
  bus.line(true, now);
  bus.command(0, 0.5, now);
  ASSERT_EQ(bus.next_frame(now).size(), 4U);
  // 4 bytes at 57600 take 0.69 ms
  bus.command(0, 0.6, now);
  EXPECT_TRUE(bus.next_frame(now + Duration::from_seconds(0.0006)).empty());
  EXPECT_EQ(bus.next_frame(now + Duration::from_seconds(0.0007)).size(), 4U);
}

TEST(Pwm, AllOutputsOfACycleTravelInOneFrame) {
  std::vector<BusChannel> wiring;
  for (std::uint8_t k = 0; k < 8; ++k) wiring.push_back(channel("T" + std::to_string(k), k));
  BusSettings settings;
  settings.baudrate = 57600;
  PropulsorRig rig(pwm_kind(), settings, wiring);
  for (int cycle = 0; cycle < 200; ++cycle) {
    for (std::size_t k = 0; k < 8; ++k)
      rig.bus.command(k, 0.1 * static_cast<double>(k), rig.wire.now());
    rig.run(0.01);
  }
  // 100 cycles a second, 18 bytes each; while they ramp there is one more every 10 ms
  EXPECT_GE(rig.device->commands(7), 190U);
  EXPECT_LE(rig.device->commands(7), 420U);
  for (std::size_t k = 0; k < 8; ++k)
    EXPECT_NEAR(rig.effort(k), 0.1 * static_cast<double>(k), 1e-9);
}

}  // namespace
}  // namespace pintle::device
