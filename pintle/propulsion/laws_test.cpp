// The laws that every propulsor keeps, whatever its kind: one description each, one suite for all.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/propulsion/batch.h"
#include "pintle/testing/heap_counter.h"

namespace pintle::propulsion {
namespace {

static_assert(std::is_trivially_copyable_v<JetParams> && std::is_trivially_copyable_v<JetState>);
static_assert(std::is_trivially_copyable_v<EngineParams> &&
              std::is_trivially_copyable_v<EngineState>);
static_assert(std::is_trivially_copyable_v<PropellerParams> &&
              std::is_trivially_copyable_v<FinParams> && std::is_trivially_copyable_v<TankParams> &&
              std::is_trivially_copyable_v<TankState>);

using Numbers = std::vector<double>;

/// One kind of propulsor, behind functions over plain numbers.
struct Kind {
  std::string name;
  std::size_t inputs = 1;
  double dt = 1.0 / 240;
  /// Steps a state that it holds; answers force, torque.
  std::function<Vec6(const Numbers& in, double dt)> step;
  std::function<void()> reset;
  /// Null where the model has no bounds to state.
  std::function<Linearised(double horizon)> linearise;
  std::function<Numbers(const Numbers& effort, double dt)> invert;
  /// Numbers of the state, to be looked at.
  std::function<Numbers()> state;
  /// Brings it where it can be made linear.
  std::function<void()> warm_up;
  bool law_in_one_step = true;  ///< step(invert(effort)) is what linearise says, at once.
};

constexpr double kSmall = 1.0 / 240;

BoosterParams rocket(Behaviour b) {
  BoosterParams p;
  p.tau_s = 0.02;
  p.total_fuel_mass_kg = 50;
  p.max_fuel_rate_kg_s = 1.5;
  p.min_thrust_N = 2000;
  p.max_thrust_N = 7600;
  p.noise_ratio = 0.01;
  p.thrust_unit = {0, 0.6, 0.8};
  p.behaviour = b;
  return p;
}
GimbalParams gimbal(Behaviour b) { return {{1, 0, 0}, {0, 0.8, -0.6}, 0.03, {6, 8}, b}; }

Kind booster_kind(Behaviour b, const char* name) {
  const auto p = rocket(b);
  auto s = std::make_shared<BoosterState>();
  Kind k;
  k.name = name;
  k.inputs = 3;
  k.step = [=](const Numbers& u, double dt) {
    return to_vec6(step(p, *s, {u[0], u[1], u[2]}, {}, {}, dt).wrench_P);
  };
  k.reset = [=] { *s = {}; };
  k.linearise = [=](double h) { return linearise(p, *s, {}, h); };
  k.invert = [=](const Numbers& e, double) {
    const BoosterInput i = invert(p, *s, e[0]);
    return Numbers{i.ignition, i.pwm, 0};
  };
  k.state = [=] { return Numbers{s->lit, s->fuel_ratio, s->throttle}; };
  k.warm_up = [=] {
    for (int i = 0; i < 5; ++i) (void)step(p, *s, {1, 0.5, 0}, {}, {}, kSmall);
  };
  return k;
}

Kind engine_kind() {
  const EngineParams p{rocket(Behaviour::kPhysical), gimbal(Behaviour::kPhysical)};
  auto s = std::make_shared<EngineState>();
  Kind k;
  k.name = "engine";
  k.inputs = 5;
  k.step = [=](const Numbers& u, double dt) {
    return to_vec6(step(p, *s, {u[0], u[1], u[2], {u[3], u[4]}}, {}, {}, dt).wrench_P);
  };
  k.reset = [=] { *s = {}; };
  k.linearise = [=](double h) { return linearise(p, *s, {}, h); };
  k.invert = [=](const Numbers& e, double) {
    const EngineInput i = invert(p, *s, {e[0], e[1], e[2]});
    return Numbers{i.ignition, i.pwm, 0, i.gimbal.command_1, i.gimbal.command_2};
  };
  k.state = [=] {
    return Numbers{s->booster.lit, s->booster.fuel_ratio, s->booster.throttle, s->gimbal.q_1,
                   s->gimbal.q_2};
  };
  // steady: the linear picture is drawn about a thrust that stands
  k.warm_up = [=] {
    for (int i = 0; i < 200; ++i) (void)step(p, *s, {1, 0.5, 0, {}}, {}, {}, kSmall);
  };
  return k;
}

Kind propeller_kind(Behaviour b, const char* name) {
  const PropellerParams p{0.05, 25000, 3.16e-10, 7.94e-12, {0, 0, 1}, 0.02, 0, 0, b};
  auto s = std::make_shared<PropellerState>();
  Kind k;
  k.name = name;
  k.inputs = 2;
  k.step = [=](const Numbers& u, double dt) {
    return to_vec6(step(p, *s, {u[0], u[1]}, {}, {}, dt).wrench_P);
  };
  k.reset = [=] { *s = {}; };
  k.linearise = [=](double h) { return linearise(p, *s, {}, h); };
  k.invert = [=](const Numbers& e, double) { return Numbers{invert(p, e[0], {}).pwm, 0}; };
  k.state = [=] { return Numbers{s->throttle}; };
  k.warm_up = [=] { s->throttle = 0.6; };
  return k;
}

Kind fin_kind(Behaviour b, const char* name) {
  FinParams p;
  p.chord_m = p.span_m = 0.5;
  p.tau_s = 0.05;
  p.behaviour = b;
  auto s = std::make_shared<FinState>();
  Kind k;
  k.name = name;
  k.inputs = 4;
  k.step = [=](const Numbers& u, double dt) {
    return to_vec6(step(p, *s, u[0], {{u[1], u[2], u[3]}, 1.2, 16}, dt));
  };
  k.reset = [=] { *s = {}; };
  k.linearise = [=](double h) { return linearise(p, *s, {{-40, 1, -3}, 1.2, 16}, h, h); };
  k.invert = [=](const Numbers& e, double dt_s) {
    return Numbers{invert(p, *s, e[0], dt_s), -40, 1, -3};
  };
  k.state = [=] { return Numbers{s->actuation}; };
  k.warm_up = [=] { s->actuation = 0.1; };
  return k;
}

Kind jet_kind(JetParams p, const char* name) {
  p.max_rate_N_s = 400;
  auto s = std::make_shared<JetState>();
  Kind k;
  k.name = name;
  k.step = [=](const Numbers& u, double dt) {
    return to_vec6(step(p, *s, {u[0]}, {}, {}, dt).wrench_P);
  };
  k.reset = [=] { *s = {}; };
  k.linearise = [=](double h) { return linearise(p, *s, {}, h); };
  k.invert = [=](const Numbers& e, double dt) { return Numbers{invert(p, *s, e[0], dt).value}; };
  k.state = [=] { return Numbers{s->thrust_N, s->rate_N_s}; };
  k.warm_up = [=] { s->thrust_N = 60; };
  k.law_in_one_step = p.model != JetModel::kNonlinear;
  return k;
}

Kind gimbal_kind(Behaviour b, const char* name) {
  const GimbalParams p = gimbal(b);
  auto s = std::make_shared<GimbalState>();
  const Vec3 thrust{0, 300, 400};
  Kind k;
  k.name = name;
  k.inputs = 2;
  k.step = [=](const Numbers& u, double dt) {
    return to_vec6(Wrench{step(p, *s, {u[0], u[1]}, dt) * thrust, {}});
  };
  k.reset = [=] { *s = {}; };
  k.linearise = [=](double h) { return linearise(p, *s, thrust, h); };
  k.invert = [](const Numbers& e, double) { return Numbers{e[0], e[1]}; };
  k.state = [=] { return Numbers{s->q_1, s->q_2}; };
  k.warm_up = [=] { *s = {0.2, -0.1}; };
  return k;
}

std::vector<Kind> all_kinds() {
  JetParams first;
  first.max_thrust_N = 220;
  first.jet_axis = {0, 0, -1};
  first.inverse_time_constant_per_s = 0.2;
  JetParams lag = first;
  lag.inverse_time_constant_per_s = 0;
  lag.tau_s = 0.5;
  JetParams direct = first;
  direct.model = JetModel::kDirect;
  return {booster_kind(Behaviour::kPhysical, "booster"),
          booster_kind(Behaviour::kReference, "booster of the original"),
          engine_kind(),
          gimbal_kind(Behaviour::kPhysical, "gimbal"),
          gimbal_kind(Behaviour::kReference, "gimbal of the original"),
          propeller_kind(Behaviour::kPhysical, "propeller"),
          propeller_kind(Behaviour::kReference, "propeller of the original"),
          fin_kind(Behaviour::kPhysical, "fin"),
          fin_kind(Behaviour::kReference, "fin of the original"),
          jet_kind(first, "jet, first order"),
          jet_kind(lag, "jet, stable lag"),
          jet_kind(direct, "jet, direct"),
          jet_kind(*jet_library("p220_kerosene"), "jet, nonlinear")};
}

void expect_finite(const Kind& k, const Vec6& w) {
  ASSERT_TRUE(is_finite(w)) << k.name;
  for (double x : k.state()) ASSERT_TRUE(std::isfinite(x)) << k.name;
}

TEST(Laws, FiniteInputOfAnySizeGivesFiniteOutput) {
  for (Kind& k : all_kinds()) {
    RandomStream random(1, k.name);
    for (int i = 0; i < 3000; ++i) {
      if (i % 50 == 0) k.reset();
      Numbers u(k.inputs);
      for (double& x : u) x = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-300, 308));
      expect_finite(k, k.step(u, std::pow(10.0, random.uniform(-9, 3))));
    }
  }
}

TEST(Laws, NoNanPassesThroughAnyLimiter) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (Kind& k : all_kinds()) {
    for (std::size_t bad = 0; bad < k.inputs; ++bad) {
      for (const double x : {kNan, kInf, -kInf}) {
        k.reset();
        Numbers u(k.inputs, 0.6);
        u[bad] = x;
        expect_finite(k, k.step(u, k.dt));
        expect_finite(k, k.step(Numbers(k.inputs, 0.6), k.dt));
      }
    }
    for (const double dt : {kNan, kInf, -1.0, 0.0})
      expect_finite(k, k.step(Numbers(k.inputs, 1), dt));
    const Linearised l = k.linearise(kNan);
    for (std::size_t i = 0; i < l.n; ++i)
      for (double x : k.invert(Numbers(3, kNan), k.dt))
        EXPECT_TRUE(std::isfinite(x) || std::isnan(x) == (k.name.starts_with("gimbal"))) << k.name;
  }
}

TEST(Laws, WhatIsNotFiniteCountsAsZero) {
  for (Kind& k : all_kinds()) {
    const auto three_steps = [&k](std::size_t at, double x) {
      k.reset();
      Numbers u(k.inputs, 0.6);
      u[at] = x;
      std::vector<Vec6> out;
      for (int i = 0; i < 3; ++i) out.push_back(k.step(u, k.dt));
      return out;
    };
    for (std::size_t bad = 0; bad < k.inputs; ++bad)
      for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")})
        // of either sign: straight from behind a fin stalls to one side or the other
        EXPECT_TRUE(three_steps(bad, x) == three_steps(bad, 0.0) ||
                    three_steps(bad, x) == three_steps(bad, -0.0))
            << k.name << " input " << bad << " " << x;
    if (!k.invert || k.name.starts_with("gimbal")) continue;
    for (const double x : {HUGE_VAL, -HUGE_VAL}) {
      k.reset();
      k.warm_up();
      EXPECT_EQ(k.invert(Numbers(3, x), k.dt), k.invert(Numbers(3, 0.0), k.dt)) << k.name;
    }
  }
}

TEST(Laws, LinearisationIsTheDerivativeOfTheStep) {
  for (const char* only :
       {"booster", "engine", "gimbal", "gimbal of the original", "propeller",
        "propeller of the original", "fin", "fin of the original", "booster of the original",
        "jet, first order", "jet, stable lag", "jet, direct"}) {
    for (Kind& prototype : all_kinds()) {
      if (prototype.name != only) continue;
      // every evaluation starts from the same state
      const auto at = [&](const Numbers& effort, double horizon) {
        prototype.reset();
        prototype.warm_up();
        return prototype.step(prototype.invert(effort, horizon), horizon);
      };
      for (const double horizon : {0.004, 0.015}) {
        prototype.reset();
        prototype.warm_up();
        const Linearised l = prototype.linearise(horizon);
        ASSERT_GE(l.n, 1U);
        // the efforts that keep it as it is
        Numbers e(3, 0.0);
        if (prototype.name.starts_with("booster") || prototype.name == "engine")
          e[0] = prototype.state()[2] * 7600;
        else if (prototype.name.starts_with("propeller"))
          e[0] = 3.16e-10 * std::pow(0.6 * 25000, 2);
        else if (prototype.name.starts_with("jet"))
          e[0] = 60;
        else if (prototype.name.starts_with("fin"))
          e[0] = 0.1;
        else
          e = {0.2, -0.1, 0};
        Vec6 predicted = to_vec6(l.bias_P);
        double scale = 1e-9;
        for (std::size_t i = 0; i < l.n; ++i) {
          EXPECT_GE(e[i], l.lower[i]) << only;
          EXPECT_LE(e[i], l.upper[i]) << only;
          predicted = predicted + e[i] * to_vec6(l.column_P[i]);
          scale += norm(to_vec6(l.column_P[i]));
        }
        EXPECT_LT(norm(at(e, horizon) - predicted), 1e-6 * norm(predicted)) << only;
        for (std::size_t i = 0; i < l.n; ++i) {
          const double h = only[0] == 'g' || only[0] == 'f' || only[0] == 'p' ? 1e-5 : 1e-3;
          Numbers up = e, down = e;
          up[i] += h;
          down[i] -= h;
          const Vec6 slope = (1 / (2 * h)) * (at(up, horizon) - at(down, horizon));
          EXPECT_LT(norm(slope - to_vec6(l.column_P[i])), 2e-5 * scale) << only << " " << i;
        }
      }
    }
  }
}

TEST(Laws, TheInverseGivesTheEffortThatWasAskedFor) {
  for (Kind& k : all_kinds()) {
    if (!k.law_in_one_step) continue;
    k.reset();
    k.warm_up();
    const Linearised l = k.linearise(10);
    if (l.n != 1 || k.name.starts_with("fin")) continue;
    double before = -1e300;
    for (const double share : {0.4, 0.6, 0.9}) {
      const double effort = l.lower[0] + share * (l.upper[0] - l.lower[0]);
      Vec6 w;
      for (int i = 0; i < 1200; ++i) w = k.step(k.invert({effort}, k.dt), k.dt);
      EXPECT_NEAR(std::copysign(norm(to_wrench(w).force), effort), effort, 1e-6 * std::fabs(effort))
          << k.name;
      EXPECT_GT(effort, before) << "more effort is more thrust";
      before = effort;
    }
  }
}

TEST(Laws, ThrustStaysWithinItsLimitsAndRisesWithTheInput) {
  for (Kind& k : all_kinds()) {
    if (k.name.starts_with("gimbal") || k.name.starts_with("fin")) continue;
    const double full = k.name.starts_with("jet") ? 220 : k.name.starts_with("prop") ? 1 : 7600;
    double before = -1;
    for (const double share : {0.1, 0.3, 0.5, 0.7, 1.0, 3.0}) {
      k.reset();
      const double in = k.name.starts_with("jet") ? share * 100 : share;
      Numbers u(k.inputs, 0.0);
      u[0] = in;
      if (k.inputs >= 3) u = Numbers(k.inputs, 0.0), u[0] = 1, u[1] = in;
      Vec6 w;
      for (int i = 0; i < 480; ++i) w = k.step(u, k.dt);
      const double thrust = norm(to_wrench(w).force);
      EXPECT_GE(thrust, before - 1e-9) << k.name;
      EXPECT_LE(thrust, full * (1 + 1e-9)) << k.name;
      before = thrust;
    }
  }
}

TEST(Laws, NoThrustWithoutIgnitionOrFuel) {
  for (const Behaviour b : {Behaviour::kPhysical, Behaviour::kReference}) {
    const BoosterParams p = rocket(b);
    BoosterState cold, empty{1, 0, 0.8};
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(step(p, cold, {0, 1, 1}, {}, {}, kSmall).thrust_N, 0);
      EXPECT_EQ(step(p, empty, {1, 1, 1}, {}, {}, kSmall).thrust_N, 0);
    }
    EXPECT_EQ(cold.fuel_ratio, 1);
    EXPECT_EQ(linearise(p, empty, {}, 1).upper[0], 0);
  }
}

TEST(Laws, MassIsConservedToRounding) {
  for (const Behaviour b : {Behaviour::kPhysical, Behaviour::kReference}) {
    const BoosterParams p = rocket(b);
    BoosterState s;
    double burnt = 0;
    RandomStream random(5, "mass");
    for (int i = 0; i < 12000; ++i) {
      const double dt = random.uniform(0.001, 0.005);
      burnt += step(p, s, {random.uniform(0, 2), random.uniform(0, 1), random.normal()}, {}, {}, dt)
                   .demand.mass_flow_kg_s *
               dt;
      ASSERT_NEAR(burnt + fuel_of(p, s).mass_kg, 50, 50e-12);
    }
    EXPECT_LT(s.fuel_ratio, 0.5);
  }
}

TEST(Laws, ShorterStepsConverge) {
  // one second of changing input in steps of 4, 2, 1 ms: differences at the end shrink
  for (Kind& k : all_kinds()) {
    const auto run = [&](int per_tenth) {
      k.reset();
      Vec6 w;
      for (int i = 0; i < 10; ++i) {
        Numbers u(k.inputs, 0.0);
        u[0] = k.name.starts_with("jet") ? 40 + 5 * i : 0.3 + 0.05 * i;
        if (k.inputs >= 3 && !k.name.starts_with("fin")) u[0] = 1, u[1] = 0.05 * i;
        if (k.name.starts_with("fin")) u[1] = -40, u[2] = 1, u[3] = 2;
        if (k.inputs == 5) u[3] = 0.4, u[4] = -0.2;
        for (int j = 0; j < per_tenth; ++j) w = k.step(u, 0.1 / per_tenth);
      }
      return w;
    };
    const Vec6 coarse = run(25), fine = run(50), finest = run(100);
    const double a = norm(coarse - fine), b = norm(fine - finest);
    EXPECT_LE(b, 0.75 * a + 1e-9 * norm(finest)) << k.name << " " << a << " " << b;
    EXPECT_LT(b, 0.02 * norm(finest)) << k.name;
  }
}

TEST(Laws, StepsDoNotAllocate) {
  for (Kind& k : all_kinds()) {
    const Numbers u(k.inputs, 0.5);
    k.reset();
    const auto before = testing::heap_allocations();
    for (int i = 0; i < 10; ++i) (void)k.step(u, k.dt);
    EXPECT_EQ(testing::heap_allocations(), before) << k.name;
  }
}

// ---------------------------------------------------------------------------------------------
// batches

/// Every lane of a batch against the kernel alone, bit for bit, for each set of instructions.
template <class K>
void expect_same_bits(const std::vector<typename K::Consts>& consts, double input_scale) {
  using In = std::array<double, kColumns<typename K::In>>;
  constexpr std::size_t kLanes = 67;
  for (const char* set : {"baseline", "avx2", "avx512"}) {
    limit_batch_instructions(set);
    for (const bool shared : {true, false}) {
      Batch<K> batch(kLanes);
      if (shared) batch.share(consts[0]);
      std::vector<typename K::State> alone(kLanes);
      for (std::size_t j = 0; j < kLanes; ++j) {
        if (!shared) batch.consts(j, consts[j % consts.size()]);
        batch.set_state(j, alone[j]);
      }
      RandomStream random(7, set);
      for (int i = 0; i < 60; ++i) {
        std::vector<In> in(kLanes);
        for (std::size_t j = 0; j < kLanes; ++j)
          for (std::size_t c = 0; c < in[j].size(); ++c)
            batch.in(c)[j] = in[j][c] = input_scale * random.uniform(-0.5, 1.1);
        // uneven parts, as threads would
        batch.step(0, 13);
        batch.step(13, kLanes);
        for (std::size_t j = 0; j < kLanes; ++j) {
          const auto out = K::update(consts[shared ? 0 : j % consts.size()], alone[j],
                                     std::bit_cast<typename K::In>(in[j]));
          const auto numbers = std::bit_cast<std::array<double, kColumns<typename K::Out>>>(out);
          for (std::size_t c = 0; c < numbers.size(); ++c)
            ASSERT_EQ(std::bit_cast<std::uint64_t>(batch.out(c)[j]),
                      std::bit_cast<std::uint64_t>(numbers[c]))
                << set << " lane " << j << " column " << c << " step " << i;
          using StateBits = std::array<std::uint64_t, kColumns<typename K::State>>;
          ASSERT_EQ(std::bit_cast<StateBits>(batch.state(j)), std::bit_cast<StateBits>(alone[j]));
        }
      }
    }
  }
  limit_batch_instructions("");
}

TEST(Batch, EveryLaneGivesTheBitsOfTheScalarStep) {
  BoosterParams other = rocket(Behaviour::kPhysical);
  other.reignitable = false;
  other.total_fuel_mass_kg = 0.3;
  const auto boosters =
      std::vector{prepare(rocket(Behaviour::kPhysical), kSmall), prepare(other, kSmall)};
  expect_same_bits<BoosterPhysicalKernel>(boosters, 1);
  expect_same_bits<BoosterReferenceKernel>({prepare(rocket(Behaviour::kReference), kSmall)}, 1);
  GimbalParams wide = gimbal(Behaviour::kReference);
  wide.range_deg = {170, 100};
  expect_same_bits<GimbalKernel>(
      {prepare(gimbal(Behaviour::kPhysical), kSmall), prepare(wide, kSmall)}, 1);
  const EngineParams engine{rocket(Behaviour::kPhysical), wide};
  expect_same_bits<EnginePhysicalKernel>({prepare(engine, kSmall)}, 1);
  expect_same_bits<EngineReferenceKernel>({prepare(engine, kSmall)}, 1);
  PropellerParams propeller{0.05, 25000, 3e-10, 8e-12, {0, 0, 1}, 0.02, 1e-6, 0, {}};
  expect_same_bits<PropellerKernel>({prepare(propeller, {}, kSmall)}, 1);
  FinParams fin;
  fin.chord_m = fin.span_m = 0.5;
  expect_same_bits<FinKernel>({prepare(fin, 1.2, kSmall)}, 30);
  const JetParams& jet = *jet_library("p220_kerosene");
  expect_same_bits<JetNonlinearKernel>({prepare(jet, 0.01)}, 100);
  expect_same_bits<JetFirstOrderKernel>({prepare(jet, 0.01)}, 300);
  expect_same_bits<JetDirectKernel>({prepare(jet, 0.01)}, 300);
  JetParams lag = jet;
  lag.tau_s = 0.4;
  expect_same_bits<JetLagKernel>({prepare(lag, 0.01)}, 300);
}

TEST(Batch, SteppingDoesNotAllocate) {
  Batch<EnginePhysicalKernel> batch(1000);
  batch.share(
      prepare(EngineParams{rocket(Behaviour::kPhysical), gimbal(Behaviour::kPhysical)}, kSmall));
  batch.step(0, 10);
  const auto before = testing::heap_allocations();
  batch.step(0, batch.size());
  EXPECT_EQ(testing::heap_allocations(), before);
}

}  // namespace
}  // namespace pintle::propulsion
