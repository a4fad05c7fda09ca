/// What a run leaves behind: one MCAP file from which it can be replayed, reported and plotted.
///
///   /inputs     stack::Inputs     every tick        all that a replay needs, with /parameters and
///   the attachments /outputs    stack::Outputs    every tick        what the replay must give
///   back, bit for bit /truth      world::Truth      every `truth_every` ticks /parameters
///   ParameterChange   on change
///
/// Attachments: every file of the mission (named by its path from the mission's folder). Metadata
/// `pintle`: build, seed, names, verdict.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "pintle/base/fields.h"
#include "pintle/stack/load.h"
#include "pintle/stack/signals.h"
#include "pintle/telemetry/mcap_writer.h"
#include "pintle/world/world.h"

namespace pintle::stack {

/// A live parameter was set: from this generation on.
struct ParameterChange {
  std::uint32_t generation = 0;
  std::string path;
  double value = 0;
};

class Recorder {
 public:
  struct Options {
    std::uint32_t truth_every = 1;
    telemetry::McapOptions mcap;
  };

  /// @throws std::runtime_error when the file cannot be created.
  Recorder(const std::filesystem::path& file, const MissionFile& mission, std::uint64_t seed,
           const Options& options);
  Recorder(const std::filesystem::path& file, const MissionFile& mission, std::uint64_t seed)
      : Recorder(file, mission, seed, Options{}) {}

  void tick(const Inputs& inputs, const Outputs& outputs);
  void truth(const world::Truth& truth);
  void parameter(const ParameterChange& change, Time time);
  /// The verdict ends the log. Without it the log is that of a run that was cut.
  void finish(std::string_view verdict);
  [[nodiscard]] bool failed() const noexcept { return writer_.failed(); }

 private:
  telemetry::McapWriter writer_;
  telemetry::McapWriter::Channel inputs_, outputs_, truth_, parameters_;
  std::uint32_t truth_every_, truths_ = 0;
};

/// Version, commit and compiler of this build, as the log carries them.
[[nodiscard]] std::string build_description();

}  // namespace pintle::stack

namespace pintle {
template <>
const Table& table_of<stack::ParameterChange>();
}
