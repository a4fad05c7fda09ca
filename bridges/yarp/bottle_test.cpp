#include "pintle/yarp/bottle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/yarp/frames_for_test.h"

namespace pintle::yarp {
namespace {

using testing::Random;

Bottle text(std::string_view t) {
  std::string why;
  return from_text(t, why).value_or(Bottle{Value::string("refused: " + why)});
}

std::string hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    out += "0123456789abcdef"[b / 16];
    out += "0123456789abcdef"[b % 16];
  }
  return out;
}

TEST(YarpBottle, IsWrittenAsDescribed) {
  EXPECT_EQ(hex(to_bytes({})), "0001000000000000");
  EXPECT_EQ(hex(to_bytes({Value::int32(1), Value::int32(-1)})),
            "01010000"
            "02000000"
            "01000000"
            "ffffffff");
  EXPECT_EQ(hex(to_bytes({Value::float64(1)})),
            "14010000"
            "01000000"
            "000000000000f03f");
  EXPECT_EQ(hex(to_bytes({Value::vocab("ver"), Value::int32(1)})),
            "00010000"
            "02000000"
            "09000000"
            "76657200"
            "01000000"
            "01000000");
  EXPECT_EQ(hex(to_bytes({Value::string("ab")})),
            "04010000"
            "01000000"
            "02000000"
            "6162");
  EXPECT_EQ(hex(to_bytes({Value::list({Value::int32(5)}), Value::list({})})),
            "00010000"
            "02000000"
            "01010000"
            "01000000"
            "05000000"
            "00010000"
            "00000000");
}

TEST(YarpBottle, BytesComeBackAsTheyWere) {
  Random random(11);
  for (int i = 0; i < 20'000; ++i) {
    const Bottle bottle = testing::random_bottle(random);
    std::string why;
    const auto back = from_bytes(to_bytes(bottle), why);
    ASSERT_TRUE(back) << why;
    ASSERT_EQ(*back, bottle);
  }
}

TEST(YarpBottle, NumbersAndWordsComeBackFromTextBitForBit) {
  Random random(12);
  for (int i = 0; i < 20'000; ++i) {
    Bottle bottle;
    bottle.push_back(Value::float64(std::bit_cast<double>(random())));
    if (std::isnan(bottle[0].number)) bottle[0].number = 0.1;
    bottle.push_back(Value::int32(static_cast<std::int32_t>(random())));
    std::string word;
    for (std::uint64_t n = random() % 8; n > 0; --n) word += static_cast<char>(' ' + random() % 95);
    bottle.push_back(Value::string(word));
    bottle.push_back(
        Value::list({Value::string("1.5"), Value::string("true"), Value::vocab("add")}));
    ASSERT_EQ(text(to_text(bottle)), bottle) << to_text(bottle);
  }
}

TEST(YarpBottle, TextIsReadAsYarpReadsIt) {
  EXPECT_EQ(text("1,2 -3"), (Bottle{Value::int32(1), Value::int32(2), Value::int32(-3)}));
  EXPECT_EQ(text("0x10 .5 1e3"),
            (Bottle{Value::int32(16), Value::float64(0.5), Value::float64(1000)}));
  EXPECT_EQ(text("inf -inf nan"),
            (Bottle{Value::float64(HUGE_VAL), Value::float64(-HUGE_VAL), Value::string("nan")}));
  EXPECT_EQ(text("1e400 1.2.3"), (Bottle{Value::float64(HUGE_VAL), Value::string("1.2.3")}));
  EXPECT_EQ(text("(a (b)) \"c \\\"d\""),
            (Bottle{Value::list({Value::string("a"), Value::list({Value::string("b")})}),
                    Value::string("c \"d")}));
  EXPECT_EQ(text("[add] true"), (Bottle{Value::vocab("add"), Value::vocab("1")}));
  EXPECT_EQ(text("99999999999")[0].kind, Value::Kind::kInt64);
  EXPECT_EQ(to_text({Value::string("/src"), Value::string("tcp"), Value::float64(2)}),
            "\"/src\" tcp 2.0");
  EXPECT_EQ(to_text({Value::float64(std::nan("")), Value::float64(-HUGE_VAL)}), "nan -inf");
  EXPECT_EQ(to_text({Value::vocab("add"), Value::vocab("1"), Value::vocab("")}),
            "[add] true false");
  EXPECT_EQ(text("{0 7 255}")[0].kind, Value::Kind::kBlob);
  EXPECT_EQ(text("{65 66 7}")[0].text, "AB\7");
}

TEST(YarpBottle, WhatIsMalformedIsRefusedWithAReason) {
  for (const char* t : {"(1", "1)", "\"x", "[abc", "{300}", "{-1}", "{1.5}", "[ninechars]"}) {
    std::string why;
    EXPECT_FALSE(from_text(t, why)) << t;
    EXPECT_FALSE(why.empty());
  }
  std::string why;
  EXPECT_FALSE(from_text(std::string(100, '(') + std::string(100, ')'), why));
  EXPECT_FALSE(from_bytes("", why));
  EXPECT_FALSE(from_bytes(to_bytes({Value::int32(1)}) + "x", why));
  // a count that lies takes no memory
  std::string lie = to_bytes({Value::int32(1)});
  lie[7] = '\x7F';
  EXPECT_FALSE(from_bytes(lie, why));
  EXPECT_FALSE(from_bytes(lie.substr(0, 6), why));
  lie[7] = '\xFF';
  why.clear();
  EXPECT_FALSE(from_bytes(lie, why));
  EXPECT_FALSE(why.empty());
  // deeper than anybody nests
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += std::string("\0\1\0\0\1\0\0\0", 8);
  EXPECT_FALSE(from_bytes(deep, why));
}

}  // namespace
}  // namespace pintle::yarp
