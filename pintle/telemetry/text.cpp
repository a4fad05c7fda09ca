// JSON, text of pages and numbers as text.
#include <charconv>
#include <cmath>

#include "pintle/telemetry/encoding.h"

namespace pintle::telemetry {
namespace {

template <class N>
void append_number(N value, std::string& out) {
  char text[64];
  const std::to_chars_result r = std::to_chars(text, text + sizeof text, value);
  out.append(text, r.ptr);
}

/// Bytes of a well-formed UTF-8 sequence at `at`, 0 if there is none.
std::size_t utf8_length(std::string_view s, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U;
  };
  const unsigned lead = byte(at), second = byte(at + 1);
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(at + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    // no overlong forms, no surrogates
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
    return follows(at + 1) && follows(at + 2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
    return follows(at + 1) && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

void append_json_double(double value, std::string& out) {
  if (std::isfinite(value))
    append_number(value, out);
  else
    out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

void append_element(const Field& f, const void* element, std::string& out) {
  switch (f.kind) {
    case Kind::kStruct: append_json(*f.table, element, out); break;
    case Kind::kString: append_json_text(f.text->get(element), out); break;
    case Kind::kBool: out += integer_of(f, element) != 0 ? "true" : "false"; break;
    case Kind::kFloat64: append_json_double(number_of(f, element), out); break;
    case Kind::kFloat32: {
      const auto value = static_cast<float>(number_of(f, element));
      if (std::isfinite(value))
        append_number(value, out);
      else
        append_json_double(static_cast<double>(value), out);
      break;
    }
    case Kind::kUint64:
      append_number(static_cast<std::uint64_t>(integer_of(f, element)), out);
      break;
    case Kind::kEnum: {
      // a value without a name stays a number
      const std::int64_t value = integer_of(f, element);
      for (const EnumValue& v : f.enumeration->values)
        if (v.value == value) return append_json_text(v.name, out);
      append_number(value, out);
      break;
    }
    default: append_number(integer_of(f, element), out); break;
  }
}

void append_field(const Field& f, const void* object, std::string& out) {
  const std::size_t n = f.size(object);
  if (f.shape == Shape::kSingle) return append_element(f, f.element(object, 0), out);
  if (f.shape == Shape::kOptional) {
    if (n == 0)
      out += "null";
    else
      append_element(f, f.element(object, 0), out);
    return;
  }
  const bool keyed = f.keys.size() >= n && !f.keys.empty();
  out += keyed ? '{' : '[';
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) out += ',';
    if (keyed) {
      append_json_text(f.keys[i], out);
      out += ':';
    }
    append_element(f, f.element(object, i), out);
  }
  out += keyed ? '}' : ']';
}

}  // namespace

void append_json_text(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t n = utf8_length(text, i);
    if (n == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (n == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) {
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
    } else {
      out.append(text.substr(i, n));
    }
    i += n == 0 ? 1 : n;
  }
  out += '"';
}

void append_json(const Table& table, const void* object, std::string& out) {
  out += '{';
  bool first = true;
  for (const Field& f : table.fields) {
    if (!first) out += ',';
    first = false;
    append_json_text(f.name, out);
    out += ':';
    append_field(f, object, out);
  }
  out += '}';
}

std::string escape_html(std::string_view text) {
  // the JSON writer already knows how to make any bytes valid text
  std::string json;
  append_json_text(text, json);
  std::string out;
  for (std::size_t i = 1; i + 1 < json.size(); ++i) {
    char c = json[i];
    if (c == '\\') {
      c = json[++i];
      if (c == 'u') {
        out += "\xEF\xBF\xBD";
        i += 4;
        continue;
      }
      if (c == 'n') c = ' ';
    }
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::string out;
  append_number(value, out);
  return out;
}

}  // namespace pintle::telemetry
