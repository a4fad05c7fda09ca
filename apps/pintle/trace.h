/// `pintle trace KIND FILE`: drives one block from a file of inputs.
#pragma once
#include <string>
#include <vector>

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

int trace_booster(const std::string& file, const std::string& input, double dt_s);
int trace_gimbal(const std::string& file, const std::string& input, double dt_s);
int trace_propeller(const std::string& file, const std::string& input, double dt_s);
int trace_fin(const std::string& file, const std::string& input, double dt_s);

struct JetTraceOptions {
  double dt_s = 0;
  std::string model;  ///< Empty: as the file says.
  std::vector<double> initial_thrust, initial_rate;
};
int trace_jet(const std::string& file, const std::string& input, const JetTraceOptions& options);

}  // namespace pintle::app
