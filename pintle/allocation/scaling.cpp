#include "pintle/allocation/scaling.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/dispatch.h"

namespace pintle::allocation {
namespace {

constexpr double kFarthest = 1e60;

double power_of_two(double magnitude) noexcept {
  if (!(magnitude > 0)) return 1;
  return std::ldexp(1.0, std::clamp(std::ilogb(magnitude), -1000, 1000));
}

}  // namespace

bool scale_columns(const Settings& settings, const Working& working,
                   const std::array<double, kAxes>& weight, Scaled& scaled) noexcept {
  return kernels().scale_columns(settings.objective.r(), working, weight, scaled);
}

bool scale_box(const Working& working, Scaled& scaled) noexcept {
  return kernels().scale_box(working, scaled);
}

bool scale_demand(const Wrench& demand, Scaled& scaled) noexcept {
  const Vec6 wanted = to_vec6(demand) - scaled.offset;
  const double per_gain = inverse_of_unit(scaled.gain_unit);
  const double per_effort = inverse_of_unit(scaled.effort_unit);
  for (std::size_t k = 0; k < kAxes; ++k)
    scaled.box.b[k] = scaled.weight[k] * wanted[k] * per_gain * per_effort;
  if (!is_finite(scaled.box.b)) return false;
  // squares must stay in range. So far out only the direction matters: half as far changes the
  // answer by less than rounding
  double largest = 0;
  for (double x : scaled.box.b.v) largest = std::max(largest, std::abs(x));
  if (largest > kFarthest) scaled.box.b = power_of_two(kFarthest / largest) * scaled.box.b;
  return true;
}

}  // namespace pintle::allocation
