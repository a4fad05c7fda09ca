#include "pintle/vision/pixel_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pintle/base/random.h"

namespace pintle::vision {
namespace {

TEST(PixelNoise, IsThatOfTheCameraWhateverIsSeen) {
  Image image;
  image.resize(640, 480, 3);
  for (const double sigma : {1.0, 3.0, 7.0}) {
    RandomStream random(5, "noise");
    for (int v = 0; v < 480; ++v)
      for (int u = 0; u < 640; ++u)
        for (int c = 0; c < 3; ++c) {
          // a slope, stripes with sharp edges, and a dark half
          const double seen = 60 + 0.1 * u + (u / 40 % 2 == 0 ? 50 : 0) + (v > 240 ? 30 : 0);
          image.pixels[static_cast<std::size_t>(3 * (640 * v + u) + c)] =
              static_cast<std::uint8_t>(std::lround(seen + sigma * random.normal()));
        }
    const double expected = (sigma * sigma + 1.0 / 12) * (0.3 * 0.3 + 0.6 * 0.6 + 0.1 * 0.1);
    EXPECT_NEAR(pixel_noise2(image.view(), {0.3F, 0.6F, 0.1F}) / expected, 1, 0.2) << sigma;
  }
}

TEST(PixelNoise, OfAPictureThatIsTooSmallIsNotKnown) {
  Image image;
  image.resize(30, 30, 3);
  EXPECT_EQ(pixel_noise2(image.view(), {0.3F, 0.6F, 0.1F}), 0);
}

}  // namespace
}  // namespace pintle::vision
