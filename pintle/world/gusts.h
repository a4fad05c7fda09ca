/// Gusts of the Dryden model: random air with a spectrum, along, across and up.
///
///   Phi_u = 2 s^2 T / pi / (1 + (T w)^2)                       along the wind
///   Phi_v, Phi_w = s^2 T / pi (1 + 3 (T w)^2) / (1 + (T w)^2)^2,     T = L / airspeed
///
/// (one-sided, over w in rad/s). As time series: a first-order Gauss-Markov process, and one
/// filtered once more; both are stepped exactly from knot to knot and begin in their stationary
/// state, so that at the knots variance and correlation are those of the equation,
///
///   R_u(t) = s^2 exp(-t/T)     R_v(t) = R_w(t) = s^2 (1 - t / 2T) exp(-t/T),
///
/// and straight between them. A twentieth of the shortest T lies between two knots. Low altitude, h
/// in feet: L_w = h, L_u = L_v = h / (0.177 + 0.000823 h)^1.2, s_w = 0.1 wind at 20 ft, s_u = s_v =
/// s_w / (0.177 + 0.000823 h)^0.4. Source: MIL-F-8785C, 3.7. Does not model: gusts that differ
/// along the vehicle (rates), change of strength and size with height during a run.
#pragma once
#include <array>
#include <cstdint>

#include "pintle/base/random.h"
#include "pintle/base/time.h"
#include "pintle/base/vector.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

class Gusts {
 public:
  Gusts(const GustParams& params, std::uint64_t seed) noexcept;

  /// Along, across (to the left) and up, m/s; later calls must not ask for earlier instants.
  [[nodiscard]] Vec3 at(Time t) noexcept;

  [[nodiscard]] Vec3 sigma_m_s() const noexcept { return sigma_; }
  [[nodiscard]] Vec3 time_s() const noexcept { return time_; }  ///< T of each axis.
  [[nodiscard]] double knot_s() const noexcept { return knot_s_; }

 private:
  /// Two states of unit variance, a -> b, and the step between knots.
  struct Axis {
    RandomStream noise;
    double from_a = 1, from_b = 0;  ///< What of a and b is felt.
    double memory = 0, ratio = 0;   ///< exp(-x) and x = knot / T.
    double kick_a = 0, kick_ba = 0, kick_b = 0;
    double a = 0, b = 0;
    double before = 0, after = 0;

    void start(double sigma, double time_s, double knot_s, bool filtered) noexcept;
    void next() noexcept;
  };

  Vec3 sigma_, time_;
  double knot_s_ = 1;
  bool blows_;
  std::int64_t knot_ = 0;
  std::array<Axis, 3> axes_;
};

}  // namespace pintle::world
