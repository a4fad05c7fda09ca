/// Words of an operator between threads that wait for the answer and the tick that obeys.
///
///   ask ──> take ──> tell: the answer      one at a time; who comes meanwhile waits in turn
///
/// What makes it stay or come down is taken before what makes it move, however many wait for that.
/// Of the others kMost wait at most: who comes then hears so soon, and a flood of them keeps no
/// thread for long that an urgent word may need. Who asks waits; the tick never does: what it finds locked
/// it looks at again in the next.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace pintle::ros1 {

struct CommandAnswer {
  bool accepted = false;
  std::string text;
};

class CommandDesk {
 public:
  static constexpr std::size_t kMost = 4;          ///< That are not urgent.
  static constexpr unsigned kThreads = 2 * kMost;  ///< That serve it: half for what is urgent.
  static constexpr std::chrono::milliseconds kTurnAway{5};
  static constexpr const char* kTooMany = "not done: too many ask at once";

  /// Of any thread but the tick's. Without an answer in time it is taken back, unless the tick has
  /// taken it already: the text says which.
  CommandAnswer ask(const std::string& words, bool is_urgent, double patience_s) {
    std::unique_lock lock(mutex_);
    const auto first = std::find_if(waiting_.begin(), waiting_.end(),
                                    [](const Asked* a) { return !a->is_urgent; });
    if (!is_urgent && waiting_.end() - first >= static_cast<std::ptrdiff_t>(kMost)) {
      // whoever asks again at once would have the processor for himself
      lock.unlock();
      std::this_thread::sleep_for(kTurnAway);
      return {false, kTooMany};
    }
    Asked asked{words, is_urgent, {}};
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
  [[nodiscard]] std::optional<std::string> take() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || waiting_.empty()) return std::nullopt;
    taken_ = waiting_.front();
    waiting_.pop_front();
    return taken_->words;
  }
  /// What became of what was taken last; nobody hears it when he has gone.
  void tell(const CommandAnswer& answer) {
    const std::lock_guard lock(mutex_);
    if (taken_ == nullptr) return;
    taken_->answer = answer;
    taken_ = nullptr;
    told_.notify_all();
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
    std::optional<CommandAnswer> answer;
  };
  std::mutex mutex_;
  std::condition_variable told_;
  std::deque<Asked*> waiting_;  ///< Urgent ones first; each stands in its thread's `ask`.
  Asked* taken_ = nullptr;
};

}  // namespace pintle::ros1
