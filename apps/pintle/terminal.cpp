#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace pintle::app {
namespace {

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

bool use_colour() noexcept {
  const char* term = std::getenv("TERM");
  return stderr_is_terminal() && std::getenv("NO_COLOR") == nullptr &&
         !(term != nullptr && std::string_view(term) == "dumb");
}

void ProgressLine::show(const std::string& text) {
  if (!stderr_is_terminal()) return;
  std::fprintf(stderr, "\r\033[K%s", text.substr(0, terminal_width() - 1).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

std::string good(std::string_view text) { return dressed(text, "1;34"); }
std::string bad(std::string_view text) { return dressed(text, "1;33"); }
std::string faint(std::string_view text) { return dressed(text, "2"); }

}  // namespace pintle::app
