#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "pintle/config/reader.h"

namespace pintle::config {
namespace {

TEST(NumbersTest, ReadsWhatYaml12CallsANumber) {
  EXPECT_EQ(parse_number("0"), 0.0);
  EXPECT_EQ(parse_number("+12"), 12.0);
  EXPECT_EQ(parse_number("-1.5"), -1.5);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("5."), 5.0);
  EXPECT_EQ(parse_number("1e3"), 1000.0);
  EXPECT_EQ(parse_number("-1.25E-2"), -0.0125);
  EXPECT_EQ(parse_number("+.5e+1"), 5.0);
  EXPECT_EQ(parse_number("010"), 10.0);
  EXPECT_EQ(parse_number("0x1F"), 31.0);
  EXPECT_EQ(parse_number("0o17"), 15.0);
  EXPECT_EQ(parse_number(".inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("-.Inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_number(".nan").value_or(0)));
  EXPECT_TRUE(std::signbit(parse_number("-0.0").value_or(1)));
}

TEST(NumbersTest, ReadsNothingElse) {
  for (const char* text :
       {"",    " ",     "+",      "-",   ".",     "e5",  "1e",    "1e+", "1 ",       " 1",
        "1,5", "1_000", "0x",     "0o8", "-0x10", "inf", "nan",   "NaN", "Infinity", "--1",
        "+-1", "1.2.3", "50 kgf", "1f",  "0x1p3", ".e1", "-.nan", "１"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

TEST(NumbersTest, TellsTooLargeFromTooSmall) {
  EXPECT_EQ(parse_number("1e999"), std::nullopt);
  EXPECT_EQ(parse_number("1e99999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  EXPECT_TRUE(std::signbit(parse_number("-1e-999").value_or(1)));
  EXPECT_EQ(parse_number("0e999"), 0.0);
  EXPECT_EQ(parse_number("0." + std::string(40, '0') + "1e41"), 1.0);
  EXPECT_EQ(parse_number("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_number("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(NumbersTest, ANumberHas64CharactersAtMost) {
  EXPECT_EQ(parse_number(std::string(63, '0') + "7"), 7.0);
  EXPECT_EQ(parse_number(std::string(64, '0') + "7"), std::nullopt);
  EXPECT_EQ(parse_number("0." + std::string(62, '0') + "1"), std::nullopt);
}

TEST(NumbersTest, WritesTheShortestTextThatEveryYamlReaderTakesForANumber) {
  EXPECT_EQ(shortest(1.0), "1");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-2.5), "-2.5");
  EXPECT_EQ(shortest(1e-5), "1.0e-05");
  EXPECT_EQ(shortest(1.5e-7), "1.5e-07");
  EXPECT_EQ(shortest(1e22), "1.0e+22");
  EXPECT_EQ(shortest(100000), "100000");
  EXPECT_EQ(shortest(0.0), "0");
  EXPECT_EQ(shortest(-0.0), "-0.0");
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), ".inf");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-.inf");
  EXPECT_EQ(shortest(std::nan("")), ".nan");
}

TEST(NumbersTest, EveryDoubleComesBackBitForBit) {
  std::mt19937_64 random(7);  // NOLINT: the same numbers every time
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const std::optional<double> back = parse_number(shortest(value));
    ASSERT_TRUE(back.has_value()) << shortest(value);
    ASSERT_EQ(std::memcmp(&*back, &value, sizeof value), 0) << shortest(value);
  }
}

}  // namespace
}  // namespace pintle::config
