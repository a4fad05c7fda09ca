#include "pintle/allocation/proof.h"

#include "pintle/allocation/internal/dispatch.h"

namespace pintle::allocation {

double gap_of(const Prepared& prepared, const WrenchDemand& demand,
              const Allocation& answer) noexcept {
  return kernels().gap_of(prepared, demand, answer);
}

}  // namespace pintle::allocation
