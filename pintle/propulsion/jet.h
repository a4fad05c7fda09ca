/// A turbine jet engine: one channel, the reaction force along `jet_axis` at the mount.
///
/// Three models of the thrust T, as the Gazebo plugin `jets-plugin` knows them:
///
///   first_order   T' = a T + u        u in N/s, a = inverse_time_constant_per_s
///                 one implicit step: T+ = (T + u dt) / (1 - a dt); refused (T stays) if a dt >= 1
///   nonlinear     T'' = K_T T + K_TT T^2 + K_D T' + K_DD T'^2 + K_TD T T' + c
///                       + (B_U + B_T T + B_D T') (u + B_UU u^2)          u in percent of throttle
///                 T+ = T + T' dt + T'' dt^2/2,  T'+ = T' + T'' dt; T' does not push on a bound
///   direct        T = u               u in N
///
/// In each of them T is then cut to [0, max_thrust] in the state itself: nothing winds up. Note the
/// sign of a: with a > 0 the model runs away (every published configuration has a = 0, a pure
/// integrator). The stable lag is an option of first_order: tau_s > 0 makes it T' = (u - T)/tau,
/// u in N, solved exactly.
///
/// The published thrust rate is u itself for first_order (even on a bound, as the original), T' for
/// nonlinear, 0 for direct and the true rate for the stable lag. jet_axis is used as given: a
/// longer one scales the force.
///
/// Fuel: volume flow is linear in thrust between idle and full. A start-up sequence is optional
/// (start_up_s > 0): off -> starting (no thrust) -> stabilising (idle) -> running -> running down.
///
/// Does not model: swirl and gyroscopic torque, ram drag, altitude, surge, failures of the ECU.
/// Sources: jets-plugin and its configuration files; L'Erario et al., "Modeling, Identification and
/// Control of Model Jet Engines for Jet Powered Robotics", RA-L 5(2), 2020 (structure, fits).
#pragma once
#include <string_view>
#include <vector>

#include "pintle/propulsion/model.h"

namespace pintle::propulsion {

enum class JetModel : std::uint8_t { kFirstOrder, kNonlinear, kDirect };

/// K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c: newtons, seconds, percent.
using JetCoefficients = std::array<double, 10>;

struct JetParams {
  JetModel model = JetModel::kFirstOrder;
  double max_thrust_N = 0;
  Vec3 jet_axis{1, 0, 0};                  ///< Of the force on the vehicle, mount coordinates.
  double inverse_time_constant_per_s = 0;  ///< a of first_order, at least 0.
  double tau_s = 0;                        ///< Above 0: the stable lag.
  JetCoefficients jet_coefficients{};      ///< Of nonlinear, unless `library` names a set.
  FixedString<23> library;                 ///< See jet_library_names().

  // the law of `invert`: thrust -> thrust rate -> input
  double thrust_gain_per_s = 2;  ///< Rate asked per newton missing.
  double rate_gain_per_s = 50;   ///< Of the feedback-linearising law, 50 as published.
  double max_rate_N_s = 100;     ///< Of what is asked.
  double min_throttle = 0, max_throttle = 100;  ///< Percent; the published law allows 120.

  double idle_thrust_N = 0;
  double fuel_idle_l_min = 0, fuel_max_l_min = 0;  ///< At idle and at max_thrust.
  double fuel_density_kg_l = 0.8;

  double start_up_s = 0;   ///< Spin-up, preheating and ignition; 0: no sequence, always running.
  double stabilise_s = 0;  ///< At idle, before throttle is taken.
  double run_down_s = 0;   ///< Thrust falls to 0 in a straight line.
};

[[nodiscard]] Findings check(const JetParams& params);
/// With the coefficients of `library` filled in. Names that there are none leave it as it is.
[[nodiscard]] JetParams resolved(JetParams params) noexcept;

/// Published coefficient sets by name, with thrust, idle and fuel numbers of the engine.
[[nodiscard]] const JetParams* jet_library(std::string_view name) noexcept;
[[nodiscard]] std::vector<std::string_view> jet_library_names();

enum class JetPhase : std::uint8_t { kRunning, kOff, kStarting, kStabilising, kRunningDown };

struct JetState {
  double thrust_N = 0;
  double rate_N_s = 0;  ///< Of nonlinear.
  JetPhase phase = JetPhase::kRunning;
  double phase_s = 0;  ///< Time in it.
};
/// Off with a start-up sequence, else running; no thrust.
[[nodiscard]] JetState initial_state(const JetParams& params) noexcept;

struct JetInput {
  double value = 0;  ///< N/s, percent or N: see the models.
  bool run = true;   ///< False shuts down, where there is a sequence.
};

struct JetStep {
  Wrench wrench_P;
  double thrust_N = 0;
  double rate_N_s = 0;  ///< As published.
  SupplyDemand demand;
};

/// `grant`: without fuel (share 0) there is no thrust.
[[nodiscard]] JetStep step(const JetParams&, JetState&, const JetInput&, const Ambient&,
                           const Grant& grant, double dt_s) noexcept;

/// Effort is the thrust at the end of the horizon; bounds are what can be reached by then.
[[nodiscard]] Linearised linearise(const JetParams&, const JetState&, const Ambient&,
                                   double horizon_s) noexcept;

/// Effort (thrust in N) to the input of a step of dt. Exact for first_order (within max_rate) and
/// direct; for nonlinear the published law
///   rate* = clip(thrust_gain (effort - T)),  v = -(rate_gain (T' - rate*) + f) / g,
///   u = (-1 + sqrt(1 + 4 B_UU v)) / (2 B_UU)
/// with f, g the parts of T'' without and with throttle; B_UU = 0 and g = 0 are guarded.
[[nodiscard]] JetInput invert(const JetParams&, const JetState&, double effort_N,
                              double dt_s) noexcept;

/// Mass flow at a thrust.
[[nodiscard]] double fuel_flow_kg_s(const JetParams&, double thrust_N) noexcept;

}  // namespace pintle::propulsion

namespace pintle {
template <>
const EnumTable& enum_table<propulsion::JetModel>();
template <>
const EnumTable& enum_table<propulsion::JetPhase>();
template <>
const Table& table_of<propulsion::JetParams>();
template <>
const Table& table_of<propulsion::JetState>();
}  // namespace pintle
