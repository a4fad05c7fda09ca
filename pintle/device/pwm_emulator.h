/// A board with speed controllers that is not there, byte for byte (pwm_protocol.h). It drops a
/// frame with a pulse beyond 1100 … 1900 us and rests 1 s after the last good one; a controller
/// stands still within 25 us of 1500.
#pragma once
#include <vector>

#include "pintle/device/propulsor_emulator.h"
#include "pintle/device/pwm_protocol.h"

namespace pintle::device {

class PwmEmulator : public PropulsorEmulator {
 public:
  /// What hangs on which output; the board has as many as the last needs.
  explicit PwmEmulator(std::span<const std::uint8_t> outputs);

  void heard(std::span<const std::uint8_t> bytes, Time now) override;
  [[nodiscard]] std::size_t size() const override { return controllers_.size(); }
  [[nodiscard]] double effort(std::size_t i, Time now) const override;
  [[nodiscard]] PropulsorFaults& faults(std::size_t i) override { return controllers_[i].faults; }
  [[nodiscard]] std::uint64_t commands(std::size_t i) const override {
    return controllers_[i].commands;
  }
  /// Frames that were dropped.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  struct Controller {
    std::uint8_t output = 0;
    PropulsorFaults faults;
    double pulse_us = kPwmRest_us;
    Time away_until{}, heard{};
    bool was_commanded = false;
    std::uint64_t commands = 0;
  };
  void obey(Time now);

  std::vector<Controller> controllers_;
  std::vector<std::uint8_t> frame_;
  std::size_t bytes_;
  bool in_frame_ = false, had_ff_ = false;
  std::uint64_t dropped_ = 0;
};

}  // namespace pintle::device
