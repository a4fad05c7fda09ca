#include "pintle/vehicle/vehicle.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pintle::vehicle {
namespace {

/// Cosine and sine of an angle in degrees, exact at quarter turns.
double cos_deg(double angle) noexcept {
  const double c = std::cos(radians(angle));
  return std::fabs(c) < 1e-15 ? 0 : c;
}
double sin_deg(double angle) noexcept {
  const double s = std::sin(radians(angle));
  return std::fabs(s) < 1e-15 ? 0 : s;
}

Mat3 turned(Vec3 rpy_deg) noexcept {
  const double cr = cos_deg(rpy_deg.x), sr = sin_deg(rpy_deg.x);
  const double cp = cos_deg(rpy_deg.y), sp = sin_deg(rpy_deg.y);
  const double cy = cos_deg(rpy_deg.z), sy = sin_deg(rpy_deg.z);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
           sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,  //
           -sp, cp * sr, cp * cr}};
}

const propulsion::ThrusterParams* thruster_of(const VehicleSpec& spec,
                                              const PropulsorSpec& propulsor) noexcept {
  if (propulsor.thruster) return &*propulsor.thruster;
  for (const NamedThruster& type : spec.thruster_types)
    if (type.name == propulsor.use) return &type.thruster;
  return nullptr;
}

propulsion::Propulsor model_of(const VehicleSpec& spec, const PropulsorSpec& p) {
  if (p.type == "jet") return resolved(p.jet);
  if (p.type == "propeller") return p.propeller;
  if (p.type == "fin") return p.fin;
  if (p.type == "azimuth") return p.azimuth;
  if (p.type != "booster") return propulsion::Thruster(*thruster_of(spec, p));
  propulsion::BoosterParams booster = p.booster;
  // on a tank it has no fuel of its own
  if (p.tank) booster.total_fuel_mass_kg = 0;
  for (const PropulsorSpec& g : spec.propulsors)
    if (g.type == "gimbal" && g.name == p.on_gimbal)
      return propulsion::EngineParams{booster, g.gimbal};
  return booster;
}

std::int32_t tank_of(const VehicleSpec& spec, const PropulsorSpec& p) {
  for (std::size_t k = 0; p.tank && k < spec.tanks.size(); ++k)
    if (spec.tanks[k].name == *p.tank) return static_cast<std::int32_t>(k);
  return kNoTank;
}

}  // namespace

std::size_t Vehicle::channels() const noexcept {
  std::size_t n = 0;
  for (const Propulsor& p : propulsors) n += propulsion::channels(p.model);
  return n;
}

std::vector<std::string> Vehicle::channel_names() const {
  std::vector<std::string> names;
  for (const Propulsor& p : propulsors) {
    names.push_back(p.name);
    for (std::size_t i = 1; i < propulsion::channels(p.model); ++i)
      names.push_back(p.name + "_" + std::to_string(i));
  }
  return names;
}

std::vector<std::size_t> Vehicle::channel_owners() const {
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < propulsors.size(); ++i)
    owners.insert(owners.end(), propulsion::channels(propulsors[i].model), i);
  return owners;
}

int Vehicle::index_of(std::string_view propulsor) const noexcept {
  for (std::size_t i = 0; i < propulsors.size(); ++i)
    if (propulsors[i].name == propulsor) return static_cast<int>(i);
  return -1;
}

Vec6 column_of(const Mount& mount) noexcept {
  return to_vec6(shift_to_origin({mount.direction, {}}, mount.position_m));
}

Wrench at_origin(const Mount& mount, const Wrench& F_P) noexcept {
  return shift_to_origin({mount.R_BP * F_P.force, mount.R_BP * F_P.torque}, mount.position_m);
}

propulsion::Ambient ambient_at(const Mount& mount, const Twist& V_WB_B, Vec3 flow_B,
                               double density_kg_m3, double bus_V) noexcept {
  const Vec3 past_B = flow_B - (V_WB_B.v + cross(V_WB_B.w, mount.position_m));
  return {transpose(mount.R_BP) * past_B, density_kg_m3, bus_V};
}

Mount mount_of(const PropulsorSpec& spec) noexcept {
  Mount mount;
  mount.position_m = spec.position_m;
  if (spec.rpy_deg && spec.type != "thruster") mount.R_BP = turned(*spec.rpy_deg);
  if (spec.direction) {
    mount.direction = *spec.direction;
  } else if (spec.rpy_deg) {
    const double pitch = spec.rpy_deg->y, yaw = spec.rpy_deg->z;
    mount.direction = {cos_deg(yaw) * cos_deg(pitch), sin_deg(yaw) * cos_deg(pitch),
                       -sin_deg(pitch)};
  }
  if (spec.flipped) mount.direction = Vec3{} - mount.direction;
  return mount;
}

Vehicle build(const VehicleSpec& spec) {
  for (const Finding& finding : check(spec))
    if (finding.is_error) throw std::invalid_argument(finding.path + ": " + finding.message);

  Vehicle vehicle;
  vehicle.name = spec.name;
  vehicle.body = spec.body;
  vehicle.hydrodynamics = spec.hydrodynamics;
  vehicle.unit = spec.effort_unit;
  for (const PropulsorSpec& p : spec.propulsors) {
    if (p.type == "gimbal") continue;  // part of the booster that names it
    vehicle.propulsors.push_back(
        {p.name, mount_of(p), model_of(spec, p), tank_of(spec, p), p.starting_fuel_ratio});
    std::copy_n(p.effort_weight.begin(),
                std::min(p.effort_weight.size(), propulsion::kChannelsEach),
                vehicle.propulsors.back().effort_weight.begin());
  }
  for (const TankSpec& t : spec.tanks)
    vehicle.tanks.push_back({t.name, t.params, t.starting_fuel_ratio});
  for (const DragBodySpec& d : spec.drag_bodies)
    vehicle.drag_bodies.push_back({d.name, d.position_m, d.params});
  vehicle.gripper = spec.gripper;
  vehicle.camera = spec.camera;
  vehicle.battery = spec.battery;
  vehicle.imu = spec.imu;
  return vehicle;
}

}  // namespace pintle::vehicle
