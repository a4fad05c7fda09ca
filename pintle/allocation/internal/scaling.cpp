#include "pintle/allocation/internal/scaling.h"

#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

bool scale_columns(const Settings& settings, const Working& working,
                   const std::array<double, kAxes>& weight, Scaled& scaled) noexcept {
  return kernels().scale_columns(settings.objective.r(), working, weight, scaled);
}

bool scale_box(const Working& working, Scaled& scaled) noexcept {
  return kernels().scale_box(working, scaled);
}

bool scale_demand(const Wrench& demand, Scaled& scaled) noexcept {
  return kernels().scale_demand(demand, scaled);
}

}  // namespace pintle::allocation
