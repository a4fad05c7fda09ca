// Measured thrusts: what the tick takes for where its turbines are.
#include <gtest/gtest.h>

#include "pintle/stack/testing_craft.h"

namespace pintle::stack {
namespace {

struct Box : AnyCraft {
  Box() : AnyCraft(std::string(PINTLE_SOURCE_DIR) + "/vehicles/flying_box.yaml") {}
  [[nodiscard]] double believed(std::size_t i) const {
    return std::get<propulsion::JetState>(state->propulsors[i]).thrust_N;
  }
  Inputs measured(std::initializer_list<double> thrust_N) const {
    Inputs in = good();
    in.has_thrust = true;
    in.thrust.stamp = clock;
    for (const double t : thrust_N) in.thrust.thrust_N.push_back(t);
    return in;
  }
};

TEST(TickThrust, WhatIsFarOffIsTakenAtOnce) {
  Box box;
  box.fly(100);
  box.tick(box.measured({60, 1, 200, 10}));
  EXPECT_EQ(box.believed(0), 60);
  EXPECT_EQ(box.believed(1), 1);
  EXPECT_EQ(box.believed(2), 200);
  EXPECT_EQ(box.believed(3), 10);
}

TEST(TickThrust, WhatIsUnderWayIsNoError) {
  Box box;
  box.fly(100);
  // a fastest rate of 100 N/s for a tenth of a second, and two hundredths of 220 N
  box.tick({});
  box.clock = box.clock - box.model.period;  // that one again, without time to predict over
  const double now_N = box.believed(2);
  const std::array others{box.believed(0), box.believed(1), box.believed(3)};
  Inputs in = box.measured({others[0], others[1], now_N + 10, others[2]});
  in.now = in.thrust.stamp = box.clock + box.model.period;
  box.clock = in.now;
  box.tick(in);
  EXPECT_GT(box.believed(2), 0);
  EXPECT_LT(std::abs(box.believed(2) - now_N), 5) << "it leads the measurement";
}

TEST(TickThrust, WhatItFollowsForLongItLearns) {
  Box box;
  box.fly(10);
  for (int i = 0; i < 1000; ++i) {
    const double behind = box.believed(2) - 3;
    const std::array now{box.believed(0), box.believed(1), box.believed(3)};
    box.tick(box.measured({now[0], now[1], std::max(behind, 0.0), now[2]}));
  }
  // pulled down by 3 N at e-folding of half a second against full throttle: never more than that
  EXPECT_LE(box.believed(2), 220);
  EXPECT_TRUE(box.sound());
}

TEST(TickThrust, WhereMeasurementsStopADisarmedTurbineIsRunDownForGood) {
  Box box;
  box.fly(100);
  box.tick(box.measured({40, 40, 110, 110}));
  for (int i = 0; i < 100; ++i) box.tick({});
  EXPECT_EQ(box.out->arm, ArmState::kArmed);
  box.tick({CommandCode::kDisarmForce});
  for (int i = 0; i < 500; ++i) box.tick({});
  for (const double u : box.out->actuation.command) EXPECT_EQ(u, -100);
  // what is measured again is believed
  box.tick(box.measured({0, 0, 0, 0}));
  for (const double u : box.out->actuation.command) EXPECT_NEAR(u, 0, 1e-9);
}

TEST(TickThrust, WhatIsNoneIsRefusedOnceAndChangesNothing) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto spoil) {
    Box a, b;
    a.fly(100);
    b.fly(100);
    a.said.clear();
    for (int i = 0; i < 5; ++i) {
      Inputs in = a.measured({60, 60, 200, 200});
      spoil(in);
      a.tick(in);
      b.tick({});
    }
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(a.believed(i), b.believed(i)) << i;
    return std::count_if(a.said.begin(), a.said.end(), [](const Event& e) {
      return e.code == EventCode::kInputRejected &&
             e.subject == static_cast<std::int32_t>(InputCode::kThrust);
    });
  };
  EXPECT_EQ(refused([](Inputs& in) { in.thrust.thrust_N[1] = kNan; }), 1);
  EXPECT_EQ(refused([](Inputs& in) { in.thrust.thrust_N[1] = -20; }), 1);
  EXPECT_EQ(refused([](Inputs& in) { in.thrust.thrust_N[2] = 300; }), 1);
  EXPECT_EQ(refused([](Inputs& in) { in.thrust.thrust_N.push_back(1); }), 1);
  EXPECT_EQ(refused([](Inputs& in) { in.thrust.stamp = in.now - Duration::from_seconds(1); }), 1);
  EXPECT_EQ(refused([](Inputs& in) { in.thrust.stamp = in.now + Duration::from_seconds(1); }), 1);
  EXPECT_EQ(refused([](Inputs& in) { in.has_thrust = false; }), 0);
}

}  // namespace
}  // namespace pintle::stack
