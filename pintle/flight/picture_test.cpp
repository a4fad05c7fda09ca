#include "pintle/flight/picture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "pintle/base/rotation.h"
#include "pintle/flight/flight.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_reader.h"

namespace pintle::flight {
namespace {

namespace ros = telemetry::ros;

/// Five seconds of a vehicle that turns and is pushed about, at 50 Hz.
class PictureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Configuration c;
    c.vehicle = load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/oogway.yaml");
    c.vehicle.control_rate_Hz = 50;
    generation_ = std::make_shared<const Generation>(std::move(c));
    log_ = std::filesystem::temp_directory_path() /
           ("pintle-picture-" + std::to_string(::getpid()) + ".mcap");
  }
  void TearDown() override { std::filesystem::remove(log_); }

  void fly(double until_s, double state_until_s = 1e9) {
    Flight flight(generation_, std::make_unique<Recorder>(log_, LogTitle{"", "", "oogway", 0, {}}));
    for (int i = 1; i * 0.02 < until_s; ++i) {
      Inputs in;
      in.now = Time{i * 20'000'000LL};
      const double t = in.now.seconds();
      in.has_odometry = t < state_until_s;
      in.odometry.stamp = in.now;
      in.odometry.X_WB = {{0.2 * std::sin(t), -0.1 * t, -1}, from_rpy({0.1 * t, -0.05 * t, t})};
      if (i == 5) in.commands.push_back({CommandCode::kArm, -1});
      if (fails_ && i == 50) in.health.push_back({0, {Health::kOut, 1, 0}});
      flight_ = flight.step(in);
      outputs_[flight_.now.ns] = flight_;
    }
    flight.log()->finish("pass");
  }
  /// Every message of a topic with its time.
  template <class T>
  std::vector<std::pair<std::int64_t, T>> read(std::string_view topic) {
    std::vector<std::pair<std::int64_t, T>> out;
    telemetry::McapReader reader(log_);
    reader.for_each([&](const telemetry::McapMessage& m) {
      if (m.topic != topic) return true;
      EXPECT_TRUE(telemetry::same_layout(m.schema_text, table_of<T>()));
      T message;
      EXPECT_TRUE(telemetry::decode_cdr(m.bytes, message));
      out.emplace_back(m.time.ns, std::move(message));
      return true;
    });
    return out;
  }

  bool fails_ = false;  ///< The first propulsor, after a second.
  std::shared_ptr<const Generation> generation_;
  std::filesystem::path log_;
  Outputs flight_;
  std::map<std::int64_t, Outputs> outputs_;
};

TEST_F(PictureTest, PosesAndEffortsAreThoseOfTheTickTenTimesASecond) {
  fly(5);
  const auto poses = read<ros::PoseStamped>("/pose");
  EXPECT_NEAR(static_cast<double>(poses.size()), 50, 1);
  for (const auto& [at, m] : poses) {
    ASSERT_TRUE(outputs_.contains(at));
    const Pose& X = outputs_[at].used.X_WB;
    EXPECT_EQ(m.pose.position.y, X.p.y);
    EXPECT_EQ(m.pose.orientation.w, X.q.w);
    EXPECT_EQ(m.header.stamp.sec * 1'000'000'000LL + m.header.stamp.nanosec, at);
  }
  const auto joints = read<ros::JointState>("/efforts");
  ASSERT_FALSE(joints.empty());
  double most = 0;
  for (const auto& [at, m] : joints) {
    const PropulsorCommands& sent = outputs_[at].actuation;
    ASSERT_EQ(m.effort.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(m.effort[i], sent.effort[i]);
      EXPECT_EQ(m.position[i], sent.command[i]);
      most = std::max(most, std::abs(m.effort[i]));
    }
  }
  EXPECT_GT(most, 0.05) << "it did nothing";
}

TEST_F(PictureTest, EverythingSaysWhenItWasAndInWhichFrame) {
  fly(2);
  const auto is_of = [](const ros::Header& h, std::int64_t at, const char* frame) {
    EXPECT_EQ(h.stamp.sec * 1'000'000'000LL + h.stamp.nanosec, at) << frame;
    EXPECT_EQ(h.frame_id, frame);
  };
  const auto poses = read<ros::PoseStamped>("/pose");
  const auto twists = read<ros::TwistStamped>("/twist");
  const auto demands = read<ros::WrenchStamped>("/wrench/demand");
  const auto achieved = read<ros::WrenchStamped>("/wrench/achieved");
  const auto efforts = read<ros::JointState>("/efforts");
  const auto scenes = read<ros::MarkerArray>("/scene");
  const auto ways = read<ros::TFMessage>("/tf");
  for (const std::size_t n : {poses.size(), twists.size(), demands.size(), achieved.size(),
                              efforts.size(), scenes.size(), ways.size()})
    EXPECT_NEAR(static_cast<double>(n), 20, 1);
  for (const auto& [at, m] : poses) is_of(m.header, at, "world");
  for (const auto& [at, m] : twists) is_of(m.header, at, "base_link");
  for (const auto& [at, m] : demands) is_of(m.header, at, "base_link");
  for (const auto& [at, m] : achieved) is_of(m.header, at, "base_link");
  for (const auto& [at, m] : efforts) is_of(m.header, at, "base_link");
  for (const auto& [at, m] : scenes)
    for (const ros::Marker& marker : m.markers) is_of(marker.header, at, "base_link");
  for (const auto& [at, m] : ways)
    for (const ros::TransformStamped& t : m.transforms) is_of(t.header, at, "world");
}

TEST_F(PictureTest, MountsPushAlongTheirXAxisAndArrowsTheWayOfThePush) {
  fly(3);
  const auto mounts = read<ros::TFMessage>("/tf_static");
  ASSERT_EQ(mounts.size(), 1U);
  ASSERT_EQ(mounts[0].second.transforms.size(), 8U);
  const Model& model = generation_->model;
  for (std::size_t i = 0; i < 8; ++i) {
    const ros::TransformStamped& t = mounts[0].second.transforms[i];
    EXPECT_EQ(t.child_frame_id, model.vehicle.propulsors[i].name);
    const ros::Quaternion& q = t.transform.rotation;
    const Vec3 x = rotate(Quat{q.x, q.y, q.z, q.w}, {1, 0, 0});
    const Vec3 d = model.vehicle.propulsors[i].mount.direction;
    EXPECT_NEAR(norm(x - d), 0, 1e-9) << t.child_frame_id;
  }
  const auto scenes = read<ros::MarkerArray>("/scene");
  ASSERT_FALSE(scenes.empty());
  const auto& [at, scene] = scenes.back();
  for (std::size_t i = 0; i < 8; ++i) {
    const ros::Marker& arrow = scene.markers[i + 1];
    ASSERT_EQ(arrow.points.size(), 2U);
    const Vec3 way{arrow.points[1].x - arrow.points[0].x, arrow.points[1].y - arrow.points[0].y,
                   arrow.points[1].z - arrow.points[0].z};
    const double effort = outputs_[at].actuation.effort[i];
    const Vec3 d = model.vehicle.propulsors[i].mount.direction;
    EXPECT_NEAR(norm(way - (dot(way, d)) * d), 0, 1e-9);
    EXPECT_EQ(dot(way, d) > 0, effort > 0);
  }
}

TEST_F(PictureTest, TheDescriptionHasALinkForEachFrameAndItsJointsAreTheMounts) {
  fly(1);
  const auto said = read<ros::Text>("/robot_description");
  ASSERT_EQ(said.size(), 1U);
  const std::string& urdf = said[0].second.data;
  EXPECT_NE(urdf.find("<link name=\"base_link\">"), std::string::npos);
  const auto mounts = read<ros::TFMessage>("/tf_static");
  ASSERT_EQ(mounts.size(), 1U);
  for (const ros::TransformStamped& t : mounts[0].second.transforms) {
    EXPECT_NE(urdf.find("<link name=\"" + t.child_frame_id + "\">"), std::string::npos);
    const std::size_t at = urdf.find("<child link=\"" + t.child_frame_id + "\"/>");
    ASSERT_NE(at, std::string::npos) << t.child_frame_id;
    Vec3 p;
    RollPitchYaw r;
    ASSERT_EQ(
        std::sscanf(urdf.c_str() + at, "%*[^>]><origin xyz=\"%lf %lf %lf\" rpy=\"%lf %lf %lf\"",
                    &p.x, &p.y, &p.z, &r.roll, &r.pitch, &r.yaw),
        6);
    EXPECT_NEAR(norm(p - Vec3{t.transform.translation.x, t.transform.translation.y,
                              t.transform.translation.z}),
                0, 1e-5);
    const ros::Quaternion& q = t.transform.rotation;
    EXPECT_NEAR(norm(rotate(from_rpy(r), {1, 0, 0}) - rotate(Quat{q.x, q.y, q.z, q.w}, {1, 0, 0})),
                0, 1e-5);
  }
}

TEST_F(PictureTest, WhatIsNotKnownIsNotDrawnAndWhatHappensIsSaid) {
  fly(5, 2);
  for (const auto& [at, m] : read<ros::PoseStamped>("/pose"))
    EXPECT_EQ(outputs_[at].used.validity, Validity::kValid);
  bool stale = false;
  for (const auto& [at, m] : read<ros::LogLine>("/rosout"))
    stale = stale || (m.level == ros::LogLine::kWarn && m.msg.starts_with("input stale"));
  EXPECT_TRUE(stale);
  const auto diagnostics = read<ros::DiagnosticArray>("/diagnostics");
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.back().second.status.at(0).level, ros::DiagnosticStatus::kStale);
}

TEST_F(PictureTest, AlarmsThatStandAreDiagnosedAtOnceWithTheirSeverity) {
  fails_ = true;
  fly(5);
  const std::string name = generation_->model.vehicle.propulsors[0].name;
  std::int64_t first = 0;
  for (const auto& [at, m] : read<ros::DiagnosticArray>("/diagnostics"))
    for (const ros::DiagnosticStatus& s : m.status) {
      if (s.name != "pintle: thruster out") continue;
      if (first == 0) first = at;
      EXPECT_EQ(s.message, "thruster out: " + name + ", announced");
      EXPECT_EQ(s.level, ros::DiagnosticStatus::kError);
    }
  EXPECT_EQ(first, 1'000'000'000);
  bool said = false;
  for (const auto& [at, m] : read<ros::LogLine>("/rosout"))
    said =
        said || (m.level == ros::LogLine::kError && m.msg == "propulsor failed: " + name + ", out");
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace pintle::flight
