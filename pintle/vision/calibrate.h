/// A camera's matrix and distortion from pictures of a flat board (Zhang 2000, by OpenCV): a chessboard,
/// which must be whole in a picture, or a grid of markers, of which some are enough.
///
///   minimise  sum | pixel of a corner - project(K, D, X_CW of its picture, corner) |^2
///
/// Says of each picture whether the board was found, and how far its corners are off; of each
/// number its standard deviation. Not modelled: fisheye lenses, boards that are not flat.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "pintle/base/camera_model.h"
#include "pintle/base/visual_target.h"

namespace pintle::vision {

struct Board {
  int columns = 9, rows = 6;  ///< Inner corners.
  double square_m = 0.025;    ///< Side of a square.
};

/// Markers in rows, their numbers one after the other: the first row from left to right, then the next.
struct MarkerBoard {
  MarkerFamily family = MarkerFamily::kArucoOriginal;
  int columns = 5, rows = 7;
  double side_m = 0.03, gap_m = 0.006;  ///< Of the black border; from border to border.
  std::uint32_t first_id = 0;
};

[[nodiscard]] Findings check(const Board& board);
[[nodiscard]] Findings check(const MarkerBoard& board);

/// Corners of a board in one picture, to parts of a pixel, and where they are on it: to the right and
/// down from its first one, m.
struct BoardView {
  std::vector<Pixel> seen;
  std::vector<Vec3> at_m;
};

/// False: the board is not whole in the picture; `why` says what was seen.
[[nodiscard]] bool find_board(const ImageView& rgb, const Board& board, BoardView& out,
                              std::string& why);
/// False: fewer than kLeastMarkers of its markers can be read, or others: then it is another board.
[[nodiscard]] bool find_board(const ImageView& rgb, const MarkerBoard& board, BoardView& out,
                              std::string& why);

struct Calibration {
  CameraModel camera;                 ///< Its place in the body is not touched.
  double residual_px = 0;             ///< Root mean square over all corners …
  std::vector<double> of_picture_px;  ///< … and of each picture.
  /// One standard deviation of fx, fy, cx, cy, k1, k2, p1, p2.
  std::array<double, 8> sigma{};
};

inline constexpr std::size_t kLeastBoards = 4, kLeastMarkers = 4;

/// From at least four different pictures of one size, of which two or more have the board tilted by 8 degrees
/// or more; `of_picture_px` has them all. False: `why` says why.
[[nodiscard]] bool calibrate(const std::vector<BoardView>& views, int width, int height,
                             Calibration& out, std::string& why);

}  // namespace pintle::vision
