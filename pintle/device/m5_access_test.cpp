#include "pintle/device/m5_access.h"

#include <gtest/gtest.h>

#include "pintle/device/m5_emulator.h"

namespace pintle::device {
namespace {

/// Until the conversation is over; answers take 2 ms.
void hold(LineTalk& talk, M5Emulator& device, Time now = {}) {
  for (int i = 0; i < 100000 && !talk.is_done(); ++i) {
    const auto frame = talk.next_frame(now);
    device.heard(frame, now);
    now = now + Duration::from_seconds(0.002);
    for (auto said = device.say(now); !said.empty(); said = device.say(now)) talk.heard(said, now);
  }
  EXPECT_TRUE(talk.is_done());
}

M5Emulator three() {
  return M5Emulator(
      std::array{M5Identity{0, 2, 500}, M5Identity{3, 0, 501, 11}, M5Identity{127, 1, 502}});
}

TEST(M5Scan, FindsEveryNodeWithItsNumbers) {
  M5Emulator device = three();
  M5Scan scan(0, 127);
  hold(scan, device);
  ASSERT_EQ(scan.found().size(), 3U);
  EXPECT_EQ(scan.found()[0].node, 0);
  EXPECT_EQ(scan.found()[1].node, 3);
  EXPECT_EQ(scan.found()[1].motor_id, 0);
  EXPECT_EQ(scan.found()[1].serial, 501U);
  EXPECT_EQ(scan.found()[1].firmware_version, 11);
  EXPECT_EQ(scan.found()[2].node, 127);
  // looking commands nothing
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(device.commands(i), 0U);
  EXPECT_TRUE(scan.next_frame(Time::from_seconds(1e6)).empty()) << "who is done asks no more";
}

TEST(M5Scan, AsksAgainAndTellsGarbledFromMissing) {
  M5Emulator device = three();
  device.faults(0).lose = 0.4;
  device.faults(1).corrupt = 1;
  M5Scan scan(0, 10, 0.03, 8);
  hold(scan, device);
  ASSERT_EQ(scan.found().size(), 2U);
  EXPECT_EQ(scan.found()[0].serial, 500U);
  EXPECT_EQ(scan.found()[1].node, 3);
  EXPECT_TRUE(scan.found()[1].garbled);
}

TEST(M5Access, WritesAreReadBackAndWhatDidNotTakeIsTold) {
  M5Emulator device = three();
  const auto reg = [](const char* name) { return *find_register(M5Firmware::kMeasured2017, name); };
  std::vector<M5Job> jobs{
      {3, reg("poles"), 14},  {3, reg("slew_rate_up"), 0.0005}, {3, reg("rpm"), 100},
      {4, reg("poles"), 14},  {3, reg("bus_v"), std::nullopt},  {3, reg("save_settings"), 0x1234},
      {3, reg("NODE_ID"), 5}, {5, reg("poles"), std::nullopt}};
  M5Access access(jobs);
  hold(access, device);
  EXPECT_EQ(device.register_value(1, "poles"), 14);
  EXPECT_TRUE(access.jobs()[0].worked());
  EXPECT_TRUE(access.jobs()[1].worked());
  // a measurement cannot be set
  EXPECT_FALSE(access.jobs()[2].worked());
  EXPECT_EQ(access.jobs()[2].value, 0);
  // nobody is there
  EXPECT_FALSE(access.jobs()[3].worked());
  EXPECT_FALSE(access.jobs()[3].value);
  EXPECT_EQ(access.jobs()[4].value, 48);
  EXPECT_TRUE(access.jobs()[5].worked());
  EXPECT_TRUE(access.jobs()[6].worked());
  EXPECT_EQ(access.jobs()[7].value, 14) << "to ask changes nothing";
  EXPECT_EQ(device.register_value(1, "NODE_ID"), 5);
}

TEST(M5Compare, NamesWhatIsMissingSwappedTwiceAndSpare) {
  const std::vector<WantedThruster> wanted{
      {"FLH", "if00", 3, 501}, {"FLV", "if00", 1}, {"FRH", "if01", 2}, {"FRV", "if01", 0}};
  const auto found = [](const char* port, std::uint8_t node, std::uint32_t serial,
                        bool garbled = false) {
    return FoundThruster{port, {node, 0, serial, 9, garbled}};
  };
  using Found = std::vector<FoundThruster>;
  EXPECT_TRUE(compare(wanted, Found{found("if00", 3, 501), found("if00", 1, 1), found("if01", 2, 2),
                                    found("if01", 0, 3)})
                  .empty());
  const auto said =
      compare(wanted, Found{found("if00", 3, 777), found("if01", 1, 1), found("if01", 2, 2),
                            found("if02", 2, 4), found("if02", 9, 5)});
  EXPECT_EQ(said,
            (std::vector<std::string>{"FLH: a spare is in its place: serial 777 instead of 501",
                                      "FLV: on another port: node 1 is on if01, expected on if00",
                                      "FRH: twice: node 2 is on if01 and on if02",
                                      "FRV: missing: no node 0 on any port",
                                      "node 9 on if02: no thruster of the vehicle has this id"}));
  const auto garbled = compare(std::span(wanted).first(1), Found{found("if00", 3, 0, true)});
  ASSERT_EQ(garbled.size(), 1U);
  EXPECT_NE(garbled[0].find("may both be node 3"), std::string::npos);
}

}  // namespace
}  // namespace pintle::device
