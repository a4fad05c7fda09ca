#include "mapper/layout.h"

#include <algorithm>
#include <stdexcept>

#include "mapper/curves.h"
#include "pintle/stack/gate.h"
#include "pintle/vehicle/subjugator.h"

namespace pintle::ros1 {
namespace {

LayoutThruster thruster_of(const vehicle::SubjugatorThruster& from) {
  LayoutThruster out;
  out.name = from.name;
  out.node_id = from.node_id;
  out.position_m = {from.position.x, from.position.y, from.position.z};
  out.direction = {from.direction.x, from.direction.y, from.direction.z};
  if (from.thrust_bounds.size() == 2) {
    out.has_bounds = true;
    out.lower_N = from.thrust_bounds[0];
    out.upper_N = from.thrust_bounds[1];
  }
  return out;
}

/// Those of the ports first, then any that no port names.
std::vector<LayoutThruster> in_order(const vehicle::SubjugatorLayout& layout) {
  std::vector<vehicle::SubjugatorThruster> all = layout.thrusters;
  std::vector<LayoutThruster> out;
  const auto take = [&](const std::string& name, const vehicle::SubjugatorPort* port) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.name == name; });
    if (found == all.end()) return;
    out.push_back(thruster_of(*found));
    if (port != nullptr) {
      out.back().port = port->port;
      out.back().confident = port->confident_mode;
    }
    all.erase(found);
  };
  for (const vehicle::SubjugatorPort& port : layout.ports) {
    std::vector<std::string> names = port.thruster_names;
    if (layout.busses) std::sort(names.begin(), names.end());
    for (const std::string& name : names) take(name, &port);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  while (!all.empty()) take(std::string(all.front().name), nullptr);
  return out;
}

}  // namespace

std::optional<std::size_t> Layout::find(const std::string& name) const {
  for (std::size_t i = 0; i < thrusters.size(); ++i)
    if (thrusters[i].name == name) return i;
  return std::nullopt;
}

std::string Layout::names() const {
  std::string out;
  for (const LayoutThruster& t : thrusters) out += (out.empty() ? "" : ", ") + t.name;
  return out;
}

Layout read_layout(const std::string& yaml, Use use) {
  const config::Document document = config::Document::parse(yaml, "thruster layout");
  config::Reader reader(document);
  const auto found = vehicle::read_subjugator(
      reader, document,
      use == Use::kDrive ? vehicle::LayoutUse::kDrive : vehicle::LayoutUse::kAllocate);
  if (!reader.has_errors()) {
    if (found.thrusters.empty())
      reader.error(document.root().where, "there are no thrusters in it");
    if (found.thrusters.size() > kMaxChannels)
      reader.error(document.root().where, "there are more than 64 thrusters in it");
  }
  Layout out;
  for (const config::Problem& problem : reader.finish())
    out.warnings.push_back(config::to_string(problem));
  out.thrusters = in_order(found);
  out.busses = found.busses;
  out.text = yaml;
  return out;
}

std::vector<propulsion::Thruster> curves_of(const Layout& layout) {
  const config::Document document = config::Document::parse(layout.text, "thruster layout");
  config::Reader reader(document);
  const vehicle::Vehicle vehicle =
      vehicle::build(vehicle::to_spec(vehicle::read_subjugator(reader, document), "layout"));
  std::vector<propulsion::Thruster> out;
  for (const LayoutThruster& t : layout.thrusters) {
    const auto i = static_cast<std::size_t>(vehicle.index_of(t.name));
    out.push_back(std::get<propulsion::Thruster>(vehicle.propulsors[i].model));
  }
  return out;
}

std::optional<std::vector<std::string>> names_in_alarm(const std::string& json) {
  try {
    const config::Document document = config::Document::parse(json, "alarm");  // JSON is YAML
    const config::Node* list = document.root().find("offline_thruster_names");
    if (list == nullptr || !list->is_list()) return std::nullopt;
    std::vector<std::string> names;
    for (const config::Node& item : list->items) names.push_back(item.scalar);
    return names;
  } catch (const config::ConfigError&) {
    return std::nullopt;
  }
}

float inside(double value, double lower, double upper) {
  return stack::single_inside(value, lower, upper);
}

}  // namespace pintle::ros1
