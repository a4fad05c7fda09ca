/// Commands for the grabber between a thread that waits for the answer and the tick that obeys.
///
///   ask n ──> take ──> tell: the answer of n      ask n+1 before that: what is told then is n's,
///                                                 and nobody hears it any more
///
/// One thread asks, one takes and tells. Neither waits here, nothing is allocated.
#pragma once
#include <atomic>
#include <cstdint>

namespace pintle::ros1 {

class GrabDesk {
 public:
  /// Of the thread that waits; answers the number of the command. The newest replaces one that the
  /// tick has not taken yet.
  std::uint32_t ask(bool grab) noexcept {
    asked_ = pair(++number_, grab);
    return number_;
  }
  /// To the command with that number: 1 done, 0 not done, -1 nothing yet.
  [[nodiscard]] int answer(std::uint32_t number) const noexcept {
    const std::uint64_t told = told_;
    return static_cast<std::uint32_t>(told >> 1) == number ? static_cast<int>(told & 1) : -1;
  }

  /// Of the tick: 1 to grab, 0 to release, -1 nothing new.
  [[nodiscard]] int take() noexcept {
    const std::uint64_t asked = asked_;
    const auto number = static_cast<std::uint32_t>(asked >> 1);
    if (number == taken_) return -1;
    taken_ = number;
    return static_cast<int>(asked & 1);
  }
  /// What became of the command that was taken last.
  void tell(bool done) noexcept { told_ = pair(taken_, done); }

 private:
  [[nodiscard]] static std::uint64_t pair(std::uint32_t number, bool yes) noexcept {
    return std::uint64_t{number} << 1 | std::uint64_t{yes};
  }
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  std::uint32_t number_ = 0;  ///< Of the thread that asks.
  std::uint32_t taken_ = 0;   ///< Of the tick.
  std::atomic<std::uint64_t> asked_{0}, told_{0};
};

}  // namespace pintle::ros1
