#include "pintle/config/reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pintle/base/axis.h"
#include "pintle/base/signals.h"

namespace pintle {
namespace {

enum class Mode : std::uint8_t { kCalculated = 0, kProvided = 1, kNone = 7 };

struct Gains {
  double kp = 0, ki = 0.5;
  Mode derivative_type = Mode::kCalculated;
};

struct Part {
  std::string name;
  Vec3 position_m{1, 2, 3};
  double tau_s = 0.1;
  std::array<double, 2> band{-1, 1};
};

struct Craft {
  double mass_kg = 5;
  double max_thrust_N = 50;
  double angle_rad = 0;
  double speed_m_s = 1;
  std::int32_t count = 3;
  std::uint64_t seed = 1;
  std::uint8_t small = 1;
  float rough = 1;
  Time start{};
  bool on = false;
  std::string note = "none";
  FixedString<5> code{"abc"};
  std::array<Gains, kAxes> gains{};
  std::array<double, kAxes> limits{1, 1, 1, 1, 1, 1};
  std::optional<double> after_s;
  std::optional<Part> spare;
  std::vector<Part> parts;
  FixedVector<double, 4> curve;
  std::vector<std::string> names;
};

}  // namespace

template <>
const EnumTable& enum_table<Mode>() {
  static constexpr EnumValue values[] = {{0, "calculated", "From the error."},
                                         {1, "provided", "From outside."},
                                         {7, "none", "No derivative."}};
  static constexpr EnumTable table{"Mode", values};
  return table;
}

template <>
const Table& table_of<Gains>() {
  static const Table table = TableBuilder<Gains>("Gains", "Of one axis.")
                                 .field("kp", &Gains::kp, "", "Proportional.")
                                 .required()
                                 .field("ki", &Gains::ki, "", "Integral.")
                                 .at_least(0)
                                 .field("derivative_type", &Gains::derivative_type, "", "Which.")
                                 .build();
  return table;
}

template <>
const Table& table_of<Part>() {
  static const Table table = TableBuilder<Part>("Part", "A part.")
                                 .field("name", &Part::name, "", "Its name.")
                                 .required()
                                 .field("position_m", &Part::position_m, "m", "Where.")
                                 .range(-10, 10)
                                 .field("tau_s", &Part::tau_s, "s", "Lag.")
                                 .range(0, 10)
                                 .field("band", &Part::band, "N", "Dead band.")
                                 .build();
  return table;
}

template <>
const Table& table_of<Craft>() {
  static const Table table = TableBuilder<Craft>("Craft", "A craft.")
                                 .field("mass_kg", &Craft::mass_kg, "kg", "Mass.")
                                 .above(0)
                                 .required()
                                 .field("max_thrust_N", &Craft::max_thrust_N, "N", "Thrust.")
                                 .above(0)
                                 .field("angle_rad", &Craft::angle_rad, "rad", "Angle.")
                                 .field("speed_m_s", &Craft::speed_m_s, "m/s", "Speed.")
                                 .field("count", &Craft::count, "", "Count.")
                                 .range(0, 10)
                                 .field("seed", &Craft::seed, "", "Seed.")
                                 .field("small", &Craft::small, "", "Small.")
                                 .field("rough", &Craft::rough, "", "Rough.")
                                 .field("start_ns", &Craft::start, "ns", "Start.")
                                 .field("on", &Craft::on, "", "On.")
                                 .field("note", &Craft::note, "", "Note.")
                                 .field("code", &Craft::code, "", "Code.")
                                 .field("gains", &Craft::gains, "", "Gains.")
                                 .keyed(kAxisNames)
                                 .field("limits", &Craft::limits, "N", "Limits.")
                                 .keyed(kAxisNames)
                                 .field("after_s", &Craft::after_s, "s", "Time.")
                                 .at_least(0)
                                 .field("spare", &Craft::spare, "", "Spare part.")
                                 .field("parts", &Craft::parts, "", "Parts.")
                                 .items_at_least(1)
                                 .field("curve", &Craft::curve, "", "Curve.")
                                 .field("names", &Craft::names, "", "Names.")
                                 .build();
  return table;
}

namespace config {
namespace {

struct Read {
  Craft craft;
  std::vector<Problem> problems;

  // every problem as one line: "line:column message => fix"
  [[nodiscard]] std::string all() const {
    std::string out;
    for (const Problem& p : problems)
      out += std::to_string(p.where.line) + ":" + std::to_string(p.where.column) + " " + p.message +
             " => " + p.fix + "\n";
    return out;
  }
};

Read read(std::string text, const ReadOptions& options = {}, Craft craft = {}) {
  const Document document = Document::parse(std::move(text), "craft.yaml");
  Reader reader(document);
  reader.read(document.root(), craft, options);
  return {craft, reader.problems()};
}

// the problems of one line below a complete file
std::string problem_of(const std::string& line) { return read("mass_kg: 1\n" + line + "\n").all(); }

TEST(ReaderTest, FillsEveryKindOfField) {
  const Read r = read(
      "mass_kg: 12.5\n"
      "max_thrust_N: 1e2\n"
      "count: 7\n"
      "seed: 18446744073709551615\n"
      "small: 255\n"
      "rough: 0.25\n"
      "start_ns: 9007199254740993\n"
      "on: true\n"
      "note: 5 words, or so\n"
      "code: 12345\n"
      "gains:\n"
      "  x: {kp: 1, derivative_type: provided}\n"
      "  yaw: {kp: 2, ki: 0, derivative_type: 7}\n"
      "limits: [1, 2, 3, 4, 5, 6]\n"
      "after_s: 3\n"
      "spare: {name: s, position_m: {x: 1, y: 0, z: -1}}\n"
      "parts:\n"
      "- name: a\n"
      "- {name: b, position_m: [4, 5, 6], tau_s: 2, band: [-3, 3]}\n"
      "curve: [0.5, -1]\n"
      "names: [u, 'v']\n");
  EXPECT_EQ(r.all(), "");
  EXPECT_EQ(r.craft.mass_kg, 12.5);
  EXPECT_EQ(r.craft.max_thrust_N, 100);
  EXPECT_EQ(r.craft.count, 7);
  EXPECT_EQ(r.craft.seed, 18446744073709551615ULL);
  EXPECT_EQ(r.craft.small, 255);
  EXPECT_EQ(r.craft.rough, 0.25F);
  EXPECT_EQ(r.craft.start.ns, 9007199254740993);  // not a double
  EXPECT_TRUE(r.craft.on);
  EXPECT_EQ(r.craft.note, "5 words, or so");
  EXPECT_EQ(r.craft.code.view(), "12345");
  EXPECT_EQ(r.craft.gains[0].kp, 1);
  EXPECT_EQ(r.craft.gains[0].ki, 0.5);
  EXPECT_EQ(r.craft.gains[0].derivative_type, Mode::kProvided);
  EXPECT_EQ(r.craft.gains[1].kp, 0);
  EXPECT_EQ(r.craft.gains[5].derivative_type, Mode::kNone);
  EXPECT_EQ(r.craft.limits[5], 6);
  EXPECT_EQ(r.craft.after_s, 3.0);
  ASSERT_TRUE(r.craft.spare.has_value());
  EXPECT_EQ(r.craft.spare->position_m, (Vec3{1, 0, -1}));
  ASSERT_EQ(r.craft.parts.size(), 2U);
  EXPECT_EQ(r.craft.parts[0].position_m, (Vec3{1, 2, 3}));
  EXPECT_EQ(r.craft.parts[1].position_m, (Vec3{4, 5, 6}));
  EXPECT_EQ(r.craft.parts[1].band[0], -3);
  ASSERT_EQ(r.craft.curve.size(), 2U);
  EXPECT_EQ(r.craft.curve[1], -1);
  EXPECT_EQ(r.craft.names, (std::vector<std::string>{"u", "v"}));
}

TEST(ReaderTest, KeepsDefaultsOfWhatIsMissingAndOfWhatIsWrong) {
  const Read r = read("mass_kg: -1\ncount: many\nspare: ~\nlimits: {y: 9}\n");
  EXPECT_EQ(r.problems.size(), 2U);
  EXPECT_EQ(r.craft.mass_kg, 5);
  EXPECT_EQ(r.craft.count, 3);
  EXPECT_EQ(r.craft.max_thrust_N, 50);
  EXPECT_FALSE(r.craft.spare.has_value());
  EXPECT_EQ(r.craft.limits[0], 1);
  EXPECT_EQ(r.craft.limits[1], 9);
}

struct Case {
  const char* line;
  const char* answer;
};

TEST(ReaderTest, AnswersNumbersThatAreNotNumbers) {
  const Case cases[] = {
      {"max_thrust_N: fifty",
       "2:15 max_thrust_N: expected a number above 0, got \"fifty\" => write a number in newtons, "
       "such as  max_thrust_N: 1\n"},
      {"max_thrust_N: 50 kgf",
       "2:15 max_thrust_N: expected a number above 0, got \"50 kgf\" => write the number alone, in "
       "newtons:  max_thrust_N: 490.3325\n"},
      {"max_thrust_N: 10lbf",
       "2:15 max_thrust_N: expected a number above 0, got \"10lbf\" => write the number alone, in "
       "newtons:  max_thrust_N: 44.48221615\n"},
      {"max_thrust_N: 50 N",
       "2:15 max_thrust_N: expected a number above 0, got \"50 N\" => write the number alone, in "
       "newtons:  max_thrust_N: 50\n"},
      {"angle_rad: 30 deg",
       "2:12 angle_rad: expected a number, got \"30 deg\" => write the number alone, in radians:  "
       "angle_rad: 0.5235987756\n"},
      {"angle_rad: 180°",
       "2:12 angle_rad: expected a number, got \"180°\" => write the number alone, in radians:  "
       "angle_rad: 3.141592654\n"},
      {"speed_m_s: 36 km/h",
       "2:12 speed_m_s: expected a number, got \"36 km/h\" => write the number alone, in metres "
       "per "
       "second:  speed_m_s: 10\n"},
      {"after_s: 30 ms",
       "2:10 after_s: expected a number of at least 0, got \"30 ms\" => write the number alone, in "
       "seconds:  after_s: 0.03\n"},
      {"after_s: 3 kg",
       "2:10 after_s: expected a number of at least 0, got \"3 kg\" => write a number in seconds, "
       "such as  after_s: 1\n"},
      {"angle_rad: 1,5",
       "2:12 angle_rad: expected a number, got \"1,5\" => use a point for decimals:  angle_rad: "
       "1.5\n"},
      {"angle_rad: 1_000",
       "2:12 angle_rad: expected a number, got \"1_000\" => write  angle_rad: 1000\n"},
      {"angle_rad: '2'",
       "2:12 angle_rad: expected a number, got \"2\" => remove the quotes:  angle_rad: 2\n"},
      {"angle_rad: [1]",
       "2:1 angle_rad: expected a number, got a list => write a number in radians, such as  "
       "angle_rad: 1\n"},
      {"angle_rad:",
       "2:1 angle_rad: expected a number, got nothing => write a number in radians, such as  "
       "angle_rad: 1\n"},
      {"max_thrust_N: 0",
       "2:15 max_thrust_N: expected a number above 0, got \"0\" => write a number in newtons, such "
       "as  max_thrust_N: 1\n"},
      {"count: 1.0",
       "2:8 count: expected a whole number from 0 to 10, got \"1.0\" => write it without point and "
       "exponent:  count: 1\n"},
      {"count: 1e0",
       "2:8 count: expected a whole number from 0 to 10, got \"1e0\" => write it without point and "
       "exponent:  count: 1\n"},
      {"count: 11",
       "2:8 count: expected a whole number from 0 to 10, got \"11\" => write a number, such as  "
       "count: 1\n"},
      {"small: 256",
       "2:8 small: expected a whole number from 0 to 255, got \"256\" => write a number, such as  "
       "small: 1\n"},
      {"seed: -1",
       "2:7 seed: expected a whole number of at least 0, got \"-1\" => write a number, such as  "
       "seed: 1\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
}

TEST(ReaderTest, NeverAcceptsANumberThatIsNotFinite) {
  for (const char* text : {".nan", ".inf", "-.inf", "1e999", "nan", "inf"}) {
    EXPECT_EQ(read(std::string("mass_kg: 1\nangle_rad: ") + text).problems.size(), 1U) << text;
    EXPECT_EQ(read(std::string("mass_kg: 1\nafter_s: ") + text).problems.size(), 1U) << text;
  }
  // a float has its own largest
  EXPECT_EQ(read("mass_kg: 1\nrough: 1e39").problems.size(), 1U);
  for (const char* text : {"18446744073709551616", "99999999999999999999999", "-0x1"})
    EXPECT_EQ(read(std::string("mass_kg: 1\nseed: ") + text).problems.size(), 1U) << text;
  EXPECT_EQ(read("mass_kg: 1\nstart_ns: 9223372036854775808").problems.size(), 1U);
}

TEST(ReaderTest, AnswersWordsThatAreNotTheOnesExpected) {
  const Case cases[] = {
      {"on: yes", "2:5 on: expected true or false, got \"yes\" => write  on: true\n"},
      {"on: Off", "2:5 on: expected true or false, got \"Off\" => write  on: false\n"},
      {"on: True", "2:5 on: expected true or false, got \"True\" => write  on: true\n"},
      {"on: 'true'", "2:5 on: expected true or false, got \"true\" => write  on: true\n"},
      {"on: 2", "2:5 on: expected true or false, got \"2\" => write  on: true  or  on: false\n"},
      {"gains: {x: {kp: 1, derivative_type: provded}}",
       "2:37 derivative_type: expected calculated, provided or none, got \"provded\" => did you "
       "mean  provided\n"},
      {"gains: {x: {kp: 1, derivative_type: 1.0}}",
       "2:37 derivative_type: expected calculated, provided or none, got \"1.0\" => write  "
       "derivative_type: provided\n"},
      {"gains: {x: {kp: 1, derivative_type: 2}}",
       "2:37 derivative_type: expected calculated, provided or none, got \"2\" => write one of "
       "these, such as  derivative_type: calculated\n"},
      {"code: abcdef",
       "2:7 code: expected a text that fits, got 6 bytes => write a shorter text\n"},
      {"note: [a]", "2:1 note: expected text, got a list => write text, such as  note: name\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
}

TEST(ReaderTest, FindsTheKeyThatWasMeant) {
  const Case cases[] = {
      {"max_thurst_N: 1", "2:1 max_thurst_N: unknown key => did you mean  max_thrust_N\n"},
      {"max_thrust: 1", "2:1 max_thrust: unknown key => did you mean  max_thrust_N\n"},
      {"max_thrust_kgf: 5", "2:1 max_thrust_kgf: unknown key => write  max_thrust_N: 49.03325\n"},
      {"angle_deg: 90", "2:1 angle_deg: unknown key => write  angle_rad: 1.570796327\n"},
      {"angle: 90", "2:1 angle: unknown key => did you mean  angle_rad\n"},
      {"speed_km/h: 36", "2:1 speed_km/h: unknown key => write  speed_m_s: 10\n"},
      {"Count: 3", "2:1 Count: unknown key => did you mean  count\n"},
      {"gains: {X: {kp: 1}}", "2:9 X: unknown key in gains => did you mean  x\n"},
      {"gains: {heave: {kp: 1}}",
       "2:9 heave: unknown key in gains => use x, y, z, roll, pitch or yaw\n"},
      {"spare: {name: a, tau_ms: 20}", "2:18 tau_ms: unknown key in spare => write  tau_s: 0.02\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
  // the misspelt required key is not reported as missing a second time
  EXPECT_EQ(read("mass: 3\n").all(), "1:1 mass: unknown key => did you mean  mass_kg\n");
  EXPECT_EQ(read("mass_kg: 3\nmass_kgs: 3\n").all(),
            "2:1 mass_kgs: unknown key => remove it: mass_kg is there already\n");
}

TEST(ReaderTest, SaysWhichRequiredKeysAreMissingAndWhere) {
  EXPECT_EQ(read("count: 1\nparts:\n  - tau_s: 1\n").all(),
            "3:5 name: missing in parts[0]; expected text => write text, such as  name: name\n"
            "1:1 mass_kg: missing; expected a number above 0 => write a number in kilograms, such "
            "as  mass_kg: 5\n");
  EXPECT_EQ(read("mass_kg: 1\ngains:\n  roll:\n    ki: 2\n").all(),
            "3:3 kp: missing in roll; expected a number => write a number, such as  kp: 0\n");
}

TEST(ReaderTest, CountsTheItemsOfLists) {
  const Case cases[] = {
      {"curve: [1, 2, 3, 4, 5]",
       "2:21 curve: expected at most 4 items, got 5 => remove the items from here on\n"},
      {"parts: []",
       "2:1 parts: expected at least 1 items, got 0 => write it, such as  parts: [{…}]\n"},
      {"limits: [1, 2]",
       "2:9 limits: expected a list of 6 items or a map, got 2 => write a number in newtons, such "
       "as  limits: [1, 1, 1, 1, 1, 1]\n"},
      {"spare: {name: a, position_m: [1, 2]}",
       "2:30 position_m: expected 3 items (x, y and z), got 2 => write  position_m: [1, 1, 1]\n"},
      {"spare: {name: a, position_m: [1, 2, 11]}",
       "2:37 position_m[2]: expected a number from -10 to 10, got \"11\" => write a number in "
       "metres, such as  position_m[2]: 1\n"},
      {"names: u", "2:8 names: expected a list, got \"u\" => write  names: [u]\n"},
      {"names:", "2:1 names: expected a list, got nothing => write  names: []  for none\n"},
      {"parts: {name: a}", "2:8 parts: expected a list, got a map => begin every item with  - \n"},
      {"spare: a",
       "2:8 spare: expected a map, got \"a\" => write keys below it, such as  name, "
       "position_m, tau_s and band\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(problem_of(c.line), c.answer) << c.line;
  std::string many = "mass_kg: 1\nnames: [a";
  for (std::size_t i = 0; i < kMaxItems; ++i) many += ",a";
  EXPECT_EQ(read(many + "]").problems.size(), 1U);
}

TEST(ReaderTest, ReportsEveryProblemOfAFileInOneGoInTheOrderOfTheFile) {
  const Document d = Document::parse(
      "count: x\n"
      "unknown_thing: 1\n"
      "mass_kg: 1\n"
      "on: no\n",
      "craft.yaml");
  Reader reader(d);
  Craft craft;
  reader.read(d.root(), craft);
  reader.error(d.location_of("unknown_thing"), "unknown_thing: also this");
  reader.warning(d.location_of("mass_kg"), "mass_kg: light");
  ASSERT_TRUE(reader.has_errors());
  try {
    (void)reader.finish();
    FAIL();
  } catch (const ConfigError& e) {
    std::vector<int> lines;
    for (const Problem& p : e.problems()) lines.push_back(p.where.line);
    EXPECT_EQ(lines, (std::vector<int>{1, 2, 2, 3, 4}));
    EXPECT_EQ(e.problems()[0].where.file, "craft.yaml");
    EXPECT_EQ(e.problems()[0].excerpt, "count: x");
  }
}

TEST(ReaderTest, ReturnsTheWarningsOfAFileWithoutErrors) {
  const Document d = Document::parse("mass_kg: 1\n", "craft.yaml");
  Reader reader(d);
  reader.add({{"mass_kg", "is light", "", false}}, d.root());
  EXPECT_FALSE(reader.has_errors());
  ASSERT_EQ(reader.finish().size(), 1U);
}

TEST(ReaderTest, CountsWhatItDoesNotList) {
  std::string text = "mass_kg: 1\n";
  for (int i = 0; i < 500; ++i) text += "bad_" + std::to_string(i) + ": 1\n";
  const Document d = Document::parse(text, "craft.yaml");
  Reader reader(d);
  Craft craft;
  reader.read(d.root(), craft);
  try {
    (void)reader.finish();
    FAIL();
  } catch (const ConfigError& e) {
    EXPECT_EQ(e.problems().size(), kMaxProblems + 1);
    EXPECT_EQ(e.problems().back().message, "400 more errors are not listed");
  }
}

TEST(ReaderTest, LeavesKeysOfOthersAlone) {
  ReadOptions options;
  options.ignore = {"world"};
  EXPECT_EQ(read("mass_kg: 1\nworld: {a: 1}\n", options).all(), "");
  EXPECT_EQ(read("mass_kg: 1\nwordl: {a: 1}\n", options).problems.size(), 1U);
  // only at the outermost map
  EXPECT_EQ(read("mass_kg: 1\nspare: {name: a, world: 1}\n", options).problems.size(), 1U);
  ReadOptions all;
  all.ignore_unknown = true;
  EXPECT_EQ(read("mass_kg: 1\nanything: 2\n", all).all(), "");
}

TEST(ReaderTest, PartialReadsChangeOnlyWhatTheyName) {
  Craft before;
  before.mass_kg = 77;
  before.gains[2] = {9, 8, Mode::kNone};
  before.limits = {1, 2, 3, 4, 5, 6};
  before.spare = Part{"old", {7, 8, 9}, 3, {-2, 2}};
  before.parts = {Part{"p", {1, 1, 1}, 5, {}}, Part{"q", {2, 2, 2}, 5, {}}};
  ReadOptions options;
  options.partial = true;
  const Read r = read("gains: {z: {ki: 1}}\nlimits: {y: 20}\nspare: {tau_s: 1}\n", options, before);
  EXPECT_EQ(r.all(), "");
  EXPECT_EQ(r.craft.mass_kg, 77);
  EXPECT_EQ(r.craft.gains[2].kp, 9);
  EXPECT_EQ(r.craft.gains[2].ki, 1);
  EXPECT_EQ(r.craft.gains[2].derivative_type, Mode::kNone);
  EXPECT_EQ(r.craft.limits, (std::array<double, 6>{1, 20, 3, 4, 5, 6}));
  EXPECT_EQ(r.craft.spare->name, "old");
  EXPECT_EQ(r.craft.spare->tau_s, 1);
  EXPECT_EQ(r.craft.parts.size(), 2U);

  // a list is replaced: nothing of the old items shines through, and new ones must be complete
  const Read list = read("parts: [{name: new}]\n", options, before);
  EXPECT_EQ(list.all(), "");
  ASSERT_EQ(list.craft.parts.size(), 1U);
  EXPECT_EQ(list.craft.parts[0].tau_s, 0.1);
  EXPECT_EQ(read("parts: [{tau_s: 1}]\n", options, before).problems.size(), 1U);
  EXPECT_EQ(read("spare: {tau_s: 1}\n", options, Craft{}).problems.size(), 1U);
  EXPECT_EQ(read("", options, before).all(), "");
}

TEST(ReaderTest, PutsFindingsWhereTheirFieldsStand) {
  const Document d = Document::parse(
      "mass_kg: 1\n"
      "gains:\n"
      "  x: {kp: 1}\n"
      "limits: [1, 2, 3, 4, 5, 6]\n"
      "parts:\n"
      "  - name: a\n"
      "    position_m: [1, 2, 3]\n"
      "spare:\n"
      "  name: s\n",
      "craft.yaml");
  Reader reader(d);
  Craft craft;
  reader.read(d.root(), craft);
  reader.add({{"gains.x.kp", "m", "f"},
              {"gains[0].kp", "m", ""},
              {"limits.roll", "m", ""},
              {"limits[3]", "m", ""},
              {"parts[0].position_m.y", "m", ""},
              {"parts[0].position_m", "m", ""},
              {"parts[0].tau_s", "m", ""},
              {"gains.yaw.kp", "m", ""},
              {"spare", "m", ""},
              {"", "m", ""}},
             d.root());
  std::string all;
  for (const Problem& p : reader.problems())
    all += std::to_string(p.where.line) + ":" + std::to_string(p.where.column) + " " + p.message +
           "\n";
  EXPECT_EQ(all,
            "3:11 kp: m\n"
            "3:11 kp: m\n"
            "4:19 roll: m\n"
            "4:19 limits[3]: m\n"
            "7:21 y: m\n"
            "7:5 position_m: m\n"
            "6:5 parts[0].tau_s: m\n"
            "2:1 gains.yaw.kp: m\n"
            "8:1 spare: m\n"
            "1:1 m\n");
  EXPECT_EQ(reader.problems()[0].fix, "f");

  // relative to a node inside
  reader.add({{"kp", "m", ""}}, *d.at("gains.x"));
  EXPECT_EQ(reader.problems().back().where.column, 11);
}

TEST(ReaderTest, TakesASectionThatIsAllCommentedOutAsEmpty) {
  EXPECT_EQ(read("mass_kg: 1\ngains:\n  # x: {kp: 1}\n").all(), "");
  EXPECT_EQ(read("").problems.size(), 1U);
}

TEST(ReaderTest, RefusesAFileThatIsNotAMap) {
  EXPECT_EQ(read("- 1\n").all(),
            "1:1 expected a map, got a list => write keys below it, such as  mass_kg, "
            "max_thrust_N, angle_rad, speed_m_s, count and seed\n");
}

}  // namespace
}  // namespace config
}  // namespace pintle
