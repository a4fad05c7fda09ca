#include "controls/convert.h"

namespace pintle::ros1 {

geometry_msgs::Vector3 message(const Three& v) {
  geometry_msgs::Vector3 m;
  m.x = v[0];
  m.y = v[1];
  m.z = v[2];
  return m;
}

geometry_msgs::Twist message(const Six& v) {
  geometry_msgs::Twist m;
  m.linear = message(Three{v[0], v[1], v[2]});
  m.angular = message(Three{v[3], v[4], v[5]});
  return m;
}

custom_msgs::ControlTypes message(const std::array<int, 6>& types) {
  custom_msgs::ControlTypes m;
  std::uint8_t* const slots[]{&m.x, &m.y, &m.z, &m.roll, &m.pitch, &m.yaw};
  for (std::size_t i = 0; i < 6; ++i) *slots[i] = static_cast<std::uint8_t>(types[i]);
  return m;
}

custom_msgs::PIDGain message(const PlainGain& g) {
  custom_msgs::PIDGain m;
  m.loop = static_cast<std::uint8_t>(g.loop);
  m.axis = static_cast<std::uint8_t>(g.axis);
  m.gain = static_cast<std::uint8_t>(g.gain);
  m.value = g.value;
  return m;
}

custom_msgs::PIDInfo message(const PlainPid& p) {
  custom_msgs::PIDInfo m;
  m.terms.proportional = p.p;
  m.terms.integral = p.i;
  m.terms.derivative = p.d;
  m.terms.feedforward = p.ff;
  m.filtered_error = p.filtered_error;
  m.integral = p.integral;
  m.filtered_derivative = p.filtered_derivative;
  m.calculated_derivative = p.calculated_derivative;
  m.provided_derivative = p.provided_derivative;
  m.derivative_type.type = static_cast<std::uint8_t>(p.derivative_type);
  return m;
}

custom_msgs::PIDAxesInfo message(const std::array<PlainPid, 6>& p) {
  custom_msgs::PIDAxesInfo m;
  custom_msgs::PIDInfo* const slots[]{&m.x, &m.y, &m.z, &m.roll, &m.pitch, &m.yaw};
  for (std::size_t i = 0; i < 6; ++i) *slots[i] = message(p[i]);
  return m;
}

custom_msgs::ThrusterAllocs message(const std::vector<double>& allocs, const ros::Time& stamp,
                                    const std::string& frame) {
  custom_msgs::ThrusterAllocs m;
  m.header.stamp = stamp;
  m.header.frame_id = frame;
  m.allocs = allocs;
  return m;
}

}  // namespace pintle::ros1
