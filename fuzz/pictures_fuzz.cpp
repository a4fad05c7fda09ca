// A drawn pad with its markers, spoilt by any bytes: what the detector says of it is finite, has a
// number of the list and a covariance, and is the same when it is asked again.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "pintle/base/rotation.h"
#include "pintle/vision/detector.h"
#include "pintle/vision/dictionary.h"
#include "pintle/world/renderer.h"

using namespace pintle;

namespace {

constexpr int kWidth = 160, kHeight = 120;

CameraModel small_camera() {
  CameraModel c;
  c.width = kWidth, c.height = kHeight;
  c.fx = c.fy = 122;
  c.cx = 79.5, c.cy = 59.5;
  return c;
}

struct Bench {
  Bench() : camera(small_camera()), detector(settings()) {
    world::Renderer renderer(camera);
    world::Scene scene;
    const auto marker = [&](std::uint32_t id, double side_m) {
      const auto family = MarkerFamily::kArucoOriginal;
      scene.faces.push_back(world::marker_face({}, side_m, vision::cells_along(family),
                                               vision::marker_cells(family, id)));
    };
    scene.faces.push_back(world::ring_face({}, 0.45, 0.50, {20, 60, 190}));
    marker(152, 0.3);
    marker(7, 0.05);
    // it looks down
    renderer.render(scene, Pose{{0, 0, 1.3}, from_rpy({kPi, 0, 0})}, {}, clean);
  }
  [[nodiscard]] vision::DetectorSettings settings() const {
    vision::DetectorSettings s;
    s.camera = camera;
    s.camera.X_BC.q = from_rpy({kPi, 0, 0});
    s.markers = MarkerTargets{MarkerFamily::kArucoOriginal, 0.3, {152}, {{7, 0.05, 0, 0}}};
    s.ring = RingTarget{};
    return s;
  }
  CameraModel camera;
  vision::Detector detector;
  Image clean;
};

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Bench bench;
  Image image = bench.clean;
  // a rectangle of one colour, of noise, or moved, each of seven bytes
  for (std::size_t k = 0; k + 7 <= std::min<std::size_t>(size, 7 * 64); k += 7) {
    const std::uint8_t* d = data + k;
    const int u0 = d[1] * kWidth / 256, v0 = d[2] * kHeight / 256;
    const int u1 = std::min(kWidth, u0 + 1 + d[3] / 2), v1 = std::min(kHeight, v0 + 1 + d[4] / 2);
    for (int v = v0; v < v1; ++v)
      for (int u = u0; u < u1; ++u)
        for (int c = 0; c < 3; ++c) {
          auto& to = image.pixels[static_cast<std::size_t>(3 * (v * kWidth + u) + c)];
          const auto from = static_cast<std::size_t>(
              3 * ((v + d[5]) % kHeight * kWidth + (u + d[6]) % kWidth) + c);
          switch (d[0] % 4) {
            case 0: to = d[5 + c % 2]; break;
            case 1: to = static_cast<std::uint8_t>(to ^ d[(5 + u * 7 + v + c) % 7]); break;
            case 2: to = bench.clean.pixels[from]; break;
            default: to = static_cast<std::uint8_t>(to * d[5] / 255);
          }
        }
  }
  vision::Detections found, again;
  std::string why;
  const Vec3 up{0, 0, 1};
  require(bench.detector.detect(image.view(), up, found, why) || !why.empty());
  for (const vision::Detection& d : found) {
    require(is_finite(d.X_CT) && is_finite(d.target_B) && d.X_CT.p.z > 0);
    require(d.confidence >= 0 && d.confidence <= 1);
    require(d.visible_share >= 0 && d.visible_share <= 1);
    for (std::size_t i = 0; i < 3; ++i)
      require(d.covariance_B(i, i) > 0 && std::isfinite(d.covariance_B(i, i)));
    if (d.kind == vision::Detection::Kind::kMarker) require(d.id == 152 || d.id == 7);
  }
  (void)bench.detector.detect(image.view(), up, again, why);
  require(again.size() == found.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    require(norm(again[i].target_B - found[i].target_B) == 0);
  return 0;
}
