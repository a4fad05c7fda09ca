#include "mapper/mapper.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/prepared.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::ros1 {

struct Mapper::Impl {
  Layout layout;
  MapperSettings settings;
  allocation::Settings objective;
  allocation::Prepared prepared;
  Effectiveness effectiveness;
  std::array<PropulsorHealth, kMaxChannels> health{};
  AxisMask whole = 0;  ///< Axes that all thrusters can move.
  AxisMask now = 0;    ///< And those that are in use.

  Six wrench{};          ///< The last one.
  bool waiting = false;  ///< It is to be answered when its turn comes.
  bool usable = false;   ///< It was finite, and all bounds are known.
  bool silent = true;
  bool rejected = false;
  bool safe_sent = true;     ///< Nothing but the safe command has been sent since.
  double taken_s = -1e300;   ///< When the last wrench came …
  double sent_s = -1e300;    ///< … and the last command went.
  double latest_s = -1e300;  ///< Latest time seen.

  void look_at_axes() {
    whole = allocation::reachable_axes(effectiveness, nullptr);
    now = allocation::reachable_axes(effectiveness, health.data());
  }

  /// After the clock was set back nothing is old, and nothing needs to wait.
  void watch_clock(double now_s) {
    if (now_s < latest_s) {
      taken_s = std::min(taken_s, now_s);
      sent_s = -1e300;
    }
    latest_s = now_s;
  }

  [[nodiscard]] bool turn(double now_s) const {
    return !(settings.max_rate_Hz > 0) || now_s - sent_s >= (1 - 1e-6) / settings.max_rate_Hz;
  }

  [[nodiscard]] bool bounds_known() const {
    return std::all_of(layout.thrusters.begin(), layout.thrusters.end(),
                       [](const LayoutThruster& t) { return t.has_bounds; });
  }

  MapperCommand finish(const Allocation& answer, bool safe, double now_s);
  MapperCommand safe_command(double now_s);
  MapperCommand answer(double now_s);
};

/// What the numbers on the wire do, not what was computed.
MapperCommand Mapper::Impl::finish(const Allocation& answer, bool safe, double now_s) {
  MapperCommand out;
  out.safe = safe;
  ChannelVector sent(effectiveness.n);
  for (std::size_t i = 0; i < effectiveness.n; ++i) {
    double thrust = safe || health[i].health == Health::kOut ? 0 : answer.effort[i];
    if (std::abs(thrust) < settings.least_thrust_N) thrust = 0;
    const float wire = inside(thrust, effectiveness.lower[i], effectiveness.upper[i]);
    out.thrust_N.push_back(wire);
    sent[i] = static_cast<double>(wire);
  }
  WrenchDemand demand;
  const bool finite =
      std::all_of(wrench.begin(), wrench.end(), [](double x) { return std::isfinite(x); });
  if (finite) demand.F_Bo_B = to_wrench(Vec6{wrench});
  Allocation told;
  allocation::set_sent(effectiveness, demand, health.data(), sent, told);
  out.actual = to_vec6(told.achieved).v;
  out.error = to_vec6(told.residual).v;
  out.bounded = answer.grade != AllocationGrade::kExact;
  waiting = false;
  sent_s = now_s;
  safe_sent = safe;
  return out;
}

MapperCommand Mapper::Impl::safe_command(double now_s) {
  Allocation nothing;
  nothing.effort.resize(effectiveness.n);
  return finish(nothing, true, now_s);
}

MapperCommand Mapper::Impl::answer(double now_s) {
  WrenchDemand demand;
  demand.F_Bo_B = to_wrench(Vec6{wrench});
  Allocation found;
  allocation::allocate(prepared, objective, effectiveness, demand, health.data(), found);
  if (found.grade == AllocationGrade::kRejected) {
    rejected = true;
    usable = false;
    return safe_command(now_s);
  }
  return finish(found, false, now_s);
}

Mapper::Mapper(Layout layout, MapperSettings settings) : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  if (!(settings.effort_weight > 0 && std::isfinite(settings.effort_weight)))
    throw std::runtime_error("effort_weight: expected a number above 0");
  if (!(settings.wrench_timeout_s > 0))
    throw std::runtime_error("wrench_timeout: expected above 0 s");
  m.layout = std::move(layout);
  m.settings = settings;
  m.objective.objective = {1, settings.effort_weight, false};
  m.effectiveness.n = static_cast<std::uint32_t>(m.layout.thrusters.size());
  for (std::size_t i = 0; i < m.effectiveness.n; ++i) {
    const LayoutThruster& t = m.layout.thrusters[i];
    vehicle::Mount mount;
    mount.position_m = {t.position_m[0], t.position_m[1], t.position_m[2]};
    mount.direction = {t.direction[0], t.direction[1], t.direction[2]};
    m.effectiveness.column[i] = vehicle::column_of(mount);
    m.effectiveness.lower[i] = t.lower_N;
    m.effectiveness.upper[i] = t.upper_N;
  }
  m.look_at_axes();
}

Mapper::~Mapper() = default;

const Layout& Mapper::layout() const { return impl_->layout; }
bool Mapper::rejected() const { return impl_->rejected; }
bool Mapper::silent() const { return impl_->silent; }

std::vector<double> Mapper::b_matrix() const {
  std::vector<double> out;
  for (std::size_t k = 0; k < kAxes; ++k)
    for (std::size_t i = 0; i < impl_->effectiveness.n; ++i)
      out.push_back(impl_->effectiveness.column[i][k]);
  return out;
}

bool Mapper::set_bounds(const std::string& name, double lower_N, double upper_N,
                        std::string& why_not) {
  Impl& m = *impl_;
  const auto i = m.layout.find(name);
  if (!i) {
    why_not = "there is no thruster called \"" + name + "\"; there are " + m.layout.names();
    return false;
  }
  if (!(std::isfinite(lower_N) && std::isfinite(upper_N) && lower_N <= 0 && upper_N >= 0 &&
        lower_N < upper_N)) {
    why_not = "bounds of " + name + ": expected two numbers around 0, got " +
              std::to_string(lower_N) + " and " + std::to_string(upper_N);
    return false;
  }
  LayoutThruster& t = m.layout.thrusters[*i];
  t.has_bounds = true;
  t.lower_N = m.effectiveness.lower[*i] = lower_N;
  t.upper_N = m.effectiveness.upper[*i] = upper_N;
  m.look_at_axes();
  return true;
}

std::vector<std::string> Mapper::unbounded() const {
  std::vector<std::string> out;
  for (const LayoutThruster& t : impl_->layout.thrusters)
    if (!t.has_bounds) out.push_back(t.name);
  return out;
}

bool Mapper::set_dropped(const std::vector<std::string>& names, std::string& why_not) {
  Impl& m = *impl_;
  std::array<PropulsorHealth, kMaxChannels> health{};
  for (const std::string& name : names) {
    const auto i = m.layout.find(name);
    if (!i) {
      why_not = "there is no thruster called \"" + name + "\"; there are " + m.layout.names() +
                "; nothing was changed";
      return false;
    }
    health[*i].health = Health::kOut;
  }
  m.health = health;
  m.now = allocation::reachable_axes(m.effectiveness, m.health.data());
  // the wrench that is being followed gets its answer from the thrusters that are left
  m.waiting = m.usable && !m.silent;
  return true;
}

std::vector<std::string> Mapper::dropped() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < impl_->layout.thrusters.size(); ++i)
    if (impl_->health[i].health == Health::kOut) out.push_back(impl_->layout.thrusters[i].name);
  return out;
}

std::vector<std::string> Mapper::lost_axes() const {
  std::vector<std::string> out;
  if (!impl_->bounds_known()) return out;
  for (std::size_t k = 0; k < kAxes; ++k)
    if ((impl_->whole & axis_bit(k)) != 0 && (impl_->now & axis_bit(k)) == 0)
      out.emplace_back(kAxisNames[k]);
  return out;
}

std::optional<MapperCommand> Mapper::take(const Six& wrench, double now_s) {
  Impl& m = *impl_;
  m.watch_clock(now_s);
  m.wrench = wrench;
  m.taken_s = now_s;
  m.silent = false;
  m.rejected =
      !std::all_of(wrench.begin(), wrench.end(), [](double x) { return std::isfinite(x); });
  m.usable = !m.rejected && m.bounds_known();
  if (m.usable) {
    m.waiting = true;
    return poll(now_s);
  }
  // what is not safe is ended at once; after that the rate limit holds here too
  m.waiting = false;
  if (m.safe_sent && !m.turn(now_s)) return std::nullopt;
  return m.safe_command(now_s);
}

std::optional<MapperCommand> Mapper::poll(double now_s) {
  Impl& m = *impl_;
  m.watch_clock(now_s);
  if (!m.silent && now_s - m.taken_s > m.settings.wrench_timeout_s) {
    m.silent = true;
    m.waiting = m.usable = false;
    m.wrench = {};
    if (!m.safe_sent) return m.safe_command(now_s);
    return std::nullopt;
  }
  if (!m.waiting || !m.turn(now_s)) return std::nullopt;
  return m.answer(now_s);
}

std::optional<MapperCommand> Mapper::stop(double now_s) {
  Impl& m = *impl_;
  m.waiting = m.usable = false;
  m.silent = true;
  m.wrench = {};
  if (m.safe_sent) return std::nullopt;
  return m.safe_command(now_s);
}

}  // namespace pintle::ros1
