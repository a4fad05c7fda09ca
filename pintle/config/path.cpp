#include "pintle/config/path.h"

#include <algorithm>
#include <charconv>

namespace pintle::config {

std::optional<Step> take_step(std::string_view& path) noexcept {
  std::string_view rest = path;
  if (rest.starts_with('.')) rest.remove_prefix(1);
  if (rest.empty()) return std::nullopt;

  if (rest[0] == '[') {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    std::size_t index = 0;
    const char* end = rest.data() + close;
    const auto [last, error] = std::from_chars(rest.data() + 1, end, index);
    if (error != std::errc{} || last != end) return std::nullopt;
    path = rest.substr(close + 1);
    return Step{{}, index};
  }
  const std::size_t n = std::min(rest.find_first_of(".["), rest.size());
  if (n == 0) return std::nullopt;
  path = rest.substr(n);
  return Step{rest.substr(0, n), std::nullopt};
}

Walked walk(const Node& root, std::string_view path) noexcept {
  Walked walked{&root, nullptr, nullptr, path};
  while (!walked.rest.empty()) {
    std::string_view rest = walked.rest;
    const std::optional<Step> step = take_step(rest);
    if (!step) return walked;
    const Node* next = nullptr;
    const Node::Entry* entry = nullptr;
    if (step->index) {
      if (*step->index < walked.node->items.size()) next = &walked.node->items[*step->index];
    } else {
      for (const Node::Entry& e : walked.node->entries)
        if (e.key == step->key) entry = &e;
      if (entry != nullptr) next = &entry->value;
    }
    if (next == nullptr) return walked;
    walked = {next, entry, walked.node, rest};
  }
  return walked;
}

}  // namespace pintle::config
