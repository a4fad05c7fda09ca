#include "pintle/mujoco/mjcf.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pintle/mujoco/mujoco_plant.h"

namespace pintle::mujoco {
namespace {

namespace fs = std::filesystem;

class Mjcf : public testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }
  MjcfModel load(const std::string& bodies) {
    std::ofstream(file_) << "<mujoco model=\"craft\"><worldbody>" << bodies
                         << "</worldbody></mujoco>";
    return load_mjcf(file_);
  }
  std::string refusal(const std::string& bodies) {
    try {
      (void)load(bodies);
    } catch (const config::ConfigError& e) {
      return e.what();
    }
    return "not refused";
  }
  fs::path file_ = fs::path(testing::TempDir()) /
                   (std::string("pintle_") +
                    testing::UnitTest::GetInstance()->current_test_info()->name() + ".xml");
};

const std::string kInertial = "<inertial pos=\"0 0 0.1\" mass=\"2\" diaginertia=\"0.1 0.2 0.25\"/>";

TEST_F(Mjcf, BodiesJointsAndShapesAreThoseOfTheFile) {
  const MjcfModel m = load("<body name=\"box\" pos=\"0 0 5\"><freejoint/>" + kInertial +
                           "<geom type=\"box\" size=\"0.5 0.4 0.3\" pos=\"0 0 -0.1\"/>"
                           "<body name=\"arm\" pos=\"1 0 0\" euler=\"0 0 90\"><joint name=\"j\" "
                           "axis=\"0 1 0\" damping=\"0.3\" "
                           "limited=\"true\" range=\"-90 45\"/>" +
                           kInertial + "</body></body>");
  EXPECT_TRUE(m.warnings.empty());
  const vehicle::Structure& s = m.structure;
  EXPECT_EQ(s.name, "craft");
  ASSERT_EQ(s.links.size(), 2U);
  EXPECT_EQ(s.links[0].mass.center_of_mass_m.z, 0.1);
  EXPECT_EQ(s.links[0].mass.inertia_kgm2(1, 1), 0.2);
  ASSERT_EQ(s.links[0].shapes.size(), 1U);
  EXPECT_EQ(s.links[0].shapes[0].size, (Vec3{0.5, 0.4, 0.3}));
  EXPECT_EQ(s.links[1].X_PL.p, (Vec3{1, 0, 0}));
  EXPECT_NEAR(norm(rotate(s.links[1].X_PL.q, {1, 0, 0}) - Vec3{0, 1, 0}), 0, 1e-15);
  EXPECT_EQ(s.links[1].joint.axis, (Vec3{0, 1, 0}));
  EXPECT_NEAR(s.links[1].joint.upper, kPi / 4, 1e-15);
  EXPECT_EQ(s.links[1].joint.damping, 0.3);
}

TEST_F(Mjcf, SeveralJointsAndAnchorsBecomeLinksBetween) {
  const MjcfModel m = load("<body name=\"box\"><freejoint/>" + kInertial +
                           "<body name=\"arm\" pos=\"1 0 0\"><joint name=\"pan\" axis=\"0 0 1\"/>"
                           "<joint name=\"tilt\" axis=\"0 1 0\" pos=\"0 0 0.2\"/>" +
                           kInertial + "</body></body>");
  const vehicle::Structure& s = m.structure;
  ASSERT_EQ(s.links.size(), 4U);
  EXPECT_EQ(s.links[1].name, "arm/pan");
  EXPECT_EQ(s.links[2].name, "arm/tilt");
  EXPECT_EQ(s.links[3].joint.kind, vehicle::JointKind::kFixed);
  EXPECT_NEAR(norm(poses_in_body(s)[3].p - Vec3{1, 0, 0}), 0, 1e-15);
  // and it flies
  MujocoPlant plant(s);
  EXPECT_NEAR(plant.mass().mass_kg, 4, 1e-15);
  plant.step(1e-3);
  EXPECT_EQ(plant.unstable_steps(), 0U);
}

TEST_F(Mjcf, WhatIsNoCraftIsRefused) {
  const auto expect = [&](const std::string& text, const char* says) {
    const std::string answer = refusal(text);
    EXPECT_NE(answer.find(says), std::string::npos) << says << "\n" << answer;
  };
  expect("", "expected one body");
  expect("<body><freejoint/>" + kInertial + "</body><body><freejoint/>" + kInertial + "</body>",
         "got 2");
  expect("<body><joint/>" + kInertial + "</body>", "cannot fly");
  expect("<body><freejoint/>" + kInertial + "<body><joint type=\"ball\"/>" + kInertial +
             "</body></body>",
         "neither hinge nor slide");
  expect("<body><freejoint/><inertial pos=\"0 0 0\" mass=\"-1\" diaginertia=\"1 1 1\"/></body>",
         "MuJoCo says");
  expect("<bodi/>", "MuJoCo says");
  EXPECT_THROW((void)load_mjcf("/nowhere.xml"), config::ConfigError);
}

TEST_F(Mjcf, WhatGrowsOrWaitsWithoutEndIsRefused) {
  const std::string craft = "<body><freejoint/>" + kInertial + "</body>";
  const auto asset = [&](const std::string& text) {
    return refusal(craft + "</worldbody><asset>" + text + "</asset><worldbody>");
  };
  EXPECT_NE(asset("<hfield name=\"h\" nrow=\"40000\" ncol=\"40000\" size=\"1 1 1 1\"/>")
                .find("the model "),
            std::string::npos);
  EXPECT_NE(asset("<texture name=\"t\" builtin=\"flat\" type=\"2d\" width=\"30000\" "
                  "height=\"30000\"/>"),
            "not refused");
  EXPECT_THROW((void)load_mjcf("/dev/zero"), config::ConfigError);
}

TEST_F(Mjcf, ShapesThatCannotTouchAreToldOrLeftOut) {
  const MjcfModel m =
      load("<body><freejoint/>" + kInertial +
           "<geom type=\"ellipsoid\" size=\"1 1 1\"/>"
           "<geom type=\"box\" size=\"1 1 1\" contype=\"0\" conaffinity=\"0\"/></body>");
  EXPECT_EQ(m.warnings.size(), 1U);
  EXPECT_TRUE(m.structure.links[0].shapes.empty());
}

}  // namespace
}  // namespace pintle::mujoco
