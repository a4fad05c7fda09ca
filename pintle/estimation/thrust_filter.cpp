#include "pintle/estimation/thrust_filter.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace pintle::estimation {
namespace {

double within(double x, double lo, double hi) noexcept { return x >= lo ? (x <= hi ? x : hi) : lo; }
double finite_or(double x, double other) noexcept { return std::isfinite(x) ? x : other; }

/// T'' and its derivatives by T and T'.
struct Turbine {
  double acceleration, by_thrust, by_rate;
};
Turbine turbine(const std::array<double, 10>& k, double T, double D, double u) noexcept {
  const double w = u + k[8] * u * u;
  return {k[0] * T + k[1] * T * T + k[2] * D + k[3] * D * D + k[4] * T * D + k[9] +
              (k[5] + k[6] * T + k[7] * D) * w,
          k[0] + 2 * k[1] * T + k[4] * D + k[6] * w, k[2] + 2 * k[3] * D + k[4] * T + k[7] * w};
}

/// Symmetric and positive, whatever rounding did.
void keep_a_covariance(ThrustFilterState& s) noexcept {
  s.p_thrust = within(s.p_thrust, 1e-12, 1e12);
  s.p_rate = within(s.p_rate, 1e-12, 1e12);
  const double most = std::sqrt(s.p_thrust * s.p_rate);
  s.p_both = within(s.p_both, -most, most);
}

}  // namespace

void update(const ThrustFilterParams& p, ThrustFilterState& s, double throttle,
            const double* measured_N, double dt_s) noexcept {
  const double dt = dt_s > 0 && std::isfinite(dt_s) ? std::min(dt_s, 10.0) : 0;
  const double u = within(finite_or(throttle, 0), -1e3, 1e3);
  const double T = within(finite_or(s.thrust_N, 0), 0, p.max_thrust_N);
  const double D = within(finite_or(s.rate_N_s, 0), -1e6, 1e6);
  keep_a_covariance(s);
  if (!(dt > 0)) return;

  // prediction
  const Turbine t = turbine(p.coefficients, T, D, u);
  s.thrust_N = T + D * dt + 0.5 * t.acceleration * dt * dt;
  s.rate_N_s = D + t.acceleration * dt;
  const double a = t.by_thrust * dt, b = 1 + t.by_rate * dt;
  const double p11 = s.p_thrust + dt * (2 * s.p_both + dt * s.p_rate);
  const double p12 = a * (s.p_thrust + dt * s.p_both) + b * (s.p_both + dt * s.p_rate);
  const double p22 = a * a * s.p_thrust + 2 * a * b * s.p_both + b * b * s.p_rate;
  s.p_thrust = p11 + p.q_thrust * dt;
  s.p_both = p12 + p.q_both * dt;
  s.p_rate = p22 + p.q_rate * dt;
  keep_a_covariance(s);

  // correction
  if (measured_N != nullptr && std::isfinite(*measured_N)) {
    const double missing = within(*measured_N, -1e9, 1e9) - s.thrust_N;
    const double total = s.p_thrust + p.r / dt;
    const double k1 = s.p_thrust / total, k2 = s.p_both / total;
    s.thrust_N += k1 * missing;
    s.rate_N_s += k2 * missing;
    s.p_rate -= k2 * s.p_both;
    s.p_both *= 1 - k1;
    s.p_thrust *= 1 - k1;
    keep_a_covariance(s);
  }
  // the turbine's own limits, which it does not push against
  s.rate_N_s = within(finite_or(s.rate_N_s, 0), -1e6, 1e6);
  if (!(s.thrust_N > 0)) s.rate_N_s = std::max(s.rate_N_s, 0.0);
  if (s.thrust_N >= p.max_thrust_N) s.rate_N_s = std::min(s.rate_N_s, 0.0);
  s.thrust_N = within(finite_or(s.thrust_N, 0), 0, p.max_thrust_N);
}

Findings check(const ThrustFilterParams& p) {
  Findings out;
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(p.coefficients.begin(), p.coefficients.end(), finite))
    out.push_back({"coefficients", "expected ten finite numbers",
                   "write K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c"});
  if (!(p.max_thrust_N > 0 && std::isfinite(p.max_thrust_N)))
    out.push_back({"max_thrust_N", "expected a number above 0", "write newtons"});
  if (!(p.r > 0 && std::isfinite(p.r)))
    out.push_back({"r", "expected a number above 0", "write variance times sample time, N^2 s"});
  if (!(p.q_thrust >= 0 && p.q_rate >= 0 && std::isfinite(p.q_thrust + p.q_rate) &&
        p.q_both * p.q_both <= p.q_thrust * p.q_rate))
    out.push_back({"q_both", "expected a covariance: q_both^2 at most q_thrust q_rate",
                   "write  q_thrust: 1, q_both: 0.1, q_rate: 1"});
  return out;
}

}  // namespace pintle::estimation

namespace pintle {

using estimation::ThrustFilterParams;
using estimation::ThrustFilterState;

template <>
const Table& table_of<ThrustFilterParams>() {
  using P = ThrustFilterParams;
  static const Table table =
      TableBuilder<P>("ThrustFilter", "Thrust and thrust rate of a turbine from measurements.")
          .field("coefficients", &P::coefficients, "",
                 "K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c of the turbine.")
          .required()
          .field("max_thrust_N", &P::max_thrust_N, "N", "Most thrust.")
          .above(0)
          .field("q_thrust", &P::q_thrust, "N^2/s", "Process noise of the thrust.")
          .at_least(0)
          .field("q_both", &P::q_both, "N^2/s^2", "Of both together.")
          .field("q_rate", &P::q_rate, "N^2/s^3", "Of the rate.")
          .at_least(0)
          .field("r", &P::r, "N^2 s", "Variance of a measurement times the time between two.")
          .above(0)
          .build();
  return table;
}

template <>
const Table& table_of<ThrustFilterState>() {
  using S = ThrustFilterState;
  static const Table table = TableBuilder<S>("ThrustFilterState", "What the filter believes.")
                                 .field("thrust_N", &S::thrust_N, "N", "Thrust.")
                                 .field("rate_N_s", &S::rate_N_s, "N/s", "Its rate.")
                                 .field("p_thrust", &S::p_thrust, "N^2", "Variance of the thrust.")
                                 .field("p_both", &S::p_both, "N^2/s", "Covariance of both.")
                                 .field("p_rate", &S::p_rate, "N^2/s^2", "Variance of the rate.")
                                 .build();
  return table;
}

}  // namespace pintle
