/// JSON on its way to a terminal.
#pragma once
#include <cstddef>
#include <string>

namespace pintle::app {

/// JSON as text. Control characters that JSON itself lets pass (DEL, U+0080 to U+009F: some steer a
/// terminal) are written as their escapes, which a reader takes for the same; bytes that are no UTF-8, of
/// the name of a file, as U+FFFD.
/// @param indent  Blanks a level; -1: all in one line.
template <class Json>
std::string printed(const Json& json, int indent = -1) {
  const std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  constexpr const char* kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    const bool is_c1 =
        c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c != 0x7F && !is_c1) {
      out += text[i];
      continue;
    }
    if (is_c1) c = static_cast<unsigned char>(text[++i]);
    out += std::string("\\u00") + kDigits[c >> 4U] + kDigits[c & 0xFU];
  }
  return out;
}

}  // namespace pintle::app
