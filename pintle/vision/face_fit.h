/// The pose of a flat thing of known looks, fitted to the pixels themselves.
///
///   minimise  sum_p w_p ( I(p) - [l0 + l1 X + l2 Y] - [l3 + l4 X + l5 Y] T(X, Y; S) )^2
///             + |n - up|^2 / sigma_up^2
///
/// over the pose X_CF (6), the light l (6) and the blur S of the picture (a covariance, 3). (X, Y)
/// is where the ray of pixel p meets the plane of the face, in sizes of the face; T is what is
/// drawn there, 0 to 1, blurred by S. Gauss-Newton with Levenberg's damping; the weights w leave
/// out what does not belong to the face. The covariance is that of the fit, from the residual that
/// is left. Source: Lucas & Kanade 1981, in the form of Baker & Matthews 2004, on a plane seen by a
/// camera. Does not model: faces that are bent, light that changes within the face other than
/// linearly, blur that is far from a bell.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "pintle/base/geometry.h"

namespace pintle::vision {

/// What is drawn on a face, blurred, and its derivatives.
struct Drawn {
  double t = 0;                 ///< 0 … 1.
  double x = 0, y = 0;          ///< By X and Y.
  double var_x = 0, var_y = 0;  ///< By the variances of the blur.
  double inner = 0;             ///< By the inner radius of a ring.
};

/// What is drawn: cells (a marker with white around it), or a ring.
struct Pattern {
  enum class Kind : std::uint8_t { kCells, kRing } kind = Kind::kCells;
  int cells = 0;  ///< Along a side, at most 8; the face is one wide, about its origin.
  /// 0 or 1, row by row from the top left (+Y, -X), with one cell of what is around the face.
  std::array<float, 100> light{};
  double inner = 0.9;  ///< Of a ring, whose outer radius is 1.

  /// `light`: n x n of them, 0 for dark ones. What is around is light.
  [[nodiscard]] static Pattern of_cells(int n, const std::vector<std::uint8_t>& light);

  /// `var_x`, `var_y`: variances of the blur; of a ring those along the radius and the round.
  [[nodiscard]] Drawn at(double X, double Y, double var_x, double var_y) const noexcept;
};

/// One pixel that takes part.
struct FaceSample {
  float x, y;   ///< Its ray, z = 1.
  float value;  ///< What it shows.
};

/// What is known of the attitude of the face beforehand.
struct UpPrior {
  Vec3 up_C{0, 0, -1};
  double sigma_rad = 0;  ///< 0: nothing is known.
};

struct FaceFit {
  Pose X_CF;
  std::array<double, 6> light{};
  std::array<double, 3> blur_px2{0.5, 0, 0.5};  ///< uu, uv, vv.
  std::array<double, 36> covariance{};  ///< Of position, m, and a small turn, rad, both in C.
  double white2 = 0;                    ///< Variance of the camera's noise.
  double residual = 0;   ///< One sigma of what the fit leaves, in steps of the picture.
  double contrast = 0;   ///< Between dark and light, in steps.
  double agreement = 0;  ///< Share of the samples' variance that is explained, at most 1.
  /// Of a ring: its inner radius, or, where that was held, what one step further would make of it,
  /// and one sigma.
  double inner = 0, inner_sigma = 0;
  bool converged = false;
};

/// `start.X_CF` and `start.blur_px2`, rather too wide, are where it begins, with `start.white2`. `size_m`: what one unit of X and Y is.
/// `fx`, `fy`: px. `inner_is_free`: the inner radius of a ring is fitted too, from the pattern's.
[[nodiscard]] FaceFit fit_face(const Pattern& pattern, double size_m, double fx, double fy,
                               const std::vector<FaceSample>& samples, const FaceFit& start,
                               const UpPrior& prior, int iterations, bool inner_is_free = false);

}  // namespace pintle::vision
