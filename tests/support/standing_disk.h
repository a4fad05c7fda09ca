/// For tests: a disk that does not follow.
#pragma once
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

namespace pintle::testing {

/// A file that takes nothing (but the 64 kB of a pipe) until it is told to go on.
class StandingDisk {
 public:
  StandingDisk() {
    std::filesystem::remove(path_);
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("no pipe could be made");
    fd_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~StandingDisk() {
    go_on();
    // who never wrote ends here
    if (const int end = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC); end >= 0)
      ::close(end);
    if (drain_.joinable()) drain_.join();
    ::close(fd_);
    std::filesystem::remove(path_);
  }
  StandingDisk(const StandingDisk&) = delete;
  StandingDisk& operator=(const StandingDisk&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Takes everything until the writer closes.
  void go_on() {
    if (goes_) return;
    goes_ = true;
    ::fcntl(fd_, F_SETFL, 0);
    drain_ = std::thread([this] {
      // a pipe that nobody has opened yet ends at once for who reads it, but waits for who polls it
      pollfd opened{fd_, POLLIN, 0};
      ::poll(&opened, 1, -1);
      std::array<char, 65536> some{};
      for (ssize_t n = 0; (n = ::read(fd_, some.data(), some.size())) > 0;)
        content_.append(some.data(), static_cast<std::size_t>(n));
    });
  }
  /// After the writer has closed.
  const std::string& content() {
    if (drain_.joinable()) drain_.join();
    return content_;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("pintle-disk-" + std::to_string(::getpid()));
  int fd_ = -1;
  bool goes_ = false;
  std::string content_;
  std::thread drain_;
};

}  // namespace pintle::testing
