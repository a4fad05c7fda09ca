/// The loop: one flight at one site, until its mission ends, somebody ends it or the site does.
///
///   sense -> parameters -> operators -> step -> watchers -> over? -> act
///
/// The same on every bus. A tick that was missed is not made up for.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/flight/flight.h"
#include "pintle/flight/operator_request.h"
#include "pintle/flight/site.h"
#include "pintle/flight/state_log.h"
#include "pintle/flight/tuning.h"

namespace pintle::flight {

struct Progress {
  double time_s = 0, time_limit_s = 0;
  std::string_view state;  ///< Of the mission.
  double speed = 0;        ///< The site's time over real time, so far.
};

/// A live parameter set during the flight (or before it, at 0).
struct ScheduledChange {
  double at_s = 0;
  std::string path;  ///< As in a vehicle file: "control.scale".
  double value = 0;
};

struct FlyOptions {
  std::filesystem::path log;             ///< Empty: no recording.
  std::optional<std::uint64_t> seed;     ///< Of everything random, instead of the file's.
  std::vector<ScheduledChange> changes;  ///< What no file could say stops the start.
  std::vector<ScheduledWords> schedule;  ///< What the operator asks for, and when.
  /// Set (by Ctrl-C): what flies comes down, then disarm, end the log, verdict "aborted".
  const std::atomic<bool>* stop = nullptr;
  /// Set beside `stop`: disarm now, in the air too.
  const std::atomic<bool>* stop_at_once = nullptr;
  /// Without its mission: it arms and follows the setpoints in the inputs until it is stopped or
  /// disarmed, which is a pass.
  bool planner = false;
  bool sends_efforts = false;  ///< What takes the commands wants efforts (see stack::Model).
  std::function<void(const Progress&)>
      progress;  ///< At a 64th tick, at most ten times a second of real time.
  /// A person at the controls, asked before each tick: commands go into the inputs. The flight then
  /// neither arms nor starts nor ends by itself, but when `stop` is set; a mission that had ended
  /// by then keeps its verdict.
  std::function<void(const Model&, const Outputs& last, Inputs&)> operate;
  /// Commands from elsewhere, asked before each tick. The flight arms, starts and ends by itself
  /// all the same, also once it is disarmed.
  std::function<void(const Model&, const Outputs& last, Inputs&)> ask;
  /// Before the first tick: who watches may add channels to the log.
  std::function<void(Flight&)> begin;
  /// Before the first tick: who may change parameters, from any thread, until `end`.
  std::function<void(Tuning&)> tune;
  /// After the last tick.
  std::function<void()> end;
  /// After each tick.
  std::function<void(const Model&, const Inputs&, const Outputs&)> watch;
};

enum class Verdict : std::uint8_t { kPass, kFail, kAborted };

struct FlightResult {
  Verdict verdict = Verdict::kAborted;
  std::string reason;  ///< One sentence when it is not pass.
  std::vector<StateRecord> states;
  std::vector<CommandRecord> commands;  ///< Those of the schedule.
  std::vector<RefusedChange> refused;   ///< They stand in the log's metadata, too.
  /// Named, in SI; the same for the same seed. Of who knows the truth: fly() leaves them empty.
  std::vector<std::pair<std::string, double>> figures;
  double duration_s = 0;  ///< Of the site's clock.
  double wall_s = 0;
  std::uint64_t ticks = 0;
  std::string log_trouble;          ///< One sentence when the log is not whole.
  std::uint64_t ticks_missing = 0;  ///< In the log, because the disk could not follow.
};

/// What it is flown with at first.
[[nodiscard]] Configuration first_configuration(const MissionFile& mission,
                                                const FlyOptions& options);

/// Flies a mission at a site, with its log.
/// @throws std::invalid_argument or std::runtime_error for what keeps it from starting, such as a
/// change that names no number; nothing afterwards.
[[nodiscard]] FlightResult fly(const MissionFile& mission, Site& site, const FlyOptions& options);

/// The seed that such a flight has.
[[nodiscard]] inline std::uint64_t seed_of(const MissionFile& mission, const FlyOptions& options) {
  return options.seed.value_or(mission.seed);
}

}  // namespace pintle::flight

namespace pintle {
template <>
const EnumTable& enum_table<flight::Verdict>();
}
