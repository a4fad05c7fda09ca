// Any bytes as the files of the camera, the markers, the ring and the modes of detection: nothing but
// ConfigError leaves, each problem says where and what it is, and what is taken passes its checks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "pintle/vehicle/vision_files.h"

using namespace pintle;

namespace {

bool sound(const Findings& all) {
  return std::none_of(all.begin(), all.end(), [](const Finding& f) { return f.is_error; });
}

/// True: it was taken.
template <class Out>
bool taken(const config::Document& document,
           void (*read)(config::Reader&, const config::Document&, Out&), Out& out) {
  config::Reader reader(document);
  read(reader, document, out);
  for (const auto& p : reader.problems())
    if (p.where.line < 1 || p.where.file.empty() || p.message.empty()) std::abort();
  return !reader.has_errors();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 20'000) return 0;
  try {
    const auto document = config::Document::parse(
        std::string(reinterpret_cast<const char*>(data), size), "vision.yaml");
    vehicle::CameraFile camera;
    MarkerTargets markers;
    RingTarget ring;
    vehicle::DetectionModes modes;
    if (taken(document, vehicle::read_camera_file, camera) && !sound(check(camera.model)))
      std::abort();
    if (taken(document, vehicle::read_marker_file, markers) && !sound(check(markers))) std::abort();
    if (taken(document, vehicle::read_circle_file, ring) && !sound(check(ring))) std::abort();
    (void)taken(document, vehicle::read_detection_mode_file, modes);
  } catch (const config::ConfigError& e) {
    for (const auto& p : e.problems())
      if (p.where.line < 1 || p.message.empty()) std::abort();
  }
  return 0;
}
