/// A craft that moves: what stands between wrenches on its links and where the links go.
///
/// Two plants stand behind this interface and agree in free flight to the order of their
/// integrators: `RigidPlant` (one rigid body, variable mass, feet on the ground) and
/// `mujoco::MujocoPlant` (articulated links, contact of whole shapes).
///
/// Mass may change at any step. What leaves takes its own momentum along: velocities of the links
/// stay, and thrust is whatever the propulsor applies. Does not model: momentum of fluid that moves
/// inside a link.
#pragma once
#include <cstddef>

#include "pintle/base/geometry.h"
#include "pintle/vehicle/structure.h"

namespace pintle::world {

/// Where a link is and how its origin moves, in its own coordinates.
struct LinkState {
  Pose X_WL;
  Twist V_WL_L;

  friend constexpr bool operator==(const LinkState&, const LinkState&) = default;
};

/// For checks and reports: of the whole craft in world coordinates.
struct Motion {
  double kinetic_J = 0;
  double potential_J = 0;  ///< Of weight, 0 at the world's origin.
  Wrench momentum_W;       ///< N s, and N m s about the world's origin.
};

/// No call uses the heap or throws; links are counted as in the structure, 0 is the body.
class Plant {
 public:
  virtual ~Plant() = default;

  [[nodiscard]] virtual std::size_t links() const noexcept = 0;
  [[nodiscard]] virtual LinkState link(std::size_t i) const noexcept = 0;
  /// Puts the body somewhere, joints at 0 and at rest.
  virtual void place(const Pose& X_WB, const Twist& V_WB_B) noexcept = 0;

  /// A new mass of one link, in its frame, from now on. False, and nothing changes, for a mass that
  /// no body has or that leaves the craft without inertia.
  virtual bool set_mass(std::size_t i, const vehicle::MassProperties& mass_L) noexcept = 0;
  /// Of the whole craft as it is now, body coordinates.
  [[nodiscard]] virtual vehicle::MassProperties mass() const noexcept = 0;

  /// Adds a wrench at a point of a link, both in the link's coordinates. It turns with the link and
  /// acts during the next step only. One that is not finite is left out.
  virtual void apply(std::size_t i, Vec3 p_LP, const Wrench& F_P_L) noexcept = 0;
  virtual void step(double dt_s) noexcept = 0;

  /// Sum of the forces of ground and pads in the last step, N, world coordinates.
  [[nodiscard]] virtual Vec3 contact_force_W() const noexcept = 0;
  [[nodiscard]] bool touching() const noexcept { return !(contact_force_W() == Vec3{}); }
  [[nodiscard]] virtual Motion motion() const noexcept = 0;

  // bodies beside the craft, in the order of the world; a plant may know none
  [[nodiscard]] virtual std::size_t bodies() const noexcept { return 0; }
  [[nodiscard]] virtual LinkState body(std::size_t) const noexcept { return {}; }
  /// Ties a free body to link 0 as it is placed now, or lets it go. False: it is no free body.
  virtual bool hold(std::size_t /*body*/, bool /*held*/) noexcept { return false; }

 protected:
  Plant() = default;
  Plant(const Plant&) = default;
  Plant(Plant&&) = default;
  Plant& operator=(const Plant&) = default;
  Plant& operator=(Plant&&) = default;
};

}  // namespace pintle::world
