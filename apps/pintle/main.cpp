/// pintle: every room from the command line. Results on stdout, talk on stderr, exit codes in
/// verbs.h.
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "csv.h"
#include "pintle/config/problem.h"
#include "pintle/stack/recorder.h"
#include "verbs.h"

namespace {

constexpr char kShortHelp[] =
    R"(pintle: a control stack for vehicles that move by thrust

  pintle run missions/pool.yaml           fly a mission in the simulated world: verdict, report, log
  pintle check missions/pool.yaml         every problem of a file at once, with the fix
  pintle matrix vehicles/oogway.yaml      effectiveness matrix of a vehicle

More: pintle --help, or pintle VERB --help
)";

/// Verbs nearest to a mistyped one.
std::string nearest_verb(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  return pintle::config::did_you_mean(word, views);
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::fprintf(stderr, "pintle: %s\n", error.what());
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
    const std::string near = nearest_verb(app, argv[1]);
    if (!near.empty()) std::fprintf(stderr, "  did you mean  pintle %s\n", near.c_str());
  }
  std::fprintf(stderr, "  see  pintle %s--help\n",
               app.get_subcommands().empty()
                   ? ""
                   : (app.get_subcommands().front()->get_name() + " ").c_str());
  return pintle::app::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace pintle::app;
  if (argc == 1) {
    std::fputs(kShortHelp, stdout);
    return kOk;
  }

  CLI::App app("A control stack for vehicles that move by thrust.", "pintle");
  app.require_subcommand(1);
  app.set_version_flag("--version", pintle::stack::build_description());
  app.footer(
      "Exit codes: 0 ok, 1 a check failed, 2 usage, 3 configuration, 4 run-time fault, 5 replay "
      "mismatch.\n"
      "Results go to stdout, talk to stderr. Every verb has --json where it answers with data.");
  Session session;
  add_run(app, session);
  add_console(app, session);
  add_command(app, session);
  add_check(app, session);
  add_matrix(app, session);
  add_allocate(app, session);
  add_trace(app, session);
  add_import(app, session);
  add_detect(app, session);
  add_replay(app, session);
  add_report(app, session);
  add_doctor(app, session);
  add_schema(app, session);
  add_completion(app, session);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return usage_error(app, e, argc, argv);
  } catch (const pintle::config::ConfigError& e) {
    std::fprintf(stderr, "%s", pintle::config::to_string(e.problems()).c_str());
    return kConfiguration;
  } catch (const CsvError& e) {
    std::fprintf(stderr, "pintle: %s\n", e.what());
    return kConfiguration;
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "pintle: %s\n", e.what());
    return kUsage;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pintle: %s\n", e.what());
    return kRunTimeFault;
  }
  return session.exit_code;
}
