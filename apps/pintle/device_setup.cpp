#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "device.h"
#include "pintle/config/reader.h"
#include "pintle/craft/load.h"
#include "pintle/device/line_talk.h"
#include "printed.h"
#include "terminal.h"

namespace pintle::app {
namespace {

using Json = nlohmann::ordered_json;

void talk(const std::string& port, device::LineTalk& what,
          const std::function<void()>& after_each = {}) {
  const device::PortError error = device::talk_on(port, 115200, what, after_each);
  if (error != device::PortError::kNone) throw std::runtime_error(device::problem_of(port, error));
}

/// Says how far it is: a port without anybody takes 60 ms a node.
void scan_port(const std::string& port, device::M5Scan& scan, int first, int last) {
  fmt::print(stderr, "{}: asking nodes {} to {}\n", port, first, last);
  ProgressLine line;
  unsigned shown = device::kVrcsrLastNode + 1U;
  talk(port, scan, [&] {
    if (scan.node() == shown) return;
    shown = scan.node();
    line.show(fmt::format("{}: node {} of {}, {} found", port, shown, last, scan.found().size()));
  });
}

Json number(device::RegisterType type, double value) {
  return type == device::RegisterType::kF32 ? Json(value) : Json(static_cast<std::uint32_t>(value));
}

}  // namespace

int device_m5_scan(std::vector<std::string> ports, const std::string& vehicle, int first, int last,
                   bool json) {
  if (last < first)
    throw std::invalid_argument(
        fmt::format("--last {}: expected {} (--first) to 127", last, first));
  std::vector<device::WantedThruster> wanted;
  if (!vehicle.empty()) {
    for (const vehicle::Device& d : craft::load_vehicle(vehicle).vehicle.devices) {
      if (d.type != "m5") continue;
      // a port by any of its names is one port, called as the vehicle file calls it
      const auto same = std::find_if(ports.begin(), ports.end(), [&](const std::string& port) {
        std::error_code none;
        return port == d.path || std::filesystem::weakly_canonical(port, none) ==
                                     std::filesystem::weakly_canonical(d.path, none);
      });
      if (same == ports.end())
        ports.push_back(d.path);
      else
        *same = d.path;
      for (const vehicle::DeviceChannel& c : d.channels)
        wanted.push_back({c.propulsor, d.path, static_cast<std::uint8_t>(c.node_id),
                          static_cast<std::uint32_t>(c.serial)});
    }
    if (wanted.empty())
      throw std::invalid_argument(vehicle + ": there are no M5s under its devices:");
  }
  if (ports.empty()) throw std::invalid_argument("scan: expected ports, or --vehicle and a file");
  std::vector<std::string> unreachable;
  std::vector<device::FoundThruster> found;
  for (const std::string& port : ports) {
    device::M5Scan scan(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last));
    // one port that is not there is no reason not to look at the others
    try {
      scan_port(port, scan, first, last);
    } catch (const std::runtime_error& e) {
      if (wanted.empty()) throw;
      unreachable.emplace_back(e.what());
    }
    for (const device::M5Found& f : scan.found()) found.push_back({port, f});
  }
  for (const device::FoundThruster& f : found) {
    const device::M5Found& m = f.m5;
    if (json) {
      Json j{{"port", f.port}, {"node_id", m.node}, {"garbled", m.garbled}};
      j["motor_id"] = m.motor_id ? Json(*m.motor_id) : Json();
      j["serial"] = m.serial ? Json(*m.serial) : Json();
      j["firmware_version"] = m.firmware_version ? Json(*m.firmware_version) : Json();
      fmt::print("{}\n", printed(j));
      continue;
    }
    fmt::print("{}: node {}", f.port, m.node);
    if (m.garbled) fmt::print(", garbled: two with the same id?");
    if (m.motor_id) fmt::print(", motor_ID {}", *m.motor_id);
    if (m.serial) fmt::print(", serial {}", *m.serial);
    if (m.firmware_version) fmt::print(", firmware {}", *m.firmware_version);
    fmt::print("\n");
  }
  if (found.empty())
    fmt::print(stderr, "nobody answers: power, cable, and nodes beyond {} to {}?\n", first, last);
  std::vector<std::string> wrong =
      wanted.empty() ? std::vector<std::string>() : device::compare(wanted, found);
  wrong.insert(wrong.begin(), unreachable.begin(), unreachable.end());
  for (const std::string& line : wrong) {
    if (json)
      fmt::print("{}\n", printed(Json{{"wrong", line}}));
    else
      fmt::print("BAD {}\n", line);
  }
  return found.empty() || !wrong.empty() ? kCheckFailed : kOk;
}

int device_m5_info(const std::string& port, int node, device::M5Firmware firmware) {
  std::vector<device::M5Job> jobs;
  for (const device::Register& r : device::m5_registers(firmware))
    if (r.access != device::RegisterAccess::kWrite)
      jobs.push_back({static_cast<std::uint8_t>(node), r, std::nullopt});
  device::M5Access access(std::move(jobs));
  talk(port, access);
  Json out = Json::object();
  bool any = false;
  for (const device::M5Job& job : access.jobs()) {
    any = any || job.value;
    out[std::string(job.target.name)] = job.value ? number(job.target.type, *job.value) : Json();
  }
  if (!any) {
    fmt::print(stderr, "{}: node {} does not answer: pintle device m5 scan {}\n", port, node, port);
    return kCheckFailed;
  }
  fmt::print("{}\n", printed(out, 2));
  return kOk;
}

int device_m5_configure(const M5Configuration& c) {
  std::vector<device::M5Job> jobs;
  const auto node = static_cast<std::uint8_t>(c.node);
  for (const std::string& text : c.settings) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto value =
        equals == std::string::npos ? std::nullopt : config::parse_number(text.substr(equals + 1));
    const device::Register* r = device::find_register(c.firmware, name);
    if (r != nullptr && std::any_of(jobs.begin(), jobs.end(), [&](const device::M5Job& job) {
          return job.target.address == r->address;
        }))
      throw std::invalid_argument(text + ": " + name + " is set twice: expected it once");
    std::vector<std::string_view> known;
    for (const device::Register& k : device::m5_registers(c.firmware)) known.push_back(k.name);
    if (r == nullptr) {
      const std::string near = config::did_you_mean(name, known);
      throw std::invalid_argument(text + ": there is no register \"" + name + "\"" +
                                  (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
    }
    std::array<std::uint8_t, 4> bytes{};
    if (!value || device::encode_register(r->type, *value, bytes) == 0)
      throw std::invalid_argument(text +
                                  ": expected NAME=VALUE with a value that fits the register");
    if (r->access != device::RegisterAccess::kReadWrite)
      throw std::invalid_argument(name + " cannot be set");
    if (r->address == device::m5::kNodeId && !c.renames)
      throw std::invalid_argument(
          "NODE_ID: a thruster that is renamed by accident is commanded as another; --rename if "
          "you mean it, alone and with one thruster on the line");
    if (r->address == device::m5::kNodeId && *value > device::kVrcsrLastNode)
      throw std::invalid_argument(fmt::format("{}: expected 0 to {}: the ids above are of groups",
                                              text, device::kVrcsrLastNode));
    if (!same_everywhere(*r) && !c.firmware_given)
      throw std::invalid_argument(name +
                                  ": firmwares disagree where this register is; say --firmware");
    jobs.push_back({node, *r, value});
  }
  if (c.renames && jobs.size() != 1)
    throw std::invalid_argument("--rename: NODE_ID alone, other registers before or after it");
  if (c.saves) {
    const std::uint8_t by = c.renames ? static_cast<std::uint8_t>(*jobs.front().write) : node;
    jobs.push_back({by, *device::find_register(c.firmware, "save_settings"), device::m5::kSave});
  }
  device::M5Access access(std::move(jobs));
  talk(c.port, access);
  bool all = true;
  for (const device::M5Job& job : access.jobs()) {
    all = all && job.worked();
    fmt::print("{} {}: {}\n", job.worked() ? "ok " : "BAD", job.target.name,
               !job.value ? "no answer" : fmt::format("{}", *job.value));
  }
  if (all && !c.saves) fmt::print(stderr, "until it restarts; --save keeps it\n");
  return all ? kOk : kCheckFailed;
}

}  // namespace pintle::app
