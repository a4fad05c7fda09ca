#include "pintle/world/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "pintle/testing/heap_counter.h"
#include "pintle/world/body_dynamics.h"

namespace pintle::world {
namespace {

propulsion::Thruster thruster(double tau_s = 0, double max = 50) {
  propulsion::ThrusterParams p;
  p.min_effort = -max;
  p.max_effort = max;
  p.tau_s = tau_s;
  return propulsion::Thruster(p);
}

// 10 kg, neutral in water of 1000 kg/m3, no drag: force over mass is all that happens
vehicle::Vehicle simple_vehicle(double tau_s = 0) {
  vehicle::Vehicle v;
  v.name = "simple";
  v.body.mass_kg = 10;
  v.body.inertia_kgm2 = {1, 2, 4};
  v.body.volume_m3 = 0.01;
  v.propulsors.push_back({"A", {{}, {1, 0, 0}}, thruster(tau_s)});
  v.propulsors.push_back({"B", {{}, {1, 0, 0}}, thruster(tau_s)});
  return v;
}

// eight thrusters with a lag, everything that water does
vehicle::Vehicle full_vehicle() {
  vehicle::Vehicle v = simple_vehicle(0.1);
  v.body.center_of_mass_m = {0.01, 0, -0.03};
  v.body.center_of_buoyancy_m = {0, 0, 0.04};
  v.body.inertia_products_kgm2 = {0.05, 0.02, 0.01};
  v.hydrodynamics = {{5, 8, 10, 0.2, 0.3, 0.3}, {8, 10, 12, 1, 1, 1}, {20, 30, 40, 2, 2, 2}};
  v.propulsors.clear();
  const double h = std::sqrt(0.5);
  for (int i = 0; i < 8; ++i) {
    const double sx = i & 1 ? -1 : 1, sy = i & 2 ? -1 : 1;
    const Vec3 d = i < 4 ? Vec3{h, -sx * sy * h, 0} : Vec3{0, 0, 1};
    v.propulsors.push_back({std::string(1, static_cast<char>('A' + i)),
                            {{0.3 * sx, 0.25 * sy, 0.02}, d},
                            thruster(0.1)});
  }
  return v;
}

WorldParams deep() {
  WorldParams p;
  p.start_position_m = {0, 0, -50};
  return p;
}

// everything that draws random numbers
WorldParams restless() {
  WorldParams p = deep();
  p.water.current = {{0.1, 0.05, 0}, {0.05, 0, 0.02}, 20, 0.05, 10};
  p.odometry = {50, 0.02, 0.1, 0.1, 0.01, 0.5, 0.02, 0.5, 0.1, 1};
  p.truth = {0.03, 0.1, 0.2, 0.2, 0.01, 0.05, 0.005, 1.3, 0.003};
  p.faults = {{"A", FaultKind::kWeak, 1, 1e9, 0.3, true},
              {"B", FaultKind::kDelayed, 0.5, 2, 0.15, false},
              {"C", FaultKind::kSlow, 0.2, 1.5, 4, false}};
  return p;
}

ChannelVector commands(std::initializer_list<double> values) {
  ChannelVector c;
  for (double v : values) c.push_back(v);
  return c;
}

Time at(double s) { return Time::from_seconds(s); }

// ---- motion

TEST(World, ATurnedAndMovedThrusterGivesTheAccelerationComputedByHand) {
  vehicle::Vehicle v = simple_vehicle();
  v.propulsors.pop_back();
  v.propulsors[0].mount = {{0.2, -0.1, 0.3}, {0.86602540378443865, 0.5, 0}};
  v.unit = {true, 8};
  World w(v, deep(), 1);
  // command 0.4 of a bound of 50 is an effort of 20, at 8 N each: 160 N
  w.advance(commands({0.4}), 0, at(0.001));
  const Truth t = w.truth();
  EXPECT_NEAR(t.thrust_N[0], 160, 1e-12);
  EXPECT_NEAR(t.propulsion.force.x, 138.56406460551018, 1e-10);
  EXPECT_NEAR(t.propulsion.force.y, 80, 1e-10);
  // p x d = (-0.15, 0.25980762, 0.18660254)
  EXPECT_NEAR(t.propulsion.torque.x, -24, 1e-10);
  EXPECT_NEAR(t.propulsion.torque.y, 41.569219381653056, 1e-10);
  EXPECT_NEAR(t.propulsion.torque.z, 29.856406460551018, 1e-10);
  // one millisecond over 10 kg and 1, 2, 4 kg m2; what turning adds is below 1e-3 of it
  EXPECT_NEAR(t.V_WB_B.v.x, 0.013856406460551018, 1e-5);
  EXPECT_NEAR(t.V_WB_B.w.x, -0.024, 2e-5);
  EXPECT_NEAR(t.V_WB_B.w.y, 0.020784609690826528, 2e-5);
  EXPECT_NEAR(t.V_WB_B.w.z, 0.0074641016151377546, 2e-5);
}

TEST(World, ThrustFollowsItsLagExactly) {
  World w(simple_vehicle(0.2), deep(), 1);
  w.advance(commands({0.5, -0.2}), 0, at(0.3));
  // 25 N and -10 N, behind a first-order lag of 0.2 s
  const double reached = 1 - std::exp(-1.5);
  EXPECT_NEAR(w.truth().thrust_N[0], 25 * reached, 1e-11);
  EXPECT_NEAR(w.truth().thrust_N[1], -10 * reached, 1e-11);
  // momentum is the sum of the forces held in each step: integral plus half a step of the last
  const double impulse = 15 * (0.3 - 0.2 * reached);
  EXPECT_NEAR(w.truth().V_WB_B.v.x, (impulse + 0.0005 * 15 * reached) / 10, 1e-6);
}

TEST(World, AdvancesByWholeStepsAndNotBeyond) {
  World w(simple_vehicle(), deep(), 1);
  w.advance({}, 0, at(0.0029999));
  EXPECT_EQ(w.now().ns, 2'000'000);
  w.advance({}, 0, at(0.003));
  EXPECT_EQ(w.now().ns, 3'000'000);
  w.advance({}, 0, at(0.001));
  EXPECT_EQ(w.now().ns, 3'000'000);
}

TEST(World, StartsWhereItIsTold) {
  WorldParams p = deep();
  p.start_rpy_deg = {0, 0, 90};
  World w(simple_vehicle(), p, 1);
  w.advance(commands({1, 1}), 0, at(0.1));
  // 100 N over 10 kg for 0.1 s, along the world's y
  EXPECT_NEAR(w.truth().X_WB.p.y, 0.05, 1e-12);
  EXPECT_NEAR(w.truth().X_WB.p.x, 0, 1e-12);
  EXPECT_NEAR(w.truth().X_WB.p.z, -50, 1e-12);
}

TEST(World, ItsSeedDrawsItsWind) {
  WorldParams p = deep();
  p.start_position_m = {0, 0, 20};
  p.air.emplace();
  p.air->wind_up_to_m_s = 4;
  const auto wind = [&](std::uint64_t seed) {
    return World(simple_vehicle(), p, seed).truth().wind_W;
  };
  EXPECT_GT(norm(wind(1)), 0);
  EXPECT_LE(norm(wind(1)), 4);
  EXPECT_GT(norm(wind(1) - wind(2)), 1e-3);
  EXPECT_EQ(wind(2), wind(2));
}

TEST(World, AWaveCarriesANeutralBodyAlong) {
  vehicle::Vehicle v = simple_vehicle();
  v.hydrodynamics.added_mass = {5, 5, 5, 0, 0, 0};
  WorldParams p = deep();
  p.water.current.wave_m_s = {0.3, 0, 0};
  p.water.current.wave_period_s = 4;
  World w(v, p, 1);
  w.advance({}, 0, at(1));
  EXPECT_NEAR(w.truth().current_W.x, 0.3, 1e-12);
  EXPECT_NEAR(w.truth().V_WB_B.v.x, 0.3, 1e-9);
}

// ---- commands that are not what they should be

TEST(World, CommandsThatAreMissingOrNotFiniteAreNeutral) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (const ChannelVector& c :
       {commands({nan, 0.2}), commands({inf, 0.2}), commands({-inf, 0.2, 7, 7})}) {
    World w(simple_vehicle(), deep(), 1);
    w.advance(commands({0.5, 0.5}), 0, at(0.1));
    w.advance(c, 0, at(0.2));
    EXPECT_EQ(w.truth().thrust_N, commands({0, 10}));
  }
  World w(simple_vehicle(), deep(), 1);
  w.advance(commands({0.5}), 0, at(0.1));
  EXPECT_EQ(w.truth().thrust_N, commands({25, 0}));
}

// ---- faults

// thrust of A under a fault from 1 s to 2 s; asked for 20 N
double thrust_under(FaultKind kind, double value, double when) {
  WorldParams p = deep();
  p.faults = {{"A", kind, 1, 2, value, false}};
  World w(simple_vehicle(), p, 1);
  w.advance(commands({0.4, 0}), 0, at(when));
  return w.truth().thrust_N[0];
}

TEST(World, FaultsChangeTheThrustWhileTheyLast) {
  for (const auto& [kind, value, thrust] :
       {std::tuple{FaultKind::kDead, 0.0, 0.0}, std::tuple{FaultKind::kStuck, -7.0, -7.0},
        std::tuple{FaultKind::kReversed, 0.0, -20.0}, std::tuple{FaultKind::kWeak, 0.3, 6.0}}) {
    EXPECT_EQ(thrust_under(kind, value, 1), 20) << to_string(kind);
    EXPECT_NEAR(thrust_under(kind, value, 1.001), thrust, 1e-12) << to_string(kind);
    EXPECT_NEAR(thrust_under(kind, value, 2), thrust, 1e-12) << to_string(kind);
    EXPECT_EQ(thrust_under(kind, value, 2.001), 20) << to_string(kind);
  }
}

TEST(World, AStuckThrusterGivesNoMoreThanItsBounds) {
  EXPECT_EQ(thrust_under(FaultKind::kStuck, 1e6, 1.5), 50);
}

TEST(World, ASlowThrusterTakesLonger) {
  WorldParams p = deep();
  p.faults = {{"A", FaultKind::kSlow, 0, 1e9, 3, false}};
  World w(simple_vehicle(0.1), p, 1);
  w.advance(commands({0.4, 0.4}), 0, at(0.3));
  EXPECT_NEAR(w.truth().thrust_N[0], 20 * (1 - std::exp(-1.0)), 1e-11);
  EXPECT_NEAR(w.truth().thrust_N[1], 20 * (1 - std::exp(-3.0)), 1e-11);
}

TEST(World, ADelayedThrusterHearsWhatWasSaidBefore) {
  WorldParams p = deep();
  p.faults = {{"A", FaultKind::kDelayed, 1, 1e9, 0.25, false}};
  World w(simple_vehicle(), p, 1);
  w.advance(commands({0.2, 0}), 0, at(0.9));
  w.advance(commands({0.4, 0}), 0, at(1));
  EXPECT_EQ(w.truth().thrust_N[0], 20);
  // from 1 s on it is 0.25 s behind: what came at 0.9 s is heard at 1.15 s
  w.advance(commands({0.6, 0}), 0, at(1.15));
  EXPECT_EQ(w.truth().thrust_N[0], 10);
  w.advance(commands({0.6, 0}), 0, at(1.151));
  EXPECT_EQ(w.truth().thrust_N[0], 20);
  w.advance(commands({0.6, 0}), 0, at(1.25));
  EXPECT_EQ(w.truth().thrust_N[0], 20);
  w.advance(commands({0.6, 0}), 0, at(1.251));
  EXPECT_EQ(w.truth().thrust_N[0], 30);
}

TEST(World, AnnouncesWhatItIsToldToAnnounce) {
  WorldParams p = deep();
  p.faults = {{"B", FaultKind::kWeak, 1, 2, 0.4, true}, {"A", FaultKind::kDead, 1, 2, 0, false}};
  World w(simple_vehicle(), p, 1);
  w.advance({}, 0, at(0.999));
  EXPECT_TRUE(w.take_announcements().empty());
  w.advance({}, 0, at(1));
  const auto begun = w.take_announcements();
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun[0].propulsor, 1U);
  EXPECT_EQ(begun[0].health.health, Health::kWeak);
  EXPECT_EQ(begun[0].health.efficiency, 0.4);
  w.advance({}, 0, at(2));
  ASSERT_EQ(w.take_announcements().size(), 1U);
}

// ---- sameness

bool same_bytes(const BodyState& a, const BodyState& b) {
  return std::memcmp(&a, &b, sizeof(BodyState)) == 0;
}

// all that a run shows: odometry as it arrives, truth at the end
struct Flight {
  std::vector<OdometrySample> heard;
  Truth end;
};

Flight fly(std::uint64_t seed, std::int64_t slice_ms, const WorldParams& params = restless()) {
  World w(full_vehicle(), params, seed);
  Flight run;
  ChannelVector c(8);
  for (std::int64_t ms = 0; ms < 3000; ms += slice_ms) {
    // new commands every 60 ms
    const double t = static_cast<double>(ms - ms % 60) * 1e-3;
    for (std::size_t i = 0; i < 8; ++i) c[i] = 0.3 * std::sin(3 * t + static_cast<double>(i));
    w.advance(c, 0, {(ms + slice_ms) * 1'000'000});
    if (const auto sample = w.take_odometry()) run.heard.push_back(*sample);
  }
  run.end = w.truth();
  return run;
}

void expect_same(const Flight& a, const Flight& b) {
  ASSERT_EQ(a.heard.size(), b.heard.size());
  for (std::size_t i = 0; i < a.heard.size(); ++i) {
    EXPECT_EQ(a.heard[i].stamp, b.heard[i].stamp);
    EXPECT_TRUE(
        same_bytes({a.heard[i].X_WB, a.heard[i].V_WB_B}, {b.heard[i].X_WB, b.heard[i].V_WB_B}));
  }
  EXPECT_TRUE(same_bytes({a.end.X_WB, a.end.V_WB_B}, {b.end.X_WB, b.end.V_WB_B}));
  EXPECT_EQ(a.end.thrust_N, b.end.thrust_N);
}

TEST(World, TheSameSeedGivesTheSameBytes) {
  const Flight a = fly(7, 20);
  EXPECT_GT(norm(a.end.X_WB.p - Vec3{0, 0, -50}), 0.1);
  EXPECT_GT(a.heard.size(), 100U);
  expect_same(a, fly(7, 20));
}

TEST(World, AnotherSeedGivesAnotherRun) {
  const Flight a = fly(7, 20), b = fly(8, 20);
  EXPECT_GT(norm(a.end.X_WB.p - b.end.X_WB.p), 1e-3);
  EXPECT_NE(a.heard[0].X_WB, b.heard[0].X_WB);
}

TEST(World, TheNumberOfCallsDoesNotMatter) {
  const Flight fine = fly(7, 1), coarse = fly(7, 20);
  expect_same(fine, coarse);
  EXPECT_EQ(fly(7, 60).end.X_WB, fine.end.X_WB);
}

TEST(World, OdometryNoiseNeverReachesTheTruth) {
  WorldParams quiet = restless();
  quiet.odometry = {};
  EXPECT_EQ(fly(7, 20, quiet).end.X_WB, fly(7, 20).end.X_WB);
}

TEST(World, HalvingTheStepHardlyChangesTheFlight) {
  WorldParams fine = restless();
  fine.step_s = 0.0005;
  const Flight a = fly(7, 20), b = fly(7, 20, fine);
  // thrust held for a step: first order, half a millisecond late
  EXPECT_LT(norm(a.end.X_WB.p - b.end.X_WB.p), 2e-3);
  EXPECT_LT(norm(a.end.V_WB_B.v - b.end.V_WB_B.v), 2e-3);
}

TEST(World, FliesItsOwnVehicle) {
  const vehicle::Vehicle nominal = full_vehicle();
  const World w(nominal, restless(), 5), exact(nominal, deep(), 5);
  EXPECT_NE(w.vehicle().body.mass_kg, nominal.body.mass_kg);
  EXPECT_NE(w.vehicle().propulsors[3].mount.position_m, nominal.propulsors[3].mount.position_m);
  EXPECT_NE(w.thrust_factor()[3], 1);
  EXPECT_EQ(exact.vehicle().body.mass_kg, nominal.body.mass_kg);
  EXPECT_EQ(exact.thrust_factor(), ChannelVector(8, 1.0));
}

// ---- housekeeping

TEST(World, AdvancingUsesNoHeap) {
  World w(full_vehicle(), restless(), 3);
  const ChannelVector c(8, 0.2);
  std::size_t heard = 0, told = 0;
  const auto before = testing::heap_allocations();
  for (int i = 1; i <= 200; ++i) {
    w.advance(c, 0, {i * std::int64_t{20'000'000}});
    heard += w.take_odometry().has_value();
    told += w.take_announcements().size();
    (void)w.truth();
  }
  EXPECT_EQ(testing::heap_allocations(), before);
  EXPECT_GT(heard, 100U);
  EXPECT_EQ(told, 1U);
}

TEST(World, RefusesWhatCannotBeSimulated) {
  WorldParams p = deep();
  p.step_s = 0;
  EXPECT_THROW(World(simple_vehicle(), p, 1), std::invalid_argument);
  p = deep();
  p.faults = {{"AA", FaultKind::kDead, 0, 1, 0, false}};
  EXPECT_THROW(World(simple_vehicle(), p, 1), std::invalid_argument);
}

TEST(World, AStepThatAJetCannotMakeIsFound) {
  // a dt = 1 at 1 ms: the implicit rule divides by 1 - a dt
  propulsion::JetParams jet;
  jet.max_thrust_N = 100;
  vehicle::Vehicle v = simple_vehicle();
  v.propulsors[1].model = jet;
  WorldParams p;
  const auto errors = [&](double a) {
    jet.inverse_time_constant_per_s = a;
    v.propulsors[1].model = jet;
    Findings out;
    for (const Finding& f : check(p, v))
      if (f.is_error) out.push_back(f);
    return out;
  };
  EXPECT_TRUE(errors(999).empty());
  ASSERT_EQ(errors(1000).size(), 1U);
  EXPECT_EQ(errors(1000)[0].path, "step_s");
  p.step_s = 0.0005;
  EXPECT_TRUE(errors(1000).empty());
}

TEST(World, AFaultOfAnUnknownPropulsorIsFoundWithItsNeighbour) {
  vehicle::Vehicle v = simple_vehicle();
  v.propulsors[0].name = "front_left";
  WorldParams p;
  p.faults = {{"front_lift", FaultKind::kDead, 0, 1, 0, false},
              {"B", FaultKind::kSlow, 0, 1, 2, false}};
  const Findings found = check(p, v);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, "faults[0].propulsor");
  EXPECT_TRUE(found[0].is_error);
  EXPECT_EQ(found[0].fix, "did you mean  front_left");
  EXPECT_EQ(found[1].path, "faults[1].kind");
  EXPECT_FALSE(found[1].is_error);
}

}  // namespace
}  // namespace pintle::world
