/// The border of the node usb_cam: a camera at a device, and its calibration file. Clean C++17; see
/// common/plain.h.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vision/picture.h"

namespace pintle::ros1 {

/// A camera_*.yaml as a message says it; without a projection in it, that of the raw picture.
/// @throws std::exception with everything that is wrong in the file.
[[nodiscard]] PlainCameraInfo load_calibration(const std::string& file);

/// Sizes, matrices and coefficients into that file, whatever else stands in it; a crash leaves the
/// old or the new one. Answers "", or why the file is as it was.
[[nodiscard]] std::string save_calibration(const std::string& file, const PlainCameraInfo& info);

/// What the original usb_cam 0.3 tells a camera, under its names. -1: as it is.
struct CameraControls {
  std::string pixel_format = "yuyv";  ///< One of pixel_formats().
  double framerate_Hz = 30;
  int brightness = -1, contrast = -1, saturation = -1, sharpness = -1, gain = -1;
  // the number counts where the camera does not find it by itself
  bool auto_white_balance = true, autoexposure = true, autofocus = false;
  int white_balance = 4000, exposure = 100, focus = -1;
};

[[nodiscard]] std::vector<std::string> pixel_formats();

/// What that is to a camera of V4L2, by name, in the order in which it is told: an automatism
/// before its number. A pixel format is the code of its four letters.
[[nodiscard]] std::vector<std::pair<std::string, double>> settings_of(const CameraControls& c);

/// A video: what reads it keeps the pace.
[[nodiscard]] bool is_file(const std::string& device);

/// A camera at /dev/videoN (V4L2), or a video file that begins anew at its end.
class VideoDevice {
 public:
  VideoDevice();
  ~VideoDevice();
  VideoDevice(const VideoDevice&) = delete;
  VideoDevice& operator=(const VideoDevice&) = delete;

  /// Answers "", or why not. Pictures of another size are not taken.
  [[nodiscard]] std::string open(const std::string& device, int width, int height,
                                 const CameraControls& controls = {});
  /// What the camera did not take of the controls, it runs without: "gain = 3, focus = 0"; "" nothing.
  [[nodiscard]] std::string refused() const;
  void close();
  /// The next picture, as soon as there is one, and when it was taken, by the steady clock, s: none
  /// where that is not known. Answers "", or why there is none.
  [[nodiscard]] std::string read(PlainImage& out, std::optional<double>& taken_s);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
