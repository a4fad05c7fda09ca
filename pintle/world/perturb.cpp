#include "pintle/world/perturb.h"

#include <cmath>
#include <string>
#include <variant>

#include "pintle/base/axis.h"
#include "pintle/base/random.h"

namespace pintle::world {
namespace {

/// Draws for one seed; the label names the quantity.
struct Draw {
  std::uint64_t seed;

  [[nodiscard]] double around(double sigma, const std::string& label) const {
    return sigma > 0 ? sigma * cut_normal(seed, "truth " + label) : 0.0;
  }
  [[nodiscard]] double factor(double sigma, const std::string& label) const {
    return 1 + around(sigma, label);
  }
  [[nodiscard]] Vec3 vector(double sigma, const std::string& label) const {
    return {around(sigma, label + " x"), around(sigma, label + " y"), around(sigma, label + " z")};
  }
};

void perturb_inertia(vehicle::Body& body, double sigma, const Draw& draw) {
  if (!(sigma > 0)) return;
  // second moments of the mass: S = tr(I)/2 - I, scaled along each axis
  const Vec3 I = body.inertia_kgm2;
  const double half = 0.5 * (I.x + I.y + I.z);
  const Vec3 f{draw.factor(sigma, "inertia x"), draw.factor(sigma, "inertia y"),
               draw.factor(sigma, "inertia z")};
  const Vec3 S{(half - I.x) * f.x, (half - I.y) * f.y, (half - I.z) * f.z};
  body.inertia_kgm2 = {S.y + S.z, S.x + S.z, S.x + S.y};
  body.inertia_products_kgm2.x *= std::sqrt(f.x * f.y);
  body.inertia_products_kgm2.y *= std::sqrt(f.x * f.z);
  body.inertia_products_kgm2.z *= std::sqrt(f.y * f.z);
}

}  // namespace

double cut_normal(std::uint64_t seed, std::string_view label) noexcept {
  constexpr double kBelowMinusTwo = 0.022750131948179207;  // Phi(-2)
  return normal_quantile(RandomStream(seed, label).uniform(kBelowMinusTwo, 1 - kBelowMinusTwo));
}

TruthVehicle perturbed(const vehicle::Vehicle& nominal, const TruthParams& params,
                       std::uint64_t seed) {
  const Draw draw{seed};
  TruthVehicle truth{nominal, {}};

  // body
  vehicle::Body& body = truth.vehicle.body;
  const double mass = draw.factor(params.mass, "mass");
  body.mass_kg *= mass;
  body.inertia_kgm2 = mass * body.inertia_kgm2;
  body.inertia_products_kgm2 = mass * body.inertia_products_kgm2;
  perturb_inertia(body, params.inertia, draw);
  body.volume_m3 *= draw.factor(params.volume, "volume");
  body.center_of_mass_m += draw.vector(params.center_of_mass_m, "center of mass");

  // water
  vehicle::Hydrodynamics& water = truth.vehicle.hydrodynamics;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const std::string axis(kAxisNames[i]);
    const double drag = draw.factor(params.drag, "drag " + axis);
    water.linear_damping[i] *= drag;
    water.quadratic_damping[i] *= drag;
    water.added_mass[i] *= draw.factor(params.added_mass, "added mass " + axis);
  }

  // propulsors
  for (vehicle::Propulsor& p : truth.vehicle.propulsors) {
    truth.thrust_factor.push_back(draw.factor(params.thrust, "thrust " + p.name));
    p.mount.position_m += draw.vector(params.mount_position_m, "mount position " + p.name);
    const Vec3 turn = draw.vector(radians(params.mount_angle_deg), "mount angle " + p.name);
    if (turn == Vec3{}) continue;
    if (std::holds_alternative<propulsion::Thruster>(p.model)) {
      const Vec3 d = rotate(from_rotation_vector(turn), p.mount.direction);
      p.mount.direction = d / norm(d);
    } else {
      p.mount.R_BP = to_matrix(from_rotation_vector(turn)) * p.mount.R_BP;
    }
  }

  // air
  for (vehicle::DragBody& d : truth.vehicle.drag_bodies) {
    const Vec3 f{draw.factor(params.drag, "drag body " + d.name + " x"),
                 draw.factor(params.drag, "drag body " + d.name + " y"),
                 draw.factor(params.drag, "drag body " + d.name + " z")};
    for (std::size_t i = 0; i < 3; ++i) d.params.drag_coef[i] *= f[i];
  }
  return truth;
}

}  // namespace pintle::world
