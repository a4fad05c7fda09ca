/// The `propulsors:` of a file, one kind at a time, with their parameters beside their names:
///
///   propulsors:
///     - {name: g1, type: gimbal, unit_1: [1, 0, 0], unit_2: [0, 1, 0], tau_s: 0.01, range_deg: [5,
///     5]}
///
/// The file is a vehicle file, a file with this list alone, or a list at the top. Propulsors of
/// other kinds are passed over, keys that say where one is mounted are not looked at; everything
/// else is strict. Does not make a Vehicle: see vehicle.h.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pintle/config/reader.h"
#include "pintle/propulsion/azimuth.h"
#include "pintle/propulsion/booster.h"
#include "pintle/propulsion/fin.h"
#include "pintle/propulsion/gimbal.h"
#include "pintle/propulsion/jet.h"
#include "pintle/propulsion/propeller.h"

namespace pintle::vehicle {

/// One propulsor of a list, by its parameters.
template <class Params>
struct Listed {
  std::string name, type;
  Params params;
};
template <>
struct Listed<propulsion::BoosterParams> {
  std::string name, type;
  propulsion::BoosterParams params;
  std::optional<std::string> tank;  ///< Boosters that name the same tank share its fuel.
  double starting_fuel_ratio = 1;
};

using ListedBooster = Listed<propulsion::BoosterParams>;
using ListedGimbal = Listed<propulsion::GimbalParams>;
using ListedPropeller = Listed<propulsion::PropellerParams>;
using ListedFin = Listed<propulsion::FinParams>;
using ListedJet = Listed<propulsion::JetParams>;

/// The propulsors of that kind, in file order, checked; at least one.
/// @throws config::ConfigError with every problem at once.
[[nodiscard]] std::vector<ListedBooster> load_boosters(const std::filesystem::path& file);
[[nodiscard]] std::vector<ListedGimbal> load_gimbals(const std::filesystem::path& file);
[[nodiscard]] std::vector<ListedPropeller> load_propellers(const std::filesystem::path& file);
[[nodiscard]] std::vector<ListedFin> load_fins(const std::filesystem::path& file);
/// An .ini file of the jets plugin too: its jets under the names of their links.
[[nodiscard]] std::vector<ListedJet> load_jets(const std::filesystem::path& file);

/// Whether a document is such a list alone, or a map with nothing but `propulsors:`.
[[nodiscard]] bool is_propulsor_list(const config::Document& document) noexcept;
/// Every item of such a file, of whatever kind, as strictly as above; thrusters as in a vehicle
/// file, with parameters of their own. Answers the warnings.
/// @throws config::ConfigError with every problem at once.
[[nodiscard]] std::vector<config::Problem> check_propulsor_list(const config::Document& document);

/// The same from a document, for tests and for files that are not on a disk.
[[nodiscard]] std::vector<ListedBooster> read_boosters(const config::Document& document);
[[nodiscard]] std::vector<ListedGimbal> read_gimbals(const config::Document& document);
[[nodiscard]] std::vector<ListedPropeller> read_propellers(const config::Document& document);
[[nodiscard]] std::vector<ListedFin> read_fins(const config::Document& document);
[[nodiscard]] std::vector<ListedJet> read_jets(const config::Document& document);

}  // namespace pintle::vehicle

namespace pintle {
template <>
const Table& table_of<vehicle::ListedBooster>();
template <>
const Table& table_of<vehicle::ListedGimbal>();
template <>
const Table& table_of<vehicle::ListedPropeller>();
template <>
const Table& table_of<vehicle::ListedFin>();
template <>
const Table& table_of<vehicle::Listed<propulsion::AzimuthParams>>();
template <>
const Table& table_of<vehicle::ListedJet>();
}  // namespace pintle
