#include "pintle/sdformat/sdf_model.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>

namespace pintle::sdformat {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIni =
    "input-port-name /jets/input:i\n"
    "thrust-port-name /jets/thrust:o\n"
    "link-jets (jet_L, jet_R)\n"
    "max-thrust-in-N (100.0, 100.0)\n"
    "inverse-time-constant-in-one-over-seconds 0.0\n"
    "jet-axis ((0.0 0.0 -1.0), (0.0 0.0 -1.0))\n";

const std::string kInertial =
    "<inertial><pose>0 0 0.1 0 0 "
    "0</pose><mass>2</mass><inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz>"
    "<iyy>0.2</iyy><iyz>0</iyz><izz>0.25</izz></inertia></inertial>";

std::string link(const std::string& name, const std::string& pose, const std::string& more = "") {
  return "<link name=\"" + name + "\"><pose>" + pose + "</pose>" + kInertial + more + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + parent +
         "</parent><child>" + child + "</child>" + more + "</joint>\n";
}
std::string plugin(const std::string& uri = "model://flying-box/conf/jets.ini") {
  return "<plugin name=\"jets\" filename=\"libjets-plugin.so\"><yarpConfigurationFile>" + uri +
         "</yarpConfigurationFile></plugin>\n";
}
std::string model(const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<sdf version=\"1.7\">\n<model name=\"flying-box\">\n" + inside +
         "</model>\n</sdf>\n";
}
// the box is turned by 90 degrees about z and 1 m up in its model; jets to its left and right
const std::string kLinks = link("box", "0 0 1 0 0 1.5707963267948966") +
                           link("jet_L", "0.5 0 1 0 0 0") +
                           link("jet_R", "-0.5 0 1 3.141592653589793 0 0");
const std::string kJoints =
    joint("a", "fixed", "box", "jet_L") + joint("b", "fixed", "box", "jet_R");

class Sdf : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            (std::string("pintle_sdf_") +
             testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root_ / "flying-box/conf");
    std::ofstream(root_ / "flying-box/conf/jets.ini") << kIni;
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path write(const std::string& text) {
    const fs::path file = root_ / "flying-box/model.sdf";
    std::ofstream(file) << text;
    return file;
  }
  std::string refusal(const std::string& text) {
    try {
      (void)import_jet_craft(write(text));
    } catch (const config::ConfigError& e) {
      for (const config::Problem& p : e.problems()) {
        EXPECT_FALSE(p.message.empty());
        EXPECT_FALSE(p.where.file.empty());
      }
      return e.what();
    }
    return "not refused";
  }

  fs::path root_;
};

TEST_F(Sdf, AModelWithThePluginGivesLinksAndJets) {
  const JetCraft craft = import_jet_craft(write(model(kLinks + kJoints + plugin())));
  EXPECT_TRUE(craft.warnings.empty());
  ASSERT_EQ(craft.structure.links.size(), 3U);
  EXPECT_EQ(craft.structure.links[0].name, "box");
  EXPECT_EQ(craft.jets.input_port, "/jets/input:i");
  ASSERT_EQ(craft.mounts.size(), 2U);
  EXPECT_EQ(craft.structure.links[craft.mounts[1].link].name, "jet_R");

  // seen from the box, which is turned to the left, the left jet is at (0, -0.5, 0)
  const Pose left = poses_in_body(craft.structure)[1];
  EXPECT_NEAR(norm(left.p - Vec3{0, -0.5, 0}), 0, 1e-12);
  EXPECT_NEAR(norm(rotate(left.q, {0, 1, 0}) - Vec3{1, 0, 0}), 0, 1e-12);
  // the right jet hangs upside down: its -z pushes up
  const Pose right = poses_in_body(craft.structure)[2];
  EXPECT_NEAR(norm(rotate(right.q, craft.mounts[1].axis_L) - Vec3{0, 0, 1}), 0, 1e-12);
}

TEST_F(Sdf, MassesAndInertiasAreThoseOfTheFile) {
  const SdfModel m = load_sdf(write(model(kLinks + kJoints)));
  const vehicle::MassProperties& box = m.structure.links[0].mass;
  EXPECT_EQ(box.mass_kg, 2);
  EXPECT_EQ(box.center_of_mass_m, (Vec3{0, 0, 0.1}));
  EXPECT_NEAR(box.inertia_kgm2(1, 1), 0.2, 1e-15);
  EXPECT_NEAR(mass_of(m.structure).mass_kg, 6, 1e-15);
  // two masses 0.1 m above their origins, one below: 0.1 / 3
  EXPECT_NEAR(mass_of(m.structure).center_of_mass_m.z, 0.1 / 3, 1e-12);
}

TEST_F(Sdf, FramesOfSdf17AreResolved) {
  const std::string text =
      model("<frame name=\"deck\"><pose>0 0 2 0 0 0</pose></frame>\n" + link("box", "0 0 1 0 0 0") +
            "<link name=\"jet_L\"><pose relative_to=\"deck\">1 0 0 0 0 0</pose>" + kInertial +
            "</link>\n" + link("jet_R", "0 0 0 0 0 0") + kJoints);
  const SdfModel m = load_sdf(write(text));
  EXPECT_NEAR(norm(poses_in_body(m.structure)[1].p - Vec3{1, 0, 1}), 0, 1e-12);
}

TEST_F(Sdf, HingesKeepTheirAxisAndTheirAnchor) {
  const std::string axis =
      "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>0.5</upper></limit>"
      "<dynamics><damping>0.3</damping></dynamics></axis>";
  const SdfModel m = load_sdf(
      write(model(kLinks + joint("a", "revolute", "box", "jet_L", axis) +
                  joint("b", "revolute", "box", "jet_R", "<pose>0 0 0.4 0 0 0</pose>" + axis))));
  ASSERT_EQ(m.structure.links.size(), 4U);
  const vehicle::Link& left = m.structure.links[1];
  EXPECT_EQ(left.joint.kind, vehicle::JointKind::kHinge);
  EXPECT_EQ(left.joint.axis, (Vec3{0, 1, 0}));
  EXPECT_TRUE(left.joint.limited);
  EXPECT_EQ(left.joint.lower, -1);
  EXPECT_EQ(left.joint.damping, 0.3);
  // anchored off its origin, the right one hangs on a link of its own, and stays where it was
  EXPECT_EQ(m.structure.links[2].name, "jet_R/anchor");
  EXPECT_EQ(m.structure.links[2].mass.mass_kg, 0);
  EXPECT_EQ(m.structure.links[3].joint.kind, vehicle::JointKind::kFixed);
  EXPECT_NEAR(norm(poses_in_body(m.structure)[3].p - Vec3{0, 0.5, 0}), 0, 1e-12);
}

TEST_F(Sdf, ShapesTouchAndMeshesAreToldOf) {
  const std::string shape =
      "<collision name=\"c\"><pose>0 0 -0.1 0 0 0</pose><geometry><box><size>1 2 3</size></box>"
      "</geometry></collision>"
      "<collision name=\"m\"><geometry><mesh><uri>model://flying-box/conf/jets.ini</uri></mesh>"
      "</geometry></collision>";
  const SdfModel m = load_sdf(write(model(link("box", "0 0 0 0 0 0", shape))));
  ASSERT_EQ(m.structure.links[0].shapes.size(), 1U);
  EXPECT_EQ(m.structure.links[0].shapes[0].size, (Vec3{0.5, 1, 1.5}));
  EXPECT_EQ(m.structure.links[0].shapes[0].X_LS.p.z, -0.1);
  ASSERT_EQ(m.warnings.size(), 1U);
  EXPECT_FALSE(m.warnings[0].is_error);
}

TEST_F(Sdf, AddressesLeadToFilesByFolderEnvironmentAndNeighbourhood) {
  const fs::path file = write(model(kLinks + kJoints));
  EXPECT_EQ(resolve_uri("model://flying-box/conf/jets.ini", file),
            root_ / "flying-box/conf/jets.ini");
  EXPECT_EQ(resolve_uri("conf/jets.ini", file), root_ / "flying-box/conf/jets.ini");
  EXPECT_TRUE(resolve_uri("model://other/x.ini", file).empty());
  EXPECT_TRUE(resolve_uri("http://flying-box/conf/jets.ini", file).empty());

  fs::create_directories(root_ / "far/other");
  std::ofstream(root_ / "far/other/x.ini") << "";
  EXPECT_EQ(resolve_uri("model://other/x.ini", file, {root_ / "far"}), root_ / "far/other/x.ini");
  ::setenv("ROS_PACKAGE_PATH", ("/nowhere:" + (root_ / "far").string()).c_str(), 1);
  EXPECT_EQ(resolve_uri("package://other/x.ini", file), root_ / "far/other/x.ini");
  EXPECT_TRUE(resolve_uri("model://other/x.ini", file).empty());
  ::unsetenv("ROS_PACKAGE_PATH");
  EXPECT_EQ(resolve_uri("file://" + (root_ / "far/other/x.ini").string(), file),
            root_ / "far/other/x.ini");
}

TEST_F(Sdf, BrokenModelsAreRefusedWithTheReason) {
  const auto expect = [&](const std::string& text, const char* says) {
    const std::string answer = refusal(text);
    EXPECT_NE(answer.find(says), std::string::npos) << says << "\n" << answer;
  };
  expect("<sdf version=\"1.7\"><model", "model.sdf");
  expect(model(kLinks + kJoints), "expected one plugin");
  expect(model(kLinks + kJoints + plugin() + plugin()), "got 2");
  expect(model(kLinks + kJoints + plugin("model://flying-box/conf/other.ini")),
         "nothing at model://");
  expect(model(kLinks + plugin()), "hangs on nothing");
  expect(model(kLinks + joint("a", "ball", "box", "jet_L") + joint("b", "fixed", "box", "jet_R") +
               plugin()),
         "neither fixed, revolute nor prismatic");
  expect(model(link("box", "0 0 0 0 0 0") + link("jet_LL", "0 0 0 0 0 0") + plugin() +
               joint("a", "fixed", "box", "jet_LL")),
         "expected a link of flying-box, got \"jet_L\"");
  expect(model(kLinks + link("rear::jet_L", "0 0 0 0 0 0") + kJoints + plugin()), "model.sdf");
  expect(model(kLinks + link("old_jet_L", "0 0 0 0 0 0") + kJoints +
               joint("c", "fixed", "box", "old_jet_L") + plugin() + "<link name=\"box\"/>"),
         "box");
  expect(model("<link name=\"box\"><inertial><mass>-1</mass></inertial></link>" + plugin()),
         "model.sdf");
  expect(model(""), "model.sdf");
  EXPECT_NE(refusal(model(kLinks + kJoints + plugin("model://flying-box/conf/other.ini")))
                .find("model.sdf:"),
            std::string::npos);
  EXPECT_THROW((void)load_sdf(root_ / "none.sdf"), config::ConfigError);
}

TEST_F(Sdf, WhatGrowsOrWaitsWithoutEndIsRefused) {
  std::string itself;
  for (const char* name : {"a", "b"})
    itself += std::string("<include><name>") + name + "</name><uri>file://" +
              (root_ / "flying-box").string() + "</uri></include>";
  std::ofstream(root_ / "flying-box/model.config")
      << "<model><name>flying-box</name><sdf version=\"1.7\">model.sdf</sdf></model>";
  const std::string answer = refusal(model(kLinks + kJoints + itself));
  EXPECT_NE(answer.find("model.sdf: the model "), std::string::npos) << answer;
  ASSERT_EQ(mkfifo((root_ / "pipe.sdf").c_str(), 0600), 0);
  EXPECT_THROW((void)load_sdf(root_ / "pipe.sdf"), config::ConfigError);
  EXPECT_THROW((void)load_sdf("/dev/zero"), config::ConfigError);
  EXPECT_NE(refusal(model(kLinks + "<include><uri>file://" + (root_ / "pipe.sdf").string() +
                          "</uri></include>"))
                .find("model.sdf"),
            std::string::npos);
}

TEST_F(Sdf, AVersionThatIsNoneIsAProblemOfTheFile) {
  const std::string answer = refusal("<sdf version=\">-\"><model name=\"a\"/></sdf>");
  EXPECT_NE(answer.find("model.sdf"), std::string::npos) << answer;
}

TEST_F(Sdf, AnErrorInTheIniIsShownThere) {
  std::ofstream(root_ / "flying-box/conf/jets.ini") << "link-jets (jet_L)\n";
  EXPECT_NE(refusal(model(kLinks + kJoints + plugin())).find("jets.ini:1:1"), std::string::npos);
}

}  // namespace
}  // namespace pintle::sdformat
