#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/random.h"
#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {
namespace {

TEST(Thruster, WhatIsSentIsTheCurveAndItsInverseToTheLastBit) {
  RandomStream random(1, "sent");
  for (const std::string_view name : library_names()) {
    ThrusterParams p;
    p.library = std::string(name);
    if (name != "t200") p.min_effort = -80, p.max_effort = 60;
    const Thruster t(p);
    for (int k = 0; k < 20000; ++k) {
      const double volts = k % 3 == 0 ? 16 : random.uniform(13, 19);
      double effort = random.uniform(1.1 * t.lower(), 1.1 * t.upper());
      if (k % 5 == 0) effort = std::round(effort * 100) / 100;
      const ThrusterCommand sent = t.sent_for(effort, volts);
      const double asks = t.effort_for(sent.command, volts);
      ASSERT_EQ(sent.effort, asks) << name << " " << effort << " at " << volts << " V";
    }
  }
}

// Unevenly spaced, no point at zero, a flat stretch, bounds inside the tables, three voltages.
TEST(Thruster, TablesOfItsOwnAreFollowedBetweenPointsAndVoltages) {
  ThrusterParams p;
  p.curve = CurveKind::kPulseWidth;
  p.min_effort = -1.5;
  p.max_effort = 2;
  p.points = {{12, {-2, -1, 0.5, 1, 2.5}, {1100, 1300, 1540, 1540, 1800}},
              {14, {-2, -1, 0.5, 1, 2.5}, {1200, 1360, 1520, 1540, 1720}},
              {20, {-2, -1, 0.5, 1, 2.5}, {1300, 1390, 1510, 1525, 1660}}};
  const Thruster t(p);
  EXPECT_DOUBLE_EQ(t.command_for(-1, 12), 1300);
  EXPECT_DOUBLE_EQ(t.command_for(-1, 13), 1330);
  EXPECT_DOUBLE_EQ(t.command_for(-0.25, 14), 1440);  // halfway from -1 to 0.5
  EXPECT_DOUBLE_EQ(t.command_for(1.75, 17), (1630 + 1592.5) / 2);
  EXPECT_DOUBLE_EQ(t.command_for(1, 25), 1525);  // beyond the tables: the outermost one
  EXPECT_DOUBLE_EQ(t.command_for(1, -3), 1540);
  EXPECT_DOUBLE_EQ(t.effort_for(1540, 12), 0.5);  // the flat stretch: the smallest
  EXPECT_DOUBLE_EQ(t.effort_for(1375, 17), -1);
  EXPECT_DOUBLE_EQ(t.effort_for(1300, 13), -7.0 / 6);
  RandomStream random(3, "own tables");
  for (int k = 0; k < 20000; ++k) {
    const double volts = random.uniform(11, 21), effort = random.uniform(-1.6, 2.1);
    const ThrusterCommand sent = t.sent_for(effort, volts);
    ASSERT_EQ(sent.effort, t.effort_for(sent.command, volts)) << effort << " at " << volts << " V";
    if (effort < -1.5 || effort > 2) continue;
    // no flat stretch but at the lowest voltage: what is asked for is what is sent
    if (volts > 12.5) {
      ASSERT_NEAR(sent.effort, effort, 1e-9) << volts << " V";
    }
  }
}

}  // namespace
}  // namespace pintle::propulsion
