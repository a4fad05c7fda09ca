#include "pintle/propulsion/engine.h"

#include <cmath>

#include "pintle/propulsion/engine_kernel.h"
#include "pintle/propulsion/internal/servo.h"

namespace pintle::propulsion {
namespace {

/// Directions of the three efforts; an axis along the thrust turns nothing and pushes nowhere.
std::array<Vec3, 3> directions(const EngineParams& p) noexcept {
  const Vec3 t = unit_or_x(p.booster.thrust_unit);
  return {t, cross(unit_or_x(p.gimbal.unit_1), t), cross(unit_or_x(p.gimbal.unit_2), t)};
}

}  // namespace

EngineConsts prepare(const EngineParams& p, double dt_s) noexcept {
  const Vec3 t = unit_or_x(p.booster.thrust_unit);
  return {prepare(p.booster, dt_s), prepare(p.gimbal, dt_s), t.x, t.y, t.z};
}

BoosterStep step(const EngineParams& p, EngineState& state, const EngineInput& input,
                 const Ambient&, const Grant& grant, double dt_s) noexcept {
  const EngineConsts c = prepare(p, dt_s);
  const EngineCommand in{
      input.ignition,        input.pwm, input.noise, grant.share, input.gimbal.command_1,
      input.gimbal.command_2};
  const EngineThrust t = p.booster.behaviour == Behaviour::kReference
                             ? EngineReferenceKernel::update(c, state, in)
                             : EnginePhysicalKernel::update(c, state, in);
  const double dt = c.booster.dt;
  return {{{t.fx, t.fy, t.fz}, {}}, t.thrust, {0, dt > 0 ? t.burnt / dt : 0}};
}

Linearised linearise(const EngineParams& p, const EngineState& state, const Ambient& ambient,
                     double horizon_s) noexcept {
  const Linearised axial = linearise(p.booster, state.booster, ambient, horizon_s);
  Linearised out;
  out.n = 3;
  const auto direction = directions(p);
  const Mat3 R = rotation_of(p.gimbal, state.gimbal);
  const Vec3 t = direction[0];
  const double thrust = clip(tame(state.booster.throttle), 0, 1) * p.booster.max_thrust_N;
  const double end = lag_gain(p.gimbal.behaviour, horizon_s, p.gimbal.tau_s).end;
  const double turned = end < 1 ? end : 1;

  // length of the thrust along its present direction, and its turning
  out.lower[0] = axial.lower[0];
  out.upper[0] = axial.upper[0];
  out.preferred[0] = axial.preferred[0];
  out.column_P[0].force = dot(axial.column_P[0].force, t) * (R * t);
  const std::array<double, 2> range{radians(p.gimbal.range_deg[0]), radians(p.gimbal.range_deg[1])};
  const std::array<double, 2> q{state.gimbal.q_1, state.gimbal.q_2};
  const std::array<double, 2> last{state.gimbal.commanded_1, state.gimbal.commanded_2};
  out.bias_P.force = dot(axial.bias_P.force, t) * (R * t);
  for (std::size_t i = 0; i < 2; ++i) {
    const double angle = range[i] < 0.5 * kPi ? range[i] : 0.5 * kPi;
    const ServoReach within =
        servo_reach(last[i], p.gimbal.max_rate_deg_s, p.gimbal.range_deg[i], horizon_s);
    out.upper[i + 1] = thrust * std::sin(angle * within.upper);
    out.lower[i + 1] = thrust * std::sin(angle * within.lower);
    out.column_P[i + 1].force = turned * direction[i + 1];
    // what the angle of now pushes is in R t already: the effort that keeps it adds nothing
    out.bias_P.force -=
        (turned * thrust * std::sin(clip(tame(q[i]), -1, 1) * angle)) * direction[i + 1];
  }
  return out;
}

EngineInput invert(const EngineParams& p, const EngineState& state,
                   const std::array<double, 3>& effort_N) noexcept {
  const auto direction = directions(p);
  Vec3 wanted;
  for (std::size_t i = 0; i < 3; ++i) wanted += tame(effort_N[i]) * direction[i];
  const BoosterInput b = invert(p.booster, state.booster, effort_N[0] > 0 ? norm(wanted) : 0);
  EngineInput out{b.ignition, b.pwm, 0, {}};
  if (effort_N[0] > 0) out.gimbal = invert(p.gimbal, direction[0], wanted);
  return out;
}

}  // namespace pintle::propulsion
