#include "pintle/device/pwm_protocol.h"

#include <algorithm>
#include <cmath>

namespace pintle::device {
namespace {

// servo pulses, of whatever make
constexpr double kShortest_us = 800, kLongest_us = 2200;

}  // namespace

std::uint16_t pwm_pulse_us(double effort) noexcept {
  const double held = std::isfinite(effort) ? std::clamp(effort, -1.0, 1.0) : 0.0;
  return static_cast<std::uint16_t>(kPwmRest_us + std::lround(kPwmReach_us * held));
}

double pwm_effort(double pulse_us) noexcept {
  if (!(pulse_us >= kShortest_us && pulse_us <= kLongest_us)) return 0;
  return std::clamp((pulse_us - kPwmRest_us) / kPwmReach_us, -1.0, 1.0);
}

PwmProtocol::PwmProtocol(std::span<const BusChannel> channels) noexcept {
  pulses_.fill(kPwmRest_us);
  for (const BusChannel& c : channels) {
    channels_.push_back(c);
    outputs_ = std::max<std::size_t>(outputs_, c.node + 1U);
  }
}

const BusCapabilities& PwmProtocol::capabilities() const noexcept {
  static constexpr BusCapabilities kPwm{
      .watchdog_s = 1, .answers = false, .last_node = kPwmOutputs - 1};
  return kPwm;
}

void PwmProtocol::set(std::size_t channel, double effort) noexcept {
  const BusChannel& c = channels_[channel];
  pulses_[c.node] = pwm_pulse_us(c.reversed ? -effort : effort);
}

void PwmProtocol::forget(std::size_t channel) noexcept { set(channel, 0); }

BusFrame PwmProtocol::frame(Out out) const noexcept {
  out[0] = out[1] = 0xFF;
  for (std::size_t k = 0; k < outputs_; ++k) {
    out[2 + 2 * k] = static_cast<std::uint8_t>(pulses_[k] >> 8U);
    out[3 + 2 * k] = static_cast<std::uint8_t>(pulses_[k]);
  }
  return {2 + 2 * outputs_, 0};
}

BusFrame PwmProtocol::command(std::size_t channel, double effort, Out out) noexcept {
  set(channel, effort);
  return frame(out);
}

BusFrame PwmProtocol::command_all(std::span<const double> efforts, std::size_t, Out out) noexcept {
  for (std::size_t i = 0; i < efforts.size(); ++i) set(i, efforts[i]);
  return frame(out);
}

bool PwmProtocol::hear(std::span<const std::uint8_t>& bytes, BusMessage&) noexcept {
  garbage_ += bytes.size();
  bytes = {};
  return false;
}

}  // namespace pintle::device
