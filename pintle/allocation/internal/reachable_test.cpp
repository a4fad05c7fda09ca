#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"
#include "pintle/base/random.h"

namespace pintle::allocation {
namespace {

constexpr AxisMask kNoPitch = kAllAxes & ~axis_bit(4);

Vec6 push(Vec3 p, Vec3 f) { return to_vec6(Wrench{f, cross(p, f)}); }

Effectiveness vehicle(std::initializer_list<Vec6> columns) {
  Effectiveness e;
  for (const Vec6& c : columns) {
    e.column[e.n] = c;
    e.lower[e.n] = -1;
    e.upper[e.n] = 1;
    ++e.n;
  }
  return e;
}

constexpr double kH = 0.70710678118654752;

// four level thrusters in a vectored square, verticals at the given places
Effectiveness six(Vec3 left, Vec3 right) {
  return vehicle({push({0.3, 0.2, 0}, {kH, -kH, 0}), push({0.3, -0.2, 0}, {kH, kH, 0}),
                  push({-0.3, 0.2, 0}, {kH, kH, 0}), push({-0.3, -0.2, 0}, {kH, -kH, 0}),
                  push(left, {0, 0, 1}), push(right, {0, 0, 1})});
}

Effectiveness eight() {
  Effectiveness e = six({0.3, 0.2, 0}, {0.3, -0.2, 0});
  e.column[6] = push({-0.3, 0.2, 0}, {0, 0, 1});
  e.column[7] = push({-0.3, -0.2, 0}, {0, 0, 1});
  e.n = 8;
  for (std::size_t i = 6; i < 8; ++i) {
    e.lower[i] = -1;
    e.upper[i] = 1;
  }
  return e;
}

TEST(ReachableAxes, EightThrustersReachAllSix) {
  EXPECT_EQ(reachable_axes(eight(), nullptr), kAllAxes);
}

TEST(ReachableAxes, TwoVerticalsOnThePitchAxisLeavePitchOut) {
  EXPECT_EQ(reachable_axes(six({0, 0.2, 0}, {0, -0.2, 0}), nullptr), kNoPitch);
}

TEST(ReachableAxes, AnAxisThatExistsOnlyThroughGeometryErrorIsLost) {
  RandomStream random(1, "geometry error");
  for (int trial = 0; trial < 200; ++trial) {
    Effectiveness e = six({0, 0.2, 0}, {0, -0.2, 0});
    const Vec3 places[6] = {{0.3, 0.2, 0},   {0.3, -0.2, 0}, {-0.3, 0.2, 0},
                            {-0.3, -0.2, 0}, {0, 0.2, 0},    {0, -0.2, 0}};
    for (std::size_t i = 0; i < 6; ++i) {
      Vec3 f{e.column[i][0], e.column[i][1], e.column[i][2]};
      Vec3 p = places[i];
      // 1.3 degrees off in a random direction, 5 mm beside
      Vec3 tilt{random.normal(), random.normal(), random.normal()};
      tilt = cross(tilt, f);
      f = f + (std::tan(1.3 * M_PI / 180) / norm(tilt)) * tilt;
      f = f / norm(f);
      for (std::size_t k = 0; k < 3; ++k) p[k] += random.uniform(-0.005, 0.005);
      e.column[i] = push(p, f);
    }
    EXPECT_EQ(reachable_axes(e, nullptr), kNoPitch);
  }
}

TEST(ReachableAxes, AnyOneOfEightMayFailAndTwoOfOneBlockMayNot) {
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t b = a; b < 8; ++b) {
      PropulsorHealth health[8];
      health[a].health = Health::kOut;
      health[b].health = Health::kStuck;
      const AxisMask mask = reachable_axes(eight(), health);
      const bool one_block = a != b && (a < 4) == (b < 4);
      if (one_block)
        EXPECT_NE(mask, kAllAxes) << a << " " << b;
      else
        EXPECT_EQ(mask, kAllAxes) << a << " " << b;
    }
}

TEST(ReachableAxes, AChannelWithoutWidthReachesNothing) {
  Effectiveness e = eight();
  for (std::size_t i = 0; i < 4; ++i) e.lower[i] = e.upper[i];
  EXPECT_EQ(reachable_axes(e, nullptr), axis_bit(2) | axis_bit(3) | axis_bit(4));
}

TEST(ReachableAxes, APropulsorThatDeliversNextToNothingIsNoAxis) {
  PropulsorHealth health[8];
  for (std::size_t i = 4; i < 8; ++i) health[i] = {Health::kWeak, 1e-4, 0};
  EXPECT_EQ(reachable_axes(eight(), health), axis_bit(0) | axis_bit(1) | axis_bit(5));
  EXPECT_EQ(reachable_axes(eight(), health, 1e-6), kAllAxes);
}

TEST(ReachableAxes, UnitsOfEffortDoNotMatter) {
  Effectiveness e = eight();
  for (std::size_t i = 0; i < 8; ++i) {
    e.column[i] = 1e-9 * e.column[i];
    e.lower[i] *= 1e6;
    e.upper[i] *= 1e6;
  }
  EXPECT_EQ(reachable_axes(e, nullptr), kAllAxes);
}

TEST(ReachableAxes, BadDataReachesNothing) {
  Effectiveness e = eight();
  e.upper[0] = -2;
  EXPECT_EQ(reachable_axes(e, nullptr), 0);
  EXPECT_EQ(reachable_axes(Effectiveness{}, nullptr), 0);
}

/// Two upright propulsors that lean inwards: rolling pushes it aside.
Effectiveness leaning() {
  Effectiveness e;
  e.n = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1 : -1;
    const Vec3 f{0, -0.3 * side, 1};
    e.column[i] = to_vec6(shift_to_origin({f, {}}, {0, 0.5 * side, 0}));
    e.upper[i] = 10;
  }
  return e;
}

TEST(ReachableAxes, AnAxisThatTheLawNeverAsksForDoesNotStandInTheWayOfOthers) {
  Effectiveness e = leaning();
  // with y held at zero the two can only push alike
  EXPECT_EQ(reachable_axes(e, nullptr), axis_bit(2));
  e.controlled = static_cast<AxisMask>(axis_bit(2) | axis_bit(3));
  EXPECT_EQ(reachable_axes(e, nullptr), axis_bit(2) | axis_bit(3));
  // what is not controlled is never said to be there
  e.controlled = axis_bit(3);
  EXPECT_EQ(reachable_axes(e, nullptr), axis_bit(3));
}

// pitch is never without as much y, nor yaw without z: two directions are not there, and rounding
// makes them less than nothing
TEST(ReachableAxes, AWeakAxisIsThereBesideDirectionsThatAreNot) {
  RandomStream random(2, "weak beside singular");
  for (int trial = 0; trial < 500; ++trial) {
    Effectiveness e;
    e.n = 8;
    for (std::size_t i = 0; i < e.n; ++i) {
      e.lower[i] = -1;
      e.upper[i] = 1;
      for (std::size_t k = 1; k < kAxes; ++k)
        e.column[i][k] = static_cast<double>(random.bits() % 5) - 2;
      e.column[i][0] = 0.01 * random.uniform(-1, 1);
      e.column[i][4] = e.column[i][1];
      e.column[i][5] = e.column[i][2];
    }
    e.column[0] = {{0.01, 0, 0, 0, 0, 0}};
    const AxisMask mask = reachable_axes(e, nullptr);
    EXPECT_NE(mask & axis_bit(0), 0) << trial;
    EXPECT_EQ(mask & (axis_bit(1) | axis_bit(2) | axis_bit(4) | axis_bit(5)), 0) << trial;
  }
}

TEST(ReachableAxes, ReactionTorqueCountsWhereItIsMeant) {
  // a quadrotor's yaw: 18 mm of the thrust on levers of 0.65 m
  Effectiveness e;
  e.n = 4;
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = i < 2 ? 0.46 : -0.46, y = i % 2 == 0 ? 0.46 : -0.46;
    e.column[i] = {{0, 0, 1, y, -x, (x * y > 0 ? 0.018 : -0.018)}};
    e.upper[i] = 10;
  }
  EXPECT_EQ(reachable_axes(e, nullptr) & axis_bit(5), 0);
  e.geometry_share = 0.01;
  EXPECT_NE(reachable_axes(e, nullptr) & axis_bit(5), 0);
}

// a rocket: its engine one degree off, forces across are not asked for. What is left of the force
// of a gimbal is no more than that degree, beside the torque of two metres: a lever of a hundred.
// Fins that are turned brake
TEST(ReachableAxes, ALeverIsOneOfTheWholeForce) {
  for (const double off : {0.0, 0.01745}) {
    const Vec3 engine{0, 0, -2};
    Effectiveness e =
        vehicle({push(engine, {off, 0, 1}), push(engine, {1, 0, -off}), push(engine, {0, 1, 0}),
                 push({0.35, 0, 2}, {0, 1, 0.3}), push({-0.35, 0, 2}, {0, 1, 0.3}),
                 push({0, 0.35, 2}, {1, 0, 0.3}), push({0, -0.35, 2}, {1, 0, 0.3})});
    e.controlled = static_cast<AxisMask>(kAllAxes & ~(axis_bit(0) | axis_bit(1)));
    EXPECT_EQ(reachable_axes(e, nullptr), e.controlled) << off;
  }
}

// a thruster across, a degree off, gives the force that is asked for no more than its degree does
TEST(ReachableAxes, WhatIsNotAskedForOfAColumnIsPartOfItsLength) {
  Effectiveness e = vehicle({push({0, 0.3, 0}, {1, 0, 0}), push({0, -0.3, 0}, {1, 0, 0}),
                             push({0.4, 0, 0}, {0, 1, 0.017}), push({-0.4, 0, 0}, {0, 1, 0.017})});
  e.controlled = static_cast<AxisMask>(axis_bit(0) | axis_bit(2) | axis_bit(5));
  EXPECT_EQ(reachable_axes(e, nullptr), axis_bit(0) | axis_bit(5));
}

// a group that comes later may weigh next to nothing: its axes are there all the same
TEST(ReachableAxes, WeightsOfGroupsTakeNoAxis) {
  const Effectiveness e = eight();
  WrenchDemand demand;
  demand.F_Bo_B = {{0.1, 0, 0}, {0, 0, 0.1}};
  demand.group = {0, 0, 0, 1, 1, 1};
  for (const double weight : {1.0, 1e-5, 1e-8, 1e-14, 1e-20}) {
    for (std::size_t k = 3; k < kAxes; ++k) demand.weight[k] = weight;
    Allocation out;
    allocate({}, e, demand, nullptr, out);
    EXPECT_EQ(out.grade, AllocationGrade::kExact) << weight;
    EXPECT_EQ(out.reachable, kAllAxes) << weight;
  }
}

TEST(ReachableAxes, AreTheSameWhateverIsDemanded) {
  Prepared kept;
  Allocation out;
  for (const Effectiveness& e : {eight(), six({0, 0.2, 0}, {0, -0.2, 0})})
    for (const AxisMask asked : {kAllAxes, static_cast<AxisMask>(kAllAxes & ~axis_bit(3))})
      for (std::size_t k = 0; k < kAxes; ++k) {
        Effectiveness craft = e;
        craft.controlled = asked;
        WrenchDemand demand;
        demand.F_Bo_B.force = {0.1, 0, 0};
        demand.weight[k] = 0;
        allocate(kept, {}, craft, demand, nullptr, out);
        EXPECT_EQ(out.reachable, reachable_axes(craft, nullptr)) << int{asked} << " without " << k;
      }
}

}  // namespace
}  // namespace pintle::allocation
