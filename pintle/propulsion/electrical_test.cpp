#include "pintle/propulsion/electrical.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// 100 N at 3000 rpm and 500 W, 20 W at rest, at 40 V.
ElectricalParams round_numbers() {
  ElectricalParams p;
  p.full_effort = 100;
  p.full_rpm = 3000;
  p.full_power_W = 500;
  p.idle_power_W = 20;
  p.rated_V = 40;
  return p;
}

TEST(Electrical, SpeedIsTheRootOfThrustAndPowerItsThreeHalves) {
  const ElectricalParams p = round_numbers();
  EXPECT_DOUBLE_EQ(rpm_of(p, 100), 3000);
  EXPECT_DOUBLE_EQ(rpm_of(p, -25), -1500);
  EXPECT_EQ(rpm_of(p, 0), 0);
  EXPECT_DOUBLE_EQ(power_W(p, 0), 20);
  EXPECT_DOUBLE_EQ(power_W(p, -25), 20 + 500.0 / 8);
  EXPECT_DOUBLE_EQ(current_A(p, 100, 40), 13);
  EXPECT_EQ(current_A(p, 100, 0), 0);
}

TEST(Electrical, PowerGoesWithTheCubeOfTheSpeed) {
  ElectricalParams p = round_numbers();
  p.idle_power_W = 0;
  for (const double thrust : {1.0, 7.0, -40.0, 90.0}) {
    const double share = std::abs(rpm_of(p, thrust)) / 3000;
    EXPECT_NEAR(power_W(p, thrust), 500 * share * share * share, 1e-9);
  }
}

TEST(Electrical, TheM5DrawsAtItsPublishedSpeedWhatItsPublishedAnswerSays) {
  // VideoRay's example: 1639.765 rpm, 49.62295 V, 1.51597 A
  const ElectricalParams& m5 = *library_electrical("m5_polynomial");
  const double part = 1639.765 / m5.full_rpm, thrust = m5.full_effort * part * part;
  EXPECT_NEAR(current_A(m5, thrust, 49.62295), 1.51597, 0.06);
  EXPECT_NEAR(power_W(m5, 100), 600, 1e-9) << "the team's limit";
}

TEST(Electrical, TheT200GivesWhatItsPublishedDataSay) {
  // 51.4 N at 3520 rpm and 390 W; one curve unit is 34.5 N
  const ElectricalParams& t200 = *library_electrical("t200");
  EXPECT_NEAR(rpm_of(t200, 51.4 / 34.5), 3520, 5);
  EXPECT_NEAR(power_W(t200, 51.4 / 34.5), 390, 3);
}

TEST(Electrical, ALowVoltageLeavesLessThrust) {
  ElectricalParams p = round_numbers();
  p.rated_V = 16;
  EXPECT_EQ(share_at_voltage(p, 16), 1);
  EXPECT_EQ(share_at_voltage(p, 18), 1);
  // the published T200: 36.4 N at 12 V, 51.4 N at 16 V
  EXPECT_NEAR(share_at_voltage(p, 12), 36.4 / 51.4, 0.002);
  EXPECT_EQ(share_at_voltage(p, 0), 0);
  EXPECT_EQ(share_at_voltage(p, kNaN), 1) << "what is not known limits nothing";
}

TEST(Electrical, HeatTakesThrustAwayStepByStep) {
  const ElectricalParams p = round_numbers();
  EXPECT_EQ(share_at_temperature(p, 80), 1);
  EXPECT_NEAR(share_at_temperature(p, 87.5), 0.65, 1e-12);
  EXPECT_NEAR(share_at_temperature(p, 95), 0.3, 1e-12);
  EXPECT_NEAR(share_at_temperature(p, 200), 0.3, 1e-12);
  EXPECT_EQ(share_at_temperature(p, kNaN), 1);
}

TEST(Electrical, WarmsUpExponentiallyHoweverTheTimeIsCut) {
  const ElectricalParams p = round_numbers();
  // 10 C + 0.1 C/W * 200 W = 30 C in the end; after one time constant 63 % of the way
  EXPECT_NEAR(heated_C(p, 10, 200, 10, 60), 10 + 20 * (1 - std::exp(-1)), 1e-12);
  double in_steps = 10;
  for (int k = 0; k < 60; ++k) in_steps = heated_C(p, in_steps, 200, 10, 1);
  EXPECT_NEAR(in_steps, heated_C(p, 10, 200, 10, 60), 1e-9);
  EXPECT_EQ(heated_C(p, 55, 200, 10, -1), 55);
}

TEST(Electrical, EveryImpossibleNumberIsRefusedByName) {
  EXPECT_TRUE(check(round_numbers()).empty());
  const auto refuses = [](double ElectricalParams::*field, double value, const char* path) {
    ElectricalParams p = round_numbers();
    p.*field = value;
    const Findings found = check(p);
    ASSERT_EQ(found.size(), 1u) << path;
    EXPECT_EQ(found[0].path, path);
  };
  refuses(&ElectricalParams::full_effort, 0, "full_effort");
  refuses(&ElectricalParams::full_rpm, -1, "full_rpm");
  refuses(&ElectricalParams::full_power_W, kNaN, "full_power_W");
  refuses(&ElectricalParams::idle_power_W, -1, "idle_power_W");
  refuses(&ElectricalParams::rated_V, 0, "rated_V");
  refuses(&ElectricalParams::heating_tau_s, 0, "heating_tau_s");
  refuses(&ElectricalParams::warm_C, 95, "warm_C");
  refuses(&ElectricalParams::hot_share, 1.5, "hot_share");
}

TEST(Electrical, AThrusterKnowsItsFiguresFromItsFileOrItsCurve) {
  ThrusterParams p;
  EXPECT_FALSE(Thruster(p).params().electrical) << "a curve of one's own says nothing of current";
  p.library = "t200";
  p.min_effort = -34.5;
  p.max_effort = 34.5;
  p.curve_unit = 34.5;
  ASSERT_TRUE(Thruster(p).params().electrical);
  EXPECT_EQ(Thruster(p).params().electrical->full_effort, 34.5) << "in the channel's unit";
  p.electrical = round_numbers();
  EXPECT_EQ(Thruster(p).params().electrical->full_rpm, 3000);
  p.electrical->full_rpm = 0;
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, "electrical.full_rpm");
}

}  // namespace
}  // namespace pintle::propulsion
