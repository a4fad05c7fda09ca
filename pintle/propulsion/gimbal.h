/// Two axes that turn an engine, each with a lag and a symmetric range.
///
///   q_j' = (command_j - q_j) / tau,   angle_j = q_j range_j,   R = R_1(angle_1) R_2(angle_2)
///   R_j = I + sin(a) K + 2 sin(a/2)^2 K^2,   K x = axis_j cross x
///
/// The product is exact: axis 2 is carried by axis 1, so the second turn acts on the thrust first.
/// Commands are in [-1, 1]. `reference` (default, as published): Euler's step, as PyFlyt's
/// Gimbals; `physical`: exact lag. Does not model: rate limits (commands keep to one), backlash,
/// the engine's inertia.
/// Source: PyFlyt's Gimbals component; Rodrigues' formula.
#pragma once
#include "pintle/propulsion/model.h"

namespace pintle::propulsion {

struct GimbalParams {
  Vec3 unit_1{1, 0, 0}, unit_2{0, 1, 0};  ///< Axes, mount coordinates; normalised.
  double tau_s = 0;
  std::array<double, 2> range_deg{};  ///< Either way.
  Behaviour behaviour = Behaviour::kReference;
  double max_rate_deg_s = 0;  ///< Commands go no faster, each axis; 0: no limit.
};

[[nodiscard]] Findings check(const GimbalParams& params);

struct GimbalState {
  double q_1 = 0, q_2 = 0;                  ///< Shares of the range.
  double commanded_1 = 0, commanded_2 = 0;  ///< Last commands; of one that stands: q_1 and q_2.
};

struct GimbalInput {
  double command_1 = 0, command_2 = 0;  ///< In [-1, 1]; beyond is cut.
};

/// The rotation after the step.
[[nodiscard]] Mat3 step(const GimbalParams&, GimbalState&, const GimbalInput&,
                        double dt_s) noexcept;
/// The rotation of a state.
[[nodiscard]] Mat3 rotation_of(const GimbalParams&, const GimbalState&) noexcept;

/// Two channels: the commands, no further from the last ones than their rate allows within the
/// horizon. For a thrust that would be `thrust_P` with the gimbal at rest.
[[nodiscard]] Linearised linearise(const GimbalParams&, const GimbalState&, Vec3 thrust_P,
                                   double horizon_s) noexcept;

/// Commands that turn `from_P` into the direction `to_P` (closed form, the smaller of the two
/// solutions), cut to the range; where no pair of angles reaches it, a near one.
[[nodiscard]] GimbalInput invert(const GimbalParams&, Vec3 from_P, Vec3 to_P) noexcept;

/// Commands cut to what the axes follow in dt_s; notes them in the state.
[[nodiscard]] GimbalInput slewed(const GimbalParams&, GimbalState&, const GimbalInput&,
                                 double dt_s) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const Table& table_of<propulsion::GimbalParams>();
template <>
const Table& table_of<propulsion::GimbalState>();
}  // namespace pintle
