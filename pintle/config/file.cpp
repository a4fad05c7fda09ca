#include "pintle/config/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pintle/config/problem.h"

namespace pintle::config {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

[[noreturn]] void refuse(const std::string& name, std::string message, std::string fix) {
  throw ConfigError(Problem{{name, 0, 0}, {}, std::move(message), std::move(fix)});
}

}  // namespace

std::string read_file(const std::filesystem::path& file, std::size_t most) {
  const std::string name = file.string();
  // a pipe that nobody writes into opens at once, too
  const Descriptor in{::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
  if (in.fd < 0) {
    const int reason = errno;
    refuse(name, fmt::format("cannot open the file: {}", std::strerror(reason)),
           reason == ENOENT ? "check the path and the spelling" : "");
  }
  struct stat info {};
  if (::fstat(in.fd, &info) != 0)
    refuse(name, fmt::format("cannot read the file: {}", std::strerror(errno)), "");
  if (S_ISDIR(info.st_mode)) refuse(name, "expected a file, this is a folder", "name a file in it");
  if (!S_ISREG(info.st_mode))
    refuse(name, "expected a regular file, this is a pipe or a device",
           "write what it gives into a file, and name that");

  // one byte more than allowed tells a file that is too long, whatever its size claims to be
  std::string text;
  std::string chunk(64 << 10, '\0');
  while (text.size() <= most) {
    const ssize_t n = ::read(in.fd, chunk.data(), std::min(chunk.size(), most + 1 - text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(name, fmt::format("cannot read the file: {}", std::strerror(errno)), "");
    if (n == 0) return text;
    text.append(chunk, 0, static_cast<std::size_t>(n));
  }
  refuse(name, fmt::format("the file has more than {} bytes", most),
         "a configuration is never that long: is it the right file?");
}

}  // namespace pintle::config
