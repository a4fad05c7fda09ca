#include "mapper/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "common/faults_of.h"
#include "mapper/curves.h"
#include "pintle/device/propulsor_bus.h"
#include "pintle/estimation/bus_voltage.h"
#include "pintle/estimation/heat.h"
#include "pintle/estimation/propulsor_alarms.h"

namespace pintle::ros1 {
namespace {

struct Wired {
  std::shared_ptr<ThrusterPort> port;  ///< Null: on no port.
  std::size_t place = 0;

  double thrust_N = 0, effort = 0;  ///< Commanded last; the port ends what is too old.
  bool failed = false;              ///< By hand.

  ThrusterStatus status;
  bool answered = false;
};

std::string quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", n);
  return "[" + out + "]";
}

}  // namespace

struct Driver::Impl {
  Layout layout;
  DriverSettings settings;
  std::vector<propulsion::Thruster> curves;
  std::vector<PortWiring> ports;
  std::vector<Wired> thrusters;
  estimation::BusVoltage bus;
  estimation::BusVoltage::Estimate voltage;  ///< The last.
  estimation::HeatWatch heat;
  bool killed = false;

  Impl(Layout l, std::vector<PortWiring> p, DriverSettings s)
      : layout(std::move(l)),
        settings(s),
        ports(std::move(p)),
        bus({s.warn_V, s.kill_V, s.voltage_hysteresis_V, s.voltage_window_s},
            layout.thrusters.size()),
        heat({s.temperature_warn_C, s.temperature_high_C, s.temperature_hysteresis_C},
             layout.thrusters.size()) {}

  [[nodiscard]] bool is_out(std::size_t i) const {
    const Wired& t = thrusters[i];
    return t.failed || t.port == nullptr || t.port->is_out(t.place);
  }
  void send(std::size_t i, double now_s);
  void receive(const PortWiring& wiring, const ThrusterReply& reply, double now_s,
               std::vector<ThrusterStatus>& out);
};

/// What it is asked for, or zero.
void Driver::Impl::send(std::size_t i, double now_s) {
  Wired& t = thrusters[i];
  if (t.port == nullptr) return;
  if (is_out(i)) t.thrust_N = 0;
  // zero stays zero, also through a curve that does not lead there
  const propulsion::ThrusterCommand sent = curves[i].sent_for(t.thrust_N, 48);
  t.effort = t.thrust_N == 0 ? 0 : std::clamp(sent.command, -1.0, 1.0);
  t.port->command(t.place, t.effort, now_s);
}

void Driver::Impl::receive(const PortWiring& wiring, const ThrusterReply& reply, double now_s,
                           std::vector<ThrusterStatus>& out) {
  if (reply.thruster >= wiring.names.size()) return;
  const std::size_t i = *layout.find(wiring.names[reply.thruster]);
  Wired& t = thrusters[i];
  t.answered = true;
  ThrusterStatus& s = t.status;
  s.sent = reply.sent;
  s.received = reply.received;
  s.latency_s = reply.latency_s;
  // too old, killed: the line sends 0 by itself
  s.effort = reply.effort == 0 ? 0 : t.effort;
  s.thrust_N = reply.effort == 0 ? 0 : t.thrust_N;
  s.rpm = reply.rpm;
  s.bus_V = reply.bus_V;
  s.bus_A = reply.bus_A;
  s.power_W = reply.bus_V * reply.bus_A;
  s.temperature_C = reply.temperature_C;
  s.fault = reply.fault;
  bus.add(i, reply.bus_V, now_s);
  heat.add(i, reply.temperature_C);
  out.push_back(s);
}

DriverSettings::DriverSettings() {
  const device::BusSettings line;
  command_timeout_s = line.command_timeout_s;
  poll_period_s = line.poll_s;
  silent_after_s = line.silent_after_s;
  const estimation::VoltageSettings volt;
  warn_V = volt.warn_V;
  kill_V = volt.kill_V;
  voltage_hysteresis_V = volt.hysteresis_V;
  voltage_window_s = volt.window_s;
  const estimation::HeatSettings heat;
  temperature_warn_C = heat.warn_C;
  temperature_high_C = heat.high_C;
  temperature_hysteresis_C = heat.hysteresis_C;
}

Driver::Driver(Layout layout, std::vector<PortWiring> ports, DriverSettings settings)
    : impl_(std::make_unique<Impl>(std::move(layout), std::move(ports), settings)) {
  Impl& d = *impl_;
  d.curves = curves_of(d.layout);
  d.thrusters.resize(d.layout.thrusters.size());
  for (std::size_t i = 0; i < d.thrusters.size(); ++i) {
    d.thrusters[i].status.name = d.layout.thrusters[i].name;
    d.thrusters[i].status.node_id = d.layout.thrusters[i].node_id;
  }
  for (const PortWiring& wiring : d.ports)
    for (std::size_t place = 0; place < wiring.names.size(); ++place) {
      const auto i = d.layout.find(wiring.names[place]);
      if (!i)
        throw std::runtime_error("there is no thruster called \"" + wiring.names[place] + "\"");
      d.thrusters[*i].port = wiring.port;
      d.thrusters[*i].place = place;
    }
}

Driver::~Driver() = default;

std::vector<std::string> Driver::command(const Commands& commands, double now_s) {
  Impl& d = *impl_;
  std::vector<std::string> wrong;
  for (const auto& [name, thrust] : commands) {
    const auto i = d.layout.find(name);
    if (!i) {
      wrong.push_back(fmt::format("there is no thruster called \"{}\"", name));
      continue;
    }
    Wired& t = d.thrusters[*i];
    const double lower = d.curves[*i].lower(), upper = d.curves[*i].upper();
    if (!std::isfinite(thrust)) {
      wrong.push_back(fmt::format("{}: a thrust that is not a number; it gets 0", name));
      t.thrust_N = 0;
    } else {
      // a float of a bound may lie one rounding beyond it
      if (thrust < lower - 1e-4 || thrust > upper + 1e-4)
        wrong.push_back(fmt::format("{}: {:.2f} N is outside {:.2f} … {:.2f} N; it is cut to that",
                                    name, thrust, lower, upper));
      t.thrust_N = std::clamp(thrust, lower, upper);
    }
    if (d.is_out(*i) && t.thrust_N != 0) wrong.push_back(fmt::format("{} is out; it gets 0", name));
    d.send(*i, now_s);
  }
  return wrong;
}

std::vector<ThrusterStatus> Driver::step(double now_s) {
  Impl& d = *impl_;
  std::vector<ThrusterStatus> out;
  std::vector<ThrusterReply> replies;
  const auto collect = [&] {
    for (const PortWiring& wiring : d.ports) {
      replies.clear();
      wiring.port->poll(now_s, replies);
      for (const ThrusterReply& reply : replies) d.receive(wiring, reply, now_s, out);
    }
  };
  collect();
  // what is forbidden is ended at once
  for (std::size_t i = 0; i < d.thrusters.size(); ++i)
    if (d.thrusters[i].thrust_N != 0 && d.is_out(i)) d.send(i, now_s);
  return out;
}

void Driver::kill(bool killed, bool power_is_cut, double now_s) {
  impl_->killed = killed;
  impl_->bus.ignore(power_is_cut);
  for (const PortWiring& wiring : impl_->ports) wiring.port->kill(killed, now_s);
}

bool Driver::fail(const std::string& name, std::string& why_not) {
  const auto i = impl_->layout.find(name);
  if (!i) {
    why_not = "there is no thruster called \"" + name + "\"; there are " + impl_->layout.names();
    return false;
  }
  impl_->thrusters[*i].failed = true;
  return true;
}

bool Driver::unfail(const std::string& name, std::string& why_not) {
  const auto i = impl_->layout.find(name);
  if (!i) {
    why_not = "there is no thruster called \"" + name + "\"; there are " + impl_->layout.names();
    return false;
  }
  impl_->thrusters[*i].failed = false;
  return true;
}

std::vector<ThrusterFacts> Driver::all() const {
  std::vector<ThrusterFacts> out;
  for (std::size_t i = 0; i < impl_->thrusters.size(); ++i) {
    const LayoutThruster& t = impl_->layout.thrusters[i];
    out.push_back({t.name, t.port, t.node_id, impl_->curves[i].lower(), impl_->curves[i].upper(),
                   t.position_m, t.direction});
  }
  return out;
}

bool Driver::info(const std::string& name, ThrusterFacts& facts, std::string& why_not) const {
  const auto i = impl_->layout.find(name);
  if (!i) {
    why_not = "there is no thruster called \"" + name + "\"; there are " + impl_->layout.names();
    return false;
  }
  facts = all()[*i];
  return true;
}

std::vector<std::string> Driver::out() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < impl_->thrusters.size(); ++i)
    if (impl_->is_out(i)) names.push_back(impl_->layout.thrusters[i].name);
  return names;
}

DriverAlarm Driver::thruster_out() const {
  const std::vector<std::string> names = out();
  DriverAlarm alarm;
  alarm.severity = static_cast<int>(std::min<std::size_t>(names.size(), 5));
  for (const std::string& name : names)
    alarm.description += fmt::format("{}{} ({})", alarm.description.empty() ? "out: " : ", ", name,
                                     state_of(*impl_->layout.find(name)));
  if (names.empty()) alarm.description = "all thrusters answer";
  alarm.parameters = "{\"offline_thruster_names\": " + quoted(names) + "}";
  return alarm;
}

Faults Driver::faults() const {
  const Impl& d = *impl_;
  AlarmList alarms;
  flight::EventNames names;
  const auto add = [&alarms](const Alarm& a) {
    if (a.severity != Severity::kInfo) alarms.push_back(a);
  };
  if (d.killed) add({AlarmCode::kKilled, Severity::kCritical, -1, {}, 0});
  for (std::size_t i = 0; i < d.thrusters.size(); ++i) {
    const Wired& t = d.thrusters[i];
    names.propulsors.push_back(d.layout.thrusters[i].name);
    const bool has_port = t.port != nullptr && t.port->problem().empty();
    const OutCause cause = t.failed    ? OutCause::kOperator
                           : !has_port ? OutCause::kNoPort
                                       : OutCause::kSilent;
    if (d.is_out(i))
      add({AlarmCode::kThrusterOut,
           Severity::kError,
           static_cast<std::int32_t>(i),
           {},
           static_cast<double>(cause)});
    add(estimation::alarm_of_fault(i, t.status.fault));
    add(estimation::alarm_of_heat(i, d.heat));
  }
  add(estimation::alarm_of_voltage(d.voltage));
  return faults_of(alarms, names);
}

DriverAlarm Driver::temperature() const {
  const Impl& d = *impl_;
  DriverAlarm alarm;
  std::string values;
  for (std::size_t i = 0; i < d.thrusters.size(); ++i) {
    if (d.heat.severity(i) == 0) continue;
    const std::string& name = d.layout.thrusters[i].name;
    alarm.severity = std::max(alarm.severity, d.heat.severity(i));
    alarm.description += (alarm.description.empty() ? "hot: " : ", ") + name;
    values += fmt::format("{}\"{}\": {:.1f}", values.empty() ? "" : ", ", name, *d.heat.celsius(i));
  }
  if (alarm.severity == 0) alarm.description = "no thruster is hot";
  alarm.parameters = "{\"temperature_C\": {" + values + "}}";
  return alarm;
}

DriverAlarm Driver::voltage(const BusView& estimate) const {
  DriverAlarm alarm;
  alarm.severity = estimate.severity;
  const DriverSettings& limits = impl_->settings;
  const std::string& lowest = impl_->layout.thrusters[estimate.lowest].name;
  switch (estimate.severity) {
    case 5: alarm.description = fmt::format("the bus is below {:.2f} V", limits.kill_V); break;
    case 3: alarm.description = fmt::format("the bus is below {:.2f} V", limits.warn_V); break;
    case 2:
      alarm.description =
          fmt::format("{} alone is below {:.2f} V: look at its connector", lowest, limits.kill_V);
      break;
    default: alarm.description = "the bus voltage is good";
  }
  alarm.parameters =
      fmt::format("{{\"bus_voltage\": {:.3f}, \"lowest\": \"{}\", \"lowest_voltage\": {:.3f}}}",
                  estimate.bus_V, lowest, estimate.lowest_V);
  return alarm;
}

BusView Driver::bus(double now_s) {
  const estimation::BusVoltage::Estimate& e = impl_->voltage = impl_->bus.estimate(now_s);
  return {e.known, e.bus_V, e.lowest_V, e.lowest, e.severity};
}
unsigned Driver::implausible() const { return impl_->bus.implausible(); }
std::string fault_text(std::uint8_t bits) { return pintle::fault_text(bits); }
const Layout& Driver::layout() const { return impl_->layout; }

std::string Driver::state_of(std::size_t thruster) const {
  const Wired& t = impl_->thrusters[thruster];
  if (t.failed) return "failed by hand";
  if (t.port == nullptr) return "on no port";
  if (const std::string problem = t.port->problem(); !problem.empty()) return "port: " + problem;
  return t.port->is_out(t.place) ? "silent" : "running";
}

std::vector<std::string> Driver::remarks() const {
  std::vector<std::string> out;
  for (const PortWiring& wiring : impl_->ports)
    for (const std::string& remark : wiring.port->remarks())
      if (std::find(out.begin(), out.end(), remark) == out.end()) out.push_back(remark);
  return out;
}

bool Driver::last_status(std::size_t thruster, ThrusterStatus& status) const {
  status = impl_->thrusters[thruster].status;
  return impl_->thrusters[thruster].answered;
}

}  // namespace pintle::ros1
