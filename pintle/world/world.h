/// A vehicle in water and air, over ground: the plant behind the stack.
///
/// Each physics step: commands -> drivers, faults, propulsors of any kind and their fuel
/// (actuation.h) -> wrench, with the drag of the hull in air held for the step -> plant -> sensors
/// (odometry.h). Propulsors above the water feel the air (air.h). The plant is one rigid body in
/// moving water with feet on the ground (rigid_plant.h, RK4), or another one (`plant:`).
///
/// Where fuel burns, a step is flown with the mass in its middle: a burn gives the velocity of the
/// rocket equation to second order in the step.
///
/// Owns its own copy of the vehicle, perturbed per seed (see TruthParams, perturb.h), and never
/// sees the stack's. The same seed and the same commands give the same numbers, bit for bit, on the
/// same build, in however many calls the time is advanced. Nothing here knows the wall clock. Does
/// not model: walls, a supply that sags, gyroscopic torque of rotors, jet damping.
#pragma once
#include <memory>
#include <optional>

#include "pintle/base/aircraft.h"
#include "pintle/base/propulsor_report.h"
#include "pintle/base/signals.h"
#include "pintle/vehicle/supplies.h"
#include "pintle/vehicle/vehicle.h"
#include "pintle/world/plant_factory.h"
#include "pintle/world_params/check_vehicle.h"
#include "pintle/world_params/params.h"

namespace pintle::world {

/// What an odometry source says: pose and twist of the body origin at `stamp`.
struct OdometrySample {
  Time stamp;
  Pose X_WB;
  Twist V_WB_B;
  double position_std_m = 0;  ///< As it says of itself; 0: it does not.
};

/// What is really the case, for logs and verdicts.
struct Truth {
  Time time;
  Pose X_WB;
  Twist V_WB_B;
  Vec3 current_W{};   ///< Velocity of the water, m/s.
  Wrench propulsion;  ///< Of all propulsors in the last step, N and N m, at Bo, body coordinates.
  ChannelVector thrust_N;                ///< Of each propulsor along its mount.
  Vec3 wind_W{};                         ///< Velocity of the air at the body origin, m/s.
  Vec3 contact_W{};                      ///< Force of ground and pads, N.
  double fuel_kg = 0;                    ///< All that is on board.
  vehicle::TankFill tank_kg;             ///< Of it, in each tank of the vehicle.
  FixedVector<Pose, kMaxBodies> bodies;  ///< Of the world's bodies, in their order.
  std::int32_t held = -1;                ///< Which of them the gripper holds.
  double battery = 1;                    ///< Charge left, 0 to 1.
  ChannelVector thrust_rate_N_s;         ///< Of jets, as published by their plugin; else 0.
};

/// How the craft moved in the physics step before ground or pad first pushed it after free flight.
struct Touch {
  Time time;
  Pose X_WB;
  Twist V_WB_B;
};

/// The health of a propulsor from now on, as the stack is told.
struct Announcement {
  std::uint32_t propulsor = 0;  ///< Index in the vehicle file.
  PropulsorHealth health;
};

/// What a world is given beside its file.
struct WorldOptions {
  PlantFactory mujoco;  ///< For `plant: mujoco`: mujoco::plant_factory(), where there is one.
};

class World {
 public:
  /// Takes all memory that it will ever need.
  /// @throws std::invalid_argument on what `check` reports as an error, and for a plant that there
  /// is none of.
  World(const vehicle::Vehicle& nominal, const WorldParams& params, std::uint64_t seed,
        const WorldOptions& options = {});
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  /// Advances by whole steps, not beyond `until`, with constant commands, one a channel (those that
  /// are missing or not finite count as neutral), and ignition, one bit a propulsor from the lowest
  /// (thrusters and others that do not burn ignore it). No heap use.
  void advance(const ChannelVector& commands, std::uint64_t ignition, Time until) noexcept;

  [[nodiscard]] Time now() const noexcept;
  [[nodiscard]] Duration step_time() const noexcept;
  [[nodiscard]] Truth truth() const noexcept;
  /// None until it has flown and then touched.
  [[nodiscard]] const std::optional<Touch>& touch() const noexcept;
  /// The newest odometry that has arrived since the last call, if any; the first speaks of time 0.
  [[nodiscard]] std::optional<OdometrySample> take_odometry() noexcept;
  /// What the craft's inertial sensor has felt since the last call: the mean of its samples. None
  /// without one.
  [[nodiscard]] std::optional<ImuSample> take_imu() noexcept;
  /// Propulsors whose announced faults began or ended since the last call, in file order; what does
  /// not fit comes with the next call.
  [[nodiscard]] FixedVector<Announcement, 16> take_announcements() noexcept;
  [[nodiscard]] double bus_V() const noexcept;
  /// What thrusters have said of themselves since the last call; nothing without `meters:`.
  void take_reports(FixedVector<PropulsorReport, kMaxPropulsors>& reports) noexcept;
  /// What one of them would say without noise, now. Needs `meters:`.
  [[nodiscard]] PropulsorReport report_of(std::size_t propulsor) const noexcept;

  // what an aircraft carries; a vehicle without it never says anything
  /// To the gripper; see gripper.h.
  void request(const GripperRequest& request) noexcept;
  [[nodiscard]] std::optional<GripperReport> take_gripper() noexcept;
  /// The newest sighting that has arrived since the last call; see camera.h.
  [[nodiscard]] std::optional<TargetSighting> take_target() noexcept;
  /// Charge left, 0 to 1; 1 without a battery.
  [[nodiscard]] double battery() const noexcept;
  /// As in the file, while it runs; not between ticks that must not use the heap. A flight
  /// controller is no part of the world.
  /// @throws std::invalid_argument on what `check(fault)` reports as an error.
  void break_device(const DeviceFault& fault);
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
