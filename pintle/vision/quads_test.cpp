#include "pintle/vision/quads.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pintle::vision {
namespace {

TEST(ReduceToQuad, CutsRoundedCornersBackToWhereTheSidesMeet) {
  // a square of 100 whose corners are cut off at 10
  const std::vector<Pixel> p{{10, 0},   {90, 0},   {100, 10}, {100, 90},
                             {90, 100}, {10, 100}, {0, 90},   {0, 10}};
  Quad q;
  ASSERT_TRUE(reduce_to_quad(p, 0.25, q));
  for (const Pixel want : {Pixel{0, 0}, Pixel{100, 0}, Pixel{100, 100}, Pixel{0, 100}}) {
    double nearest = 1e9;
    for (const Pixel c : q) nearest = std::min(nearest, std::hypot(c.u - want.u, c.v - want.v));
    EXPECT_LT(nearest, 1e-9);
  }
  // clockwise as one sees it: v is downwards
  const Pixel a = q[1] - q[0], b = q[2] - q[1];
  EXPECT_GT(a.u * b.v - a.v * b.u, 0);
}

TEST(ReduceToQuad, ACircleAndATriangleAreNoQuads) {
  std::vector<Pixel> round;
  for (int k = 0; k < 24; ++k) round.push_back({std::cos(k * 0.2618), std::sin(k * 0.2618)});
  Quad q;
  EXPECT_FALSE(reduce_to_quad(round, 0.25, q));
  EXPECT_FALSE(reduce_to_quad({{0, 0}, {1, 0}, {0, 1}}, 0.25, q));
  EXPECT_FALSE(reduce_to_quad({}, 0.25, q));
}

TEST(QuadFinder, FindsADarkSquareAndNothingOnAnEvenPicture) {
  Image grey;
  grey.resize(200, 160, 1);
  std::fill(grey.pixels.begin(), grey.pixels.end(), std::uint8_t{180});
  QuadFinder finder;
  std::vector<Quad> found;
  finder.find(grey.view(), 10, found);
  EXPECT_TRUE(found.empty());
  for (int v = 50; v < 80; ++v)
    for (int u = 60; u < 90; ++u) grey.pixels[static_cast<std::size_t>(v * 200 + u)] = 30;
  finder.find(grey.view(), 10, found);
  // its pixels are 60 to 89: their outer borders (the inside of a large one may be found as well)
  double off = 1e9;
  for (const Quad& q : found) {
    double worst = 0;
    for (const Pixel want :
         {Pixel{59.5, 49.5}, Pixel{89.5, 49.5}, Pixel{89.5, 79.5}, Pixel{59.5, 79.5}}) {
      double nearest = 1e9;
      for (const Pixel c : q) nearest = std::min(nearest, std::hypot(c.u - want.u, c.v - want.v));
      worst = std::max(worst, nearest);
    }
    off = std::min(off, worst);
  }
  EXPECT_LT(off, 0.8);
}

}  // namespace
}  // namespace pintle::vision
