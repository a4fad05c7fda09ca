/// How something that was told to go elsewhere went there: the figures of a step response.
///
///   y0 = is(t0), dy = wanted(after) - y0        t0: the first sample with the new wanted value
///   rise        from 10 % to 90 % of dy, first crossings
///   overshoot   the largest (is - wanted) / dy beyond the new value, 0 when there is none
///   settling    from t0 until it stays within 5 % of |dy| about the new value
///   error       wanted - is, mean of the last tenth of the time
///
/// Between samples it goes straight. Angles must come unwrapped. One step; what is wanted afterwards
/// must stand.
#pragma once
#include <cstddef>
#include <optional>
#include <span>

namespace pintle::control {

struct StepSample {
  double t_s = 0, wanted = 0, is = 0;
};

struct StepFigures {
  double at_s = 0;  ///< t0.
  double from = 0;  ///< y0.
  double size = 0;  ///< dy.
  std::optional<double> rise_s;
  double overshoot = 0;  ///< Share of the step.
  std::optional<double> settling_s;
  double error = 0;
};

inline constexpr double kSettledWithin = 0.05;

/// None: nothing else is wanted anywhere, it stood there already, or numbers are not finite or out
/// of order.
[[nodiscard]] std::optional<StepFigures> step_figures(std::span<const StepSample> samples) noexcept;

}  // namespace pintle::control
