#include <array>
#include <cmath>

#include "pintle/allocation_suite/suite.h"

namespace pintle::allocation {
namespace {

// where a thruster sits (m), which way +x of it is turned (deg), and which way it pushes
struct Mount {
  Vec3 p;
  double pitch, yaw, sign;
};

// the mounts of the vehicles that ship: vehicles/{subjugator8,oogway,cthulhu,bluerov2_heavy}.yaml
constexpr std::size_t kLayouts = 4;
constexpr std::array<std::array<Mount, 8>, kLayouts> kMounts{{
    {{{{0.2678, 0.2795, 0}, 0, -30, 1},
      {{0.1583, 0.169, 0.0142}, -90, 0, 1},
      {{0.2678, -0.2795, 0}, 0, 30, 1},
      {{0.1583, -0.169, 0.0142}, -90, 0, 1},
      {{-0.2678, 0.2795, 0}, 0, 30, -1},
      {{-0.1583, 0.169, 0.0142}, -90, 0, 1},
      {{-0.2678, -0.2795, 0}, 0, -30, -1},
      {{-0.1583, -0.169, 0.0142}, -90, 0, 1}}},
    {{{{0.20528, 0.397763, -0.033285}, 90, 0, 1},
      {{0.342119, 0.378052, 0.041947}, 0, -45, -1},
      {{0.342146, -0.32021, 0.041947}, 0, 45, -1},
      {{0.205315, -0.341812, -0.033285}, 90, 0, -1},
      {{-0.204592, 0.397763, -0.032393}, 90, 0, 1},
      {{-0.342897, 0.378061, 0.041947}, 0, -135, -1},
      {{-0.204592, -0.341812, -0.033285}, 90, 0, 1},
      {{-0.342925, -0.320244, 0.041947}, 0, 135, -1}}},
    {{{{0.29845, -0.1778, 0}, 0, 45, -1},
      {{0.29845, 0.1778, 0}, 0, -45, -1},
      {{-0.29845, -0.1778, 0}, 0, 135, 1},
      {{-0.29845, 0.1778, 0}, 0, -135, -1},
      {{0.3048, -0.1651, -0.077875}, 90, 0, 1},
      {{0.3048, 0.1651, -0.077875}, 90, 0, -1},
      {{-0.3048, -0.1651, -0.077875}, 90, 0, -1},
      {{-0.3048, 0.1651, -0.077875}, 90, 0, 1}}},
    {{{{0.156, -0.111, -0.085}, 0, 45, 1},
      {{0.156, 0.111, -0.085}, 0, -45, 1},
      {{-0.156, -0.111, -0.085}, 0, 135, 1},
      {{-0.156, 0.111, -0.085}, 0, -135, 1},
      {{0.12, -0.218, 0}, -90, 0, 1},
      {{0.12, 0.218, 0}, -90, 0, 1},
      {{-0.12, -0.218, 0}, -90, 0, 1},
      {{-0.12, 0.218, 0}, -90, 0, 1}}},
}};

// to a millionth: the cosine of a right angle becomes the zero that it stands for, and the rank of
// every choice of columns is what geometry says
double snapped(double x) noexcept { return std::round(std::ldexp(x, 20)) / std::ldexp(1.0, 20); }

Vec6 column_of(const Mount& m) noexcept {
  const double b = m.pitch * M_PI / 180;
  const double c = m.yaw * M_PI / 180;
  Vec3 f = m.sign * Vec3{std::cos(c) * std::cos(b), std::sin(c) * std::cos(b), -std::sin(b)};
  f = {snapped(f.x), snapped(f.y), snapped(f.z)};
  const Vec3 p{snapped(m.p.x), snapped(m.p.y), snapped(m.p.z)};
  return to_vec6(Wrench{f, cross(p, f)});
}

}  // namespace

void make_layout(Effectiveness& e, std::uint64_t which) noexcept {
  const auto& mounts = kMounts[which % kLayouts];
  e.n = static_cast<std::uint32_t>(mounts.size());
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    e.column[i] = column_of(mounts[i]);
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
}

}  // namespace pintle::allocation
