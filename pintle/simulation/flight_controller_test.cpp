// The simulated flight controller on the shipped quadrotor and the rigid plant: what it does when
// asked, what it refuses, what it does by itself.
#include "pintle/simulation/flight_controller.h"

#include <gtest/gtest.h>

#include "pintle/craft/load.h"
#include "pintle/world/world.h"

namespace pintle::simulation {
namespace {

using world::Device;
using world::DeviceFault;
using world::DeviceFaultKind;

world::WorldParams field() {
  world::WorldParams p;
  p.water.density_kg_m3 = 0;
  p.gravity_m_s2 = 9.80665;
  p.air = world::AirParams{};
  p.ground = world::GroundParams{};
  p.step_s = 0.002;
  p.start_position_m = {0, 0, 0.2};
  return p;
}

/// A craft, its flight controller and whoever asks: ticks of 20 ms.
class Flight {
 public:
  explicit Flight(const world::WorldParams& place = field(),
                  const std::vector<DeviceFault>& faults = {},
                  world::FlightControllerParams params = {})
      : file_(load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/quad.yaml")),
        model_(build_model(file_, nullptr)),
        world(model_.vehicle, place, 1),
        controller(file_, params, faults, 1) {}

  void ask(FlightRequestKind kind) { controller.request({kind, ++number_}); }

  void pass(double seconds) {
    const int ticks = static_cast<int>(std::lround(seconds / 0.02));
    for (int k = 0; k < ticks; ++k) {
      if (motion) controller.command(*motion);
      for (int i = 0; i < 2; ++i) {
        const world::Truth t = world.truth();
        const PropulsorCommands& c =
            controller.step({world.now(), t.X_WB, t.V_WB_B, battery, world.bus_V()});
        world.advance(c.command, c.ignition, world.now() + controller.period());
      }
      if (controller.take_report(report)) ++reports;
      highest = std::max(highest, world.truth().X_WB.p.z);
    }
  }
  /// Asks and waits for an answer.
  RequestOutcome get(FlightRequestKind kind, double within_s = 20) {
    ask(kind);
    for (double t = 0; t < within_s; t += 0.1) {
      pass(0.1);
      if (report.request == number_ && report.outcome != RequestOutcome::kPending) break;
    }
    return report.request == number_ ? report.outcome : RequestOutcome::kNone;
  }
  void get_airborne() {
    ASSERT_EQ(get(FlightRequestKind::kTakeControl), RequestOutcome::kDone);
    ASSERT_EQ(get(FlightRequestKind::kTakeOff), RequestOutcome::kDone);
    ASSERT_EQ(report.phase, FlightPhase::kAirborne);
  }
  [[nodiscard]] Vec3 p() const { return world.truth().X_WB.p; }
  [[nodiscard]] Vec3 v() const {
    const world::Truth t = world.truth();
    return rotate(t.X_WB.q, t.V_WB_B.v);
  }

  VehicleFile file_;
  Model model_;
  world::World world;
  SimulatedFlightController controller;
  std::optional<MotionCommand> motion;
  FlightReport report;
  double battery = 1, highest = 0;
  int reports = 0;

 private:
  std::uint32_t number_ = 0;
};

TEST(FlightController, TakesOffToItsHeightAndSaysSoOnlyThen) {
  Flight f;
  EXPECT_EQ(f.report.phase, FlightPhase::kMotorsOff);
  ASSERT_EQ(f.get(FlightRequestKind::kTakeControl), RequestOutcome::kDone);
  EXPECT_TRUE(f.report.has_control);
  f.ask(FlightRequestKind::kTakeOff);
  f.pass(1);
  EXPECT_EQ(f.report.phase, FlightPhase::kTakingOff);
  EXPECT_EQ(f.report.outcome, RequestOutcome::kPending);
  f.pass(9);
  EXPECT_EQ(f.report.phase, FlightPhase::kAirborne);
  EXPECT_EQ(f.report.outcome, RequestOutcome::kDone);
  EXPECT_NEAR(f.p().z, 0.2 + 1.2, 0.15);
  EXPECT_LT(f.highest, 1.7);
}

TEST(FlightController, StandsStillAndPushesNothingUntilItIsAsked) {
  Flight f;
  f.motion = MotionCommand{{1, 0, 1}, 0};
  f.pass(3);
  EXPECT_NEAR(f.p().z, 0.2, 0.005);
  EXPECT_NEAR(norm(f.world.truth().propulsion.force), 0, 1e-6);
  EXPECT_NEAR(f.reports, 150, 2);
}

TEST(FlightController, FollowsVelocitiesInTheHeadingFrame) {
  world::WorldParams turned = field();
  turned.start_rpy_deg = {0, 0, 90};  // ahead is north
  Flight f(turned);
  f.get_airborne();
  f.motion = MotionCommand{{1, 0.5, 0.4}, 0};
  f.pass(6);
  EXPECT_NEAR(f.v().x, -0.5, 0.05);
  EXPECT_NEAR(f.v().y, 1, 0.05);
  EXPECT_NEAR(f.v().z, 0.4, 0.05);
  EXPECT_NEAR(f.report.v_W.y, 1, 0.1);
  EXPECT_NEAR(f.report.yaw_rad, kPi / 2, 0.05);
}

TEST(FlightController, TurnsAtTheRateAsked) {
  Flight f;
  f.get_airborne();
  f.motion = MotionCommand{{}, 0.4};
  f.pass(3);
  EXPECT_NEAR(f.world.truth().V_WB_B.w.z, 0.4, 0.02);
  f.motion = MotionCommand{};
  f.pass(3);
  EXPECT_NEAR(f.world.truth().V_WB_B.w.z, 0, 0.01);
}

TEST(FlightController, HoversByItselfWhenCommandsGetStale) {
  Flight f;
  f.get_airborne();
  f.motion = MotionCommand{{1, 0, 0}, 0};
  f.pass(4);
  f.motion.reset();
  f.pass(0.4);
  EXPECT_NEAR(f.v().x, 1, 0.1) << "not yet older than half a second";
  f.pass(6);
  const Vec3 there = f.p();
  f.pass(5);
  EXPECT_LT(norm(f.p() - there), 0.1);
  EXPECT_LT(norm(f.v()), 0.1);
}

TEST(FlightController, HoldsItsPlaceInWind) {
  world::WorldParams windy = field();
  windy.air->wind_m_s = {6, 0, 0};
  Flight f(windy, {}, [] {
    world::FlightControllerParams p;
    p.position_walk_m = 0;
    return p;
  }());
  f.get_airborne();
  f.pass(10);
  EXPECT_LT(std::hypot(f.p().x, f.p().y), 0.1);
}

TEST(FlightController, LandsSlowlySwitchesOffAndOnlyThenIsDone) {
  Flight f;
  f.get_airborne();
  f.motion = MotionCommand{{0, 0, 1}, 0};
  f.pass(3);
  f.motion = MotionCommand{};
  f.pass(2);
  const double from = f.p().z;
  f.ask(FlightRequestKind::kLand);
  f.pass(2);
  EXPECT_EQ(f.report.phase, FlightPhase::kLanding);
  EXPECT_NEAR(f.v().z, -0.5, 0.05);
  while (f.report.phase == FlightPhase::kLanding) f.pass(0.1);
  EXPECT_EQ(f.report.phase, FlightPhase::kTouchingDown);
  EXPECT_EQ(f.report.outcome, RequestOutcome::kPending);
  EXPECT_NEAR(f.p().z, 0.2, 0.01) << "from " << from;
  EXPECT_NEAR(std::hypot(f.p().x, f.p().y), 0, 0.15);
  f.pass(2.2);
  EXPECT_EQ(f.report.phase, FlightPhase::kMotorsOff);
  EXPECT_EQ(f.report.outcome, RequestOutcome::kDone);
  EXPECT_NEAR(norm(f.world.truth().propulsion.force), 0, 1e-3);
}

TEST(FlightController, LandsWithoutControlAndTakesOffAgain) {
  Flight f;
  f.get_airborne();
  ASSERT_EQ(f.get(FlightRequestKind::kReleaseControl), RequestOutcome::kDone);
  EXPECT_FALSE(f.report.has_control);
  EXPECT_EQ(f.get(FlightRequestKind::kLand), RequestOutcome::kDone);
  f.get_airborne();
}

TEST(FlightController, RefusesToTakeOffWithoutControlInTheAirAndOnAnEmptyBattery) {
  Flight f;
  EXPECT_EQ(f.get(FlightRequestKind::kTakeOff), RequestOutcome::kRefused);
  f.battery = 0.2;
  EXPECT_EQ(f.get(FlightRequestKind::kTakeControl), RequestOutcome::kDone);
  EXPECT_EQ(f.get(FlightRequestKind::kTakeOff), RequestOutcome::kRefused);
  EXPECT_NEAR(f.p().z, 0.2, 0.005);
  f.battery = 1;
  EXPECT_EQ(f.get(FlightRequestKind::kTakeOff), RequestOutcome::kDone);
  EXPECT_EQ(f.get(FlightRequestKind::kTakeOff), RequestOutcome::kRefused);
  EXPECT_EQ(f.report.phase, FlightPhase::kAirborne);
}

TEST(FlightController, LandsByItselfOnACriticalBattery) {
  Flight f;
  f.get_airborne();
  f.motion = MotionCommand{{0, 0, 0.5}, 0};
  f.battery = 0.09;
  f.pass(15);
  EXPECT_EQ(f.report.phase, FlightPhase::kMotorsOff);
  EXPECT_FALSE(f.report.has_control);
  EXPECT_NEAR(f.p().z, 0.2, 0.01);
}

TEST(FlightController, AnswersAfterItsDelayAndHearsARequestOnce) {
  Flight f(field(), {{Device::kFlightController, DeviceFaultKind::kSlow, 0, 1e9, 2}});
  f.ask(FlightRequestKind::kTakeControl);
  f.pass(2);
  EXPECT_EQ(f.report.outcome, RequestOutcome::kPending);
  f.pass(0.2);
  EXPECT_EQ(f.report.outcome, RequestOutcome::kDone);
  f.controller.request({FlightRequestKind::kReleaseControl, f.report.request});
  f.pass(3);
  EXPECT_TRUE(f.report.has_control) << "the number did not rise";
}

TEST(FlightController, APilotKeepsAndTakesControl) {
  Flight f(field(), {{Device::kFlightController, DeviceFaultKind::kPilot, 0, 1, 0},
                     {Device::kFlightController, DeviceFaultKind::kPilot, 20, 30, 0}});
  EXPECT_EQ(f.get(FlightRequestKind::kTakeControl), RequestOutcome::kRefused);
  f.pass(1);
  f.get_airborne();
  f.motion = MotionCommand{{0.5, 0, 0}, 0};
  f.pass(25 - f.world.now().seconds());
  EXPECT_FALSE(f.report.has_control);
  EXPECT_LT(norm(f.v()), 0.1);
}

TEST(FlightController, HangingSilentAndRefusingOnesDoWhatTheirFaultSays) {
  for (const auto& [kind, outcome] : {std::pair{DeviceFaultKind::kHangs, RequestOutcome::kPending},
                                      {DeviceFaultKind::kRefuses, RequestOutcome::kRefused}}) {
    Flight f(field(), {{Device::kFlightController, kind, 0, 1e9, 0}});
    EXPECT_EQ(f.get(FlightRequestKind::kTakeControl, 3), outcome);
  }
  Flight f(field(), {{Device::kFlightController, DeviceFaultKind::kSilent, 12, 1e9, 0}});
  f.get_airborne();
  f.motion = MotionCommand{{0.5, 0, 0}, 0};
  f.pass(12.1 - f.world.now().seconds());
  const int told = f.reports;
  f.pass(8);
  EXPECT_EQ(f.reports, told);
  EXPECT_EQ(f.controller.phase(), FlightPhase::kAirborne);
  EXPECT_LT(norm(f.v()), 0.1) << "it hears nothing: it hovers";
}

TEST(FlightController, MotionThatIsNotFiniteIsNoCommand) {
  Flight f;
  f.get_airborne();
  f.motion = MotionCommand{{std::nan(""), 0, 0}, 0};
  f.pass(3);
  EXPECT_LT(norm(f.v()), 0.1);
}

TEST(FlightController, TheSameSeedGivesTheSameFlight) {
  Flight a, b;
  a.get_airborne();
  b.get_airborne();
  EXPECT_EQ(a.p(), b.p());
  EXPECT_EQ(a.report.v_W, b.report.v_W);
}

}  // namespace
}  // namespace pintle::simulation
