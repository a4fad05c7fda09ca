#include "pintle/vehicle/propulsor_list.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pintle::vehicle {
namespace {

config::Document document(std::string text) {
  return config::Document::parse(std::move(text), "list.yaml");
}

constexpr const char* kList = R"(
propulsors:
  - {name: b1, type: booster, tau_s: 0.01, total_fuel_mass_kg: 410.9, max_fuel_rate_kg_s: 1.451, max_inertia_kgm2: [1678, 1678, 7.01],
     min_thrust_N: 2966.7, max_thrust_N: 7607.0, thrust_unit: [0, 0, 1], reignitable: true, noise_ratio: 0.01, tank: main,
     starting_fuel_ratio: 0.5, behaviour: reference}
  - {name: g1, type: gimbal, unit_1: [1, 0, 0], unit_2: [0, 1, 0], tau_s: 0.01, range_deg: [5, 5]}
  - {name: p1, type: propeller, tau_s: 0.01, max_rpm: 25000, thrust_coef: 3.16e-10, torque_coef: 7.94e-12, thrust_unit: [0, 0, 1], noise_ratio: 0}
  - {name: f1, type: fin, lift_unit: [0, 1, 0], forward_unit: [0, 0, -1], cl_alpha_2d: 6.283, chord_m: 0.5, span_m: 0.5, flap_to_chord: 1.0,
     eta: 0.65, alpha_0_deg: 0, stall_positive_deg: 20, stall_negative_deg: -20, cd_0: 0.01, deflection_limit_deg: 45, tau_s: 0.05}
  - {name: j1, type: jet, model: nonlinear, library: p220_diesel, max_thrust_N: 220, jet_axis: [0, 0, -1]}
  - {name: t1, use: T200, position_m: [0, 0, 0], direction: [1, 0, 0]}
)";

TEST(PropulsorList, GivesEachKindItsOwn) {
  const config::Document d = document(kList);
  const auto boosters = read_boosters(d);
  ASSERT_EQ(boosters.size(), 1U);
  EXPECT_EQ(boosters[0].name, "b1");
  EXPECT_EQ(boosters[0].tank, "main");
  EXPECT_EQ(boosters[0].starting_fuel_ratio, 0.5);
  EXPECT_EQ(boosters[0].params.max_inertia_kgm2.z, 7.01);
  EXPECT_EQ(boosters[0].params.behaviour, propulsion::Behaviour::kReference);
  EXPECT_EQ(read_gimbals(d)[0].params.range_deg[1], 5);
  EXPECT_EQ(read_propellers(d)[0].params.max_rpm, 25000);
  EXPECT_EQ(read_fins(d)[0].params.forward_unit.z, -1);
  const auto jets = read_jets(d);
  EXPECT_EQ(jets[0].params.jet_coefficients[0], -0.482993) << "of the library";
}

TEST(PropulsorList, MayBeAListAloneAndATankMayBeNull) {
  const auto boosters = read_boosters(document(
      "- {name: a, type: booster, max_thrust_N: 10, total_fuel_mass_kg: 1, tank: null}\n"));
  ASSERT_EQ(boosters.size(), 1U);
  EXPECT_FALSE(boosters[0].tank.has_value());
}

/// "line: message / fix" of everything that is wrong.
template <class F>
std::vector<std::string> problems(F read, const std::string& text) {
  std::vector<std::string> all;
  try {
    (void)read(document(text));
  } catch (const config::ConfigError& e) {
    for (const config::Problem& p : e.problems())
      all.push_back(std::to_string(p.where.line) + ": " + p.message + " / " + p.fix);
  }
  return all;
}

bool says(const std::vector<std::string>& all, std::string_view start, std::string_view part) {
  return std::any_of(all.begin(), all.end(), [&](const std::string& p) {
    return p.starts_with(start) && p.find(part) != std::string::npos;
  });
}

TEST(PropulsorList, SaysEverythingThatIsWrongAtOnce) {
  const auto all = problems(read_boosters, R"(propulsors:
  - {name: a, type: booster, max_thrust_N: 10, min_thrust_N: 20}
  - {name: a, type: booster, max_thrust_N: 10, tau: 0.1}
  - {name: b, type: boster, max_thrust_N: 10}
  - {name: c, type: booster}
  - {name: d, type: booster, max_thrust_N: 10, noise_ratio: 3, behaviour: referense}
)");
  EXPECT_TRUE(says(all, "2: min_thrust_N", "exchange"));
  EXPECT_TRUE(says(all, "3: ", "tau_s"));
  EXPECT_TRUE(says(all, "3: name", "taken"));
  EXPECT_TRUE(says(all, "4: type", "did you mean  booster"));
  EXPECT_TRUE(says(all, "5: ", "max_thrust_N"));
  EXPECT_TRUE(says(all, "6: ", "noise_ratio"));
  EXPECT_TRUE(says(all, "6: ", "reference"));
}

TEST(PropulsorList, RefusesWhatIsNoListAndAListWithoutTheKind) {
  EXPECT_TRUE(says(problems(read_fins, "wings: 2\n"), "1: propulsors", "list"));
  EXPECT_TRUE(says(problems(read_fins, kList + std::string("  - 7\n")), "12: ", "map"));
  EXPECT_TRUE(says(problems(read_gimbals, "- {name: a, type: fin, chord_m: 1, span_m: 1}\n"),
                   "1: there is no gimbal", "type: gimbal"));
}

TEST(PropulsorList, RefusesTwoBoostersThatDisagreeAboutTheirTank) {
  EXPECT_TRUE(says(problems(read_boosters, R"(propulsors:
  - {name: a, type: booster, max_thrust_N: 10, total_fuel_mass_kg: 4, tank: main}
  - {name: b, type: booster, max_thrust_N: 10, total_fuel_mass_kg: 5, tank: main}
)"),
                   "3: a and b", "total_fuel_mass_kg"));
}

TEST(PropulsorList, RefusesAnUnknownTurbineAndTheStableSign) {
  const auto all = problems(read_jets, R"(propulsors:
  - {name: a, type: jet, max_thrust_N: 10, model: nonlinear, library: p221}
  - {name: b, type: jet, max_thrust_N: 10, inverse_time_constant_per_s: -2}
  - {name: c, type: jet, max_thrust_N: 10, model: nonlinear, jet_coefficients: [1, 2, 3]}
)");
  EXPECT_TRUE(says(all, "2: library", "p220_kerosene"));
  EXPECT_TRUE(says(all, "3: inverse_time_constant_per_s", "tau_s: 0.5"));
  EXPECT_TRUE(says(all, "4: ", "10"));
}

}  // namespace
}  // namespace pintle::vehicle
