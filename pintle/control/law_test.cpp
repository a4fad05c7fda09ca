#include "pintle/control/law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pintle::control {
namespace {

/// What holds for every law that a file can name.
class AnyLaw : public ::testing::TestWithParam<std::int64_t> {
 protected:
  AnyLaw() {
    LawSections sections;
    sections.law = static_cast<Law>(GetParam());
    for (PidParams& p : sections.control.position) {
      p.kp = 1;
      p.ki = 0.5;
    }
    sections.vector.velocity_integral = {0.5, 0.5, 0.5};
    sections.velocity.xy.ki = 0.3;
    params = selected(sections);
    state = initial_state(params);
    craft.mass_kg = 10;
    craft.max_thrust_N = 300;
  }
  bool run(double dt_s = 0.02) {
    LawInput in{X, V, X.q};
    in.fresh = in.measured = in.live = true;
    in.dt_s = in.measured_dt_s = in.period_s = dt_s;
    in.craft = &craft;
    if (!measure(params, state, in, trace)) return false;
    // whatever it asks for is given, and the craft stays where it is
    WrenchDemand wanted;
    demand(params, state, trace, wanted);
    const Vec6 given = to_vec6(wanted.F_Bo_B);
    achieved(params, state, given, given, given, dt_s, true);
    return true;
  }
  /// All that it asks for now, as one row of numbers.
  std::array<double, 10> asked() {
    WrenchDemand wanted;
    demand(params, state, trace, wanted);
    const MotionCommand m = motion(state);
    const Wrench& f = wanted.F_Bo_B;
    return {f.force.x,  f.force.y, f.force.z, f.torque.x, f.torque.y,
            f.torque.z, m.v_H.x,   m.v_H.y,   m.v_H.z,    m.yaw_rate_rad_s};
  }
  SetpointRefusal take(const Setpoint& s) {
    int axis = 0;
    return accept(params, state, s, axis);
  }
  static Setpoint ahead(double x) {
    Setpoint s;
    s.X_WD.p.x = x;
    return s;
  }

  LawParams params;
  LawState state;
  LawTrace trace;
  CraftNow craft;
  Pose X;
  Twist V;
};

TEST_P(AnyLaw, StandsInTheTraitsUnderItsOwnNumber) {
  EXPECT_EQ(static_cast<std::int64_t>(params.index()), GetParam());
  EXPECT_EQ(state.index(), params.index());
  const LawTraits a = traits(params), b = traits(static_cast<Law>(GetParam()));
  EXPECT_EQ(a.axes, b.axes);
  EXPECT_EQ(a.allocates, b.allocates);
  EXPECT_EQ(a.axes != 0, a.allocates) << "who allocates asks for something";
  EXPECT_EQ(a.each_axis, view_of_loops(params, state, trace).has_value())
      << "who asks for each axis by itself is shown, and tuned, loop by loop";
}

TEST_P(AnyLaw, GoesTowardsItsGoal) {
  ASSERT_EQ(take(ahead(0.5)), SetpointRefusal::kNone);
  ASSERT_TRUE(run());
  const auto out = asked();
  if (traits(params).flies && traits(params).allocates)
    EXPECT_GT(out[4], 0) << "tilts forward";
  else
    EXPECT_GT(out[0] + out[6], 0);
}

TEST_P(AnyLaw, KeepsItsSetpointWholeWhenItRefusesAnother) {
  ASSERT_EQ(take(ahead(0.5)), SetpointRefusal::kNone);
  Setpoint bad = ahead(0.7);
  bad.V_WD_B.v.y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(take(bad), SetpointRefusal::kNotFinite);
  EXPECT_EQ(accepted(state).X_WD.p.x, 0.5);
}

TEST_P(AnyLaw, WhenResetIsAskedForForgetsWhatItHasSummedUp) {
  ASSERT_EQ(take(ahead(0.3)), SetpointRefusal::kNone);
  ASSERT_TRUE(run());
  ASSERT_TRUE(run());
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(run());
  const auto wound = asked();
  reset(params, state, ResetCause::kAsked);
  ASSERT_TRUE(run());
  ASSERT_TRUE(run());
  const auto reset_ = asked();
  state = initial_state(params);
  ASSERT_EQ(take(ahead(0.3)), SetpointRefusal::kNone);
  ASSERT_TRUE(run());
  ASSERT_TRUE(run());
  EXPECT_EQ(reset_, asked()) << "as one that has just begun";
  EXPECT_NE(wound, asked()) << "there was something to forget";
}

TEST_P(AnyLaw, LeavesTheStateOfAnotherLawAlone) {
  for (std::size_t other = 0; other < std::variant_size_v<LawParams>; ++other) {
    if (other == params.index()) continue;
    LawSections sections;
    sections.law = static_cast<Law>(other);
    state = initial_state(selected(sections));
    EXPECT_FALSE(run());
    EXPECT_EQ(asked(), (std::array<double, 10>{}));
    EXPECT_EQ(take(ahead(1)), SetpointRefusal::kNone);
    EXPECT_EQ(accepted(state).X_WD.p.x, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Laws, AnyLaw,
    ::testing::Range(std::int64_t{0}, static_cast<std::int64_t>(std::variant_size_v<LawParams>)),
    [](const auto& i) { return std::string(to_string(static_cast<Law>(i.param))); });

TEST(Laws, AreNamedByWhatTheyAre) {
  EXPECT_EQ(names_of_laws([](const LawTraits& t) { return !t.allocates; }), "velocity");
  EXPECT_EQ(names_of_laws([](const LawTraits& t) { return t.flies; }), "thrust_vector or velocity");
  EXPECT_TRUE(traits(inner_law()).carries_itself());
}

TEST(Laws, OnlyThatInUseSaysHowItBehaves) {
  LawSections sections;
  sections.control.behaviour = Behaviour::kReference;
  sections.control.desired_wrench_limits[0] = {-2, 2};
  EXPECT_EQ(behaviour(selected(sections)), Behaviour::kReference);
  EXPECT_EQ(wrench_limits(selected(sections))[0].max, 2);
  sections.law = inner_law();
  EXPECT_EQ(behaviour(selected(sections)), Behaviour::kSafe);
  EXPECT_TRUE(std::isinf(wrench_limits(selected(sections))[0].max));
  EXPECT_EQ(priorities(selected(sections)).group, sections.vector.group);
}

TEST(Laws, FindingsNameTheSectionOfTheFile) {
  LawSections sections;
  sections.control.scale = -1;
  bool found = false;
  for (const Finding& f : check(sections)) found = found || f.path == "control.scale";
  EXPECT_TRUE(found);
}

TEST(LawSections, OfLoopsOnEveryAxisGiveThemBackAndAreSeenInTheModel) {
  AxisLoops loops;
  loops.position[1].kp = 2;
  loops.position_cascaded[1].kp = 3;
  loops.velocity[5].kd = 0.5;
  loops.wrench_limits.fill({-4, 7});
  loops.static_force = {0, 0, -1.5};
  loops.scale = 0.25;
  LawSections sections = following_loops(loops);
  EXPECT_EQ(axis_loops(sections).behaviour, Behaviour::kReference);
  EXPECT_EQ(axis_loops(sections).position_cascaded[1].kp, 3);
  for (const bool cascaded : {false, true}) {
    set_switches(sections, {true, true, cascaded});
    EXPECT_EQ(switches(sections).cascaded, cascaded);
    const LawParams params = selected(sections);
    const LawState state = initial_state(params);
    const LawTrace trace;
    const std::optional<LoopsView> view = view_of_loops(params, state, trace);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->position[1].kp, cascaded ? 3 : 2);
    EXPECT_EQ(view->velocity[5].kd, 0.5);
    EXPECT_EQ(view->static_force.z, -1.5);
    EXPECT_EQ(view->scale, 0.25);
    EXPECT_EQ(wrench_limits(params)[4].max, 7);
  }
}

TEST(LawSections, OfVelocitiesPerTickHaveNoLoopsOnEveryAxis) {
  LawSections sections;
  DeadbandPidParams xy, z, yaw;
  xy.kp = 0.1, z.kp = 0.2, yaw.kp = 0.3;
  for (DeadbandPidParams* p : {&xy, &z, &yaw}) p->db = 0.05, p->e_max = p->o_max = 1;
  follow_per_tick(sections, xy, z, yaw, 50);
  EXPECT_TRUE(check(sections).empty());
  const LawParams params = selected(sections);
  EXPECT_FALSE(traits(params).allocates);
  EXPECT_EQ(std::get<VelocityLawParams>(params).z.kp, 0.2);
  EXPECT_EQ(std::get<VelocityLawParams>(params).max_descent_m_s, 50);
  const LawState state = initial_state(params);
  const LawTrace trace;
  EXPECT_FALSE(view_of_loops(params, state, trace));
}

}  // namespace
}  // namespace pintle::control
