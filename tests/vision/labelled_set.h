/// Pictures with known answers, drawn from a seed: markers, rings, and pictures without a target.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/camera_model.h"
#include "pintle/base/visual_target.h"
#include "pintle/world/renderer.h"

namespace pintle::testing {

enum class Level { kEasy, kMedium, kHard };
enum class Subject { kMarker, kRing, kNothing };

struct Label {
  Subject subject = Subject::kNothing;
  Level level = Level::kEasy;
  std::uint32_t id = 0;
  Pose X_CT;
  Vec3 target_B;
  double side_px = 0;        ///< Of a marker: the shortest side as it appears.
  double visible_share = 1;  ///< Of a ring.
  double blur_px = 0;        ///< Lens and motion together, one sigma.
  Vec3 up_B;                 ///< As an attitude measurement of 1 degree tells it.
};

struct LabelledScene {
  Label label;
  world::Scene scene;
  world::Exposure exposure;
  Pose X_WC;
};

/// The camera of the delivery aircraft.
[[nodiscard]] CameraModel onboard_camera();

[[nodiscard]] std::string_view name_of(Level level);
[[nodiscard]] std::string_view name_of(Subject subject);

/// Where a target is drawn; the same seed, index and subject give the same scene.
struct Drawing {
  std::uint64_t seed = 1;
  CameraModel camera;
  MarkerTargets markers;
  RingTarget ring;
};
[[nodiscard]] LabelledScene draw_scene(const Drawing& drawing, Subject subject, Level level,
                                       std::uint64_t index);

/// Picture `index` of `of` on the way down to a pad, 5 m to 0.4 m, swaying: its ring with marker 7
/// (0.05 m) in the middle and marker 152 (0.15 m) beside it. The label is that of the pad's middle.
[[nodiscard]] LabelledScene draw_descent(const Drawing& drawing, int index, int of);

}  // namespace pintle::testing
