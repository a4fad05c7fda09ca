#include "pintle/device/gripper_frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace pintle::device {
namespace {

std::vector<int> decode(const std::vector<std::uint8_t>& bytes, GripperDecoder& decoder) {
  std::vector<int> values;
  for (const std::uint8_t byte : bytes)
    if (const auto value = decoder.push(byte)) values.push_back(*value);
  return values;
}

TEST(GripperFrame, TheFramesOfTheOriginal) {
  EXPECT_EQ(encode_gripper(0), (GripperFrame{0xA5, 0x00, 0xFE, 0x7A}));
  EXPECT_EQ(encode_gripper(1), (GripperFrame{0xA5, 0x01, 0xFE, 0xBE}));
  EXPECT_EQ(encode_gripper(2), (GripperFrame{0xA5, 0x02, 0xFE, 0xEB}));
}

TEST(GripperFrame, EveryValueComesBack) {
  GripperDecoder decoder;
  for (int value = 0; value < 256; ++value) {
    const GripperFrame f = encode_gripper(static_cast<std::uint8_t>(value));
    EXPECT_EQ(decode({f.begin(), f.end()}, decoder), std::vector<int>{value});
  }
  EXPECT_EQ(decoder.skipped(), 0U);
}

TEST(GripperFrame, EveryFlippedBitIsNoticed) {
  for (int value = 0; value < 256; ++value)
    for (unsigned bit = 0; bit < 32; ++bit) {
      GripperFrame f = encode_gripper(static_cast<std::uint8_t>(value));
      f[bit / 8] = static_cast<std::uint8_t>(f[bit / 8] ^ (1U << (bit % 8)));
      GripperDecoder decoder;
      EXPECT_TRUE(decode({f.begin(), f.end()}, decoder).empty()) << value << " bit " << bit;
    }
}

TEST(GripperFrame, AGoodFrameIsFoundAfterAnyNoise) {
  const GripperFrame good = encode_gripper(1);
  // cut frames, starts inside of starts, and noise that looks like a frame up to its end
  const std::vector<std::vector<std::uint8_t>> noises{{0xA5},
                                                      {0xA5, 0xA5},
                                                      {0xA5, 0x01, 0xFE},
                                                      {0xA5, 0xA5, 0xFE},
                                                      {0x00, 0xFE, 0x7A},
                                                      {0xA5, 0x00, 0xFE, 0x7B},
                                                      {0xFF, 0xFF, 0xA5, 0x01}};
  for (const auto& noise : noises) {
    GripperDecoder decoder;
    std::vector<std::uint8_t> bytes = noise;
    bytes.insert(bytes.end(), good.begin(), good.end());
    EXPECT_EQ(decode(bytes, decoder), std::vector<int>{1});
    EXPECT_EQ(decoder.skipped(), noise.size());
  }
}

}  // namespace
}  // namespace pintle::device
