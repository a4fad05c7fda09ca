#include "controls/transform.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "controls/convert.h"

namespace pintle::ros1 {

double seconds_between(const ros::Time& from, const ros::Time& to) {
  return static_cast<double>(plain(to) - plain(from)) * 1e-9;
}

std::string in_seconds(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.3f", value);
  return out;
}

std::string find_transform(tf2::BufferCore& tf, const TransformWanted& wanted,
                           const ros::Time& state, const ros::Time& now, PlainPose& found) try {
  const ros::Time of = state.isZero() ? now : state;
  auto used = tf.lookupTransform(wanted.odom_frame, wanted.base_frame, ros::Time(0));
  const ros::Time newest = used.header.stamp;
  const double age_s = newest.isZero() ? 0 : seconds_between(newest, of);
  // one that nobody renews is no better than none
  if (age_s > wanted.limit_s)
    return "the newest transform is " + in_seconds(age_s) + " s older than the state";
  if (age_s < -wanted.limit_s) {
    if (seconds_between(now, newest) > wanted.limit_s) tf.clear();
    return "the newest transform is " + in_seconds(-age_s) + " s newer than the state";
  }
  if (wanted.at_stamp) used = tf.lookupTransform(wanted.odom_frame, wanted.base_frame, state);
  found = plain(used.transform);
  return {};
} catch (const std::exception& e) {
  return e.what();
}

}  // namespace pintle::ros1
