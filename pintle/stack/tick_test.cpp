#include "pintle/stack/tick.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "pintle/base/random.h"
#include "pintle/stack/testing_bench.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::stack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

VehicleFile oogway() {
  return load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/oogway.yaml");
}

Bench planner_bench() { return Bench(build_model(oogway(), nullptr)); }

TEST(Tick, SendsNothingUntilItIsArmed) {
  Bench b = planner_bench();
  for (int i = 0; i < 10; ++i) ask(b, push_forward(0.5));
  EXPECT_EQ(b.largest_effort(), 0);
  EXPECT_EQ(b.out_.authority, Authority::kSafe);
  // what it would do is still worked out
  EXPECT_GT(std::abs(b.out_.proposed[1]), 0.05);
}

TEST(Tick, AchievesTheWrenchThatAPlannerAsksForOnceArmed) {
  Bench b = planner_bench();
  b.arm();
  for (int i = 0; i < 100; ++i) ask(b, push_forward(0.5));
  EXPECT_EQ(b.out_.authority, Authority::kPlanner);
  const double scale = std::get<control::SixAxisParams>(b.model_.law).scale;
  const double statics = std::get<control::SixAxisParams>(b.model_.law).static_force.z;
  EXPECT_NEAR(b.out_.demand.F_Bo_B.force.x, 0.5 * scale, 1e-12);
  EXPECT_NEAR(b.out_.demand.F_Bo_B.force.z, statics * scale, 1e-12);
  // curve and quantum move the efforts a little; the residual says by how much
  EXPECT_NEAR(b.out_.allocation.achieved.force.x + b.out_.allocation.residual.force.x, 0.5 * scale,
              1e-12);
  EXPECT_NEAR(b.out_.allocation.achieved.force.x, 0.5 * scale, 0.02);
}

TEST(Tick, RefusesToArmWithoutAState) {
  Bench b = planner_bench();
  b.command(CommandCode::kArm);
  b.tick_without_odometry();
  EXPECT_EQ(b.out_.arm, ArmState::kDisarmed);
  EXPECT_TRUE(b.happened(EventCode::kCommandRefused));
}

TEST(Tick, DisarmsAtOnce) {
  Bench b = planner_bench();
  b.arm();
  for (int i = 0; i < 20; ++i) ask(b, push_forward(0.8));
  ASSERT_GT(b.largest_effort(), 0.1);
  b.command(CommandCode::kDisarm);
  ask(b, push_forward(0.8));
  EXPECT_EQ(b.largest_effort(), 0);
  EXPECT_TRUE(b.happened(EventCode::kDisarmed));
}

TEST(Tick, RampsToZeroWhenTheStateIsLostAndLatchesSafeAfterItsLimit) {
  VehicleFile file = oogway();
  file.estimation.stale_after_s = 0.2;
  file.safety.ramp_to_safe_s = 0.5;
  file.safety.latch_after_s = 2;
  Bench b(build_model(file, nullptr));
  b.arm();
  for (int i = 0; i < 40; ++i) ask(b, push_forward(0.8));
  const double before = b.largest_effort();
  ASSERT_GT(before, 0.1);

  double last = before;
  const Time lost_from = b.now_;
  bool stale_said = false;
  while ((b.now_ - lost_from).seconds() < 1.0) {
    b.tick_without_odometry();
    stale_said = stale_said || b.happened(EventCode::kInputStale);
    EXPECT_LE(b.largest_effort(), last + 0.02);  // one step of the pulse width table
    last = b.largest_effort();
  }
  EXPECT_TRUE(stale_said);
  EXPECT_EQ(last, 0);
  EXPECT_EQ(b.out_.arm, ArmState::kArmed);
  while ((b.now_ - lost_from).seconds() < 2.6) b.tick_without_odometry();
  EXPECT_EQ(b.out_.arm, ArmState::kLatchedSafe);
  ASSERT_EQ(b.out_.alarms.size(), 1U) << "told for as long as it is so, latched or not";
  EXPECT_EQ(b.out_.alarms[0].code, AlarmCode::kStateLost);

  // a fresh state alone does not free it; an operator does
  b.tick_fresh();
  b.command(CommandCode::kArm);
  b.tick_fresh();
  EXPECT_EQ(b.out_.arm, ArmState::kLatchedSafe);
  EXPECT_TRUE(b.happened(EventCode::kCommandRefused));
  b.command(CommandCode::kResetLatch);
  b.command(CommandCode::kArm);
  b.tick_fresh();
  EXPECT_EQ(b.out_.arm, ArmState::kArmed);
}

TEST(Tick, OneMessageNowAndThenIsALossThatLatches) {
  VehicleFile file = oogway();
  file.estimation.stale_after_s = 0.5;
  file.safety.latch_after_s = 5;
  for (const double every_s : {0.9, 2.0, 4.0}) {
    Bench b(build_model(file, nullptr));
    b.arm();
    const auto n = std::lround(every_s / b.model_.period.seconds());
    const Time from = b.now_;
    long i = 0;
    while (b.out_.arm == ArmState::kArmed && (b.now_ - from).seconds() < 60)
      if (++i % n == 0)
        b.tick_fresh();
      else
        b.tick_without_odometry();
    const double took_s = (b.now_ - from).seconds();
    if (every_s < 1) {
      EXPECT_EQ(b.out_.arm, ArmState::kArmed) << "more there than not: it floats on";
      continue;
    }
    EXPECT_EQ(b.out_.arm, ArmState::kLatchedSafe) << every_s;
    EXPECT_LT(took_s, every_s < 3 ? 11 : 9) << every_s;
  }
}

TEST(Tick, GoesOnWhenTheStateComesBackBeforeTheLatch) {
  VehicleFile file = oogway();
  file.estimation.stale_after_s = 0.2;
  file.safety.latch_after_s = 5;
  Bench b(build_model(file, nullptr));
  b.arm();
  for (int i = 0; i < 40; ++i) ask(b, push_forward(0.8));
  for (int i = 0; i < 40; ++i) b.tick_without_odometry();
  EXPECT_EQ(b.largest_effort(), 0);
  ASSERT_EQ(b.out_.alarms.size(), 1U);
  EXPECT_EQ(b.out_.alarms[0].code, AlarmCode::kStateLost);
  EXPECT_EQ(b.out_.alarms[0].severity, Severity::kError);
  for (int i = 0; i < 40; ++i) ask(b, push_forward(0.8));
  EXPECT_GT(b.largest_effort(), 0.1);
  EXPECT_TRUE(b.out_.alarms.empty());
}

TEST(Tick, AnAttitudeBesideThePoseMustTurnSomethingToo) {
  for (const auto& [attitude, good] :
       {std::pair{Quat{0, 0, 0, 0}, false}, {Quat{kNan, 0, 0, 1}, false}, {Quat{0, 0, 0, 1}, true}})
    for (const int before : {0, 10}) {  // the first of all, too
      Bench b = planner_bench();
      for (int i = 0; i < before; ++i) ask(b, push_forward(0.3));
      b.in_ = {};
      b.in_.now = b.now_;
      b.in_.has_odometry = b.in_.has_attitude = true;
      b.in_.odometry = {b.now_, b.pose_, b.twist_};
      b.in_.attitude = attitude;
      b.tick_as_is();
      EXPECT_EQ(b.happened(EventCode::kInputRejected), !good) << attitude.w << " after " << before;
      ASSERT_TRUE(b.bounded());
    }
}

TEST(Tick, RefusesInputThatIsNotFiniteOnEveryChannelAndSaysSo) {
  for (const double bad : {kNan, kInf, -kInf}) {
    Bench b = planner_bench();
    b.arm();
    for (int i = 0; i < 10; ++i) ask(b, push_forward(0.3));
    const Pose good = b.out_.used.X_WB;

    // every number of the odometry, one at a time
    for (std::size_t k = 0; k < 13; ++k) {
      b.in_ = {};
      b.in_.now = b.now_;
      b.in_.has_odometry = true;
      b.in_.odometry = {b.now_, b.pose_, b.twist_};
      double* const numbers[]{
          &b.in_.odometry.X_WB.p.x,   &b.in_.odometry.X_WB.p.y,   &b.in_.odometry.X_WB.p.z,
          &b.in_.odometry.X_WB.q.x,   &b.in_.odometry.X_WB.q.y,   &b.in_.odometry.X_WB.q.z,
          &b.in_.odometry.X_WB.q.w,   &b.in_.odometry.V_WB_B.v.x, &b.in_.odometry.V_WB_B.v.y,
          &b.in_.odometry.V_WB_B.v.z, &b.in_.odometry.V_WB_B.w.x, &b.in_.odometry.V_WB_B.w.y,
          &b.in_.odometry.V_WB_B.w.z};
      *numbers[k] = bad;
      b.state_.refuses_odometry = false;  // it is said once, until a good one has come
      b.tick_as_is();
      EXPECT_TRUE(b.happened(EventCode::kInputRejected)) << k;
      EXPECT_EQ(b.out_.used.X_WB, good) << k;
      ASSERT_TRUE(b.bounded());
    }
    // setpoint
    Setpoint s = push_forward(bad);
    ask(b, s);
    EXPECT_TRUE(b.happened(EventCode::kSetpointRejected));
    EXPECT_EQ(b.out_.setpoint.F_Bo_B.force.x, 0.3);
    // bus voltage
    b.in_ = {};
    b.in_.now = b.now_;
    b.in_.has_bus_voltage = true;
    b.in_.bus_V = bad;
    b.tick_as_is();
    EXPECT_TRUE(b.happened(EventCode::kInputRejected));
    EXPECT_EQ(b.state_.bus_V, b.model_.nominal_bus_V);
    // health
    b.in_ = {};
    b.in_.now = b.now_;
    b.in_.health.push_back({0, {Health::kWeak, bad, 0}});
    b.in_.health.push_back({99, {Health::kOut, 1, 0}});
    b.tick_as_is();
    EXPECT_TRUE(b.happened(EventCode::kInputRejected));
    EXPECT_EQ(b.state_.health[0].health, Health::kGood);
    ASSERT_TRUE(b.bounded());
  }
}

TEST(Tick, NeverGoesBackInTime) {
  Bench b = planner_bench();
  b.arm();
  for (int i = 0; i < 10; ++i) ask(b, push_forward(0.3));
  const Time last = b.out_.now;
  // odometry stamped before the last one is refused
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.has_odometry = true;
  b.in_.odometry = {last - Duration::from_seconds(1), {{50, 0, 0}, {}}, {}};
  b.tick_as_is();
  EXPECT_TRUE(b.happened(EventCode::kTimeReversed));
  EXPECT_EQ(b.out_.used.X_WB.p.x, 0);
  b.in_ = {};
  b.in_.now = Time::from_seconds(-5);
  b.tick_as_is();
  EXPECT_TRUE(b.happened(EventCode::kTimeReversed));
  EXPECT_EQ(b.out_.now, last + b.model_.period + b.model_.period);
  ASSERT_TRUE(b.bounded());
}

TEST(Tick, ReallocatesInTheTickInWhichAFailureIsAnnounced) {
  Bench b = planner_bench();
  b.arm();
  for (int i = 0; i < 50; ++i) ask(b, push_forward(0.4));
  const auto out_at = static_cast<std::size_t>(b.model_.vehicle.index_of("top_front_left"));
  ASSERT_GT(std::abs(b.out_.actuation.effort[out_at]), 0.01);
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.has_odometry = true;
  b.in_.odometry = {b.now_, b.pose_, b.twist_};
  b.in_.health.push_back({static_cast<std::uint32_t>(out_at), {Health::kOut, 1, 0}});
  b.tick_as_is();
  EXPECT_TRUE(b.happened(EventCode::kPropulsorFailed));
  EXPECT_EQ(b.out_.actuation.effort[out_at], 0);
  EXPECT_NEAR(b.out_.allocation.achieved.force.x,
              0.4 * std::get<control::SixAxisParams>(b.model_.law).scale, 0.03);
}

TEST(Tick, TakesBackWhatWasFoundOutWhenAnOperatorSaysSoOrSomebodyAnnouncesIt) {
  Bench b = planner_bench();
  b.arm();
  const auto find = [&b](std::size_t i) {
    b.work_.detector.found |= ChannelMask{1} << i;
    b.state_.health[i] = {Health::kOut, 1, 0};
    b.state_.bad |= ChannelMask{1} << i;
    b.state_.health_news = true;
  };
  find(3);
  b.tick_fresh();
  EXPECT_EQ(b.state_.health[3].health, Health::kOut);
  b.command(CommandCode::kTrustPropulsor, 2);
  b.tick_fresh();
  EXPECT_TRUE(b.happened(EventCode::kCommandRefused)) << "nothing is held against the third";
  b.command(CommandCode::kTrustPropulsor, 3);
  b.tick_fresh();
  EXPECT_TRUE(b.happened(EventCode::kPropulsorRecovered));
  EXPECT_EQ(b.state_.health[3].health, Health::kGood);
  EXPECT_EQ(b.work_.detector.found, 0U);

  find(5);
  b.in_ = {};
  b.in_.now = b.now_;
  b.in_.health.push_back({5, {Health::kWeak, 0.7, 0}});
  b.tick_as_is();
  EXPECT_EQ(b.state_.health[5].health, Health::kWeak);
  EXPECT_EQ(b.work_.detector.found, 0U);
}

TEST(Tick, APlaceThatItsSpeedDoesNotExplainIsToldOnce) {
  for (const double leap_m : {0.0, 0.8, 3.0}) {
    Bench b(build_model(oogway(), nullptr));
    b.twist_.v = {0.4, 0, 0};
    b.arm();
    int told = 0;
    double value = 0;
    for (int i = 0; i < 200; ++i) {
      b.pose_.p.x += 0.4 * b.model_.period.seconds();
      // three in a row: still one thing to tell
      if (i >= 100 && i < 103) b.pose_.p.y += leap_m;
      b.tick_fresh();
      for (const Event& e : b.out_.events)
        if (e.code == EventCode::kMotionDisagrees) ++told, value = e.value;
      EXPECT_EQ(b.out_.used.X_WB.p, b.pose_.p) << "it is gone by all the same";
    }
    EXPECT_EQ(told, leap_m > 1 ? 1 : 0) << leap_m;
    EXPECT_NEAR(value, told > 0 ? leap_m : 0, 1e-6);
  }
}

TEST(Tick, AStateWithoutAPoseKeepsNothingFresh) {
  for (const auto method : {estimation::Method::kPassThrough, estimation::Method::kAsSent}) {
    VehicleFile file = oogway();
    file.estimation.stale_after_s = 0.3;
    file.estimation.method = method;
    Bench b(build_model(file, nullptr));
    const auto with_pose = [&b](bool known) {
      b.in_ = {};
      b.in_.now = b.now_;
      b.in_.has_odometry = true;
      b.in_.odometry = {b.now_, {{1, 2, 3}, {}}, {}};
      b.in_.odometry.has_pose = known;
      b.tick_as_is();
    };
    for (int i = 0; i < 2; ++i) with_pose(true);
    EXPECT_EQ(b.out_.used.X_WB.p, (Vec3{1, 2, 3}));
    EXPECT_EQ(b.out_.used.validity, Validity::kValid);
    for (int i = 0; i < 10; ++i) with_pose(false);
    EXPECT_EQ(b.out_.used.validity, Validity::kStale);
  }
}

TEST(Tick, SendsNothingInsideADeadBandAndLosesNoAxisByIt) {
  VehicleFile file = oogway();
  for (auto& type : file.vehicle.thruster_types) type.thruster.dead_band = 0.05;
  file.allocation.dead_band_hysteresis = 0.5;
  Bench b(build_model(file, nullptr));
  b.arm();
  // 0.2 forwards is 0.07 of each horizontal thruster; the vertical ones rest
  ask(b, push_forward(0.2));
  EXPECT_NEAR(b.out_.allocation.achieved.force.x, 0.2, 0.02);
  for (int i = 0; i < 60; ++i) {
    ask(b, push_forward(0.02 * i));
    for (const double u : b.out_.actuation.effort) EXPECT_TRUE(u == 0 || std::abs(u) > 0.048) << u;
    EXPECT_EQ(b.out_.allocation.reachable, kAllAxes);
    EXPECT_FALSE(b.happened(EventCode::kAxisLost));
  }
}

TEST(Tick, SendsNoMoreThanTheCapsOnPowerAndCurrentAllow) {
  VehicleFile file = oogway();
  file.power.full_power_W = 300;
  file.power.max_current_A = 10;
  Bench b(build_model(file, nullptr));
  b.arm();
  const auto drawn = [&b](const ChannelVector& effort) {
    return allocation::power_of(b.model_.power, nullptr, effort);
  };
  for (int i = 0; i < 40; ++i) {
    ask(b, push_forward(0.1));
    EXPECT_FALSE(b.happened(EventCode::kPowerCapped));
  }
  bool told = false;
  for (int i = 0; i < 40; ++i) {
    ask(b, push_forward(1));
    told = told || b.happened(EventCode::kPowerCapped);
    ASSERT_LE(drawn(b.out_.proposed), 10 * b.state_.bus_V * (1 + 1e-9));
    ASSERT_LE(drawn(b.out_.actuation.effort), 10.1 * b.state_.bus_V) << "within the drivers' steps";
    ASSERT_EQ(b.out_.allocation.grade == AllocationGrade::kBounded, b.state_.power_capped);
  }
  EXPECT_TRUE(told);
  EXPECT_GT(drawn(b.out_.actuation.effort), 0.8 * 10 * b.state_.bus_V) << "what is allowed is used";
  ask(b, push_forward(0.05));
  for (int i = 0; i < 10 && !b.happened(EventCode::kPowerFree); ++i) ask(b, push_forward(0.05));
  EXPECT_FALSE(b.state_.power_capped);
}

TEST(Tick, IsTheSameAfterASnapshotCopiedAsBytes) {
  Bench a = planner_bench();
  a.arm();
  for (int i = 0; i < 25; ++i) ask(a, push_forward(0.4));
  Bench b = planner_bench();
  std::memcpy(static_cast<void*>(&b.state_), &a.state_, sizeof(State));
  b.now_ = a.now_;
  std::vector<std::byte> one, two;
  for (int i = 0; i < 50; ++i) {
    a.twist_.v.x = b.twist_.v.x = 0.01 * i;
    ask(a, push_forward(0.2));
    ask(b, push_forward(0.2));
    one.clear();
    two.clear();
    telemetry::encode_cdr(a.out_, one);
    telemetry::encode_cdr(b.out_, two);
    ASSERT_EQ(one, two) << i;
  }
}

TEST(Tick, AnExcitationMovesEffortsAndTakesNothingFromTheWrench) {
  for (const double k2 : {0.0, 1e-2}) {
    VehicleFile file = oogway();
    file.allocation.k2 = k2;
    Bench plain(build_model(file, nullptr));
    file.detector.excitation = {0.06, estimation::ExciteWhen::kAlways};
    Bench excited(build_model(file, nullptr));
    plain.arm();
    excited.arm();
    double most = 0;
    // in the end the demand uses up what there is
    for (int i = 0; i < 400; ++i) {
      const Setpoint s = push_forward(0.01 * i);
      ask(plain, s);
      ask(excited, s);
      const Vec6 off = to_vec6(excited.out_.proposed_B - plain.out_.proposed_B);
      for (const double x : off.v) ASSERT_NEAR(x, 0, 1e-12) << i;
      for (std::size_t k = 0; k < 8; ++k) {
        const double more = std::abs(excited.out_.proposed[k] - plain.out_.proposed[k]);
        if (i < 60) most = std::max(most, more);
        EXPECT_LE(more, 0.06 * excited.model_.body.largest[k] + 1e-9);
      }
      EXPECT_TRUE(excited.bounded());
    }
    EXPECT_GT(most, 0.05);
    // what is known to have failed is not excited
    excited.state_.bad = 1;
    ask(excited, push_forward(0.1));
    for (const double e : excited.state_.excitation.e) EXPECT_EQ(e, 0);
  }
}

TEST(Tick, MakesNoHeapAllocationInAHundredThousandTicks) {
  Bench b = planner_bench();
  b.arm();
  Setpoint s = push_forward(0.3);
  Inputs in;
  const std::uint64_t before = testing::heap_allocations();
  for (int i = 0; i < 100000; ++i) {
    in = {};
    in.now = b.now_;
    in.has_odometry = true;
    in.odometry = {b.now_, b.pose_, b.twist_};
    in.odometry.V_WB_B.v.x = 0.3 * std::sin(0.01 * i);
    in.has_setpoint = i % 7 == 0;
    s.F_Bo_B.force.x = std::sin(0.001 * i);
    s.F_Bo_B.torque.x = std::cos(0.0013 * i);
    if (i % 1000 == 500) in.odometry.X_WB.p.x = kNan;
    if (i % 5000 == 2500) in.health.push_back({2, {Health::kOut, 1, 0}});
    if (i % 5000 == 4000) in.health.push_back({2, {Health::kGood, 1, 0}});
    in.setpoint = s;
    stack::tick(b.model_, b.state_, b.work_, in, b.out_);
    b.now_ = b.now_ + b.model_.period;
  }
  EXPECT_EQ(testing::heap_allocations() - before, 0U);
}

TEST(Tick, IsBoundedForRandomBitsInEveryNumber) {
  RandomStream random(1, "random bits");
  Bench b = planner_bench();
  b.arm();
  const auto wild = [&random] { return std::bit_cast<double>(random.bits()); };
  for (int i = 0; i < 20000; ++i) {
    b.in_ = {};
    b.in_.now =
        random.bits() % 8 == 0 ? Time{static_cast<std::int64_t>(random.bits() >> 3)} : b.now_;
    b.in_.has_odometry = random.bits() % 4 != 0;
    b.in_.odometry.stamp =
        random.bits() % 2 == 0 ? b.now_ : Time{static_cast<std::int64_t>(random.bits() >> 2)};
    if (random.bits() % 2 == 0)
      b.in_.odometry.X_WB = {{wild(), wild(), wild()}, {wild(), wild(), wild(), wild()}};
    if (random.bits() % 2 == 0)
      b.in_.odometry.V_WB_B = {{wild(), wild(), wild()}, {wild(), wild(), wild()}};
    b.in_.has_setpoint = random.bits() % 4 == 0;
    if (random.bits() % 2 == 0) b.in_.setpoint.X_WD.p = {wild(), wild(), wild()};
    if (random.bits() % 2 == 0) b.in_.setpoint.F_Bo_B.force = {wild(), wild(), wild()};
    b.in_.has_bus_voltage = true;
    b.in_.bus_V = wild();
    b.in_.health.push_back({static_cast<std::uint32_t>(random.bits() % 12),
                            {static_cast<Health>(random.bits() % 7), wild(), wild()}});
    b.tick_as_is();
    ASSERT_TRUE(b.bounded());
    if (b.state_.arm == ArmState::kLatchedSafe) b.command(CommandCode::kResetLatch);
    if (b.state_.arm == ArmState::kDisarmed) b.command(CommandCode::kArm);
  }
}

}  // namespace
}  // namespace pintle::stack
