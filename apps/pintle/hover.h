/// What `pintle matrix --hover` says.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pintle/craft/hover.h"

namespace pintle::app {

[[nodiscard]] std::string hover_words(const vehicle::Vehicle& vehicle,
                                      const craft::HoverReport& hover);
[[nodiscard]] nlohmann::ordered_json hover_json(const vehicle::Vehicle& vehicle,
                                                const craft::HoverReport& hover);

}  // namespace pintle::app
