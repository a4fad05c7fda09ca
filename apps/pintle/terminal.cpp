#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pintle/config/text.h"
#include "talk.h"

namespace pintle::app {
namespace {

// a dumb terminal knows no escapes
bool can_move() noexcept {
  const char* term = std::getenv("TERM");
  return stderr_is_terminal() && !(term != nullptr && std::string_view(term) == "dumb");
}

std::string dressed(std::string_view text, const char* code) {
  if (!use_colour()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

bool stderr_is_terminal() noexcept { return isatty(STDERR_FILENO) == 1; }

bool use_colour() noexcept { return can_move() && std::getenv("NO_COLOR") == nullptr; }

void complain(std::string_view text) {
  std::string out = "pintle: ";
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += config::printable(text.substr(0, end)) + '\n';
    if (end + 1 >= text.size()) break;
    text.remove_prefix(end + 1);
  }
  std::fputs(out.c_str(), stderr);
}

bool results_are_out() {
  errno = 0;
  if (std::ferror(stdout) == 0 && std::fflush(stdout) == 0) return true;
  complain(std::string("the results could not be written: ") +
           (errno != 0 ? std::strerror(errno) : "the output is closed or full"));
  return false;
}

void ProgressLine::show(const std::string& text) {
  if (!can_move()) return;
  tell("\r\033[K" + text.substr(0, terminal_width() - 1));
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) tell("\r\033[K");
  shown_ = false;
}

std::string good(std::string_view text) { return dressed(text, "1;34"); }
std::string bad(std::string_view text) { return dressed(text, "1;33"); }
std::string faint(std::string_view text) { return dressed(text, "2"); }

}  // namespace pintle::app
