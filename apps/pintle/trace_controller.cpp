#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "csv.h"
#include "pintle/allocation/allocator.h"
#include "pintle/config/json_text.h"
#include "pintle/config/reader.h"
#include "pintle/craft/live.h"
#include "pintle/vehicle/effectiveness.h"
#include "trace.h"

namespace pintle::app {
namespace {

using Json = nlohmann::ordered_json;
using control::PidTerms;

// ---------------------------------------------------------------------------------------------
// messages as JSON, the way ROS writes them

struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double number(const Json& j, const std::string& what) {
  if (j.is_number()) return j.get<double>();
  // JSON has no word for what a broken sensor says
  if (j.is_string()) {
    const std::string s = j.get<std::string>();
    if (s == "NaN" || s == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (s == "Infinity" || s == "inf") return std::numeric_limits<double>::infinity();
    if (s == "-Infinity" || s == "-inf") return -std::numeric_limits<double>::infinity();
  }
  if (j.is_null()) return std::numeric_limits<double>::quiet_NaN();
  throw JsonError(what + ": expected a number, got " + j.dump());
}

/// Named numbers of {x: …, y: …} or the same as a list.
template <std::size_t N>
std::array<double, N> numbers(const Json& j, const std::array<const char*, N>& names,
                              const std::string& what) {
  std::array<double, N> out{};
  if (j.is_array() && j.size() == N) {
    for (std::size_t i = 0; i < N; ++i) out[i] = number(j[i], what);
    return out;
  }
  if (!j.is_object())
    throw JsonError(what + ": expected a map or a list of " + std::to_string(N) + " numbers");
  for (std::size_t i = 0; i < N; ++i) {
    if (!j.contains(names[i])) throw JsonError(what + ": \"" + names[i] + "\" is missing");
    out[i] = number(j[names[i]], what + "." + names[i]);
  }
  return out;
}

Vec3 vec3(const Json& j, const std::string& what) {
  const auto v = numbers<3>(j, {"x", "y", "z"}, what);
  return {v[0], v[1], v[2]};
}

Quat quat(const Json& j, const std::string& what) {
  const auto v = numbers<4>(j, {"x", "y", "z", "w"}, what);
  return {v[0], v[1], v[2], v[3]};
}

const Json& member(const Json& j, std::initializer_list<const char*> names,
                   const std::string& what) {
  for (const char* name : names)
    if (j.is_object() && j.contains(name)) return j[name];
  throw JsonError(what + ": \"" + *names.begin() + "\" is missing");
}

Pose pose(const Json& j, const std::string& what) {
  return {vec3(member(j, {"position", "translation"}, what), what),
          quat(member(j, {"orientation", "rotation"}, what), what)};
}

Vec6 twist(const Json& j, const std::string& what) {
  const Vec3 v = vec3(member(j, {"linear"}, what), what),
             w = vec3(member(j, {"angular"}, what), what);
  return {{v.x, v.y, v.z, w.x, w.y, w.z}};
}

Json xyz(Vec3 v) { return {{"x", v.x}, {"y", v.y}, {"z", v.z}}; }
Json as_twist(const Vec6& v) {
  return {{"linear", xyz({v[0], v[1], v[2]})}, {"angular", xyz({v[3], v[4], v[5]})}};
}

Json as_info(const PidTerms& t, control::Derivative derivative) {
  return {{"terms",
           {{"proportional", t.p}, {"integral", t.i}, {"derivative", t.d}, {"feedforward", t.ff}}},
          {"filtered_error", t.filtered_error},
          {"integral", t.integral},
          {"filtered_derivative", t.filtered_derivative},
          {"calculated_derivative", t.calculated_derivative},
          {"provided_derivative", t.provided_derivative},
          {"derivative_type", {{"type", static_cast<int>(derivative)}}}};
}

// ---------------------------------------------------------------------------------------------
// the controller

class ControllerTrace {
 public:
  ControllerTrace(const craft::VehicleFile& file, const ControllerTraceOptions& options)
      : sections_(file.laws), vehicle_(vehicle::build(file.vehicle)) {
    control::set_switches(sections_,
                          {options.enable_position, options.enable_velocity, options.cascaded});
    params_ = control::selected(sections_);
    if (!control::traits(params_).each_axis)
      throw std::invalid_argument(
          "trace controller runs the loops on each axis of law `" +
          control::names_of_laws([](const control::LawTraits& l) { return l.each_axis; }) +
          "`, not `" + std::string(to_string(sections_.law)) + "`");
    state_ = control::initial_state(params_);
    settings_.objective = allocation::resolved(file.allocation);
    effectiveness_ = vehicle::effectiveness_of(vehicle_);
    matrix_ = vehicle::analyse(vehicle_);
  }

  /// Takes one line; the answer is null unless it holds a tick.
  Json take(const Json& line) {
    for (const auto& [key, value] : line.items()) check_key(key);
    const double t = number(member(line, {"t_s"}, "line"), "t_s");
    setpoints(line);
    parameters(line);
    if (line.contains("tf")) {
      has_tf_ = true;
      tf_ok_ = !line["tf"].is_null();
      if (tf_ok_) tf_ = pose(line["tf"], "tf");
    }
    if (line.contains("reset") && line["reset"].get<bool>())
      control::reset(params_, state_, control::ResetCause::kAsked);
    if (line.contains("enable")) enabled_ = line["enable"].get<bool>();
    if (line.contains("state")) on_state(t, line["state"]);
    return line.value("tick", false) ? on_tick(t) : Json();
  }

 private:
  static void check_key(const std::string& key) {
    static const std::vector<std::string_view> known{
        "t_s",           "state",         "tf",    "desired_position", "desired_velocity",
        "desired_power", "control_types", "gains", "static_power",     "scale",
        "enable",        "reset",         "tick"};
    if (std::find(known.begin(), known.end(), key) != known.end()) return;
    const std::string near = config::did_you_mean(key, known);
    throw JsonError("unknown key \"" + key + "\"" +
                    (near.empty() ? "" : ", did you mean \"" + near + "\"?"));
  }

  /// Each message is taken on its own, as the original's callbacks do.
  void setpoints(const Json& line) {
    Setpoint wanted = control::accepted(state_);
    if (line.contains("desired_position")) {
      wanted.X_WD = pose(line["desired_position"], "desired_position");
      offer(wanted, "desired_position");
    }
    if (line.contains("desired_velocity")) {
      wanted = control::accepted(state_);
      wanted.V_WD_B = to_twist(twist(line["desired_velocity"], "desired_velocity"));
      offer(wanted, "desired_velocity");
    }
    if (line.contains("desired_power")) {
      wanted = control::accepted(state_);
      wanted.F_Bo_B = to_wrench(twist(line["desired_power"], "desired_power"));
      offer(wanted, "desired_power");
    }
    if (line.contains("control_types")) {
      wanted = control::accepted(state_);
      const auto types = numbers<6>(line["control_types"], {"x", "y", "z", "roll", "pitch", "yaw"},
                                    "control_types");
      bool valid = true;
      for (std::size_t i = 0; i < kAxes; ++i) {
        valid = valid && (types[i] == 0 || types[i] == 1 || types[i] == 2);
        wanted.mode[i] = static_cast<AxisMode>(types[i]);
      }
      if (valid)
        offer(wanted, "control_types");
      else
        fmt::print(stderr, "control_types: refused, each must be 0, 1 or 2\n");
    }
  }

  void offer(const Setpoint& wanted, const char* what) {
    int axis = -1;
    const control::SetpointRefusal why = control::accept(params_, state_, wanted, axis);
    if (why != control::SetpointRefusal::kNone)
      fmt::print(
          stderr, "{}: refused ({}{}), the old one stays\n", what, to_string(why),
          axis >= 0 ? ", axis " + std::string(kAxisNames[static_cast<std::size_t>(axis)]) : "");
  }

  void parameters(const Json& line) {
    control::LawSections next = sections_;
    std::string why;
    const auto set = [&](const std::string& path, double value) {
      std::string wrong;
      if (!craft::set_by_path(table_of<control::LawSections>(), &next, path, value, wrong) &&
          why.empty())
        why = path + ": " + wrong;
    };
    if (line.contains("gains"))
      for (const Json& g : line["gains"])
        set(path_of(g), number(member(g, {"value"}, "gains"), "gains.value"));
    if (line.contains("static_power")) {
      const Vec3 force = vec3(line["static_power"], "static_power");
      set("control.static_force.x", force.x);
      set("control.static_force.y", force.y);
      set("control.static_force.z", force.z);
    }
    if (line.contains("scale")) set("control.scale", number(line["scale"], "scale"));
    for (const Finding& f : check(next))
      if (f.is_error && why.empty()) why = f.path + ": " + f.message;
    if (!why.empty()) {
      fmt::print(stderr, "parameters: refused, {}\n", why);
      return;
    }
    sections_ = next;
    params_ = control::selected(sections_);
  }

  [[nodiscard]] std::string path_of(const Json& g) const {
    const auto field = [&g](const char* name) {
      return static_cast<std::size_t>(number(member(g, {name}, "gains"), name));
    };
    const std::size_t loop = field("loop"), axis = field("axis"), gain = field("gain");
    if (loop > 1 || axis > 5 || gain > 3)
      throw JsonError("gains: loop is 0..1, axis 0..5, gain 0..3");
    static constexpr std::array kGains{"kp", "ki", "kd", "ff"};
    const char* const name = loop == 1                               ? "velocity"
                             : control::switches(sections_).cascaded ? "position_cascaded"
                                                                     : "position";
    return fmt::format("control.{}.{}.{}", name, kAxisNames[axis], kGains[gain]);
  }

  void on_state(double t, const Json& message) {
    const double dt = has_state_ ? t - last_state_ : 0;
    has_state_ = true;
    last_state_ = t;
    delta_time_s_ = dt;
    const Json& outer = message.contains("pose") ? message["pose"] : message;
    const Json& motion = message.contains("twist") ? message["twist"] : message;
    const Pose X = pose(outer.contains("pose") ? outer["pose"] : outer, "state");
    const Twist V = to_twist(twist(motion.contains("twist") ? motion["twist"] : motion, "state"));
    if (has_tf_ && !tf_ok_) return;
    control::LawInput in{.X_WB = has_tf_ ? tf_ : X, .V_WB_B = V, .q_static = X.q};
    in.fresh = in.live = true;
    in.dt_s = dt;
    if (!control::measure(params_, state_, in, trace_))
      fmt::print(stderr, "state at {} s: refused, the last efforts hold\n", t);
  }

  Json on_tick(double t) {
    WrenchDemand demand;
    control::demand(params_, state_, trace_, demand);
    const Vec6 wanted = to_vec6(demand.F_Bo_B);
    Allocation a;
    allocation::allocate(settings_, effectiveness_, demand, nullptr, a);
    const double dt = has_tick_ ? t - last_tick_ : 0;
    has_tick_ = true;
    last_tick_ = t;
    const Vec6 achieved = to_vec6(a.achieved);
    control::achieved(params_, state_, wanted, achieved, achieved, dt, true);

    Json efforts = Json::array(), unconstrained = Json::array();
    for (double u : a.effort) efforts.push_back(u);
    for (const Vec6& row : matrix_.pinv_rows) unconstrained.push_back(dot(row, wanted));
    Json j{{"t_s", t}};
    if (enabled_) j["thruster_allocs"] = efforts;
    j["constrained_thruster_allocs"] = efforts;
    j["unconstrained_thruster_allocs"] = unconstrained;
    const control::LoopsView l = loops();
    j["base_power"] = as_twist(l.base);
    j["set_power_unscaled"] = as_twist(l.unscaled);
    j["set_power"] = as_twist(wanted);
    j["actual_power"] = as_twist(achieved);
    j["power_disparity"] = as_twist(wanted - achieved);
    j["power_disparity_norm"] = norm(wanted - achieved);
    for (std::size_t i = 0; i < kAxes; ++i)
      j["control_types"][std::string(kAxisNames[i])] =
          static_cast<int>(control::accepted(state_).mode[i]);
    j["status"] = enabled_;
    j["pid_gains"] = gains();
    j["static_power_global"] = xyz(l.static_force);
    j["power_scale_factor"] = l.scale;
    add_loops(j, l);
    return j;
  }

  /// The constructor has refused every law without.
  [[nodiscard]] control::LoopsView loops() const {
    return *control::view_of_loops(params_, state_, trace_);
  }

  [[nodiscard]] Json gains() const {
    Json list = Json::array();
    const control::LoopsView l = loops();
    for (int loop = 0; loop < 2; ++loop)
      for (std::size_t axis = 0; axis < kAxes; ++axis) {
        const control::PidParams& p = (loop == 1 ? l.velocity : l.position)[axis];
        int gain = 0;
        for (double value : {p.kp, p.ki, p.kd, p.ff})
          list.push_back({{"loop", loop}, {"axis", axis}, {"gain", gain++}, {"value", value}});
      }
    return list;
  }

  /// What the last state message gave.
  void add_loops(Json& j, const control::LoopsView& l) const {
    j["delta_time"] = delta_time_s_;
    j["position_error"] = as_twist(l.position_error);
    j["position_efforts"] = as_twist(l.position_effort);
    j["velocity_error"] = as_twist(l.velocity_error);
    j["velocity_efforts"] = as_twist(l.velocity_effort);
    for (std::size_t i = 0; i < kAxes; ++i) {
      const std::string axis(kAxisNames[i]);
      j["position_pid_infos"][axis] = as_info(l.position_terms[i], l.position[i].derivative);
      j["velocity_pid_infos"][axis] = as_info(l.velocity_terms[i], l.velocity[i].derivative);
    }
    j["static_power_local"] = xyz(l.static_local);
  }

  control::LawSections sections_;
  control::LawParams params_;
  vehicle::Vehicle vehicle_;
  vehicle::MatrixReport matrix_;
  Effectiveness effectiveness_;
  allocation::Settings settings_;
  control::LawState state_;
  control::LawTrace trace_;
  Pose tf_;
  bool has_tf_ = false, tf_ok_ = false, enabled_ = false, has_state_ = false, has_tick_ = false;
  double last_state_ = 0, last_tick_ = 0, delta_time_s_ = 0;
};

}  // namespace

int trace_controller(const std::string& file, const std::string& input,
                     const ControllerTraceOptions& options) {
  ControllerTrace trace(craft::load_vehicle(file), options);
  InputLines in(input);
  std::string text;
  while (in.next(text)) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const auto shallow = [](int depth, Json::parse_event_t, const Json&) {
        if (depth > config::kDeepestJson)
          throw JsonError(
              fmt::format("lists and maps are nested more than {} deep", config::kDeepestJson));
        return true;
      };
      const Json answer = trace.take(Json::parse(text, shallow));
      if (!answer.is_null()) fmt::print("{}\n", answer.dump());
    } catch (const std::exception& e) {
      throw CsvError(in.place() + ": " + e.what());
    }
  }
  return kOk;
}

}  // namespace pintle::app
