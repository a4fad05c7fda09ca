/// The files of the `vision` package (delivery aircraft), read unchanged: camera_*.yaml,
/// marker.yaml, circle.yaml, detection_mode.yaml.
///
/// The camera file is that of a ROS calibration with `extrinsic_rotation` and
/// `extrinsic_translation`: they turn and move what the camera sees, given as (towards the top of
/// the picture, towards its right, along the optical axis), into the body's forward, right, down,
/// m. Here that becomes one pose in the body frame (forward, left, up). The matrix and the
/// coefficients of the picture as taken are used; `projection_matrix`, which is for a rectified
/// picture, is checked for its size and not used. `image_up` (not in the original) says which way
/// of the body the top of the picture looks: forward, right, back or left.
///
/// Refused, unlike in the original: unknown keys, wrong sizes, an extrinsic rotation that is none,
/// distortion models other than plumb_bob, radii and sizes out of range.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "pintle/base/camera_model.h"
#include "pintle/base/visual_target.h"
#include "pintle/config/reader.h"

namespace pintle::vehicle {

struct CameraFile {
  std::string name;
  CameraModel model;
};

/// In which states of a mission what is looked for; by their numbers.
struct DetectionModes {
  std::vector<std::uint32_t> marker, circle;
};

/// Problems go to `reader`; what could not be read keeps its default.
void read_camera_file(config::Reader& reader, const config::Document& document, CameraFile& out);
void read_marker_file(config::Reader& reader, const config::Document& document, MarkerTargets& out);
void read_circle_file(config::Reader& reader, const config::Document& document, RingTarget& out);
/// Lists of numbers, also the lists of lists that the original took.
void read_detection_mode_file(config::Reader& reader, const config::Document& document,
                              DetectionModes& out);

}  // namespace pintle::vehicle

namespace pintle {
template <>
const EnumTable& enum_table<MarkerFamily>();
template <>
const EnumTable& enum_table<RingColor>();
template <>
const EnumTable& enum_table<RingMethod>();
}  // namespace pintle
