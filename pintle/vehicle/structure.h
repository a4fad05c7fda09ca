/// The parts of a craft: links with mass, how they hang together, and what of them touches others.
///
/// A structure is a tree. Link 0 is the root and its frame is the body frame B; each other link
/// hangs on an earlier one by a joint at its own origin. Masses that share a frame add up about
/// their common centre of mass (Steiner's theorem):
///
///   c = (m1 c1 + m2 c2) / m      I = I1 + I2 + m1 m2 / m (d.d 1 - d d^T),   d = c2 - c1
///
/// Does not model: closed chains, joints of more than one degree of freedom, flexible links.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/base/finding.h"
#include "pintle/base/geometry.h"

namespace pintle::vehicle {

/// Of a link or of a whole craft, in coordinates of one frame.
struct MassProperties {
  double mass_kg = 0;
  Vec3 center_of_mass_m{};
  Mat3 inertia_kgm2{};  ///< About the centre of mass, in the axes of the frame.

  friend constexpr bool operator==(const MassProperties&, const MassProperties&) = default;
};

/// The same mass in coordinates of B.
[[nodiscard]] MassProperties in_frame(const Pose& X_BL, const MassProperties& of_link_L) noexcept;
/// Two masses in one frame, as one. Of nothing and nothing: nothing, at the origin.
[[nodiscard]] MassProperties combined(const MassProperties& a, const MassProperties& b) noexcept;
/// A finite mass of at least 0 with the symmetric, positive semidefinite inertia of a real body.
[[nodiscard]] bool is_possible(const MassProperties& mass) noexcept;

enum class JointKind : std::uint8_t { kFixed, kHinge, kSlide };

/// One degree of freedom about or along an axis of the link; 0 is the pose X_PL.
struct Joint {
  std::string name;
  JointKind kind = JointKind::kFixed;
  Vec3 axis{0, 0, 1};  ///< Unit vector, link coordinates.
  bool limited = false;
  double lower = 0, upper = 0;  ///< rad or m.
  double damping = 0;           ///< N m s/rad or N s/m.
  double stiffness = 0;         ///< N m/rad or N/m, towards 0.
};

enum class ShapeKind : std::uint8_t { kSphere, kBox, kCylinder };

/// What touches. size: radius; or half-lengths along x, y, z; or radius and half-length along z.
struct Shape {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3 size{};
  Pose X_LS;
};

struct Link {
  std::string name;
  int parent = -1;  ///< Index of an earlier link; -1 for the root.
  Pose X_PL;        ///< In the parent, joint at 0. Of the root: the identity.
  MassProperties mass;
  Joint joint;
  std::vector<Shape> shapes;
};

struct Structure {
  std::string name;
  std::vector<Link> links;
};

[[nodiscard]] Findings check(const Structure& structure);

/// X_BL of every link with all joints at 0.
[[nodiscard]] std::vector<Pose> poses_in_body(const Structure& structure);
/// Of the whole craft with all joints at 0, body coordinates.
[[nodiscard]] MassProperties mass_of(const Structure& structure);

/// Where its shapes would stand on level ground, all joints at 0, body coordinates: of what is
/// lowest, within 2 cm, the outermost points towards eight sides. Empty without shapes.
[[nodiscard]] std::vector<Vec3> standing_points(const Structure& structure);

/// Which link a name means: the one of that name, else the only one whose name ends with it
/// ("chest" for "robot::chest"). -1 with a sentence saying why when there is none, or several.
struct LinkMatch {
  int link = -1;
  std::string why;  ///< What was expected and found.
  std::string fix;
};
[[nodiscard]] LinkMatch match_link(const Structure& structure, std::string_view name);

}  // namespace pintle::vehicle
