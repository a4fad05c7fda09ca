#include "pintle/allocation/smoothing.h"

#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/health.h"

namespace pintle::allocation {
namespace {

void move_preferred(double rate, const Effectiveness& e, double dt_s,
                    SmoothingState& state) noexcept {
  double gap2 = 0;
  for (std::size_t i = 0; i < e.n; ++i) {
    if (!state.started) state.preferred[i] = safe_effort(e.lower[i], e.upper[i]);
    const double gap = e.preferred[i] - state.preferred[i];
    gap2 += gap * gap;
  }
  state.started = true;
  if (!std::isfinite(gap2)) return;
  const double reach = dt_s > 0 ? rate * dt_s : 0;
  const double gap = std::sqrt(gap2);
  for (std::size_t i = 0; i < e.n; ++i)
    state.preferred[i] =
        gap > reach ? state.preferred[i] + (e.preferred[i] - state.preferred[i]) * (reach / gap)
                    : e.preferred[i];
}

Side next_side(Side now, double x, double band, double hysteresis) noexcept {
  const double leave = band * (1 + hysteresis) / 2, enter = band * (1 - hysteresis) / 2;
  if (now == Side::kForward && x >= enter && x > 0) return now;
  if (now == Side::kBackward && x <= -enter && x < 0) return now;
  return x > leave ? Side::kForward : x < -leave ? Side::kBackward : Side::kResting;
}

bool has_band(const DeadBands& bands, const PropulsorHealth* health, std::size_t i) noexcept {
  return bands.band[i] > 0 && (health == nullptr || (health[i].health != Health::kOut &&
                                                     health[i].health != Health::kStuck));
}

}  // namespace

DeadBands dead_bands(const ChannelVector& band, const Effectiveness& whole) noexcept {
  DeadBands bands;
  for (std::size_t i = 0; i < std::min<std::size_t>(band.size(), whole.n); ++i) {
    // a band wider than a bound leaves nothing to work with on that side
    bands.band[i] = band[i];
    bands.any = bands.any || band[i] > 0;
  }
  bands.lower = whole.lower;
  bands.upper = whole.upper;
  return bands;
}

bool has_smoothing(const Objective& objective, const DeadBands& bands) noexcept {
  return objective.preferred_rate > 0 || (objective.dead_band_hysteresis > 0 && bands.any);
}

void smooth(const Settings& settings, const DeadBands& bands, const Effectiveness& effectiveness,
            const WrenchDemand& demand, const PropulsorHealth* health, double dt_s,
            SmoothingState& state, Smoothed& out) noexcept {
  const Objective& objective = settings.objective;
  out.box = effectiveness;
  out.narrowed = false;
  Effectiveness& box = out.box;
  box.n = std::min<std::uint32_t>(box.n, kMaxChannels);
  if (objective.preferred_rate > 0) {
    move_preferred(objective.preferred_rate, box, dt_s, state);
    // a slew limit may not let an effort be where p is
    box.preferred = state.preferred;
  }
  if (!(objective.dead_band_hysteresis > 0 && bands.any)) return;

  // what each would give without bands and without the slew limit that may keep it inside its own
  Effectiveness free = box;
  for (std::size_t i = 0; i < box.n; ++i) {
    if (!has_band(bands, health, i) || !(box.lower[i] < box.upper[i])) continue;
    free.lower[i] = bands.lower[i];
    free.upper[i] = bands.upper[i];
  }
  Allocation wanted;
  allocate(settings, free, demand, health, wanted);
  if (wanted.grade == AllocationGrade::kRejected) return;
  out.reachable = wanted.reachable;
  for (std::size_t i = 0; i < box.n; ++i) {
    if (!has_band(bands, health, i)) {
      state.side[i] = Side::kResting;
      continue;
    }
    const double band = bands.band[i], lower = box.lower[i], upper = box.upper[i];
    state.side[i] =
        next_side(state.side[i], wanted.effort[i], band, objective.dead_band_hysteresis);
    if (state.side[i] == Side::kResting)
      box.lower[i] = box.upper[i] = std::clamp(0.0, lower, upper);
    else if (state.side[i] == Side::kForward)
      box.lower[i] = std::clamp(band, lower, upper);
    else
      box.upper[i] = std::clamp(-band, lower, upper);
    out.narrowed = true;
  }
}

void restore(const Smoothed& smoothed, const Effectiveness& effectiveness,
             Allocation& answer) noexcept {
  if (!smoothed.narrowed || answer.grade == AllocationGrade::kRejected) return;
  answer.reachable = smoothed.reachable;
  for (std::size_t i = 0; i < answer.effort.size(); ++i) {
    const ChannelMask bit = ChannelMask{1} << i;
    if (answer.effort[i] > effectiveness.lower[i]) answer.at_lower &= ~bit;
    if (answer.effort[i] < effectiveness.upper[i]) answer.at_upper &= ~bit;
  }
}

}  // namespace pintle::allocation
