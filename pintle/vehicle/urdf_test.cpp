#include "pintle/vehicle/urdf.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/vehicle/jets_ini.h"

namespace pintle::vehicle {
namespace {

std::string inertial(const std::string& mass, const std::string& ixx = "1") {
  return "<inertial><mass value=\"" + mass + "\"/><inertia ixx=\"" + ixx +
         "\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
}

// a rocket: 91 kg of body, a tank, an engine 2 m below, a fin turned by 90 degrees on a hinge
const std::string kRocket =
    "<?xml version=\"1.0\"?>\n"
    "<!-- a rocket <not a tag> -->\n"
    "<robot name=\"rocket\">\n"
    "  <material name=\"white\"><color rgba=\"1 1 1 1\"/></material>\n"
    "  <link name=\"base\">" +
    inertial("91", "1.5") +
    "<collision><origin xyz=\"0 0 0.5\"/><geometry><cylinder radius=\"0.2\" "
    "length=\"4\"/></geometry>"
    "</collision></link>\n"
    "  <link name=\"tank\">" +
    inertial("400") +
    "</link>\n"
    "  <link name=\"engine\">" +
    inertial("47") +
    "</link>\n"
    "  <link name=\"fin\">" +
    inertial("0.5") +
    "</link>\n"
    "  <link name=\"flame\"/>\n"
    "  <joint name=\"b\" type=\"fixed\"><parent link=\"engine\"/><child link=\"flame\"/>"
    "<origin xyz=\"0 0 -1.4\"/></joint>\n"
    "  <joint name=\"t\" type=\"fixed\"><parent link=\"base\"/><child link=\"tank\"/></joint>\n"
    "  <joint name=\"e\" type=\"fixed\"><parent link=\"base\"/><child link=\"engine\"/>"
    "<origin xyz=\"0 0 -2\"/></joint>\n"
    "  <joint name=\"f\" type=\"revolute\"><parent link=\"base\"/><child link=\"fin\"/>"
    "<origin xyz=\"0.35 0 2\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"0 2 0\"/>"
    "<limit lower=\"-0.7\" upper=\"0.7\"/><dynamics damping=\"0.1\"/></joint>\n"
    "</robot>\n";

std::string with(const std::string& old, const std::string& now) {
  std::string out = kRocket;
  const std::size_t at = out.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return out.replace(at, old.size(), now);
}

TEST(Urdf, LinksJointsAndShapesAreThoseOfTheFile) {
  const UrdfModel m = parse_urdf(kRocket, "rocket.urdf");
  EXPECT_TRUE(m.warnings.empty());
  const Structure& s = m.structure;
  ASSERT_EQ(s.links.size(), 5U);
  EXPECT_EQ(s.name, "rocket");
  EXPECT_EQ(s.links[0].name, "base");
  EXPECT_EQ(s.links[0].mass.inertia_kgm2(0, 0), 1.5);
  ASSERT_EQ(s.links[0].shapes.size(), 1U);
  EXPECT_EQ(s.links[0].shapes[0].size, (Vec3{0.2, 2, 0}));
  EXPECT_EQ(s.links[0].shapes[0].X_LS.p.z, 0.5);

  const Link& fin = s.links[static_cast<std::size_t>(match_link(s, "fin").link)];
  EXPECT_EQ(fin.joint.kind, JointKind::kHinge);
  EXPECT_EQ(fin.joint.axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(fin.joint.upper, 0.7);
  EXPECT_EQ(fin.joint.damping, 0.1);
  EXPECT_NEAR(norm(rotate(fin.X_PL.q, {1, 0, 0}) - Vec3{0, 1, 0}), 0, 1e-15);

  // nothing is merged: what weighs nothing can be found, 3.4 m below
  const auto flame = static_cast<std::size_t>(match_link(s, "flame").link);
  EXPECT_EQ(s.links[flame].mass.mass_kg, 0);
  EXPECT_NEAR(poses_in_body(s)[flame].p.z, -3.4, 1e-15);
}

TEST(Urdf, TheWholeWeighsWhatItsLinksDo) {
  const MassProperties m = mass_of(parse_urdf(kRocket, "rocket.urdf").structure);
  EXPECT_NEAR(m.mass_kg, 538.5, 1e-12);
  EXPECT_NEAR(m.center_of_mass_m.z, (47 * -2 + 0.5 * 2) / 538.5, 1e-14);
  EXPECT_NEAR(m.center_of_mass_m.x, 0.5 * 0.35 / 538.5, 1e-15);
}

TEST(Urdf, InertiaTurnsWithItsOrigin) {
  const UrdfModel m = parse_urdf(
      "<robot name='r'><link name='a'><inertial><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>"
      "<mass value='2'/><inertia ixx='1' iyy='2' izz='2.5'/></inertial></link></robot>",
      "r.urdf");
  const MassProperties& mass = m.structure.links[0].mass;
  EXPECT_EQ(mass.center_of_mass_m.x, 1);
  EXPECT_NEAR(mass.inertia_kgm2(0, 0), 2, 1e-15);
  EXPECT_NEAR(mass.inertia_kgm2(1, 1), 1, 1e-15);
}

TEST(Urdf, JetsOfAnIniSitOnItsLinks) {
  const JetsIni jets = parse_jets_ini(
      "input-port-name /i\nthrust-port-name /t\nlink-jets (engine)\nmax-thrust-in-N (7607.0)\n"
      "inverse-time-constant-in-one-over-seconds 0.0\njet-axis ((0 0 1))\n",
      "jets.ini");
  const Structure s = parse_urdf(kRocket, "rocket.urdf").structure;
  EXPECT_EQ(s.links[mount_jets(jets, s).at(0).link].name, "engine");
}

TEST(Urdf, EveryBrokenFileIsRefusedWithItsLine) {
  struct Case {
    std::string text;
    int line;
    const char* says;
  };
  const std::vector<Case> cases{
      {"", 1, "ends inside"},
      {"<robot name=\"r\">\n<link name=\"a\">\n</robot>", 3, "closes <link>"},
      {"<robot name=\"r\">\n<link name=\"a/>\n</robot>", 3, "closing quote"},
      {"<robot name=\"r\"\n<link/></robot>", 2, "expected a name"},
      {"<robot name=\"&what;\"/>", 1, "an entity"},
      {"<robot name=\"r\"><!-- \n", 1, "a comment without an end"},
      {"<robot name=\"r\"/><robot/>", 1, "second root"},
      {"<sdf/>", 1, "expected <robot>"},
      {"<robot name=\"r\"/>", 1, "hangs on nothing"},
      {with("<link name=\"tank\"", "<link name=\"base\""), 6, "second link"},
      {with("<child link=\"tank\"", "<child link=\"tenk\""), 11, "no link named tenk"},
      {with("<child link=\"tank\"", "<child link=\"engine\""), 12, "on two joints"},
      {with("<parent link=\"base\"/><child link=\"tank\"/>", "<child link=\"tank\"/>"), 11,
       "parent or child"},
      {with("<parent link=\"base\"/><child link=\"engine\"/>",
            "<parent link=\"flame\"/><child link=\"engine\"/>"),
       3, "circle"},
      {with("name=\"f\" type=\"revolute\"", "name=\"f\" type=\"floating\""), 13,
       "floating is neither"},
      {with("<limit lower=\"-0.7\" upper=\"0.7\"/>", ""), 13, "needs a <limit>"},
      {with("lower=\"-0.7\"", "lower=\"0.9\""), 3, "limits in order"},
      {with("axis xyz=\"0 2 0\"", "axis xyz=\"0 0 0\""), 13, "length 0"},
      {with("axis xyz=\"0 2 0\"", "axis xyz=\"0 2\""), 13, "expected 3 numbers"},
      {with("xyz=\"0.35 0 2\"", "xyz=\"0,35 0 2\""), 13, "expected 3 numbers"},
      {with("mass value=\"47\"", "mass value=\"-47\""), 7, "no body has"},
      {with("mass value=\"47\"", "mass"), 7, "value is missing"},
      {with("mass value=\"47\"", "mass value=\"47 kg\""), 7, "expected 1 number"},
      {with("<cylinder radius=\"0.2\" length=\"4\"/>", "<cylinder radius=\"0.2\"/>"), 5,
       "length is missing"},
      {with("<geometry><cylinder radius=\"0.2\" length=\"4\"/></geometry>", ""), 5,
       "geometry is missing"},
  };
  EXPECT_GE(cases.size(), 20U);
  for (const Case& c : cases) {
    try {
      (void)parse_urdf(c.text, "rocket.urdf");
      ADD_FAILURE() << "not refused: " << c.says;
    } catch (const config::ConfigError& e) {
      bool found = false;
      for (const config::Problem& p : e.problems())
        found = found || (p.is_error && p.where.line == c.line && !p.fix.empty() &&
                          p.message.find(c.says) != std::string::npos);
      EXPECT_TRUE(found) << c.line << " " << c.says << "\n" << e.what();
    }
  }
}

TEST(Urdf, MeshesAreToldOf) {
  const UrdfModel m =
      parse_urdf(with("<cylinder radius=\"0.2\" length=\"4\"/>", "<mesh filename=\"a\"/>"), "r");
  ASSERT_EQ(m.warnings.size(), 1U);
  EXPECT_TRUE(m.structure.links[0].shapes.empty());
}

TEST(Urdf, NoTextBreaksIt) {
  for (std::size_t i = 0; i < kRocket.size(); ++i) {
    for (const std::string& text :
         {kRocket.substr(0, i), kRocket.substr(0, i) + kRocket.substr(i + 1)}) {
      try {
        (void)parse_urdf(text, "r");
      } catch (const config::ConfigError&) {
      }
    }
  }
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "<a>";
  EXPECT_THROW((void)parse_urdf(deep, "r"), config::ConfigError);
  EXPECT_THROW((void)load_urdf("/nowhere.urdf"), config::ConfigError);
}

}  // namespace
}  // namespace pintle::vehicle
