/// What the craft is: body, water, propulsors and where they sit. Format `pintle/vehicle/1`.
///
/// Laws, gains and limits are sections of the same file, owned by their rooms and assembled by
/// stack/. Lengths in metres in the body frame (forward-left-up) from the body origin Bo.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/base/fields.h"
#include "pintle/base/finding.h"
#include "pintle/base/signals.h"
#include "pintle/config/document.h"
#include "pintle/propulsion/drag_body.h"
#include "pintle/propulsion/propulsor.h"
#include "pintle/propulsion/supply.h"
#include "pintle/vehicle/devices.h"
#include "pintle/vehicle/equipment.h"

namespace pintle::vehicle {

/// Mass and shape. Products of inertia follow the sign of the inertia matrix (off-diagonals as they
/// stand in it).
struct Body {
  double mass_kg = 1;
  Vec3 inertia_kgm2{1, 1, 1};           ///< Ixx, Iyy, Izz about the centre of mass.
  Vec3 inertia_products_kgm2{0, 0, 0};  ///< Ixy, Ixz, Iyz, matrix elements.
  Vec3 center_of_mass_m{};
  double volume_m3 = 0;  ///< Displaced when submerged.
  Vec3 center_of_buoyancy_m{};
  double height_m = 0.3;     ///< Over which it comes out of the water at the surface.
  std::vector<Vec3> feet_m;  ///< Points that touch the ground.
};

/// Fossen's coefficients, positive numbers, axis order, at the body origin.
struct Hydrodynamics {
  std::array<double, 6> added_mass{};         ///< kg, kg m^2.
  std::array<double, 6> linear_damping{};     ///< N s/m, N m s/rad.
  std::array<double, 6> quadratic_damping{};  ///< N s^2/m^2, N m s^2/rad^2.
};

/// The unit in which the vehicle controls and allocates.
struct EffortUnit {
  bool normalised = false;  ///< Efforts in [-1, 1] (the Duke robots).
  double one_unit_N = 1;    ///< What effort 1 is in newtons; 1 when not normalised.
};

/// Where a propulsor sits and how it is turned.
struct Mount {
  Vec3 position_m{};
  /// Of a thruster, which way it pushes for positive effort; used as given within 1e-3 of unit
  /// length, refused beyond.
  Vec3 direction{1, 0, 0};
  /// Of the other kinds: the mount's coordinates in the body's, in which their axes are given.
  Mat3 R_BP = Mat3::identity();
};

inline constexpr std::int32_t kNoTank = -1;

struct Propulsor {
  std::string name;
  Mount mount;
  propulsion::Propulsor model;
  /// Which of the vehicle's tanks feeds it; kNoTank: fuel of its own.
  std::int32_t tank = kNoTank;
  double starting_fuel_ratio = 1;  ///< Of fuel of its own.
  propulsion::ChannelNumbers effort_weight = ones<propulsion::kChannelsEach>();  ///< One a channel.
};

struct Tank {
  std::string name;
  propulsion::TankParams params;  ///< position_m in body coordinates.
  double starting_fuel_ratio = 1;
};

/// Part of the hull that the air brakes; axes of the body.
struct DragBody {
  std::string name;
  Vec3 position_m{};
  propulsion::DragBodyParams params;
};

/// Built and checked; immutable.
struct Vehicle {
  std::string name;
  Body body;
  Hydrodynamics hydrodynamics;
  EffortUnit unit;
  std::vector<Propulsor> propulsors;  ///< File order: the order of channels, columns and logs.
  std::vector<Tank> tanks;
  std::vector<DragBody> drag_bodies;
  std::optional<Gripper> gripper;
  std::optional<Camera> camera;
  std::optional<Battery> battery;
  std::optional<Imu> imu;

  /// Of all propulsors together, one to three each.
  [[nodiscard]] std::size_t channels() const noexcept;
  /// One name a channel: that of the propulsor; an engine's are NAME, NAME_1 and NAME_2.
  [[nodiscard]] std::vector<std::string> channel_names() const;
  /// Which propulsor each channel belongs to.
  [[nodiscard]] std::vector<std::size_t> channel_owners() const;
  /// Index by name, -1 if there is none.
  [[nodiscard]] int index_of(std::string_view propulsor) const noexcept;
};

/// The column [d; p x d] of a thruster's mount.
[[nodiscard]] Vec6 column_of(const Mount& mount) noexcept;
/// A wrench at the mount, mount coordinates, as one at Bo, body coordinates.
[[nodiscard]] Wrench at_origin(const Mount& mount, const Wrench& F_P) noexcept;
/// What surrounds a mount: flow of the air or water past it, mount coordinates.
[[nodiscard]] propulsion::Ambient ambient_at(const Mount& mount, const Twist& V_WB_B, Vec3 flow_B,
                                             double density_kg_m3, double bus_V) noexcept;

// ---------------------------------------------------------------------------------------------
// the file, as written: what `read` fills and `build` turns into a Vehicle

/// One item of `propulsors:`. Which of the parameters a file gives, beside the name and the mount,
/// depends on `type`; they stand there as keys of the item itself (of a thruster, under its key).
struct PropulsorSpec {
  std::string name;
  std::string type = "thruster";  ///< thruster, jet, booster, gimbal, propeller, fin or
                                  ///< azimuth.
  Vec3 position_m{};
  std::optional<Vec3> direction;  ///< Of a thruster, either this …
  std::optional<Vec3> rpy_deg;    ///< … or this: the mount turned by roll, pitch, yaw.
  /// How much a unit of each of its efforts weighs in the allocation; empty: 1.
  std::vector<double> effort_weight;
  // thruster
  bool flipped = false;  ///< Positive effort pushes the other way.
  std::string use;  ///< Name under `thruster_types:` whose parameters it takes. Either this …
  std::optional<propulsion::ThrusterParams> thruster;  ///< … or its own.
  // the others
  propulsion::JetParams jet;
  propulsion::BoosterParams booster;
  propulsion::GimbalParams gimbal;  ///< An item of its own, which a booster names: no propulsor.
  propulsion::PropellerParams propeller;
  propulsion::FinParams fin;
  propulsion::AzimuthParams azimuth;
  std::string on_gimbal;            ///< Of a booster: the gimbal that turns it; "": none.
  std::optional<std::string> tank;  ///< Of a booster or jet; none: a booster's own fuel.
  double starting_fuel_ratio = 1;   ///< Of a booster's own fuel.
};

struct TankSpec {
  std::string name;
  propulsion::TankParams params;
  double starting_fuel_ratio = 1;
};

struct DragBodySpec {
  std::string name;
  Vec3 position_m{};
  propulsion::DragBodyParams params;
};

struct NamedThruster {
  std::string name;
  propulsion::ThrusterParams thruster;
};

/// Names under which a program on YARP meets the jets, as the jets plugin's `.ini` gives them.
struct YarpPorts {
  std::string robot;           ///< gazeboYarpPluginsRobotName; may be empty.
  std::string input_port;      ///< One number a jet comes in: N/s, percent or N, by its model.
  std::string thrust_port;     ///< Thrusts go out, N.
  std::string d_thrust_port;   ///< Their rates, N/s; empty: there is no such port.
  double input_timeout_s = 1;  ///< Silence after which the jets are run down; 0: never.
};

[[nodiscard]] Findings check(const YarpPorts& ports);

struct VehicleSpec {
  std::string format = "pintle/vehicle/1";
  std::string name;
  std::string description;
  EffortUnit effort_unit;
  Body body;
  Hydrodynamics hydrodynamics;
  std::vector<NamedThruster> thruster_types;  ///< Shared parameters, by name.
  std::vector<PropulsorSpec> propulsors;
  std::vector<TankSpec> tanks;
  std::vector<DragBodySpec> drag_bodies;
  std::optional<Gripper> gripper;
  std::optional<Camera> camera;
  std::optional<Battery> battery;
  std::optional<Imu> imu;
  std::optional<YarpPorts> yarp;
  std::vector<Device> devices;  ///< Empty: nothing is wired here.
  std::optional<SerialLines> lines;
  std::string wrench_matrix_file;  ///< Optional CSV, relative to the folder above `config/`, else
                                   ///< to the file's folder.
  std::string wrench_matrix_pinv_file;
};

/// Where it sits and how it is turned: Rz(yaw) Ry(pitch) Rx(roll). A thruster pushes along the
/// direction as given, or the x axis so turned, reversed when flipped. Turns by quarters are exact.
[[nodiscard]] Mount mount_of(const PropulsorSpec& spec) noexcept;

[[nodiscard]] Findings check(const VehicleSpec& spec);

/// @throws std::invalid_argument on what `check` reports as an error.
[[nodiscard]] Vehicle build(const VehicleSpec& spec);

}  // namespace pintle::vehicle

namespace pintle {
template <>
const Table& table_of<vehicle::Body>();
template <>
const Table& table_of<vehicle::Hydrodynamics>();
template <>
const Table& table_of<vehicle::EffortUnit>();
template <>
const Table& table_of<vehicle::PropulsorSpec>();
template <>
const Table& table_of<vehicle::NamedThruster>();
template <>
const Table& table_of<vehicle::TankSpec>();
template <>
const Table& table_of<vehicle::DragBodySpec>();
template <>
const Table& table_of<vehicle::YarpPorts>();
template <>
const Table& table_of<vehicle::VehicleSpec>();
}  // namespace pintle
