/// A camera's matrix and distortion from pictures of a chessboard (Zhang 2000, by OpenCV).
///
///   minimise  sum | pixel of a corner - project(K, D, X_CW of its picture, corner) |^2
///
/// Says of each picture whether the board was found, and how far its corners are off; of each
/// number its standard deviation. Not modelled: fisheye lenses, boards that are not flat.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/camera_model.h"

namespace pintle::vision {

struct Board {
  int columns = 9, rows = 6;  ///< Inner corners.
  double square_m = 0.025;    ///< Side of a square.
};

[[nodiscard]] Findings check(const Board& board);

/// The inner corners in a picture, to parts of a pixel, row by row. None: the board is not whole in
/// it.
[[nodiscard]] std::optional<std::vector<Pixel>> find_board(const ImageView& rgb,
                                                           const Board& board);

struct Calibration {
  CameraModel camera;                 ///< Its place in the body is not touched.
  double residual_px = 0;             ///< Root mean square over all corners …
  std::vector<double> of_picture_px;  ///< … and of each picture.
  /// One standard deviation of fx, fy, cx, cy, k1, k2, p1, p2.
  std::array<double, 8> sigma{};
};

inline constexpr std::size_t kLeastBoards = 4;

/// From the corners of at least four pictures of one size. False: `why` says why.
[[nodiscard]] bool calibrate(const Board& board, const std::vector<std::vector<Pixel>>& corners,
                             int width, int height, Calibration& out, std::string& why);

}  // namespace pintle::vision
