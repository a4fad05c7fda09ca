/// A terminal taken over for a while: raw keys, its second screen, no cursor; given back as it was
/// on any way out: leaving the scope, exit(), an exception, a signal that ends the program, a crash
/// (after SIGKILL, `reset` helps). Keys typed and not read by then are dropped: they were not for
/// the shell.
///
/// SIGINT, SIGTERM, SIGHUP and SIGQUIT ask for a good end (`end_requested`); the second one ends
/// the program at once, the terminal restored. Only one at a time in a program.
///
/// To be stopped (Ctrl-Z, SIGTSTP) gives the terminal back until the program goes on: `suspend`,
/// which is to be called when `stop_requested` says so. After a SIGSTOP, which nobody is told of,
/// it is taken afresh when the program goes on.
///
/// Writing never waits for a slow or stopped line: what it does not take within a moment is
/// dropped, and the next picture is drawn afresh. For that the terminal is opened once more:
/// whoever shares the first descriptors does not find them non-blocking.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/console/render.h"

namespace pintle::console {

struct ScreenSize {
  std::size_t width = 80, height = 24;
};

class Terminal {
 public:
  /// Takes over the terminal behind two descriptors.
  /// @throws std::runtime_error when one of them is no terminal, or one is taken already.
  explicit Terminal(int in = 0, int out = 1);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Bytes that have come, waiting for some for so long at most.
  [[nodiscard]] std::string read(int wait_ms);
  /// False when the other side is gone: closed window, lost line.
  [[nodiscard]] bool alive() const noexcept { return alive_; }
  [[nodiscard]] ScreenSize size() const;
  /// Draws what differs from the picture before.
  void draw(const std::vector<ScreenLine>& lines);

  /// Gives the terminal back, stops the program and, when it goes on, takes the terminal again.
  void suspend();
  /// SIGTSTP has come.
  [[nodiscard]] static bool stop_requested() noexcept;
  static void forget_stop() noexcept;
  /// A signal has asked for the end.
  [[nodiscard]] static bool end_requested() noexcept;

 private:
  bool write(std::string_view bytes);
  void take();
  int in_, out_;
  int own_ = -1;  ///< Opened here; -1: the terminal belongs to somebody else.
  bool colour_;
  bool alive_ = true;
  ScreenSize drawn_size_{0, 0};
  std::vector<std::string> drawn_;
};

}  // namespace pintle::console
