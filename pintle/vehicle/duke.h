/// Duke Robotics robot files (`controls/config/ROBOT.yaml`), read and written unchanged.
///
/// Both spellings of the pseudo-inverse key are accepted. Sections that a reader does not need may
/// be missing; inside a section every key is needed, as in the original. Unknown keys are warned
/// about. Refused, unlike in the original: numbers that are not finite, a derivative type that only
/// fits after narrowing (256). The importer gives a VehicleSpec (normalised unit, T200) and the
/// control numbers as the file has them; stack/ maps those onto control parameters with `behaviour:
/// reference`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "pintle/base/axis.h"
#include "pintle/config/reader.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {

struct DukeEffort {
  double min = -1, max = 1;
};
struct DukeAxis {
  double Kp = 0, Ki = 0, Kd = 0, Ff = 0;
  DukeEffort control_effort;
  std::int32_t derivative_type = 0;
  double error_ramp_rate = 0;
};
struct DukeLoop {
  DukeAxis x, y, z, roll, pitch, yaw;
};
struct DukePid {
  std::optional<DukeLoop> position, position_cascaded, velocity;
};
struct DukeLimits {
  DukeEffort x, y, z, roll, pitch, yaw;
};
struct DukeThruster {
  std::string name, type;
  Vec3 pos{}, rpy{};
  bool flipped = false;
};
struct DukeRobot {
  DukePid pid;
  DukeLimits desired_power_limits;
  Vec3 static_power_global{};     // a map x, y, z in the file
  double power_scale_factor = 1;  ///< Missing in the oldest files: 1.
  std::vector<DukeThruster> thrusters;
  std::string wrench_matrix_file_path, wrench_matrix_pinv_file_path;
};

/// True when the document looks like a robot file of this kind (a `pid` or `desired_power_limits`
/// map, no `format`).
[[nodiscard]] bool is_duke_file(const config::Document& document) noexcept;

/// Reads the whole file. Problems go to `reader`.
[[nodiscard]] DukeRobot read_duke(config::Reader& reader, const config::Document& document);

/// What the file does not say about the vehicle, and is assumed (reasons in vehicles/oogway.yaml).
inline constexpr double kDukeOneUnitN = 34.5;
inline constexpr double kDukeMassKg = 25.8;

/// The vehicle in it: effort 1 is kDukeOneUnitN, the body is an assumed one whose buoyancy is what
/// the file's static power balances.
[[nodiscard]] VehicleSpec to_spec(const DukeRobot& robot, std::string_view name);

inline constexpr std::string_view kDukeMatrixKey = "wrench_matrix_file_path";
/// The spelling that the document uses.
[[nodiscard]] std::string_view duke_pinv_key(const config::Document& document) noexcept;

}  // namespace pintle::vehicle

namespace pintle {
template <>
const Table& table_of<vehicle::DukeEffort>();
template <>
const Table& table_of<vehicle::DukeAxis>();
template <>
const Table& table_of<vehicle::DukeLoop>();
template <>
const Table& table_of<vehicle::DukePid>();
template <>
const Table& table_of<vehicle::DukeLimits>();
template <>
const Table& table_of<vehicle::DukeThruster>();
template <>
const Table& table_of<vehicle::DukeRobot>();
}  // namespace pintle
