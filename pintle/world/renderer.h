/// Pictures of a scene as a camera takes them.
///
///   colour of a pixel = faces over ground, each by the share of the pixel that it covers, times
///   shadow and gain, plus glare, blurred by lens and motion, plus noise, rounded, 0 to 255
///
/// Edges are blurred and integrated over the pixel along each axis of a face, so that they stand
/// where the projection puts them to some hundredths of a pixel, and are as steep as a lens and
/// square pixels leave them. The same scene, pose and exposure give the
/// same bytes. Takes memory for its buffers when it is made and never again.
#pragma once
#include <array>
#include <vector>

#include "pintle/base/camera_model.h"
#include "pintle/world/scene.h"

namespace pintle::world {

/// How much of a square pixel lies beyond an edge that a lens has blurred by a bell.
class SoftEdge {
 public:
  explicit SoftEdge(double sigma_px);
  /// `inside_px`: how far beyond the edge the pixel's middle is.
  [[nodiscard]] double at(double inside_px) const noexcept {
    const double s = (inside_px + reach_) * (0.5 * kSteps / reach_);
    if (!(s > 0)) return 0;
    if (!(s < kSteps)) return 1;
    const auto i = static_cast<std::size_t>(s);
    return table_[i] + (s - static_cast<double>(i)) * (table_[i + 1] - table_[i]);
  }
  /// Further away, in px, it is all or nothing.
  [[nodiscard]] double reach() const noexcept { return reach_; }

 private:
  static constexpr int kSteps = 512;
  static constexpr double kSigmas = 3.2;
  double reach_;
  std::array<double, kSteps + 2> table_{};
};

/// Stains or grain: a value for each corner of a square of cells that repeats, mean 0, sigma 1.
class GroundTexture {
 public:
  explicit GroundTexture(std::uint64_t seed);
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  /// Of n points, between the corners in proportion: `ahead` in m of a middle, which is in cells.
  void look(double middle_x, double middle_y, const float* ahead_x, const float* ahead_y,
            double per_m, float* out, int n) const;

 private:
  static constexpr std::uint32_t kCells = 256;  // each way
  std::uint64_t seed_;
  std::vector<std::array<float, 4>> cells_;  // at its corner, along x, along y, along both
};

class Renderer {
 public:
  /// `camera` must have passed its check.
  explicit Renderer(const CameraModel& camera);

  /// `out` becomes red, green, blue. The optical axis of X_WC may point anywhere; what is above
  /// the horizon is sky.
  void render(const Scene& scene, const Pose& X_WC, const Exposure& exposure, Image& out);

 private:
  struct Area {
    int left, top, right, bottom;  // the last ones included
  };
  void ground(const Scene& scene, const Pose& X_WC, float gain);
  void paint(const RingFace& ring, const Pose& X_WC, float gain);
  void paint(const CellFace& cells, const Pose& X_WC, float gain);
  [[nodiscard]] bool is_beside(const Pose& X_CF, double half_width, double half_height) const;
  [[nodiscard]] bool area_of(const Pose& X_CF, double half_width, double half_height,
                             Area& area) const;
  void blend(std::size_t at, float share, const Color& color, float gain);
  void add_glare(const Glare& glare);
  void blur(double sigma_px);
  void move(Pixel motion);
  void develop(const Exposure& exposure, Image& out);

  struct View {
    double x_least = 0, x_most = 0, y_least = 0, y_most = 0;
  };

  CameraModel camera_;
  std::vector<float> ray_x_, ray_y_;         // per pixel, at z = 1
  View view_;                                // of all rays, at z = 1
  std::vector<float> light_;                 // per pixel: what shadow leaves
  std::array<std::vector<float>, 3> plane_;  // red, green, blue
  std::vector<float> scratch_;
  std::array<std::vector<float>, 5> row_;  // what is worked out along a row
  GroundTexture texture_{1};
  std::vector<float> normals_;  // for the noise
  double edge_sigma_ = 0;       // px
  SoftEdge edge_{0};
};

}  // namespace pintle::world
