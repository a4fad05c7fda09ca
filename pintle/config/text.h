/// Text as it stands in a file: lines, columns in characters, UTF-8, quoting for messages.
///
/// `printable` and `in_quotes` are for everybody who shows text that came from outside; the rest is
/// for the sources of this room.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/config/problem.h"

namespace pintle::config {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Byte offset of the first byte that is not UTF-8, or is a control character that no text has.
[[nodiscard]] std::optional<std::size_t> first_bad_byte(std::string_view text) noexcept;

/// True when a control character stands in it, line breaks and tabs included.
[[nodiscard]] bool has_control(std::string_view text) noexcept;

/// Turns byte offsets into places; cheap when they come in rising order.
class Lines {
 public:
  Lines(std::string_view text, std::string name);

  [[nodiscard]] Location locate(std::size_t offset);
  [[nodiscard]] std::string_view line(int number) const noexcept;  ///< From 1, without its end.

 private:
  std::string_view text_;
  std::string name_;
  std::vector<std::size_t> starts_;
  std::size_t last_offset_ = 0;
  int last_line_ = 1, last_column_ = 1;
};

/// A line of a text, from 1, without its end; "" if there is none.
[[nodiscard]] std::string_view line_of(std::string_view text, int number) noexcept;

/// A line as it is shown in a problem: "" when it is too long for anybody to read.
[[nodiscard]] std::string excerpt_of(std::string_view line);

/// Control characters made visible, so that a file cannot write to the terminal of who reads the
/// message.
[[nodiscard]] std::string printable(std::string_view text);
/// `"text"`, printable, shortened to about 60 characters.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace pintle::config
