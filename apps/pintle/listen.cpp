#include "listen.h"

#include <fmt/core.h>

#include "pintle/flight/event_words.h"

namespace pintle::app {

std::unique_ptr<console::Endpoint> listen_at_endpoint(const std::string& where,
                                                      const craft::MissionFile& mission) {
  if (where == "none") return nullptr;
  std::string why;
  auto endpoint = console::open_endpoint(where.empty() ? "default" : where, mission.name,
                                         mission::compile(mission.mission),
                                         flight::event_names(mission).propulsors, why);
  if (!endpoint) fmt::print(stderr, "{}\n", why);
  return endpoint;
}

}  // namespace pintle::app
