#include "pintle/mission/navigation.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::mission {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct Flight {
  Navigation navigation{NavigationParams{}};
  double t = 0;
  NavigationEnd start(std::uint64_t id, NavigationPose goal) {
    return navigation.start(id, goal, Time::from_seconds(t));
  }
  NavigationEnd at(NavigationPose pose) {
    t += 0.02;
    return navigation.update(pose, Time::from_seconds(t));
  }
  NavigationEnd blind() {
    t += 0.02;
    return navigation.update(std::nullopt, Time::from_seconds(t));
  }
};

using Percent = std::array<std::uint8_t, 4>;

TEST(Navigation, SucceedsAfterItHasSettledAtTheGoal) {
  Flight f;
  EXPECT_EQ(f.start(7, {{2, 0, 1}, 0}).outcome, NavigationOutcome::kNone);
  EXPECT_EQ(f.at({}).outcome, NavigationOutcome::kNone);
  int ticks = 0;
  NavigationEnd end;
  while (end.outcome == NavigationOutcome::kNone && ++ticks < 100) end = f.at({{2, 0, 1.02}, 0});
  EXPECT_EQ(end.outcome, NavigationOutcome::kSucceeded);
  EXPECT_EQ(end.id, 7U);
  EXPECT_EQ(ticks, 26);  // 0.5 s after the first tick within
  EXPECT_EQ(f.navigation.progress(), (Percent{100, 100, 100, 100}));
}

TEST(Navigation, FlyingThroughTheGoalIsNotArriving) {
  Flight f;
  f.start(1, {{2, 0, 0}, 0});
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(f.at({{0.02 * i, 0, 0}, 0}).outcome, NavigationOutcome::kNone);
  EXPECT_TRUE(f.navigation.is_active());
}

TEST(Navigation, HazardProgressStaysBetweenZeroAndHundredAndNeverFalls) {
  Flight f;
  f.start(1, {{2, -2, 1}, kPi / 2});
  f.at({});
  EXPECT_EQ(f.navigation.progress(), (Percent{0, 0, 0, 0}));
  f.at({{0.5, 3, 3}, 0});  // x a quarter done, y the wrong way, z far over
  EXPECT_EQ(f.navigation.progress(), (Percent{25, 0, 0, 0}));
  f.at({{1.0, -1, 0.5}, kPi / 4});
  EXPECT_EQ(f.navigation.progress(), (Percent{50, 50, 50, 50}));
  f.at({});
  EXPECT_EQ(f.navigation.progress(), (Percent{50, 50, 50, 50}));
}

TEST(Navigation, HazardAnEqualPoseSucceedsAtOnceAndOnlyThen) {
  Flight f;
  f.start(1, {{1, 2, 3}, 0.5});
  EXPECT_EQ(f.at({{1, 2, 3}, 0.5}).outcome, NavigationOutcome::kSucceeded);
  EXPECT_EQ(f.navigation.progress(), (Percent{100, 100, 100, 100}));
  // the goal before has ended well: the next one inherits nothing of that
  f.start(2, {{5, 2, 3}, 0.5});
  EXPECT_EQ(f.at({{1, 2, 3}, 0.5}).outcome, NavigationOutcome::kNone);
  EXPECT_EQ(f.navigation.progress(), (Percent{0, 100, 100, 100}));
}

TEST(Navigation, YawTakesTheShortestTurn) {
  Flight f;
  f.start(1, {{}, -3.0});
  f.at({{}, 3.0});
  EXPECT_NEAR(f.navigation.error()[3], 2 * kPi - 6, 1e-12);
  f.start(2, {{}, 0.1 + 6 * kPi});
  EXPECT_EQ(f.at({{}, 0.1}).outcome, NavigationOutcome::kSucceeded);
}

TEST(Navigation, HazardCancelEndsItBeforeTheNextTick) {
  Flight f;
  f.start(1, {{2, 0, 0}, 0});
  f.at({});
  EXPECT_EQ(f.navigation.cancel(9).outcome, NavigationOutcome::kNone);
  EXPECT_TRUE(f.navigation.is_active());
  EXPECT_EQ(f.navigation.cancel(1).outcome, NavigationOutcome::kCanceled);
  EXPECT_FALSE(f.navigation.is_active());
  EXPECT_EQ(f.navigation.error(), (std::array<double, 4>{}));
  EXPECT_EQ(f.at({}).outcome, NavigationOutcome::kNone);
}

TEST(Navigation, HazardANewerGoalPreemptsAndEachGoalEndsOnce) {
  Flight f;
  f.start(1, {{2, 0, 0}, 0});
  f.at({});
  const NavigationEnd first = f.start(2, {{0, 2, 0}, 0});
  EXPECT_EQ(first.id, 1U);
  EXPECT_EQ(first.outcome, NavigationOutcome::kPreempted);
  EXPECT_EQ(f.navigation.cancel(1).outcome, NavigationOutcome::kNone);
  f.at({});
  EXPECT_EQ(f.navigation.error(), (std::array<double, 4>{0, 2, 0, 0}));
}

TEST(Navigation, AGoalThatIsNotFiniteIsRefusedAndThePresentOneGoesOn) {
  Flight f;
  f.start(1, {{2, 0, 0}, 0});
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), -1e300}) {
    const NavigationEnd end = f.start(2, {{bad, 0, 0}, 0});
    EXPECT_EQ(end.id, 2U);
    EXPECT_EQ(end.outcome, NavigationOutcome::kRefused);
    EXPECT_EQ(f.at({{0, bad, 0}, 0}).outcome, NavigationOutcome::kNone);
    EXPECT_EQ(f.navigation.error(), (std::array<double, 4>{}));
  }
  EXPECT_EQ(f.navigation.id(), 1U);
  EXPECT_TRUE(f.navigation.is_active());
}

TEST(Navigation, HazardNoWaitIsWithoutEnd) {
  Flight f;
  f.start(1, {{2, 0, 0}, 0});
  NavigationEnd end;
  int ticks = 0;
  while (end.outcome == NavigationOutcome::kNone && ++ticks < 5000) end = f.at({});
  EXPECT_EQ(end.outcome, NavigationOutcome::kTimedOut);
  EXPECT_NEAR(f.t, 60, 0.03);

  f.start(2, {{2, 0, 0}, 0});
  f.at({});
  const double seen = f.t;
  end = {};
  while (end.outcome == NavigationOutcome::kNone && ++ticks < 9000) {
    end = f.blind();
    EXPECT_EQ(f.navigation.error(), (std::array<double, 4>{}));
  }
  EXPECT_EQ(end.outcome, NavigationOutcome::kStale);
  EXPECT_NEAR(f.t - seen, 0.5, 0.03);
}

}  // namespace
}  // namespace pintle::mission
