#include <fmt/core.h>

#include "pintle/config/save.h"
#include "pintle/craft/load.h"
#include "verbs.h"

namespace pintle::app {
namespace {

int schema(const std::string& folder) {
  namespace fs = std::filesystem;
  if (folder.empty()) {
    for (const auto& [name, text] : craft::schemas()) fmt::print("{}", text);
    return kOk;
  }
  fs::create_directories(folder);
  for (const auto& [name, text] : craft::schemas()) {
    config::SaveOptions options;
    options.generations = 0;
    const config::SaveResult saved =
        config::save_atomically(fs::path(folder) / name, text, options);
    if (!saved.saved) throw std::runtime_error(saved.reason);
    fmt::print("{}\n", (fs::path(folder) / name).string());
  }
  return kOk;
}

}  // namespace

void add_schema(CLI::App& app, Session& session) {
  auto folder = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("schema", "JSON Schemas of the file formats, for completion in editors.");
  verb->add_option("folder", *folder, "Write one file a format there (default: print them)");
  verb->callback([folder, &session] { session.exit_code = schema(*folder); });
}

}  // namespace pintle::app
