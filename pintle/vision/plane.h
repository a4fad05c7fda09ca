/// Rays of a camera onto the plane z = 0 of a face, with derivatives.
///
///   d ~ [s r1, s r2, p] (X, Y, 1),  X_CF = (p, [r1 r2 r3]),  s the size of a unit of X and Y
///
/// By a move tau and a turn omega of the face, in C: dw = -M^-1 (tau w2 + omega x (d - p w2)) with
/// w = M^-1 d and X = w0 / w2, Y = w1 / w2.
#pragma once
#include <array>

#include "pintle/base/geometry.h"

namespace pintle::vision {

struct OnPlane {
  double X = 0, Y = 0;
  double Xu = 0, Xv = 0, Yu = 0, Yv = 0;           ///< By the pixel.
  std::array<double, 6> X_by_pose{}, Y_by_pose{};  ///< By tau, m, and omega, rad.
};

class Plane {
 public:
  /// `fx`, `fy`: px.
  Plane(const Pose& X_CF, double size_m, double fx, double fy) noexcept
      : px_(1 / fx), py_(1 / fy), t_(X_CF.p) {
    const Vec3 a = size_m * rotate(X_CF.q, {1, 0, 0}), b = size_m * rotate(X_CF.q, {0, 1, 0});
    const Vec3 bt = cross(b, t_);
    const double det = dot(a, bt);
    row_ = {bt / det, cross(t_, a) / det, cross(a, b) / det};
  }
  /// Where a ray (z = 1) meets the plane, without derivatives by the pose; false: behind.
  [[nodiscard]] bool meet(double x, double y, OnPlane& o) const noexcept {
    const Vec3 d{x, y, 1};
    const double w2 = dot(row_[2], d);
    if (!(w2 > 1e-9)) return false;
    const double s = 1 / w2;
    o.X = dot(row_[0], d) * s;
    o.Y = dot(row_[1], d) * s;
    o.Xu = (row_[0].x - o.X * row_[2].x) * s * px_;
    o.Xv = (row_[0].y - o.X * row_[2].y) * s * py_;
    o.Yu = (row_[1].x - o.Y * row_[2].x) * s * px_;
    o.Yv = (row_[1].y - o.Y * row_[2].y) * s * py_;
    return std::isfinite(o.X) && std::isfinite(o.Y);
  }
  [[nodiscard]] bool at(double x, double y, OnPlane& o) const noexcept {
    if (!meet(x, y, o)) return false;
    const Vec3 d{x, y, 1};
    const double w2 = dot(row_[2], d), s = 1 / w2;
    const Vec3 gx = s * (row_[0] - o.X * row_[2]), gy = s * (row_[1] - o.Y * row_[2]);
    const Vec3 a = d - w2 * t_, wx = cross(gx, a), wy = cross(gy, a);
    o.X_by_pose = {-gx.x * w2, -gx.y * w2, -gx.z * w2, wx.x, wx.y, wx.z};
    o.Y_by_pose = {-gy.x * w2, -gy.y * w2, -gy.z * w2, wy.x, wy.y, wy.z};
    return true;
  }

 private:
  double px_, py_;
  Vec3 t_;
  std::array<Vec3, 3> row_;
};

}  // namespace pintle::vision
