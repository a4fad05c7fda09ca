#include "pintle/world/body_dynamics.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pintle::world {
namespace {

// A = L D L^T in place: L below the diagonal, 1 / D on it; false when A is not positive definite
bool factor(Mat6& a) noexcept {
  for (std::size_t j = 0; j < 6; ++j) {
    // a row of L D is needed for the pivot, the same row of L after it
    std::array<double, 6> ld{};
    double d = a[7 * j];
    for (std::size_t k = 0; k < j; ++k) {
      ld[k] = a[6 * j + k];
      a[6 * j + k] = ld[k] * a[7 * k];
      d -= a[6 * j + k] * ld[k];
    }
    if (!(d > 0) || !std::isfinite(d)) return false;
    a[7 * j] = 1 / d;
    for (std::size_t i = j + 1; i < 6; ++i)
      for (std::size_t k = 0; k < j; ++k) a[6 * i + j] -= a[6 * i + k] * a[6 * j + k];
  }
  return true;
}

Vec6 substitute(const Mat6& l, Vec6 b) noexcept {
  for (std::size_t i = 1; i < 6; ++i)
    for (std::size_t k = 0; k < i; ++k) b[i] -= l[6 * i + k] * b[k];
  for (std::size_t i = 0; i < 6; ++i) b[i] *= l[7 * i];
  for (std::size_t i = 5; i-- > 0;)
    for (std::size_t k = i + 1; k < 6; ++k) b[i] -= l[6 * k + i] * b[k];
  return b;
}

// false, and `inverse` is untouched, when `a` is not positive definite
bool invert(const Mat6& a, Mat6& inverse) noexcept {
  Mat6 l = a;
  if (!factor(l)) return false;
  for (std::size_t j = 0; j < 6; ++j) {
    Vec6 unit;
    unit[j] = 1;
    const Vec6 column = substitute(l, unit);
    for (std::size_t i = 0; i < 6; ++i) inverse[6 * i + j] = column[i];
  }
  // symmetric to the last bit, so that multiplying by rows or columns is the same
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < i; ++j)
      inverse[6 * i + j] = inverse[6 * j + i] = 0.5 * (inverse[6 * i + j] + inverse[6 * j + i]);
  return true;
}

Mat3 inertia_of(const vehicle::Body& body) noexcept {
  const Vec3 d = body.inertia_kgm2, o = body.inertia_products_kgm2;
  return {{d.x, o.x, o.y, o.x, d.y, o.z, o.y, o.z, d.z}};
}

// parallel axis theorem: I_o = I_c - m S(r) S(r)
Mat3 inertia_about_origin(const vehicle::MassProperties& mass) noexcept {
  Mat3 inertia = mass.inertia_kgm2;
  const Mat3 s = skew(mass.center_of_mass_m);
  const Mat3 ss = s * s;
  for (std::size_t i = 0; i < 9; ++i) inertia.m[i] -= mass.mass_kg * ss.m[i];
  return inertia;
}

// M_RB = [m 1, -m S(r); m S(r), I_o]
Mat6 rigid_body_mass(double mass, Vec3 com, const Mat3& inertia_origin) noexcept {
  const Mat3 s = skew(com);
  Mat6 m{};
  for (std::size_t i = 0; i < 3; ++i) {
    m[6 * i + i] = mass;
    for (std::size_t j = 0; j < 3; ++j) {
      m[6 * i + 3 + j] = -mass * s(i, j);
      m[6 * (3 + i) + j] = mass * s(i, j);
      m[6 * (3 + i) + 3 + j] = inertia_origin(i, j);
    }
  }
  return m;
}

// of a symmetric matrix; false, and `inverse` is untouched, when it is not positive definite
bool invert(const Mat3& a, Mat3& inverse) noexcept {
  const double xx = a(1, 1) * a(2, 2) - a(1, 2) * a(1, 2);
  const double xy = a(0, 2) * a(1, 2) - a(0, 1) * a(2, 2);
  const double xz = a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1);
  const double zz = a(0, 0) * a(1, 1) - a(0, 1) * a(0, 1);
  const double determinant = a(0, 0) * xx + a(0, 1) * xy + a(0, 2) * xz;
  if (!(a(0, 0) > 0 && zz > 0 && determinant > 0) || !std::isfinite(1 / determinant)) return false;
  const double s = 1 / determinant;
  const double yy = a(0, 0) * a(2, 2) - a(0, 2) * a(0, 2);
  const double yz = a(0, 1) * a(0, 2) - a(0, 0) * a(1, 2);
  inverse = {{s * xx, s * xy, s * xz, s * xy, s * yy, s * yz, s * xz, s * yz, s * zz}};
  return true;
}

// M_RB^-1 = [1 / m - S J S, S J; -J S, J] with J = I_c^-1: the body alone needs no factoring
bool invert_rigid(const vehicle::MassProperties& mass, Mat6& inverse) noexcept {
  Mat3 J;
  if (!(mass.mass_kg > 0) || !std::isfinite(mass.mass_kg) || !invert(mass.inertia_kgm2, J))
    return false;
  const Mat3 S = skew(mass.center_of_mass_m);
  const Mat3 SJ = S * J, SJS = SJ * S;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      // symmetric to the last bit, so that multiplying by rows or columns is the same
      inverse[6 * i + j] = (i == j ? 1 / mass.mass_kg : 0.0) - SJS(std::min(i, j), std::max(i, j));
      inverse[6 * i + 3 + j] = inverse[6 * (3 + j) + i] = SJ(i, j);
      inverse[6 * (3 + i) + 3 + j] = J(i, j);
    }
  return true;
}

constexpr Vec3 scale(Vec3 a, Vec3 b) noexcept { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

inline Vec3 damping(Vec3 linear, Vec3 quadratic, Vec3 v) noexcept {
  return {(linear.x + quadratic.x * std::abs(v.x)) * v.x,
          (linear.y + quadratic.y * std::abs(v.y)) * v.y,
          (linear.z + quadratic.z * std::abs(v.z)) * v.z};
}

// for a unit quaternion; between Runge-Kutta stages its norm is off by (w dt)^2, which the order
// of the method absorbs
inline Mat3 matrix_of(Quat q) noexcept {
  const double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
  const double xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return {{1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx,
           1 - (xx + yy)}};
}

inline Vec3 turn_back(const Mat3& R, Vec3 a) noexcept {
  return {R.m[0] * a.x + R.m[3] * a.y + R.m[6] * a.z, R.m[1] * a.x + R.m[4] * a.y + R.m[7] * a.z,
          R.m[2] * a.x + R.m[5] * a.y + R.m[8] * a.z};
}

inline Vec6 multiply(const Mat6& m, const Vec6& b) noexcept {
  // by columns: the six sums run side by side
  Vec6 r;
  for (std::size_t j = 0; j < 6; ++j)
    for (std::size_t i = 0; i < 6; ++i) r[i] += m[6 * j + i] * b[j];
  return r;
}

inline Quat quaternion_rate(Quat q, Vec3 w) noexcept {
  return {0.5 * (q.w * w.x + q.y * w.z - q.z * w.y), 0.5 * (q.w * w.y - q.x * w.z + q.z * w.x),
          0.5 * (q.w * w.z + q.x * w.y - q.y * w.x), -0.5 * (q.x * w.x + q.y * w.y + q.z * w.z)};
}

constexpr Quat add(Quat a, double s, Quat b) noexcept {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

}  // namespace

/// Time derivative of the state.
struct BodyDynamics::Rate {
  Vec3 p;
  Quat q;
  Vec3 v, w;
};

BodyDynamics::BodyDynamics(const vehicle::Body& body, const vehicle::Hydrodynamics& hydro,
                           double density_kg_m3, double gravity_m_s2, double surface_z_m)
    : cob_(body.center_of_buoyancy_m),
      gravity_(gravity_m_s2),
      surface_z_(surface_z_m),
      per_height_(body.height_m > 0 ? 1 / body.height_m : 1e9),
      vacuum_(!(density_kg_m3 > 0)) {
  const auto pick = [this](const std::array<double, 6>& a, std::size_t first) {
    return vacuum_ ? Vec3{} : Vec3{a[first], a[first + 1], a[first + 2]};
  };
  added_v_ = pick(hydro.added_mass, 0), added_w_ = pick(hydro.added_mass, 3);
  linear_v_ = pick(hydro.linear_damping, 0), linear_w_ = pick(hydro.linear_damping, 3);
  quadratic_v_ = pick(hydro.quadratic_damping, 0), quadratic_w_ = pick(hydro.quadratic_damping, 3);
  displaced_ = vacuum_ ? 0 : density_kg_m3 * body.volume_m3;

  if (!set_mass({body.mass_kg, body.center_of_mass_m, inertia_of(body)}))
    throw std::invalid_argument("the mass matrix is not positive definite");
}

bool BodyDynamics::set_mass(const vehicle::MassProperties& mass_B) noexcept {
  const Mat3 inertia_origin = inertia_about_origin(mass_B);
  const Mat6 rigid = rigid_body_mass(mass_B.mass_kg, mass_B.center_of_mass_m, inertia_origin);
  Mat6 whole = rigid;
  for (std::size_t i = 0; i < 3; ++i) {
    whole[7 * i] += added_v_[i];
    whole[7 * (i + 3)] += added_w_[i];
  }
  // out of the water the body is alone: it must have a mass matrix of its own
  Mat6 inverse{};
  if (vacuum_) {
    if (!invert_rigid(mass_B, inverse)) return false;
  } else {
    Mat6 alone = rigid;
    if (!factor(alone) || !invert(whole, inverse)) return false;
  }

  rigid_mass_ = rigid, mass_ = whole, mass_inverse_ = inverse;
  inertia_origin_ = inertia_origin;
  mass_kg_ = mass_B.mass_kg;
  com_ = mass_B.center_of_mass_m;
  weight_ = mass_kg_ * gravity_;
  return true;
}

double BodyDynamics::share_at(double buoyancy_center_z) const noexcept {
  return std::clamp((surface_z_ - buoyancy_center_z) * per_height_ + 0.5, 0.0, 1.0);
}

double BodyDynamics::submerged_share(const Pose& X_WB) const noexcept {
  return vacuum_ ? 0 : share_at(X_WB.p.z + rotate(X_WB.q, cob_).z);
}

// near the surface the mass matrix depends on the share: factor it on the spot
Vec6 BodyDynamics::solve_partly_submerged(double share, Vec6 force) const noexcept {
  Mat6 l = rigid_mass_;
  for (std::size_t i = 0; i < 3; ++i) {
    l[7 * i] += share * added_v_[i];
    l[7 * (i + 3)] += share * added_w_[i];
  }
  if (!factor(l)) return {};
  return substitute(l, force);
}

inline BodyDynamics::Rate BodyDynamics::rate(Quat q, double z, Vec3 v, Vec3 w, const Wrench& tau,
                                             Vec3 current_W, Vec3 current_rate_W) const noexcept {
  const Mat3 R_WB = matrix_of(q);
  const Vec3 up{R_WB.m[6], R_WB.m[7], R_WB.m[8]};
  const double s = vacuum_ ? 1.0 : share_at(z + dot(up, cob_));

  // motion through the water, and how the water's velocity changes in body axes
  const Vec3 v_c = turn_back(R_WB, current_W);
  const Vec3 a_c = turn_back(R_WB, current_rate_W);
  const Vec3 v_r = v - v_c;

  // momenta of the body and of the water that it carries along
  const Vec3 P_rb = mass_kg_ * (v + cross(w, com_));
  const Vec3 H_rb = inertia_origin_ * w + mass_kg_ * cross(com_, v);
  const Vec3 P_a = s * scale(added_v_, v_r);
  const Vec3 H_a = s * scale(added_w_, w);

  // weight and buoyancy; the pressure gradient of accelerating water acts like buoyancy
  const double buoyancy = s * displaced_ * gravity_;
  const Vec3 pressure = (s * displaced_) * a_c;

  const Vec3 force = tau.force - cross(w, P_rb + P_a) - s * damping(linear_v_, quadratic_v_, v_r) +
                     (buoyancy - weight_) * up + pressure +
                     s * scale(added_v_, a_c - cross(w, v_c));
  const Vec3 torque = tau.torque - cross(w, H_rb + H_a) - cross(v, P_rb) - cross(v_r, P_a) -
                      s * damping(linear_w_, quadratic_w_, w) +
                      cross(buoyancy * cob_ - weight_ * com_, up) + cross(cob_, pressure);

  const Vec6 f{{force.x, force.y, force.z, torque.x, torque.y, torque.z}};
  const Vec6 a = s == 1.0 ? multiply(mass_inverse_, f) : solve_partly_submerged(s, f);
  return {R_WB * v, quaternion_rate(q, w), {a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

Twist BodyDynamics::acceleration(const BodyState& state, const Wrench& tau, Vec3 current_W,
                                 Vec3 current_rate_W) const noexcept {
  const Rate r = rate(state.X_WB.q, state.X_WB.p.z, state.V_WB_B.v, state.V_WB_B.w, tau, current_W,
                      current_rate_W);
  return {r.v, r.w};
}

void BodyDynamics::step(BodyState& state, const Wrench& tau, Vec3 current_W, Vec3 current_rate_W,
                        double dt_s) const noexcept {
  const double half = 0.5 * dt_s;
  const Vec3 p = state.X_WB.p, v = state.V_WB_B.v, w = state.V_WB_B.w;
  const Quat q = state.X_WB.q;
  const Vec3 current_half = current_W + half * current_rate_W;
  const Vec3 current_end = current_W + dt_s * current_rate_W;

  const Rate a = rate(q, p.z, v, w, tau, current_W, current_rate_W);
  const Rate b = rate(add(q, half, a.q), p.z + half * a.p.z, v + half * a.v, w + half * a.w, tau,
                      current_half, current_rate_W);
  const Rate c = rate(add(q, half, b.q), p.z + half * b.p.z, v + half * b.v, w + half * b.w, tau,
                      current_half, current_rate_W);
  const Rate d = rate(add(q, dt_s, c.q), p.z + dt_s * c.p.z, v + dt_s * c.v, w + dt_s * c.w, tau,
                      current_end, current_rate_W);

  const double sixth = dt_s / 6;
  const auto mean = [sixth](Vec3 x, Vec3 y, Vec3 z, Vec3 u) {
    return sixth * (x + 2.0 * (y + z) + u);
  };
  state.X_WB.p = p + mean(a.p, b.p, c.p, d.p);
  state.V_WB_B.v = v + mean(a.v, b.v, c.v, d.v);
  state.V_WB_B.w = w + mean(a.w, b.w, c.w, d.w);
  state.X_WB.q = normalized(add(add(q, sixth, a.q), sixth, add(add(d.q, 2.0, b.q), 2.0, c.q)));
}

double BodyDynamics::kinetic_energy(const BodyState& state) const noexcept {
  const Vec6 nu = to_vec6(state.V_WB_B);
  return 0.5 * dot(nu, multiply(mass_, nu));
}

Wrench BodyDynamics::momentum_W(const BodyState& state) const noexcept {
  const Vec3 v = state.V_WB_B.v, w = state.V_WB_B.w;
  const Vec3 P = rotate(state.X_WB.q, mass_kg_ * (v + cross(w, com_)));
  const Vec3 H = rotate(state.X_WB.q, inertia_origin_ * w + mass_kg_ * cross(com_, v));
  return {P, H + cross(state.X_WB.p, P)};
}

}  // namespace pintle::world
