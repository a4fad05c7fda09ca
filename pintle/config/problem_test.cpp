#include "pintle/config/problem.h"

#include <gtest/gtest.h>

namespace pintle::config {
namespace {

TEST(ProblemTest, IsWrittenForThePersonWhoMendsTheFile) {
  const Problem problem{{"vehicles/my_rov.yaml", 41, 19},
                        "    max_thrust_N: fifty",
                        "max_thrust_N: expected a number above 0, got \"fifty\"",
                        "write a number in newtons, such as  max_thrust_N: 50"};
  EXPECT_EQ(to_string(problem),
            "vehicles/my_rov.yaml:41:19: max_thrust_N: expected a number above 0, got \"fifty\"\n"
            "   41 |     max_thrust_N: fifty\n"
            "      |                   ^\n"
            "  fix: write a number in newtons, such as  max_thrust_N: 50\n");
}

TEST(ProblemTest, LeavesOutWhatIsUnknown) {
  EXPECT_EQ(to_string(Problem{{"a.yaml", 0, 0}, {}, "cannot open", {}}), "a.yaml: cannot open\n");
  EXPECT_EQ(to_string(Problem{{}, {}, "odd", {}, false}), "warning: odd\n");
}

TEST(ProblemTest, PutsTheCaretUnderTheCharacterWhateverComesBefore) {
  // the ä is one column of two bytes; the tab stays a tab
  EXPECT_EQ(to_string(Problem{{"f", 3, 4}, "ä\t x", "m", {}}),
            "f:3:4: m\n    3 | ä\t x\n      |  \t ^\n");
}

TEST(ProblemTest, ShowsThePartOfALongLineThatMatters) {
  const std::string line = std::string(500, 'a') + "!" + std::string(500, 'b');
  const std::string text = to_string(Problem{{"f", 1, 501}, line, "m", {}});
  const std::size_t excerpt = text.find("| ") + 2;
  const std::size_t caret = text.find("| ", excerpt) + 2;
  EXPECT_LT(text.size(), 320U);
  // the … before the part is one column of three bytes
  EXPECT_EQ(text.find('!') - excerpt - 2, text.find('^') - caret);
}

TEST(ProblemTest, NeverSendsControlCharactersToTheTerminal) {
  const std::string text =
      to_string(Problem{{"f", 1, 1}, "\x1b[2J\r\xC2\x9B", "got \x1b[0m", "\x07"});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos);
}

TEST(ProblemTest, ListsWarningsLast) {
  const std::vector<Problem> problems{{{"f", 1, 1}, "", "minor", "", false},
                                      {{"f", 2, 1}, "", "major", "", true}};
  const std::string text = to_string(problems);
  EXPECT_LT(text.find("major"), text.find("minor"));
  EXPECT_EQ(ConfigError(problems).what(), text);
  EXPECT_EQ(ConfigError(problems).problems().size(), 2U);
}

TEST(ProblemTest, SuggestsTheNearestNameWithinAThirdOfTheLength) {
  const std::vector<std::string_view> names{"position", "position_cascaded", "velocity", "Kp",
                                            "Ki"};
  EXPECT_EQ(did_you_mean("postion", names), "position");
  EXPECT_EQ(did_you_mean("psoition", names), "position");  // swapped neighbours are one slip
  EXPECT_EQ(did_you_mean("VELOCITY", names), "velocity");
  EXPECT_EQ(did_you_mean("kp", names), "Kp");
  EXPECT_EQ(did_you_mean("kd", names), "");
  EXPECT_EQ(did_you_mean("acceleration", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean(std::string(1 << 20, 'x'), names), "");
}

}  // namespace
}  // namespace pintle::config
