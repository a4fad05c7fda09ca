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

}  // namespace
}  // namespace pintle::propulsion
