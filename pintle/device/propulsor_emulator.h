/// Propulsors that are not there: what an emulated line hears, says and when, and how each behaves.
///
/// Pure like the bus (propulsor_bus.h): whoever has a clock or a port runs it: VirtualLine in
/// memory, LineEmulator behind a pseudo-terminal. How a propulsor answers an effort is the owner's
/// model (propulsion/electrical.h has one); without one it stands still, whatever it obeys.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/base/time.h"

namespace pintle::device {

struct PropulsorTruth {
  double rpm = 0, bus_V = 48, bus_A = 0, temperature_C = 30;
  std::uint8_t fault = 0;
};
/// Which one, the effort that it obeys, and when.
using PropulsorModel = std::function<PropulsorTruth(std::size_t, double, Time)>;

/// What can be wrong with one of them.
struct PropulsorFaults {
  bool gone = false;       ///< Cable cut: neither hears nor speaks, and stops by its watchdog.
  bool mute = false;       ///< Obeys, and does not answer.
  double late_s = 0;       ///< Each answer comes so much later.
  double corrupt = 0;      ///< Share of answers with a byte that was hit.
  double lose = 0;         ///< Share of questions that it does not hear.
  int wrong_id = -1;       ///< Answers in the name of another node.
  int pieces = 1;          ///< An answer comes in so many pieces, 3 ms apart.
  bool hum = false;        ///< Noise before each answer.
  bool twice = false;      ///< Each answer comes twice.
  bool brown_out = false;  ///< Restarts: forgets its effort and is away for 3 s. Once.
  bool stalled = false;    ///< Draws current, does not turn, says so.
  std::optional<double> bus_V, temperature_C;
  std::uint8_t fault = 0;
};

class PropulsorEmulator {
 public:
  virtual ~PropulsorEmulator() = default;
  virtual void heard(std::span<const std::uint8_t> bytes, Time now) = 0;
  /// The next piece that is due; empty: none. Holds until the next call.
  [[nodiscard]] std::span<const std::uint8_t> say(Time now);
  [[nodiscard]] Time wake_at() const;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// What it obeys now; 0 once its own watchdog has ended it.
  [[nodiscard]] virtual double effort(std::size_t propulsor, Time now) const = 0;
  [[nodiscard]] virtual PropulsorFaults& faults(std::size_t propulsor) = 0;
  /// Commands heard, of any value.
  [[nodiscard]] virtual std::uint64_t commands(std::size_t propulsor) const = 0;

  PropulsorModel model;
  bool echo = false;  ///< As some adapters do, the line gives back what was sent.

 protected:
  PropulsorEmulator() : random_(1, "propulsor emulator") {}
  /// What the model says, with the faults laid over it.
  [[nodiscard]] PropulsorTruth truth(std::size_t propulsor, const PropulsorFaults& faults,
                                     Time now) const;
  [[nodiscard]] bool happens(double share) { return share > 0 && random_.uniform() < share; }
  /// Sends an answer, as its faults have it.
  void answer(std::span<const std::uint8_t> frame, const PropulsorFaults& faults, Time now);
  void echo_back(std::span<const std::uint8_t> bytes, Time now);

 private:
  struct Piece {
    Time at;
    std::vector<std::uint8_t> bytes;
  };
  std::deque<Piece> pieces_;
  std::vector<std::uint8_t> spoken_;
  RandomStream random_;
};

}  // namespace pintle::device
