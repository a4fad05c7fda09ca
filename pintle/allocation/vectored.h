/// Engines whose thrust turns: gimballed engines (two angles) and azimuth thrusters (one).
///
///   force = thrust * R(axis_1, a_1) R(axis_2, a_2) thrust_unit,   wrench about Bo = (f, p x f)
///
/// beside channels that are linear. Thrust and angles move at most by their rates in one period;
/// angles stay in their ranges and, where there is a cone, inside it: a_1^2 + a_2^2 <= cone^2. An
/// angle with a range of half a turn or more goes round and round.
///
/// Three steps. The forces that one would like, each free in direction, come from one linear
/// allocation; each gives the angles to turn to, also where the thrust is zero and turning does
/// nothing yet. From there nonlinear.h goes to the optimum. Where it then falls short it is tried
/// again from the present angles, and the better one is sent.
///
/// Sources: the extended thrust representation and its re-linearisation in time, Johansen and
/// Fossen, Automatica 49 (2013). Not modelled: lag between angle asked and angle reached (pass the
/// measured angles), thrust lost by deflection, and the engine's own weight.
#pragma once
#include "pintle/allocation/nonlinear.h"

namespace pintle::allocation {

inline constexpr std::size_t kMaxEngines = 16;

struct VectoredEngine {
  Vec3 p_BoT_B;                                      ///< Where the force acts.
  Vec3 thrust_unit{0, 0, 1};                         ///< Direction at angles zero; unit length.
  std::array<Vec3, 2> axis{{{1, 0, 0}, {0, 1, 0}}};  ///< Unit length.
  std::uint8_t angles = 2;                           ///< 0, 1 or 2.
  double min_thrust_N = 0, max_thrust_N = 0;
  double thrust_rate_N_s = 1e9;
  std::array<double, 2> range_rad{0, 0};  ///< Each way from zero; half a turn or more: all round.
  double cone_rad = 0;                    ///< 0: none beyond the ranges.
  double angle_rate_rad_s = 1e9;
  double efficiency = 1;  ///< Thrust delivered over thrust asked; 0 is out, below 0 reversed.
};

struct VectoredState {
  double thrust_N = 0;
  std::array<double, 2> angle_rad{};
};

[[nodiscard]] Findings check(const VectoredEngine& engine);

/// Force at the mount, body coordinates.
[[nodiscard]] Vec3 force_of(const VectoredEngine& engine, const VectoredState& state) noexcept;

struct VectoredAllocation {
  /// effort: the linear channels, then thrust, angle 1, angle 2 of each engine (as many as it has).
  Allocation allocation;
  FixedVector<VectoredState, kMaxEngines> engine;
};

/// `fixed`: the linear channels, may be none (n = 0), with the bias of everything. `now`: what the
/// engines do at present, one each. Channels together at most kMaxChannels. Grades as in
/// nonlinear.h; numbers that are not finite, a period below 0 or too many channels are kRejected
/// and answered with the present state, brought inside the ranges.
void allocate_vectored(const Settings& settings, const Effectiveness& fixed,
                       std::span<const VectoredEngine> engines, std::span<const VectoredState> now,
                       double period_s, const WrenchDemand& demand,
                       VectoredAllocation& out) noexcept;

}  // namespace pintle::allocation
