#include "pintle/world/faults.h"

#include <limits>
#include <stdexcept>

namespace pintle::world {
namespace {

constexpr double kFouledThrust = 0.3;

bool same(const PropulsorHealth& a, const PropulsorHealth& b) noexcept {
  return a.health == b.health && a.efficiency == b.efficiency && a.stuck_effort == b.stuck_effort;
}

void apply(FaultEffect& e, FaultKind kind, double value, std::int32_t number) noexcept {
  switch (kind) {
    case FaultKind::kDead: e.gain = 0, e.dead = true; break;
    case FaultKind::kStuck: e.stuck = true, e.stuck_effort = value; break;
    case FaultKind::kReversed: e.gain = -e.gain; break;
    case FaultKind::kWeak: e.gain *= value; break;
    case FaultKind::kSlow: e.slowness *= value; break;
    case FaultKind::kDelayed: e.delay_line = number; break;
    case FaultKind::kPropellerLost: e.gain = 0, e.propeller_lost = true; break;
    case FaultKind::kFouled: e.gain *= kFouledThrust, e.fouled = true; break;
  }
}

// slow and delayed have no word in the stack's vocabulary: they change nothing
void tell(PropulsorHealth& h, FaultKind kind, double value) noexcept {
  switch (kind) {
    case FaultKind::kDead:
    case FaultKind::kPropellerLost: h = {Health::kOut, 1, 0}; break;
    case FaultKind::kFouled: h = {Health::kWeak, kFouledThrust, 0}; break;
    case FaultKind::kStuck: h = {Health::kStuck, 1, value}; break;
    case FaultKind::kReversed: h = {Health::kReversed, 1, 0}; break;
    case FaultKind::kWeak: h = {Health::kWeak, value, 0}; break;
    case FaultKind::kSlow:
    case FaultKind::kDelayed: break;
  }
}

}  // namespace

FaultSchedule::FaultSchedule(const vehicle::Vehicle& vehicle, const std::vector<FaultSpec>& faults)
    : propulsors_(vehicle.propulsors.size()) {
  for (const FaultSpec& f : faults) {
    std::size_t i = 0;
    while (i < propulsors_ && vehicle.propulsors[i].name != f.propulsor) ++i;
    if (i == propulsors_)
      throw std::invalid_argument("fault: vehicle \"" + vehicle.name +
                                  "\" has no propulsor named \"" + f.propulsor + "\"");
    faults_.push_back({static_cast<std::uint32_t>(i), f.kind, Time::from_seconds(f.at_s),
                       Time::from_seconds(f.until_s), f.value, f.announced});
  }
  refresh({});
}

void FaultSchedule::refresh(Time now) noexcept {
  std::array<PropulsorHealth, kMaxPropulsors> health{};
  effects_ = {};
  next_change_ = {std::numeric_limits<std::int64_t>::max()};
  for (std::size_t k = 0; k < faults_.size(); ++k) {
    const Fault& f = faults_[k];
    if (now < f.until) {
      const Time change = now < f.from ? f.from : f.until;
      if (change < next_change_) next_change_ = change;
    }
    if (now < f.from || now >= f.until) continue;
    apply(effects_[f.propulsor], f.kind, f.value, static_cast<std::int32_t>(k));
    if (f.announced) tell(health[f.propulsor], f.kind, f.value);
  }
  for (std::size_t i = 0; i < propulsors_; ++i) {
    if (same(health[i], announced_[i])) continue;
    announced_[i] = health[i];
    pending_ |= std::uint64_t{1} << i;
  }
}

FixedVector<Announcement, 16> FaultSchedule::take_announcements() noexcept {
  FixedVector<Announcement, 16> out;
  for (std::size_t i = 0; i < propulsors_ && pending_ != 0 && !out.full(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if ((pending_ & bit) == 0) continue;
    out.push_back({static_cast<std::uint32_t>(i), announced_[i]});
    pending_ &= ~bit;
  }
  return out;
}

}  // namespace pintle::world
