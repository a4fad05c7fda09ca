/// Thrusts of a craft's turbines from its momentum: nobody has to measure them.
///
/// Extended Kalman filter with 2 n + 6 + 6 k states for n jets and k contacts,
///
///   x = [T_i, T_i', h, w_j],   h: linear momentum and angular momentum about the centre of mass
///   T_i'' = f_i(T_i, T_i') + g_i(T_i, T_i') (u_i + B_UU u_i^2)     the identified turbine
///   h'    = sum_i c_i T_i + F + sum_j [f_j; r_j x f_j + t_j]       Newton and Euler
///   w_j'  = 0 + noise,   w_j = [f_j; t_j]
///   y     = [h, w_j of the contacts that are felt] + noise
///
/// h, F (weight, drag), columns c_i and levers r_j are in axes that do not turn, about the centre
/// of mass; where each jet points now is the caller's to say, so the craft may have joints. A
/// contact that does not touch is known to give nothing. Steps as in thrust_filter.h: prediction
/// with the turbine's own Taylor step and F = I + A dt, then each number measured by itself, with
/// variance r / dt. Coefficients of zero mean a turbine of which nothing is known but its noise.
///
/// Jets whose columns depend on each other (four upright ones: three directions) are told apart by
/// their models alone; the variances say how well. Not estimated: mass, inertia, wind, columns.
/// Source: the momentum filter of the iRonCub software (4 jets, 2 feet: 26 states).
#pragma once
#include <array>
#include <cstddef>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/geometry.h"

namespace pintle::estimation {

inline constexpr std::size_t kMaxFilterJets = 8;
inline constexpr std::size_t kMaxFilterContacts = 2;
inline constexpr std::size_t kMaxFilterStates = 2 * kMaxFilterJets + 6 + 6 * kMaxFilterContacts;

struct MomentumFilterJet {
  /// K_T, K_TT, K_D, K_DD, K_TD, B_U, B_T, B_D, B_UU, c: newtons, seconds, percent of throttle.
  std::array<double, 10> coefficients{};
  double max_thrust_N = 1e6;
};

struct MomentumFilterParams {
  FixedVector<MomentumFilterJet, kMaxFilterJets> jets;
  std::uint8_t contacts = 0;
  // of the process, per second
  double q_thrust = 1, q_rate = 100;    ///< N^2/s, N^2/s^3.
  double q_force = 1, q_torque = 0.01;  ///< Disturbances: N^2 s, (N m)^2 s.
  double q_contact_force = 1e4, q_contact_torque = 100;
  // of the measurements: variance times the time between two
  double r_linear = 1e-4, r_angular = 1e-6;  ///< (kg m/s)^2 s, (kg m^2/s)^2 s.
  double r_contact_force = 0.1, r_contact_torque = 0.001;
};

[[nodiscard]] Findings check(const MomentumFilterParams& params);

struct MomentumFilterState {
  std::array<double, kMaxFilterJets> thrust_N{}, rate_N_s{};
  Vec6 momentum;  ///< kg m/s, kg m^2/s.
  std::array<Wrench, kMaxFilterContacts> contact{};
  /// Covariance, row by row over the states in use, in the order of x.
  std::array<double, kMaxFilterStates * kMaxFilterStates> covariance{};
};

/// No thrust, nothing known: standard deviations of 30 N, 30 N/s, 100 kg m/s, 300 N.
[[nodiscard]] MomentumFilterState initial_state(const MomentumFilterParams& params) noexcept;

struct ContactInput {
  bool touches = false;
  Vec3 lever_m{};  ///< r_j, from the centre of mass.
  bool is_measured = false;
  Wrench measured;  ///< At the contact.
};

struct MomentumFilterInput {
  std::array<double, kMaxFilterJets> throttle{};  ///< Percent.
  std::array<Vec6, kMaxFilterJets> column{};      ///< c_i: N and N m a newton of thrust.
  Wrench known;                                   ///< F.
  bool has_momentum = false;
  Vec6 momentum;
  std::array<ContactInput, kMaxFilterContacts> contact{};
};

/// One step. A measurement that is not finite is left out; false, and nothing changes, when
/// columns, levers, the known wrench or dt are not finite. What it leaves in the state is always
/// finite.
bool update(const MomentumFilterParams&, MomentumFilterState&, const MomentumFilterInput&,
            double dt_s) noexcept;

/// Variance of a thrust, N^2.
[[nodiscard]] double thrust_variance(const MomentumFilterParams&, const MomentumFilterState&,
                                     std::size_t jet) noexcept;

}  // namespace pintle::estimation

namespace pintle {
template <>
const Table& table_of<estimation::MomentumFilterJet>();
template <>
const Table& table_of<estimation::MomentumFilterParams>();
}  // namespace pintle
