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
#include "pintle/propulsion/propulsor.h"

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

/// Where a propulsor sits and which way it pushes for positive effort.
struct Mount {
  Vec3 position_m{};
  Vec3 direction{1, 0, 0};  ///< d_B; used as given within 1e-3 of unit length, refused beyond.
};

struct Propulsor {
  std::string name;
  Mount mount;
  propulsion::Propulsor model;
};

/// Built and checked; immutable.
struct Vehicle {
  std::string name;
  Body body;
  Hydrodynamics hydrodynamics;
  EffortUnit unit;
  std::vector<Propulsor> propulsors;  ///< File order: the order of channels, columns and logs.

  [[nodiscard]] std::size_t channels() const noexcept { return propulsors.size(); }
  /// Index by name, -1 if there is none.
  [[nodiscard]] int index_of(std::string_view propulsor) const noexcept;
};

/// The column [d; p x d] of a mount.
[[nodiscard]] Vec6 column_of(const Mount& mount) noexcept;

// ---------------------------------------------------------------------------------------------
// the file, as written: what `read` fills and `build` turns into a Vehicle

struct PropulsorSpec {
  std::string name;
  std::string type = "thruster";
  Vec3 position_m{};
  std::optional<Vec3> direction;  ///< Either this …
  std::optional<Vec3> rpy_deg;    ///< … or this: the mount's x axis turned by roll, pitch, yaw.
  bool flipped = false;           ///< Positive effort pushes the other way.
  std::string use;  ///< Name under `thruster_types:` whose parameters it takes. Either this …
  std::optional<propulsion::ThrusterParams> thruster;  ///< … or its own.
};

struct NamedThruster {
  std::string name;
  propulsion::ThrusterParams thruster;
};

struct VehicleSpec {
  std::string format = "pintle/vehicle/1";
  std::string name;
  std::string description;
  EffortUnit effort_unit;
  Body body;
  Hydrodynamics hydrodynamics;
  std::vector<NamedThruster> thruster_types;  ///< Shared parameters, by name.
  std::vector<PropulsorSpec> propulsors;
  std::string wrench_matrix_file;  ///< Optional CSV, relative to the folder above `config/`, else
                                   ///< to the file's folder.
  std::string wrench_matrix_pinv_file;
};

/// Where it sits and which way it pushes: the direction as given, or the x axis turned by
/// Rz(yaw) Ry(pitch) Rx(roll), reversed when flipped. Turns by quarters are exact.
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
const Table& table_of<vehicle::VehicleSpec>();
}  // namespace pintle
