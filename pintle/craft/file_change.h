/// What is to be written into files that people wrote: shown first, as a diff, then written if the
/// file is still the same. Only the changed scalars are touched, comments and all else stay.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pintle/config/save.h"
#include "pintle/craft/load.h"
#include "pintle/estimation/lone_push.h"

namespace pintle::craft {

struct FileChange {
  std::filesystem::path path;
  std::string before, after;
};

/// Numbers by their paths in a native vehicle file (craft/live.h), into the vehicle file; those that
/// the mission lays over it, into the mission. `mission` may be empty. Files that stay as they are do
/// not come.
/// @throws config::ConfigError when a file cannot be read or the number has no place in it.
[[nodiscard]] std::vector<FileChange> with_parameters(
    const std::filesystem::path& vehicle, VehicleFormat format,
    const std::filesystem::path& mission,
    const std::vector<std::pair<std::string, double>>& changes);

/// The same in one document. @throws config::ConfigError
[[nodiscard]] config::Document with_numbers(
    config::Document document, VehicleFormat format,
    const std::vector<std::pair<std::string, double>>& changes);

/// A native vehicle file in which each propulsor is where it was found to be: `reversed` of a device's
/// channel, else `flipped`; a pair that is swapped changes node ids, else mounts. What is dead is no
/// matter of a file, and is passed over. The result is read as a vehicle file before it comes back.
/// @throws config::ConfigError
[[nodiscard]] std::vector<FileChange> with_mends(const std::filesystem::path& vehicle,
                                                 std::span<const estimation::Miswiring> mends);

/// "reversed: FLV", "swapped: FLV and FRV", "dead: BLH (…)".
[[nodiscard]] std::string sentence(const estimation::Miswiring& mend, const VehicleFile& file);

/// Unified, with one line around; empty when nothing differs.
[[nodiscard]] std::string diff(const FileChange& change);

/// Refuses when the file is not what `before` says any more.
[[nodiscard]] config::SaveResult write(const FileChange& change) noexcept;

}  // namespace pintle::craft
