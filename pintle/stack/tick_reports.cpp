// What propulsors say of themselves, and what is believed of them.
#include <algorithm>
#include <cmath>

#include "pintle/estimation/effort_history.h"
#include "pintle/estimation/propulsor_alarms.h"
#include "pintle/propulsion/electrical.h"
#include "pintle/stack/tick_steps.h"

namespace pintle::stack {
namespace {

using estimation::ReportVerdict;

constexpr double kFromFuture_s = 0.1, kVoltage_s = 1, kJudgeVoltage_s = 0.2, kPower_s = 2,
                 kVouched_s = 2;
constexpr double kLeastRatio = 0.5, kMostRatio = 3;
constexpr double kLargest = 1e6;
// of the room for events in a tick, what is left to others
constexpr std::size_t kOthers = 6;

const propulsion::ElectricalParams* electrical_of(const Model& model, std::size_t i) noexcept {
  const auto* thruster = std::get_if<propulsion::Thruster>(&model.vehicle.propulsors[i].model);
  return thruster != nullptr && thruster->params().electrical ? &*thruster->params().electrical
                                                              : nullptr;
}

constexpr std::uint64_t bit_of(std::size_t i) noexcept { return std::uint64_t{1} << i; }

/// Fields that are no numbers are not there.
void clean(PropulsorReport& r) noexcept {
  const auto keep = [&r](std::uint8_t field, double x) {
    if (!(x >= -kLargest && x <= kLargest)) r.valid = static_cast<std::uint8_t>(r.valid & ~field);
  };
  keep(kHasRpm, r.rpm);
  keep(kHasVoltage, r.bus_V);
  keep(kHasCurrent, r.bus_A);
  keep(kHasTemperature, r.temperature_C);
}

bool is_bad(const PropulsorHealth& h) noexcept { return h.health != Health::kGood; }

}  // namespace

Findings check(const AlarmParams& p) {
  Findings out;
  const auto add = [&out](const char* path, Findings findings) {
    for (Finding& f : findings) {
      f.path = std::string(path) + "." + f.path;
      out.push_back(std::move(f));
    }
  };
  if (p.bus_voltage) add("bus_voltage", estimation::check(*p.bus_voltage));
  add("temperature", estimation::check(p.temperature));
  return out;
}

/// Of those who spoke in this tick, one bit each.
std::uint64_t Tick::hear_propulsors() noexcept {
  std::uint64_t spoke = 0;
  Telemetry& t = state.telemetry;
  for (const PropulsorReport& given : in.reports) {
    const std::size_t i = given.propulsor;
    const bool contact = given.contact <= PropulsorContact::kNoPort;
    if (i >= state.health.size() || !contact || (given.stamp - now).seconds() > kFromFuture_s) {
      say(EventCode::kInputRejected, InputCode::kReports, static_cast<double>(i));
      continue;
    }
    t.begun = true;
    Heard& h = t.of[i];
    t.no_port &= ~bit_of(i);
    if (given.contact == PropulsorContact::kNoPort) t.no_port |= bit_of(i);
    if (given.contact == PropulsorContact::kGood) {
      t.no_contact &= ~bit_of(i);
      if (t.killed) t.excused |= bit_of(i);
    }
    if (given.contact == PropulsorContact::kSilent || given.contact == PropulsorContact::kNoPort)
      t.no_contact |= bit_of(i);
    believe(i);
    // one that says nothing new tells how it stands with its line, no more
    const bool fresh_fields = given.valid != 0 && (h.at.ns == 0 || given.stamp > h.stamp);
    if (!fresh_fields) continue;
    const double dt = h.at.ns == 0 ? 0 : (given.stamp - h.stamp).seconds();
    PropulsorReport r = given;
    clean(r);
    h.stamp = r.stamp;
    h.at = now;
    h.fault = r.has(kHasFault) ? r.fault : std::uint8_t{0};
    h.drawn_W = r.has(kHasCurrent) && r.has(kHasVoltage) ? std::max(0.0, r.bus_A * r.bus_V) : -1;
    spoke |= bit_of(i);
    if (r.has(kHasVoltage) && !t.killed) {
      t.bus.add(i, r.bus_V, now.seconds());
      const double k = h.bus_V > 0 ? dt / (kVoltage_s + dt) : 1;
      h.bus_V += k * (r.bus_V - h.bus_V);
    }
    if (r.has(kHasTemperature)) t.heat.add(i, r.temperature_C);
    judge_report(r, dt);
  }
  if (spoke != 0 && (now - t.voltage_at).seconds() >= kJudgeVoltage_s) {
    t.voltage_at = now;
    t.voltage = t.bus.estimate(now.seconds());
    if (t.voltage.known && !in.has_bus_voltage) state.bus_V = t.voltage.bus_V;
  }
  return spoke;
}

/// Against what its model expects of it now, where it has one.
void Tick::judge_report(const PropulsorReport& report, double dt) noexcept {
  const std::size_t i = report.propulsor;
  const estimation::ReportWatchParams& p = model.detector.reports;
  const propulsion::ElectricalParams* e = electrical_of(model, i);
  Heard& h = state.telemetry.of[i];
  if (!p.enable || !model.thrusters_only || e == nullptr || h.verdict != ReportVerdict::kNone ||
      state.telemetry.killed || is_bad(state.known[i]))
    return;
  if ((now - report.stamp).seconds() > p.stale_s) {
    h.suspicion = {};
    return;
  }
  // least and most of what was sent lately, behind the lag
  double least = 0, most = 0;
  // one that changes its direction stands still on the way
  const auto narrow = [&least](double x) {
    least = least * x <= 0 ? 0 : std::abs(x) < std::abs(least) ? x : least;
  };
  std::array<double, kMaxChannels> thrust;
  const auto channel = static_cast<std::size_t>(
      std::find(model.owner.begin(), model.owner.end(), i) - model.owner.begin());
  constexpr int kLooks = 4;
  for (int k = 0; k <= kLooks; ++k) {
    const Time at = report.stamp - Duration::from_seconds(p.slack_s * k / kLooks);
    estimation::thrust_at(model.body, work.detector, at, thrust);
    const double x = thrust[channel];
    if (k == 0) least = most = x;
    narrow(x);
    if (std::abs(x) > std::abs(most)) most = x;
  }
  // one that follows faster than its model is where the command is already; to be taken for fouled
  // it would have to lead for longer than any lag
  narrow(state.last_effort[channel]);
  const double volt = report.has(kHasVoltage) && report.bus_V > 0 ? report.bus_V : state.bus_V;
  estimation::ExpectedLoad expected;
  expected.least_rpm = std::abs(propulsion::rpm_of(*e, least));
  expected.most_rpm = std::abs(propulsion::rpm_of(*e, most));
  expected.full_rpm = std::abs(propulsion::rpm_of(*e, model.body.largest[channel]));
  expected.least_A = propulsion::current_A(*e, least, volt);
  expected.most_A = propulsion::current_A(*e, most, volt);
  expected.idle_A = propulsion::current_A(*e, 0, volt);
  expected.full_A = propulsion::current_A(*e, model.body.largest[channel], volt);
  if (estimation::vouches(report, expected)) h.vouched_at = now;
  h.verdict = estimation::judge(p, h.suspicion, report, expected, dt);
  if (h.verdict == ReportVerdict::kNone) return;
  h.suspicion = {};
  // one failure is told once, whoever finds it first
  if ((work.detector.found & bit_of(i)) == 0)
    say(EventCode::kFailureSuspected, static_cast<std::int32_t>(i), 0);
  believe(i);
}

/// Those that lately said that they turn as they should, one bit each.
std::uint64_t Tick::vouched() const noexcept {
  std::uint64_t mask = 0;
  if (!state.telemetry.begun) return mask;
  for (std::size_t i = 0; i < state.health.size(); ++i) {
    const Time at = state.telemetry.of[i].vouched_at;
    if (at.ns != 0 && (now - at).seconds() <= kVouched_s) mask |= bit_of(i);
  }
  return mask;
}

/// What is drawn over what the model says: the cap on power follows it.
void Tick::measure_power(std::uint64_t spoke) noexcept {
  if (!model.caps_power || !model.thrusters_only || spoke == 0) return;
  Telemetry& t = state.telemetry;
  double drawn = 0, expected = 0;
  for (std::size_t i = 0; i < state.health.size(); ++i) {
    const Heard& h = t.of[i];
    const propulsion::ElectricalParams* e = electrical_of(model, i);
    const bool is_new = h.at.ns != 0 && (now - h.at).seconds() <= model.detector.reports.stale_s;
    if (e == nullptr || !is_new || is_bad(state.health[i]) || h.drawn_W < 0) continue;
    drawn += h.drawn_W;
    expected += propulsion::power_W(*e, work.detector.thrust[i]);
  }
  // a few watts say nothing of the large ones
  double full = 0;
  for (std::size_t c = 0; c < model.power.n; ++c) full += model.power.full_W[c];
  if (!(expected > 0.03 * full)) return;
  const double k = std::clamp(dt_s, 0.0, 1.0) / kPower_s;
  const double ratio = std::clamp(drawn / expected, kLeastRatio, kMostRatio);
  t.power_ratio += k * (ratio - t.power_ratio);
}

/// Less of the bounds where it is hot or its voltage is low.
void Tick::derate() noexcept {
  Telemetry& t = state.telemetry;
  if (!t.begun) return;
  Effectiveness& e = work.effectiveness;
  std::uint64_t derated = 0;
  for (std::size_t c = 0; c < model.owner.size(); ++c) {
    const std::size_t i = model.owner[c];
    const propulsion::ElectricalParams* p = electrical_of(model, i);
    if (p == nullptr) continue;
    double share = 1;
    if (const auto celsius = t.heat.celsius(i))
      share = propulsion::share_at_temperature(*p, *celsius);
    if (t.of[i].bus_V > 0) share = std::min(share, propulsion::share_at_voltage(*p, t.of[i].bus_V));
    if (share < 1) derated |= bit_of(i);
    if (share == 1 && (t.derated & bit_of(i)) == 0) continue;
    const double lower = model.effectiveness.lower[c], upper = model.effectiveness.upper[c];
    if (model.fixed_boxes) {
      e.lower[c] = share * lower;
      e.upper[c] = share * upper;
      e.preferred[c] = std::clamp(model.effectiveness.preferred[c], e.lower[c], e.upper[c]);
    } else {
      // what its slew leaves of it; what is beyond comes down as fast as that lets it
      e.lower[c] = std::min(std::max(e.lower[c], share * lower), e.upper[c]);
      e.upper[c] = std::max(std::min(e.upper[c], share * upper), e.lower[c]);
      e.preferred[c] = std::clamp(e.preferred[c], e.lower[c], e.upper[c]);
    }
  }
  t.derated = derated;
}

/// Where its file asks for it; and where a failsafe brings it home, which it may never come to with
/// one that pushes the other way.
bool Tick::goes_by_findings() const noexcept {
  return model.detector.on_detection == estimation::OnDetection::kDrop ||
         state.failsafe.action >= FailsafeAction::kAbort;
}

/// All that is known of a propulsor, in the order of who knows best: operator, line, its own
/// report, what was announced; at last what the detector has found out, where that counts.
void Tick::believe(std::size_t i) noexcept {
  const Telemetry& t = state.telemetry;
  PropulsorHealth& known = state.known[i];
  if (((t.by_operator | (t.no_contact & ~t.excused)) & bit_of(i)) != 0)
    known = {Health::kOut, 1, 0};
  else if (t.of[i].verdict != ReportVerdict::kNone)
    known = {Health::kOut, 1, 0};
  else
    known = state.announced[i];
  const bool found = !is_bad(known) && state.found_counts;
  state.health[i] = found ? state.found[i] : known;
  state.bad = is_bad(state.health[i]) ? state.bad | bit_of(i) : state.bad & ~bit_of(i);
  state.health_news = true;
}

/// Why one that is not good is not: what `believe` went by.
OutCause Tick::cause(std::size_t i) const noexcept {
  const Telemetry& t = state.telemetry;
  if ((t.by_operator & bit_of(i)) != 0) return OutCause::kOperator;
  if ((t.no_contact & ~t.excused & bit_of(i)) != 0)
    return (t.no_port & bit_of(i)) != 0 ? OutCause::kNoPort : OutCause::kSilent;
  if (state.health[i].health == Health::kWeak) return OutCause::kWeak;
  if (t.of[i].verdict != ReportVerdict::kNone) return OutCause::kStopped;
  return is_bad(state.announced[i]) ? OutCause::kAnnounced : OutCause::kMotion;
}

/// Not one of them is there to obey.
bool Tick::reaches_nobody() const noexcept {
  const Telemetry& t = state.telemetry;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < state.health.size(); ++i) all |= bit_of(i);
  return t.begun && all != 0 && (t.no_contact & ~t.excused & all) == all;
}

/// One is out, and without it an axis that it was built for is out of reach.
bool Tick::lacks_axis() const noexcept {
  const PropulsorHealth* health = channel_health();
  if (health == nullptr) return false;
  const AxisMask left = allocation::reachable_axes(model.effectiveness, health);
  return (model.whole_axes & ~left) != 0;
}

/// What is believed has changed: said once there is room for it.
void Tick::tell_health() noexcept {
  if (!state.health_news) return;
  for (std::size_t i = 0; i < state.health.size(); ++i) {
    const Health health = state.health[i].health;
    if (state.told_health[i] == health) continue;
    if (out.events.size() + kOthers >= kMaxEvents) return;
    state.told_health[i] = health;
    say(health != Health::kGood ? EventCode::kPropulsorFailed : EventCode::kPropulsorRecovered,
        static_cast<std::int32_t>(i), static_cast<double>(health));
  }
  state.health_news = false;
}

namespace {

/// The alarms that there should be.
class Wanted {
 public:
  void add(AlarmCode code, Severity severity, std::int32_t subject, double value = 0) noexcept {
    add({code, severity, subject, {}, value});
  }
  void add(const Alarm& alarm) noexcept {
    if (alarm.severity != Severity::kInfo) list_.push_back(alarm);
  }
  [[nodiscard]] AlarmList& list() noexcept { return list_; }

 private:
  AlarmList list_;
};

const Alarm* find(const AlarmList& list, const Alarm& a) noexcept {
  for (const Alarm& b : list)
    if (b.code == a.code && b.subject == a.subject) return &b;
  return nullptr;
}

/// These have events of their own.
bool is_told_otherwise(AlarmCode code) noexcept {
  return code == AlarmCode::kThrusterOut || code == AlarmCode::kAxisLost ||
         code == AlarmCode::kFailsafe || code == AlarmCode::kStateLost ||
         code == AlarmCode::kFlightLost || code == AlarmCode::kMissionLimit;
}

void add_telemetry(const Model& model, const Telemetry& t, std::size_t propulsors,
                   Wanted& wanted) noexcept {
  for (std::size_t i = 0; i < propulsors; ++i) {
    const auto subject = static_cast<std::int32_t>(i);
    const Heard& h = t.of[i];
    if (h.verdict == ReportVerdict::kPropellerLost)
      wanted.add(AlarmCode::kPropellerLost, Severity::kError, subject);
    if (h.verdict == ReportVerdict::kFouled)
      wanted.add(AlarmCode::kFouled, Severity::kError, subject);
    wanted.add(estimation::alarm_of_fault(i, h.fault));
    wanted.add(estimation::alarm_of_heat(i, t.heat));
  }
  if (t.killed) wanted.add(AlarmCode::kKilled, Severity::kCritical, -1);
  if (model.alarms.bus_voltage) wanted.add(estimation::alarm_of_voltage(t.voltage));
}

}  // namespace

/// Raises and clears; what finds no room in the events of this tick waits for the next.
void Tick::raise_alarms(std::uint64_t spoke) noexcept {
  Telemetry& t = state.telemetry;
  const std::uint64_t bad = state.bad;
  const bool lost = state.last_validity == Validity::kStale && needs_state();
  const bool silent = state.aircraft.is_silent;
  const std::uint8_t passed = state.aircraft.limits_passed;
  const bool changed = bad != t.alarmed_out || t.no_port != t.alarmed_port ||
                       state.told_lost != t.alarmed_axes || t.killed != t.alarmed_kill ||
                       out.failsafe.on != t.alarmed_failsafes || lost != t.alarmed_state ||
                       silent != t.alarmed_flight || passed != t.alarmed_limits;
  if (changed || spoke != 0) {
    Wanted wanted;
    for (std::size_t i = 0; i < state.health.size(); ++i) {
      const bool told =
          t.of[i].verdict > ReportVerdict::kStopped && t.of[i].verdict != ReportVerdict::kNoLoad;
      if ((bad & bit_of(i)) == 0 || told) continue;
      const bool weak = state.health[i].health == Health::kWeak;
      wanted.add(AlarmCode::kThrusterOut, weak ? Severity::kWarning : Severity::kError,
                 static_cast<std::int32_t>(i), static_cast<double>(cause(i)));
    }
    for (std::size_t a = 0; a < kAxes; ++a)
      if ((state.told_lost & work.effectiveness.controlled & axis_bit(a)) != 0)
        wanted.add(AlarmCode::kAxisLost, Severity::kError, static_cast<std::int32_t>(a));
    if (lost) wanted.add(AlarmCode::kStateLost, Severity::kError, -1);
    if (silent) wanted.add(AlarmCode::kFlightLost, Severity::kError, -1);
    for (std::size_t i = 0; i < mission::kMissionLimits; ++i)
      if ((passed >> i & 1U) != 0)
        wanted.add(AlarmCode::kMissionLimit, Severity::kError, static_cast<std::int32_t>(i));
    add_telemetry(model, t, state.health.size(), wanted);
    for (const FailsafeRow& row : model.failsafes) {
      const auto condition = static_cast<std::int32_t>(row.condition);
      if ((out.failsafe.on >> condition & 1U) == 0) continue;
      wanted.add(AlarmCode::kFailsafe,
                 row.action == FailsafeAction::kWarn  ? Severity::kWarning
                 : row.action < FailsafeAction::kLand ? Severity::kError
                                                      : Severity::kCritical,
                 condition);
    }

    bool waits = false;
    const auto has_room = [&](AlarmCode code) {
      if (is_told_otherwise(code) || out.events.size() + kOthers < kMaxEvents) return true;
      waits = true;
      return false;
    };
    AlarmList next;
    for (const Alarm& old : t.alarms) {
      if (find(wanted.list(), old) != nullptr) continue;
      if (!has_room(old.code))
        next.push_back(old);
      else if (!is_told_otherwise(old.code))
        say(EventCode::kAlarmCleared, old.subject, static_cast<double>(old.code));
    }
    for (Alarm a : wanted.list()) {
      const Alarm* old = find(t.alarms, a);
      const bool raised = old == nullptr || a.severity > old->severity;
      a.since = raised ? now : old->since;
      if (!raised || has_room(a.code)) {
        if (!next.push_back(a)) break;
        if (raised && !is_told_otherwise(a.code))
          say(EventCode::kAlarmRaised, a.subject, static_cast<double>(a.code));
      } else if (old != nullptr) {
        next.push_back(*old);
      }
    }
    t.alarms.assign(next);
    if (!waits) {
      t.alarmed_out = bad;
      t.alarmed_port = t.no_port;
      t.alarmed_axes = state.told_lost;
      t.alarmed_kill = t.killed;
      t.alarmed_failsafes = out.failsafe.on;
      t.alarmed_state = lost;
      t.alarmed_flight = silent;
      t.alarmed_limits = passed;
    }
  }
  out.alarms.assign(t.alarms);
}

/// Taken out, or given back, by an operator. False: there is none, or it is so already.
bool Tick::set_out(std::int32_t propulsor, bool is_out) noexcept {
  const auto n = static_cast<std::int32_t>(state.health.size());
  if (propulsor >= n || (is_out && propulsor < 0)) return false;
  bool any = false;
  for (std::int32_t i = std::max(propulsor, 0); i < (propulsor < 0 ? n : propulsor + 1); ++i) {
    const std::uint64_t bit = bit_of(static_cast<std::size_t>(i));
    if (((state.telemetry.by_operator & bit) != 0) == is_out) continue;
    state.telemetry.by_operator ^= bit;
    believe(static_cast<std::size_t>(i));
    any = true;
  }
  return any;
}

}  // namespace pintle::stack

namespace pintle {

template <>
const Table& table_of<stack::AlarmParams>() {
  using A = stack::AlarmParams;
  static const Table table =
      TableBuilder<A>("Alarms", "When what propulsors report is an alarm.")
          .field("bus_voltage", &A::bus_voltage, "",
                 "Limits of the battery; not given: its voltage raises none.")
          .field("temperature", &A::temperature, "", "Limits of each propulsor.")
          .build();
  return table;
}

}  // namespace pintle
