#include "pintle/vehicle/propulsor_list.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "pintle/config/file.h"
#include "pintle/vehicle/jets_ini.h"
#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {
namespace {

using config::Document;
using config::Node;
using config::Reader;

constexpr std::array<std::string_view, 7> kKinds{"booster",  "gimbal", "propeller", "fin",
                                                 "thruster", "jet",    "azimuth"};

/// The list, wherever the file has it; null after an error.
const Node* list_of(Reader& reader, const Document& document) {
  const Node& root = document.root();
  if (root.is_list()) return &root;
  const Node* list = root.is_map() ? root.find("propulsors") : nullptr;
  if (list != nullptr && list->is_list()) return list;
  reader.error(list != nullptr ? list->where : config::Location{document.name(), 1, 1},
               "propulsors: expected a list of propulsors",
               "write  propulsors:  and one line each:  - {name: left, type: …}");
  return nullptr;
}

/// Whether an item is of the kind; kinds that there are none of are an error.
bool is_kind(Reader& reader, const Node& item, std::string_view kind) {
  if (!item.is_map()) {
    reader.error(item.where, "expected a propulsor, a map of keys and values",
                 fmt::format("write  - {{name: left, type: {}, …}}", kind));
    return false;
  }
  const Node* type = item.find("type");
  // a vehicle's propulsors are thrusters unless they say otherwise
  if (type == nullptr) return false;
  if (type->scalar == kind) return true;
  for (const std::string_view known : kKinds)
    if (type->scalar == known) return false;
  const std::vector<std::string_view> names(kKinds.begin(), kKinds.end());
  const std::string near = config::did_you_mean(type->scalar, names);
  reader.error(type->where, fmt::format("type: there is no propulsor \"{}\"", type->scalar),
               near.empty() ? "write booster, gimbal, propeller, fin, jet, azimuth or thruster"
                            : "did you mean  " + near);
  return false;
}

void check_names(Reader& reader, const Node& item, const std::string& name,
                 std::set<std::string>& names) {
  const Node* at = item.find("name");
  if (at == nullptr) return;
  if (name.empty() || name.find_first_of(", \t\"") != std::string::npos)
    reader.error(at->where, "name: expected a word that can name a column",
                 "write letters, digits and _ alone");
  else if (!names.insert(name).second)
    reader.error(at->where, "name: \"" + name + "\" is taken", "give each a name of its own");
}

template <class Params>
Listed<Params> read_item(Reader& reader, const Node& item, std::set<std::string>& names) {
  config::ReadOptions options;
  options.ignore = {"effort_weight", "position_m", "direction", "rpy_deg", "flipped", "link"};
  Listed<Params> one;
  reader.read(item, one, options);
  reader.add(check(one.params), item);
  check_names(reader, item, one.name, names);
  return one;
}

template <class Params>
std::vector<Listed<Params>> read_list(const Document& document, std::string_view kind) {
  Reader reader(document);
  std::vector<Listed<Params>> out;
  std::set<std::string> names;
  if (const Node* list = list_of(reader, document)) {
    for (const Node& item : list->items) {
      if (!is_kind(reader, item, kind)) continue;
      out.push_back(read_item<Params>(reader, item, names));
    }
    if (out.empty() && !reader.has_errors())
      reader.error(list->where, fmt::format("there is no {} in this list", kind),
                   fmt::format("add a line  - {{name: …, type: {}, …}}", kind));
  }
  reader.finish();
  return out;
}

/// A thruster has its mount, and cannot lean on types of a vehicle.
void read_thruster(Reader& reader, const Node& item, std::set<std::string>& names) {
  PropulsorSpec one;
  reader.read(item, one);
  if (const Node* use = item.find("use"))
    reader.error(use->where, "use: a list alone has no thruster_types",
                 "write  thruster:  and its parameters");
  else if (!one.thruster && item.find("thruster") == nullptr)
    reader.error(item.where, "expected a thruster, its parameters",
                 "write  thruster: {library: t200}");
  if (one.thruster)
    for (Finding f : check(*one.thruster)) {
      f.path = f.path.empty() ? "thruster" : "thruster." + f.path;
      reader.add({f}, item);
    }
  check_names(reader, item, one.name, names);
}

/// Boosters on one tank must agree on what it holds.
void check_tanks(const Document& document, const std::vector<ListedBooster>& boosters) {
  Reader reader(document);
  const Node* list = list_of(reader, document);
  for (std::size_t i = 0; i < boosters.size(); ++i) {
    const ListedBooster& b = boosters[i];
    for (std::size_t k = 0; b.tank && k < i; ++k) {
      const ListedBooster& other = boosters[k];
      if (other.tank != b.tank || b.params.behaviour == propulsion::Behaviour::kReference) continue;
      if (other.params.total_fuel_mass_kg == b.params.total_fuel_mass_kg &&
          other.starting_fuel_ratio == b.starting_fuel_ratio)
        continue;
      const Node* at = nullptr;
      for (const Node& item : list->items)
        if (const Node* name = item.find("name"); name != nullptr && name->scalar == b.name)
          at = item.find("tank");
      reader.error(at != nullptr ? at->where : list->where,
                   fmt::format("{} and {} are on the tank \"{}\" but say different things about it",
                               other.name, b.name, *b.tank),
                   "give both the same total_fuel_mass_kg and starting_fuel_ratio");
      break;
    }
  }
  reader.finish();
}

}  // namespace

bool is_propulsor_list(const Document& document) noexcept {
  const Node& root = document.root();
  if (root.is_map()) return root.entries.size() == 1 && root.entries[0].key == "propulsors";
  return root.is_list() && !root.items.empty() && root.items[0].is_map() &&
         root.items[0].find("type") != nullptr;
}

std::vector<config::Problem> check_propulsor_list(const Document& document) {
  Reader reader(document);
  std::set<std::string> names;
  std::vector<ListedBooster> boosters;
  const Node* list = list_of(reader, document);
  if (list != nullptr && list->items.empty())
    reader.error(list->where, "there is no propulsor in this list",
                 "add a line  - {name: …, type: …, …}");
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const Node& item = list->items[i];
    const Node* type = item.is_map() ? item.find("type") : nullptr;
    const std::string_view kind = type != nullptr ? std::string_view(type->scalar) : "thruster";
    if (kind == "booster")
      boosters.push_back(read_item<propulsion::BoosterParams>(reader, item, names));
    else if (kind == "gimbal")
      (void)read_item<propulsion::GimbalParams>(reader, item, names);
    else if (kind == "propeller")
      (void)read_item<propulsion::PropellerParams>(reader, item, names);
    else if (kind == "fin")
      (void)read_item<propulsion::FinParams>(reader, item, names);
    else if (kind == "azimuth")
      (void)read_item<propulsion::AzimuthParams>(reader, item, names);
    else if (kind == "jet")
      (void)read_item<propulsion::JetParams>(reader, item, names);
    else if (kind == "thruster" && item.is_map())
      read_thruster(reader, item, names);
    else
      (void)is_kind(reader, item, kKinds[0]);  // says what is wrong with it
  }
  std::vector<config::Problem> warnings = reader.finish();
  check_tanks(document, boosters);
  return warnings;
}

std::vector<ListedBooster> read_boosters(const Document& document) {
  auto boosters = read_list<propulsion::BoosterParams>(document, "booster");
  check_tanks(document, boosters);
  return boosters;
}
std::vector<ListedGimbal> read_gimbals(const Document& document) {
  return read_list<propulsion::GimbalParams>(document, "gimbal");
}
std::vector<ListedPropeller> read_propellers(const Document& document) {
  return read_list<propulsion::PropellerParams>(document, "propeller");
}
std::vector<ListedFin> read_fins(const Document& document) {
  return read_list<propulsion::FinParams>(document, "fin");
}
std::vector<ListedJet> read_jets(const Document& document) {
  auto jets = read_list<propulsion::JetParams>(document, "jet");
  for (ListedJet& jet : jets) jet.params = resolved(jet.params);
  return jets;
}

std::vector<ListedBooster> load_boosters(const std::filesystem::path& file) {
  return read_boosters(Document::load(file));
}
std::vector<ListedGimbal> load_gimbals(const std::filesystem::path& file) {
  return read_gimbals(Document::load(file));
}
std::vector<ListedPropeller> load_propellers(const std::filesystem::path& file) {
  return read_propellers(Document::load(file));
}
std::vector<ListedFin> load_fins(const std::filesystem::path& file) {
  return read_fins(Document::load(file));
}

std::vector<ListedJet> load_jets(const std::filesystem::path& file) {
  std::string text = config::read_file(file);
  if (!is_jets_ini(file, text)) return read_jets(Document::parse(std::move(text), file.string()));
  const JetsIni ini = load_jets_ini(file);
  std::vector<ListedJet> out;
  for (const JetsIniJet& jet : ini.jets) {
    ListedJet& one = out.emplace_back();
    one.name = jet.link;
    one.type = "jet";
    one.params.max_thrust_N = jet.max_thrust_N;
    one.params.jet_axis = jet.axis;
    one.params.inverse_time_constant_per_s = ini.inverse_time_constant_1_s;
    if (jet.coefficients) one.params.jet_coefficients = *jet.coefficients;
  }
  return out;
}

}  // namespace pintle::vehicle

namespace pintle {
namespace {

/// Name and type, then the parameters as if they were the propulsor's own keys.
template <class Params>
Table listed_table(std::string_view name, std::string_view meaning) {
  using Item = vehicle::Listed<Params>;
  TableBuilder<Item> builder(name, meaning);
  builder.field("name", &Item::name, "", "Unique name, in the names of columns.")
      .required()
      .field("type", &Item::type, "", "Kind of propulsor.")
      .required();
  if constexpr (std::is_same_v<Params, propulsion::BoosterParams>)
    builder.field("tank", &Item::tank, "", "Tank whose fuel it shares; null: its own.")
        .field("starting_fuel_ratio", &Item::starting_fuel_ratio, "", "Fuel at the start.")
        .range(0, 1);
  return builder.inlined(&Item::params).build();
}

}  // namespace

template <>
const Table& table_of<vehicle::ListedBooster>() {
  static const Table table =
      listed_table<propulsion::BoosterParams>("ListedBooster", "A booster of a list.");
  return table;
}
template <>
const Table& table_of<vehicle::ListedGimbal>() {
  static const Table table =
      listed_table<propulsion::GimbalParams>("ListedGimbal", "A gimbal of a list.");
  return table;
}
template <>
const Table& table_of<vehicle::ListedPropeller>() {
  static const Table table =
      listed_table<propulsion::PropellerParams>("ListedPropeller", "A propeller of a list.");
  return table;
}
template <>
const Table& table_of<vehicle::ListedFin>() {
  static const Table table = listed_table<propulsion::FinParams>("ListedFin", "A fin of a list.");
  return table;
}
template <>
const Table& table_of<vehicle::Listed<propulsion::AzimuthParams>>() {
  static const Table table =
      listed_table<propulsion::AzimuthParams>("ListedAzimuth", "An azimuth thruster of a list.");
  return table;
}
template <>
const Table& table_of<vehicle::ListedJet>() {
  static const Table table = listed_table<propulsion::JetParams>("ListedJet", "A jet of a list.");
  return table;
}

}  // namespace pintle
