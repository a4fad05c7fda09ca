#include "pintle/flight/fly.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "pintle/flight/event_words.h"

namespace pintle {

template <>
const EnumTable& enum_table<flight::Verdict>() {
  using flight::Verdict;
  static constexpr std::array<EnumValue, 3> values{
      enum_value(Verdict::kPass, "pass", "Every step did its work."),
      enum_value(Verdict::kFail, "fail", "It ended on a failure path."),
      enum_value(Verdict::kAborted, "aborted", "It was broken off.")};
  static constexpr EnumTable table{"Verdict", values};
  return table;
}

}  // namespace pintle

namespace pintle::flight {
namespace {

using Clock = std::chrono::steady_clock;

// what may not be armed by then will not be
constexpr double kPatience_s = 60;
// what is over in the air and comes no lower is switched off after so long, its abort path on top
constexpr double kDown_s = 60;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The operator of a flight without a person: arms as soon as there is a state and nothing against
/// it, then starts the mission.
struct Autostart {
  bool has_mission = true;
  bool armed = false, started = false;
  void act(const Outputs& last, Inputs& in) {
    if (!armed && last.obstacles == 0 && last.used.validity == Validity::kValid) {
      in.commands.push_back({CommandCode::kArm, -1});
      armed = true;
    } else if (has_mission && armed && !started && last.arm == ArmState::kArmed) {
      in.commands.push_back({CommandCode::kMissionStart, -1});
      started = true;
    }
  }
};

/// Applies the scheduled changes that are due.
class Tuner {
 public:
  Tuner(Tuning& tuning, std::vector<ScheduledChange> changes)
      : tuning_(tuning), changes_(std::move(changes)) {
    std::stable_sort(changes_.begin(), changes_.end(),
                     [](const auto& a, const auto& b) { return a.at_s < b.at_s; });
    // a typing error is found before the start, not in the middle
    VehicleFile probe = tuning.newest()->configuration.vehicle;
    std::string why;
    for (const ScheduledChange& c : changes_)
      if (!set_by_path(table_of<VehicleFile>(), &probe, c.path, c.value, why))
        throw std::invalid_argument(c.path + ": " + why);
  }
  void apply(Time now, Flight& flight) {
    for (; next_ < changes_.size() && now.seconds() >= changes_[next_].at_s; ++next_) {
      const ScheduledChange& c = changes_[next_];
      ChangeResult done = tuning_.set({{c.path, c.value}});
      if (!done.applied) refused_.push_back({now.seconds(), c.path, std::move(done.message)});
    }
    tuning_.take_over(flight);
  }
  [[nodiscard]] const std::vector<RefusedChange>& refused() const noexcept { return refused_; }

 private:
  Tuning& tuning_;
  std::vector<ScheduledChange> changes_;
  std::size_t next_ = 0;
  std::vector<RefusedChange> refused_;
};

bool has_ended(MissionPhase phase) {
  return phase == MissionPhase::kPassed || phase == MissionPhase::kFailed ||
         phase == MissionPhase::kAborted;
}

/// What a flight controller flies it knows best itself.
bool flies(const Model& model, const Outputs& last) {
  return model.supervised ? last.aircraft.in_flight : last.aloft;
}

/// Off, and still to be landed by its flight controller.
bool still_lands(const Outputs& out) {
  const bool lands =
      out.arm == ArmState::kLatchedSafe ||
      (out.arm == ArmState::kDisarmed && out.mission.phase == MissionPhase::kAborting);
  return out.aircraft.in_flight && lands;
}

/// Told to be off, in this tick.
bool is_disarmed_by(const Inputs& in, const Outputs& out) {
  const auto asks = [](const OperatorCommand& c) {
    return c.code == CommandCode::kDisarm || c.code == CommandCode::kDisarmForce;
  };
  const auto refuses = [](const Event& e) { return e.code == EventCode::kCommandRefused; };
  return std::any_of(in.commands.begin(), in.commands.end(), asks) &&
         std::none_of(out.events.begin(), out.events.end(), refuses);
}

/// What ends a flight that no person is at. Counted in the tick's own time, which no clock that
/// leaps or stands can take away.
class Ending {
 public:
  /// `allowed`: how long it may take from its start, and from each later start of its mission; none
  /// for a flight that a planner guides. `abort`: and how much longer on its abort path.
  Ending(std::optional<Duration> allowed, Duration abort) : allowed_(allowed), abort_(abort) {}

  /// True when it is over. `off`: told so. `comes_more`: of commands.
  bool take(const Outputs& out, bool off, bool comes_more, bool is_listening) {
    const bool idle = out.mission.phase == MissionPhase::kIdle;
    if (!counted_from_ || (was_idle_ && !idle)) counted_from_ = out.now;
    was_idle_ = idle;
    const Duration more = out.mission.phase == MissionPhase::kAborting ? abort_ : Duration{};
    if (allowed_ && out.now - *counted_from_ >= *allowed_ + more) return true;
    // what a failsafe brings down, or up, is seen to the end; and so is what falls
    const bool falls = out.aloft && !out.aircraft.flight_fresh;
    const bool comes_home =
        out.failsafe.action >= FailsafeAction::kLand && !out.failsafe.arrived &&
        (falls || (out.arm == ArmState::kArmed && out.failsafe.action == FailsafeAction::kLand));
    if (comes_home || still_lands(out)) return false;
    if (has_ended(out.mission.phase)) return true;
    if (out.arm == ArmState::kLatchedSafe && idle) return true;
    was_armed_ = was_armed_ || out.arm == ArmState::kArmed;
    was_started_ = was_started_ || !idle;
    if (!comes_more) {
      if ((was_armed_ || off) && out.arm == ArmState::kDisarmed)
        reason_ = (out.obstacles & obstacle_bit(ArmObstacle::kKilled)) != 0
                      ? "the kill switch was pulled"
                      : "disarmed by the operator";
      else if (was_started_ && idle && !is_listening)
        reason_ = "cut off by the operator";
      if (!reason_.empty()) return true;
    }
    // of a craft that may not be armed: waiting longer changes nothing
    const ArmObstacle obstacle = first_obstacle(out.obstacles);
    return idle && obstacle != ArmObstacle::kNone &&
           (obstacle == ArmObstacle::kFrameDisagrees || obstacle == ArmObstacle::kMountDisagrees ||
            out.now.seconds() > kPatience_s);
  }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  std::optional<Duration> allowed_;
  Duration abort_;
  std::optional<Time> counted_from_;
  bool was_idle_ = true, was_armed_ = false, was_started_ = false;
  std::string reason_;
};

/// Down first, if it flies, then off. What a flight controller flies lands where it is, or by its abort
/// path; what carries itself takes its abort path, if there is one, and then sinks where it is. Looked at
/// in each tick: whoever else has a word meanwhile does not end it.
class ComingDown {
 public:
  /// True when the last tick has been made.
  bool take(bool ended, const Outputs& out) {
    ended_ = ended_ || ended;
    const bool lands = out.arm == ArmState::kLatchedSafe && still_lands(out) && !gave_up_;
    return ended_ && out.arm != ArmState::kArmed && !lands;
  }
  void act(const Model& model, const Outputs& last, Inputs& in) {
    if (!ended_) return;
    gave_up_ = gave_up_ || (flies(model, last) && gives_up(model, last));
    if (!flies(model, last) || gave_up_)
      in.commands.push_back({CommandCode::kDisarmForce, -1});
    else if (!comes_down(model, last))
      in.commands.push_back({next(model, last), -1});
  }

 private:
  static bool comes_down(const Model& model, const Outputs& last) {
    if (last.mission.phase == MissionPhase::kAborting) return true;
    if (model.supervised) return false;
    const bool lands = last.mission.phase == MissionPhase::kRunning &&
                       mission::lands(model.mission, last.mission.state);
    return lands || last.failsafe.action >= FailsafeAction::kLand;
  }
  CommandCode next(const Model& model, const Outputs& last) {
    const int ask = asked_++;
    const bool has_path = mission::is_under_way(last.mission.phase) && model.mission.abort >= 0;
    const bool aborts = model.supervised ? ask % 2 == 1 : ask == 0 && has_path;
    if (model.supervised && ask >= kAsks) return CommandCode::kDisarmForce;
    return aborts ? CommandCode::kMissionAbort : CommandCode::kMissionLand;
  }
  /// It has made no way down for so long that it will not.
  bool gives_up(const Model& model, const Outputs& last) {
    if (patience_s_ <= 0) {
      patience_s_ = kDown_s;
      if (model.has_mission) patience_s_ += mission::longest_abort(model.mission).seconds();
    }
    // an abort path may climb first
    const double z = last.used.X_WB.p.z;
    if (from_m_ && z > *from_m_) from_m_ = z;
    if (!from_m_ || z < *from_m_ - kWay_m) {
      from_m_ = z;
      lower_at_ = last.now;
    }
    return (last.now - lower_at_).seconds() > patience_s_;
  }

  static constexpr int kAsks = 4;
  static constexpr double kWay_m = 0.5;
  bool ended_ = false, gave_up_ = false;
  int asked_ = 0;
  double patience_s_ = 0;
  std::optional<double> from_m_;
  Time lower_at_{};
};

void judge(const Outputs& last, bool stopped, bool over, FlightResult& result) {
  result.verdict = Verdict::kAborted;
  if (stopped) {
    result.reason = "stopped by the operator";
  } else if (last.mission.phase == MissionPhase::kPassed) {
    result.verdict = Verdict::kPass;
  } else if (last.failsafe.action > FailsafeAction::kHold) {
    if (last.mission.phase == MissionPhase::kFailed) result.verdict = Verdict::kFail;
    result.reason = "a failsafe ended it: " + std::string(to_string(last.failsafe.cause));
  } else if (last.mission.phase == MissionPhase::kFailed) {
    result.verdict = Verdict::kFail;
    result.reason = "the mission ended on a failure path";
  } else if (last.arm == ArmState::kLatchedSafe) {
    // which its abort path may have followed
    result.reason = last.used.validity == Validity::kValid
                        ? "the vehicle was latched safe"
                        : "the vehicle was latched safe: its state was lost";
  } else if (last.mission.phase == MissionPhase::kAborted) {
    result.reason = "the mission took its abort path";
  } else if (last.obstacles != 0) {
    result.reason = "the craft may not be armed: " + pre_arm_list(last.obstacles, last.failsafe);
  } else if (!over) {
    result.reason = "what it flew on has ended";
  } else {
    result.reason = "the mission did not end within its time limit";
  }
}

/// Tells how far it is, at a 64th tick, at most ten times a second.
class Teller {
 public:
  Teller(const FlyOptions& options, double time_limit_s)
      : options_(options), time_limit_s_(time_limit_s) {}
  void tell(std::uint64_t ticks, Time now, std::string_view state) {
    if (!options_.progress || (ticks & 63U) != 0 || Clock::now() < next_) return;
    options_.progress({now.seconds(), time_limit_s_, state,
                       now.seconds() / std::max(1e-9, seconds_since(start_))});
    next_ = Clock::now() + std::chrono::milliseconds(100);
  }
  [[nodiscard]] double wall_s() const { return seconds_since(start_); }

 private:
  const FlyOptions& options_;
  double time_limit_s_;
  Clock::time_point start_ = Clock::now(), next_ = start_;
};

}  // namespace

Configuration first_configuration(const MissionFile& mission, const FlyOptions& options) {
  Configuration first{1, mission.vehicle, {}, options.sends_efforts};
  if (!options.planner) first.mission = mission.mission;
  return first;
}

FlightResult fly(const MissionFile& mission, Site& site, const FlyOptions& options) {
  Tuning tuning(first_configuration(mission, options));
  Tuner tuner(tuning, options.changes);
  const std::shared_ptr<const Generation> first = tuning.newest();
  CommandSchedule schedule(options.schedule, first->model.mission,
                           event_names(first->model).propulsors);
  std::unique_ptr<Recorder> log;
  if (!options.log.empty())
    log = std::make_unique<Recorder>(options.log, title_of(mission, seed_of(mission, options)),
                                     RecorderOptions{.mcap = {.waits = site.waits()}});
  Flight flight(first, std::move(log));
  if (options.begin) options.begin(flight);
  if (options.tune) options.tune(tuning);
  StateLog states(names_of(flight.model().mission.states));
  Autostart autostart;
  autostart.has_mission = !options.planner;
  const double time_limit_s = flight.model().mission.time_limit.seconds();
  // a mission ends by itself; this bound holds even if it never starts
  Ending ending(options.planner ? std::nullopt
                                : std::optional(Duration::from_seconds(time_limit_s + kPatience_s)),
                mission::longest_abort(flight.model().mission));
  Teller teller(options, time_limit_s);

  FlightResult result;
  Inputs in;
  bool stopped = false, over = false, puts_down = false;
  ComingDown down;
  std::optional<Outputs> ended_with;
  Time due = site.now();
  while (!over) {
    clear(in);
    if (!site.sense(due, in)) break;
    const Time now = site.now();
    tuner.apply(now, flight);
    const Outputs& last = flight.last();
    if (options.operate)
      options.operate(flight.model(), last, in);
    else
      autostart.act(last, in);
    schedule.put(last, in);
    if (options.ask) options.ask(flight.model(), last, in);
    stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
    // what flies is put down
    puts_down = puts_down || (stopped && flies(flight.model(), last));
    const bool at_once = options.stop_at_once != nullptr && *options.stop_at_once;
    if (site.is_gone() || (stopped && (at_once || !puts_down)))
      in.commands.push_back({CommandCode::kDisarmForce, -1});
    else
      down.act(flight.model(), last, in);

    const Outputs& out = flight.step(in);
    for (const Event& e : out.events) states.take(e);
    schedule.take(out, flight.model().mission);
    if (options.watch) options.watch(flight.model(), in, out);
    ++result.ticks;
    // who is off before it was armed is not armed later by itself
    const bool off = is_disarmed_by(in, out);
    autostart.armed = autostart.armed || off;
    const bool ended = stopped || (!options.operate &&
                                   ending.take(out, off, !schedule.done(), options.ask != nullptr));
    if (ended && !ended_with) ended_with = out;
    const bool comes_down = (site.outlasts() || puts_down) && !(stopped && at_once);
    over = comes_down ? down.take(ended, out) : ended;
    site.act(flight.model(), out);
    result.duration_s = now.seconds();
    due = std::max(due + flight.model().period, now);
    teller.tell(result.ticks, now, states.current());
  }

  if (options.end) options.end();
  result.wall_s = teller.wall_s();
  const Outputs& end = ended_with ? *ended_with : flight.last();
  judge(end, stopped && !has_ended(end.mission.phase), over, result);
  if (!ending.reason().empty()) result.reason = ending.reason();
  // what a planner flies ends by a signal; what has come down because of it is latched
  const ArmState arm = flight.last().arm;
  const bool is_off = arm == ArmState::kDisarmed || (puts_down && arm == ArmState::kLatchedSafe);
  if (options.planner && over && is_off && !flight.last().aloft) result.verdict = Verdict::kPass;
  result.commands = schedule.records();
  states.close(result.duration_s);
  result.states = states.records();
  result.refused = tuner.refused();
  if (Recorder* recorder = flight.log()) {
    recorder->refused_changes(result.refused);
    recorder->finish(to_string(result.verdict));
    result.log_trouble = recorder->trouble();
    result.ticks_missing = recorder->missing();
  }
  return result;
}

}  // namespace pintle::flight
