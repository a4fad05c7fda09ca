#include "mapper/mapper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "mapper/reference_optimum.h"

namespace pintle::ros1 {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::int64_t s(double seconds) { return static_cast<std::int64_t>(seconds * 1e9 + 0.5); }

std::string original(const std::string& name) {
  std::ifstream in(std::string(PINTLE_SOURCE_DIR) + "/vehicles/original/subjugator/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}
Layout sub() { return read_layout(original("thruster_layout.yaml"), Use::kAllocate); }

/// Without waiting between wrenches.
MapperSettings at_once() {
  MapperSettings settings;
  settings.max_rate_Hz = 0;
  return settings;
}

Six times(const Mapper& mapper, const std::vector<float>& thrust) {
  const std::vector<double> b = mapper.b_matrix();
  Six out{};
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < thrust.size(); ++i)
      out[k] += b[k * thrust.size() + i] * static_cast<double>(thrust[i]);
  return out;
}

void drop(Mapper& mapper, const std::vector<std::string>& names) {
  std::string why;
  ASSERT_TRUE(mapper.set_dropped(names, 0, why)) << why;
}

TEST(Layout, OrderIsThatOfThePortsWhateverTheOrderOfTheMap) {
  EXPECT_EQ(sub().names(), "FLH, FLV, FRH, FRV, BLH, BLV, BRH, BRV");
  EXPECT_EQ(read_layout(original("busses.yaml"), Use::kAllocate).names(),
            "FLL, FLV, FRL, FRV, BLL, BLV, BRL, BRV");
  const std::string shuffled =
      "thruster_ports:\n- {port: a, thruster_names: [right, left], CONFIDENT_MODE: true}\n"
      "thrusters:\n"
      "  extra: {node_id: 3, position: [0, 0, 0], direction: [0, 0, 1]}\n"
      "  left: {node_id: 1, position: [0, 1, 0], direction: [1, 0, 0]}\n"
      "  right: {node_id: 2, position: [0, -1, 0], direction: [1, 0, 0]}\n";
  const Layout layout = read_layout(shuffled, Use::kAllocate);
  EXPECT_EQ(layout.names(), "right, left, extra");
  EXPECT_TRUE(layout.thrusters[0].confident);
  EXPECT_EQ(layout.thrusters[2].port, "");
  EXPECT_THROW((void)read_layout(shuffled, Use::kDrive), std::runtime_error);
}

TEST(Layout, WhatIsWrongIsSaidWithItsName) {
  try {
    (void)read_layout("thrusters:\n  FLH: {node_id: 1, position: [0, 0], direction: [1, 0, 0]}\n",
                      Use::kAllocate);
    FAIL() << "it was accepted";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("position"), std::string::npos) << e.what();
  }
  EXPECT_THROW((void)read_layout("thrusters: {}", Use::kAllocate), std::runtime_error);
  EXPECT_THROW((void)read_layout("nonsense", Use::kAllocate), std::runtime_error);
}

TEST(Alarm, NamesOfLostThrustersAreReadAndAnythingElseIsNothing) {
  EXPECT_EQ(names_in_alarm(R"({"offline_thruster_names": ["FLH", "BRV"]})"),
            (std::vector<std::string>{"FLH", "BRV"}));
  EXPECT_EQ(names_in_alarm(R"({"offline_thruster_names": []})"), std::vector<std::string>{});
  for (const char* other : {"", "{}", "[1, 2", "null", R"({"offline_thruster_names": 3})", "{{{"})
    EXPECT_FALSE(names_in_alarm(other)) << other;
}

TEST(Wire, FloatsNeverLeaveTheBounds) {
  // 93.17094362793253 would round up to 93.17094421
  EXPECT_LT(static_cast<double>(inside(93.17094362793253, -85, 93.17094362793253)),
            93.17094362793253);
  EXPECT_EQ(inside(65, -100, 65), 65.0F);
  EXPECT_GE(static_cast<double>(inside(-0.1, -0.1, 1)), -0.1);
  EXPECT_EQ(inside(kNaN, -1, 1), 0.0F);
}

TEST(BMatrix, HasTheColumnsOfTheOriginalRowByRow) {
  const std::vector<double> b = Mapper(sub(), {}).b_matrix();
  ASSERT_EQ(b.size(), 48u);
  const std::array<double, 8> surge{0.866, 0, 0.866, 0, -0.866, 0, -0.866, 0};
  const std::array<double, 8> pitch{0, -0.1583, 0, -0.1583, 0, 0.1583, 0, 0.1583};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(b[i], surge[i], 1e-12);
    EXPECT_NEAR(b[32 + i], pitch[i], 1e-12);
  }
  EXPECT_NEAR(b[40], -0.375947, 1e-9);
}

TEST(BMatrix, IsNotChangedByADrop) {
  Mapper mapper(sub(), {});
  const std::vector<double> before = mapper.b_matrix();
  drop(mapper, {"FLH"});
  EXPECT_EQ(mapper.b_matrix(), before);
}

TEST(Answers, AreExactOptimaInsideTheBoundsWithUpToThreeThrustersOut) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> force(-250, 250), torque(-80, 80);
  int bounded = 0, dead_band = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Mapper mapper(sub(), at_once());
    const Layout& layout = mapper.layout();
    std::vector<std::string> out(static_cast<std::size_t>(trial % 4));
    for (std::string& name : out) name = layout.thrusters[random() % 8].name;
    drop(mapper, out);
    Six w{};
    for (std::size_t k = 0; k < 6; ++k) w[k] = k < 3 ? force(random) : torque(random);

    testing::BoxProblem p;
    const std::vector<double> b = mapper.b_matrix();
    for (std::size_t i = 0; i < 8; ++i) {
      const bool dropped = std::find(out.begin(), out.end(), layout.thrusters[i].name) != out.end();
      Six column{};
      for (std::size_t k = 0; k < 6; ++k) column[k] = b[8 * k + i];
      p.column.push_back(column);
      p.lower.push_back(dropped ? 0 : -100);
      p.upper.push_back(dropped ? 0 : 65);
    }
    const double optimum = testing::objective(p, w, 1e-4, testing::optimum(p, w, 1e-4));

    const auto command = mapper.take(w, 0);
    ASSERT_TRUE(command);
    std::vector<double> sent(command->thrust_N.begin(), command->thrust_N.end());
    bool touched = false;
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_GE(sent[i], p.lower[i]);
      EXPECT_LE(sent[i], p.upper[i]);
      touched |= sent[i] == 0 && p.upper[i] > 0;
    }
    // where the dead band acted the answer is off by less than the band
    EXPECT_LE(testing::objective(p, w, 1e-4, sent), optimum + (touched ? 8 * 4e-4 : 1e-9)) << trial;
    bounded += command->bounded ? 1 : 0;
    dead_band += touched ? 1 : 0;
  }
  EXPECT_GT(bounded, 500);
  EXPECT_LT(dead_band, 20);
}

TEST(Answers, AttenuateTheWeakestAxisByOnePerMille) {
  // pitch: s^2 / (s^2 + r) with s^2 = 4 * 0.1583^2
  Mapper mapper(sub(), at_once());
  const auto command = mapper.take({0, 0, 0, 0, 10, 0}, 0);
  const double s2 = 4 * 0.1583 * 0.1583;
  EXPECT_NEAR(command->actual[4], 10 * s2 / (s2 + 1e-4), 1e-5);
  EXPECT_NEAR(command->error[4], 10 - command->actual[4], 1e-12);
}

TEST(Answers, AreFiniteAndBoundedForWrenchesOfAnySize) {
  // from 1e8 on the original's solver failed and shrank the wrench
  for (const double size : {1e4, 1e6, 1e8, 1e12, 1e100, 1e300}) {
    Mapper mapper(sub(), at_once());
    const auto command = mapper.take({size, -size, size, size, size, -size}, 0);
    ASSERT_TRUE(command) << size;
    for (const float u : command->thrust_N) {
      EXPECT_GE(u, -100.0F);
      EXPECT_LE(u, 65.0F);
    }
    if (size <= 1e12) {
      EXPECT_FALSE(command->safe) << size;
    }
  }
}

TEST(Actual, IsWhatTheNumbersSentGive) {
  Mapper mapper(sub(), at_once());
  drop(mapper, {"FLV"});
  for (const Six& w : {Six{50, 20, 90, 4, -3, 2}, Six{0.01, 0, 0.02, 0, 0, 0}}) {
    const auto command = mapper.take(w, 0);
    const Six expected = times(mapper, command->thrust_N);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(command->actual[k], expected[k], 1e-12);
      EXPECT_NEAR(command->error[k], w[k] - expected[k], 1e-12);
    }
    EXPECT_EQ(command->thrust_N[1], 0.0F);
  }
  // below the least thrust nothing is sent, and actual says so
  EXPECT_EQ(mapper.take({0, 0, 0.015, 0, 0, 0}, 0)->actual, (Six{}));
}

TEST(NotFinite, IsAnsweredWithTheSafeCommandAtOnce) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    Mapper mapper(sub(), {});
    ASSERT_FALSE(mapper.take({50, 0, 0, 0, 0, 0}, 0)->safe);
    // 1 ms later, although the rate limit is 50 ms
    const auto command = mapper.take({0, 0, 0, 0, 0, bad}, s(0.001));
    ASSERT_TRUE(command);
    EXPECT_TRUE(command->safe);
    EXPECT_EQ(command->thrust_N, std::vector<float>(8, 0.0F));
    EXPECT_EQ(command->actual, (Six{}));
    for (const double e : command->error) EXPECT_TRUE(std::isfinite(e));
    EXPECT_TRUE(mapper.rejected());
    // and the next good one is followed again
    const auto next = mapper.take({50, 0, 0, 0, 0, 0}, s(0.1));
    ASSERT_TRUE(next);
    EXPECT_FALSE(next->safe);
    EXPECT_FALSE(mapper.rejected());
  }
}

TEST(NotFinite, DoesNotHoldUpAChangeOfLayout) {
  // in the original the solver spun for ever with the lock held
  Mapper mapper(sub(), at_once());
  (void)mapper.take({kNaN, 0, 0, 0, 0, 0}, 0);
  drop(mapper, {"BRV"});
  EXPECT_EQ(mapper.dropped(), std::vector<std::string>{"BRV"});
  EXPECT_FALSE(mapper.poll(s(0.01))) << "there is no wrench to answer anew";
}

TEST(Timeout, EndsInTheSafeCommandOnce) {
  Mapper mapper(sub(), {});
  EXPECT_TRUE(mapper.silent());
  EXPECT_FALSE(mapper.poll(0)) << "nothing was ever asked for";
  ASSERT_TRUE(mapper.take({50, 0, 0, 0, 0, 0}, s(1)));
  EXPECT_FALSE(mapper.poll(s(1.5)));
  EXPECT_FALSE(mapper.silent());
  const auto safe = mapper.poll(s(1.51));
  ASSERT_TRUE(safe);
  EXPECT_TRUE(safe->safe);
  EXPECT_TRUE(mapper.silent());
  EXPECT_FALSE(mapper.poll(s(1.6)));
  EXPECT_FALSE(mapper.take({1, 0, 0, 0, 0, 0}, s(1.7))->safe);
}

TEST(Timeout, AClockThatIsSetBackNeitherStopsNorReleasesAnything) {
  // in the original all wrenches were dropped until the clock had caught up
  Mapper mapper(sub(), {});
  ASSERT_TRUE(mapper.take({50, 0, 0, 0, 0, 0}, s(1000)));
  const auto next = mapper.take({40, 0, 0, 0, 0, 0}, s(5));
  ASSERT_TRUE(next);
  EXPECT_FALSE(next->safe);
  EXPECT_FALSE(mapper.poll(s(5.5)));
  EXPECT_TRUE(mapper.poll(s(5.51))->safe);
}

TEST(Timeout, AClockThatIsSetBackWhileNobodySendsDoesNotKeepTheThrust) {
  Mapper mapper(sub(), {});
  ASSERT_TRUE(mapper.take({50, 0, 0, 0, 0, 0}, s(1000)));
  EXPECT_FALSE(mapper.poll(s(5)));
  EXPECT_FALSE(mapper.poll(s(5.4)));
  std::optional<MapperCommand> safe;
  for (double t = 5.41; t < 6.1 && !safe; t += 0.005) safe = mapper.poll(s(t));
  ASSERT_TRUE(safe);
  EXPECT_TRUE(safe->safe);
}

TEST(Stop, EndsInTheSafeCommandOnce) {
  Mapper mapper(sub(), {});
  EXPECT_FALSE(mapper.stop(0));
  ASSERT_TRUE(mapper.take({50, 0, 0, 0, 0, 0}, 0));
  const auto safe = mapper.stop(s(0.001));
  ASSERT_TRUE(safe);
  EXPECT_TRUE(safe->safe);
  EXPECT_EQ(safe->thrust_N, std::vector<float>(8, 0.0F));
  EXPECT_FALSE(mapper.stop(s(0.002)));
}

TEST(Rate, TheNewestOfManyWrenchesWaitsForItsTurn) {
  Mapper mapper(sub(), {});
  ASSERT_TRUE(mapper.take({10, 0, 0, 0, 0, 0}, 0));
  EXPECT_FALSE(mapper.take({20, 0, 0, 0, 0, 0}, s(0.01)));
  EXPECT_FALSE(mapper.take({30, 0, 0, 0, 0, 0}, s(0.02)));
  EXPECT_FALSE(mapper.poll(s(0.049)));
  const auto command = mapper.poll(s(0.05));
  ASSERT_TRUE(command);
  EXPECT_NEAR(command->actual[0], 30, 0.01);
  EXPECT_FALSE(mapper.poll(s(0.1))) << "it was answered";
}

TEST(Drop, ReplacesTheListBefore) {
  Mapper mapper(sub(), {});
  drop(mapper, {"FLH", "FLH"});
  drop(mapper, {"BRV"});
  EXPECT_EQ(mapper.dropped(), std::vector<std::string>{"BRV"});
  drop(mapper, {});
  EXPECT_TRUE(mapper.dropped().empty());
  // the 2016 mapper could never take one back
  EXPECT_NE(mapper.take({50, 0, 50, 0, 0, 0}, 0)->thrust_N[0], 0.0F);
}

TEST(Drop, OfAnUnknownThrusterChangesNothing) {
  // the original had replaced the list and taken the first names when it found out
  Mapper mapper(sub(), {});
  drop(mapper, {"FLH"});
  std::string why;
  EXPECT_FALSE(mapper.set_dropped({"FRV", "FLX"}, 0, why));
  EXPECT_NE(why.find("FLX"), std::string::npos);
  EXPECT_NE(why.find("FLH, FLV"), std::string::npos) << "it names those that there are";
  EXPECT_EQ(mapper.dropped(), std::vector<std::string>{"FLH"});
}

TEST(Drop, AnswersTheWrenchInForceAnew) {
  Mapper mapper(sub(), {});
  ASSERT_TRUE(mapper.take({0, 0, 60, 0, 0, 0}, 0));
  drop(mapper, {"FLV"});
  EXPECT_FALSE(mapper.poll(s(0.01)));
  const auto command = mapper.poll(s(0.05));
  ASSERT_TRUE(command);
  EXPECT_EQ(command->thrust_N[1], 0.0F);
  EXPECT_NEAR(command->actual[2], 60, 0.2);
}

TEST(LostAxes, AreToldForExactlyTheTwelvePairsInsideOneBlock) {
  const Layout layout = sub();
  int lost = 0;
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = i + 1; j < 8; ++j) {
      Mapper mapper(layout, {});
      drop(mapper, {layout.thrusters[i].name, layout.thrusters[j].name});
      const bool same_block = (i % 2) == (j % 2);
      EXPECT_EQ(mapper.lost_axes().empty(), !same_block)
          << layout.thrusters[i].name << " " << layout.thrusters[j].name;
      lost += mapper.lost_axes().empty() ? 0 : 1;
    }
  EXPECT_EQ(lost, 12);
  Mapper mapper(layout, {});
  for (const LayoutThruster& t : layout.thrusters) {
    drop(mapper, {t.name});
    EXPECT_TRUE(mapper.lost_axes().empty()) << t.name;
  }
}

TEST(LostAxes, AreBackHalfASecondLaterAlsoWithoutAWrench) {
  Mapper mapper(sub(), {});
  std::string why;
  ASSERT_TRUE(mapper.set_dropped({"FLV", "FRV"}, s(1), why));
  ASSERT_FALSE(mapper.lost_axes().empty());
  EXPECT_EQ(mapper.faults().severity, 4);
  EXPECT_NE(mapper.faults().text.find("axis lost: pitch"), std::string::npos)
      << mapper.faults().text;
  ASSERT_TRUE(mapper.set_dropped({}, s(1.1), why));
  EXPECT_FALSE(mapper.lost_axes().empty()) << "an axis at the edge comes and goes";
  double t = 1.1;
  for (; t < 3 && !mapper.lost_axes().empty(); t += 0.005) EXPECT_FALSE(mapper.poll(s(t)));
  EXPECT_LT(t, 1.7);
  EXPECT_EQ(mapper.faults().text, "");
}

TEST(Faults, AWrenchThatComesNoMoreIsOneUntilItHasComeForASecond) {
  Mapper mapper(sub(), {});
  EXPECT_FALSE(mapper.poll(s(9)));
  EXPECT_FALSE(mapper.wrench_lost()) << "none has come yet";
  ASSERT_TRUE(mapper.take({50, 0, 0, 0, 0, 0}, s(10)));
  EXPECT_EQ(mapper.faults().text, "");
  EXPECT_TRUE(mapper.poll(s(10.51))->safe);
  EXPECT_TRUE(mapper.wrench_lost());
  EXPECT_EQ(mapper.faults().severity, 3);
  EXPECT_NE(mapper.faults().text.find("planner"), std::string::npos) << mapper.faults().text;
  double t = 11;
  for (; t < 14 && mapper.wrench_lost(); t += 0.1) (void)mapper.take({50, 0, 0, 0, 0, 0}, s(t));
  EXPECT_NEAR(t, 12.1, 0.15);
  EXPECT_EQ(mapper.faults().text, "");
}

TEST(Bounds, ComeFromTheDriverWhereTheLayoutHasNone) {
  Mapper mapper(read_layout(original("busses.yaml"), Use::kAllocate), at_once());
  EXPECT_EQ(mapper.unbounded().size(), 8u);
  EXPECT_TRUE(mapper.take({10, 0, 0, 0, 0, 0}, 0)->safe) << "no thrust before all are known";
  std::string why;
  EXPECT_FALSE(mapper.set_bounds("FLL", 10, 20, why));
  EXPECT_FALSE(mapper.set_bounds("FLL", kNaN, 20, why));
  EXPECT_FALSE(mapper.set_bounds("XXX", -10, 20, why));
  for (const LayoutThruster& t : mapper.layout().thrusters)
    EXPECT_TRUE(mapper.set_bounds(t.name, -20, 15, why)) << why;
  EXPECT_TRUE(mapper.unbounded().empty());
  EXPECT_TRUE(mapper.lost_axes().empty());
  const auto command = mapper.take({500, 0, 0, 0, 0, 0}, s(1));
  EXPECT_FALSE(command->safe);
  EXPECT_TRUE(command->bounded);
  EXPECT_NEAR(command->actual[0], 0.866 * (20 + 20 + 15 + 15), 0.1);
}

}  // namespace
}  // namespace pintle::ros1
