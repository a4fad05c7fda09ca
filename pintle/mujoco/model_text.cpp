#include "pintle/mujoco/model_text.h"

#include <fmt/format.h>

#include <iterator>

#include "pintle/base/rotation.h"

namespace pintle::mujoco {
namespace {

using vehicle::JointKind;
using vehicle::Link;
using vehicle::Shape;
using vehicle::ShapeKind;
using vehicle::Structure;

std::string pose_text(const Pose& X) {
  return fmt::format("pos=\"{:.17g} {:.17g} {:.17g}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\"",
                     X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z);
}

std::string shape_text(const Shape& s) {
  switch (s.kind) {
    case ShapeKind::kSphere: return fmt::format("type=\"sphere\" size=\"{:.17g}\"", s.size.x);
    case ShapeKind::kBox:
      return fmt::format("type=\"box\" size=\"{:.17g} {:.17g} {:.17g}\"", s.size.x, s.size.y,
                         s.size.z);
    case ShapeKind::kCylinder:
      return fmt::format("type=\"cylinder\" size=\"{:.17g} {:.17g}\"", s.size.x, s.size.y);
  }
  return {};
}

std::string joint_text(const Link& link) {
  const vehicle::Joint& j = link.joint;
  if (link.parent < 0) return "<freejoint/>";
  if (j.kind == JointKind::kFixed) return {};
  return fmt::format(
      "<joint type=\"{}\" axis=\"{:.17g} {:.17g} {:.17g}\" damping=\"{:.17g}\" "
      "stiffness=\"{:.17g}\" "
      "limited=\"{}\" range=\"{:.17g} {:.17g}\"/>",
      j.kind == JointKind::kHinge ? "hinge" : "slide", j.axis.x, j.axis.y, j.axis.z, j.damping,
      j.stiffness, j.limited ? "true" : "false", j.limited ? j.lower : 0, j.limited ? j.upper : 0);
}

// MuJoCo numbers bodies depth first; the name tells which link one is
void add_link(const Structure& structure, std::size_t i, std::string& out) {
  const Link& link = structure.links[i];
  out += fmt::format("<body name=\"{}\" {}>\n", i, pose_text(link.X_PL));
  out += joint_text(link);
  out += "<inertial pos=\"0.01 0.02 0.03\" mass=\"1\" diaginertia=\"1 1 1\"/>\n";
  for (const Shape& s : link.shapes)
    out += fmt::format("<geom {} {}/>\n", shape_text(s), pose_text(s.X_LS));
  for (std::size_t k = i + 1; k < structure.links.size(); ++k)
    if (structure.links[k].parent == static_cast<int>(i)) add_link(structure, k, out);
  out += "</body>\n";
}

void add_body(const world::BodySpec& body, std::size_t i, std::string& out, std::string& welds) {
  const bool is_free = body.mass_kg > 0;
  const Vec3 rpy = radians(1) * body.rpy_deg;
  const Pose X_WB{body.position_m, from_rpy({rpy.x, rpy.y, rpy.z})};
  const Vec3 half = 0.5 * body.size_m;
  const Shape shape = body.shape == world::BodyShape::kBox
                          ? Shape{ShapeKind::kBox, half, {}}
                          : Shape{ShapeKind::kCylinder, {half.x, half.z, 0}, {}};
  out += fmt::format("<body name=\"{}\" {}>\n", body_name(i), pose_text(X_WB));
  if (is_free) {
    const Vec3 inertia = inertia_of(body);
    out += "<freejoint/>\n";
    out += fmt::format(
        "<inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{:.17g} {:.17g} {:.17g}\"/>\n",
        body.mass_kg, inertia.x, inertia.y, inertia.z);
    // softer than a weld and stiffer than a foot
    welds += fmt::format(
        "<weld name=\"{}\" body1=\"0\" body2=\"{}\" active=\"false\" solref=\"0.01 1\"/>\n",
        body_name(i), body_name(i));
  }
  // free ones touch everything, fixed ones all but each other
  out += fmt::format("<geom {} contype=\"{}\" conaffinity=\"1\"/>\n</body>\n", shape_text(shape),
                     is_free ? 1 : 0);
}

}  // namespace

std::string body_name(std::size_t i) { return fmt::format("thing{}", i); }

std::string model_text(const Structure& structure, const MujocoSettings& settings,
                       const world::Ground& ground, const std::vector<world::BodySpec>& bodies) {
  std::string out = "<mujoco>\n";
  out += "<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n";
  out +=
      fmt::format("<option gravity=\"0 0 {:.17g}\" integrator=\"{}\"/>\n", -settings.gravity_m_s2,
                  settings.integrator == Integrator::kRk4 ? "RK4" : "Euler");
  const double friction = ground.exists() ? ground.params()->friction : 0.5;
  out += fmt::format(
      "<default><geom friction=\"{:.17g} 0.005 0.0001\" contype=\"1\" "
      "conaffinity=\"{}\"/></default>\n",
      friction, settings.self_contact ? 1 : 0);
  out += "<worldbody>\n";
  if (ground.exists()) {
    out += fmt::format(
        "<geom type=\"plane\" size=\"0 0 1\" pos=\"0 0 {:.17g}\" contype=\"0\" "
        "conaffinity=\"1\"/>\n",
        ground.params()->height_m);
    for (const world::PadSpec& pad : ground.pads())
      // only its top counts; thick enough that nothing falls through in a step
      out += fmt::format(
          "<geom type=\"cylinder\" size=\"{:.17g} 0.5\" pos=\"{:.17g} {:.17g} {:.17g}\" "
          "contype=\"0\" "
          "conaffinity=\"1\"/>\n",
          pad.radius_m, pad.position_m.x, pad.position_m.y, pad.position_m.z - 0.5);
  }
  add_link(structure, 0, out);
  std::string welds;
  for (std::size_t i = 0; i < bodies.size(); ++i) add_body(bodies[i], i, out, welds);
  out += "</worldbody>\n<equality>\n" + welds + "</equality>\n</mujoco>\n";
  return out;
}

}  // namespace pintle::mujoco
