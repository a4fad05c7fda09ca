/// What the verbs that open YARP ports share.
#pragma once
#include <string>

namespace pintle::app {

/// A line on stderr, of any thread, without waiting (talk.h). Names and texts of peers are in it:
/// control characters are made visible.
void say_on_stderr(const std::string& text);
/// "/flying_box", of a vehicle's name.
[[nodiscard]] std::string port_prefix(const std::string& vehicle_name);

}  // namespace pintle::app
