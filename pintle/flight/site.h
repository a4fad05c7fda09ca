/// Where a stack flies: what its measurements come from and its commands go to, round one clock.
///
///   sense: waits until the next tick is due, and gathers what has come        -> Inputs
///   act:   hands over what the tick has decided                               <- Outputs
///
/// A simulated world, a ROS master, YARP ports and serial hardware are sites alike. A site converts
/// and moves messages. It judges no age, decides no efforts and keeps no safety of its own: all that
/// is the tick's.
#pragma once
#include "pintle/flight/names.h"

namespace pintle::flight {

class Site {
 public:
  Site() = default;
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  virtual ~Site() = default;

  /// The one clock. Every stamp in the inputs is of it; it begins near 0 when the flight does
  /// (schedules and durations count from there), may be simulated and never goes back.
  [[nodiscard]] virtual Time now() const noexcept = 0;
  /// Returns at `due`, or later where the machine is late, and fills `in`, which comes empty:
  /// `in.now` and what has come since the last call. False: the site has ended (a bus that was shut
  /// down) and there is no further tick.
  virtual bool sense(Time due, Inputs& in) = 0;
  /// After each tick, the last one included; that one may still be armed where outlasts() is false.
  /// Not after sense() has returned false.
  virtual void act(const Model& model, const Outputs& out) = 0;
  /// What it was told last stands when the flight is over: a bus, hardware. Such a flight lands first
  /// where it can, and its last tick is never armed.
  [[nodiscard]] virtual bool outlasts() const noexcept = 0;
  /// Told to stop, and nothing comes any more by which it could come down: it is switched off. Asked
  /// after each sense().
  [[nodiscard]] virtual bool is_gone() const noexcept { return false; }
  /// Its clock stands while the loop is busy: a log may be waited for, and lacks nothing.
  [[nodiscard]] virtual bool waits() const noexcept { return false; }
};

}  // namespace pintle::flight
