/// From YAML text to the tree of document.h. For the sources of this room.
///
/// yaml-cpp is the tokenizer and grammar; positions, byte ranges, aliases, duplicate keys and all
/// limits are ours.
#pragma once
#include <string>
#include <string_view>

#include "pintle/config/document.h"

namespace pintle::config {

/// @throws ConfigError, and nothing else of its own.
[[nodiscard]] Node parse_tree(const std::string& text, const std::string& name);

}  // namespace pintle::config
