#include "pintle/vehicle/jets_ini.h"

#include <gtest/gtest.h>

#include <sstream>

namespace pintle::vehicle {
namespace {

// as the plugin's own description has it
const std::string kExample =
    "input-port-name /jets/input:i\n"
    "thrust-port-name /jets/thrust:o\n"
    "\n"
    "link-jets (JETCAT_P200-RX_FR, JETCAT_P200-RX_FL, JETCAT_P200-RX_BR, JETCAT_P200-RX_BL)\n"
    "max-thrust-in-N (63.0, 63.0, 220.0, 220.0)\n"
    "# If the inverse of the time constant is 0.0, the jets are a pure integrator\n"
    "inverse-time-constant-in-one-over-seconds 0.0\n"
    "jet-axis ((-1.0 0.0 0.0), (1.0 0.0 0.0), (0.0 0.0 -1.0), (0.0 0.0 -1.0))\n";

std::string without_line(const std::string& key) {
  std::istringstream in(kExample);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with(key)) out += line + "\n";
  return out;
}
std::string with(const std::string& key, const std::string& line) {
  std::istringstream in(kExample);
  std::string out;
  for (std::string old; std::getline(in, old);) out += (old.starts_with(key) ? line : old) + "\n";
  return out;
}

Structure box() {
  Structure s;
  s.name = "flying-box";
  s.links.resize(5);
  const char* names[] = {"box", "JETCAT_P200-RX_FR", "JETCAT_P200-RX_FL", "JETCAT_P200-RX_BR",
                         "JETCAT_P200-RX_BL"};
  for (std::size_t i = 0; i < 5; ++i) s.links[i].name = names[i];
  return s;
}

TEST(JetsIni, TheExampleOfThePluginReads) {
  const JetsIni j = parse_jets_ini(kExample, "jets.ini");
  EXPECT_TRUE(j.warnings.empty());
  EXPECT_EQ(j.input_port, "/jets/input:i");
  EXPECT_EQ(j.thrust_port, "/jets/thrust:o");
  EXPECT_EQ(j.d_thrust_port, "");
  EXPECT_EQ(j.inverse_time_constant_1_s, 0);
  ASSERT_EQ(j.jets.size(), 4U);
  EXPECT_EQ(j.jets[1].link, "JETCAT_P200-RX_FL");
  EXPECT_EQ(j.jets[2].max_thrust_N, 220);
  EXPECT_EQ(j.jets[0].axis, (Vec3{-1, 0, 0}));
  EXPECT_FALSE(j.jets[0].coefficients);
}

TEST(JetsIni, ANewerFileBringsCoefficientsAndAThirdPort) {
  const std::string file = kExample +
                           "d_thrust-port-name /jets/d_thrust:o\n"
                           "gazeboYarpPluginsRobotName icub-jets\n"
                           "jet-coefficients ((1 2 3 4 5 6 7 8 9 10) (1 2 3 4 5 6 7 8 9 10) "
                           "(1 2 3 4 5 6 7 8 9 10) (1 2 3 4 5 6 7 8 9 -0.5))\n";
  const JetsIni j = parse_jets_ini(file, "jets.ini");
  EXPECT_EQ(j.d_thrust_port, "/jets/d_thrust:o");
  EXPECT_EQ(j.robot_name, "icub-jets");
  EXPECT_EQ((*j.jets[3].coefficients)[9], -0.5);
}

TEST(JetsIni, EveryBrokenFileIsRefusedWithItsLine) {
  struct Case {
    std::string text;
    int line, column;
    const char* says;
  };
  const std::vector<Case> cases{
      {without_line("input-port"), 1, 1, "input-port-name: missing"},
      {without_line("thrust-port"), 1, 1, "thrust-port-name: missing"},
      {without_line("max-thrust"), 1, 1, "max-thrust-in-N: missing"},
      {without_line("inverse"), 1, 1, "inverse-time-constant-in-one-over-seconds: missing"},
      {without_line("jet-axis"), 1, 1, "jet-axis: missing"},
      {without_line("link-jets"), 1, 1, "link-jets: missing"},
      {with("input-port", "input-port-name"), 1, 1, "got nothing"},
      {with("input-port", "input-port-name jets/input:i"), 1, 17, "begins with /"},
      {with("input-port", "input-port-name 5"), 1, 17, "expected a name, got 5"},
      {with("thrust-port", "thrust-port-name /jets/input:i"), 2, 1, "two ports named"},
      {with("max-thrust", "max-thrust-in-N (63.0 -1.0 220.0 220.0)"), 5, 23, "at least 0 N"},
      {with("max-thrust", "max-thrust-in-N (63.0 63.0 220.0 \"220\")"), 5, 34, "expected a number"},
      {with("max-thrust", "max-thrust-in-N 63.0 63.0 220.0 220.0"), 5, 22, "expected one value"},
      {with("max-thrust", "max-thrust-in-N (63.0 63.0 220.0 1e400)"), 5, 34, "expected a number"},
      {with("max-thrust", "max-thrust-in-N (63.0 63.0 # the small ones\n220.0 220.0)"), 5, 17,
       "cut off by a comment"},
      {with("inverse", "inverse-time-constant-in-one-over-seconds fast"), 7, 43, "got \"fast\""},
      {with("inverse", "inverse-time-constant-in-one-over-seconds -2.0"), 7, 43, "at least 0"},
      {with("inverse", "inverse-time-constant-in-one-over-seconds 1000.0"), 7, 43,
       "less than 1000, got 1000"},
      {with("inverse", "inverse-time-constant-in-one-over-seconds 2000.0"), 7, 43,
       "thrust never changes"},
      {with("input-port", "input-port-name \"\""), 1, 17, "expected the name of a port"},
      {with("input-port", "input-port-name \"/my jets/input:i\""), 1, 17, "no blanks"},
      {with("input-port", "input-port-name \"/jets(1)/input:i\""), 1, 17, "brackets"},
      {with("input-port", "input-port-name /" + std::string(1000, 'x')), 1, 17, "1001"},
      {with("thrust-port", "thrust-port-name /jets/status:o"), 2, 1, "Pintle opens a port named"},
      {kExample + "d_thrust-port-name /jets/rpc:i\n", 9, 1, "Pintle opens a port named"},
      {with("jet-axis", "jet-axis ((1.0 0.0 0.0) (1.0 0.0 0.0) (1.0 0.0 0.0))"), 8, 10,
       "expected 4 axes"},
      {with("jet-axis", "jet-axis ((1 0 0) (1 0) (1 0 0) (1 0 0))"), 8, 19, "three numbers"},
      {with("jet-axis", "jet-axis ((1 0 0) x (1 0 0) (1 0 0))"), 8, 19, "three numbers"},
      {with("jet-axis", "jet-axis ((1 0 0) (0 0 0) (1 0 0) (1 0 0))"), 8, 19, "pushes nowhere"},
      {with("jet-axis", "jet-axis (1 0 0) (0 0 1)"), 8, 18, "expected one value, got 2"},
      {with("link-jets", "link-jets (A B C)"), 4, 11, "expected 4 link names"},
      {with("link-jets", "link-jets (A \"\" C D)"), 4, 14, "name of a link"},
      {with("link-jets", "link-jets JETCAT"), 4, 11, "expected a list"},
      {kExample + "jet-coefficients ((1 2 3) (1) (1) (1))\n", 9, 19, "expected 10 numbers, got 3"},
      {kExample + "jet-coefficients (1 2 3)\n", 9, 18, "expected 4 lists"},
      {kExample + "[include \"nowhere.ini\"]\n", 9, 1, "cannot read the included file"},
      {kExample + "d_thrust-port-name (\n", 9, 20, "never closed"},
  };
  EXPECT_GE(cases.size(), 20U);
  for (const Case& c : cases) {
    try {
      (void)parse_jets_ini(c.text, "jets.ini");
      ADD_FAILURE() << "not refused: " << c.says;
    } catch (const config::ConfigError& e) {
      bool found = false;
      for (const config::Problem& p : e.problems()) {
        EXPECT_FALSE(p.message.empty() || p.fix.empty());
        found = found || (p.is_error && p.where.line == c.line && p.where.column == c.column &&
                          p.message.find(c.says) != std::string::npos);
      }
      EXPECT_TRUE(found) << c.line << ":" << c.column << " " << c.says << "\n" << e.what();
    }
  }
}

TEST(JetsIni, EveryTrapThatKeepsAValueIsAWarning) {
  struct Case {
    std::string text;
    int line;
    const char* says;
  };
  for (const Case& c : {
           Case{with("inverse", "inverse-time-constant-in-one-over-seconds 0"), 7, "wants a point"},
           Case{with("inverse", "inverse-time-constant-in-one-over-seconds 0.5"), 7, "unstable"},
           Case{with("jet-axis", "jet-axis ((2 0 0) (1 0 0) (1 0 0) (1 0 0))"), 8,
                "scales the thrust"},
           Case{with("max-thrust", "max-thrust-in-N (0.0 63.0 220.0 220.0)"), 5, "never pushes"},
           Case{kExample + "input-port-name /other:i\n", 9, "replaces"},
           Case{kExample + "max-thrust-in-n (1 2)\n", 9, "nobody reads"},
           Case{kExample + "# a note (open\nthrust-port-name /lost)\n", 9, "ignore the lines"},
       }) {
    const JetsIni j = parse_jets_ini(c.text, "jets.ini");
    ASSERT_EQ(j.warnings.size(), 1U) << c.says;
    EXPECT_EQ(j.warnings[0].where.line, c.line);
    EXPECT_NE(j.warnings[0].message.find(c.says), std::string::npos) << j.warnings[0].message;
  }
}

TEST(JetsIni, ThePluginsNameOfItsModelStandsBeforeTheFileIsRead) {
  const std::string ports =
      "input-port-name /${gazeboYarpPluginsRobotName}/jets/input:i\n"
      "thrust-port-name /${gazeboYarpPluginsRobotName}/jets/thrust:o\n";
  const std::string rest = without_line("input-port").substr(without_line("input-port").find('\n'));
  const JetsIni j = parse_jets_ini(ports + rest, "jets.ini", "flying-box");
  EXPECT_TRUE(j.warnings.empty());
  EXPECT_EQ(j.input_port, "/flying-box/jets/input:i");
  EXPECT_EQ(j.thrust_port, "/flying-box/jets/thrust:o");
  EXPECT_EQ(j.robot_name, "flying-box");
  // the file may have a name of its own
  const JetsIni own =
      parse_jets_ini("gazeboYarpPluginsRobotName icub-jets\n" + ports + rest, "jets.ini", "box");
  EXPECT_TRUE(own.warnings.empty());
  EXPECT_EQ(own.input_port, "/icub-jets/jets/input:i");
  EXPECT_EQ(own.robot_name, "icub-jets");
  // without a model nobody has put it, and that is said
  EXPECT_EQ(parse_jets_ini(ports + rest, "jets.ini").warnings.size(), 2U);
}

TEST(JetsIni, IsKnownByItsNameOrByItsKeys) {
  EXPECT_TRUE(is_jets_ini("jets.ini", ""));
  EXPECT_TRUE(is_jets_ini("JETS.INI", ""));
  EXPECT_TRUE(is_jets_ini("jets.conf", kExample));
  EXPECT_TRUE(is_jets_ini("jets", "# a comment\n  max-thrust-in-N = (1.0)"));
  EXPECT_FALSE(is_jets_ini("vehicle.yaml", "yarp:\n  input-port-name: /jets/input:i\n"));
  EXPECT_FALSE(is_jets_ini("vehicle.yaml", "jet-axis\nname: x\n"));
  EXPECT_FALSE(is_jets_ini("ini", ""));
}

TEST(JetsIni, EveryProblemIsToldAtOnce) {
  try {
    (void)parse_jets_ini("max-thrust-in-N (1 -1)\nlink-jets (A)\n", "jets.ini");
    FAIL();
  } catch (const config::ConfigError& e) {
    EXPECT_EQ(e.problems().size(), 6U) << e.what();
    EXPECT_NE(std::string(e.what()).find("jets.ini:1:20"), std::string::npos) << e.what();
  }
}

TEST(JetsIni, JetsSitOnTheLinksTheyName) {
  const auto mounted = mount_jets(parse_jets_ini(kExample, "jets.ini"), box());
  ASSERT_EQ(mounted.size(), 4U);
  EXPECT_EQ(mounted[0].link, 1U);
  EXPECT_EQ(mounted[3].link, 4U);
  EXPECT_EQ(mounted[3].axis_L, (Vec3{0, 0, -1}));
}

TEST(JetsIni, ANameThatMeansSeveralLinksOrNoneIsRefusedAtItsPlace) {
  Structure s = box();
  s.links[3].name = "left::JETCAT_P200-RX_BL";
  s.links[4].name = "right::JETCAT_P200-RX_BL";
  try {
    (void)mount_jets(parse_jets_ini(kExample, "jets.ini"), s);
    FAIL();
  } catch (const config::ConfigError& e) {
    ASSERT_EQ(e.problems().size(), 2U);
    EXPECT_EQ(e.problems()[0].where.line, 4);
    EXPECT_EQ(e.problems()[0].where.column, 50);
    EXPECT_NE(e.problems()[1].message.find("means 2 links"), std::string::npos);
  }
}

// problems beyond the hundredth are not kept: what is looked at next must not trust that one was (sanitizers see who does)
TEST(JetsIni, AKeyWithoutAValueAfterAHundredProblemsIsNoName) {
  std::string text = "max-thrust-in-N\ninput-port-name\nthrust-port-name\nd_thrust-port-name\n";
  for (std::size_t i = 0; i <= config::kMaxProblems; ++i)
    text += "unknown" + std::to_string(i) + " 1\n";
  EXPECT_THROW((void)parse_jets_ini(text, "jets.ini"), config::ConfigError);
}

}  // namespace
}  // namespace pintle::vehicle
