/// Reading the originals' own files: they may hold keys that Pintle does not know, in any order,
/// and spell truth values as YAML 1.1 does. For sources of this room.
#pragma once
#include <span>
#include <string_view>

#include "pintle/base/fields.h"
#include "pintle/config/reader.h"

namespace pintle::vehicle {

/// A key of earlier years and the one that means the same.
struct Alias {
  std::string_view old, now;
};

/// A copy that the strict reader accepts as far as names go: unknown keys left out with a warning,
/// old ones renamed (with a warning if `warn_alias`), yes/no/True/False written true/false.
[[nodiscard]] config::Node known_part(config::Reader& reader, const config::Node& node,
                                      const Table& table, std::span<const Alias> aliases = {},
                                      bool warn_alias = true);

}  // namespace pintle::vehicle
