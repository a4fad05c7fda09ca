/// The thrust of a turbine and its rate from a noisy measurement of the thrust and the throttle.
///
/// Extended Kalman filter on the identified second-order turbine, x = [T, T'], y = T + noise:
///
///   T'' = K_T T + K_TT T^2 + K_D T' + K_DD T'^2 + K_TD T T' + c + (B_U + B_T T + B_D T') w,
///   w = u + B_UU u^2,     P' = A P + P A^T + Q - P C^T C P / R
///
/// written in steps: prediction with the turbine's own Taylor step and F = I + A dt, correction
/// with the measurement of the step, whose variance is R / dt. That is the continuous filter for
/// small dt and cannot become unstable for large ones. Defaults are the published ones. A
/// measurement that is missing or not finite is left out: the filter then runs on its model.
///
/// Does not estimate: thrust without a measurement of it (through a body's momentum), bias of the
/// sensor, parameters. Source: L'Erario et al., RA-L 5(2), 2020, and the iRonCub software.
#pragma once
#include <array>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"

namespace pintle::estimation {

struct ThrustFilterParams {
  /// K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c: newtons, seconds, percent of throttle.
  std::array<double, 10> coefficients{};
  double max_thrust_N = 1e6;
  /// Of the process, per second: thrust, both, rate.
  double q_thrust = 1, q_both = 0.1, q_rate = 1;
  double r = 1e4;  ///< Of the measurement, N^2 s: variance times the time between measurements.
};

[[nodiscard]] Findings check(const ThrustFilterParams& params);

struct ThrustFilterState {
  double thrust_N = 0, rate_N_s = 0;
  double p_thrust = 1, p_both = 0.1, p_rate = 1;  ///< Covariance.
};

/// One step. `measured_N` may be null. What it leaves in the state is always finite.
void update(const ThrustFilterParams&, ThrustFilterState&, double throttle,
            const double* measured_N, double dt_s) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const Table& table_of<estimation::ThrustFilterParams>();
template <>
const Table& table_of<estimation::ThrustFilterState>();
}  // namespace pintle
