/// What the verbs that open YARP ports share.
#pragma once
#include <string>

namespace pintle::app {

/// What a network's thread has to say, on stderr.
void say_on_stderr(const std::string& text);
/// "/flying_box", of a vehicle's name.
[[nodiscard]] std::string port_prefix(const std::string& vehicle_name);

}  // namespace pintle::app
