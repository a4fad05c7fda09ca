// single values: numbers, whole numbers, names of enumerations, text, true and false

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "pintle/config/describe.h"
#include "pintle/config/text.h"
#include "pintle/config/units.h"
#include "pintle/config/walk.h"

namespace pintle::config {
namespace {

// what to write for a text that is nearly a number: "50 kgf", "1,5", "1_000", "\"50\""
std::string near_number(const Node& node, const Field& field, const std::string& key) {
  const std::string& text = node.scalar;
  if (text.size() > kMaxNumber && text.find_first_of("+-.0123456789") == 0)
    return fmt::format("a number has {} characters at most: write fewer digits", kMaxNumber);
  if (node.quoted && parse_number(text))
    return fmt::format("remove the quotes:  {}: {}", key, text);
  if (std::isinf(parse_number(text).value_or(0)) || std::isnan(parse_number(text).value_or(0)))
    return {};

  std::string plain = text;
  std::erase(plain, '_');
  if (plain != text && parse_number(plain)) return fmt::format("write  {}: {}", key, plain);
  plain = text;
  if (const std::size_t comma = plain.find(','); comma != std::string::npos) {
    plain[comma] = '.';
    if (parse_number(plain)) return fmt::format("use a point for decimals:  {}: {}", key, plain);
  }
  if (const auto list = numbers_with_commas(text))
    return fmt::format("put commas between the numbers:  [{}]", *list);

  const std::optional<WithUnit> split = split_unit(text);
  if (!split || split->unit.empty()) return {};
  const std::string words =
      field.unit.empty() ? "a pure number" : "in " + unit_in_words(field.unit);
  if (const auto value = convert(split->value, split->unit, field.unit))
    return fmt::format("write the number alone, {}:  {}: {:.10g}", words, key, *value);
  return {};
}

bool is_whole_text(std::string_view text) noexcept {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// exact whole number: through a double it would lose bits beyond 2^53
template <class T>
std::optional<T> whole(std::string_view text) noexcept {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || last != end) return std::nullopt;
  return value;
}

// the one name that a text abbreviates or lengthens: polynom, reversed_
std::string only_completion(std::string_view text, const std::vector<std::string_view>& names) {
  constexpr std::size_t kLeast = 3;
  std::string_view found;
  for (const std::string_view name : names) {
    if (text.size() < kLeast || !(name.starts_with(text) || text.starts_with(name))) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return std::string(found);
}

}  // namespace

// 1 2 3 is one text to YAML
std::optional<std::string> numbers_with_commas(std::string_view text) {
  if (text.find(' ') == std::string_view::npos) return std::nullopt;
  std::string list;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    at = end + 1;
    if (part.empty()) continue;
    if (!parse_number(part)) return std::nullopt;
    list += (list.empty() ? "" : ", ") + std::string(part);
  }
  return list;
}

void Reader::Walk::read_element(const Node& node, const Field& field, void* element,
                                const Spot& spot, bool partial) {
  switch (field.kind) {
    case Kind::kStruct: return read_struct(node, field, element, spot, partial, false);
    case Kind::kString: return read_text(node, field, element, spot);
    case Kind::kBool: return read_bool(node, field, element, spot);
    case Kind::kEnum: return read_enum(node, field, element, spot);
    case Kind::kFloat32:
    case Kind::kFloat64: return read_number(node, field, element, spot);
    default: return read_integer(node, field, element, spot);
  }
}

void Reader::Walk::read_number(const Node& node, const Field& field, void* element,
                               const Spot& spot) {
  const std::optional<double> value =
      node.is_scalar() && !node.quoted ? parse_number(node.scalar) : std::nullopt;
  const bool fits =
      value && (field.kind == Kind::kFloat64 || std::isfinite(static_cast<float>(*value)));
  if (fits && std::isfinite(*value) && in_range(field, *value)) {
    set_number(field, element, *value);
    return;
  }
  wrong(node, field, element, spot, near_number(node, field, spot.key),
        value && !std::isfinite(*value));
}

void Reader::Walk::read_integer(const Node& node, const Field& field, void* element,
                                const Spot& spot) {
  if (!node.is_scalar() || node.quoted || !is_whole_text(node.scalar)) {
    const auto value = node.quoted ? std::nullopt : parse_number(node.scalar);
    std::string fix = near_number(node, field, spot.key);
    if (value && *value == std::floor(*value) && std::fabs(*value) < 0x1p53)
      fix = fmt::format("write it without point and exponent:  {}: {:.0f}", spot.key, *value);
    return wrong(node, field, element, spot, std::move(fix));
  }
  const std::optional<double> value = parse_number(node.scalar);
  const bool in_kind =
      value && *value >= smallest_of(field.kind) && *value <= largest_of(field.kind);
  if (!in_kind || !in_range(field, *value))
    return wrong(node, field, element, spot, near_number(node, field, spot.key));
  if (field.kind == Kind::kUint64) {
    // set_integer takes 64 bits as they are
    const auto exact = whole<std::uint64_t>(node.scalar);
    if (!exact) return wrong(node, field, element, spot);
    return set_integer(field, element, static_cast<std::int64_t>(*exact));
  }
  const auto exact = whole<std::int64_t>(node.scalar);
  if (!exact) return wrong(node, field, element, spot);
  set_integer(field, element, *exact);
}

void Reader::Walk::read_enum(const Node& node, const Field& field, void* element,
                             const Spot& spot) {
  if (node.is_scalar()) {
    const std::optional<std::int64_t> named = field.enumeration->value_of(node.scalar);
    if (named) return set_integer(field, element, *named);
    // the originals' files give numbers
    const auto number = node.quoted ? std::nullopt : whole<std::int64_t>(node.scalar);
    if (number && is_whole_text(node.scalar))
      for (const EnumValue& value : field.enumeration->values)
        if (value.value == *number) return set_integer(field, element, *number);
  }
  std::vector<std::string_view> names;
  for (const EnumValue& value : field.enumeration->values) names.push_back(value.name);
  std::string meant = node.is_scalar() ? did_you_mean(node.scalar, names) : "";
  if (meant.empty() && node.is_scalar()) meant = only_completion(node.scalar, names);
  const double number = parse_number(node.scalar).value_or(0.5);
  std::string fix;
  if (!meant.empty()) fix = "did you mean  " + meant;
  if (number == std::floor(number) && std::fabs(number) < 0x1p53) {
    const std::string_view name = field.enumeration->name_of(static_cast<std::int64_t>(number));
    for (const std::string_view known : names)
      if (known == name) fix = fmt::format("write  {}: {}", spot.key, name);
  }
  wrong(node, field, element, spot, std::move(fix));
}

void Reader::Walk::read_text(const Node& node, const Field& field, void* element,
                             const Spot& spot) {
  if (!node.is_scalar()) return wrong(node, field, element, spot);
  // only what is for the reader alone may have lines
  if (field.name != "description" && has_control(node.scalar))
    return reader_.error(
        node.where,
        fmt::format("{}: expected a text on one line, got {}", spot.key, in_quotes(node.scalar)),
        "leave out line breaks, tabs and escapes");
  if (field.text->set(element, node.scalar)) return;
  reader_.error(
      node.where,
      fmt::format("{}: expected a text that fits, got {} bytes", spot.key, node.scalar.size()),
      "write a shorter text");
}

void Reader::Walk::read_bool(const Node& node, const Field& field, void* element,
                             const Spot& spot) {
  if (node.is_scalar() && !node.quoted && (node.scalar == "true" || node.scalar == "false"))
    return set_integer(field, element, node.scalar == "true" ? 1 : 0);
  std::string word = node.scalar;
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  constexpr std::array kYes{"true", "yes", "on", "y", "1"};
  constexpr std::array kNo{"false", "no", "off", "n", "0"};
  std::string fix = fmt::format("write  {}: true  or  {}: false", spot.key, spot.key);
  for (const std::string_view yes : kYes)
    if (word == yes) fix = fmt::format("write  {}: true", spot.key);
  for (const std::string_view no : kNo)
    if (word == no) fix = fmt::format("write  {}: false", spot.key);
  wrong(node, field, element, spot, std::move(fix));
}

}  // namespace pintle::config
