// pintle import: from other people's files to a vehicle that `pintle check` takes

#include <gtest/gtest.h>

#include "command.h"

namespace pintle::testing {
namespace {

namespace fs = std::filesystem;

// as the jets plugin's own description has it
const std::string kIni =
    "input-port-name /jets/input:i\n"
    "thrust-port-name /jets/thrust:o\n"
    "\n"
    "link-jets (JETCAT_P200-RX_FR, JETCAT_P200-RX_FL, JETCAT_P200-RX_BR, JETCAT_P200-RX_BL)\n"
    "max-thrust-in-N (63.0, 63.0, 220.0, 220.0)\n"
    "# If the inverse of the time constant is 0.0, the jets are a pure integrator\n"
    "inverse-time-constant-in-one-over-seconds 0.0\n"
    "jet-axis ((-1.0 0.0 0.0), (1.0 0.0 0.0), (0.0 0.0 -1.0), (0.0 0.0 -1.0))\n";

std::string with(const std::string& key, const std::string& line) {
  const std::size_t at = kIni.find(key + " ");
  return kIni.substr(0, at) + line + kIni.substr(kIni.find('\n', at));
}

struct Link {
  const char *name, *xyz, *rpy;
  double mass_kg;
};
const Link kLinks[] = {{"box", "0 0 0", "0 0 0", 20},
                       {"JETCAT_P200-RX_FR", "0.4 -0.3 -0.05", "0 1.5707963267948966 0", 1},
                       {"JETCAT_P200-RX_FL", "0.4 0.3 -0.05", "0 -1.5707963267948966 0", 1},
                       {"JETCAT_P200-RX_BR", "-0.1 -0.3 -0.05", "3.141592653589793 0 0", 2},
                       {"JETCAT_P200-RX_BL", "-0.1 0.3 -0.05", "3.141592653589793 0 0", 2}};

std::string urdf(const std::string& joint_type = "fixed") {
  std::string out = "<?xml version=\"1.0\"?>\n<!-- <sdf> -->\n<robot name=\"flying-box\">\n";
  for (const Link& l : kLinks) {
    const std::string i = std::to_string(0.05 * l.mass_kg);
    out += "<link name=\"" + std::string(l.name) + "\"><inertial><mass value=\"" +
           std::to_string(l.mass_kg) + "\"/><inertia ixx=\"" + i + "\" iyy=\"" + i + "\" izz=\"" +
           i + "\"/></inertial></link>\n";
    if (&l == kLinks) continue;
    out += "<joint name=\"to_" + std::string(l.name) + "\" type=\"" + joint_type +
           "\"><parent link=\"box\"/><child link=\"" + l.name + "\"/><origin xyz=\"" + l.xyz +
           "\" rpy=\"" + l.rpy + "\"/></joint>\n";
  }
  return out + "</robot>\n";
}

std::string sdf(const std::string& plugin_uri) {
  std::string out = "<?xml version=\"1.0\"?>\n<sdf version=\"1.7\">\n<model name=\"flying-box\">\n";
  for (const Link& l : kLinks) {
    const std::string i = std::to_string(0.05 * l.mass_kg);
    out += "<link name=\"" + std::string(l.name) + "\"><pose>" + l.xyz + " " + l.rpy +
           "</pose><inertial><mass>" + std::to_string(l.mass_kg) + "</mass><inertia><ixx>" + i +
           "</ixx><ixy>0</ixy><ixz>0</ixz><iyy>" + i + "</iyy><iyz>0</iyz><izz>" + i +
           "</izz></inertia></inertial></link>\n";
    if (&l != kLinks)
      out += "<joint name=\"to_" + std::string(l.name) +
             "\" type=\"fixed\"><parent>box</parent><child>" + l.name + "</child></joint>\n";
  }
  if (!plugin_uri.empty())
    out += "<plugin name=\"jets\" filename=\"libjets-plugin.so\"><yarpConfigurationFile>" +
           plugin_uri + "</yarpConfigurationFile></plugin>\n";
  return out + "</model>\n</sdf>\n";
}

std::string mjcf() {
  std::string out =
      "<mujoco model=\"flying-box\">\n<compiler eulerseq=\"XYZ\" angle=\"radian\"/>\n<worldbody>\n";
  for (const Link& l : kLinks) {
    const std::string i = std::to_string(0.05 * l.mass_kg);
    out += "<body name=\"" + std::string(l.name) + "\" pos=\"" + l.xyz + "\" euler=\"" + l.rpy +
           "\"><inertial pos=\"0 0 0\" mass=\"" + std::to_string(l.mass_kg) + "\" diaginertia=\"" +
           i + " " + i + " " + i + "\"/>" + (&l == kLinks ? "<freejoint/>\n" : "</body>\n");
  }
  return out + "</body>\n</worldbody>\n</mujoco>\n";
}

class Import : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ / "flying-box/conf"); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Said import(const std::string& arguments) {
    return shell("cd '" + folder_.string() + "' && '" PINTLE_COMMAND "' import " + arguments);
  }
  Said check(const std::string& name) { return pintle("check " + (folder_ / name).string()); }
  fs::path folder_ = fs::temp_directory_path() / ("pintle-import-" + std::to_string(::getpid()));
};

bool reads_sdf() {
  // the command says itself when it was built without
  static const bool reads = [] {
    const fs::path file =
        fs::temp_directory_path() / ("pintle-import-sdf-" + std::to_string(::getpid()));
    std::ofstream(file) << sdf("");
    const Said said = pintle("import " + file.string());
    fs::remove(file);
    return said.err.find("this build reads none") == std::string::npos;
  }();
  return reads;
}

TEST_F(Import, TheExampleIniBecomesAVehicleWithWarningsToFillIn) {
  write("jets.ini", kIni);
  const Said said = import("jets.ini --out box.yaml");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, "box.yaml\n");
  EXPECT_NE(said.err.find("fill in body, and position_m"), std::string::npos);
  EXPECT_EQ(check("box.yaml").code, 0);
  EXPECT_EQ(check("box.yaml").out.find("warning"), std::string::npos);
}

TEST_F(Import, AUrdfWithItsIniHovers) {
  write("jets.ini", kIni);
  write("box.urdf", urdf());
  ASSERT_EQ(import("box.urdf --jets jets.ini -o box.yaml").code, 0);
  EXPECT_EQ(check("box.yaml").code, 0);
  const Said hover = pintle("matrix " + (folder_ / "box.yaml").string() + " --hover");
  EXPECT_EQ(hover.code, 0) << hover.out << hover.err;
  // the same bytes again, to stdout as well
  EXPECT_EQ(import("box.urdf --jets jets.ini").out,
            shell("cat '" + (folder_ / "box.yaml").string() + "'").out);
}

TEST_F(Import, NumbersThatWereSummedUpAreWrittenWithoutTheRestOfRounding) {
  std::string robot = urdf();
  const std::string heavy = "<mass value=\"20.000000\"/>";
  robot.replace(robot.find(heavy), heavy.size(), "<mass value=\"0.06\"/>");
  ASSERT_NE(0.06 + 1 + 1 + 2 + 2, 6.06);
  write("jets.ini", kIni);
  write("light.urdf", robot);
  const Said said = import("light.urdf --jets jets.ini");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("mass_kg: 6.06\n"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("00000000"), std::string::npos) << said.out;
}

TEST_F(Import, TheFlyingBoxHoversAsItsFileSays) {
  const Said hover = pintle("matrix vehicles/flying_box.yaml --hover");
  EXPECT_NE(hover.out.find("57 %"), std::string::npos) << hover.out;
  EXPECT_NE(shell("head -5 '" PINTLE_SOURCE_DIR "/vehicles/flying_box.yaml'")
                .out.find("Hover stands at 57 %"),
            std::string::npos);
}

TEST_F(Import, JointsThatMoveAreNamed) {
  write("jets.ini", kIni);
  write("box.urdf", urdf("continuous"));
  const Said said = import("box.urdf --jets jets.ini -o box.yaml");
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.err.find("these joints stay at 0: to_JETCAT_P200-RX_FR"), std::string::npos);
}

TEST_F(Import, AnSdfWithThePluginElementIsTheSameCraftAsTheUrdf) {
  write("flying-box/conf/jets.ini", kIni);
  write("jets.ini", kIni);
  write("flying-box/model.sdf", sdf("model://flying-box/conf/jets.ini"));
  write("box.urdf", urdf());
  const Said said = import("flying-box/model.sdf --out box.yaml");
  if (!reads_sdf()) {
    // said clearly, with what to do
    EXPECT_EQ(said.code, 3);
    EXPECT_NE(said.err.find("scripts/setup --sdf"), std::string::npos);
    return;
  }
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(check("box.yaml").code, 0);
  ASSERT_EQ(import("box.urdf --jets jets.ini --out other.yaml").code, 0);
  const Said a = pintle("matrix " + (folder_ / "box.yaml").string());
  const Said b = pintle("matrix " + (folder_ / "other.yaml").string());
  EXPECT_EQ(a.code, 0);
  EXPECT_EQ(a.out, b.out);
  // elsewhere, found through the folder that was named
  fs::create_directories(folder_ / "models");
  fs::rename(folder_ / "flying-box", folder_ / "models/flying-box");
  write("model.sdf", sdf("model://flying-box/conf/jets.ini"));
  EXPECT_EQ(import("model.sdf").code, 3);
  EXPECT_EQ(import("model.sdf --model-path models").code, 0);
  // without the element it is a craft that cannot move
  write("bare.sdf", sdf(""));
  const Said bare = import("bare.sdf --out bare.yaml");
  EXPECT_EQ(bare.code, 0);
  EXPECT_NE(bare.err.find("no jets"), std::string::npos);
  EXPECT_EQ(check("bare.yaml").code, 0);
}

TEST_F(Import, AnMjcfIsTheSameCraftAsTheUrdf) {
  write("jets.ini", kIni);
  write("box.xml", mjcf());
  write("box.urdf", urdf());
  const Said said = import("box.xml --jets jets.ini --out box.yaml");
  if (said.err.find("this build reads none") != std::string::npos) {
    // said clearly, with what to do
    EXPECT_EQ(said.code, 3);
    EXPECT_NE(said.err.find("scripts/setup"), std::string::npos);
    return;
  }
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(check("box.yaml").code, 0);
  ASSERT_EQ(import("box.urdf --jets jets.ini --out other.yaml").code, 0);
  const Said a = pintle("matrix " + (folder_ / "box.yaml").string() + " --hover");
  const Said b = pintle("matrix " + (folder_ / "other.yaml").string() + " --hover");
  EXPECT_EQ(a.code, 0);
  EXPECT_EQ(a.out, b.out);
  // a file that MuJoCo refuses is refused with its words
  write("broken.xml", "<mujoco><worldbody><body><geom/></worldbody></mujoco>\n");
  const Said broken = import("broken.xml");
  EXPECT_EQ(broken.code, 3);
  EXPECT_NE(broken.err.find("broken.xml"), std::string::npos);
}

TEST_F(Import, WhatItWritesOfAnSdfWithThePluginTakesOffHoversAndReports) {
  if (!reads_sdf()) return;  // said clearly: see above
  const std::string model = PINTLE_SOURCE_DIR "/tests/data/flying-box/model.sdf";
  ASSERT_EQ(import(model + " -o box.yaml").code, 0);
  const Said checked = check("box.yaml");
  EXPECT_EQ(checked.code, 0);
  EXPECT_EQ(checked.err, "");
  write("hover.yaml",
        "format: pintle/mission/1\n"
        "name: hover\n"
        "vehicle: box.yaml\n"
        "world: {file: " PINTLE_SOURCE_DIR
        "/worlds/field.yaml, start_position_m: [0, 0, 0.16], pads: []}\n"
        "mission:\n"
        "  states:\n"
        "    - name: take_off\n"
        "      go: {x_m: 0, y_m: 0, z_m: 2, yaw_deg: 0}\n"
        "      success: {position_m: 0.3, speed_m_s: 0.25, settle_s: 1}\n"
        "      timeout_s: 40\n"
        "    - name: hover\n"
        "      success: {position_m: 0.4, attitude_deg: 10, settle_s: 10}\n"
        "      timeout_s: 40\n");
  for (const char* seed : {"1", "2"}) {
    const Said flown =
        pintle("run '" + (folder_ / "hover.yaml").string() + "' --out '" +
               (folder_ / "out").string() + "' --quiet --json --overwrite --seed " + seed);
    EXPECT_EQ(flown.code, 0) << flown.out << flown.err;
    EXPECT_NE(flown.out.find("\"verdict\":\"pass\""), std::string::npos) << flown.out;
    EXPECT_GT(fs::file_size(folder_ / "out/report.html"), 10000U);
  }
}

TEST_F(Import, TheModelOfTheThrustCanBeChosen) {
  write("jets.ini", kIni);
  EXPECT_NE(import("jets.ini --model direct").out.find("model: direct"), std::string::npos);
  EXPECT_EQ(import("jets.ini --model quadratic").code, 2);
}

TEST_F(Import, BrokenFilesAreRefusedWithFileAndLineAndNothingIsWritten) {
  struct Case {
    std::string ini, model, says;
  };
  std::string two_roots = urdf(), no_mass = urdf(), cut = urdf();
  two_roots.replace(two_roots.find("<robot name=\"flying-box\">"), 25,
                    "<robot name=\"flying-box\"><link name=\"other\"/>");
  no_mass.replace(no_mass.find("<mass value=\"20"), 15, "<mass value=\"-20");
  cut.resize(cut.size() / 2);
  std::string ambiguous = urdf();
  for (std::size_t at = 0; (at = ambiguous.find("JETCAT_P200-RX_FR", at)) != std::string::npos;)
    ambiguous.replace(at, 17, "X_JETCAT_P200-RX_FL");
  const std::vector<Case> cases{
      {with("input-port-name", ""), "", "jets.ini:1:1: input-port-name: missing"},
      {with("thrust-port-name", ""), "", "jets.ini:1:1: thrust-port-name: missing"},
      {with("max-thrust-in-N", ""), "", "jets.ini:1:1: max-thrust-in-N: missing"},
      {with("jet-axis", ""), "", "jets.ini:1:1: jet-axis: missing"},
      {with("link-jets", ""), "", "jets.ini:1:1: link-jets: missing"},
      {with("inverse-time-constant-in-one-over-seconds", ""), "", "jets.ini:1:1: inverse-time"},
      {with("input-port-name", "input-port-name jets"), "", "jets.ini:1:17: "},
      {with("thrust-port-name", "thrust-port-name /jets/input:i"), "", "jets.ini:2:1: "},
      {with("max-thrust-in-N", "max-thrust-in-N (63.0 -1.0 220.0 220.0)"), "", "jets.ini:5:23: "},
      {with("max-thrust-in-N", "max-thrust-in-N (63 63 220 \"220\")"), "", "jets.ini:5:28: "},
      {with("max-thrust-in-N", "max-thrust-in-N 63 63 220 220"), "", "jets.ini:5:20: "},
      {with("inverse-time-constant-in-one-over-seconds",
            "inverse-time-constant-in-one-over-seconds -2.0"),
       "", "jets.ini:7:43: "},
      {with("jet-axis", "jet-axis ((1 0 0) (1 0) (1 0 0) (1 0 0))"), "", "jets.ini:8:19: "},
      {with("jet-axis", "jet-axis ((1 0 0) (0 0 0) (1 0 0) (1 0 0))"), "", "jets.ini:8:19: "},
      {with("link-jets", "link-jets (A B C)"), "", "jets.ini:4:11: "},
      {kIni + "d_thrust-port-name (\n", "", "jets.ini:9:20: "},
      {with("link-jets", "link-jets (A, B, C, D)"), urdf(),
       "jets.ini:4:12: link-jets: expected a link"},
      {with("link-jets", "link-jets (A, JETCAT_P200-RX_FL, box, P200-RX_FL)"), ambiguous,
       "jets.ini:4:39: link-jets: \"P200-RX_FL\" means 2 links"},
      {kIni, "<robot name=\"x\"></robot>", "model.xml:1:1: "},
      {kIni, cut, "model.xml:"},
      {kIni, two_roots, "two links hang on nothing"},
      {kIni, no_mass, "a mass or an inertia that no body has"},
      {kIni, urdf("floating"), "neither fixed, revolute, continuous nor prismatic"},
      {kIni, "<html></html>", "model.xml:1:1: expected an .ini"},
      {kIni, "", "model.xml:1:1: expected an .ini"},
  };
  EXPECT_GE(cases.size(), 20U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    write("jets.ini", c.ini);
    write("model.xml", c.model);
    const bool alone = i < 16;
    const Said said =
        import(alone ? "jets.ini -o out.yaml" : "model.xml --jets jets.ini -o out.yaml");
    EXPECT_EQ(said.code, 3) << c.says << "\n" << said.out << said.err;
    EXPECT_NE(said.err.find(c.says), std::string::npos) << c.says << "\n" << said.err;
    EXPECT_NE(said.err.find("fix: "), std::string::npos) << said.err;
    EXPECT_TRUE(said.out.empty());
    EXPECT_FALSE(fs::exists(folder_ / "out.yaml")) << c.says;
  }
}

TEST_F(Import, NoFileIsReplacedUnaskedAndNoneThatIsRead) {
  write("jets.ini", kIni);
  write("box.yaml", "# mine\n");
  const Said said = import("jets.ini -o box.yaml");
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.err.find("box.yaml exists: name another file, or add --overwrite"),
            std::string::npos)
      << said.err;
  EXPECT_EQ(shell("cat '" + (folder_ / "box.yaml").string() + "'").out, "# mine\n");
  EXPECT_EQ(import("jets.ini --overwrite -o jets.ini").code, 2) << "it is read";
  EXPECT_EQ(shell("cat '" + (folder_ / "jets.ini").string() + "'").out, kIni);
  EXPECT_EQ(import("jets.ini --overwrite -o box.yaml").code, 0);
  EXPECT_EQ(check("box.yaml").code, 0);
}

TEST_F(Import, WhatIsNotThereOrCannotBeWrittenIsSaid) {
  EXPECT_EQ(import("nowhere.ini").code, 3);
  EXPECT_EQ(import("nowhere.urdf").code, 3);
  EXPECT_EQ(import(".").code, 3);
  write("jets.ini", kIni);
  EXPECT_EQ(import("jets.ini --jets jets.ini").code, 2);
  EXPECT_EQ(import("jets.ini -o nowhere/box.yaml").code, 4);
}

}  // namespace
}  // namespace pintle::testing
