#include "pintle/propulsion/model.h"

#include <array>
#include <cmath>

namespace pintle::propulsion {

LagGain lag_gain(Behaviour behaviour, double dt_s, double tau_s) noexcept {
  const double dt = dt_s > 0 && std::isfinite(dt_s) ? dt_s : 0;
  if (!(dt > 0)) return {0, 0};
  if (!(tau_s > 0)) return {1, 1};
  const double x = dt / tau_s;
  if (behaviour == Behaviour::kReference) return {x, x};
  const double end = -std::expm1(-x);
  // mean of 1 - exp(-s) over [0, x]; its series where the difference would lose digits
  const double mean = x > 1e-3 ? 1 - end / x : x * (0.5 - x * (1.0 / 6 - x / 24));
  return {end, mean};
}

Vec3 unit_or_x(Vec3 v) noexcept {
  const double length = norm(v);
  if (!(length > 0) || !std::isfinite(length)) return {1, 0, 0};
  return length == 1 ? v : v / length;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::Behaviour;

template <>
const EnumTable& enum_table<Behaviour>() {
  static constexpr std::array kValues{
      enum_value(Behaviour::kReference, "reference",
                 "The original simulator's update, its quirks included."),
      enum_value(Behaviour::kPhysical, "physical",
                 "Exact lag, noise on the output only, mass flow from the thrust delivered.")};
  static constexpr EnumTable kTable{"Behaviour", kValues};
  return kTable;
}

}  // namespace pintle
