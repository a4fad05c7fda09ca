/// Markers and rings in a picture, to a pose with a stated uncertainty.
///
/// Markers: quads.h -> marker_decode.h -> two poses from the corners (IPPE) -> face_fit.h on the
/// pixels. Of the two poses that a small square can have, the one that goes with the attitude is
/// taken, or, where none is known, the one that the pixels like better. Rings: ring.h ->
/// face_fit.h. The camera's own matrix and distortion are used throughout. Takes memory; not for
/// the tick.
///
/// Of a stream, what was seen in the picture before is looked for near where it should be now, by
/// the same proofs; the whole picture every thirtieth time, while none is known, and for the kind of
/// one that has just been lost: a new target is seen within thirty pictures, a second of most
/// cameras. The fit of a marker begins with the blur of the picture before.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "pintle/base/camera_model.h"
#include "pintle/base/visual_target.h"
#include "pintle/vision/detection.h"

namespace pintle::vision {

struct DetectorSettings {
  CameraModel camera;
  std::optional<MarkerTargets> markers;  ///< None: none are looked for.
  std::optional<RingTarget> ring;
  double min_side_px = 9;       ///< Smaller markers cannot be read.
  double up_sigma_rad = 0.035;  ///< Of the attitude that comes with a picture.
};

class Detector {
 public:
  /// The settings must have passed their checks.
  explicit Detector(const DetectorSettings& settings);
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  /// Red, green, blue, of the camera's size. `up_B`: the unit vector against gravity in the body
  /// when the picture was taken, where it is known; targets are taken to lie level. False: the
  /// picture could not be worked on, and `why` says why.
  /// A picture alone: the same one gives the same answer, whatever was asked for before.
  [[nodiscard]] bool detect(const ImageView& picture, const std::optional<Vec3>& up_B,
                            Detections& out, std::string& why);

  /// The next picture of a stream: the same ones in the same order give the same answers.
  [[nodiscard]] bool follow(const ImageView& picture, const std::optional<Vec3>& up_B,
                            Detections& out, std::string& why);

  [[nodiscard]] const DetectorSettings& settings() const noexcept;

 private:
  [[nodiscard]] bool look(const ImageView& picture, const std::optional<Vec3>& up_B, bool is_stream,
                          Detections& out, std::string& why);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::vision
