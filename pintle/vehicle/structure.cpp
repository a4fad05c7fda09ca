#include "pintle/vehicle/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pintle/config/problem.h"

namespace pintle::vehicle {
namespace {

/// m (d.d 1 - d d^T): what a point mass at d adds.
Mat3 point_inertia(double m, Vec3 d) noexcept {
  const double dd = dot(d, d);
  Mat3 out;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) out(r, c) = m * ((r == c ? dd : 0.0) - d[r] * d[c]);
  return out;
}

Mat3 sum(const Mat3& a, const Mat3& b) noexcept {
  Mat3 out;
  for (std::size_t i = 0; i < 9; ++i) out.m[i] = a.m[i] + b.m[i];
  return out;
}

bool is_unit(Vec3 a) noexcept { return std::abs(norm(a) - 1) <= 1e-6; }

void check_joint(const Link& link, const std::string& at, Findings& out) {
  const Joint& j = link.joint;
  if (j.kind == JointKind::kFixed) return;
  if (!is_unit(j.axis))
    out.push_back({at + ".joint.axis",
                   fmt::format("expected a unit vector, got one of length {}", norm(j.axis)),
                   "divide it by its length"});
  if (j.limited && !(j.lower <= j.upper && std::isfinite(j.lower) && std::isfinite(j.upper)))
    out.push_back({at + ".joint.lower",
                   fmt::format("expected limits in order, got {} to {}", j.lower, j.upper),
                   "write the lower one first"});
  if (!(j.damping >= 0 && j.stiffness >= 0) || !std::isfinite(j.damping + j.stiffness))
    out.push_back({at + ".joint.damping", "expected damping and stiffness of at least 0",
                   "write numbers of at least 0"});
}

/// Points of a shape among which are its lowest ones: corners; rims at both ends; what is below.
void add_points(const Pose& X_BS, const Shape& shape, std::vector<Vec3>& out) {
  const Vec3 s = shape.size;
  if (shape.kind == ShapeKind::kSphere) {
    out.push_back(X_BS.p - Vec3{0, 0, s.x});
    return;
  }
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) {
        const Vec3 corner = shape.kind == ShapeKind::kBox
                                ? Vec3{x * s.x, y * s.y, z * s.z}
                                : Vec3{x == y ? x * s.x : 0, x == y ? 0 : y * s.x, z * s.y};
        out.push_back(X_BS.p + rotate(X_BS.q, corner));
      }
}

void check_shapes(const Link& link, const std::string& at, Findings& out) {
  for (const Shape& s : link.shapes) {
    const bool good = is_finite(s.X_LS) && s.size.x > 0 && std::isfinite(s.size.x) &&
                      (s.kind == ShapeKind::kSphere || (s.size.y > 0 && std::isfinite(s.size.y))) &&
                      (s.kind != ShapeKind::kBox || (s.size.z > 0 && std::isfinite(s.size.z)));
    if (!good)
      out.push_back(
          {at + ".shapes", "expected sizes above 0 and a finite place", "write sizes in metres"});
  }
}

}  // namespace

MassProperties in_frame(const Pose& X_BL, const MassProperties& of_link_L) noexcept {
  const Mat3 R = to_matrix(X_BL.q);
  return {of_link_L.mass_kg, X_BL.p + rotate(X_BL.q, of_link_L.center_of_mass_m),
          R * of_link_L.inertia_kgm2 * transpose(R)};
}

MassProperties combined(const MassProperties& a, const MassProperties& b) noexcept {
  const double m = a.mass_kg + b.mass_kg;
  const Mat3 inertia = sum(a.inertia_kgm2, b.inertia_kgm2);
  if (!(m > 0)) return {0, {}, inertia};
  const double share = b.mass_kg / m;
  const Vec3 d = b.center_of_mass_m - a.center_of_mass_m;
  return {m, a.center_of_mass_m + share * d, sum(inertia, point_inertia(a.mass_kg * share, d))};
}

bool is_possible(const MassProperties& mass) noexcept {
  const Mat3& I = mass.inertia_kgm2;
  for (double x : I.m)
    if (!std::isfinite(x)) return false;
  if (!(mass.mass_kg >= 0) || !std::isfinite(mass.mass_kg) || !is_finite(mass.center_of_mass_m))
    return false;

  // moments and minors, with room for the rounding of files
  const double size = std::max({I(0, 0), I(1, 1), I(2, 2)});
  const double slack = 1e-9 * size;
  if (!(std::min({I(0, 0), I(1, 1), I(2, 2)}) >= 0)) return false;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < r; ++c) {
      if (!(std::abs(I(r, c) - I(c, r)) <= slack)) return false;
      if (!(I(r, r) * I(c, c) - I(r, c) * I(c, r) >= -slack * size)) return false;
    }
  const double det = I(0, 0) * (I(1, 1) * I(2, 2) - I(1, 2) * I(2, 1)) -
                     I(0, 1) * (I(1, 0) * I(2, 2) - I(1, 2) * I(2, 0)) +
                     I(0, 2) * (I(1, 0) * I(2, 1) - I(1, 1) * I(2, 0));
  return det >= -slack * size * size;
}

Findings check(const Structure& structure) {
  Findings out;
  if (structure.links.empty()) {
    out.push_back({"links", "expected at least one link, got none", "give the body a link"});
    return out;
  }
  for (std::size_t i = 0; i < structure.links.size(); ++i) {
    const Link& link = structure.links[i];
    const std::string at = fmt::format("links[{}]", i);
    if (link.name.empty())
      out.push_back({at + ".name", "expected a name, got nothing", "name every link"});
    for (std::size_t k = 0; k < i; ++k)
      if (structure.links[k].name == link.name)
        out.push_back({at + ".name", fmt::format("a second link named \"{}\"", link.name),
                       "give each link a name of its own"});
    const bool parent_good =
        i == 0 ? link.parent == -1 : link.parent >= 0 && link.parent < static_cast<int>(i);
    if (!parent_good)
      out.push_back({at + ".parent", "expected an earlier link (none for the first)",
                     "write parents before their children"});
    if (i == 0 && !(link.X_PL == Pose{} && link.joint.kind == JointKind::kFixed))
      out.push_back({at + ".X_PL", "the root is the body frame itself: no pose, no joint",
                     "place the craft in the world instead"});
    if (!is_finite(link.X_PL) || !(std::abs(squared_norm(link.X_PL.q) - 1) <= 1e-9))
      out.push_back({at + ".X_PL", "expected a finite pose with a unit quaternion",
                     "divide the quaternion by its length"});
    if (!is_possible(link.mass))
      out.push_back(
          {at + ".mass",
           fmt::format("link \"{}\" has a mass or an inertia that no body has", link.name),
           "write a mass of at least 0 kg and moments about the centre of mass in kg m^2"});
    check_joint(link, at, out);
    check_shapes(link, at, out);
  }
  return out;
}

std::vector<Pose> poses_in_body(const Structure& structure) {
  std::vector<Pose> out;
  for (const Link& link : structure.links)
    out.push_back(link.parent < 0 ? Pose{}
                                  : out[static_cast<std::size_t>(link.parent)] * link.X_PL);
  return out;
}

MassProperties mass_of(const Structure& structure) {
  const std::vector<Pose> poses = poses_in_body(structure);
  MassProperties total;
  for (std::size_t i = 0; i < poses.size(); ++i)
    total = combined(total, in_frame(poses[i], structure.links[i].mass));
  return total;
}

std::vector<Vec3> standing_points(const Structure& structure) {
  const std::vector<Pose> poses = poses_in_body(structure);
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (const Shape& shape : structure.links[i].shapes)
      add_points(poses[i] * shape.X_LS, shape, points);
  double lowest = std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) lowest = std::min(lowest, p.z);
  std::erase_if(points, [&](const Vec3& p) { return p.z > lowest + 0.02; });
  std::vector<Vec3> out;
  for (const Vec3 corner : {Vec3{1, 1, 0}, Vec3{1, -1, 0}, Vec3{-1, -1, 0}, Vec3{-1, 1, 0},
                            Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{-1, 0, 0}, Vec3{0, -1, 0}}) {
    const auto far = std::max_element(
        points.begin(), points.end(),
        [&](const Vec3& a, const Vec3& b) { return dot(corner, a) < dot(corner, b) - 1e-9; });
    if (far != points.end() && std::find(out.begin(), out.end(), *far) == out.end())
      out.push_back(*far);
  }
  return out;
}

LinkMatch match_link(const Structure& structure, std::string_view name) {
  std::vector<int> exact, ending;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < structure.links.size(); ++i) {
    const std::string_view n = structure.links[i].name;
    names.push_back(n);
    if (n == name) exact.push_back(static_cast<int>(i));
    if (!name.empty() && n.ends_with(name)) ending.push_back(static_cast<int>(i));
  }
  const std::vector<int>& found = exact.empty() ? ending : exact;
  if (found.size() == 1) return {found[0], "", ""};
  if (found.empty()) {
    const std::string near = config::did_you_mean(name, names);
    return {-1, fmt::format("expected a link of {}, got \"{}\"", structure.name, name),
            near.empty() ? fmt::format("its links are {}", fmt::join(names, ", "))
                         : "did you mean  " + near};
  }
  std::vector<std::string_view> which;
  which.reserve(found.size());
  for (int i : found) which.push_back(names[static_cast<std::size_t>(i)]);
  return {-1, fmt::format("\"{}\" means {} links: {}", name, which.size(), fmt::join(which, ", ")),
          "write the whole name of one of them"};
}

}  // namespace pintle::vehicle
