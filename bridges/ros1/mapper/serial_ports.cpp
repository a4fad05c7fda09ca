#include "mapper/serial_ports.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "mapper/bus_of.h"
#include "mapper/simulated_port.h"
#include "pintle/device/bus_thread.h"

namespace pintle::ros1 {
namespace {

/// One line of the thread that all lines share.
class SerialPort : public ThrusterPort {
 public:
  SerialPort(std::shared_ptr<device::BusThread> bus, std::size_t line)
      : bus_(std::move(bus)), line_(line) {}

  void command(std::size_t thruster, double effort, double) override {
    bus_->command(line_, thruster, effort);
    bus_->wake();
  }
  void poll(double, std::vector<ThrusterReply>& replies) override {
    const auto& reports = bus_->status(line_).reports;
    fresh_.take({reports.data(), reports.size()}, replies);
  }
  [[nodiscard]] bool is_out(std::size_t thruster) const override {
    return (bus_->status(line_).out >> thruster & 1U) != 0;
  }
  void kill(bool killed, double) override { bus_->kill(killed); }
  [[nodiscard]] std::string problem() const override {
    const device::PortError error = bus_->status(line_).port;
    return device::problem_of(bus_->path(line_), error);
  }
  [[nodiscard]] std::vector<std::string> remarks() const override {
    std::vector<std::string> out = bus_->refused();
    if (bus_->status(line_).cannot_multicast)
      out.push_back(bus_->path(line_) +
                    ": no multicast, each has a frame of its own: two have the same motor_ID");
    return out;
  }

 private:
  std::shared_ptr<device::BusThread> bus_;
  std::size_t line_;
  FreshReports fresh_;
};

/// Ports in the order of their thrusters, each with its names.
std::vector<std::pair<std::string, std::vector<std::string>>> ports_of(const Layout& layout) {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const LayoutThruster& t : layout.thrusters) {
    const auto found =
        std::find_if(out.begin(), out.end(), [&](const auto& p) { return p.first == t.port; });
    if (found != out.end())
      found->second.push_back(t.name);
    else
      out.push_back({t.port, {t.name}});
  }
  return out;
}

}  // namespace

std::unique_ptr<device::PropulsorBus> bus_of(const Layout& layout,
                                             const std::vector<std::string>& names,
                                             const DriverSettings& settings) {
  std::vector<device::BusChannel> channels;
  std::string wrong;
  for (const std::string& name : names) {
    const auto i = layout.find(name);
    if (!i) throw std::runtime_error("there is no thruster called \"" + name + "\"");
    const LayoutThruster& t = layout.thrusters[*i];
    device::BusChannel c;
    c.name.assign(name);
    if (t.node_id < 0 || t.node_id > device::m5_capabilities().last_node)
      wrong += name + ": node_id " + std::to_string(t.node_id) + ": expected 0 to 127\n";
    else
      c.node = static_cast<std::uint8_t>(t.node_id);
    c.confident = t.confident;
    channels.push_back(c);
  }
  if (wrong.empty())
    for (const Finding& f : device::check(channels, device::m5_capabilities()))
      wrong += f.path + ": " + f.message + " (on " + layout.thrusters[*layout.find(names[0])].port +
               ")\n";
  if (!wrong.empty()) throw std::runtime_error(wrong);
  device::BusSettings bus;
  bus.command_timeout_s = settings.command_timeout_s;
  bus.silent_after_s = settings.silent_after_s;
  bus.poll_s = settings.poll_period_s;
  bus.multicast = settings.multicast;
  return std::make_unique<device::PropulsorBus>(std::make_unique<device::M5Protocol>(channels),
                                                channels, bus);
}

void FreshReports::take(std::span<const PropulsorReport> reports, std::vector<ThrusterReply>& out) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  told_.resize(reports.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const PropulsorReport& r = reports[i];
    if (r.stamp == told_[i] || r.valid == 0) continue;
    told_[i] = r.stamp;
    const auto field = [&](std::uint8_t bit, double value) { return r.has(bit) ? value : kNaN; };
    ThrusterReply reply;
    reply.thruster = i;
    reply.latency_s = r.latency_s;
    reply.effort = r.effort;
    reply.rpm = field(kHasRpm, r.rpm);
    reply.bus_V = field(kHasVoltage, r.bus_V);
    reply.bus_A = field(kHasCurrent, r.bus_A);
    reply.temperature_C = field(kHasTemperature, r.temperature_C);
    reply.fault = r.fault;
    reply.sent = r.sent;
    reply.received = r.received;
    out.push_back(reply);
  }
}

std::vector<PortWiring> serial_ports(const Layout& layout, const DriverSettings& settings) {
  std::vector<device::BusThread::Line> lines;
  const auto ports = ports_of(layout);
  for (const auto& [path, names] : ports) {
    if (path.empty()) continue;
    lines.push_back({path, bus_of(layout, names, settings)});
  }
  device::BusThreadOptions options;
  options.fifo_priority = settings.fifo_priority;
  options.lock_memory = settings.fifo_priority > 0;
  const auto bus = std::make_shared<device::BusThread>(std::move(lines), options);
  std::vector<PortWiring> out;
  for (const auto& [path, names] : ports)
    if (!path.empty()) out.push_back({std::make_shared<SerialPort>(bus, out.size()), names});
  return out;
}

std::vector<PortWiring> simulated_ports(const Layout& layout, const DriverSettings& settings) {
  std::vector<PortWiring> out;
  for (const auto& [path, names] : ports_of(layout))
    out.push_back({std::make_shared<SimulatedPort>(layout, names, settings), names});
  return out;
}

}  // namespace pintle::ros1
