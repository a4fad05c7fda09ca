#include "pintle/device/pwm_emulator.h"

#include <algorithm>
#include <cmath>

namespace pintle::device {
namespace {

constexpr double kWatchdog_s = 1.0, kRestart_s = 3.0;
constexpr double kStill_us = 25;

}  // namespace

PwmEmulator::PwmEmulator(std::span<const std::uint8_t> outputs) : bytes_(0) {
  for (const std::uint8_t output : outputs) {
    controllers_.emplace_back();
    controllers_.back().output = output;
    bytes_ = std::max<std::size_t>(bytes_, 2U * (output + 1U));
  }
}

double PwmEmulator::effort(std::size_t i, Time now) const {
  const Controller& c = controllers_[i];
  const bool heard = c.was_commanded && (now - c.heard).seconds() <= kWatchdog_s;
  if (!heard || now < c.away_until || std::abs(c.pulse_us - kPwmRest_us) <= kStill_us) return 0;
  return pwm_effort(c.pulse_us);
}

void PwmEmulator::heard(std::span<const std::uint8_t> bytes, Time now) {
  echo_back(bytes, now);
  for (const std::uint8_t b : bytes) {
    // of three FF in a row the first ended a frame that was cut short
    const bool begins = had_ff_ && b == 0xFF;
    had_ff_ = b == 0xFF;
    if (begins) {
      if (in_frame_ && !frame_.empty()) ++dropped_;
      in_frame_ = true;
      frame_.clear();
    } else if (in_frame_) {
      frame_.push_back(b);
      if (frame_.size() < bytes_) continue;
      in_frame_ = false;
      obey(now);
    }
  }
}

void PwmEmulator::obey(Time now) {
  const auto pulse = [&](std::size_t output) {
    return 256.0 * frame_[2 * output] + frame_[2 * output + 1];
  };
  for (std::size_t k = 0; 2 * k < bytes_; ++k)
    if (std::abs(pulse(k) - kPwmRest_us) > kPwmReach_us) {
      ++dropped_;
      return;
    }
  for (Controller& c : controllers_) {
    if (c.faults.brown_out) {
      c.faults.brown_out = false;
      c.was_commanded = false;
      c.away_until = now + Duration::from_seconds(kRestart_s);
    }
    if (c.faults.gone || now < c.away_until || happens(c.faults.lose)) continue;
    c.pulse_us = pulse(c.output);
    c.heard = now;
    c.was_commanded = true;
    ++c.commands;
  }
}

}  // namespace pintle::device
