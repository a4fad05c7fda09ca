#include "pintle/world_params/params.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pintle/config/reader.h"

namespace pintle::world {
namespace {

std::vector<std::string> errors(const WorldParams& p) {
  std::vector<std::string> paths;
  for (const Finding& f : check(p))
    if (f.is_error) paths.push_back(f.path);
  return paths;
}

std::vector<std::string> warnings(const WorldParams& p) {
  std::vector<std::string> paths;
  for (const Finding& f : check(p))
    if (!f.is_error) paths.push_back(f.path);
  return paths;
}

FaultSpec fault(FaultKind kind, double value) { return {"A", kind, 0, 1e9, value, false}; }

TEST(WorldParams, DefaultsHaveNothingToComplainAbout) { EXPECT_TRUE(check(WorldParams{}).empty()); }

TEST(WorldParams, EveryNumberOutsideItsRangeIsNamed) {
  struct Case {
    const char* path;
    std::function<void(WorldParams&)> spoil;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases{
      {"format", [](WorldParams& p) { p.format = "pintle/world/9"; }},
      {"step_s", [](WorldParams& p) { p.step_s = 0; }},
      {"step_s", [](WorldParams& p) { p.step_s = 0.011; }},
      {"step_s", [&](WorldParams& p) { p.step_s = nan; }},
      {"bus_V", [](WorldParams& p) { p.bus_V = -16; }},
      {"start_position_m.y", [&](WorldParams& p) { p.start_position_m.y = nan; }},
      {"water.density_kg_m3", [](WorldParams& p) { p.water.density_kg_m3 = -1; }},
      {"water.gravity_m_s2", [](WorldParams& p) { p.water.gravity_m_s2 = -9.81; }},
      {"gravity_m_s2", [](WorldParams& p) { p.gravity_m_s2 = 101; }},
      {"gravity_m_s2", [](WorldParams& p) { p.gravity_m_s2 = 9.8, p.water.gravity_m_s2 = 9.81; }},
      {"air.shear", [](WorldParams& p) { p.air.emplace().shear = 2; }},
      {"air.wind_m_s.x", [&](WorldParams& p) { p.air.emplace().wind_m_s.x = nan; }},
      {"air.gusts.airspeed_m_s", [](WorldParams& p) { p.air.emplace().gusts.airspeed_m_s = 0; }},
      {"air.gusts.wind_at_6m_m_s",
       [](WorldParams& p) { p.air.emplace().gusts.wind_at_6m_m_s = -5; }},
      {"ground.friction",
       [](WorldParams& p) {
         p.ground = GroundParams{0, -1};
       }},
      {"step_s", [](WorldParams& p) { p.ground = GroundParams{}, p.step_s = 0.008; }},
      {"pads",
       [](WorldParams& p) {
         p.pads = {{"home", {}, 1}};
       }},
      {"pads[0].radius_m",
       [](WorldParams& p) {
         p.ground = GroundParams{}, p.pads = {{"home", {}, 0}};
       }},
      {"pads[0].position_m",
       [](WorldParams& p) {
         p.ground = GroundParams{2, 0.5}, p.pads = {{"home", {}, 1}};
       }},
      {"pads[1].name",
       [](WorldParams& p) {
         p.ground = GroundParams{}, p.pads = {{"home", {}, 1}, {"home", {}, 1}};
       }},
      {"water.current.wave_period_s", [](WorldParams& p) { p.water.current.wave_period_s = 0; }},
      {"water.current.wander_m_s", [](WorldParams& p) { p.water.current.wander_m_s = -0.1; }},
      {"odometry.drop_out", [](WorldParams& p) { p.odometry.drop_out = 1.01; }},
      {"odometry.position_noise_m", [](WorldParams& p) { p.odometry.position_noise_m = -1e-9; }},
      {"odometry.rate_Hz", [](WorldParams& p) { p.odometry.rate_Hz = 2000; }},
      {"truth.thrust", [](WorldParams& p) { p.truth.thrust = 5; }},
      {"faults[0].propulsor",
       [](WorldParams& p) {
         p.faults = {fault(FaultKind::kDead, 0)};
         p.faults[0].propulsor = "";
       }},
      {"faults[1].until_s",
       [](WorldParams& p) {
         p.faults = {fault(FaultKind::kDead, 0), fault(FaultKind::kDead, 0)};
         p.faults[1].at_s = 5, p.faults[1].until_s = 5;
       }},
      {"faults[0].value", [](WorldParams& p) { p.faults = {fault(FaultKind::kWeak, 40)}; }},
      {"faults[0].value", [](WorldParams& p) { p.faults = {fault(FaultKind::kSlow, 0)}; }},
      {"faults[0].value", [](WorldParams& p) { p.faults = {fault(FaultKind::kDelayed, 11)}; }},
      {"faults[0].value", [&](WorldParams& p) { p.faults = {fault(FaultKind::kStuck, nan)}; }},
  };
  for (const Case& c : cases) {
    WorldParams p;
    c.spoil(p);
    EXPECT_EQ(errors(p), std::vector<std::string>{c.path});
  }
}

TEST(WorldParams, AFindingSaysWhatWasExpectedAndFound) {
  WorldParams p;
  p.step_s = 0.011;
  p.faults = {fault(FaultKind::kWeak, 40)};
  const Findings found = check(p);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].message, "expected 1e-05 to 0.01 s, got 0.011");
  EXPECT_EQ(found[1].message, "expected the part of the thrust that is left, 0 to 1, got 40");
  EXPECT_EQ(found[1].fix, "write 0.4 for 40 %");
}

TEST(WorldParams, WhatCanHaveNoEffectIsAWarning) {
  WorldParams p;
  p.odometry.drop_out_mean_s = 1;
  p.faults = {fault(FaultKind::kSlow, 3)};
  p.faults[0].announced = true;
  p.water.density_kg_m3 = 1.2;
  p.water.current.steady_m_s = {80, 50, 0};
  EXPECT_TRUE(errors(p).empty());
  EXPECT_EQ(warnings(p), (std::vector<std::string>{"water.current", "odometry.drop_out_mean_s",
                                                   "faults[0].announced", "water.density_kg_m3"}));
}

TEST(WorldParams, EveryFieldSaysWhatItMeans) {
  const std::function<void(const Table&)> walk = [&](const Table& table) {
    EXPECT_FALSE(table.meaning.empty()) << table.name;
    for (const Field& f : table.fields) {
      EXPECT_FALSE(f.meaning.empty()) << table.name << "." << f.name;
      if (f.table) walk(*f.table);
    }
  };
  walk(table_of<WorldParams>());
  EXPECT_EQ(to_string(FaultKind::kReversed), "reversed");
}

TEST(WorldParams, StartsAndPlantsAreReadFromAFile) {
  const auto document = config::Document::parse(R"(
format: pintle/world/1
water: {density_kg_m3: 0}
ground: {height_m: 0}
plant: mujoco
ground_effect: true
start_velocity_m_s: [0, 0, -30]
start_spread: {position_m: [20, 20, 25], velocity_m_s: [0, 0, 30]}
)",
                                                "drop.yaml");
  config::Reader reader(document);
  WorldParams p;
  EXPECT_FALSE(p.start_spread);
  reader.read(document.root(), p);
  reader.add(check(p), document.root());
  EXPECT_TRUE(reader.finish().empty());
  EXPECT_EQ(p.plant, PlantKind::kMujoco);
  EXPECT_TRUE(p.ground_effect);
  EXPECT_EQ(p.start_velocity_m_s.z, -30);
  ASSERT_TRUE(p.start_spread);
  EXPECT_EQ(p.start_spread->position_m, (Vec3{20, 20, 25}));
  EXPECT_EQ(p.start_spread->rpy_deg, Vec3{});
}

TEST(WorldParams, ShippedWorldsReadWithoutAWord) {
  for (const char* name : {"pool", "still_water"}) {
    const auto document =
        config::Document::load(std::string(PINTLE_SOURCE_DIR) + "/worlds/" + name + ".yaml");
    config::Reader reader(document);
    WorldParams p;
    reader.read(document.root(), p);
    reader.add(check(p), document.root());
    EXPECT_TRUE(reader.finish().empty()) << name;
    EXPECT_EQ(p.water.density_kg_m3, 998) << name;
    EXPECT_EQ(p.truth.thrust > 0, std::string(name) == "pool");
    EXPECT_FALSE(p.air || p.ground);
  }

  const auto document =
      config::Document::load(std::string(PINTLE_SOURCE_DIR) + "/worlds/field.yaml");
  config::Reader reader(document);
  WorldParams p;
  reader.read(document.root(), p);
  reader.add(check(p), document.root());
  EXPECT_TRUE(reader.finish().empty());
  ASSERT_TRUE(p.air && p.ground);
  EXPECT_EQ(p.pads.at(0).name, "home");
  EXPECT_EQ(p.air->gusts.wind_at_6m_m_s, 4);
}

}  // namespace
}  // namespace pintle::world
