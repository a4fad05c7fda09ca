/// The part of the engine that speaks with a flight controller, a gripper and a camera. For the
/// sources of this room.
#pragma once
#include "pintle/mission/engine.h"

namespace pintle::mission {

/// Keeps the pose, takes a sighting, forgets old targets; tells what was found and lost. `state`: the
/// one that it is in, also in a pause.
void observe(const AircraftSpec& spec, const State* state, EngineState& s, const EngineInput& in,
             bool usable, EventList& events) noexcept;

[[nodiscard]] bool in_the_air(const EngineInput& in) noexcept;
/// In the air, on its way up, or about to be.
[[nodiscard]] bool may_fly(const EngineState& s, const EngineInput& in) noexcept;

/// A reason to leave for the abort path.
[[nodiscard]] bool endangered(const AircraftSpec& spec, const EngineState& s, const EngineInput& in,
                              bool usable, EventList& events) noexcept;

/// The flight controller has stopped obeying though nobody here asked for it.
[[nodiscard]] bool pilot_took_over(const State* state, EngineState& s, const EngineInput& in,
                                   EventList& events) noexcept;

/// Nothing of an attempt before is left.
void begin_attempt(const State& state, EngineState& s) noexcept;
void send_request(const State& state, EngineState& s, const EngineInput& in,
                  EventList& events) noexcept;
/// Refused or failed, and half a second ago.
[[nodiscard]] bool attempt_failed(const State& state, EngineState& s, const EngineInput& in,
                                  EventList& events) noexcept;

/// Moves the goal: after a target, or along a search.
///
/// After a target: level above it at once; down only inside of a cone; where it is lost on the way,
/// up by climb_m to see it again, so many times; below blind_below_m down to where it was last. A
/// search goes slower past what may be a target, and never stops for less than one that is found.
void lead(const State& state, EngineState& s, Time now, Duration dt, bool usable, const Pose& X_WB,
          EventList& events) noexcept;

/// The part of a success condition that is not about pose and time.
[[nodiscard]] bool aircraft_holds(const AircraftSpec& spec, const State& state,
                                  const EngineState& s, const EngineInput& in) noexcept;

}  // namespace pintle::mission
