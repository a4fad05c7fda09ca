#include <gtest/gtest.h>

#include <algorithm>

#include "pintle/testing/propulsor_rig.h"

namespace pintle::device {
namespace {

std::vector<BusChannel> eight() {
  std::vector<BusChannel> out;
  for (const char* name : {"FLH", "FLV", "FRH", "FRV", "BLH", "BLV", "BRH", "BRV"})
    out.push_back(channel(name, static_cast<std::uint8_t>(out.size())));
  return out;
}

PropulsorKind with_motor_ids(std::vector<std::uint16_t> (*ids)()) {
  static std::vector<std::uint16_t> (*chosen)();
  chosen = ids;
  PropulsorKind kind = m5_kind();
  kind.emulator = [](std::span<const BusChannel> c) -> std::unique_ptr<PropulsorEmulator> {
    std::vector<M5Identity> out;
    for (std::size_t i = 0; i < c.size(); ++i) out.push_back({c[i].node, chosen()[i]});
    return std::make_unique<M5Emulator>(out);
  };
  return kind;
}

TEST(M5Bus, TwoOnALineAreCommandedAndReportFiftyTimesASecondEach) {
  PropulsorRig rig(m5_kind());
  rig.hold(2, 0.5, 0.5);
  const auto first = rig.report(0).received, second = rig.report(1).received;
  const auto begin = rig.device->commands(0);
  rig.hold(10, 0.5, 0.5);
  EXPECT_GE(rig.report(0).received - first, 500U);
  EXPECT_GE(rig.report(1).received - second, 500U);
  EXPECT_GE(rig.device->commands(0) - begin, 500U);
}

/// Commands that reach the last thruster of a line, and the fewest answers of one of them, a second.
struct Rates {
  double commands, answers;
};
Rates rates_of(bool multicast) {
  BusSettings settings;
  settings.multicast = multicast;
  PropulsorRig rig(m5_kind(), settings);
  const auto run = [&](double seconds) {
    const Time end = rig.wire.now() + Duration::from_seconds(seconds);
    for (int k = 0; rig.wire.now() < end; ++k) {
      const double effort = 0.3 + 0.1 * (k % 2);
      for (std::size_t i = 0; i < 2; ++i) rig.bus.command(i, effort, rig.wire.now());
      rig.run(0.001);
    }
  };
  run(3);
  const auto commands = rig.device->commands(1);
  const auto a = rig.report(0).received, b = rig.report(1).received;
  run(10);
  return {
      static_cast<double>(rig.device->commands(1) - commands) / 10,
      static_cast<double>(std::min(rig.report(0).received - a, rig.report(1).received - b)) / 10};
}

TEST(M5Bus, EightOnFourPortsAreCommandedAndReportFiftyTimesASecondByOneFrameEachAt150) {
  // lines do not wait for each other: two thrusters on each is all there is to it.
  // one by one: 20 bytes and an answer of 32, twice, with pauses 10.5 ms
  const Rates unicast = rates_of(false);
  EXPECT_GE(unicast.commands, 50);
  EXPECT_GE(unicast.answers, 50);
  // one frame of 24 bytes for both, one answer: 5.6 ms
  const Rates multicast = rates_of(true);
  EXPECT_GE(multicast.commands, 150);
  EXPECT_GE(multicast.answers, 75);
}

TEST(M5Bus, OneFrameForEightOnOneLineIsSentAsOftenAsItsBytesLet) {
  // 48 bytes and an answer of 32 take 6.9 ms at 115200 baud, with pauses 7.7: 130 times a second
  BusSettings settings;
  settings.multicast = true;
  PropulsorRig rig(m5_kind(), settings, eight());
  const auto run = [&](double seconds) {
    const Time end = rig.wire.now() + Duration::from_seconds(seconds);
    while (rig.wire.now() < end) {
      for (std::size_t i = 0; i < 8; ++i)
        rig.bus.command(i, 0.1 * static_cast<double>(i), rig.wire.now());
      rig.run(0.005);
    }
  };
  run(3);
  const auto before = rig.device->commands(7);
  const auto status = rig.report(5).received;
  run(10);
  EXPECT_GE(rig.device->commands(7) - before, 1250U);
  // the answers go round
  EXPECT_GE(rig.report(5).received - status, 130U);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(rig.effort(i), 0.1 * static_cast<double>(i), 1e-3) << i;
}

TEST(M5Bus, ThePowerStandsAtTheIndexThatTheThrusterAsksFor) {
  PropulsorRig rig(with_motor_ids([] { return std::vector<std::uint16_t>{5, 2}; }));
  rig.hold(2, 0.5, -0.5);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
  EXPECT_NEAR(rig.effort(1), -0.5, 1e-3);
}

TEST(M5Bus, TwoThatAskForTheSameIndexAreNotCommandedByOneFrame) {
  BusSettings settings;
  settings.multicast = true;
  PropulsorRig rig(with_motor_ids([] { return std::vector<std::uint16_t>{0, 0}; }), settings);
  rig.hold(2, 0.5, -0.5);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
  EXPECT_NEAR(rig.effort(1), -0.5, 1e-3);
  EXPECT_TRUE(rig.bus.cannot_multicast()) << "whoever wished it is to hear of it";
  PropulsorRig apart(m5_kind(), settings);
  apart.hold(2, 0.5, -0.5);
  EXPECT_FALSE(apart.bus.cannot_multicast());
}

TEST(M5Bus, OneThatWantsAPlaceBehindAllOthersIsNeverCommanded) {
  PropulsorRig rig(with_motor_ids([] { return std::vector<std::uint16_t>{64, 1}; }));
  rig.hold(3, 0.5, 0.5);
  EXPECT_EQ(rig.device->commands(0), 0U);
  EXPECT_NEAR(rig.effort(1), 0.5, 1e-3);
}

TEST(M5Bus, OneThatHasNotSaidItsIndexIsNotCommandedByOneFrame) {
  BusSettings settings;
  settings.multicast = true;
  PropulsorRig rig(m5_kind(), settings);
  rig.faults(0).mute = true;
  rig.hold(3, 0.5, -0.5);
  EXPECT_EQ(rig.effort(0), 0);
  EXPECT_NEAR(rig.effort(1), -0.5, 1e-3);
}

TEST(M5Protocol, OfAReadingOnlyWhatCanHaveBeenMeasuredCounts) {
  const std::array wiring{channel("FLH", 3)};
  M5Protocol protocol(wiring);
  const auto heard = [&](const M5Response& said) {
    std::array<std::uint8_t, 64> out{};
    const std::size_t n = encode_standard_response(3, 1, said, out);
    std::span<const std::uint8_t> bytes(out.data(), n);
    BusMessage m;
    EXPECT_TRUE(protocol.hear(bytes, m));
    EXPECT_EQ(m.kind, BusMessage::Kind::kReport);
    return m.report;
  };
  constexpr std::uint8_t kAll = kHasRpm | kHasVoltage | kHasCurrent | kHasTemperature | kHasFault;
  const PropulsorReport good = heard({-1639.765F, 49.6F, 1.5F, 66.4F, 8});
  EXPECT_EQ(good.valid, kAll);
  EXPECT_EQ(good.fault, 8);
  EXPECT_NEAR(good.rpm, -1639.765, 1e-3);
  EXPECT_EQ(heard({30000, 48, 1, 30, 0}).valid, kAll & ~kHasRpm);
  EXPECT_EQ(heard({1000, 150, 1, 30, 0}).valid, kAll & ~kHasVoltage);
  EXPECT_EQ(heard({1000, 48, -300, 30, 0}).valid, kAll & ~kHasCurrent);
  EXPECT_EQ(heard({1000, 48, 1, 400, 0}).valid, kAll & ~kHasTemperature);
}

TEST(M5Protocol, OnlyAWholeReadOfMotorIdGreetsAndOnlyAWholeStatusReports) {
  using Kind = BusMessage::Kind;
  const std::array wiring{channel("FLH", 3)};
  M5Protocol protocol(wiring);
  const auto heard = [&](std::uint8_t flags, std::uint8_t address,
                         std::vector<std::uint8_t> payload) {
    std::array<std::uint8_t, 64> out{};
    const std::size_t n = encode_vrcsr({VrcsrKind::kReply, 3, flags, address, payload}, out);
    std::span<const std::uint8_t> bytes(out.data(), n);
    BusMessage m;
    EXPECT_TRUE(protocol.hear(bytes, m));
    return m.kind;
  };
  // device type, then the register
  EXPECT_EQ(heard(0x80, m5::kMotorId, {1, 63, 0}), Kind::kGreeting);
  EXPECT_EQ(protocol.motor_id(0), 63);
  protocol.forget(0);
  EXPECT_EQ(protocol.motor_id(0), -1);
  // who has not said its place is in no frame for all
  std::array<std::uint8_t, kMaxBusFrame> frame{};
  EXPECT_EQ(protocol.command_all(std::array{0.5}, 0, frame).bytes, 0U);
  // a place behind all others, another width, a reply that is no read
  EXPECT_EQ(heard(0x80, m5::kMotorId, {1, 64, 0}), Kind::kAnswer);
  EXPECT_EQ(heard(0x80, m5::kMotorId, {1, 5}), Kind::kAnswer);
  EXPECT_EQ(heard(0x01, m5::kMotorId, {1, 5, 0}), Kind::kAnswer);
  EXPECT_EQ(protocol.motor_id(0), -1);
  EXPECT_EQ(heard(0x80, m5::kRpm, std::vector<std::uint8_t>(5)), Kind::kAnswer);
  EXPECT_EQ(heard(0x80, m5::kRpm, std::vector<std::uint8_t>(21)), Kind::kReport);
}

TEST(M5Bus, OneFrameForAllHoldsEachAtTheIndexThatItAsksFor) {
  BusSettings settings;
  settings.multicast = true;
  PropulsorRig rig(with_motor_ids([] { return std::vector<std::uint16_t>{5, 2}; }), settings);
  rig.hold(2, 0.5, -0.5);
  EXPECT_NEAR(rig.effort(0), 0.5, 1e-3);
  EXPECT_NEAR(rig.effort(1), -0.5, 1e-3);
}

TEST(M5Bus, ItsOwnWordsAreNoStranger) {
  PropulsorRig rig(m5_kind());
  rig.device->echo = true;
  rig.hold(2, 0.5, 0.5);
  EXPECT_EQ(rig.bus.strangers(), 0U);
  EXPECT_GT(rig.report(0).received, 50U);
}

TEST(M5Bus, WiringThatCannotBeIsFound) {
  std::vector<BusChannel> wiring{channel("FLH", 3), channel("FLV", 3), channel("FLH", 128)};
  const Findings found = check(wiring, m5_capabilities());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "FLV");
  EXPECT_EQ(found[0].message, "node 3 is that of FLH, too");
  EXPECT_EQ(found[1].message, "node 128 is beyond the last that there can be");
  EXPECT_EQ(found[2].message, "is on this line twice");
  EXPECT_TRUE(check(eight(), m5_capabilities()).empty());
  EXPECT_TRUE(check(BusSettings{}).empty());
  BusSettings settings;
  settings.max_timeout_s = 0.001;
  EXPECT_EQ(check(settings).size(), 1U);
}

TEST(M5Emulator, KeepsOnlyWhatWasSavedOverARestart) {
  M5Emulator device(std::array{M5Identity{3, 0, 77}});
  std::array<std::uint8_t, 64> out{};
  const auto say = [&](std::size_t n, double at_s) {
    device.heard(std::span(out).first(n), Time::from_seconds(at_s));
    std::vector<std::uint8_t> heard;
    for (auto s = device.say(Time::from_seconds(at_s + 1)); !s.empty();
         s = device.say(Time::from_seconds(at_s + 1)))
      heard.insert(heard.end(), s.begin(), s.end());
    return heard;
  };
  const std::array<std::uint8_t, 1> four{4}, poles{14};
  // the documents' exchange: NODE_ID 4, then a save, then a restart
  EXPECT_FALSE(say(encode_write(3, m5::kNodeId, four, out), 0).empty());
  EXPECT_EQ(device.register_value(0, "NODE_ID"), 4);
  EXPECT_TRUE(say(encode_read(3, m5::kNodeId, 1, out), 1).empty());
  EXPECT_FALSE(
      say(encode_write(4, m5::kSaveSettings, std::array<std::uint8_t, 2>{0x34, 0x12}, out), 2)
          .empty());
  (void)say(encode_write(4, 0x61, poles, out), 3);
  EXPECT_EQ(device.register_value(0, "poles"), 14);
  (void)say(encode_write(4, m5::kUtility, std::array<std::uint8_t, 2>{0xAD, 0xDE}, out), 4);
  EXPECT_TRUE(say(encode_read(4, m5::kNodeId, 1, out), 5).empty());
  const auto after = say(encode_read(4, m5::kFactoryServiceData, 4, out), 8);
  const auto reply = reply_of(scan_vrcsr(after).frame);
  ASSERT_TRUE(reply);
  EXPECT_EQ(decode_register(RegisterType::kU32, reply->data), 77);
  EXPECT_EQ(device.register_value(0, "NODE_ID"), 4);
  EXPECT_EQ(device.register_value(0, "poles"), 0);
  // measurements cannot be written
  (void)say(encode_write(4, m5::kRpm, std::array<std::uint8_t, 4>{1, 2, 3, 4}, out), 9);
  EXPECT_EQ(device.register_value(0, "rpm"), 0);
}

TEST(FaultText, AreToldUnlessTheyAreOfTheUntrustedKind) {
  EXPECT_EQ(fault_text(0), "");
  EXPECT_EQ(fault_text(1), "");
  EXPECT_EQ(fault_text(2), "");
  EXPECT_EQ(fault_text(3), "undervolt, overvolt");
  EXPECT_EQ(fault_text(0x18), "overtemp, stall");
}

}  // namespace
}  // namespace pintle::device
