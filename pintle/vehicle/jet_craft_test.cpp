#include "pintle/vehicle/jet_craft.h"

#include <gtest/gtest.h>

#include "pintle/vehicle/load_for_test.h"

namespace pintle::vehicle {
namespace {

// as the plugin's own description has it
const std::string kExample =
    "input-port-name /jets/input:i\n"
    "thrust-port-name /jets/thrust:o\n"
    "link-jets (JETCAT_P200-RX_FR, JETCAT_P200-RX_FL, JETCAT_P200-RX_BR, JETCAT_P200-RX_BL)\n"
    "max-thrust-in-N (63.0, 63.0, 220.0, 220.0)\n"
    "inverse-time-constant-in-one-over-seconds 0.0\n"
    "jet-axis ((-1.0 0.0 0.0), (1.0 0.0 0.0), (0.0 0.0 -1.0), (0.0 0.0 -1.0))\n";

/// A box of 20 kg and four jets of 1 kg; those at the back hang upside down.
Structure box() {
  Structure s;
  s.name = "flying-box";
  s.links.resize(5);
  const char* names[] = {"box", "JETCAT_P200-RX_FR", "JETCAT_P200-RX_FL", "JETCAT_P200-RX_BR",
                         "JETCAT_P200-RX_BL"};
  const Vec3 places[] = {{}, {0.5, -0.3, 0}, {0.5, 0.3, 0}, {-0.5, -0.3, 0}, {-0.5, 0.3, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    s.links[i].name = names[i];
    s.links[i].mass = {i == 0 ? 20.0 : 1.0, {}, {}};
    if (i == 0) {
      s.links[i].shapes.push_back({ShapeKind::kBox, {0.4, 0.3, 0.15}, {}});
      s.links[i].mass.inertia_kgm2 = Mat3::diagonal({1, 2, 3});
      continue;
    }
    s.links[i].parent = 0;
    s.links[i].X_PL.p = places[i];
    if (i >= 3) s.links[i].X_PL.q = from_rpy({kPi, 0, 0});
  }
  return s;
}

ImportedVehicle made_of(const JetCraftSource& source) {
  return import_jet_craft(source, "its_law");
}

/// Reads a text as a vehicle file would be; the sections of other rooms aside.
VehicleSpec read_back(const std::string& text) {
  const config::Document document = config::Document::parse(text, "made.yaml");
  config::Reader reader(document);
  VehicleSpec spec;
  config::ReadOptions options;
  options.ignore = {"law", "control_rate_Hz", "its_law", "safety", "failsafes"};
  reader.read(document.root(), spec, options);
  reader.add(check(spec), document.root());
  EXPECT_TRUE(reader.problems().empty()) << to_string(reader.problems());
  return spec;
}

TEST(JetCraft, BecomesOneRigidBodyWithItsJetsAtTheirLinks) {
  const JetsIni jets = parse_jets_ini(kExample, "jets.ini");
  const Structure s = box();
  const ImportedVehicle made = made_of({"box.urdf", &s, &jets});
  const Body& b = made.spec.body;
  EXPECT_DOUBLE_EQ(b.mass_kg, 24);
  EXPECT_NEAR(norm(b.center_of_mass_m), 0, 1e-15);
  // by hand: four kilograms at 0.5 and 0.3 m
  EXPECT_NEAR(b.inertia_kgm2.x, 1 + 4 * 0.09, 1e-12);
  EXPECT_NEAR(b.inertia_kgm2.y, 2 + 4 * 0.25, 1e-12);
  EXPECT_NEAR(b.inertia_kgm2.z, 3 + 4 * 0.34, 1e-12);

  const Vehicle v = build(made.spec);
  ASSERT_EQ(v.propulsors.size(), 4U);
  EXPECT_EQ(v.propulsors[2].name, "JETCAT_P200-RX_BR");
  EXPECT_EQ(v.propulsors[2].mount.position_m, (Vec3{-0.5, -0.3, 0}));
  // its link is upside down, so that its axis (0, 0, -1) pushes up; quarter turns are exact
  const auto& back = std::get<propulsion::JetParams>(v.propulsors[2].model);
  EXPECT_EQ(v.propulsors[2].mount.R_BP * back.jet_axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(back.max_thrust_N, 220);
  ASSERT_EQ(b.feet_m.size(), 4U);
  EXPECT_EQ(b.feet_m[0], (Vec3{0.4, 0.3, -0.15}));
  EXPECT_TRUE(made.warnings.empty());
}

TEST(JetCraft, ItsTextReadsBackAsItAndIsTheSameEveryTime) {
  JetsIni jets = parse_jets_ini(
      kExample + "d_thrust-port-name /jets/d_thrust:o\ngazeboYarpPluginsRobotName icub-jets\n",
      "conf/jets.ini");
  jets.jets[1].coefficients = propulsion::JetCoefficients{1, 2, 3, 4, 5, 6, 7, 8, 9, -0.5};
  Structure s = box();
  s.links[4].X_PL.q = from_rpy({0.3, -0.2, 1.1});
  const ImportedVehicle made = made_of({"models/box.urdf", &s, &jets});
  EXPECT_EQ(made_of({"models/box.urdf", &s, &jets}).text, made.text);
  const VehicleSpec back = read_back(made.text);
  EXPECT_EQ(back.name, "flying-box");
  EXPECT_NEAR(back.body.mass_kg, 24, 1e-9);
  for (std::size_t i = 0; i < 4; ++i) {
    const Mount a = mount_of(made.spec.propulsors[i]), b = mount_of(back.propulsors[i]);
    EXPECT_NEAR(norm(a.position_m - b.position_m), 0, 1e-11);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(a.R_BP.m[k], b.R_BP.m[k], 1e-11);
    EXPECT_EQ(back.propulsors[i].jet.jet_axis, jets.jets[i].axis);
  }
  EXPECT_EQ(back.propulsors[1].jet.jet_coefficients[9], -0.5);
  ASSERT_TRUE(back.yarp);
  EXPECT_EQ(back.yarp->robot, "icub-jets");
  EXPECT_EQ(back.yarp->input_port, "/jets/input:i");
  EXPECT_EQ(back.yarp->thrust_port, "/jets/thrust:o");
  EXPECT_EQ(back.yarp->d_thrust_port, "/jets/d_thrust:o");
  ASSERT_EQ(back.body.feet_m.size(), 4U);
  EXPECT_EQ(back.body.feet_m[2], (Vec3{-0.4, -0.3, -0.15}));
  // where things came from, without the folders of this machine
  EXPECT_NE(made.text.find("box.urdf: its 5 links"), std::string::npos);
  EXPECT_NE(made.text.find("# jets.ini:3: JETCAT_P200-RX_FL"), std::string::npos);
  EXPECT_EQ(made.text.find("models/"), std::string::npos);
}

bool warns(const ImportedVehicle& made, const char* text) {
  for (const config::Problem& p : made.warnings)
    if (p.message.find(text) != std::string::npos) return !p.is_error && !p.fix.empty();
  return false;
}

TEST(JetCraft, AnIniAloneIsAVehicleThatSaysWhatToFillIn) {
  const JetsIni jets = parse_jets_ini(kExample, "jets.ini");
  const ImportedVehicle made = made_of({{}, nullptr, &jets});
  EXPECT_TRUE(warns(made, "an .ini alone knows no links"));
  const VehicleSpec back = read_back(made.text);
  EXPECT_EQ(back.name, "jets");
  EXPECT_EQ(back.propulsors.size(), 4U);
  EXPECT_EQ(back.propulsors[3].position_m, Vec3{});
}

TEST(JetCraft, AModelAloneIsAVehicleThatSaysItCannotMove) {
  const Structure s = box();
  const ImportedVehicle made = made_of({"box.sdf", &s, nullptr});
  EXPECT_TRUE(warns(made, "no jets"));
  const VehicleSpec back = read_back(made.text);
  EXPECT_FALSE(back.yarp);
  EXPECT_EQ(back.propulsors.size(), 1U);
}

TEST(JetCraft, WarnsOfJointsThatMoveAndOfTooLittleLift) {
  JetsIni jets = parse_jets_ini(kExample, "jets.ini");
  Structure s = box();
  s.links[3].joint = {"wrist", JointKind::kHinge, {0, 0, 1}, false, 0, 0, 0, 0};
  s.links[0].mass.mass_kg = 60;
  const ImportedVehicle made = made_of({"box.urdf", &s, &jets});
  EXPECT_TRUE(warns(made, "these joints stay at 0: wrist"));
  // 440 N of lift, 64 kg
  EXPECT_TRUE(warns(made, "lift at most 440 N of its 627.6 N"));
}

TEST(JetCraft, RefusesNamesThatMeanNoneOrSeveralLinksAndCraftWithoutMass) {
  JetsIni jets = parse_jets_ini(kExample, "jets.ini");
  jets.jets[0].link = "JETCAT";
  jets.jets[1].link = "_FR";
  Structure s = box();
  s.links[2].name = "other_FR";
  try {
    (void)made_of({"box.urdf", &s, &jets});
    ADD_FAILURE() << "taken";
  } catch (const config::ConfigError& e) {
    ASSERT_EQ(e.problems().size(), 2U);
    EXPECT_EQ(e.problems()[0].where.line, 3);
    EXPECT_NE(e.problems()[1].message.find("means 2 links"), std::string::npos);
  }
  s = box();
  for (Link& link : s.links) link.mass = {};
  jets = parse_jets_ini(kExample, "jets.ini");
  EXPECT_THROW((void)made_of({"box.urdf", &s, &jets}), config::ConfigError);
}

TEST(JetCraft, TwoJetsOnOneLinkGetNamesOfTheirOwn) {
  JetsIni jets = parse_jets_ini(kExample, "jets.ini");
  jets.jets[1].link = jets.jets[0].link;
  const Structure s = box();
  const VehicleSpec back = read_back(made_of({"box.urdf", &s, &jets}).text);
  EXPECT_EQ(back.propulsors[1].name, "JETCAT_P200-RX_FR_2");
  EXPECT_EQ(back.propulsors[1].position_m, back.propulsors[0].position_m);
}

TEST(JetCraft, NamesOfAnySortStayText) {
  JetsIni jets = parse_jets_ini(kExample, "jets.ini");
  Structure s = box();
  const char* odd[] = {"true", "1e3", "robot::arm \"left\"", "# [x], {y}: \x01"};
  for (std::size_t i = 0; i < 4; ++i) s.links[i + 1].name = jets.jets[i].link = odd[i];
  s.name = "no";
  const VehicleSpec back = read_back(made_of({"box.urdf", &s, &jets}).text);
  EXPECT_EQ(back.name, "no");
  odd[3] = "# [x], {y}: _";
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(back.propulsors[i].name, odd[i]);
}

TEST(YarpPorts, MustBeginWithASlashAndDiffer) {
  EXPECT_TRUE(check(YarpPorts{"", "/in", "/out", "", 1}).empty());
  EXPECT_EQ(check(YarpPorts{"", "in", "/out", "/out", 1}).size(), 2U);
  EXPECT_EQ(check(YarpPorts{}).size(), 2U);
  EXPECT_EQ(check(YarpPorts{"", "/my in", "/out(1)", "/d\tout", 1}).size(), 3U);
}

TEST(YarpPorts, AreNoneOfThoseThatPintleOpensForTheVehicle) {
  JetsIni jets = parse_jets_ini(kExample, "jets.ini");
  const Structure s = box();
  VehicleSpec spec = made_of({"box.urdf", &s, &jets}).spec;
  spec.name = "my box";
  const auto errors = [&] {
    Findings out;
    for (const Finding& f : check(spec))
      if (f.is_error) out.push_back(f);
    return out;
  };
  EXPECT_TRUE(errors().empty());
  for (const char* taken : {"/my_box/state:o", "/my_box/imu:o", "/my_box/status:o", "/my_box/rpc:i",
                            "/my_box/stack/command:o"}) {
    spec.yarp->thrust_port = taken;
    ASSERT_EQ(errors().size(), 1U) << taken;
    EXPECT_EQ(errors()[0].path, "yarp.thrust-port-name");
  }
  spec.yarp->thrust_port = "/my/state:o";
  EXPECT_TRUE(errors().empty());
  spec.name = std::string(990, 'x');
  ASSERT_EQ(errors().size(), 1U);
  EXPECT_EQ(errors()[0].path, "name");
}

}  // namespace
}  // namespace pintle::vehicle
