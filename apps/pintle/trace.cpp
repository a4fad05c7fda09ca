#include "trace.h"

namespace pintle::app {

void add_trace(CLI::App& app, Session& session) {
  struct Arguments {
    std::string file, input, loop = "position", axis = "x";
    double dt_s = 0;
    bool cascaded = false, no_position = false, no_velocity = false;
  };
  CLI::App* verb = app.add_subcommand("trace", "Drive one block from a file of inputs.");
  verb->require_subcommand(1);
  verb->footer(
      "Examples:\n"
      "  pintle trace pid vehicles/oogway.yaml --loop velocity --axis z < errors.csv\n"
      "  pintle trace controller vehicles/original/duke/config/oogway.yaml < session.jsonl\n"
      "  pintle trace thruster vehicles/oogway.yaml < efforts.csv\n"
      "A file in an original's own format is traced with its own behaviour (reference).");

  auto pid = std::make_shared<Arguments>();
  CLI::App* v =
      verb->add_subcommand("pid", "One axis of one loop: error in, effort and terms out.");
  v->add_option("file", pid->file, "Vehicle or robot file; only its gains are read")->required();
  v->add_option("-i,--input", pid->input, "CSV (default: stdin)");
  v->add_option("--loop", pid->loop, "position, position_cascaded or velocity")
      ->check(CLI::IsMember({"position", "position_cascaded", "velocity"}));
  v->add_option("--axis", pid->axis, "x, y, z, roll, pitch or yaw")
      ->check(CLI::IsMember({"x", "y", "z", "roll", "pitch", "yaw"}));
  v->footer(
      "Columns in: error,dt_s,provided_derivative and optionally reset (0 or 1, applied before the "
      "step).\n"
      "Columns out: "
      "output,p,i,d,ff,filtered_error,integral,filtered_derivative,calculated_derivative.");
  v->callback([pid, &session] {
    session.exit_code = trace_pid(pid->file, pid->input, pid->loop, pid->axis);
  });

  auto controller = std::make_shared<Arguments>();
  v = verb->add_subcommand("controller",
                           "The six-axis law with allocation: JSON lines in and out.");
  v->add_option("file", controller->file, "Vehicle or robot file")->required();
  v->add_option("-i,--input", controller->input, "JSON lines (default: stdin)");
  v->add_flag("--cascaded", controller->cascaded, "Position efforts are velocity setpoints");
  v->add_flag("--no-position", controller->no_position, "Position loop off");
  v->add_flag("--no-velocity", controller->no_velocity, "Velocity loop off");
  v->footer(
      "Each line holds t_s and any of: state, tf, desired_position, desired_velocity, "
      "desired_power,\n"
      "control_types, gains, static_power, scale, enable, reset, tick. Vectors are {x, y, z} or "
      "lists, messages\n"
      "as ROS writes them. A line's inputs are taken first, in this order; `\"tick\": true` then "
      "computes the\n"
      "allocation and answers one line, whose keys are the original's topics. `\"tf\": null` is a "
      "failed lookup.");
  v->callback([controller, &session] {
    session.exit_code = trace_controller(
        controller->file, controller->input,
        {!controller->no_position, !controller->no_velocity, controller->cascaded});
  });

  auto thruster = std::make_shared<Arguments>();
  v = verb->add_subcommand("thruster", "Every thruster: effort in; command and thrust out.");
  v->add_option("file", thruster->file, "Vehicle or robot file")->required();
  v->add_option("-i,--input", thruster->input, "CSV (default: stdin)");
  v->add_option("--dt", thruster->dt_s, "Seconds a row, for lag and slew; 0: the static curve")
      ->check(CLI::Range(0.0, 3600.0));
  v->footer(
      "Columns in: NAME_N a thruster (NAME where the vehicle is normalised), optionally bus_V.\n"
      "Columns out, a thruster: NAME_effort, NAME_pwm_us where it has one, NAME_thrust_N.");
  v->callback([thruster, &session] {
    session.exit_code = trace_thruster(thruster->file, thruster->input, thruster->dt_s);
  });
}

}  // namespace pintle::app
