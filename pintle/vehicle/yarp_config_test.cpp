#include "pintle/vehicle/yarp_config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pintle::vehicle {
namespace {

using Kind = YarpValue::Kind;

YarpConfig parse(const std::string& text) { return parse_yarp_config(text, "jets.ini"); }

// the values after a key at the top, as YARP would print them
std::string print(const YarpValue& v) {
  if (v.kind != Kind::kList) return v.text;
  std::string out = "(";
  for (const YarpValue& i : v.items) out += (out.size() > 1 ? " " : "") + print(i);
  return out + ")";
}
std::string values(const YarpConfig& c, const std::string& key, const std::string& group = "") {
  const YarpGroup* g = c.group(group);
  const YarpEntry* e = g ? g->find(key) : nullptr;
  if (!e) return "none";
  std::string out;
  for (const YarpValue& v : e->values) out += (out.empty() ? "" : " ") + print(v);
  return out;
}

TEST(YarpConfig, ReadsKeysValuesAndLists) {
  const YarpConfig c = parse(
      "name /jets/input:i\n"
      "  list (1, 2.5  \"a b\" (3 4))\n"
      "equal = 7\n"
      "empty\n");
  EXPECT_EQ(values(c, "name"), "/jets/input:i");
  EXPECT_EQ(values(c, "list"), "(1 2.5 a b (3 4))");
  EXPECT_EQ(values(c, "equal"), "7");
  EXPECT_EQ(values(c, "empty"), "");
  EXPECT_TRUE(c.problems.empty());
  EXPECT_EQ(c.top().find("list")->values[0].items[3].where.line, 2);
  EXPECT_EQ(c.top().find("list")->values[0].items[3].where.column, 23);
}

TEST(YarpConfig, KindsOfScalarsAreThoseOfYarp) {
  const auto first = [](const std::string& text) {
    return parse("k " + text + "\n").top().find("k")->values.at(0);
  };
  EXPECT_EQ(first("-12").kind, Kind::kInt);
  EXPECT_EQ(first("-12").integer, -12);
  EXPECT_EQ(first("0x10").integer, 16);
  EXPECT_EQ(first("0.0").kind, Kind::kFloat);
  EXPECT_EQ(first(".5").number, 0.5);
  EXPECT_EQ(first("1e3").number, 1000);
  EXPECT_TRUE(std::isinf(first("1e400").number));
  EXPECT_TRUE(std::isinf(first("-inf").number));
  EXPECT_EQ(first("1.2.3").kind, Kind::kText);
  EXPECT_EQ(first("nan").kind, Kind::kText);
  EXPECT_EQ(first("5#x").text, "5#x");
  EXPECT_EQ(first("\"220\"").kind, Kind::kText);
}

TEST(YarpConfig, ListsGoOverLinesUntilTheyBalance) {
  const YarpConfig c = parse("k (1\n2 (3\n4))\nnext 5\n");
  EXPECT_EQ(values(c, "k"), "(12 (34))");  // lines are joined with nothing between them
  EXPECT_EQ(values(c, "next"), "5");
}

TEST(YarpConfig, CommentedListsOverLinesVanishAsOne) {
  const YarpConfig c = parse("# k ((1 2)\n#    (3 4))\nnext 5\n");
  EXPECT_EQ(values(c, "next"), "5");
}

TEST(YarpConfig, AnOpenBracketInACommentIsTold) {
  const YarpConfig c = parse("a 1\n# thrust (of all\nb 2\nc 3)\nd 4\n");
  EXPECT_EQ(values(c, "b"), "none");
  EXPECT_EQ(values(c, "d"), "4");
  ASSERT_EQ(c.problems.size(), 1U);
  EXPECT_FALSE(c.problems[0].is_error);
  EXPECT_EQ(c.problems[0].where.line, 2);
  EXPECT_NE(c.problems[0].message.find("up to 4"), std::string::npos);
}

TEST(YarpConfig, ACommentInsideAListLosesItAndIsAnError) {
  const YarpConfig c = parse("k (1 2 # two\n3 4)\nnext 5\n");
  ASSERT_EQ(c.problems.size(), 1U);
  EXPECT_TRUE(c.problems[0].is_error);
  EXPECT_EQ(c.problems[0].where.line, 1);
  EXPECT_EQ(c.problems[0].where.column, 3);
  EXPECT_EQ(values(c, "next"), "5");
}

TEST(YarpConfig, WhatIsNeverClosedIsAnErrorWhereItOpens) {
  for (const char* text : {"a 1\nk (1 2\nb 3\n", "a 1\nk \"one\nb 3\n", "a 1\n) \"k) one\n"}) {
    const YarpConfig c = parse(text);
    ASSERT_EQ(c.problems.size(), 1U);
    EXPECT_TRUE(c.problems[0].is_error);
    EXPECT_EQ(c.problems[0].where.line, 2);
    EXPECT_EQ(c.problems[0].where.column, 3);
  }
}

TEST(YarpConfig, TwoSlashesCutAnAddressOff) {
  const YarpConfig c = parse("file model://box/jets.ini\nquoted \"model://box\"\n");
  EXPECT_EQ(values(c, "file"), "model:");
  EXPECT_EQ(values(c, "quoted"), "model://box");
  ASSERT_EQ(c.problems.size(), 1U);
  EXPECT_EQ(c.problems[0].where.column, 12);
}

TEST(YarpConfig, CommasSeparateAndSurprisesAreTold) {
  EXPECT_TRUE(parse("k (63.0, 63.0, 220.0)\n").problems.empty());
  EXPECT_TRUE(parse("k (63,63,220)\n").problems.empty());
  EXPECT_EQ(parse("k 63,5\n").problems.size(), 1U);
  EXPECT_EQ(parse("k (63,5 70,2)\n").problems.size(), 1U);
  const YarpConfig c = parse("k (1,2,,3)\n");
  EXPECT_EQ(values(c, "k"), "(1 2 3)");
  EXPECT_EQ(c.problems.size(), 1U);
}

TEST(YarpConfig, LaterDuplicatesReplaceAndAreTold) {
  const YarpConfig c = parse("k 1\nk 2\n");
  EXPECT_EQ(values(c, "k"), "2");
  ASSERT_EQ(c.problems.size(), 1U);
  EXPECT_EQ(c.problems[0].where.line, 2);
}

TEST(YarpConfig, SectionsOpenMergeAndClose) {
  const YarpConfig c = parse("a 1\n[one]\nb 2\n[list two]\nc 3\n[one]\nd 4\n[]\ne 5\n");
  EXPECT_EQ(values(c, "b", "one"), "2");
  EXPECT_EQ(values(c, "d", "one"), "4");
  EXPECT_EQ(values(c, "c", "two"), "3");
  EXPECT_EQ(values(c, "list"), "two");
  EXPECT_EQ(values(c, "e"), "5");
}

TEST(YarpConfig, VariablesComeFromTheEnvironmentAndFromKeysBefore) {
  ::setenv("PINTLE_TEST_JET", "P220", 1);
  const YarpConfig c =
      parse("robot icub\na /$robot/in\nb ${PINTLE_TEST_JET}_L\nc x$(nobody_set_this)y\n");
  EXPECT_EQ(values(c, "a"), "/icub/in");
  EXPECT_EQ(values(c, "b"), "P220_L");
  EXPECT_EQ(values(c, "c"), "xy");
  ASSERT_EQ(c.problems.size(), 1U);
  EXPECT_EQ(c.problems[0].where.line, 4);
}

TEST(YarpConfig, IncludesAreFoundBesideTheFile) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pintle_yarp";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "common.ini") << "robot icub\n";
  std::ofstream(folder / "loop.ini") << "[include \"loop.ini\"]\n";
  const YarpConfig c = parse_yarp_config(
      "[include \"common.ini\"]\na 1\n[include sect \"common.ini\"]\n[include \"none.ini\"]\n",
      folder / "jets.ini");
  EXPECT_EQ(values(c, "robot"), "icub");
  EXPECT_EQ(values(c, "a"), "1");
  EXPECT_EQ(values(c, "robot", "sect"), "icub");
  ASSERT_EQ(c.problems.size(), 1U);
  EXPECT_TRUE(c.problems[0].is_error);
  EXPECT_EQ(c.problems[0].where.line, 4);
  std::filesystem::remove_all(folder);
}

TEST(YarpConfig, AFileThatGrowsEndsAtItsLimits) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pintle_bombs";
  std::filesystem::create_directories(folder);
  const auto problem = [&](const std::string& text) {
    const YarpConfig c = parse_yarp_config(text, folder / "jets.ini");
    EXPECT_FALSE(c.problems.empty());
    EXPECT_LE(c.problems.size(), 101U);
    return c.problems.empty() ? "" : c.problems.back().message;
  };
  // a file that includes itself twice: 2^depth readings
  std::ofstream(folder / "twice.ini") << "[include \"twice.ini\"]\n[include \"twice.ini\"]\n";
  EXPECT_EQ(problem("[include \"twice.ini\"]\n"),
            "includes go too deep: does a file include itself?");
  // many of a large one
  std::ofstream(folder / "large.ini") << std::string(300 << 10, '\n');
  std::string many;
  for (int i = 0; i < 60; ++i) many += "[include \"large.ini\"]\n";
  EXPECT_EQ(problem(many), "more than 1048576 bytes with all includes");
  // every name twice the one before
  std::string doubling = "x0 aaaaaaaa\n";
  for (int i = 1; i < 40; ++i)
    doubling += "x" + std::to_string(i) + " $x" + std::to_string(i - 1) + "$x" +
                std::to_string(i - 1) + "\n";
  EXPECT_EQ(problem(doubling), "the line grows beyond 65536 characters here");
  std::string keys;
  for (int i = 0; i < 100'000; ++i) keys += "k" + std::to_string(i) + "\n";
  EXPECT_EQ(problem(keys), "more than 20000 values");
  EXPECT_EQ(problem("[include \"/dev/zero\"]\n").find("cannot read the included file"), 0U);
  std::filesystem::remove_all(folder);
}

TEST(YarpConfig, WordsThatYarpTakesForSomethingElseAreWarnedOf) {
  const YarpConfig c = parse(
      "a 1.0e\n"
      "b (1.0, -, null)\n"
      "c \"null\" \"-\" 1.0e0 -1 nullify eee /a-b\n");
  ASSERT_EQ(c.problems.size(), 3U);
  for (const auto& p : c.problems) EXPECT_FALSE(p.is_error);
  EXPECT_EQ(c.problems[0].where.line, 1);
  EXPECT_NE(c.problems[0].message.find("exponent without digits"), std::string::npos);
  EXPECT_EQ(c.problems[1].where.column, 9);
  EXPECT_NE(c.problems[1].message.find("alone is no number"), std::string::npos);
  EXPECT_NE(c.problems[2].message.find("vocabulary"), std::string::npos);
}

TEST(YarpConfig, NoTextBreaksIt) {
  // every prefix and every single deletion of a file that uses everything
  const std::string all =
      "a = (1, \"b\\\"c\" {2}) # (\n)\n[list x]\n$a ${a} $( \\\" //\n[include \"x\"]\n[import y "
      "\"z\"]\n[";
  for (std::size_t i = 0; i <= all.size(); ++i) {
    (void)parse(all.substr(0, i));
    if (i < all.size()) (void)parse(all.substr(0, i) + all.substr(i + 1));
  }
  (void)parse(std::string(5000, '(') + std::string(5000, ')'));
  (void)parse(std::string("k \0 1\n", 6));
}

}  // namespace
}  // namespace pintle::vehicle
