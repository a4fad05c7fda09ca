/// What may be the name of a port on YARP.
///
/// It begins with a slash, goes on behind it, is at most kMaxPortName bytes long, and has no
/// blanks, quotes, brackets, commas, backslashes or control characters: they part or change the
/// words of messages.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pintle/base/finding.h"

namespace pintle {

inline constexpr std::size_t kMaxPortName = 1000;

[[nodiscard]] bool is_port_name(std::string_view name) noexcept;
/// Why it is none, and what to write: `path` is left empty.
[[nodiscard]] std::optional<Finding> port_name_fault(std::string_view name);
/// One that could be, near to it: _ for each character that no name has, a slash in front.
[[nodiscard]] std::string mended_port_name(std::string name);

}  // namespace pintle
