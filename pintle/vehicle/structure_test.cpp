#include "pintle/vehicle/structure.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::vehicle {
namespace {

Link link(std::string name, int parent = 0) {
  Link l;
  l.name = std::move(name);
  l.parent = parent;
  l.mass = {1, {}, Mat3::diagonal({1, 1, 1})};
  return l;
}

Structure robot() {
  Structure s;
  s.name = "robot";
  s.links = {link("robot::base", -1), link("robot::left_jet"), link("robot::right_jet")};
  return s;
}

TEST(Structure, TwoPointMassesMakeADumbbell) {
  const MassProperties a{2, {0, 0, 0}, {}}, b{1, {3, 0, 0}, {}};
  const MassProperties both = combined(a, b);
  EXPECT_EQ(both.mass_kg, 3);
  EXPECT_EQ(both.center_of_mass_m, (Vec3{1, 0, 0}));
  // reduced mass 2/3 kg, 3 m apart
  EXPECT_NEAR(both.inertia_kgm2(1, 1), 6, 1e-15);
  EXPECT_NEAR(both.inertia_kgm2(2, 2), 6, 1e-15);
  EXPECT_EQ(both.inertia_kgm2(0, 0), 0);
  EXPECT_EQ(combined({}, {}).mass_kg, 0);
}

TEST(Structure, AMassInAnotherFrameTurnsAndMoves) {
  const MassProperties m{2, {1, 0, 0}, Mat3::diagonal({1, 2, 3})};
  const MassProperties moved = in_frame({{0, 0, 5}, from_rpy({0, 0, kPi / 2})}, m);
  EXPECT_NEAR(norm(moved.center_of_mass_m - Vec3{0, 1, 5}), 0, 1e-15);
  EXPECT_NEAR(moved.inertia_kgm2(0, 0), 2, 1e-15);
  EXPECT_NEAR(moved.inertia_kgm2(1, 1), 1, 1e-15);
}

TEST(Structure, PosesChainFromParentToChild) {
  Structure s = robot();
  s.links[1].X_PL = {{1, 0, 0}, from_rpy({0, 0, kPi / 2})};
  s.links[2].parent = 1;
  s.links[2].X_PL = {{1, 0, 0}, {}};
  EXPECT_NEAR(norm(poses_in_body(s)[2].p - Vec3{1, 1, 0}), 0, 1e-15);
}

TEST(Structure, ANameMeansOneLinkOrIsRefused) {
  const Structure s = robot();
  EXPECT_EQ(match_link(s, "robot::left_jet").link, 1);
  EXPECT_EQ(match_link(s, "right_jet").link, 2);
  const LinkMatch two = match_link(s, "jet");
  EXPECT_EQ(two.link, -1);
  EXPECT_EQ(two.why, "\"jet\" means 2 links: robot::left_jet, robot::right_jet");
  const LinkMatch none = match_link(s, "robot::left_jat");
  EXPECT_EQ(none.link, -1);
  EXPECT_EQ(none.fix, "did you mean  robot::left_jet");
  EXPECT_EQ(match_link(s, "").link, -1);
}

TEST(Structure, AnExactNameWinsOverAnEnding) {
  Structure s = robot();
  s.links.push_back(link("jet"));
  EXPECT_EQ(match_link(s, "jet").link, 3);
}

TEST(Structure, WhatNoCraftIsIsNamed) {
  const auto first = [](const Structure& s) {
    const Findings f = check(s);
    return f.empty() ? std::string() : f[0].path;
  };
  EXPECT_EQ(first(robot()), "");
  EXPECT_EQ(first({}), "links");
  Structure s = robot();
  s.links[2].name = "robot::base";
  EXPECT_EQ(first(s), "links[2].name");
  s = robot(), s.links[1].parent = 2;
  EXPECT_EQ(first(s), "links[1].parent");
  s = robot(), s.links[1].parent = -1;
  EXPECT_EQ(first(s), "links[1].parent");
  s = robot(), s.links[1].mass.mass_kg = -1;
  EXPECT_EQ(first(s), "links[1].mass");
  s = robot(), s.links[1].mass.inertia_kgm2(0, 1) = 0.5;
  EXPECT_EQ(first(s), "links[1].mass");
  s = robot(), s.links[1].X_PL.p.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(first(s), "links[1].X_PL");
  s = robot(), s.links[1].joint.kind = JointKind::kHinge, s.links[1].joint.axis = {1, 1, 0};
  EXPECT_EQ(first(s), "links[1].joint.axis");
  s = robot(), s.links[1].shapes.push_back({});
  EXPECT_EQ(first(s), "links[1].shapes");
}

TEST(Structure, StandsOnTheOutermostOfItsLowestPoints) {
  Structure s = robot();
  EXPECT_TRUE(standing_points(s).empty());
  // a box of 0.8 x 0.6 x 0.2 m on the ground, a leg that hangs on its side and reaches as low
  s.links[0].shapes.push_back({ShapeKind::kBox, {0.4, 0.3, 0.1}, {}});
  s.links[1].X_PL = {{0.6, 0, 0}, from_rpy({kPi / 2, 0, 0})};
  s.links[1].shapes.push_back({ShapeKind::kSphere, {0.1, 0, 0}, {}});
  std::vector<Vec3> points = standing_points(s);
  const Vec3 expected[] = {
      {0.4, 0.3, -0.1}, {0.4, -0.3, -0.1}, {-0.4, -0.3, -0.1}, {-0.4, 0.3, -0.1}, {0.6, 0, -0.1}};
  ASSERT_EQ(points.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(norm(points[i] - expected[i]), 0, 1e-12);
  // a round foot below it alone
  s.links[2].X_PL = {{0, 0, -0.5}, {}};
  s.links[2].shapes.push_back({ShapeKind::kCylinder, {0.2, 0.05, 0}, {}});
  points = standing_points(s);
  ASSERT_EQ(points.size(), 4U);
  for (const Vec3& p : points) {
    EXPECT_NEAR(std::hypot(p.x, p.y), 0.2, 1e-12);
    EXPECT_NEAR(p.z, -0.55, 1e-12);
  }
}

}  // namespace
}  // namespace pintle::vehicle
