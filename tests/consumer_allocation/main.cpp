// The example of docs/allocation.md: two engines beside each other push forward and turn.
#include <cmath>
#include <cstdio>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"

using namespace pintle;

int main() {
  Effectiveness craft;
  craft.n = 2;
  craft.column[0] = {{1, 0, 0, 0, 0, 0.5}};   // N and N m for 1 N of the right engine
  craft.column[1] = {{1, 0, 0, 0, 0, -0.5}};  // and of the left one
  craft.upper[0] = craft.upper[1] = 100;      // N; the lower bounds are 0
  WrenchDemand demand;
  demand.F_Bo_B = {{120, 0, 0}, {0, 0, 20}};  // 120 N ahead, 20 N m to the left
  allocation::Prepared kept;                  // one for each loop
  Allocation answer;
  allocation::allocate(kept, {}, craft, demand, nullptr, answer);  // 80 N and 40 N

  // f1 + f2 = 120 and (f1 - f2) / 2 = 20
  const bool right = std::abs(answer.effort[0] - 80) < 1e-9 &&
                     std::abs(answer.effort[1] - 40) < 1e-9 &&
                     answer.grade == AllocationGrade::kExact;
  // the same made anew, with its proof
  allocation::Settings settings;
  settings.prove = true;
  allocation::allocate(settings, craft, demand, nullptr, answer);
  std::printf("%.1f N and %.1f N, gap %.0e\n", answer.effort[0], answer.effort[1], answer.gap);
  const bool proved = std::abs(answer.effort[0] - 80) < 1e-9 &&
                      std::abs(answer.effort[1] - 40) < 1e-9 && answer.gap >= 0 &&
                      answer.gap < 1e-9 && answer.grade == AllocationGrade::kExact;
  return right && proved ? 0 : 1;
}
