/// What the thrusters of the simulated craft say of themselves: speed, voltage, current and
/// temperature by the model of propulsion/electrical.h from what really turns, with noise.
///
///   healthy          by the thrust that turns it, which a propeller that pushes less (weak) or the
///                    wrong way (reversed) does not change
///   dead             no current; it runs down with its lag
///   propeller lost   1.1 times the speed, 0.1 of the power above what it draws at rest
///   fouled           0.6 of the speed, 2.5 times that power, 0.3 of the thrust
///
/// The voltage is that of the supply less what each one's cable takes. Does not model: a supply
/// that sags, the silence of a driver (the emulated bus does).
#pragma once
#include <array>
#include <vector>

#include "pintle/base/propulsor_report.h"
#include "pintle/base/random.h"
#include "pintle/propulsion/electrical.h"
#include "pintle/world/actuation.h"

namespace pintle::world {

class Meters {
 public:
  /// Thrusters without electrical figures say nothing.
  Meters(const TruthVehicle& truth, const MeterParams& params, double bus_V, std::uint64_t seed);

  /// After each physics step. `turning`: one effort a propulsor.
  void update(Time now, const FaultSchedule& faults, const ChannelVector& turning) noexcept;
  /// The newest of each that has arrived since the last call.
  [[nodiscard]] FixedVector<PropulsorReport, kMaxPropulsors> take(Time now) noexcept;
  /// One as it is, without noise; nothing valid where it says nothing.
  [[nodiscard]] PropulsorReport exact(std::size_t propulsor) const noexcept;

 private:
  struct Meter {
    std::size_t propulsor;
    propulsion::ElectricalParams electrical;
    double full_effort;
    RandomStream noise;
    double temperature_C, rpm = 0, power_W = 0;
    FixedVector<PropulsorReport, kMostOnTheWay> on_the_way{};  ///< Oldest first.
  };
  void turn(Meter& m, const FaultEffect& fault, double effort, double dt_s) noexcept;
  void sample(Meter& m, Time now) noexcept;
  [[nodiscard]] PropulsorReport reading(const Meter& m) const noexcept;

  MeterParams params_;
  double bus_V_;
  std::vector<Meter> meters_;
  Time last_{}, due_{};
};

}  // namespace pintle::world
