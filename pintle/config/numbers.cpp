#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "pintle/config/reader.h"

namespace pintle::config {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::size_t digits(std::string_view text, std::size_t at) noexcept {
  std::size_t n = 0;
  while (at + n < text.size() && is_digit(text[at + n])) ++n;
  return n;
}

// digits, point, digits, exponent: the whole of the text
bool is_decimal(std::string_view text) noexcept {
  std::size_t at = digits(text, 0);
  std::size_t mantissa = at;
  if (at < text.size() && text[at] == '.') {
    const std::size_t n = digits(text, ++at);
    at += n;
    mantissa += n;
  }
  if (mantissa == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t n = digits(text, at);
    if (n == 0) return false;
    at += n;
  }
  return at == text.size();
}

// of a decimal that is no double: whether it is too small (then it is zero), or too large
bool is_tiny(std::string_view text) noexcept {
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  double exponent = 0;
  for (std::size_t i = mark; i < text.size(); ++i)
    if (is_digit(text[i])) exponent = 10 * exponent + (text[i] - '0');
  if (mark + 1 < text.size() && text[mark + 1] == '-') exponent = -exponent;
  return static_cast<double>(point) - static_cast<double>(first) + exponent < 0;
}

std::optional<double> parse_based(std::string_view text, int base) noexcept {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc{} || last != end) return std::nullopt;
  return static_cast<double>(value);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) noexcept {
  if (text.size() > kMaxNumber) return std::nullopt;
  if (text.starts_with("0x")) return parse_based(text.substr(2), 16);
  if (text.starts_with("0o")) return parse_based(text.substr(2), 8);
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    return std::numeric_limits<double>::quiet_NaN();

  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const double sign = negative ? -1.0 : 1.0;
  if (text == ".inf" || text == ".Inf" || text == ".INF")
    return sign * std::numeric_limits<double>::infinity();
  if (!is_decimal(text)) return std::nullopt;

  double value = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return std::nullopt;
    return sign * 0.0;
  }
  if (error != std::errc{} || last != text.data() + text.size()) return std::nullopt;
  return sign * value;
}

std::string shortest(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  // plain digits as long as a person would write them
  const double size = std::fabs(value);
  const auto style =
      size >= 1e-4 && size < 1e16 ? std::chars_format::fixed : std::chars_format::scientific;
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, style).ptr;
  std::string text(buffer.data(), end);
  // 1e-05 is text to a YAML 1.1 reader: it wants a point before the exponent
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos)
    text.insert(exponent, ".0");
  return text;
}

}  // namespace pintle::config
