/// What may be the name of a port.
#pragma once
#include <string>
#include <string_view>

namespace pintle::yarp {

/// What is wrong with it, and what to write instead; empty: nothing. A name begins with a slash,
/// goes on behind it, is at most kMaxName (wire.h) bytes long and has no blanks, quotes, brackets,
/// commas, backslashes or control characters: they part or change the words of messages.
[[nodiscard]] std::string name_problem(std::string_view name);

}  // namespace pintle::yarp
