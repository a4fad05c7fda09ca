#include "pintle/flight/trial.h"

#include <gtest/gtest.h>

#include <cmath>
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

/// An armed craft whose thruster 2 is to be pushed, flown by hand.
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
    in.now = out.now = out.used.stamp = Time{ms * 1'000'000};
    trial.put(model, out, in);
    // drifts at 0.1 m/s at the end of each rest; a push makes it 0.6 m/s faster in the end
    out.used.V_WB_B.v.x = t_s < 0 || piece_s < 1.2 ? 0.2
                          : piece_s < 1.55         ? 0.1
                          : piece_s < 1.85         ? 0.1 + 0.3 * way
                                                   : 0.1 + 0.6 * way;
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
/// a tick comes, and may spoil what it ended with.
struct Coasting {
  struct Tick {
    double t_s;
    bool pushes;
    int begun;  ///< How many pushes have begun.
    Outputs& out;
  };
  using Meddle = std::function<double(const Tick&)>;
  TrialOutcome outcome;
  int begun = 0;
  double over_s = 0;

  explicit Coasting(const Meddle& meddle = nullptr, Validity at_first = Validity::kValid) {
    Armed armed(at_first);
    auto& [model, out, trial, push] = armed;
    EXPECT_FALSE(trial.begin(model, push, out));
    bool pushed = false;
    while (out.now.seconds() < 200) {
      Inputs in;
      in.now = out.now + model.period;
      trial.put(model, out, in);
      const double way = dot(to_vec6(in.setpoint.F_Bo_B), model.effectiveness.column[2]);
      out.actuation.effort[2] = way > 0 ? 7 : way < 0 ? -7 : 0;
      const bool pushes = way != 0;
      if (pushes && !pushed) ++begun;
      pushed = pushes;
      out.used.validity = Validity::kValid;
      out.used.stamp = in.now;
      out.now = in.now;
      const double dt_s =
          meddle ? meddle({out.now.seconds(), pushes, begun, out}) : model.period.seconds();
      // what comes late was without thrust
      double& v = out.used.V_WB_B.v.x;
      if (!pushes) v *= 1 - 0.02 / 0.1;
      if (pushes && dt_s < 0.05) v += dt_s * std::copysign(1, way);
      const Duration more = Duration::from_seconds(dt_s) - model.period;
      out.now = out.now + more;
      out.used.stamp = out.used.stamp + more;
      if (const auto o = trial.take(model, out)) {
        outcome = *o;
        over_s = out.now.seconds();
        return;
      }
    }
    ADD_FAILURE() << "no outcome";
  }
};

void expect_good(const Coasting& c, int pushes, const char* what) {
  EXPECT_EQ(c.outcome.trouble, TrialTrouble::kNone) << what;
  EXPECT_EQ(c.begun, pushes) << what;
  // the mean of the push's last 0.15 s
  EXPECT_NEAR(c.outcome.change[0], 0.6 - 0.075, 0.03) << what;
  EXPECT_NEAR(c.outcome.impulse, 7 * 0.6, 7 * 0.04) << what;
}

TEST(Trial, APushInWhichTheMachineStoodIsPushedAgain) {
  const double period_s = 0.02;
  expect_good(Coasting(), 2, "without anything");
  bool once = false;
  expect_good(Coasting([&](const Coasting::Tick& t) {
                return t.pushes && !std::exchange(once, true) ? 0.5 : period_s;
              }),
              3, "a late tick");
  expect_good(Coasting([&](const Coasting::Tick& t) {
                if (t.pushes && t.begun == 2)
                  t.out.used.stamp = t.out.used.stamp - Duration::from_seconds(0.3);
                return period_s;
              }),
              4, "old odometry in the second one");
  once = false;
  expect_good(Coasting([&](const Coasting::Tick& t) {
                if (t.pushes && !std::exchange(once, true)) t.out.used.validity = Validity::kStale;
                return period_s;
              }),
              3, "no state for one tick");
  expect_good(Coasting(
                  [&](const Coasting::Tick& t) {
                    if (t.t_s < 1) t.out.used.validity = Validity::kStale;
                    return period_s;
                  },
                  Validity::kStale),
              2, "no state when it begins");
}

TEST(Trial, NothingIsConcludedFromWhatIsLateForEver) {
  const Coasting late([](const Coasting::Tick& t) { return t.pushes ? 0.2 : 0.02; });
  EXPECT_EQ(late.outcome.trouble, TrialTrouble::kLate);
  EXPECT_EQ(late.begun, flight::kMostTries);
  // … nor from what drifts away meanwhile, half a metre a push
  const Coasting drifts([](const Coasting::Tick& t) {
    t.out.used.X_WB.p.x = 0.25 * t.t_s;
    return t.pushes ? 0.2 : 0.02;
  });
  EXPECT_EQ(drifts.outcome.trouble, TrialTrouble::kFar);
  EXPECT_LT(0.25 * drifts.over_s, 1 + flight::kReach_m + 1);
  const Coasting blind([](const Coasting::Tick& t) {
    if (t.begun > 0) t.out.used.validity = Validity::kStale;
    return 0.02;
  });
  EXPECT_EQ(blind.outcome.trouble, TrialTrouble::kState);
  EXPECT_LT(blind.over_s, 2 + flight::kBlind_s + 2);
  // a step would be measured from where it is not
  Armed armed(Validity::kStale);
  TrialRequest step{1, TrialRequest::Kind::kStep};
  step.size = 0.5, step.seconds = 5;
  const auto refused = armed.trial.begin(armed.model, step, armed.out);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->trouble, TrialTrouble::kState);
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
