#include "jet/tf_tree.h"

#include <cmath>

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
// right, down, ahead of a camera that looks down: body -y, -x, -z; half a turn about (1, -1, 0)
const Four kLooksDown{std::sqrt(0.5), -std::sqrt(0.5), 0, 0};

}  // namespace

TfTree::TfTree(ros::NodeHandle& node, const Three& camera) : camera_(camera) {
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
  out.push_back(link("base_link", "camera", camera_, kLooksDown, stamp));
  out_.sendTransform(out);
}

void TfTree::target(const JetCycle& cycle, const ros::Time& stamp) {
  const Three& b = cycle.target;
  const Three seen{-(b[1] - camera_[1]), -(b[0] - camera_[0]), -(b[2] - camera_[2])};
  out_.sendTransform(link("camera", "object", seen, kNoTurn, stamp));
}

}  // namespace pintle::ros1
