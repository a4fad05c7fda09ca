/// The detectability bound: from when on a propulsor that fails makes a difference that can be seen.
///
/// The measure is an ideal detector. It is told which propulsor failed, when, and what it gives; it
/// knows lags, current, weight and trim, and knows the rest of the vehicle as well as the world's
/// `truth` says that its file is true. It learns nothing: a detector that has learnt the vehicle
/// better than its file may be sooner, which counts as no delay. Over the last T seconds the
/// propulsor gave m less than it was asked for (mean, behind its lag). With the column b of it,
///
///   d^2 = m^2 b' S^-1 b,   S = M N M + sum_j f_j^2 (s_t^2 b_j b_j' + mounts) + mass, drag
///
/// is twice the mean logarithm of how much likelier what is measured is with that loss than
/// without: d is the distance of the two cases in standard deviations. N is the variance of a slope
/// through T of odometry, 12 s^2 / (T^2 n), s the noise of one sample (m/s, rad/s), n their number; M
/// is the mass matrix with added mass, f_j are the mean efforts, b_j their columns, s_t the error of
/// thrust that the world draws, as it does mounts, mass and drag. From another propulsor j that
/// gives something else, whatever, the distance is
///
///   d_j^2 = m^2 (b' S^-1 b - (b' S^-1 b_j)^2 / (b_j' S^-1 b_j)).
///
/// Detectable is it from where, in a window of 1/4, 1/2 or 1 s, d reaches 6.7 and every d_j 5.4, and m is
/// what the vehicle's detector calls an effort that matters. 6.7 = 4.4 + 2.3: one false alarm in a
/// hundred missions of 200 windows and eight propulsors, one of a hundred failures missed. 5.4 =
/// 3.1 + 2.3: one of a thousand named wrongly. Who asks nothing of a propulsor cannot miss it.
#pragma once
#include <vector>

#include "pintle/estimation/model_error.h"
#include "pintle/simulation/names.h"
#include "pintle/world/world.h"

namespace pintle::simulation {

class DetectabilityBound {
 public:
  /// Of one propulsor, which fails at `at_s`.
  DetectabilityBound(const MissionFile& mission, const Model& model, std::size_t propulsor,
                     double at_s);

  /// After each tick.
  void take(const Outputs& out, const world::Truth& truth);
  /// -1: not yet.
  [[nodiscard]] double detectable_s() const { return detectable_s_; }

 private:
  struct Moment {
    double missing = 0;
    std::vector<double> effort;
    Vec6 nu{};
  };
  /// Means over the last of the ring.
  struct Window {
    std::size_t ticks;
    Vec6 slope_variance{};  ///< Of an acceleration, by the odometry's noise.
    Moment mean;
    Vec6 rate{};
  };

  void slide(Window& w, const Moment& now) const;
  [[nodiscard]] estimation::Triangle covariance(const Window& w) const;
  [[nodiscard]] bool is_plain(const Window& w) const;

  estimation::BodyModel body_;
  std::vector<Vec3> position_m_;  ///< Of the mounts.
  world::TruthParams truth_;
  std::size_t propulsor_;
  double at_s_, least_effort_ = 0, period_s_, newtons_;
  Moment now_;  ///< Efforts behind the lag.
  std::vector<Moment> ring_;
  std::size_t next_ = 0;
  std::vector<Window> windows_;
  double detectable_s_ = -1;
};

}  // namespace pintle::simulation
