#include "pintle/device/gripper_emulator.h"

#include <array>
#include <span>

namespace pintle::device {

bool GripperEmulator::plug() {
  decoder_.reset();
  return line_.open();
}

void GripperEmulator::update(Time now) {
  // an end that nobody has open reads as gone: for this side that is silence
  std::array<std::uint8_t, 64> bytes{};
  const Transfer got = line_.device.read(bytes);
  for (const std::uint8_t byte : std::span(bytes).first(got.bytes)) {
    const std::optional<std::uint8_t> value = decoder_.push(byte);
    if (!value) continue;
    ++heard_;
    if (faults.deaf_to > 0) {
      --faults.deaf_to;
      continue;
    }
    if (*value > 1 || faults.stuck || (*value == status_ && !moving_to_)) {
      report();
    } else if (moving_to_ != value) {
      moving_to_ = value;
      done_ = now + Duration::from_seconds(move_s_);
    }
  }
  if (moving_to_ && now >= done_) {
    status_ = *moving_to_;
    moving_to_.reset();
    report();
  }
}

void GripperEmulator::report() {
  if (faults.mute) return;
  GripperFrame frame = encode_gripper(status_);
  frame[3] = static_cast<std::uint8_t>(frame[3] ^ faults.spoil);
  (void)line_.device.write(faults.hum);
  (void)line_.device.write(frame);
}

}  // namespace pintle::device
