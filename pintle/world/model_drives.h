/// Jets, boosters, engines, propellers and fins as they are driven: each stepped by its own model,
/// fed from its tank, in the state it is really in.
///
///   commands, ignition --delay, stuck, reversed--> step of the model --factor--> wrench
///
/// Commands are held between two calls of `command`. Fuel is granted before, and drained after,
/// each physics step (vehicle/supplies.h). Noise, where a model has any, is one normal draw of mean
/// 0 a step from a stream named "noise NAME"; the original of `reference` draws with the mean 1.
///
/// What a fault means to these kinds:
///
///   dead      out: no combustion, no fuel taken; a propeller or fin is not driven (command 0)
///   weak      the part `value` of the wrench; of a fin, of the deflection
///   reversed  the command's sign; only propellers and fins can push the other way
///   stuck     the first channel stays at the effort `value`, through the model's own inverse: an
///             engine goes on turning; at 0 and below it is not lit
///   slow      lags take `value` times as long; of a jet all of its time does
///   delayed   commands and ignition are heard late; before the start nothing was asked
///
/// Ground effect (an option of the world) multiplies the force of propellers that have a radius and
/// push upwards; see ground.h.
#pragma once
#include <cstdint>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/vehicle/supplies.h"
#include "pintle/world/faults.h"
#include "pintle/world/ground.h"
#include "pintle/world/perturb.h"

namespace pintle::world {

/// What a step depends on beside commands: the craft and what is around it.
struct Surroundings {
  Pose X_WB;
  Twist V_WB_B;
  Vec3 flow_B{};  ///< Velocity of the air or water at Bo, body coordinates.
  double density_kg_m3 = 0;
};

class ModelDrives {
 public:
  /// Keeps a reference to `truth`.
  ModelDrives(const TruthVehicle& truth, const WorldParams& params, double step_s,
              std::uint64_t seed);

  [[nodiscard]] bool empty() const noexcept { return drives_.empty(); }

  /// Numbers that are missing or not finite count as neutral, ignition that is missing as off.
  void command(const ChannelVector& commands, std::uint64_t ignition) noexcept;

  /// One physics step: their wrench at Bo, body coordinates; writes their thrusts and the rates of
  /// those.
  [[nodiscard]] Wrench step(const FaultSchedule& faults, const Surroundings& around,
                            ChannelVector& thrust_N, ChannelVector& rate_N_s) noexcept;

  /// Whether the last step took fuel, so that the mass is another one now.
  [[nodiscard]] bool burnt() const noexcept { return burnt_; }
  /// Of the whole craft, fuel where it is.
  [[nodiscard]] vehicle::MassProperties mass() const noexcept {
    return vehicle::mass_of(vehicle_, states_, tank_kg_);
  }
  [[nodiscard]] double fuel_kg() const noexcept {
    return vehicle::fuel_kg(vehicle_, states_, tank_kg_);
  }
  [[nodiscard]] const vehicle::TankFill& tank_kg() const noexcept { return tank_kg_; }

 private:
  struct Drive {
    std::size_t propulsor, first_channel;
    double factor;    ///< Thrust over that of the model.
    bool takes_fuel;  ///< Of what is weighed.
    bool noisy;
    RandomStream noise;
    double rotor_radius_m;  ///< 0: no ground effect.
    propulsion::PropulsorInput wanted;
  };
  /// The inputs wanted of the last steps, oldest at `next`.
  struct DelayLine {
    std::size_t drive;
    std::vector<propulsion::PropulsorInput> inputs;
    std::size_t next = 0;
    propulsion::PropulsorInput delayed;
  };

  void move_delay_lines() noexcept;
  [[nodiscard]] propulsion::Ambient ambient_of(const Drive& drive,
                                               const Surroundings& around) const noexcept;
  /// What the model really gets, after faults.
  [[nodiscard]] propulsion::PropulsorInput input_of(Drive& drive, const FaultEffect& fault,
                                                    const Surroundings& around) noexcept;
  [[nodiscard]] propulsion::PropulsorStep step_of(const Drive& drive, const FaultEffect& fault,
                                                  const Surroundings& around) noexcept;
  [[nodiscard]] double near_ground(const Drive& drive, const Surroundings& around,
                                   const Wrench& F_Bo_B) const noexcept;

  const vehicle::Vehicle& vehicle_;
  std::vector<Drive> drives_;
  std::vector<DelayLine> lines_;       ///< Of the faults that delay …
  std::vector<std::int32_t> line_of_;  ///< … by number of the fault.
  Ground ground_;                      ///< None without ground effect.
  double bus_V_, step_s_;

  vehicle::PropulsorStates states_;
  vehicle::PropulsorInputs inputs_;
  vehicle::Grants grants_;
  vehicle::TankFill tank_kg_;
  bool burnt_ = false;
};

}  // namespace pintle::world
