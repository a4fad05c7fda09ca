/// Thousands of independent craft of one type, each with its own state, commands, wind and mass,
/// stepped together: for training, Monte Carlo and tuning.
///
/// A craft is a rigid body with what its vehicle file hangs on it: boosters with or without
/// gimbals, fins, propellers, drag bodies, tanks. A step evaluates every force once, at its
/// beginning, holds the wrench in body coordinates and integrates the rigid body by the classical
/// Runge-Kutta method of fourth order:
///
///   a_c = F / m - g R_BW z      w' = I^-1 (T - c x F - w x I w)
///   v'  = a_c - w' x c - w x (v + w x c)            c: centre of mass, I: about it
///
/// Mass, centre and inertia are those in the middle of the step's burn, so that the rocket equation
/// holds to the second order of the step. It is the flight of RigidPlant under the same wrench, to
/// rounding; aerodynamic forces make the whole of first order in the step, as there.
///
/// Rows of numbers lie side by side in blocks of craft and are stepped with the widest vector
/// instructions of the machine (propulsion::batch_instructions). Each craft gives the same bits
/// alone (`step_one`), in a batch of any size, with any instructions and any number of threads.
/// Does not model: ground, water, turbines, faults, air whose density changes with height (density
/// is a number of each craft), momentum of propellers and of fuel that moves.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "pintle/vehicle/vehicle.h"
#include "pintle/world/body_dynamics.h"

namespace pintle::world {

struct BatchSettings {
  double dt_s = 1.0 / 240;
  double gravity_m_s2 = 9.80665;
};

/// What is each craft's own.
struct BatchConditions {
  Vec3 wind_W{};  ///< m/s.
  double density_kg_m3 = 1.225;
  double mass_factor = 1;    ///< Of mass and inertia without fuel; above 0.
  double thrust_factor = 1;  ///< Newtons over expected newtons, of engines and propellers.
};

class VehicleBatch {
 public:
  /// @throws std::invalid_argument for a craft with thrusters or jets, without mass, or settings
  /// that are not above 0.
  VehicleBatch(const vehicle::Vehicle& craft, std::size_t count, const BatchSettings& settings);
  ~VehicleBatch();
  VehicleBatch(VehicleBatch&&) noexcept;
  VehicleBatch& operator=(VehicleBatch&&) noexcept;

  [[nodiscard]] std::size_t size() const noexcept;
  /// Commands a craft, in the order of Vehicle::channel_names.
  [[nodiscard]] std::size_t channels() const noexcept;

  [[nodiscard]] BodyState body(std::size_t craft) const noexcept;
  void set_body(std::size_t craft, const BodyState& state) noexcept;
  /// False, and nothing changes, for numbers that cannot be.
  bool set_conditions(std::size_t craft, const BatchConditions& conditions) noexcept;

  /// Held until changed: pwm and angles of engines, deflection of fins, pwm of propellers.
  void set_command(std::size_t craft, std::size_t channel, double value) noexcept;
  void set_commands(std::size_t craft, std::span<const double> values) noexcept;
  /// Ignition of a booster; a normal draw for the next steps of boosters and propellers.
  void set_ignition(std::size_t craft, std::size_t propulsor, bool on) noexcept;
  void set_noise(std::size_t craft, std::size_t propulsor, double draw) noexcept;

  /// Of a booster in the last step, N.
  [[nodiscard]] double thrust_N(std::size_t craft, std::size_t propulsor) const noexcept;
  [[nodiscard]] double tank_kg(std::size_t craft, std::size_t tank) const noexcept;
  void set_tank_kg(std::size_t craft, std::size_t tank, double mass_kg) noexcept;
  /// Of a booster's own fuel.
  [[nodiscard]] double fuel_ratio(std::size_t craft, std::size_t propulsor) const noexcept;
  /// Of the deflection of a fin or the throttle of the others.
  [[nodiscard]] double actuation(std::size_t craft, std::size_t propulsor) const noexcept;

  /// One step of craft `first` to `last` - 1. Disjoint ranges may be stepped at the same time.
  void step(std::size_t first, std::size_t last) noexcept;
  void step() noexcept { step(0, size()); }
  /// The same for one craft, without vector instructions.
  void step_one(std::size_t craft) noexcept;
  /// So many steps of all with the commands as they are, on so many threads.
  void run(std::size_t steps, std::size_t threads = 1);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::world
