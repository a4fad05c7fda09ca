/// A person at the controls of a stack: keys in, a picture out, on a thread of its own.
///
/// The host hands over each tick with `take` and sends on what `commands` gives; both copy and
/// return. It ends when `left` says so: the person quit, a signal asked, or the window is gone; in
/// flight each of these comes down first (menu.h), a second signal ends the program at once.
#pragma once
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "pintle/console/key_requests.h"
#include "pintle/console/keys.h"
#include "pintle/console/menu.h"
#include "pintle/console/terminal.h"

namespace pintle::console {

struct ConsoleOptions {
  std::string title;
  /// What becomes of a craft in the air when the console is left: "the run ends".
  std::string quitting = "nobody is at the controls then";
  std::string listens;  ///< Where `pintle command` reaches the same stack; empty: nowhere.
  /// Ctrl-Z and SIGTSTP stop the program. Where the craft flies on without it, not in flight.
  bool craft_stops_too = true;
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
  /// Appends to the inputs of the next tick what was asked since; what has no room comes later, what
  /// is too old (key_requests.h) never.
  void commands(FixedVector<stack::OperatorCommand, 8>& to);
  /// A line among the events.
  void note(std::string text);
  [[nodiscard]] bool left() const noexcept { return left_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  void work();
  void take_keys(const View& view, double time_s);
  void stop(const View& view);
  void mind_the_end(const View& view, double time_s);
  void obey(const MenuAnswer& answer);
  void mind_lapses(const std::string& read);

  std::string title_;
  bool craft_stops_too_;
  Terminal terminal_;
  Menu menu_;
  KeyReader keys_;
  std::mutex mutex_;  ///< Over the builder, the last tick and the requests.
  ViewBuilder builder_;
  Clock::time_point last_tick_ = Clock::now();
  KeyRequests requests_;
  std::atomic<bool> left_{false}, stop_{false};
  bool told_to_end_ = false;
  std::thread thread_;
};

}  // namespace pintle::console
