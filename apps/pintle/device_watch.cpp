#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <thread>

#include "device.h"
#include "pintle/device/bus_thread.h"
#include "pintle/device/m5_protocol.h"

namespace pintle::app {
namespace {

using Json = nlohmann::ordered_json;

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

/// One thruster up to its effort and down again; what it reported on the way.
struct Spin {
  double rpm = 0, bus_A = 0, least_V = 1e9;
  bool answered = false;
};
Spin spin(device::BusThread& bus, std::size_t i, double effort, double seconds) {
  Spin out;
  const Time begin = device::BusThread::clock();
  while (true) {
    const double t = (device::BusThread::clock() - begin).seconds();
    if (t > seconds) break;
    // a third up, a third there, a third down
    const double share = std::clamp(3 * std::min(t, seconds - t) / seconds, 0.0, 1.0);
    bus.command(0, i, effort * share);
    bus.wake();
    pause(0.02);
    const PropulsorReport& r = bus.status(0).reports[i];
    if (bus.status(0).port != device::PortError::kNone)
      throw std::runtime_error(bus.path(0) + ": " + std::string(to_string(bus.status(0).port)));
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
    if (s.port != device::PortError::kNone) fmt::print(stderr, "{}: {}\n", port, to_string(s.port));
    if (n == 0 && !s.tuning.said.empty()) fmt::print(stderr, "{}: {}\n", port, s.tuning.said);
    all_good = s.out == 0;
    for (std::size_t i = 0; i < channels.size(); ++i)
      fmt::print("{}\n", json_of(nodes[i], s.reports[i]).dump());
    std::fflush(stdout);
  }
  return all_good ? kOk : kCheckFailed;
}

int device_m5_spin_test(const M5SpinTest& a) {
  if (!a.in_water)
    throw std::invalid_argument(
        "spin-test turns propellers: run dry they burn their bearings, and they take fingers off. "
        "With the craft in water and everybody away from it: --yes-in-water");
  const auto channels = channels_of(a.nodes);
  device::BusThread bus(one_line(a.port, channels), {});
  std::vector<int> reversed;
  bool all = true;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    fmt::print(stderr, "{}: effort {} for {} s\n", channels[i].name.view(), a.effort, a.seconds);
    const Spin measured = spin(bus, i, a.effort, a.seconds);
    all = all && measured.answered && measured.rpm != 0;
    Json j{{"node_id", a.nodes[i]},
           {"answered", measured.answered},
           {"rpm", measured.rpm},
           {"bus_i", measured.bus_A}};
    if (measured.answered) {
      fmt::print(stderr, "  did it push in its direction (from motor to shroud)? y, n, or ? ");
      std::string word;
      std::getline(std::cin, word);
      j["pushes"] = word == "y" ? Json("forward") : word == "n" ? Json("backward") : Json();
      if (word == "n") reversed.push_back(a.nodes[i]);
    }
    fmt::print("{}\n", j.dump());
    std::fflush(stdout);
  }
  for (const int node : reversed)
    fmt::print(stderr, "in the vehicle file: reversed: true where node_id is {}\n", node);
  return all ? kOk : kCheckFailed;
}

}  // namespace pintle::app
