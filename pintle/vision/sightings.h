/// What was found in a picture, told as sightings of targets.
///
///   p_BT_B = target_B of the detection - R_BT (x, y, 0) of the marker on its target
///
/// A marker of the pad and the ring of the pad mean the same point, the pad's middle. A marker that
/// lies beside it knows that point the worse, the longer the arm and the less sure its attitude.
#pragma once
#include <optional>

#include "pintle/base/aircraft.h"
#include "pintle/vision/detector.h"

namespace pintle::vision {

/// What a craft's camera looks for; what is none is not looked for.
struct Targets {
  std::optional<MarkerTargets> car, pad;
  std::optional<RingTarget> ring;
};

/// Both kinds of markers together, since one picture is searched for one dictionary.
[[nodiscard]] Findings check(const Targets& targets);

/// For a detector. The targets must have passed their check.
[[nodiscard]] DetectorSettings settings_of(const CameraModel& camera, const Targets& targets);

/// `X_BC`: the camera in the body.
[[nodiscard]] TargetSighting sighting_of(const Detection& found, const Targets& targets,
                                         const Pose& X_BC, Time stamp);

/// Index of the detection that knows its target's place best, by the sum of the variances; none of
/// none.
[[nodiscard]] std::optional<std::size_t> surest(const Detections& found, const Targets& targets,
                                                const Pose& X_BC);

}  // namespace pintle::vision
