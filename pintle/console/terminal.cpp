#include "pintle/console/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "pintle/console/endpoint.h"

namespace pintle::console {
namespace {

constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[?2004h\033[2J";
constexpr std::string_view kLeave = "\033[?2004l\033[0m\033[?25h\033[?1049l";
constexpr std::array kAsking{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::array kCrashing{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// what a signal handler may touch
std::atomic<bool> taken{false}, asked{false}, to_stop{false}, went_on{false};
int taken_in = -1, taken_out = -1;
termios before{};
constexpr std::array kStopping{SIGTSTP, SIGCONT};
std::array<struct sigaction, kAsking.size() + kCrashing.size() + kStopping.size()>
    handlers_before{};

void give_back() {
  if (!taken.exchange(false)) return;
  // a line that takes nothing must not keep the program from ending
  pollfd poller{taken_out, POLLOUT, 0};
  if (poll(&poller, 1, 200) > 0) {
    [[maybe_unused]] const ssize_t ignored = ::write(taken_out, kLeave.data(), kLeave.size());
  }
  tcflush(taken_in, TCIFLUSH);
  tcsetattr(taken_in, TCSANOW, &before);
}

void end_by(int signal) {
  give_back();
  remove_endpoint_now();
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  raise(signal);
}

extern "C" void on_asking(int signal) {
  if (asked.exchange(true)) end_by(signal);
}
extern "C" void on_stopping(int signal) { (signal == SIGTSTP ? to_stop : went_on) = true; }
extern "C" void on_crash(int signal) { end_by(signal); }

void install(const int* signals, std::size_t n, void (*handler)(int), struct sigaction* old) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // a signal that comes again within its own handler must get through
  action.sa_flags = SA_NODEFER;
  for (std::size_t i = 0; i < n; ++i) sigaction(signals[i], &action, &old[i]);
}

const char* code_of(ScreenLine::Style style) {
  switch (style) {
    case ScreenLine::Style::kPlain: return "";
    case ScreenLine::Style::kTitle: return "\033[7m";
    case ScreenLine::Style::kGood: return "\033[1m";
    case ScreenLine::Style::kBad: return "\033[1;31m";
    case ScreenLine::Style::kFaint: return "\033[2m";
    case ScreenLine::Style::kQuestion: return "\033[1;33m";
  }
  return "";
}

/// The same terminal by a description of our own: not to wait is then nobody else's business.
int open_again(int fd) {
  std::array<char, 256> name{};
  if (ttyname_r(fd, name.data(), name.size()) != 0) return -1;
  return open(name.data(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

}  // namespace

Terminal::Terminal(int in, int out)
    : in_(in), out_(out), colour_(std::getenv("NO_COLOR") == nullptr) {
  if (isatty(in) != 1 || isatty(out) != 1)
    throw std::runtime_error("the console needs a terminal for its keys and its screen");
  if (is_dumb())
    throw std::runtime_error("the console needs a terminal whose cursor can move: TERM is dumb");
  if (taken.load()) throw std::runtime_error("the terminal is taken already");
  if (tcgetattr(in, &before) != 0) throw std::runtime_error("the terminal does not tell its modes");
  own_ = open_again(out);
  if (own_ >= 0) out_ = own_;
  taken_in = in;
  taken_out = out_;
  static const int registered = std::atexit(give_back);
  static_cast<void>(registered);
  asked = false;
  install(kAsking.data(), kAsking.size(), on_asking, handlers_before.data());
  install(kCrashing.data(), kCrashing.size(), on_crash, handlers_before.data() + kAsking.size());
  install(kStopping.data(), kStopping.size(), on_stopping,
          handlers_before.data() + kAsking.size() + kCrashing.size());
  take();
}

void Terminal::take() {
  taken = true;
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(in_, TCSANOW, &raw);
  write(kEnter);
  drawn_size_ = {0, 0};
}

void Terminal::suspend() {
  to_stop = false;
  went_on = false;
  give_back();
  struct sigaction plain {
  }, ours{};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &plain, &ours);
  // here the program stands until somebody lets it go on; by this thread's own signal, so that it
  // does not run on while another takes it
  raise(SIGTSTP);
  sigaction(SIGTSTP, &ours, nullptr);
  went_on = false;
  take();
}

Terminal::~Terminal() {
  give_back();
  for (std::size_t i = 0; i < kAsking.size(); ++i)
    sigaction(kAsking[i], &handlers_before[i], nullptr);
  for (std::size_t i = 0; i < kCrashing.size(); ++i)
    sigaction(kCrashing[i], &handlers_before[kAsking.size() + i], nullptr);
  for (std::size_t i = 0; i < kStopping.size(); ++i)
    sigaction(kStopping[i], &handlers_before[kAsking.size() + kCrashing.size() + i], nullptr);
  if (own_ >= 0) close(own_);
}

bool Terminal::end_requested() noexcept { return asked.load(); }
void Terminal::forget_stop() noexcept { to_stop = false; }
bool Terminal::stop_requested() noexcept { return to_stop.load(); }

std::string Terminal::read(int wait_ms) {
  pollfd poller{in_, POLLIN, 0};
  if (poll(&poller, 1, wait_ms) <= 0) return {};
  if ((poller.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) alive_ = false;
  if ((poller.revents & POLLIN) == 0) return {};
  std::array<char, 256> bytes{};
  const ssize_t n = ::read(in_, bytes.data(), bytes.size());
  if (n > 0) return {bytes.data(), static_cast<std::size_t>(n)};
  if (n < 0 && errno != EINTR && errno != EAGAIN) alive_ = false;
  return {};
}

ScreenSize Terminal::size() const {
  winsize size{};
  if (ioctl(out_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    return {size.ws_col, size.ws_row};
  return {};
}

bool Terminal::write(std::string_view bytes) {
  constexpr int kPatience_ms = 100;
  while (!bytes.empty()) {
    pollfd poller{out_, POLLOUT, 0};
    if (poll(&poller, 1, kPatience_ms) <= 0) return false;
    if ((poller.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      alive_ = false;
      return false;
    }
    // little enough that a terminal that has room for some takes it without waiting
    const ssize_t n = ::write(out_, bytes.data(), std::min<std::size_t>(bytes.size(), 512));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      alive_ = alive_ && errno == EAGAIN;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void Terminal::draw(const std::vector<ScreenLine>& lines) {
  if (went_on.exchange(false)) take();
  const ScreenSize now = size();
  std::string out;
  if (now.width != drawn_size_.width || now.height != drawn_size_.height) {
    drawn_.clear();
    drawn_size_ = now;
    out += "\033[2J";
  }
  drawn_.resize(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = lines[i].text;
    // to clear behind a full line would take its last character away on some terminals
    const char* rest = text.size() < now.width ? "\033[K" : "";
    if (colour_ && *code_of(lines[i].style) != '\0')
      text = fmt::format("{}{}\033[0m", code_of(lines[i].style), text);
    if (text == drawn_[i]) continue;
    out += fmt::format("\033[{};1H{}{}", i + 1, text, rest);
    drawn_[i] = std::move(text);
  }
  if (out.empty()) return;
  // dropped: the next picture begins from nothing
  if (!write(out)) drawn_size_ = {0, 0};
}

}  // namespace pintle::console
