// Random walks: whatever comes in, what goes out is usable, nothing is inherited, it always ends.
#include <gtest/gtest.h>

#include "pintle/base/random.h"
#include "pintle/mission/engine.h"

namespace pintle::mission {
namespace {

/// As long as the aircraft's: fifteen states, dwells after success, a search that may be repeated.
MissionSpec fifteen_states() {
  struct Row {
    const char* name;
    double dwell_s;
    const char* on_failure;
  };
  const std::array<Row, 15> rows{{{"stand_by", 0.2, "abort"},
                                  {"grab", 1, "abort"},
                                  {"request_control", 0.1, "abort"},
                                  {"take_off", 7, "abort"},
                                  {"to_altitude", 2, "abort"},
                                  {"fly_to_car", 2, "fly_back"},
                                  {"find_car", 2, "fly_back"},
                                  {"serve_car", 2, "to_altitude"},
                                  {"drop", 2, "abort"},
                                  {"back_to_altitude", 2, "abort"},
                                  {"fly_back", 2, "abort"},
                                  {"find_park", 2, "landing"},
                                  {"servo_landing", 0.4, "find_park"},
                                  {"landing", 4.4, "abort"},
                                  {"release_control", 0.2, "fail"}}};
  MissionSpec m;
  m.abort = "landing";
  m.time_limit_s = 300;
  for (const Row& row : rows) {
    StateSpec s;
    s.name = row.name;
    s.success.position_m = 0.5;
    s.success.settle_s = row.dwell_s;
    s.timeout_s = 12;
    s.retries = static_cast<std::int32_t>(m.states.size() % 3);
    s.on_failure = row.on_failure;
    m.states.push_back(s);
  }
  m.states[4].go.z_m = m.states[9].go.z_m = 1.1;
  m.states[5].go = {-1.97, -0.99, {}, {}, {}, {}};
  m.states[7].velocity.x_m_s = 0.2;
  m.states[12].velocity.yaw_deg_s = 20;
  m.states[12].wrench.z = -0.1;
  m.states[13].go.z_m = 0;
  return m;
}

class Walk {
 public:
  explicit Walk(std::uint64_t seed) : random_(seed, "mission walk") {}

  /// The vehicle is near what was wanted of it, or far away, for some time each.
  EngineInput next(const Setpoint& wanted) {
    input_.now = time();
    input_.command = random_.uniform() < 0.005 ? any_command() : Command::kNone;
    input_.jump_to = static_cast<std::int32_t>(random_.uniform(-3, 18));
    input_.abort = random_.uniform() < 0.0005;
    input_.disarmed = random_.uniform() < 0.01;
    if (random_.uniform() < 0.003) near_ = !near_;
    input_.vehicle = vehicle(wanted);
    return input_;
  }

 private:
  Command any_command() { return static_cast<Command>(random_.uniform(0, 6)); }
  Time time() {
    const double u = random_.uniform();
    if (u < 0.001) return {static_cast<std::int64_t>(random_.bits())};
    if (u < 0.003) return input_.now;
    // far from the ends, so that the test itself does not overflow
    if (std::abs(static_cast<double>(input_.now.ns)) > 9e18) return {};
    if (u < 0.005) return input_.now - Duration::from_seconds(random_.uniform(0, 5));
    return input_.now + Duration::from_seconds(u < 0.008 ? random_.uniform(0, 3) : 0.02);
  }
  double number() {
    const double u = random_.uniform();
    if (u < 0.00005) return std::numeric_limits<double>::quiet_NaN();
    if (u < 0.0001) return std::numeric_limits<double>::infinity();
    if (u < 0.00015) return 1e300;
    return random_.uniform(-0.2, 0.2);
  }
  VehicleState vehicle(const Setpoint& wanted) {
    VehicleState v;
    v.X_WB.p = wanted.X_WD.p + Vec3{number() + (near_ ? 0 : 2), number(), number()};
    v.X_WB.q = wanted.X_WD.q * normalized({number(), number(), number(), 1});
    if (random_.uniform() < 0.001) v.X_WB.q = {0, 0, 0, number()};
    v.V_WB_B.v = {number(), number(), number()};
    v.V_WB_B.w = {number(), number(), number()};
    v.validity = random_.uniform() < 0.999 ? Validity::kValid : Validity::kStale;
    return v;
  }
  RandomStream random_;
  bool near_ = true;
  EngineInput input_{};
};

void expect_usable(const Setpoint& s) {
  ASSERT_TRUE(is_finite(s.X_WD) && is_finite(s.V_WD_B) && is_finite(s.F_Bo_B));
  ASSERT_NEAR(squared_norm(s.X_WD.q), 1, 1e-9);
}

TEST(MissionWalk, FifteenStatesPassTheCheck) {
  for (const Finding& f : check(fifteen_states()))
    EXPECT_FALSE(f.is_error) << f.path << ": " << f.message;
}

TEST(MissionWalk, AnySequenceOfInputsGivesUsableSetpointsAndInheritsNothing) {
  const Mission mission = compile(fifteen_states());
  int successes = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Walk walk(seed);
    EngineState state;
    EngineOutput out;
    EventList events;
    double time_in_state = 0;
    for (int i = 0; i < 20'000; ++i) {
      const EngineInput in = walk.next(out.setpoint);
      const std::int32_t before = state.state;
      const std::uint32_t attempt = state.attempt;
      events.clear();
      out = step(mission, state, in, events);
      expect_usable(out.setpoint);
      ASSERT_GE(out.status.state, -1);
      ASSERT_LT(out.status.state, 15);
      ASSERT_GE(out.status.time_in_state_s, 0);
      ASSERT_GE(out.status.settled_s, 0);
      ASSERT_LE(events.size(), 8U);
      if (state.state >= 0 && (state.state != before || state.attempt != attempt)) {
        ASSERT_FALSE(state.settled);
        ASSERT_EQ(state.turned, Vec3{});
        ASSERT_EQ(out.status.time_in_state_s, 0);
      }
      // success is only ever said of a state that has settled for its time
      for (const Event& e : events)
        if (e.code == EventCode::kStateSucceeded) {
          ++successes;
          ASSERT_EQ(e.subject, before);
          const auto& s = mission.states[static_cast<std::size_t>(before)];
          ASSERT_GE(e.value, s.success.settle_s - 1e-6);
          ASSERT_GE(e.value, time_in_state);
        }
      time_in_state = out.status.time_in_state_s;
    }
  }
  EXPECT_GT(successes, 100);  // it gets somewhere
}

TEST(MissionWalk, AMissionThatIsStartedEndsByItsTimeLimitAndItsAbortPath) {
  const MissionSpec spec = fifteen_states();
  const Mission mission = compile(spec);
  // landing and release_control: each 12 s, landing once and release_control twice retried
  const double longest_s = spec.time_limit_s + 2 * 12 + 3 * 12 + 1;
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    Walk walk(seed);
    EngineState state;
    EngineOutput out;
    EventList events;
    EngineInput in{};
    in.vehicle.validity = Validity::kValid;
    in.command = Command::kStart;
    out = step(mission, state, in, events);
    ASSERT_EQ(out.status.phase, MissionPhase::kRunning);
    int ticks = 0;
    for (; !out.finished; ++ticks) {
      const Time now = in.now + Duration{20'000'000};
      in = walk.next(out.setpoint);
      in.now = now;
      in.abort = false;
      if (in.command == Command::kAbort) in.command = Command::kPause;
      out = step(mission, state, in, events);
      ASSERT_LT(ticks, longest_s * 50);
    }
  }
}

TEST(MissionWalk, EveryStateWithTheSensorsCutEndsInBoundedTime) {
  const Mission mission = compile(fifteen_states());
  for (std::int32_t first = 0; first < 15; ++first) {
    EngineState state;
    EngineOutput out;
    EventList events;
    EngineInput in{};
    const auto tick = [&](Command command) {
      in.now = in.now + Duration{20'000'000};
      in.command = command;
      events.clear();
      out = step(mission, state, in, events);
    };
    in.vehicle.validity = Validity::kValid;
    tick(Command::kStart);
    in.jump_to = first;
    tick(Command::kJump);
    in.vehicle.validity = Validity::kStale;
    int ticks = 0;
    for (; !out.finished && ticks < 400 * 50; ++ticks) {
      tick(Command::kNone);
      expect_usable(out.setpoint);
    }
    EXPECT_TRUE(out.status.phase == MissionPhase::kAborted ||
                out.status.phase == MissionPhase::kFailed)
        << first;
  }
}

}  // namespace
}  // namespace pintle::mission
