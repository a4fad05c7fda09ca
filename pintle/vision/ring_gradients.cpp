#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "pintle/vision/ring.h"

namespace pintle::vision {

void RingFinder::circles_by_gradients(const Mat3& Q, std::vector<Circle>& out) const {
  cv::Mat level(height_, width_, CV_8UC1);
  for (int v = 0; v < height_; ++v)
    for (int u = 0; u < width_; ++u)
      level.at<std::uint8_t>(v, u) = static_cast<std::uint8_t>(
          std::clamp<int>(level_[static_cast<std::size_t>(v * width_ + u)], 0, 255));
  cv::GaussianBlur(level, level, {5, 5}, 1.2);
  std::vector<cv::Vec3f> circles;
  cv::HoughCircles(level, circles, cv::HOUGH_GRADIENT, 1, height_ / 8.0, 80, 30, 8, height_);
  const double q = ring_.inner_m / ring_.outer_m;
  for (std::size_t i = 0; i < circles.size() && i < 8; ++i) {
    const double u = 2 * circles[i][0] + 0.5, v = 2 * circles[i][1] + 0.5, r = 2 * circles[i][2];
    const Vec3 middle = Q * unproject(camera_, {u, v}), side = Q * unproject(camera_, {u + r, v});
    if (!(middle.z > 0.15 && side.z > 0.15)) continue;
    Circle c;
    c.x = middle.x / middle.z;
    c.y = middle.y / middle.z;
    c.r = std::hypot(side.x / side.z - c.x, side.y / side.z - c.y);
    c.score = 100.0 - static_cast<double>(i);
    // whether it is the outer or the inner edge shows in the proof
    out.push_back(c);
    c.r /= q;
    c.score -= 0.5;
    out.push_back(c);
  }
}

}  // namespace pintle::vision
