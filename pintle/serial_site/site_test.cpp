#include "pintle/serial_site/site.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "pintle/flight/replay.h"
#include "pintle/serial_world/run.h"
#include "pintle/simulation/report_data.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::serial_site {
namespace {

using craft::MissionFile;
using serial_world::EmulatedCraft;
using serial_world::run;
using serial_world::RunOptions;
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

  void take(const SerialSite& site, EmulatedCraft& craft, const Outputs& out) {
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
      craft.plug(line_, false);
      is_out_ = true;
      ticks_ = 0;
      return;
    }
    if (!each([&](std::size_t i) { return has(out, AlarmCode::kThrusterOut, i); })) return;
    EXPECT_TRUE(each([&](std::size_t i) { return out.actuation.effort[i] == 0; }));
    // those two, and no axis; of others a machine that stands may hear too late
    const bool alone = out.alarms.size() == on_line.size() && out.allocation.reachable == kAllAxes;
    ticks_ = alone ? ticks_ + 1 : 0;
    if (ticks_ < kTicksOut) return;
    craft.plug(line_++, true);
    is_out_ = false;
  }
  [[nodiscard]] std::size_t lines_done() const { return line_; }

 private:
  static constexpr int kTicksOut = 25;
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
  options.witness = [&](SerialSite& site, EmulatedCraft* craft, const Outputs& out) {
    plugs.take(site, *craft, out);
  };
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
  EXPECT_GT(woken, 100u) << "25 ticks with each of four plugs out, and those between";
  EXPECT_NE(telemetry::report_html(report).find("Serial lines"), std::string::npos);
  std::filesystem::remove(log);
}

TEST(SerialSite, AMissionThatHasPassedLeavesTheThrustersDisarmed) {
  MissionFile mission = hovering();
  mission::StateSpec& there = mission.mission.states[0];
  there.success.position_m = 50;
  there.success.attitude_deg = 180;
  there.success.speed_m_s.reset();
  there.success.settle_s = 0.1;
  there.on_success = "pass";
  mission.mission.states = {there, mission.mission.states.back()};
  RunOptions options;
  Outputs last;
  options.witness = [&](SerialSite&, EmulatedCraft*, const Outputs& out) { last = out; };
  EXPECT_EQ(run(mission, options).verdict, flight::Verdict::kPass);
  EXPECT_EQ(last.arm, stack::ArmState::kDisarmed);
  for (const double u : last.actuation.effort) EXPECT_EQ(u, 0);
}

/// A site that is ticked by hand.
class ByHand {
 public:
  explicit ByHand(const MissionFile& mission, SerialSiteOptions options = {}, bool emulated = true)
      : mission_(mission),
        generation_(std::make_shared<craft::Generation>(
            craft::Configuration{1, mission.vehicle, mission.mission, false})),
        flight(generation_),
        craft(emulated ? std::make_unique<EmulatedCraft>(mission_, 1, world::WorldOptions{})
                       : nullptr),
        site(mission_.vehicle, std::move(options), craft.get()) {}
  void tick() {
    in = {};
    ASSERT_TRUE(site.sense(due, in));
    // where the machine stands no thruster has answered yet: it is asked until it is armed
    was_armed_ = was_armed_ || flight.last().arm == stack::ArmState::kArmed;
    if (!was_armed_ && flight.ticks() >= arm_at)
      in.commands.push_back({stack::CommandCode::kArm, -1});
    if (was_armed_ && !std::exchange(was_started_, true))
      in.commands.push_back({stack::CommandCode::kMissionStart, -1});
    site.act(flight.model(), flight.step(in));
    due = std::max(due + flight.model().period, site.now());
  }
  void arm_again() { was_armed_ = was_started_ = false; }
  /// False: not within all patience.
  template <class Condition>
  bool until(Condition condition) {
    while (!condition()) {
      if (due.seconds() > kPatience_s) return false;
      tick();
    }
    return true;
  }

 private:
  MissionFile mission_;
  std::shared_ptr<craft::Generation> generation_;
  bool was_armed_ = false, was_started_ = false;

 public:
  flight::Flight flight;
  std::unique_ptr<EmulatedCraft> craft;
  SerialSite site;
  stack::Inputs in;
  Time due{};
  std::uint64_t arm_at = 5;  ///< From this tick on.
};

TEST(SerialSite, AStreamThatStopsIsEndedByTheDriverWithTheLineAlive) {
  ByHand b(hovering());
  ASSERT_TRUE(b.until([&b] { return std::abs(b.craft->effort(1)) > 0.05; }));
  // nobody ticks any more, and the process lives
  const Time end = device::BusThread::clock() + Duration::from_seconds(kPatience_s);
  const auto sent = [&b] { return b.site.buses().status(0).reports[1].effort; };
  while ((sent() != 0 || b.craft->effort(1) != 0) && device::BusThread::clock() < end)
    ::usleep(1000);
  EXPECT_EQ(sent(), 0) << "the driver has said zero, not only the thruster's own watchdog";
  EXPECT_EQ(b.craft->effort(1), 0);
  EXPECT_EQ(b.site.buses().status(0).reports[1].contact, PropulsorContact::kGood);
}

TEST(SerialSite, WaterInTheHullOfTheSimulatedCraftIsNoticed) {
  MissionFile mission = hovering();
  mission.vehicle.failsafes.leak = {.action = stack::FailsafeAction::kLand};
  mission.world.device_faults.push_back(
      {world::Device::kHull, world::DeviceFaultKind::kLeaks, 3, 1e9, 0});
  ByHand b(mission);
  const auto leaks = [&b] {
    return has(b.flight.last(), AlarmCode::kFailsafe,
               static_cast<std::size_t>(stack::FailsafeCondition::kLeak));
  };
  ASSERT_TRUE(b.until([&b] { return b.due.seconds() > 2.5; }));
  EXPECT_FALSE(leaks()) << "it is dry until then";
  EXPECT_TRUE(b.until(leaks));
  EXPECT_EQ(b.flight.last().failsafe.action, stack::FailsafeAction::kLand);
}

TEST(SerialSite, InputsOfTheSimulatedCraftAreSpoiltAsTheMissionSays) {
  MissionFile mission = hovering();
  mission.input_faults.push_back(
      {stack::InputCode::kOdometry, craft::InputFaultKind::kNan, 1, 1e9, 0});
  int good = 0, spoilt = 0;
  std::atomic<bool> stop{false};
  RunOptions options;
  options.stop = &stop;
  options.watch = [&](const stack::Model&, const stack::Inputs& in, const Outputs& out) {
    if (in.has_odometry) ++(std::isfinite(in.odometry.X_WB.p.z) ? good : spoilt);
    stop = stop || out.used.validity == Validity::kStale || in.now.seconds() > kPatience_s;
  };
  (void)run(mission, options);
  EXPECT_GT(good, 0) << "before it begins";
  EXPECT_GT(spoilt, 0);
}

TEST(SerialSite, TheInertialSensorOfTheSimulatedCraftIsHeard) {
  MissionFile mission = hovering();
  mission.vehicle.vehicle.imu.emplace();
  ByHand b(mission);
  int heard = 0;
  ASSERT_TRUE(b.until([&] {
    heard += b.in.has_imu ? 1 : 0;
    return heard > 10;
  }));
}

TEST(SerialSite, AStalledThrusterIsFoundByWhatItSays) {
  MissionFile mission = hovering();
  // it dives all the while: one that rests would not be missed
  mission.mission.states[0].go.z_m = -1000;
  ByHand b(mission);
  ASSERT_TRUE(b.until([&b] { return b.flight.last().used.X_WB.p.z < -1; }));
  device::PropulsorFaults stalled;
  stalled.stalled = true;
  b.craft->break_it(3, stalled);
  EXPECT_TRUE(b.until([&b] { return has(b.flight.last(), AlarmCode::kThrusterOut, 3); }));
  EXPECT_EQ(b.flight.last().actuation.effort[3], 0);
}

TEST(SerialSite, AKillIsZeroAtOnceSilenceSaysNothingAndItGoesOnAfterNeutral) {
  ByHand b(hovering());
  ASSERT_TRUE(b.until([&b] { return b.flight.last().used.X_WB.p.z < -1; }));
  b.site.kill(true);
  b.tick();
  EXPECT_EQ(b.flight.last().arm, stack::ArmState::kDisarmed);
  const auto all = [](auto&& f) {
    for (std::size_t i = 0; i < 8; ++i)
      if (!f(i)) return false;
    return true;
  };
  const auto rests = [&b](std::size_t i) { return b.craft->effort(i) == 0; };
  ASSERT_TRUE(b.until([&] { return all(rests); }));
  // the switch has cut their power
  device::PropulsorFaults off;
  off.gone = true;
  for (std::size_t i = 0; i < 8; ++i) b.craft->break_it(i, off);
  const Time until = b.due + Duration::from_seconds(2);
  EXPECT_TRUE(b.until([&] {
    const AlarmList& alarms = b.flight.last().alarms;
    EXPECT_EQ(alarms.size(), 1u);
    EXPECT_TRUE(has(b.flight.last(), AlarmCode::kKilled, static_cast<std::size_t>(-1)));
    return b.due > until;
  }));
  for (std::size_t i = 0; i < 8; ++i) b.craft->break_it(i, {});
  const auto heard = [&b](std::size_t i) { return b.site.report(i).received; };
  std::vector<std::uint32_t> before;
  for (std::size_t i = 0; i < 8; ++i) before.push_back(heard(i));
  ASSERT_TRUE(b.until([&] { return all([&](std::size_t i) { return heard(i) > before[i]; }); }));
  b.site.kill(false);
  ASSERT_TRUE(b.until([&b] { return b.flight.last().alarms.empty(); }));
  EXPECT_TRUE(all(rests)) << "nobody has armed it since";
  b.arm_again();
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
  b.arm_at = 40;
  for (int n = 0; n < 35; ++n) {
    b.tick();
    for (std::size_t i = 0; i < 8; ++i)
      ASSERT_EQ(b.craft->effort(i), 0) << "disarmed is a pulse at rest, or none";
  }
  ASSERT_TRUE(b.until([&b] { return b.flight.last().used.X_WB.p.z < -0.8; }));
  EXPECT_TRUE(b.flight.last().alarms.empty()) << "who says nothing is not out";
  // pulled and put back: out while the line is gone, then flown on
  b.craft->plug(0, false);
  ASSERT_TRUE(b.until([&b] { return has(b.flight.last(), AlarmCode::kThrusterOut, 5); }));
  b.craft->plug(0, true);
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
  // what is told to a person takes memory: where the machine stands, that axes are lost and back
  int said = 0;
  SerialSiteOptions options;
  options.say = [&said](const std::string&) { ++said; };
  ByHand b(hovering(), options);
  for (int i = 0; i < 30; ++i) b.tick();
  EXPECT_TRUE(b.until([&] {
    said = 0;
    const std::uint64_t before = testing::heap_allocations();
    for (int i = 0; i < 50; ++i) b.tick();
    if (said != 0) return false;
    EXPECT_EQ(testing::heap_allocations(), before);
    return true;
  }));
}

TEST(SerialSite, OdometryAsTextIsThirteenNumbers) {
  Pose pose;
  Twist twist;
  EXPECT_TRUE(parse_odometry("1 2 -3 0 0 0 1 0.1 0.2 0.3 0.4 0.5 0.6\r", pose, twist));
  EXPECT_EQ(pose.p.z, -3);
  EXPECT_EQ(twist.w.z, 0.6);
  for (const char* wrong : {"", "1 2 3", "1 2 3 0 0 0 1 0 0 0 0 0", "1 2 3 0 0 0 1 0 0 0 0 0 0 7",
                            "1,2,3,0,0,0,1,0,0,0,0,0,0", "x 2 3 0 0 0 1 0 0 0 0 0 0",
                            // bytes that got lost: two numbers in one word
                            "1.5.5 3 0 0 0 1 0 0 0 0 0 0", "1-2 3 0 0 0 1 0 0 0 0 0 0"})
    EXPECT_FALSE(parse_odometry(wrong, pose, twist)) << wrong;
}

TEST(Wiring, AVehicleWithoutDevicesIsRefusedWithTheFix) {
  craft::VehicleFile file =
      craft::load_vehicle(std::filesystem::path(PINTLE_SOURCE_DIR) / "vehicles/subjugator8.yaml");
  EXPECT_EQ(wiring_of(file).size(), 4u);
  file.vehicle.devices.clear();
  try {
    (void)wiring_of(file);
    FAIL() << "taken without devices";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("write  devices:"), std::string::npos);
  }
}

/// A site whose ports are those of the vehicle file, as the test makes them.
struct Real {
  explicit Real(const std::function<std::string(std::size_t)>& path, int odometry_from = -1) {
    mission = hovering();
    for (std::size_t k = 0; k < 4; ++k) mission.vehicle.vehicle.devices[k].path = path(k);
    options.patience_s = 0.05;
    options.odometry_from = odometry_from;
    options.say = [this](const std::string& what) { said.push_back(what); };
    b.emplace(mission, options, false);
  }
  [[nodiscard]] std::size_t times(const std::string& text) const {
    return static_cast<std::size_t>(std::count_if(said.begin(), said.end(), [&](const auto& line) {
      return line.find(text) != std::string::npos;
    }));
  }
  MissionFile mission;
  SerialSiteOptions options;
  std::vector<std::string> said;
  std::optional<ByHand> b;
};

TEST(SerialSite, APortThatIsMissingAndWhoIsSilentAtTheStartAreNamedWithWhatToDo) {
  device::PseudoTerminal deaf;
  ASSERT_TRUE(deaf.open());
  Real r([&](std::size_t k) {
    return k == 0 ? deaf.path : k == 1 ? "/dev/null" : "/nonexistent/if0" + std::to_string(k);
  });
  // port, thrusters, what to do
  EXPECT_EQ(
      r.times("/nonexistent/if02 is missing: plug it in, or mend the path (pintle doctor lists the "
              "ports); without it BLH, BLV cannot be driven"),
      1u);
  EXPECT_EQ(r.times("/nonexistent/if03 is missing"), 1u);
  EXPECT_EQ(r.times("/dev/null is not a serial port"), 1u);
  EXPECT_EQ(r.times("FLH does not answer as node 3 on " + deaf.path), 1u);
  EXPECT_EQ(r.times("FLV does not answer as node 1 on " + deaf.path), 1u);
  EXPECT_EQ(r.times("pintle device m5 scan " + deaf.path), 2u);
  EXPECT_EQ(r.times("FRH does not answer"), 0u) << "its port was said";

  // an alarm for each from the first tick on, with its cause
  r.b->tick();
  const AlarmList& alarms = r.b->flight.last().alarms;
  for (const std::int32_t i : {2, 3, 4, 5, 6, 7})
    EXPECT_TRUE(std::any_of(alarms.begin(), alarms.end(), [i](const Alarm& a) {
      return a.code == AlarmCode::kThrusterOut && a.subject == i &&
             a.value == static_cast<double>(OutCause::kNoPort);
    })) << i;
}

TEST(SerialSite, WithoutAnyPortArmingIsRefusedWithTheReason) {
  Real r([](std::size_t k) { return "/nonexistent/if0" + std::to_string(k); });
  r.b->arm_at = 0;
  r.b->tick();
  EXPECT_EQ(r.b->flight.last().arm, stack::ArmState::kDisarmed);
  const auto& events = r.b->flight.last().events;
  const auto refused = std::find_if(events.begin(), events.end(), [](const Event& e) {
    return e.code == EventCode::kArmingRefused;
  });
  ASSERT_NE(refused, events.end());
  EXPECT_EQ(refused->subject, static_cast<std::int32_t>(stack::ArmObstacle::kNoPropulsor));
}

TEST(SerialSite, APlugThatIsPulledAndPutBackIsSaidOnceEach) {
  std::vector<std::string> said;
  SerialSiteOptions options;
  options.say = [&said](const std::string& what) { said.push_back(what); };
  ByHand b(hovering(), options);
  b.tick();
  said.clear();
  b.craft->plug(2, false);
  const auto times = [&said](const std::string& text) {
    return std::count_if(said.begin(), said.end(),
                         [&](const auto& line) { return line.find(text) != std::string::npos; });
  };
  // where the machine stands, others are out too, and axes may be lost with them
  bool others_were_out = false;
  const auto until_said = [&](const std::string& text) {
    return b.until([&] {
      for (const std::size_t i : {0U, 1U, 2U, 3U, 6U, 7U})
        others_were_out |= has(b.flight.last(), AlarmCode::kThrusterOut, i);
      return times(text) == 1;
    });
  };
  ASSERT_TRUE(until_said("without it BLH, BLV cannot be driven"));
  b.craft->plug(2, true);
  ASSERT_TRUE(until_said("is back: BLH, BLV"));
  const auto of_axes = static_cast<std::size_t>(times("axes "));
  EXPECT_EQ(said.size() - of_axes, 2u) << ::testing::PrintToString(said);
  EXPECT_TRUE(of_axes == 0 || others_were_out) << ::testing::PrintToString(said);
}

TEST(SerialSite, AxesThatAreLostWithAPortAreSaidAndThatTheyAreBack) {
  std::vector<std::string> said;
  SerialSiteOptions options;
  options.say = [&said](const std::string& what) { said.push_back(what); };
  ByHand b(hovering(), options);
  const auto named = [&said](const std::string& text) {
    std::string all;
    for (const std::string& line : said)
      if (line.starts_with(text)) all += line.substr(text.size()) + ", ";
    return all;
  };
  const auto count = [](const std::string& names) {
    return std::count(names.begin(), names.end(), ',');
  };
  constexpr const char *kLost = "axes lost with thrusters that are out: ",
                       *kBack = "axes are back: ";
  ASSERT_TRUE(b.until([&b] { return b.flight.last().arm == stack::ArmState::kArmed; }));
  said.clear();
  for (const std::size_t k : {0U, 1U, 2U}) b.craft->plug(k, false);
  const auto alarms = [&b] {
    const AlarmList& all = b.flight.last().alarms;
    return std::count_if(all.begin(), all.end(),
                         [](const Alarm& a) { return a.code == AlarmCode::kAxisLost; });
  };
  ASSERT_TRUE(b.until([&] { return alarms() > 0 && alarms() == count(named(kLost)); }));
  EXPECT_NE(named(kLost).find("yaw, "), std::string::npos) << named(kLost);
  for (const std::size_t k : {0U, 1U, 2U}) b.craft->plug(k, true);
  EXPECT_TRUE(b.until([&] { return count(named(kBack)) == count(named(kLost)); }));
}

/// Both ends of a pipe.
struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    ::close(ends[0]);
    if (ends[1] >= 0) ::close(ends[1]);
  }
  void write(const std::string& text) const {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::array<int, 2> ends{};
};

TEST(SerialSite, TextThatIsNoOdometryIsSaidAtOnceThenCountedAndTheEndOfItIsSaid) {
  Pipe pipe;
  Real r([](std::size_t k) { return "/nonexistent/if0" + std::to_string(k); }, pipe.ends[0]);
  r.b->tick();  // which axes are lost
  r.said.clear();
  pipe.write("1 2 three\n1 2 -3 0 0 0 1 0 0 0 0 0 0\n");
  r.b->tick();
  ASSERT_EQ(r.said.size(), 1u);
  EXPECT_NE(r.said[0].find("\"1 2 three\" on stdin is no odometry: expected 13 numbers"),
            std::string::npos);
  EXPECT_TRUE(r.b->in.has_odometry) << "the good one beside it counts";
  EXPECT_EQ(r.b->in.odometry.X_WB.p.z, -3);
  for (int n = 0; n < 99; ++n) pipe.write("nonsense\n");
  r.b->tick();
  EXPECT_EQ(r.said.size(), 3u) << "the tenth and the hundredth";
  EXPECT_EQ(r.times("so far 100 lines"), 1u);
  EXPECT_EQ(r.b->site.status().bad_text, 100u);
  // a line that never ends is one, too
  for (int n = 0; n < 17; ++n) {
    pipe.write(std::string(4096, '1'));
    r.b->tick();
  }
  EXPECT_EQ(r.b->site.status().bad_text, 101u);
  ::close(std::exchange(pipe.ends[1], -1));
  r.b->tick();
  r.b->tick();
  EXPECT_EQ(r.times("stdin has ended"), 1u);
}

TEST(SerialSite, OfAFloodOnStdinATickTakesWhatAPipeHoldsAndNoMore) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "pintle-serial-flood";
  const int flood = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_GE(flood, 0);
  std::string lines;
  while (lines.size() < 200'000) lines += "1 2 -3 0 0 0 1 0 0 0 0 0 0\n";
  ASSERT_EQ(::write(flood, lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
  ASSERT_EQ(::lseek(flood, 0, SEEK_SET), 0);
  Real r([](std::size_t k) { return "/nonexistent/if0" + std::to_string(k); }, flood);
  for (int n = 1; n <= 3; ++n) {
    r.b->tick();
    EXPECT_EQ(::lseek(flood, 0, SEEK_CUR), n * 65536);
    EXPECT_TRUE(r.b->in.has_odometry);
  }
  ::close(flood);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pintle::serial_site
