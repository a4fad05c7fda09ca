/// A person at the controls of a stack: keys in, a picture out, on a thread of its own.
///
/// The host hands over each tick with `take` and sends on what `commands` gives; both copy and
/// return. It ends when `left` says so: the person quit, a signal asked, or the window is gone.
#pragma once
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "pintle/console/keys.h"
#include "pintle/console/menu.h"
#include "pintle/console/terminal.h"

namespace pintle::console {

struct ConsoleOptions {
  std::string title;
  /// What becomes of a craft in the air when the console is left: "the run ends".
  std::string quitting = "nobody is at the controls then";
  int in = 0, out = 1;
};

class Console {
 public:
  /// @throws std::runtime_error without a terminal.
  Console(std::vector<MenuState> states, const ConsoleOptions& options);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void take(const stack::Model& model, const stack::Inputs& in, const stack::Outputs& out);
  /// Appends to the inputs of the next tick what was asked since; what has no room comes later.
  void commands(FixedVector<stack::OperatorCommand, 8>& to);
  [[nodiscard]] bool left() const noexcept { return left_.load(); }
  /// By q, and not by a signal or a lost window.
  [[nodiscard]] bool quit_by_key() const noexcept { return quit_by_key_.load(); }

 private:
  void work();
  void take_keys(const View& view, double time_s);
  void obey(const MenuAnswer& answer);

  std::string title_;
  Terminal terminal_;
  Menu menu_;
  KeyReader keys_;
  std::mutex mutex_;  ///< Over the builder and the commands.
  ViewBuilder builder_;
  std::vector<stack::OperatorCommand> commands_;
  std::atomic<bool> left_{false}, quit_by_key_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace pintle::console
