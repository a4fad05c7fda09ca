#include "pintle/control/six_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::control {
namespace {

constexpr double kRoot = 0.70710678118654752;  // sqrt(1/2)
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Behaviour kBoth[] = {Behaviour::kReference, Behaviour::kSafe};

/// kp only, wide limits.
SixAxisParams proportional(Behaviour b, double position_kp, double velocity_kp) {
  SixAxisParams p;
  p.behaviour = b;
  for (std::size_t i = 0; i < kAxes; ++i) {
    for (PidParams* pid : {&p.position[i], &p.position_cascaded[i], &p.velocity[i]})
      pid->min_effort = -100, pid->max_effort = 100;
    p.position[i].kp = position_kp;
    p.position_cascaded[i].kp = position_kp;
    p.velocity[i].kp = velocity_kp;
    p.desired_wrench_limits[i] = {-50, 50};
  }
  return p;
}

void set_modes(Setpoint& s, AxisMode mode) { s.mode.fill(mode); }

/// A setpoint as (2, -1, 0.5) and 30 degrees of pitch away from `kTurned`, see pose_error_test.cpp.
const SixAxisInput kTurned{{{1, 2, 3}, {0, 0, kRoot, kRoot}},
                           {0, 0, kRoot, kRoot},
                           {{0.25, 0.1, -0.2}, {0.01, 0.02, 0.03}}};
Setpoint turned_setpoint() {
  Setpoint s;
  s.X_WD = {{2, 4, 3.5}, normalized(kTurned.X_WB.q * from_rpy({0, kPi / 6, 0}))};
  return s;
}

// ---------------------------------------------------------------------------------------------
// setpoints

TEST(SixAxisSetpoint, AttitudeMustHaveUnitLengthToOneInAMillion) {
  for (const Behaviour b : kBoth) {
    const SixAxisParams p = proportional(b, 1, 1);
    for (const auto& [w, good] : {std::pair{0.9999990001, true},
                                  {1.0000009999, true},
                                  {0.9999989, false},
                                  {1.0000011, false},
                                  {1.00000101, false},
                                  {0.99999899, false},
                                  {0.0, false}}) {
      SixAxisState s;
      Setpoint sp;
      sp.X_WD.q = {0, 0, 0, w};
      EXPECT_EQ(accept(p, s, sp),
                good ? SetpointRefusal::kNone : SetpointRefusal::kQuaternionNotUnit)
          << w;
      EXPECT_EQ(s.setpoint.X_WD.q.w, good ? w : 1);
    }
  }
}

TEST(SixAxisSetpoint, WrenchMustBeInsideItsInclusiveLimits) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p;
    p.behaviour = b;
    p.desired_wrench_limits[4] = {-0.5, 0.25};
    SixAxisState s;
    Setpoint sp;
    set_modes(sp, AxisMode::kWrench);
    sp.F_Bo_B = {{1, -1, 1}, {-1, 0.25, 1}};
    int axis = 7;
    EXPECT_EQ(accept(p, s, sp, &axis), SetpointRefusal::kNone);
    EXPECT_EQ(axis, -1);
    sp.F_Bo_B.torque.y = 0.2500001;
    EXPECT_EQ(accept(p, s, sp, &axis), SetpointRefusal::kWrenchLimit);
    EXPECT_EQ(axis, 4);
    sp.F_Bo_B.force.y = -1.01;
    EXPECT_EQ(accept(p, s, sp, &axis), SetpointRefusal::kWrenchLimit);
    EXPECT_EQ(axis, 1);
    EXPECT_EQ(s.setpoint.F_Bo_B.torque.y, 0.25);  // the old one stays whole

    // of an axis that does not follow it, only the reference minds
    set_modes(sp, AxisMode::kVelocity);
    EXPECT_EQ(accept(p, s, sp),
              b == Behaviour::kReference ? SetpointRefusal::kWrenchLimit : SetpointRefusal::kNone);
    // also beside axes that do, unless somebody gives it just now
    set_modes(sp, AxisMode::kWrench);
    sp.mode[1] = AxisMode::kVelocity;
    sp.F_Bo_B.torque.y = 0.2;
    EXPECT_EQ(accept(p, s, sp),
              b == Behaviour::kReference ? SetpointRefusal::kWrenchLimit : SetpointRefusal::kNone);
    EXPECT_EQ(accept(p, s, sp, &axis, true), SetpointRefusal::kWrenchLimit);
    EXPECT_EQ(axis, 1);
  }
}

TEST(SixAxisSetpoint, NumbersThatAreNoneAndModesThatDoNotExistAreRefusedInBoth) {
  for (const Behaviour b : kBoth) {
    const SixAxisParams p = proportional(b, 1, 1);
    for (const double bad : {kNaN, std::numeric_limits<double>::infinity(), -1e300}) {
      SixAxisState s;
      int axis = -1;
      Setpoint sp;
      sp.X_WD.p.y = bad;
      EXPECT_EQ(accept(p, s, sp, &axis), SetpointRefusal::kNotFinite);
      EXPECT_EQ(axis, 1);
      sp = {};
      sp.X_WD.q.w = bad;
      EXPECT_EQ(accept(p, s, sp), SetpointRefusal::kNotFinite);
      sp = {};
      sp.V_WD_B.w.z = bad;
      EXPECT_EQ(accept(p, s, sp, &axis), SetpointRefusal::kNotFinite);
      EXPECT_EQ(axis, 5);
      sp = {};
      sp.F_Bo_B.force.z = bad;
      EXPECT_EQ(accept(p, s, sp, &axis), SetpointRefusal::kNotFinite);
      EXPECT_EQ(axis, 2);
      EXPECT_EQ(s.setpoint.X_WD, Pose{});
    }
    SixAxisState s;
    Setpoint sp;
    sp.mode[3] = static_cast<AxisMode>(3);
    int axis = -1;
    EXPECT_EQ(accept(p, s, sp, &axis), SetpointRefusal::kBadMode);
    EXPECT_EQ(axis, 3);
    EXPECT_EQ(s.setpoint.mode[3], AxisMode::kPosition);
  }
}

// ---------------------------------------------------------------------------------------------
// input that cannot be used, and properties

TEST(SixAxisInput, RefusedInputLeavesTheStateBitForBitAsItWas) {
  for (const Behaviour b : kBoth) {
    const SixAxisParams p = proportional(b, 3, 2);
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, turned_setpoint()), SetpointRefusal::kNone);
    ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
    std::array<std::byte, sizeof s> before;
    std::memcpy(before.data(), &s, sizeof s);
    constexpr std::size_t kNumbers = sizeof(SixAxisInput) / sizeof(double);
    for (std::size_t i = 0; i < kNumbers; ++i) {
      for (const double bad : {kNaN, std::numeric_limits<double>::infinity(), 1e300}) {
        std::array<double, kNumbers> numbers;
        std::memcpy(numbers.data(), &kTurned, sizeof kTurned);
        numbers[i] = bad;
        SixAxisInput in;
        std::memcpy(static_cast<void*>(&in), numbers.data(), sizeof in);
        EXPECT_FALSE(update(p, s, in, 0.05, t)) << i;
      }
    }
    SixAxisInput in = kTurned;
    in.X_WB.q = {0, 0, 0, 0};
    EXPECT_FALSE(update(p, s, in, 0.05, t));
    EXPECT_FALSE(update(p, s, kTurned, kNaN, t));
    note_achieved(p, s, {}, {{kNaN, 0, 0, 0, 0, 0}}, 0.05);
    note_achieved(p, s, {{0, 0, 0, 0, 0, kNaN}}, {}, 0.05);
    EXPECT_EQ(std::memcmp(before.data(), &s, sizeof s), 0);
  }
}

TEST(SixAxisCheck, RefusesWhatWouldPushAwayOrNotAtAll) {
  SixAxisParams p;
  const auto refused = [&](const char* path) {
    for (const Finding& f : check(p))
      if (f.path == path) return f.is_error;
    return false;
  };
  p.behaviour = Behaviour::kSafe;
  EXPECT_FALSE(refused("scale"));
  p.scale = -1;
  EXPECT_TRUE(refused("scale"));
  p.scale = 0;
  EXPECT_TRUE(refused("scale"));
  p.position[2].kp = -1;
  EXPECT_TRUE(refused("position.z.kp"));
  p.static_force.z = 1e30;
  EXPECT_TRUE(refused("static_force.z"));
  // what the original takes is told, and taken
  p.behaviour = Behaviour::kReference;
  EXPECT_FALSE(refused("scale"));
  EXPECT_FALSE(refused("position.z.kp"));
}

TEST(SixAxisProperty, DemandIsFiniteAndEffortsAreInsideTheirLimitsForAnyInput) {
  const double odd[] = {
      0,   -0.0, 5e-324, 1e-300, 0.05,    1,    -1,
      1e8, 1e49, 1e51,   -1e300, 1.7e308, kNaN, -std::numeric_limits<double>::infinity()};
  RandomStream random(11, "six axis");
  const auto pick = [&] {
    return random.uniform() < 0.7 ? random.normal() : odd[random.bits() % 14];
  };
  for (const Behaviour b : kBoth) {
    SixAxisParams p = proportional(b, 1e50, 1e50);
    p.cascaded = true, p.anti_windup = true, p.scale = 1e50, p.static_force = {1e6, 0, -1e6};
    for (PidParams& pid : p.position_cascaded) pid.ki = 1e-3, pid.kd = 1, pid.back_calculation = 3;
    ASSERT_TRUE(check(p).empty());
    SixAxisState s;
    SixAxisTrace t;
    int accepted = 0;
    for (int k = 0; k < 20000; ++k) {
      SixAxisInput in{{{pick(), pick(), pick()}, {pick(), pick(), pick(), pick()}},
                      {pick(), pick(), pick(), pick()},
                      {{pick(), pick(), pick()}, {pick(), pick(), pick()}}};
      Setpoint sp;
      sp.X_WD.p = {pick(), pick(), pick()};
      sp.V_WD_B = {{pick(), pick(), pick()}, {pick(), pick(), pick()}};
      for (AxisMode& m : sp.mode) m = static_cast<AxisMode>(random.bits() % 4);
      (void)accept(p, s, sp);
      accepted += update(p, s, in, pick(), t) ? 1 : 0;
      const WrenchDemand d = demand(p, s, t);
      ASSERT_TRUE(is_finite(d.F_Bo_B)) << k;
      for (std::size_t i = 0; i < kAxes; ++i) {
        ASSERT_LE(std::abs(s.position_effort[i]), 100);
        ASSERT_LE(std::abs(s.velocity_effort[i]), 100);
      }
      note_achieved(p, s, to_vec6(d.F_Bo_B), {{pick(), pick(), pick(), pick(), pick(), pick()}},
                    pick());
    }
    EXPECT_GT(accepted, 50);
  }
}

TEST(SixAxisProperty, TheTickPathTakesNoMemory) {
  const SixAxisParams p = proportional(Behaviour::kSafe, 3, 2);
  SixAxisState s;
  SixAxisTrace t;
  const auto before = testing::heap_allocations();
  for (int k = 0; k < 100; ++k) {
    (void)accept(p, s, turned_setpoint());
    (void)update(p, s, kTurned, 0.05, t);
    const WrenchDemand d = demand(p, s, t);
    note_achieved(p, s, to_vec6(d.F_Bo_B), {}, 0.05);
    reset(p, s);
  }
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(SixAxis, ResetWorksOnBothLoopsAndHoldsTheEfforts) {
  for (const Behaviour b : kBoth) {
    SixAxisParams p = proportional(b, 1, 1);
    SixAxisState s;
    SixAxisTrace t;
    ASSERT_EQ(accept(p, s, turned_setpoint()), SetpointRefusal::kNone);
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(update(p, s, kTurned, 0.05, t));
    const Vec6 effort = s.position_effort;
    reset(p, s);
    for (std::size_t i = 0; i < kAxes; ++i) {
      EXPECT_EQ(s.position[i].integral, 0);
      EXPECT_EQ(s.velocity[i].integral, 0);
      EXPECT_EQ(s.position[i].has_history, b == Behaviour::kReference);
    }
    EXPECT_EQ(s.position_effort, effort);
  }
}

// ---------------------------------------------------------------------------------------------
// findings and fields

TEST(SixAxisCheck, DefaultsAreGoodAndProblemsAreNamedByTheirPath) {
  EXPECT_TRUE(check(SixAxisParams{}).empty());
  SixAxisParams p;
  p.position[1].kp = kNaN;
  p.velocity[5].min_effort = 3;
  p.desired_wrench_limits[0] = {1, -1};
  p.weight[2] = -1;
  p.static_force.z = kNaN;
  p.scale = std::numeric_limits<double>::infinity();
  std::vector<std::string> paths;
  for (const Finding& f : check(p)) paths.push_back(f.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{"desired_wrench_limits.x.max", "position.y.kp", "weight.z",
                                      "velocity.yaw.max_effort", "static_force.z", "scale"}));
}

TEST(SixAxisCheck, AntiWindupThatNoLoopTakesPartInIsAWarning) {
  SixAxisParams p;
  p.anti_windup = true;
  ASSERT_EQ(check(p).size(), 1U);
  EXPECT_FALSE(check(p)[0].is_error);
  p.velocity[3].back_calculation = 1;
  EXPECT_TRUE(check(p).empty());
}

TEST(SixAxisFields, ArraysOfAxesAreKeyedByAxisName) {
  const Table& table = table_of<SixAxisParams>();
  for (const char* name :
       {"position", "position_cascaded", "velocity", "desired_wrench_limits", "weight", "group"}) {
    const Field* f = table.find(name);
    ASSERT_NE(f, nullptr) << name;
    ASSERT_EQ(f->keys.size(), 6U);
    EXPECT_EQ(f->keys[5], "yaw");
  }
  SixAxisParams p;
  const Field& velocity = *table.find("velocity");
  const Field& kp = *velocity.table->find("kp");
  set_number(kp, kp.in(velocity.element(&p, 2)), 4.5);
  EXPECT_EQ(p.velocity[2].kp, 4.5);
}

TEST(SixAxisFields, EveryFieldSaysWhatItMeans) {
  for (const Table* table :
       {&table_of<SixAxisParams>(), &table_of<PidParams>(), &table_of<PidTerms>(),
        &table_of<PidState>(), &table_of<SixAxisState>(), &table_of<SixAxisTrace>(),
        &table_of<WrenchLimit>()})
    for (const Field& f : table->fields)
      EXPECT_GT(f.meaning.size(), 10U) << table->name << '.' << f.name;
}

}  // namespace
}  // namespace pintle::control
