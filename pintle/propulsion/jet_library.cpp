// Identified turbines as published with the iRonCub software: kerosene and diesel fits of JetCat
// engines, with the idle thrust and the fuel flow that its controller uses.
#include <array>

#include "pintle/propulsion/jet.h"

namespace pintle::propulsion {
namespace {

struct Engine {
  double max_thrust_N, idle_thrust_N, fuel_idle_l_min, fuel_max_l_min;
};
constexpr Engine kP100{100, 2, 0.08, 0.39}, kP160{160, 7, 0.12, 0.51}, kP220{220, 9, 0.13, 0.725};

struct Entry {
  std::string_view name;
  JetParams params;
};

Entry entry(std::string_view name, const Engine& engine, const JetCoefficients& k) {
  JetParams p;
  p.model = JetModel::kNonlinear;
  p.library = name;
  p.jet_coefficients = k;
  p.max_thrust_N = engine.max_thrust_N;
  p.idle_thrust_N = engine.idle_thrust_N;
  p.fuel_idle_l_min = engine.fuel_idle_l_min;
  p.fuel_max_l_min = engine.fuel_max_l_min;
  return {name, p};
}

const std::array<Entry, 6>& jets() {
  //               K_T        K_TT       K_D        K_DD      K_TD
  //               B_U        B_T        B_D        B_UU      c
  static const std::array<Entry, 6> all{
      entry("p100_kerosene", kP100,
            {-1.497225, -0.059093, -2.429288, 0.107146, 0.124828,  //
             0.520267, 0.018470, -0.046559, 0.014813, -19.928301}),
      entry("p160_kerosene", kP160,
            {0.306530, -0.024867, -0.973422, 0.055786, 0.022618,  //
             0.688710, 0.038025, -0.089879, -0.001393, -0.958953}),
      entry("p220_kerosene", kP220,
            {0.237755, -0.012799, -0.860374, 0.023606, 0.008599,  //
             1.139026, 0.019914, -0.050257, 0.000302, -0.692913}),
      entry("p220_kerosene_mk1", kP220,
            {-1.953561, -0.045804, 1.781593, 0.023776, -0.006976,  //
             0.277460, 0.079341, -0.071026, 0.003995, -5.844843}),
      entry("p100_diesel", kP100,
            {-1.496760, -0.045206, -2.433030, 0.020352, 0.064188,  //
             0.589177, 0.016715, -0.021258, 0.013878, -19.926756}),
      entry("p220_diesel", kP220,
            {-0.482993, -0.013562, 1.292093, 0.055923, 0.006887,  //
             0.130662, 0.022564, -0.052168, 0.004485, -5.436267}),
  };
  return all;
}

}  // namespace

const JetParams* jet_library(std::string_view name) noexcept {
  for (const Entry& e : jets())
    if (e.name == name) return &e.params;
  return nullptr;
}

std::vector<std::string_view> jet_library_names() {
  std::vector<std::string_view> names;
  for (const Entry& e : jets()) names.push_back(e.name);
  return names;
}

JetParams resolved(JetParams params) noexcept {
  if (const JetParams* found = jet_library(params.library.view()))
    params.jet_coefficients = found->jet_coefficients;
  return params;
}

}  // namespace pintle::propulsion
