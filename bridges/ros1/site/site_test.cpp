#include "pintle/ros1_site/site.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "pintle/base/crc32.h"
#include "pintle/simulation/run.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::ros1_site {
namespace {

using craft::MissionFile;
using stack::Inputs;
using stack::Outputs;

constexpr std::int64_t kEpoch_ns = 1'000'000'000'000;

MissionFile shipped(const std::string& name) {
  return craft::load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions" /
                             (name + ".yaml"));
}

/// A master that loses nothing: what was told is heard.
class InMemory final : public Bus {
 public:
  [[nodiscard]] bool ok() const override { return true; }
  [[nodiscard]] std::int64_t now_ns() const override { return kEpoch_ns; }
  bool hear_until(std::int64_t, BusSample&) override { return false; }
  void tell(const BusCommand& c) override { command_ = c; }
  void tell(const BusSample& s) override { sample_ = s; }
  bool hear(std::int64_t now_ns, BusSample& heard) override {
    heard = sample_;
    return heard.now_ns == now_ns;
  }
  bool hear(std::int64_t now_ns, BusCommand& heard) override {
    heard = command_;
    return heard.now_ns == now_ns;
  }

 private:
  BusCommand command_;
  BusSample sample_;
};

/// A fingerprint of all that each tick was given, and what became of the flight.
struct Heard {
  std::vector<std::uint32_t> inputs;
  std::vector<std::pair<std::string, double>> figures;
  bool reported = false, kept_house = false;
};

Heard fly(const MissionFile& mission, bool over_bus) {
  Heard h;
  InMemory bus;
  simulation::RunOptions options;
  if (over_bus)
    options.over = [&bus](simulation::SimulatedSite& world) {
      return std::make_unique<SimulatedOverBus>(world, bus, kEpoch_ns);
    };
  std::vector<std::byte> bytes;
  options.watch = [&](const stack::Model&, const Inputs& in, const Outputs&) {
    bytes.clear();
    telemetry::encode_cdr(in, bytes);
    h.inputs.push_back(crc32(bytes));
    h.reported = h.reported || !in.reports.empty();
    h.kept_house = h.kept_house || in.has_housekeeping;
  };
  h.figures = simulation::run(mission, options).figures;
  return h;
}

void expect_nothing_lost(const MissionFile& mission) {
  const Heard plain = fly(mission, false), over = fly(mission, true);
  ASSERT_EQ(over.inputs.size(), plain.inputs.size()) << mission.name;
  const auto differs =
      std::mismatch(plain.inputs.begin(), plain.inputs.end(), over.inputs.begin()).first;
  EXPECT_EQ(differs - plain.inputs.begin(), plain.inputs.end() - plain.inputs.begin())
      << mission.name << ": the first tick that was given something else";
  EXPECT_EQ(over.figures, plain.figures) << mission.name;
}

TEST(SimulatedOverBus, WhatTheCraftSaysArrivesWhole) {
  for (const char* name : {"harbour", "hover_box", "hover_ironcub", "rocket_landing"})
    expect_nothing_lost(shipped(name));
}

TEST(SimulatedOverBus, ThrustersThatReportAreHeardOverIt) {
  const MissionFile mission = shipped("pool_m5");
  EXPECT_TRUE(fly(mission, true).reported);
  expect_nothing_lost(mission);
}

TEST(SimulatedOverBus, WaterInTheHullIsHeardOverIt) {
  MissionFile mission = shipped("pool");
  mission.world.device_faults.push_back(
      {world::Device::kHull, world::DeviceFaultKind::kLeaks, 20, 1e9, 0});
  mission.vehicle.failsafes.pressure = {105, 5, stack::FailsafeAction::kWarn};
  mission.vehicle.failsafes.battery_low = {0.1, 5, stack::FailsafeAction::kWarn};
  EXPECT_TRUE(fly(mission, true).kept_house);
  expect_nothing_lost(mission);
}

/// A craft elsewhere that goes on doing what it was told last.
class Elsewhere final : public Bus {
 public:
  explicit Elsewhere(const MissionFile& mission)
      : model_(craft::build_model(mission.vehicle, nullptr)), site_(mission, mission.seed, {}) {
    done_.actuation.command.resize(model_.effectiveness.n);
  }
  [[nodiscard]] bool ok() const override { return true; }
  [[nodiscard]] std::int64_t now_ns() const override { return kEpoch_ns + site_.now().ns; }
  bool hear_until(std::int64_t due_ns, BusSample& heard) override {
    if (begun_) site_.act(model_, done_);
    begun_ = true;
    Inputs in;
    if (!site_.sense(Time{due_ns - kEpoch_ns}, in)) return false;
    heard = {};
    if (in.has_odometry) {
      const auto& [p, q] = in.odometry.X_WB;
      heard.state = BusState{kEpoch_ns + in.odometry.stamp.ns,
                             {p.x, p.y, p.z},
                             {q.x, q.y, q.z, q.w},
                             to_vec6(in.odometry.V_WB_B).v};
    }
    if (in.has_imu) {
      const auto& [stamp, w, f] = in.imu;
      heard.imu = BusImu{kEpoch_ns + stamp.ns, {w.x, w.y, w.z}, {f.x, f.y, f.z}};
    }
    return true;
  }
  void tell(const BusCommand& c) override {
    last = c;
    done_.actuation.command.clear();
    for (const double x : c.command) done_.actuation.command.push_back(x);
  }
  void tell(const BusSample&) override {}
  bool hear(std::int64_t, BusSample&) override { return false; }
  bool hear(std::int64_t, BusCommand&) override { return false; }

  [[nodiscard]] world::Truth truth() const { return site_.world().truth(); }

  BusCommand last;

 private:
  stack::Model model_;
  simulation::SimulatedSite site_;
  Outputs done_;
  bool begun_ = false;
};

/// The last word stands, whoever hears it.
void expect_let_go(const BusCommand& last) {
  EXPECT_FALSE(last.armed);
  EXPECT_FALSE(last.live);
  for (const double u : last.effort) EXPECT_EQ(u, 0);
}

TEST(StackSite, AMissionThatHasPassedLeavesTheCraftDisarmed) {
  const MissionFile mission = shipped("pool");
  Elsewhere bus(mission);
  StackSite site(bus);
  EXPECT_EQ(flight::fly(mission, site, {}).verdict, flight::Verdict::kPass);
  expect_let_go(bus.last);
}

TEST(StackSite, WhatFliesIsPutDownBeforeTheStackEnds) {
  MissionFile mission = shipped("hover_box");
  mission::StateSpec& hover = mission.mission.states[1];
  hover.success.position_m = 0.001;
  hover.success.settle_s = 4;
  hover.timeout_s = 5;
  hover.retries = 0;
  hover.on_failure = "fail";
  Elsewhere bus(mission);
  StackSite site(bus);
  flight::FlyOptions options;
  double fastest_down_m_s = 0, highest_m = 0;
  options.watch = [&](const stack::Model&, const Inputs&, const Outputs&) {
    const world::Truth t = bus.truth();
    highest_m = std::max(highest_m, t.X_WB.p.z);
    fastest_down_m_s = std::min(fastest_down_m_s, rotate(t.X_WB.q, t.V_WB_B.v).z);
  };
  const flight::FlightResult result = flight::fly(mission, site, options);
  EXPECT_EQ(result.verdict, flight::Verdict::kFail);
  EXPECT_GT(highest_m, 1.8);
  expect_let_go(bus.last);
  EXPECT_LT(bus.truth().X_WB.p.z, 0.25) << "it stands";
  EXPECT_GT(fastest_down_m_s, -1.5);
}

}  // namespace
}  // namespace pintle::ros1_site
