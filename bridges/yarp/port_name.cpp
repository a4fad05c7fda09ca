#include "pintle/yarp/port_name.h"

#include <algorithm>

#include "pintle/yarp/wire.h"

namespace pintle::yarp {

std::string name_problem(std::string_view name) {
  if (name.empty()) return "a port's name is missing: write one such as /jets/input:i";
  if (name.size() > kMaxName)
    return "a port's name has at most " + std::to_string(kMaxName) + " bytes, this one " +
           std::to_string(name.size());
  if (has_control_characters(name))
    return "a port's name has no line ends, tabs or other control characters";
  const std::string quoted = "\"" + std::string(name) + "\"";
  if (!name.starts_with('/'))
    return quoted + ": a port's name begins with a slash: /" + std::string(name);
  if (name == "/") return quoted + ": a port's name goes on behind the slash: /jets/input:i";
  if (name.find(' ') != std::string_view::npos)
    return quoted + ": a port's name has no blanks: write _ instead";
  if (name.find_first_of("\"\\()[]{},") != std::string_view::npos)
    return quoted +
           ": a port's name has no quotes, brackets, commas or backslashes: write _ instead";
  return {};
}

}  // namespace pintle::yarp
