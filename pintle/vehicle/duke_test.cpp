#include "pintle/vehicle/duke.h"

#include <gtest/gtest.h>

#include "pintle/vehicle/load_for_test.h"

namespace pintle::vehicle {
namespace {

using config::Document;
using config::Problem;
using config::Reader;

std::string oogway() { return Document::load(shipped("original/duke/config/oogway.yaml")).text(); }

/// The text with its first `from` replaced; it must be there.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

struct Answer {
  DukeRobot robot;
  std::vector<Problem> problems;

  [[nodiscard]] int errors() const {
    int n = 0;
    for (const Problem& p : problems) n += p.is_error ? 1 : 0;
    return n;
  }
};

Answer read(const std::string& text) {
  const Document document = Document::parse(text, "robot.yaml");
  EXPECT_TRUE(is_duke_file(document));
  Reader reader(document);
  Answer answer;
  answer.robot = read_duke(reader, document);
  answer.problems = reader.problems();
  return answer;
}

int line_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  return at == std::string::npos
             ? -1
             : 1 + static_cast<int>(
                       std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

TEST(DukeFile, GivesTheNumbersThatStandInIt) {
  const Answer a = read(oogway());
  EXPECT_TRUE(a.problems.empty());
  ASSERT_TRUE(a.robot.pid.position && a.robot.pid.position_cascaded && a.robot.pid.velocity);
  EXPECT_EQ(a.robot.pid.position->z.Kp, 1.9);
  EXPECT_EQ(a.robot.pid.position->z.derivative_type, 1);
  EXPECT_EQ(a.robot.pid.position_cascaded->y.Kp, 3.5);
  EXPECT_EQ(a.robot.pid.velocity->z.Ki, 0.5);
  EXPECT_EQ(a.robot.pid.velocity->yaw.derivative_type, 0);
  EXPECT_EQ(a.robot.pid.velocity->yaw.error_ramp_rate, 1000);
  EXPECT_EQ(a.robot.desired_power_limits.pitch.min, -1);
  EXPECT_EQ(a.robot.static_power_global, (Vec3{0, 0, -0.1625}));
  EXPECT_EQ(a.robot.thrusters.size(), 8u);
  EXPECT_EQ(a.robot.thrusters[3].name, "bottom_front_right");
  EXPECT_TRUE(a.robot.thrusters[3].flipped);
  EXPECT_EQ(a.robot.wrench_matrix_pinv_file_path, "data/oogway_wrench_matrix_pinv.csv");
}

TEST(DukeFile, BothSpellingsOfThePseudoInverseKeyAreRead) {
  const std::string readme =
      changed(oogway(), "wrench_matrix_pinv_file_path", "wrench_matrix_pseudoinverse_file_path");
  const Answer a = read(readme);
  EXPECT_TRUE(a.problems.empty());
  EXPECT_EQ(a.robot.wrench_matrix_pinv_file_path, "data/oogway_wrench_matrix_pinv.csv");
  EXPECT_EQ(duke_pinv_key(Document::parse(readme, "r")), "wrench_matrix_pseudoinverse_file_path");
  EXPECT_EQ(duke_pinv_key(Document::parse(oogway(), "r")), "wrench_matrix_pinv_file_path");
}

TEST(DukeFile, AMissingScaleFactorIsOne) {
  const Answer a = read(changed(oogway(), "power_scale_factor: 1\n", ""));
  EXPECT_TRUE(a.problems.empty());
  EXPECT_EQ(a.robot.power_scale_factor, 1);
}

TEST(DukeFile, SectionsThatNobodyNeedsMayBeMissing) {
  std::string text = oogway();
  const std::size_t from = text.find("  position_cascaded:"), to = text.find("  velocity:");
  text.erase(from, to - from);
  const Answer a = read(text);
  EXPECT_TRUE(a.problems.empty());
  EXPECT_TRUE(a.robot.pid.position.has_value());
  EXPECT_FALSE(a.robot.pid.position_cascaded.has_value());
}

TEST(DukeFile, WithoutThrustersItDescribesControlAlone) {
  std::string text = oogway();
  const std::size_t from = text.find("thrusters:"), to = text.find("wrench_matrix_file_path");
  text.erase(from, to - from);
  const Answer a = read(text);
  EXPECT_EQ(a.errors(), 0);
  ASSERT_EQ(a.problems.size(), 1u);
}

TEST(DukeFile, AMissingGainIsAnErrorInItsSection) {
  const std::string text = changed(oogway(), "      Kp: 1.8\n", "");
  const Answer a = read(text);
  ASSERT_EQ(a.errors(), 1);
  EXPECT_NE(a.problems[0].message.find("Kp"), std::string::npos);
  EXPECT_NEAR(a.problems[0].where.line, line_of(text, "    x:\n"), 1);
}

TEST(DukeFile, DerivativeTypesAreWholeZeroOrOne) {
  EXPECT_EQ(read(changed(oogway(), "derivative_type: 1", "derivative_type: 0")).errors(), 0);
  // the original refuses 1.0 too, but takes 256 for 0
  for (const char* wrong : {"1.0", "2", "256", "257", "-1", "one"}) {
    const std::string text =
        changed(oogway(), "derivative_type: 1", std::string("derivative_type: ") + wrong);
    const Answer a = read(text);
    ASSERT_EQ(a.errors(), 1) << wrong;
    EXPECT_EQ(a.problems[0].where.line, line_of(text, std::string("derivative_type: ") + wrong));
  }
}

TEST(DukeFile, LimitsMustNotCrossButMayMeet) {
  std::string text = changed(oogway(), "        max: 1\n", "        max: -1\n");
  EXPECT_EQ(read(text).errors(), 0);
  text = changed(oogway(), "        max: 1\n", "        max: -2\n");
  Answer a = read(text);
  ASSERT_EQ(a.errors(), 1);
  EXPECT_EQ(a.problems[0].where.line, line_of(text, "      control_effort:"));

  text = changed(oogway(), "desired_power_limits:\n  x:\n    min: -1",
                 "desired_power_limits:\n  x:\n    min: 3");
  a = read(text);
  ASSERT_EQ(a.errors(), 1);
  EXPECT_EQ(a.problems[0].where.line, line_of(text, "desired_power_limits:") + 1);
}

TEST(DukeFile, ANegativeRampAndNumbersThatAreNoneAreErrors) {
  EXPECT_EQ(read(changed(oogway(), "error_ramp_rate: 1000", "error_ramp_rate: -1")).errors(), 1);
  EXPECT_EQ(read(changed(oogway(), "Kp: 1.8", "Kp: .nan")).errors(), 1);
  EXPECT_EQ(read(changed(oogway(), "Kp: 1.8", "Kp: much")).errors(), 1);
}

TEST(DukeFile, UnknownKeysAreWarnedAboutAtEveryDepth) {
  std::string text = changed(oogway(), "      Kp: 1.8\n", "      Kp: 1.8\n      Kpp: 3\n");
  text += "camera: {fps: 30}\n";
  const Answer a = read(text);
  EXPECT_EQ(a.errors(), 0);
  ASSERT_EQ(a.problems.size(), 2u);
  EXPECT_EQ(a.problems[0].where.line, line_of(text, "Kpp"));
}

TEST(DukeFile, OrderAndCommentsDoNotMatter) {
  // the last lines first
  const std::string text = oogway();
  const std::size_t cut = text.find("static_power_global:");
  std::string turned = text.substr(cut) + "\n# in another order\n" + text.substr(0, cut);
  const Answer a = read(turned), b = read(text);
  EXPECT_TRUE(a.problems.empty());
  EXPECT_EQ(a.robot.pid.velocity->x.Kp, b.robot.pid.velocity->x.Kp);
  EXPECT_EQ(a.robot.static_power_global, b.robot.static_power_global);
  EXPECT_EQ(a.robot.thrusters[7].pos, b.robot.thrusters[7].pos);
}

TEST(DukeFile, TruthValuesMayBeSpelledAsThePythonToolsDo) {
  const Answer a = read(changed(oogway(), "flipped: false", "flipped: False"));
  EXPECT_TRUE(a.problems.empty());
  EXPECT_FALSE(a.robot.thrusters[0].flipped);
}

TEST(DukeFile, TwoThrustersOfOneNameAreAnErrorAtTheSecond) {
  const std::string text = changed(oogway(), "name: top_front_left", "name: bottom_front_left");
  const Answer a = read(text);
  ASSERT_EQ(a.errors(), 1);
  EXPECT_GT(a.problems[0].where.line, line_of(text, "name: bottom_front_left"));
}

TEST(DukeFile, AnotherFileIsNotTakenForOne) {
  EXPECT_FALSE(is_duke_file(Document::parse("format: pintle/vehicle/1\npid: {}\n", "v")));
  EXPECT_FALSE(is_duke_file(Document::parse("- 1\n- 2\n", "v")));
  EXPECT_FALSE(is_duke_file(Document::parse("thrusters: {}\n", "v")));
  EXPECT_TRUE(is_duke_file(Document::parse("desired_power_limits: {}\n", "v")));
}

TEST(DukeFile, SavingAGainChangesItsLineAlone) {
  const Document before = Document::load(shipped("original/duke/config/oogway.yaml"));
  Document after = before.with("pid.velocity.z.Kd", 0.1);
  after = after.with("static_power_global.z", -0.2);
  after = after.with("power_scale_factor", 0.75);
  const Answer a = read(after.text());
  EXPECT_TRUE(a.problems.empty());
  EXPECT_EQ(a.robot.pid.velocity->z.Kd, 0.1);
  EXPECT_EQ(a.robot.static_power_global.z, -0.2);
  EXPECT_EQ(a.robot.power_scale_factor, 0.75);

  // three lines differ, and 0.1 is written 0.1
  std::istringstream old_lines(before.text()), new_lines(after.text());
  std::string old_line, new_line;
  std::vector<std::string> differing;
  while (std::getline(old_lines, old_line) && std::getline(new_lines, new_line))
    if (old_line != new_line) differing.push_back(new_line);
  EXPECT_EQ(differing,
            (std::vector<std::string>{"      Kd: 0.1", "  z: -0.2", "power_scale_factor: 0.75"}));
}

TEST(DukeFile, TheVehicleFloatsByWhatItsStaticPowerHoldsDown) {
  const VehicleSpec spec = to_spec(read(oogway()).robot, "oogway");
  EXPECT_TRUE(spec.effort_unit.normalised);
  const double lift_N = (spec.body.volume_m3 * 1000 - spec.body.mass_kg) * 9.80665;
  EXPECT_NEAR(lift_N, 0.1625 * spec.effort_unit.one_unit_N, 1e-9);
}

}  // namespace
}  // namespace pintle::vehicle
