#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>  // NOLINT: sigaction is not in <csignal>
#include <sys/file.h>
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
#include "printed.h"
#include "stop.h"

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
    if (std::count(out.begin(), out.end(), out.back()) > 1)
      throw std::invalid_argument(
          fmt::format("--line {}: node {} is there twice: expected each once", text, out.back()));
  }
  if (out.empty() || text.back() == ',')
    throw std::invalid_argument(
        fmt::format("--line \"{}\": expected nodes of 0 to {}, such as 3,1", text, last));
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

/// What can be wrong with a thruster: a word, and the number that it needs.
struct Fault {
  std::string_view word;
  const char* number;  ///< "" for none.
  double least, most;
  void (*put)(device::PropulsorFaults& f, double x);
};
using Faults = device::PropulsorFaults;
constexpr std::array kFaults{
    Fault{"gone", "", 0, 0, [](Faults& f, double) { f.gone = true; }},
    Fault{"mute", "", 0, 0, [](Faults& f, double) { f.mute = true; }},
    Fault{"hum", "", 0, 0, [](Faults& f, double) { f.hum = true; }},
    Fault{"twice", "", 0, 0, [](Faults& f, double) { f.twice = true; }},
    Fault{"brown_out", "", 0, 0, [](Faults& f, double) { f.brown_out = true; }},
    Fault{"stall", "", 0, 0, [](Faults& f, double) { f.stalled = true; }},
    Fault{"mend", "", 0, 0, [](Faults& f, double) { f = {}; }},
    Fault{"late", "seconds", 0, 10, [](Faults& f, double x) { f.late_s = x; }},
    Fault{"corrupt", "a share", 0, 1, [](Faults& f, double x) { f.corrupt = x; }},
    Fault{"lose", "a share", 0, 1, [](Faults& f, double x) { f.lose = x; }},
    Fault{"wrong_id", "a node", -1, 254,
          [](Faults& f, double x) { f.wrong_id = static_cast<int>(x); }},
    Fault{"pieces", "a number", 1, 32, [](Faults& f, double x) { f.pieces = static_cast<int>(x); }},
    Fault{"voltage", "volt", 0, 100, [](Faults& f, double x) { f.bus_V = x; }},
    Fault{"temperature", "degrees", -60, 300, [](Faults& f, double x) { f.temperature_C = x; }}};

/// "mute 3", "plug 0": what a line on stdin asks for. "" when it was done, else why not.
std::string obey(std::vector<Emulated>& lines, const std::string& text) {
  std::stringstream words(text);
  std::string what, about, number, more;
  words >> what >> about >> number >> more;
  if (what.empty()) return {};
  const auto subject = config::parse_number(about);
  const auto value = config::parse_number(number);
  if (what == "plug" || what == "unplug") {
    if (!subject || !(*subject >= 0 && *subject < static_cast<double>(lines.size())) ||
        !number.empty())
      return fmt::format("expected  {} L,  a line of 0 to {}", what, lines.size() - 1);
    device::LineEmulator& end = *lines[static_cast<std::size_t>(*subject)].end;
    if (what == "unplug") end.unplug();
    return what == "unplug" || end.is_plugged() || end.plug() ? "" : "no pseudo-terminal to be had";
  }
  const auto* fault =
      std::find_if(kFaults.begin(), kFaults.end(), [&](const Fault& f) { return f.word == what; });
  if (fault == kFaults.end()) {
    std::vector<std::string_view> known{"plug", "unplug", "status", "quit"};
    for (const Fault& f : kFaults) known.push_back(f.word);
    const std::string near = config::did_you_mean(what, known);
    return "there is no fault \"" + what + "\"" +
           (near.empty() ? "" : ", did you mean \"" + near + "\"?");
  }
  const bool needs = *fault->number != '\0';
  const bool fits =
      needs ? value && *value >= fault->least && *value <= fault->most : number.empty();
  if (!subject || !fits || !more.empty())
    return needs ? fmt::format("expected  {} N X,  a node and {} of {:g} to {:g}", what,
                               fault->number, fault->least, fault->most)
                 : fmt::format("expected  {} N,  a node", what);
  bool found = false;
  for (Emulated& line : lines)
    for (std::size_t k = 0; k < line.ids.size(); ++k) {
      if (line.ids[k] != *subject) continue;
      found = true;
      fault->put(line.thrusters->faults(k), value.value_or(0));
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
  fmt::print("{}\n", printed(out));
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

/// A folder of which this emulator alone makes the names: a second one would take over the lines of
/// the first. Ends with its process, however that ends.
class Folder {
 public:
  explicit Folder(const std::string& path) {
    if (path.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(path, error);
    lock_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0)
      throw std::invalid_argument("--folder " + path +
                                  ": expected a folder, or where one can be made");
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      ::close(lock_);
      throw std::runtime_error(
          "--folder " + path +
          ": another emulator has its lines there: end it, or name another folder");
    }
  }
  ~Folder() {
    if (lock_ >= 0) ::close(lock_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  int lock_ = -1;
};

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
  end_on_signals([](int) { ended = 1; });
  std::vector<Emulated> lines;
  const Folder folder(wanted.folder);
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
               printed(nlohmann::ordered_json{{"port", line.end->path()}, {"nodes", line.ids}}));
  std::fflush(stdout);
  serve(lines);
  return kOk;
}

}  // namespace pintle::app
