/// The newest value from one thread to one other: neither ever waits for the other.
///
/// Three copies: one is written, one is read, one lies between them and changes hands by an atomic
/// exchange. Values that are overtaken are lost.
#pragma once
#include <array>
#include <atomic>
#include <type_traits>

namespace pintle {

template <class T>
class TripleBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Of the writing thread.
  void write(const T& value) noexcept {
    draft() = value;
    publish();
  }
  /// The same in two steps: what is put in here, whatever it held before, is the newest …
  [[nodiscard]] T& draft() noexcept { return copies_[written_]; }
  /// … from now on.
  void publish() noexcept {
    written_ = between_.exchange(written_ | kFresh, std::memory_order_acq_rel) & kIndex;
  }
  /// Of the reading thread: the newest, or the one read before.
  [[nodiscard]] const T& read() noexcept {
    if ((between_.load(std::memory_order_relaxed) & kFresh) != 0)
      read_ = between_.exchange(read_, std::memory_order_acq_rel) & kIndex;
    return copies_[read_];
  }

 private:
  static constexpr unsigned kFresh = 4, kIndex = 3;
  std::array<T, 3> copies_{};
  std::atomic<unsigned> between_{1};
  unsigned written_ = 0, read_ = 2;
};

}  // namespace pintle
