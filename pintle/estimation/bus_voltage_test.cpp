#include "pintle/estimation/bus_voltage.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::estimation {
namespace {

/// Readings of all thrusters at 10 Hz from `from_s` for `for_s`.
void run(BusVoltage& bus, double volt, double from_s, double for_s, std::size_t thrusters = 4) {
  for (int k = 0; k * 0.1 < for_s; ++k)
    for (std::size_t i = 0; i < thrusters; ++i) bus.add(i, volt, from_s + k * 0.1);
}

TEST(BusVoltage, IsUnknownBeforeTheFirstReading) {
  BusVoltage bus({}, 4);
  EXPECT_FALSE(bus.estimate(0).known);
  bus.add(0, 47, 0);
  EXPECT_TRUE(bus.estimate(0).known);
  EXPECT_EQ(bus.estimate(0).bus_V, 47);
}

TEST(BusVoltage, LimitsAreStrictAndClearWithHysteresis) {
  // the original never cleared
  const auto settled = [](BusVoltage& bus, double volt, double t) {
    run(bus, volt, t, 40);
    return bus.estimate(t + 40).severity;
  };
  BusVoltage bus({}, 4);
  double t = 0;
  const auto at = [&](double volt) { return settled(bus, volt, t += 100); };
  EXPECT_EQ(at(48), 0);
  EXPECT_EQ(at(44.5), 0);
  EXPECT_EQ(at(44.49), 3);
  EXPECT_EQ(at(44.7), 3) << "not 0.3 V above 44.5";
  EXPECT_EQ(at(43.99), 5);
  EXPECT_EQ(at(44.2), 5);
  EXPECT_EQ(at(44.4), 3);
  EXPECT_EQ(at(44.9), 0);
  EXPECT_EQ(at(44.6), 0);
}

TEST(BusVoltage, AReadingOfZeroDoesNotEmptyTheBattery) {
  // the original averaged 48, 50, 0, 47.5 and killed the vehicle
  BusVoltage bus({}, 1);
  double t = 0;
  for (int k = 0; k < 20; ++k)
    for (const double volt : {48.0, 50.0, 0.0, 47.5}) bus.add(0, volt, t += 0.5);
  const auto e = bus.estimate(t);
  EXPECT_EQ(e.severity, 0);
  EXPECT_GT(e.bus_V, 47);
  EXPECT_EQ(bus.implausible(), 20u);
  bus.add(0, std::numeric_limits<double>::quiet_NaN(), t);
  EXPECT_EQ(bus.implausible(), 21u);
}

TEST(BusVoltage, OneGarbledReadingRaisesNothing) {
  BusVoltage bus({}, 1);
  bus.add(0, 20, 0);
  EXPECT_EQ(bus.estimate(0).severity, 0) << "the first reading alone";
  for (int k = 1; k < 20; ++k) bus.add(0, 48, k * 0.5);
  bus.add(0, 12, 10);
  EXPECT_EQ(bus.estimate(10).severity, 0);
}

TEST(BusVoltage, OneBadConnectorIsToldByItselfAndKillsNothing) {
  BusVoltage bus({}, 4);
  for (int k = 0; k < 100; ++k)
    for (std::size_t i = 0; i < 4; ++i) bus.add(i, i == 2 ? 40 : 48, k * 0.1);
  const auto e = bus.estimate(10);
  EXPECT_EQ(e.severity, 2);
  EXPECT_EQ(e.lowest, 2u);
  EXPECT_EQ(e.lowest_V, 40);
  EXPECT_EQ(e.bus_V, 48);
}

TEST(BusVoltage, ForgetsAllThatIsOlderThanTheWindow) {
  // the original's pruning skipped every other one: two of four stayed after a gap of 70 s
  BusVoltage bus({}, 1);
  for (const double t : {0.0, 1.0, 2.0, 3.0}) bus.add(0, 40, t);
  for (const double t : {73.0, 74.0, 75.0}) bus.add(0, 48, t);
  EXPECT_EQ(bus.estimate(75).bus_V, 48);
  EXPECT_FALSE(bus.estimate(200).known);
}

TEST(BusVoltage, SaysNothingWhileThePowerIsCut) {
  BusVoltage bus({}, 4);
  run(bus, 48, 0, 10);
  EXPECT_EQ(bus.estimate(10).severity, 0);
  bus.ignore(true);
  run(bus, 20, 10, 60);
  EXPECT_FALSE(bus.estimate(70).known);
  EXPECT_EQ(bus.estimate(70).severity, 0);
  bus.ignore(false);
  run(bus, 48, 70, 10);
  EXPECT_EQ(bus.estimate(80).severity, 0);
}

TEST(BusVoltage, WhatCameJustBeforeASwitchDoesNotCount) {
  BusVoltage bus({}, 4);
  // the bus runs down while the power is being cut, and is back before anybody has asked
  run(bus, 20, 0, 2);
  bus.ignore(true);
  bus.ignore(false);
  EXPECT_FALSE(bus.estimate(2).known);
  run(bus, 48, 2, 0.5);
  EXPECT_EQ(bus.estimate(2.5).bus_V, 48);
  EXPECT_EQ(bus.estimate(2.5).severity, 0);
}

TEST(BusVoltage, ReadingsOfOnePieceOfTheWindowAreOneMean) {
  BusVoltage bus({}, 1);
  bus.add(0, 46, 0);
  bus.add(0, 47, 0.4);
  bus.add(0, 49.5, 0.8);
  EXPECT_EQ(bus.estimate(0.8).bus_V, 47.5);
  // the next second begins anew: the median of two
  bus.add(0, 44, 1.2);
  EXPECT_EQ(bus.estimate(1.2).bus_V, 45.75);
}

TEST(BusVoltage, AClockThatIsSetBackBeginsAnew) {
  BusVoltage bus({}, 1);
  run(bus, 40, 1000, 10, 1);
  run(bus, 48, 0, 10, 1);
  EXPECT_EQ(bus.estimate(10).bus_V, 48);
}

}  // namespace
}  // namespace pintle::estimation
