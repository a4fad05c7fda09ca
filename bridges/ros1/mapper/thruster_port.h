/// Where thruster commands go and answers come from: a serial line, or a simulation of one.
///
/// Behind both is the same state machine (pintle/device/propulsor_bus.h): it repeats commands,
/// polls who has none, decides who is silent, and ends what is too old. Nothing here waits. A line
/// that cannot be opened is told by `problem`; it does not hold up the others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pintle::ros1 {

/// What a thruster says of itself. A value that it does not say is not a number.
struct ThrusterReply {
  std::size_t thruster = 0;  ///< Its place on the port.
  double latency_s = 0;      ///< Mean, from sending to the whole answer.
  double effort = 0;         ///< Last sent, -1 to 1.
  double rpm = 0, bus_V = 0, bus_A = 0, temperature_C = 0;
  std::uint8_t fault = 0;  ///< Bits as the VideoRay M5 has them.
  unsigned sent = 0, received = 0;
};

class ThrusterPort {
 public:
  virtual ~ThrusterPort() = default;
  /// `effort`: -1 to 1.
  virtual void command(std::size_t thruster, double effort, double now_s) = 0;
  /// Adds what has come since the last call, oldest first.
  virtual void poll(double now_s, std::vector<ThrusterReply>& replies) = 0;
  /// It was asked for long enough, and does not answer (or there is no line to ask on).
  [[nodiscard]] virtual bool is_out(std::size_t thruster) const = 0;
  /// While killed, all get 0 and silence means nothing.
  virtual void kill(bool killed, double now_s) = 0;
  /// What keeps the line from working; "" when nothing does.
  [[nodiscard]] virtual std::string problem() const { return {}; }
  /// What was wished and cannot be, while it works nevertheless.
  [[nodiscard]] virtual std::vector<std::string> remarks() const { return {}; }
};

}  // namespace pintle::ros1
