#include "listen.h"

#include <fmt/core.h>

#include <exception>

#include "pintle/console/local_socket.h"

namespace pintle::app {

std::unique_ptr<console::Endpoint> listen_at_endpoint(const std::string& where,
                                                      const std::string& name,
                                                      const mission::Mission& mission) {
  if (where == "none") return nullptr;
  try {
    return std::make_unique<console::Endpoint>(
        where.empty() ? console::default_endpoint(name) : std::filesystem::path(where), mission);
  } catch (const std::exception& e) {
    fmt::print(stderr, "pintle command will not reach this run: {}\n", e.what());
    return nullptr;
  }
}

}  // namespace pintle::app
