/// From commands to one wrench: drivers, faults and propulsors of the vehicle that really flies.
///
///   command --static curve--> effort wanted --faults--> --slew, lag--> effort --unit, factor--> N
///
/// A command is held between two calls of `command`, and so is what its curve makes of it: the
/// curve is evaluated once a command, slew and lag (exact for a held command) once a physics step.
/// The thrust at the end of a physics step is held during that step: an error of first order, half
/// a step of delay, under a hundredth of the lag of a common thruster at 1 ms. All that are no
/// thrusters are stepped by their own models (model_drives.h). Every propulsor feels the medium at
/// the body origin.
#pragma once
#include <array>
#include <vector>

#include "pintle/world/faults.h"
#include "pintle/world/model_drives.h"
#include "pintle/world/perturb.h"

namespace pintle::world {

class Actuation {
 public:
  /// Keeps a reference to `truth`.
  Actuation(const TruthVehicle& truth, const WorldParams& params, double step_s,
            std::uint64_t seed);

  /// New commands, one a channel; those that are missing or not finite count as neutral. Ignition
  /// one bit a propulsor: what needs none ignores it.
  void command(const ChannelVector& commands, std::uint64_t ignition) noexcept;

  /// One physics step of all propulsors: their wrench at Bo, N and N m, body coordinates.
  [[nodiscard]] Wrench step(const FaultSchedule& faults, const Surroundings& around) noexcept;

  /// Fuel, and those that burn it.
  [[nodiscard]] const ModelDrives& models() const noexcept { return models_; }
  /// Thrust of each propulsor along its mount, N.
  [[nodiscard]] const ChannelVector& thrust_N() const noexcept { return thrust_N_; }
  /// From now on `turning` is kept.
  void watch_turning() noexcept { watches_turning_ = true; }
  /// The effort that each thruster turns for: what its blades or a wrong direction make of it is not
  /// in it. Of a dead one, it runs down. In its unit.
  [[nodiscard]] const ChannelVector& turning() const noexcept { return turning_; }
  /// Of jets, as the plugin publishes it; 0 of all others.
  [[nodiscard]] const ChannelVector& thrust_rate_N_s() const noexcept { return thrust_rate_N_s_; }

 private:
  /// One thruster as it is driven.
  struct Drive {
    std::size_t propulsor, channel;
    propulsion::Thruster thruster;  ///< With its curve: command to effort wanted.
    propulsion::Thruster shaft;     ///< Slew and lag of the same, effort in and effort out.
    double command_per_effort;      ///< Of the shaft; a power of two, so that nothing is rounded.
    double lowest, highest;         ///< Bounds of the effort.
    Vec6 column;                    ///< [d; p x d] of the true mount.
    double newtons;                 ///< Of one unit of effort, in truth.
    double wanted = 0;
    propulsion::ThrusterState state{}, turning{};
  };
  /// The efforts wanted of the last steps, oldest at `next`.
  struct DelayLine {
    std::size_t drive;
    std::vector<double> efforts;
    std::size_t next = 0;
    double delayed = 0;
  };

  std::vector<Drive> drives_;
  std::vector<DelayLine> lines_;       ///< Of the faults that delay …
  std::vector<std::int32_t> line_of_;  ///< … by number of the fault.
  ModelDrives models_;
  propulsion::Ambient ambient_;
  double step_s_;
  ChannelVector thrust_N_, thrust_rate_N_s_, turning_;
  bool watches_turning_ = false;
};

}  // namespace pintle::world
