#include "listen.h"

#include <fmt/core.h>

namespace pintle::app {

std::unique_ptr<console::Endpoint> listen_at_endpoint(const std::string& where,
                                                      const std::string& name,
                                                      const mission::Mission& mission) {
  if (where == "none") return nullptr;
  std::string why;
  auto endpoint = console::open_endpoint(where.empty() ? "default" : where, name, mission, why);
  if (!endpoint) fmt::print(stderr, "{}\n", why);
  return endpoint;
}

}  // namespace pintle::app
