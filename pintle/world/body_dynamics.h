/// Six-degree-of-freedom rigid body in water.
///
///   (M_RB + M_A) nu' + C_RB(nu) nu + C_A(nu_r) nu_r + (D_l + D_q |nu_r|) nu_r + g(X) = tau
///
/// nu is the twist of the body origin in body coordinates, nu_r relative to the water, whose
/// velocity is taken as uniform and irrotational (Fossen, "Handbook of Marine Craft Hydrodynamics
/// and Motion Control", 2011, chapters 6 to 8). Buoyancy fades linearly over the body's height as
/// it leaves the water; so do damping and added mass forces' share. Classical Runge-Kutta of fourth
/// order; the quaternion is normalised after each step. Does not model: waves, free-surface memory
/// effects, added mass off the diagonal.
#pragma once
#include <array>

#include "pintle/base/geometry.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::world {

struct BodyState {
  Pose X_WB;
  Twist V_WB_B;
};

/// Everything constant, prepared once.
class BodyDynamics {
 public:
  BodyDynamics(const vehicle::Body& body, const vehicle::Hydrodynamics& hydro, double density_kg_m3,
               double gravity_m_s2, double surface_z_m);

  /// Acceleration of nu under a wrench at Bo (body coordinates), with the water moving at
  /// current_W.
  [[nodiscard]] Twist acceleration(const BodyState& state, const Wrench& tau, Vec3 current_W,
                                   Vec3 current_rate_W) const noexcept;

  /// One RK4 step with constant wrench and current.
  void step(BodyState& state, const Wrench& tau, Vec3 current_W, Vec3 current_rate_W,
            double dt_s) const noexcept;

  /// For checks: kinetic energy of body and added mass, J; momentum of the body alone in the world,
  /// at the world's origin.
  [[nodiscard]] double kinetic_energy(const BodyState& state) const noexcept;
  [[nodiscard]] Wrench momentum_W(const BodyState& state) const noexcept;

 private:
  std::array<double, 36> mass_{}, mass_inverse_{};  // row-major, M_RB + M_A
  vehicle::Body body_;
  vehicle::Hydrodynamics hydro_;
  double density_, gravity_, surface_z_;
};

}  // namespace pintle::world
