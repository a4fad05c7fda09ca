/// The border of the node vision: pictures in, targets out, in plain values. Clean C++17; see
/// common/plain.h.
///
///   state of the mission -> what is looked for (detection_mode.yaml) -> whether the camera runs
///   picture, calibration, attitude -> the surest target in it, forward, right, down of the body
///
/// The calibration that comes with the pictures goes before that of the camera file; where the
/// camera sits is the file's. Of raw pictures matrix and distortion count; of rectified ones the
/// projection. One thread.
#pragma once
#include <memory>
#include <string>

#include "common/plain.h"
#include "vision/picture.h"

namespace pintle::ros1 {

struct EyeOptions {
  std::string config_dir;   ///< Of marker.yaml, circle.yaml, detection_mode.yaml, pad_marker.yaml.
  std::string camera_file;  ///< camera_*.yaml
  bool image_is_rectified = false;
  /// In states of the ring too, markers are looked for and no ring: those of pad_marker.yaml, or of
  /// marker.yaml where there is no such file.
  bool markers_only = false;
};

/// The four files that can be read anew.
enum class EyePart { kCamera, kCircle, kDetectionMode, kMarker };

struct EyeTarget {
  bool is_pad = false;
  Three forward_right_down{};
  /// Of the target (to its top, to its right, into its face) in forward, right, down: none for a
  /// marker that lies flat with its top ahead. A ring has no direction: it is turned least.
  Four orientation{0, 0, 0, 1};
};

struct EyeLook {
  bool has_looked = false;  ///< False: the state looks for nothing, or see `why`.
  bool has_target = false;
  EyeTarget target;
  std::string why;  ///< Why a picture could not be searched.
};

class Eye {
 public:
  /// @throws std::exception with everything that is wrong in any of the files.
  explicit Eye(const EyeOptions& options);
  ~Eye();
  Eye(const Eye&) = delete;
  Eye& operator=(const Eye&) = delete;

  /// From `text`, a document in the file's format, or, when it is null, from the file. Answers ""
  /// or every problem; then nothing has changed.
  [[nodiscard]] std::string reload(EyePart part, const std::string* text);

  /// What was strange about files that were taken, once.
  [[nodiscard]] std::vector<std::string> take_notes();

  void state(int number);
  /// By state and mode: 1 the camera has to run, 0 it need not, -1 no state has been heard.
  [[nodiscard]] int capture() const;

  /// Answers "", or why the calibration is not taken: one of another size than the pictures changes
  /// nothing.
  [[nodiscard]] std::string calibration(const PlainCameraInfo& info);
  [[nodiscard]] bool has_calibration() const;

  /// `attitude`: of the body (forward, left, up) in the world when the picture was taken; null: not
  /// known. `drawn`: where the picture with what was found in it is wanted; may be null.
  [[nodiscard]] EyeLook look(const PlainPicture& picture, const Four* attitude, PlainImage* drawn);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
