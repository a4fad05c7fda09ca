/// `--out` of a verb that writes one file.
#pragma once
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace pintle::app {

/// Nothing is written over unasked, and never what is `read` (empty names: nothing).
/// @throws CLI::ValidationError
inline void expect_free(const std::string& out, bool overwrite,
                        const std::vector<std::string>& read) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists(out, none) && !fs::is_regular_file(out, none))
    throw CLI::ValidationError("--out", out + " is no file: name another");
  if (!overwrite && fs::exists(out, none))
    throw CLI::ValidationError("--out", out + " exists: name another file, or add --overwrite");
  for (const std::string& in : read)
    if (fs::equivalent(out, in, none))
      throw CLI::ValidationError(
          "--out", fmt::format("{} leads to {}, which is read: name another file", out, in));
}

}  // namespace pintle::app
