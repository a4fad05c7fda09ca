#include "pintle/vision/draw.h"

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <string>

namespace pintle::vision {
namespace {

class Canvas {
 public:
  Canvas(const CameraModel& camera, Image& picture)
      : camera_(camera),
        mat_(picture.height, picture.width, CV_8UC3, picture.pixels.data(), picture.stride()) {}

  void line(const Pose& X_CT, Vec3 a, Vec3 b, const cv::Scalar& color) {
    cv::Point p, q;
    if (point(X_CT, a, p) && point(X_CT, b, q)) cv::line(mat_, p, q, color, 2, cv::LINE_AA);
  }
  void axes(const Pose& X_CT, double length) {
    line(X_CT, {}, {length, 0, 0}, {255, 0, 0});
    line(X_CT, {}, {0, length, 0}, {0, 200, 0});
    line(X_CT, {}, {0, 0, length}, {0, 80, 255});
  }
  void circle(const Pose& X_CT, double radius, const cv::Scalar& color) {
    constexpr int kSteps = 90;
    for (int k = 0; k < kSteps; ++k) {
      const double a = 2 * kPi * k / kSteps, b = 2 * kPi * (k + 1) / kSteps;
      line(X_CT, radius * Vec3{std::cos(a), std::sin(a), 0},
           radius * Vec3{std::cos(b), std::sin(b), 0}, color);
    }
  }
  void text(Pixel at, const std::string& words) {
    const cv::Point p(static_cast<int>(at.u), static_cast<int>(at.v));
    cv::putText(mat_, words, p, cv::FONT_HERSHEY_SIMPLEX, 0.5, {0, 0, 0}, 3, cv::LINE_AA);
    cv::putText(mat_, words, p, cv::FONT_HERSHEY_SIMPLEX, 0.5, {255, 255, 0}, 1, cv::LINE_AA);
  }
  [[nodiscard]] bool point(const Pose& X_CT, Vec3 p, cv::Point& out) const {
    Pixel at;
    if (!project(camera_, X_CT.p + rotate(X_CT.q, p), at)) return false;
    if (!(std::abs(at.u) < 20000 && std::abs(at.v) < 20000)) return false;
    out = {static_cast<int>(std::lround(at.u)), static_cast<int>(std::lround(at.v))};
    return true;
  }

 private:
  const CameraModel& camera_;
  cv::Mat mat_;
};

}  // namespace

void draw(const CameraModel& camera, const RingTarget* ring, const Detections& found,
          Image& picture) {
  const cv::Scalar outline(255, 220, 0);
  Canvas canvas(camera, picture);
  for (const Detection& d : found) {
    const Pixel middle{d.X_CT.p.x / d.X_CT.p.z * camera.fx + camera.cx,
                       d.X_CT.p.y / d.X_CT.p.z * camera.fy + camera.cy};
    if (d.kind == Detection::Kind::kCircle) {
      if (ring == nullptr) continue;
      canvas.circle(d.X_CT, ring->inner_m, outline);
      canvas.circle(d.X_CT, ring->outer_m, outline);
      canvas.axes(d.X_CT, 0.3 * ring->outer_m);
      canvas.text(middle, std::to_string(std::lround(100 * d.visible_share)) + " %");
      continue;
    }
    // the marker's half side, from its corners
    const Vec3 ray = unproject(camera, d.corners[0]);
    const Vec3 n = rotate(d.X_CT.q, {0, 0, 1});
    const Vec3 corner = dot(d.X_CT.p, n) / dot(ray, n) * ray - d.X_CT.p;
    const double h = norm(corner) / std::sqrt(2.0);
    const std::array<Vec3, 4> at{Vec3{-h, h, 0}, Vec3{h, h, 0}, Vec3{h, -h, 0}, Vec3{-h, -h, 0}};
    for (std::size_t k = 0; k < 4; ++k) canvas.line(d.X_CT, at[k], at[(k + 1) % 4], outline);
    canvas.axes(d.X_CT, h);
    canvas.text(d.corners[1], std::to_string(d.id));
  }
}

}  // namespace pintle::vision
