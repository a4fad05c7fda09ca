#include "pintle/estimation/momentum_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pintle/base/random.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::estimation {
namespace {

constexpr std::array<double, 10> kP220{0.237755, -0.012799, -0.860374, 0.023606, 0.008599,
                                       1.139026, 0.019914,  -0.050257, 0.000302, -0.692913};
constexpr double kDt = 0.01;

/// A craft of 60 kg with four canted turbines, whose columns are independent, and two feet.
struct Craft {
  MomentumFilterParams params;
  MomentumFilterInput input;
  std::array<double, 4> T{100, 100, 100, 100}, D{};
  std::array<double, 4> efficiency{1, 1, 1, 1};  ///< Thrust given over what the model says.
  Vec6 momentum;
  RandomStream random{1, "momentum"};
  double noise_linear = 0.05, noise_angular = 0.01, noise_force = 3, noise_torque = 0.2;

  explicit Craft(std::uint8_t feet = 0) {
    for (std::size_t i = 0; i < 4; ++i) {
      params.jets.push_back({kP220, 220});
      const double x = i < 2 ? 0.5 : -0.4, y = i % 2 == 0 ? 0.35 : -0.35;
      const double lean = i < 2 ? 0.25 : -0.2, side = i % 2 == 0 ? 1 : -1;
      const Vec3 f{0, lean * side, std::sqrt(1 - lean * lean)};
      input.column[i] = to_vec6(shift_to_origin({f, {}}, {x, y, -0.1}));
    }
    params.contacts = feet;
    for (std::size_t j = 0; j < feet; ++j)
      input.contact[j].lever_m = {0, j == 0 ? 0.1 : -0.1, -0.6};
    input.known.force.z = -60 * 9.81;
    params.r_linear = noise_linear * noise_linear * kDt;
    params.r_angular = noise_angular * noise_angular * kDt;
    params.r_contact_force = noise_force * noise_force * kDt;
    params.r_contact_torque = noise_torque * noise_torque * kDt;
    input.has_momentum = true;
  }

  /// What truly happens in a step, in steps of a hundredth of the filter's.
  void run(const std::array<double, 4>& throttle, const std::array<Wrench, 2>& feet = {}) {
    for (int step = 0; step < 100; ++step) {
      const double h = kDt / 100;
      Vec6 force = to_vec6(input.known);
      for (std::size_t i = 0; i < 4; ++i) {
        const auto& k = kP220;
        const double u = throttle[i], w = u + k[8] * u * u;
        const double acc = k[0] * T[i] + k[1] * T[i] * T[i] + k[2] * D[i] + k[3] * D[i] * D[i] +
                           k[4] * T[i] * D[i] + k[9] + (k[5] + k[6] * T[i] + k[7] * D[i]) * w;
        force = force + efficiency[i] * T[i] * input.column[i];
        T[i] += D[i] * h;
        D[i] += acc * h;
      }
      for (std::size_t j = 0; j < params.contacts; ++j)
        if (input.contact[j].touches)
          force = force + to_vec6(shift_to_origin(feet[j], input.contact[j].lever_m));
      momentum = momentum + h * force;
    }
    const auto noisy = [this](const Vec6& v, double first, double second) {
      Vec6 out = v;
      for (std::size_t r = 0; r < 6; ++r) out[r] += (r < 3 ? first : second) * random.normal();
      return out;
    };
    input.momentum = noisy(momentum, noise_linear, noise_angular);
    for (std::size_t j = 0; j < params.contacts; ++j)
      input.contact[j].measured = to_wrench(noisy(to_vec6(feet[j]), noise_force, noise_torque));
    for (std::size_t i = 0; i < 4; ++i) input.throttle[i] = throttle[i];
  }
  [[nodiscard]] double given(std::size_t i) const { return efficiency[i] * T[i]; }
};

std::array<double, 4> throttle_at(int step) {
  std::array<double, 4> u{};
  for (std::size_t i = 0; i < 4; ++i)
    u[i] = 55 + 20 * std::sin(0.013 * step + 1.7 * static_cast<double>(i));
  return u;
}

double worst_deviation(Craft& craft, MomentumFilterState& s, int steps, int from,
                       const std::array<Wrench, 2>& feet = {}) {
  std::array<double, 4> squares{};
  for (int step = 0; step < steps; ++step) {
    craft.run(throttle_at(step), feet);
    EXPECT_TRUE(update(craft.params, s, craft.input, kDt));
    for (std::size_t i = 0; i < 4 && step >= from; ++i)
      squares[i] += std::pow(s.thrust_N[i] - craft.given(i), 2);
  }
  double worst = 0;
  for (const double sum : squares) worst = std::max(worst, std::sqrt(sum / (steps - from)));
  return worst;
}

TEST(MomentumFilter, FindsEveryThrustInFlightWithoutMeasuringOne) {
  Craft craft;
  MomentumFilterState s = initial_state(craft.params);  // believes in no thrust at all
  EXPECT_LT(worst_deviation(craft, s, 2000, 300), 2);
  for (std::size_t i = 0; i < 4; ++i) {
    const double sigma = std::sqrt(thrust_variance(craft.params, s, i));
    EXPECT_GT(sigma, 0.1);
    EXPECT_LT(std::fabs(s.thrust_N[i] - craft.given(i)), 5 * sigma);
  }
}

TEST(MomentumFilter, FindsThemWhileTheFeetCarryAPart) {
  Craft craft(2);
  const std::array<Wrench, 2> feet{Wrench{{5, -3, 150}, {1, 2, 0.5}},
                                   Wrench{{-4, 2, 60}, {0, -1, 0.2}}};
  for (std::size_t j = 0; j < 2; ++j)
    craft.input.contact[j].touches = craft.input.contact[j].is_measured = true;
  craft.params.q_contact_force = 100;  // these carry the same all the time
  MomentumFilterState s = initial_state(craft.params);
  EXPECT_LT(worst_deviation(craft, s, 2000, 300, feet), 3);
  EXPECT_NEAR(s.contact[0].force.z, 150, 5);
  EXPECT_NEAR(s.contact[1].force.z, 60, 5);
  // and when they lift off, nothing is believed of them at once
  craft.input.contact[0].touches = craft.input.contact[1].touches = false;
  craft.run(throttle_at(0));
  ASSERT_TRUE(update(craft.params, s, craft.input, kDt));
  EXPECT_NEAR(norm(s.contact[0].force), 0, 1e-3);
  EXPECT_LT(worst_deviation(craft, s, 1000, 300), 3);
}

TEST(MomentumFilter, FindsATurbineThatGivesLessThanItsModelSays) {
  Craft craft;
  craft.efficiency[2] = 0.6;
  craft.params.q_rate = 4e4;  // models are not believed to the last newton
  MomentumFilterState s = initial_state(craft.params);
  worst_deviation(craft, s, 1000, 500);
  double share = 0;
  for (int step = 1000; step < 1500; ++step) {
    craft.run(throttle_at(step));
    ASSERT_TRUE(update(craft.params, s, craft.input, kDt));
    share += s.thrust_N[2] / craft.T[2] / 500;
  }
  EXPECT_NEAR(share, 0.6, 0.04);
  EXPECT_NEAR(s.thrust_N[1], craft.T[1], 10);
}

TEST(MomentumFilter, WithoutNoiseItStaysOnTheTruth) {
  // a turbine at rest, the weight carried: nothing may creep
  MomentumFilterParams p;
  p.jets.push_back({{}, 1000});
  MomentumFilterInput in;
  in.column[0] = {{0, 0, 1, 0, 0, 0}};
  in.known.force.z = -300;
  in.has_momentum = true;
  MomentumFilterState s = initial_state(p);
  s.thrust_N[0] = 300;
  for (int step = 0; step < 5000; ++step) ASSERT_TRUE(update(p, s, in, kDt));
  EXPECT_NEAR(s.thrust_N[0], 300, 1e-9);
  EXPECT_NEAR(s.momentum[2], 0, 1e-9);
}

TEST(MomentumFilter, ReachesTheKnownCovarianceOfADoubleIntegrator) {
  // h' = T, T' = noise of density q, h measured with R: Kalman and Bucy's closed form
  MomentumFilterParams p;
  p.jets.push_back({});
  p.q_thrust = 4;
  p.q_rate = p.q_force = p.q_torque = 0;
  p.r_linear = 0.25;
  MomentumFilterInput in;
  in.column[0] = {{0, 0, 1, 0, 0, 0}};
  in.has_momentum = true;
  MomentumFilterState s = initial_state(p);
  const std::size_t n = 8;
  for (std::size_t c = 0; c < n; ++c) s.covariance[n + c] = s.covariance[c * n + 1] = 0;
  for (int i = 0; i < 100000; ++i) ASSERT_TRUE(update(p, s, in, 1e-4));
  const double q = 4, r = 0.25;
  // T, T', h: rows 0, 1 and 2 to 7, of which h_z is row 4
  EXPECT_NEAR(s.covariance[4], std::sqrt(q * r), 1e-3);
  EXPECT_NEAR(s.covariance[4 * n + 4], std::sqrt(2.0) * std::pow(q, 0.25) * std::pow(r, 0.75),
              1e-3);
  EXPECT_NEAR(thrust_variance(p, s, 0), std::sqrt(2.0) * std::pow(q, 0.75) * std::pow(r, 0.25),
              3e-3);
}

TEST(MomentumFilter, KnowsWhatItCannotTellApart) {
  // two jets side by side on one line: their sum shows, their difference does not
  MomentumFilterParams p;
  p.jets.push_back({});
  p.jets.push_back({});
  p.q_rate = 0;
  MomentumFilterInput in;
  in.column[0] = in.column[1] = {{0, 0, 1, 0, 0, 0}};
  in.has_momentum = true;
  MomentumFilterState s = initial_state(p);
  for (int i = 0; i < 2000; ++i) {
    in.momentum[2] = 100 * kDt * (i + 1);
    ASSERT_TRUE(update(p, s, in, kDt));
  }
  EXPECT_NEAR(s.thrust_N[0] + s.thrust_N[1], 100, 0.1);
  const std::size_t n = 10;
  const double sum = s.covariance[0] + 2 * s.covariance[1] + s.covariance[n + 1];
  const double difference = s.covariance[0] - 2 * s.covariance[1] + s.covariance[n + 1];
  EXPECT_LT(sum, 10);
  EXPECT_GT(difference, 1000);
}

TEST(MomentumFilter, RunsOnItsModelWhileNothingIsMeasured) {
  Craft craft;
  MomentumFilterState s = initial_state(craft.params);
  worst_deviation(craft, s, 500, 0);
  craft.input.has_momentum = false;
  for (int step = 500; step < 800; ++step) {
    craft.run(throttle_at(step));
    ASSERT_TRUE(update(craft.params, s, craft.input, kDt));
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(s.thrust_N[i], craft.given(i), 2);
}

TEST(MomentumFilter, StaysFiniteAndPossibleWhateverComes) {
  Craft craft(2);
  RandomStream random(2, "anything");
  const auto wild = [&random] {
    return random.uniform(-1, 1) * std::pow(10.0, random.uniform(-300, 308));
  };
  MomentumFilterState s = initial_state(craft.params);
  const std::size_t n = 26;  // four jets and two feet, as the original
  for (int i = 0; i < 3000; ++i) {
    for (std::size_t r = 0; r < 6; ++r) craft.input.momentum[r] = wild();
    for (double& u : craft.input.throttle) u = wild();
    for (std::size_t j = 0; j < 2; ++j) {
      craft.input.contact[j].touches = random.uniform(0, 1) < 0.5;
      craft.input.contact[j].is_measured = random.uniform(0, 1) < 0.5;
      craft.input.contact[j].measured.force = {wild(), wild(), wild()};
    }
    (void)update(craft.params, s, craft.input, std::pow(10.0, random.uniform(-9, 3)));
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_TRUE(s.thrust_N[k] >= 0 && s.thrust_N[k] <= 220);
      ASSERT_TRUE(std::isfinite(s.rate_N_s[k]));
    }
    for (std::size_t r = 0; r < n; ++r) {
      ASSERT_GT(s.covariance[r * n + r], 0);
      for (std::size_t c = 0; c < r; ++c) {
        ASSERT_EQ(s.covariance[r * n + c], s.covariance[c * n + r]);
        ASSERT_LE(std::pow(s.covariance[r * n + c], 2),
                  s.covariance[r * n + r] * s.covariance[c * n + c] * (1 + 1e-12));
      }
    }
  }
}

TEST(MomentumFilter, RefusesAStepItCannotTakeAndKeepsItsState) {
  Craft craft;
  MomentumFilterState s = initial_state(craft.params);
  worst_deviation(craft, s, 50, 0);
  const MomentumFilterState before = s;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  MomentumFilterInput in = craft.input;
  in.column[1][4] = nan;
  EXPECT_FALSE(update(craft.params, s, in, kDt));
  in = craft.input;
  in.known.torque.x = nan;
  EXPECT_FALSE(update(craft.params, s, in, kDt));
  for (const double dt : {nan, 0.0, -0.01, 1e9})
    EXPECT_FALSE(update(craft.params, s, craft.input, dt));
  EXPECT_EQ(s.thrust_N, before.thrust_N);
  EXPECT_EQ(s.covariance, before.covariance);
}

TEST(MomentumFilter, DoesNotAllocate) {
  Craft craft(2);
  MomentumFilterState s = initial_state(craft.params);
  const auto before = testing::heap_allocations();
  EXPECT_TRUE(update(craft.params, s, craft.input, kDt));
  EXPECT_EQ(testing::heap_allocations(), before);
}

TEST(MomentumFilter, RefusesParametersThatMeanNothing) {
  const Craft craft;
  EXPECT_TRUE(check(craft.params).empty());
  MomentumFilterParams p = craft.params;
  p.contacts = 3;
  p.q_force = -1;
  p.r_linear = 0;
  p.jets[1].max_thrust_N = 0;
  p.jets[2].coefficients[4] = std::nan("");
  EXPECT_EQ(check(p).size(), 5U);
}

}  // namespace
}  // namespace pintle::estimation
