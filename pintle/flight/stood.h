/// Whether the thread that hears requests was suspended (a stopped process, a disk that hangs) for
/// kTakenUpWithin or longer. Requests that it finds right afterwards are late, their senders may
/// have given up: they are not carried out, but for those that stop the craft.
#pragma once
#include <algorithm>
#include <chrono>
#include <utility>

namespace pintle::flight {

/// So long may what is asked for wait for a tick, or for who hears it.
inline constexpr std::chrono::seconds kTakenUpWithin{2};
inline constexpr const char* kSaidLate =
    "nothing was done: the program stood still since this was asked; ask again";

class Stood {
 public:
  using Clock = std::chrono::steady_clock;
  /// In each round, and before what has come is read. True: it has stood still until now.
  bool look(Clock::time_point now = Clock::now()) noexcept {
    const bool stood = now - std::exchange(looked_at_, now) >= kTakenUpWithin;
    if (stood) rounds_ = kRounds;
    return stood;
  }
  /// In a round in which nothing lies there.
  void find_nothing() noexcept { rounds_ = std::max(0, rounds_ - 1); }
  /// Whether what comes now is late.
  [[nodiscard]] bool is_late() const noexcept { return rounds_ > 0; }

 private:
  // what was sent may still be on its way through the system
  static constexpr int kRounds = 3;
  Clock::time_point looked_at_ = Clock::now();
  int rounds_ = 0;
};

}  // namespace pintle::flight
