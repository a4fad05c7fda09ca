#include "pintle/simulation/run.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "input_faults.h"
#include "listen.h"
#include "live.h"
#include "model_file.h"
#include "optional_rooms.h"
#include "pintle/config/reader.h"
#include "printed.h"
#include "run_folder.h"
#include "run_on_ros1.h"
#include "run_on_serial.h"
#include "run_on_yarp.h"
#include "stop.h"
#include "talk.h"
#include "terminal.h"
#include "verbs.h"
#include "whole_number.h"

namespace pintle::app {
namespace {

struct RunArguments {
  std::string mission, out_dir, on, world = "simulated", listen, truth;
  int fifo = 0;
  std::uint64_t seed = 0;
  bool has_seed = false, json = false, quiet = false, real_time = false, no_log = false,
       overwrite = false, waits = false;
  double speed = 1;
  std::vector<std::string> set, at;
  RunOnYarp yarp;
  LiveArguments live;
  double input_timeout_s = 0;
};

/// A world on ports has no stack: what is asked of one is refused.
void refuse_stack_options(const CLI::App& verb) {
  for (const char* option : {"--planner", "--set", "--at", "--out", "--overwrite", "--real-time",
                             "--json", "--listen", "--no-log", "--live", "--wait"})
    if (verb.count(option) > 0)
      throw CLI::ValidationError(option,
                                 "is for a stack, and this is a world that others fly: write  "
                                 "--world simulated  to fly it here, too, or  --world elsewhere  "
                                 "to fly one of somebody else over ports");
}

/// What is no mission has a way of its own, which the reader of missions would not find.
void expect_mission(const RunArguments& a) {
  std::optional<ModelFormat> format;
  try {
    format = model_format(a.mission);
  } catch (const config::ConfigError&) {
    return;  // the reader says it, too
  }
  if (!format) return;
  const bool jets = *format == ModelFormat::kJets;
  if (!jets && *format != ModelFormat::kSdf)
    throw CLI::ValidationError(
        a.mission,
        "expected a mission, and this is a model: make a vehicle of it with  pintle import " +
            a.mission + " --jets jets.ini --out vehicle.yaml,  and a mission that names it");
  if (a.world == "served") return;
  throw CLI::ValidationError(
      a.mission, std::string("expected a mission, and this is ") +
                     (jets ? "an .ini of the jets plugin" : "a model in SDF") +
                     ": to serve it on ports write  pintle run " + a.mission + " --on yarp");
}

int serve_world_on_yarp(const RunArguments& a) {
  RunOnYarp on = a.yarp;
  on.file = a.mission;
  on.quiet = a.quiet;
  if (a.has_seed) on.seed = a.seed;
  on.stop = &stop_safely_on_signals();
  return serve_on_yarp(on);
}

int run_on(const RunArguments& a) {
  if (a.on == "yarp") return serve_world_on_yarp(a);
  const std::pair<const char*, bool> stack_only[] = {
      {"--set", !a.set.empty()},       {"--at", !a.at.empty()}, {"--out", !a.out_dir.empty()},
      {"--overwrite", a.overwrite},    {"--json", a.json},      {"--no-log", a.no_log},
      {"--real-time", a.real_time},    {"--wait", a.waits},     {"--listen", !a.listen.empty()},
      {"--lockstep", a.yarp.lockstep}, {"--live", a.live.given}};
  for (const auto& [option, given] : stack_only)
    if (given)
      throw CLI::ValidationError(option,
                                 "is for a mission, and with --planner none is flown: the node "
                                 "controls has its own parameters and ~log");
  RunOnRos1 on;
  on.mission = a.mission;
  on.seed = a.seed;
  on.with_world = a.world == "simulated";
  on.quiet = a.quiet;
  return run_planner_on_ros1(on);
}

/// "control.scale=0.5@10": path, value, time.
flight::ScheduledChange parse_change(const std::string& text) {
  const std::size_t equal = text.find('=');
  const std::size_t at = text.find('@', equal == std::string::npos ? 0 : equal);
  const auto value =
      equal == std::string::npos
          ? std::nullopt
          : config::parse_number(std::string_view(text).substr(equal + 1, at - equal - 1));
  const auto time = at == std::string::npos
                        ? std::optional<double>(0.0)
                        : config::parse_number(std::string_view(text).substr(at + 1));
  if (!value || !time)
    throw CLI::ValidationError("--set", "expected PATH=VALUE or PATH=VALUE@SECONDS, got " + text +
                                            ", write for example control.scale=0.5@10");
  return {*time, text.substr(0, equal), *value};
}

/// The simulated world so many times as fast as the wall clock goes.
void pace(double speed, simulation::RunOptions& options) {
  using Clock = flight::Pacer::Clock;
  options.site.real_time = false;
  options.ask = [speed, pacer = flight::Pacer(Clock::now()), before = options.ask](
                    const stack::Model& model, const stack::Outputs& last,
                    stack::Inputs& in) mutable {
    const double ns = static_cast<double>(in.now.ns) / speed;
    std::this_thread::sleep_until(pacer.due({static_cast<std::int64_t>(ns)}, Clock::now()));
    if (before) before(model, last, in);
  };
}

std::string as_json(const simulation::RunResult& r, const craft::MissionFile& mission,
                    std::uint64_t seed, const RunFolder& folder, bool has_report) {
  nlohmann::ordered_json j;
  j["verdict"] = std::string(to_string(r.verdict));
  if (!r.reason.empty()) j["reason"] = r.reason;
  j["mission"] = mission.name;
  j["vehicle"] = mission.vehicle.vehicle.name;
  j["seed"] = seed;
  j["states"] = nlohmann::ordered_json::array();
  for (const flight::StateRecord& s : r.states)
    j["states"].push_back({{"name", s.name},
                           {"entered_s", s.entered_s},
                           {"left_s", s.left_s},
                           {"outcome", s.outcome}});
  if (!r.commands.empty()) {
    j["commands"] = nlohmann::ordered_json::array();
    for (const flight::CommandRecord& c : r.commands)
      j["commands"].push_back(
          {{"at_s", c.at_s}, {"command", c.words}, {"accepted", c.accepted}, {"answer", c.answer}});
  }
  for (const auto& [name, value] : r.figures) j[name] = value;
  if (!r.refused.empty()) {
    j["refused"] = nlohmann::ordered_json::array();
    for (const flight::RefusedChange& c : r.refused)
      j["refused"].push_back({{"at_s", c.at_s}, {"path", c.path}, {"reason", c.reason}});
  }
  if (!r.log_trouble.empty()) j["log_trouble"] = r.log_trouble;
  if (r.ticks_missing > 0) j["ticks_missing"] = r.ticks_missing;
  j["log"] = folder.log().string();
  j["report"] = has_report ? folder.report().string() : "";
  return printed(j);
}

void talk(const simulation::RunResult& r, const RunFolder& folder, bool has_report) {
  std::string out;
  for (const flight::StateRecord& s : r.states)
    out += fmt::format("  {:8.2f} s  {:<24} {}\n", s.entered_s, s.name,
                       s.outcome == "succeeded" ? faint(s.outcome) : bad(s.outcome));
  for (const flight::CommandRecord& c : r.commands)
    out += fmt::format("  {:8.2f} s  {:<24} {}\n", c.at_s, c.words,
                       c.accepted ? faint(c.answer) : bad(c.answer));
  for (const flight::RefusedChange& c : r.refused)
    out += fmt::format("  {:8.2f} s  {}\n", c.at_s, bad("not set: " + c.reason));
  out += fmt::format("{:.1f} s simulated in {:.2f} s ({:.0f} x real time)\n", r.duration_s,
                     r.wall_s, r.duration_s / std::max(1e-9, r.wall_s));
  if (!r.log_trouble.empty()) out += bad(r.log_trouble) + "\n";
  if (!folder.log().empty() && has_report)
    out += fmt::format("report  {}\n", folder.report().string());
  if (!folder.log().empty()) out += fmt::format("log     {}\n", folder.log().string());
  tell(std::move(out));
}

int run(const RunArguments& a) {
  expect_sense(a.out_dir, a.overwrite, a.no_log);
  const craft::MissionFile mission = craft::load_mission(a.mission);
  simulation::RunOptions options;
  use_optional_rooms(mission, options);
  if (!mission.warnings.empty()) fmt::print(stderr, "{}", config::to_string(mission.warnings));
  const bool over_ports = a.on == "yarp", over_topics = a.on == "ros1";
  const bool on_serial = a.on == "serial", elsewhere = a.world == "elsewhere";
  if (over_ports) check_over_ports(mission);
  if (over_topics && elsewhere) check_over_topics(mission);
  if (on_serial) check_on_serial(mission);
  if (elsewhere) expect_no_input_faults(mission, a.mission);
  if (a.has_seed) options.seed = a.seed;
  const std::uint64_t seed = options.seed.value_or(mission.seed);
  for (const std::string& s : a.set) options.changes.push_back(parse_change(s));
  for (const std::string& s : a.at) options.schedule.push_back(flight::parse_scheduled(s));
  options.site.real_time = a.real_time;

  RunFolder folder;
  if (!a.no_log)
    folder = a.out_dir.empty() ? RunFolder::fresh(mission.name) : RunFolder(a.out_dir, a.overwrite);
  options.log = folder.log();
  ProgressLine line;
  if (!a.quiet)
    options.progress = [&](const flight::Progress& p) {
      line.show(fmt::format("{} seed {}  {:.1f} s  {}  {:.0f} x real time", mission.name, seed,
                            p.time_s, p.state, p.speed));
    };
  options.site.missed = [&](double at_s, double missed_s) {
    line.clear();
    tell(fmt::format("  {:8.2f} s  the program stood or was too slow: {:.1f} s dropped\n", at_s,
                     missed_s));
  };
  options.stop = &stop_safely_on_signals();
  options.stop_at_once = &stop_at_once_on_a_second_signal();

  std::unique_ptr<console::Endpoint> endpoint;
  // a run that does not wait for the clock is over before a person has typed
  if (a.real_time || a.live.given || !a.listen.empty() || !a.on.empty())
    endpoint = listen_at_endpoint(a.listen, mission);
  if (endpoint) {
    if (!a.quiet) tell("pintle command --to " + endpoint->path().string() + "\n");
    options.ask = [&](const stack::Model&, const stack::Outputs& last, stack::Inputs& in) {
      endpoint->put(last, in);
    };
    options.watch = [&](const stack::Model&, const stack::Inputs& in, const stack::Outputs& out) {
      endpoint->take(in, out);
    };
  }
  std::function<void(const std::string&)> say;
  if (!a.quiet)
    say = [&line](const std::string& what) {
      line.clear();
      tell(what + "\n");
    };
  const auto live = open_live(a.live, a.quiet, a.mission, mission.vehicle_path, options);
  // nothing moves, starts or ends but by an operator's word
  if (a.waits) options.operate = [](const stack::Model&, const stack::Outputs&, stack::Inputs&) {};
  if (a.speed != 1) pace(a.speed, options);
  std::optional<craft::MissionFile> truth;
  if (!a.truth.empty()) options.truth = &truth.emplace(craft::load_mission(a.truth));
  options.planner = a.yarp.planner && !over_ports;
  RunOnYarp on = a.yarp;
  on.quiet = a.quiet;
  on.stop = options.stop;
  on.with_world = !elsewhere;
  on.seed = seed;
  RunOnRos1 on_ros1;
  on_ros1.with_world = !elsewhere;
  on_ros1.lockstep = a.yarp.lockstep;
  on_ros1.quiet = a.quiet;
  on_ros1.stop = options.stop;
  const simulation::RunResult result =
      on_serial ? fly_on_serial(mission, options, {!elsewhere, a.fifo, say})
      : over_ports
          ? fly_on_yarp(on, mission, options, endpoint ? endpoint->path() : std::filesystem::path{})
      : over_topics ? fly_on_ros1(on_ros1, mission, options)
                    : simulation::run(mission, options);
  endpoint.reset();
  const bool has_report = folder.write_report();
  line.clear();
  if (!a.quiet) talk(result, folder, has_report);
  settle_talk();
  if (a.json)
    fmt::print("{}\n", as_json(result, mission, seed, folder, has_report));
  else
    fmt::print("{}{}\n", to_string(result.verdict),
               result.reason.empty() ? "" : ": " + result.reason);
  if (!result.log_trouble.empty() || !has_report) return kRunTimeFault;
  if (!result.refused.empty()) return kUsage;
  return result.verdict == flight::Verdict::kPass ? kOk : kCheckFailed;
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* verb =
      app.add_subcommand("run", "Fly a mission against its simulated world: verdict, report, log.");
  verb->add_option(
      "mission", a->mission,
      "Mission file; with --on yarp also an .ini of the jets plugin, or a model in SDF");
  CLI::Option* seed =
      verb->add_option("--seed", a->seed, "Of everything random, instead of the file's")
          ->check(whole_number());
  verb->add_option("-o,--out", a->out_dir,
                   "Folder for log.mcap and report.html (default: runs/NAME-DATE)");
  verb->add_flag("--overwrite", a->overwrite, "Replace what another run left in that folder");
  verb->add_option("--set", a->set,
                   "Change a parameter: PATH=VALUE, or PATH=VALUE@SECONDS while it runs");
  verb->add_option("--at", a->at,
                   "An operator's command at an instant, SECONDS:COMMAND, in the words of  pintle "
                   "command");
  verb->add_flag("--real-time", a->real_time,
                 "Wait for the wall clock; listens to  pintle command");
  CLI::Option* speed =
      verb->add_option("--speed", a->speed, "With --real-time or --live: times as fast")
          ->check(CLI::Range(0.01, 1000.0));
  verb->add_flag("--wait", a->waits,
                 "Nothing moves before an operator asks for it, at the page or by  pintle command; "
                 "Ctrl-C ends it");
  verb->add_option("--listen", a->listen, kListenHelp);
  verb->add_flag("--no-log", a->no_log, "Neither log nor report");
  verb->add_flag("--json", a->json, "One JSON object on stdout");
  verb->add_flag("-q,--quiet", a->quiet, "No talk on stderr");
  verb->add_option(
          "--on", a->on,
          "ros1: over the topics of a ROS master; see docs/ros1.md. yarp: its world (or an .ini, a "
          "model in SDF) on ports; see docs/yarp.md. serial: its thrusters on serial lines; see "
          "docs/serial.md")
      ->check(CLI::IsMember({"ros1", "yarp", "serial"}));
  verb->add_option("--world", a->world,
                   "With --on: simulated, or elsewhere (a real vehicle). Without it  --on yarp  "
                   "serves the world for others to fly")
      ->check(CLI::IsMember({"simulated", "elsewhere"}));
  CLI::Option* live = verb->add_option("--live", a->live.port,
                                       "Show it while it flies, to a browser and to Foxglove, at "
                                       "this port (default: 8765); in real time")
                          ->expected(0, 1);
  add_live_options(*verb, a->live);
  verb->add_option(
      "--truth", a->truth,
      "A mission whose vehicle and world are what is simulated, while the stack believes "
      "the first one: what its files say wrongly");
  verb->footer(
      "Examples:\n"
      "  pintle run missions/pool.yaml\n"
      "  pintle run missions/pool.yaml --seed 7 --json | jq .verdict\n"
      "  pintle run missions/pool.yaml --set control.scale=0.8@30\n"
      "  pintle run missions/delivery.yaml --at 40:pause --at 50:resume --at 60:abort\n"
      "  pintle run missions/pool.yaml --live\n"
      "  pintle run missions/pool.yaml --on ros1 --lockstep\n"
      "  pintle run missions/hover_box.yaml --on yarp --world simulated --lockstep\n"
      "  pintle run missions/pool_m5.yaml --on serial\n"
      "Ctrl-C brings down what flies, disarms and still writes log and report; half a second later "
      "again: disarmed at once; and again: ended.\n"
      "Exit codes: 0 pass, 1 fail or aborted, 2 usage (also: a change was refused on the way), 3 "
      "configuration, 4 run-time fault.");
  CLI::Option* lockstep =
      verb->add_flag("--lockstep", a->yarp.lockstep, "With --on: time goes on with the messages");
  verb->add_flag("--planner", a->yarp.planner,
                 "No mission: it arms and follows setpoints, of clients of --live, or of a port "
                 "(--on yarp). With --on ros1: the nodes controls and world");
  CLI::Option* timeout = verb->add_option(
      "--input-timeout", a->input_timeout_s,
      "With --on yarp: seconds of silence after which jets are run down, up to 3600; 0: never "
      "(default: input_timeout_s of the vehicle file, 1 without it and of an .ini or SDF)");
  CLI::Option* bind = verb->add_option("--bind", a->yarp.bind,
                                       "With --on yarp: address to listen at (default: 127.0.0.1)");
  CLI::Option* model = verb->add_option(
      "--model", a->yarp.model,
      "With --on yarp, of an .ini or SDF: first_order (default), nonlinear, direct");
  CLI::Option* fifo =
      verb->add_option("--fifo", a->fifo,
                       "With --on serial: SCHED_FIFO priority of the thread of the lines, with its "
                       "memory locked")
          ->check(CLI::Range(1, 99));
  CLI::Option* model_path = verb->add_option("--model-path", a->yarp.model_path,
                                             "Folders in which model:// is looked for")
                                ->allow_extra_args(false);
  verb->callback([a, verb, seed, speed, live, lockstep, timeout, bind, model, model_path, fifo,
                  &session] {
    a->has_seed = seed->count() > 0;
    a->live.given = live->count() > 0;
    // "--live missions/pool.yaml": the port was left out
    if (a->mission.empty() && a->live.port.find_first_not_of("0123456789") != std::string::npos)
      a->mission = std::exchange(a->live.port, {});
    if (a->mission.empty()) throw CLI::RequiredError("mission");
    if (timeout->count() > 0) a->yarp.input_timeout_s = a->input_timeout_s;
    // NaN is in no range
    if (!(a->input_timeout_s >= 0 && a->input_timeout_s <= 3600))
      throw CLI::ValidationError("--input-timeout", "expected 0 (never) to 3600 seconds, got " +
                                                        config::shortest(a->input_timeout_s));
    const bool on_ros1 = a->on == "ros1", elsewhere = a->world == "elsewhere";
    const bool for_yarp =
        timeout->count() + bind->count() + model->count() + model_path->count() > 0;
    if (for_yarp && a->on != "yarp")
      throw CLI::ValidationError("--on", "these options go with  --on yarp");
    if ((a->on.empty() || a->on == "serial") && lockstep->count() > 0)
      throw CLI::ValidationError("--on", "--lockstep goes with  --on ros1  or  --on yarp");
    if ((a->on.empty() || a->on == "serial") && a->yarp.planner && !a->live.given)
      throw CLI::ValidationError("--planner",
                                 "setpoints come by  --live,  --on yarp --world …  or  --on ros1");
    if (!a->truth.empty() && (!a->on.empty() || elsewhere))
      throw CLI::ValidationError("--truth",
                                 "is for the world that is simulated here, without --on");
    if (!a->live.given)
      for (const char* name : {"--live-bind", "--live-token", "--live-origin"})
        if (verb->get_option(name)->count() > 0)
          throw CLI::ValidationError(name, "goes with  --live");
    const bool paced = a->real_time || a->live.given;
    if (speed->count() > 0 && (!paced || !a->on.empty()))
      throw CLI::ValidationError("--speed",
                                 "goes with  --real-time  or  --live,  and without --on");
    if (a->waits && !paced && a->on.empty())
      throw CLI::ValidationError("--wait", "goes with  --real-time,  --live  or  --on");
    if (fifo->count() > 0 && a->on != "serial")
      throw CLI::ValidationError("--fifo", "goes with  --on serial");
    if (elsewhere && a->on.empty())
      throw CLI::ValidationError("--world", "elsewhere goes with  --on");
    if (elsewhere && timeout->count() + model->count() + model_path->count() > 0)
      throw CLI::ValidationError("--world",
                                 "elsewhere: these options are for a world that is "
                                 "simulated here");
    if (on_ros1 && elsewhere && lockstep->count() > 0)
      throw CLI::ValidationError("--lockstep", "the time of a craft elsewhere is its own");
    if (elsewhere && a->has_seed)
      throw CLI::ValidationError("--seed", "nothing is random here: the world is elsewhere");
    if (a->real_time && lockstep->count() > 0)
      throw CLI::ValidationError("--lockstep", "time goes on with the messages or with the clock");
    if (a->on == "yarp" && verb->count("--world") == 0) {
      refuse_stack_options(*verb);
      a->world = "served";
    } else if (model->count() + model_path->count() > 0) {
      throw CLI::ValidationError("--model", "goes with an .ini or a model that is served");
    }
    expect_mission(*a);
    const bool flies = a->world != "served" && !(on_ros1 && a->yarp.planner);
    session.exit_code = flies ? run(*a) : run_on(*a);
  });
}

}  // namespace pintle::app
