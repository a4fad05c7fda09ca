// Document::with: one scalar replaced or added, every other byte left alone

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pintle/config/document.h"
#include "pintle/config/path.h"
#include "pintle/config/reader.h"
#include "pintle/config/scan.h"
#include "pintle/config/text.h"

namespace pintle::config {
namespace {

/// What is to be written: a number, or text that must read back as it is.
struct Value {
  std::optional<double> number;
  std::string_view text;
};

constexpr int kMaxWrittenOut = 1000;

enum class Sort { kText, kNumber, kBool, kNull };

// what a plain scalar means, to any reader of YAML 1.1 or 1.2
Sort sort_of(std::string_view plain) {
  constexpr std::array kNulls{"", "~", "null", "Null", "NULL"};
  constexpr std::array kWords{"true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes",
                              "YES",  "no",   "No",   "NO",    "on",    "On",    "ON",  "off",
                              "Off",  "OFF",  "y",    "Y",     "n",     "N"};
  for (const std::string_view word : kNulls)
    if (plain == word) return Sort::kNull;
  for (const std::string_view word : kWords)
    if (plain == word) return Sort::kBool;
  return parse_number(plain) ? Sort::kNumber : Sort::kText;
}

// may stand without quotes, in block and in flow style
bool is_plain_safe(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`=<.+~";
  const bool path_like = text.starts_with("./") || text.starts_with("../");
  const bool number = parse_number(text).has_value();
  if (!path_like && !number && kIndicators.find(text.front()) != std::string_view::npos)
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F ||
        std::string_view(",[]{}\"'").find(text[i]) != std::string_view::npos)
      return false;
    if (text[i] == ':' && i + 1 < text.size() && text[i + 1] == ' ') return false;
    if (text[i] == '#' && i > 0 && text[i - 1] == ' ') return false;
  }
  return true;
}

std::string in_single_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string in_double_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\x{:02X}", byte);
    else
      out += c;
  }
  return out + '"';
}

// the new value as it is written in place of `present`
std::string spell(const Value& value, const Node* present, std::string_view present_text) {
  if (value.number) return shortest(*value.number);
  const bool has_controls =
      printable(value.text) != value.text || value.text.find('\t') != std::string_view::npos;
  if (present_text.starts_with('\'') && !has_controls) return in_single_quotes(value.text);
  if (present_text.starts_with('"')) return in_double_quotes(value.text);
  const Sort sort = sort_of(value.text);
  const bool same_sort = present != nullptr && present->is_scalar() && !present->quoted &&
                         sort_of(present->scalar) == sort;
  if (is_plain_safe(value.text) && (sort == Sort::kText || same_sort))
    return std::string(value.text);
  return in_double_quotes(value.text);
}

bool means(const Node& node, const Value& value) {
  if (!node.is_scalar()) return false;
  if (value.number) return !node.quoted && parse_number(node.scalar) == value.number;
  return node.scalar == value.text;
}

/// One edit of one document.
class Edit {
 public:
  Edit(const Document& document, std::string_view path, const Value& value)
      : document_(document), text_(document.text()), path_(path), value_(value) {}

  [[nodiscard]] Document make() {
    const Walked walked = walk(document_.root(), path_);
    std::string text = walked.rest.empty() ? replaced(walked) : added(walked);
    if (text == text_) return document_;
    return verified(std::move(text));
  }

 private:
  [[noreturn]] void refuse(const Location& where, const std::string& message, std::string fix) {
    Problem problem{where, excerpt_of(line_of(text_, where.line)),
                    fmt::format("{}: {}", path_, message), std::move(fix)};
    if (problem.where.file.empty()) problem.where.file = document_.name();
    throw ConfigError(std::move(problem));
  }

  void refuse_aliased(const Node& node) {
    if (!node.aliased) return;
    refuse(node.where, "comes from here by an alias, and changing it would change both",
           "write the value out where the alias stands");
  }

  std::string replaced(const Walked& walked) {
    const Node& node = *walked.node;
    if (node.is_map() || node.is_list())
      refuse(node.where, fmt::format("is a {}, not one value", node.is_map() ? "map" : "list"),
             "name a value inside it");
    if (means(node, value_)) return text_;
    refuse_aliased(node);
    if (node.end > node.begin)
      return splice(
          node.begin, node.end,
          spell(value_, &node, std::string_view(text_).substr(node.begin, node.end - node.begin)));
    // nothing is written yet: it goes behind the colon
    if (node.kind == Node::Kind::kNull && walked.entry != nullptr &&
        walked.entry->key_end > walked.entry->key_begin) {
      const std::size_t colon = skip_blanks(text_, walked.entry->key_end);
      if (colon < text_.size() && text_[colon] == ':')
        return splice(colon + 1, colon + 1, " " + spell(value_, nullptr, {}));
    }
    refuse(node.where, "is text over several lines, which cannot be changed in place",
           "write it on one line in quotes");
  }

  std::string added(const Walked& walked) {
    std::string_view rest = walked.rest;
    const std::optional<Step> step = take_step(rest);
    if (!step || step->index || !rest.empty() || !walked.node->is_map()) {
      const bool empty_file = walked.parent == nullptr && walked.node->kind == Node::Kind::kNull;
      if (step && !step->index && rest.empty() && empty_file)
        return appended(line_of_key(step->key));
      refuse(walked.node->where, "is not there, and neither is the map it belongs into",
             "add the map to the file first");
    }
    refuse_aliased(*walked.node);
    return walked.node->flow ? added_in_braces(*walked.node, step->key)
                             : added_as_line(*walked.node, step->key);
  }

  std::string line_of_key(std::string_view key) {
    // keys are never read as numbers or bools: `y` is an axis
    const bool plain = is_plain_safe(key) && sort_of(key) != Sort::kNull;
    return (plain ? std::string(key) : in_double_quotes(key)) + ": " + spell(value_, nullptr, {});
  }

  std::string added_in_braces(const Node& map, std::string_view key) {
    if (map.end == 0)
      refuse(map.where, "these braces are too involved to add to", "add it by hand");
    if (map.entries.empty()) return splice(map.begin + 1, map.begin + 1, line_of_key(key));
    const Node::Entry& last = map.entries.back();
    std::size_t at = last.value.end;
    if (at == 0 || last.value.begin == at)
      refuse(last.key_where, "nothing can be added behind this", "add it by hand");
    return splice(at, at, ", " + line_of_key(key));
  }

  // the last line of a block map: everything indented deeper than its keys belongs to the last one
  std::string added_as_line(const Node& map, std::string_view key) {
    // merged keys stand elsewhere
    const Node::Entry* last = nullptr;
    for (const Node::Entry& entry : map.entries)
      if (entry.key_end > entry.key_begin) last = &entry;
    if (last == nullptr) refuse(map.where, "nothing of this map is written here", "add it by hand");
    const auto column = static_cast<std::size_t>(map.entries.front().key_where.column);
    const std::string pad(column - 1, ' ');
    const std::size_t at = last->key_begin;

    std::size_t end = end_of_line(at);
    for (std::size_t next = end; next < text_.size();) {
      const std::size_t stop = end_of_line(next);
      const std::string_view content = std::string_view(text_).substr(next, stop - next);
      const std::size_t depth = content.find_first_not_of(" \r\n");
      const bool blank = depth == std::string_view::npos;
      const bool item = !blank && depth == pad.size() && content.substr(depth).starts_with("- ");
      if (!blank && depth <= pad.size() && !item) break;
      const bool comment = !blank && content[depth] == '#';
      next = stop;
      if (!blank && !comment) end = next;
    }
    return inserted_line(end, pad + line_of_key(key));
  }

  std::string inserted_line(std::size_t at, const std::string& line) {
    const bool dos = text_.find("\r\n") != std::string::npos;
    const std::string ending = dos ? "\r\n" : "\n";
    const bool open = at > 0 && text_[at - 1] != '\n';
    return splice(at, at, open ? ending + line : line + ending);
  }

  std::string appended(const std::string& line) { return inserted_line(text_.size(), line); }

  [[nodiscard]] std::size_t end_of_line(std::size_t at) const {
    const std::size_t newline = text_.find('\n', at);
    return newline == std::string::npos ? text_.size() : newline + 1;
  }

  [[nodiscard]] std::string splice(std::size_t begin, std::size_t end,
                                   const std::string& by) const {
    return text_.substr(0, begin) + by + text_.substr(end);
  }

  // reads the result back: this path has the value, and everything else is what it was
  Document verified(std::string text) {
    std::string why = "the file would not read back";
    try {
      Document changed = Document::parse(std::move(text), document_.name());
      const Node* target = changed.at(path_);
      const bool arrived = target != nullptr && means(*target, value_);
      if (arrived && same(document_.root(), changed.root(), target)) return changed;
      why = "changing it would change something else in the file too";
    } catch (const ConfigError&) {  // said below, about the file as it is
    }
    refuse(document_.location_of(path_), why, "change it by hand");
  }

  [[nodiscard]] static bool same(const Node& before, const Node& after, const Node* target) {
    if (&after == target) return true;
    if (before.kind == Node::Kind::kNull && after.is_map() && after.entries.size() == 1)
      return &after.entries[0].value == target;
    if (before.kind != after.kind || before.scalar != after.scalar ||
        before.quoted != after.quoted || before.items.size() != after.items.size())
      return false;
    for (std::size_t i = 0; i < before.items.size(); ++i)
      if (!same(before.items[i], after.items[i], target)) return false;
    // one key more, and only if it is the new one
    std::size_t k = 0;
    for (const Node::Entry& entry : after.entries) {
      const bool matches = k < before.entries.size() && before.entries[k].key == entry.key;
      if (!matches) {
        if (&entry.value != target) return false;
        continue;
      }
      if (!same(before.entries[k].value, entry.value, target)) return false;
      ++k;
    }
    return k == before.entries.size();
  }

  const Document& document_;
  const std::string& text_;
  std::string_view path_;
  const Value& value_;
};

/// Where one value stands by an alias or a merge.
struct Use {
  const Node* map = nullptr;
  const Node::Entry* entry = nullptr;
  std::string path;
  [[nodiscard]] bool merged() const { return entry->key_begin == entry->key_end; }
};

bool is_at(const Node& node, const Location& where) {
  return node.where.line == where.line && node.where.column == where.column;
}

/// The next use that stands in the way of changing `target` alone: it leads there, or shows what
/// stands on the way there (`chain`) in a second place.
std::optional<Use> use_in_the_way(const Node& node, const std::string& path,
                                  std::string_view target, const std::vector<Location>& chain) {
  for (const Node::Entry& entry : node.entries) {
    const std::string here = path.empty() ? entry.key : path + "." + entry.key;
    const bool leads_there =
        target == here ||
        (target.starts_with(here) && (target[here.size()] == '.' || target[here.size()] == '['));
    if (!entry.value.aliased) {
      if (auto found = use_in_the_way(entry.value, here, target, chain)) return found;
      continue;
    }
    const bool is_shown = std::any_of(chain.begin(), chain.end(), [&](const Location& where) {
      return is_at(entry.value, where);
    });
    if (leads_there || is_shown) return Use{&node, &entry, here};
  }
  return std::nullopt;
}

/// In braces and brackets, whatever it was.
std::string inline_text(const Node& node) {
  std::string out;
  if (node.is_map()) {
    for (const Node::Entry& e : node.entries)
      out += (out.empty() ? "" : ", ") + (is_plain_safe(e.key) ? e.key : in_double_quotes(e.key)) +
             ": " + inline_text(e.value);
    return "{" + out + "}";
  }
  if (node.is_list()) {
    for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + inline_text(item);
    return "[" + out + "]";
  }
  if (!node.is_scalar()) return "~";
  return node.quoted || !is_plain_safe(node.scalar) ? in_double_quotes(node.scalar) : node.scalar;
}

/// The document with that use written out; nothing where this cannot be done.
std::optional<Document> written_out(const Document& document, const Use& use) {
  std::string text = document.text();
  const std::string value = inline_text(use.entry->value);
  if (use.merged()) {
    // its own key goes before the merged one
    const Node::Entry* own = nullptr;
    for (const Node::Entry& e : use.map->entries)
      if (e.key_end > e.key_begin) own = &e;
    if (own == nullptr || use.map->flow) return std::nullopt;
    const std::size_t line = text.rfind('\n', own->key_begin) + 1;
    text.insert(line, std::string(own->key_begin - line, ' ') + use.entry->key + ": " + value +
                          (text.find("\r\n") == std::string::npos ? "\n" : "\r\n"));
  } else {
    std::size_t at = skip_blanks(text, use.entry->key_end);
    if (at >= text.size() || text[at] != ':') return std::nullopt;
    at = skip_blanks(text, at + 1);
    if (at >= text.size() || text[at] != '*') return std::nullopt;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
    text.replace(at, end - at, value);
  }
  try {
    return Document::parse(std::move(text), document.name());
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// One edit; what stands in several places by aliases is written out where it would change too, or
/// where it is to change alone.
Document edited(const Document& document, std::string_view path, const Value& value) {
  Document now = document;
  bool same_text = true;
  for (int k = 0; k < kMaxWrittenOut; ++k) {
    const Walked walked = walk(now.root(), path);
    if (means(*walked.node, value) && walked.rest.empty()) break;
    std::vector<Location> chain;
    for (std::size_t at = 0; at != std::string_view::npos;) {
      at = path.find_first_of(".[", at + 1);
      const Walked part = walk(now.root(), path.substr(0, at));
      if (part.rest.empty()) chain.push_back(part.node->where);
    }
    const auto use = use_in_the_way(now.root(), {}, path, chain);
    std::optional<Document> next = use ? written_out(now, *use) : std::nullopt;
    if (!next) break;
    now = std::move(*next);
    same_text = false;
  }
  if (same_text) return Edit(now, path, value).make();
  try {
    return Edit(now, path, value).make();
  } catch (const ConfigError& e) {
    // said about the file as it is: nobody has seen the text with the aliases written out
    Problem problem = e.problems().front();
    problem.where = document.location_of(path);
    problem.excerpt = excerpt_of(line_of(document.text(), problem.where.line));
    throw ConfigError(std::move(problem));
  }
}

}  // namespace

Document Document::with(std::string_view path, double value) const {
  if (!std::isfinite(value))
    throw ConfigError(
        Problem{location_of(path), excerpt_of(line_of(text_, location_of(path).line)),
                fmt::format("{}: expected a finite number, got {}", path, shortest(value)),
                "keep the present value"});
  const Value wanted{value, {}};
  return edited(*this, path, wanted);
}

Document Document::with_text(std::string_view path, std::string_view value) const {
  const Value wanted{std::nullopt, value};
  return edited(*this, path, wanted);
}

}  // namespace pintle::config
