/// What a YAML syntax error means to the person who made it. For the sources of this room.
///
/// A parser stops where it can go on no more; the slip is often earlier: a missing colon on the
/// line above, a bracket that was opened long before, a quote inside quotes.
#pragma once
#include <cstddef>
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

}  // namespace pintle::config
