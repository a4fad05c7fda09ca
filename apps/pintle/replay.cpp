#include "pintle/flight/replay.h"
#include "pintle/config/text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "printed.h"
#include "terminal.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct ReplayArguments {
  std::string log;
  bool verify = false, json = false;
};

int replay(const ReplayArguments& a) {
  const flight::ReplayResult r = flight::replay(a.log);
  if (a.json) {
    nlohmann::ordered_json j;
    j["ticks"] = r.ticks;
    j["mismatches"] = r.mismatches;
    j["first_mismatch"] = r.first_mismatch;
    j["complete"] = r.complete;
    j["other_build"] = r.other_build;
    fmt::print("{}\n", printed(j));
  } else {
    fmt::print("{}: {} ticks, {} differ\n", config::printable(a.log), r.ticks, r.mismatches);
  }
  if (!r.first_mismatch.empty()) fmt::print(stderr, "first: {}\n", r.first_mismatch);
  if (!r.complete) fmt::print(stderr, "{}\n", bad("the log was cut: " + r.note));
  if (r.other_build && r.mismatches > 0)
    fmt::print(stderr, "it was recorded by another build: the last bits may differ\n");
  if (a.verify && r.ticks == 0)
    fmt::print(stderr, "{}\n", bad("no tick in it: nothing was verified"));
  return a.verify && (r.mismatches > 0 || r.ticks == 0) ? kReplayMismatch : kOk;
}

}  // namespace

void add_replay(CLI::App& app, Session& session) {
  auto a = std::make_shared<ReplayArguments>();
  CLI::App* verb = app.add_subcommand(
      "replay", "Run the tick again on a log's inputs and compare every output.");
  verb->add_option("log", a->log, "log.mcap of a run")->required();
  verb->add_flag("--verify", a->verify, "Exit with 5 unless every output is the same, bit for bit");
  verb->add_flag("--json", a->json, "One JSON object");
  verb->footer(
      "Examples:\n"
      "  pintle replay runs/pool-20260101-120000/log.mcap --verify\n"
      "Exit codes: 0 ok, 4 not a log, 5 outputs differ, or there are none to verify.");
  verb->callback([a, &session] { session.exit_code = replay(*a); });
}

}  // namespace pintle::app
