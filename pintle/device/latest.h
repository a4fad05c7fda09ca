/// The newest value, from one thread to one other, without locks or waiting on either side.
///
/// Three buffers: the writer fills one, the reader looks at another, the third changes hands. What
/// was not read before something newer came is gone.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

namespace pintle::device {

template <class T>
class Latest {
 public:
  /// Writer: fill this, then `publish`.
  [[nodiscard]] T& next() noexcept { return slots_[writing_]; }
  void publish() noexcept {
    writing_ =
        between_.exchange(static_cast<std::uint8_t>(writing_ | kFresh), std::memory_order_acq_rel) &
        kSlot;
  }
  /// Reader: the newest there is; stays as it is until the next call.
  [[nodiscard]] const T& get() noexcept {
    if ((between_.load(std::memory_order_relaxed) & kFresh) != 0)
      reading_ = between_.exchange(reading_, std::memory_order_acq_rel) & kSlot;
    return slots_[reading_];
  }

 private:
  static constexpr std::uint8_t kFresh = 4, kSlot = 3;
  std::array<T, 3> slots_{};
  std::uint8_t writing_ = 0, reading_ = 1;
  std::atomic<std::uint8_t> between_{2};
};

}  // namespace pintle::device
