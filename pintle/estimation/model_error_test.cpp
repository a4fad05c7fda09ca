#include "pintle/estimation/model_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pintle/base/rotation.h"

namespace pintle::estimation {
namespace {

/// Two thrusters ahead, one upright, on a body of 20 kg.
BodyModel raft() {
  BodyModel m;
  for (std::size_t i = 0; i < 6; ++i) m.mass[7 * i] = i < 3 ? 20 : 2;
  complete(m);
  m.added_mass = {5, 8, 12, 0.2, 0.3, 0.4};
  m.linear_damping = {10, 12, 20, 3, 3, 2};
  m.quadratic_damping = {50, 60, 90, 2, 2, 2};
  m.weight_N = m.buoyancy_N = 200;
  m.n = 3;
  m.column_N[0] = {{30, 0, 0, 0, 0, -6}};
  m.column_N[1] = {{30, 0, 0, 0, 0, 6}};
  m.column_N[2] = {{0, 0, 30, 3, -3, 0}};
  m.largest[0] = m.largest[1] = m.largest[2] = 1;
  return m;
}

Regressors busy(std::mt19937_64& random) {
  std::uniform_real_distribution<double> u(-1, 1);
  Regressors g;
  for (std::size_t i = 0; i < 3; ++i) g.effort[i] = u(random);
  for (std::size_t k = 0; k < 6; ++k) {
    g.drag[k] = 10 * u(random);
    g.slope[k] = 20 + 10 * u(random);
  }
  g.R_BW = to_matrix(normalized(Quat{u(random), u(random), u(random), 1 + u(random)}));
  return g;
}

TEST(ModelError, ExplainsByHand) {
  const BodyModel m = raft();
  ModelError e;
  begin({}, m, e);
  ASSERT_EQ(e.learned, 3U);
  Regressors g;
  // rolled by a quarter: the world's up is the body's y
  g.R_BW = Mat3{{1, 0, 0, 0, 0, 1, 0, -1, 0}};
  g.effort[0] = 0.5;
  g.drag[0] = 4;
  e.theta[0] = 0.1;            // the first one pushes a tenth more: 1.5 N, -0.3 N m
  e.theta[3 + 2] = 7;          // 7 N upwards
  e.theta[3 + 6] = 0.25;       // a quarter more drag: 1 N
  e.theta[3 + 15 + 0] = 0.01;  // centre of mass 1 cm ahead: -W c x up = -2 N m about z
  const Vec6 r = explained(m, e, g);
  const Vec6 wanted{{1.5 - 1, 7, 0, 0, 0, -0.3 - 2}};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(r[k], wanted[k], 1e-12) << k;
}

TEST(ModelError, LearnsWhatExplainsTheResidual) {
  const BodyModel m = raft();
  ModelErrorParams p;
  ModelError e, truth;
  begin(p, m, e);
  begin(p, m, truth);
  truth.theta[0] = 0.08, truth.theta[1] = -0.05, truth.theta[2] = 0.03;
  truth.theta[3 + 2] = 6;
  truth.theta[3 + 6] = 0.2;
  truth.theta[3 + 15] = 0.004;
  std::mt19937_64 random(3);
  const Vec6 noise{{0.01, 0.01, 0.01, 0.0005, 0.0005, 0.0005}};
  for (int k = 0; k < 20000; ++k) {
    const Regressors g = busy(random);
    const Vec6 r = explained(m, truth, g) - explained(m, e, g);
    // what it answers is by how much the residual shrinks
    const ModelError before = e;
    const Vec6 learnt = learn(p, m, e, g, r, noise, {}, 0.02);
    const Vec6 change = explained(m, e, g) - explained(m, before, g);
    for (std::size_t a = 0; a < 6; ++a) ASSERT_NEAR(learnt[a], change[a], 1e-9);
  }
  for (const std::size_t i : {0U, 1U, 2U}) EXPECT_NEAR(e.theta[i], truth.theta[i], 0.01) << i;
  EXPECT_NEAR(e.theta[3 + 2], 6, 0.3);
  EXPECT_NEAR(e.theta[3 + 6], 0.2, 0.03);
  EXPECT_NEAR(e.theta[3 + 15], 0.004, 0.0005);
  for (std::size_t i = 0; i < 3 + kCommonErrors; ++i) {
    EXPECT_GT(e.P[i][i], 0);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NEAR(e.P[i][j], e.P[j][i], 1e-12);
  }
}

TEST(ModelError, LearnsLessFromAResidualThatCannotBeThanFromOneThatMayBe) {
  const BodyModel m = raft();
  const auto learnt = [&](double residual) {
    ModelError e;
    begin({}, m, e);
    Regressors g;
    g.R_BW = to_matrix(Quat{});
    (void)learn({}, m, e, g, {{residual, 0, 0, 0, 0, 0}}, {{1, 1, 1, 1, 1, 1}}, {}, 0.02);
    return e.theta[3 + 0];  // of a force ahead
  };
  // its standard deviation is that of the noise (1 N, with what repeats) and of the force
  const double std = std::sqrt(10 + square(ModelErrorParams{}.mass_std * m.weight_N));
  EXPECT_GT(learnt(std), 0);
  EXPECT_GT(learnt(1.9 * std), 1.8 * learnt(std));
  EXPECT_LT(learnt(20 * std), learnt(1.9 * std));
}

TEST(ModelError, BoundsTheCovarianceFromBelowByItsNoise) {
  const BodyModel m = raft();
  ModelError e;
  begin({}, m, e);
  std::mt19937_64 random(5);
  const Regressors g = busy(random), first = busy(random);
  const Vec6 noise = noise_of({}, m, e, g, 0.12, 0.02);
  Triangle S;
  covariance({}, m, e, first, g, noise, 0.12, S);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_GT(noise[k], 0);
    EXPECT_GE(S[k][k], noise[k]);
    for (std::size_t c = 0; c < k; ++c) EXPECT_LE(S[k][c] * S[k][c], S[k][k] * S[c][c]);
  }
}

TEST(ModelError, DoubtsOnePropulsorAloneAndTrustsItAgain) {
  const BodyModel m = raft();
  const ModelErrorParams p;
  ModelError e;
  begin(p, m, e);
  Regressors g;
  g.effort[1] = 0.4;
  const Vec6 change = doubt(m, e, g, 1, 0);
  // it gives nothing where 0.4 of 30 N were believed
  EXPECT_DOUBLE_EQ(change[0], -12);
  EXPECT_DOUBLE_EQ(change[5], -2.4);
  EXPECT_EQ(e.theta[1], -1);
  EXPECT_EQ(e.theta[0], 0);
  EXPECT_GT(e.P[1][1], 0.1);
  // what it is asked for now is what it is known at
  EXPECT_EQ(e.slow[1], 0.4);
  trust(p, e, 1);
  EXPECT_EQ(e.theta[1], 0);
  EXPECT_DOUBLE_EQ(e.P[1][1], p.thrust_std * p.thrust_std);
  EXPECT_EQ(e.doubtful, 0U);
}

}  // namespace
}  // namespace pintle::estimation
