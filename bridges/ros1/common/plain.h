/// What crosses the border between the halves of any node: plain values, clean C++17. Vectors are x, y,
/// z; quaternions x, y, z, w; six numbers are x, y, z, roll, pitch, yaw.
#pragma once
#include <array>
#include <string>

namespace pintle::ros1 {

using Three = std::array<double, 3>;
using Four = std::array<double, 4>;
using Six = std::array<double, 6>;

struct PlainPose {
  Three position{};
  Four orientation{0, 0, 0, 1};
};

/// The severity, in ros_alarms, of an alarm of the tick that is worth knowing; an error has two more.
inline constexpr int kLeastFault = 2;

/// What is wrong with the craft; severity: 5 worst, 0 nothing.
struct Faults {
  int severity = 0;
  std::string text;
};

}  // namespace pintle::ros1
