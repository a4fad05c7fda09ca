/// What crosses the border between the halves of any node: plain values, clean C++17. Vectors are x, y,
/// z; quaternions x, y, z, w; six numbers are x, y, z, roll, pitch, yaw.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace pintle::ros1 {

using Three = std::array<double, 3>;
using Four = std::array<double, 4>;
using Six = std::array<double, 6>;

struct PlainPose {
  Three position{};
  Four orientation{0, 0, 0, 1};
};

/// One standard deviation of a place, the largest of its axes, by the covariance of its pose (six by
/// six, row by row); 0 where that says nothing: zeros, or below 0. An estimator whose numbers are none
/// any more may be anywhere.
template <class Covariance>
[[nodiscard]] double position_std_m(const Covariance& c) noexcept {
  double most = 0;
  for (const int i : {0, 7, 14})
    most = std::max(most, std::isnan(c[i]) ? HUGE_VAL : static_cast<double>(c[i]));
  return std::sqrt(most);
}

/// The severity, in ros_alarms, of an alarm of the tick that is worth knowing; an error has two more.
inline constexpr int kLeastFault = 2;

/// What is wrong with the craft; severity: 5 worst, 0 nothing.
struct Faults {
  int severity = 0;
  std::string text;
};

}  // namespace pintle::ros1
