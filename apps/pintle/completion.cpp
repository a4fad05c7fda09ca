#include <fmt/core.h>

#include "completion_scripts.h"
#include "verbs.h"

namespace pintle::app {

void add_completion(CLI::App& app, Session& session) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("completion", "Completion script of a shell.");
  verb->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  verb->footer(
      "Examples:\n  source <(pintle completion bash)\n  pintle completion zsh > ~/.zfunc/_pintle");
  verb->callback([shell, &session] {
    fmt::print("{}", *shell == "bash" ? kBashCompletion : kZshCompletion);
    session.exit_code = kOk;
  });
}

}  // namespace pintle::app
