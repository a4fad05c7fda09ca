/// `--live` of a run, and the verb `live`: who may look at a flight, and where.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pintle/simulation/run.h"

namespace pintle::foxglove {
class Live;
}

namespace pintle::app {

struct LiveArguments {
  std::string port;  ///< As written; a word that is no number was meant for what follows.
  bool given = false;
  std::string bind = "127.0.0.1", token;
  bool hides_token = false;  ///< It came from a file, and is not said.
  std::vector<std::string> origins;
};

void add_live_options(CLI::App& verb, LiveArguments& a);

/// Opens the port and hooks it into a flight. Null when it is not asked for. `mission`, `vehicle`: the
/// files into which changes are written on consent.
/// @throws CLI::ValidationError, std::runtime_error
[[nodiscard]] std::shared_ptr<foxglove::Live> open_live(const LiveArguments& a, bool quiet,
                                                        const std::filesystem::path& mission,
                                                        const std::filesystem::path& vehicle,
                                                        simulation::RunOptions& options);

}  // namespace pintle::app
