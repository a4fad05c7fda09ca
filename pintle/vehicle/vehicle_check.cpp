#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "pintle/base/port_name.h"
#include "pintle/config/problem.h"
#include "pintle/vehicle/port_names.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {
namespace {

/// What the room of a part says, under the part's path.
void add_under(const std::string& prefix, const Findings& findings, Findings& out) {
  for (Finding f : findings) {
    f.path = f.path.empty() ? prefix : prefix + "." + f.path;
    out.push_back(std::move(f));
  }
}

void check_body(const Body& b, Findings& out) {
  if (!(b.mass_kg > 0) || !std::isfinite(b.mass_kg))
    out.push_back({"body.mass_kg", fmt::format("expected a mass above 0, got {}", b.mass_kg),
                   "write the mass in air, in kilograms"});
  if (!(b.volume_m3 >= 0) || !std::isfinite(b.volume_m3))
    out.push_back(
        {"body.volume_m3", fmt::format("expected a volume of at least 0, got {}", b.volume_m3),
         "write the water displaced in cubic metres: a neutral vehicle of 11 kg has 0.011"});
  if (!(b.height_m > 0) || !std::isfinite(b.height_m))
    out.push_back({"body.height_m", fmt::format("expected a height above 0, got {}", b.height_m),
                   "write how tall the vehicle is, in metres"});
  if (!is_finite(b.center_of_mass_m))
    out.push_back({"body.center_of_mass_m", "expected finite numbers", "write three numbers"});
  if (!is_finite(b.center_of_buoyancy_m))
    out.push_back({"body.center_of_buoyancy_m", "expected finite numbers", "write three numbers"});

  for (std::size_t i = 0; i < b.feet_m.size(); ++i)
    if (!is_finite(b.feet_m[i]))
      out.push_back(
          {fmt::format("body.feet_m[{}]", i), "expected finite numbers", "write three numbers"});

  // positive definite by its leading minors
  const Vec3 d = b.inertia_kgm2, o = b.inertia_products_kgm2;
  const double two = d.x * d.y - o.x * o.x;
  const double three =
      d.x * (d.y * d.z - o.z * o.z) - o.x * (o.x * d.z - o.z * o.y) + o.y * (o.x * o.z - d.y * o.y);
  if (!(is_finite(d) && is_finite(o) && d.x > 0 && two > 0 && three > 0)) {
    out.push_back({"body.inertia_kgm2",
                   fmt::format("expected a positive definite inertia matrix, got {}, {}, {} with "
                               "products {}, {}, {}",
                               d.x, d.y, d.z, o.x, o.y, o.z),
                   "write three moments above 0, in kg m^2: no rigid body has others"});
  } else if (d.x > d.y + d.z || d.y > d.x + d.z || d.z > d.x + d.y) {
    out.push_back({"body.inertia_kgm2",
                   "one moment of inertia is larger than the two others together, which no rigid "
                   "body has",
                   "check the three numbers", false});
  }
}

void check_hydrodynamics(const Hydrodynamics& h, Findings& out) {
  const auto check_one = [&](const std::array<double, 6>& values, std::string_view name) {
    for (std::size_t i = 0; i < kAxes; ++i)
      if (!(values[i] >= 0) || !std::isfinite(values[i]))
        out.push_back({fmt::format("hydrodynamics.{}.{}", name, kAxisNames[i]),
                       fmt::format("expected a number of at least 0, got {}", values[i]),
                       values[i] < 0 ? "write it positive: the sign is in the equation"
                                     : "write a number of at least 0"});
  };
  check_one(h.added_mass, "added_mass");
  check_one(h.linear_damping, "linear_damping");
  check_one(h.quadratic_damping, "quadratic_damping");
}

void check_mount(const PropulsorSpec& p, const std::string& at, Findings& out) {
  if (!is_finite(p.position_m))
    out.push_back({at + ".position_m", "expected finite numbers", "write three numbers"});
  if (p.type != "thruster") {
    if (p.rpy_deg && !is_finite(*p.rpy_deg))
      out.push_back({at + ".rpy_deg", "expected finite numbers", "write three numbers"});
    return;
  }
  if (p.direction.has_value() == p.rpy_deg.has_value()) {
    out.push_back({at,
                   p.direction ? "direction and rpy_deg both say which way it pushes"
                               : "expected a direction or rpy_deg, which way it pushes",
                   p.direction ? "keep one of the two" : "write  direction: [1, 0, 0]"});
    return;
  }
  if (p.rpy_deg && !is_finite(*p.rpy_deg))
    out.push_back({at + ".rpy_deg", "expected finite numbers", "write three numbers"});
  if (!p.direction) return;
  const double length = norm(*p.direction);
  if (!(std::fabs(length - 1) <= 1e-3 + 1e-5))
    out.push_back(
        {at + ".direction",
         fmt::format("expected a unit vector (within 0.001), got length {:.6g}", length),
         length > 0 && std::isfinite(length)
             ? fmt::format("write  direction: [{:.6g}, {:.6g}, {:.6g}]", p.direction->x / length,
                           p.direction->y / length, p.direction->z / length)
             : "write the way it pushes, such as  direction: [1, 0, 0]  for forward"});
}

void check_thruster(const VehicleSpec& spec, const PropulsorSpec& p, const std::string& at,
                    Findings& out) {
  if (p.thruster && !p.use.empty()) {
    out.push_back(
        {at + ".use", "use and thruster both give its parameters", "keep one of the two"});
  } else if (p.thruster) {
    add_under(at + ".thruster", check(*p.thruster), out);
  } else if (p.use.empty()) {
    out.push_back({at, "expected use or thruster, its parameters",
                   spec.thruster_types.empty()
                       ? "write  thruster: {library: t200}  or its own numbers"
                       : "write  use: " + spec.thruster_types[0].name});
  } else {
    bool found = false;
    std::string known;
    std::vector<std::string_view> names;
    for (const NamedThruster& type : spec.thruster_types) {
      found = found || type.name == p.use;
      known += (known.empty() ? "" : ", ") + type.name;
      names.push_back(type.name);
    }
    const std::string near = config::did_you_mean(p.use, names);
    if (!found)
      out.push_back({at + ".use", "there is no thruster type called \"" + p.use + "\"",
                     known.empty()  ? "add it under thruster_types"
                     : near.empty() ? "write one of " + known
                                    : "did you mean  " + near});
  }
}

/// That a booster's gimbal and tank exist, and that nobody else has the gimbal.
void check_references(const VehicleSpec& spec, const PropulsorSpec& p, const std::string& at,
                      Findings& out) {
  if (p.tank) {
    std::vector<std::string_view> tanks;
    for (const TankSpec& t : spec.tanks) tanks.push_back(t.name);
    if (std::find(tanks.begin(), tanks.end(), *p.tank) == tanks.end()) {
      const std::string near = config::did_you_mean(*p.tank, tanks);
      out.push_back({at + ".tank", "there is no tank called \"" + *p.tank + "\"",
                     near.empty() ? "add it under tanks, or leave the key out: fuel of its own"
                                  : "did you mean  " + near});
    }
  }
  if (p.on_gimbal.empty()) return;
  std::vector<std::string_view> gimbals;
  int users = 0;
  for (const PropulsorSpec& g : spec.propulsors) {
    if (g.type == "gimbal") gimbals.push_back(g.name);
    users += g.type == "booster" && g.on_gimbal == p.on_gimbal ? 1 : 0;
  }
  if (std::find(gimbals.begin(), gimbals.end(), p.on_gimbal) == gimbals.end()) {
    const std::string near = config::did_you_mean(p.on_gimbal, gimbals);
    out.push_back({at + ".gimbal", "there is no gimbal called \"" + p.on_gimbal + "\"",
                   near.empty() ? "add it to the list:  - {name: " + p.on_gimbal +
                                      ", type: gimbal, range_deg: [5, 5]}"
                                : "did you mean  " + near});
  } else if (users > 1) {
    out.push_back({at + ".gimbal", "another booster is on \"" + p.on_gimbal + "\" too",
                   "give each booster a gimbal of its own"});
  }
}

void check_booster(const VehicleSpec& spec, const PropulsorSpec& p, const std::string& at,
                   Findings& out) {
  propulsion::BoosterParams params = p.booster;
  // on a tank its own fuel does not count
  if (p.tank && params.behaviour == propulsion::Behaviour::kPhysical) params.total_fuel_mass_kg = 0;
  add_under(at, check(params), out);
  check_references(spec, p, at, out);
  if (p.tank && params.behaviour == propulsion::Behaviour::kReference)
    out.push_back({at + ".tank", "with behaviour: reference every booster burns its own fuel",
                   "write  total_fuel_mass_kg, max_inertia_kgm2, fuel_position_m  and  "
                   "starting_fuel_ratio  instead, or  behaviour: physical"});
  else if (!p.tank && !(params.total_fuel_mass_kg > 0))
    out.push_back({at + ".total_fuel_mass_kg", "expected fuel of its own, or a tank",
                   "write the fuel in kilograms, or  tank:  and the name of one of tanks"});
}

void check_weights(const PropulsorSpec& p, const std::string& at, Findings& out) {
  if (p.effort_weight.empty()) return;
  const std::size_t channels = p.type == "gimbal"                            ? 0
                               : p.type == "booster" && !p.on_gimbal.empty() ? 3
                               : p.type == "azimuth"                         ? 2
                                                                             : 1;
  if (p.effort_weight.size() != channels)
    out.push_back({at + ".effort_weight",
                   fmt::format("expected one number for each of its {} channels, got {}", channels,
                               p.effort_weight.size()),
                   channels == 0 ? "write it at the booster: thrust and both angles"
                                 : "write  effort_weight: [0.001]  or another, one a channel"});
  for (const double weight : p.effort_weight)
    if (!(weight > 0 && std::isfinite(weight)))
      out.push_back({at + ".effort_weight", "expected numbers above 0",
                     "write one over the effort that counts as much as 1 of another"});
}

void check_parameters(const VehicleSpec& spec, const PropulsorSpec& p, const std::string& at,
                      Findings& out) {
  if (spec.effort_unit.normalised && p.type != "thruster")
    out.push_back({at + ".type", "a vehicle in a normalised unit has thrusters alone",
                   "leave effort_unit out: the vehicle is then controlled in newtons"});
  if (p.type == "thruster") {
    check_thruster(spec, p, at, out);
  } else if (p.type == "jet") {
    add_under(at, check(resolved(p.jet)), out);
    check_references(spec, p, at, out);
  } else if (p.type == "booster") {
    check_booster(spec, p, at, out);
  } else if (p.type == "gimbal") {
    add_under(at, check(p.gimbal), out);
    const auto uses = [&p](const PropulsorSpec& b) {
      return b.type == "booster" && b.on_gimbal == p.name;
    };
    if (std::none_of(spec.propulsors.begin(), spec.propulsors.end(), uses))
      out.push_back({at + ".name", "no booster is on this gimbal",
                     "write  gimbal: " + p.name + "  in a booster, or remove it", false});
  } else if (p.type == "propeller") {
    add_under(at, check(p.propeller), out);
  } else if (p.type == "fin") {
    add_under(at, check(p.fin), out);
  } else if (p.type == "azimuth") {
    add_under(at, check(p.azimuth), out);
  } else {
    out.push_back({at + ".type",
                   "expected thruster, jet, booster, gimbal, propeller, fin or azimuth, got \"" +
                       p.type + "\"",
                   "write one of these"});
  }
}

void check_supplies(const VehicleSpec& spec, Findings& out) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < spec.tanks.size(); ++i) {
    const TankSpec& tank = spec.tanks[i];
    const std::string at = fmt::format("tanks[{}]", i);
    if (tank.name.empty() || !names.insert(tank.name).second)
      out.push_back(
          {at + ".name",
           tank.name.empty() ? "expected a name" : "the name \"" + tank.name + "\" is taken",
           "give each tank a name of its own: propulsors refer to it"});
    add_under(at, check(tank.params), out);
    const auto draws = [&tank](const PropulsorSpec& p) { return p.tank == tank.name; };
    if (std::none_of(spec.propulsors.begin(), spec.propulsors.end(), draws))
      out.push_back({at + ".name", "nothing draws on this tank",
                     "write  tank: " + tank.name + "  in a booster or jet", false});
  }
  for (std::size_t i = 0; i < spec.drag_bodies.size(); ++i) {
    const std::string at = fmt::format("drag_bodies[{}]", i);
    if (!is_finite(spec.drag_bodies[i].position_m))
      out.push_back({at + ".position_m", "expected finite numbers", "write three numbers"});
    add_under(at, check(spec.drag_bodies[i].params), out);
  }
}

}  // namespace

Findings check(const YarpPorts& ports) {
  Findings out;
  const std::array<std::pair<const char*, const std::string*>, 3> all{
      {{"input-port-name", &ports.input_port},
       {"thrust-port-name", &ports.thrust_port},
       {"d_thrust-port-name", &ports.d_thrust_port}}};
  std::set<std::string_view> names;
  for (const auto& [key, name] : all) {
    if (name == &ports.d_thrust_port && name->empty()) continue;
    if (auto fault = port_name_fault(*name)) {
      fault->path = key;
      out.push_back(std::move(*fault));
    } else if (!names.insert(*name).second) {
      out.push_back({key, "another port has the name \"" + *name + "\" too",
                     "give each port a name of its own"});
    }
  }
  return out;
}

namespace {

/// Of a vehicle with that name: Pintle's own ports stand beside those of its jets.
void check_ports(const std::string& vehicle, const YarpPorts& ports, Findings& out) {
  add_under("yarp", check(ports), out);
  const std::vector<std::string> own = own_ports_of_vehicle(folder_of_vehicle(vehicle));
  if (std::any_of(own.begin(), own.end(), port_name_fault))
    out.push_back({"name", "too long: the vehicle's ports on YARP carry it in their names",
                   "write a shorter one"});
  for (const auto& [key, name] : {std::pair{"yarp.input-port-name", &ports.input_port},
                                  std::pair{"yarp.thrust-port-name", &ports.thrust_port},
                                  std::pair{"yarp.d_thrust-port-name", &ports.d_thrust_port}})
    if (std::find(own.begin(), own.end(), *name) != own.end())
      out.push_back(
          {key, "Pintle opens a port named " + *name + " itself", "give the port another name"});
}

/// What a propulsor's command is in: as far as that can be told of a file with mistakes.
std::optional<bool> gives_pulses(const VehicleSpec& spec, const PropulsorSpec& p) {
  const propulsion::ThrusterParams* params = p.thruster ? &*p.thruster : nullptr;
  for (const NamedThruster& type : spec.thruster_types)
    if (params == nullptr && type.name == p.use) params = &type.thruster;
  if (params != nullptr && !params->library.empty())
    params = propulsion::library_curve(params->library);
  if (params == nullptr) return {};
  return params->curve == propulsion::CurveKind::kPulseWidth;
}

/// That each device can say what the propulsors on it are commanded: pulses for those who take
/// pulses, a share of full scale for all others.
void check_units(const VehicleSpec& spec, Findings& out) {
  for (std::size_t d = 0; d < spec.devices.size(); ++d) {
    const Device& device = spec.devices[d];
    const bool takes_pulses = device.type == "pwm";
    std::string wrong;
    for (std::size_t k = 0; k < device.channels.size(); ++k)
      for (const PropulsorSpec& p : spec.propulsors) {
        if (p.name != device.channels[k].propulsor) continue;
        if (p.type != "thruster") {
          out.push_back({fmt::format("devices[{}].channels[{}].propulsor", d, k),
                         fmt::format("a device drives thrusters, and {} is a {}", p.name, p.type),
                         "leave it out of devices, with all others: they are driven by another"});
          continue;
        }
        const std::optional<bool> pulses = gives_pulses(spec, p);
        if (pulses && *pulses != takes_pulses) wrong += (wrong.empty() ? "" : ", ") + p.name;
      }
    if (wrong.empty()) continue;
    const std::string at = fmt::format("devices[{}].type", d);
    if (takes_pulses)
      out.push_back({at,
                     fmt::format("a board of pulses takes pulse widths, and the curve of {} gives "
                                 "-1 to 1",
                                 wrong),
                     "write  type: m5  or vesc, what hangs there; or the curve of a thruster that "
                     "takes pulses, as  library: t200"});
    else
      out.push_back({at,
                     fmt::format("a device of type {} takes -1 to 1, and the curve of {} gives "
                                 "pulse widths",
                                 device.type, wrong),
                     "write  type: pwm  for a board of servo pulses; or the curve of the thruster "
                     "that hangs there, as  library: m5_polynomial"});
  }
}

}  // namespace

Findings check(const VehicleSpec& spec) {
  Findings out;
  if (spec.name.empty()) out.push_back({"name", "expected a name", "write  name: my_vehicle"});
  check_body(spec.body, out);
  check_hydrodynamics(spec.hydrodynamics, out);

  const EffortUnit& unit = spec.effort_unit;
  if (!(unit.one_unit_N > 0) || !std::isfinite(unit.one_unit_N))
    out.push_back({"effort_unit.one_unit_N",
                   fmt::format("expected newtons above 0, got {}", unit.one_unit_N),
                   "write what full thrust of one propulsor is in newtons"});
  else if (!unit.normalised && unit.one_unit_N != 1)
    out.push_back({"effort_unit.one_unit_N",
                   fmt::format("expected 1 on a vehicle in newtons, got {}", unit.one_unit_N),
                   "write  normalised: true  if its efforts are parts of full thrust"});

  std::set<std::string_view> names;
  for (std::size_t i = 0; i < spec.thruster_types.size(); ++i) {
    const NamedThruster& type = spec.thruster_types[i];
    const std::string at = fmt::format("thruster_types[{}]", i);
    if (type.name.empty())
      out.push_back({at + ".name", "expected a name", "write  name: T200  or another"});
    if (!names.insert(type.name).second)
      out.push_back({at + ".name", "the name \"" + type.name + "\" is taken",
                     "give each type a name of its own: propulsors refer to it"});
    add_under(at + ".thruster", check(type.thruster), out);
  }

  if (spec.propulsors.empty())
    out.push_back({"propulsors", "expected at least one propulsor",
                   "write one line each:  - {name: left, use: T200, position_m: [0, 0, 0], "
                   "direction: [1, 0, 0]}"});
  std::size_t channels = 0;
  for (const PropulsorSpec& p : spec.propulsors)
    channels += p.type == "gimbal" ? 0 : p.type == "booster" && !p.on_gimbal.empty() ? 3 : 1;
  if (channels > kMaxChannels)
    out.push_back({"propulsors",
                   fmt::format("expected at most {} channels, got {}", kMaxChannels, channels),
                   "remove some: an engine on a gimbal has three"});
  names.clear();
  for (std::size_t i = 0; i < spec.propulsors.size(); ++i) {
    const PropulsorSpec& p = spec.propulsors[i];
    const std::string at = fmt::format("propulsors[{}]", i);
    if (p.name.empty())
      out.push_back({at + ".name", "expected a name", "write  name: left  or another"});
    if (!names.insert(p.name).second)
      out.push_back({at + ".name", "the name \"" + p.name + "\" is taken",
                     "each propulsor needs its own name: logs and faults refer to it"});
    check_mount(p, at, out);
    check_parameters(spec, p, at, out);
    check_weights(p, at, out);
  }
  check_supplies(spec, out);
  if (spec.gripper) add_under("gripper", check(*spec.gripper), out);
  if (spec.camera) add_under("camera", check(*spec.camera), out);
  if (spec.battery) add_under("battery", check(*spec.battery), out);
  std::vector<std::string> driven;
  for (const PropulsorSpec& p : spec.propulsors)
    if (p.type != "gimbal") driven.push_back(p.name);
  for (Finding& f : check(spec.devices, driven)) out.push_back(std::move(f));
  check_units(spec, out);
  if (spec.lines && spec.devices.empty())
    out.push_back({"lines", "there are no devices whose lines these would be",
                   "write  devices:  or leave it out", false});
  if (spec.yarp) {
    check_ports(spec.name, *spec.yarp, out);
    const auto is_jet = [](const PropulsorSpec& p) { return p.type == "jet"; };
    if (std::none_of(spec.propulsors.begin(), spec.propulsors.end(), is_jet))
      out.push_back({"yarp", "the vehicle has no jets", "leave the section out", false});
  }
  return out;
}

}  // namespace pintle::vehicle
