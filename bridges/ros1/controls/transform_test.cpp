#include "controls/transform.h"

#include <gtest/gtest.h>

namespace pintle::ros1 {
namespace {

struct Tree {
  tf2::BufferCore tf;
  TransformWanted wanted{"odom", "base_link"};
  PlainPose pose;

  void send(double stamp_s, double x, bool is_static = false) {
    geometry_msgs::TransformStamped t;
    t.header.stamp = ros::Time(stamp_s);
    t.header.frame_id = "odom";
    t.child_frame_id = "base_link";
    t.transform.translation.x = x;
    t.transform.rotation.w = 1;
    tf.setTransform(t, "test", is_static);
  }
  std::string find(double state_s, double now_s) {
    return find_transform(tf, wanted, ros::Time(state_s), ros::Time(now_s), pose);
  }
};

TEST(Transform, OfAStateIsTheNewestAsLongAsItIsNearIt) {
  Tree tree;
  EXPECT_NE(tree.find(100, 100), "");
  tree.send(100, 1);
  for (const double near : {99.6, 100.0, 100.4}) {
    EXPECT_EQ(tree.find(near, 100.4), "");
    EXPECT_EQ(tree.pose.position[0], 1);
  }
  EXPECT_NE(tree.find(100.6, 100.6).find("older"), std::string::npos);
  EXPECT_NE(tree.find(99.4, 100).find("newer"), std::string::npos);
  EXPECT_EQ(tree.find(100, 100), "") << "what is not ahead of the clock is kept";
}

TEST(Transform, OneOfTheFutureIsRefusedAndThenRightOnesAreTakenAgain) {
  for (const bool at_stamp : {false, true}) {
    Tree tree;
    tree.wanted.at_stamp = at_stamp;
    tree.send(100, 1);
    tree.send(1100, 2);  // somebody's clock was wrong for a moment
    EXPECT_NE(tree.find(100, 100), "");
    tree.send(100.02, 3);
    EXPECT_EQ(tree.find(100.02, 100.02), "");
    EXPECT_EQ(tree.pose.position[0], 3);
  }
}

TEST(Transform, OfAStateWithoutAStampIsThatOfNow) {
  Tree tree;
  tree.send(100, 1);
  EXPECT_EQ(tree.find(0, 100.4), "");
  EXPECT_NE(tree.find(0, 100.6), "");
  EXPECT_NE(tree.find(0, 99.4), "");
}

TEST(Transform, OneThatIsStaticIsNeverOldNorForgotten) {
  Tree tree;
  tree.send(50, 1, true);
  for (const double when : {0.0, 20.0, 5000.0}) {
    EXPECT_EQ(tree.find(when, 5000), "");
    EXPECT_EQ(tree.pose.position[0], 1);
  }
}

TEST(Transform, AtTheStampIsBetweenItsNeighbours) {
  Tree tree;
  tree.wanted.at_stamp = true;
  tree.send(100, 1);
  tree.send(100.2, 3);
  EXPECT_EQ(tree.find(100.1, 100.2), "");
  EXPECT_NEAR(tree.pose.position[0], 2, 1e-9);
  EXPECT_NE(tree.find(100.3, 100.3), "") << "it may still come";
}

}  // namespace
}  // namespace pintle::ros1
