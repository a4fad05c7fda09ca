/// The text of a file that a person or another file names.
///
/// Only regular files, of a bounded size: a pipe would wait for who writes into it, a device never
/// ends. The check is made on the file that was opened, which nobody can exchange meanwhile.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace pintle::config {

/// Longest text that Pintle reads as a whole, in bytes.
inline constexpr std::size_t kMaxBytes = 4 << 20;

/// Never waits.
/// @throws ConfigError when it is missing, a folder, no regular file or longer than `most`.
[[nodiscard]] std::string read_file(const std::filesystem::path& file,
                                    std::size_t most = kMaxBytes);

}  // namespace pintle::config
