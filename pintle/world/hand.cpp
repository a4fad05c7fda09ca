#include "pintle/world/hand.h"

#include "pintle/base/rotation.h"

namespace pintle::world {
namespace {
constexpr double kFirmness = 10;  // 1/s
}

Wrench Hand::wrench(Time now, const BodyState& body, const vehicle::MassProperties& mass) noexcept {
  Vec3 offset{}, velocity{};
  if (!carried(carry_, now.seconds(), offset, velocity)) return {};
  if (!from_) from_ = body.X_WB;
  const Quat& q = body.X_WB.q;
  const Vec3 off = from_->p + offset - body.X_WB.p;
  const Vec3 slow = velocity - rotate(q, body.V_WB_B.v);
  const Vec3 force_W =
      mass.mass_kg * (kFirmness * kFirmness * off + 2 * kFirmness * slow + Vec3{0, 0, gravity_});
  const Vec3 turn = to_rotation_vector(normalized(conjugate(q) * from_->q));
  const Vec3 torque =
      mass.inertia_kgm2 * (kFirmness * kFirmness * turn - 2 * kFirmness * body.V_WB_B.w);
  return {rotate(conjugate(q), force_W), torque};
}

}  // namespace pintle::world
