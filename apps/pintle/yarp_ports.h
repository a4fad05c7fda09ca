/// What the verbs that open YARP ports share.
#pragma once
#include <string>

namespace pintle::app {

/// A line on stderr, of any thread, without waiting (talk.h). Names and texts of peers are in it:
/// control characters are made visible.
void say_on_stderr(const std::string& text);

}  // namespace pintle::app
