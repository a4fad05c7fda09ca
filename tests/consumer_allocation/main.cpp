// The example of docs/allocation.md: two engines beside each other push forward and turn.
#include <cmath>
#include <cstdio>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"

int main() {
  pintle::Effectiveness craft;
  craft.n = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    craft.column[i] = {{1, 0, 0, 0, 0, i == 0 ? 0.5 : -0.5}};  // N and N m for a newton of each
    craft.lower[i] = 0;
    craft.upper[i] = 100;
  }
  pintle::WrenchDemand demand;
  demand.F_Bo_B.force.x = 120;
  demand.F_Bo_B.torque.z = 20;
  pintle::allocation::Settings settings;
  settings.prove = true;
  pintle::allocation::Prepared kept;
  pintle::Allocation answer;
  pintle::allocation::allocate(kept, settings, craft, demand, nullptr, answer);
  std::printf("%.1f N and %.1f N, gap %.0e\n", answer.effort[0], answer.effort[1], answer.gap);

  // f1 + f2 = 120 and (f1 - f2) / 2 = 20
  const bool right = std::abs(answer.effort[0] - 80) < 1e-9 &&
                     std::abs(answer.effort[1] - 40) < 1e-9 && answer.gap >= 0 &&
                     answer.gap < 1e-9 && answer.grade == pintle::AllocationGrade::kExact;
  return right ? 0 : 1;
}
