#include "pintle/serial_site/site.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "pintle/flight/replay.h"
#include "pintle/serial_site/run.h"
#include "pintle/simulation/report_data.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::serial_site {
namespace {

using craft::MissionFile;
using stack::Outputs;

// of a machine that is busy, under sanitizers
constexpr double kPatience_s = 240;

/// Dives and stays down until it is told to stop.
MissionFile hovering() {
  MissionFile mission =
      craft::load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool_m5.yaml");
  mission::StateSpec& hold = mission.mission.states[0];
  hold.success.settle_s = 1000;
  hold.timeout_s = 2000;
  mission.mission.time_limit_s = 5000;
  return mission;
}

bool has(const Outputs& out, AlarmCode code, std::size_t subject) {
  return std::any_of(out.alarms.begin(), out.alarms.end(), [&](const Alarm& a) {
    return a.code == code && a.subject == static_cast<std::int32_t>(subject);
  });
}

/// Pulls each plug in turn while the vehicle hovers; each step waits for what must come of it.
class PlugByPlug {
 public:
  explicit PlugByPlug(std::atomic<bool>& stop) : stop_(stop) {}

  void take(SerialSite& site, const Outputs& out) {
    if (line_ == site.lines().size() || out.now.seconds() > kPatience_s) {
      stop_ = true;
      return;
    }
    const std::vector<std::size_t>& on_line = site.lines()[line_].propulsor;
    const auto each = [&](auto&& f) { return std::all_of(on_line.begin(), on_line.end(), f); };
    if (!is_out_) {
      const bool well = out.alarms.empty() && out.arm == stack::ArmState::kArmed;
      // what came back is used again
      const bool used = each([&](std::size_t i) { return out.actuation.effort[i] != 0; });
      if (!well || !used || out.used.X_WB.p.z > -0.8) return;
      site.craft()->plug(line_, false);
      is_out_ = true;
      ticks_ = 0;
      return;
    }
    if (!each([&](std::size_t i) { return has(out, AlarmCode::kThrusterOut, i); })) return;
    EXPECT_TRUE(each([&](std::size_t i) { return out.actuation.effort[i] == 0; }));
    // those two, and no axis; of others a machine that stands may hear too late
    const bool alone = out.alarms.size() == on_line.size() && out.allocation.reachable == kAllAxes;
    ticks_ = alone ? ticks_ + 1 : 0;
    if (ticks_ < 15) return;
    site.craft()->plug(line_++, true);
    is_out_ = false;
  }
  [[nodiscard]] std::size_t lines_done() const { return line_; }

 private:
  std::atomic<bool>& stop_;
  std::size_t line_ = 0;
  bool is_out_ = false;
  int ticks_ = 0;
};

TEST(SerialSite, EveryPortMayBePulledInTurnAndEverythingRecovers) {
  const auto log = std::filesystem::path(::testing::TempDir()) / "pintle-serial-plugs.mcap";
  std::atomic<bool> stop{false};
  PlugByPlug plugs(stop);
  RunOptions options;
  options.log = log;
  options.stop = &stop;
  options.witness = [&](SerialSite& site, const Outputs& out) { plugs.take(site, out); };
  const MissionFile mission = hovering();
  const flight::FlightResult result = run(mission, options);
  EXPECT_EQ(plugs.lines_done(), 4u);
  EXPECT_EQ(result.log_trouble, "");

  const flight::ReplayResult again = flight::replay(log);
  EXPECT_EQ(again.ticks, result.ticks);
  EXPECT_EQ(again.mismatches, 0u) << again.first_mismatch;

  // and the report shows how the lines were
  const telemetry::ReportData report = simulation::report_data(log);
  ASSERT_EQ(report.histograms.size(), 1u);
  std::uint64_t woken = 0;
  for (const auto& bar : report.histograms[0].bars) woken += bar.second;
  EXPECT_GT(woken, 100u);
  EXPECT_NE(telemetry::report_html(report).find("Serial lines"), std::string::npos);
  std::filesystem::remove(log);
}

/// A site that is ticked by hand.
class ByHand {
 public:
  explicit ByHand(const MissionFile& mission)
      : mission_(mission),
        generation_(std::make_shared<craft::Generation>(
            craft::Configuration{1, mission.vehicle, mission.mission, false})),
        flight(generation_),
        site(mission_, {}) {}
  void tick() {
    in = {};
    ASSERT_TRUE(site.sense(due, in));
    if (flight.ticks() == arm_at) in.commands.push_back({stack::CommandCode::kArm, -1});
    if (flight.ticks() == arm_at + 1)
      in.commands.push_back({stack::CommandCode::kMissionStart, -1});
    site.act(flight.model(), flight.step(in));
    due = std::max(due + flight.model().period, site.now());
  }
  /// False: not within all patience.
  template <class Condition>
  bool until(Condition condition) {
    while (!condition() && due.seconds() < kPatience_s) tick();
    return condition();
  }

 private:
  MissionFile mission_;
  std::shared_ptr<craft::Generation> generation_;

 public:
  flight::Flight flight;
  SerialSite site;
  stack::Inputs in;
  Time due{};
  std::uint64_t arm_at = 5;  ///< Tick.
};

TEST(SerialSite, AStreamThatStopsIsEndedByTheDriverWithTheLineAlive) {
  ByHand b(hovering());
  ASSERT_TRUE(b.until([&b] { return std::abs(b.site.craft()->effort(1)) > 0.05; }));
  // nobody ticks any more, and the process lives
  const Time end = device::BusThread::clock() + Duration::from_seconds(kPatience_s);
  const auto sent = [&b] { return b.site.buses().status(0).reports[1].effort; };
  while ((sent() != 0 || b.site.craft()->effort(1) != 0) && device::BusThread::clock() < end)
    ::usleep(1000);
  EXPECT_EQ(sent(), 0) << "the driver has said zero, not only the thruster's own watchdog";
  EXPECT_EQ(b.site.craft()->effort(1), 0);
  EXPECT_EQ(b.site.buses().status(0).reports[1].contact, PropulsorContact::kGood);
}

TEST(SerialSite, AStalledThrusterIsFoundByWhatItSays) {
  ByHand b(hovering());
  ASSERT_TRUE(b.until([&b] { return b.flight.last().used.X_WB.p.z < -1; }));
  device::PropulsorFaults stalled;
  stalled.stalled = true;
  b.site.craft()->break_it(3, stalled);
  EXPECT_TRUE(b.until([&b] { return has(b.flight.last(), AlarmCode::kThrusterOut, 3); }));
  EXPECT_EQ(b.flight.last().actuation.effort[3], 0);
}

TEST(SerialSite, AKillIsZeroAtOnceSilenceSaysNothingAndItGoesOnAfterNeutral) {
  ByHand b(hovering());
  ASSERT_TRUE(b.until([&b] { return b.flight.last().used.X_WB.p.z < -1; }));
  b.site.kill(true);
  b.tick();
  EXPECT_EQ(b.flight.last().arm, stack::ArmState::kDisarmed);
  const auto all = [&b](auto&& f) {
    for (std::size_t i = 0; i < 8; ++i)
      if (!f(i)) return false;
    return true;
  };
  const auto rests = [&b](std::size_t i) { return b.site.craft()->effort(i) == 0; };
  ASSERT_TRUE(b.until([&] { return all(rests); }));
  // the switch has cut their power
  device::PropulsorFaults off;
  off.gone = true;
  for (std::size_t i = 0; i < 8; ++i) b.site.craft()->break_it(i, off);
  const Time until = b.due + Duration::from_seconds(2);
  EXPECT_TRUE(b.until([&] {
    const AlarmList& alarms = b.flight.last().alarms;
    EXPECT_EQ(alarms.size(), 1u);
    EXPECT_TRUE(has(b.flight.last(), AlarmCode::kKilled, static_cast<std::size_t>(-1)));
    return b.due > until;
  }));
  for (std::size_t i = 0; i < 8; ++i) b.site.craft()->break_it(i, {});
  const auto heard = [&b](std::size_t i) { return b.site.report(i).received; };
  std::vector<std::uint32_t> before;
  for (std::size_t i = 0; i < 8; ++i) before.push_back(heard(i));
  ASSERT_TRUE(b.until([&] { return all([&](std::size_t i) { return heard(i) > before[i]; }); }));
  b.site.kill(false);
  ASSERT_TRUE(b.until([&b] { return b.flight.last().alarms.empty(); }));
  EXPECT_TRUE(all(rests)) << "nobody has armed it since";
  b.arm_at = b.flight.ticks();
  EXPECT_TRUE(b.until([&] { return !all(rests); }));
  EXPECT_EQ(b.flight.last().arm, stack::ArmState::kArmed);
}

TEST(SerialSite, ThrustersThatTakePulsesFlyByTheBoardOfTheirVehicleFile) {
  MissionFile mission =
      craft::load_mission(std::filesystem::path(PINTLE_SOURCE_DIR) / "missions/pool.yaml");
  mission.mission.time_limit_s = 5000;
  ByHand b(mission);
  ASSERT_EQ(b.site.lines().size(), 1u);
  EXPECT_EQ(b.site.lines()[0].baudrate, 57600);
  b.tick();
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(b.site.craft()->effort(i), 0) << "disarmed is a pulse at rest, or none";
  ASSERT_TRUE(b.until([&b] { return b.flight.last().used.X_WB.p.z < -0.8; }));
  EXPECT_TRUE(b.flight.last().alarms.empty()) << "who says nothing is not out";
  // pulled and put back: out while the line is gone, then flown on
  b.site.craft()->plug(0, false);
  ASSERT_TRUE(b.until([&b] { return has(b.flight.last(), AlarmCode::kThrusterOut, 5); }));
  b.site.craft()->plug(0, true);
  EXPECT_TRUE(b.until([&b] { return b.flight.last().alarms.empty(); }));
}

TEST(Wiring, PulsesAndEffortsLeadToEachOther) {
  WiredLine line;
  line.type = "pwm";
  for (const double us : {1100.0, 1357.0, 1500.0, 1900.0})
    EXPECT_NEAR(line.command_of(line.effort_of(us)), us, 1e-9);
  EXPECT_EQ(line.effort_of(0), 0) << "no pulse at all is no full reverse";
  line.type = "m5";
  EXPECT_EQ(line.effort_of(-0.3), -0.3);
  EXPECT_EQ(line.command_of(-0.3), -0.3);
}

TEST(SerialSite, TakesNoMemoryOnceItRuns) {
  if (!testing::heap_counting_available()) return;
  ByHand b(hovering());
  for (int i = 0; i < 30; ++i) b.tick();
  const std::uint64_t before = testing::heap_allocations();
  for (int i = 0; i < 50; ++i) b.tick();
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(SerialSite, OdometryAsTextIsThirteenNumbers) {
  Pose pose;
  Twist twist;
  EXPECT_TRUE(parse_odometry("1 2 -3 0 0 0 1 0.1 0.2 0.3 0.4 0.5 0.6\r", pose, twist));
  EXPECT_EQ(pose.p.z, -3);
  EXPECT_EQ(twist.w.z, 0.6);
  for (const char* wrong : {"", "1 2 3", "1 2 3 0 0 0 1 0 0 0 0 0", "1 2 3 0 0 0 1 0 0 0 0 0 0 7",
                            "1,2,3,0,0,0,1,0,0,0,0,0,0", "x 2 3 0 0 0 1 0 0 0 0 0 0"})
    EXPECT_FALSE(parse_odometry(wrong, pose, twist)) << wrong;
}

TEST(Wiring, WhatALineCannotDriveIsRefusedWithTheFix) {
  const std::filesystem::path vehicles = std::filesystem::path(PINTLE_SOURCE_DIR) / "vehicles";
  const auto why = [](const craft::VehicleFile& file) -> std::string {
    try {
      (void)wiring_of(file);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return {};
  };
  craft::VehicleFile oogway = craft::load_vehicle(vehicles / "oogway.yaml");
  EXPECT_EQ(why(oogway), "");
  oogway.vehicle.devices[0].type = "m5";
  EXPECT_NE(why(oogway).find("its curve gives pulse widths"), std::string::npos);
  oogway.vehicle.devices.clear();
  EXPECT_NE(why(oogway).find("write  devices:"), std::string::npos);
  craft::VehicleFile sub = craft::load_vehicle(vehicles / "subjugator8.yaml");
  EXPECT_EQ(why(sub), "");
  sub.vehicle.devices[2].type = "pwm";
  EXPECT_NE(why(sub).find("takes pulse widths"), std::string::npos);
}

}  // namespace
}  // namespace pintle::serial_site
