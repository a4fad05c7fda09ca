/// Allocation where the wrench is not linear in the channels: gimbals, azimuths, flaps in a flow.
///
///   minimise | Wv (F(x) - w) |^2  +  r sum ( unit_i (x_i - preferred_i) )^2,   lower <= x <= upper
///
/// r = 0 as in objective.h: the wrench first, then the least distance from `preferred`. Groups of
/// the demand are served in order. Each round makes F linear about the present answer, solves that
/// problem exactly inside the bounds and a trust region (allocator.h), and moves only if the true
/// objective falls, or stays and the efforts come nearer to `preferred`. A round that does not
/// move makes the trust region a quarter of what it was, so it ends; rounds are capped besides.
///
/// What comes back is an answer inside the bounds with the wrench of F itself, never of its linear
/// image. It is the optimum where F is linear, and otherwise one that no small change improves: the
/// true problem has several such in general, and the one found depends on `start`.
///
/// Not here: demands that keep their direction (preserve_direction is not looked at).
#pragma once
#include <span>

#include "pintle/allocation/allocator.h"

namespace pintle::allocation {

/// A wrench as a function of the channels.
struct WrenchModel {
  const void* context = nullptr;
  /// F(x) and dF/dx_i, both finite for x inside the bounds. Without memory.
  void (*evaluate)(const void* context, std::span<const double> x, Vec6& wrench,
                   std::span<Vec6> column) noexcept = nullptr;
  /// Moves x to the nearest point that the craft can take, where that is not just a box. May be
  /// null. Must answer inside the bounds.
  void (*confine)(const void* context, std::span<double> x) noexcept = nullptr;
};

struct NonlinearProblem {
  WrenchModel model;
  std::uint32_t n = 0;
  std::array<double, kMaxChannels> lower{}, upper{};  ///< Reachable now: range and rates.
  std::array<double, kMaxChannels> preferred{}, start{};
  /// Efforts per unit of the channel, so that newtons and radians can be compared: above 0.
  std::array<double, kMaxChannels> unit{};
};

inline constexpr int kMaxRounds = 40;

/// `wanted` brought inside the bounds that are numbers.
[[nodiscard]] double safe_effort_near(double wanted, double lower, double upper) noexcept;

/// out.effort is x, in the channels' own units. grade: kExact, every demanded axis achieved;
/// kBounded, no small change improves it; kIterationCapped, the rounds ran out; kRejected, bounds
/// crossed or something not finite, and x is the point of the box nearest to `start`, or its lower
/// corner where that cannot be told. iterations: rounds. margin: 1 if exact, else 0. Bounds, unit
/// and preferred that are not finite are rejected too.
void allocate_nonlinear(const Settings& settings, const NonlinearProblem& problem,
                        const WrenchDemand& demand, Allocation& out) noexcept;

}  // namespace pintle::allocation
