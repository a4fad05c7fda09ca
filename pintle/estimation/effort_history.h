/// Effort behind each propulsor's lag, and what it was at an instant in the past. For the sources
/// of this room: see failure_detector.h.
#pragma once
#include "pintle/estimation/failure_detector.h"

namespace pintle::estimation {

/// Of anything measured or sent; what is beyond it is taken for garbage.
inline constexpr double kLargestMeasured = 1e6;

/// Goes on to `now` with what was sent since; null: nothing.
void follow(const BodyModel& model, DetectorState& s, const ChannelVector* sent, Time now) noexcept;

/// Straight between the two ticks around the instant.
void thrust_at(const BodyModel& model, const DetectorState& s, Time at,
               std::array<double, kMaxChannels>& out) noexcept;

}  // namespace pintle::estimation
