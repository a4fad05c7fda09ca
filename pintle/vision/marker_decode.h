/// Corners to a fraction of a pixel, and which marker it is, also where blur mixes the cells.
///
/// Each side is a line through the places of steepest change along normals. The cells are sampled
/// on a grid with one cell of surroundings; the mixing by a bell of unknown width is undone (a
/// separable, damped inverse) for some widths; each cell is then light or dark against a plane
/// between border and surroundings. No bit is corrected,
/// and nothing is read that came near to another marker of the family.
#pragma once
#include <optional>

#include "pintle/base/image.h"
#include "pintle/vision/dictionary.h"
#include "pintle/vision/quads.h"

namespace pintle::vision {

/// Moves corners to where the sides' lines meet; false: there are no four dark sides.
[[nodiscard]] bool refine_corners(const ImageView& grey, Quad& quad);

struct Decoded {
  Dictionary::Match match;
  double blur_cells = 0;  ///< Width of the bell with which it could be read.
};

/// The corner at which the marker's own upper left one is stands at index match.turns.
[[nodiscard]] std::optional<Decoded> decode(const ImageView& grey, const Quad& quad,
                                            const Dictionary& dictionary);

}  // namespace pintle::vision
