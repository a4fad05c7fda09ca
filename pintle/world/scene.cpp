#include "pintle/world/scene.h"

#include <cmath>

namespace pintle::world {

Face marker_face(const Pose& X_WF, double side_m, int n, const std::vector<std::uint8_t>& light,
                 int quiet) {
  Face f;
  f.kind = Face::Kind::kCells;
  f.cells.X_WF = X_WF;
  const int all = n + 2 * quiet;
  f.cells.width_m = f.cells.height_m = side_m * all / n;
  f.cells.columns = f.cells.rows = all;
  f.cells.light.assign(static_cast<std::size_t>(all) * static_cast<std::size_t>(all), 1);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      f.cells.light[static_cast<std::size_t>((r + quiet) * all + c + quiet)] =
          light[static_cast<std::size_t>(r * n + c)];
  return f;
}

Face ring_face(const Pose& X_WF, double inner_m, double outer_m, Color color) {
  Face f;
  f.kind = Face::Kind::kRing;
  f.ring = {X_WF, inner_m, outer_m, color};
  return f;
}

Face plain_face(const Pose& X_WF, double width_m, double height_m, Color color) {
  Face f;
  f.kind = Face::Kind::kCells;
  f.cells.X_WF = X_WF;
  f.cells.width_m = width_m;
  f.cells.height_m = height_m;
  f.cells.light = {1};
  f.cells.light_color = color;
  return f;
}

void add_box(std::vector<Face>& faces, const Pose& X_WB, Vec3 size, Color color) {
  for (int side = 0; side < 4; ++side) {
    // a frame whose z points out of the side, x along the ground
    const double yaw = 0.5 * kPi * side;
    const Quat out =
        from_rpy({0, 0, yaw}) * from_rpy({0, 0.5 * kPi, 0}) * from_rpy({0, 0, 0.5 * kPi});
    const bool along_x = side % 2 == 0;
    const double half = 0.5 * (along_x ? size.x : size.y);
    const Pose X_BF{rotate(from_rpy({0, 0, yaw}), {half, 0, 0}), out};
    Color darker = color;
    for (float& c : darker) c *= side < 2 ? 0.6f : 0.75f;
    faces.push_back(plain_face(X_WB * X_BF, along_x ? size.y : size.x, size.z, darker));
  }
  faces.push_back(plain_face(X_WB * Pose{{0, 0, 0.5 * size.z}, {}}, size.x, size.y, color));
}

}  // namespace pintle::world
