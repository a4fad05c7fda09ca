// Channels in newtons beside channels in radians, axes in metres beside axes in millimetres: the
// answer does not depend on the units that a vehicle is written in.
#include <gtest/gtest.h>

#include <cmath>

#include "pintle/allocation/prepared.h"
#include "pintle/allocation/suite.h"
#include "pintle/allocation/testing_vehicles.h"

namespace pintle::allocation {
namespace {

// what the channels can move through an axis
double through_axis(const Effectiveness& e, std::size_t k) {
  double sum = 0;
  for (std::size_t i = 0; i < e.n; ++i)
    sum += std::abs(e.column[i][k]) * std::max(std::abs(e.lower[i]), std::abs(e.upper[i]));
  return sum;
}

TEST(Units, ADemandWithinReachIsMetWhateverTheUnitsOfTheChannels) {
  for (int decades = 1; decades <= 6; ++decades) {
    RandomStream random(static_cast<std::uint64_t>(decades), "units of channels");
    int bounded = 0;
    double worst = 0;
    for (int trial = 0; trial < 300; ++trial) {
      Problem p = make_problem(ProblemClass::kAttainable, 6 + trial % 4, random);
      p.settings.objective.k2 = 0;
      Effectiveness& e = p.effectiveness;
      for (std::size_t i = 0; i < e.n; ++i) {
        const double s = std::pow(10.0, random.uniform(-decades, decades));
        e.column[i] = s * e.column[i];
        e.lower[i] /= s;
        e.upper[i] /= s;
      }
      const Allocation out = testing::solve(p.settings, e, p.demand);
      bounded += out.grade != AllocationGrade::kExact ? 1 : 0;
      const Vec6 missing = to_vec6(out.residual);
      for (std::size_t k = 0; k < kAxes; ++k)
        worst = std::max(worst, std::abs(missing[k]) / through_axis(e, k));
    }
    EXPECT_EQ(bounded, 0) << decades;
    EXPECT_LE(worst, 1e-12) << decades;
  }
}

}  // namespace
}  // namespace pintle::allocation
