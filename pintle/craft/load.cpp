#include "pintle/craft/load.h"

#include "pintle/craft/file_kind.h"
#include "pintle/craft/import.h"
#include "pintle/craft/read_vehicle.h"
#include "pintle/vehicle/effectiveness.h"

namespace pintle::craft {
namespace {

namespace fs = std::filesystem;
using config::Document;
using config::Node;
using config::Reader;

/// Where the file names its wrench matrices.
vehicle::MatrixKeys matrix_keys(const VehicleFile& file, const Document& document) {
  if (file.format != VehicleFormat::kDuke) return {};
  return {vehicle::kDukeMatrixKey, vehicle::duke_pinv_key(document)};
}

}  // namespace

Findings check_matrix_files(const VehicleFile& file, const Document& document,
                            const fs::path& path) {
  return vehicle::check_matrices(file.vehicle, path, matrix_keys(file, document));
}

config::Document open_from_disk(const fs::path& file) { return Document::load(file); }

namespace {

/// What flies says what it does when its state is lost, and has what that takes.
Findings check_flyer(const VehicleFile& file) {
  if (!control::traits(file.laws.law).carries_itself()) return {};
  const auto& action = file.safety.on_state_lost;
  if (!action)
    return {{"on_state_lost", "this craft flies, and nothing says what it does without a state",
             "write  on_state_lost: descend  under  safety, or hold_thrust, or off", false}};
  if (*action == OnStateLost::kOff || file.vehicle.imu) return {};
  return {{"on_state_lost", "without an inertial sensor it falls all the same",
           "write  imu: {}  into the vehicle, or  on_state_lost: off", false}};
}

}  // namespace

Findings check_sections(const VehicleFile& file) {
  Findings out;
  const auto add = [&out](const std::string& section, const Findings& findings) {
    for (Finding f : findings) {
      if (!section.empty()) f.path = f.path.empty() ? section : section + "." + f.path;
      out.push_back(std::move(f));
    }
  };
  add("", check(file.laws));
  add("landing", check(file.landing));
  add("allocation", check(file.allocation));
  add("estimation", check(file.estimation));
  add("power", check(file.power));
  add("safety", check(file.safety));
  add("failure_detection", check(file.detector));
  add("safety", check_flyer(file));
  add("flight_controller", check(file.flight_controller));
  return out;
}

VehicleFile read_vehicle(Reader& reader, const Document& document, std::string_view stem) {
  if (vehicle::is_duke_file(document)) return import_duke(reader, document, stem);
  if (vehicle::is_thruster_layout(document) || vehicle::is_busses(document))
    return import_subjugator(reader, document, stem);
  require_kind(document, FileKind::kVehicle);
  const Node& root = document.root();
  VehicleFile file;
  check_format(reader, document, FileKind::kVehicle);
  reader.read(root, file);

  Findings findings = check(file.vehicle);
  // types that could not be read are not missing
  const bool types_known = root.find("thruster_types") != nullptr
                               ? reader.is_sound(root, "thruster_types")
                               : !reader.has_errors();
  if (!types_known)
    std::erase_if(findings, [](const Finding& f) { return f.path.ends_with(".use"); });
  reader.add(findings, root);
  reader.add(check_sections(file), root);
  return file;
}

VehicleFile load_vehicle(const fs::path& path, std::vector<config::Problem>* warnings,
                         const FileSource& open) {
  const Document document = open(path);
  Reader reader(document);
  VehicleFile file = read_vehicle(reader, document, path.stem().string());
  if (!reader.has_errors()) reader.add(check_matrix_files(file, document, path), document.root());
  std::vector<config::Problem> found = reader.finish();
  if (warnings != nullptr) warnings->insert(warnings->end(), found.begin(), found.end());
  return file;
}

world::WorldParams load_world(const fs::path& path, std::vector<config::Problem>* warnings,
                              const FileSource& open) {
  const Document document = open(path);
  require_kind(document, FileKind::kWorld);
  Reader reader(document);
  world::WorldParams world;
  check_format(reader, document, FileKind::kWorld);
  reader.read(document.root(), world);
  reader.add(check(world), document.root());
  const std::vector<config::Problem> found = reader.finish();
  if (warnings != nullptr) warnings->insert(warnings->end(), found.begin(), found.end());
  return world;
}

namespace {

/// One a channel.
ChannelVector dead_bands_of(const vehicle::Vehicle& vehicle) {
  ChannelVector bands;
  for (const vehicle::Propulsor& p : vehicle.propulsors) {
    const auto* thruster = std::get_if<propulsion::Thruster>(&p.model);
    for (std::size_t k = 0; k < propulsion::channels(p.model); ++k)
      bands.push_back(thruster != nullptr ? thruster->params().dead_band : 0);
  }
  return bands;
}

}  // namespace

Model build_model(const VehicleFile& file, const mission::MissionSpec* spec,
                  std::uint32_t generation) {
  Model model;
  model.generation = generation;
  model.vehicle = vehicle::build(file.vehicle);
  model.effectiveness = vehicle::effectiveness_of(model.vehicle);
  model.owner = model.vehicle.channel_owners();
  for (const vehicle::Propulsor& p : model.vehicle.propulsors) {
    const auto* thruster = std::get_if<propulsion::Thruster>(&p.model);
    model.thrusters_only = model.thrusters_only && thruster != nullptr;
    model.fixed_boxes =
        model.fixed_boxes && thruster != nullptr && !(thruster->params().slew_per_s > 0);
    model.single_channels = model.single_channels && propulsion::channels(p.model) == 1;
  }
  model.law = control::selected(file.laws);
  model.traits = control::traits(model.law);
  model.supervised = !model.traits.allocates;
  model.effectiveness.controlled = model.traits.axes;
  model.landing = file.landing;
  model.wind = file.wind;
  model.airframe = airframe_of(model.vehicle);
  model.airframe.can_land = model.airframe.can_land && model.traits.points;
  model.surroundings = file.surroundings;
  model.allocation.objective = allocation::resolved(file.allocation);
  model.allocation.prove = true;
  model.allocation.drop_traces = control::behaviour(model.law) == control::Behaviour::kSafe;
  model.dead_bands = allocation::dead_bands(dead_bands_of(model.vehicle), model.effectiveness);
  model.power = allocation::power_model(file.power, model.effectiveness);
  model.estimation = file.estimation;
  model.safety = file.safety;
  model.detector = file.detector;
  // it knows the constant columns and the water of a craft with thrusters
  model.detector.enable = file.detector.enable && model.thrusters_only;
  model.body = body_model(model.vehicle, model.effectiveness);
  model.period = Duration::from_seconds(1.0 / file.control_rate_Hz);
  if (spec != nullptr) {
    model.has_mission = true;
    model.mission = mission::compile(*spec);
  }
  return model;
}

Generation::Generation(Configuration c)
    : configuration(std::move(c)),
      model(build_model(configuration.vehicle,
                        configuration.mission ? &*configuration.mission : nullptr,
                        configuration.generation)) {
  model.sends_efforts = configuration.sends_efforts;
}

}  // namespace pintle::craft
