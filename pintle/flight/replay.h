/// Flies a log again: the recorded inputs through a `Flight`, every output compared bit for bit.
///
/// The models are rebuilt from the configurations in the log. A log that was cut is replayed as far
/// as it goes, one that lacks ticks as far as the first of them. Equality is promised for the same
/// source, compiler and processor family; another build may differ in the last bits, and says so.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "pintle/flight/names.h"
#include "pintle/telemetry/mcap_reader.h"

namespace pintle::flight {

struct ReplayResult {
  std::uint64_t ticks = 0;
  std::uint64_t mismatches = 0;
  /// "tick 17 at 0.34 s: allocation.effort[2]: recorded 0.25, now 0.5".
  std::string first_mismatch;
  bool complete = false;     ///< Closed properly, no tick missing, no chunk damaged.
  bool other_build = false;  ///< It was recorded by another build.
  std::string note;  ///< Why it is not complete; with ticks missing, where the replay ended.
};

/// @throws std::runtime_error when the file is no log of a flight, was written with other fields, or
/// a message in it is damaged.
[[nodiscard]] ReplayResult replay(const std::filesystem::path& log);

/// The mission that a log was made with, from its attachments. @throws std::runtime_error when it
/// has none; config::ConfigError when its files no longer load.
[[nodiscard]] MissionFile mission_of(telemetry::McapReader& reader);

}  // namespace pintle::flight
