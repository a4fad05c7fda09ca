#include "pintle/vision/calibrate.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "pintle/vision/dictionary.h"
#include "pintle/vision/marker_decode.h"
#include "pintle/vision/quads.h"

namespace pintle::vision {
namespace {

constexpr double kLargestResidual_px = 2;  // beyond it something else was fitted
constexpr double kLeastMarkerSide_px = 16;
constexpr double kSameView_px = 2;  // nearer, and it is the same picture
constexpr double kLeastTilt_rad =
    0.14;  // 8 deg: from the front a longer lens looks as one further away
constexpr std::size_t kLeastTilted = 2;
constexpr double kLargestSigma = 0.1;  // of the focal length, as a share
/// A chessboard is looked for in a picture reduced by a whole number to so many pixels, then by one
/// less: of many squares the search takes time by the square of their number.
constexpr double kCoarse_px = 1.5e6;

std::uint32_t markers_in(MarkerFamily family) {
  return family == MarkerFamily::kTag36h11 ? 587 : 1024;
}

bool is_same_view(const BoardView& a, const BoardView& b) {
  if (a.at_m != b.at_m) return false;
  double sum = 0;
  for (std::size_t i = 0; i < a.seen.size(); ++i)
    sum += std::hypot(a.seen[i].u - b.seen[i].u, a.seen[i].v - b.seen[i].v);
  return sum < kSameView_px * static_cast<double>(a.seen.size());
}

/// How far a board leans away from the picture's plane, of its turn as OpenCV writes it.
double tilt_of(const cv::Mat& turn) {
  cv::Mat R;
  cv::Rodrigues(turn, R);
  return std::acos(std::min(1.0, std::abs(R.at<double>(2, 2))));
}

/// In a picture reduced by `by`; corners in the whole one.
bool find_chessboard(const cv::Mat& grey, const Board& board, int by,
                     std::vector<cv::Point2f>& found) {
  cv::Mat smaller = grey;
  if (by > 1) cv::resize(grey, smaller, {}, 1.0 / by, 1.0 / by, cv::INTER_AREA);
  if (!cv::findChessboardCorners(
          smaller, {board.columns, board.rows}, found,
          cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_FAST_CHECK))
    return false;
  for (cv::Point2f& p : found)
    p = static_cast<float>(by) * (p + cv::Point2f(0.5F, 0.5F)) - cv::Point2f(0.5F, 0.5F);
  return true;
}

}  // namespace

Findings check(const Board& b) {
  Findings out;
  if (b.columns < 3 || b.rows < 3 || b.columns > 100 || b.rows > 100)
    out.push_back({"board", "expected 3 to 100 inner corners each way",
                   "count where four squares meet, such as 9x6", true});
  if (!(b.square_m > 1e-4 && b.square_m < 10))
    out.push_back({"square", "expected the side of a square, 0.0001 to 10 m", "measure it", true});
  return out;
}

Findings check(const MarkerBoard& b) {
  Findings out;
  const auto error = [&out](const char* path, const std::string& what, const char* fix) {
    out.push_back({path, what, fix, true});
  };
  const std::uint32_t all = markers_in(b.family);
  if (b.columns < 1 || b.rows < 1 || b.columns > 100 || b.rows > 100 ||
      std::size_t(b.columns) * std::size_t(b.rows) < kLeastMarkers)
    error("board", "expected at least 4 markers, and at most 100 each way",
          "count the markers along and across, such as 5x7");
  else if (b.first_id + std::uint64_t(b.columns) * std::uint64_t(b.rows) > all)
    error("first",
          "the dictionary has the numbers 0 to " + std::to_string(all - 1) + ", the board needs " +
              std::to_string(b.columns * b.rows) + " from " + std::to_string(b.first_id),
          "name the number of the marker at the upper left, or another dictionary");
  if (!(b.side_m > 1e-4 && b.side_m < 10))
    error("side", "expected the side of a marker's black border, 0.0001 to 10 m", "measure it");
  if (!(b.gap_m > 0 && b.gap_m < 10))
    error("gap", "expected the light gap between two markers, up to 10 m", "measure it");
  return out;
}

bool find_board(const ImageView& rgb, const Board& board, BoardView& out, std::string& why) {
  out = {};
  std::vector<cv::Point2f> found;
  cv::setNumThreads(1);
  try {
    const cv::Mat picture(rgb.height, rgb.width, CV_8UC3, const_cast<std::uint8_t*>(rgb.data),
                          rgb.stride);
    cv::Mat grey;
    cv::cvtColor(picture, grey, cv::COLOR_RGB2GRAY);
    const int by = static_cast<int>(std::ceil(std::sqrt(rgb.width * rgb.height / kCoarse_px)));
    if (!find_chessboard(grey, board, by, found) &&
        !(by > 1 && find_chessboard(grey, board, by - 1, found))) {
      why = "no board of " + std::to_string(board.columns) + "x" + std::to_string(board.rows) +
            " inner corners in it";
      return false;
    }
    // half of the way to the next corner, so that no other one is in the window
    double least = 1e9;
    for (std::size_t i = 1; i < found.size(); ++i)
      least = std::min(
          least, double(std::hypot(found[i].x - found[i - 1].x, found[i].y - found[i - 1].y)));
    const int half = std::clamp(static_cast<int>(0.4 * least), 2, 11);
    cv::cornerSubPix(grey, found, {half, half}, {-1, -1},
                     {cv::TermCriteria::COUNT | cv::TermCriteria::EPS, 50, 1e-3});
  } catch (const std::exception& e) {
    why = e.what();
    return false;
  }
  for (const cv::Point2f& p : found) out.seen.push_back({p.x, p.y});
  for (int r = 0; r < board.rows; ++r)
    for (int c = 0; c < board.columns; ++c)
      out.at_m.push_back({c * board.square_m, r * board.square_m, 0});
  return true;
}

bool find_board(const ImageView& rgb, const MarkerBoard& board, BoardView& out, std::string& why) {
  out = {};
  // all of the family, so that another board is known for one
  MarkerTargets all{board.family, board.side_m, {}, {}};
  for (std::uint32_t id = 0; id < markers_in(board.family); ++id) all.ids.push_back(id);
  const Dictionary dictionary(all);
  const auto count = static_cast<std::uint32_t>(board.columns * board.rows);
  std::vector<bool> taken(count);
  std::size_t ours = 0, others = 0;
  std::uint32_t other = 0;
  try {
    std::vector<std::uint8_t> grey;
    to_grey(rgb, {0, 0, rgb.width, rgb.height}, grey);
    const ImageView view{grey.data(), rgb.width, rgb.height, 1,
                         static_cast<std::size_t>(rgb.width)};
    std::vector<Quad> quads;
    QuadFinder().find(view, kLeastMarkerSide_px, quads);
    for (Quad q : quads) {
      if (!refine_corners(view, q)) continue;
      const auto read = decode(view, q, dictionary);
      if (!read) continue;
      const std::uint32_t n = read->match.id - board.first_id;
      if (read->match.id < board.first_id || n >= count) {
        ++others;
        other = read->match.id;
        continue;
      }
      // the same one by another outline
      if (taken[n]) continue;
      taken[n] = true;
      ++ours;
      const double pitch = board.side_m + board.gap_m, s = board.side_m;
      const Vec3 corner{pitch * (n % std::uint32_t(board.columns)),
                        pitch * (n / std::uint32_t(board.columns)), 0};
      const std::array<Vec3, 4> at{Vec3{0, 0, 0}, Vec3{s, 0, 0}, Vec3{s, s, 0}, Vec3{0, s, 0}};
      for (std::size_t k = 0; k < 4; ++k) {
        out.seen.push_back(q[(k + static_cast<std::size_t>(read->match.turns)) % 4]);
        out.at_m.push_back(corner + at[k]);
      }
    }
  } catch (const std::exception& e) {
    why = e.what();
    return false;
  }
  if (others > ours) {
    why = "markers of another board are in it, " + std::to_string(other) +
          " among them: the board has " + std::to_string(board.first_id) + " to " +
          std::to_string(board.first_id + count - 1);
    return false;
  }
  if (ours >= kLeastMarkers) return true;
  why = std::to_string(ours) + " of the board's " + std::to_string(count) +
        " markers can be read in it; it takes " + std::to_string(kLeastMarkers);
  return false;
}

bool calibrate(const std::vector<BoardView>& views, int width, int height, Calibration& out,
               std::string& why) {
  if (views.size() < kLeastBoards) {
    why = "the board was found in " + std::to_string(views.size()) +
          " pictures; it takes 4, better 15, tilted each way and to the corners of the picture";
    return false;
  }
  // a picture twice counts once, and lengths are those of the board: its unit changes nothing
  std::vector<std::size_t> counted, stands_for(views.size());
  double extent = 0;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto twin = std::find_if(counted.begin(), counted.end(),
                                   [&](std::size_t k) { return is_same_view(views[k], views[i]); });
    stands_for[i] = static_cast<std::size_t>(twin - counted.begin());
    if (twin == counted.end()) counted.push_back(i);
    for (const Vec3& p : views[i].at_m) extent = std::max({extent, p.x, p.y});
  }
  if (counted.size() < kLeastBoards) {
    why = "only " + std::to_string(counted.size()) + " of " + std::to_string(views.size()) +
          " pictures differ: move the board, or the camera, between them";
    return false;
  }
  std::vector<std::vector<cv::Point3f>> on_board;
  std::vector<std::vector<cv::Point2f>> seen;
  for (const std::size_t i : counted) {
    auto& at = on_board.emplace_back();
    for (const Vec3& p : views[i].at_m)
      at.emplace_back(static_cast<float>(p.x / extent), static_cast<float>(p.y / extent), 0.f);
    auto& to = seen.emplace_back();
    for (const Pixel& p : views[i].seen)
      to.emplace_back(static_cast<float>(p.u), static_cast<float>(p.v));
  }
  std::size_t tilted = 0;
  try {
    cv::Mat K, D, of_intrinsics, of_poses, of_views;
    std::vector<cv::Mat> turns, places;
    // k3 takes pictures with the board in every corner; without them it does more harm than good
    out.residual_px = cv::calibrateCamera(on_board, seen, {width, height}, K, D, turns, places,
                                          of_intrinsics, of_poses, of_views, cv::CALIB_FIX_K3);
    CameraModel& m = out.camera;
    m.width = width;
    m.height = height;
    m.fx = K.at<double>(0, 0), m.fy = K.at<double>(1, 1);
    m.cx = K.at<double>(0, 2), m.cy = K.at<double>(1, 2);
    for (int i = 0; i < 5; ++i) m.distortion[static_cast<std::size_t>(i)] = D.at<double>(i);
    for (int i = 0; i < 8; ++i)
      out.sigma[static_cast<std::size_t>(i)] = of_intrinsics.at<double>(i);
    out.of_picture_px.clear();
    for (const std::size_t k : stands_for)
      out.of_picture_px.push_back(of_views.at<double>(static_cast<int>(k)));
    for (const cv::Mat& turn : turns) tilted += tilt_of(turn) >= kLeastTilt_rad;
  } catch (const std::exception& e) {
    why = e.what();
    return false;
  }
  if (!(out.residual_px <= kLargestResidual_px)) {
    why = "the corners are off by " + std::to_string(out.residual_px);
    why +=
        " px: are the numbers along and across (and sides and gaps of markers) right, and is the "
        "board flat?";
    return false;
  }
  if (tilted < kLeastTilted || !(out.sigma[0] <= kLargestSigma * out.camera.fx) ||
      !(out.sigma[1] <= kLargestSigma * out.camera.fy)) {
    why =
        "these pictures do not tell the focal length: from the front a longer lens looks as one "
        "further away. Tilt the board by 20 to 40 degrees, each way";
    return false;
  }
  for (const Finding& f : check(out.camera)) {
    why = "what comes of it is no camera: " + f.path + ": " + f.message;
    return false;
  }
  return true;
}

}  // namespace pintle::vision
