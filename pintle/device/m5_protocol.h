/// VideoRay M5 thrusters on a line: m5_messages.h behind propulsor_protocol.h.
///
/// The greeting reads motor_ID (0x4C): the power of a thruster stands at that index of the
/// propulsion command, in its own frame as in one for all. A frame for all needs every motor_ID to
/// be known and no two to be equal. A poll reads the registers 0x08 to 0x1B, so that it commands
/// nothing.
#pragma once
#include <array>
#include <memory>
#include <span>

#include "pintle/device/m5_messages.h"
#include "pintle/device/propulsor_protocol.h"

namespace pintle::device {

[[nodiscard]] const BusCapabilities& m5_capabilities() noexcept;

class M5Protocol : public PropulsorProtocol {
 public:
  explicit M5Protocol(std::span<const BusChannel> channels) noexcept;

  [[nodiscard]] const BusCapabilities& capabilities() const noexcept override {
    return m5_capabilities();
  }
  BusFrame greet(std::size_t channel, Out out) noexcept override;
  void forget(std::size_t channel) noexcept override;
  BusFrame command(std::size_t channel, double effort, Out out) noexcept override;
  BusFrame command_all(std::span<const double> efforts, std::size_t responder,
                       Out out) noexcept override;
  BusFrame poll(std::size_t channel, Out out) noexcept override;
  bool hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept override;
  void give_up() noexcept override { decoder_.reset(); }
  [[nodiscard]] std::size_t missing() const noexcept override { return decoder_.missing(); }
  [[nodiscard]] std::uint64_t garbage() const noexcept override { return decoder_.skipped(); }

  /// -1: not known yet.
  [[nodiscard]] int motor_id(std::size_t channel) const noexcept {
    return channels_[channel].motor_id;
  }

 private:
  struct Channel {
    std::uint8_t node = 0;
    bool reversed = false;
    int motor_id = -1;
  };
  [[nodiscard]] float power(std::size_t channel, double effort) const noexcept;

  FixedVector<Channel, kMaxBusChannels> channels_;
  VrcsrDecoder decoder_;
};

}  // namespace pintle::device
