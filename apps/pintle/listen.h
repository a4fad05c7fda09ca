/// The socket at which a run hears `pintle command`.
#pragma once
#include <memory>
#include <string>

#include "pintle/console/endpoint.h"
#include "pintle/craft/load.h"

namespace pintle::app {

inline constexpr const char* kListenHelp =
    "Socket for  pintle command : a path, or none (default: one of this user's folder)";

/// `where`: a path, "none", or "" for the default one. Null, after one line on stderr, when it
/// cannot be made: a run goes on without.
[[nodiscard]] std::unique_ptr<console::Endpoint> listen_at_endpoint(
    const std::string& where, const craft::MissionFile& mission);

}  // namespace pintle::app
