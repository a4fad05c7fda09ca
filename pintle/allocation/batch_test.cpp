#include "pintle/allocation/batch.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation_suite/suite.h"

namespace pintle::allocation {
namespace {

struct Arrays {
  std::vector<double> column, b, lower, upper, x;
  Batch batch;
};

Arrays arrays(std::uint32_t n, std::size_t count, ProblemClass c) {
  Arrays a;
  a.column.resize(6 * n * count);
  a.b.resize(6 * count);
  a.lower.resize(n * count);
  a.upper.resize(n * count);
  a.x.resize(n * count);
  RandomStream random(n, "batch");
  for (std::size_t j = 0; j < count; ++j) {
    const Problem p = make_problem(c, n, random);
    const Vec6 w = to_vec6(p.demand.F_Bo_B);
    for (std::size_t k = 0; k < 6; ++k) a.b[k * count + j] = w[k];
    for (std::size_t i = 0; i < n; ++i) {
      a.lower[i * count + j] = p.effectiveness.lower[i];
      a.upper[i * count + j] = p.effectiveness.upper[i];
      for (std::size_t k = 0; k < 6; ++k)
        a.column[(6 * i + k) * count + j] = p.effectiveness.column[i][k];
    }
  }
  a.batch = {n, count, 0, a.column, false, a.b, a.lower, a.upper};
  return a;
}

BoxProblem problem_of(const Batch& batch, std::size_t j) {
  BoxProblem p;
  p.n = batch.n;
  p.r = batch.r;
  for (std::size_t k = 0; k < 6; ++k) p.b[k] = batch.b[k * batch.count + j];
  for (std::size_t i = 0; i < batch.n; ++i) {
    p.lower[i] = batch.lower[i * batch.count + j];
    p.upper[i] = batch.upper[i * batch.count + j];
    for (std::size_t k = 0; k < 6; ++k)
      p.column[i][k] = batch.same_columns ? batch.column[6 * i + k]
                                          : batch.column[(6 * i + k) * batch.count + j];
  }
  return p;
}

// on every level, against the single call on the same one
void expect_same_bits(Arrays& a) {
  const Level before = level_in_use();
  for (Level level : {Level::kBaseline, Level::kAvx2, Level::kAvx512}) {
    if (!use_level(level)) continue;
    ASSERT_EQ(solve_batch(a.batch, a.x), a.batch.count);
    for (std::size_t j = 0; j < a.batch.count; ++j) {
      const BoxProblem p = problem_of(a.batch, j);
      BoxSolution s;
      solve(p, false, 1000, s);
      for (std::size_t i = 0; i < p.n; ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a.x[i * a.batch.count + j]),
                  std::bit_cast<std::uint64_t>(s.x[i]))
            << p.n << " channels, problem " << j;
    }
  }
  use_level(before);
}

TEST(Batch, EachAnswerIsThatOfTheSingleCallBitForBit) {
  for (ProblemClass c : {ProblemClass::kAttainable, ProblemClass::kMild, ProblemClass::kHeavy,
                         ProblemClass::kDegenerate, ProblemClass::kFailed})
    for (std::uint32_t n : {3U, 6U, 7U, 8U, 12U, 17U, 40U})
      for (double r : {0.0, 1e-3}) {
        Arrays a = arrays(n, 53, c);
        a.batch.r = r;
        expect_same_bits(a);
      }
}

TEST(Batch, SoItIsForOneVehicleAndManyDemands) {
  for (std::uint32_t n : {6U, 8U, 16U}) {
    Arrays a = arrays(n, 700, ProblemClass::kMild);
    std::vector<double> one(6 * n);
    for (std::size_t k = 0; k < 6 * n; ++k) one[k] = a.column[k * 700];
    a.column = one;
    a.batch.column = a.column;
    a.batch.same_columns = true;
    expect_same_bits(a);
  }
}

// efforts inside their bounds although no efforts come near the demand
TEST(Batch, SoItIsWhereTheTradeKeepsADemandOutOfReachInsideTheBounds) {
  for (ProblemClass c : {ProblemClass::kAttainable, ProblemClass::kMild}) {
    Arrays a = arrays(8, 400, c);
    for (double& b : a.b) b *= 30;
    a.batch.r = 100;
    expect_same_bits(a);
  }
}

TEST(Batch, ABadProblemDoesNotDisturbItsNeighbours) {
  Arrays a = arrays(4, 3, ProblemClass::kMild);
  Arrays good = a;
  good.batch = {4, 3, 0, good.column, false, good.b, good.lower, good.upper};
  a.b[1] = std::numeric_limits<double>::quiet_NaN();
  a.batch = {4, 3, 0, a.column, false, a.b, a.lower, a.upper};
  EXPECT_EQ(solve_batch(a.batch, a.x), 2U);
  EXPECT_EQ(solve_batch(good.batch, good.x), 3U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.x[i * 3], good.x[i * 3]);
    EXPECT_EQ(a.x[i * 3 + 1], 0);
    EXPECT_EQ(a.x[i * 3 + 2], good.x[i * 3 + 2]);
  }
}

TEST(Batch, AColumnThatIsNoNumberIsRefusedWhateverTheOthersAre) {
  for (const std::uint32_t n : {1U, 2U, 6U, 8U, 9U, 12U})
    for (const bool same : {false, true})
      for (const double hostile :
           {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        std::vector<double> column(6 * n), b(6, 0.5), lower(n, -1), upper(n, 1), x(n, -7);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t k = 0; k < 6; ++k)
            column[6 * i + k] = i % 6 == k ? 1 : 0.1 * static_cast<double>((i + k) % 3);
        column[0] = hostile;
        const Batch batch{n, 1, 0, column, same, b, lower, upper};
        EXPECT_EQ(solve_batch(batch, x), 0U) << n << ' ' << hostile;
        for (const double u : x) EXPECT_EQ(u, 0) << n << ' ' << hostile;
      }
}

TEST(Batch, ArraysOfTheWrongSizeAreRefused) {
  Arrays a = arrays(4, 3, ProblemClass::kMild);
  a.batch.count = 4;
  EXPECT_EQ(solve_batch(a.batch, a.x), 0U);
}

}  // namespace
}  // namespace pintle::allocation
