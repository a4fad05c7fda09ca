/// A flight controller behind services that only say "accepted": turns requests of the stack into
/// calls, and answers to calls plus what is seen of the flight into outcomes.
///
///   request n ──> call n ──accepted──> pending ──seen──> done
///                      └──refused──> refused      └──no answer at all──> failed
///
/// Seen: control as reported; airborne; on the ground or motors off. What was seen before the call
/// was accepted does not count.
#pragma once
#include <cstdint>

#include "pintle/base/aircraft.h"

namespace pintle::ros1 {

enum class CallAnswer : std::uint8_t { kAccepted, kRefused, kFailed };

class FlightLink {
 public:
  /// Every tick; a call is due when the number has risen.
  void ask(const FlightRequest& request) noexcept;
  /// Of the call with that number; others are too late and mean nothing.
  void answered(std::uint32_t number, CallAnswer answer) noexcept;
  /// Completes what the flight controller says by what became of the newest request.
  void complete(FlightReport& report) noexcept;

  [[nodiscard]] const FlightRequest& call() const noexcept { return call_; }

 private:
  FlightRequest call_;
  bool accepted_ = false;
  RequestOutcome outcome_ = RequestOutcome::kNone;
};

}  // namespace pintle::ros1
