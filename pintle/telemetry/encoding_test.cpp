#include "pintle/telemetry/encoding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "pintle/base/signals.h"
#include "pintle/telemetry/cdr_plan.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::telemetry {
namespace {

enum class Wide : std::int32_t { kFar = -70000, kNear = 1 };

struct Small {
  std::uint8_t a = 1;
  double b = 2;
  bool c = true;
  FixedString<10> name{"hi"};
};

struct Nothing {};

template <std::size_t N>
struct Rows {
  FixedVector<std::uint16_t, N> numbers;
  FixedVector<Small, N> smalls;
};

/// One of everything that a table can describe.
struct Everything {
  bool flag = true;
  std::uint8_t u8 = 3;
  std::uint16_t u16 = 65535;
  std::int32_t i32 = -5;
  std::uint32_t u32 = 7;
  std::int64_t i64 = -(std::int64_t{1} << 60);
  std::uint64_t u64 = ~std::uint64_t{0};
  float f32 = 0.1F;
  double f64 = 0.1;
  std::string text = "a \"b\"\n";
  std::array<bool, 3> flags{true, false, true};
  std::array<float, 3> floats{1, 2, 3};
  FixedVector<double, 8> seq;
  FixedVector<bool, 8> bool_seq;
  FixedVector<std::uint16_t, 5> short_seq;
  std::vector<Small> smalls;
  std::array<Small, 2> pair;
  std::array<Small, 20> many;
  std::array<std::string, 20> names;
  std::optional<double> maybe;
  std::optional<Small> maybe_small;
  Nothing nothing;
  std::vector<std::string> words;
  std::vector<double> numbers;
  // what lies side by side in memory and, behind an odd number of shorts, not on the wire
  double before = 1;
  FixedVector<std::uint16_t, 5> odd;
  std::array<std::uint32_t, 2> two{5, 6};
  double after = 2;
  std::array<AxisMode, 6> mode{};
  Wide wide = Wide::kNear;
  Time stamp{123456789012345};
  Event event;
  Vec6 gain{};
  std::uint8_t last = 9;
};

}  // namespace
}  // namespace pintle::telemetry

namespace pintle {

template <>
const EnumTable& enum_table<telemetry::Wide>() {
  static constexpr std::array values{enum_value(telemetry::Wide::kFar, "far", "Far."),
                                     enum_value(telemetry::Wide::kNear, "near", "Near.")};
  static constexpr EnumTable table{"WideKind", values};
  return table;
}

template <>
const Table& table_of<telemetry::Small>() {
  using telemetry::Small;
  static const Table table = TableBuilder<Small>("Small", "A few things.")
                                 .field("a", &Small::a, "m", "Length.")
                                 .field("B_WB", &Small::b, "", "Number # one.")
                                 .field("c", &Small::c, "", "")
                                 .field("name", &Small::name, "", "Name.")
                                 .build();
  return table;
}

template <>
const Table& table_of<telemetry::Rows<2>>() {
  using R = telemetry::Rows<2>;
  static const Table table = TableBuilder<R>("Rows", "Few.")
                                 .field("numbers", &R::numbers, "", "m")
                                 .field("smalls", &R::smalls, "", "m")
                                 .build();
  return table;
}

template <>
const Table& table_of<telemetry::Rows<3>>() {
  using R = telemetry::Rows<3>;
  static const Table table = TableBuilder<R>("Rows", "More.")
                                 .field("numbers", &R::numbers, "", "m")
                                 .field("smalls", &R::smalls, "", "m")
                                 .build();
  return table;
}

template <>
const Table& table_of<telemetry::Nothing>() {
  static const Table table = TableBuilder<telemetry::Nothing>("Nothing", "No fields.").build();
  return table;
}

template <>
const Table& table_of<telemetry::Everything>() {
  using E = telemetry::Everything;
  static const Table table = TableBuilder<E>("Everything", "One of everything.")
                                 .field("flag", &E::flag, "", "m")
                                 .field("u8", &E::u8, "", "m")
                                 .field("u16", &E::u16, "", "m")
                                 .field("i32", &E::i32, "", "m")
                                 .field("u32", &E::u32, "", "m")
                                 .field("i64", &E::i64, "", "m")
                                 .field("u64", &E::u64, "", "m")
                                 .field("f32", &E::f32, "", "m")
                                 .field("f64", &E::f64, "", "m")
                                 .field("text", &E::text, "", "m")
                                 .field("flags", &E::flags, "", "m")
                                 .field("floats", &E::floats, "", "m")
                                 .field("seq", &E::seq, "", "m")
                                 .field("bool_seq", &E::bool_seq, "", "m")
                                 .field("short_seq", &E::short_seq, "", "m")
                                 .field("smalls", &E::smalls, "", "m")
                                 .field("pair", &E::pair, "", "m")
                                 .field("many", &E::many, "", "m")
                                 .field("names", &E::names, "", "m")
                                 .field("maybe", &E::maybe, "", "m")
                                 .field("maybe_small", &E::maybe_small, "", "m")
                                 .field("nothing", &E::nothing, "", "m")
                                 .field("words", &E::words, "", "m")
                                 .field("numbers", &E::numbers, "", "m")
                                 .field("before", &E::before, "", "m")
                                 .field("odd", &E::odd, "", "m")
                                 .field("two", &E::two, "", "m")
                                 .field("after", &E::after, "", "m")
                                 .field("mode", &E::mode, "", "m")
                                 .keyed(kAxisNames)
                                 .field("wide", &E::wide, "", "m")
                                 .field("stamp_ns", &E::stamp, "ns", "m")
                                 .field("event", &E::event, "", "m")
                                 .field("gain", &E::gain, "", "m")
                                 .field("last", &E::last, "", "m")
                                 .build();
  return table;
}

}  // namespace pintle

namespace pintle::telemetry {
namespace {

using Bytes = std::vector<std::byte>;

Everything random_everything(std::mt19937_64& r) {
  std::normal_distribution<double> number(0, 100);
  Everything e;
  e.flag = r() % 2 == 0;
  e.f64 = number(r);
  e.f32 = static_cast<float>(number(r));
  e.i64 = static_cast<std::int64_t>(r());
  e.text = std::string(r() % 9, 'x');
  e.seq.resize(r() % 9, number(r));
  e.bool_seq.resize(r() % 9, true);
  e.short_seq.resize(r() % 6, 77);
  e.smalls.resize(r() % 5);
  for (Small& s : e.smalls) {
    s.a = static_cast<std::uint8_t>(r());
    s.b = number(r);
    s.name.assign(std::string(r() % 11, 'n'));
  }
  e.many[r() % 20].b = number(r);
  e.names[r() % 20] = "somebody";
  if (r() % 2 == 0) e.maybe = number(r);
  if (r() % 2 == 0) e.maybe_small.emplace();
  e.words.assign(r() % 4, std::string(r() % 5, 'w'));
  e.numbers.assign(r() % 4, number(r));
  e.odd.resize(r() % 6, 78);
  e.mode[r() % 6] = AxisMode::kWrench;
  e.wide = Wide::kFar;
  e.gain[2] = number(r);
  e.event.value = number(r);
  return e;
}

// The encoding as the specification words it, one element after the other, with no plan.
void encode_plainly(const Table& table, const void* object, Bytes& out) {
  const auto align = [&](std::size_t a) {
    while ((out.size() - 4) % a != 0) out.push_back(std::byte{0});
  };
  const auto put = [&](const void* p, std::size_t n) {
    const auto* b = static_cast<const std::byte*>(p);
    out.insert(out.end(), b, b + n);
  };
  const auto put_length = [&](std::size_t n) {
    align(4);
    const auto n32 = static_cast<std::uint32_t>(n);
    put(&n32, 4);
  };
  for (const Field& f : table.fields) {
    const std::size_t n = f.size(object);
    if (f.shape != Shape::kSingle && f.shape != Shape::kArray) put_length(n);
    for (std::size_t i = 0; i < n; ++i) {
      const void* element = f.element(object, i);
      if (f.kind == Kind::kStruct) {
        encode_plainly(*f.table, element, out);
      } else if (f.kind == Kind::kString) {
        const std::string_view text = f.text->get(element);
        put_length(text.size() + 1);
        put(text.data(), text.size());
        out.push_back(std::byte{0});
      } else {
        align(f.element_size);
        put(element, f.element_size);
      }
    }
  }
  if (table.fields.empty()) out.push_back(std::byte{0});
}

Bytes encoded(const Everything& e) {
  Bytes out;
  encode_cdr(e, out);
  return out;
}

TEST(Cdr, LaysFieldsOutAsComputedByHand) {
  Small s;
  s.a = 0xAB;
  s.b = 1.0;
  Bytes out;
  encode_cdr(s, out);
  const unsigned char expected[]{0,    1, 0, 0,                        // header
                                 0xAB, 0, 0, 0, 0,   0,   0,    0,     // a, to 8
                                 0,    0, 0, 0, 0,   0,   0xF0, 0x3F,  // 1.0
                                 1,    0, 0, 0,                        // c, to 4
                                 3,    0, 0, 0, 'h', 'i', 0};          // name
  ASSERT_EQ(out.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(out.data(), expected, sizeof expected), 0);
}

TEST(Cdr, ACompiledPlanWritesWhatThePlainRuleWrites) {
  std::mt19937_64 r(7);
  for (int i = 0; i < 500; ++i) {
    const Everything e = random_everything(r);
    Bytes plain{std::byte{0}, std::byte{1}, std::byte{0}, std::byte{0}};
    encode_plainly(table_of<Everything>(), &e, plain);
    ASSERT_EQ(encoded(e), plain);
    ASSERT_GE(CdrPlan::of(table_of<Everything>()).bound(&e), plain.size());
  }
}

TEST(Cdr, TheBoundOfATableHoldsForFullSequences) {
  Allocation a;
  a.effort.resize(kMaxChannels, 1.0);
  const CdrPlan& plan = CdrPlan::of(table_of<Allocation>());
  EXPECT_GE(plan.bound(&a), plan.size(&a));
  EXPECT_EQ(plan.bound(&a), plan.bound(table_of<Allocation>().defaults));
}

TEST(Cdr, ReadsBackWhatItWrote) {
  std::mt19937_64 r(8);
  for (int i = 0; i < 300; ++i) {
    const Everything e = random_everything(r);
    Everything back = random_everything(r);
    ASSERT_TRUE(decode_cdr(encoded(e), back));
    ASSERT_EQ(to_json(back), to_json(e));
    ASSERT_EQ(encoded(back), encoded(e));
  }
}

TEST(Cdr, PassesEveryBitOfANumber) {
  Vec3 v{std::bit_cast<double>(0x7FF8000000000123ULL), -0.0,
         -std::numeric_limits<double>::infinity()};
  Bytes out;
  encode_cdr(v, out);
  Vec3 back;
  ASSERT_TRUE(decode_cdr(out, back));
  EXPECT_EQ(std::memcmp(&v, &back, sizeof v), 0);
}

TEST(Cdr, RefusesEveryMessageThatEndsEarly) {
  std::mt19937_64 r(9);
  const Bytes whole = encoded(random_everything(r));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    Everything e;
    ASSERT_FALSE(decode_cdr(std::span(whole).first(n), e)) << n;
  }
}

TEST(Cdr, AcceptsNewerMessagesThatCarryMoreAtTheEnd) {
  Small s;
  Bytes out;
  encode_cdr(s, out);
  out.resize(out.size() + 8);
  EXPECT_TRUE(decode_cdr(out, s));
}

TEST(Cdr, RefusesLengthsThatCannotBe) {
  Allocation a;
  a.effort.resize(3);
  Bytes out;
  encode_cdr(a, out);
  const auto with_length = [&](std::uint32_t n) {
    Bytes changed = out;
    std::memcpy(changed.data() + 4, &n, sizeof n);
    return changed;
  };
  ASSERT_TRUE(decode_cdr(with_length(3), a));
  EXPECT_FALSE(decode_cdr(with_length(65), a));
  EXPECT_FALSE(decode_cdr(with_length(0xFFFFFFFF), a));
}

TEST(Cdr, RefusesMoreElementsThanThereIsRoomFor) {
  const auto fits = [](std::size_t numbers, std::size_t smalls) {
    Rows<3> more;
    more.numbers.resize(numbers, 7);
    more.smalls.resize(smalls);
    Bytes out;
    encode_cdr(more, out);
    Rows<2> few;
    return decode_cdr(out, few);
  };
  EXPECT_TRUE(fits(2, 2));
  EXPECT_FALSE(fits(3, 2));
  EXPECT_FALSE(fits(2, 3));
}

TEST(Cdr, RefusesTextThatIsTooLongOrHasNoEnd) {
  Small s;
  s.name.assign("0123456789");
  Bytes out;
  encode_cdr(s, out);
  ASSERT_TRUE(decode_cdr(out, s));
  // header 4, a and its padding 8, b 8, c and its padding 4, then the length of the text
  constexpr std::size_t kLength = 24;
  constexpr std::size_t kText = 28;
  ASSERT_EQ(out.size(), kText + 11);
  out[kText + 10] = std::byte{'x'};
  EXPECT_FALSE(decode_cdr(out, s));
  out.push_back(std::byte{0});
  out[kLength] = std::byte{12};
  EXPECT_FALSE(decode_cdr(out, s));
}

TEST(Cdr, RefusesBigEndianAndOtherEncapsulations) {
  Small s;
  Bytes out;
  encode_cdr(s, out);
  for (const int second : {0, 2, 3, 7}) {
    out[1] = static_cast<std::byte>(second);
    EXPECT_FALSE(decode_cdr(out, s));
  }
}

TEST(Cdr, MakesBoolsOfAnyByte) {
  Small s;
  Bytes out;
  encode_cdr(s, out);
  out[20] = std::byte{0x80};
  ASSERT_TRUE(decode_cdr(out, s));
  std::uint8_t raw = 0;
  std::memcpy(&raw, &s.c, 1);
  EXPECT_EQ(raw, 1);
}

TEST(Cdr, SurvivesAnyChangeOfAnyByte) {
  std::mt19937_64 r(10);
  const Bytes whole = encoded(random_everything(r));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
      Bytes changed = whole;
      changed[i] ^= static_cast<std::byte>(flip);
      Everything e;
      if (decode_cdr(changed, e)) {
        EXPECT_LE(encoded(e).size(), whole.size() + 16);
      }
    }
  }
}

TEST(Cdr, EncodingIntoEnoughCapacityAllocatesNothing) {
  Allocation a;
  a.effort.resize(8, 1.0);
  Bytes out;
  encode_cdr(a, out);
  const std::uint64_t before = testing::heap_allocations();
  for (int i = 0; i < 100; ++i) {
    out.clear();
    encode_cdr(a, out);
    ASSERT_TRUE(decode_cdr(out, a));
  }
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(Ros2Msg, DefinesATypeAsRos2ReadsIt) {
  EXPECT_EQ(ros2msg_definition(table_of<Small>()),
            "uint8 a  # [m] Length.\n"
            "float64 b_wb  # Number # one.\n"
            "bool c\n"
            "string name  # Name.\n");
  EXPECT_EQ(ros2msg_definition(table_of<Nothing>()), "uint8 structure_needs_at_least_one_member\n");
}

TEST(Ros2Msg, NestedTypesFollowOnceEachAndEnumsBringTheirConstants) {
  const std::string text = ros2msg_definition(table_of<Setpoint>());
  const std::string rule(80, '=');
  EXPECT_NE(text.find("pintle/Pose x_wd  # Desired pose in the world.\n"), std::string::npos);
  EXPECT_NE(text.find("uint8 AXIS_MODE_VELOCITY=1\nuint8 AXIS_MODE_WRENCH=2\nuint8[6] mode"),
            std::string::npos);
  EXPECT_NE(text.find(rule + "\nMSG: pintle/Pose\npintle/Vec3 p  # [m] "), std::string::npos);
  const std::size_t vec3 = text.find("MSG: pintle/Vec3\nfloat64 x");
  ASSERT_NE(vec3, std::string::npos);
  EXPECT_EQ(text.find("MSG: pintle/Vec3\n", vec3 + 1), std::string::npos);
}

TEST(Ros2Msg, BoundsAndWidthsAreThoseOfTheFields) {
  const std::string text = ros2msg_definition(table_of<Everything>());
  for (const char* line : {"float64[<=8] seq ", "pintle/Small[] smalls ", "string[20] names ",
                           "float64[<=1] maybe ", "pintle/Small[<=1] maybe_small ",
                           "int32 WIDE_KIND_FAR=-70000\n", "int32 wide ", "int64 stamp_ns "})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(Ros2Msg, ALayoutIsTheSameWhenOnlyCommentsDiffer) {
  EXPECT_TRUE(same_layout("uint8 a\n\n# new words\nfloat64 b_wb # x\nbool c\nstring name",
                          table_of<Small>()));
  EXPECT_FALSE(same_layout("uint8 a\nfloat32 b_wb\nbool c\nstring name", table_of<Small>()));
  EXPECT_FALSE(same_layout("uint8 a\nfloat64 b_wb\nbool c\n", table_of<Small>()));
}

TEST(Json, NamesFieldsAndValuesAsTheTablesDo) {
  Everything e;
  e.seq.resize(2, 0.5);
  e.many = {};
  const std::string json = to_json(e);
  for (const char* part :
       {"\"flag\":true", "\"u16\":65535", "\"i64\":-1152921504606846976",
        "\"u64\":18446744073709551615", "\"f32\":0.1,", "\"f64\":0.1,",
        "\"text\":\"a \\\"b\\\"\\n\"", "\"seq\":[0.5,0.5]",
        "\"pair\":[{\"a\":1,\"B_WB\":2,\"c\":true,\"name\":\"hi\"}", "\"maybe\":null",
        "\"mode\":{\"x\":\"position\",\"y\":\"position\"", "\"wide\":\"near\"", "\"nothing\":{}"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

TEST(Json, NumbersThatAreNotFiniteBecomeText) {
  EXPECT_EQ(to_json(Vec3{std::nan(""), HUGE_VAL, -HUGE_VAL}),
            R"({"x":"NaN","y":"Infinity","z":"-Infinity"})");
}

TEST(Json, AnEnumWithoutANameStaysANumber) {
  Event e;
  e.code = static_cast<EventCode>(200);
  EXPECT_NE(to_json(e).find("\"code\":200"), std::string::npos);
}

TEST(Json, TextIsAlwaysValidUtf8AndEscaped) {
  std::string out;
  append_json_text("\x01\x7f\\ \xC3\xA4 \xF0\x9F\x9A\x80 \xC0\x80 \xED\xA0\x80 \xFF", out);
  EXPECT_EQ(out,
            "\"\\u0001\\u007f\\\\ \xC3\xA4 \xF0\x9F\x9A\x80 \\ufffd\\ufffd "
            "\\ufffd\\ufffd\\ufffd \\ufffd\"");
}

TEST(Html, OfAnyBytesItIsTextThatMeansNothingToABrowser) {
  EXPECT_EQ(escape_html("<b a='1' c=\"2\">&\n\\"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp; \\");
  EXPECT_EQ(escape_html("a\x01z\xFF"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
}

TEST(NumberText, ReadsBackToTheSameBits) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(-0.0), "-0");
  EXPECT_EQ(number_text(std::nan("")), "nan");
  EXPECT_EQ(number_text(-HUGE_VAL), "-inf");
  std::mt19937_64 r(3);
  for (int i = 0; i < 20000; ++i) {
    const auto x = std::bit_cast<double>(r());
    if (!std::isfinite(x)) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(number_text(x).c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(x));
  }
}

}  // namespace
}  // namespace pintle::telemetry
