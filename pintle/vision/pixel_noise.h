/// How much a camera's pixels scatter.
#pragma once
#include <array>

#include "pintle/base/image.h"

namespace pintle::vision {

/// The variance, in steps of the picture, of what `axis` makes of red, green and blue: by how far a
/// pixel is from between its neighbours, in the calmer seven tenths of a lattice of them. Takes
/// what is as fine as pixels for noise.
[[nodiscard]] double pixel_noise2(const ImageView& rgb, const std::array<float, 3>& axis);

}  // namespace pintle::vision
