#include <fmt/core.h>
#include <poll.h>
#include <signal.h>  // NOLINT: sigaction is not in <csignal>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "csv.h"
#include "device.h"
#include "pintle/config/reader.h"
#include "pintle/device/bus_thread.h"
#include "pintle/device/line_emulator.h"
#include "pintle/device/m5_emulator.h"
#include "pintle/device/m5_protocol.h"
#include "pintle/device/pwm_emulator.h"
#include "pintle/device/pwm_protocol.h"
#include "pintle/device/vesc_emulator.h"
#include "pintle/device/vesc_protocol.h"
#include "pintle/propulsion/thruster.h"

namespace pintle::app {
namespace {

volatile sig_atomic_t ended = 0;

/// One emulated line.
struct Emulated {
  std::vector<std::uint8_t> ids;
  std::unique_ptr<device::PropulsorEmulator> thrusters;
  std::unique_ptr<device::LineEmulator> end;
};

/// As propulsion has an M5 with the curve of the final SubjuGator 8, steady, on a bus of 48 V.
device::PropulsorTruth steady_m5(std::size_t, double effort, Time) {
  constexpr double kBus_V = 48, kCable_Ohm = 0.02;
  static const propulsion::Thruster thruster(*propulsion::library_curve("m5_polynomial"));
  static const propulsion::ElectricalParams& m5 = *propulsion::library_electrical("m5_polynomial");
  const double thrust = thruster.effort_for(effort, kBus_V);
  device::PropulsorTruth out;
  out.rpm = propulsion::rpm_of(m5, thrust);
  out.bus_A = propulsion::current_A(m5, thrust, kBus_V) - propulsion::current_A(m5, 0, kBus_V);
  out.bus_V = kBus_V - kCable_Ohm * out.bus_A;
  return out;
}

std::vector<std::uint8_t> nodes_of(const std::string& text, int last) {
  std::vector<std::uint8_t> out;
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto node = config::parse_number(word);
    if (!node || !(*node >= 0 && *node <= last) || *node != std::floor(*node))
      throw std::invalid_argument(
          fmt::format("--line {}: expected nodes of 0 to {}, such as 3,1", text, last));
    out.push_back(static_cast<std::uint8_t>(*node));
  }
  return out;
}

Emulated made(const Emulation& wanted, const std::string& text) {
  Emulated out;
  if (wanted.type == "vesc") {
    out.ids = nodes_of(text, device::VescProtocol({}).capabilities().last_node);
    out.thrusters = std::make_unique<device::VescEmulator>(out.ids);
  } else if (wanted.type == "pwm") {
    out.ids = nodes_of(text, device::PwmProtocol({}).capabilities().last_node);
    out.thrusters = std::make_unique<device::PwmEmulator>(out.ids);
  } else {
    out.ids = nodes_of(text, device::M5Protocol({}).capabilities().last_node);
    std::vector<device::M5Identity> ids;
    for (const std::uint8_t node : out.ids)
      ids.push_back({node, static_cast<std::uint16_t>(ids.size()), 1000U + node});
    out.thrusters = std::make_unique<device::M5Emulator>(ids, wanted.firmware);
  }
  out.thrusters->model = steady_m5;
  return out;
}

/// "mute 3", "plug 0": what a line on stdin asks for. "" when it was done, else why not.
std::string obey(std::vector<Emulated>& lines, const std::string& text) {
  std::stringstream words(text);
  std::string what, about, number;
  words >> what >> about >> number;
  if (what.empty()) return {};
  const auto subject = config::parse_number(about);
  const double value = config::parse_number(number).value_or(0);
  if (!subject) return "expected a word and a number: mute 3";
  if (what == "plug" || what == "unplug") {
    const auto i = static_cast<std::size_t>(*subject);
    if (!(*subject >= 0 && i < lines.size())) return "there is no line " + about;
    if (what == "unplug") lines[i].end->unplug();
    return what == "unplug" || lines[i].end->plug() ? "" : "no pseudo-terminal to be had";
  }
  bool found = false;
  for (Emulated& line : lines)
    for (std::size_t k = 0; k < line.ids.size(); ++k) {
      if (line.ids[k] != *subject) continue;
      found = true;
      device::PropulsorFaults& f = line.thrusters->faults(k);
      if (what == "gone")
        f.gone = true;
      else if (what == "mute")
        f.mute = true;
      else if (what == "late")
        f.late_s = std::clamp(value, 0.0, 10.0);
      else if (what == "corrupt")
        f.corrupt = std::clamp(value, 0.0, 1.0);
      else if (what == "lose")
        f.lose = std::clamp(value, 0.0, 1.0);
      else if (what == "wrong_id")
        f.wrong_id = static_cast<int>(value);
      else if (what == "pieces")
        f.pieces = std::clamp(static_cast<int>(value), 1, 32);
      else if (what == "hum")
        f.hum = true;
      else if (what == "brown_out")
        f.brown_out = true;
      else if (what == "stall")
        f.stalled = true;
      else if (what == "voltage")
        f.bus_V = value;
      else if (what == "temperature")
        f.temperature_C = value;
      else if (what == "mend")
        f = {};
      else
        return "there is no fault \"" + what + "\"";
    }
  return found ? "" : "there is no node " + about;
}

/// What each thruster does, when it was asked for: "status 0".
void print_status(const std::vector<Emulated>& lines, Time now) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Emulated& line : lines)
    for (std::size_t k = 0; k < line.ids.size(); ++k)
      out.push_back({{"node_id", line.ids[k]},
                     {"effort", line.thrusters->effort(k, now)},
                     {"commands", line.thrusters->commands(k)}});
  fmt::print("{}\n", out.dump());
  std::fflush(stdout);
}

/// Whole lines from stdin, without waiting; false at its end.
bool read_orders(std::string& buffer, std::vector<std::string>& orders) {
  std::array<char, 512> bytes{};
  const ssize_t n = ::read(0, bytes.data(), bytes.size());
  if (n <= 0) return false;
  buffer.append(bytes.data(), static_cast<std::size_t>(n));
  for (std::size_t end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n')) {
    orders.push_back(buffer.substr(0, end));
    buffer.erase(0, end + 1);
  }
  return true;
}

void serve(std::vector<Emulated>& lines) {
  std::string buffer;
  bool listens = true;
  while (ended == 0) {
    std::vector<pollfd> watched;
    if (listens) watched.push_back({0, POLLIN, 0});
    const Time now = device::BusThread::clock();
    Time at = now + Duration::from_seconds(1);
    for (Emulated& line : lines) {
      line.end->update(now);
      at = std::min(at, line.end->wake_at());
      if (line.end->is_plugged()) watched.push_back({line.end->descriptor(), POLLIN, 0});
    }
    const std::int64_t ns = std::max<std::int64_t>((at - device::BusThread::clock()).ns, 0);
    const timespec wait{ns / 1'000'000'000, ns % 1'000'000'000};
    (void)::ppoll(watched.data(), watched.size(), &wait, nullptr);
    if (!listens || watched[0].revents == 0) continue;
    std::vector<std::string> orders;
    listens = read_orders(buffer, orders);
    for (const std::string& order : orders) {
      if (order == "quit") return;
      if (order == "status") {
        print_status(lines, device::BusThread::clock());
        continue;
      }
      const std::string why_not = obey(lines, order);
      if (!why_not.empty()) fmt::print(stderr, "emulate: {}: {}\n", order, why_not);
    }
  }
}

/// Names that an emulator left behind may go; nothing else that has such a name.
void refuse_what_is_there(const std::filesystem::path& link) {
  const std::filesystem::file_status there = std::filesystem::symlink_status(link);
  if (!std::filesystem::exists(there)) return;
  if (std::filesystem::is_symlink(there) &&
      std::filesystem::read_symlink(link).string().rfind("/dev/pts/", 0) == 0)
    return;
  throw std::invalid_argument(link.string() +
                              " is there and no emulator made it: --folder, another one");
}

}  // namespace

int device_emulate(const Emulation& wanted) {
  std::vector<Emulated> lines;
  if (!wanted.folder.empty()) std::filesystem::create_directories(wanted.folder);
  for (const std::string& text : wanted.nodes) {
    Emulated line = made(wanted, text);
    const std::string link =
        wanted.folder.empty() ? "" : fmt::format("{}/if{:02}-port0", wanted.folder, lines.size());
    if (!link.empty()) refuse_what_is_there(link);
    line.end = std::make_unique<device::LineEmulator>(*line.thrusters, link, wanted.baudrate);
    if (!line.end->plug()) throw std::runtime_error("no pseudo-terminal to be had " + link);
    lines.push_back(std::move(line));
  }
  for (const Emulated& line : lines)
    fmt::print("{}\n",
               nlohmann::ordered_json{{"port", line.end->path()}, {"nodes", line.ids}}.dump());
  std::fflush(stdout);
  struct sigaction action {};
  action.sa_handler = [](int) { ended = 1; };
  (void)sigaction(SIGINT, &action, nullptr);
  (void)sigaction(SIGTERM, &action, nullptr);
  serve(lines);
  return kOk;
}

}  // namespace pintle::app
