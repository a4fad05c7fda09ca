#include "pintle/config/reader.h"

#include <gtest/gtest.h>

#include "pintle/config/craft_test.h"

namespace pintle::config {
namespace {

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

TEST(ReaderTest, AccusesNoDefaultThatStandsInForWhatCouldNotBeRead) {
  const Document d = Document::parse(
      "mass_kg: 1\n"
      "gains:\n"
      "  x: {kp: one, ki: 2}\n"
      "  y: {kp: 1, ki: 2}\n"
      "parts:\n"
      "  - {name: a}\n"
      "  - {nmae: b}\n"
      "spaer: {name: s}\n",
      "craft.yaml");
  Reader reader(d);
  Craft craft;
  reader.read(d.root(), craft);
  const std::size_t read = reader.problems().size();
  EXPECT_EQ(read, 3U);
  reader.add({{"gains.x.kp", "the field that could not be read", ""},
              {"gains.x.ki", "its neighbour, perhaps against its default", ""},
              {"gains.y.kp", "kept", ""},
              {"parts[0].tau_s", "kept", ""},
              {"parts[1].tau_s", "of a map with an unknown key", ""},
              {"parts[1].name", "of the same", ""},
              {"gains", "of a map with something unread inside", ""},
              {"mass_kg", "kept", ""},
              {"spare", "missing where keys are unknown", ""}},
             d.root());
  std::string added;
  for (std::size_t i = read; i < reader.problems().size(); ++i)
    added += reader.problems()[i].message + "\n";
  EXPECT_EQ(added, "kp: kept\nparts[0].tau_s: kept\nmass_kg: kept\n");

  EXPECT_TRUE(reader.is_sound(d.root(), "mass_kg"));
  EXPECT_FALSE(reader.is_sound(d.root(), "gains"));
  EXPECT_TRUE(reader.is_sound(*d.at("gains"), "y"));
  EXPECT_FALSE(reader.is_sound(d.root(), "parts"));
  EXPECT_TRUE(reader.is_sound(d.root(), "note"));
}

TEST(ReaderTest, FindingsOfOneMapDoNotHideEachOther) {
  const Document d = Document::parse("mass_kg: 1\nspare: {name: a, tau_s: 3}\n", "craft.yaml");
  Reader reader(d);
  Craft craft;
  reader.read(d.root(), craft);
  reader.add({{"spare.name", "m", ""}, {"spare.tau_s", "m", ""}}, d.root());
  reader.add({{"spare.name", "n", ""}}, d.root());
  EXPECT_EQ(reader.problems().size(), 3U);
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
}  // namespace pintle::config
