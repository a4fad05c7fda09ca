/// Where thruster commands go and answers come from: a serial line, or a simulation of one.
///
/// Nothing here waits. A port that talks to hardware has its own thread and queues: `send` leaves a
/// command there (replacing one for the same thruster that is still unsent), `poll` picks up what
/// has come. A thruster that does not answer is the driver's affair (see driver.h), a line that
/// cannot be opened is told by `problem`; neither holds up the others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pintle::ros1 {

/// What a thruster says of itself, in answer to a command.
struct ThrusterReply {
  std::size_t thruster = 0;  ///< Its place on the port.
  double latency_s = 0;      ///< From sending to the whole answer.
  double rpm = 0, bus_V = 0, bus_A = 0, temperature_C = 0;
  std::uint8_t fault = 0;  ///< Bits as the VideoRay M5 has them.
};

class ThrusterPort {
 public:
  virtual ~ThrusterPort() = default;
  /// `effort`: -1 to 1.
  virtual void send(std::size_t thruster, double effort, double now_s) = 0;
  /// Adds what has come since the last call, oldest first.
  virtual void poll(double now_s, std::vector<ThrusterReply>& replies) = 0;
  /// What keeps the line from working; "" when nothing does.
  [[nodiscard]] virtual std::string problem() const { return {}; }
};

}  // namespace pintle::ros1
