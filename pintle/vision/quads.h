/// Dark quadrilaterals on lighter ground: candidates for square markers.
///
/// Darker than the mean around a pixel, in the picture and in one of half its size; outlines; of
/// each its convex hull, whose shortest edges are cut away until four are left. Deterministic.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "pintle/base/image.h"

namespace pintle::vision {

/// Corners clockwise as one sees them, px.
using Quad = std::array<Pixel, 4>;

/// Part of a picture, px; what is right and below of it does not belong to it.
struct Window {
  int left = 0, top = 0, right = 0, bottom = 0;
};

/// Red, green, blue into grey, row by row without gaps; pixels outside of the window stay.
/// @throws std::runtime_error when the library behind it does.
void to_grey(const ImageView& rgb, const Window& window, std::vector<std::uint8_t>& grey);

class QuadFinder {
 public:
  QuadFinder();
  ~QuadFinder();
  QuadFinder(const QuadFinder&) = delete;
  QuadFinder& operator=(const QuadFinder&) = delete;

  /// `grey` has one channel. Sides shorter than `min_side_px` are left out.
  /// @throws std::runtime_error when the library behind it does.
  void find(const ImageView& grey, double min_side_px, std::vector<Quad>& out);

  /// Those of about a side, wholly within a window: in it, or in one of half or a quarter of its
  /// size. @throws std::runtime_error when the library behind it does.
  void find_in(const ImageView& grey, const Window& window, double side_px, double min_side_px,
               std::vector<Quad>& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Cuts a convex polygon down to four corners, by the edge whose loss adds the least area, again
/// and again. False: it has fewer, or four would add more than `most` of its area.
[[nodiscard]] bool reduce_to_quad(std::vector<Pixel> polygon, double most, Quad& out);

}  // namespace pintle::vision
