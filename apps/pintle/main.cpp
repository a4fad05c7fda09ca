/// pintle: every room from the command line. Results on stdout, talk on stderr, exit codes in
/// verbs.h.
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "csv.h"
#include "full_program.h"
#include "pintle/config/problem.h"
#include "pintle/config/text.h"
#include "pintle/flight/recorder.h"
#include "terminal.h"
#include "verbs.h"

namespace pintle::app {
namespace {

constexpr char kShortHelp[] =
    R"(pintle: a control stack for vehicles that move by thrust

  pintle run missions/pool.yaml           fly a mission in the simulated world: verdict, report, log
  pintle check missions/pool.yaml         every problem of a file at once, with the fix
  pintle matrix vehicles/oogway.yaml      effectiveness matrix of a vehicle

More: pintle --help, or pintle VERB --help
)";

/// Whether a terminal would obey it: an escape, a bell, a step back. Words are said again in many
/// places, as names of files above all, so one that has any is refused before anything is done.
bool steers_a_terminal(std::string word) {
  // those two move no more than a line
  std::replace(word.begin(), word.end(), '\t', ' ');
  std::replace(word.begin(), word.end(), '\n', ' ');
  return config::has_control(word);
}

/// Of all options that a verb knows, what one that it does not know was meant to be.
std::string nearest_option(const CLI::App& verb, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  word = word.substr(0, word.find('='));
  if (std::find(known.begin(), known.end(), word) != known.end()) return {};
  return config::did_you_mean(word, known);
}

/// What a mistyped verb or option was meant to be; "" when nothing is near.
std::string nearest(const CLI::App& app, int argc, char** argv) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  if (verbs.empty()) {
    if (argc < 2 || argv[1][0] == '-') return {};
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(verb->get_name());
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string near = config::did_you_mean(argv[1], known);
    return near.empty() ? near : "pintle " + near;
  }
  const CLI::App* verb = verbs.front();
  std::string said = "pintle " + verb->get_name();
  int next = 2;
  for (; !verb->get_subcommands().empty(); ++next) {
    verb = verb->get_subcommands().front();
    said += " " + verb->get_name();
  }
  const auto below = verb->get_subcommands([](const CLI::App*) { return true; });
  if (!below.empty() && next < argc && argv[next][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* v : below) names.push_back(v->get_name());
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view word = argv[next];
    std::string near = config::did_you_mean(word, known);
    // too short to be near anything, but for one letter
    for (const std::string& name : names) {
      std::size_t apart = name.size() == word.size() ? 0 : 2;
      for (std::size_t i = 0; i < name.size() && apart < 2; ++i)
        apart += name[i] != word[i] ? 1 : 0;
      if (near.empty() && apart == 1) near = name;
    }
    return near.empty() ? near : said + " " + near;
  }
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--") || word.size() < 3) continue;
    const std::string near = nearest_option(*verb, word.substr(2));
    if (!near.empty()) return "--" + near;
  }
  return {};
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const bool is_verb = !app.get_subcommands().empty() || argc < 2 || argv[1][0] == '-';
  complain(is_verb ? std::string(error.what())
                   : "there is no verb \"" + std::string(argv[1]) + "\"");
  const std::string near = nearest(app, argc, argv);
  if (!near.empty()) std::fprintf(stderr, "  did you mean  %s\n", near.c_str());
  std::fprintf(stderr, "  see  pintle %s--help\n",
               app.get_subcommands().empty()
                   ? ""
                   : (app.get_subcommands().front()->get_name() + " ").c_str());
  return kUsage;
}

}  // namespace

/// Runs the verb; every way out is an exit code.
int parsed(CLI::App& app, const Session& session, int argc, char** argv) {
  try {
    // "help run" is "run --help"
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words.front() == "help") {
      words.erase(words.begin());
      words.emplace_back("--help");
    }
    std::reverse(words.begin(), words.end());
    app.parse(words);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return usage_error(app, e, argc, argv);
  } catch (const config::ConfigError& e) {
    std::fprintf(stderr, "%s", config::to_string(e.problems()).c_str());
    return kConfiguration;
  } catch (const CsvError& e) {
    complain(e.what());
    return kConfiguration;
  } catch (const std::invalid_argument& e) {
    complain(e.what());
    return kUsage;
  } catch (const std::exception& e) {
    complain(e.what());
    return kRunTimeFault;
  }
  return session.exit_code;
}

}  // namespace pintle::app

int main(int argc, char** argv) {
  using namespace pintle::app;
  // a file that may not grow further is a write that fails, and is said
  std::signal(SIGXFSZ, SIG_IGN);
  if (argc == 1) {
    std::fputs(kShortHelp, stdout);
    return results_are_out() ? kOk : kRunTimeFault;
  }

  for (int i = 1; i < argc; ++i) {
    if (!steers_a_terminal(argv[i])) continue;
    complain(
        fmt::format("word {} of the command line, {}: has a control character in it; no value "
                    "needs one, and a file can be named otherwise",
                    i, pintle::config::in_quotes(argv[i])));
    return kUsage;
  }
  keep_arguments(argv);
  // "help detect" is "detect --help"
  const std::string_view verb = argv[argc > 2 && std::string_view(argv[1]) == "help" ? 2 : 1];
  if (verb == "detect" || verb == "calibrate") go_on_in_full_program();
  CLI::App app("A control stack for vehicles that move by thrust.", "pintle");
  app.require_subcommand(1);
  app.set_version_flag("--version", pintle::flight::build_description());
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
  add_calibrate(app, session);
  add_replay(app, session);
  add_report(app, session);
  add_play(app, session);
  add_directions(app, session);
  add_device(app, session);
  add_doctor(app, session);
  add_schema(app, session);
  add_yarp(app, session);
  add_completion(app, session);

  const int code = parsed(app, session, argc, argv);
  return results_are_out() ? code : kRunTimeFault;
}
