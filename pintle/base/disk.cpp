#include "pintle/base/disk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace pintle {

bool is_on_disk(int answer) noexcept {
  return answer == 0 || (errno != EIO && errno != ENOSPC && errno != EDQUOT);
}

bool sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return true;
  const bool good = is_on_disk(::fsync(fd));
  const int why = errno;
  ::close(fd);
  errno = why;
  return good;
}

}  // namespace pintle
