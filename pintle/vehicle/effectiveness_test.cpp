#include "pintle/vehicle/effectiveness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "pintle/base/random.h"
#include "pintle/vehicle/linear_programme.h"

namespace pintle::vehicle {
namespace {

Vehicle vehicle_of(const std::vector<Mount>& mounts, double lower = -1, double upper = 1) {
  Vehicle vehicle;
  propulsion::ThrusterParams p;
  p.min_effort = lower;
  p.max_effort = upper;
  for (const Mount& mount : mounts)
    vehicle.propulsors.push_back(
        {std::to_string(vehicle.propulsors.size()), mount, propulsion::Thruster(p)});
  return vehicle;
}

TEST(Effectiveness, HoldsColumnsAndBoundsOfThePropulsors) {
  const Effectiveness e =
      effectiveness_of(vehicle_of({{{1, 2, 3}, {0, 0, 1}}, {{0, 0, 0}, {1, 0, 0}}}, -4, 5));
  EXPECT_EQ(e.n, 2u);
  EXPECT_EQ(e.column[0], (Vec6{{0, 0, 1, 2, -1, 0}}));
  EXPECT_EQ(e.column[1], (Vec6{{1, 0, 0, 0, 0, 0}}));
  EXPECT_EQ(e.lower[0], -4);
  EXPECT_EQ(e.upper[1], 5);
  EXPECT_EQ(e.preferred[0], 0);
  EXPECT_EQ(e.bias, Wrench{});
}

TEST(Effectiveness, HoldsTheWeightOfEachEffort) {
  Vehicle vehicle = vehicle_of({{{1, 2, 3}, {0, 0, 1}}, {{0, 0, 0}, {1, 0, 0}}});
  EXPECT_EQ(effectiveness_of(vehicle).effort_weight[0], 1);
  vehicle.propulsors[1].effort_weight[0] = 0.25;
  EXPECT_EQ(effectiveness_of(vehicle).effort_weight[0], 1);
  EXPECT_EQ(effectiveness_of(vehicle).effort_weight[1], 0.25);
}

TEST(Analyse, ThePseudoInverseSatisfiesTheFourPenroseConditions) {
  RandomStream random(3, "mounts");
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<Mount> mounts;
    const int n = 1 + trial % 12;
    for (int i = 0; i < n; ++i) {
      const Vec3 d{random.normal(), random.normal(), random.normal()};
      mounts.push_back({{random.normal(), random.normal(), random.normal()}, d / norm(d)});
    }
    const MatrixReport r = analyse(vehicle_of(mounts));
    const auto count = static_cast<std::size_t>(n);
    EXPECT_EQ(r.rank, std::min(6, n));

    // P = B B+ (6 x 6) and Q = B+ B (n x n) are symmetric; P B = B; Q B+ = B+
    Vec6 P[6];
    for (std::size_t a = 0; a < 6; ++a)
      for (std::size_t b = 0; b < 6; ++b)
        for (std::size_t i = 0; i < count; ++i) P[a][b] += r.columns[i][a] * r.pinv_rows[i][b];
    for (std::size_t i = 0; i < count; ++i) {
      Vec6 back;
      for (std::size_t j = 0; j < count; ++j) {
        const double q_ij = dot(r.pinv_rows[i], r.columns[j]);
        EXPECT_NEAR(q_ij, dot(r.pinv_rows[j], r.columns[i]), 1e-9);
        back = back + q_ij * r.pinv_rows[j];
      }
      EXPECT_NEAR(norm(back - r.pinv_rows[i]), 0, 1e-9 * (1 + norm(r.pinv_rows[i])));
      for (std::size_t a = 0; a < 6; ++a) {
        EXPECT_NEAR(dot(P[a], r.columns[i]), r.columns[i][a], 1e-9);
        for (std::size_t b = 0; b < 6; ++b) EXPECT_NEAR(P[a][b], P[b][a], 1e-9);
      }
    }
  }
}

TEST(Analyse, KnowsTheAxesThatAFlatVehicleLacks) {
  // two thrusters side by side: surge and yaw, nothing else
  const MatrixReport r =
      analyse(vehicle_of({{{0, 1, 0}, {1, 0, 0}}, {{0, -1, 0}, {1, 0, 0}}}, -2, 3));
  EXPECT_EQ(r.rank, 2);
  EXPECT_EQ(r.singular_values.size(), 2u);
  EXPECT_NEAR(r.attainable_positive[0], 6, 1e-12);
  EXPECT_NEAR(r.attainable_negative[0], -4, 1e-12);
  // pure yaw: left back, right ahead; the weaker direction limits both
  EXPECT_NEAR(r.attainable_positive[5], 4, 1e-12);
  EXPECT_NEAR(r.attainable_negative[5], -4, 1e-12);
  for (std::size_t a : {1u, 2u, 3u, 4u}) {
    EXPECT_EQ(r.attainable_positive[a], 0);
    EXPECT_EQ(r.attainable_negative[a], 0);
  }
}

TEST(Analyse, APushThatNeedsAnotherAxisIsNotAttainableAlone) {
  // one thruster beside the middle always turns the vehicle
  const MatrixReport r = analyse(vehicle_of({{{0, 1, 0}, {1, 0, 0}}}));
  EXPECT_EQ(r.rank, 1);
  EXPECT_EQ(r.attainable_positive, Vec6{});
}

// ------------------------------------------------------------- the linear programme, by brute
// force

/// Solves a square system by elimination with pivoting; nothing when it is singular.
std::optional<std::array<double, 6>> solve(std::array<std::array<double, 7>, 6> m) {
  for (std::size_t c = 0; c < 6; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < 6; ++r)
      if (std::fabs(m[r][c]) > std::fabs(m[pivot][c])) pivot = r;
    if (std::fabs(m[pivot][c]) < 1e-9) return std::nullopt;
    std::swap(m[c], m[pivot]);
    for (std::size_t r = 0; r < 6; ++r) {
      if (r == c) continue;
      const double f = m[r][c] / m[c][c];
      for (std::size_t k = c; k < 7; ++k) m[r][k] -= f * m[c][k];
    }
  }
  std::array<double, 6> x{};
  for (std::size_t r = 0; r < 6; ++r) x[r] = m[r][6] / m[r][r];
  return x;
}

/// Best of all vertices: every choice of five free efforts (and t), the others at a bound.
double by_enumeration(const std::vector<Vec6>& columns, const std::vector<double>& lower,
                      const std::vector<double>& upper, const Vec6& e) {
  const std::size_t n = columns.size();
  double best = 0;
  for (unsigned free = 0; free < (1U << n); ++free) {
    if (__builtin_popcount(free) != 5) continue;
    for (unsigned side = 0; side < (1U << (n - 5)); ++side) {
      std::array<std::array<double, 7>, 6> m{};
      std::size_t k = 0;
      unsigned bit = 0;
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < n; ++i) {
        const bool is_free = (free >> i & 1U) != 0;
        const double at = is_free ? 0 : (side >> bit++ & 1U) != 0 ? upper[i] : lower[i];
        for (std::size_t a = 0; a < 6; ++a)
          if (is_free)
            m[a][k] = columns[i][a];
          else
            m[a][6] -= at * columns[i][a];
        if (is_free) {
          order.push_back(i);
          ++k;
        }
      }
      for (std::size_t a = 0; a < 6; ++a) m[a][5] = -e[a];
      const auto x = solve(m);
      if (!x) continue;
      bool inside = true;
      for (std::size_t j = 0; j < 5; ++j)
        inside = inside && (*x)[j] >= lower[order[j]] - 1e-9 && (*x)[j] <= upper[order[j]] + 1e-9;
      if (inside) best = std::max(best, (*x)[5]);
    }
  }
  return best;
}

TEST(LinearProgramme, AgreesWithTheBestOfAllVertices) {
  RandomStream random(11, "programme");
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Vec6> columns(8);
    std::vector<double> lower(8), upper(8);
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t a = 0; a < 6; ++a) columns[i][a] = random.normal();
      lower[i] = -100 * random.uniform();
      upper[i] = trial % 3 == 0 ? 0 : 65 * random.uniform();
    }
    Vec6 e;
    e[static_cast<std::size_t>(trial) % 6] = trial % 2 ? 1 : -1;
    const double found = furthest_along(columns, lower, upper, e);
    EXPECT_NEAR(found, by_enumeration(columns, lower, upper, e), 1e-7 * (1 + found)) << trial;
  }
}

TEST(LinearProgramme, IsNotLedAstrayByEqualColumns) {
  // eight times the same push: the sum of all
  std::vector<Vec6> columns(8, Vec6{{1, 0, 0, 0, 0, 0}});
  const std::vector<double> lower(8, -1), upper(8, 2);
  EXPECT_NEAR(furthest_along(columns, lower, upper, Vec6{{1, 0, 0, 0, 0, 0}}), 16, 1e-12);
  EXPECT_NEAR(furthest_along(columns, lower, upper, Vec6{{-1, 0, 0, 0, 0, 0}}), 8, 1e-12);
  EXPECT_EQ(furthest_along(columns, lower, upper, Vec6{{0, 0, 1, 0, 0, 0}}), 0);
}

TEST(LinearProgramme, AsksOfSixIndependentPropulsorsWhatTheInverseSays) {
  std::vector<Vec6> columns(6);
  for (std::size_t i = 0; i < 6; ++i) columns[i][i] = static_cast<double>(i + 1);
  const std::vector<double> lower(6, -1), upper(6, 0.5);
  for (std::size_t i = 0; i < 6; ++i) {
    Vec6 e;
    e[i] = 1;
    EXPECT_NEAR(furthest_along(columns, lower, upper, e), 0.5 * static_cast<double>(i + 1), 1e-12);
    e[i] = -1;
    EXPECT_NEAR(furthest_along(columns, lower, upper, e), static_cast<double>(i + 1), 1e-12);
  }
}

}  // namespace
}  // namespace pintle::vehicle
