#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model_file.h"
#include "pintle/config/text.h"
#include "pintle/craft/check_file.h"
#include "printed.h"
#include "terminal.h"
#include "verbs.h"

namespace pintle::app {
namespace {

struct CheckArguments {
  std::vector<std::string> files, model_path;
  bool json = false;
};

std::vector<config::Problem> problems_of(const std::string& file,
                                         const std::vector<std::string>& model_path) {
  try {
    if (const auto format = model_format(file))
      return problems_of_model(file, *format, {model_path.begin(), model_path.end()});
  } catch (const config::ConfigError&) {
    // the other reader says it
  }
  return craft::problems_of(file);
}

int check_files(const CheckArguments& a) {
  bool bad_file = false;
  // all are read before anything is said: a model in SDF is read by another program
  std::vector<std::vector<config::Problem>> problems;
  for (const std::string& file : a.files) problems.push_back(problems_of(file, a.model_path));
  for (std::size_t i = 0; i < a.files.size(); ++i) {
    const std::string& file = a.files[i];
    const std::vector<config::Problem>& found = problems[i];
    const auto errors =
        std::count_if(found.begin(), found.end(), [](const auto& p) { return p.is_error; });
    bad_file = bad_file || errors > 0;
    if (a.json) {
      nlohmann::ordered_json j;
      j["file"] = file;
      j["ok"] = errors == 0;
      j["problems"] = nlohmann::ordered_json::array();
      for (const config::Problem& p : found)
        j["problems"].push_back({{"file", p.where.file},
                                 {"line", p.where.line},
                                 {"column", p.where.column},
                                 {"severity", p.is_error ? "error" : "warning"},
                                 {"message", p.message},
                                 {"fix", p.fix}});
      fmt::print("{}\n", printed(j));
      continue;
    }
    fmt::print(stderr, "{}", config::to_string(found));
    const auto warnings = static_cast<std::ptrdiff_t>(found.size()) - errors;
    fmt::print("{}: {}\n", config::printable(file),
               errors > 0 ? fmt::format("{} error{}", errors, errors == 1 ? "" : "s")
                          : (warnings > 0 ? fmt::format("ok, {} warning{}", warnings,
                                                        warnings == 1 ? "" : "s")
                                          : "ok"));
  }
  return bad_file ? kConfiguration : kOk;
}

}  // namespace

void add_check(CLI::App& app, Session& session) {
  auto a = std::make_shared<CheckArguments>();
  CLI::App* verb = app.add_subcommand(
      "check",
      "Validate vehicle, mission and world files, an .ini of the jets plugin, SDF, URDF and MJCF: "
      "every problem at once.");
  verb->add_option("files", a->files, "Files of any kind that Pintle reads")->required();
  verb->add_flag("--json", a->json, "One JSON object a file");
  verb->add_option(
          "--model-path", a->model_path,
          "Folders in which model:// and package:// of an SDF are looked for, before those "
          "of the environment")
      ->allow_extra_args(false);
  verb->footer(
      "Examples:\n"
      "  pintle check missions/*.yaml vehicles/*.yaml\n"
      "  pintle check jets.ini model.sdf\n"
      "Exit codes: 0 all usable, 3 at least one is not.");
  verb->callback([a, &session] { session.exit_code = check_files(*a); });
}

}  // namespace pintle::app
