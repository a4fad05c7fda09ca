#include "run_on_yarp.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <thread>

#include "import_sdf.h"
#include "input_faults.h"
#include "model_file.h"
#include "pintle/console/endpoint.h"
#include "pintle/simulation/input_spoiler.h"
#include "pintle/vehicle/jet_craft.h"
#include "pintle/vehicle/port_names.h"
#include "pintle/yarp_site/stack_site.h"
#include "pintle/yarp_world/serve.h"
#include "talk.h"
#include "verbs.h"
#include "yarp_ports.h"
#ifdef PINTLE_HAS_MUJOCO
#include "pintle/mujoco/plant_factory.h"
#endif

namespace pintle::app {
namespace {

namespace fs = std::filesystem;

/// What is served, and under which names.
struct Served {
  std::unique_ptr<yarp_world::Plant> plant;
  yarp_world::ServeNames names;
  double input_timeout_s = 1;
  std::string what;  ///< For a person.
};

yarp_world::ServeNames names_of(const vehicle::YarpPorts& p, const std::string& prefix,
                                bool with_state) {
  return {p.input_port,         p.thrust_port,
          p.d_thrust_port,      with_state ? prefix + "/state:o" : "",
          prefix + "/status:o", prefix + "/rpc:i"};
}

propulsion::JetModel jet_model(const std::string& name) {
  const auto value =
      enum_table<propulsion::JetModel>().value_of(name.empty() ? "first_order" : name);
  if (!value)
    throw CLI::ValidationError("--model",
                               "expected first_order, nonlinear or direct, got \"" + name + "\"");
  return static_cast<propulsion::JetModel>(*value);
}

void warn(const std::vector<config::Problem>& warnings) {
  if (!warnings.empty()) tell(config::to_string(warnings));
}

Served stand_of(const RunOnYarp& a) {
  const vehicle::JetsIni ini = vehicle::load_jets_ini(a.file);
  warn(ini.warnings);
  auto jets = vehicle::load_jets(a.file);
  for (auto& jet : jets) {
    jet.params.model = jet_model(a.model);
    for (const Finding& f : check(jet.params))
      if (f.is_error)
        throw config::ConfigError(config::Problem{
            {a.file, 1, 1}, "", jet.name + ": " + f.path + ": " + f.message, f.fix, true});
  }
  const vehicle::YarpPorts ports{ini.robot_name, ini.input_port, ini.thrust_port, ini.d_thrust_port,
                                 1};
  Served out;
  out.what =
      fmt::format("{} jets on a test stand: an .ini alone knows no body to move", jets.size());
  out.plant = yarp_world::make_stand(std::move(jets), Duration::from_seconds(0.001));
  out.names = names_of(ports, vehicle::folder_of_jets(ini.input_port), false);
  return out;
}

Served vehicle_of(const craft::VehicleFile& file, const world::WorldParams& world,
                  std::uint64_t seed, const fs::path& where) {
  if (!file.vehicle.yarp)
    throw config::ConfigError(config::Problem{
        {where.string(), 1, 1},
        "",
        "yarp: the vehicle has no such section, and so no ports",
        "write  yarp:  with  input-port-name: /jets/input:i  and  thrust-port-name: /jets/thrust:o",
        true});
  const vehicle::Vehicle nominal = vehicle::build(file.vehicle);
  for (const Finding& f : world::check(world, nominal))
    if (f.is_error)
      throw config::ConfigError(
          config::Problem{{where.string(), 1, 1}, "", "its world: " + f.message, f.fix, true});
  Served out;
  world::WorldOptions options;
#ifdef PINTLE_HAS_MUJOCO
  options.mujoco = mujoco::plant_factory();
#endif
  out.plant = yarp_world::make_world(
      [nominal, world, seed, options] { return world::World(nominal, world, seed, options); });
  const std::string folder = vehicle::folder_of_vehicle(file.vehicle.name);
  out.names = names_of(*file.vehicle.yarp, folder, true);
  if (file.vehicle.imu) out.names.imu = folder + "/imu:o";
  out.input_timeout_s = file.vehicle.yarp->input_timeout_s;
  out.what =
      fmt::format("{} in its world, {:.0f} steps a second", file.vehicle.name, 1 / world.step_s);
  return out;
}

/// On flat ground in still air, standing on its feet.
world::WorldParams open_field(const craft::VehicleFile& file) {
  world::WorldParams out;
  out.water.density_kg_m3 = 0;
  out.air.emplace();
  out.ground.emplace();
  out.odometry.rate_Hz = 100;
  double lowest = 0;
  for (const Vec3& foot : file.vehicle.body.feet_m) lowest = std::min(lowest, foot.z);
  out.start_position_m.z = -lowest;
  return out;
}

Served model_of(const RunOnYarp& a) {
  const SdfCraft sdf = read_sdf(a.file, true, {a.model_path.begin(), a.model_path.end()});
  warn(sdf.warnings);
  if (!sdf.jets)
    throw config::ConfigError(config::Problem{
        {a.file, 1, 1},
        "",
        "no plugin of this model has a <yarpConfigurationFile>: it has no jets and no ports",
        "write  <plugin …><yarpConfigurationFile>model://…/jets.ini</yarpConfigurationFile>",
        true});
  warn(sdf.jets->warnings);
  const vehicle::ImportedVehicle made = vehicle::import_jet_craft(
      {a.file, &sdf.structure, &*sdf.jets, jet_model(a.model)}, to_string(control::inner_law()));
  warn(made.warnings);
  const craft::VehicleFile file = craft::load_vehicle(
      a.file, nullptr, [&](const fs::path&) { return config::Document::parse(made.text, a.file); });
  return vehicle_of(file, open_field(file), a.seed.value_or(1), a.file);
}

Served mission_of(const RunOnYarp& a, const craft::MissionFile& mission) {
  return vehicle_of(mission.vehicle, mission.world, a.seed.value_or(mission.seed),
                    mission.vehicle_path);
}

Served mission_of(const RunOnYarp& a) {
  const craft::MissionFile mission = craft::load_mission(a.file);
  expect_no_input_faults(mission, a.file);
  warn(mission.warnings);
  return mission_of(a, mission);
}

yarp_world::ServeOptions serve_options(const RunOnYarp& a, const Served& served,
                                       const std::atomic<bool>* stop) {
  yarp_world::ServeOptions options;
  options.network.bind = a.bind;
  options.network.stopped = [stop] { return stop->load(); };
  options.names = served.names;
  options.input_timeout_s = a.input_timeout_s.value_or(served.input_timeout_s);
  options.lockstep = a.lockstep;
  options.stop = stop;
  if (!a.quiet) options.network.say = say_on_stderr;
  return options;
}

/// The world of a mission, served by a thread of its own as long as this lives.
class WorldBeside {
 public:
  /// @throws what keeps it from starting.
  WorldBeside(const RunOnYarp& a, const craft::MissionFile& mission)
      : served_(mission_of(a, mission)) {
    yarp_world::ServeOptions options = serve_options(a, served_, &stop_);
    options.network.stopped = [this, told = a.stop] { return stop_.load() || told->load(); };
    options.say = [this, quiet = a.quiet](const std::string& text) {
      if (!std::exchange(is_open_, true)) open_.set_value();  // it says nothing before
      if (!quiet) say_on_stderr(text);
    };
    options.what = served_.what;
    thread_ = std::thread([this, options] {
      try {
        yarp_world::serve(*served_.plant, options);
      } catch (const std::exception& e) {
        // later the stack is without a state, and does what its failsafes say
        if (is_open_)
          say_on_stderr(std::string("the world has ended: ") + e.what());
        else
          open_.set_exception(std::current_exception());
      }
    });
    try {
      open_.get_future().get();
    } catch (...) {
      thread_.join();
      throw;
    }
  }
  ~WorldBeside() {
    stop_ = true;
    thread_.join();
  }
  WorldBeside(const WorldBeside&) = delete;
  WorldBeside& operator=(const WorldBeside&) = delete;

 private:
  Served served_;
  std::atomic<bool> stop_{false};
  bool is_open_ = false;  ///< Of the thread.
  std::promise<void> open_;
  std::thread thread_;
};

}  // namespace

int serve_on_yarp(const RunOnYarp& a) {
  const auto format = model_format(a.file);
  const bool alone = format == ModelFormat::kJets, model = format == ModelFormat::kSdf;
  if (!alone && !model && !a.model.empty())
    throw CLI::ValidationError("--model",
                               "goes with an .ini or a model: a vehicle file says it itself");
  if (!model && !a.model_path.empty())
    throw CLI::ValidationError("--model-path", "goes with a model in SDF");
  if (alone && a.seed) throw CLI::ValidationError("--seed", "nothing is random on a test stand");
  const Served served = alone ? stand_of(a) : model ? model_of(a) : mission_of(a);

  yarp_world::ServeOptions options = serve_options(a, served, a.stop);
  if (!a.quiet) {
    options.say = say_on_stderr;
    options.what = served.what + "; Ctrl-C ends it";
  }
  yarp_world::serve(*served.plant, options);
  return kOk;
}

void check_over_ports(const craft::MissionFile& mission) {
  const std::string why = yarp_site::not_over_ports(mission.vehicle);
  if (why.empty()) return;
  throw config::ConfigError(config::Problem{{mission.vehicle_path.string(), 1, 1},
                                            "",
                                            "it cannot be flown over ports: " + why,
                                            "fly it in its simulated world, without --on",
                                            true});
}

flight::FlightResult fly_on_yarp(const RunOnYarp& a, craft::MissionFile mission,
                                 const flight::FlyOptions& options, const fs::path& endpoint) {
  // no tick is made without a state there, and the sensor not heard
  if (a.lockstep) mission.vehicle.failsafes.imu_silent.reset();
  if (a.with_world) expect_nothing_told(mission, a.file, "a port of YARP");
  std::optional<WorldBeside> world;
  if (a.with_world) world.emplace(a, mission);
  yarp_site::StackSiteOptions o;
  o.network.bind = a.bind;
  o.network.stopped = [stop = a.stop] { return stop->load(); };
  if (!a.quiet) o.network.say = say_on_stderr;
  const std::string vehicle = vehicle::folder_of_vehicle(mission.vehicle.vehicle.name);
  o.prefix = vehicle + "/stack";
  o.state_from = vehicle + "/state:o";
  o.thrust_from = mission.vehicle.vehicle.yarp->thrust_port;
  if (mission.vehicle.vehicle.imu) o.imu_from = vehicle + "/imu:o";
  o.command_to = mission.vehicle.vehicle.yarp->input_port;
  o.lockstep = a.lockstep;
  o.with_setpoint = a.planner;
  o.stop = a.stop;
  if (!endpoint.empty())
    o.command = [endpoint](const std::string& words) {
      try {
        const console::EndpointReply reply =
            console::ask_endpoint(endpoint, words, mission::Operator::kYarp);
        return reply.kind + "\n" + reply.text;
      } catch (const std::runtime_error& e) {
        return std::string("failed\n") + e.what() + "\n";
      }
    };
  yarp_site::StackSite site(mission, std::move(o));
  // the two halves find each other by name only, and each would wait for the other
  if (a.with_world && a.lockstep && !site.is_named())
    throw config::ConfigError(config::Problem{{"--lockstep", 1, 1},
                                              "",
                                              "no YARP name server answers",
                                              "start  pintle yarp server  first",
                                              true});
  if (!a.quiet)
    say_on_stderr("state from " + vehicle + "/state:o, commands to " +
                  mission.vehicle.vehicle.yarp->input_port +
                  (site.is_named() ? "" : "; no name server answers: start  pintle yarp server"));
  flight::FlyOptions with = options;
  with.planner = a.planner;
  if (a.planner && !a.quiet)
    with.watch = [next = options.watch, port = vehicle + "/stack/setpoint:i", quiet_until = Time{}](
                     const stack::Model& model, const stack::Inputs& in,
                     const stack::Outputs& out) mutable {
      if (next) next(model, in, out);
      if (out.setpoint_answer.refusal == control::SetpointRefusal::kNone || in.now < quiet_until)
        return;
      quiet_until = in.now + Duration::from_seconds(2);
      say_on_stderr(port +
                    ": refused: expected finite numbers, a quaternion of length 1, modes 0 to 2 "
                    "and a wrench that the vehicle accepts; the setpoint before it stays");
    };
  if (!a.with_world) return flight::fly(mission, site, with);
  simulation::SpoiltSite spoilt(site, mission, flight::seed_of(mission, options));
  return flight::fly(mission, spoilt, with);
}

}  // namespace pintle::app
