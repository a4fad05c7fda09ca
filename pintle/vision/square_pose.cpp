#include "pintle/vision/square_pose.h"

#include <opencv2/calib3d.hpp>
#include <stdexcept>
#include <string>

namespace pintle::vision {

std::vector<SquarePose> square_poses(const std::array<Pixel, 4>& rays, double side_m) {
  const double h = 0.5 * side_m;
  const std::vector<cv::Point3d> object{{-h, h, 0}, {h, h, 0}, {h, -h, 0}, {-h, -h, 0}};
  std::vector<cv::Point2d> seen;
  for (const Pixel& p : rays) seen.emplace_back(p.u, p.v);
  std::vector<SquarePose> out;
  try {
    std::vector<cv::Mat> turns, moves;
    cv::Mat errors;
    cv::solvePnPGeneric(object, seen, cv::Mat::eye(3, 3, CV_64F), cv::noArray(), turns, moves,
                        false, cv::SOLVEPNP_IPPE_SQUARE, cv::noArray(), cv::noArray(), errors);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const auto *r = turns[i].ptr<double>(), *t = moves[i].ptr<double>();
      SquarePose p{{{t[0], t[1], t[2]}, from_rotation_vector({r[0], r[1], r[2]})},
                   errors.at<double>(static_cast<int>(i))};
      if (is_finite(p.X_CT) && p.X_CT.p.z > 0) out.push_back(p);
    }
  } catch (const cv::Exception& e) {
    throw std::runtime_error("OpenCV, the pose of a square: " + std::string(e.what()));
  }
  return out;
}

}  // namespace pintle::vision
