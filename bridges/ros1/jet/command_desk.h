/// Words of an operator between threads that wait for the answer and the tick that obeys.
///
///   ask ──> take ──> tell: the answer      one at a time; who comes meanwhile waits in turn
///
/// Who asks waits; the tick never does: what it finds locked it looks at again in the next.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace pintle::ros1 {

struct CommandAnswer {
  bool accepted = false;
  std::string text;
};

class CommandDesk {
 public:
  /// Of any thread but the tick's. Without an answer in time it is taken back, unless the tick has
  /// taken it already: the text says which.
  CommandAnswer ask(const std::string& words, double patience_s) {
    const std::lock_guard turn(turn_);
    std::unique_lock lock(mutex_);
    words_ = words;
    answer_.reset();
    ++number_;
    const auto patience = std::chrono::duration<double>(patience_s);
    if (told_.wait_for(lock, patience, [this] { return answer_.has_value(); })) return *answer_;
    const bool taken = !words_;
    words_.reset();
    ++number_;
    return {false, taken ? "no answer yet: see what it does"
                         : "not done: nothing ticks (does simulated time stand?)"};
  }

  // of the tick
  [[nodiscard]] std::optional<std::string> take() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || !words_) return std::nullopt;
    std::optional<std::string> words = std::move(words_);
    words_.reset();
    taken_ = number_;
    return words;
  }
  /// What became of what was taken last; nobody hears it when he has gone.
  void tell(const CommandAnswer& answer) {
    const std::lock_guard lock(mutex_);
    if (taken_ != number_) return;
    answer_ = answer;
    told_.notify_all();
  }

 private:
  std::mutex turn_, mutex_;
  std::condition_variable told_;
  std::uint32_t number_ = 0, taken_ = 0;
  std::optional<std::string> words_;
  std::optional<CommandAnswer> answer_;
};

}  // namespace pintle::ros1
