#include "mapper/mapper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/faults_of.h"
#include "pintle/flight/flight.h"
#include "pintle/vehicle/subjugator.h"

namespace pintle::ros1 {
namespace {

using control::SetpointRefusal;

bool bounds_known(const Layout& layout) {
  return std::all_of(layout.thrusters.begin(), layout.thrusters.end(),
                     [](const LayoutThruster& t) { return t.has_bounds; });
}

/// The wrench straight to the thrusters: every axis under `wrench`, no loop, no state.
craft::Configuration configuration_of(const Layout& layout, const MapperSettings& settings,
                                      std::uint32_t generation) {
  vehicle::SubjugatorLayout mounts;
  for (const LayoutThruster& t : layout.thrusters)
    mounts.thrusters.push_back({t.name,
                                t.node_id,
                                {t.position_m[0], t.position_m[1], t.position_m[2]},
                                {t.direction[0], t.direction[1], t.direction[2]},
                                {},
                                {},
                                {}});
  craft::Configuration made;
  made.generation = generation;
  craft::VehicleFile& file = made.vehicle;
  file.format = layout.busses ? craft::VehicleFormat::kSubjugatorBusses
                              : craft::VehicleFormat::kSubjugatorLayout;
  file.vehicle = vehicle::to_spec(mounts, "thruster_mapper");
  for (std::size_t i = 0; i < layout.thrusters.size(); ++i) {
    // curve and lag belong to who drives the thrusters
    propulsion::ThrusterParams thruster;
    if (bounds_known(layout)) {
      thruster.min_effort = layout.thrusters[i].lower_N;
      thruster.max_effort = layout.thrusters[i].upper_N;
    }
    file.vehicle.propulsors[i].thruster = thruster;
  }
  if (settings.max_rate_Hz > 0) file.control_rate_Hz = settings.max_rate_Hz;
  file.detector.enable = false;
  file.laws = control::following_wrenches(std::numeric_limits<double>::max());
  file.allocation = {1, settings.effort_weight};
  file.safety.setpoint_stale_s = settings.wrench_timeout_s;
  file.failsafes.planner = {settings.wrench_timeout_s, 0, stack::FailsafeAction::kWarn};
  made.sends_efforts = made.single_precision = true;
  made.least_effort = settings.least_thrust_N;
  return made;
}

std::unique_ptr<flight::Recorder> log_of(const MapperSettings& settings) {
  if (settings.log.empty()) return nullptr;
  return std::make_unique<flight::Recorder>(
      settings.log, flight::LogTitle{"thruster_mapper", "", "thruster_mapper", 0, {}},
      flight::RecorderOptions{.mcap = {.waits = settings.log_waits}});
}

Layout checked(Layout layout, const MapperSettings& settings) {
  if (!(settings.effort_weight > 0 && std::isfinite(settings.effort_weight)))
    throw std::runtime_error("effort_weight: expected a number above 0");
  if (!(settings.wrench_timeout_s > 0))
    throw std::runtime_error("wrench_timeout: expected above 0 s");
  return layout;
}

}  // namespace

struct Mapper::Impl {
  Layout layout;
  MapperSettings settings;
  flight::Flight flight;
  const stack::Outputs& out;
  stack::Inputs in;
  const flight::EventNames names;

  bool waiting = false;  ///< A wrench is to be answered when its turn comes.
  bool usable = false;   ///< The last one was acceptable, and all bounds are known.
  bool silent = true;
  bool rejected = false;
  bool safe_sent = true;  ///< Nothing but the safe command has been sent since.
  std::optional<std::int64_t> sent_ns;
  std::int64_t acted_ns = 0;
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t stale_ns = 0;  ///< When the tick may have to let go of the wrench.

  Impl(Layout l, const MapperSettings& s)
      : layout(checked(std::move(l), s)),
        settings(s),
        flight(std::make_shared<const craft::Generation>(configuration_of(layout, s, 1)),
               log_of(s)),
        out(flight.last()),
        names(flight::event_names(flight.model())) {}

  /// After the clock was set back nothing is old, and nothing needs to wait.
  void watch_clock(std::int64_t now_ns) {
    if (now_ns < latest_ns) {
      stale_ns -= latest_ns - now_ns;
      acted_ns -= latest_ns - now_ns;
      sent_ns.reset();
    }
    latest_ns = now_ns;
  }

  [[nodiscard]] bool turn(std::int64_t now_ns) const {
    return !sent_ns || !(settings.max_rate_Hz > 0) ||
           static_cast<double>(now_ns - *sent_ns) >= (1e9 - 1e3) / settings.max_rate_Hz;
  }

  void step(stack::Phase phase, std::int64_t now_ns) {
    in.phase = phase;
    in.now = {now_ns};
    if (phase == stack::Phase::kAct) acted_ns = now_ns;
    flight.step(in);
    stack::clear(in);
    // the tick judges by its own time, which a clock that was set does not move
    const Duration left = flight.state().planner_setpoint_at +
                          Duration::from_seconds(settings.wrench_timeout_s) - out.now;
    stale_ns = now_ns + left.ns;
  }

  void ask(const Six& wrench) {
    in.has_setpoint = true;
    in.setpoint_parts = stack::kWrenchPart | stack::kModePart;
    in.setpoint.F_Bo_B = to_wrench(Vec6{wrench});
    in.setpoint.mode.fill(AxisMode::kWrench);
  }

  /// What the last tick has sent.
  MapperCommand told(bool safe, std::int64_t now_ns) {
    MapperCommand c;
    c.safe = safe;
    for (const double thrust : out.actuation.effort)
      c.thrust_N.push_back(static_cast<float>(thrust));
    c.actual = to_vec6(out.allocation.achieved).v;
    c.error = to_vec6(out.allocation.residual).v;
    c.bounded = out.allocation.grade != AllocationGrade::kExact;
    waiting = false;
    sent_ns = now_ns;
    safe_sent = safe;
    return c;
  }

  /// Disarmed; of a wrench that is no number nothing is left.
  void rest(std::int64_t now_ns) {
    in.commands.push_back({stack::CommandCode::kDisarmForce});
    waiting = usable = false;
    step(stack::Phase::kAct, now_ns);
  }

  std::optional<MapperCommand> answer(std::int64_t now_ns) {
    if (out.arm != stack::ArmState::kArmed) in.commands.push_back({stack::CommandCode::kEnable});
    step(stack::Phase::kAct, now_ns);
    if (out.allocation.grade != AllocationGrade::kRejected) return told(false, now_ns);
    rejected = true;
    ask({});
    rest(now_ns);
    return told(true, now_ns);
  }
};

Mapper::Mapper(Layout layout, const MapperSettings& settings)
    : impl_(std::make_unique<Impl>(std::move(layout), settings)) {}

Mapper::~Mapper() {
  if (flight::Recorder* log = impl_->flight.log()) log->finish("ended");
}

const Layout& Mapper::layout() const { return impl_->layout; }
bool Mapper::rejected() const { return impl_->rejected; }
bool Mapper::silent() const { return impl_->silent; }

std::string Mapper::log_trouble() const {
  flight::Recorder* log = impl_->flight.log();
  return log != nullptr ? log->trouble() : std::string();
}

std::vector<double> Mapper::b_matrix() const {
  const Effectiveness& e = impl_->flight.model().effectiveness;
  std::vector<double> out;
  for (std::size_t k = 0; k < kAxes; ++k)
    for (std::size_t i = 0; i < e.n; ++i) out.push_back(e.column[i][k]);
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
  Layout changed = m.layout;
  changed.thrusters[*i].has_bounds = true;
  changed.thrusters[*i].lower_N = lower_N;
  changed.thrusters[*i].upper_N = upper_N;
  if (bounds_known(changed))
    m.flight.adopt(std::make_shared<const craft::Generation>(
        configuration_of(changed, m.settings, m.flight.model().generation + 1)));
  m.layout.thrusters[*i] = changed.thrusters[*i];  // in place: the name may be one of its own
  return true;
}

std::vector<std::string> Mapper::unbounded() const {
  std::vector<std::string> out;
  for (const LayoutThruster& t : impl_->layout.thrusters)
    if (!t.has_bounds) out.push_back(t.name);
  return out;
}

bool Mapper::set_dropped(const std::vector<std::string>& names, std::int64_t now_ns,
                         std::string& why_not) {
  Impl& m = *impl_;
  std::vector<Health> wanted(m.layout.thrusters.size(), Health::kGood);
  for (const std::string& name : names) {
    const auto i = m.layout.find(name);
    if (!i) {
      why_not = "there is no thruster called \"" + name + "\"; there are " + m.layout.names() +
                "; nothing was changed";
      return false;
    }
    wanted[*i] = Health::kOut;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (m.flight.state().health[i].health != wanted[i])
      m.in.health.push_back({static_cast<std::uint32_t>(i), {wanted[i]}});
  m.watch_clock(now_ns);
  m.step(stack::Phase::kAct, now_ns);
  // the wrench that is being followed gets its answer from the thrusters that are left
  m.waiting = m.usable && !m.silent;
  return true;
}

std::vector<std::string> Mapper::dropped() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < impl_->layout.thrusters.size(); ++i)
    if (impl_->flight.state().health[i].health == Health::kOut)
      out.push_back(impl_->layout.thrusters[i].name);
  return out;
}

Faults Mapper::faults() const { return faults_of(impl_->out.alarms, impl_->names); }

std::vector<std::string> Mapper::lost_axes() const {
  std::vector<std::string> out;
  for (const Alarm& a : impl_->out.alarms)
    if (a.code == AlarmCode::kAxisLost)
      out.emplace_back(kAxisNames[static_cast<std::size_t>(a.subject)]);
  return out;
}

bool Mapper::wrench_lost() const {
  const auto& alarms = impl_->out.alarms;
  return std::any_of(alarms.begin(), alarms.end(), [](const Alarm& a) {
    return a.code == AlarmCode::kFailsafe &&
           a.subject == static_cast<std::int32_t>(stack::FailsafeCondition::kPlanner);
  });
}

std::optional<MapperCommand> Mapper::take(const Six& wrench, std::int64_t now_ns) {
  Impl& m = *impl_;
  m.watch_clock(now_ns);
  m.ask(wrench);
  m.step(stack::Phase::kTake, now_ns);
  m.silent = false;
  m.rejected = m.out.setpoint_answer.refusal != SetpointRefusal::kNone;
  m.usable = !m.rejected && bounds_known(m.layout);
  if (m.usable) {
    m.waiting = true;
    return poll(now_ns);
  }
  // what is not safe is ended at once; after that the rate limit holds here too
  if (m.rejected) m.ask({});
  m.rest(now_ns);
  if (m.safe_sent && !m.turn(now_ns)) return std::nullopt;
  return m.told(true, now_ns);
}

std::optional<MapperCommand> Mapper::poll(std::int64_t now_ns) {
  Impl& m = *impl_;
  m.watch_clock(now_ns);
  if (!m.silent && now_ns > m.stale_ns) {
    m.step(stack::Phase::kAct, now_ns);
    if (!m.flight.state().planner_stale) return std::nullopt;
    m.silent = true;
    m.waiting = m.usable = false;
    if (m.safe_sent) return std::nullopt;
    return m.told(true, now_ns);
  }
  if (m.waiting && m.turn(now_ns)) return m.answer(now_ns);
  if (!m.out.alarms.empty() && now_ns - m.acted_ns >= m.flight.model().period.ns)
    m.step(stack::Phase::kAct, now_ns);
  return std::nullopt;
}

std::optional<MapperCommand> Mapper::stop(std::int64_t now_ns) {
  Impl& m = *impl_;
  m.watch_clock(now_ns);
  m.ask({});
  m.rest(now_ns);
  m.silent = true;
  if (m.safe_sent) return std::nullopt;
  return m.told(true, now_ns);
}

}  // namespace pintle::ros1
