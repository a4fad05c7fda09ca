#include "jet/tf_tree.h"

#include "common/node.h"

namespace pintle::ros1 {
namespace {

geometry_msgs::TransformStamped link(const char* parent, const char* child, const Three& p,
                                     const Four& q, const ros::Time& stamp) {
  geometry_msgs::TransformStamped t;
  t.header.stamp = stamp;
  t.header.frame_id = parent;
  t.child_frame_id = child;
  t.transform.translation.x = p[0];
  t.transform.translation.y = p[1];
  t.transform.translation.z = p[2];
  t.transform.rotation.x = q[0];
  t.transform.rotation.y = q[1];
  t.transform.rotation.z = q[2];
  t.transform.rotation.w = q[3];
  return t;
}

constexpr Four kNoTurn{0, 0, 0, 1};

/// A vector of the body in a frame that is turned by q in it.
Three turned_back(const Four& q, const Three& v) {
  // v + 2 w (v x u) + 2 (v x u) x u with u the vector part of q
  const Three u{q[0], q[1], q[2]};
  const auto cross = [](const Three& a, const Three& b) {
    return Three{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const Three t = cross(v, u), tt = cross(t, u);
  Three out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = v[i] + 2 * (q[3] * t[i] + tt[i]);
  return out;
}

}  // namespace

TfTree::TfTree(ros::NodeHandle& node, const PlainPose& camera) : camera_(camera) {
  in_ = node.subscribe("/tf", 50, &TfTree::on_tf, this, no_delay());
}

void TfTree::on_tf(const ros::MessageEvent<tf2_msgs::TFMessage const>& event) {
  if (has_rival_ || event.getPublisherName() == ros::this_node::getName()) return;
  for (const auto& t : event.getConstMessage()->transforms) {
    if (t.child_frame_id != "base_link" && t.child_frame_id != "/base_link") continue;
    has_rival_ = true;
    ROS_ERROR("/tf: %s says where base_link is too; this node's own is held back from now on",
              event.getPublisherName().c_str());
  }
}

void TfTree::pose(const JetCycle& cycle, const ros::Time& stamp) {
  std::vector<geometry_msgs::TransformStamped> out;
  out.push_back(link("world", "odom", cycle.origin, kNoTurn, stamp));
  if (!has_rival_)
    out.push_back(link("odom", "base_link", cycle.pose.position, cycle.pose.orientation, stamp));
  out.push_back(link("base_link", "camera", camera_.position, camera_.orientation, stamp));
  out_.sendTransform(out);
}

void TfTree::target(const JetCycle& cycle, const ros::Time& stamp) {
  Three from_camera = cycle.target;
  for (std::size_t i = 0; i < 3; ++i) from_camera[i] -= camera_.position[i];
  const Three seen = turned_back(camera_.orientation, from_camera);
  out_.sendTransform(link("camera", "object", seen, kNoTurn, stamp));
}

}  // namespace pintle::ros1
