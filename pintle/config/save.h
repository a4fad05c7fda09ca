/// Saves a file so that a crash, a full disk or a pulled plug leaves the old or the new one whole.
///
/// Temporary file in the same folder, fsync, rename, fsync of the folder. Before that the present
/// file becomes generation 1 (FILE.1, a hard link), 1 becomes 2, and so on; the oldest is dropped.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace pintle::config {

struct SaveResult {
  bool saved = false;
  std::string reason;  ///< Why not: one sentence with the path and the system's words.
};

struct SaveOptions {
  int generations = 3;
  bool sync = true;  ///< fsync file and folder; tests of many saves may leave it out.
};

/// Never throws and never leaves a half-written file under `file`'s name. Keeps the file's mode.
[[nodiscard]] SaveResult save_atomically(const std::filesystem::path& file, std::string_view text,
                                         const SaveOptions& options = {}) noexcept;

}  // namespace pintle::config
