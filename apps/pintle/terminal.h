/// Talk on stderr: one progress line on a terminal, none when piped; colours only where they are
/// wanted.
#pragma once
#include <string>
#include <string_view>

namespace pintle::app {

[[nodiscard]] bool stderr_is_terminal() noexcept;
/// A terminal, NO_COLOR not set, TERM not dumb.
[[nodiscard]] bool use_colour() noexcept;

/// "pintle: TEXT" on stderr, control characters made visible: it may quote what came from outside.
void complain(std::string_view text);

/// Whether all of stdout was written; says why not.
[[nodiscard]] bool results_are_out();

/// One line that is written over itself; none where it cannot be.
class ProgressLine {
 public:
  ~ProgressLine() { clear(); }
  void show(const std::string& text);
  void clear();

 private:
  bool shown_ = false;
};

/// "\033[1;32m…" where colour is wanted, else the text as it is.
[[nodiscard]] std::string good(std::string_view text);
[[nodiscard]] std::string bad(std::string_view text);
[[nodiscard]] std::string faint(std::string_view text);

}  // namespace pintle::app
