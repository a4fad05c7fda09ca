/// What a simulated camera can look at: ground, things painted on flat faces, light.
///
/// Colours are red, green, blue as a camera gives them, 0 to 255; light multiplies them. Everything
/// is painted in the order of the list, later over earlier. Does not model: reflections, what
/// stands in front of what by depth (the order says), focus by distance.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "pintle/base/geometry.h"
#include "pintle/base/image.h"

namespace pintle::world {

using Color = std::array<float, 3>;

/// The plane z = 0 of the world, with a texture of stains and grain.
struct GroundLook {
  Color color{120, 125, 118};
  double contrast = 0.15;  ///< Of the texture, as a share of the colour; one sigma.
  double tint = 0.05;      ///< How far its colour wanders.
  double stain_m = 1.5;    ///< Size of the large parts of the texture; the small are a thirtieth.
  std::uint64_t seed = 1;
};

/// A ring, or a disc where the inner radius is 0, about z of its frame.
struct RingFace {
  Pose X_WF;
  double inner_m = 0.45, outer_m = 0.50;
  Color color{20, 60, 190};
};

/// A rectangle of cells about the origin of its frame: the first row at +y, the first column at -x.
/// One cell is a plain rectangle. A marker has its quiet zone as cells too.
struct CellFace {
  Pose X_WF;
  double width_m = 0.2, height_m = 0.2;
  int columns = 1, rows = 1;
  std::vector<std::uint8_t> light;  ///< Row by row, 0 or not.
  Color dark_color{25, 25, 25}, light_color{225, 225, 225};
};

/// A thing with the shape of a face: one of the two.
struct Face {
  enum class Kind : std::uint8_t { kRing, kCells } kind = Kind::kRing;
  RingFace ring;
  CellFace cells;
};

/// Darkness on one side of a line on the ground, and again beyond a width.
struct Shadow {
  Vec3 through;              ///< A point of its middle line (z is not used).
  double direction_rad = 0;  ///< Of the line.
  double width_m = 0;        ///< 0: there is none.
  double soft_m = 0.02;      ///< Half the width of its border.
  double darkness = 0.5;     ///< 0 none, 1 black.
};

/// Light that adds to a part of the picture.
struct Glare {
  Pixel middle;
  double radius_px = 0;  ///< One sigma; 0: there is none.
  double strength = 0;   ///< Added in the middle, in steps of the picture.
};

struct Scene {
  GroundLook ground;
  std::vector<Face> faces;
  Shadow shadow;
  Glare glare;
};

/// How a picture is taken.
struct Exposure {
  double gain = 1;
  Color white_balance{1, 1, 1};
  double blur_px = 0.5;  ///< Sigma of the lens's blur.
  Pixel motion{0, 0};    ///< How far the picture moves while the shutter is open, px.
  double noise = 2;      ///< Sigma per channel, in steps of the picture.
  std::uint64_t seed = 1;
};

/// The cells of a marker with a quiet zone of `quiet` cells around it. `light` holds the marker's
/// own n x n cells, its black border included.
[[nodiscard]] Face marker_face(const Pose& X_WF, double side_m, int n,
                               const std::vector<std::uint8_t>& light, int quiet = 1);
[[nodiscard]] Face ring_face(const Pose& X_WF, double inner_m, double outer_m, Color color);
[[nodiscard]] Face plain_face(const Pose& X_WF, double width_m, double height_m, Color color);
/// The five faces of a box that can be seen from above, sides first.
void add_box(std::vector<Face>& faces, const Pose& X_WB, Vec3 size_m, Color color);

}  // namespace pintle::world
