#include "controls/convert.h"

#include <geometry_msgs/PoseWithCovariance.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pintle::ros1 {
namespace {

TEST(Convert, APoseKeepsEveryNumberInItsPlace) {
  geometry_msgs::Pose m;
  m.position.x = 1;
  m.position.y = 2;
  m.position.z = 3;
  m.orientation.x = 4;
  m.orientation.y = 5;
  m.orientation.z = 6;
  m.orientation.w = 7;
  const PlainPose p = plain(m);
  EXPECT_EQ(p.position, (Three{1, 2, 3}));
  EXPECT_EQ(p.orientation, (Four{4, 5, 6, 7}));
}

TEST(Convert, ACovarianceSaysHowGoodAPlaceIsWhereItSaysAnything) {
  geometry_msgs::PoseWithCovariance m;
  EXPECT_EQ(position_std_m(m.covariance), 0) << "zeros are how ROS says nothing";
  m.covariance[0] = 0.04;
  m.covariance[7] = 0.09;
  m.covariance[14] = 0.01;
  m.covariance[21] = 4;  // of its attitude
  EXPECT_DOUBLE_EQ(position_std_m(m.covariance), 0.3);
  m.covariance[7] = -1;
  EXPECT_DOUBLE_EQ(position_std_m(m.covariance), 0.2) << "nothing of that axis";
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {infinity, std::nan("")}) {
    m.covariance[7] = x;
    EXPECT_EQ(position_std_m(m.covariance), infinity) << "it may be anywhere";
  }
}

TEST(Convert, ATwistGoesThereAndBackUnchangedAlsoWithOddNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Six v{1, -0.0, 1e-320, infinity, 5, nan};
  const Six back = plain(message(v));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(back[i], v[i]);
  EXPECT_TRUE(std::isnan(back[5]));
}

TEST(Convert, ControlTypesGoByAxis) {
  const custom_msgs::ControlTypes m = message(std::array<int, 6>{0, 1, 2, 2, 1, 0});
  EXPECT_EQ(m.z, custom_msgs::ControlTypes::DESIRED_POWER);
  EXPECT_EQ(m.pitch, custom_msgs::ControlTypes::DESIRED_VELOCITY);
  EXPECT_EQ(plain(m), (std::array<int, 6>{0, 1, 2, 2, 1, 0}));
}

TEST(Convert, AGainGoesThereAndBack) {
  const PlainGain g = plain(message(PlainGain{1, 5, 3, -0.25}));
  EXPECT_EQ(g.loop, 1);
  EXPECT_EQ(g.axis, 5);
  EXPECT_EQ(g.gain, 3);
  EXPECT_EQ(g.value, -0.25);
}

TEST(Convert, APidInfoNamesItsTerms) {
  const custom_msgs::PIDInfo m = message(PlainPid{1, 2, 3, 4, 5, 6, 7, 8, 9, 1});
  EXPECT_EQ(m.terms.proportional, 1);
  EXPECT_EQ(m.terms.feedforward, 4);
  EXPECT_EQ(m.filtered_error, 5);
  EXPECT_EQ(m.calculated_derivative, 8);
  EXPECT_EQ(m.provided_derivative, 9);
  EXPECT_EQ(m.derivative_type.type, custom_msgs::PIDDerivativeType::PROVIDED);
}

TEST(Convert, EveryStampHasANumberOfNanoseconds) {
  EXPECT_EQ(plain(ros::Time(0, 0)), 0);
  EXPECT_EQ(plain(ros::Time(4294967294U, 999999999)), 4294967294999999999);
}

TEST(Convert, AllocationsKeepOrderStampAndFrame) {
  const custom_msgs::ThrusterAllocs m = message({0.5, -1}, ros::Time(3, 4), "base_link");
  EXPECT_EQ(m.allocs, (std::vector<double>{0.5, -1}));
  EXPECT_EQ(m.header.stamp, ros::Time(3, 4));
  EXPECT_EQ(m.header.frame_id, "base_link");
}

}  // namespace
}  // namespace pintle::ros1
