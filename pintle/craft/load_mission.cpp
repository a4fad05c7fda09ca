#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "pintle/craft/file_kind.h"
#include "pintle/craft/file_tables.h"
#include "pintle/craft/load.h"
#include "pintle/craft/read_vehicle.h"
#include "pintle/world_params/check_vehicle.h"

namespace pintle::craft {
namespace {

namespace fs = std::filesystem;
using config::Document;
using config::Node;
using config::Problem;
using config::Reader;

/// What `findings` say that `told` does not.
Findings without(Findings findings, const Findings& told) {
  std::erase_if(findings, [&told](const Finding& f) {
    return std::any_of(told.begin(), told.end(), [&f](const Finding& t) {
      return t.path == f.path && t.message == f.message;
    });
  });
  return findings;
}

/// Names and targets of states are followed through the whole mission: with a part of it unreadable
/// nothing can be said about them.
bool follows_states(const Finding& f) {
  for (const std::string_view end : {".name", ".on_success", ".on_failure", ".on_abort"})
    if (f.path.ends_with(end)) return true;
  return f.path == "start" || f.path == "abort" || f.path == "states";
}

/// A file that exists and was probably meant, as the mission would write it; "" if none comes to
/// mind.
std::string file_meant(const fs::path& folder, const fs::path& written) {
  std::error_code none;
  // the right path from another folder
  fs::path up = "..";
  for (int i = 0; i < 3; ++i, up /= "..")
    if (fs::is_regular_file(folder / up / written, none)) return (up / written).generic_string();
  // a neighbour with nearly the same name
  std::vector<std::string> names;
  const fs::path where = folder / written.parent_path();
  for (fs::directory_iterator it(where.empty() ? "." : where, none), end; !none && it != end;
       it.increment(none))
    if (it->is_regular_file(none)) names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string name =
      config::did_you_mean(written.filename().string(), {names.begin(), names.end()});
  return name.empty() ? "" : (written.parent_path() / name).generic_string();
}

/// States that ask for what the law has no hands for.
Findings check_law(control::Law law, const mission::MissionSpec& spec) {
  const bool allocates = control::traits(law).allocates;
  const auto has_flight_controller = [](const control::LawTraits& t) { return !t.allocates; };
  Findings out;
  const auto lands = [](const mission::StateSpec& s) {
    return s.request == mission::Request::kLand;
  };
  if (!allocates && std::none_of(spec.states.begin(), spec.states.end(), lands))
    out.push_back({"mission.abort", "nothing on it lands: latched or hurt it stays in the air",
                   "give the abort path a state with  request: land", false});
  for (std::size_t i = 0; i < spec.states.size(); ++i) {
    const mission::StateSpec& s = spec.states[i];
    const std::string at = "mission.states[" + std::to_string(i) + "].";
    const mission::WrenchGoal& w = s.wrench;
    const bool wrench = w.x || w.y || w.z || w.roll || w.pitch || w.yaw;
    const bool aircraft = s.request != mission::Request::kNone ||
                          s.servo.target != mission::TargetChoice::kNone ||
                          s.search.pattern != mission::SearchPattern::kNone;
    if (!allocates && wrench)
      out.push_back({at + "wrench", "a flight controller takes velocities, not wrenches",
                     "write  velocity  or  go", true});
    if (!allocates && s.land)
      out.push_back(
          {at + "land", "this craft does not land on an engine", "write  request: land", true});
    if (allocates && aircraft)
      out.push_back({at + "name", "requests and targets are for craft with a flight controller",
                     "write  law: " + control::names_of_laws(has_flight_controller) +
                         "  into this mission, or take them out",
                     true});
  }
  return out;
}

/// States that land on an engine, on a craft that cannot.
Findings check_landing(const VehicleFile& file, const mission::MissionSpec& spec) {
  Findings out;
  const control::LawTraits law = control::traits(file.laws.law);
  if (!law.allocates) return out;
  const bool engine =
      std::any_of(file.vehicle.propulsors.begin(), file.vehicle.propulsors.end(),
                  [](const vehicle::PropulsorSpec& p) { return p.type == "booster"; });
  for (std::size_t i = 0; i < spec.states.size(); ++i) {
    if (!spec.states[i].land) continue;
    const std::string at = "mission.states[" + std::to_string(i) + "].land";
    if (!law.points)
      out.push_back({at, "this craft's law does not land on an engine",
                     "write  law: " + control::names_of_laws([](const control::LawTraits& t) {
                       return t.points;
                     }) + "  into the vehicle, or take  land  out",
                     true});
    else if (!engine)
      out.push_back({at, "this craft has no engine that lights",
                     "give it a propulsor of  type: booster, or go down with  go  or  velocity",
                     true});
    else if (file.vehicle.body.feet_m.empty())
      out.push_back({at, "this craft has no feet to stand on",
                     "write  feet_m  into the vehicle's  body", true});
  }
  return out;
}

class MissionLoader {
 public:
  MissionLoader(const fs::path& path, const FileSource& open)
      : open_(open), folder_(path.parent_path()), document_(open(path)), reader_(document_) {
    require_kind(document_, FileKind::kMission);
    keep(path.filename(), document_);
  }

  MissionFile load() {
    read_top();
    if (root().find("vehicle") != nullptr) read_vehicle_file();
    read_overrides();
    read_world();
    check_mission();
    check_wrenches();
    reader_.add(check_law(out_.vehicle.laws.law, out_.mission), root());
    reader_.add(check_landing(out_.vehicle, out_.mission), root());
    reader_.add(check_goals(out_.vehicle.failsafes, out_.mission), root());
    return finish();
  }

 private:
  [[nodiscard]] const Node& root() const noexcept { return document_.root(); }

  /// The text of a document under the name that a replay will ask for: the path as the mission
  /// writes it.
  void keep(const fs::path& as_written, const Document& document) {
    out_.files.emplace_back(as_written.lexically_normal().generic_string(), document.text());
  }

  void read_top() {
    check_format(reader_, document_, FileKind::kMission);
    config::ReadOptions options;
    options.ignore = {"world"};
    options.ignore.insert(options.ignore.end(), overrides().begin(), overrides().end());
    // what only the vehicle file may say gets an answer of its own
    for (const Node::Entry& entry : root().entries)
      if (table_of<VehicleFile>().find(entry.key) != nullptr &&
          table_of<MissionTop>().find(entry.key) == nullptr &&
          std::find(overrides().begin(), overrides().end(), entry.key) == overrides().end()) {
        options.ignore.push_back(entry.key);
        reader_.error(entry.key_where,
                      entry.key + ": belongs to the vehicle, no mission changes it",
                      "write it into the vehicle file, or into a copy of that");
      }
    // "text, such as name" would help nobody to write a path
    static const Table table = [] {
      Table t = table_of<MissionTop>();
      for (Field& field : t.fields)
        if (field.name == "vehicle") field.required = false;
      return t;
    }();
    if (root().find("vehicle") == nullptr)
      reader_.error(root().where, "vehicle: missing; expected the path of a vehicle file",
                    "write the path from the folder of this file, such as  vehicle: "
                    "../vehicles/oogway.yaml");
    reader_.read(root(), table, &top_, options);
    out_.name = top_.name;
    out_.description = top_.description;
    out_.seed = top_.seed;
    out_.mission = top_.mission;
    out_.input_faults = top_.input_faults;
  }

  /// Opens a file that the mission names under `key`. What is wrong with the file as a whole is
  /// said where it is named; nullopt then.
  std::optional<Document> open_named(std::string_view key, const std::string& written,
                                     FileKind kind, const char* what) {
    const auto refuse = [&](const std::string& message, std::string fix) {
      reader_.error(document_.location_of(key), std::string(what) + ": " + message, std::move(fix));
    };
    if (written.empty()) {
      refuse("expected the path of a file", "write the path of a " + std::string(to_string(kind)) +
                                                " file, from the folder of this one");
      return std::nullopt;
    }
    const fs::path path = (folder_ / written).lexically_normal();
    try {
      Document document = open_(path);
      const FileKind found = kind_of(document);
      if (found == kind) {
        keep(written, document);
        return document;
      }
      refuse(written + " is a " + std::string(to_string(found)) + " file",
             "name a " + std::string(to_string(kind)) + " file here");
    } catch (const config::ConfigError& e) {
      for (const Problem& p : e.problems()) {
        if (p.where.line > 0) {
          others_.push_back(p);
          continue;
        }
        const std::string near = file_meant(folder_, written);
        refuse(p.message + " (" + path.generic_string() + ")",
               near.empty() ? "write the path of a " + std::string(to_string(kind)) +
                                  " file, from the folder of this one"
                            : "did you mean  " + near);
      }
    }
    return std::nullopt;
  }

  void read_vehicle_file() {
    if (!root().find("vehicle")->is_scalar()) return;
    const std::optional<Document> document =
        open_named("vehicle", top_.vehicle, FileKind::kVehicle, "vehicle");
    if (!document) return;
    out_.vehicle_path = (folder_ / top_.vehicle).lexically_normal();
    Reader reader(*document);
    out_.vehicle = read_vehicle(reader, *document, out_.vehicle_path.stem().string());
    for (const auto& [name, found] :
         read_camera(reader, *document, out_.vehicle_path, open_, out_.vehicle, others_))
      keep(fs::path(top_.vehicle).parent_path() / name, found);
    if (!reader.has_errors())
      reader.add(check_matrix_files(out_.vehicle, *document, out_.vehicle_path), document->root());
    others_.insert(others_.end(), reader.problems().begin(), reader.problems().end());
    out_.vehicle_alone = out_.vehicle;
    if (!reader.has_errors()) vehicle_ = vehicle::build(out_.vehicle.vehicle);
  }

  void read_overrides() {
    const Findings told = check_sections(out_.vehicle);
    // the vehicle's table, narrowed to what a mission may put over it
    static const Table table = [] {
      Table t = table_of<VehicleFile>();
      std::erase_if(t.fields, [](const Field& f) {
        return std::find(overrides().begin(), overrides().end(), f.name) == overrides().end();
      });
      return t;
    }();
    config::ReadOptions options;
    options.partial = true;
    options.ignore_unknown = true;
    reader_.read(root(), table, &out_.vehicle, options);
    reader_.add(without(check_sections(out_.vehicle), told), root());
  }

  /// Faults must name propulsors, as far as these are known.
  [[nodiscard]] Findings check_world(const world::WorldParams& world) const {
    return vehicle_ ? world::check(world, *vehicle_) : check(world);
  }

  void read_world() {
    if (const Node* node = root().find("world")) {
      const Node* file = node->find("file");
      if (file != nullptr && file->is_scalar()) read_world_file(file->scalar);
      const Findings told = check_world(out_.world);
      // what stands beside `file:` goes over it
      WorldSection section;
      section.params = out_.world;
      config::ReadOptions options;
      options.partial = true;
      reader_.read(*node, section, options);
      out_.world = section.params;
      reader_.add(without(check_world(out_.world), told), *node);
    }
    // the faults of the mission stand at its top level
    world::WorldParams only_faults;
    only_faults.faults = top_.faults;
    only_faults.device_faults = top_.device_faults;
    reader_.add(check_world(only_faults), root());
    out_.world.faults.insert(out_.world.faults.end(), top_.faults.begin(), top_.faults.end());
    out_.world.device_faults.insert(out_.world.device_faults.end(), top_.device_faults.begin(),
                                    top_.device_faults.end());
  }

  void read_world_file(const std::string& written) {
    const std::optional<Document> document =
        open_named("world.file", written, FileKind::kWorld, "file");
    if (!document) return;
    Reader reader(*document);
    check_format(reader, *document, FileKind::kWorld);
    reader.read(document->root(), out_.world);
    reader.add(check_world(out_.world), document->root());
    others_.insert(others_.end(), reader.problems().begin(), reader.problems().end());
  }

  void check_mission() {
    if (const Node* node = root().find("mission")) {
      Findings findings = check(out_.mission);
      if (!reader_.is_sound(root(), "mission")) std::erase_if(findings, follows_states);
      reader_.add(findings, *node);
    }
    if (const Node* node = root().find("input_faults"))
      reader_.add(check(out_.input_faults), *node);
  }

  /// Wrenches that a state asks for must lie inside what the control law accepts.
  void check_wrenches() {
    if (!vehicle_) return;
    Findings findings;
    const auto limits = control::wrench_limits(control::selected(out_.vehicle.laws));
    for (std::size_t i = 0; i < out_.mission.states.size(); ++i) {
      const mission::WrenchGoal& w = out_.mission.states[i].wrench;
      const std::array goals{w.x, w.y, w.z, w.roll, w.pitch, w.yaw};
      for (std::size_t a = 0; a < kAxes; ++a) {
        const control::WrenchLimit& limit = limits[a];
        if (!goals[a] || (*goals[a] >= limit.min && *goals[a] <= limit.max)) continue;
        const std::string name(kAxisNames[a]);
        const std::string nearest = config::shortest(*goals[a] > limit.max ? limit.max : limit.min);
        findings.push_back(
            {fmt::format("mission.states[{}].wrench.{}", i, name),
             "the vehicle accepts " + config::shortest(limit.min) + " to " +
                 config::shortest(limit.max) + ", got " + config::shortest(*goals[a]),
             fmt::format("write  {}: {}  or widen control.desired_wrench_limits", name, nearest)});
      }
    }
    reader_.add(findings, root());
  }

  MissionFile finish() {
    out_.warnings = craft::finish(reader_, others_);
    return std::move(out_);
  }

  const FileSource& open_;
  fs::path folder_;
  Document document_;
  Reader reader_;
  std::vector<Problem> others_;  ///< Of the vehicle and the world file.
  MissionTop top_;
  MissionFile out_;
  std::optional<vehicle::Vehicle> vehicle_;  ///< When its file is sound.
};

}  // namespace

Findings check_goals(const FailsafeParams& failsafes, const mission::MissionSpec& spec) {
  Findings out;
  for (std::size_t i = 0; i < spec.states.size(); ++i) {
    const mission::StateSpec& s = spec.states[i];
    const auto at = [&](const char* key, const mission::PoseGoal& goal) {
      // what is not given is taken for good: the middle of the fence
      FailsafeParams f = failsafes;
      if (!goal.z_m) f.height.reset(), f.depth.reset();
      const Fence fence = f.fence.value_or(Fence{});
      const auto past = beyond(f, {goal.x_m.value_or(fence.center_x_m),
                                   goal.y_m.value_or(fence.center_y_m), goal.z_m.value_or(0)});
      if (past)
        out.push_back({fmt::format("mission.states[{}].{}", i, key),
                       fmt::format("past the vehicle's failsafes.{}", pintle::to_string(*past)),
                       "write a place inside, or change the limit in the vehicle file", true});
    };
    mission::PoseGoal height;
    at("go", s.go);
    height.z_m = s.servo.height_m;
    if (s.servo.target != mission::TargetChoice::kNone) at("servo.height_m", height);
    height.z_m = s.search.climb_to_m;
    if (s.search.pattern != mission::SearchPattern::kNone) at("search.climb_to_m", height);
  }
  return out;
}

MissionFile load_mission(const fs::path& path, const FileSource& open) {
  return MissionLoader(path, open).load();
}

}  // namespace pintle::craft
