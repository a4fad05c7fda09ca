#include "pintle/device/gripper_frame.h"

namespace pintle::device {
namespace {

constexpr std::uint8_t kStart = 0xA5;
constexpr std::uint8_t kEnd = 0xFE;

/// True when a frame may still begin with these bytes.
bool may_begin(const GripperFrame& window, std::size_t size) noexcept {
  if (size >= 1 && window[0] != kStart) return false;
  if (size >= 3 && window[2] != kEnd) return false;
  return size < 4 || window[3] == gripper_crc(window.data(), 3);
}

}  // namespace

std::uint8_t gripper_crc(const std::uint8_t* bytes, std::size_t n) noexcept {
  unsigned crc = 0xFF;
  for (std::size_t i = 0; i < n; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0x8CU : crc >> 1U;
  }
  return static_cast<std::uint8_t>(crc);
}

GripperFrame encode_gripper(std::uint8_t value) noexcept {
  GripperFrame frame{kStart, value, kEnd, 0};
  frame[3] = gripper_crc(frame.data(), 3);
  return frame;
}

std::optional<std::uint8_t> GripperDecoder::push(std::uint8_t byte) noexcept {
  window_[size_++] = byte;
  while (size_ > 0 && !may_begin(window_, size_)) {
    // a false start: the frame may begin at any byte after it
    --size_;
    ++skipped_;
    for (std::size_t i = 0; i < size_; ++i) window_[i] = window_[i + 1];
  }
  if (size_ < window_.size()) return std::nullopt;
  size_ = 0;
  return window_[1];
}

}  // namespace pintle::device
