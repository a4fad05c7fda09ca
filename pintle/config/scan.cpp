#include "pintle/config/scan.h"

#include <algorithm>
#include <array>

namespace pintle::config {
namespace {

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_word(char c) noexcept {
  return is_blank(c) || c == ',' || c == ']' || c == '}' || c == '[' || c == '{';
}

}  // namespace

std::size_t end_of_quoted(std::string_view text, std::size_t at) noexcept {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '\'' && i + 1 < text.size() && text[i + 1] == '\'')
        ++i;
      else
        return i + 1;
    }
  }
  return std::string_view::npos;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text[at] == '#' && (at == 0 || is_blank(text[at - 1]))) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      break;
    }
  }
  return at;
}

std::size_t skip_properties(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    while (at < text.size() && !ends_word(text[at])) ++at;
    at = skip_blanks(text, at);
  }
  return at;
}

ScalarRange scan_scalar(std::string_view text, std::size_t at, std::string_view value) noexcept {
  at = skip_properties(text, at);
  if (at >= text.size()) return {};
  if (text[at] == '\'' || text[at] == '"') {
    const std::size_t end = end_of_quoted(text, at);
    if (end == std::string_view::npos) return {at, at, true, true};
    return {at, end, true, false};
  }
  if (text[at] == '|' || text[at] == '>') return {0, 0, true, false};
  // plain text on one line stands there as it is; over several lines it was folded
  if (value.empty() || text.substr(at, value.size()) != value) return {};
  return {at, at + value.size(), false, false};
}

std::size_t null_length(std::string_view text, std::size_t at) noexcept {
  for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (text.substr(std::min(at, text.size()), word.size()) != word) continue;
    const std::size_t end = skip_blanks(text, at + word.size());
    const bool whole = at + word.size() == text.size() || ends_word(text[at + word.size()]);
    // `null:` is the key that follows an empty value
    if (whole && (end == text.size() || text[end] != ':')) return word.size();
  }
  return 0;
}

std::size_t end_of_flow(std::string_view text, const Node& node) noexcept {
  if (node.begin >= text.size()) return 0;
  const char closing = text[node.begin] == '{' ? '}' : ']';
  const bool empty = node.items.empty() && node.entries.empty();
  std::size_t at = node.begin + 1;
  if (!empty) {
    const Node& last = node.is_map() ? node.entries.back().value : node.items.back();
    if (last.aliased) {
      // the alias itself has no range: nothing closes before it
      const std::size_t from = node.is_map() ? node.entries.back().key_end : node.begin;
      at = from == 0 ? 0 : text.find(closing, from);
      return at == 0 || at == std::string_view::npos ? 0 : at + 1;
    }
    if (last.end == 0) return 0;
    at = last.end;
  }
  at = skip_blanks(text, at);
  if (at < text.size() && text[at] == ':' && !empty) at = skip_blanks(text, at + 1);
  if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
  return at < text.size() && text[at] == closing ? at + 1 : 0;
}

}  // namespace pintle::config
