#include "pintle/vision/pixel_noise.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace pintle::vision {

double pixel_noise2(const ImageView& rgb, const std::array<float, 3>& axis) {
  constexpr int kEvery = 27;  // px, each way
  constexpr double kCalmer = 0.7;
  // of a normal number, the mean square where it is nearer to 0 than in the other three tenths
  constexpr double kMeanSquare = 0.3102;
  std::vector<double> bends2;
  for (int v = kEvery / 2; v < rgb.height; v += kEvery)
    for (int u = kEvery / 2; u + 1 < rgb.width; u += kEvery) {
      const std::uint8_t* p = rgb.row(v) + 3 * u;
      double bend = 0;
      for (int c = 0; c < 3; ++c)
        bend += static_cast<double>(axis[static_cast<std::size_t>(c)]) *
                (2 * p[c] - p[c - 3] - p[c + 3]);
      bends2.push_back(bend * bend);
    }
  const auto calm = static_cast<std::ptrdiff_t>(kCalmer * static_cast<double>(bends2.size()));
  if (calm < 20) return 0;
  const auto end = bends2.begin() + calm;
  std::nth_element(bends2.begin(), end, bends2.end());
  // 2, -1 and -1 times a pixel's noise
  return std::accumulate(bends2.begin(), end, 0.0) / static_cast<double>(calm) / (6 * kMeanSquare);
}

}  // namespace pintle::vision
