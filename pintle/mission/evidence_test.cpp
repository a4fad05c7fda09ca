#include "pintle/mission/evidence.h"

#include <gtest/gtest.h>

namespace pintle::mission {
namespace {

Seen still_at(Vec3 p) {
  Seen seen{};
  seen.X_WD.p = p;
  seen.X_WB.p = p;
  return seen;
}

TEST(Evidence, AStateWithoutAConditionNeverSucceeds) {
  SuccessSpec s;
  s.settle_s = 1;
  EXPECT_FALSE(has_condition(s));
  EXPECT_FALSE(holds(s, {}, still_at({})));
}

TEST(Evidence, EveryConditionAloneCanFailAndHold) {
  struct Case {
    std::function<void(SuccessSpec&)> give;
    std::function<void(Seen&)> spoil;
  };
  const std::vector<Case> cases{
      {[](auto& s) { s.position_m = 0.5; }, [](auto& v) { v.X_WB.p.y += 0.51; }},
      {[](auto& s) { s.attitude_deg = 5; },
       [](auto& v) {
         v.X_WB.q = from_rpy({0, radians(5.1), 0});
       }},
      {[](auto& s) { s.speed_m_s = 0.1; },
       [](auto& v) {
         v.V_WB_B.v = {0.08, 0.08, 0};
       }},
      {[](auto& s) { s.rate_deg_s = 10; }, [](auto& v) { v.V_WB_B.w.z = radians(-10.1); }},
      {[](auto& s) { s.x_above_m = 1; }, [](auto& v) { v.X_WB.p.x = 0.99; }},
      {[](auto& s) { s.x_below_m = 1; }, [](auto& v) { v.X_WB.p.x = 1.01; }},
      {[](auto& s) { s.y_above_m = 2; }, [](auto& v) { v.X_WB.p.y = 1.99; }},
      {[](auto& s) { s.y_below_m = 2; }, [](auto& v) { v.X_WB.p.y = 2.01; }},
      {[](auto& s) { s.z_above_m = -3; }, [](auto& v) { v.X_WB.p.z = -3.01; }},
      {[](auto& s) { s.z_below_m = -3; }, [](auto& v) { v.X_WB.p.z = -2.99; }},
      {[](auto& s) { s.turned_roll_deg = 360; }, [](auto& v) { v.turned.x = radians(359); }},
      {[](auto& s) { s.turned_pitch_deg = -90; }, [](auto& v) { v.turned.y = radians(-89); }},
      {[](auto& s) { s.turned_yaw_deg = 90; }, [](auto& v) { v.turned.z = radians(-270); }},
      {[](auto& s) { s.after_s = 4; }, [](auto& v) { v.in_state = Duration::from_seconds(3.99); }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SuccessSpec s;
    cases[i].give(s);
    Seen seen = still_at({1, 2, -3});
    seen.turned = {radians(361), radians(-91), radians(91)};
    seen.in_state = Duration::from_seconds(4);
    EXPECT_TRUE(holds(s, {}, seen)) << i;
    cases[i].spoil(seen);
    EXPECT_FALSE(holds(s, {}, seen)) << i;
  }
}

TEST(Evidence, AllGivenConditionsMustHoldTogether) {
  SuccessSpec s;
  s.position_m = 0.5;
  s.after_s = 2;
  Seen seen = still_at({});
  EXPECT_FALSE(holds(s, {}, seen));
  seen.in_state = Duration::from_seconds(2);
  EXPECT_TRUE(holds(s, {}, seen));
}

TEST(Evidence, VelocityIsJudgedOnVelocityAxesAlone) {
  Goal goal;
  goal.mode[0] = AxisMode::kVelocity;
  goal.velocity[0] = 0.25;
  SuccessSpec s;
  s.velocity_error_m_s = 0.05;
  Seen seen = still_at({});
  seen.V_WB_B.v = {0.22, 5, -5};
  EXPECT_TRUE(holds(s, goal, seen));
  seen.V_WB_B.v.x = 0.19;
  EXPECT_FALSE(holds(s, goal, seen));
}

TEST(Evidence, ANaNIsNoEvidence) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  SuccessSpec s;
  s.x_above_m = 0;
  Seen seen = still_at({1, 0, 0});
  EXPECT_TRUE(holds(s, {}, seen));
  seen.X_WB.p.x = nan;
  EXPECT_FALSE(holds(s, {}, seen));
  s = {};
  s.turned_roll_deg = -10;
  seen.turned.x = nan;
  EXPECT_FALSE(holds(s, {}, seen));
}

}  // namespace
}  // namespace pintle::mission
