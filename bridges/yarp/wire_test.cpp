#include "pintle/yarp/wire.h"

#include <gtest/gtest.h>

#include "pintle/yarp/frames_for_test.h"
#include "pintle/yarp/vector.h"

namespace pintle::yarp {
namespace {

using testing::Random;

std::string bytes(std::string_view hex) {
  std::string out;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high >= 0) out += static_cast<char>(16 * high + digit);
    high = high >= 0 ? -1 : digit;
  }
  return out;
}

const std::string kFilled = "ff ff ff ff ff ff ff ff";

/// All that a stream says, as text.
std::string told(std::string_view stream, std::size_t piece) {
  Decoder decoder;
  std::string out;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    decoder.feed(stream.substr(at, piece));
    for (Decoder::Event e = decoder.next(); e != Decoder::Event::kNone; e = decoder.next()) {
      out += std::to_string(static_cast<int>(e)) + ":";
      if (e == Decoder::Event::kOpened) out += decoder.peer();
      if (e == Decoder::Event::kMessage || e == Decoder::Event::kLine)
        out += decoder.message().command + "|" + decoder.message().data;
      if (e == Decoder::Event::kBroken) return out + "broken";
      out += "\n";
    }
  }
  return out;
}

TEST(YarpWire, TheCapturedGreetingIsSaidByteForByte) {
  EXPECT_EQ(hello(Carrier::kTcp, "/write"),
            bytes("59 41 e4 1e 00 00 52 50 07 00 00 00 2f 77 72 69 74 65 00"));
  EXPECT_EQ(hello(Carrier::kFastTcp, "/w").substr(0, 8), bytes("59 41 64 1e 00 00 52 50"));
  EXPECT_EQ(welcome(Carrier::kTcp, 10002, "/p"), bytes("59 41 12 27 00 00 52 50"));
  EXPECT_EQ(acknowledgement(Carrier::kTcp), bytes("59 41 00 00 00 00 52 50"));
  EXPECT_EQ(hello(Carrier::kText, "/w"), "CONNECT /w\r\n");
  EXPECT_EQ(hello(Carrier::kTextAck, "/w"), "CONNACK /w\r\n");
  EXPECT_EQ(welcome(Carrier::kText, 1, "/p"), "Welcome /p\r\n");
  EXPECT_EQ(acknowledgement(Carrier::kTextAck), "<ACK>\r\n");
  EXPECT_EQ(acknowledgement(Carrier::kFastTcp), "");
}

TEST(YarpWire, TheCapturedVectorWithItsStampIsSaidByteForByte) {
  const double values[]{1, 2, 3, 4};
  const std::string frame =
      message(Carrier::kTcp, "D", packet_of(values, to_envelope({6, 1795221647.19194})));
  EXPECT_EQ(frame.size(), 103U);
  EXPECT_EQ(frame,
            bytes("59 41 0a 00 00 00 52 50 03 01 " + kFilled +
                  " 1d 00 00 00 08 00 00 00 20 00 00 00 00 00 00 00 15 00 00 00 7e 00 00 01") +
                "D 6 1795221647.19194" + std::string(1, '\0') +
                bytes("14 01 00 00 04 00 00 00 00 00 00 00 00 00 f0 3f 00 00 00 00 00 00 00 40"
                      " 00 00 00 00 00 00 08 40 00 00 00 00 00 00 10 40"));
}

TEST(YarpWire, GoodByeIsAFrameOfThirtySixBytes) {
  EXPECT_EQ(message(Carrier::kTcp, "q"),
            bytes("59 41 0a 00 00 00 52 50 01 01 " + kFilled +
                  " 0a 00 00 00 00 00 00 00 02 00 00 00 7e 00 00 01 71 00"));
  EXPECT_EQ(message(Carrier::kTcp, "q").size(), 36U);
  EXPECT_EQ(message(Carrier::kText, "q"), "q\r\n");
}

TEST(YarpWire, TextMessagesAreTwoLines) {
  const double values[]{1, 2.5};
  EXPECT_EQ(message(Carrier::kText, "D", packet_of(values)), "D\r\n1.0 2.5\r\n");
  EXPECT_EQ(message(Carrier::kTextAck, "D", packet_of(values, "6 0.5")), "D 6 0.5\r\n1.0 2.5\r\n");
}

TEST(YarpWire, WhatIsSaidIsHeardByEveryCarrier) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    for (int c = 0; c < 4; ++c) {
      const auto carrier = static_cast<Carrier>(c);
      const Bottle bottle = testing::random_bottle(random);
      const Packet packet = packet_of(bottle, "3 0.5");
      Decoder decoder;
      decoder.feed(hello(carrier, "/peer"));
      ASSERT_EQ(decoder.next(), Decoder::Event::kOpened);
      EXPECT_EQ(decoder.peer(), "/peer");
      EXPECT_EQ(decoder.carrier(), carrier);
      decoder.feed(message(carrier, "D", packet) + message(carrier, "q"));
      ASSERT_EQ(decoder.next(), Decoder::Event::kMessage);
      EXPECT_EQ(decoder.message().envelope(), "3 0.5");
      std::string why;
      const auto back = decoder.message().bottle(why);
      ASSERT_TRUE(back || is_text(carrier)) << why;
      if (!is_text(carrier)) {
        EXPECT_EQ(*back, bottle);
      }
      ASSERT_EQ(decoder.next(), Decoder::Event::kMessage);
      EXPECT_EQ(decoder.message().key(), 'q');
      EXPECT_TRUE(decoder.is_idle());
    }
  }
}

TEST(YarpWire, BytesMayComeInAnyPieces) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    std::string stream = testing::random_stream(random);
    if (i % 2 == 1) testing::spoil(random, stream);
    const std::string whole = told(stream, stream.size());
    for (const std::size_t piece : {1U, 3U, 17U}) ASSERT_EQ(told(stream, piece), whole) << i;
  }
}

TEST(YarpWire, SpoiltStreamsNeitherCrashNorHangNorGrow) {
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string stream = testing::random_stream(random);
    testing::spoil(random, stream);
    Decoder decoder;
    decoder.feed(stream);
    Decoder::Event e{};
    while ((e = decoder.next()) != Decoder::Event::kNone && e != Decoder::Event::kBroken) {
      std::string why;
      if (e == Decoder::Event::kMessage) {
        (void)decoder.message().bottle(why);
        (void)values_of(decoder.message(), why);
      }
    }
    ASSERT_LE(decoder.waiting(), stream.size());
  }
}

TEST(YarpWire, NonsenseInASoundFrameLosesNothingBehindIt) {
  const double values[]{1, 2};
  const std::string good = message(Carrier::kTcp, "D", packet_of(values));
  std::string bad = good;
  for (std::size_t i = 34; i < bad.size(); ++i) bad[i] = '\x7F';
  Decoder decoder;
  decoder.feed(hello(Carrier::kTcp, "/peer") + bad + good);
  ASSERT_EQ(decoder.next(), Decoder::Event::kOpened);
  ASSERT_EQ(decoder.next(), Decoder::Event::kMessage);
  std::string why;
  EXPECT_FALSE(decoder.message().bottle(why));
  ASSERT_EQ(decoder.next(), Decoder::Event::kMessage);
  EXPECT_EQ(values_of(decoder.message(), why).size(), 2U) << why;
}

TEST(YarpWire, SizesBeyondTheLimitsBreakTheConnectionAtOnce) {
  const auto after_hello = [](const std::string& sent) {
    Decoder decoder;
    decoder.feed(hello(Carrier::kTcp, "/peer"));
    (void)decoder.next();
    decoder.feed(sent);
    return decoder.next();
  };
  const std::string index = bytes("59 41 0a 00 00 00 52 50 01 01 " + kFilled);
  EXPECT_EQ(after_hello(index + bytes("01 00 10 00 00 00 00 00")), Decoder::Event::kBroken);
  EXPECT_EQ(after_hello(index + bytes("ff ff ff ff 00 00 00 00")), Decoder::Event::kBroken);
  EXPECT_EQ(after_hello(index + bytes("00 00 10 00 00 00 00 00")), Decoder::Event::kNone);
  Decoder decoder;
  decoder.feed("CONNECT " + std::string(1001, 'x'));
  EXPECT_EQ(decoder.next(), Decoder::Event::kBroken);
}

TEST(YarpAnswers, AcknowledgementsAreCountedAndBytesBehindThemPassedOver) {
  Answers tcp(Carrier::kTcp);
  tcp.feed(bytes("59 41 12 27 00 00 52"));
  EXPECT_FALSE(tcp.welcomed());
  tcp.feed(bytes("50 59 41 03 00 00 00 52 50 aa bb"));
  EXPECT_TRUE(tcp.welcomed());
  tcp.feed(bytes("cc 59 41 00 00 00 00 52 50"));
  EXPECT_EQ(tcp.acknowledged(), 2U);
  EXPECT_FALSE(tcp.broken());
  tcp.feed("nonsense");
  EXPECT_TRUE(tcp.broken());

  Answers text(Carrier::kTextAck);
  text.feed("Welcome /p\r\nreply\r\n<ACK>\r\n");
  EXPECT_TRUE(text.welcomed());
  EXPECT_EQ(text.acknowledged(), 1U);
  EXPECT_EQ(text.lines(), "reply\n");
}

TEST(YarpVector, TakesEveryKindOfNumbersAndRefusesWhatIsNotFinite) {
  const auto numbers = [](const std::string& text) {
    std::string why;
    Message m{"D", true, text};
    const Values v = values_of(m, why);
    return why.empty() ? std::vector<double>(v.begin(), v.end()) : std::vector<double>{};
  };
  const auto as_bytes = [](const Bottle& bottle) {
    std::string why;
    Message m{"D", false, to_bytes(bottle)};
    const Values v = values_of(m, why);
    return why.empty() ? std::vector<double>(v.begin(), v.end()) : std::vector<double>{};
  };
  EXPECT_EQ(numbers("1 2.5 -3"), (std::vector<double>{1, 2.5, -3}));
  EXPECT_EQ(numbers("(1 2 3)"), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(numbers("1 two").empty());
  EXPECT_TRUE(numbers("1 inf").empty());
  EXPECT_TRUE(numbers("nan 1").empty());
  EXPECT_EQ(as_bytes({Value::int32(7), Value::int32(8)}), (std::vector<double>{7, 8}));
  EXPECT_EQ(as_bytes({Value::int32(7), Value::float64(0.5)}), (std::vector<double>{7, 0.5}));
  EXPECT_EQ(as_bytes({Value::list({Value::float64(0.5)})}), (std::vector<double>{0.5}));
  EXPECT_TRUE(as_bytes({Value::float64(std::nan(""))}).empty());
  EXPECT_TRUE(as_bytes({Value::float64(-HUGE_VAL)}).empty());
  EXPECT_TRUE(as_bytes(Bottle(kMaxValues + 1, Value::float64(1))).empty());
}

TEST(YarpVector, StampsAreReadBackBitForBit) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const Stamp stamp{static_cast<std::int32_t>(random()),
                      std::ldexp(static_cast<double>(random()), -33)};
    const auto back = stamp_of(to_envelope(stamp));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->count, stamp.count);
    EXPECT_EQ(back->time_s, stamp.time_s);
  }
  EXPECT_FALSE(stamp_of(""));
  EXPECT_FALSE(stamp_of("6"));
  EXPECT_FALSE(stamp_of("x 1"));
  EXPECT_FALSE(stamp_of("6 nan"));
}

}  // namespace
}  // namespace pintle::yarp
