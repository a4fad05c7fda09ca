/// What a camera is to find: square markers with a number, and a coloured ring.
#pragma once
#include <cstdint>
#include <vector>

#include "pintle/base/finding.h"

namespace pintle {

/// Which patterns mean which number.
enum class MarkerFamily : std::uint8_t {
  kArucoOriginal,  ///< 5 x 5 bits, 1024 numbers, one cell of black border.
  kTag36h11,       ///< AprilTag 36h11: 6 x 6 bits, 587 numbers, one cell of black border.
};

/// A marker that is not of the usual size.
struct MarkerSize {
  std::uint32_t id = 0;
  double side_m = 0;
  double x_m = 0, y_m = 0;  ///< Its middle from that of the target, to the right and top of it.
};

/// Square markers, by the side of their black border. Other numbers than these are not seen.
struct MarkerTargets {
  MarkerFamily family = MarkerFamily::kArucoOriginal;
  double side_m = 0.15;
  std::vector<std::uint32_t> ids;
  std::vector<MarkerSize> nested;  ///< Further ones of other sizes, beside or inside.
};

enum class RingColor : std::uint8_t { kBlue, kRed, kBlueOrRed };

/// How the ring is looked for; what is found is fitted and proved alike.
enum class RingMethod : std::uint8_t {
  kHough,   ///< Circles by gradients: whole rings, seen nearly from above.
  kRansac,  ///< Circles through three edge points, ring by ring.
  kBest,    ///< Concentric circles on the ground through both edges; arcs are enough.
};

struct RingTarget {
  double inner_m = 0.45, outer_m = 0.50;  ///< Radii.
  RingColor color = RingColor::kBlue;
  RingMethod method = RingMethod::kBest;
};

[[nodiscard]] Findings check(const MarkerTargets& markers);
[[nodiscard]] Findings check(const RingTarget& ring);

}  // namespace pintle
