/// A vehicle in water: the plant behind the stack.
///
/// Owns its own copy of the vehicle, perturbed per seed (see TruthParams), and never sees the
/// stack's. The same seed and the same commands give the same numbers, bit for bit, on the same
/// build.
#pragma once
#include <memory>
#include <optional>

#include "pintle/base/signals.h"
#include "pintle/vehicle/vehicle.h"
#include "pintle/world/params.h"

namespace pintle::world {

/// What an odometry source says: pose and twist of the body origin at `stamp`.
struct OdometrySample {
  Time stamp;
  Pose X_WB;
  Twist V_WB_B;
};

/// What is really the case, for logs and verdicts.
struct Truth {
  Time time;
  Pose X_WB;
  Twist V_WB_B;
  Vec3 current_W{};   ///< Velocity of the water, m/s.
  Wrench propulsion;  ///< Of all propulsors, N and N m, at Bo in body coordinates.
  ChannelVector thrust_N;
};

struct Announcement {
  std::uint32_t propulsor = 0;
  PropulsorHealth health;
};

class World {
 public:
  /// @throws std::invalid_argument for a fault that names no propulsor.
  World(const vehicle::Vehicle& nominal, const WorldParams& params, std::uint64_t seed);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Advances by whole steps to `until` with constant commands (one a propulsor, to its driver). No
  /// heap use.
  void advance(const ChannelVector& commands, Time until) noexcept;

  [[nodiscard]] Time now() const noexcept;
  [[nodiscard]] Truth truth() const noexcept;
  /// The newest odometry that has arrived since the last call, if any.
  [[nodiscard]] std::optional<OdometrySample> take_odometry() noexcept;
  /// Announced faults that began or ended since the last call.
  [[nodiscard]] FixedVector<Announcement, 16> take_announcements() noexcept;
  [[nodiscard]] double bus_V() const noexcept;
  /// The vehicle that really flies (perturbed).
  [[nodiscard]] const vehicle::Vehicle& vehicle() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::world

namespace pintle {
template <>
const Table& table_of<world::OdometrySample>();
template <>
const Table& table_of<world::Truth>();
}  // namespace pintle
