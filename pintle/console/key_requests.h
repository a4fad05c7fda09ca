/// What keys have asked for and no tick has taken up yet. It lapses after flight::kTakenUpWithin, as what
/// is asked for in any other way does, and so does what is pressed while whoever reads the keys stands
/// (stood.h), for it is read later than it was meant; but for what stops the craft. One thread at a time.
#pragma once
#include <deque>
#include <utility>
#include <vector>

#include "pintle/flight/operator_request.h"
#include "pintle/flight/stood.h"

namespace pintle::console {

class KeyRequests {
 public:
  using Clock = flight::Stood::Clock;
  using Commands = std::vector<stack::OperatorCommand>;

  /// In each round of who reads the keys, before what came is asked for. True: it has stood until now.
  bool look(Clock::time_point now) noexcept {
    lapse(now);
    return stood_.look(now);
  }
  /// In a round without a key.
  void find_nothing() noexcept { stood_.find_nothing(); }

  /// Of one key. What stops is asked for once, as the last.
  void add(const Commands& commands, Clock::time_point now) {
    if (commands.empty()) return;
    if (stood_.is_late() && !stops(commands)) {
      has_lapsed_ = true;
      return;
    }
    if (stops(commands))
      std::erase_if(waiting_, [&](const Asked& a) { return same(a.commands, commands); });
    waiting_.push_back({commands, now});
  }

  /// Appends what is asked for, for the next tick; what has no room comes later.
  template <std::size_t N>
  void take(FixedVector<stack::OperatorCommand, N>& to, Clock::time_point now) {
    lapse(now);
    while (!waiting_.empty() && waiting_.front().commands.size() <= N - to.size()) {
      for (stack::OperatorCommand c : waiting_.front().commands) {
        c.from = mission::Operator::kConsole;
        to.push_back(c);
      }
      waiting_.pop_front();
    }
  }

  /// Whether anything has lapsed since this was asked.
  [[nodiscard]] bool has_lapsed() noexcept { return std::exchange(has_lapsed_, false); }

 private:
  struct Asked {
    Commands commands;
    Clock::time_point at;
  };
  /// By the last: what goes before it takes over from another operator.
  static bool stops(const Commands& commands) noexcept {
    flight::OperatorRequest request;
    request.command = commands.back();
    return flight::is_urgent(request);
  }
  static bool same(const Commands& a, const Commands& b) noexcept {
    return a.size() == b.size() && a.back().code == b.back().code;
  }
  void lapse(Clock::time_point now) noexcept {
    const auto gone = std::erase_if(waiting_, [now](const Asked& a) {
      return now - a.at > flight::kTakenUpWithin && !stops(a.commands);
    });
    has_lapsed_ = has_lapsed_ || gone > 0;
  }

  std::deque<Asked> waiting_;
  flight::Stood stood_;
  bool has_lapsed_ = false;
};

}  // namespace pintle::console
