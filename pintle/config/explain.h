/// What a YAML syntax error means to the person who made it. For the sources of this room.
///
/// A parser stops where it can go on no more; the slip is often earlier: a missing colon on the
/// line above, a bracket that was opened long before, a quote inside quotes.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pintle::config {

struct Explanation {
  std::size_t at = 0;  ///< Byte offset to point at.
  std::string message, fix;
};

/// `at` and `yaml_words` are yaml-cpp's.
[[nodiscard]] Explanation explain(std::string_view text, std::size_t at,
                                  std::string_view yaml_words);

/// A bracket that the line at `at`, or the one above, opened and ended without closing; lists that
/// go on over several lines on purpose end their lines with a bracket or a comma.
[[nodiscard]] std::optional<Explanation> explain_open_bracket(std::string_view text,
                                                              std::size_t at);

}  // namespace pintle::config
