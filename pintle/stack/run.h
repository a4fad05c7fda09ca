/// Runs a mission against the simulated world: virtual clock, as fast as the machine goes, or real
/// time.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pintle/stack/load.h"
#include "pintle/stack/operator_request.h"
#include "pintle/stack/recorder.h"
#include "pintle/stack/state_log.h"
#include "pintle/world/world.h"

namespace pintle::stack {

struct RunProgress {
  double time_s = 0, time_limit_s = 0;
  std::string_view state;  ///< Of the mission.
  double speed = 0;        ///< Simulated over real time, so far.
};

/// A live parameter set during the run (or before it, at 0).
struct ScheduledChange {
  double at_s = 0;
  std::string path;  ///< As in a vehicle file: "control.scale".
  double value = 0;
};

struct RunOptions {
  std::optional<std::uint64_t> seed;     ///< Instead of the file's.
  std::filesystem::path log;             ///< Empty: no recording.
  std::vector<ScheduledChange> changes;  ///< Refused ones stop the start.
  std::vector<ScheduledWords> schedule;  ///< What the operator asks for, and when.
  bool real_time = false;                ///< Wait for the wall clock.
  world::WorldOptions world;             ///< Plants that this program knows.
  const std::atomic<bool>* stop =
      nullptr;  ///< Set (by Ctrl-C): disarm, end the log, verdict "aborted".
  std::function<void(const RunProgress&)> progress;  ///< About ten times a second of real time.
  /// A person at the controls, asked before each tick: commands go into the inputs. The run then
  /// neither arms nor starts nor ends by itself, but when `stop` is set; a mission that had ended
  /// by then keeps its verdict.
  std::function<void(const Model&, const Outputs& last, Inputs&)> operate;
  /// In real time: so much was missed and is dropped. Not more often than every ten seconds, summed
  /// up.
  std::function<void(double at_s, double missed_s)> missed;
  /// Commands from elsewhere, asked before each tick. The run arms, starts and ends by itself all
  /// the same, also once it is disarmed.
  std::function<void(const Model&, const Outputs& last, Inputs&)> ask;
  /// After each tick.
  std::function<void(const Model&, const Inputs&, const Outputs&, const world::Truth&)> watch;
};

enum class Verdict : std::uint8_t { kPass, kFail, kAborted };

struct RunResult {
  Verdict verdict = Verdict::kAborted;
  std::string reason;  ///< One sentence when it is not pass.
  std::vector<StateRecord> states;
  std::vector<CommandRecord> commands;  ///< Those of the schedule.
  std::vector<std::pair<std::string, double>>
      figures;            ///< Named, in SI; the same for the same seed.
  double duration_s = 0;  ///< Simulated.
  double wall_s = 0;
  std::uint64_t ticks = 0;
  bool recording_failed = false;
};

/// @throws std::invalid_argument or std::runtime_error for what keeps it from starting; nothing
/// afterwards.
[[nodiscard]] RunResult run(const MissionFile& mission, const RunOptions& options);

}  // namespace pintle::stack

namespace pintle {
template <>
const EnumTable& enum_table<stack::Verdict>();
}
