#include "pintle/world/faults.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace pintle::world {
namespace {

std::string name(int i) { return std::string("T").append(std::to_string(i)); }

vehicle::Vehicle many(int n) {
  vehicle::Vehicle v;
  for (int i = 0; i < n; ++i) v.propulsors.push_back({name(i), {}, {}});
  return v;
}

FaultSpec spec(const char* name, FaultKind kind, double at, double until, double value = 0,
               bool announced = true) {
  return {name, kind, at, until, value, announced};
}

Time at(double s) { return Time::from_seconds(s); }

TEST(Faults, BeginAndEndAtTheirInstants) {
  FaultSchedule f(many(2), {spec("T1", FaultKind::kWeak, 1, 3, 0.4)});
  EXPECT_EQ(f.effect(1).gain, 1);
  f.update(at(0.999));
  EXPECT_EQ(f.effect(1).gain, 1);
  f.update(at(1));
  EXPECT_EQ(f.effect(1).gain, 0.4);
  EXPECT_EQ(f.effect(0).gain, 1);
  f.update(at(2.999));
  EXPECT_EQ(f.effect(1).gain, 0.4);
  f.update(at(3));
  EXPECT_EQ(f.effect(1).gain, 1);
}

TEST(Faults, ThatOverlapAddUpAndDeadWins) {
  FaultSchedule f(many(1),
                  {spec("T0", FaultKind::kWeak, 0, 9, 0.5), spec("T0", FaultKind::kReversed, 1, 9),
                   spec("T0", FaultKind::kSlow, 2, 9, 3), spec("T0", FaultKind::kStuck, 3, 9, 0.7),
                   spec("T0", FaultKind::kDelayed, 3, 9, 0.2), spec("T0", FaultKind::kDead, 4, 5)});
  EXPECT_EQ(f.effect(0).gain, 0.5);
  f.update(at(1));
  EXPECT_EQ(f.effect(0).gain, -0.5);
  f.update(at(3));
  EXPECT_EQ(f.effect(0).slowness, 3);
  EXPECT_TRUE(f.effect(0).stuck);
  EXPECT_EQ(f.effect(0).stuck_effort, 0.7);
  EXPECT_EQ(f.effect(0).delay_line, 4);
  f.update(at(4));
  EXPECT_EQ(f.effect(0).gain, 0);
  f.update(at(5));
  EXPECT_EQ(f.effect(0).gain, -0.5);
}

TEST(Faults, AreAnnouncedOnceWhenTheyBeginAndWhenTheyEnd) {
  FaultSchedule f(
      many(3),
      {spec("T2", FaultKind::kStuck, 0, 4, 0.3), spec("T0", FaultKind::kDead, 2, 1e9),
       spec("T1", FaultKind::kDead, 2, 1e9, 0, false), spec("T1", FaultKind::kSlow, 2, 1e9, 5)});
  auto told = f.take_announcements();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].propulsor, 2U);
  EXPECT_EQ(told[0].health.health, Health::kStuck);
  EXPECT_EQ(told[0].health.stuck_effort, 0.3);
  EXPECT_TRUE(f.take_announcements().empty());

  f.update(at(2));
  told = f.take_announcements();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].propulsor, 0U);
  EXPECT_EQ(told[0].health.health, Health::kOut);

  f.update(at(4));
  told = f.take_announcements();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].propulsor, 2U);
  EXPECT_EQ(told[0].health.health, Health::kGood);
}

TEST(Faults, NoAnnouncementIsLostWhenManyComeAtOnce) {
  std::vector<FaultSpec> all;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(name(i));
  for (const std::string& n : names) all.push_back(spec(n.c_str(), FaultKind::kWeak, 1, 9, 0.5));
  FaultSchedule f(many(40), all);
  f.update(at(1));
  std::uint32_t next = 0;
  for (std::size_t expected : {16U, 16U, 8U, 0U}) {
    const auto told = f.take_announcements();
    ASSERT_EQ(told.size(), expected);
    for (const Announcement& a : told) {
      EXPECT_EQ(a.propulsor, next++);
      EXPECT_EQ(a.health.efficiency, 0.5);
    }
  }
}

TEST(Faults, OfAPropulsorThatDoesNotExistAreRefused) {
  EXPECT_THROW(FaultSchedule(many(2), {spec("T2", FaultKind::kDead, 0, 1)}), std::invalid_argument);
}

}  // namespace
}  // namespace pintle::world
