#include <fmt/core.h>
#include <signal.h>  // NOLINT: sigaction is not in <csignal>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>

#include "device.h"
#include "pintle/config/document.h"
#include "pintle/config/reader.h"
#include "pintle/craft/load.h"
#include "pintle/device/bus_thread.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/vehicle/subjugator.h"
#include "printed.h"
#include "stop.h"

namespace pintle::app {
namespace {

using Json = nlohmann::ordered_json;

volatile sig_atomic_t interrupted = 0;

std::vector<device::BusChannel> channels_of(const std::vector<int>& nodes) {
  std::vector<device::BusChannel> out;
  for (const int node : nodes) {
    device::BusChannel c;
    c.name.assign("node " + std::to_string(node));
    c.node = static_cast<std::uint8_t>(node);
    out.push_back(c);
  }
  for (const Finding& f : device::check(out, device::m5_capabilities()))
    throw std::invalid_argument("--node: " + f.path + ": " + f.message);
  return out;
}

std::vector<device::BusThread::Line> one_line(const std::string& port,
                                              const std::vector<device::BusChannel>& channels) {
  std::vector<device::BusThread::Line> lines;
  lines.push_back(
      {port, std::make_unique<device::PropulsorBus>(std::make_unique<device::M5Protocol>(channels),
                                                    channels, device::BusSettings{})});
  return lines;
}

Json json_of(int node, const PropulsorReport& r) {
  const auto field = [&](std::uint8_t bit, double value) {
    return r.has(bit) ? Json(value) : Json();
  };
  return {{"node_id", node},
          {"contact", to_string(r.contact)},
          {"rpm", field(kHasRpm, r.rpm)},
          {"bus_v", field(kHasVoltage, r.bus_V)},
          {"bus_i", field(kHasCurrent, r.bus_A)},
          {"temp", field(kHasTemperature, r.temperature_C)},
          {"fault", r.has(kHasFault) ? Json(pintle::fault_text(r.fault)) : Json()},
          {"latency_s", r.latency_s},
          {"received", r.received},
          {"unanswered", r.unanswered}};
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// A thruster that is to be tested, and where it is.
struct Tested {
  std::string name;
  int node = 0;
  std::size_t line = 0, channel = 0;
  bool reversed = false;
};

/// The M5s of a vehicle file, of each line all, so that nobody speaks for another.
std::vector<Tested> wired(const M5SpinTest& a, std::vector<device::BusThread::Line>& lines) {
  std::vector<Tested> out;
  for (const vehicle::Device& d : craft::load_vehicle(a.vehicle).vehicle.devices) {
    if (d.type != "m5") continue;
    std::vector<device::BusChannel> channels;
    for (const vehicle::DeviceChannel& c : d.channels) {
      const bool chosen =
          a.propulsors.empty() ||
          std::find(a.propulsors.begin(), a.propulsors.end(), c.propulsor) != a.propulsors.end();
      if (chosen)
        out.push_back({c.propulsor, c.node_id, lines.size(), channels.size(), c.reversed});
      device::BusChannel channel;
      channel.name.assign(c.propulsor);
      channel.node = static_cast<std::uint8_t>(c.node_id);
      channel.reversed = c.reversed;
      channels.push_back(channel);
    }
    device::BusSettings settings;
    settings.baudrate = d.baudrate;
    lines.push_back(
        {d.path, std::make_unique<device::PropulsorBus>(
                     std::make_unique<device::M5Protocol>(channels), channels, settings)});
  }
  for (const std::string& name : a.propulsors)
    if (std::none_of(out.begin(), out.end(), [&](const Tested& t) { return t.name == name; }))
      throw std::invalid_argument(a.vehicle + ": no M5 under its devices: is called \"" + name +
                                  "\"");
  if (out.empty()) throw std::invalid_argument(a.vehicle + ": there are no M5s under its devices:");
  return out;
}

/// What to write so that a thruster that pushed backward pushes forward, and where.
std::string mend(const std::string& file, const Tested& t) {
  const config::Document document = config::Document::load(file);
  if (const std::string path = vehicle::subjugator_path(document, t.name, "direction");
      !path.empty()) {
    std::string turned;
    for (const config::Node& part : document.at(path)->items) {
      const double x = -config::parse_number(part.scalar).value_or(0);
      turned += fmt::format("{}{:.6g}", turned.empty() ? "" : ", ", x == 0 ? 0.0 : x);
    }
    return fmt::format("{}:{}: {}: write  direction: [{}]", file, document.location_of(path).line,
                       t.name, turned);
  }
  const config::Node* devices = document.root().find("devices");
  for (std::size_t d = 0; devices != nullptr && d < devices->items.size(); ++d)
    for (std::size_t c = 0;; ++c) {
      const std::string path = fmt::format("devices[{}].channels[{}]", d, c);
      const config::Node* channel = document.at(path);
      if (channel == nullptr) break;
      const config::Node* name = channel->find("propulsor");
      if (name == nullptr || name->scalar != t.name) continue;
      return fmt::format("{}:{}: {}: write  reversed: {}", file, document.location_of(path).line,
                         t.name, !t.reversed);
    }
  return fmt::format("{}: {}: write  reversed: {}", file, t.name, !t.reversed);
}

/// One thruster up to its effort and down again; what it reported on the way.
struct Spin {
  double rpm = 0, bus_A = 0, least_V = 1e9;
  bool answered = false;
};
Spin spin(device::BusThread& bus, const Tested& tested, double effort, double seconds) {
  const std::size_t line = tested.line, i = tested.channel;
  Spin out;
  // a busy machine takes its time to open a port
  const Time patience = device::BusThread::clock() + Duration::from_seconds(2);
  while (bus.status(line).port != device::PortError::kNone &&
         device::BusThread::clock() < patience && interrupted == 0)
    pause(0.02);
  const Time begin = device::BusThread::clock();
  while (true) {
    const double t = (device::BusThread::clock() - begin).seconds();
    if (t > seconds || interrupted != 0) break;
    // a third up, a third there, a third down
    const double share = std::clamp(3 * std::min(t, seconds - t) / seconds, 0.0, 1.0);
    bus.command(line, i, effort * share);
    bus.wake();
    pause(0.02);
    const PropulsorReport& r = bus.status(line).reports[i];
    if (const device::PortError port = bus.status(line).port; port != device::PortError::kNone)
      throw std::runtime_error(device::problem_of(bus.path(line), port));
    if (r.contact != PropulsorContact::kGood || r.valid == 0) continue;
    out.answered = true;
    if (std::abs(r.rpm) > std::abs(out.rpm)) out.rpm = r.rpm;
    out.bus_A = std::max(out.bus_A, r.bus_A);
    if (r.has(kHasVoltage)) out.least_V = std::min(out.least_V, r.bus_V);
  }
  bus.stop();
  return out;
}

}  // namespace

int device_m5_watch(const std::string& port, const std::vector<int>& nodes, double period_s,
                    int count) {
  const auto channels = channels_of(nodes);
  device::BusThread bus(one_line(port, channels), {});
  bool all_good = false;
  for (int n = 0; count == 0 || n < count; ++n) {
    pause(period_s);
    const device::LineStatus& s = bus.status(0);
    // what may be plugged in yet is waited for
    if (s.port == device::PortError::kMissing || s.port == device::PortError::kGone)
      fmt::print(stderr, "{}\n", device::problem_of(port, s.port));
    else if (s.port != device::PortError::kNone)
      throw std::runtime_error(device::problem_of(port, s.port));
    if (n == 0 && s.tuning.said.length > 0)
      fmt::print(stderr, "{}: {}\n", port, s.tuning.said.view());
    all_good = s.out == 0;
    for (std::size_t i = 0; i < channels.size(); ++i)
      fmt::print("{}\n", printed(json_of(nodes[i], s.reports[i])));
    std::fflush(stdout);
  }
  return all_good ? kOk : kCheckFailed;
}

int device_m5_spin_test(const M5SpinTest& a) {
  if (!a.in_water)
    throw std::invalid_argument(
        "spin-test turns propellers: run dry they burn their bearings, and they take fingers off. "
        "With the craft in water and everybody away from it: --yes-in-water");
  if (a.effort == 0) throw std::invalid_argument("--effort 0 turns nothing: write 0.1, say");
  if (a.vehicle.empty() && !a.propulsors.empty())
    throw std::invalid_argument(
        "--propulsor names those of a vehicle file: --vehicle and the file");
  std::vector<device::BusThread::Line> lines;
  std::vector<Tested> tested;
  if (a.vehicle.empty()) {
    if (a.port.empty() || a.nodes.empty())
      throw std::invalid_argument("spin-test: expected a port and --node, or --vehicle and a file");
    const auto channels = channels_of(a.nodes);
    for (std::size_t i = 0; i < channels.size(); ++i)
      tested.push_back({std::string(channels[i].name.view()), a.nodes[i], 0, i});
    lines = one_line(a.port, channels);
  } else {
    tested = wired(a, lines);
  }
  // what ends this process: the propeller is stopped first, and nothing is asked any more
  end_on_signals([](int) { interrupted = 1; });
  device::BusThread bus(std::move(lines), {});
  std::vector<std::string> changes;
  bool all = true;
  for (const Tested& t : tested) {
    fmt::print(stderr, "{}: effort {} for {} s\n", t.name, a.effort, a.seconds);
    const Spin measured = spin(bus, t, a.effort, a.seconds);
    if (interrupted != 0) break;
    all = all && measured.answered && measured.rpm != 0;
    Json j{{"node_id", t.node},
           {"answered", measured.answered},
           {"rpm", measured.rpm},
           {"bus_i", measured.bus_A}};
    if (!a.vehicle.empty()) j["propulsor"] = t.name;
    std::string word;
    if (measured.answered && a.measures) {
      word = measured.rpm * a.effort > 0 ? "y" : measured.rpm != 0 ? "n" : "?";
    } else if (measured.answered) {
      fmt::print(stderr, "  did it push in its direction (from motor to shroud{})? y, n, or ? ",
                 a.effort < 0 ? ", backward now" : "");
      std::getline(std::cin, word);
      if (interrupted != 0) break;
    }
    if (measured.answered)
      j["pushes"] = word == "y" ? Json("forward") : word == "n" ? Json("backward") : Json();
    if (word == "n")
      changes.push_back(
          a.vehicle.empty()
              ? fmt::format("in the vehicle file: reversed: true where node_id is {}", t.node)
              : mend(a.vehicle, t));
    fmt::print("{}\n", printed(j));
    std::fflush(stdout);
  }
  for (const std::string& change : changes) fmt::print(stderr, "{}\n", change);
  if (interrupted != 0) fmt::print(stderr, "interrupted: stopped\n");
  return all && interrupted == 0 ? kOk : kCheckFailed;
}

}  // namespace pintle::app
