/// A vector with its storage inside: at most N elements, never on the heap, copied as bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pintle {

template <class T, std::size_t N>
class FixedVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  static constexpr std::size_t kCapacity = N;

  FixedVector() = default;
  explicit FixedVector(std::size_t n, T value = T{}) noexcept { resize(n, value); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool full() const noexcept { return size_ == N; }
  T& operator[](std::size_t i) noexcept { return items_[i]; }
  const T& operator[](std::size_t i) const noexcept { return items_[i]; }
  T* data() noexcept { return items_.data(); }
  const T* data() const noexcept { return items_.data(); }
  T* begin() noexcept { return items_.data(); }
  T* end() noexcept { return items_.data() + size_; }
  const T* begin() const noexcept { return items_.data(); }
  const T* end() const noexcept { return items_.data() + size_; }

  void clear() noexcept { size_ = 0; }

  /// The same elements as `other`, without copying the room that neither uses.
  void assign(const FixedVector& other) noexcept {
    for (std::size_t i = 0; i < other.size_; ++i) items_[i] = other.items_[i];
    size_ = other.size_;
  }

  /// More than N is cut to N. New elements get `value`.
  void resize(std::size_t n, T value = T{}) noexcept {
    if (n > N) n = N;
    for (std::size_t i = size_; i < n; ++i) items_[i] = value;
    size_ = static_cast<std::uint32_t>(n);
  }

  /// False, and nothing stored, when it is full.
  bool push_back(const T& value) noexcept {
    if (size_ == N) return false;
    items_[size_++] = value;
    return true;
  }

  friend bool operator==(const FixedVector& a, const FixedVector& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (!(a.items_[i] == b.items_[i])) return false;
    return true;
  }

 private:
  std::uint32_t size_ = 0;
  std::array<T, N> items_{};
};

}  // namespace pintle
