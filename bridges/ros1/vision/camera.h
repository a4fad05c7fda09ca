/// The border of the node usb_cam: a camera at a device, and its calibration file. Clean C++17; see
/// controls/controller.h.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "vision/picture.h"

namespace pintle::ros1 {

/// A camera_*.yaml as a message says it; without a projection in it, that of the raw picture.
/// @throws std::exception with everything that is wrong in the file.
[[nodiscard]] PlainCameraInfo load_calibration(const std::string& file);

/// Sizes, matrices and coefficients into that file, whatever else stands in it; a crash leaves the
/// old or the new one. Answers "", or why the file is as it was.
[[nodiscard]] std::string save_calibration(const std::string& file, const PlainCameraInfo& info);

/// A camera at /dev/videoN (V4L2), or a video file that begins anew at its end.
class VideoDevice {
 public:
  VideoDevice();
  ~VideoDevice();
  VideoDevice(const VideoDevice&) = delete;
  VideoDevice& operator=(const VideoDevice&) = delete;

  /// Answers "", or why not. Pictures of another size are not taken.
  [[nodiscard]] std::string open(const std::string& device, int width, int height);
  void close();
  /// The next picture, as soon as there is one, and when it was taken, by the steady clock, s: none
  /// where that is not known. Answers "", or why there is none.
  [[nodiscard]] std::string read(PlainImage& out, std::optional<double>& taken_s);
  /// A file: what reads it keeps the pace.
  [[nodiscard]] bool is_file() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
