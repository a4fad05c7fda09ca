#include "pintle/world/rigid_plant.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace pintle::world {
namespace {

const vehicle::Structure& checked(const vehicle::Structure& structure) {
  for (const Finding& f : check(structure))
    if (f.is_error) throw std::invalid_argument(f.path + ": " + f.message);
  for (const vehicle::Link& link : structure.links)
    if (link.joint.kind != vehicle::JointKind::kFixed)
      throw std::invalid_argument("link " + link.name + " moves: that needs the MuJoCo plant");
  return structure;
}

vehicle::Body body_of(const vehicle::MassProperties& mass) {
  vehicle::Body body;
  const Mat3& I = mass.inertia_kgm2;
  body.mass_kg = mass.mass_kg;
  body.center_of_mass_m = mass.center_of_mass_m;
  body.inertia_kgm2 = {I(0, 0), I(1, 1), I(2, 2)};
  body.inertia_products_kgm2 = {I(0, 1), I(0, 2), I(1, 2)};
  return body;
}

constexpr int kRounds = 6;
constexpr double kStands_m_s = 1e-12;

/// Of a symmetric positive definite matrix.
Mat3 inverse_of(const Mat3& a) noexcept {
  const double xx = a(1, 1) * a(2, 2) - a(1, 2) * a(1, 2),
               xy = a(0, 2) * a(1, 2) - a(0, 1) * a(2, 2),
               xz = a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1),
               yy = a(0, 0) * a(2, 2) - a(0, 2) * a(0, 2),
               yz = a(0, 1) * a(0, 2) - a(0, 0) * a(1, 2),
               zz = a(0, 0) * a(1, 1) - a(0, 1) * a(0, 1);
  const double d = a(0, 0) * xx + a(0, 1) * xy + a(0, 2) * xz;
  return {{xx / d, xy / d, xz / d, xy / d, yy / d, yz / d, xz / d, yz / d, zz / d}};
}

vehicle::MassProperties mass_of_body(const vehicle::Body& b) noexcept {
  const Vec3 d = b.inertia_kgm2, o = b.inertia_products_kgm2;
  return {b.mass_kg, b.center_of_mass_m, {{d.x, o.x, o.y, o.x, d.y, o.z, o.y, o.z, d.z}}};
}

}  // namespace

RigidPlant::RigidPlant(const vehicle::Structure& structure, double gravity_m_s2, Ground ground)
    : ground_(std::move(ground)),
      mass_(mass_of(checked(structure))),
      gravity_(gravity_m_s2),
      dynamics_(body_of(mass_), {}, 0, gravity_m_s2, 0) {
  const std::vector<Pose> poses = poses_in_body(structure);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const vehicle::Link& link = structure.links[i];
    links_.push_back({poses[i], to_matrix(poses[i].q), in_frame(poses[i], link.mass)});
    for (const vehicle::Shape& shape : link.shapes) add_feet(shape, poses[i]);
  }
  contacts_.reserve(feet_.size());
}

RigidPlant::RigidPlant(const vehicle::Vehicle& craft, const WaterParams& water, double gravity_m_s2,
                       Ground ground)
    : links_{{{}, Mat3::identity(), mass_of_body(craft.body)}},
      ground_(std::move(ground)),
      mass_(links_[0].mass_B),
      gravity_(gravity_m_s2),
      dynamics_(craft.body, craft.hydrodynamics, water.density_kg_m3, gravity_m_s2,
                water.surface_z_m) {
  for (const Vec3& foot : craft.body.feet_m) feet_.push_back({foot, 0});
  contacts_.reserve(feet_.size());
}

void RigidPlant::add_feet(const vehicle::Shape& shape, const Pose& X_BL) {
  const Pose X_BS = X_BL * shape.X_LS;
  const Vec3 s = shape.size;
  const auto add = [&](Vec3 p_S) { feet_.push_back({X_BS.p + rotate(X_BS.q, p_S), 0}); };
  switch (shape.kind) {
    case vehicle::ShapeKind::kSphere: feet_.push_back({X_BS.p, s.x}); break;
    case vehicle::ShapeKind::kBox:
      for (int k = 0; k < 8; ++k)
        add({(k & 1) ? s.x : -s.x, (k & 2) ? s.y : -s.y, (k & 4) ? s.z : -s.z});
      break;
    case vehicle::ShapeKind::kCylinder:
      for (int k = 0; k < 8; ++k) {
        const double a = k * (kPi / 4);
        add({s.x * std::cos(a), s.x * std::sin(a), -s.y});
        add({s.x * std::cos(a), s.x * std::sin(a), s.y});
      }
      break;
  }
}

LinkState RigidPlant::link(std::size_t i) const noexcept {
  if (i == 0) return {state_.X_WB, state_.V_WB_B};
  const Pose& X_BL = links_[i].X_BL;
  const Twist& V = state_.V_WB_B;
  const Quat q_LB = conjugate(X_BL.q);
  return {state_.X_WB * X_BL, {rotate(q_LB, V.v + cross(V.w, X_BL.p)), rotate(q_LB, V.w)}};
}

bool RigidPlant::set_mass(std::size_t i, const vehicle::MassProperties& mass_L) noexcept {
  if (i >= links_.size() || !is_possible(mass_L)) return false;
  // tanks change at every step, and mostly the same one: the rest is summed once
  if (changing_ != i) {
    others_ = {};
    for (std::size_t k = 0; k < links_.size(); ++k)
      if (k != i) others_ = combined(others_, links_[k].mass_B);
    changing_ = i;
  }
  Part& part = links_[i];
  const vehicle::MassProperties mass_B{mass_L.mass_kg,
                                       part.X_BL.p + rotate(part.X_BL.q, mass_L.center_of_mass_m),
                                       part.R_BL * mass_L.inertia_kgm2 * transpose(part.R_BL)};
  const vehicle::MassProperties total = combined(others_, mass_B);
  if (!dynamics_.set_mass(total)) return false;
  part.mass_B = mass_B;
  mass_ = total;
  return true;
}

void RigidPlant::apply(std::size_t i, Vec3 p_LP, const Wrench& F_P_L) noexcept {
  if (i >= links_.size() || !is_finite(p_LP) || !is_finite(F_P_L)) return;
  const Pose& X_BL = links_[i].X_BL;
  const Wrench F_P_B{rotate(X_BL.q, F_P_L.force), rotate(X_BL.q, F_P_L.torque)};
  const Wrench F_Bo_B = shift_to_origin(F_P_B, X_BL.p + rotate(X_BL.q, p_LP));
  applied_ = pushed_ ? applied_ + F_Bo_B : F_Bo_B;
  pushed_ = true;
}

Wrench RigidPlant::ground_wrench(double dt_s) noexcept {
  contact_W_ = {};
  contacts_.clear();
  if (!ground_.exists() || feet_.empty()) return {};
  const Quat q_WB = state_.X_WB.q, q_BW = conjugate(q_WB);
  const Vec3 up_B = rotate(q_BW, {0, 0, 1});
  const double share = mass_.mass_kg / static_cast<double>(feet_.size());
  Wrench sum;
  for (const Foot& foot : feet_) {
    // the lowest point of a ball is below its middle, wherever the ball's link is turned
    const Vec3 p_B = foot.p_B - foot.radius_m * up_B;
    const Vec3 p_W = state_.X_WB.p + rotate(q_WB, p_B);
    const Vec3 v_W = rotate(q_WB, state_.V_WB_B.v + cross(state_.V_WB_B.w, p_B));
    const double push_N = ground_.push_N(p_W, v_W, share);
    if (!(push_N > 0)) continue;
    contacts_.push_back({p_B, p_B - mass_.center_of_mass_m, push_N, {}});
    sum = sum + shift_to_origin({push_N * up_B, {}}, p_B);
  }
  if (contacts_.empty()) return {};
  hold_feet(applied_ + sum, dt_s);
  for (const Contact& c : contacts_) {
    const Vec3 friction_N = c.friction_Ns / dt_s;
    contact_W_ += rotate(q_WB, c.push_N * up_B + friction_N);
    sum = sum + shift_to_origin({friction_N, {}}, c.p_B);
  }
  return sum;
}

/// The impulses that stop the feet against what they would slip under all other forces.
void RigidPlant::hold_feet(const Wrench& without, double dt_s) noexcept {
  if (!(dt_s > 0)) return;
  const Vec3 up_B = rotate(conjugate(state_.X_WB.q), {0, 0, 1});
  const Mat3 I_inverse = inverse_of(mass_.inertia_kgm2);
  const Vec3 v = state_.V_WB_B.v, w = state_.V_WB_B.w;
  const Twist rate = dynamics_.acceleration(state_, without, current_W_, current_rate_W_);
  // of the centre of mass at the end of the step, seen from the axes of its beginning
  const Vec3 turning = w + dt_s * rate.w;
  Vec3 v_cm = v + dt_s * (rate.v + cross(w, v)) + cross(turning, mass_.center_of_mass_m);
  Vec3 w_end = turning;
  const double mu = ground_.params()->friction;
  for (int round = 0; round < kRounds; ++round)
    for (Contact& c : contacts_) {
      const Vec3 v_foot = v_cm + cross(w_end, c.r_B);
      const Vec3 slip = v_foot - dot(v_foot, up_B) * up_B;
      const double speed = norm(slip);
      if (!(speed > kStands_m_s)) continue;
      const Vec3 t = slip / speed, arm = cross(c.r_B, t);
      const double m_eff = 1 / (1 / mass_.mass_kg + dot(arm, I_inverse * arm));
      Vec3 wanted = c.friction_Ns - m_eff * slip;
      const double size = norm(wanted), most = mu * c.push_N * dt_s;
      if (size > most) wanted = (most / size) * wanted;
      const Vec3 more = wanted - c.friction_Ns;
      c.friction_Ns = wanted;
      v_cm += more / mass_.mass_kg;
      w_end += I_inverse * cross(c.r_B, more);
    }
}

void RigidPlant::step(double dt_s) noexcept {
  const Wrench ground = ground_wrench(dt_s);
  const Wrench tau = touching() ? applied_ + ground : applied_;
  dynamics_.step(state_, tau, current_W_, current_rate_W_, dt_s);
  applied_ = {};
  pushed_ = false;
}

Motion RigidPlant::motion() const noexcept {
  const Vec3 com_W = state_.X_WB.p + rotate(state_.X_WB.q, mass_.center_of_mass_m);
  const Vec3 v = state_.V_WB_B.v + cross(state_.V_WB_B.w, mass_.center_of_mass_m);
  const Vec3 w = state_.V_WB_B.w;
  return {0.5 * (mass_.mass_kg * dot(v, v) + dot(w, mass_.inertia_kgm2 * w)),
          mass_.mass_kg * gravity_ * com_W.z, dynamics_.momentum_W(state_)};
}

}  // namespace pintle::world
