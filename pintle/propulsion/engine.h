/// A booster in a gimbal: three channels, the force along the thrust axis and two across it.
///
/// A step is the gimbal's and then the booster's, whose thrust it turns. Efforts are newtons in the
/// frame of the engine at rest: [0] along thrust_unit, [1] along unit_1 x thrust_unit, [2] along
/// unit_2 x thrust_unit; the last two are what the two axes do first. Source: the two components.
#pragma once
#include "pintle/propulsion/booster.h"
#include "pintle/propulsion/gimbal.h"

namespace pintle::propulsion {

struct EngineParams {
  BoosterParams booster;
  GimbalParams gimbal;
};

struct EngineState {
  BoosterState booster;
  GimbalState gimbal;
};

struct EngineInput {
  double ignition = 0, pwm = 0, noise = 0;  ///< See BoosterInput.
  GimbalInput gimbal;
};

[[nodiscard]] BoosterStep step(const EngineParams&, EngineState&, const EngineInput&,
                               const Ambient&, const Grant& grant, double dt_s) noexcept;

/// About the present thrust and angles; the side bounds are what commands within reach give at that
/// thrust.
[[nodiscard]] Linearised linearise(const EngineParams&, const EngineState&, const Ambient&,
                                   double horizon_s) noexcept;

/// Thrust that long, turned that way, cut to the bounds of both.
[[nodiscard]] EngineInput invert(const EngineParams&, const EngineState&,
                                 const std::array<double, 3>& effort_N) noexcept;

}  // namespace pintle::propulsion
