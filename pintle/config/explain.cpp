#include "pintle/config/explain.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "pintle/config/scan.h"

namespace pintle::config {
namespace {

struct Advice {
  std::string_view yaml_words, message, fix;
};

constexpr std::array kAdvice{
    Advice{"end of map not found", "this line does not line up with the keys above it",
           "indent it like its neighbours; check the line above for a missing colon"},
    Advice{"end of sequence not found", "this line does not line up with the list above it",
           "indent it like its neighbours; every item begins with  - "},
    Advice{"end of map flow not found", "a brace { is not closed",
           "close it with }, and put commas between the values"},
    Advice{"end of sequence flow not found", "a bracket [ is not closed",
           "close it with ], and put commas between the values"},
    Advice{"illegal flow end", "a closing bracket that nothing opened", "remove it"},
    Advice{"illegal map value", "a colon where no key may be",
           "quote a text that holds a colon, and give every key its own line"},
    Advice{"illegal map key", "a key where none may be", "give every key its own line"},
    Advice{"illegal block entry", "a list item where none may be",
           "put the first  -  on a line of its own, indented with spaces"},
    Advice{"the referenced anchor is not defined",
           "an alias of an anchor that is not defined above",
           "define it with &name before, or quote a text that begins with *"},
    Advice{"second document", "this does not belong to what stands above it",
           "give every value a key, and every line the indentation of its neighbours"},
    Advice{"unknown escape character", "an escape that double quotes do not have",
           "write \\\\ for a backslash, or use single quotes"},
    Advice{"unknown token", "a character that no value may begin with", "quote the text"},
    Advice{"illegal document indicator in scalar", "--- or ... inside a quoted text",
           "close the quote before it"},
    Advice{"cannot assign multiple anchors", "two anchors on one value", "keep one"},
    Advice{"cannot assign multiple tags", "two tags on one value", "remove them"},
    Advice{"aliases can't have any content", "an alias with something behind it",
           "write the alias alone, or the value alone"},
};

/// A line and where it begins.
struct Line {
  std::size_t begin = 0;
  std::string_view text;

  [[nodiscard]] std::size_t indent() const noexcept {
    return std::min(text.find_first_not_of(' '), text.size());
  }
  [[nodiscard]] bool says_something() const noexcept {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first != std::string_view::npos && text[first] != '#';
  }
};

Line line_around(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {begin, text.substr(begin, std::min(text.find('\n', at), text.size()) - begin)};
}

// the nearest line above that is neither blank nor comment
std::optional<Line> line_above(std::string_view text, Line line) {
  while (line.begin > 0) {
    line = line_around(text, line.begin - 1);
    if (line.says_something()) return line;
  }
  return std::nullopt;
}

// a tab among the blanks that begin the line, or a neighbour of it
std::optional<std::size_t> indenting_tab(std::string_view text, std::size_t at) {
  const Line here = line_around(text, at);
  const std::size_t next = std::min(here.begin + here.text.size() + 1, text.size());
  const std::size_t last = here.begin > 0 ? here.begin - 1 : 0;
  for (const std::size_t place : {at, last, next}) {
    const Line line = line_around(text, place);
    const std::size_t blanks = std::min(line.text.find_first_not_of(" \t"), line.text.size());
    const std::size_t tab = line.text.substr(0, blanks).find('\t');
    if (tab != std::string_view::npos) return line.begin + tab;
  }
  return std::nullopt;
}

// the brackets that are open at the end of a text, outermost first; quotes and comments skipped
std::vector<std::size_t> open_brackets(std::string_view text) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins_value =
        i == 0 || std::string_view(" \t\n\r[{,:").find(text[i - 1]) != std::string_view::npos;
    if (begins_value && (c == '"' || c == '\'')) {
      const std::size_t end = end_of_quoted(text, i);
      if (end == std::string_view::npos) break;
      i = end - 1;
    } else if (c == '#') {
      i = std::max(i + 1, skip_blanks(text, i)) - 1;
    } else if ((c == '[' || c == '{') && (begins_value || !open.empty())) {
      open.push_back(i);
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
  }
  return open;
}

// the innermost one of a kind
std::optional<std::size_t> open_bracket(std::string_view text, char bracket) {
  std::vector<std::size_t> open = open_brackets(text);
  while (!open.empty() && text[open.back()] != bracket) open.pop_back();
  if (open.empty()) return std::nullopt;
  return open.back();
}

Explanation not_closed(char bracket, std::size_t at) {
  return bracket == '{' ? Explanation{at, "a brace { is not closed",
                                      "close it with }, and put commas between the values"}
                        : Explanation{at, "a bracket [ is not closed",
                                      "close it with ], and put commas between the values"};
}

// what stands before a comment, without blanks at its end
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') line = line.substr(0, at);
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// key {…} or key […]: only blanks where the colon should be
std::optional<Explanation> explain_bare_key(const Line& line) {
  const std::size_t bracket = line.text.find_first_of("[{");
  if (bracket == std::string_view::npos || bracket <= line.indent()) return std::nullopt;
  const std::string_view key =
      without_comment(line.text.substr(line.indent(), bracket - line.indent()));
  const bool is_word = std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (key.empty() || !is_word) return std::nullopt;
  return Explanation{line.begin + line.indent(), "a colon is missing after the key",
                     "write  key: value, with a blank after the colon"};
}

// a colon that surprised the parser: look at the line above for what is missing there
std::optional<Explanation> explain_colon(std::string_view text, std::size_t at) {
  const Line here = line_around(text, at);
  if (auto found = explain_bare_key(here)) return found;
  const std::string_view key = here.text.substr(0, at - here.begin);
  if (key.find(": ") != std::string_view::npos) return std::nullopt;
  const std::optional<Line> above = line_above(text, here);
  if (!above) return std::nullopt;

  const std::size_t colon = above->text.find(':');
  if (colon == std::string_view::npos)
    return Explanation{above->begin + above->indent(), "a colon is missing after the key",
                       "write  key: value, with a blank after the colon"};
  if (colon + 1 < above->text.size() &&
      std::string_view(" \t\r").find(above->text[colon + 1]) == std::string_view::npos)
    return Explanation{above->begin + colon + 1, "a blank is missing after the colon",
                       "write  key: value"};
  if (here.indent() > above->indent())
    return Explanation{here.begin + here.indent(),
                       "this line is indented deeper than the key above it, which has a value",
                       "indent it like the line above"};
  return std::nullopt;
}

}  // namespace

std::optional<Explanation> explain_open_bracket(std::string_view text, std::size_t at) {
  const Line here = line_around(text, at);
  const std::optional<Line> above = line_above(text, here);
  for (const std::optional<Line>& line : {above, std::optional<Line>(here)}) {
    if (!line) continue;
    const std::string_view said = without_comment(line->text);
    const std::vector<std::size_t> open = open_brackets(said);
    if (open.empty() || std::string_view("[{,").find(said.back()) != std::string_view::npos)
      continue;
    return not_closed(said[open.back()], line->begin + open.back());
  }
  return std::nullopt;
}

Explanation explain(std::string_view text, std::size_t at, std::string_view yaml_words) {
  // tabs may not indent, and are behind many stranger messages
  if (const auto tab = indenting_tab(text, at))
    return {*tab, "a tab in the indentation, expected spaces",
            "replace the tab by spaces, as many as the lines around it have"};

  if (yaml_words.starts_with("illegal map value") || yaml_words.starts_with("second document"))
    if (auto found = explain_colon(text, at)) return *std::move(found);

  const Line here = line_around(text, at);
  const bool inside_line = at > here.begin + here.indent();
  const std::size_t last = at == 0 ? std::string_view::npos : text.find_last_not_of(' ', at - 1);
  const char before = last == std::string_view::npos ? '\n' : text[last];
  if (yaml_words.starts_with("end of map not found") && inside_line &&
      (before == '\'' || before == '"'))
    return {at, "text behind the closing quote",
            "double a quote inside single quotes ('it''s'), or use the other kind outside"};

  // the } of a map closes nothing while a list inside is open, and the other way round
  if (yaml_words.starts_with("illegal flow end") && at < text.size()) {
    const char other = text[at] == '}' ? '[' : '{';
    if (const auto open = open_bracket(text.substr(0, at), other)) return not_closed(other, *open);
  }
  if (auto found = explain_open_bracket(text, at)) return *std::move(found);

  const bool lone_word = !inside_line && here.says_something() &&
                         here.text.find_first_of(":-[]{}\"'#") == std::string_view::npos;
  if (yaml_words.starts_with("end of map not found") && lone_word)
    return {here.begin + here.indent(), "a colon is missing after the key",
            "write  key: value, with a blank after the colon"};

  for (const Advice& advice : kAdvice) {
    if (!yaml_words.starts_with(advice.yaml_words)) continue;
    const bool brace = yaml_words.starts_with("end of map flow");
    const bool bracket = yaml_words.starts_with("end of sequence flow");
    if (brace || bracket) at = open_bracket(text.substr(0, at), brace ? '{' : '[').value_or(at);
    return {at, std::string(advice.message), std::string(advice.fix)};
  }
  return {at, "not YAML: " + std::string(yaml_words), "check this line and the one above"};
}

}  // namespace pintle::config
