#include "pintle/allocation/internal/dispatch.h"

#include <gtest/gtest.h>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/internal/scaling.h"
#include "pintle/allocation/prepared.h"
#include "pintle/allocation_suite/suite.h"

namespace pintle::allocation {
namespace {

// puts back what was in use
class EveryLevel : public testing::Test {
 protected:
  ~EveryLevel() override { use_level(before_); }
  const Level before_ = level_in_use();
};

TEST_F(EveryLevel, TheWidestOfTheMachineIsInUse) {
  for (std::size_t l = static_cast<std::size_t>(before_) + 1; l < kLevels; ++l)
    EXPECT_EQ(kernels_of(static_cast<Level>(l)), nullptr);
  EXPECT_TRUE(use_level(Level::kBaseline));
}

TEST_F(EveryLevel, GivesTheSameEffortsBitForBit) {
  RandomStream random(3, "levels");
  for (int k = 0; k < 3000; ++k) {
    const auto c = static_cast<ProblemClass>(static_cast<std::size_t>(k) % kProblemClasses);
    const std::uint32_t n = k % 2 == 0 ? 8 : 1 + static_cast<std::uint32_t>(random.bits() % 64);
    Problem p = make_problem(c, n, random);
    p.settings.objective.refine = k % 3 == 0;
    use_level(Level::kBaseline);
    Allocation expected;
    allocate(p.settings, p.effectiveness, p.demand, nullptr, expected);
    for (Level level : {Level::kAvx2, Level::kAvx512}) {
      if (!use_level(level)) continue;
      Allocation got;
      allocate(p.settings, p.effectiveness, p.demand, nullptr, got);
      ASSERT_EQ(got.iterations, expected.iterations) << name_of(c) << n;
      ASSERT_EQ(got.grade, expected.grade);
      ASSERT_EQ(got.margin, expected.margin);
      ASSERT_EQ(got.achieved, expected.achieved);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(got.effort[i], expected.effort[i]) << name_of(c) << n;
    }
  }
}

TEST_F(EveryLevel, SearchesInDoubleDoubleOnTheSamePath) {
  RandomStream random(5, "levels");
  for (int k = 0; k < 300; ++k) {
    const auto n = 1 + static_cast<std::uint32_t>(random.bits() % 64);
    const Problem p =
        make_problem(k % 2 == 0 ? ProblemClass::kScaled : ProblemClass::kHeavy, n, random);
    Working working;
    apply_health(p.effectiveness, nullptr, working);
    Scaled scaled;
    ASSERT_TRUE(
        kernels().scale_columns(p.settings.objective.r(), working, p.demand.weight, scaled) &&
        kernels().scale_box(working, scaled) && kernels().scale_demand(p.demand.F_Bo_B, scaled));
    BoxSolution start;
    for (std::size_t i = 0; i < n; ++i)
      start.held[i] = static_cast<Held>(static_cast<int>(random.bits() % 3) - 1);
    BoxSolution expected = start;
    kernels_of(Level::kBaseline)->search_in_double_double(scaled.box, 700, expected);
    EXPECT_TRUE(expected.converged);
    for (Level level : {Level::kAvx2, Level::kAvx512}) {
      if (kernels_of(level) == nullptr) continue;
      BoxSolution got = start;
      kernels_of(level)->search_in_double_double(scaled.box, 700, got);
      EXPECT_TRUE(got.converged);
      EXPECT_EQ(got.iterations, expected.iterations);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got.x[i], expected.x[i]);
    }
  }
}

TEST_F(EveryLevel, GivesTheSameInALoopThatKeepsItsSet) {
  RandomStream random(4, "levels");
  for (int k = 0; k < 60; ++k) {
    Problem p =
        make_problem(ProblemClass::kHeavy, 8 + static_cast<std::uint32_t>(k % 3) * 5, random);
    std::array<Prepared, kLevels> prepared;
    for (int t = 0; t < 20; ++t) {
      p.demand.F_Bo_B = (1 + 0.1 * random.normal()) * p.demand.F_Bo_B;
      use_level(Level::kBaseline);
      Allocation expected;
      allocate(prepared[0], p.settings, p.effectiveness, p.demand, nullptr, expected);
      for (std::size_t l = 1; l < kLevels; ++l) {
        if (!use_level(static_cast<Level>(l))) continue;
        Allocation got;
        allocate(prepared[l], p.settings, p.effectiveness, p.demand, nullptr, got);
        for (std::size_t i = 0; i < p.effectiveness.n; ++i)
          ASSERT_EQ(got.effort[i], expected.effort[i]);
      }
    }
  }
}

}  // namespace
}  // namespace pintle::allocation
