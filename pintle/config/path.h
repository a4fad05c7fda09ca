/// Dotted paths with [indices] through a tree. For the sources of this room.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "pintle/config/document.h"

namespace pintle::config {

/// One step of a path.
struct Step {
  std::string_view key;              ///< Of a map; empty for an index.
  std::optional<std::size_t> index;  ///< Of a list.
};

/// Takes the first step off a path. nullopt when the path does not begin with a step.
[[nodiscard]] std::optional<Step> take_step(std::string_view& path) noexcept;

struct Walked {
  const Node* node = nullptr;          ///< As far as the path leads; never null.
  const Node::Entry* entry = nullptr;  ///< The map entry whose value it is.
  const Node* parent = nullptr;        ///< Null at the root.
  std::string_view rest;               ///< What could not be followed; empty when all was.
};

[[nodiscard]] Walked walk(const Node& root, std::string_view path) noexcept;

}  // namespace pintle::config
