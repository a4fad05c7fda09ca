#include "pintle/base/camera_model.h"

#include <algorithm>
#include <cmath>

#include "pintle/base/signals.h"

namespace pintle {
namespace {

struct Distorted {
  double x, y;
  double xx, xy, yx, yy;  // its derivatives
};

Distorted distort(const std::array<double, 5>& d, double x, double y) noexcept {
  const auto [k1, k2, p1, p2, k3] = d;
  const double r2 = x * x + y * y;
  const double g = 1 + r2 * (k1 + r2 * (k2 + r2 * k3));
  const double dg = k1 + r2 * (2 * k2 + r2 * 3 * k3);  // by r2
  Distorted o;
  o.x = x * g + 2 * p1 * x * y + p2 * (r2 + 2 * x * x);
  o.y = y * g + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y;
  o.xx = g + 2 * x * x * dg + 2 * p1 * y + 6 * p2 * x;
  o.xy = 2 * x * y * dg + 2 * p1 * x + 2 * p2 * y;
  o.yx = 2 * x * y * dg + 2 * p1 * x + 2 * p2 * y;
  o.yy = g + 2 * y * y * dg + 6 * p1 * y + 2 * p2 * x;
  return o;
}

bool folds(const Distorted& o) noexcept {
  return !(o.xx > 0.05 && o.xx * o.yy - o.xy * o.yx > 0.01);
}

}  // namespace

Findings check(const CameraModel& c) {
  Findings out;
  const auto size = [&](const char* path, int n) {
    if (n < 16 || n > kLargestPicture_px)
      out.push_back({path, "expected 16 to 8192 px, got " + std::to_string(n),
                     "write the size of the pictures that the camera sends", true});
  };
  size("width", c.width);
  size("height", c.height);
  const double longest = std::max(c.width, c.height);
  const auto focal = [&](const char* path, double f) {
    if (!(f >= 0.1 * longest && f <= 100 * longest))
      out.push_back({path,
                     "expected a focal length of 0.1 to 100 times the picture's longer side in px, "
                     "got " +
                         std::to_string(f),
                     "calibrate the camera again", true});
  };
  focal("fx", c.fx);
  focal("fy", c.fy);
  if (!(c.cx >= 0 && c.cx <= c.width && c.cy >= 0 && c.cy <= c.height))
    out.push_back({"cx", "the optical axis does not meet the picture",
                   "calibrate again, at the size that the camera sends", true});
  double sum = 0;
  for (const double d : c.distortion) sum += std::abs(d);
  if (!(sum <= 100))
    out.push_back({"distortion", "no lens distorts like this", "calibrate again", true});
  if (!is_finite(c.X_BC) || !(std::abs(squared_norm(c.X_BC.q) - 1) < 1e-6))
    out.push_back({"X_BC", "the camera's place in the body is no pose", "", true});
  if (!out.empty()) return out;

  // along the border and inside: what is seen there must come from one direction
  for (int i = 0; i <= 16; ++i)
    for (int j = 0; j <= 16; ++j) {
      const Pixel p{c.width * i / 16.0, c.height * j / 16.0};
      const Vec3 ray = unproject(c, p);
      Pixel back;
      if (!project(c, ray, back) || !(std::hypot(back.u - p.u, back.v - p.v) < 1e-6)) {
        out.push_back({"distortion", "the distortion cannot be undone at the picture's edge",
                       "calibrate again, with the board also in the corners of the picture", true});
        return out;
      }
    }
  return out;
}

bool project(const CameraModel& c, Vec3 p_C, Pixel& out) noexcept {
  if (!(p_C.z > 1e-9)) return false;
  const double x = p_C.x / p_C.z, y = p_C.y / p_C.z;
  const Distorted o = distort(c.distortion, x, y);
  if (folds(o)) return false;
  out = {c.fx * o.x + c.cx, c.fy * o.y + c.cy};
  return std::isfinite(out.u) && std::isfinite(out.v);
}

Vec3 unproject(const CameraModel& c, Pixel pixel) noexcept {
  const double wx = (pixel.u - c.cx) / c.fx, wy = (pixel.v - c.cy) / c.fy;
  double x = wx, y = wy;
  // Newton, with steps that do not leave where the distortion is one to one
  for (int i = 0; i < 30; ++i) {
    const Distorted o = distort(c.distortion, x, y);
    const double ex = wx - o.x, ey = wy - o.y;
    if (folds(o)) {
      x *= 0.8;
      y *= 0.8;
      continue;
    }
    const double det = o.xx * o.yy - o.xy * o.yx;
    const double dx = (o.yy * ex - o.xy * ey) / det, dy = (o.xx * ey - o.yx * ex) / det;
    x += dx;
    y += dy;
    if (std::abs(dx) + std::abs(dy) < 1e-14) break;
  }
  if (!std::isfinite(x) || !std::isfinite(y)) return {wx, wy, 1};
  return {x, y, 1};
}

std::vector<float> ray_table(const CameraModel& c) {
  std::vector<float> rays;
  rays.reserve(2 * static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height));
  for (int v = 0; v < c.height; ++v)
    for (int u = 0; u < c.width; ++u) {
      const Vec3 ray = unproject(c, {static_cast<double>(u), static_cast<double>(v)});
      rays.push_back(static_cast<float>(ray.x));
      rays.push_back(static_cast<float>(ray.y));
    }
  return rays;
}

template <>
const Table& table_of<CameraModel>() {
  using C = CameraModel;
  static const Table table =
      TableBuilder<C>("CameraModel", "A pinhole camera with five coefficients of distortion.")
          .field("width", &C::width, "px", "Of the pictures.")
          .range(16, kLargestPicture_px)
          .field("height", &C::height, "px", "Of the pictures.")
          .range(16, kLargestPicture_px)
          .field("fx", &C::fx, "px", "Focal length, along the rows.")
          .field("fy", &C::fy, "px", "Focal length, along the columns.")
          .field("cx", &C::cx, "px", "Where the optical axis meets the picture.")
          .field("cy", &C::cy, "px", "The same.")
          .field("distortion", &C::distortion, "", "[k1, k2, p1, p2, k3].")
          .field("X_BC", &C::X_BC, "m", "The camera (right, down, ahead) in the body.")
          .build();
  return table;
}

}  // namespace pintle
