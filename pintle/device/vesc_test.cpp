#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/device/vesc_protocol.h"

namespace pintle::device {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> decode(VescDecoder& decoder, std::span<const std::uint8_t> bytes) {
  std::vector<Bytes> out;
  for (auto p = decoder.next(bytes); !p.empty(); p = decoder.next(bytes))
    out.emplace_back(p.begin(), p.end());
  return out;
}

Bytes encode(const Bytes& payload) {
  Bytes out(kVescMaxPayload + 6);
  out.resize(encode_vesc(payload, out));
  return out;
}

TEST(Vesc, FramesAreThoseOfTheFirmware) {
  const Bytes check{'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(vesc_crc(check), 0x31C3);
  // what every library sends to read the values: 02 01 04 40 84 03
  EXPECT_EQ(encode({kVescGetValues}), (Bytes{0x02, 0x01, 0x04, 0x40, 0x84, 0x03}));
  // duty 0.1 is 10000
  std::vector<BusChannel> one(1);
  VescProtocol protocol(one);
  std::array<std::uint8_t, kMaxBusFrame> out{};
  const BusFrame f = protocol.command(0, 0.1, out);
  EXPECT_EQ(f.bytes, 16U);
  EXPECT_EQ(Bytes(out.begin(), out.begin() + 7), (Bytes{0x02, 0x05, 0x05, 0x00, 0x00, 0x27, 0x10}));
  EXPECT_EQ(f.answer_bytes, 64U);
}

TEST(Vesc, WhatWasSentIsHeardInPiecesOfAnySizeAndAfterNoise) {
  RandomStream random(1, "vesc");
  for (int i = 0; i < 500; ++i) {
    Bytes payload(1 + random.bits() % (i % 5 == 0 ? kVescMaxPayload : 60));
    for (auto& b : payload) b = static_cast<std::uint8_t>(random.bits());
    const Bytes good = encode(payload);
    Bytes stream(random.bits() % 20);
    for (auto& b : stream) b = static_cast<std::uint8_t>(random.bits() % 5);
    stream.insert(stream.end(), good.begin(), good.end());
    // what began like a long frame in the noise waits for its end
    stream.insert(stream.end(), kVescMaxPayload + 6, 0);
    VescDecoder decoder;
    std::vector<Bytes> heard;
    const std::size_t piece = 1 + random.bits() % 40;
    for (std::size_t at = 0; at < stream.size(); at += piece)
      for (Bytes& p :
           decode(decoder, std::span(stream).subspan(at, std::min(piece, stream.size() - at))))
        heard.push_back(std::move(p));
    ASSERT_EQ(std::count(heard.begin(), heard.end(), payload), 1) << i;
  }
}

TEST(Vesc, EverySingleAndDoubleFlipOfACommandIsRefused) {
  const Bytes good = encode({kVescSetDuty, 0, 0, 0x27, 0x10});
  const std::size_t bits = 8 * good.size();
  for (std::size_t i = 0; i < bits; ++i)
    for (std::size_t j = i; j < bits; ++j) {
      Bytes bad = good;
      bad[i / 8] = static_cast<std::uint8_t>(bad[i / 8] ^ (1U << (i % 8)));
      if (j != i) bad[j / 8] = static_cast<std::uint8_t>(bad[j / 8] ^ (1U << (j % 8)));
      VescDecoder decoder;
      ASSERT_TRUE(decode(decoder, bad).empty()) << i << ", " << j;
    }
}

TEST(Vesc, OnlyAWholeAnswerIsAReport) {
  std::vector<BusChannel> one(1);
  VescProtocol protocol(one);
  const auto heard = [&](std::uint8_t command, std::size_t size) {
    Bytes payload(size, 0);
    payload[0] = command;
    const Bytes frame = encode(payload);
    std::span<const std::uint8_t> bytes(frame);
    BusMessage message;
    return protocol.hear(bytes, message) && message.kind == BusMessage::Kind::kReport;
  };
  constexpr std::size_t kWhole = 59;  // of the payload: 64 bytes in all
  EXPECT_TRUE(heard(kVescGetValues, kWhole));
  EXPECT_TRUE(heard(kVescGetValues, kWhole + 10)) << "of a later firmware";
  EXPECT_FALSE(heard(kVescGetValues, kWhole - 1));
  EXPECT_FALSE(heard(kVescGetValues, 1)) << "our own question";
  EXPECT_FALSE(heard(kVescSetDuty, kWhole));
}

}  // namespace
}  // namespace pintle::device
