#include "pintle/allocation/batch.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "pintle/allocation/active_set.h"
#include "pintle/allocation/suite.h"

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

TEST(Batch, EachAnswerIsThatOfTheSingleCallBitForBit) {
  for (ProblemClass c : {ProblemClass::kAttainable, ProblemClass::kMild, ProblemClass::kHeavy}) {
    Arrays a = arrays(8, 50, c);
    ASSERT_EQ(solve_batch(a.batch, a.x), 50U);
    for (std::size_t j = 0; j < 50; ++j) {
      BoxProblem p;
      p.n = 8;
      for (std::size_t k = 0; k < 6; ++k) p.b[k] = a.b[k * 50 + j];
      for (std::size_t i = 0; i < 8; ++i) {
        p.lower[i] = a.lower[i * 50 + j];
        p.upper[i] = a.upper[i * 50 + j];
        for (std::size_t k = 0; k < 6; ++k) p.column[i][k] = a.column[(6 * i + k) * 50 + j];
      }
      BoxSolution s;
      solve(p, false, 100, s);
      for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(a.x[i * 50 + j], s.x[i]);
    }
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

TEST(Batch, ArraysOfTheWrongSizeAreRefused) {
  Arrays a = arrays(4, 3, ProblemClass::kMild);
  a.batch.count = 4;
  EXPECT_EQ(solve_batch(a.batch, a.x), 0U);
}

}  // namespace
}  // namespace pintle::allocation
