#include "pintle/config/document.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

namespace pintle::config {
namespace {

Document parse(std::string text) { return Document::parse(std::move(text), "test.yaml"); }

// the problems of a text that must not parse
std::vector<Problem> problems_of(std::string text) {
  try {
    (void)parse(std::move(text));
  } catch (const ConfigError& e) {
    return e.problems();
  }
  ADD_FAILURE() << "was accepted";
  return {Problem{}};
}

std::string range_of(const Document& document, std::string_view path) {
  const Node* node = document.at(path);
  if (node == nullptr) return "missing";
  return document.text().substr(node->begin, node->end - node->begin);
}

TEST(DocumentTest, KnowsLineColumnAndBytesOfEveryKindOfScalar) {
  const Document d = parse(
      "a: 1.50 # why\n"
      "b: 'it''s'\n"
      "c: \"say \\\"x\\\"\"   # comment\n"
      "d: {x: 1, y: two words , z: [3, 4]}\n"
      "e:\n"
      "  - first\n"
      "  - k: 7\n"
      "    l: -2.5e-3\n");
  EXPECT_EQ(range_of(d, "a"), "1.50");
  EXPECT_EQ(range_of(d, "b"), "'it''s'");
  EXPECT_EQ(d.at("b")->scalar, "it's");
  EXPECT_TRUE(d.at("b")->quoted);
  EXPECT_EQ(range_of(d, "c"), "\"say \\\"x\\\"\"");
  EXPECT_EQ(d.at("c")->scalar, "say \"x\"");
  EXPECT_EQ(range_of(d, "d.y"), "two words");
  EXPECT_EQ(range_of(d, "d.z"), "[3, 4]");
  EXPECT_EQ(range_of(d, "d"), "{x: 1, y: two words , z: [3, 4]}");
  EXPECT_EQ(range_of(d, "e[0]"), "first");
  EXPECT_EQ(range_of(d, "e[1].l"), "-2.5e-3");
  EXPECT_EQ(d.at("e[1].l")->where.line, 8);
  EXPECT_EQ(d.at("e[1].l")->where.column, 8);
  EXPECT_EQ(d.at("e[1].l")->where.file, "test.yaml");
  EXPECT_EQ(d.at("d.y")->where.column, 14);
}

TEST(DocumentTest, CountsColumnsInCharactersAndRangesInBytes) {
  const Document d = parse("größe: {höhe: 3, 😀: 4}\n");
  EXPECT_EQ(range_of(d, "größe.höhe"), "3");
  EXPECT_EQ(d.at("größe.höhe")->where.column, 15);
  EXPECT_EQ(range_of(d, "größe.😀"), "4");
  EXPECT_EQ(d.at("größe.😀")->where.column, 21);
}

TEST(DocumentTest, ReadsFilesFromWindowsAndWithByteOrderMark) {
  const Document d = parse(
      "\xEF\xBB\xBF"
      "a: 1\r\nb:\r\n  c: x\r\n");
  EXPECT_EQ(range_of(d, "a"), "1");
  EXPECT_EQ(d.at("a")->where.column, 4);
  EXPECT_EQ(range_of(d, "b.c"), "x");
  EXPECT_EQ(d.at("b.c")->where.line, 3);
}

TEST(DocumentTest, TellsPlainNumbersFromQuotedOnesAndFromNothing) {
  const Document d = parse("a: 5\nb: '5'\nc:\nd: ~\ne: null\nf: !!str 5\ng: |\n  5\n");
  EXPECT_FALSE(d.at("a")->quoted);
  EXPECT_TRUE(d.at("b")->quoted);
  EXPECT_EQ(d.at("c")->kind, Node::Kind::kNull);
  EXPECT_EQ(d.at("d")->kind, Node::Kind::kNull);
  EXPECT_EQ(d.at("e")->kind, Node::Kind::kNull);
  EXPECT_TRUE(d.at("f")->quoted);
  EXPECT_TRUE(d.at("g")->quoted);
  EXPECT_EQ(d.at("g")->begin, d.at("g")->end);
}

TEST(DocumentTest, ExpandsAliasesAndMergeKeys) {
  const Document d = parse(
      "base: &b {kp: 1, ki: 2}\n"
      "copy: *b\n"
      "mine:\n"
      "  <<: *b\n"
      "  ki: 3\n");
  EXPECT_EQ(d.at("copy.kp")->scalar, "1");
  EXPECT_TRUE(d.at("copy.kp")->aliased);
  EXPECT_EQ(d.at("mine.kp")->scalar, "1");
  EXPECT_EQ(d.at("mine.ki")->scalar, "3");
  EXPECT_FALSE(d.at("mine.ki")->aliased);
  EXPECT_EQ(d.at("mine")->entries.size(), 2U);
}

TEST(DocumentTest, FindsTheNearestPlaceOfAMissingPath) {
  const Document d = parse("pid:\n  position:\n    x: {Kp: 1}\n");
  EXPECT_EQ(d.location_of("pid.position.x.Kp").line, 3);
  EXPECT_EQ(d.location_of("pid.position.x.Ki").column, 8);
  EXPECT_EQ(d.location_of("nothing[3].here").line, 1);
  EXPECT_EQ(d.at("pid.position.x.Ki"), nullptr);
  EXPECT_EQ(d.at("pid[0]"), nullptr);
  EXPECT_EQ(d.at("pid..x"), nullptr);
  EXPECT_EQ(d.at(""), &d.root());
}

TEST(DocumentTest, AcceptsAnEmptyFileAsNothing) {
  EXPECT_EQ(parse("").root().kind, Node::Kind::kNull);
  EXPECT_EQ(parse("# only a comment\n").root().kind, Node::Kind::kNull);
}

TEST(DocumentTest, ReportsEveryDuplicateKeyWithBothLines) {
  const auto problems = problems_of("a: 1\nb: {c: 1, c: 2}\na: 3\n");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].message, "c: written twice, first on line 2");
  EXPECT_EQ(problems[0].where.column, 11);
  EXPECT_EQ(problems[1].message, "a: written twice, first on line 1");
  EXPECT_EQ(problems[1].where.line, 3);
  EXPECT_EQ(problems[1].excerpt, "a: 3");
  EXPECT_FALSE(problems[1].fix.empty());
}

struct Broken {
  const char* text;
  int line, column;
  const char* part;  ///< Of the message.
};

TEST(DocumentTest, SaysWhereAndWhyATextIsNotYaml) {
  const Broken cases[] = {
      {"a: 1\n\tb: 2\n", 2, 1, "a tab in the indentation"},
      {"a:\n\t- b\n", 2, 1, "a tab in the indentation"},
      {"a: [1, 2\nb: 3\n", 1, 4, "a bracket [ is not closed"},
      {"a: ['[', 2] # [\nb: [[1], [2]\nc: 3\n", 2, 4, "a bracket [ is not closed"},
      {"a: {x: 1\n", 1, 4, "a brace { is not closed"},
      {"a: 1\n  b: 2\n", 2, 3, "indented deeper than the key above"},
      {"a 1\n\n# note\nb: 2\n", 1, 1, "a colon is missing after the key"},
      {"x:\n  a:1\n  b: 2\n", 2, 5, "a blank is missing after the colon"},
      {"a: 'it's'\n", 1, 8, "text behind the closing quote"},
      {"a: \"x\" y\n", 1, 8, "text behind the closing quote"},
      {"a: 1\nb\n", 2, 1, "a colon is missing after the key"},
      {"a: {x: 1, y 2}\n", 1, 11, "a colon is missing after the key"},
      {"a:\n  b: 1\n c: 2\n", 3, 2, "does not line up"},
      {"a: x: y\n", 1, 5, "a colon where no key may be"},
      {"a: @x\n", 1, 4, "a character that no value may begin with"},
      {"a: 1\nb: \"open\nc: 1\n", 2, 4, "a quote is never closed"},
      {"a: 'open\n", 1, 4, "a quote is never closed"},
      {"a: *none\n", 1, 4, "an alias of an anchor that is not defined"},
      {"a: &x [*x]\n", 1, 8, "an alias inside what its own anchor names"},
      {"a: \"\\q\"\n", 1, 7, "an escape that double quotes do not have"},
      {"a: 1\n---\nb: 2\n", 2, 1, "a second document"},
      {"a: !degrees 30\n", 1, 4, "tag \"!degrees\" has no meaning"},
      {": 1\n", 1, 1, "expected a key"},
      {"{a: 1}: 2\n", 1, 1, "expected a key of plain text, got a map"},
      {"a: {{ gain }}\n", 1, 5, "expected a key of plain text, got a map"},
      {"a: 1\n<<: 3\n", 2, 5, "<<: expected an alias of a map"},
      {"a: 1\nb: \x01\n", 2, 4, "byte 0x01 is not text"},
      {"a: \xC3(\n", 1, 4, "byte 0xc3 is not text"},
      {"a: ]\n", 1, 4, "a closing bracket that nothing opened"},
      {"a: {x: [1, 2, y: [3]}\nb: 1\n", 1, 8, "a bracket [ is not closed"},
      {"a: [{x: 1, y: 2]\nb: 1\n", 1, 5, "a brace { is not closed"},
      {"- {x: 1, y\n- {x: 1}\n", 1, 3, "a brace { is not closed"},
      {"a: {x: 1, y # [\nb: {x: 1}\n", 1, 4, "a brace { is not closed"},
      {"a: {x:\nb: {x: 1}\n", 1, 4, "a brace { is not closed"},
      {"a:\n  b {x: 1, y: 2}\n", 2, 3, "a colon is missing after the key"},
      {"a:\n  b: 1\nsee\n\nc: 2\n", 3, 1, "a colon is missing after the key"},
  };
  for (const Broken& c : cases) {
    SCOPED_TRACE(c.text);
    const Problem problem = problems_of(c.text).at(0);
    EXPECT_EQ(problem.where.line, c.line) << problem.message;
    EXPECT_EQ(problem.where.column, c.column) << problem.message;
    EXPECT_NE(problem.message.find(c.part), std::string::npos) << problem.message;
    EXPECT_FALSE(problem.fix.empty());
    EXPECT_EQ(problem.where.file, "test.yaml");
  }
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(DocumentTest, RefusesWhatGrowsWithoutBound) {
  // nine levels of nine: 387 million values from half a kilobyte
  std::ostringstream bomb;
  bomb << "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    bomb << 'a' << i << ": &a" << i << " [";
    for (int k = 0; k < 9; ++k) bomb << (k > 0 ? ",*a" : "*a") << i - 1;
    bomb << "]\n";
  }
  EXPECT_NE(problems_of(bomb.str())[0].message.find("grows beyond"), std::string::npos);

  // few nodes, much text
  std::ostringstream heavy;
  heavy << "a: &a '" << std::string(1 << 20, 'x') << "'\n";
  for (int i = 0; i < 64; ++i) heavy << 'b' << i << ": *a\n";
  EXPECT_NE(problems_of(heavy.str())[0].message.find("grows beyond"), std::string::npos);

  // brackets that are never closed, and more between two of them than a file has
  for (const std::string& text :
       {std::string(4'000'000, '['), "a: [" + std::string(4'000'000, ','),
        "- {x: [" + repeated("1, ", 1'000'000) + "]}\n", "a: [" + repeated("'' ", 1'000'000)}) {
    const Problem p = problems_of(text)[0];
    EXPECT_NE(p.message.find("grows beyond"), std::string::npos) << text.substr(0, 9) << p.message;
  }

  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_NE(problems_of(deep)[0].message.find("nested more than"), std::string::npos);
  EXPECT_NO_THROW((void)parse(std::string(60, '[') + std::string(60, ']')));

  EXPECT_NE(problems_of(std::string(kMaxBytes + 1, ' '))[0].message.find("more than"),
            std::string::npos);
}

TEST(DocumentTest, AKeyIsPlainTextOnOneLine) {
  for (const char* text :
       {"a: 1\n\"b\\nc\": 2\n", "a: 1\n\"b\\tc\": 2\n", "a: 1\n\"b\\x9bc\": 2\n"}) {
    const Problem p = problems_of(text)[0];
    EXPECT_EQ(p.where.line, 2) << text;
    EXPECT_NE(p.message.find("control character"), std::string::npos) << p.message;
  }
  EXPECT_NO_THROW((void)parse("\"Größe \\u2194\": 1\n"));
}

TEST(DocumentTest, AnEscapeCannotBringInWhatNoTextHas) {
  // the newline of EBCDIC comes as one byte that is no UTF-8
  for (const char* escape : {"\\e", "\\0", "\\x7f", "\\a", "\\N"}) {
    const Problem p = problems_of("a: 1\nb: \"x" + std::string(escape) + "\"\n")[0];
    EXPECT_EQ(p.where.line, 2) << escape;
    EXPECT_NE(p.message.find("an escape"), std::string::npos) << p.message;
  }
  EXPECT_EQ(parse("a: \"x\\n\\ty\\u00e9\"\n").at("a")->scalar, "x\n\tyé");
}

TEST(DocumentTest, SaysWhyAFileCannotBeRead) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  for (const auto& [path, part] :
       {std::pair{folder / "no_such_file.yaml", "No such file"}, std::pair{folder, "folder"}}) {
    try {
      (void)Document::load(path);
      FAIL() << path;
    } catch (const ConfigError& e) {
      EXPECT_EQ(e.problems()[0].where.file, path.string());
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }
  // endless input ends at the limit
  EXPECT_THROW((void)Document::load("/dev/zero"), ConfigError);
}

}  // namespace
}  // namespace pintle::config
