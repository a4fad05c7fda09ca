#include "pintle/console/local_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace pintle::console {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw std::runtime_error(path.string() + ": " + what);
}

/// Where a socket lies, for bind and connect. A path of more characters than the system's address holds (107)
/// is reached through its folder, which is held open as long as this is.
class Address {
 public:
  explicit Address(const fs::path& path) {
    address_.sun_family = AF_UNIX;
    std::string name = path.string();
    if (name.size() >= sizeof address_.sun_path) {
      const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
      folder_ = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (folder_ < 0) fail(path, std::strerror(errno));
      name = fmt::format("/proc/self/fd/{}/{}", folder_, path.filename().string());
    }
    if (name.size() >= sizeof address_.sun_path) {
      if (folder_ >= 0) close(folder_);
      fail(path, "the name of a socket has 80 characters at most, its folder aside");
    }
    std::copy(name.begin(), name.end(), std::begin(address_.sun_path));
  }
  Address(const Address&) = delete;
  Address& operator=(const Address&) = delete;
  ~Address() {
    if (folder_ >= 0) close(folder_);
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }

 private:
  sockaddr_un address_{};
  int folder_ = -1;
};

/// A socket connected to who listens there; -1: nobody does.
int try_connect(const Address& address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (connect(fd, address.get(), sizeof(sockaddr_un)) == 0) return fd;
  const int why = errno;
  close(fd);
  errno = why;
  return -1;
}

bool is_our_socket(const fs::path& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

/// What is left of the time, for poll.
int left(Clock::time_point until) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(0, ms.count()));
}

/// Appends what comes; 0: the end, -1: too late or broken.
ssize_t receive(int socket, std::string& text, Clock::time_point until) {
  pollfd poller{socket, POLLIN, 0};
  if (poll(&poller, 1, left(until)) <= 0) return -1;
  std::array<char, 1024> bytes{};
  const ssize_t n = recv(socket, bytes.data(), bytes.size(), 0);
  if (n > 0) text.append(bytes.data(), static_cast<std::size_t>(n));
  return n;
}

}  // namespace

fs::path endpoint_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code ignored;
  const bool has_runtime =
      runtime != nullptr && *runtime == '/' && fs::is_directory(runtime, ignored);
  fs::path folder = has_runtime ? fs::path(runtime) / "pintle"
                                : fs::path(fmt::format("/tmp/pintle-{}", getuid()));
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail(folder, std::strerror(errno));
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0) fail(folder, std::strerror(errno));
  if (!S_ISDIR(info.st_mode) || info.st_uid != getuid() || (info.st_mode & 077) != 0)
    fail(folder, "is not a folder that only this user may enter");
  return folder;
}

fs::path default_endpoint(std::string_view name) {
  std::string plain(name.substr(0, 40));
  for (char& c : plain) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!good && c != '_') c = '-';
  }
  return endpoint_folder() / fmt::format("{}-{}.sock", plain, getpid());
}

std::vector<fs::path> listening_endpoints() {
  std::vector<fs::path> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(endpoint_folder())) {
    if (entry.path().extension() != ".sock" || !is_our_socket(entry.path())) continue;
    const int fd = try_connect(Address(entry.path()));
    std::error_code ignored;
    if (fd < 0 && errno == ECONNREFUSED) fs::remove(entry.path(), ignored);
    if (fd < 0) continue;
    close(fd);
    all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

int listen_at(const fs::path& path) {
  std::error_code ignored;
  if (is_our_socket(path)) {
    const int other = try_connect(Address(path));
    if (other >= 0) {
      close(other);
      fail(path, "another program listens there");
    }
    fs::remove(path, ignored);
  } else if (fs::exists(fs::symlink_status(path, ignored))) {
    fail(path, "is there and is no socket");
  }
  // under its name once it listens: before, whoever looks for sockets would take it for nobody's and
  // remove it
  fs::path made = path;
  made += "~";
  const Address first(made);
  if (is_our_socket(made)) fs::remove(made, ignored);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) fail(path, std::strerror(errno));
  // before it is bound: it is nobody else's for not even a moment
  const bool good = fchmod(fd, 0600) == 0 && bind(fd, first.get(), sizeof(sockaddr_un)) == 0 &&
                    chmod(made.c_str(), 0600) == 0 && listen(fd, kBacklog) == 0 &&
                    rename(made.c_str(), path.c_str()) == 0;
  if (good) return fd;
  const std::string why = std::strerror(errno);
  close(fd);
  if (is_our_socket(made)) fs::remove(made, ignored);
  fail(path, why);
}

int connect_to(const fs::path& path) {
  const int fd = try_connect(Address(path));
  if (fd < 0) fail(path, "nobody listens there");
  return fd;
}

bool read_all(int socket, std::string& text, int within_ms) {
  const auto until = Clock::now() + std::chrono::milliseconds(within_ms);
  ssize_t n = 1;
  while (n > 0) n = receive(socket, text, until);
  return n == 0;
}

bool write_all(int socket, std::string_view text, int within_ms) {
  const auto until = Clock::now() + std::chrono::milliseconds(within_ms);
  while (!text.empty()) {
    pollfd poller{socket, POLLOUT, 0};
    if (poll(&poller, 1, left(until)) <= 0) return false;
    const ssize_t n = send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace pintle::console
