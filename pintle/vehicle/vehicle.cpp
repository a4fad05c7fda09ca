#include "pintle/vehicle/vehicle.h"

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

const propulsion::ThrusterParams* thruster_of(const VehicleSpec& spec,
                                              const PropulsorSpec& propulsor) noexcept {
  if (propulsor.thruster) return &*propulsor.thruster;
  for (const NamedThruster& type : spec.thruster_types)
    if (type.name == propulsor.use) return &type.thruster;
  return nullptr;
}

}  // namespace

int Vehicle::index_of(std::string_view propulsor) const noexcept {
  for (std::size_t i = 0; i < propulsors.size(); ++i)
    if (propulsors[i].name == propulsor) return static_cast<int>(i);
  return -1;
}

Vec6 column_of(const Mount& mount) noexcept {
  return to_vec6(shift_to_origin({mount.direction, {}}, mount.position_m));
}

Mount mount_of(const PropulsorSpec& spec) noexcept {
  Mount mount;
  mount.position_m = spec.position_m;
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
  for (const PropulsorSpec& p : spec.propulsors)
    vehicle.propulsors.push_back(
        {p.name, mount_of(p), propulsion::Thruster(*thruster_of(spec, p))});
  return vehicle;
}

}  // namespace pintle::vehicle

namespace pintle {

using vehicle::Body;
using vehicle::EffortUnit;
using vehicle::Hydrodynamics;
using vehicle::NamedThruster;
using vehicle::PropulsorSpec;
using vehicle::VehicleSpec;

template <>
const Table& table_of<Body>() {
  static const Table table =
      TableBuilder<Body>("Body", "Mass and shape of the vehicle, in body coordinates.")
          .field("mass_kg", &Body::mass_kg, "kg", "Mass in air, with everything on board.")
          .above(0)
          .required()
          .field("inertia_kgm2", &Body::inertia_kgm2, "kg m^2",
                 "Ixx, Iyy, Izz about the centre of mass.")
          .required()
          .field("inertia_products_kgm2", &Body::inertia_products_kgm2, "kg m^2",
                 "Ixy, Ixz, Iyz as they stand in the inertia matrix.")
          .field("center_of_mass_m", &Body::center_of_mass_m, "m",
                 "Centre of mass from the body origin.")
          .field("volume_m3", &Body::volume_m3, "m^3", "Water displaced when submerged.")
          .at_least(0)
          .field("center_of_buoyancy_m", &Body::center_of_buoyancy_m, "m",
                 "Centre of the displaced water, from the body origin.")
          .field("height_m", &Body::height_m, "m",
                 "Height over which it comes out of the water at the surface.")
          .above(0)
          .field("feet_m", &Body::feet_m, "m",
                 "Points that touch the ground, from the body origin; none: it falls through.")
          .build();
  return table;
}

template <>
const Table& table_of<Hydrodynamics>() {
  static const Table table =
      TableBuilder<Hydrodynamics>("Hydrodynamics",
                                  "Fossen's coefficients at the body origin, positive numbers.")
          .field("added_mass", &Hydrodynamics::added_mass, "kg, kg m^2",
                 "Water that moves with the body, per axis.")
          .keyed(kAxisNames)
          .at_least(0)
          .field("linear_damping", &Hydrodynamics::linear_damping, "N s/m, N m s/rad",
                 "Drag in proportion to speed, per axis.")
          .keyed(kAxisNames)
          .at_least(0)
          .field("quadratic_damping", &Hydrodynamics::quadratic_damping, "N s^2/m^2, N m s^2/rad^2",
                 "Drag in proportion to speed squared, per axis.")
          .keyed(kAxisNames)
          .at_least(0)
          .build();
  return table;
}

template <>
const Table& table_of<EffortUnit>() {
  static const Table table =
      TableBuilder<EffortUnit>("EffortUnit",
                               "The unit in which the vehicle controls and allocates.")
          .field("normalised", &EffortUnit::normalised, "",
                 "Efforts are parts of full thrust (-1 to 1) instead of newtons.")
          .field("one_unit_N", &EffortUnit::one_unit_N, "N",
                 "What effort 1 is in newtons; 1 when not normalised.")
          .above(0)
          .build();
  return table;
}

template <>
const Table& table_of<PropulsorSpec>() {
  static const Table table =
      TableBuilder<PropulsorSpec>("Propulsor", "One propulsor: where it sits and what it is.")
          .field("name", &PropulsorSpec::name, "", "Unique name, used in logs and messages.")
          .required()
          .field("type", &PropulsorSpec::type, "", "Kind of propulsor: thruster.")
          .field("position_m", &PropulsorSpec::position_m, "m", "Mount from the body origin.")
          .required()
          .field("direction", &PropulsorSpec::direction, "",
                 "Unit vector of the push for positive effort; either this or rpy_deg.")
          .field(
              "rpy_deg", &PropulsorSpec::rpy_deg, "deg",
              "Roll, pitch and yaw that turn the x axis into the push; either this or direction.")
          .field("flipped", &PropulsorSpec::flipped, "", "Positive effort pushes the other way.")
          .field("use", &PropulsorSpec::use, "",
                 "Name under thruster_types whose parameters it takes; either this or thruster.")
          .field("thruster", &PropulsorSpec::thruster, "", "Its own parameters.")
          .build();
  return table;
}

template <>
const Table& table_of<NamedThruster>() {
  static const Table table =
      TableBuilder<NamedThruster>("ThrusterType", "Thruster parameters shared under a name.")
          .field("name", &NamedThruster::name, "", "What propulsors write after use.")
          .required()
          .field("thruster", &NamedThruster::thruster, "", "The parameters.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<VehicleSpec>() {
  static const Table table =
      TableBuilder<VehicleSpec>("Vehicle", "What the craft is: body, water, propulsors.")
          .field("format", &VehicleSpec::format, "", "pintle/vehicle/1.")
          .field("name", &VehicleSpec::name, "", "Short name, for logs and reports.")
          .required()
          .field("description", &VehicleSpec::description, "", "For the reader.")
          .field("effort_unit", &VehicleSpec::effort_unit, "",
                 "The unit in which the vehicle controls and allocates; newtons if left out.")
          .field("body", &VehicleSpec::body, "", "Mass and shape.")
          .required()
          .field("hydrodynamics", &VehicleSpec::hydrodynamics, "", "How the water answers.")
          .field("thruster_types", &VehicleSpec::thruster_types, "",
                 "Thruster parameters shared by several propulsors.")
          .field("propulsors", &VehicleSpec::propulsors, "",
                 "In the order of channels, matrix columns and log columns.")
          .required()
          .items_at_least(1)
          .field("wrench_matrix_file", &VehicleSpec::wrench_matrix_file, "",
                 "CSV that `pintle matrix --write` keeps: the effectiveness matrix. Relative to "
                 "the folder above config/, else to this file.")
          .field("wrench_matrix_pinv_file", &VehicleSpec::wrench_matrix_pinv_file, "",
                 "CSV of its pseudo-inverse.")
          .build();
  return table;
}

}  // namespace pintle
