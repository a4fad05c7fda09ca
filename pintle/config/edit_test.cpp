#include <gtest/gtest.h>

#include <cmath>

#include "pintle/config/document.h"

namespace pintle::config {
namespace {

Document parse(std::string text) { return Document::parse(std::move(text), "test.yaml"); }

std::string refusal(const Document& d, std::string_view path, double value) {
  try {
    (void)d.with(path, value);
  } catch (const ConfigError& e) {
    EXPECT_EQ(e.problems().size(), 1U);
    return e.problems()[0].message;
  }
  return "accepted";
}

TEST(EditTest, WhatIsRefusedUnderAnAliasIsSaidWhereTheFileHasIt) {
  const Document d = parse("gains: &g\n  of_each_axis:\n  -\n    kp: 3\nx: *g\n");
  try {
    (void)d.with("x.of_each_axis", 1);
    ADD_FAILURE();
  } catch (const ConfigError& e) {
    const Problem& said = e.problems().at(0);
    EXPECT_EQ(said.message, "x.of_each_axis: is a list, not one value");
    EXPECT_EQ(said.where.file, "test.yaml");
    EXPECT_EQ(said.where.line, 3);
    EXPECT_EQ(said.where.column, 3);
    EXPECT_EQ(said.excerpt, "  -");
  }
}

TEST(EditTest, ChangesOneScalarAndNoOtherByte) {
  const Document d = parse(
      "# gains of the pool\r\n"
      "pid:   {x: {Kp:   0.10,Ki: 1.0}, \"y\": {Kp: 2}}   # tuned\r\n"
      "\r\n"
      "list: [1,  2,3 ]\r\n"
      "name: 'old'\r\n");
  EXPECT_EQ(d.with("pid.x.Kp", 0.25).text(),
            "# gains of the pool\r\n"
            "pid:   {x: {Kp:   0.25,Ki: 1.0}, \"y\": {Kp: 2}}   # tuned\r\n"
            "\r\n"
            "list: [1,  2,3 ]\r\n"
            "name: 'old'\r\n");
  EXPECT_EQ(d.with("list[1]", -7).at("list[1]")->scalar, "-7");
  EXPECT_EQ(d.with("list[1]", -7).text().size(), d.text().size() + 1);
}

TEST(EditTest, LeavesANumberAloneThatHasTheValueAlready) {
  const Document d = parse("a: 1.0\nb: 0.10\nc: 1e3\nd: +5\ne: 0.1000000000000000055\n");
  EXPECT_EQ(d.with("a", 1).text(), d.text());
  EXPECT_EQ(d.with("b", 0.1).text(), d.text());
  EXPECT_EQ(d.with("c", 1000).text(), d.text());
  EXPECT_EQ(d.with("d", 5).text(), d.text());
  EXPECT_EQ(d.with("e", 0.1).text(), d.text());
}

TEST(EditTest, WritesTheShortestNumberThatReadsBack) {
  const Document d = parse("a: 7\n");
  EXPECT_EQ(d.with("a", 0.1).text(), "a: 0.1\n");
  EXPECT_EQ(d.with("a", 1.0).text(), "a: 1\n");
  EXPECT_EQ(d.with("a", 1.0 / 3).text(), "a: 0.3333333333333333\n");
  EXPECT_EQ(d.with("a", 1e-5).text(), "a: 1.0e-05\n");
}

TEST(EditTest, KeepsPlacesInTextOfSeveralBytesACharacter) {
  const Document d = parse("\xEF\xBB\xBFgröße: {höhe: 3, 😀: 4}  # ä\nz: 1\n");
  EXPECT_EQ(d.with("größe.😀", 5).text(), "\xEF\xBB\xBFgröße: {höhe: 3, 😀: 5}  # ä\nz: 1\n");
  EXPECT_EQ(d.with("neu", 5).text(), "\xEF\xBB\xBFgröße: {höhe: 3, 😀: 4}  # ä\nz: 1\nneu: 5\n");
}

TEST(EditTest, WritesTextWithTheQuotesThatStandThere) {
  const Document d = parse("a: 'x'\nb: \"x\"\nc: x\nd: true\ne: 5\n");
  EXPECT_EQ(d.with_text("a", "it's").at("a")->scalar, "it's");
  EXPECT_EQ(d.with_text("a", "it's").text(), "a: 'it''s'\nb: \"x\"\nc: x\nd: true\ne: 5\n");
  EXPECT_EQ(d.with_text("b", "a\\\"\n").at("b")->scalar, "a\\\"\n");
  EXPECT_EQ(d.with_text("c", "safe").at("c")->quoted, false);
  EXPECT_EQ(d.with_text("d", "false").text(), "a: 'x'\nb: \"x\"\nc: x\nd: false\ne: 5\n");
}

TEST(EditTest, QuotesTextThatWouldReadBackAsSomethingElse) {
  const Document d = parse("c: word\n");
  for (const char* text : {"true",
                           "no",
                           "5",
                           "1e3",
                           "~",
                           "null",
                           "",
                           " x",
                           "x ",
                           "a: b",
                           "a #b",
                           "- a",
                           "[a",
                           "{a",
                           "*a",
                           "&a",
                           "!a",
                           "|",
                           "%a",
                           "@a",
                           "'a",
                           "\"a",
                           "a\nb",
                           "a\tb",
                           "0x10",
                           "a,b",
                           "y:",
                           "...",
                           "---",
                           "<<",
                           "=",
                           "ä",
                           ".inf",
                           "a\xE2\x80\xA8"
                           "b",
                           "\xC2\x85"}) {
    SCOPED_TRACE(text);
    const Document changed = d.with_text("c", text);
    EXPECT_EQ(changed.at("c")->scalar, text);
    EXPECT_EQ(changed.with_text("c", "word").at("c")->scalar, "word");
  }
  EXPECT_EQ(d.with_text("c", "true").text(), "c: \"true\"\n");
  EXPECT_EQ(d.with_text("c", "../a/b.csv").text(), "c: ../a/b.csv\n");
}

TEST(EditTest, AddsAKeyAtTheEndOfItsMap) {
  const Document d = parse(
      "a:\n"
      "    x: 1   # one\n"
      "    y:\n"
      "      - 1\n"
      "      - 2\n"
      "\n"
      "    # about b\n"
      "b: {p: 1}\n"
      "c:\n"
      "- k: 1\n"
      "  l: 2\n"
      "- k: 3\n"
      "e: {}");
  EXPECT_EQ(d.with("a.z", 5).text(),
            "a:\n    x: 1   # one\n    y:\n      - 1\n      - 2\n    z: 5\n\n    # about b\n"
            "b: {p: 1}\nc:\n- k: 1\n  l: 2\n- k: 3\ne: {}");
  EXPECT_NE(d.with("b.q", 5).text().find("b: {p: 1, q: 5}\n"), std::string::npos);
  EXPECT_NE(d.with("c[0].m", 5).text().find("  l: 2\n  m: 5\n- k: 3\n"), std::string::npos);
  EXPECT_NE(d.with("c[1].m", 5).text().find("- k: 3\n  m: 5\ne: {}"), std::string::npos);
  EXPECT_NE(d.with("e.m", 5).text().find("e: {m: 5}"), std::string::npos);
  EXPECT_TRUE(d.with("f", 5).text().ends_with("e: {}\nf: 5"));
  EXPECT_EQ(parse("a:\r\n  x: 1\r\nb: 2\r\n").with("a.y", 3).text(),
            "a:\r\n  x: 1\r\n  y: 3\r\nb: 2\r\n");
  EXPECT_EQ(parse("a:\n- 1\n- 2\n").with("b", 3).text(), "a:\n- 1\n- 2\nb: 3\n");
  EXPECT_EQ(parse("# nothing yet\n").with("b", 3).text(), "# nothing yet\nb: 3\n");
  EXPECT_EQ(parse("a: {\n  x: 1,\n}\n").with("a.y", 2).text(), "a: {\n  x: 1, y: 2,\n}\n");
}

TEST(EditTest, FillsAValueThatIsNotWrittenYet) {
  EXPECT_EQ(parse("a:\nb: 1\n").with("a", 2).text(), "a: 2\nb: 1\n");
  EXPECT_EQ(parse("a: ~  # none\n").with("a", 2).text(), "a: 2  # none\n");
  EXPECT_EQ(parse("a: # none\nb: 1\n").with("a", 2).text(), "a: 2 # none\nb: 1\n");
}

TEST(EditTest, RefusesWhatCannotBeChangedThereAlone) {
  const Document d = parse(
      "b: &b {k: 1}\n"
      "c: *b\n"
      "m:\n"
      "  <<: *b\n"
      "  own: 1\n"
      "s: &s 5\n"
      "t: *s\n"
      "u: &u 6\n"
      "text: |\n"
      "  many\n"
      "folded: one\n"
      "  two\n");
  EXPECT_NE(refusal(d, "text", 2).find("several lines"), std::string::npos);
  EXPECT_NE(refusal(d, "folded", 2).find("several lines"), std::string::npos);
  EXPECT_NE(refusal(d, "m", 2).find("is a map"), std::string::npos);
  EXPECT_NE(refusal(d, "no.where", 2).find("is not there"), std::string::npos);
  EXPECT_NE(refusal(d, "s.x", 2).find("is not there"), std::string::npos);
  EXPECT_NE(refusal(d, "u", std::nan("")).find("finite"), std::string::npos);
  // an anchor that nobody uses harms nobody
  EXPECT_EQ(d.with("u", 7).at("u")->scalar, "7");
  EXPECT_NE(d.with("m.new", 7).text().find("  own: 1\n  new: 7\n"), std::string::npos);
  EXPECT_EQ(refusal(d, "t", 5), "accepted");
  // a merge alone has no line of its own to add to
  EXPECT_NE(refusal(parse("b: &b {k: 1}\nm:\n  <<: *b\n"), "m.k", 2).find("alias"),
            std::string::npos);
}

TEST(EditTest, WhatStandsInSeveralPlacesByAnAliasIsWrittenOutWhereItIsToChangeAlone) {
  const Document d = parse(
      "# gains\n"
      "x: &surge {kp: 1, ki: 0.5}  # the good one\n"
      "y: *surge  # as x\n"
      "z:\n"
      "  <<: *surge\n"
      "  kd: 2\n"
      "s: &s 5\n"
      "t: *s\n");
  // where it is used
  EXPECT_EQ(d.with("y.kp", 3).text(),
            "# gains\n"
            "x: &surge {kp: 1, ki: 0.5}  # the good one\n"
            "y: {kp: 3, ki: 0.5}  # as x\n"
            "z:\n"
            "  <<: *surge\n"
            "  kd: 2\n"
            "s: &s 5\n"
            "t: *s\n");
  EXPECT_NE(d.with("y.new", 3).text().find("y: {kp: 1, ki: 0.5, new: 3}  # as x\n"),
            std::string::npos);
  EXPECT_NE(d.with("z.kp", 3).text().find("  <<: *surge\n  kp: 3\n  kd: 2\n"), std::string::npos);
  EXPECT_NE(d.with("t", 6).text().find("s: &s 5\nt: 6\n"), std::string::npos);
  // where it stands
  EXPECT_EQ(d.with("x.kp", 3).text(),
            "# gains\n"
            "x: &surge {kp: 3, ki: 0.5}  # the good one\n"
            "y: {kp: 1, ki: 0.5}  # as x\n"
            "z:\n"
            "  <<: *surge\n"
            "  kp: 1\n"
            "  kd: 2\n"
            "s: &s 5\n"
            "t: *s\n");
  EXPECT_NE(d.with("s", 6).text().find("s: &s 6\nt: 5\n"), std::string::npos);
  // one after the other
  EXPECT_EQ(d.with("x.kp", 3).with("y.kp", 4).with("z.kp", 5).at("x.kp")->scalar, "3");
}

}  // namespace
}  // namespace pintle::config
