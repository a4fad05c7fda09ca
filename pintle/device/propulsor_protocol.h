/// What a new kind of thruster brings: how its frames are made and understood. Everything else
/// (whose turn it is, time limits, retries, silence, kill) is done by propulsor_bus.h for all.
///
/// No clock, no heap, no waiting. Channels are numbered as in the wiring.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "pintle/base/fields.h"
#include "pintle/base/propulsor_report.h"

namespace pintle::device {

inline constexpr std::size_t kMaxBusChannels = 64;
inline constexpr std::size_t kMaxBusFrame = 320;

struct BusCapabilities {
  double watchdog_s = 0;         ///< It stops by itself without a command for so long; 0: never.
  bool answers = false;          ///< It answers at all.
  std::uint8_t last_node = 255;  ///< Node numbers are 0 to this.
};

/// A channel of a bus, as the vehicle file has it.
struct BusChannel {
  FixedString<31> name;
  std::uint8_t node = 0;
  bool reversed = false;  ///< A positive effort is sent as a negative one.
  /// Is commanded although it does not answer: what has lost its voice may still have its arm.
  bool confident = false;
};

/// A frame to be sent; no bytes: there is none for this.
struct BusFrame {
  std::size_t bytes = 0;
  std::size_t answer_bytes = 0;  ///< Of the answer that is then due; 0: none is.
};

struct BusMessage {
  enum class Kind : std::uint8_t {
    kReport,    ///< `report` holds the fields that `valid` names.
    kGreeting,  ///< The answer to `greet`: from now on the channel can be commanded.
    kAnswer,    ///< Something else that the channel says.
    kOther,     ///< An echo, or from somebody who is not on this bus.
  };
  Kind kind = Kind::kOther;
  std::size_t channel = 0;  ///< Of all but kOther.
  PropulsorReport report{};
};

class PropulsorProtocol {
 public:
  virtual ~PropulsorProtocol() = default;
  [[nodiscard]] virtual const BusCapabilities& capabilities() const noexcept = 0;

  using Out = std::span<std::uint8_t>;
  /// The question that must be answered before a command; none where nothing need be known.
  virtual BusFrame greet(std::size_t channel, Out out) noexcept = 0;
  /// Forgets what a greeting told: what hangs there now may be another.
  virtual void forget(std::size_t channel) noexcept = 0;
  virtual BusFrame command(std::size_t channel, double effort, Out out) noexcept = 0;
  /// All channels at once; `responder` answers. None where that cannot be said (yet).
  virtual BusFrame command_all(std::span<const double> efforts, std::size_t responder,
                               Out out) noexcept = 0;
  /// Asks for a report and commands nothing.
  virtual BusFrame poll(std::size_t channel, Out out) noexcept = 0;

  /// The next message in what was heard; `bytes` keeps what was not looked at yet.
  virtual bool hear(std::span<const std::uint8_t>& bytes, BusMessage& message) noexcept = 0;
  /// Forgets the beginning of a frame whose end did not come.
  virtual void give_up() noexcept = 0;
  /// At least so many bytes of a frame that has begun are still to come.
  [[nodiscard]] virtual std::size_t missing() const noexcept = 0;
  /// Bytes that were part of no frame, so far.
  [[nodiscard]] virtual std::uint64_t garbage() const noexcept = 0;
};

}  // namespace pintle::device
