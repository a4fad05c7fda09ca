#include "pintle/vehicle/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "pintle/config/text.h"

namespace pintle::vehicle {
namespace {

constexpr int kMaxDepth = 100, kMaxElements = 20'000;
constexpr std::size_t kMaxAttributes = 64;

class XmlParser {
 public:
  XmlParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  XmlElement document() {
    skip_to_element();
    XmlElement root = element(0);
    skip_to_element(true);
    return root;
  }

 private:
  [[nodiscard]] config::Location here() const { return {file_, line_, column_}; }
  [[noreturn]] void refuse(std::string message, std::string fix) const {
    const std::size_t begin = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    throw config::ConfigError(config::Problem{here(),
                                              config::excerpt_of(text_.substr(begin, end - begin)),
                                              std::move(message), std::move(fix), true});
  }

  [[nodiscard]] bool done() const noexcept { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const noexcept { return done() ? '\0' : text_[at_]; }
  void step(std::size_t n = 1) noexcept {
    for (; n > 0 && !done(); --n) {
      if (text_[at_++] == '\n')
        ++line_, column_ = 1;
      else
        ++column_;
    }
  }
  [[nodiscard]] bool follows(std::string_view s) const noexcept {
    return text_.substr(std::min(at_, text_.size())).starts_with(s);
  }
  void skip_past(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) refuse(fmt::format("{} without an end", what), "close it");
    step(found + end.size() - at_);
  }
  void skip_blanks() {
    while (!done() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) step();
  }

  /// Over text, comments and declarations to the next tag, or the end of the file.
  void skip_to_element(bool end_of_file = false) {
    for (;;) {
      while (!done() && peek() != '<') step();
      if (done()) {
        if (end_of_file) return;
        refuse("the file ends inside an element", "close it");
      }
      if (follows("<!--"))
        skip_past("-->", "a comment");
      else if (follows("<![CDATA["))
        skip_past("]]>", "CDATA");
      else if (follows("<?") || follows("<!"))
        skip_past(">", "a declaration");
      else if (end_of_file)
        refuse("a second root element", "keep one");
      else
        return;
    }
  }

  static bool is_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == ':' || c == '.';
  }
  std::string name() {
    std::string out;
    for (; is_name(peek()); step()) out += peek();
    if (out.empty()) refuse("expected a name here", "write < and the name of an element");
    return out;
  }

  XmlElement element(int depth) {
    if (depth > kMaxDepth) refuse("elements go too deep", "is one of them not closed?");
    if (++elements_ > kMaxElements)
      refuse(fmt::format("more than {} elements", kMaxElements), "describe one craft alone");
    XmlElement out;
    out.where = here();
    step();
    out.name = name();
    for (;;) {
      skip_blanks();
      if (follows("/>")) {
        step(2);
        return out;
      }
      if (peek() == '>') {
        step();
        break;
      }
      std::string key = name();
      if (out.attribute(key)) refuse(fmt::format("a second {} in <{}>", key, out.name), "keep one");
      if (out.attributes.size() >= kMaxAttributes)
        refuse(fmt::format("<{}> has more than {} attributes", out.name, kMaxAttributes),
               "no element needs them: is a quote missing?");
      std::string text = value();
      out.attributes.emplace_back(std::move(key), std::move(text));
    }
    for (;;) {
      skip_to_element();
      if (follows("</")) break;
      out.children.push_back(element(depth + 1));
    }
    step(2);
    if (const std::string closing = name(); closing != out.name)
      refuse(fmt::format("</{}> closes <{}> of line {}", closing, out.name, out.where.line),
             fmt::format("write  </{}>", out.name));
    skip_blanks();
    if (peek() != '>') refuse("expected > here", "close the tag");
    step();
    return out;
  }

  std::string value() {
    skip_blanks();
    if (peek() != '=') refuse("expected = after the name of an attribute", "write  name=\"value\"");
    step();
    skip_blanks();
    const char quote = peek();
    if (quote != '"' && quote != '\'')
      refuse("expected a value in quotes", "write  name=\"value\"");
    step();
    std::string out;
    while (!done() && peek() != quote && peek() != '<') {
      if (peek() == '&') {
        entity(out);
      } else {
        out += peek();
        step();
      }
    }
    if (peek() != quote) refuse("a value without its closing quote", "close it");
    step();
    return out;
  }

  void entity(std::string& out) {
    const std::size_t end = text_.find(';', at_);
    const std::string_view all =
        end == std::string_view::npos ? std::string_view() : text_.substr(at_ + 1, end - at_ - 1);
    static constexpr std::pair<std::string_view, char> kNamed[] = {
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (const auto& [entity_name, c] : kNamed)
      if (all == entity_name) {
        out += c;
        return step(all.size() + 2);
      }
    int code = 0;
    const bool hex = all.starts_with("#x");
    const std::string_view digits = all.substr(std::min<std::size_t>(hex ? 2 : 1, all.size()));
    if (all.starts_with('#') &&
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10).ec ==
            std::errc() &&
        code > 0 && code < 128) {
      out += static_cast<char>(code);
      return step(all.size() + 2);
    }
    refuse("an entity that is not known here", "write &amp; for a plain &");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
  int elements_ = 0;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view key) const noexcept {
  for (const auto& [name_of, text] : attributes)
    if (name_of == key) return &text;
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view child_name) const noexcept {
  for (const XmlElement& c : children)
    if (c.name == child_name) return &c;
  return nullptr;
}

XmlElement parse_xml(std::string_view text, const std::string& file) {
  return XmlParser(text, file).document();
}

}  // namespace pintle::vehicle
