#include "pintle/propulsion/drag_body.h"

#include "pintle/propulsion/arithmetic.h"
#include "pintle/propulsion/check_numbers.h"

namespace pintle::propulsion {
namespace {

double half_density(const DragBodyParams& p, const Ambient& ambient) noexcept {
  return 0.5 * (p.density_kg_m3 > 0 ? p.density_kg_m3 : clip(ambient.density_kg_m3, 0, 1e6));
}

}  // namespace

Wrench step(const DragBodyParams& p, const Ambient& ambient) noexcept {
  const double half = half_density(p, ambient);
  Wrench out;
  for (std::size_t i = 0; i < 3; ++i) {
    const double flow = clip(tame(ambient.flow_P[i]), -1e6, 1e6);
    out.force[i] = tame(half * p.drag_coef[i] * p.area_m2[i] * flow * magnitude(flow));
  }
  return out;
}

Vec3 damping(const DragBodyParams& p, const Ambient& ambient) noexcept {
  const double half = half_density(p, ambient);
  Vec3 out;
  for (std::size_t i = 0; i < 3; ++i) {
    const double speed = magnitude(clip(tame(ambient.flow_P[i]), -1e6, 1e6));
    out[i] = tame(-2 * half * p.drag_coef[i] * p.area_m2[i] * speed);
  }
  return out;
}

Findings check(const DragBodyParams& p) {
  Findings out;
  for (std::size_t i = 0; i < 3; ++i) {
    check_range(out, "drag_coef", p.drag_coef[i], 0, 1e6, "write one number per axis");
    check_range(out, "area_m2", p.area_m2[i], 0, 1e6, "write one area per axis");
  }
  check_range(out, "density_kg_m3", p.density_kg_m3, 0, 1e6,
              "write 1.225, or 0 for that of the surroundings");
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::DragBodyParams;

template <>
const Table& table_of<DragBodyParams>() {
  static const Table table =
      TableBuilder<DragBodyParams>("DragBody", "Air drag of a body, axis by axis.")
          .field("drag_coef", &DragBodyParams::drag_coef, "", "Drag coefficient per axis.")
          .required()
          .field("area_m2", &DragBodyParams::area_m2, "m^2", "Area per axis.")
          .required()
          .field("density_kg_m3", &DragBodyParams::density_kg_m3, "kg/m^3",
                 "Of the air; 0: that of the surroundings.")
          .at_least(0)
          .build();
  return table;
}

}  // namespace pintle
