#include <algorithm>
#include <cmath>
#include <variant>

#include "pintle/stack/tick.h"

namespace pintle::stack {
namespace {

constexpr double kFreshWater_kg_m3 = 1000, kGravity_m_s2 = 9.80665;

/// M_RB = [m 1, -m S(r); m S(r), I_c - m S(r) S(r)], row-major.
std::array<double, 36> rigid_body_mass(const vehicle::Body& body) noexcept {
  const Mat3 s = skew(body.center_of_mass_m), ss = s * s;
  const Vec3 d = body.inertia_kgm2, o = body.inertia_products_kgm2;
  const Mat3 inertia{{d.x, o.x, o.y, o.x, d.y, o.z, o.y, o.z, d.z}};
  std::array<double, 36> m{};
  for (std::size_t i = 0; i < 3; ++i) {
    m[7 * i] = body.mass_kg;
    for (std::size_t j = 0; j < 3; ++j) {
      m[6 * i + 3 + j] = -body.mass_kg * s(i, j);
      m[6 * (i + 3) + j] = body.mass_kg * s(i, j);
      m[6 * (i + 3) + 3 + j] = inertia(i, j) - body.mass_kg * ss(i, j);
    }
  }
  return m;
}

}  // namespace

estimation::BodyModel body_model(const vehicle::Vehicle& v,
                                 const Effectiveness& effectiveness) noexcept {
  estimation::BodyModel m;
  m.mass = rigid_body_mass(v.body);
  for (std::size_t i = 0; i < 6; ++i) m.mass[7 * i] += v.hydrodynamics.added_mass[i];
  complete(m);
  m.added_mass = v.hydrodynamics.added_mass;
  m.linear_damping = v.hydrodynamics.linear_damping;
  m.quadratic_damping = v.hydrodynamics.quadratic_damping;
  m.weight_N = kGravity_m_s2 * v.body.mass_kg;
  m.buoyancy_N = kGravity_m_s2 * kFreshWater_kg_m3 * v.body.volume_m3;
  m.center_of_mass_m = v.body.center_of_mass_m;
  m.center_of_buoyancy_m = v.body.center_of_buoyancy_m;
  m.n = effectiveness.n;
  for (std::size_t i = 0; i < m.n; ++i) {
    m.column_N[i] = v.unit.one_unit_N * effectiveness.column[i];
    m.largest[i] = std::max(std::abs(effectiveness.lower[i]), std::abs(effectiveness.upper[i]));
    if (i >= v.propulsors.size()) continue;
    if (const auto* thruster = std::get_if<propulsion::Thruster>(&v.propulsors[i].model))
      m.tau_s[i] = thruster->params().tau_s;
    else if (const auto* p = std::get_if<propulsion::PropellerParams>(&v.propulsors[i].model))
      m.tau_s[i] = p->tau_s;
  }
  return m;
}

}  // namespace pintle::stack
