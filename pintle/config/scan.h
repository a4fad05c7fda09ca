/// Finds in the text what yaml-cpp does not tell: where a scalar or a bracket ends. For the sources
/// of this room.
#pragma once
#include <cstddef>
#include <string_view>

#include "pintle/config/document.h"

namespace pintle::config {

struct ScalarRange {
  std::size_t begin = 0, end = 0;  ///< Equal when unknown.
  bool quoted = false;             ///< In quotes, or a block scalar: text, never a number.
  bool unclosed = false;           ///< A quote at `begin` has no other end than the file's.
};

/// Offset behind anchors (&a) and tags (!t) and the blanks after them.
[[nodiscard]] std::size_t skip_properties(std::string_view text, std::size_t at) noexcept;

/// The scalar that begins at `at` and means `value`.
[[nodiscard]] ScalarRange scan_scalar(std::string_view text, std::size_t at,
                                      std::string_view value) noexcept;

/// Length of `~` or `null` at `at`, 0 if there is none.
[[nodiscard]] std::size_t null_length(std::string_view text, std::size_t at) noexcept;

/// Offset behind the closing bracket of a flow list or map that begins at node.begin; 0 unknown.
[[nodiscard]] std::size_t end_of_flow(std::string_view text, const Node& node) noexcept;

/// Offset behind the quote that closes the one at `at`; npos when there is none.
[[nodiscard]] std::size_t end_of_quoted(std::string_view text, std::size_t at) noexcept;

/// Offset of the next character that is neither blank, line end nor comment.
[[nodiscard]] std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept;

}  // namespace pintle::config
