/// Where a ring of known radii could be in a picture, from its colour and its edges.
///
///   L = (R, G, B) . a   along the ring's hue, linear in the picture, so that blur moves no edge
///   an edge point on the ground, at one unit of height: g = (Q ray).xy / (Q ray).z
///   concentric circles |g - c| = r (outer, light turning away) and |g - c| = q r (inner)
///
/// Places of the colour in a picture of half the size, their edge points with the direction of the
/// change; circles through three points of one piece, with the other edge where the ratio puts it;
/// then edges to a fraction of a pixel along radii in the whole picture, and the pose (five
/// numbers) that brings both edges onto their circles. Refused are: one edge alone (a disc),
/// another ratio, edges that scatter, less than a sixth of the round, less than a third of what
/// should be seen. Does not model: rings that are not flat.
#pragma once
#include <cstdint>
#include <vector>

#include "pintle/base/camera_model.h"
#include "pintle/base/visual_target.h"
#include "pintle/vision/face_fit.h"

namespace pintle::vision {

/// A hue as two axes in red, green, blue: along it, and across.
struct HueAxes {
  std::array<float, 3> along{}, across{};
};
[[nodiscard]] HueAxes hue_axes(double hue_deg) noexcept;

struct RingCandidate {
  Pose X_CF;                 ///< Unit: the outer radius.
  double visible_share = 0;  ///< Of the round, where both edges are seen.
  std::vector<bool> seen;    ///< By angle, equal parts of the round.
  double blur_px = 1;
};

class RingFinder {
 public:
  RingFinder(const CameraModel& camera, const RingTarget& ring);

  /// `up_C` with its sigma: the ground's normal in the camera. Best first; none overlap each other
  /// or those that `out` has already.
  void find(const ImageView& rgb, const HueAxes& hue, const UpPrior& up,
            std::vector<RingCandidate>& out);

  /// The one that should be at X_CF or some of its band's width beside it, by the same proof.
  [[nodiscard]] bool find_near(const ImageView& rgb, const HueAxes& hue, const UpPrior& up,
                               const Pose& X_CF, RingCandidate& out) const;

 private:
  struct Edge {
    float x, y;    // ray
    float nx, ny;  // a step of one pixel of the half picture outwards, as a ray
    int piece;
  };
  struct OnGround {
    double x, y, nx, ny;
  };
  struct Circle {
    double x = 0, y = 0, r = 0;  // the outer one
    double score = 0;
  };

  /// What counts as of the colour in a picture.
  struct Hue {
    Hue(const ImageView& rgb, const HueAxes& hue);
    /// Four pixels, two in each of two rows; `level`: L of one.
    [[nodiscard]] bool is(const std::uint8_t* a, const std::uint8_t* b, int& level) const noexcept;
    std::array<int, 3> along{}, across{};  // in 1/256
    int usual = 0;                         // L of the ground, of four pixels, in 1/256
  };

  bool mark(const ImageView& rgb, const Hue& hue);
  void collect_edges();
  void circles_by_three_points(const Mat3& Q, double slack, bool both_edges,
                               std::vector<Circle>& out) const;
  void circles_by_gradients(const Mat3& Q, std::vector<Circle>& out) const;
  [[nodiscard]] double score(const std::vector<OnGround>& edges, const Circle& c, double slack,
                             bool both_edges) const;
  [[nodiscard]] bool prove(const ImageView& rgb, const HueAxes& hue, const Hue& is_of,
                           const UpPrior& up, int first_round, RingCandidate& c) const;

  const CameraModel& camera_;
  RingTarget ring_;
  int width_ = 0, height_ = 0;        // of the half picture
  std::vector<std::int16_t> level_;   // L there
  std::vector<std::uint8_t> marked_;  // 1: of the colour
  std::vector<int> piece_;
  std::vector<Edge> edges_;
  std::vector<std::vector<int>> pieces_;  // edges of each
};

}  // namespace pintle::vision
