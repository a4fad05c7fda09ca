/// Six-degree-of-freedom rigid body in water.
///
///   M_RB nu' + C_RB(nu) nu + s [M_A nu_r' + C_A(nu_r) nu_r + (D_l + D_q |nu_r|) nu_r - F_c] + g(X)
///     = tau
///
/// nu is the twist of the body origin Bo in body coordinates, nu_r the same relative to the water,
/// whose velocity v_c is uniform in space and may change in time; nu_r' contains the turning of the
/// body axes, v_c' = R_BW dv_c/dt - w x v_c. M_RB holds the full inertia and an offset centre of
/// mass; M_A is diagonal. Both Coriolis terms are written as Kirchhoff's equations,
///
///   C(nu) nu = [w x P; w x H + v x P]   with   [P; H] = M nu,
///
/// which is what every skew-symmetric C gives. g(X) is weight at the centre of mass and buoyancy at
/// the centre of buoyancy. F_c = rho V dv_c/dt at the centre of buoyancy is the push of the
/// pressure gradient that accelerates the water itself: a neutral body moves off with the water.
/// s, 0 to 1, is the submerged share of the body's height about its centre of buoyancy; buoyancy is
/// rho g V s. A density of 0 is vacuum: nothing of the water acts, whatever the coefficients.
///
/// Integrated by the classical Runge-Kutta method of fourth order; the quaternion is normalised
/// after each step. Sources: Fossen, "Handbook of Marine Craft Hydrodynamics and Motion Control",
/// 2011, chapters 3, 6 to 8; Lamb, "Hydrodynamics", 1932, chapter VI (Kirchhoff's equations).
/// Does not model: waves on the surface, slamming (s' M_A nu_r), the wandering of the centre of
/// buoyancy at the surface, added mass and damping off the diagonal, walls and bottom.
#pragma once
#include <array>

#include "pintle/base/geometry.h"
#include "pintle/vehicle/structure.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::world {

struct BodyState {
  Pose X_WB;
  Twist V_WB_B;
};

/// Row-major 6x6 matrix, axis order.
using Mat6 = std::array<double, 36>;

/// Everything constant, prepared when it changes. No call but the constructor throws, and none uses
/// the heap.
class BodyDynamics {
 public:
  /// @throws std::invalid_argument when the mass matrix is not positive definite.
  BodyDynamics(const vehicle::Body& body, const vehicle::Hydrodynamics& hydro, double density_kg_m3,
               double gravity_m_s2, double surface_z_m);

  /// The body's own mass from now on, body coordinates; added mass and displacement stay. False,
  /// and nothing changes, when the mass matrix would not be positive definite.
  bool set_mass(const vehicle::MassProperties& mass_B) noexcept;

  /// Acceleration of nu under a wrench at Bo (N, N m, body coordinates), with the water moving at
  /// current_W and gaining speed at current_rate_W (world coordinates).
  [[nodiscard]] Twist acceleration(const BodyState& state, const Wrench& tau, Vec3 current_W,
                                   Vec3 current_rate_W) const noexcept;

  /// One RK4 step with a constant wrench, and water that moves at current_W at the beginning of the
  /// step and gains speed at the constant current_rate_W.
  void step(BodyState& state, const Wrench& tau, Vec3 current_W, Vec3 current_rate_W,
            double dt_s) const noexcept;

  /// Submerged share of the body, 0 to 1.
  [[nodiscard]] double submerged_share(const Pose& X_WB) const noexcept;

  /// For checks: kinetic energy of the body and of the added mass in still water, submerged, J.
  [[nodiscard]] double kinetic_energy(const BodyState& state) const noexcept;
  /// For checks: momentum of the body alone in world coordinates; N s, and N m s about the world's
  /// origin.
  [[nodiscard]] Wrench momentum_W(const BodyState& state) const noexcept;
  /// M_RB + M_A.
  [[nodiscard]] const Mat6& mass_matrix() const noexcept { return mass_; }

 private:
  struct Rate;
  [[nodiscard]] Rate rate(Quat q, double z, Vec3 v, Vec3 w, const Wrench& tau, Vec3 current_W,
                          Vec3 current_rate_W) const noexcept;
  [[nodiscard]] double share_at(double buoyancy_center_z) const noexcept;
  [[nodiscard]] Vec6 solve_partly_submerged(double share, Vec6 force) const noexcept;

  Mat6 rigid_mass_{}, mass_{}, mass_inverse_{};
  Mat3 inertia_origin_{};  // about Bo
  double mass_kg_ = 0;
  Vec3 com_{}, cob_{};          // of the body, of its volume
  Vec3 added_v_{}, added_w_{};  // M_A
  Vec3 linear_v_{}, linear_w_{};
  Vec3 quadratic_v_{}, quadratic_w_{};
  double weight_ = 0, displaced_ = 0, gravity_ = 0;
  double surface_z_ = 0, per_height_ = 0;
  bool vacuum_ = false;
};

}  // namespace pintle::world
