/// Speed controllers behind a board that makes servo pulses, as propulsor_protocol.h:
///
///   FF FF, then for each output its pulse width in us, 16 bits, the high byte first
///   effort -1 … 1  <->  1100 … 1900 us, at rest 1500
///
/// Nothing is answered and nothing is summed up: pulses have no FF in their high byte, so that FF FF
/// is found nowhere but at the start of a frame, and a board drops a frame with a pulse that cannot
/// be. Without a frame for a second it sends 1500 to all. One frame commands all outputs up to the
/// last that is wired; those between that are not get 1500.
///
/// From thrust to the pulse at a bus voltage leads propulsion/thruster.h (curve pulse_width, such
/// as that of the T200); `pwm_effort` brings what it answers to the bus. A node is an output.
///
/// Source: the boards of Duke's robots (57600 8N1, ROS 2 years). Not modelled: that a speed
/// controller wants pulses of 1500 for some seconds after it got power.
#pragma once
#include <array>

#include "pintle/device/propulsor_protocol.h"

namespace pintle::device {

inline constexpr int kPwmRest_us = 1500, kPwmReach_us = 400;
inline constexpr std::size_t kPwmOutputs = 16;

/// What is no number is at rest, what is beyond is cut.
[[nodiscard]] std::uint16_t pwm_pulse_us(double effort) noexcept;
/// What no servo pulse can be (0, say, or no number) is at rest.
[[nodiscard]] double pwm_effort(double pulse_us) noexcept;

class PwmProtocol : public PropulsorProtocol {
 public:
  explicit PwmProtocol(std::span<const BusChannel> channels) noexcept;

  [[nodiscard]] const BusCapabilities& capabilities() const noexcept override;
  BusFrame greet(std::size_t, Out) noexcept override { return {}; }
  void forget(std::size_t channel) noexcept override;
  BusFrame command(std::size_t channel, double effort, Out out) noexcept override;
  BusFrame command_all(std::span<const double> efforts, std::size_t responder,
                       Out out) noexcept override;
  BusFrame poll(std::size_t, Out) noexcept override { return {}; }
  bool hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept override;
  void give_up() noexcept override {}
  [[nodiscard]] std::size_t missing() const noexcept override { return 0; }
  [[nodiscard]] std::uint64_t garbage() const noexcept override { return garbage_; }

 private:
  void set(std::size_t channel, double effort) noexcept;
  [[nodiscard]] BusFrame frame(Out out) const noexcept;

  FixedVector<BusChannel, kMaxBusChannels> channels_;
  std::array<std::uint16_t, kPwmOutputs> pulses_{};
  std::size_t outputs_ = 0;
  std::uint64_t garbage_ = 0;
};

}  // namespace pintle::device
