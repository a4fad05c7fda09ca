#include "pintle/config/bounded.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace pintle::config {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLook_ms = 2;  // what a process can fill meanwhile is small against the limit
constexpr int kWaitingLooks = 250;
constexpr auto kPatience = std::chrono::minutes(1);

/// How a process stands.
struct Standing {
  std::size_t resident_bytes = 0;
  bool waits = false;  ///< For something outside, such as a pipe: neither running nor ready to.
};

Standing standing_of(pid_t process) {
  const int fd = ::open(fmt::format("/proc/{}/stat", process).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t n = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  if (n <= 0) return {};
  // behind the name in brackets: the state is the 3rd field, pages in use the 24th
  std::istringstream fields(std::string(std::string_view(text.data()))
                                .substr(std::string_view(text.data()).rfind(')') + 1));
  std::string field;
  fields >> field;
  Standing out;
  out.waits = field == "S";
  for (int i = 4; i <= 24; ++i) fields >> field;
  out.resident_bytes =
      std::strtoull(field.c_str(), nullptr, 10) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return out;
}

void write_all(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(pipe, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

/// Does not return.
[[noreturn]] void work_in_child(const std::function<std::string()>& work, int pipe,
                                const Bounds& bounds) {
  for (const int signal :
       {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGPROF, SIGXCPU, SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const itimerval time{{}, {bounds.cpu_ms / 1000, bounds.cpu_ms % 1000 * 1000}};
  setitimer(ITIMER_PROF, &time, nullptr);
  // whole seconds, for what would not hear the timer
  const auto s = static_cast<rlim_t>(bounds.cpu_ms / 1000 + 1);
  const rlimit at_last{s, s + 1};
  setrlimit(RLIMIT_CPU, &at_last);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, fd);
  try {
    write_all(pipe, work());
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

/// Takes what comes out of a pipe until its other end is gone, and watches who holds it; why it was
/// ended, or "".
std::string watch(pid_t child, int pipe, const Bounds& bounds, std::string& result) {
  const std::size_t before = standing_of(::getpid()).resident_bytes;
  const auto until = Clock::now() + kPatience;
  std::array<char, 1 << 16> part{};
  for (int waiting = 0; waiting < kWaitingLooks;) {
    pollfd poller{pipe, POLLIN, 0};
    if (::poll(&poller, 1, kLook_ms) > 0) {
      const ssize_t n = ::read(pipe, part.data(), part.size());
      if (n == 0) return {};
      if (n > 0) result.append(part.data(), static_cast<std::size_t>(n));
    }
    const Standing now = standing_of(child);
    waiting = now.waits ? waiting + 1 : 0;
    if (now.resident_bytes > before + bounds.memory_bytes)
      return fmt::format("needs more than {} MiB", bounds.memory_bytes >> 20);
    if (Clock::now() > until) return "does not come to an end";
  }
  return "waits for what does not come (a pipe?)";
}

}  // namespace

std::string do_apart(const std::function<std::string()>& work, std::string& result,
                     const Bounds& bounds) {
  result.clear();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "cannot be tried out: too many files are open";
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]), ::close(ends[1]);
    return "cannot be tried out: no process could be made";
  }
  if (child == 0) {
    ::close(ends[0]);
    work_in_child(work, ends[1], bounds);
  }
  ::close(ends[1]);
  std::string why = watch(child, ends[0], bounds, result);
  ::close(ends[0]);
  if (!why.empty()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!why.empty() || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return why;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGPROF || signal == SIGXCPU)
    return fmt::format("takes more than {} s", bounds.cpu_ms / 1000.0);
  return signal == SIGKILL ? "was ended: for want of memory?" : "ends the program";
}

std::string try_out(const std::function<void()>& work, const Bounds& bounds) {
  std::string nothing;
  return do_apart(
      [&work]() -> std::string {
        try {
          work();
        } catch (...) {
          // it came to an end
        }
        return {};
      },
      nothing, bounds);
}

}  // namespace pintle::config
