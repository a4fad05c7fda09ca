/// From commands to one wrench: drivers, faults and propulsors of the vehicle that really flies.
///
///   command --static curve--> effort wanted --faults--> --slew, lag--> effort --unit, factor--> N
///
/// A command is held between two calls of `command`, and so is what its curve makes of it: the
/// curve is evaluated once a command, slew and lag (exact for a held command) once a physics step.
/// The thrust at the end of a physics step is held during that step: an error of first order, half
/// a step of delay, under a hundredth of the lag of a common thruster at 1 ms.
#pragma once
#include <array>
#include <vector>

#include "pintle/world/body_dynamics.h"
#include "pintle/world/faults.h"
#include "pintle/world/perturb.h"

namespace pintle::world {

class Actuation {
 public:
  Actuation(const TruthVehicle& truth, const WorldParams& params, double step_s);

  /// New commands, one a propulsor; those that are missing or not finite count as neutral.
  void command(const ChannelVector& commands) noexcept;

  /// What surrounds the craft from now on.
  void surround(double density_kg_m3) noexcept { ambient_.density_kg_m3 = density_kg_m3; }
  /// One physics step of all propulsors, in water or air that moves at flow_B: their wrench at Bo,
  /// N and N m, body coordinates.
  [[nodiscard]] Wrench step(const FaultSchedule& faults, const Twist& V_WB_B, Vec3 flow_B) noexcept;

  /// Thrust of each propulsor along its mount, N.
  [[nodiscard]] const ChannelVector& thrust_N() const noexcept { return thrust_N_; }

 private:
  /// One propulsor as it is driven.
  struct Drive {
    propulsion::Thruster thruster;  ///< With its curve: command to effort wanted.
    propulsion::Thruster shaft;     ///< Slew and lag of the same, effort in and effort out.
    double command_per_effort;      ///< Of the shaft; a power of two, so that nothing is rounded.
    double lowest, highest;         ///< Bounds of the effort.
    Vec6 column;                    ///< [d; p x d] of the true mount.
    double newtons;                 ///< Of one unit of effort, in truth.
    double wanted = 0;
    propulsion::ThrusterState state{};
  };
  /// The efforts wanted of the last steps, oldest at `next`.
  struct DelayLine {
    std::size_t propulsor;
    std::vector<double> efforts;
    std::size_t next = 0;
    double delayed = 0;
  };

  std::vector<Drive> drives_;
  std::vector<DelayLine> lines_;       ///< Of the faults that delay …
  std::vector<std::int32_t> line_of_;  ///< … by number of the fault.
  propulsion::Ambient ambient_;
  double step_s_;
  ChannelVector thrust_N_;
};

}  // namespace pintle::world
