/// OpenCV's and AprilTag's own marker detectors, on the same pictures.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "pintle/base/image.h"
#include "pintle/base/visual_target.h"

namespace pintle::testing {

struct PeerMarker {
  std::uint32_t id = 0;
  std::array<Pixel, 4> corners{};
};

class OpenCvMarkers {
 public:
  /// `refine`: corners by cornerSubPix, as well as it can.
  OpenCvMarkers(MarkerFamily family, bool refine);
  ~OpenCvMarkers();
  void detect(const ImageView& grey, std::vector<PeerMarker>& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// tag36h11 only.
class AprilTags {
 public:
  explicit AprilTags(double decimate);
  ~AprilTags();
  [[nodiscard]] static bool available();
  void detect(const ImageView& grey, std::vector<PeerMarker>& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::testing
