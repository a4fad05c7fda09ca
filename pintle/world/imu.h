/// An inertial sensor from the ground truth: turn and change of velocity over its period, as a
/// strapdown sensor that sums up gives them, with white noise and a constant error per axis.
///
///   w = log(q_0^-1 q_1) / T + bias + noise,   f = R^T ((v_1 - v_0) / T - g) + bias + noise
///
/// R is the attitude in the middle of the period. Does not model: its place (it sits at the body
/// origin), scale and misalignment, saturation, drift of the bias, delay.
#pragma once
#include <optional>

#include "pintle/base/random.h"
#include "pintle/base/signals.h"
#include "pintle/vehicle/equipment.h"
#include "pintle/world/body_dynamics.h"

namespace pintle::world {

class ImuInWorld {
 public:
  ImuInWorld(const vehicle::Imu& imu, double gravity_m_s2, const BodyState& start,
             std::uint64_t seed);

  /// Sums up; called after every physics step.
  void update(Time now, const BodyState& state) noexcept {
    if (now >= due_) sample(now, state);
  }
  /// The mean of all samples since the last call; none when there was none.
  [[nodiscard]] std::optional<ImuSample> take() noexcept;

 private:
  void sample(Time now, const BodyState& state) noexcept;

  vehicle::Imu imu_;
  double gravity_m_s2_;
  RandomStream rate_, acceleration_;
  Vec3 rate_bias_, acceleration_bias_;
  BodyState last_;
  Time last_at_{};
  std::int64_t count_ = 1;
  Time due_;

  ImuSample sum_{};
  int samples_ = 0;
};

}  // namespace pintle::world
