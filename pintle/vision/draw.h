/// What was found, drawn into the picture: outlines, axes (x red, y green, z blue), numbers.
#pragma once
#include "pintle/base/camera_model.h"
#include "pintle/base/visual_target.h"
#include "pintle/vision/detection.h"

namespace pintle::vision {

/// `picture`: red, green, blue. `ring` may be null where no ring was looked for.
void draw(const CameraModel& camera, const RingTarget* ring, const Detections& found,
          Image& picture);

}  // namespace pintle::vision
