#include "pintle/device/m5_registers.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "pintle/device/m5_messages.h"

namespace pintle::device {
namespace {

constexpr std::array kFirmwares{M5Firmware::kMeasured2017, M5Firmware::kFeb2015,
                                M5Firmware::kMay2015, M5Firmware::kManual};

TEST(M5Registers, NoTwoOverlapAndTheyStandInOrder) {
  for (const M5Firmware firmware : kFirmwares) {
    std::size_t end = 0;
    for (const Register& r : m5_registers(firmware)) {
      EXPECT_GE(r.address, end) << to_string(firmware) << " " << r.name;
      // save_settings, UTILITY: a write to the last two bytes of their blocks
      end = r.address + size_of(r.type);
      EXPECT_LE(end, 0x100U);
      EXPECT_EQ(find_register(firmware, r.name), &r);
    }
  }
}

TEST(M5Registers, TheMapsDisagreeWhereTheyWerePublishedSo) {
  const auto at = [](M5Firmware firmware, const char* name) {
    return find_register(firmware, name)->address;
  };
  EXPECT_EQ(at(M5Firmware::kMay2015, "motor_control_flags"), 0x61);
  EXPECT_EQ(at(M5Firmware::kFeb2015, "motor_control_flags"), 0x60);
  EXPECT_EQ(at(M5Firmware::kMay2015, "pwm_deadband"), 0x63);
  EXPECT_EQ(at(M5Firmware::kManual, "fault_control"), 0xA4);
  EXPECT_EQ(at(M5Firmware::kMeasured2017, "fault_control"), 0xA3);
  EXPECT_EQ(find_register(M5Firmware::kFeb2015, "fault_control")->type, RegisterType::kU32);
  EXPECT_EQ(at(M5Firmware::kManual, "undervoltage_trigger"), 0xA5);
  EXPECT_FALSE(same_everywhere(*find_register(M5Firmware::kManual, "poles")));
  EXPECT_FALSE(same_everywhere(*find_register(M5Firmware::kManual, "fault_control")));
  EXPECT_TRUE(same_everywhere(*find_register(M5Firmware::kManual, "motor_ID")));
  EXPECT_TRUE(same_everywhere(*find_register(M5Firmware::kManual, "NODE_ID")));
}

TEST(M5Registers, AValueThatDoesNotFitIsNotWritten) {
  std::array<std::uint8_t, 4> out{};
  EXPECT_EQ(encode_register(RegisterType::kU8, 256, out), 0U);
  EXPECT_EQ(encode_register(RegisterType::kU8, -1, out), 0U);
  EXPECT_EQ(encode_register(RegisterType::kU8, 1.5, out), 0U);
  EXPECT_EQ(encode_register(RegisterType::kF32, std::nan(""), out), 0U);
  EXPECT_EQ(encode_register(RegisterType::kF32, 1e40, out), 0U);
  EXPECT_EQ(encode_register(RegisterType::kU16, 0x1234, out), 2U);
  EXPECT_EQ(out[0], 0x34);
  EXPECT_EQ(out[1], 0x12);
  EXPECT_EQ(encode_register(RegisterType::kU32, 3735928559.0, out), 4U);
  EXPECT_EQ(decode_register(RegisterType::kU32, out), 3735928559.0);
  EXPECT_EQ(encode_register(RegisterType::kF32, -0.25, out), 4U);
  EXPECT_EQ(decode_register(RegisterType::kF32, out), -0.25);
  EXPECT_FALSE(decode_register(RegisterType::kF32, std::span(out).first(3)));
}

TEST(M5Messages, NothingButMinusOneToOneIsEverSent) {
  std::array<std::uint8_t, kM5MaxFrame> out{};
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::array power{nan, inf, -inf, 1.5F, -7.0F, 0.5F};
  const std::size_t n = encode_propulsion(2, 2, power, out);
  const auto command = propulsion_command(scan_vrcsr(std::span(out).first(n)).frame);
  ASSERT_TRUE(command);
  const std::array expected{0.0F, 0.0F, 0.0F, 1.0F, -1.0F, 0.5F};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(command->power(i), expected[i]);
}

TEST(M5Messages, OnlyAWholeStandardResponseIsOne) {
  std::array<std::uint8_t, 64> out{};
  const auto decoded = [&](std::size_t n) {
    return standard_response(scan_vrcsr(std::span(out).first(n)).frame);
  };
  EXPECT_TRUE(decoded(encode_standard_response(1, 1, {}, out)));
  // a register read is none, however long
  const std::array<std::uint8_t, 17> data{};
  EXPECT_FALSE(decoded(encode_read_reply(1, 0, 1, data, out)));
  // too short, with right CRCs
  const std::array<std::uint8_t, 9> few{1};
  EXPECT_FALSE(decoded(encode_vrcsr({VrcsrKind::kReply, 1, kVrcsrStandard, 0, few}, out)));
  // a request is no reply
  EXPECT_FALSE(decoded(encode_propulsion(1, 1, std::array{0.0F}, out)));
}

}  // namespace
}  // namespace pintle::device
