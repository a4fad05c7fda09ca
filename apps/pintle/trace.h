/// `pintle trace KIND FILE`: drives one block from a file of inputs.
#pragma once
#include <string>

#include "verbs.h"

namespace pintle::app {

int trace_pid(const std::string& file, const std::string& input, const std::string& loop,
              const std::string& axis);

struct ControllerTraceOptions {
  bool enable_position = true, enable_velocity = true, cascaded = false;
};
int trace_controller(const std::string& file, const std::string& input,
                     const ControllerTraceOptions& options);

int trace_thruster(const std::string& file, const std::string& input, double dt_s);

}  // namespace pintle::app
