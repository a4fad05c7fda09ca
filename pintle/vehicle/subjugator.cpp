#include "pintle/vehicle/subjugator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pintle/vehicle/foreign.h"

namespace pintle {
namespace {

/// `calib:` of one thruster.
struct Polynomials {
  std::vector<double> forward, backward;
};

/// One thruster under its name; the bounds and the curve are not in /busses files.
struct LayoutThruster {
  std::int32_t node_id = 0;
  Vec3 position{}, direction{1, 0, 0};
  std::vector<double> thrust_bounds;
  std::optional<Polynomials> calib;
  std::string frame_id;  // of /busses, never used by the original
};

struct LayoutPort {
  std::string port;
  std::vector<std::string> thruster_names;
  bool CONFIDENT_MODE = false;
};

}  // namespace

template <>
const Table& table_of<Polynomials>() {
  static const Table table =
      TableBuilder<Polynomials>("Calibration", "Polynomials from newtons to effort.")
          .field(
              "forward", &Polynomials::forward, "",
              "Forward thrust: four coefficients, highest order first, or six with the constant.")
          .required()
          .field(
              "backward", &Polynomials::backward, "",
              "Reverse thrust: four coefficients, highest order first, or six with the constant.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<LayoutThruster>() {
  static const Table table =
      TableBuilder<LayoutThruster>("LayoutThruster", "One thruster under its name.")
          .field("node_id", &LayoutThruster::node_id, "", "Address on its bus.")
          .range(0, 255)
          .required()
          .field("position", &LayoutThruster::position, "m", "From the centre of mass.")
          .required()
          .field("direction", &LayoutThruster::direction, "", "Unit vector of positive thrust.")
          .required()
          .field("thrust_bounds", &LayoutThruster::thrust_bounds, "N", "Least and most thrust.")
          .field("calib", &LayoutThruster::calib, "", "Polynomials from newtons to effort.")
          .field("frame_id", &LayoutThruster::frame_id, "", "Not used.")
          .build();
  return table;
}

template <>
const Table& table_of<LayoutPort>() {
  static const Table table =
      TableBuilder<LayoutPort>("LayoutPort", "One serial port and who hangs on it.")
          .field("port", &LayoutPort::port, "", "Path of the device.")
          .required()
          .field("thruster_names", &LayoutPort::thruster_names, "", "Thrusters on this port.")
          .required()
          .field("CONFIDENT_MODE", &LayoutPort::CONFIDENT_MODE, "",
                 "Take its thrusters as present whether they answer or not.")
          .build();
  return table;
}

}  // namespace pintle

namespace pintle::vehicle {
namespace {

using config::Document;
using config::Node;
using config::Reader;

constexpr std::array<Alias, 2> kAliases{{{"motor_id", "node_id"}, {"bounds", "thrust_bounds"}}};

/// The layout in the document, with its path; null if there is none.
struct Found {
  const Node* node = nullptr;
  std::string path;
};

Found layout_in(const Document& document) {
  const Node& root = document.root();
  if (!root.is_map() || root.find("format") != nullptr) return {};
  for (const char* key : {"thruster_layout", "/thruster_layout"})
    if (const Node* node = root.find(key); node != nullptr && node->is_map())
      return {node, std::string(key) + "."};
  const Node* thrusters = root.find("thrusters");
  if (root.find("thruster_ports") != nullptr || (thrusters != nullptr && thrusters->is_map()))
    return {&root, ""};
  return {};
}

Found busses_in(const Document& document) {
  const Node& root = document.root();
  for (const char* key : {"busses", "/busses"})
    if (const Node* node = root.find(key); node != nullptr && node->is_list()) return {node, key};
  if (root.is_list() && !root.items.empty() && root.items[0].find("port") != nullptr)
    return {&root, ""};
  return {};
}

SubjugatorThruster read_thruster(Reader& reader, const Node::Entry& entry, bool busses,
                                 LayoutUse use) {
  Node known = known_part(reader, entry.value, table_of<LayoutThruster>(), kAliases);
  known.where = entry.key_where;  // what is missing is missing under this name
  LayoutThruster raw;
  reader.read(known, raw);
  SubjugatorThruster out{entry.key, raw.node_id, raw.position, raw.direction, raw.thrust_bounds,
                         {},        {}};
  if (raw.calib) {
    out.calib_forward = raw.calib->forward;
    out.calib_backward = raw.calib->backward;
  }
  if (busses || !known.is_map()) return out;
  if (known.find("calib") == nullptr && use == LayoutUse::kDrive)
    reader.error(entry.key_where, fmt::format("calib: missing in {}", entry.key),
                 "write  calib: {forward: [c4, c3, c2, c1], backward: [c4, c3, c2, c1]}");
  const Node* bounds = known.find("thrust_bounds");
  if (bounds == nullptr) {
    if (use == LayoutUse::kDrive)
      reader.error(entry.key_where, fmt::format("thrust_bounds: missing in {}", entry.key),
                   "write  thrust_bounds: [-100, 65]");
  } else if (raw.thrust_bounds.size() != 2)
    reader.error(bounds->where,
                 fmt::format("thrust_bounds: expected 2 numbers, least and most, got {}",
                             raw.thrust_bounds.size()),
                 "write  thrust_bounds: [-100, 65]");
  else if (raw.thrust_bounds[0] >= raw.thrust_bounds[1])
    reader.error(
        bounds->where,
        fmt::format("thrust_bounds: expected least before most, got {} and {}",
                    raw.thrust_bounds[0], raw.thrust_bounds[1]),
        fmt::format("write  thrust_bounds: [{}, {}]", raw.thrust_bounds[1], raw.thrust_bounds[0]));
  return out;
}

/// `thrusters:` of a layout or of one bus. Adds to `paths` where each stands.
void read_thrusters(Reader& reader, const Node& holder, const std::string& path, LayoutUse use,
                    SubjugatorLayout& out, std::vector<std::string>& paths) {
  const Node* thrusters = holder.find("thrusters");
  if (thrusters == nullptr || !thrusters->is_map()) {
    reader.error(thrusters != nullptr ? thrusters->where : holder.where,
                 "thrusters: expected a map from names to thrusters",
                 "write  thrusters:  and below it one name a thruster");
    return;
  }
  for (const Node::Entry& entry : thrusters->entries) {
    out.thrusters.push_back(read_thruster(reader, entry, out.busses, use));
    paths.push_back(path + "thrusters." + entry.key);
  }
}

void read_ports(Reader& reader, const Node& layout, SubjugatorLayout& out) {
  const Node* ports = layout.find("thruster_ports");
  if (ports == nullptr) {
    reader.warning(layout.where, "thruster_ports: missing, so no device can be driven from it",
                   "add  thruster_ports:  with port and thruster_names of each");
    return;
  }
  if (!ports->is_list()) {
    reader.error(ports->where, "thruster_ports: expected a list of ports", "begin each with  - ");
    return;
  }
  for (const Node& node : ports->items) {
    LayoutPort port;
    reader.read(known_part(reader, node, table_of<LayoutPort>()), port);
    std::vector<std::string_view> known;
    std::string all;
    for (const SubjugatorThruster& t : out.thrusters) {
      known.push_back(t.name);
      all += (all.empty() ? "" : ", ") + t.name;
    }
    for (std::size_t i = 0; i < port.thruster_names.size(); ++i) {
      const std::string& name = port.thruster_names[i];
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string near = config::did_you_mean(name, known);
      reader.error(node.find("thruster_names")->items[i].where,
                   fmt::format("thruster_names: there is no thruster called \"{}\"", name),
                   near.empty() ? "write one of " + all : "did you mean  " + near);
    }
    out.ports.push_back({port.port, port.thruster_names, port.CONFIDENT_MODE});
  }
}

/// What is wrong with the vehicle, under the names of this format.
Findings check_vehicle(const SubjugatorLayout& layout, const std::vector<std::string>& paths,
                       const std::string& wiring, LayoutUse use) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTheirNames{
      {{".position_m", ".position"},
       {".thruster.forward", ".calib.forward"},
       {".thruster.backward", ".calib.backward"},
       {".thruster.min_effort", ".thrust_bounds"},
       {".thruster.max_effort", ".thrust_bounds"}}};
  VehicleSpec spec = to_spec(layout, "sub");
  if (use == LayoutUse::kAllocate) {
    spec.devices.clear();
    for (PropulsorSpec& p : spec.propulsors) {
      p.thruster->curve = propulsion::CurveKind::kLinear;
      p.thruster->forward = p.thruster->backward = {};
    }
  }
  Findings out;
  for (Finding f : check(spec)) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const std::string ours = fmt::format("propulsors[{}]", i);
      if (!f.path.starts_with(ours)) continue;
      f.path = paths[i] + f.path.substr(ours.size());
      break;
    }
    // the wiring, as this format has it
    if (f.path.starts_with("devices")) {
      f.path = wiring +
               f.path.substr(7, f.path.find("]") == std::string::npos ? 0 : f.path.find("]") - 6);
      if (f.message.starts_with("no device drives"))
        f.fix = "name it under thruster_names of the port that it hangs on";
    }
    if (f.path == "propulsors") f.fix = "write one name each under thrusters";
    for (const auto& [ours, theirs] : kTheirNames)
      if (f.path.ends_with(ours)) f.path.replace(f.path.size() - ours.size(), ours.size(), theirs);
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace

bool is_thruster_layout(const Document& document) noexcept {
  return layout_in(document).node != nullptr;
}

bool is_busses(const Document& document) noexcept { return busses_in(document).node != nullptr; }

SubjugatorLayout read_subjugator(Reader& reader, const Document& document, LayoutUse use) {
  SubjugatorLayout out;
  std::vector<std::string> paths;
  std::string wiring;
  if (const Found busses = busses_in(document); busses.node != nullptr) {
    out.busses = true;
    wiring = busses.path;
    for (std::size_t k = 0; k < busses.node->items.size(); ++k) {
      const Node& bus = busses.node->items[k];
      const std::size_t before = out.thrusters.size();
      read_thrusters(reader, bus, fmt::format("{}[{}].", busses.path, k), use, out, paths);
      SubjugatorPort port;
      if (const Node* name = bus.find("port"); name != nullptr && name->is_scalar())
        port.port = name->scalar;
      else
        reader.error(bus.where, "port: expected the path of the device",
                     "write  port: /dev/ttyUSB0  or another");
      for (std::size_t i = before; i < out.thrusters.size(); ++i)
        port.thruster_names.push_back(out.thrusters[i].name);
      out.ports.push_back(std::move(port));
    }
  } else if (const Found layout = layout_in(document); layout.node != nullptr) {
    read_thrusters(reader, *layout.node, layout.path, use, out, paths);
    read_ports(reader, *layout.node, out);
    wiring = layout.path + "thruster_ports";
  } else {
    reader.error(document.root().where, "expected thruster_layout or busses",
                 "write one of the two at the top");
  }
  reader.add(check_vehicle(out, paths, wiring, use), document.root());
  return out;
}

VehicleSpec to_spec(const SubjugatorLayout& layout, std::string_view name) {
  VehicleSpec spec;
  spec.name = name;
  spec.description = layout.busses ? "Imported from a /busses file of SubjuGator."
                                   : "Imported from a /thruster_layout file of SubjuGator.";

  // an assumed body, hanging level and neutral
  spec.body.mass_kg = 40;
  spec.body.inertia_kgm2 = {1.5, 2.0, 2.6};
  spec.body.volume_m3 = 0.040;
  spec.body.center_of_buoyancy_m = {0, 0, 0.05};
  spec.body.height_m = 0.4;
  spec.hydrodynamics.added_mass = {20, 25, 45, 1, 1.3, 1.6};
  spec.hydrodynamics.linear_damping = {15, 20, 30, 3, 3, 3};
  spec.hydrodynamics.quadratic_damping = {110, 130, 260, 5, 6, 6};

  for (std::size_t k = 0; k < layout.ports.size(); ++k) {
    const SubjugatorPort& port = layout.ports[k];
    Device device;
    device.name = fmt::format("port_{}", k);
    device.path = port.port;
    for (const std::string& thruster : port.thruster_names)
      for (const SubjugatorThruster& t : layout.thrusters)
        if (t.name == thruster)
          device.channels.push_back({t.name, t.node_id, false, port.confident_mode});
    spec.devices.push_back(std::move(device));
  }
  for (const SubjugatorThruster& t : layout.thrusters) {
    PropulsorSpec p;
    p.name = t.name;
    p.position_m = t.position;
    p.direction = t.direction;
    propulsion::ThrusterParams m5;
    if (layout.busses) {
      const propulsion::ThrusterParams* table = propulsion::library_curve("m5_table_2016");
      m5.library = "m5_table_2016";
      m5.min_effort = table->min_effort;
      m5.max_effort = table->max_effort;
      m5.command_margin = table->command_margin;
    } else {
      m5.curve = propulsion::CurveKind::kPolynomial;
      m5.forward = t.calib_forward;
      m5.backward = t.calib_backward;
      if (t.thrust_bounds.size() == 2) {
        m5.min_effort = t.thrust_bounds[0];
        m5.max_effort = t.thrust_bounds[1];
      }
    }
    m5.dead_band = 0.01;
    m5.tau_s = 0.15;
    p.thruster = std::move(m5);
    spec.propulsors.push_back(std::move(p));
  }
  return spec;
}

std::string subjugator_path(const Document& document, std::string_view thruster,
                            std::string_view key) {
  if (const Found busses = busses_in(document); busses.node != nullptr) {
    for (std::size_t k = 0; k < busses.node->items.size(); ++k) {
      const Node* thrusters = busses.node->items[k].find("thrusters");
      if (thrusters != nullptr && thrusters->find(thruster) != nullptr)
        return fmt::format("{}[{}].thrusters.{}.{}", busses.path, k, thruster, key);
    }
    return {};
  }
  const Found layout = layout_in(document);
  const Node* thrusters = layout.node != nullptr ? layout.node->find("thrusters") : nullptr;
  if (thrusters == nullptr || thrusters->find(thruster) == nullptr) return {};
  return fmt::format("{}thrusters.{}.{}", layout.path, thruster, key);
}

}  // namespace pintle::vehicle
