/// What an allocation can know before the demand comes. Start from a default one; allocate() keeps
/// it.
#pragma once
#include <cstring>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/internal/scaling.h"

namespace pintle::allocation {

/// A held set as a linear map from demands to efforts (loaded_map.h), and what of the columns stays
/// whatever is held.
struct SetMap {
  bool ready = false;
  bool spanned = false;
  bool of_columns = false;  ///< It is a map of the columns at hand, whatever is held.
  bool tried = false;       ///< In vain, for the demand at hand.
  int rest = 0;  ///< So many times it is not made: conditions were too close to call with it.
  std::size_t lost = 0;       ///< Directions that no channel moves, see row_system.h,
  double fill = 0;            ///< and with what they are filled.
  double left = 1;            ///< See loaded_map.h.
  unsigned free = 0, up = 0;  ///< The set.
  alignas(64) std::array<std::array<double, 8>, 8> k;
  alignas(64) std::array<std::array<double, 8>, kAxes> gain;
  alignas(64) std::array<std::array<double, 8>, kAxes> direction;
  alignas(64) std::array<double, 8> constant;
  alignas(64) std::array<double, 8> length, length2;  ///< Of the columns: sum of numbers, squares.
  Vec6 most;                                          ///< The largest gain of a free channel.
  Vec6 reach;  ///< At most what the channels move along each axis.
};

struct Prepared {
  bool made = false;    ///< For the inputs below.
  bool usable = false;  ///< They are finite, bounds not crossed.

  bool plain = false;  ///< Made, usable, and the products below answer what is asked by default.

  bool box_alone = false;  ///< Is new in the call at hand, among the inputs below.

  // the inputs it was made for
  Settings settings;
  Effectiveness effectiveness;
  std::array<PropulsorHealth, kMaxChannels> health{};
  bool all_good = false;          ///< All of `health` is.
  bool weights_are_near = false;  ///< Those below, within kWideRows: else no maps.
  std::array<double, kAxes> weight{};

  Working working;
  bool weighted = false;  ///< `working` has efforts times their weights.
  bool traces = false;    ///< `working` is without directions that only imperfect geometry gives.
  Scaled scaled;
  bool wide_rows = false;  ///< See is_unclear in refine_kernel.h.
  bool uneven = false;     ///< See row_system.h: everything is solved in double-double.
  Reach reach;
  Vec6 row_size;         ///< What the channels can move through each axis.
  double box_size2 = 0;  ///< The squares of how far the scaled channels reach, added up.

  ChannelMask wide = 0;         ///< Channels with width,
  ChannelMask scaled_wide = 0;  ///< and those of the scaled box with it.
  AxisMask demanded = 0;        ///< Axes of a weight above 0.
  bool trades = false;          ///< r > 0.
  /// The columns of `scaled` row by row, zero for channels without width.
  alignas(64) std::array<std::array<double, kMaxChannels>, kAxes> row;

  // without bounds: effort = idle + gain * demand; zero behind the last channel
  bool free_ready = false;
  bool free_weak = false;          ///< Products may lose digits.
  SetMap free_map;                 ///< The same in scaled numbers, where it is ready.
  bool free_keeps_digits = false;  ///< The products below say as much as a solve would.
  Vec6 there;                      ///< The wrench when no free channel leaves its preferred effort.
  bool idle_is_zero = false;       ///< The wrench of the idle efforts is zero where demanded.
  alignas(64) std::array<std::array<double, kMaxChannels>, kAxes> gain;  ///< Row by row.
  alignas(64) std::array<double, kMaxChannels> idle{};
  alignas(64) std::array<double, kMaxChannels> per_room_up{};    ///< 1 / (upper - idle).
  alignas(64) std::array<double, kMaxChannels> per_room_down{};  ///< 1 / (lower - idle).

  // the last proved set with something held
  HeldSet set;
  bool set_due = false;  ///< Its matrices are still to be made: when the next demand asks for them.
  bool answered = false;   ///< Once, with these columns.
  bool set_first = false;  ///< The last answer was its: with the same columns it is asked first.
  Vec6 set_wrench;         ///< Of the held channels, scaled.
  SetMap map;              ///< In place of the matrices where it is ready.
  BoxSolution solution;
};

/// Whether it was made for as many channels and for what is not compared number by number.
[[nodiscard]] inline bool same_settings(const Prepared& p, const Settings& settings,
                                        const Effectiveness& e) noexcept {
  const Settings& was = p.settings;
  return (e.n == p.effectiveness.n) & (settings.objective.k1 == was.objective.k1) &
         (settings.objective.k2 == was.objective.k2) & (settings.drop_traces == was.drop_traces) &
         (e.geometry_share == p.effectiveness.geometry_share) &
         (e.controlled == p.effectiveness.controlled);
}

/// All axes in one group, as nearly always.
[[nodiscard]] inline bool one_group(const WrenchDemand& demand) noexcept {
  std::uint32_t four = 0;
  std::uint16_t two = 0;
  std::memcpy(&four, demand.group.data(), sizeof(four));
  std::memcpy(&two, demand.group.data() + sizeof(four), sizeof(two));
  return (four == demand.group[0] * 0x0101'0101U) & (two == demand.group[0] * 0x0101U);
}

inline constexpr int kNoGroup = 256;
/// The group that is served after this one.
[[nodiscard]] int group_after(const WrenchDemand& demand, int group) noexcept;

/// The weights of the group that is served first; whether there are others.
bool first_group(const WrenchDemand& demand, std::array<double, kAxes>& weight) noexcept;

/// The most iterations of one solve.
[[nodiscard]] inline int iteration_cap(const Settings& settings, std::uint32_t n) noexcept {
  return settings.max_iterations > 0 ? settings.max_iterations : 10 * static_cast<int>(n) + 20;
}

/// What the held channels of the set move, scaled.
[[nodiscard]] Vec6 wrench_of_set(const Prepared& prepared) noexcept;

/// Whether the set's matrices are there and can be used; makes them where they are due.
[[nodiscard]] bool has_set(Prepared& prepared) noexcept;

/// The whole call with the effectiveness and health that it was made for.
void allocate_kept(Prepared& prepared, const Settings& settings, const WrenchDemand& demand,
                   Allocation& out) noexcept;

/// The optimum of prepared.scaled with the last set, or one a few exchanges away; false when there
/// is no proof of it.
[[nodiscard]] bool repeat_set(Prepared& prepared) noexcept;

/// The same from the set that holds nothing; false with more than eight channels or wide rows.
[[nodiscard]] bool leave_free(Prepared& prepared) noexcept;

/// The optimum of prepared.scaled by search; keeps its set.
void solve_anew(Prepared& prepared) noexcept;

}  // namespace pintle::allocation
