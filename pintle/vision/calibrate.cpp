#include "pintle/vision/calibrate.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

namespace pintle::vision {
namespace {

constexpr double kLargestResidual_px = 2;  // beyond it something else was fitted

}  // namespace

Findings check(const Board& b) {
  Findings out;
  if (b.columns < 3 || b.rows < 3 || b.columns > 100 || b.rows > 100)
    out.push_back({"board", "expected 3 to 100 inner corners each way",
                   "count where four squares meet, such as 9x6", true});
  if (!(b.square_m > 1e-4 && b.square_m < 10))
    out.push_back({"square", "expected the side of a square in metres", "measure it", true});
  return out;
}

std::optional<std::vector<Pixel>> find_board(const ImageView& rgb, const Board& board) {
  try {
    const cv::Mat picture(rgb.height, rgb.width, CV_8UC3, const_cast<std::uint8_t*>(rgb.data),
                          rgb.stride);
    cv::Mat grey;
    cv::cvtColor(picture, grey, cv::COLOR_RGB2GRAY);
    std::vector<cv::Point2f> found;
    if (!cv::findChessboardCorners(
            grey, {board.columns, board.rows}, found,
            cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_FAST_CHECK))
      return std::nullopt;
    // half of the way to the next corner, so that no other one is in the window
    double least = 1e9;
    for (std::size_t i = 1; i < found.size(); ++i)
      least = std::min(
          least, double(std::hypot(found[i].x - found[i - 1].x, found[i].y - found[i - 1].y)));
    const int half = std::clamp(static_cast<int>(0.4 * least), 2, 11);
    cv::cornerSubPix(grey, found, {half, half}, {-1, -1},
                     {cv::TermCriteria::COUNT | cv::TermCriteria::EPS, 50, 1e-3});
    std::vector<Pixel> out;
    for (const cv::Point2f& p : found) out.push_back({p.x, p.y});
    return out;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool calibrate(const Board& board, const std::vector<std::vector<Pixel>>& corners, int width,
               int height, Calibration& out, std::string& why) {
  if (corners.size() < kLeastBoards) {
    why = "the board was found in " + std::to_string(corners.size()) +
          " pictures; it takes 4, better 15, tilted each way and to the corners of the picture";
    return false;
  }
  std::vector<cv::Point3f> flat;
  for (int r = 0; r < board.rows; ++r)
    for (int c = 0; c < board.columns; ++c)
      flat.emplace_back(static_cast<float>(c * board.square_m),
                        static_cast<float>(r * board.square_m), 0.f);
  std::vector<std::vector<cv::Point2f>> seen;
  for (const auto& picture : corners) {
    auto& to = seen.emplace_back();
    for (const Pixel& p : picture)
      to.emplace_back(static_cast<float>(p.u), static_cast<float>(p.v));
  }
  try {
    cv::Mat K, D, of_intrinsics, of_poses, of_views;
    std::vector<cv::Mat> turns, places;
    // k3 takes pictures with the board in every corner; without them it does more harm than good
    out.residual_px = cv::calibrateCamera(std::vector<std::vector<cv::Point3f>>(seen.size(), flat),
                                          seen, {width, height}, K, D, turns, places, of_intrinsics,
                                          of_poses, of_views, cv::CALIB_FIX_K3);
    CameraModel& m = out.camera;
    m.width = width;
    m.height = height;
    m.fx = K.at<double>(0, 0), m.fy = K.at<double>(1, 1);
    m.cx = K.at<double>(0, 2), m.cy = K.at<double>(1, 2);
    for (int i = 0; i < 5; ++i) m.distortion[static_cast<std::size_t>(i)] = D.at<double>(i);
    for (int i = 0; i < 8; ++i)
      out.sigma[static_cast<std::size_t>(i)] = of_intrinsics.at<double>(i);
    out.of_picture_px.clear();
    for (int i = 0; i < of_views.rows; ++i) out.of_picture_px.push_back(of_views.at<double>(i));
  } catch (const std::exception& e) {
    why = e.what();
    return false;
  }
  for (const Finding& f : check(out.camera)) {
    why = "what comes of it is no camera: " + f.path + ": " + f.message;
    return false;
  }
  if (out.residual_px <= kLargestResidual_px) return true;
  why = "the corners are off by " + std::to_string(out.residual_px) +
        " px: is the number of inner corners right, and is the board flat?";
  return false;
}

}  // namespace pintle::vision
