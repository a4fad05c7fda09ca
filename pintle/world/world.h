/// A vehicle in water and air, over ground: the plant behind the stack.
///
/// Each physics step: commands -> drivers, faults, propulsors (actuation.h) -> wrench, held for the
/// step -> rigid body in moving water with feet on the ground (rigid_plant.h, RK4) -> sensors
/// (odometry.h). Propulsors above the water feel the air (air.h).
///
/// Owns its own copy of the vehicle, perturbed per seed (see TruthParams, perturb.h), and never
/// sees the stack's. The same seed and the same commands give the same numbers, bit for bit, on the
/// same build, in however many calls the time is advanced. Nothing here knows the wall clock. Does
/// not model: walls, drag of the body in air, reaction torque of propellers, a supply that sags.
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
  Wrench propulsion;  ///< Of all propulsors in the last step, N and N m, at Bo, body coordinates.
  ChannelVector thrust_N;  ///< Of each propulsor along its mount.
  Vec3 wind_W{};           ///< Velocity of the air at the body origin, m/s.
  Vec3 contact_W{};        ///< Force of ground and pads, N.
};

/// The health of a propulsor from now on, as the stack is told.
struct Announcement {
  std::uint32_t propulsor = 0;  ///< Index in the vehicle file.
  PropulsorHealth health;
};

/// What `check(params)` says, and faults that name no propulsor of this vehicle or cannot act on
/// it.
[[nodiscard]] Findings check(const WorldParams& params, const vehicle::Vehicle& vehicle);

class World {
 public:
  /// Takes all memory that it will ever need.
  /// @throws std::invalid_argument on what `check` reports as an error.
  World(const vehicle::Vehicle& nominal, const WorldParams& params, std::uint64_t seed);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Advances by whole steps, not beyond `until`, with constant commands (one a propulsor, to its
  /// driver; those that are missing or not finite count as neutral). No heap use.
  void advance(const ChannelVector& commands, std::uint64_t ignition, Time until) noexcept;

  [[nodiscard]] Time now() const noexcept;
  [[nodiscard]] Truth truth() const noexcept;
  /// The newest odometry that has arrived since the last call, if any; the first speaks of time 0.
  [[nodiscard]] std::optional<OdometrySample> take_odometry() noexcept;
  /// Propulsors whose announced faults began or ended since the last call, in file order; what does
  /// not fit comes with the next call.
  [[nodiscard]] FixedVector<Announcement, 16> take_announcements() noexcept;
  [[nodiscard]] double bus_V() const noexcept;
  /// The vehicle that really flies (perturbed).
  [[nodiscard]] const vehicle::Vehicle& vehicle() const noexcept;
  /// Its thrust over that of its model, per propulsor.
  [[nodiscard]] const ChannelVector& thrust_factor() const noexcept;

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
