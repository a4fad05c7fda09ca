#include "pintle/vehicle/vehicle.h"

namespace pintle {

using vehicle::Body;
using vehicle::DragBodySpec;
using vehicle::EffortUnit;
using vehicle::Hydrodynamics;
using vehicle::NamedThruster;
using vehicle::PropulsorSpec;
using vehicle::TankSpec;
using vehicle::VehicleSpec;
using vehicle::YarpPorts;

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

namespace {

TableBuilder<PropulsorSpec> propulsor_item(std::string_view name, std::string_view meaning) {
  TableBuilder<PropulsorSpec> builder(name, meaning);
  builder.field("name", &PropulsorSpec::name, "", "Unique name, used in logs and messages.")
      .required()
      .field("type", &PropulsorSpec::type, "", "Kind of propulsor.")
      .field("effort_weight", &PropulsorSpec::effort_weight, "",
             "How much a unit of each of its efforts weighs beside those of others where the "
             "demand leaves freedom: one over what counts alike; missing: 1.");
  return builder;
}

TableBuilder<PropulsorSpec>& with_mount(TableBuilder<PropulsorSpec>& builder) {
  return builder.field("position_m", &PropulsorSpec::position_m, "m", "Mount from the body origin.")
      .required()
      .field("rpy_deg", &PropulsorSpec::rpy_deg, "deg",
             "Roll, pitch and yaw of the mount, in whose coordinates its axes are given.");
}

const Table& thruster_item() {
  static const Table table =
      propulsor_item("ThrusterItem", "A propeller in a duct behind its driver's measured curve.")
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

const Table& jet_item() {
  static const Table table = [] {
    auto builder = propulsor_item("JetItem", "A turbine jet engine.");
    with_mount(builder).field("tank", &PropulsorSpec::tank, "",
                              "Tank that feeds it; missing: fuel is not counted.");
    return builder.inlined(&PropulsorSpec::jet).build();
  }();
  return table;
}

const Table& booster_item() {
  static const Table table = [] {
    auto builder = propulsor_item("BoosterItem", "A fuelled rocket engine.");
    with_mount(builder)
        .field("gimbal", &PropulsorSpec::on_gimbal, "",
               "Name of the item of type gimbal that turns it; missing: it is fixed.")
        .field("tank", &PropulsorSpec::tank, "",
               "Tank that feeds it, one of tanks; missing: fuel of its own.")
        .field("starting_fuel_ratio", &PropulsorSpec::starting_fuel_ratio, "",
               "Of fuel of its own, at the start.")
        .range(0, 1);
    return builder.inlined(&PropulsorSpec::booster).build();
  }();
  return table;
}

const Table& gimbal_item() {
  static const Table table = [] {
    auto builder = propulsor_item("GimbalItem", "Two axes that turn the booster which names it.");
    return builder.inlined(&PropulsorSpec::gimbal).build();
  }();
  return table;
}

const Table& propeller_item() {
  static const Table table = [] {
    auto builder = propulsor_item("PropellerItem", "A motor with a propeller in air.");
    with_mount(builder);
    return builder.inlined(&PropulsorSpec::propeller).build();
  }();
  return table;
}

const Table& fin_item() {
  static const Table table = [] {
    auto builder = propulsor_item("FinItem", "A control surface in the wind.");
    with_mount(builder);
    return builder.inlined(&PropulsorSpec::fin).build();
  }();
  return table;
}

const Table& azimuth_item() {
  static const Table table = [] {
    auto builder = propulsor_item("AzimuthItem", "A propeller in water on a head that turns.");
    with_mount(builder);
    return builder.inlined(&PropulsorSpec::azimuth).build();
  }();
  return table;
}

}  // namespace

template <>
const Table& table_of<PropulsorSpec>() {
  static const Table table = [] {
    Table t = propulsor_item("Propulsor", "One propulsor: where it sits and what it is.").build();
    t.chosen_by = "type";
    t.cases = {{"thruster", &thruster_item()},   {"jet", &jet_item()},
               {"booster", &booster_item()},     {"gimbal", &gimbal_item()},
               {"propeller", &propeller_item()}, {"fin", &fin_item()},
               {"azimuth", &azimuth_item()}};
    return t;
  }();
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
const Table& table_of<TankSpec>() {
  static const Table table =
      TableBuilder<TankSpec>("TankItem", "Fuel that propulsors share.")
          .field("name", &TankSpec::name, "", "What propulsors write after tank.")
          .required()
          .field("starting_fuel_ratio", &TankSpec::starting_fuel_ratio, "",
                 "How full it is at the start.")
          .range(0, 1)
          .inlined(&TankSpec::params)
          .build();
  return table;
}

template <>
const Table& table_of<DragBodySpec>() {
  static const Table table =
      TableBuilder<DragBodySpec>("DragBodyItem", "Part of the hull that the air brakes.")
          .field("name", &DragBodySpec::name, "", "For the reader.")
          .required()
          .field("position_m", &DragBodySpec::position_m, "m",
                 "Where the force acts, from the body origin.")
          .inlined(&DragBodySpec::params)
          .build();
  return table;
}

template <>
const Table& table_of<YarpPorts>() {
  static const Table table =
      TableBuilder<YarpPorts>("YarpPorts", "Names under which a program on YARP meets the jets.")
          .field("robot", &YarpPorts::robot, "", "Name of the robot.")
          .field("input-port-name", &YarpPorts::input_port, "",
                 "One number a jet comes in, in the order of the jets of the file.")
          .required()
          .field("thrust-port-name", &YarpPorts::thrust_port, "", "Their thrusts go out, N.")
          .required()
          .field("d_thrust-port-name", &YarpPorts::d_thrust_port, "",
                 "Their thrust rates go out, N/s; missing: there is no such port.")
          .field("input_timeout_s", &YarpPorts::input_timeout_s, "s",
                 "After this silence the jets are run down; 0: never, as the plugin has it.")
          .range(0, 3600)
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
          .field("tanks", &VehicleSpec::tanks, "", "Fuel that several propulsors may share.")
          .field("drag_bodies", &VehicleSpec::drag_bodies, "", "What the air brakes.")
          .field("gripper", &VehicleSpec::gripper, "", "What it carries a payload with.")
          .field("camera", &VehicleSpec::camera, "", "What it sees targets with.")
          .field("battery", &VehicleSpec::battery, "", "What the propellers draw on.")
          .field("imu", &VehicleSpec::imu, "", "What it feels its own motion with.")
          .field("yarp", &VehicleSpec::yarp, "", "Ports of its jets, for a bridge to YARP.")
          .field("devices", &VehicleSpec::devices, "", "What drives its propulsors: the wiring.")
          .field("lines", &VehicleSpec::lines, "", "How the lines of all devices are served.")
          .field("wrench_matrix_file", &VehicleSpec::wrench_matrix_file, "",
                 "CSV that `pintle matrix --write` keeps: the effectiveness matrix. Relative to "
                 "the folder above config/, else to this file.")
          .field("wrench_matrix_pinv_file", &VehicleSpec::wrench_matrix_pinv_file, "",
                 "CSV of its pseudo-inverse.")
          .build();
  return table;
}

}  // namespace pintle
