#include "pintle/allocation/scaling.h"

#include <algorithm>
#include <cmath>

namespace pintle::allocation {
namespace {

constexpr double kFarthest = 1e60;
// of the largest gain
constexpr double kNothing = 1e-70;

double power_of_two(double magnitude) noexcept {
  if (!(magnitude > 0)) return 1;
  return std::ldexp(1.0, std::clamp(std::ilogb(magnitude), -1000, 1000));
}

}  // namespace

bool scale_columns(const Settings& settings, const Working& working,
                   const std::array<double, kAxes>& weight, Scaled& scaled) noexcept {
  BoxProblem& box = scaled.box;
  box.n = working.n;
  scaled.weight.v = weight;
  double gain = 0;
  for (std::size_t i = 0; i < working.n; ++i)
    for (std::size_t k = 0; k < kAxes; ++k) {
      box.column[i][k] = weight[k] * working.column[i][k];
      gain = std::max(gain, std::abs(box.column[i][k]));
    }
  if (!is_finite(scaled.weight) || !std::isfinite(gain)) return false;
  scaled.gain_unit = power_of_two(gain);
  for (std::size_t i = 0; i < working.n; ++i)
    for (double& x : box.column[i].v) {
      x *= 1 / scaled.gain_unit;
      // products of four such would be nothing, and quotients of those not a number
      if (std::abs(x) < kNothing) x = 0;
    }
  box.r = settings.objective.r() / scaled.gain_unit / scaled.gain_unit;
  return std::isfinite(box.r) && box.r >= 0;
}

bool scale_box(const Working& working, Scaled& scaled) noexcept {
  BoxProblem& box = scaled.box;
  double span = 0;
  scaled.offset = working.bias;
  for (std::size_t i = 0; i < working.n; ++i) {
    box.lower[i] = working.lower[i] - working.preferred[i];
    box.upper[i] = working.upper[i] - working.preferred[i];
    span = std::max({span, std::abs(box.lower[i]), std::abs(box.upper[i])});
    if (working.preferred[i] != 0)
      scaled.offset = scaled.offset + working.preferred[i] * working.column[i];
  }
  if (!std::isfinite(span) || !is_finite(scaled.offset)) return false;
  scaled.effort_unit = power_of_two(span);
  for (std::size_t i = 0; i < working.n; ++i) {
    box.lower[i] /= scaled.effort_unit;
    box.upper[i] /= scaled.effort_unit;
  }
  return true;
}

bool scale_demand(const Wrench& demand, Scaled& scaled) noexcept {
  const Vec6 wanted = to_vec6(demand) - scaled.offset;
  for (std::size_t k = 0; k < kAxes; ++k)
    scaled.box.b[k] = scaled.weight[k] * wanted[k] / scaled.gain_unit / scaled.effort_unit;
  if (!is_finite(scaled.box.b)) return false;
  // squares must stay in range. So far out only the direction matters: half as far changes the
  // answer by less than rounding
  double largest = 0;
  for (double x : scaled.box.b.v) largest = std::max(largest, std::abs(x));
  if (largest > kFarthest) scaled.box.b = power_of_two(kFarthest / largest) * scaled.box.b;
  return true;
}

}  // namespace pintle::allocation
