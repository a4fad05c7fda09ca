#include "pintle/base/fields.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

namespace pintle {
namespace {

enum class Colour : std::uint8_t { kRed = 0, kGreen = 7, kBlue = 200 };
enum class Wide : std::int64_t { kNear = 1, kFar = -4'000'000'000 };
enum class Short : std::uint16_t { kLast = 65535 };
enum Plain : std::int32_t { kLeast = -2147483647 - 1 };

struct Inner {
  double a = 1.5;
  double b = -2;
};

struct Outer {
  bool flag = true;
  std::uint8_t u8 = 8;
  std::uint16_t u16 = 16;
  std::int32_t i32 = -32;
  std::uint32_t u32 = 32;
  std::int64_t i64 = -64;
  std::uint64_t u64 = 64;
  float f32 = 0.25F;
  double f64 = 0.5;
  Time stamp{11};
  Duration period{12};
  Colour colour = Colour::kGreen;
  Wide wide = Wide::kNear;
  std::string text = "free";
  FixedString<4> code{"ab"};
  Inner inner;
  std::array<double, 3> three{1, 2, 3};
  FixedVector<std::uint16_t, 4> sequence{2, 9};
  std::vector<Inner> many{Inner{}, Inner{7, 8}};
  std::optional<double> maybe;
};

}  // namespace

template <>
const EnumTable& enum_table<Colour>() {
  static constexpr std::array values{EnumValue{0, "red", "Warm."}, EnumValue{7, "green", "Calm."},
                                     EnumValue{200, "blue", "Cold."}};
  static constexpr EnumTable table{"Colour", values};
  return table;
}

template <>
const EnumTable& enum_table<Wide>() {
  static constexpr std::array values{EnumValue{1, "near", "Close by."},
                                     EnumValue{-4'000'000'000, "far", "Not close by."}};
  static constexpr EnumTable table{"Wide", values};
  return table;
}

template <>
const EnumTable& enum_table<Short>() {
  static constexpr std::array values{EnumValue{65535, "last", "The last."}};
  static constexpr EnumTable table{"Short", values};
  return table;
}

template <>
const EnumTable& enum_table<Plain>() {
  static constexpr std::array values{EnumValue{kLeast, "least", "The least."}};
  static constexpr EnumTable table{"Plain", values};
  return table;
}

template <>
const Table& table_of<Inner>() {
  static const Table table = TableBuilder<Inner>("Inner", "Two numbers.")
                                 .field("a", &Inner::a, "", "First.")
                                 .required()
                                 .field("b", &Inner::b, "", "Second.")
                                 .as_list()
                                 .build();
  return table;
}

namespace {
constexpr std::array<std::string_view, 3> kKeys{"x", "y", "z"};
}

template <>
const Table& table_of<Outer>() {
  static const Table table = TableBuilder<Outer>("Outer", "One of each.")
                                 .field("flag", &Outer::flag, "", "Yes or no.")
                                 .field("u8", &Outer::u8, "", "Small.")
                                 .range(1, 9)
                                 .field("u16", &Outer::u16, "", "Larger.")
                                 .field("i32", &Outer::i32, "", "Signed.")
                                 .field("u32", &Outer::u32, "", "Unsigned.")
                                 .field("i64", &Outer::i64, "", "Long.")
                                 .field("u64", &Outer::u64, "", "Long and unsigned.")
                                 .field("f32", &Outer::f32, "", "Short and real.")
                                 .at_least(-1)
                                 .field("f64_m", &Outer::f64, "m", "Real.")
                                 .above(0)
                                 .field("stamp_ns", &Outer::stamp, "ns", "Instant.")
                                 .field("period_ns", &Outer::period, "ns", "Difference.")
                                 .field("colour", &Outer::colour, "", "Of the paint.")
                                 .field("wide", &Outer::wide, "", "An enumeration of eight bytes.")
                                 .field("text", &Outer::text, "", "Any text.")
                                 .field("code", &Outer::code, "", "Short text.")
                                 .field("inner", &Outer::inner, "", "A struct.")
                                 .required()
                                 .field("three", &Outer::three, "", "Always three.")
                                 .keyed(kKeys)
                                 .field("sequence", &Outer::sequence, "", "Up to four.")
                                 .items_at_least(1)
                                 .field("many", &Outer::many, "", "Any number.")
                                 .field("maybe", &Outer::maybe, "", "None or one.")
                                 .build();
  return table;
}

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const Field& field(std::string_view name) {
  const Field* found = table_of<Outer>().find(name);
  if (found == nullptr) throw std::out_of_range(std::string(name));
  return *found;
}

TEST(Table, SaysWhatItWasBuiltWith) {
  const Table& t = table_of<Outer>();
  EXPECT_EQ(t.name, "Outer");
  EXPECT_EQ(t.meaning, "One of each.");
  EXPECT_EQ(t.object_size, sizeof(Outer));
  EXPECT_FALSE(t.as_list);
  EXPECT_TRUE(table_of<Inner>().as_list);
  EXPECT_EQ(t.fields.size(), 20U);
  EXPECT_EQ(t.find("nothing of the kind"), nullptr);
  EXPECT_EQ(static_cast<const Outer*>(t.defaults)->i32, -32);
}

TEST(Table, AModifierActsOnTheFieldBeforeItOnly) {
  EXPECT_EQ(field("u8").minimum, 1);
  EXPECT_EQ(field("u8").maximum, 9);
  EXPECT_EQ(field("u16").minimum, -kInf);
  EXPECT_EQ(field("u16").maximum, kInf);
  EXPECT_EQ(field("f32").minimum, -1);
  EXPECT_FALSE(field("f32").above_minimum);
  EXPECT_EQ(field("f64_m").minimum, 0);
  EXPECT_TRUE(field("f64_m").above_minimum);
  EXPECT_EQ(field("f64_m").unit, "m");
  EXPECT_TRUE(field("inner").required);
  EXPECT_FALSE(field("three").required);
  EXPECT_EQ(field("three").keys[2], "z");
  EXPECT_EQ(field("sequence").minimum_items, 1U);
}

struct Holder {
  int before = 0;
  Inner inner{3, 4};
  Inner twin{5, 6};
};

TEST(Table, InlinedFieldsAreReachedThroughTheStructThatHoldsThem) {
  constexpr std::array<std::string_view, 1> only{"b"};
  const Table table = TableBuilder<Holder>("Holder", "Holds another.")
                          .field("before", &Holder::before, "", "Its own.")
                          .inlined(&Holder::inner)
                          .build();
  const Table part =
      TableBuilder<Holder>("Part", "Holds some of another.").inlined(&Holder::twin, only).build();
  const Holder object;
  ASSERT_EQ(table.fields.size(), 1 + table_of<Inner>().fields.size());
  EXPECT_EQ(table.fields[0].name, "before");
  EXPECT_EQ(number_of(*table.find("a"), table.find("a")->element(&object, 0)), 3);
  EXPECT_EQ(number_of(*table.find("b"), table.find("b")->element(&object, 0)), 4);
  ASSERT_EQ(part.fields.size(), 1U);
  EXPECT_EQ(number_of(part.fields[0], part.fields[0].element(&object, 0)), 6);
  // what the table says of defaults is what the holder's own default holds
  EXPECT_EQ(number_of(part.fields[0], part.fields[0].element(part.defaults, 0)), 6);
}

TEST(Field, KnowsItsKindAndShapeFromTheMember) {
  const auto is = [](std::string_view name, Kind kind, Shape shape, std::size_t element,
                     std::size_t capacity) {
    const Field& f = field(name);
    EXPECT_EQ(f.kind, kind) << name;
    EXPECT_EQ(f.shape, shape) << name;
    EXPECT_EQ(f.element_size, element) << name;
    EXPECT_EQ(f.capacity, capacity) << name;
  };
  is("flag", Kind::kBool, Shape::kSingle, 1, 1);
  is("u8", Kind::kUint8, Shape::kSingle, 1, 1);
  is("u16", Kind::kUint16, Shape::kSingle, 2, 1);
  is("i32", Kind::kInt32, Shape::kSingle, 4, 1);
  is("u32", Kind::kUint32, Shape::kSingle, 4, 1);
  is("i64", Kind::kInt64, Shape::kSingle, 8, 1);
  is("u64", Kind::kUint64, Shape::kSingle, 8, 1);
  is("f32", Kind::kFloat32, Shape::kSingle, 4, 1);
  is("f64_m", Kind::kFloat64, Shape::kSingle, 8, 1);
  is("stamp_ns", Kind::kInt64, Shape::kSingle, 8, 1);
  is("period_ns", Kind::kInt64, Shape::kSingle, 8, 1);
  is("colour", Kind::kEnum, Shape::kSingle, 1, 1);
  is("wide", Kind::kEnum, Shape::kSingle, 8, 1);
  is("text", Kind::kString, Shape::kSingle, sizeof(std::string), 1);
  is("code", Kind::kString, Shape::kSingle, sizeof(FixedString<4>), 1);
  is("inner", Kind::kStruct, Shape::kSingle, sizeof(Inner), 1);
  is("three", Kind::kFloat64, Shape::kArray, 8, 3);
  is("sequence", Kind::kUint16, Shape::kSequence, 2, 4);
  is("many", Kind::kStruct, Shape::kVector, sizeof(Inner), std::numeric_limits<std::size_t>::max());
  is("maybe", Kind::kFloat64, Shape::kOptional, 8, 1);
  EXPECT_EQ(field("inner").table, &table_of<Inner>());
  EXPECT_EQ(field("many").table, &table_of<Inner>());
  EXPECT_EQ(field("colour").enumeration, &enum_table<Colour>());
}

TEST(Field, ReachesTheElementsOfEveryContainer) {
  Outer o;
  EXPECT_EQ(field("inner").size(&o), 1U);
  EXPECT_EQ(field("three").size(&o), 3U);
  EXPECT_EQ(field("sequence").size(&o), 2U);
  EXPECT_EQ(field("many").size(&o), 2U);
  EXPECT_EQ(field("maybe").size(&o), 0U);
  EXPECT_EQ(field("three").element(&o, 2), &o.three[2]);
  EXPECT_EQ(field("sequence").element(&o, 1), &o.sequence[1]);
  EXPECT_EQ(field("many").element(&o, 1), &o.many[1]);
  const Outer& same = o;
  EXPECT_EQ(field("many").element(&same, 1), &o.many[1]);
  const Field& b = *table_of<Inner>().find("b");
  EXPECT_EQ(number_of(b, b.in(field("many").element(&same, 1))), 8);
}

TEST(Field, ResizesWhatCanBeResizedAndSaysWhatCannot) {
  Outer o;
  const auto resize = [&](std::string_view name, std::size_t n) {
    return field(name).access->resize(field(name).in(&o), n);
  };
  EXPECT_TRUE(resize("flag", 1));
  EXPECT_FALSE(resize("flag", 0));
  EXPECT_TRUE(resize("three", 3));
  EXPECT_FALSE(resize("three", 2));
  EXPECT_TRUE(resize("sequence", 0));
  EXPECT_TRUE(o.sequence.empty());
  EXPECT_FALSE(resize("sequence", 5));
  EXPECT_EQ(o.sequence.size(), 4U);
  EXPECT_TRUE(resize("many", 100));
  EXPECT_EQ(o.many.size(), 100U);
  EXPECT_TRUE(resize("maybe", 1));
  ASSERT_TRUE(o.maybe.has_value());
  o.maybe = 4;
  // what is there stays
  EXPECT_TRUE(resize("maybe", 1));
  EXPECT_EQ(o.maybe, 4);
  EXPECT_FALSE(resize("maybe", 2));
  EXPECT_TRUE(resize("maybe", 0));
  EXPECT_FALSE(o.maybe.has_value());
}

TEST(Field, TextGoesInAndOutAndTellsWhenItDoesNotFit) {
  Outer o;
  const auto set = [&](std::string_view name, std::string_view text) {
    return field(name).text->set(field(name).in(&o), text);
  };
  EXPECT_TRUE(set("text", "as long as it likes to be, on the heap"));
  EXPECT_EQ(field("text").text->get(&o.text), "as long as it likes to be, on the heap");
  EXPECT_TRUE(set("code", "wxyz"));
  EXPECT_EQ(field("code").text->get(&o.code), "wxyz");
  EXPECT_FALSE(set("code", "vwxyz"));
  EXPECT_EQ(o.code.view(), "vwxy");
}

TEST(Numbers, EveryIntegerKindGivesBackItsExtremes) {
  const auto round_trip = [](std::string_view name, auto member, auto values) {
    for (const auto value : values) {
      Outer o;
      const Field& f = field(name);
      set_integer(f, f.in(&o), static_cast<std::int64_t>(value));
      EXPECT_EQ(o.*member, value) << name;
      EXPECT_EQ(integer_of(f, f.in(&o)), static_cast<std::int64_t>(value)) << name;
      EXPECT_EQ(number_of(f, f.in(&o)), static_cast<double>(value)) << name;
    }
  };
  const auto extremes = []<class T>(T) {
    return std::array<T, 4>{std::numeric_limits<T>::min(), 0, 1, std::numeric_limits<T>::max()};
  };
  round_trip("flag", &Outer::flag, std::array{false, true});
  round_trip("u8", &Outer::u8, extremes(std::uint8_t{}));
  round_trip("u16", &Outer::u16, extremes(std::uint16_t{}));
  round_trip("i32", &Outer::i32, extremes(std::int32_t{}));
  round_trip("u32", &Outer::u32, extremes(std::uint32_t{}));
  round_trip("i64", &Outer::i64, extremes(std::int64_t{}));
  round_trip("u64", &Outer::u64, extremes(std::uint64_t{}));
  round_trip("colour", &Outer::colour, std::array{Colour::kRed, Colour::kGreen, Colour::kBlue});
  round_trip("wide", &Outer::wide, std::array{Wide::kNear, Wide::kFar});
}

TEST(Numbers, AnEnumerationOfTwoOrFourBytesGivesBackItsExtremes) {
  const auto round_trip = []<class E>(E value) {
    const Field f = detail::describe_member<E>();
    // neighbours that must stay as they are
    std::array<E, 3> e{};
    set_integer(f, &e[1], static_cast<std::int64_t>(value));
    EXPECT_EQ(e, (std::array<E, 3>{E{}, value, E{}}));
    EXPECT_EQ(integer_of(f, &e[1]), static_cast<std::int64_t>(value));
    set_number(f, &e[1], 2 * static_cast<double>(value));
    EXPECT_EQ(e, (std::array<E, 3>{E{}, value, E{}}));
  };
  round_trip(Short::kLast);
  round_trip(kLeast);
}

TEST(Numbers, EveryKindTakesAsADoubleWhatItGivesAsOne) {
  for (const Field& f : table_of<Outer>().fields) {
    if (f.shape != Shape::kSingle || f.kind == Kind::kString || f.kind == Kind::kStruct) continue;
    for (const double value : {0.0, 1.0, 200.0}) {
      if (f.kind == Kind::kBool && value > 1) continue;
      Outer o;
      set_number(f, f.in(&o), value);
      EXPECT_EQ(number_of(f, f.in(&o)), value) << f.name;
      EXPECT_EQ(integer_of(f, f.in(&o)), static_cast<std::int64_t>(value)) << f.name;
    }
  }
}

TEST(Numbers, RealKindsKeepWhatTheyCanHold) {
  Outer o;
  for (const double value : {0.1, -1e308, 5e-324, kInf, -kInf}) {
    set_number(field("f64_m"), &o.f64, value);
    EXPECT_EQ(o.f64, value);
    EXPECT_EQ(number_of(field("f64_m"), &o.f64), value);
  }
  set_number(field("f64_m"), &o.f64, kNaN);
  EXPECT_TRUE(std::isnan(number_of(field("f64_m"), &o.f64)));
  set_number(field("f32"), &o.f32, 0.1);
  EXPECT_EQ(o.f32, 0.1F);
  EXPECT_EQ(number_of(field("f32"), &o.f32), static_cast<double>(0.1F));
  set_integer(field("f64_m"), &o.f64, -3);
  EXPECT_EQ(o.f64, -3);
  set_integer(field("f32"), &o.f32, 3);
  EXPECT_EQ(o.f32, 3);
}

TEST(Numbers, AnIntegerKindIsCutToWhatItHolds) {
  struct Case {
    std::string_view name;
    double least, most;
  };
  for (const auto& [name, least, most] :
       {Case{"flag", 0, 1}, Case{"u8", 0, 255}, Case{"u16", 0, 65535},
        Case{"i32", -2147483648.0, 2147483647}, Case{"u32", 0, 4294967295.0},
        Case{"i64", -0x1p63, 0x1p63}, Case{"u64", 0, 0x1p64}, Case{"stamp_ns", -0x1p63, 0x1p63},
        Case{"colour", 0, 255}, Case{"wide", -0x1p63, 0x1p63}}) {
    const Field& f = field(name);
    Outer o;
    for (const double value : {1e30, kInf, 0x1p64}) {
      set_number(f, f.in(&o), value);
      EXPECT_EQ(number_of(f, f.in(&o)), most) << name << " " << value;
      set_number(f, f.in(&o), -value);
      EXPECT_EQ(number_of(f, f.in(&o)), least) << name << " " << -value;
    }
    set_number(f, f.in(&o), kNaN);
    EXPECT_EQ(number_of(f, f.in(&o)), 0) << name;
    set_number(f, f.in(&o), 1.9);
    EXPECT_EQ(number_of(f, f.in(&o)), 1) << name;
  }
}

TEST(Numbers, ARealKindReadAsAnIntegerIsCutToo) {
  Outer o;
  const auto read = [&](double value) {
    o.f64 = value;
    o.f32 = static_cast<float>(value);
    const std::int64_t whole = integer_of(field("f64_m"), &o.f64);
    EXPECT_EQ(integer_of(field("f32"), &o.f32), whole) << value;
    return whole;
  };
  EXPECT_EQ(read(-2.75), -2);
  EXPECT_EQ(read(0x1p62), std::int64_t{1} << 62);
  EXPECT_EQ(read(0x1p63), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read(-0x1p63), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read(kInf), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read(-kInf), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read(kNaN), 0);
}

TEST(Numbers, TextAndStructsHaveNoneAndTakeNone) {
  Outer o;
  for (const std::string_view name : {"text", "code", "inner"}) {
    const Field& f = field(name);
    set_number(f, f.in(&o), 77);
    set_integer(f, f.in(&o), 77);
    EXPECT_EQ(number_of(f, f.in(&o)), 0);
    EXPECT_EQ(integer_of(f, f.in(&o)), 0);
  }
  EXPECT_EQ(o.text, "free");
  EXPECT_EQ(o.code.view(), "ab");
  EXPECT_EQ(o.inner.a, 1.5);
}

TEST(Numbers, AByteThatIsNeitherTrueNorFalseReadsAsTrue) {
  // as a log that was damaged may hold it
  std::uint8_t byte = 2;
  EXPECT_EQ(integer_of(field("flag"), &byte), 1);
  EXPECT_EQ(number_of(field("flag"), &byte), 1);
}

TEST(Numbers, BoolAndEnumCountAsIntegers) {
  for (const Kind kind : {Kind::kBool, Kind::kUint8, Kind::kUint16, Kind::kInt32, Kind::kUint32,
                          Kind::kInt64, Kind::kUint64, Kind::kEnum})
    EXPECT_TRUE(is_integer(kind));
  for (const Kind kind : {Kind::kFloat32, Kind::kFloat64, Kind::kString, Kind::kStruct})
    EXPECT_FALSE(is_integer(kind));
}

TEST(EnumTable, NamesLeadToValuesAndBack) {
  const EnumTable& t = enum_table<Colour>();
  for (const EnumValue& v : t.values) {
    EXPECT_EQ(t.name_of(v.value), v.name);
    EXPECT_EQ(t.value_of(v.name), v.value);
  }
  EXPECT_EQ(to_string(Colour::kBlue), "blue");
  EXPECT_EQ(to_string(Wide::kFar), "far");
  EXPECT_EQ(t.name_of(1), "unknown");
  EXPECT_EQ(t.value_of("Red"), std::nullopt);
  EXPECT_EQ(t.value_of(""), std::nullopt);
}

}  // namespace
}  // namespace pintle
