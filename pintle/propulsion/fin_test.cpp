#include "pintle/propulsion/fin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pintle/base/random.h"
#include "pintle/base/rotation.h"
#include "pintle/propulsion/drag_body.h"
#include "pintle/propulsion/propeller.h"

namespace pintle::propulsion {
namespace {

constexpr double kDt = 1.0 / 240;

FinParams finlet() {
  FinParams p;
  p.lift_unit = {0, 1, 0};
  p.forward_unit = {0, 0, -1};
  p.chord_m = 0.5;
  p.span_m = 0.5;
  p.tau_s = 0.05;
  return p;
}

Ambient air(Vec3 velocity, double density = 1.225) { return {-velocity, density, 16}; }

/// The published equations once more, with branches and the library's functions.
Wrench published(const FinParams& p, double act, Vec3 v) {
  const Vec3 l = p.lift_unit, d = p.forward_unit, t = cross(l, d);
  const double A = p.span_m / p.chord_m, area = p.span_m * p.chord_m;
  const double cla = p.cl_alpha_2d * A / (A + 2 * (A + 4) / (A + 2));
  const double th = std::acos(2 * p.flap_to_chord - 1);
  const double taero = 1 - (th - std::sin(th)) / kPi;
  const double alpha = std::atan2(-dot(v, l), dot(v, d));
  const double a_zero = radians(p.alpha_0_deg);
  const double de = radians(act * p.deflection_limit_deg);
  const double dcl = cla * taero * p.eta * de, dcl_max = p.flap_to_chord * dcl;
  const double a0 = a_zero - dcl / cla;
  const double aP = a0 + (radians(p.stall_positive_deg) - a_zero) + dcl_max / cla;
  const double aN = a0 + (radians(p.stall_negative_deg) - a_zero) + dcl_max / cla;
  double cl = 0, cd = 0, cm = 0;
  if (aN < alpha && alpha < aP) {
    cl = cla * (alpha - a0);
    const double ae = alpha - a0 - cl / (kPi * A);
    const double ct = p.cd_0 * std::cos(ae);
    const double cn = (cl + ct * std::sin(ae)) / std::cos(ae);
    cd = cn * std::sin(ae) + ct * std::cos(ae);
    cm = -cn * (0.25 - 0.175 * (1 - 2 * ae / kPi));
  } else {
    double ai = 0;
    if (alpha > 0) {
      const double at = cla * (aP - a0) / (kPi * A);
      ai = alpha <= aP ? at : alpha >= kPi / 2 ? 0 : at + (0 - at) / (kPi / 2 - aP) * (alpha - aP);
    } else {
      const double at = cla * (aN - a0) / (kPi * A);
      ai = alpha >= aN ? at : alpha <= -kPi / 2 ? 0 : at / (aN + kPi / 2) * (alpha + kPi / 2);
    }
    const double ae = alpha - a0 - ai;
    const double cd90 = -4.26e-2 * de * de + 2.1e-1 * de + 1.98;
    const double cn =
        cd90 * std::sin(ae) *
        (1 / (0.56 + 0.44 * std::fabs(std::sin(ae))) - 0.41 * (1 - std::exp(-17 / A)));
    const double ct = 0.5 * p.cd_0 * std::cos(ae);
    cl = cn * std::cos(ae) - ct * std::sin(ae);
    cd = cn * std::sin(ae) + ct * std::cos(ae);
    cm = -cn * (0.25 - 0.175 * (1 - 2 * std::fabs(ae) / kPi));
  }
  const double q = 0.5 * 1.225 * dot(v, v) * area;
  const double L = cl * q, D = cd * q;
  return {l * (L * std::cos(alpha) + D * std::sin(alpha)) +
              d * (L * std::sin(alpha) - D * std::cos(alpha)),
          q * cm * p.chord_m * t};
}

TEST(Fin, FollowsThePublishedEquationsInAnyWind) {
  FinParams cambered = finlet();
  cambered.flap_to_chord = 0.4;
  cambered.alpha_0_deg = -2;
  cambered.stall_positive_deg = 15;
  cambered.deflection_limit_deg = 25;
  for (const FinParams& p : {finlet(), cambered}) {
    FinState state;
    double act = 0;
    RandomStream random(1, "fin");
    for (int i = 0; i < 20000; ++i) {
      const double cmd = random.uniform(-1, 1);
      const Vec3 v{random.uniform(-60, 60), random.uniform(-60, 60), random.uniform(-60, 60)};
      const Wrench w = step(p, state, cmd, air(v), kDt);
      act += kDt / 0.05 * (cmd - act);
      ASSERT_NEAR(state.actuation, act, 1e-12);
      const Wrench e = published(p, act, v);
      const double scale = 0.5 * 1.225 * dot(v, v) * 0.25;
      ASSERT_LT(norm(w.force - e.force), 1e-12 * (1 + scale)) << i;
      ASSERT_LT(norm(w.torque - e.torque), 1e-12 * (1 + scale)) << i;
    }
  }
}

TEST(Fin, LiftsAsALiftingLineDoesAtASmallAngle) {
  // 2 deg nose up at 50 m/s, no drag: L = q S cla alpha, aspect ratio 1
  FinParams p = finlet();
  p.cd_0 = 0;
  const double alpha = radians(2);
  const Vec3 v{0, -50 * std::sin(alpha), -50 * std::cos(alpha)};
  FinState straight;
  const Wrench w = step(p, straight, 0, air(v), kDt);
  const double cla = 6.283 / (1 + 10.0 / 3);
  const double L = 0.5 * 1.225 * 2500 * 0.25 * cla * alpha;
  // lift stands across the flow
  EXPECT_NEAR(w.force.y * std::cos(alpha) - w.force.z * std::sin(alpha), L, 1e-9);
}

TEST(Fin, PushesNothingInStillAir) {
  FinState s{0.7};
  EXPECT_EQ(norm(step(finlet(), s, 1, air({}), kDt).force), 0);
}

TEST(Fin, OneThatIsToldOtherwiseFeelsTheDensityOfItsSurroundings) {
  FinParams p = finlet();
  p.behaviour = Behaviour::kPhysical;
  const FinState s{0.3};
  const Wrench thick = wrench_of(p, s, air({0, 3, -50}, 1.225));
  const Wrench thin = wrench_of(p, s, air({0, 3, -50}, 0.6125));
  EXPECT_NEAR(thin.force.y, thick.force.y / 2, 1e-12);
  FinParams original = finlet();
  EXPECT_EQ(wrench_of(original, s, air({0, 3, -50}, 0.6125)).force, thick.force);
}

TEST(DragBody, DragsEachAxisByItself) {
  const DragBodyParams p{{1.16, 1.16, 2}, {1.7649, 1.7649, 0.1075}, 1.225};
  const Wrench w = step(p, air({3, -4, 50}));
  EXPECT_NEAR(w.force.x, -0.5 * 1.225 * 1.16 * 1.7649 * 9, 1e-12);
  EXPECT_NEAR(w.force.y, 0.5 * 1.225 * 1.16 * 1.7649 * 16, 1e-12);
  EXPECT_NEAR(w.force.z, -0.5 * 1.225 * 2 * 0.1075 * 2500, 1e-10);
  // its derivative
  const Wrench a = step(p, air({3 + 1e-4, -4, 50})), b = step(p, air({3 - 1e-4, -4, 50}));
  EXPECT_NEAR(damping(p, air({3, -4, 50})).x, (a.force.x - b.force.x) / 2e-4, 1e-8);
}

TEST(Propeller, ReferenceFollowsThePublishedUpdateOverALongRun) {
  PropellerParams p{0.01, 25000, 3.16e-10, -7.94e-12, {0, 0.6, 0.8}, 0.02, 0, 0, {}};
  PropellerState state;
  double y = 0;
  RandomStream random(2, "propeller");
  for (int i = 0; i < 40000; ++i) {
    const double pwm = random.uniform(-1, 1), z = 4 + random.normal();
    const PropellerStep out = step(p, state, {pwm, z}, {}, {}, kDt);
    y += kDt / 0.01 * (pwm - y);
    y += z * y * 0.02;
    const double rpm = y * 25000, q = rpm * std::fabs(rpm);
    ASSERT_NEAR(state.throttle, y, 1e-12);
    ASSERT_NEAR(out.rpm, rpm, 1e-12 * 25000);
    ASSERT_NEAR(out.wrench_P.force.z, q * 3.16e-10 * 0.8, 1e-12);
    ASSERT_NEAR(out.wrench_P.torque.y, q * -7.94e-12 * 0.6, 1e-12);
  }
}

TEST(Propeller, ReactsOnTheVehicleWhenItsRotorSpeedsUp) {
  PropellerParams p{0, 6000, 1e-8, 0, {0, 0, 1}, 0, 2e-5, 0, Behaviour::kPhysical};
  EXPECT_TRUE(check(p).empty());
  for (const Vec3 unit : {Vec3{0, 0, 2}, Vec3{0, 0, 0}, Vec3{0.6, 0, 0.6}}) {
    PropellerParams longer = p;
    longer.thrust_unit = unit;
    const Findings found = check(longer);
    ASSERT_EQ(found.size(), 1U) << unit.z;
    EXPECT_EQ(found[0].path, "thrust_unit");
    EXPECT_TRUE(found[0].is_error);
  }
  PropellerState s;
  // 0 to 6000 rpm (628.3 rad/s) within 10 ms
  const PropellerStep out = step(p, s, {1, 0}, {}, {}, 0.01);
  EXPECT_NEAR(out.wrench_P.torque.z, 2e-5 * 2 * kPi * 100 / 0.01, 1e-12);
  EXPECT_NEAR(step(p, s, {1, 0}, {}, {}, 0.01).wrench_P.torque.z, 0, 1e-15);
}

}  // namespace
}  // namespace pintle::propulsion
