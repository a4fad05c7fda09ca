#include "pintle/craft/file_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "pintle/config/file.h"

namespace pintle::craft {
namespace {

using estimation::Miswiring;

/// Path of a control parameter of a native file in a Duke robot file, "" when that file has none.
std::string duke_path(std::string_view native) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames{
      {{"kp", "Kp"},
       {"ki", "Ki"},
       {"kd", "Kd"},
       {"ff", "Ff"},
       {"min_effort", "control_effort.min"},
       {"max_effort", "control_effort.max"},
       {"derivative", "derivative_type"},
       {"error_ramp_rate", "error_ramp_rate"}}};
  if (native == "control.scale") return "power_scale_factor";
  if (native.starts_with("control.static_force."))
    return "static_power_global." + std::string(native.substr(21));
  if (!native.starts_with("control.")) return {};
  std::string_view rest = native.substr(8);
  const std::size_t dot = rest.rfind('.');
  if (dot == std::string_view::npos) return {};
  for (const auto& [ours, theirs] : kNames)
    if (rest.substr(dot + 1) == ours)
      return "pid." + std::string(rest.substr(0, dot + 1)) + std::string(theirs);
  return {};
}

/// The path as this file writes it: vectors and per-axis numbers may stand there as lists.
std::string path_in(const config::Document& document, std::string path) {
  static constexpr std::array<std::string_view, 4> kComponents{"x", "y", "z", "w"};
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return path;
  const config::Node* parent = document.at(path.substr(0, dot));
  if (parent == nullptr || !parent->is_list()) return path;
  const std::string_view key = std::string_view(path).substr(dot + 1);
  std::size_t index = 0;
  while (index < kAxes && kAxisNames[index] != key) ++index;
  if (index == kAxes)
    for (index = 0; index < kComponents.size() && kComponents[index] != key;) ++index;
  return path.substr(0, dot) + "[" + std::to_string(index) + "]";
}

[[noreturn]] void refuse(const config::Document& document, const std::string& path,
                         std::string message, std::string fix) {
  throw config::ConfigError(
      config::Problem{document.location_of(path), "", std::move(message), std::move(fix), true});
}

/// Exchanges the mounts of two propulsors: what says where they are and how they are turned.
config::Document with_mounts_swapped(config::Document d, const std::string& a,
                                     const std::string& b) {
  for (const char* key : {"position_m", "direction", "rpy_deg"}) {
    const config::Node *x = d.at(a + "." + key), *y = d.at(b + "." + key);
    if (x == nullptr && y == nullptr) continue;
    if (x == nullptr || y == nullptr || !x->is_list() || !y->is_list() ||
        x->items.size() != y->items.size())
      refuse(d, a, "its mount is written otherwise than that of the other one of the pair",
             "write position_m and direction (or rpy_deg) of both as lists");
    std::vector<std::string> of_x, of_y;
    for (const config::Node& n : x->items) of_x.push_back(n.scalar);
    for (const config::Node& n : y->items) of_y.push_back(n.scalar);
    for (std::size_t i = 0; i < of_x.size(); ++i) {
      const std::string at = "." + std::string(key) + "[" + std::to_string(i) + "]";
      if (of_x[i] == of_y[i]) continue;
      d = d.with_text(a + at, of_y[i]);
      d = d.with_text(b + at, of_x[i]);
    }
  }
  return d;
}

/// A switch that stands at false where it does not stand.
config::Document with_switch(config::Document d, const std::string& owner, const char* key,
                             bool on) {
  const std::string path = owner + "." + key;
  if (const config::Node* n = d.at(path); n != nullptr ? (n->scalar == "true") == on : !on)
    return d;
  // a number can be added, and the switch takes its place
  if (d.at(path) == nullptr) d = d.with(path, 0);
  const config::Node& node = *d.at(path);
  std::string text = d.text();
  text.replace(node.begin, node.end - node.begin, on ? "true" : "false");
  return config::Document::parse(std::move(text), d.name());
}

std::string scalar_of(const config::Document& d, const std::string& path) {
  const config::Node* n = d.at(path);
  return n != nullptr ? n->scalar : std::string{};
}

/// Where in `devices:` a propulsor hangs; empty where there are none.
std::string channel_of(const config::Document& d, const std::string& propulsor) {
  const config::Node* devices = d.at("devices");
  for (std::size_t i = 0; devices != nullptr && i < devices->items.size(); ++i) {
    const config::Node* channels = devices->items[i].find("channels");
    for (std::size_t k = 0; channels != nullptr && k < channels->items.size(); ++k) {
      const config::Node* p = channels->items[k].find("propulsor");
      if (p != nullptr && p->scalar == propulsor)
        return fmt::format("devices[{}].channels[{}]", i, k);
    }
  }
  return {};
}

config::Document mend(config::Document d, const VehicleFile& file, const Miswiring& m) {
  const auto name = [&](std::int32_t i) {
    return file.vehicle.propulsors.at(static_cast<std::size_t>(i)).name;
  };
  const auto entry = [](std::int32_t i) { return fmt::format("propulsors[{}]", i); };
  const bool has_devices = !file.vehicle.devices.empty();
  const char* key = has_devices ? "reversed" : "flipped";
  const std::string a = has_devices ? channel_of(d, name(m.propulsor)) : entry(m.propulsor);
  const bool a_was = scalar_of(d, a + "." + key) == "true";
  if (m.kind == Miswiring::Kind::kReversed) return with_switch(std::move(d), a, key, !a_was);
  const std::string b = has_devices ? channel_of(d, name(m.other)) : entry(m.other);
  const bool b_was = scalar_of(d, b + "." + key) == "true";
  if (!has_devices) {
    // the entry takes the other's mount, with the way in which it was seen to push there
    d = with_mounts_swapped(std::move(d), a, b);
    d = with_switch(std::move(d), a, key, b_was != m.other_reversed);
    return with_switch(std::move(d), b, key, a_was != m.reversed);
  }
  if (a.substr(0, a.find('.')) != b.substr(0, b.find('.')))
    refuse(d, a, name(m.propulsor) + " and " + name(m.other) + " are swapped, on two lines",
           "exchange the two propulsors in devices: by hand");
  for (const char* what : {"node_id", "serial"}) {
    const std::string x = scalar_of(d, a + "." + what), y = scalar_of(d, b + "." + what);
    if (x.empty() != y.empty())
      refuse(d, a, std::string(what) + " stands at one of the pair alone", "write it at both");
    if (x.empty()) continue;
    d = d.with_text(a + "." + what, y);
    d = d.with_text(b + "." + what, x);
  }
  d = with_switch(std::move(d), a, key, b_was != m.reversed);
  return with_switch(std::move(d), b, key, a_was != m.other_reversed);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    all.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return all;
}

}  // namespace

config::Document with_numbers(config::Document document, VehicleFormat format,
                              const std::vector<std::pair<std::string, double>>& changes) {
  for (const auto& [native, value] : changes) {
    const std::string in_file = format == VehicleFormat::kDuke ? duke_path(native) : native;
    if (in_file.empty())
      throw config::ConfigError(config::Problem{
          {document.name(), 1, 1}, "", "the file's format has no place for " + native, "", true});
    document = document.with(path_in(document, in_file), value);
  }
  return document;
}

std::vector<FileChange> with_parameters(
    const std::filesystem::path& vehicle, VehicleFormat format,
    const std::filesystem::path& mission,
    const std::vector<std::pair<std::string, double>>& changes) {
  std::vector<std::pair<std::string, double>> of_vehicle = changes, of_mission;
  std::vector<FileChange> all;
  if (!mission.empty()) {
    const config::Document document = config::Document::load(mission);
    const auto in_mission = [&](const auto& change) {
      return document.at(path_in(document, change.first)) != nullptr;
    };
    for (const auto& change : of_vehicle)
      if (in_mission(change)) of_mission.push_back(change);
    std::erase_if(of_vehicle, in_mission);
    if (!of_mission.empty())
      all.push_back({mission, document.text(),
                     with_numbers(document, VehicleFormat::kNative, of_mission).text()});
  }
  if (!of_vehicle.empty()) {
    const config::Document document = config::Document::load(vehicle);
    all.push_back({vehicle, document.text(), with_numbers(document, format, of_vehicle).text()});
  }
  std::erase_if(all, [](const FileChange& c) { return c.before == c.after; });
  return all;
}

std::vector<FileChange> with_mends(const std::filesystem::path& vehicle,
                                   std::span<const Miswiring> mends) {
  const config::Document first = config::Document::load(vehicle);
  const VehicleFile file = load_vehicle(vehicle);
  if (file.format != VehicleFormat::kNative)
    refuse(first, "", "this is an original's file, whose wiring is not changed here",
           "bring it into the native format:  pintle import");
  config::Document d = first;
  for (const Miswiring& m : mends)
    if (m.kind != Miswiring::Kind::kDead) d = mend(std::move(d), file, m);
  if (d.text() == first.text()) return {};
  const FileChange change{vehicle, first.text(), d.text()};
  (void)load_vehicle(vehicle, nullptr, [&](const std::filesystem::path& path) {
    return path == vehicle ? config::Document::parse(change.after, path.string())
                           : open_from_disk(path);
  });
  return {change};
}

std::string sentence(const Miswiring& m, const VehicleFile& file) {
  const auto name = [&](std::int32_t i) {
    return file.vehicle.propulsors.at(static_cast<std::size_t>(i)).name;
  };
  switch (m.kind) {
    case Miswiring::Kind::kReversed: return "reversed: " + name(m.propulsor);
    case Miswiring::Kind::kDead:
      return "dead: " + name(m.propulsor) + " (power, cable, propeller; no file can mend it)";
    case Miswiring::Kind::kSwapped: break;
  }
  return "swapped: " + name(m.propulsor) + " and " + name(m.other);
}

std::string diff(const FileChange& change) {
  const auto a = lines_of(change.before), b = lines_of(change.after);
  // longest common subsequence, from the end
  std::vector<std::vector<std::uint32_t>> longest(a.size() + 1,
                                                  std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t k = b.size(); k-- > 0;)
      longest[i][k] =
          a[i] == b[k] ? longest[i + 1][k + 1] + 1 : std::max(longest[i + 1][k], longest[i][k + 1]);
  struct Line {
    char sign;
    std::string_view text;
    std::size_t at_a, at_b;
  };
  std::vector<Line> lines;
  for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    if (i < a.size() && k < b.size() && a[i] == b[k])
      lines.push_back({' ', a[i], i, k}), ++i, ++k;
    else if (k == b.size() || (i < a.size() && longest[i + 1][k] >= longest[i][k + 1]))
      lines.push_back({'-', a[i], i, k}), ++i;
    else
      lines.push_back({'+', b[k], i, k}), ++k;
  }
  const auto is_near = [&](std::size_t at) {
    for (std::size_t i = at > 0 ? at - 1 : 0; i < std::min(at + 2, lines.size()); ++i)
      if (lines[i].sign != ' ') return true;
    return false;
  };
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_near(i)) {
      inside = false;
      continue;
    }
    if (out.empty()) out = fmt::format("--- {0}\n+++ {0}\n", change.path.filename().string());
    if (!inside) {
      std::size_t end = i, of_a = 0, of_b = 0;
      for (; end < lines.size() && is_near(end); ++end) {
        of_a += lines[end].sign != '+' ? 1 : 0;
        of_b += lines[end].sign != '-' ? 1 : 0;
      }
      out += fmt::format("@@ -{},{} +{},{} @@\n", lines[i].at_a + (of_a > 0 ? 1 : 0), of_a,
                         lines[i].at_b + (of_b > 0 ? 1 : 0), of_b);
    }
    inside = true;
    out += lines[i].sign;
    out += lines[i].text;
    if (!lines[i].text.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
  return out;
}

config::SaveResult write(const FileChange& change) noexcept {
  try {
    if (config::Document::load(change.path).text() != change.before)
      return {false, change.path.string() + " has changed meanwhile: look at the difference again"};
    return config::save_atomically(change.path, change.after);
  } catch (const std::exception& e) {
    return {false, e.what()};
  }
}

}  // namespace pintle::craft
