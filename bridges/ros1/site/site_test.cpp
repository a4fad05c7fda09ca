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
  [[nodiscard]] std::int64_t now_ns() override { return kEpoch_ns; }
  bool hear_until(std::int64_t, BusSample&) override { return false; }
  void tell(const BusCommand& c) override {
    command_ = c;
    if (told) told(c);
  }
  void tell(const BusSample& s) override { sample_ = s; }
  bool hear(std::int64_t now_ns, BusSample& heard) override {
    heard = sample_;
    return heard.now_ns == now_ns;
  }
  bool hear(std::int64_t now_ns, BusCommand& heard) override {
    heard = command_;
    return heard.now_ns == now_ns;
  }
  std::function<void(const BusCommand&)> told;

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

TEST(SimulatedOverBus, WhatIsWrongIsToldInWordsAndWhenItIsOver) {
  MissionFile mission = shipped("pool");
  simulation::RunOptions options;
  std::vector<std::string> said;
  Severity gravest = Severity::kInfo;
  InMemory bus;
  bus.told = [&](const BusCommand& c) {
    if (said.empty() || said.back() != c.faults) said.push_back(c.faults);
    gravest = std::max(gravest, static_cast<Severity>(c.gravest));
  };
  options.over = [&bus](simulation::SimulatedSite& world) {
    return std::make_unique<SimulatedOverBus>(world, bus, kEpoch_ns);
  };
  const std::string name = mission.vehicle.vehicle.propulsors[1].name;
  options.schedule = {flight::parse_scheduled("10:fail " + name),
                      flight::parse_scheduled("12:restore " + name)};
  (void)simulation::run(mission, options);
  EXPECT_EQ(said, (std::vector<std::string>{"", "thruster out: " + name + ", by operator", ""}));
  EXPECT_EQ(gravest, Severity::kError);
}

/// A craft elsewhere that goes on doing what it was told last.
class Elsewhere final : public Bus {
 public:
  explicit Elsewhere(const MissionFile& mission)
      : model_(craft::build_model(mission.vehicle, nullptr)), site_(mission, mission.seed, {}) {
    done_.actuation.command.resize(model_.effectiveness.n);
  }
  [[nodiscard]] bool ok() const override { return true; }
  [[nodiscard]] std::int64_t now_ns() override { return kEpoch_ns + site_.now().ns + leap_ns(); }
  bool hear_until(std::int64_t due_ns, BusSample& heard) override {
    if (begun_) site_.act(model_, done_);
    begun_ = true;
    Inputs in;
    if (!site_.sense(Time{due_ns - kEpoch_ns - leap_ns()}, in)) return false;
    heard = {};
    heard.now_ns = kRos_ns + site_.now().ns;
    if (in.has_odometry) {
      const auto& [p, q] = in.odometry.X_WB;
      heard.state = BusState{kRos_ns + in.odometry.stamp.ns,
                             {p.x, p.y, p.z},
                             {q.x, q.y, q.z, q.w},
                             to_vec6(in.odometry.V_WB_B).v};
    }
    if (in.has_imu) {
      const auto& [stamp, w, f] = in.imu;
      heard.imu = BusImu{kRos_ns + stamp.ns, {w.x, w.y, w.z}, {f.x, f.y, f.z}};
    }
    return true;
  }
  void tell(const BusCommand& c) override {
    last = c;
    const world::Truth t = truth();
    highest_m = std::max(highest_m, t.X_WB.p.z);
    fastest_down_m_s = std::min(fastest_down_m_s, rotate(t.X_WB.q, t.V_WB_B.v).z);
    done_.actuation.command.clear();
    for (const double x : c.command) done_.actuation.command.push_back(x);
  }
  void tell(const BusSample&) override {}
  bool hear(std::int64_t, BusSample&) override { return false; }
  bool hear(std::int64_t, BusCommand&) override { return false; }

  [[nodiscard]] world::Truth truth() const { return site_.world().truth(); }

  BusCommand last;
  double highest_m = 0, fastest_down_m_s = 0;
  double leaps_at_s = 1e9, leaps_by_s = 0;  ///< The bus's clock.

 private:
  // ROS's clock is another one
  static constexpr std::int64_t kRos_ns = 3 * kEpoch_ns;
  [[nodiscard]] std::int64_t leap_ns() const {
    return site_.now().seconds() < leaps_at_s ? 0 : Duration::from_seconds(leaps_by_s).ns;
  }

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

/// On the ground, gently, and let go.
void expect_put_down(const Elsewhere& bus) {
  expect_let_go(bus.last);
  EXPECT_LT(bus.truth().X_WB.p.z, 0.25) << "it stands";
  EXPECT_GT(bus.fastest_down_m_s, -1.5);
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
  const flight::FlightResult result = flight::fly(mission, site, {});
  EXPECT_EQ(result.verdict, flight::Verdict::kFail);
  EXPECT_GT(bus.highest_m, 1.8);
  expect_put_down(bus);
}

TEST(StackSite, WhatWasCutOffAndThenForgottenIsPutDown) {
  MissionFile mission = shipped("hover_box");
  mission.mission.time_limit_s = 30;
  Elsewhere bus(mission);
  StackSite site(bus);
  flight::FlyOptions options;
  options.schedule = {{20, "cutoff"}};
  options.ask = [](const stack::Model&, const Outputs&, Inputs&) {};  // somebody listens, and goes
  const flight::FlightResult result = flight::fly(mission, site, options);
  EXPECT_NE(result.verdict, flight::Verdict::kPass);
  EXPECT_GT(result.duration_s, 90) << "a person may think for a minute";
  EXPECT_LT(result.duration_s, 155);
  expect_put_down(bus);
}

TEST(StackSite, AMissionThatIsStartedAnewHasItsTimeAgain) {
  MissionFile mission = shipped("hover_box");
  mission.mission.time_limit_s = 100;
  Elsewhere bus(mission);
  StackSite site(bus);
  flight::FlyOptions options;
  options.schedule = {{20, "cutoff"}, {130, "free_style"}};
  options.ask = [](const stack::Model&, const Outputs&, Inputs&) {};
  const flight::FlightResult result = flight::fly(mission, site, options);
  EXPECT_EQ(result.verdict, flight::Verdict::kPass) << result.reason;
  EXPECT_GT(result.duration_s, 160) << "what was left of the first start would not have sufficed";
  expect_let_go(bus.last);
}

TEST(StackSite, AClockThatLeapsLeavesNoCraftArmedAndAlone) {
  const MissionFile mission = shipped("hover_box");
  Elsewhere bus(mission);
  bus.leaps_at_s = 40;
  bus.leaps_by_s = 1000;
  StackSite site(bus);
  (void)flight::fly(mission, site, {});
  expect_let_go(bus.last);
  EXPECT_LT(bus.truth().X_WB.p.z, 0.25) << "it stands";
}

/// A bus on which one state comes again and again.
class Repeating final : public Bus {
 public:
  [[nodiscard]] bool ok() const override { return true; }
  [[nodiscard]] std::int64_t now_ns() override { return now; }
  bool hear_until(std::int64_t due_ns, BusSample& heard) override {
    now = due_ns;
    heard = {};
    heard.now_ns = due_ns + ros_ahead_ns;
    heard.state = BusState{stamp_ns, {}, {0, 0, 0, 1}, {}};
    heard.imu = BusImu{stamp_ns, {}, {}};
    return true;
  }
  void tell(const BusCommand&) override {}
  void tell(const BusSample&) override {}
  bool hear(std::int64_t, BusSample&) override { return false; }
  bool hear(std::int64_t, BusCommand&) override { return false; }

  std::int64_t now = kEpoch_ns, ros_ahead_ns = 0, stamp_ns = 0;
};

constexpr std::int64_t kSecond_ns = 1'000'000'000;

TEST(StackSite, AStampOfTheFutureIsAsOfNowAndAgesWhereItStandsStill) {
  Repeating bus;
  StackSite site(bus);
  bus.stamp_ns = kEpoch_ns + 40 * kSecond_ns;
  for (const int s : {1, 2, 30}) {
    Inputs in;
    ASSERT_TRUE(site.sense(Time{s * kSecond_ns}, in));
    EXPECT_EQ(in.odometry.stamp.ns, kSecond_ns) << "heard first then";
    EXPECT_EQ(in.imu.stamp.ns, kSecond_ns);
  }
  bus.stamp_ns += kSecond_ns / 100;
  Inputs in;
  ASSERT_TRUE(site.sense(Time{31 * kSecond_ns}, in));
  EXPECT_EQ(in.odometry.stamp.ns, 31 * kSecond_ns) << "another one";
  EXPECT_EQ(in.imu.stamp.ns, 31 * kSecond_ns);
}

TEST(StackSite, StampsOfTheFutureThatComeAgainInTurnAge) {
  Repeating bus;
  StackSite site(bus);
  const std::int64_t first_ns = kEpoch_ns + 90 * kSecond_ns;
  for (int i = 0; i < 40; ++i) {
    bus.stamp_ns = first_ns + i % 3;
    Inputs in;
    ASSERT_TRUE(site.sense(Time{i * kSecond_ns}, in));
    EXPECT_EQ(in.odometry.stamp.ns, std::min(i, 2) * kSecond_ns);
    EXPECT_EQ(in.imu.stamp.ns, std::min(i, 2) * kSecond_ns);
  }
  // who has told one of them and then the truth is believed, also where the clocks differ a little
  for (const std::int64_t ahead_ns : {-kSecond_ns / 1000, kSecond_ns / 1000}) {
    bus.stamp_ns = bus.now + kSecond_ns + ahead_ns;
    Inputs in;
    ASSERT_TRUE(site.sense(Time{bus.now - kEpoch_ns + kSecond_ns}, in));
    EXPECT_EQ(in.odometry.stamp.ns, in.now.ns + std::min<std::int64_t>(0, ahead_ns));
  }
}

TEST(StackSite, AStampIsAsOldAsItIsByTheClockOfRos) {
  Repeating bus;
  StackSite site(bus);
  for (const std::int64_t ahead_s : {0, 1000, -900, 0}) {  // it is set, and set again
    bus.ros_ahead_ns = ahead_s * kSecond_ns;
    bus.stamp_ns = bus.now + bus.ros_ahead_ns + kSecond_ns - kSecond_ns / 4;
    Inputs in;
    ASSERT_TRUE(site.sense(Time{bus.now - kEpoch_ns + kSecond_ns}, in));
    EXPECT_EQ(in.now.ns - in.odometry.stamp.ns, kSecond_ns / 4) << ahead_s;
    EXPECT_EQ(in.now.ns - in.imu.stamp.ns, kSecond_ns / 4) << ahead_s;
  }
  bus.stamp_ns = 0;  // none: as old as its arrival
  for (int i = 0; i < 2; ++i) {
    Inputs in;
    ASSERT_TRUE(site.sense(Time{bus.now - kEpoch_ns + kSecond_ns}, in));
    EXPECT_EQ(in.odometry.stamp.ns, in.now.ns);
  }
}

TEST(BusClock, IsSteadyWhateverIsDoneToTheClockOfTheMachine) {
  BusClock clock(1000 * kSecond_ns, 7 * kSecond_ns, false);
  EXPECT_EQ(clock.at(1001 * kSecond_ns, 8 * kSecond_ns), 1001 * kSecond_ns);
  EXPECT_EQ(clock.at(971 * kSecond_ns, 9 * kSecond_ns), 1002 * kSecond_ns);
  EXPECT_EQ(clock.at(9000 * kSecond_ns, 10 * kSecond_ns), 1003 * kSecond_ns);
}

TEST(BusClock, SimulatedTimeThatIsSetBackGoesOnFromWhereItWas) {
  BusClock clock(0, 7 * kSecond_ns, true);
  EXPECT_EQ(clock.at(50 * kSecond_ns, 8 * kSecond_ns), 50 * kSecond_ns);
  EXPECT_EQ(clock.at(50 * kSecond_ns, 9 * kSecond_ns), 50 * kSecond_ns) << "it stands";
  EXPECT_EQ(clock.at(2 * kSecond_ns, 10 * kSecond_ns), 50 * kSecond_ns);
  EXPECT_EQ(clock.at(5 * kSecond_ns, 11 * kSecond_ns), 53 * kSecond_ns);
  EXPECT_EQ(clock.set_back(), 1U);
}

TEST(BusClock, SimulatedTimeThatStoodGoesOnFromWhereTheTicksHaveCome) {
  BusClock clock(0, 0, true);
  EXPECT_EQ(clock.at(50 * kSecond_ns, 0), 50 * kSecond_ns);
  clock.go_on_to(51 * kSecond_ns);
  EXPECT_EQ(clock.at(50 * kSecond_ns, 0), 51 * kSecond_ns) << "it still stands";
  clock.go_on_to(49 * kSecond_ns);
  EXPECT_EQ(clock.at(50 * kSecond_ns, 0), 51 * kSecond_ns) << "it never goes back";
  EXPECT_EQ(clock.at(53 * kSecond_ns, 0), 54 * kSecond_ns);
  EXPECT_EQ(clock.set_back(), 0U);
}

TEST(BusClock, SimulatedTimeThatIsAtItsEndAgainAndAgainGoesOn) {
  BusClock clock(0, 0, true);
  std::int64_t last = 0;
  for (int k = 1; k <= 10; ++k) {
    constexpr std::int64_t kEnd = 4'294'967'295 * kSecond_ns;  // the last that a stamp can say
    for (const std::int64_t ros : {kEnd, 3 * kSecond_ns, 4 * kSecond_ns}) {
      const std::int64_t now = clock.at(ros, 0);
      EXPECT_EQ(now - last, ros == kEnd             ? 3600 * kSecond_ns
                            : ros == 3 * kSecond_ns ? 0
                                                    : kSecond_ns)
          << k;
      last = now;
    }
  }
}

}  // namespace
}  // namespace pintle::ros1_site
