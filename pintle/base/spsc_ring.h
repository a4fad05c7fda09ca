/// A queue from one thread to one other; neither ever waits. What finds no room is refused.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <type_traits>

namespace pintle {

template <class T, std::size_t N>
class SpscRing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Of the thread that puts in. False: full.
  bool push(const T& value) noexcept {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    if (end - begin_.load(std::memory_order_acquire) == N) return false;
    items_[end % N] = value;
    end_.store(end + 1, std::memory_order_release);
    return true;
  }
  /// Of the thread that takes out. False: empty.
  bool pop(T& value) noexcept {
    const std::size_t begin = begin_.load(std::memory_order_relaxed);
    if (begin == end_.load(std::memory_order_acquire)) return false;
    value = items_[begin % N];
    begin_.store(begin + 1, std::memory_order_release);
    return true;
  }

 private:
  std::array<T, N> items_{};
  std::atomic<std::size_t> begin_{0}, end_{0};
};

}  // namespace pintle
