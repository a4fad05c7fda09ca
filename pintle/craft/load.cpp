#include "pintle/craft/load.h"

#include <algorithm>

#include "pintle/craft/file_kind.h"
#include "pintle/craft/import.h"
#include "pintle/craft/read_vehicle.h"
#include "pintle/vehicle/effectiveness.h"
#include "pintle/vehicle/vision_files.h"

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

/// Silent, it is no sensor that it could come down by.
Findings check_imu(const VehicleFile& file) {
  const OnStateLost action = file.safety.on_state_lost.value_or(OnStateLost::kOff);
  if (!control::traits(file.laws.law).carries_itself() || action == OnStateLost::kOff ||
      !file.vehicle.imu || file.failsafes.imu_silent)
    return {};
  return {
      {"imu_silent", "it comes down by its inertial sensor, and nothing says when that is silent",
       "write  imu_silent: {limit_s: 0.3, after_s: 0.3, action: abort}  under  failsafes", false}};
}

/// Upside down nothing keeps it up.
Findings check_tilt(const VehicleFile& file) {
  if (!control::traits(file.laws.law).carries_itself() || file.failsafes.tilt) return {};
  return {{"tilt", "this craft flies, and nothing says what it does when it has tipped over",
           "write  tilt: {limit_deg: 60, after_s: 0.3, action: off}  under  failsafes", false}};
}

/// Rows that can never come on under the craft's law.
Findings check_dead_rows(const VehicleFile& file) {
  const control::LawTraits t = control::traits(file.laws.law);
  Findings out;
  const auto dead = [&out](bool stands, bool lives, const char* row, const char* why) {
    if (stands && !lives) out.push_back({row, why, "leave it out", false});
  };
  const FailsafeParams& f = file.failsafes;
  // behind a flight controller the same craft may be flown by another law
  dead(f.crash.has_value(), t.flies, "crash", "it never comes on: only what flies feels a blow");
  dead(f.on_ground.has_value(), t.flies, "on_ground", "it never comes on: this craft does not fly");
  dead(f.height_lost.has_value(), t.allocates, "height_lost",
       "it never comes on: this law asks for no height");
  dead(f.flight_silent.has_value(), !t.allocates || t.flies, "flight_silent",
       "it never comes on: this craft has no flight controller");
  const double feels_Hz =
      file.vehicle.imu ? std::min(file.vehicle.imu->rate_Hz, file.control_rate_Hz) : 0;
  dead(
      f.vibration.has_value(), t.carries_itself() && feels_Hz * estimation::kImuStale_s >= 1,
      "vibration",
      "it never comes on: this craft does not carry itself, has no inertial sensor (imu), or feels "
      "it less than ten times a second");
  dead(f.imu_silent.has_value(), t.flies && file.vehicle.imu, "imu_silent",
       "this craft does not fly, or has no inertial sensor (imu)");
  dead(f.ground_near.has_value(), t.allocates && !t.flies, "ground_near",
       "it never comes on: what flies comes to the ground each time it lands");
  return out;
}

/// The figures of its thruster, if it has any.
const propulsion::ElectricalParams* electrical_of(const propulsion::Propulsor& p) {
  const auto* thruster = std::get_if<propulsion::Thruster>(&p);
  return thruster != nullptr && thruster->params().electrical ? &*thruster->params().electrical
                                                              : nullptr;
}

/// A cap needs no number where every thruster knows what it draws.
Findings check_power(const VehicleFile& file) {
  Findings out = check(file.power);
  if (out.empty()) return out;
  const auto knows = [&file](const vehicle::PropulsorSpec& p) {
    const propulsion::ThrusterParams* t = p.thruster ? &*p.thruster : nullptr;
    for (const vehicle::NamedThruster& type : file.vehicle.thruster_types)
      if (type.name == p.use) t = &type.thruster;
    return t != nullptr && (t->electrical || propulsion::library_electrical(t->library) != nullptr);
  };
  const auto& all = file.vehicle.propulsors;
  if (!all.empty() && std::all_of(all.begin(), all.end(), knows))
    std::erase_if(out, [](const Finding& f) {
      return f.path == "full_power_W" && f.message.starts_with("missing");
    });
  return out;
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
  add("power", check_power(file));
  add("alarms", check(file.alarms));
  add("safety", check(file.safety));
  add("failsafes", check(file.failsafes));
  add("failsafes", check_tilt(file));
  add("failsafes", check_imu(file));
  add("failsafes", check_dead_rows(file));
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

std::vector<std::pair<fs::path, Document>> read_camera(Reader& reader, const Document& document,
                                                       const fs::path& path, const FileSource& open,
                                                       VehicleFile& file,
                                                       std::vector<config::Problem>& others) {
  std::vector<std::pair<fs::path, Document>> found;
  const Node* node = document.root().find("camera");
  if (!file.vehicle.camera || node == nullptr || !reader.is_sound(document.root(), "camera"))
    return found;
  vehicle::Camera& camera = *file.vehicle.camera;
  const auto read = [&](const std::string& key, const std::string& name, auto reading, auto& out) {
    if (name.empty()) return;
    const fs::path from = (path.parent_path() / name).lexically_normal();
    try {
      Document other = open(from);
      Reader of_other(other);
      reading(of_other, other, out);
      others.insert(others.end(), of_other.problems().begin(), of_other.problems().end());
      found.emplace_back(name, std::move(other));
    } catch (const config::ConfigError& e) {
      for (const config::Problem& p : e.problems())
        if (p.where.line > 0)
          others.push_back(p);
        else
          reader.error(document.location_of("camera." + key),
                       key + ": " + p.message + " (" + from.generic_string() + ")",
                       "write the path of the file, from the folder of this one");
    }
  };
  if (const Node* twice = node->find("calibration"); twice != nullptr && !camera.file.empty())
    reader.error(twice->where, "calibration: the file says it already", "write one of the two");
  vehicle::CameraFile calibration{"", camera.calibration};
  read("file", camera.file, vehicle::read_camera_file, calibration);
  camera.calibration = calibration.model;
  if (!camera.marker.empty())
    read("marker", camera.marker, vehicle::read_marker_file, camera.car_markers.emplace());
  if (!camera.circle.empty())
    read("circle", camera.circle, vehicle::read_circle_file, camera.ring.emplace());
  if (!camera.pad_marker.empty())
    read("pad_marker", camera.pad_marker, vehicle::read_marker_file, camera.pad_markers.emplace());
  return found;
}

std::vector<config::Problem> finish(Reader& reader, const std::vector<config::Problem>& others) {
  std::vector<config::Problem> all;
  try {
    all = reader.finish();
  } catch (const config::ConfigError& e) {
    all = e.problems();
  }
  all.insert(all.end(), others.begin(), others.end());
  if (std::any_of(all.begin(), all.end(), [](const auto& p) { return p.is_error; }))
    throw config::ConfigError(std::move(all));
  return all;
}

VehicleFile load_vehicle(const fs::path& path, std::vector<config::Problem>* warnings,
                         const FileSource& open) {
  const Document document = open(path);
  Reader reader(document);
  VehicleFile file = read_vehicle(reader, document, path.stem().string());
  std::vector<config::Problem> others;
  (void)read_camera(reader, document, path, open, file, others);
  if (!reader.has_errors()) reader.add(check_matrix_files(file, document, path), document.root());
  const std::vector<config::Problem> found = finish(reader, others);
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

/// By the numbers of the file, or else by those of each thruster, where a cap asks for them.
allocation::PowerModel power_of(const allocation::PowerParams& params,
                                const vehicle::Vehicle& vehicle,
                                const Effectiveness& effectiveness) {
  allocation::PowerModel model = allocation::power_model(params, effectiveness);
  const bool is_capped = params.max_power_W > 0 || params.max_current_A > 0;
  if (params.full_power_W > 0 || !is_capped) return model;
  std::size_t channel = 0;
  for (const vehicle::Propulsor& p : vehicle.propulsors) {
    if (const propulsion::ElectricalParams* e = electrical_of(p.model)) {
      model.idle_W[channel] = propulsion::power_W(*e, 0);
      model.full_W[channel] =
          propulsion::power_W(*e, model.largest[channel]) - model.idle_W[channel];
    }
    channel += propulsion::channels(p.model);
  }
  return model;
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
  model.whole_axes = model.traits.axes & allocation::reachable_axes(model.effectiveness, nullptr);
  model.landing = file.landing;
  model.wind = file.wind;
  model.airframe = airframe_of(model.vehicle);
  model.airframe.can_land = model.airframe.can_land && model.traits.points;
  model.surroundings = file.surroundings;
  model.allocation.objective = allocation::resolved(file.allocation);
  model.allocation.prove = true;
  model.allocation.drop_traces = control::behaviour(model.law) == control::Behaviour::kSafe;
  model.dead_bands = allocation::dead_bands(dead_bands_of(model.vehicle), model.effectiveness);
  model.power = power_of(file.power, model.vehicle, model.effectiveness);
  model.caps_power = model.power.is_modelled();
  model.alarms = file.alarms;
  model.estimation = file.estimation;
  model.safety = file.safety;
  model.failsafe = file.failsafes;
  model.failsafes = rows_of(file.failsafes);
  model.detector = file.detector;
  // it knows constant columns and lags of one number
  model.detector.enable =
      file.detector.enable &&
      std::all_of(model.vehicle.propulsors.begin(), model.vehicle.propulsors.end(),
                  [](const vehicle::Propulsor& p) {
                    return std::holds_alternative<propulsion::Thruster>(p.model) ||
                           std::holds_alternative<propulsion::PropellerParams>(p.model);
                  });
  model.body = body_model(model.vehicle, model.effectiveness);
  if (model.detector.enable && model.detector.excitation.effort > 0)
    model.freedom = estimation::freedom_of(model.body);
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
  model.single_precision = configuration.single_precision;
  model.least_effort = configuration.least_effort;
}

}  // namespace pintle::craft
