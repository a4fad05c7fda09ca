#include "pintle/console/console.h"

#include <fmt/core.h>

#include "listen.h"
#include "optional_rooms.h"
#include "pintle/config/reader.h"
#include "pintle/simulation/run.h"
#include "run_folder.h"
#include "terminal.h"
#include "verbs.h"
#include "whole_number.h"

namespace pintle::app {
namespace {

struct ConsoleArguments {
  std::string mission, out_dir, listen;
  std::uint64_t seed = 0;
  bool has_seed = false, overwrite = false;
};

/// Flies in real time until the person leaves; then says how it went, on the terminal given back.
simulation::RunResult fly(const craft::MissionFile& mission, simulation::RunOptions options,
                          const std::string& listen) {
  const mission::Mission compiled = mission::compile(mission.mission);
  console::ConsoleOptions look;
  look.title = mission.name + ", simulated";
  look.quitting = "it ends at once, in the air";
  const auto endpoint = listen_at_endpoint(listen, mission);
  if (endpoint) look.listens = endpoint->path().string();
  console::Console console(console::menu_states(compiled), look);
  std::atomic<bool> stop{false}, at_once{false};
  options.site.missed = [&](double, double missed_s) {
    console.note(fmt::format("the program stood or was too slow: {:.1f} s dropped", missed_s));
  };
  options.site.real_time = true;
  options.stop = &stop;
  options.stop_at_once = &at_once;
  options.operate = [&](const stack::Model& model, const stack::Outputs& last, stack::Inputs& in) {
    console.commands(in.commands);
    if (endpoint) endpoint->put(last, in);
    stop = console.left();
    // a simulated flight controller lands it
    at_once = stop && !model.supervised;
  };
  options.watch = [&](const stack::Model& model, const stack::Inputs& in,
                      const stack::Outputs& out) {
    console.take(model, in, out);
    if (endpoint) endpoint->take(in, out);
  };
  return simulation::run(mission, options);
}

int run_console(const ConsoleArguments& a) {
  expect_sense(a.out_dir, a.overwrite, false);
  const craft::MissionFile mission = craft::load_mission(a.mission);
  simulation::RunOptions options;
  use_optional_rooms(mission, options);
  if (a.has_seed) options.seed = a.seed;
  RunFolder folder;
  if (!a.out_dir.empty()) folder = RunFolder(a.out_dir, a.overwrite);
  options.log = folder.log();
  const simulation::RunResult result = fly(mission, std::move(options), a.listen);
  const bool has_report = folder.write_report();
  fmt::print("{}{}  {:.1f} s\n", to_string(result.verdict),
             result.reason.empty() ? "" : ": " + result.reason, result.duration_s);
  if (!folder.report().empty()) fmt::print("report  {}\n", folder.report().string());
  if (!result.log_trouble.empty()) fmt::print("{}\n", bad(result.log_trouble));
  if (!result.log_trouble.empty() || !has_report) return kRunTimeFault;
  return result.verdict == flight::Verdict::kPass ? kOk : kCheckFailed;
}

}  // namespace

void add_console(CLI::App& app, Session& session) {
  auto a = std::make_shared<ConsoleArguments>();
  CLI::App* verb = app.add_subcommand(
      "console", "Fly a simulated vehicle from the keys: menu, live state, confirmations.");
  verb->add_option("mission", a->mission, "Mission file")->required();
  CLI::Option* seed =
      verb->add_option("--seed", a->seed, "Of everything random, instead of the file's")
          ->check(whole_number());
  verb->add_option("-o,--out", a->out_dir, "Folder for log.mcap and report.html (default: none)");
  verb->add_flag("--overwrite", a->overwrite, "Replace what another run left in that folder");
  verb->add_option("--listen", a->listen, kListenHelp);
  verb->footer(
      "Example:\n"
      "  pintle console missions/delivery.yaml\n"
      "Nothing moves before a key asks for it: f arms and flies the mission, j shows all keys, q\n"
      "leaves. What is dangerous in the air is asked back.\n"
      "Exit codes: 0 the mission had passed, 1 it had not, 2 usage, 3 configuration, 4 no "
      "terminal.");
  verb->callback([a, seed, &session] {
    a->has_seed = seed->count() > 0;
    session.exit_code = run_console(*a);
  });
}

}  // namespace pintle::app
