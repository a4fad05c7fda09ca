#include "mapper/driver.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "mapper/mapper.h"
#include "mapper/serial_ports.h"
#include "mapper/simulated_port.h"

namespace pintle::ros1 {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string original(const std::string& name) {
  std::ifstream in(std::string(PINTLE_SOURCE_DIR) + "/vehicles/original/subjugator/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Notes what is sent; answers only when told.
class NotingPort : public ThrusterPort {
 public:
  void command(std::size_t thruster, double effort, double) override {
    sent.emplace_back(thruster, effort);
  }
  void poll(double, std::vector<ThrusterReply>& out) override {
    out.insert(out.end(), replies.begin(), replies.end());
    replies.clear();
  }
  [[nodiscard]] bool is_out(std::size_t) const override { return silent; }
  void kill(bool, double) override {}
  std::vector<std::pair<std::size_t, double>> sent;
  std::vector<ThrusterReply> replies;
  bool silent = false;
};

struct Rig {
  Layout layout;
  std::vector<std::shared_ptr<SimulatedPort>> ports;
  std::unique_ptr<Driver> driver;
  double t = 0;

  explicit Rig(const std::string& file = "thruster_layout.yaml", const std::string& from = "",
               const std::string& to = "") {
    std::string text = original(file);
    for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to);
    layout = read_layout(text, Use::kDrive);
    std::vector<PortWiring> wiring;
    for (std::size_t i = 0; i < 8; i += 2) {
      const std::vector<std::string> names{layout.thrusters[i].name, layout.thrusters[i + 1].name};
      ports.push_back(std::make_shared<SimulatedPort>(layout, names, DriverSettings{}));
      wiring.push_back({ports.back(), names});
    }
    driver = std::make_unique<Driver>(layout, wiring, DriverSettings{});
  }

  std::vector<ThrusterStatus> run(double for_s, const Driver::Commands& commands = {}) {
    std::vector<ThrusterStatus> all;
    for (const double end = t + for_s; t < end; t += 0.05) {
      if (!commands.empty()) driver->command(commands, t);
      for (ThrusterStatus& s : driver->step(t)) all.push_back(s);
    }
    return all;
  }
  [[nodiscard]] ThrusterStatus last(const std::string& name) const {
    ThrusterStatus s;
    EXPECT_TRUE(driver->last_status(*layout.find(name), s));
    return s;
  }
};

/// One thruster, FLH, on a port that notes.
struct OneThruster {
  std::shared_ptr<NotingPort> port = std::make_shared<NotingPort>();
  Driver driver{read_layout(original("thruster_layout.yaml"), Use::kDrive), {{port, {"FLH"}}}, {}};
};

TEST(Effort, IsThePublishedPolynomial) {
  OneThruster one;
  const auto effort = [&](double thrust) {
    one.driver.command({{"FLH", thrust}}, 0);
    return one.port->sent.back().second;
  };
  EXPECT_NEAR(effort(10), 0.096669, 1e-6);
  EXPECT_NEAR(effort(50), 0.641730, 1e-6);
  EXPECT_NEAR(effort(65), 0.972914, 1e-6);
  EXPECT_NEAR(effort(-50), -0.269271, 1e-6);
  EXPECT_NEAR(effort(-100), -0.918681, 1e-6);
  EXPECT_EQ(effort(0), 0);
}

TEST(Effort, BeyondTheBoundsItDoesNotTurnOver) {
  // the original sent full reverse for 142 N forward
  OneThruster one;
  for (const double thrust : {66.0, 120.0, 142.0, 1e6, 3e38}) {
    const auto wrong = one.driver.command({{"FLH", thrust}}, 0);
    EXPECT_NEAR(one.port->sent.back().second, 0.972914, 1e-6) << thrust;
    ASSERT_EQ(wrong.size(), 1u);
    EXPECT_NE(wrong[0].find("FLH"), std::string::npos);
  }
}

TEST(Command, ANumberThatIsNotFiniteGivesZeroToThatThrusterAlone) {
  Rig rig;
  const auto wrong = rig.driver->command({{"FLH", kNaN}, {"FRH", 20}}, 0);
  ASSERT_EQ(wrong.size(), 1u);
  rig.run(0.2);
  EXPECT_EQ(rig.last("FLH").effort, 0);
  EXPECT_NEAR(rig.last("FRH").thrust_N, 20, 1e-9);
}

TEST(Command, AnUnknownNameDoesNotLoseTheRestOfTheMessage) {
  Rig rig;
  const auto wrong = rig.driver->command({{"FLX", 20}, {"FRH", 20}}, 0);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_NE(wrong[0].find("FLX"), std::string::npos);
  rig.run(0.2);
  EXPECT_NEAR(rig.last("FRH").thrust_N, 20, 1e-9);
}

TEST(Command, EndsAfterItsTimeThrusterByThruster) {
  // the last driver of the original ran on until the firmware stopped it
  Rig rig;
  rig.driver->command({{"FLH", 20}, {"FRH", 20}}, 0);
  rig.run(0.9, {{"FRH", 20}});
  EXPECT_EQ(rig.last("FLH").thrust_N, 20);
  rig.run(0.3, {{"FRH", 20}});
  EXPECT_EQ(rig.last("FLH").thrust_N, 0);
  EXPECT_EQ(rig.last("FLH").effort, 0);
  EXPECT_EQ(rig.last("FRH").thrust_N, 20);
}

TEST(Status, GoesOnWithoutCommands) {
  Rig rig;
  const auto all = rig.run(1.0);
  EXPECT_GE(all.size(), 8u * 9u);
  const ThrusterStatus s = rig.last("BRV");
  EXPECT_EQ(s.rpm, 0);
  EXPECT_EQ(s.bus_V, 48);
  EXPECT_EQ(s.bus_A, 0);
  EXPECT_EQ(s.temperature_C, 30);
  EXPECT_EQ(s.fault, 0);
  EXPECT_LE(s.sent - s.received, 1u) << "one may be on its way";
}

TEST(Status, TellsWhatAWorkingThrusterDoes) {
  Rig rig;
  rig.run(3, {{"FLH", 50}});
  const ThrusterStatus s = rig.last("FLH");
  EXPECT_NEAR(s.effort, 0.641730, 1e-6);
  EXPECT_GT(s.rpm, 2000);
  EXPECT_NEAR(s.power_W, s.bus_V * s.bus_A, 1e-9);
  EXPECT_LT(s.bus_V, 48);
  EXPECT_GT(s.temperature_C, 30);
  EXPECT_NEAR(rig.ports[0]->thrust_N(0), 50, 0.1);
}

TEST(Status, TellsZeroWhileTheLineSendsZeroWhateverIsAskedFor) {
  Rig rig;
  rig.run(1, {{"FLH", 30}});
  EXPECT_EQ(rig.last("FLH").thrust_N, 30);
  rig.driver->kill(true, false, rig.t);
  rig.run(0.5, {{"FLH", 30}});
  EXPECT_EQ(rig.last("FLH").thrust_N, 0);
  EXPECT_EQ(rig.last("FLH").effort, 0);
}

TEST(Silence, OfASecondIsALossAndOneGoodAnswerEndsIt) {
  Rig rig;
  rig.run(0.5, {{"FLH", 20}});
  rig.ports[0]->set_silent(0, true);
  rig.run(3, {{"FLH", 20}});
  EXPECT_EQ(rig.driver->out(), std::vector<std::string>{"FLH"});
  EXPECT_EQ(rig.driver->state_of(0), "silent");
  EXPECT_NEAR(rig.ports[0]->thrust_N(0), 0, 0.1) << "it was commanded to 0";
  rig.ports[0]->set_silent(0, false);
  rig.run(0.7);
  EXPECT_TRUE(rig.driver->out().empty());
}

TEST(Status, WhatAThrusterDoesNotSayKillsNothing) {
  OneThruster one;
  one.port->replies.push_back({0, 0.01, 0, 100, 48, 1, kNaN, 0, 1, 1});
  one.port->replies.push_back({7, 0.01, 0, 0, 48, 0, 30, 0, 1, 1});
  const auto told = one.driver.step(0);
  ASSERT_EQ(told.size(), 1u) << "and who is not there says nothing";
  EXPECT_EQ(told[0].bus_V, 48);
  EXPECT_EQ(one.driver.state_of(0), "running");
  EXPECT_EQ(one.driver.temperature().severity, 0);
}

TEST(Kill, IsZeroForAllAndEndsOnlyThroughNeutral) {
  Rig rig;
  rig.run(2, {{"FLH", 30}, {"FRH", 30}});
  EXPECT_NEAR(rig.ports[0]->thrust_N(0), 30, 0.1);
  rig.driver->kill(true, true, rig.t);
  for (std::size_t i = 0; i < 4; ++i) {
    rig.ports[i]->set_silent(0, true);
    rig.ports[i]->set_bus_V(1, 20);
  }
  rig.run(5, {{"FLH", 30}, {"FRH", 30}});
  EXPECT_NEAR(rig.ports[0]->thrust_N(0), 0, 0.1);
  EXPECT_TRUE(rig.driver->out().empty()) << "who has no power is silent";
  EXPECT_FALSE(rig.driver->bus(rig.t).known);
  for (std::size_t i = 0; i < 4; ++i)
    for (const std::size_t k : {0u, 1u}) rig.ports[i]->mend(k);
  rig.driver->kill(false, false, rig.t);
  rig.run(2, {{"FLH", 30}, {"FRH", 30}});
  EXPECT_NEAR(rig.ports[0]->thrust_N(0), 0, 0.1);
  rig.run(0.2, {{"FLH", 0}, {"FRH", 30}});
  rig.run(2, {{"FLH", 30}, {"FRH", 30}});
  EXPECT_NEAR(rig.ports[0]->thrust_N(0), 30, 0.1);
  EXPECT_NEAR(rig.ports[1]->thrust_N(0), 0, 0.1);
}

TEST(Settings, AreThoseOfTheRoomsWhereNobodySaysOtherwise) {
  const DriverSettings s;
  const estimation::VoltageSettings volt;
  const estimation::HeatSettings heat;
  EXPECT_EQ(s.warn_V, volt.warn_V);
  EXPECT_EQ(s.kill_V, volt.kill_V);
  EXPECT_EQ(s.voltage_hysteresis_V, volt.hysteresis_V);
  EXPECT_EQ(s.voltage_window_s, volt.window_s);
  EXPECT_EQ(s.temperature_warn_C, heat.warn_C);
  EXPECT_EQ(s.temperature_high_C, heat.high_C);
  EXPECT_EQ(s.temperature_hysteresis_C, heat.hysteresis_C);
}

TEST(Wiring, ANameThatNoThrusterHasIsRefused) {
  const Layout layout = read_layout(original("thruster_layout.yaml"), Use::kDrive);
  const auto port = std::make_shared<NotingPort>();
  try {
    const Driver driver(layout, {{port, {"FLH", "FLX"}}}, {});
    ADD_FAILURE() << "it was taken";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("FLX"), std::string::npos) << e.what();
  }
}

TEST(Wiring, AnIdTwiceOnALineOrAboveTheLastIsRefused) {
  std::string text = original("thruster_layout.yaml");
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos);
    changed.replace(at, from.size(), to);
    try {
      (void)simulated_ports(read_layout(changed, Use::kDrive), {});
    } catch (const std::runtime_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("node_id: 1", "node_id: 3").find("node 3 on this line is that of"),
            std::string::npos);
  EXPECT_NE(refused("node_id: 1", "node_id: 200").find("expected 0 to 127"), std::string::npos);
}

TEST(Silence, IsForgivenInConfidentMode) {
  Rig rig("thruster_layout.yaml", "CONFIDENT_MODE: false", "CONFIDENT_MODE: true");
  rig.ports[0]->set_silent(0, true);
  rig.run(3, {{"FLH", 20}});
  EXPECT_TRUE(rig.driver->out().empty());
  EXPECT_NEAR(rig.ports[0]->thrust_N(0), 20, 0.1);
}

TEST(Silence, OfOnePortLeavesTheOthersAtWork) {
  // a missing cable ended the original's node
  OneThruster one;  // the seven others hang on no port
  EXPECT_EQ(one.driver.out().size(), 7u);
  one.driver.command({{"FLH", 10}, {"FRV", 10}}, 0);
  ASSERT_EQ(one.port->sent.size(), 1u);
  EXPECT_GT(one.port->sent[0].second, 0);
}

TEST(Fail, IsForcedToZeroWhateverIsCommanded) {
  Rig rig;
  std::string why;
  ASSERT_TRUE(rig.driver->fail("FLH", why));
  rig.run(2, {{"FLH", 30}, {"FRH", 30}});
  EXPECT_EQ(rig.last("FLH").thrust_N, 0);
  EXPECT_EQ(rig.ports[0]->thrust_N(0), 0);
  EXPECT_NEAR(rig.ports[1]->thrust_N(0), 30, 0.1);
  EXPECT_EQ(rig.driver->out(), std::vector<std::string>{"FLH"}) << "answers do not undo it";
}

TEST(Fail, WhileRunningStopsItAtTheNextStep) {
  Rig rig;
  rig.run(1, {{"FLH", 30}});
  std::string why;
  ASSERT_TRUE(rig.driver->fail("FLH", why));
  rig.driver->step(rig.t);
  rig.run(0.1);
  EXPECT_EQ(rig.last("FLH").thrust_N, 0);
}

TEST(Fail, TwiceIsNoErrorAndAnUnknownNameIs) {
  // the original counted unknown names and threw for what was not failed
  Rig rig;
  std::string why;
  EXPECT_TRUE(rig.driver->fail("FLH", why));
  EXPECT_TRUE(rig.driver->fail("FLH", why));
  EXPECT_TRUE(rig.driver->unfail("FLH", why));
  EXPECT_TRUE(rig.driver->unfail("FLH", why));
  EXPECT_FALSE(rig.driver->fail("FLX", why));
  EXPECT_NE(why.find("FLX"), std::string::npos);
  EXPECT_FALSE(rig.driver->unfail("", why));
  rig.run(0.2);
  EXPECT_TRUE(rig.driver->out().empty());
  EXPECT_EQ(rig.driver->thruster_out().severity, 0);
}

TEST(ThrusterOut, NamesThemAndGrowsWithTheirNumberUpToFive) {
  Rig rig;
  std::string why;
  const std::vector<std::string> order{"FLH", "FLV", "FRH", "FRV", "BLH", "BLV"};
  for (std::size_t k = 0; k < order.size(); ++k) {
    ASSERT_TRUE(rig.driver->fail(order[k], why));
    EXPECT_EQ(rig.driver->thruster_out().severity,
              static_cast<int>(std::min<std::size_t>(k + 1, 5)));
  }
  for (std::size_t k = 2; k < order.size(); ++k) ASSERT_TRUE(rig.driver->unfail(order[k], why));
  EXPECT_EQ(rig.driver->thruster_out().parameters,
            "{\"offline_thruster_names\": [\"FLH\", \"FLV\"]}");
  const std::string said = rig.driver->thruster_out().description;
  EXPECT_EQ(said.rfind("out: FLH (", 0), 0U) << said;
  EXPECT_NE(said.find(", FLV ("), std::string::npos) << said;
  for (std::size_t k = 0; k < 2; ++k) ASSERT_TRUE(rig.driver->unfail(order[k], why));
  EXPECT_EQ(rig.driver->thruster_out().description, "all thrusters answer");
}

TEST(Faults, AreInTheWordsAndOnTheScaleOfATicksAlarms) {
  Rig rig;
  rig.run(0.5);
  EXPECT_EQ(rig.driver->faults().text, "");
  EXPECT_EQ(rig.driver->faults().severity, 0);
  std::string why;
  rig.ports[0]->set_fault(0, 16);
  rig.ports[1]->set_temperature(0, 85);
  ASSERT_TRUE(rig.driver->fail("BLH", why));
  rig.run(0.5);
  EXPECT_EQ(rig.driver->faults().text,
            "device fault: FLH, stall; temperature: FRH, 85 deg C; thruster out: BLH, by operator");
  EXPECT_EQ(rig.driver->faults().severity, kLeastFault + static_cast<int>(Severity::kError));
  rig.driver->kill(true, false, rig.t);
  EXPECT_EQ(rig.driver->faults().severity, kLeastFault + static_cast<int>(Severity::kCritical));
  rig.driver->kill(false, false, rig.t);
  rig.ports[0]->mend(0);
  rig.ports[1]->mend(0);
  ASSERT_TRUE(rig.driver->unfail("BLH", why));
  rig.run(0.5);
  EXPECT_EQ(rig.driver->faults().text, "");
}

TEST(Simulation, MendingOneThrusterLeavesTheOthersBroken) {
  Rig rig;
  for (std::size_t k = 0; k < 2; ++k) {
    rig.ports[0]->set_silent(k, true);
    rig.ports[0]->set_fault(k, 16);
  }
  rig.ports[0]->mend(0);
  rig.run(3);
  EXPECT_EQ(rig.driver->out(), std::vector<std::string>{"FLV"});
  EXPECT_EQ(rig.last("FLH").fault, 0);
}

TEST(Temperature, IsRaisedAndClearsWithHysteresis) {
  Rig rig;
  const auto at = [&](double celsius) {
    rig.ports[0]->set_temperature(0, celsius);
    rig.run(0.2);
    return rig.driver->temperature().severity;
  };
  EXPECT_EQ(at(79), 0);
  EXPECT_EQ(at(81), 3);
  EXPECT_EQ(at(76), 3);
  EXPECT_EQ(at(96), 4);
  EXPECT_EQ(at(91), 4);
  EXPECT_EQ(at(89), 3);
  EXPECT_EQ(at(74), 0);
  rig.ports[0]->set_temperature(0, 99);
  rig.run(0.2);
  EXPECT_EQ(rig.driver->temperature().parameters, "{\"temperature_C\": {\"FLH\": 99.0}}");
  rig.ports[1]->set_temperature(0, 85);
  rig.run(0.2);
  EXPECT_EQ(rig.driver->temperature().description, "hot: FLH, FRH");
}

TEST(Voltage, AnEmptyBatteryIsToldWithItsNumber) {
  Rig rig;
  for (const auto& port : rig.ports) port->set_supply(43.5);
  rig.run(5);
  const DriverAlarm alarm = rig.driver->voltage(rig.driver->bus(rig.t));
  EXPECT_EQ(alarm.severity, 5);
  EXPECT_EQ(rig.driver->faults().text, "bus voltage: 43.5 V");
  EXPECT_EQ(rig.driver->faults().severity, kLeastFault + static_cast<int>(Severity::kCritical));
  EXPECT_NE(alarm.parameters.find("\"bus_voltage\": 43.5"), std::string::npos) << alarm.parameters;
}

TEST(Info, TellsTheBoundsThatAreReallyKept) {
  Rig rig;
  ThrusterFacts facts;
  std::string why;
  ASSERT_TRUE(rig.driver->info("FLH", facts, why));
  EXPECT_EQ(facts.node_id, 3);
  EXPECT_EQ(facts.lower_N, -100);
  EXPECT_EQ(facts.upper_N, 65);
  EXPECT_EQ(facts.direction, (std::array<double, 3>{0.866, -0.5, 0}));
  EXPECT_FALSE(rig.driver->info("FLX", facts, why));
  // the 2016 driver told the mapper its whole table and then cut 20 % of it
  Rig busses("busses.yaml");
  ASSERT_TRUE(busses.driver->info("FLL", facts, why));
  EXPECT_NEAR(facts.lower_N, -68.1344, 1e-3);
  EXPECT_NEAR(facts.upper_N, 74.5368, 1e-3);
}

TEST(MapperAndDriver, ALostThrusterIsReplacedAndTheWrenchToldIsTheWrenchMade) {
  Rig rig;
  Mapper mapper(read_layout(original("thruster_layout.yaml"), Use::kAllocate), {});
  const Six wrench{40, 10, 30, 2, 1, 5};
  std::string why;
  MapperCommand last;
  const auto fly = [&](double for_s) {
    for (const double end = rig.t + for_s; rig.t < end; rig.t += 0.02) {
      const auto now_ns = static_cast<std::int64_t>(rig.t * 1e9);
      auto command = mapper.take(wrench, now_ns);
      if (!command) command = mapper.poll(now_ns);
      if (command) {
        last = *command;
        Driver::Commands commands;
        for (std::size_t i = 0; i < 8; ++i)
          commands.emplace_back(rig.layout.thrusters[i].name,
                                static_cast<double>(last.thrust_N[i]));
        EXPECT_TRUE(rig.driver->command(commands, rig.t).empty());
      }
      rig.driver->step(rig.t);
      ASSERT_TRUE(
          mapper.set_dropped(rig.driver->out(), static_cast<std::int64_t>(rig.t * 1e9), why))
          << why;
    }
  };
  /// From the thrusts that the simulated thrusters make, by the geometry of the file.
  const auto made = [&] {
    Six out{};
    const std::vector<double> b = mapper.b_matrix();
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t k = 0; k < 6; ++k)
        out[k] += b[8 * k + i] * rig.ports[i / 2]->thrust_N(i % 2);
    return out;
  };
  const auto expect_wrench = [&](const char* when) {
    const Six truth = made();
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(truth[k], wrench[k], 0.1) << when << k;
      EXPECT_NEAR(truth[k], last.actual[k], 0.05) << when << k;
    }
  };
  fly(3);
  expect_wrench("whole ");
  rig.ports[0]->set_silent(0, true);
  fly(5);
  EXPECT_EQ(last.thrust_N[0], 0.0F);
  expect_wrench("without FLH ");
  rig.ports[0]->set_silent(0, false);
  fly(3);
  EXPECT_NE(last.thrust_N[0], 0.0F);
  expect_wrench("whole again ");
}

}  // namespace
}  // namespace pintle::ros1
