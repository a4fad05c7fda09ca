#include "pintle/stack/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "pintle/stack/aircraft_rig.h"
#include "pintle/stack/failure_log.h"
#include "pintle/stack/live.h"
#include "pintle/stack/pacer.h"
#include "pintle/stack/touch_log.h"

namespace pintle {

template <>
const EnumTable& enum_table<stack::Verdict>() {
  using stack::Verdict;
  static constexpr std::array<EnumValue, 3> values{
      EnumValue{static_cast<std::int64_t>(Verdict::kPass), "pass", "Every step did its work."},
      EnumValue{static_cast<std::int64_t>(Verdict::kFail), "fail", "It ended on a failure path."},
      EnumValue{static_cast<std::int64_t>(Verdict::kAborted), "aborted", "It was broken off."}};
  static constexpr EnumTable table{"Verdict", values};
  return table;
}

}  // namespace pintle

namespace pintle::stack {
namespace {

using Clock = std::chrono::steady_clock;

// an aircraft that has not been armed by then will not be
constexpr double kPatience_s = 60;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Figures that say how well it went.
class Figures {
 public:
  void take(const Outputs& out, const world::Truth& truth) {
    ++ticks_;
    saturated_ += out.allocation.grade != AllocationGrade::kExact ? 1 : 0;
    events_ += out.events.size() + out.events_lost;
    for (const Event& e : out.events) {
      rejected_ +=
          e.code == EventCode::kInputRejected || e.code == EventCode::kTimeReversed ? 1 : 0;
      stale_ += e.code == EventCode::kInputStale ? 1 : 0;
    }
    residual_ = std::max(residual_, norm(to_vec6(out.allocation.residual)));
    depth_ = std::max(depth_, -truth.X_WB.p.z);
    speed_ = std::max(speed_, norm(truth.V_WB_B.v));
    estimate_error_ = std::max(estimate_error_, norm(out.used.X_WB.p - truth.X_WB.p));
    final_ = norm(out.setpoint.X_WD.p - truth.X_WB.p);
    for (std::size_t i = 0; i < out.actuation.effort.size(); ++i)
      effort_ += std::abs(out.actuation.effort[i]);
  }
  [[nodiscard]] std::vector<std::pair<std::string, double>> list(double duration_s,
                                                                 double period_s) const {
    return {{"duration_s", duration_s},
            {"max_depth_m", depth_},
            {"max_speed_m_s", speed_},
            {"final_position_error_m", final_},
            {"max_estimate_error_m", estimate_error_},
            {"max_residual", residual_},
            {"saturated_share",
             ticks_ > 0 ? static_cast<double>(saturated_) / static_cast<double>(ticks_) : 0},
            {"effort_integral_s", effort_ * period_s},
            {"inputs_rejected", static_cast<double>(rejected_)},
            {"inputs_stale", static_cast<double>(stale_)},
            {"events", static_cast<double>(events_)}};
  }

 private:
  std::uint64_t ticks_ = 0, saturated_ = 0, events_ = 0, rejected_ = 0, stale_ = 0;
  double residual_ = 0, depth_ = 0, speed_ = 0, estimate_error_ = 0, final_ = 0, effort_ = 0;
};

/// What the world says, as inputs of a tick.
void sense(world::World& world, const MissionFile& mission, Time now, Inputs& in) {
  in = {};
  in.now = now;
  if (const auto sample = world.take_odometry()) {
    in.has_odometry = true;
    in.odometry =
        measurement_of(*sample, mission.world.odometry.frame, mission.vehicle.odometry_frame);
  }
  in.has_bus_voltage = true;
  in.bus_V = world.bus_V();
  for (const world::Announcement& a : world.take_announcements())
    in.health.push_back({a.propulsor, a.health});
}

/// The operator of a simulated run: arms as soon as there is a state (and, of an aircraft, nothing
/// against it), then starts the mission.
struct Operator {
  bool is_aircraft = false;
  bool armed = false, started = false;
  void act(const Outputs& last, Inputs& in) {
    const bool ready =
        !is_aircraft || (last.tick > 0 && last.aircraft.obstacle == ArmObstacle::kNone);
    if (!armed && ready && last.used.validity == Validity::kValid) {
      in.commands.push_back({CommandCode::kArm, -1});
      armed = true;
    } else if (armed && !started && last.arm == ArmState::kArmed) {
      in.commands.push_back({CommandCode::kMissionStart, -1});
      started = true;
    }
  }
};

/// Applies the scheduled changes that are due; false when one was refused.
class Tuner {
 public:
  Tuner(LiveModel& live, std::vector<ScheduledChange> changes)
      : live_(live), changes_(std::move(changes)) {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const auto& a, const auto& b) { return a.at_s < b.at_s; });
    // a typing error is found before the start, not in the middle
    VehicleFile probe = live.file();
    std::string why;
    for (const ScheduledChange& c : changes_)
      if (!set_by_path(table_of<VehicleFile>(), &probe, c.path, c.value, why))
        throw std::invalid_argument(c.path + ": " + why);
  }
  void apply(Time now, Recorder* recorder) {
    for (; next_ < changes_.size() && now.seconds() >= changes_[next_].at_s; ++next_) {
      const ScheduledChange& c = changes_[next_];
      if (live_.set(c.path, c.value, false).applied && recorder != nullptr)
        recorder->parameter({live_.current()->generation, c.path, c.value}, now);
    }
  }

 private:
  LiveModel& live_;
  std::vector<ScheduledChange> changes_;
  std::size_t next_ = 0;
};

/// Waits for the wall clock, and tells what it had to drop.
class Waiting {
 public:
  Waiting(Clock::time_point start, const std::function<void(double, double)>& tell)
      : pacer_(start), tell_(tell), quiet_until_(start) {}
  void until(Time time) {
    const Clock::time_point now = Clock::now();
    std::this_thread::sleep_until(pacer_.due(time, now));
    missed_s_ += pacer_.missed_s();
    if (!(missed_s_ > 0) || now < quiet_until_ || !tell_) return;
    tell_(time.seconds(), missed_s_);
    missed_s_ = 0;
    quiet_until_ = now + std::chrono::seconds(10);
  }

 private:
  Pacer pacer_;
  const std::function<void(double, double)>& tell_;
  Clock::time_point quiet_until_;
  double missed_s_ = 0;
};

/// What ends a run that no person is at: an operator has disarmed it, or cut it off for good.
class Ending {
 public:
  /// True when it is over. `comes_more`: of commands.
  bool take(const Outputs& out, bool comes_more, bool is_listening) {
    was_armed_ = was_armed_ || out.arm == ArmState::kArmed;
    was_started_ = was_started_ || out.mission.phase != MissionPhase::kIdle;
    if (comes_more) return false;
    if (was_armed_ && out.arm == ArmState::kDisarmed)
      reason_ = "disarmed by the operator";
    else if (was_started_ && out.mission.phase == MissionPhase::kIdle && !is_listening)
      reason_ = "cut off by the operator";
    return !reason_.empty();
  }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  bool was_armed_ = false, was_started_ = false;
  std::string reason_;
};

bool has_ended(MissionPhase phase) {
  return phase == MissionPhase::kPassed || phase == MissionPhase::kFailed ||
         phase == MissionPhase::kAborted;
}

/// Of an aircraft that may not be armed: waiting longer changes nothing.
bool will_not_fly(const Outputs& last, Time now) {
  return last.arm != ArmState::kArmed && last.mission.phase == MissionPhase::kIdle &&
         (last.aircraft.obstacle == ArmObstacle::kFrameDisagrees || now.seconds() > kPatience_s);
}

void judge(const Outputs& last, bool stopped, RunResult& result) {
  result.verdict = Verdict::kAborted;
  if (stopped) {
    result.reason = "stopped by the operator";
  } else if (last.mission.phase == MissionPhase::kPassed) {
    result.verdict = Verdict::kPass;
  } else if (last.mission.phase == MissionPhase::kFailed) {
    result.verdict = Verdict::kFail;
    result.reason = "the mission ended on a failure path";
  } else if (last.mission.phase == MissionPhase::kAborted) {
    result.reason = "the mission took its abort path";
  } else if (last.arm == ArmState::kLatchedSafe) {
    result.reason = "the vehicle was latched safe: its state was lost";
  } else if (last.aircraft.obstacle != ArmObstacle::kNone && last.arm != ArmState::kArmed) {
    result.reason = "the craft may not be armed: " + std::string(to_string(last.aircraft.obstacle));
  } else {
    result.reason = "the mission did not end within its time limit";
  }
}

}  // namespace

RunResult run(const MissionFile& mission, const RunOptions& options) {
  const std::uint64_t seed = options.seed.value_or(mission.seed);
  LiveModel live(mission.vehicle, &mission.mission, {});
  Tuner tuner(live, options.changes);
  std::shared_ptr<const Model> model = live.current();
  world::World world(model->vehicle, mission.world, seed, options.world);
  std::optional<AircraftRig> rig;
  if (model->law == Law::kVelocity) rig.emplace(mission, seed);
  InputSpoiler spoiler(mission.input_faults, seed);
  std::unique_ptr<Recorder> recorder;
  if (!options.log.empty()) recorder = std::make_unique<Recorder>(options.log, mission, seed);

  RunResult result;
  StateLog states(names_of(model->mission.states));
  Figures figures;
  FailureLog failures(mission, *model);
  const std::shared_ptr<const Model> first_model = model;
  TouchLog touch(*first_model);
  CommandSchedule schedule(options.schedule, model->mission);
  Ending ending;
  Operator person;
  person.is_aircraft = rig.has_value();
  State state = initial_state(*model);
  Inputs in;
  Outputs out;
  bool stopped = false;

  const auto start = Clock::now();
  Waiting wait(start, options.missed);
  auto next_progress = start;
  // a mission ends by itself; this bound holds even if it never starts
  const Time limit = Time::from_seconds(mission.mission.time_limit_s + 60);
  Time now{};
  for (; now < limit || options.operate; now = now + model->period) {
    tuner.apply(now, recorder.get());
    model = live.current();
    sense(world, mission, now, in);
    if (rig) rig->sense(world, in);
    in.generation = model->generation;
    if (options.operate)
      options.operate(*model, out, in);
    else
      person.act(out, in);
    schedule.put(out, in);
    if (options.ask) options.ask(*model, out, in);
    stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    if (stopped) in.commands.push_back({CommandCode::kDisarm, -1});
    spoiler.apply(in);

    tick(*model, state, in, out);
    const world::Truth truth = world.truth();
    if (recorder) {
      recorder->tick(in, out);
      recorder->truth(truth);
    }
    for (const Event& e : out.events) states.take(e);
    figures.take(out, truth);
    failures.take(out, truth);
    touch.take(out, truth, world.touch());
    schedule.take(out, model->mission);
    if (options.watch) options.watch(*model, in, out, truth);
    ++result.ticks;
    if (stopped) break;
    if (!options.operate && has_ended(out.mission.phase)) break;
    if (!options.operate && out.arm == ArmState::kLatchedSafe &&
        out.mission.phase == MissionPhase::kIdle)
      break;
    if (!options.operate && ending.take(out, !schedule.done(), options.ask != nullptr)) break;
    if (!options.operate && rig && will_not_fly(out, now)) break;

    if (rig)
      rig->advance(world, out, now + model->period);
    else
      world.advance(out.actuation.command, out.actuation.ignition, now + model->period);
    if (options.real_time) wait.until(now + model->period);
    if (options.progress && (result.ticks & 63U) == 0 && Clock::now() >= next_progress) {
      options.progress({now.seconds(), mission.mission.time_limit_s, states.current(),
                        now.seconds() / std::max(1e-9, seconds_since(start))});
      next_progress = Clock::now() + std::chrono::milliseconds(100);
    }
  }

  result.wall_s = seconds_since(start);
  result.duration_s = now.seconds();
  judge(out, stopped && !has_ended(out.mission.phase), result);
  if (!ending.reason().empty()) result.reason = ending.reason();
  result.commands = schedule.records();
  states.close(now.seconds());
  result.states = states.records();
  result.figures = figures.list(result.duration_s, model->period.seconds());
  for (const auto& figure : failures.figures()) result.figures.push_back(figure);
  for (const auto& figure : touch.figures()) result.figures.push_back(figure);
  if (const std::string how = touch.sentence(); !result.reason.empty() && !how.empty())
    result.reason += ": " + how;
  if (rig)
    for (auto& figure : aircraft_figures(mission.world, world.truth()))
      result.figures.push_back(std::move(figure));
  if (recorder) {
    recorder->finish(to_string(result.verdict));
    result.recording_failed = recorder->failed();
  }
  return result;
}

}  // namespace pintle::stack
