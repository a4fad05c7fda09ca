/// What may be the name of a port.
#pragma once
#include <string>
#include <string_view>

namespace pintle::yarp {

/// What is wrong with it, and what to write instead; empty: nothing. A name begins with a slash,
/// goes on behind it, is at most kMaxName (wire.h) bytes long and has no blanks, quotes, brackets or
/// control characters: it stands between blanks in what is said to a name server and in lists.
[[nodiscard]] std::string name_problem(std::string_view name);

}  // namespace pintle::yarp
