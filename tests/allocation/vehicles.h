/// For tests: two real vehicles and short ways to ask for an allocation.
#pragma once
#include <cmath>
#include <limits>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation_suite/oracle.h"

namespace pintle::allocation::testing {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// eight thrusters of a Sub 8: columns front-left, front-right, back-left, back-right, each
// horizontal then vertical; thrust in N
inline Effectiveness sub8(double limit) {
  const double level[6][8] = {{0.866, 0, 0.866, 0, -0.866, 0, -0.866, 0},
                              {-0.5, 0, 0.5, 0, -0.5, 0, 0.5, 0},
                              {0, 1, 0, 1, 0, 1, 0, 1},
                              {0, 0.169, 0, -0.169, 0, 0.169, 0, -0.169},
                              {0, -0.1583, 0, -0.1583, 0, 0.1583, 0, 0.1583},
                              {-0.375947, 0, 0.375947, 0, 0.375947, 0, -0.375947, 0}};
  Effectiveness e;
  e.n = 8;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t k = 0; k < 6; ++k) e.column[i][k] = level[k][i];
    e.lower[i] = -limit;
    e.upper[i] = limit;
  }
  return e;
}

// a thruster at p, pushing along R x with R = Rz Ry Rx, sign -1 when flipped
inline Vec6 thruster(Vec3 p, double pitch_deg, double yaw_deg, double sign) {
  const double b = pitch_deg * M_PI / 180;
  const double c = yaw_deg * M_PI / 180;
  const Vec3 f = sign * Vec3{std::cos(c) * std::cos(b), std::sin(c) * std::cos(b), -std::sin(b)};
  return to_vec6(Wrench{f, cross(p, f)});
}

inline Effectiveness oogway() {
  Effectiveness e;
  e.n = 8;
  e.column[0] = thruster({0.20528, 0.397763, -0.033285}, 90, 0, 1);
  e.column[1] = thruster({0.342119, 0.378052, 0.041947}, 0, -45, -1);
  e.column[2] = thruster({0.342146, -0.32021, 0.041947}, 0, 45, -1);
  e.column[3] = thruster({0.205315, -0.341812, -0.033285}, 90, 0, -1);
  e.column[4] = thruster({-0.204592, 0.397763, -0.032393}, 90, 0, 1);
  e.column[5] = thruster({-0.342897, 0.378061, 0.041947}, 0, -135, -1);
  e.column[6] = thruster({-0.204592, -0.341812, -0.033285}, 90, 0, 1);
  e.column[7] = thruster({-0.342925, -0.320244, 0.041947}, 0, 135, -1);
  for (std::size_t i = 0; i < 8; ++i) {
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  return e;
}

inline WrenchDemand demand_of(const Vec6& w) {
  WrenchDemand d;
  d.F_Bo_B = to_wrench(w);
  return d;
}

inline WrenchDemand axis_demand(std::size_t axis, double value) {
  Vec6 w;
  w[axis] = value;
  return demand_of(w);
}

inline Settings with_r(double r) {
  Settings s;
  s.objective.k2 = r;
  return s;
}

inline Allocation solve(const Settings& s, const Effectiveness& e, const WrenchDemand& d,
                        const PropulsorHealth* health = nullptr) {
  Allocation out;
  allocate(s, e, d, health, out);
  return out;
}

inline double span_of(const Effectiveness& e) {
  double span = 0;
  for (std::size_t i = 0; i < e.n; ++i)
    span = std::max({span, std::abs(e.lower[i]), std::abs(e.upper[i])});
  return span;
}

inline double distance(const ChannelVector& a, const ChannelVector& b) {
  double largest = a.size() == b.size() ? 0 : kInfinity;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace pintle::allocation::testing
