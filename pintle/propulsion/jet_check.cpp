#include <algorithm>

#include "pintle/propulsion/check_numbers.h"
#include "pintle/propulsion/jet.h"

namespace pintle::propulsion {
namespace {

void check_dynamics(const JetParams& p, Findings& out) {
  if (p.inverse_time_constant_per_s < 0)
    out.push_back({"inverse_time_constant_per_s",
                   "expected a number of at least 0, got " +
                       short_text(p.inverse_time_constant_per_s) +
                       ": the sign in  T' = a T + u  is positive",
                   "write  tau_s: " + short_text(-1 / p.inverse_time_constant_per_s) +
                       "  for a lag that settles"});
  else
    check_range(out, "inverse_time_constant_per_s", p.inverse_time_constant_per_s, 0, 1e6,
                "write 0 for a pure integrator");
  check_range(out, "tau_s", p.tau_s, 0, 600, "write seconds; 0 is none");
  if (p.tau_s > 0 && p.inverse_time_constant_per_s > 0)
    out.push_back({"tau_s", "tau_s and inverse_time_constant_per_s are two different models",
                   "keep one of the two"});
  if (p.tau_s > 0 && p.model != JetModel::kFirstOrder)
    out.push_back({"tau_s", "the stable lag is an option of  model: first_order  alone",
                   "write  model: first_order  or leave tau_s out", false});

  const bool named = !p.library.view().empty();
  if (named && jet_library(p.library.view()) == nullptr) {
    std::string known;
    for (std::string_view name : jet_library_names())
      known.append(known.empty() ? "" : ", ").append(name);
    out.push_back(
        {"library",
         "expected a turbine that ships with Pintle, got \"" + std::string(p.library.view()) + "\"",
         "write one of " + known});
  }
  const auto finite = [](double x) { return std::isfinite(x) && std::fabs(x) <= 1e6; };
  if (!std::all_of(p.jet_coefficients.begin(), p.jet_coefficients.end(), finite))
    out.push_back({"jet_coefficients", "expected ten finite numbers",
                   "write K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c"});
  else if (p.model == JetModel::kNonlinear && !named && p.jet_coefficients[5] == 0 &&
           p.jet_coefficients[6] == 0)
    out.push_back({"jet_coefficients", "the throttle does nothing: B_U and B_T are both 0",
                   "write ten coefficients, or name a set such as  library: p220_kerosene"});
}

}  // namespace

Findings check(const JetParams& p) {
  Findings out;
  check_range(out, "max_thrust_N", p.max_thrust_N, 0, kLargest, "write newtons");
  if (!is_finite(p.jet_axis))
    out.push_back({"jet_axis", "expected finite numbers", "write such as  [0, 0, -1]"});
  else if (std::fabs(norm(p.jet_axis) - 1) > 1e-3)
    out.push_back({"jet_axis",
                   "its length " + short_text(norm(p.jet_axis)) +
                       " is not 1: it scales the force, as in the original",
                   "write a unit vector and the thrust in max_thrust_N", false});
  check_dynamics(p, out);
  check_range(out, "thrust_gain_per_s", p.thrust_gain_per_s, 0, 1e4, "write 2");
  check_range(out, "rate_gain_per_s", p.rate_gain_per_s, 0, 1e6, "write 50");
  check_above(out, "max_rate_N_s", p.max_rate_N_s, "write newtons per second");
  check_range(out, "min_throttle", p.min_throttle, 0, 120, "write percent");
  check_range(out, "max_throttle", p.max_throttle, 0, 120, "write percent");
  if (p.min_throttle >= p.max_throttle)
    out.push_back({"max_throttle", "expected more than min_throttle", "exchange the two"});
  check_range(out, "idle_thrust_N", p.idle_thrust_N, 0, p.max_thrust_N,
              "write newtons, at most max_thrust_N");
  check_range(out, "fuel_idle_l_min", p.fuel_idle_l_min, 0, 1e6, "write litres a minute");
  check_range(out, "fuel_max_l_min", p.fuel_max_l_min, 0, 1e6, "write litres a minute");
  check_above(out, "fuel_density_kg_l", p.fuel_density_kg_l, "write 0.8 for kerosene");
  check_range(out, "start_up_s", p.start_up_s, 0, 3600, "write 0 for no sequence");
  check_range(out, "stabilise_s", p.stabilise_s, 0, 3600, "write seconds");
  check_range(out, "run_down_s", p.run_down_s, 0, 3600, "write seconds");
  return out;
}

}  // namespace pintle::propulsion

namespace pintle {

using propulsion::JetModel;
using propulsion::JetParams;
using propulsion::JetPhase;
using propulsion::JetState;

template <>
const EnumTable& enum_table<JetModel>() {
  static constexpr std::array kValues{
      enum_value(JetModel::kFirstOrder, "first_order", "T' = a T + u, u in N/s."),
      enum_value(JetModel::kNonlinear, "nonlinear", "Identified turbine, u in percent."),
      enum_value(JetModel::kDirect, "direct", "T = u, u in N.")};
  static constexpr EnumTable kTable{"JetModel", kValues};
  return kTable;
}

template <>
const EnumTable& enum_table<JetPhase>() {
  static constexpr std::array kValues{
      enum_value(JetPhase::kRunning, "running", "It follows the throttle."),
      enum_value(JetPhase::kOff, "off", "No thrust until it is told to run."),
      enum_value(JetPhase::kStarting, "starting", "Spin-up, preheating, ignition: no thrust."),
      enum_value(JetPhase::kStabilising, "stabilising", "At idle, throttle not taken yet."),
      enum_value(JetPhase::kRunningDown, "running_down", "Thrust falls to 0.")};
  static constexpr EnumTable kTable{"JetPhase", kValues};
  return kTable;
}

template <>
const Table& table_of<JetParams>() {
  using P = JetParams;
  static const Table table =
      TableBuilder<P>("Jet", "A turbine jet engine.")
          .field("model", &P::model, "", "first_order, nonlinear or direct.")
          .field("max_thrust_N", &P::max_thrust_N, "N", "Thrust is cut to 0 and this.")
          .at_least(0)
          .required()
          .field("jet_axis", &P::jet_axis, "", "Of the force on the vehicle, as given.")
          .field("inverse_time_constant_per_s", &P::inverse_time_constant_per_s, "1/s",
                 "a of T' = a T + u; 0 is a pure integrator, above 0 it runs away.")
          .field("tau_s", &P::tau_s, "s",
                 "Above 0: first_order becomes T' = (u - T) / tau, u in N.")
          .at_least(0)
          .field("jet_coefficients", &P::jet_coefficients, "",
                 "K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c of the nonlinear model.")
          .field("library", &P::library, "", "Named set of coefficients, such as p220_kerosene.")
          .field("thrust_gain_per_s", &P::thrust_gain_per_s, "1/s",
                 "Thrust rate asked per newton missing.")
          .field("rate_gain_per_s", &P::rate_gain_per_s, "1/s", "Of the thrust-rate law.")
          .field("max_rate_N_s", &P::max_rate_N_s, "N/s", "Most thrust rate that is asked.")
          .field("min_throttle", &P::min_throttle, "", "Least throttle commanded, percent.")
          .field("max_throttle", &P::max_throttle, "", "Most throttle commanded, percent.")
          .field("idle_thrust_N", &P::idle_thrust_N, "N", "Thrust at idle.")
          .field("fuel_idle_l_min", &P::fuel_idle_l_min, "l/min", "Fuel flow at idle.")
          .field("fuel_max_l_min", &P::fuel_max_l_min, "l/min", "Fuel flow at max_thrust_N.")
          .field("fuel_density_kg_l", &P::fuel_density_kg_l, "kg/l", "Of the fuel.")
          .field("start_up_s", &P::start_up_s, "s", "Start-up; 0: no sequence, always running.")
          .field("stabilise_s", &P::stabilise_s, "s", "At idle before throttle is taken.")
          .field("run_down_s", &P::run_down_s, "s", "Thrust falls to 0 in this time.")
          .build();
  return table;
}

template <>
const Table& table_of<JetState>() {
  static const Table table = TableBuilder<JetState>("JetState", "Where a jet stands.")
                                 .field("thrust_N", &JetState::thrust_N, "N", "Thrust now.")
                                 .field("rate_N_s", &JetState::rate_N_s, "N/s", "Its rate.")
                                 .field("phase", &JetState::phase, "", "Of the start-up sequence.")
                                 .field("phase_s", &JetState::phase_s, "s", "Time in that phase.")
                                 .build();
  return table;
}

}  // namespace pintle
