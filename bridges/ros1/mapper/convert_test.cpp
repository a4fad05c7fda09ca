#include "mapper/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pintle::ros1 {
namespace {

using XmlRpc::XmlRpcValue;

TEST(Yaml, OfAParameterKeepsWholeNumbersTextsAndOrderOfLists) {
  XmlRpcValue value;
  value["b"][0] = 1;
  value["b"][1] = 0.1;
  value["a"]["text"] = "say \"x\": \\ [1]";
  value["a"]["yes"] = true;
  value["c"][0]["d"] = -2.0;
  EXPECT_EQ(to_yaml(value),
            "\"a\":\n  \"text\": \"say \\\"x\\\": \\\\ [1]\"\n  \"yes\": true\n"
            "\"b\": [1, 0.10000000000000001]\n"
            "\"c\":\n  -\n    \"d\": -2.0\n");
}

TEST(Yaml, HasAnAnswerForAnyValue) {
  EXPECT_EQ(to_yaml(XmlRpcValue()), "\"\"\n");
  EXPECT_EQ(to_yaml(XmlRpcValue(std::numeric_limits<double>::quiet_NaN())), ".nan\n");
  EXPECT_EQ(to_yaml(XmlRpcValue("line\nbreak")), "\"line\\u000abreak\"\n");
  XmlRpcValue empty;
  empty.setSize(0);
  EXPECT_EQ(to_yaml(empty), "[]\n");
}

TEST(Yaml, OfALayoutIsReadAsALayout) {
  XmlRpcValue layout;
  layout["thruster_ports"][0]["port"] = "/dev/ttyUSB0";
  layout["thruster_ports"][0]["thruster_names"][0] = "T1";
  layout["thruster_ports"][0]["CONFIDENT_MODE"] = true;
  layout["thrusters"]["T1"]["node_id"] = 7;
  for (int k = 0; k < 3; ++k) {
    layout["thrusters"]["T1"]["position"][k] = k == 1 ? XmlRpcValue(0.5) : XmlRpcValue(0);
    layout["thrusters"]["T1"]["direction"][k] = k == 2 ? 1 : 0;
  }
  const Layout read = read_layout(to_yaml(layout), Use::kAllocate);
  ASSERT_EQ(read.thrusters.size(), 1u);
  EXPECT_EQ(read.thrusters[0].node_id, 7);
  EXPECT_EQ(read.thrusters[0].port, "/dev/ttyUSB0");
  EXPECT_TRUE(read.thrusters[0].confident);
  EXPECT_EQ(read.thrusters[0].position_m, (std::array<double, 3>{0, 0.5, 0}));
}

TEST(Wrench, OfATurnedAndShiftedFrameIsTheOneThatDoesTheSame) {
  // x of the frame is the body's y, its origin at (2, 0, 1)
  geometry_msgs::Transform t;
  t.translation.x = 2;
  t.translation.z = 1;
  t.rotation.z = t.rotation.w = std::sqrt(0.5);
  // force (0, 3, 5), torque (-2, 1, 0) + (2, 0, 1) x (0, 3, 5) = (-2, 1, 0) + (-3, -10, 6)
  const Six body = in_body({3, 0, 5, 1, 2, 0}, t);
  const Six expected{0, 3, 5, -5, -9, 6};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(body[k], expected[k], 1e-12) << k;
}

TEST(Wrench, OfATransformWithoutARotationIsNotFiniteAndSoRefused) {
  const Six body = in_body({1, 2, 3, 4, 5, 6}, geometry_msgs::Transform());
  EXPECT_FALSE(std::isfinite(body[0]));
}

TEST(Frames, AreTheSameWithAndWithoutTheirSlash) {
  EXPECT_EQ(without_slash("/base_link"), "base_link");
  EXPECT_EQ(without_slash("base_link"), "base_link");
  EXPECT_EQ(without_slash("/"), "");
  EXPECT_EQ(without_slash(""), "");
}

TEST(Info, TellsBoundsThatAFloatDoesNotWiden) {
  ThrusterFacts facts;
  facts.lower_N = -85.16798603621542;
  facts.upper_N = 93.17094362793253;
  const auto told = to_ros(facts);
  EXPECT_GE(static_cast<double>(told.min_force), facts.lower_N);
  EXPECT_LE(static_cast<double>(told.max_force), facts.upper_N);
}

}  // namespace
}  // namespace pintle::ros1
