/// VESC motor controllers that are not there, byte for byte (vesc_protocol.h): the first on the
/// line, the others behind it on CAN. Each stops 1 s after its last command.
#pragma once
#include <vector>

#include "pintle/device/propulsor_emulator.h"
#include "pintle/device/vesc_protocol.h"

namespace pintle::device {

class VescEmulator : public PropulsorEmulator {
 public:
  explicit VescEmulator(std::span<const std::uint8_t> ids, int pole_pairs = 7);

  void heard(std::span<const std::uint8_t> bytes, Time now) override;
  [[nodiscard]] std::size_t size() const override { return controllers_.size(); }
  [[nodiscard]] double effort(std::size_t i, Time now) const override;
  [[nodiscard]] PropulsorFaults& faults(std::size_t i) override { return controllers_[i].faults; }
  [[nodiscard]] std::uint64_t commands(std::size_t i) const override {
    return controllers_[i].commands;
  }

 private:
  struct Controller {
    std::uint8_t id = 0;
    PropulsorFaults faults;
    double effort = 0;
    Time commanded{}, away_until{};
    bool was_commanded = false;
    std::uint64_t commands = 0;
  };
  void take(std::size_t i, std::span<const std::uint8_t> payload, Time now);
  void reply(std::size_t i, Time now);

  std::vector<Controller> controllers_;
  int pole_pairs_;
  VescDecoder decoder_;
};

}  // namespace pintle::device
