#include "pintle/estimation/wind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/random.h"

namespace pintle::estimation {
namespace {

constexpr double kDrag = 25, kMass = 160, kStep_s = 0.01;

/// A craft whose level force is drag times (wind - speed), flown beside the filter.
struct Flight {
  WindParams params;
  WindState state;
  Vec3 v_W;
  RandomStream noise{7, "speed"};

  void step(Vec3 wind_W, double noise_m_s) {
    v_W += (kStep_s * kDrag / kMass) * (wind_W - v_W);
    WindModel m;
    m.mass_kg = kMass;
    m.force_N = kDrag * (wind_of(state) - v_W);
    m.per_east = {kDrag, 0, 0};
    m.per_north = {0, kDrag, 0};
    const Vec3 measured = v_W + Vec3{noise_m_s * noise.normal(), noise_m_s * noise.normal(), 0};
    update(params, state, m, measured, kStep_s);
  }
};

TEST(Wind, IsFoundFromHowItCarriesTheCraftWithinASecondOrTwo) {
  Flight flight;
  for (int i = 0; i < 200; ++i) flight.step({5, -3, 0}, 0.01);
  EXPECT_NEAR(wind_of(flight.state).x, 5, 1.5);
  EXPECT_NEAR(wind_of(flight.state).y, -3, 1.5);
}

TEST(Wind, InStillAirThereIsNone) {
  Flight flight;
  for (int i = 0; i < 300; ++i) flight.step({}, 0);
  EXPECT_LT(norm(wind_of(flight.state)), 1e-9);
}

TEST(Wind, AGustIsFollowed) {
  Flight flight;
  for (int i = 0; i < 300; ++i) flight.step({6, 0, 0}, 0);
  for (int i = 0; i < 300; ++i) flight.step({0, 6, 0}, 0);
  EXPECT_NEAR(wind_of(flight.state).x, 0, 1.0);
  EXPECT_NEAR(wind_of(flight.state).y, 6, 1.0);
}

TEST(Wind, StaysBelowItsLargest) {
  Flight flight;
  flight.params.largest_m_s = 4;
  for (int i = 0; i < 300; ++i) {
    flight.step({30, 40, 0}, 0);
    EXPECT_LE(norm(wind_of(flight.state)), 4 + 1e-9);
  }
}

TEST(Wind, WhatIsNotFiniteOrHasNoMassChangesNothing) {
  Flight flight;
  for (int i = 0; i < 50; ++i) flight.step({5, 0, 0}, 0);
  const WindState before = flight.state;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  WindModel good;
  good.mass_kg = kMass;
  WindModel bad = good;
  bad.force_N.x = nan;
  update(flight.params, flight.state, bad, {}, kStep_s);
  bad = good;
  bad.mass_kg = 0;
  update(flight.params, flight.state, bad, {}, kStep_s);
  update(flight.params, flight.state, good, {nan, 0, 0}, kStep_s);
  update(flight.params, flight.state, good, {}, nan);
  EXPECT_EQ(flight.state.x, before.x);
  EXPECT_EQ(flight.state.p, before.p);
}

}  // namespace
}  // namespace pintle::estimation
