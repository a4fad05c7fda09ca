#include "pintle/device/vrcsr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/device/m5_messages.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::device {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::string& hex) {
  Bytes out;
  std::string digits;
  for (const char c : hex)
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return out;
}

/// A frame with its payload, that outlives what it was found in.
struct Kept {
  VrcsrFrame frame;
  Bytes payload;
  friend bool operator==(const Kept& a, const Kept& b) {
    return a.frame.kind == b.frame.kind && a.frame.node == b.frame.node &&
           a.frame.flags == b.frame.flags && a.frame.address == b.frame.address &&
           a.payload == b.payload;
  }
};
Kept kept(const VrcsrFrame& f) { return {f, {f.payload.begin(), f.payload.end()}}; }

std::vector<Kept> decode(VrcsrDecoder& decoder, std::span<const std::uint8_t> bytes) {
  std::vector<Kept> out;
  while (const auto frame = decoder.next(bytes)) out.push_back(kept(*frame));
  EXPECT_TRUE(bytes.empty());
  return out;
}

Bytes encode(const VrcsrFrame& f) {
  Bytes out(kVrcsrMaxFrame);
  out.resize(encode_vrcsr(f, out));
  return out;
}

/// A frame of any kind that may be sent.
struct Any {
  Bytes payload;
  VrcsrFrame frame;
  explicit Any(RandomStream& random, std::size_t most) {
    const auto byte = [&] { return static_cast<std::uint8_t>(random.bits()); };
    frame.kind = random.uniform() < 0.5 ? VrcsrKind::kRequest : VrcsrKind::kReply;
    const bool reply = frame.kind == VrcsrKind::kReply;
    frame.node = reply ? byte() & 0x7F : byte();
    frame.flags = static_cast<std::uint8_t>(byte() | (reply ? 1 : 0x80));
    frame.address = byte();
    payload.resize(static_cast<std::size_t>(random.uniform(reply ? 2 : 0, double(most) + 0.99)));
    for (auto& b : payload) b = byte();
    frame.payload = payload;
  }
};

struct Example {
  const char* hex;
  std::function<std::size_t(std::span<std::uint8_t>)> encode;
};

const M5Response kSpoken{std::bit_cast<float>(0xC4CCF87AU), std::bit_cast<float>(0x42467DE7U),
                         std::bit_cast<float>(0x3FC20B55U), std::bit_cast<float>(0x4284C54DU), 0};

std::vector<Example> examples() {
  const auto effort = [](float value) {
    return [value](auto out) { return encode_propulsion(3, 3, std::array{value}, out); };
  };
  const auto write = [](std::uint8_t node, std::uint8_t address, Bytes data) {
    return [=](auto out) { return encode_write(node, address, data, out); };
  };
  return {{"f55f0302f006 1b4e30a2 aa0300000000 fbe9e54e", effort(0)},
          {"f55f0302f006 1b4e30a2 aa03cdcc4c3d 1cfcd356", effort(0.05F)},
          {"f55f0302f006 1b4e30a2 aa030000803f 8d5c00c3", effort(1)},
          {"f55f0302f006 1b4e30a2 aa03000080bf addfb82e", effort(-1)},
          {"f55f03840c00 ad22e216", [](auto out) { return encode_read(3, 0x0C, 4, out); }},
          {"f55f03841800 f8f54c38", [](auto out) { return encode_read(3, 0x18, 4, out); }},
          {"f55f03841400 f4baf994", [](auto out) { return encode_read(3, 0x14, 4, out); }},
          {"f55f0381fc00 fb019504", [](auto out) { return encode_read(3, 0xFC, 1, out); }},
          {"f55f0481fc01 d40945ee 04 942b6fd5", write(4, 0xFC, {4})},
          {"f55f0482ee02 e496fe0d 3412 40904a09", write(4, 0xEE, {0x34, 0x12})},
          {"f55f0482fe02 b5843c47 adde 882f1b3b", write(4, 0xFE, {0xAD, 0xDE})},
          {"f55f8102f00e 99b8bbeb aa00cdcccc3dcdcc4cbe9a99993e b9ef70e9",
           [](auto out) {
             return encode_propulsion(0x81, 0, std::array{0.1F, -0.2F, 0.3F}, out);
           }},
          {"f55f0a02f002 88c555d8 aa0a 82afe4f5",
           [](auto out) { return encode_propulsion(10, 10, {}, out); }},
          {"f00f00020012 4d8a3dd6 01 7af8ccc4e77d4642550bc23f4dc58442 00 965e89f7",
           [](auto out) { return encode_standard_response(0, 1, kSpoken, out); }}};
}

TEST(Vrcsr, EveryFrameOfTheDocumentsIsMadeByteForByteAndReadBack) {
  for (const Example& e : examples()) {
    Bytes made(kVrcsrMaxFrame);
    made.resize(e.encode(made));
    EXPECT_EQ(made, bytes_of(e.hex)) << e.hex;
    VrcsrDecoder decoder;
    const auto frames = decode(decoder, made);
    ASSERT_EQ(frames.size(), 1U) << e.hex;
    const VrcsrFrame again{frames[0].frame.kind, frames[0].frame.node, frames[0].frame.flags,
                           frames[0].frame.address, frames[0].payload};
    EXPECT_EQ(encode(again), made) << e.hex;
  }
}

TEST(Vrcsr, FieldsStandWhereTheDocumentsSay) {
  const Bytes multicast = bytes_of("f55f8102f00e99b8bbebaa00cdcccc3dcdcc4cbe9a99993eb9ef70e9");
  const VrcsrScan scan = scan_vrcsr(multicast);
  ASSERT_EQ(scan.fault, VrcsrFault::kNone);
  EXPECT_EQ(scan.bytes, multicast.size());
  EXPECT_EQ(scan.frame.kind, VrcsrKind::kRequest);
  EXPECT_EQ(scan.frame.node, kVrcsrThrusters);
  EXPECT_EQ(scan.frame.flags, kVrcsrStandard);
  EXPECT_EQ(scan.frame.address, m5::kPropulsion);
  const auto command = propulsion_command(scan.frame);
  ASSERT_TRUE(command);
  ASSERT_EQ(command->size(), 3U);
  EXPECT_EQ(command->power(1), -0.2F);

  const Bytes spoken = bytes_of("f00f000200124d8a3dd6017af8ccc4e77d4642550bc23f4dc5844200965e89f7");
  const auto response = standard_response(scan_vrcsr(spoken).frame);
  ASSERT_TRUE(response);
  EXPECT_NEAR(response->rpm, -1639.765, 1e-3);
  EXPECT_NEAR(response->bus_V, 49.62295, 1e-5);
  EXPECT_NEAR(response->bus_A, 1.51597, 1e-5);
  EXPECT_NEAR(response->temperature_C, 66.38535, 1e-5);
  EXPECT_EQ(response->fault, 0);
}

TEST(Vrcsr, ALongPayloadHasAnExtendedLengthWithItsOwnCrc) {
  for (const std::size_t n :
       {std::size_t{254}, std::size_t{255}, std::size_t{256}, std::size_t{kVrcsrMaxPayload}}) {
    const Bytes payload(n, 0x5A);
    const Bytes bytes = encode({VrcsrKind::kRequest, 1, kVrcsrStandard, 0xF0, payload});
    EXPECT_EQ(bytes.size(), n + 14 + (n >= 255 ? 6 : 0));
    EXPECT_EQ(bytes[5], n >= 255 ? 0xFF : 0xFE);
    if (n >= 255) {
      EXPECT_EQ(bytes[10] + 256 * bytes[11], static_cast<int>(n));
    }
    VrcsrDecoder decoder;
    const auto frames = decode(decoder, bytes);
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].payload, payload);
  }
  const Bytes payload(kVrcsrMaxPayload + 1, 0);
  EXPECT_TRUE(encode({VrcsrKind::kRequest, 1, kVrcsrStandard, 0xF0, payload}).empty());
  // the protocol allows it, this decoder does not wait for it
  Bytes head = bytes_of("f55f0102f0ff");
  const auto add_crc = [](Bytes& b, std::size_t from) {
    Bytes part(b.begin() + static_cast<std::ptrdiff_t>(from), b.end());
    unsigned crc = 0xFFFFFFFF;
    for (const std::uint8_t byte : part) {
      crc ^= byte;
      for (int bit = 0; bit < 8; ++bit)
        crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0xEDB88320U : crc >> 1U;
    }
    crc = ~crc;
    for (unsigned k = 0; k < 4; ++k) b.push_back(static_cast<std::uint8_t>(crc >> (8 * k)));
  };
  add_crc(head, 0);
  head.push_back(0x01);
  head.push_back(0x04);
  add_crc(head, 10);
  EXPECT_EQ(scan_vrcsr(head).fault, VrcsrFault::kLength);
}

TEST(Vrcsr, ADeviceTypeMayTakeTwoBytes) {
  const Bytes one{0x01, 0xAB}, two{0xFF, 0x22, 0xAB};
  const auto reply = [](const Bytes& payload) {
    return reply_of({VrcsrKind::kReply, 5, 0x80, 0x14, payload});
  };
  ASSERT_TRUE(reply(one));
  EXPECT_EQ(reply(one)->device_type, 0x01);
  EXPECT_EQ(reply(one)->data.size(), 1U);
  ASSERT_TRUE(reply(two));
  EXPECT_EQ(reply(two)->device_type, 0xFF22);
  EXPECT_EQ(reply(two)->data.size(), 1U);
  EXPECT_FALSE(reply(Bytes{0xFF}));
}

TEST(Vrcsr, WhatCannotBeMeantIsNeitherMadeNorTaken) {
  const Bytes type{0x01}, head{0xF5, 0x5F, 3, 2, 0xF0, 6};
  const std::vector<std::pair<VrcsrFrame, VrcsrFault>> wrong{
      {{VrcsrKind::kRequest, 3, 0, 4, {}}, VrcsrFault::kMeaningless},
      {{VrcsrKind::kReply, 0x81, 2, 0, type}, VrcsrFault::kReplyGroup},
      {{VrcsrKind::kReply, 3, 2, 0, {}}, VrcsrFault::kReplyEmpty},
      {{VrcsrKind::kReply, 3, 0, 0, type}, VrcsrFault::kReplyEmpty},
      {{VrcsrKind::kRequest, 3, 2, 0, head}, VrcsrFault::kPayloadIsHeader}};
  for (const auto& [frame, fault] : wrong) EXPECT_TRUE(encode(frame).empty()) << to_string(fault);
  // six bytes and their CRC are what a header is: the end of the first frame was lost
  Bytes lost = encode({VrcsrKind::kRequest, 3, kVrcsrStandard, 0xF0, Bytes(6, 0xAA)});
  lost.resize(kVrcsrHead);
  const Bytes next = bytes_of(examples()[4].hex);
  lost.insert(lost.end(), next.begin(), next.end());
  EXPECT_EQ(scan_vrcsr(lost).fault, VrcsrFault::kPayloadIsHeader);
  EXPECT_EQ(scan_vrcsr(lost).bytes, kVrcsrHead);
  // by hand, with CRCs that are right: flags and payload of a good frame are taken away
  const Bytes none = bytes_of("f55f03000400f91b0738");
  EXPECT_EQ(scan_vrcsr(none).fault, VrcsrFault::kMeaningless);
}

TEST(Vrcsr, WhatWasSentIsHeardInPiecesOfAnySize) {
  RandomStream random(1, "vrcsr round trip");
  Bytes stream;
  std::vector<Kept> sent;
  for (int i = 0; i < 400; ++i) {
    const Any any(random, i % 10 == 0 ? kVrcsrMaxPayload : 40);
    const Bytes bytes = encode(any.frame);
    ASSERT_FALSE(bytes.empty());
    stream.insert(stream.end(), bytes.begin(), bytes.end());
    sent.push_back(kept(any.frame));
  }
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{64}, stream.size()}) {
    VrcsrDecoder decoder;
    std::vector<Kept> heard;
    for (std::size_t at = 0; at < stream.size(); at += piece)
      for (Kept& k :
           decode(decoder, std::span(stream).subspan(at, std::min(piece, stream.size() - at))))
        heard.push_back(std::move(k));
    EXPECT_EQ(heard, sent) << "pieces of " << piece;
    EXPECT_EQ(decoder.skipped(), 0U);
    EXPECT_EQ(decoder.frames(), sent.size());
  }
}

TEST(Vrcsr, EverySingleAndEveryDoubleFlipIsRefused) {
  for (const Example& e : examples()) {
    const Bytes good = bytes_of(e.hex);
    const std::size_t bits = 8 * good.size();
    for (std::size_t i = 0; i < bits; ++i)
      for (std::size_t j = i; j < bits; ++j) {
        Bytes bad = good;
        bad[i / 8] = static_cast<std::uint8_t>(bad[i / 8] ^ (1U << (i % 8)));
        if (j != i) bad[j / 8] = static_cast<std::uint8_t>(bad[j / 8] ^ (1U << (j % 8)));
        VrcsrDecoder decoder;
        ASSERT_TRUE(decode(decoder, bad).empty()) << e.hex << " bits " << i << ", " << j;
      }
  }
}

TEST(Vrcsr, NoGoodFrameIsLostToWhatStandsBeforeIt) {
  RandomStream random(2, "vrcsr noise");
  for (int i = 0; i < 2000; ++i) {
    const Any any(random, 24);
    const Bytes good = encode(any.frame);
    Bytes bytes;
    const auto n = static_cast<std::size_t>(random.uniform(0, 60));
    // noise that likes to look like a beginning
    for (std::size_t k = 0; k < n; ++k) {
      constexpr std::array<std::uint8_t, 4> kLike{0xF5, 0x5F, 0xF0, 0x0F};
      const std::uint64_t r = random.bits();
      bytes.push_back((r & 1U) != 0 ? kLike[(r >> 8U) % 4] : static_cast<std::uint8_t>(r >> 16U));
    }
    // a frame that was cut off (by so much that the next one's beginning cannot complete it), or
    // whose payload was hit
    const Any other(random, 24);
    Bytes spoilt = encode(other.frame);
    if (other.payload.empty() || i % 2 == 0)
      spoilt.resize(1 + random.bits() % (spoilt.size() - 5));
    else
      spoilt.back() = static_cast<std::uint8_t>(spoilt.back() ^ 0x10U);
    bytes.insert(bytes.end(), spoilt.begin(), spoilt.end());
    const std::size_t noise = bytes.size();
    bytes.insert(bytes.end(), good.begin(), good.end());
    // what was cut off may ask for more than one frame to come
    bytes.insert(bytes.end(), 64, 0);
    VrcsrDecoder decoder;
    const auto frames = decode(decoder, bytes);
    ASSERT_EQ(frames.size(), 1U) << i;
    EXPECT_EQ(frames[0], kept(any.frame));
    EXPECT_GE(decoder.skipped(), noise);
  }
}

TEST(Vrcsr, WhatTheEndOfIsMissingIsForgottenOnRequest) {
  const Bytes good = bytes_of(examples()[0].hex);
  VrcsrDecoder decoder;
  EXPECT_TRUE(decode(decoder, std::span(good).first(15)).empty());
  EXPECT_EQ(decoder.missing(), good.size() - 15);
  decoder.reset();
  EXPECT_EQ(decoder.missing(), 0U);
  EXPECT_EQ(decoder.skipped(), 15U);
  EXPECT_EQ(decode(decoder, good).size(), 1U);
}

TEST(Vrcsr, TakesNoMemory) {
  const Bytes good = bytes_of(examples().back().hex);
  std::array<std::uint8_t, kM5MaxFrame> out{};
  const std::array<float, 64> power{};
  VrcsrDecoder decoder;
  const auto before = testing::heap_allocations();
  for (int i = 0; i < 100; ++i) {
    EXPECT_GT(encode_propulsion(0x81, 1, power, out), 255U);
    for (std::size_t at = 0; at < good.size(); at += 5) {
      auto piece = std::span(good).subspan(at, std::min<std::size_t>(5, good.size() - at));
      while (decoder.next(piece)) {
      }
    }
  }
  EXPECT_EQ(testing::heap_allocations(), before);
  EXPECT_EQ(decoder.frames(), 100U);
}

}  // namespace
}  // namespace pintle::device
