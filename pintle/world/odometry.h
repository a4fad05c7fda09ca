/// Odometry as a state estimator would give it: sampled, noisy, late, sometimes lost.
///
/// Position noise is white in world axes; attitude noise a small rotation vector in body axes,
/// q_measured = q exp(noise) exp(bias); twist noise white in body axes. Single losses are
/// independent; bursts follow the two-state chain of Gilbert ("Capacity of a burst-noise channel",
/// 1960) with the given share of messages lost and the given mean length of a gap (raised to what
/// the share needs where it is shorter). Does not model: jitter of the delay, drift, messages that
/// overtake each other. Each kind of noise has a random stream of its own, drawn for lost messages
/// too: losses never shift the noise.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/world/body_dynamics.h"
#include "pintle/world/world.h"

namespace pintle::world {

class OdometrySource {
 public:
  OdometrySource(const OdometryParams& params, std::uint64_t seed);

  /// Takes a sample when one is due; called after every physics step, and once at the start. A
  /// sample due between two steps is taken at the later one.
  void update(Time now, const BodyState& state) noexcept {
    if (now >= due_) sample(now, state);
  }
  /// The newest one that has arrived by now, once.
  [[nodiscard]] std::optional<OdometrySample> take(Time now) noexcept;

 private:
  void sample(Time now, const BodyState& state) noexcept;
  [[nodiscard]] bool lost() noexcept;

  OdometryParams params_;
  double attitude_noise_, rate_noise_;  // rad, rad/s
  double to_loss_, to_sound_;           // chances of the chain to change its mind
  Duration delay_;
  RandomStream position_, attitude_, velocity_, rate_, losses_;
  Vec3 position_bias_;
  Quat attitude_bias_;
  bool losing_ = false;
  std::int64_t count_ = 0;
  Time due_{};

  // messages on their way, a ring
  std::vector<OdometrySample> ring_;
  std::size_t first_ = 0, on_their_way_ = 0;
};

}  // namespace pintle::world
