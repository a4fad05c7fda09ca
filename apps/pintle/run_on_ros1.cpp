#include "run_on_ros1.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "input_faults.h"
#include "pintle/ros1_site/site.h"
#include "stop.h"
#include "verbs.h"

namespace pintle::app {
namespace {

namespace fs = std::filesystem;

volatile sig_atomic_t asked_to_stop = 0;
extern "C" void on_stop(int) { asked_to_stop = 1; }

/// Beside this program, in a build tree or below a prefix.
fs::path find_bridge() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../../ros1", "../lib/pintle/ros1"}) {
    fs::path folder = fs::canonical(self / place, error);
    if (!error && fs::exists(folder / "lib/pintle_ros1_bus.so", error)) return folder;
  }
  throw config::ConfigError(config::Problem{
      {"--on ros1", 1, 1},
      "",
      "the ROS 1 bridge is not here",
      "install the package pintle-ros1; or ROS 1 with  scripts/setup --ros1 , build again with  "
      "make build  and start build/release/apps/pintle/pintle",
      true});
}

std::string flag(const char* name, bool value) {
  return fmt::format("_{}:={}", name, value ? "true" : "false");
}

pid_t start(const fs::path& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  // a pid of -1, handed to kill(), would mean everybody
  if (child < 0) throw std::system_error(errno, std::generic_category(), program.string());
  if (child != 0) return child;
  // neither outlives this program, however it ends
  prctl(PR_SET_PDEATHSIG, SIGINT);
  execv(program.c_str(), argv.data());
  _exit(127);
}

void check_for_planner(const craft::MissionFile& mission) {
  const auto each_axis = [](const control::LawTraits& t) { return t.each_axis; };
  const control::Law law = mission.vehicle.laws.law;
  if (each_axis(control::traits(law))) return;
  throw config::ConfigError(config::Problem{
      {mission.vehicle_path.string(), 1, 1},
      "",
      fmt::format("law: a planner's control types mean six axes that move one by one, as under "
                  "`{}`, and not under `{}`",
                  control::names_of_laws(each_axis), to_string(law)),
      "fly its mission, without --planner",
      true});
}

}  // namespace

int run_planner_on_ros1(const RunOnRos1& a) {
  // what is wrong in the files is told here, once, and not by two programs
  const craft::MissionFile mission = craft::load_mission(a.mission);
  check_for_planner(mission);
  expect_no_input_faults(mission, a.mission);
  if (a.with_world) expect_nothing_told(mission, a.mission, "node `controls`' /state");
  const fs::path bridge = find_bridge() / "share";
  const std::string file = fs::absolute(a.mission).string();
  const control::LoopSwitches loops = control::switches(mission.vehicle.laws);

  end_on_signals(on_stop);
  std::vector<pid_t> children{
      start(bridge / "controls/controls",
            {"_file:=" + file, flag("enable_position_pid", loops.position),
             flag("enable_velocity_pid", loops.velocity), flag("cascaded_pid", loops.cascaded)})};
  if (a.with_world)
    children.push_back(start(bridge / "pintle_world/world",
                             {"_mission:=" + file, fmt::format("_seed:={}", a.seed)}));
  if (!a.quiet)
    fmt::print(stderr, "{} on ROS 1, {}; Ctrl-C ends it\n", mission.vehicle.vehicle.name,
               a.with_world ? "in its simulated world" : "waiting for the /state of its world");

  // the first that ends, by itself or because of Ctrl-C, takes the other with it
  int status = 0;
  pid_t first = 0;
  while (first == 0 && asked_to_stop == 0) {
    first = waitpid(-1, &status, WNOHANG);
    if (first == 0) usleep(20'000);
  }
  const bool wanted = asked_to_stop != 0;
  for (const pid_t child : children)
    if (child != first) kill(child, SIGINT);
  while (waitpid(-1, &status, 0) > 0 || errno == EINTR) continue;
  return wanted ? kOk : kRunTimeFault;
}

void check_over_topics(const craft::MissionFile& mission) {
  const std::string why = ros1_site::not_over_topics(mission.vehicle);
  if (why.empty()) return;
  throw config::ConfigError(config::Problem{{mission.vehicle_path.string(), 1, 1},
                                            "",
                                            "it cannot be flown over topics: " + why,
                                            "fly it in its simulated world, without --world",
                                            true});
}

simulation::RunResult fly_on_ros1(const RunOnRos1& a, const craft::MissionFile& mission,
                                  const simulation::RunOptions& options) {
  ros1_site::BusOptions o;
  o.node = "pintle";
  o.with_craft = a.with_world;
  o.with_clock = a.with_world && a.lockstep;
  o.stop = a.stop;
  const ros1_site::BusPtr bus = ros1_site::open_bus(find_bridge() / "lib/pintle_ros1_bus.so", o);
  if (!a.quiet)
    fmt::print(stderr, "{} on ROS 1, {}\n", mission.vehicle.vehicle.name,
               a.with_world ? "in its simulated world" : "waiting for the /state of its craft");
  if (a.with_world) {
    simulation::RunOptions with = options;
    with.site.real_time = !a.lockstep;
    with.over = [&](simulation::SimulatedSite& world) -> std::unique_ptr<flight::Site> {
      return std::make_unique<ros1_site::SimulatedOverBus>(world, *bus, bus->now_ns());
    };
    return simulation::run(mission, with);
  }
  flight::FlyOptions with = options;
  with.sends_efforts = true;
  ros1_site::StackSite site(*bus);
  return flight::fly(mission, site, with);
}

}  // namespace pintle::app
