/// The level wind, from how a craft moves in it: what its models of thrust and air do not explain
/// of the change of its velocity is air that moves.
///
///   x = [v, w], both level, world:   v' = F(w) / m + noise,   w' = noise,   y = v + noise
///
/// An extended Kalman filter over F, the whole level force on the craft as its models give it for
/// the wind believed, and dF/dw. Near the ground and slow it knows little, falling fast much; its
/// variance says so. A gust is a wind that changes: `gust` is how quickly.
///
/// Does not estimate: vertical wind, wind that differs along the craft, errors of mass or thrust.
/// Source: the Kalman filter in its textbook form; the model's error is taken as white.
#pragma once
#include <array>

#include "pintle/base/fields.h"
#include "pintle/base/geometry.h"

namespace pintle::estimation {

struct WindParams {
  double largest_m_s = 15;         ///< The estimate stays below; 0: no wind is estimated.
  double start_m_s = 4;            ///< Standard deviation at the start, each axis.
  double gust = 0.9;               ///< Growth of that deviation, m/s after one second.
  double speed_noise_m_s = 0.015;  ///< Of the measured velocity.
  double force_error = 0.15;       ///< Of the models, m/s^2 after one second …
  double thrust_error = 0.01;      ///< … and of this share of the thrust's acceleration.
};

struct WindState {
  bool has_velocity = false;
  std::array<double, 4> x{};   ///< vx, vy, wx, wy.
  std::array<double, 16> p{};  ///< Covariance, row by row.
};

/// What the models say of the step for the wind in the state, world coordinates.
struct WindModel {
  double mass_kg = 1;
  Vec3 force_N;              ///< Without weight.
  Vec3 per_east, per_north;  ///< Its change by wind, N s/m.
  double thrust_N = 0;       ///< Of the engines in it.
};

[[nodiscard]] inline Vec3 wind_of(const WindState& state) noexcept {
  return {state.x[2], state.x[3], 0};
}

/// One step over dt_s to a measured velocity. Not finite, or no mass: nothing changes.
void update(const WindParams&, WindState&, const WindModel&, Vec3 v_W, double dt_s) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const Table& table_of<estimation::WindParams>();
template <>
const Table& table_of<estimation::WindState>();
}  // namespace pintle
