/// The least that a roscpp node can do: a state in, eight allocations with its stamp out.
#include <custom_msgs/ThrusterAllocs.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>

int main(int argc, char** argv) {
  ros::init(argc, argv, "echo");
  ros::NodeHandle node;
  const int depth = ros::param::param("~queue_size", 1);
  ros::Publisher out = node.advertise<custom_msgs::ThrusterAllocs>("echo_out", 100);
  const ros::Subscriber in = node.subscribe<nav_msgs::Odometry>(
      "echo_in", static_cast<std::uint32_t>(depth),
      [&out](const nav_msgs::Odometry::ConstPtr& m) {
        custom_msgs::ThrusterAllocs answer;
        answer.header.stamp = m->header.stamp;
        answer.allocs.resize(8);
        out.publish(answer);
      },
      {}, ros::TransportHints().tcpNoDelay());
  ros::spin();
  return 0;
}
