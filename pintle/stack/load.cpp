#include "pintle/stack/load.h"

#include <algorithm>
#include <cmath>

#include "pintle/config/json_schema.h"
#include "pintle/config/reader.h"
#include "pintle/stack/import.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/world/world.h"

namespace pintle {
namespace {

/// Takes over the fields of a member struct as if they were the outer struct's own.
void inline_fields(Table& table, const Table& member, std::size_t offset) {
  for (Field f : member.fields) {
    f.offset += offset;
    table.fields.push_back(f);
  }
}

template <class T, class M>
std::size_t offset_of(M T::*member) {
  static const T object{};
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(object.*member)) -
                                  reinterpret_cast<const std::byte*>(&object));
}

/// What a mission file says at its top level, apart from the sections that it puts over the vehicle's.
struct MissionTop {
  std::string format = "pintle/mission/1";
  std::string name, description, vehicle;
  std::uint64_t seed = 1;
  std::vector<world::FaultSpec> faults;
  std::vector<stack::InputFault> input_faults;
  mission::MissionSpec mission;
};

/// The `world:` section of a mission: a file, and what is different from it.
struct WorldSection {
  std::string file;
  world::WorldParams params;
};

/// A mission file as a schema sees it.
struct MissionDocument {
  MissionTop top;
  stack::VehicleFile vehicle;
  WorldSection world;
};

}  // namespace

using namespace stack;

template <>
const Table& table_of<SafetyParams>() {
  static const Table table =
      TableBuilder<SafetyParams>("SafetyParams", "What the vehicle does when it may not go on.")
          .field("ramp_to_safe_s", &SafetyParams::ramp_to_safe_s, "s",
                 "State lost: efforts fall to zero over this time.")
          .range(0, 60)
          .field("latch_after_s", &SafetyParams::latch_after_s, "s",
                 "State lost for this long while armed: stop until an operator resets.")
          .range(0, 3600)
          .field("setpoint_stale_s", &SafetyParams::setpoint_stale_s, "s",
                 "A planner's setpoint older than this is dropped and the pose held; 0 is never.")
          .range(0, 3600)
          .build();
  return table;
}

template <>
const Table& table_of<VehicleFile>() {
  static const Table table = [] {
    Table t = TableBuilder<VehicleFile>("VehicleFile", "A vehicle: what it is and how it is controlled.")
                  .field("control_rate_Hz", &VehicleFile::control_rate_Hz, "Hz", "Rate of control and allocation.")
                  .range(0.1, 10000)
                  .field("control", &VehicleFile::control, "", "The six-axis control law.")
                  .field("allocation", &VehicleFile::allocation, "", "What the allocation minimises.")
                  .field("estimation", &VehicleFile::estimation, "", "From measurements to the state in use.")
                  .field("safety", &VehicleFile::safety, "", "When to stop and how.")
                  .build();
    const std::vector<Field> own = std::move(t.fields);
    t.fields.clear();
    inline_fields(t, table_of<vehicle::VehicleSpec>(), offset_of(&VehicleFile::vehicle));
    t.fields.insert(t.fields.end(), own.begin(), own.end());
    return t;
  }();
  return table;
}

template <>
const Table& table_of<MissionTop>() {
  static const Table table =
      TableBuilder<MissionTop>("MissionFile", "A mission: which vehicle, which world, what to do.")
          .field("format", &MissionTop::format, "", "pintle/mission/1.")
          .required()
          .field("name", &MissionTop::name, "", "Short name, for reports.")
          .required()
          .field("description", &MissionTop::description, "", "For the reader.")
          .field("vehicle", &MissionTop::vehicle, "", "Path of the vehicle file, from this file's folder.")
          .required()
          .field("seed", &MissionTop::seed, "", "Of everything random; --seed overrides it.")
          .field("faults", &MissionTop::faults, "", "Propulsors that fail in the simulated world.")
          .field("input_faults", &MissionTop::input_faults, "", "Inputs spoilt on the way to the stack.")
          .field("mission", &MissionTop::mission, "", "States, where to begin and where to flee.")
          .required()
          .build();
  return table;
}

template <>
const Table& table_of<WorldSection>() {
  static const Table table = [] {
    Table t = TableBuilder<WorldSection>("WorldSection", "The simulated surroundings.")
                  .field("file", &WorldSection::file, "", "Path of a world file, from this file's folder.")
                  .build();
    inline_fields(t, table_of<world::WorldParams>(), offset_of(&WorldSection::params));
    return t;
  }();
  return table;
}

template <>
const Table& table_of<MissionDocument>() {
  static const Table table = [] {
    Table sections = TableBuilder<MissionDocument>("MissionFile", "A mission: which vehicle, which world, what to do.")
                         .field("world", &MissionDocument::world, "", "The simulated surroundings.")
                         .build();
    for (const char* name : {"control_rate_Hz", "control", "allocation", "estimation", "safety"}) {
      Field f = *table_of<VehicleFile>().find(name);
      f.offset += offset_of(&MissionDocument::vehicle);
      sections.fields.push_back(f);
    }
    inline_fields(sections, table_of<MissionTop>(), offset_of(&MissionDocument::top));
    return sections;
  }();
  return table;
}

}  // namespace pintle

namespace pintle::stack {
namespace {

namespace fs = std::filesystem;
using config::Document;
using config::Node;
using config::Reader;

void check_format(Reader& reader, const Document& document, std::string_view wanted) {
  const Node* format = document.root().find("format");
  if (format == nullptr || format->scalar != wanted)
    reader.error(format != nullptr ? format->where : config::Location{document.name(), 1, 1},
                 "format: expected " + std::string(wanted) +
                     (format != nullptr ? ", got " + format->scalar : ", but there is none"),
                 "write at the top:  format: " + std::string(wanted));
}

void check_sections(Reader& reader, const VehicleFile& file, const Node& root) {
  const auto add = [&](const Findings& findings, const char* section) {
    const Node* node = root.find(section);
    reader.add(findings, node != nullptr ? *node : root);
  };
  add(check(file.control), "control");
  add(check(file.allocation), "allocation");
  add(check(file.estimation), "estimation");
  add(check(file.safety), "safety");
}

VehicleFile read_vehicle(Reader& reader, const Document& document, std::string_view stem) {
  if (vehicle::is_duke_file(document)) return import_duke(reader, document, stem);
  if (vehicle::is_thruster_layout(document) || vehicle::is_busses(document))
    return import_subjugator(reader, document, stem);
  VehicleFile file;
  check_format(reader, document, file.vehicle.format);
  reader.read(document.root(), file);
  if (!reader.has_errors()) {
    reader.add(check(file.vehicle), document.root());
    check_sections(reader, file, document.root());
  }
  return file;
}

/// Where the file names its wrench matrices.
vehicle::MatrixKeys matrix_keys(const VehicleFile& file, const Document& document) {
  if (file.format != VehicleFormat::kDuke) return {};
  return {vehicle::kDukeMatrixKey, vehicle::duke_pinv_key(document)};
}

/// The text of a document under the name that a replay will ask for: the path as the mission writes it.
void keep(MissionFile& out, const fs::path& as_written, const Document& document) {
  out.files.emplace_back(as_written.lexically_normal().generic_string(), document.text());
}

void read_world(Reader& reader, const Node* node, const fs::path& folder, const FileSource& open, MissionFile& out,
                std::vector<config::Problem>& problems) {
  if (node == nullptr) return;
  const Node* file = node->find("file");
  if (file != nullptr && file->is_scalar()) {
    const fs::path path = (folder / file->scalar).lexically_normal();
    try {
      const Document document = open(path);
      keep(out, file->scalar, document);
      Reader world_reader(document);
      check_format(world_reader, document, out.world.format);
      world_reader.read(document.root(), out.world);
      if (!world_reader.has_errors()) world_reader.add(check(out.world), document.root());
      problems.insert(problems.end(), world_reader.problems().begin(), world_reader.problems().end());
    } catch (const config::ConfigError& e) {
      problems.insert(problems.end(), e.problems().begin(), e.problems().end());
    }
  }
  // what stands beside `file:` goes over it
  WorldSection section;
  section.params = out.world;
  config::ReadOptions options;
  options.partial = true;
  reader.read(*node, section, options);
  out.world = section.params;
}

void read_overrides(Reader& reader, const Document& document, VehicleFile& file) {
  static constexpr std::array<std::string_view, 5> kSections{"control_rate_Hz", "control", "allocation", "estimation",
                                                             "safety"};
  // the vehicle's table, narrowed to what a mission may put over it
  Table table = table_of<VehicleFile>();
  std::erase_if(table.fields, [](const Field& f) {
    return std::find(kSections.begin(), kSections.end(), f.name) == kSections.end();
  });
  config::ReadOptions options;
  options.partial = true;
  options.ignore_unknown = true;
  reader.read(document.root(), table, &file, options);
}

/// Faults must name propulsors of the vehicle; those of the mission file stand at its top level.
void check_faults(Reader& reader, const Document& document, const MissionFile& file,
                  const std::vector<world::FaultSpec>& own) {
  world::WorldParams only_faults;
  only_faults.faults = own;
  reader.add(world::check(only_faults, vehicle::build(file.vehicle.vehicle)), document.root());
}

/// Wrenches that a state asks for must lie inside what the control law accepts.
void check_wrenches(Reader& reader, const Document& document, const MissionFile& file) {
  for (std::size_t i = 0; i < file.mission.states.size(); ++i) {
    const mission::WrenchGoal& w = file.mission.states[i].wrench;
    const std::array goals{w.x, w.y, w.z, w.roll, w.pitch, w.yaw};
    for (std::size_t a = 0; a < kAxes; ++a) {
      const control::WrenchLimit& limit = file.vehicle.control.desired_wrench_limits[a];
      if (!goals[a] || (*goals[a] >= limit.min && *goals[a] <= limit.max)) continue;
      const std::string name(kAxisNames[a]);
      reader.error(document.location_of("mission.states[" + std::to_string(i) + "].wrench." + name),
                   name + ": the vehicle accepts " + config::shortest(limit.min) + " to " +
                       config::shortest(limit.max) + " (desired_wrench_limits), got " + config::shortest(*goals[a]));
    }
  }
}

}  // namespace

Findings check(const SafetyParams&) { return {}; }  // the ranges of the table say it all

config::Document open_from_disk(const fs::path& file) { return Document::load(file); }

VehicleFile load_vehicle(const fs::path& path, std::vector<config::Problem>* warnings, const FileSource& open) {
  const Document document = open(path);
  Reader reader(document);
  VehicleFile file = read_vehicle(reader, document, path.stem().string());
  if (!reader.has_errors()) reader.add(vehicle::check_matrices(file.vehicle, path, matrix_keys(file, document)), document.root());
  std::vector<config::Problem> found = reader.finish();
  if (warnings != nullptr) warnings->insert(warnings->end(), found.begin(), found.end());
  return file;
}

MissionFile load_mission(const fs::path& path, const FileSource& open) {
  const fs::path folder = path.parent_path();
  const Document document = open(path);
  MissionFile out;
  keep(out, path.filename(), document);
  Reader reader(document);
  std::vector<config::Problem> others;

  MissionTop top;
  check_format(reader, document, top.format);
  config::ReadOptions options;
  options.ignore = {"world", "control_rate_Hz", "control", "allocation", "estimation", "safety"};
  reader.read(document.root(), top, options);
  out.name = top.name;
  out.description = top.description;
  out.seed = top.seed;
  out.mission = top.mission;
  out.input_faults = top.input_faults;

  if (!top.vehicle.empty()) {
    out.vehicle_path = (folder / top.vehicle).lexically_normal();
    try {
      const Document vehicle = open(out.vehicle_path);
      keep(out, top.vehicle, vehicle);
      Reader vehicle_reader(vehicle);
      out.vehicle = read_vehicle(vehicle_reader, vehicle, out.vehicle_path.stem().string());
      others.insert(others.end(), vehicle_reader.problems().begin(), vehicle_reader.problems().end());
    } catch (const config::ConfigError& e) {
      others.insert(others.end(), e.problems().begin(), e.problems().end());
    }
  }
  read_overrides(reader, document, out.vehicle);
  read_world(reader, document.root().find("world"), folder, open, out, others);
  out.world.faults.insert(out.world.faults.end(), top.faults.begin(), top.faults.end());

  // checks of whole sections make sense only once their parts could be read
  const bool sound = !reader.has_errors() && std::none_of(others.begin(), others.end(),
                                                          [](const config::Problem& p) { return p.is_error; });
  if (sound) {
    check_sections(reader, out.vehicle, document.root());
    if (const Node* node = document.root().find("mission")) reader.add(check(out.mission), *node);
    if (const Node* node = document.root().find("input_faults")) reader.add(check(out.input_faults), *node);
    if (const Node* node = document.root().find("world"); node != nullptr && node->is_map())
      reader.add(check(out.world), *node);
    check_faults(reader, document, out, top.faults);
    check_wrenches(reader, document, out);
  }

  others.insert(others.end(), reader.problems().begin(), reader.problems().end());
  if (std::any_of(others.begin(), others.end(), [](const config::Problem& p) { return p.is_error; }))
    throw config::ConfigError(others);
  out.warnings = others;
  return out;
}

Model build_model(const VehicleFile& file, const mission::MissionSpec* spec, std::uint32_t generation) {
  Model model;
  model.generation = generation;
  model.vehicle = vehicle::build(file.vehicle);
  model.effectiveness = vehicle::effectiveness_of(model.vehicle);
  model.control = file.control;
  model.allocation.objective = file.allocation;
  model.estimation = file.estimation;
  model.safety = file.safety;
  model.period = Duration::from_seconds(1.0 / file.control_rate_Hz);
  if (spec != nullptr) {
    model.has_mission = true;
    model.mission = mission::compile(*spec);
  }
  return model;
}

FileKind kind_of(const Document& document) {
  const Node* format = document.root().find("format");
  const std::string text = format != nullptr ? format->scalar : "";
  if (text.starts_with("pintle/vehicle/")) return FileKind::kVehicle;
  if (text.starts_with("pintle/mission/")) return FileKind::kMission;
  if (text.starts_with("pintle/world/")) return FileKind::kWorld;
  if (vehicle::is_duke_file(document) || vehicle::is_thruster_layout(document) || vehicle::is_busses(document))
    return FileKind::kVehicle;
  config::Problem p;
  p.where = format != nullptr ? format->where : config::Location{document.name(), 1, 1};
  p.message = format != nullptr ? "format: \"" + text + "\" is not a format of Pintle"
                                : "format: there is none, and it is no robot file of Duke or SubjuGator";
  p.fix = "write at the top  format: pintle/vehicle/1  or  pintle/mission/1  or  pintle/world/1";
  throw config::ConfigError(p);
}

std::vector<std::pair<std::string, std::string>> schemas() {
  using config::json_schema;
  return {{"vehicle-1.json", json_schema(table_of<VehicleFile>(), "Pintle vehicle", "pintle/vehicle/1")},
          {"mission-1.json", json_schema(table_of<MissionDocument>(), "Pintle mission", "pintle/mission/1")},
          {"world-1.json", json_schema(table_of<world::WorldParams>(), "Pintle world", "pintle/world/1")}};
}

}  // namespace pintle::stack
