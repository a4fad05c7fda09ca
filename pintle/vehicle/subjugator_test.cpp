#include "pintle/vehicle/subjugator.h"

#include <gtest/gtest.h>

#include "pintle/vehicle/load_for_test.h"

namespace pintle::vehicle {
namespace {

using config::Document;
using config::Problem;
using config::Reader;

std::string layout() {
  return Document::load(shipped("original/subjugator/thruster_layout.yaml")).text();
}
std::string busses() { return Document::load(shipped("original/subjugator/busses.yaml")).text(); }

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// Without the top-level key: its lines, moved two to the left.
std::string without_key(const std::string& text, const std::string& key) {
  std::istringstream lines(text.substr(text.find(key) + key.size() + 1));
  std::string line, out;
  while (std::getline(lines, line)) out += (line.size() > 2 ? line.substr(2) : "") + "\n";
  return out;
}

struct Answer {
  SubjugatorLayout layout;
  std::vector<Problem> problems;
  int errors = 0;
};

Answer read(const std::string& text) {
  const Document document = Document::parse(text, "layout.yaml");
  Reader reader(document);
  Answer answer;
  answer.layout = read_subjugator(reader, document);
  answer.problems = reader.problems();
  for (const Problem& p : answer.problems) answer.errors += p.is_error ? 1 : 0;
  return answer;
}

TEST(ThrusterLayout, GivesPortsAndThrustersInTheOrderOfTheFile) {
  const Answer a = read(layout());
  EXPECT_TRUE(a.problems.empty());
  ASSERT_EQ(a.layout.thrusters.size(), 8u);
  EXPECT_EQ(a.layout.thrusters[0].name, "FLH");
  EXPECT_EQ(a.layout.thrusters[0].node_id, 3);
  EXPECT_EQ(a.layout.thrusters[3].name, "FRV");
  EXPECT_EQ(a.layout.thrusters[3].node_id, 0);
  EXPECT_EQ(a.layout.thrusters[7].position, (Vec3{-0.1583, -0.169, 0.0142}));
  EXPECT_EQ(a.layout.thrusters[7].thrust_bounds, (std::vector<double>{-100, 65}));
  EXPECT_EQ(a.layout.thrusters[7].calib_forward.size(), 4u);
  ASSERT_EQ(a.layout.ports.size(), 4u);
  EXPECT_EQ(a.layout.ports[2].thruster_names, (std::vector<std::string>{"BLH", "BLV"}));
  EXPECT_FALSE(a.layout.ports[2].confident_mode);
}

TEST(ThrusterLayout, IsReadWithAndWithoutItsTopLevelKey) {
  const std::string bare = without_key(layout(), "thruster_layout:");
  EXPECT_TRUE(is_thruster_layout(Document::parse(bare, "l")));
  const Answer a = read(bare);
  EXPECT_TRUE(a.problems.empty());
  EXPECT_EQ(a.layout.thrusters.size(), 8u);
}

TEST(ThrusterLayout, ACurveOfFiveCoefficientsIsRefusedAtItsLine) {
  const std::string text = changed(layout(), "forward: [", "forward: [-1.52077e-07, ");
  const Answer a = read(text);
  ASSERT_EQ(a.errors, 1);
  EXPECT_NE(a.problems[0].message.find("exactly 4 coefficients"), std::string::npos);
  EXPECT_NE(a.problems[0].excerpt.find("-1.52077e-07"), std::string::npos);
}

TEST(ThrusterLayout, BoundsWhereTheCurveTurnsOverAreRefused) {
  const Answer a =
      read(changed(layout(), "thrust_bounds: [-100, 65]", "thrust_bounds: [-90, 142]"));
  ASSERT_EQ(a.errors, 1);
  EXPECT_NE(a.problems[0].message.find("not rising"), std::string::npos);
}

TEST(ThrusterLayout, WhoOnlyAllocatesNeedsNeitherBoundsNorCurves) {
  std::string text = changed(layout(), "forward: [", "forward: [5.24818e-10, ");
  text = changed(text, "      thrust_bounds: [-100, 65] # N\n", "");
  const Document document = Document::parse(text, "layout.yaml");
  Reader reader(document);
  const SubjugatorLayout found = read_subjugator(reader, document, LayoutUse::kAllocate);
  EXPECT_TRUE(reader.problems().empty());
  EXPECT_TRUE(found.thrusters[0].thrust_bounds.empty());
  EXPECT_EQ(found.thrusters[1].thrust_bounds, (std::vector<double>{-100, 65}));

  const Document twisted =
      Document::parse(changed(text, "[0.866, -0.5, 0]", "[0.8, -0.5, 0]"), "layout.yaml");
  Reader strict(twisted);
  (void)read_subjugator(strict, twisted, LayoutUse::kAllocate);
  EXPECT_TRUE(strict.has_errors());
}

TEST(ThrusterLayout, DirectionsAreUsedAsGivenButMustBeNearlyUnit) {
  const Answer a = read(layout());
  EXPECT_EQ(build(to_spec(a.layout, "s")).propulsors[0].mount.direction, (Vec3{0.866, -0.5, 0}));
  const std::string text = changed(layout(), "[0.866, -0.5, 0]", "[0.8, -0.5, 0]");
  const Answer wrong = read(text);
  ASSERT_EQ(wrong.errors, 1);
  EXPECT_NE(wrong.problems[0].excerpt.find("[0.8, -0.5, 0]"), std::string::npos);
}

TEST(ThrusterLayout, KeysOfEarlierYearsAreReadWithAWarning) {
  std::string text = changed(layout(), "node_id: 3", "motor_id: 3");
  text = changed(text, "thrust_bounds: [-100, 65]", "bounds: [-90, 60]");
  const Answer a = read(text);
  EXPECT_EQ(a.errors, 0);
  EXPECT_EQ(a.problems.size(), 2u);
  EXPECT_EQ(a.layout.thrusters[0].node_id, 3);
  EXPECT_EQ(a.layout.thrusters[0].thrust_bounds, (std::vector<double>{-90, 60}));
}

TEST(ThrusterLayout, WhatTheDriverInsistsOnIsInsistedOnHere) {
  EXPECT_EQ(read(changed(layout(), "node_id: 3", "node_id: 3.5")).errors, 1);
  EXPECT_EQ(read(changed(layout(), "[0.2678, 0.2795, 0]", "[0.2678, 0.2795]")).errors, 1);
  EXPECT_EQ(read(changed(layout(), "thrust_bounds: [-100, 65]", "thrust_bounds: [-100]")).errors,
            1);
  EXPECT_EQ(read(changed(layout(), "      thrust_bounds: [-100, 65] # N\n", "")).errors, 1);
  EXPECT_EQ(read(changed(layout(), "[FLH, FLV]", "[FLH, FLW]")).errors, 1);
}

TEST(ThrusterLayout, UnknownKeysAreWarnedAbout) {
  const Answer a = read(changed(layout(), "node_id: 3\n", "node_id: 3\n      colour: red\n"));
  EXPECT_EQ(a.errors, 0);
  EXPECT_EQ(a.problems.size(), 1u);
}

TEST(ThrusterLayout, SavingOneNumberLeavesTheRestAsItWas) {
  const Document before = Document::parse(layout(), "l");
  EXPECT_EQ(subjugator_path(before, "FLH", "node_id"), "thruster_layout.thrusters.FLH.node_id");
  EXPECT_EQ(subjugator_path(before, "XXX", "node_id"), "");
  const Document after = before.with(subjugator_path(before, "FLH", "node_id"), 9);
  EXPECT_EQ(after.text(), changed(layout(), "node_id: 3", "node_id: 9"));
}

TEST(Busses, TakeWholeNumbersForLengths) {
  // directions such as [0, 0, -1] and positions such as 0 are whole numbers in these files
  const Answer a = read(busses());
  EXPECT_TRUE(a.problems.empty());
  ASSERT_EQ(a.layout.thrusters.size(), 8u);
  EXPECT_EQ(a.layout.thrusters[1].name, "FLV");
  EXPECT_EQ(a.layout.thrusters[1].direction, (Vec3{0, 0, -1}));
  EXPECT_EQ(a.layout.thrusters[6].node_id, 17);
  EXPECT_EQ(a.layout.ports[3].thruster_names, (std::vector<std::string>{"BRL", "BRV"}));
}

TEST(Busses, AreReadWithoutTheirTopLevelKeyToo) {
  const std::string bare = without_key(busses(), "busses:");
  EXPECT_TRUE(is_busses(Document::parse(bare, "b")));
  EXPECT_EQ(read(bare).layout.thrusters.size(), 8u);
}

TEST(Busses, DriveTheMeasuredTableWithItsMargin) {
  const VehicleSpec spec = to_spec(read(busses()).layout, "sub");
  const auto thruster = std::get<propulsion::Thruster>(build(spec).propulsors[0].model);
  EXPECT_NEAR(thruster.command_for(1e6, 48), 0.742785, 5e-7);
  EXPECT_NEAR(thruster.command_for(-1e6, 48), -0.751205, 5e-7);
}

TEST(Busses, SavingFindsTheThrusterOnItsBus) {
  const Document document = Document::parse(busses(), "b");
  EXPECT_EQ(subjugator_path(document, "BRV", "node_id"), "busses[3].thrusters.BRV.node_id");
  EXPECT_EQ(document.with(subjugator_path(document, "BRV", "node_id"), 21).text(),
            changed(busses(), "node_id: 16", "node_id: 21"));
}

TEST(Kinds, OneFileIsOfOneKind) {
  const Document l = Document::parse(layout(), "l"), b = Document::parse(busses(), "b");
  EXPECT_TRUE(is_thruster_layout(l) && !is_busses(l) && !is_duke_file(l));
  EXPECT_TRUE(is_busses(b) && !is_thruster_layout(b) && !is_duke_file(b));
  const Document native = Document::parse("format: pintle/vehicle/1\nthrusters: {}\n", "n");
  EXPECT_FALSE(is_thruster_layout(native) || is_busses(native));
}

TEST(Wiring, PortAndIdReachTheVehicle) {
  const VehicleSpec spec = to_spec(read(layout()).layout, "sub");
  ASSERT_EQ(spec.devices.size(), 4U);
  EXPECT_EQ(spec.devices[0].type, "m5");
  EXPECT_NE(spec.devices[0].path.find("if00"), std::string::npos);
  ASSERT_EQ(spec.devices[0].channels.size(), 2U);
  EXPECT_EQ(spec.devices[0].channels[0].propulsor, "FLH");
  EXPECT_EQ(spec.devices[0].channels[0].node_id, 3);
  EXPECT_TRUE(check(spec).empty());
  EXPECT_EQ(to_spec(read(busses()).layout, "sub").devices.size(), 4U);
}

TEST(Wiring, AnIdTwiceOnAPortAndAThrusterOnTwoOrNoneAreRefused) {
  EXPECT_EQ(read(changed(layout(), "node_id: 1\n", "node_id: 3\n")).errors, 1);
  EXPECT_EQ(read(changed(layout(), "node_id: 1\n", "node_id: 128\n")).errors, 1);
  EXPECT_EQ(read(changed(layout(), "thruster_names: [FLH, FLV]", "thruster_names: [FLH]")).errors,
            1);
  EXPECT_EQ(read(changed(layout(), "thruster_names: [FLH, FLV]", "thruster_names: [FLH, FLV, BRV]"))
                .errors,
            1);
}

}  // namespace
}  // namespace pintle::vehicle
