#include "pintle/flight/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "pintle/craft/file_change.h"
#include "pintle/flight/fly.h"
#include "pintle/simulation/run.h"

namespace pintle::simulation {
namespace {

using flight::Trial;
using flight::TrialOutcome;
using flight::TrialRequest;
using flight::TrialTrouble;

/// A craft in its pool that follows setpoints, and a world that may be another than its file says.
class Bench {
 public:
  explicit Bench(const char* vehicle = "bluerov2_heavy") {
    mission_ = craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/pool.yaml");
    mission_.vehicle = mission_.vehicle_alone =
        craft::load_vehicle(std::string(PINTLE_SOURCE_DIR) + "/vehicles/" + vehicle + ".yaml");
    mission_.world.faults.clear();
    mission_.world.start_position_m = {0, 0, -3};
    truth_ = mission_;
  }
  [[nodiscard]] vehicle::PropulsorSpec& really(std::size_t i) {
    return truth_.vehicle.vehicle.propulsors.at(i);
  }
  [[nodiscard]] craft::MissionFile& told() { return mission_; }
  [[nodiscard]] craft::MissionFile& truth() { return truth_; }

  struct Result {
    TrialOutcome outcome;
    std::vector<control::StepSample> samples;
    Outputs last;
  };
  /// After three seconds of holding still, until a second after its outcome.
  Result run(TrialRequest request,
             const std::function<void(double t_s, Inputs&)>& meddle = nullptr) {
    Result r;
    SimulatedSite site(truth_, 3, {});
    Trial trial;
    std::optional<Time> over;
    bool begun = false;
    std::atomic<bool> stop{false};
    flight::FlyOptions o;
    o.planner = true;
    o.stop = &stop;
    o.ask = [&](const Model& model, const Outputs& last, Inputs& in) {
      if (meddle) meddle(in.now.seconds(), in);
      if (!begun && in.now.seconds() > 3) {
        begun = true;
        if (const auto refused = trial.begin(model, request, last)) {
          r.outcome = *refused;
          over = in.now;
        }
      }
      trial.put(model, last, in);
    };
    o.watch = [&](const Model& model, const Inputs& in, const Outputs& out) {
      if (const auto outcome = trial.take(model, out)) {
        r.outcome = *outcome;
        over = in.now;
      }
      if (const auto s = trial.sample()) r.samples.push_back(*s);
      r.last = out;
      stop = (over && (in.now - *over).seconds() > 1) || in.now.seconds() > 60;
      if (stop) body_ = stack::body_model(model.vehicle, model.effectiveness);
    };
    (void)flight::fly(mission_, site, o);
    EXPECT_TRUE(over) << "no outcome in a minute";
    return r;
  }
  /// One after the other, each alone.
  std::vector<estimation::PushFinding> push_all() {
    std::vector<estimation::PushFinding> all;
    for (std::size_t i = 0; i < mission_.vehicle.vehicle.propulsors.size(); ++i) {
      TrialRequest push{i + 1, TrialRequest::Kind::kPush};
      push.propulsor = i;
      push.share = 0.2;
      const Result r = run(push);
      EXPECT_EQ(r.outcome.trouble, TrialTrouble::kNone) << i;
      all.push_back(estimation::judge_push(body_, i, r.outcome.change, r.outcome.impulse));
    }
    return all;
  }

 private:
  craft::MissionFile mission_, truth_;
  estimation::BodyModel body_;
};

TEST(Trial, FindsNothingWhereNothingIsWrong) {
  for (const char* vehicle : {"bluerov2_heavy", "oogway", "subjugator8"}) {
    Bench bench(vehicle);
    const auto found = bench.push_all();
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].verdict, estimation::PushVerdict::kGood)
          << vehicle << " " << bench.told().vehicle.vehicle.propulsors[i].name << " share "
          << found[i].share << " like " << found[i].like;
  }
}

TEST(Trial, FindsOneReversedAPairSwappedAndOneDead) {
  Bench bench;
  bench.really(4).flipped = true;
  std::swap(bench.really(0).position_m, bench.really(3).position_m);
  std::swap(bench.really(0).rpy_deg, bench.really(3).rpy_deg);
  world::FaultSpec dead;
  dead.propulsor = bench.told().vehicle.vehicle.propulsors[6].name;
  dead.kind = world::FaultKind::kDead;
  dead.announced = false;
  bench.truth().world.faults = {dead};
  const auto wrong = estimation::conclude(bench.push_all());
  ASSERT_EQ(wrong.size(), 3U);
  using Kind = estimation::Miswiring::Kind;
  EXPECT_EQ(wrong[0].kind, Kind::kSwapped);
  EXPECT_EQ(wrong[0].propulsor, 0);
  EXPECT_EQ(wrong[0].other, 3);
  EXPECT_FALSE(wrong[0].reversed || wrong[0].other_reversed);
  EXPECT_EQ(wrong[1].kind, Kind::kReversed);
  EXPECT_EQ(wrong[1].propulsor, 4);
  EXPECT_EQ(wrong[2].kind, Kind::kDead);
  EXPECT_EQ(wrong[2].propulsor, 6);
}

TEST(Trial, OneThatPushesOneWayAloneIsPushedThatWay) {
  for (const bool forwards : {true, false}) {
    Bench bench;
    for (craft::MissionFile* file : {&bench.told(), &bench.truth()}) {
      auto& vehicle = file->vehicle.vehicle;
      vehicle::PropulsorSpec& first = vehicle.propulsors.at(0);
      first.thruster = vehicle.thruster_types.at(0).thruster;
      first.use.clear();
      (forwards ? first.thruster->min_effort : first.thruster->max_effort) = 0;
    }
    TrialRequest push{1, TrialRequest::Kind::kPush};
    push.share = 0.2;
    const auto r = bench.run(push);
    EXPECT_EQ(r.outcome.trouble, TrialTrouble::kNone);
    // 0.6 s at a fifth of 34.5 N
    EXPECT_NEAR(r.outcome.impulse, (forwards ? 1 : -1) * 0.2 * 34.5 * 0.6, 1.5);
  }
}

TEST(Trial, IsRefusedBesideAMission) {
  Bench bench;
  const Model model = craft::build_model(bench.told().vehicle, &bench.told().mission);
  TrialRequest push{1, TrialRequest::Kind::kPush};
  push.share = 0.2;
  const auto refused = Trial().begin(model, push, {});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->trouble, TrialTrouble::kMission);
}

TEST(Trial, LeavesEveryPropulsorInUse) {
  Bench bench;
  TrialRequest push{1, TrialRequest::Kind::kPush};
  push.propulsor = 2;
  push.share = 0.2;
  const auto r = bench.run(push);
  EXPECT_EQ(r.outcome.trouble, TrialTrouble::kNone);
  EXPECT_EQ(r.last.limits.by_health, 0U);
  // a push of 0.6 s at a fifth of 34.5 N
  EXPECT_NEAR(r.outcome.impulse, 0.2 * 34.5 * 0.6, 0.6);
  // also when somebody stops it
  bool said = false;
  const auto stopped = bench.run(push, [&](double t_s, Inputs& in) {
    if (t_s < 4.8 || said) return;
    said = true;
    in.commands.push_back({CommandCode::kTakeOver, -1, mission::Operator::kCli});
  });
  EXPECT_EQ(stopped.outcome.trouble, TrialTrouble::kElse);
  EXPECT_EQ(stopped.last.limits.by_health, 0U);
}

/// An armed craft whose thruster 2 is to be pushed, flown by hand: what puts others out and back into use is obeyed.
struct Armed {
  Model model = craft::build_model(Bench().told().vehicle, nullptr);
  Outputs out;
  Trial trial;
  TrialRequest push{1, TrialRequest::Kind::kPush};
  explicit Armed(Validity validity = Validity::kValid) {
    out.arm = ArmState::kArmed;
    out.used.validity = validity;
    out.actuation.effort.resize(model.effectiveness.column.size());
    push.propulsor = 2;
    push.share = 0.2;
  }
  void obey(const Inputs& in) {
    for (const OperatorCommand& c : in.commands) {
      if (c.code == CommandCode::kFailPropulsor)
        out.limits.by_health |= ChannelMask{1} << c.argument;
      if (c.code == CommandCode::kRestorePropulsor) out.limits.by_health = 0;
    }
  }
};

/// A push by hand: what the craft does, and how much of the effort is sent.
TrialOutcome pushed_by_hand(double sent) {
  Armed armed;
  auto& [model, out, trial, push] = armed;
  EXPECT_FALSE(trial.begin(model, push, out));
  // half a second of standing still, then twice a rest of 1.5 s and a push of 0.6 s
  for (std::int64_t ms = 0; ms < 10'000; ms += 10) {
    const double t_s = 0.001 * static_cast<double>(ms) - 0.5, piece_s = std::fmod(t_s, 2.1);
    const double way = t_s < 2.1 ? 1 : -1;
    Inputs in;
    in.now = in.odometry.stamp = Time{ms * 1'000'000};
    in.has_odometry = true;
    trial.put(model, out, in);
    armed.obey(in);
    out.now = out.used.stamp = in.now;
    out.measured = estimation::MeasurementVerdict::kAccepted;
    // drifts at 0.1 m/s at the end of each rest; a push makes it 0.6 m/s faster in the end; all 30 ms later
    const double seen_s = t_s - 0.03, seen_piece_s = std::fmod(seen_s, 2.1);
    const double seen_way = seen_s < 2.1 ? 1 : -1;
    out.used.V_WB_B.v.x = seen_s < 0 || seen_piece_s < 1.2 ? 0.2
                          : seen_piece_s < 1.55            ? 0.1
                          : seen_piece_s < 1.85            ? 0.1 + 0.3 * seen_way
                                                           : 0.1 + 0.6 * seen_way;
    out.actuation.effort[2] = t_s > 0 && piece_s >= 1.5 ? sent * way : 0;
    if (const auto outcome = trial.take(model, out)) return *outcome;
  }
  ADD_FAILURE() << "no outcome";
  return {};
}

TEST(Trial, ThePushIsTheDifferenceBetweenItsEndAndTheEndOfTheRestBeforeIt) {
  const TrialOutcome o = pushed_by_hand(7);
  EXPECT_EQ(o.trouble, TrialTrouble::kNone);
  EXPECT_NEAR(o.change[0], 0.6, 1e-9);
  EXPECT_NEAR(o.impulse, 7 * 0.6, 7 * 0.02);
}

TEST(Trial, APushThatWasNotSentIsNoFinding) {
  EXPECT_EQ(pushed_by_hand(0).trouble, TrialTrouble::kNoEffort);
  EXPECT_EQ(pushed_by_hand(0.1).trouble, TrialTrouble::kNoEffort);
}

/// A push of a craft whose thruster gives 1 m/s^2, and whose drag stops it in between; `meddle` says with which time step
/// a tick comes, and may spoil what comes with it.
struct Coasting {
  struct Tick {
    double t_s;
    bool pushes;
    int begun;           ///< How many pushes have begun.
    double age_s = 0;    ///< Of the odometry; none comes where it is infinite.
    double set_s = 0;    ///< By how much the clock is off.
    double older_s = 0;  ///< … of that by its second number.
    estimation::MeasurementVerdict verdict = estimation::MeasurementVerdict::kAccepted;
    bool refuses = false;  ///< The setpoint of this tick.
    bool ended = false;    ///< Has had its outcome.
    Validity validity = Validity::kValid;
    Inputs in{};  ///< What others put into it.
    Outputs& out;
  };
  using Meddle = std::function<double(Tick&)>;
  static constexpr double kPeriod_s = 0.02;
  TrialOutcome outcome;
  int begun = 0;
  double over_s = 0, effort = 0;  ///< When it was over, and what was asked a second later.
  Armed armed;

  explicit Coasting(const Meddle& meddle = nullptr, Validity at_first = Validity::kValid)
      : armed(at_first) {
    fly(meddle);
  }
  void fly(const Meddle& meddle = nullptr) {
    auto& [model, out, trial, push] = armed;
    begun = 0;
    std::optional<TrialOutcome> ended;
    const auto refused = trial.begin(model, push, out);
    ASSERT_FALSE(refused) << static_cast<int>(refused->trouble);
    const double from_s = out.now.seconds();
    bool pushes = false;
    double way = 0, v = 0;
    std::vector<std::pair<double, double>> history;
    while (out.now.seconds() < from_s + 400) {
      Tick tick{.t_s = out.now.seconds() - from_s,
                .pushes = pushes,
                .begun = begun,
                .ended = ended.has_value(),
                .out = out};
      const double dt_s = meddle ? meddle(tick) : kPeriod_s;
      // what comes late was without thrust
      if (way == 0) v *= 1 - 0.02 / 0.1;
      if (way != 0 && dt_s < 0.05) v += dt_s * std::copysign(1, way);
      const Time now = out.now + Duration::from_seconds(dt_s);
      history.emplace_back(now.seconds(), v);
      Inputs& in = tick.in;
      in.now = now + Duration::from_seconds(tick.set_s);
      in.has_odometry = std::isfinite(tick.age_s);
      if (in.has_odometry) {
        in.odometry.older = Duration::from_seconds(tick.older_s);
        in.odometry.stamp = in.now - Duration::from_seconds(tick.age_s) + in.odometry.older;
        for (const auto& [at_s, was] : history)
          if (at_s <= now.seconds() - tick.age_s + 1e-9 &&
              tick.verdict == estimation::MeasurementVerdict::kAccepted)
            out.used.V_WB_B.v.x = was;
      }
      trial.put(model, out, in);
      armed.obey(in);
      using control::SetpointRefusal;
      out.setpoint_answer.refusal =
          in.has_setpoint && tick.refuses ? SetpointRefusal::kBeyond : SetpointRefusal::kNone;
      if (in.has_setpoint && !tick.refuses && (in.setpoint_parts & stack::kWrenchPart) != 0)
        way = dot(to_vec6(in.setpoint.F_Bo_B), model.effectiveness.column[2]);
      out.actuation.effort[2] = way > 0 ? 7 : way < 0 ? -7 : 0;
      if (way != 0 && !pushes) ++begun;
      pushes = way != 0;
      out.used.validity = tick.validity;
      out.measured = in.has_odometry ? tick.verdict : estimation::MeasurementVerdict::kNone;
      // as where a state is carried on to now: its own stamp tells nothing
      out.now = out.used.stamp = now;
      if (const auto o = trial.take(model, out)) {
        ended = outcome = *o;
        over_s = out.now.seconds() - from_s;
      }
      if (ended && out.now.seconds() - from_s > over_s + 2.5) {
        effort = out.actuation.effort[2];
        return;
      }
    }
    ADD_FAILURE() << "no outcome";
  }
};

using Tick = Coasting::Tick;
constexpr double kPeriod_s = Coasting::kPeriod_s, kNone_s = std::numeric_limits<double>::infinity();

void expect_good(const Coasting& c, int pushes, const char* what, double tolerance = 0.03) {
  EXPECT_EQ(c.outcome.trouble, TrialTrouble::kNone) << what;
  EXPECT_EQ(c.begun, pushes) << what;
  // the mean of the push's last 0.15 s
  EXPECT_NEAR(c.outcome.change[0], 0.6 - 0.075, tolerance) << what;
  EXPECT_NEAR(c.outcome.impulse, 7 * 0.6, 7 * 0.04) << what;
  EXPECT_EQ(c.armed.out.limits.by_health, 0U) << what;
  EXPECT_EQ(c.effort, 0) << what;
}

TEST(Trial, APushInWhichTheMachineStoodIsPushedAgain) {
  expect_good(Coasting(), 2, "without anything");
  bool once = false;
  expect_good(
      Coasting([&](Tick& t) { return t.pushes && !std::exchange(once, true) ? 0.125 : kPeriod_s; }),
      3, "a late tick");
  once = false;
  expect_good(
      Coasting([&](Tick& t) { return t.pushes && !std::exchange(once, true) ? 0.04 : kPeriod_s; }),
      2, "one that is hardly late");
  once = false;
  expect_good(Coasting([&](Tick& t) {
                if (t.pushes && !std::exchange(once, true)) t.validity = Validity::kStale;
                return kPeriod_s;
              }),
              3, "no state for one tick");
  expect_good(Coasting(
                  [&](Tick& t) {
                    if (t.t_s < 1) t.validity = Validity::kStale;
                    return kPeriod_s;
                  },
                  Validity::kStale),
              2, "no state when it begins");
}

TEST(Trial, ATwistCountsForWhenItWasMeasured) {
  for (const double age_s : {0.05, 0.1, 0.2, 0.22})
    expect_good(Coasting([&](Tick& t) {
                  t.age_s = age_s;
                  return kPeriod_s;
                }),
                2, "late all the time");
  expect_good(Coasting([&](Tick& t) {
                t.age_s = 0.2;
                t.older_s = 0.15;
                return kPeriod_s;
              }),
              2, "stamped in between");
  // two of them, one of which is slow: what comes is of before what has come
  int turn = 0;
  expect_good(Coasting([&](Tick& t) {
                t.age_s = ++turn % 2 == 0 ? 0.1 : 0.02;
                return kPeriod_s;
              }),
              2, "of two sensors", 0.05);
  // five times a second is enough, and how it falls does not matter
  for (int first = 0; first < 10; ++first) {
    int n = first;
    expect_good(Coasting([&](Tick& t) {
                  t.age_s = n++ % 10 == 0 ? 0 : kNone_s;
                  return kPeriod_s;
                }),
                2, "seldom", 0.09);
  }
  // nothing for a moment, by its own stamp or by its absence; the state's stamp is always now
  expect_good(Coasting([&](Tick& t) {
                if (t.pushes && t.begun == 2) t.age_s = 0.3;
                return kPeriod_s;
              }),
              4, "old in the second one");
  expect_good(Coasting([&](Tick& t) {
                if (t.pushes && t.begun == 2)
                  t.verdict = estimation::MeasurementVerdict::kFromFuture;
                return kPeriod_s;
              }),
              4, "refused in the second one");
  expect_good(Coasting([&](Tick& t) {
                if (t.pushes && t.begun == 1) t.age_s = kNone_s;
                return kPeriod_s;
              }),
              3, "none in the first one");
  // not by the clock, which may be set
  expect_good(Coasting([&](Tick& t) {
                t.set_s = t.pushes ? -1e6 : 1e6;
                return kPeriod_s;
              }),
              2, "the clock is set");
}

TEST(Trial, IsPushedByTicksThatAreQuickEnough) {
  Armed slow;
  slow.model.period = Duration::from_seconds(0.11);
  const auto refused = slow.trial.begin(slow.model, slow.push, slow.out);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->trouble, TrialTrouble::kUnfit);
  Bench bench;
  bench.told().vehicle.control_rate_Hz = bench.truth().vehicle.control_rate_Hz = 10;
  for (const auto& found : bench.push_all())
    EXPECT_EQ(found.verdict, estimation::PushVerdict::kGood) << found.share;
}

TEST(Trial, NothingIsConcludedFromWhatIsLateForEver) {
  const Coasting late([](Tick& t) { return t.pushes ? 0.2 : kPeriod_s; });
  EXPECT_EQ(late.outcome.trouble, TrialTrouble::kLate);
  EXPECT_EQ(late.begun, flight::kMostTries);
  // … nor from what drifts away meanwhile, half a metre a push
  const Coasting drifts([](Tick& t) {
    t.out.used.X_WB.p.x = 0.25 * t.t_s;
    return t.pushes ? 0.2 : kPeriod_s;
  });
  EXPECT_EQ(drifts.outcome.trouble, TrialTrouble::kFar);
  EXPECT_LT(0.25 * drifts.over_s, 1 + flight::kReach_m + 1);
  const Coasting blind([](Tick& t) {
    if (t.begun > 0) t.validity = Validity::kStale;
    return kPeriod_s;
  });
  EXPECT_EQ(blind.outcome.trouble, TrialTrouble::kState);
  EXPECT_LT(blind.over_s, 2 + flight::kBlind_s + 2);
  const Coasting nowhere([](Tick& t) {
    if (t.begun > 0) t.out.used.X_WB.p.y = std::nan("");
    return kPeriod_s;
  });
  EXPECT_EQ(nowhere.outcome.trouble, TrialTrouble::kFar);
  const Coasting moves([](Tick& t) {
    t.out.used.V_WB_B.w.z = 1;
    return kPeriod_s;
  });
  EXPECT_EQ(moves.outcome.trouble, TrialTrouble::kMoves);
  EXPECT_EQ(moves.begun, 0);
  EXPECT_LT(moves.over_s, flight::kSettle_s + 2);
  for (const Coasting* c : {&late, &drifts, &blind, &nowhere, &moves}) {
    EXPECT_EQ(c->effort, 0) << "it goes on pushing";
    EXPECT_EQ(c->armed.out.limits.by_health, 0U);
  }
  // a step would be measured from where it is not
  Armed armed(Validity::kStale);
  TrialRequest step{1, TrialRequest::Kind::kStep};
  step.size = 0.5, step.seconds = 5;
  const auto refused = armed.trial.begin(armed.model, step, armed.out);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->trouble, TrialTrouble::kState);
}

TEST(Trial, WhateverEndsItEndsThePush) {
  const auto in_the_push = [](const std::function<void(Tick&)>& meddle) {
    int n = 0;
    return Coasting([&](Tick& t) {
      if (t.pushes && ++n == 10) meddle(t);
      return kPeriod_s;
    });
  };
  const auto expect_ended = [](const Coasting& c, TrialTrouble trouble, const char* what) {
    EXPECT_EQ(c.outcome.trouble, trouble) << what;
    EXPECT_EQ(c.begun, 1) << what;
    EXPECT_LT(c.over_s, 4) << what;
    EXPECT_EQ(c.effort, 0) << what;
    EXPECT_EQ(c.armed.out.limits.by_health, 0U) << what;
  };
  expect_ended(in_the_push([](Tick& t) { t.out.failsafe.on = 1; }), TrialTrouble::kFailsafe,
               "a failsafe");
  expect_ended(in_the_push([](Tick& t) { t.out.arm = ArmState::kLatchedSafe; }),
               TrialTrouble::kDisarmed, "latched");
  expect_ended(in_the_push([](Tick& t) { t.out.commander = mission::Operator::kCli; }),
               TrialTrouble::kElse, "somebody takes over");
  // whoever takes the others back into use
  expect_ended(
      in_the_push([](Tick& t) {
        t.in.commands.push_back({CommandCode::kRestorePropulsor, -1, mission::Operator::kPage});
      }),
      TrialTrouble::kElse, "all in use again");
  expect_ended(in_the_push([](Tick& t) { t.out.limits.by_health ^= 1; }), TrialTrouble::kElse,
               "one of them in use again");
  // what a planner wants meanwhile stays; what is refused, or a part, leaves the push in force
  Coasting planned = in_the_push([](Tick& t) {
    t.in.has_setpoint = true;
    t.in.setpoint.mode.fill(AxisMode::kWrench);
    t.in.setpoint.F_Bo_B = to_wrench(0.01 * Armed().model.effectiveness.column[2]);
  });
  EXPECT_EQ(planned.outcome.trouble, TrialTrouble::kElse);
  EXPECT_EQ(planned.effort, 7);
  expect_ended(in_the_push([](Tick& t) {
                 t.in.has_setpoint = t.refuses = true;
                 t.in.setpoint.mode.fill(AxisMode::kPosition);
               }),
               TrialTrouble::kElse, "a planner that is refused");
  expect_ended(in_the_push([](Tick& t) {
                 t.in.has_setpoint = true;
                 t.in.setpoint_parts = stack::kPosePart;
               }),
               TrialTrouble::kElse, "a part of a setpoint");
  // its own last one is said until it is heard, and names no place that could be beyond a fence
  int n = 0, refusals = 0;
  const Coasting refused([&](Tick& t) {
    if (t.pushes && ++n == 10) t.out.failsafe.on = 1;
    t.refuses = n >= 10 && ++refusals < 60;
    return kPeriod_s;
  });
  expect_ended(refused, TrialTrouble::kFailsafe, "its last word is refused for a second");
  // where there is no room for the word that takes the others back, it is said later
  const Coasting full([](Tick& t) {
    if (t.begun == 2 && !t.pushes && !(t.ended && t.out.now.seconds() > 7))
      while (t.in.commands.push_back({CommandCode::kTakeOver, -1, mission::Operator::kPage})) {
      }
    return kPeriod_s;
  });
  EXPECT_EQ(full.outcome.trouble, TrialTrouble::kNone);
  EXPECT_EQ(full.armed.out.limits.by_health, 0U);
  // … or while a step is tried
  Coasting pushed([](Tick& t) {
    if (t.begun == 2 && !t.pushes)
      while (t.in.commands.push_back({CommandCode::kTakeOver, -1, mission::Operator::kPage})) {
      }
    return kPeriod_s;
  });
  auto& [model, out, trial, push] = pushed.armed;
  EXPECT_NE(out.limits.by_health, 0U);
  push.kind = TrialRequest::Kind::kStep;
  push.size = 0.5, push.seconds = 5;
  EXPECT_FALSE(trial.begin(model, push, out));
  Inputs in;
  trial.put(model, out, in);
  pushed.armed.obey(in);
  EXPECT_EQ(out.limits.by_health, 0U);
}

TEST(Trial, AnotherOneBeginsAnew) {
  Coasting c([](Tick& t) { return t.pushes ? 0.2 : kPeriod_s; });
  EXPECT_EQ(c.outcome.trouble, TrialTrouble::kLate);
  c.fly();
  expect_good(c, 2, "after one that was late");
  c.fly([&](Tick& t) {
    if (t.pushes) {
      const auto busy = c.armed.trial.begin(c.armed.model, c.armed.push, c.armed.out);
      EXPECT_TRUE(busy && busy->trouble == TrialTrouble::kBusy);
    }
    return kPeriod_s;
  });
  expect_good(c, 2, "asked again meanwhile");
  c.fly([&](Tick& t) {
    if (t.pushes) (void)c.armed.trial.begin(c.armed.model, {2, TrialRequest::Kind::kStop}, {});
    return kPeriod_s;
  });
  EXPECT_EQ(c.outcome.trouble, TrialTrouble::kStopped);
  EXPECT_EQ(c.effort, 0);
  EXPECT_EQ(c.begun, 1);
}

TEST(Trial, StepsAnAxisAndGoesBack) {
  Bench bench;
  TrialRequest step{1, TrialRequest::Kind::kStep};
  step.axis = 0;
  step.size = 0.5;
  step.seconds = 30;
  const auto r = bench.run(step);
  EXPECT_EQ(r.outcome.trouble, TrialTrouble::kNone);
  const auto f = control::step_figures(r.samples);
  ASSERT_TRUE(f);
  EXPECT_NEAR(f->size, 0.5, 0.1);
  EXPECT_TRUE(f->rise_s);
  EXPECT_TRUE(f->settling_s);
  EXPECT_LT(std::abs(f->error), 0.05);
  // asked for while it is on its way elsewhere, it waits until it holds
  const auto moving = bench.run(step, [](double t_s, Inputs& in) {
    if (t_s < 1.8 || t_s > 1.9) return;
    in.has_setpoint = true;
    in.setpoint.X_WD.p = {1.5, 0, -3};
    in.setpoint.mode.fill(AxisMode::kPosition);
  });
  EXPECT_EQ(moving.outcome.trouble, TrialTrouble::kNone);
  const auto g = control::step_figures(moving.samples);
  ASSERT_TRUE(g);
  EXPECT_NEAR(g->from, 1.5, 0.1);
  EXPECT_NEAR(g->size, 0.5, 0.1);
}

TEST(Trial, IsRefusedOutsideItsConditions) {
  Bench bench;
  TrialRequest push{1, TrialRequest::Kind::kPush};
  push.share = 0.2;
  const auto trouble = [&](const TrialRequest& request,
                           const std::function<void(double, Inputs&)>& meddle = nullptr) {
    return bench.run(request, meddle).outcome.trouble;
  };
  TrialRequest strong = push, nobody = push, far = push;
  strong.share = 0.9;
  EXPECT_EQ(trouble(strong), TrialTrouble::kNumbers);
  nobody.propulsor = 8;
  EXPECT_EQ(trouble(nobody), TrialTrouble::kUnfit);
  far.kind = TrialRequest::Kind::kStep;
  far.size = 3, far.seconds = 5;
  EXPECT_EQ(trouble(far), TrialTrouble::kNumbers);
  EXPECT_EQ(trouble(push,
                    [](double, Inputs& in) {
                      in.has_setpoint = true;
                      in.setpoint.X_WD.p = {0, 0, -3};
                      in.setpoint.mode.fill(AxisMode::kPosition);
                    }),
            TrialTrouble::kElse);
  EXPECT_EQ(trouble(push,
                    [](double t_s, Inputs& in) {
                      if (t_s < 2) return;
                      in.commands.push_back({CommandCode::kTakeOver, -1, mission::Operator::kCli});
                    }),
            TrialTrouble::kElse);
  EXPECT_EQ(trouble(push,
                    [](double t_s, Inputs& in) {
                      if (t_s < 2) return;
                      in.commands.push_back({CommandCode::kFailPropulsor, 5});
                    }),
            TrialTrouble::kOut);
  EXPECT_EQ(trouble(push,
                    [](double t_s, Inputs& in) {
                      if (t_s > 2.5) in.has_odometry = false;
                    }),
            TrialTrouble::kState);
}

}  // namespace
}  // namespace pintle::simulation
