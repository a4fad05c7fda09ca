#include "pintle/foxglove/view.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "pintle/base/axis.h"
#include "pintle/base/rotation.h"
#include "pintle/craft/live.h"
#include "pintle/mission/engine.h"

namespace pintle::foxglove {

using OrderedJson = nlohmann::ordered_json;

namespace {

OrderedJson list(Vec3 v) { return {v.x, v.y, v.z}; }
OrderedJson list(Quat q) { return {q.x, q.y, q.z, q.w}; }
OrderedJson list(const Wrench& w) {
  return {w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z};
}

std::string in_order(const OrderedJson& j) {
  return j.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

template <class E>
std::string word(E value) {
  return std::string(to_string(value));
}

/// What keeps a channel from doing more, in a word.
const char* limit_of(const stack::Limits& limits, std::size_t channel) {
  const auto in = [channel](ChannelMask mask) { return ((mask >> channel) & 1U) != 0; };
  if (in(limits.by_health)) return "health";
  if (in(limits.by_derating)) return "derated";
  if (in(limits.by_slew)) return "slew";
  if (in(limits.by_bound)) return "bound";
  return "";
}

OrderedJson propulsors_of(const Snapshot& s, std::size_t n) {
  OrderedJson all = OrderedJson::array();
  for (std::size_t i = 0; i < n; ++i) all.push_back(OrderedJson::object());
  for (const PropulsorReport& r : s.seen.reports) {
    if (r.propulsor >= n) continue;
    OrderedJson& j = all[r.propulsor];
    j["contact"] = word(r.contact);
    j["age_s"] = (s.out.now - r.stamp).seconds();
    if (r.has(kHasRpm)) j["rpm"] = r.rpm;
    if (r.has(kHasVoltage)) j["V"] = r.bus_V;
    if (r.has(kHasCurrent)) j["A"] = r.bus_A;
    if (r.has(kHasTemperature)) j["C"] = r.temperature_C;
    if (r.has(kHasFault) && r.fault != 0) j["fault"] = fault_text(r.fault);
  }
  return all;
}

}  // namespace

void update(Seen& seen, const stack::Inputs& in, Time now) noexcept {
  const Duration own = now - in.now;
  if (in.has_odometry) seen.odometry = in.odometry.stamp + own;
  if (in.has_imu) seen.imu = in.imu.stamp + own;
  if (in.has_setpoint) seen.setpoint = now;
  if (in.has_gripper) seen.gripper = in.gripper.stamp + own;
  if (!in.targets.empty()) seen.targets = in.targets[0].stamp + own;
  if (in.has_bus_voltage) {
    seen.bus_voltage = now;
    seen.bus_V = in.bus_V;
  }
  if (in.has_flight) {
    seen.flight = in.flight.stamp + own;
    seen.flight_report = in.flight;
  }
  if (in.has_housekeeping) seen.housekeeping = in.housekeeping;
  for (const PropulsorReport& r : in.reports) {
    std::size_t at = 0;
    while (at < seen.reports.size() && seen.reports[at].propulsor != r.propulsor) ++at;
    if (at < seen.reports.size())
      seen.reports[at] = r;
    else if (!seen.reports.push_back(r))
      continue;
    seen.reports[at].stamp = r.stamp + own;
  }
}

std::string view_schema() {
  return R"({"title":"pintle.View","type":"object","description":"One moment of a flight, for a page."})";
}

std::string view_json(const Snapshot& s, const stack::Model& model,
                      const flight::EventNames& names) {
  const stack::Outputs& o = s.out;
  const Pose& X = o.used.X_WB;
  OrderedJson j;
  j["time_s"] = o.now.seconds();
  j["tick"] = o.tick;
  j["generation"] = s.in.generation;
  j["arm"] = word(o.arm);
  j["obstacles"] = o.obstacles == 0 ? "" : flight::pre_arm_list(o.obstacles, o.failsafe);
  j["aloft"] = o.aloft;
  j["authority"] = word(o.authority);
  j["owner"] = word(o.owner);
  j["commander"] = word(o.commander);
  j["phase"] = word(o.mission.phase);
  j["state"] = o.mission.state;
  j["attempt"] = o.mission.attempt;
  j["time_in_state_s"] = o.mission.time_in_state_s;
  j["settled_s"] = o.mission.settled_s;
  j["validity"] = word(o.used.validity);
  j["p"] = list(X.p);
  j["q"] = list(X.q);
  j["v"] = list(rotate(X.q, o.used.V_WB_B.v));
  j["w"] = list(o.used.V_WB_B.w);
  j["V"] = {o.used.V_WB_B.v.x, o.used.V_WB_B.v.y, o.used.V_WB_B.v.z};
  OrderedJson modes = OrderedJson::array();
  for (const AxisMode m : o.setpoint.mode) modes.push_back(word(m));
  j["setpoint"] = {{"p", list(o.setpoint.X_WD.p)},   {"q", list(o.setpoint.X_WD.q)},
                   {"v", list(o.setpoint.V_WD_B.v)}, {"w", list(o.setpoint.V_WD_B.w)},
                   {"F", list(o.setpoint.F_Bo_B)},   {"mode", std::move(modes)}};
  j["demand"] = list(o.demand.F_Bo_B);
  j["weight"] = o.demand.weight;
  j["achieved"] = list(o.allocation.achieved);
  j["grade"] = word(o.allocation.grade);
  j["margin"] = o.allocation.margin;
  j["gap"] = o.allocation.gap;
  j["reachable"] = o.allocation.reachable;
  OrderedJson effort = OrderedJson::array(), command = OrderedJson::array(),
              limits = OrderedJson::array();
  for (std::size_t c = 0; c < o.actuation.effort.size(); ++c) {
    effort.push_back(o.actuation.effort[c]);
    command.push_back(o.actuation.command[c]);
    limits.push_back(limit_of(o.limits, c));
  }
  j["effort"] = std::move(effort);
  j["command"] = std::move(command);
  j["limits"] = std::move(limits);
  j["propulsors"] = propulsors_of(s, model.vehicle.propulsors.size());
  j["ignition"] = o.actuation.ignition;
  OrderedJson alarms = OrderedJson::array();
  for (const Alarm& a : o.alarms)
    alarms.push_back({{"text", flight::sentence(a, names)},
                      {"severity", word(a.severity)},
                      {"since_s", a.since.seconds()}});
  j["alarms"] = std::move(alarms);
  j["failsafe"] =
      o.failsafe.on == 0
          ? OrderedJson("")
          : OrderedJson(flight::failsafes_on(o.failsafe) + ": " + word(o.failsafe.action));
  OrderedJson ages = OrderedJson::object();
  const auto age = [&](const char* name, const std::optional<Time>& stamp) {
    if (stamp) ages[name] = (o.now - *stamp).seconds();
  };
  age("odometry", s.seen.odometry);
  age("inertial sensor", s.seen.imu);
  age("setpoint", s.seen.setpoint);
  age("flight controller", s.seen.flight);
  age("gripper", s.seen.gripper);
  age("targets", s.seen.targets);
  age("bus voltage", s.seen.bus_voltage);
  j["ages_s"] = std::move(ages);
  if (s.seen.bus_voltage) j["bus_V"] = s.seen.bus_V;
  if (s.seen.flight) {
    j["flight"] = word(s.seen.flight_report.phase);
    j["has_control"] = s.seen.flight_report.has_control;
    if (s.seen.flight_report.has_battery) j["battery"] = s.seen.flight_report.battery;
  }
  const Housekeeping& h = s.seen.housekeeping;
  if ((h.valid & kHasCharge) != 0) j["battery"] = h.charge;
  if ((h.valid & kHasLeak) != 0) j["leak"] = h.leak;
  if ((h.valid & kHasPressure) != 0) j["pressure_kPa"] = h.pressure_kPa;
  if ((h.valid & kHasInnerTemperature) != 0) j["temperature_C"] = h.temperature_C;
  if (o.fuel_kg > 0) j["fuel_kg"] = o.fuel_kg;
  OrderedJson targets = OrderedJson::array();
  for (std::size_t i = 0; i < o.aircraft.target_found.size(); ++i)
    if (o.aircraft.target_found[i])
      targets.push_back({{"kind", i == 0 ? "marker" : "pad"},
                         {"p", list(o.aircraft.origin_m + o.aircraft.target_W[i])},
                         {"sigma_m", o.aircraft.target_sigma_m[i]},
                         {"age_s", o.aircraft.target_age_s[i]}});
  if (!targets.empty()) j["targets"] = std::move(targets);
  return in_order(j);
}

std::string vehicle_json(const stack::Model& model) {
  OrderedJson j;
  j["name"] = model.vehicle.name;
  j["unit"] = model.vehicle.unit.normalised ? "of full" : "N, rad";
  j["flies"] = model.traits.flies;
  j["supervised"] = model.supervised;
  j["has_mission"] = model.has_mission;
  OrderedJson axes = OrderedJson::array();
  for (const std::string_view a : kAxisNames) axes.push_back(std::string(a));
  j["axes"] = std::move(axes);
  OrderedJson states = OrderedJson::array();
  for (const mission::State& s : model.mission.states) states.push_back(std::string(s.name));
  j["states"] = std::move(states);
  j["time_limit_s"] = model.has_mission ? model.mission.time_limit.seconds() : 0.0;
  OrderedJson propulsors = OrderedJson::array(), channels = OrderedJson::array();
  for (const vehicle::Propulsor& p : model.vehicle.propulsors)
    propulsors.push_back({{"name", p.name},
                          {"p", list(p.mount.position_m)},
                          {"direction", list(p.mount.direction)}});
  const std::vector<std::string> names = model.vehicle.channel_names();
  for (std::size_t c = 0; c < model.owner.size(); ++c) {
    const Vec6& column = model.effectiveness.column[c];
    channels.push_back({{"name", c < names.size() ? names[c] : std::to_string(c)},
                        {"propulsor", model.owner[c]},
                        {"lower", model.effectiveness.lower[c]},
                        {"upper", model.effectiveness.upper[c]},
                        {"push", {column[0], column[1], column[2]}}});
  }
  j["propulsors"] = std::move(propulsors);
  j["channels"] = std::move(channels);
  return in_order(j);
}

std::string parameters_json(const craft::VehicleFile& file) {
  OrderedJson all = OrderedJson::array();
  for (const craft::LiveParameter& p : craft::live_parameters(file)) {
    const Field& f = *p.field;
    OrderedJson j{{"name", p.path},
                  {"value", p.value},
                  {"unit", std::string(f.unit)},
                  {"meaning", std::string(f.meaning)}};
    if (f.minimum > -std::numeric_limits<double>::infinity()) j["minimum"] = f.minimum;
    if (f.maximum < std::numeric_limits<double>::infinity()) j["maximum"] = f.maximum;
    if (f.above_minimum) j["above_minimum"] = true;
    if (f.kind == Kind::kBool) j["bool"] = true;
    if (is_integer(f.kind)) j["whole"] = true;
    if (f.enumeration != nullptr) {
      OrderedJson choices = OrderedJson::array();
      for (const EnumValue& v : f.enumeration->values) choices.push_back(std::string(v.name));
      j["choices"] = std::move(choices);
    }
    all.push_back(std::move(j));
  }
  return in_order(all);
}

}  // namespace pintle::foxglove
