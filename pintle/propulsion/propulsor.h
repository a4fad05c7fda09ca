/// Any propulsor, whatever its kind: the alternatives of one variant, and the three functions over
/// it.
///
///   step       a command for each channel, and whether it is to burn, forward over a step
///   linearise  what the allocator gets: columns in mount coordinates, bounds within a horizon
///   invert     an effort for each channel to a command for each channel
///
/// Efforts and commands by kind:
///
///   thruster   1 channel   effort: unit of the vehicle; command: what its driver takes
///   jet        1           effort: thrust, N;           command: N/s, percent or N (its model's)
///   booster    1           effort: thrust, N;           command: pwm, 0 to 1
///   engine     3           efforts: N along the thrust axis and two across; commands: pwm and the
///                          two angles as shares of their ranges
///   propeller  1           effort: thrust, N;           command: pwm, -1 to 1
///   fin        1           effort and command: deflection as a share of its limit
///   azimuth    2           efforts: N along the head and across it; commands: N and rad
///
/// Ignition is never decided by an allocator: one that is not to burn offers a box of zero width
/// (an engine that cannot be shut down goes on burning, and its box says so).
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "pintle/propulsion/azimuth.h"
#include "pintle/propulsion/engine.h"
#include "pintle/propulsion/fin.h"
#include "pintle/propulsion/jet.h"
#include "pintle/propulsion/propeller.h"
#include "pintle/propulsion/thruster.h"

namespace pintle::propulsion {

using Propulsor = std::variant<Thruster, JetParams, BoosterParams, EngineParams, PropellerParams,
                               FinParams, AzimuthParams>;
/// The state of each, in the same order.
using PropulsorState = std::variant<ThrusterState, JetState, BoosterState, EngineState,
                                    PropellerState, FinState, AzimuthState>;
static_assert(std::is_trivially_copyable_v<PropulsorState>);
static_assert(std::variant_size_v<Propulsor> == std::variant_size_v<PropulsorState>);

/// One number a channel; those behind the last channel mean nothing.
using ChannelNumbers = std::array<double, kChannelsEach>;

/// Channels that it offers: 1 to 3.
[[nodiscard]] constexpr std::size_t channels(const Propulsor& p) noexcept {
  // in the order of the variant
  constexpr std::array<std::uint8_t, std::variant_size_v<Propulsor>> kChannels{1, 1, 1, 3, 1, 1, 2};
  static_assert(kChannels.back() != 0, "how many has the last one?");
  return kChannels[p.index()];
}
/// "thruster", "jet", …: the `type` of a file.
[[nodiscard]] std::string_view kind_of(const Propulsor&) noexcept;
/// Whether it burns only when told to: boosters, engines, jets with a start-up sequence.
[[nodiscard]] bool needs_ignition(const Propulsor&) noexcept;

/// At rest; fuel of its own at this share.
[[nodiscard]] PropulsorState initial_state(const Propulsor&, double fuel_ratio = 1) noexcept;

struct PropulsorInput {
  ChannelNumbers command{};
  bool ignition = true;
  double noise = 0;  ///< A normal draw of this step, of those that are noisy.
};

struct PropulsorStep {
  Wrench wrench_P;  ///< At the mount, mount coordinates. Of a thruster in its unit, else N, N m.
  double thrust_N = 0;  ///< Along its axis, signed; of a fin the length of its force.
  SupplyDemand demand;  ///< What it took.
  double rate_N_s = 0;  ///< Of the thrust, of a jet as it is published; 0 of all others.
};

/// What it would draw in a step with this input, before anything is granted.
[[nodiscard]] SupplyDemand demand(const Propulsor&, const PropulsorState&, const PropulsorInput&,
                                  double dt_s) noexcept;
/// A state of another kind is left alone, and gives nothing.
[[nodiscard]] PropulsorStep step(const Propulsor&, PropulsorState&, const PropulsorInput&,
                                 const Ambient&, const Grant&, double dt_s) noexcept;

/// `period_s` is the time to the next allocation. Efforts are what is reached by its end; of a jet
/// behind a thrust law within the time constant of that law, and of a fin within its own, where
/// that is longer.
[[nodiscard]] Linearised linearise(const Propulsor&, const PropulsorState&, const Ambient&,
                                   double period_s, bool ignition = true) noexcept;

/// Most and least of each effort when everything runs as it should: what tables and plots show.
[[nodiscard]] Linearised full_range(const Propulsor&, const Ambient&) noexcept;

struct PropulsorCommand {
  ChannelNumbers command{};
  ChannelNumbers effort{};  ///< What those commands really ask for.
};

/// Notes in the state what a thruster, a fin or a gimbal was told last; the other kinds keep nothing.
[[nodiscard]] PropulsorCommand invert(const Propulsor&, PropulsorState&,
                                      const ChannelNumbers& effort, const Ambient&, double dt_s,
                                      bool ignition = true) noexcept;
/// The command that means "nothing".
[[nodiscard]] ChannelNumbers neutral_command(const Propulsor&, double bus_V) noexcept;

/// Thrust now, N, along its axis; of a thruster in its unit, of a fin 0.
[[nodiscard]] double thrust_of(const Propulsor&, const PropulsorState&) noexcept;

}  // namespace pintle::propulsion
