/// What a flight leaves behind: one MCAP file from which it can be replayed, reported and plotted.
///
///   /configuration   craft::Configuration   at the beginning and with each new generation
///   /inputs          stack::Inputs          every tick
///   /outputs         stack::Outputs         every tick: what a replay must give back, bit for bit
///
/// These three are all that a replay needs. Beside them what viewers draw by themselves
/// (picture.h). Whoever knows more (a simulated world its truth) adds channels of its own.
/// Attachments: every file of the mission (named by its path from the mission's folder). Metadata
/// `pintle`: build, seed and names at the beginning; `refused`, where something was, and `verdict`
/// with `ticks_missing` at the end.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/flight/names.h"
#include "pintle/flight/picture.h"
#include "pintle/telemetry/mcap_writer.h"

namespace pintle::flight {

/// What a log says of the flight before it begins.
struct LogTitle {
  std::string mission, mission_file, vehicle;
  std::uint64_t seed = 0;  ///< 0: nothing is random.
  /// Every file that was read, by the path that the first of them gives.
  std::vector<std::pair<std::string, std::string>> files;
};
[[nodiscard]] LogTitle title_of(const MissionFile& mission, std::uint64_t seed);

struct RecorderOptions {
  double picture_rate_Hz = 10;  ///< Of what viewers draw; 0: none of it.
  telemetry::McapOptions mcap{};
};

/// A change of parameters that was due and was not made: they would not fit together then.
struct RefusedChange {
  double at_s = 0;
  std::string path, reason;
};

class Recorder {
 public:
  using Channel = telemetry::McapWriter::Channel;

  /// @throws std::runtime_error when the file cannot be created.
  Recorder(const std::filesystem::path& file, const LogTitle& title,
           const RecorderOptions& options = {});

  /// False: it is not in the log, and the tick that it is for counts as missing.
  bool generation(const Generation& generation, Time time);
  /// All of a tick, or nothing of it.
  void tick(const Inputs& inputs, const Outputs& outputs);
  template <class T>
  [[nodiscard]] Channel add_channel(std::string_view topic) {
    return writer_.add_channel(topic, table_of<T>());
  }
  template <class T>
  void write(Channel channel, const T& message, Time time) {
    writer_.write(channel, message, time);
  }
  /// As metadata `refused`: instant in seconds, and why.
  void refused_changes(const std::vector<RefusedChange>& changes);
  /// The verdict ends the log. Without it the log is that of a flight that was cut.
  void finish(std::string_view verdict);
  /// Ticks that the log lacks, because the disk could not follow. A replay ends at the first.
  [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }
  /// One sentence: what keeps the log from being whole. Empty: nothing.
  [[nodiscard]] std::string trouble() const;

 private:
  telemetry::McapWriter writer_;
  Channel configuration_, inputs_, outputs_;
  std::uint64_t missing_ = 0;
  std::optional<Picture> picture_;
};

/// Version, commit and compiler of this build, as the log carries them.
[[nodiscard]] std::string build_description();

}  // namespace pintle::flight
