/// Somebody else's pixels as a picture of ours: inside the border of the nodes vision and usb_cam.
#pragma once
#include <string>

#include "pintle/base/image.h"
#include "vision/picture.h"

namespace pintle::ros1 {

/// As red, green, blue. Answers "", or why not: nothing beyond the end of the data is read.
[[nodiscard]] std::string copy_pixels(const PlainPicture& p, Image& out);

}  // namespace pintle::ros1
