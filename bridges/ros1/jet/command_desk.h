/// Words of an operator between threads that wait for the answer and the tick that obeys.
///
///   ask ──> take ──> tell: the answer      one at a time; who comes meanwhile waits in turn
///
/// What makes it stay or come down is taken before what makes it move, however many wait for that.
/// Of the others kMost wait at most: who comes then hears so soon, and a flood of them keeps no
/// thread for long that an urgent word may need. Who asks waits; the tick never does: what it finds locked
/// it looks at again in the next. What was asked before the program stood still (flight/stood.h) is
/// done only where it stops.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "pintle/flight/stood.h"

namespace pintle::ros1 {

struct CommandAnswer {
  bool accepted = false;
  std::string text;
};

class CommandDesk {
 public:
  using Clock = flight::Stood::Clock;
  static constexpr std::size_t kMost = 4;          ///< That are not urgent.
  static constexpr unsigned kThreads = 2 * kMost;  ///< That serve it: half for what is urgent.
  static constexpr std::chrono::milliseconds kTurnAway{5}, kRound{100};
  static constexpr const char* kTooMany = "not done: too many ask at once";

  /// Of any thread but the tick's. Without an answer in time it is taken back, unless the tick has
  /// taken it already: the text says which.
  CommandAnswer ask(const std::string& words, bool is_urgent, double patience_s,
                    Clock::time_point now = Clock::now()) {
    std::unique_lock lock(mutex_);
    stood_.look(now);
    if (stood_.is_late() && !is_urgent) return {false, flight::kSaidLate};
    const auto first = std::find_if(waiting_.begin(), waiting_.end(),
                                    [](const Asked* a) { return !a->is_urgent; });
    if (!is_urgent && waiting_.end() - first >= static_cast<std::ptrdiff_t>(kMost)) {
      // whoever asks again at once would have the processor for himself
      lock.unlock();
      std::this_thread::sleep_for(kTurnAway);
      return {false, kTooMany};
    }
    Asked asked{words, is_urgent, now, {}};
    waiting_.insert(is_urgent ? first : waiting_.end(), &asked);
    const auto patience = std::chrono::duration<double>(patience_s);
    if (told_.wait_for(lock, patience, [&asked] { return asked.answer.has_value(); }))
      return *asked.answer;
    const bool is_taken = taken_ == &asked;
    if (is_taken) taken_ = nullptr;
    waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &asked), waiting_.end());
    return {false, is_taken ? "no answer yet: see what it does"
                            : "not done: nothing ticks (does simulated time stand?)"};
  }

  // of the tick
  /// In each round, also while there is no tick.
  void look(Clock::time_point now = Clock::now()) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    stood_.look(now);
    // what lies there by then has been heard
    if (now - round_at_ < kRound) return;
    round_at_ = now;
    stood_.find_nothing();
  }
  [[nodiscard]] std::optional<std::string> take(Clock::time_point now = Clock::now()) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return std::nullopt;
    while (!waiting_.empty()) {
      taken_ = waiting_.front();
      waiting_.pop_front();
      if (taken_->is_urgent || now - taken_->at <= flight::kTakenUpWithin) return taken_->words;
      answer({false, flight::kSaidLate});
    }
    return std::nullopt;
  }
  /// What became of what was taken last; nobody hears it when he has gone.
  void tell(const CommandAnswer& answer) {
    const std::lock_guard lock(mutex_);
    if (taken_ != nullptr) this->answer(answer);
  }

  /// Who waits for the tick.
  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  struct Asked {
    std::string words;
    bool is_urgent = false;
    Clock::time_point at;
    std::optional<CommandAnswer> answer;
  };
  void answer(const CommandAnswer& answer) {
    taken_->answer = answer;
    taken_ = nullptr;
    told_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable told_;
  std::deque<Asked*> waiting_;  ///< Urgent ones first; each stands in its thread's `ask`.
  Asked* taken_ = nullptr;
  flight::Stood stood_;
  Clock::time_point round_at_{};
};

}  // namespace pintle::ros1
