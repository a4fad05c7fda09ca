/// What has to be on the disk when the power goes.
#pragma once
#include <filesystem>

namespace pintle {

/// Of fsync's answer, with its errno. False: the disk has failed or is full. What cannot be synced,
/// such as a pipe, is as good as it gets.
[[nodiscard]] bool is_on_disk(int answer) noexcept;

/// The name of a new file is its folder's to keep. False as above, with the errno.
[[nodiscard]] bool sync_folder_of(const std::filesystem::path& file);

}  // namespace pintle
