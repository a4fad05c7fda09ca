#include "trace.h"

namespace pintle::app {
namespace {

/// A kind of propulsor whose verb takes a file, a table and a step.
struct PropulsorVerb {
  const char* name;
  const char* does;
  const char* columns;
  int (*trace)(const std::string&, const std::string&, double);
};

constexpr PropulsorVerb kPropulsorVerbs[]{
    {"booster", "Every booster: ignition and pwm in; thrust, fuel and tank out.",
     "Columns in, a booster: NAME_ignition,NAME_pwm, optionally NAME_noise (the raw normal draw) "
     "and the rotation\nNAME_r11 … NAME_r33.\n"
     "Columns out, a booster: NAME_lit,NAME_throttle,NAME_fuel_ratio,NAME_thrust_N,NAME_fx_N,"
     "NAME_fy_N,NAME_fz_N,\nNAME_tank_mass_kg,NAME_tank_ixx_kgm2,NAME_tank_iyy_kgm2,"
     "NAME_tank_izz_kgm2.",
     &trace_booster},
    {"gimbal", "Every gimbal: commands in; rotation out.",
     "Columns in, a gimbal: NAME_1,NAME_2 in [-1, 1].\n"
     "Columns out, a gimbal: NAME_r11 … NAME_r33, row by row.",
     &trace_gimbal},
    {"propeller", "Every propeller: pwm in; throttle, rpm and wrench out.",
     "Columns in, a propeller: NAME_pwm, optionally NAME_noise.\n"
     "Columns out, a propeller: NAME_throttle,NAME_rpm,NAME_fx_N … NAME_tz_Nm.",
     &trace_propeller},
    {"fin", "Every fin: command and velocity in; deflection and wrench out.",
     "Columns in, a fin: NAME_cmd,NAME_vx_m_s,NAME_vy_m_s,NAME_vz_m_s (air-relative, link frame).\n"
     "Columns out, a fin: NAME_actuation,NAME_fx_N … NAME_tz_Nm.",
     &trace_fin}};

void add_jet(CLI::App& verb, Session& session) {
  struct Arguments {
    std::string file, input;
    JetTraceOptions options;
  };
  auto jet = std::make_shared<Arguments>();
  CLI::App* v = verb.add_subcommand("jet", "Every jet: input in; thrust and its rate out.");
  v->add_option("file", jet->file, "File with a propulsors: list, or a jets .ini")->required();
  v->add_option("-i,--input", jet->input, "CSV (default: stdin)");
  v->add_option("--dt", jet->options.dt_s, "Seconds a row")
      ->required()
      ->check(CLI::Range(0.0, 3600.0));
  v->add_option("--model", jet->options.model, "Instead of the file's")
      ->check(CLI::IsMember({"first_order", "nonlinear", "direct"}));
  v->add_option("--initial-thrust", jet->options.initial_thrust, "N, one per jet")->delimiter(',');
  v->add_option("--initial-rate", jet->options.initial_rate, "N/s, one per jet")->delimiter(',');
  v->footer(
      "Columns in: one a jet, by its name; optionally t_s. N/s (first_order), percent (nonlinear), "
      "N (direct).\n"
      "Columns out, a jet: NAME_thrust_N,NAME_thrust_rate_N_s.");
  v->callback(
      [jet, &session] { session.exit_code = trace_jet(jet->file, jet->input, jet->options); });
}

void add_propulsors(CLI::App& verb, Session& session) {
  struct Arguments {
    std::string file, input;
    double dt_s = 0;
  };
  add_jet(verb, session);
  for (const PropulsorVerb& kind : kPropulsorVerbs) {
    auto a = std::make_shared<Arguments>();
    CLI::App* v = verb.add_subcommand(kind.name, kind.does);
    v->add_option("file", a->file, "File with a propulsors: list")->required();
    v->add_option("-i,--input", a->input, "CSV (default: stdin)");
    v->add_option("--dt", a->dt_s, "Seconds a row")->required()->check(CLI::Range(0.0, 3600.0));
    v->footer(kind.columns);
    v->callback([a, &session, trace = kind.trace] {
      session.exit_code = trace(a->file, a->input, a->dt_s);
    });
  }
}

}  // namespace

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
  add_propulsors(*verb, session);
}

}  // namespace pintle::app
