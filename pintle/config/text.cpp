#include "pintle/config/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace pintle::config {
namespace {

bool is_continuation(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// length of the UTF-8 sequence at i, 0 when it is not one (overlong, surrogate, cut off)
std::size_t sequence_length(std::string_view text, std::size_t i) noexcept {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  const std::size_t n = lead < 0x80                    ? 1
                        : lead >= 0xC2 && lead <= 0xDF ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (n == 0 || i + n > text.size()) return 0;
  for (std::size_t k = 1; k < n; ++k)
    if (!is_continuation(text[i + k])) return 0;
  if (lead == 0xE0 && byte(i + 1) < 0xA0) return 0;
  if (lead == 0xED && byte(i + 1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(i + 1) < 0x90) return 0;
  if (lead == 0xF4 && byte(i + 1) > 0x8F) return 0;
  return n;
}

bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

// C1 controls (U+0080 to U+009F) steer terminals too
bool is_c1(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]) == 0xC2 && i + 1 < text.size() &&
         is_continuation(text[i + 1]) && static_cast<unsigned char>(text[i + 1]) < 0xA0;
}

}  // namespace

std::optional<std::size_t> first_bad_byte(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = sequence_length(text, i);
    if (n == 0 || is_control(text[i])) return i;
    i += n;
  }
  return std::nullopt;
}

bool has_control(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F || is_c1(text, i))
      return true;
  return false;
}

Lines::Lines(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
  starts_.push_back(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  last_offset_ = starts_[0];
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') starts_.push_back(i + 1);
}

Location Lines::locate(std::size_t offset) {
  offset = std::clamp(offset, starts_[0], std::max(starts_[0], text_.size()));
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const int number = static_cast<int>(next - starts_.begin());
  // on the line asked about last, count on from there: a file may be one long line
  if (number != last_line_ || offset < last_offset_) {
    last_line_ = number;
    last_column_ = 1;
    last_offset_ = *(next - 1);
  }
  for (; last_offset_ < offset; ++last_offset_)
    if (!is_continuation(text_[last_offset_])) ++last_column_;
  return {name_, last_line_, last_column_};
}

std::string_view Lines::line(int number) const noexcept {
  if (number < 1 || static_cast<std::size_t>(number) > starts_.size()) return {};
  const std::size_t begin = starts_[static_cast<std::size_t>(number) - 1];
  std::size_t end = std::min(text_.find('\n', begin), text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  return text_.substr(begin, end - begin);
}

std::string_view line_of(std::string_view text, int number) noexcept {
  if (number < 1) return {};
  std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (int i = 1; i < number; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::size_t end = std::min(text.find('\n', begin), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

std::string excerpt_of(std::string_view line) {
  // a file of megabytes on one line would be copied into each of its problems
  constexpr std::size_t kMost = 4096;
  return line.size() > kMost ? std::string{} : std::string(line);
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = sequence_length(text, i);
    const auto byte = static_cast<unsigned char>(text[i]);
    if (text[i] == '\t') {
      out += '\t';
    } else if (text[i] == '\n') {
      out += "\\n";
    } else if (n == 0 || is_control(text[i]) || text[i] == '\r') {
      out += fmt::format("\\x{:02x}", byte);
    } else if (is_c1(text, i)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[i + 1]));
    } else {
      out += text.substr(i, n);
    }
    i += std::max<std::size_t>(n, 1);
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t n = std::min(text.size(), kMost);
  while (n > 0 && n < text.size() && is_continuation(text[n])) --n;
  return '"' + printable(text.substr(0, n)) + (n < text.size() ? "…\"" : "\"");
}

}  // namespace pintle::config
