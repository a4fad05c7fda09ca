#include "pintle/ros1_site/site.h"

#include <algorithm>

#include "pintle/flight/event_words.h"

namespace pintle::ros1_site {
namespace {

using stack::Inputs;
using stack::Outputs;

std::array<double, 3> three(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 vec3(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

/// Between the clock of the stack and that of the bus.
struct Clock {
  std::int64_t epoch_ns;
  [[nodiscard]] std::int64_t bus(Time t) const { return t.ns + epoch_ns; }
  [[nodiscard]] Time own(std::int64_t ns) const { return {ns - epoch_ns}; }
};

BusSample sample_of(const Inputs& in, Clock clock) {
  BusSample s;
  s.now_ns = clock.bus(in.now);
  if (in.has_odometry) {
    const estimation::Measurement& m = in.odometry;
    const Quat& q = m.X_WB.q;
    s.state = BusState{clock.bus(m.stamp),
                       three(m.X_WB.p),
                       {q.x, q.y, q.z, q.w},
                       to_vec6(m.V_WB_B).v,
                       m.position_std_m};
  }
  if (in.has_imu) s.imu = BusImu{clock.bus(in.imu.stamp), three(in.imu.w_B), three(in.imu.f_B)};
  if (in.has_bus_voltage) s.bus_V = in.bus_V;
  for (const stack::HealthReport& r : in.health)
    s.health.push_back({r.propulsor, static_cast<std::uint8_t>(r.health.health),
                        r.health.efficiency, r.health.stuck_effort});
  for (const PropulsorReport& r : in.reports)
    s.propulsors.push_back({r.propulsor, clock.bus(r.stamp), static_cast<std::uint8_t>(r.contact),
                            r.valid, r.fault, r.effort, r.rpm, r.bus_V, r.bus_A, r.temperature_C,
                            r.latency_s, r.sent, r.received, r.unanswered});
  if (in.has_housekeeping) {
    const Housekeeping& h = in.housekeeping;
    s.housekeeping = BusHousekeeping{clock.bus(h.stamp), h.valid,  h.leak,    h.pressure_kPa,
                                     h.temperature_C,    h.charge, h.range_m, h.wind_m_s};
  }
  if (in.has_flight) {
    const FlightReport& f = in.flight;
    s.flight = BusFlight{clock.bus(f.stamp), static_cast<std::uint8_t>(f.phase),
                         f.has_control,      f.has_yaw,
                         f.has_battery,      three(f.v_W),
                         f.yaw_rad,          f.battery,
                         f.request,          static_cast<std::uint8_t>(f.outcome)};
  }
  if (in.has_gripper) {
    const GripperReport& g = in.gripper;
    s.gripper = BusGripper{clock.bus(g.stamp), static_cast<std::uint8_t>(g.hold), g.connected,
                           g.request, static_cast<std::uint8_t>(g.outcome)};
  }
  for (const TargetSighting& t : in.targets)
    s.targets.push_back({clock.bus(t.stamp), static_cast<std::uint8_t>(t.kind), t.id,
                         three(t.p_BT_B), three(t.sigma_B_m), t.visible_share, t.confidence});
  return s;
}

void take(const BusSample& s, Clock clock, Inputs& in) {
  if (s.state) {
    const auto& q = s.state->orientation;
    in.has_odometry = true;
    in.odometry = {clock.own(s.state->stamp_ns),
                   {vec3(s.state->position_m), {q[0], q[1], q[2], q[3]}},
                   to_twist(Vec6{s.state->twist})};
    in.odometry.position_std_m = s.state->position_std_m;
  }
  if (s.imu) {
    in.has_imu = true;
    in.imu = {clock.own(s.imu->stamp_ns), vec3(s.imu->turn_rate_rad_s),
              vec3(s.imu->specific_force_m_s2)};
  }
  in.has_bus_voltage = s.bus_V.has_value();
  if (s.bus_V) in.bus_V = *s.bus_V;
  // what does not fit comes from no craft of ours, and what it says is judged by the tick
  for (const BusHealth& h : s.health)
    in.health.push_back(
        {h.propulsor, {static_cast<Health>(h.health), h.efficiency, h.stuck_effort}});
  for (const BusPropulsor& r : s.propulsors)
    in.reports.push_back({r.propulsor, clock.own(r.stamp_ns),
                          static_cast<PropulsorContact>(r.contact), r.valid, r.fault, r.effort,
                          r.rpm, r.bus_V, r.bus_A, r.temperature_C, r.latency_s, r.sent, r.received,
                          r.unanswered});
  if (s.housekeeping) {
    const BusHousekeeping& h = *s.housekeeping;
    in.has_housekeeping = true;
    in.housekeeping = {clock.own(h.stamp_ns), h.valid,  h.leak,    h.pressure_kPa,
                       h.temperature_C,       h.charge, h.range_m, h.wind_m_s};
  }
  if (s.flight) {
    in.has_flight = true;
    in.flight = {clock.own(s.flight->stamp_ns),
                 static_cast<FlightPhase>(s.flight->phase),
                 s.flight->has_control,
                 vec3(s.flight->velocity_m_s),
                 s.flight->has_yaw,
                 s.flight->yaw_rad,
                 s.flight->battery,
                 s.flight->request,
                 static_cast<RequestOutcome>(s.flight->outcome),
                 s.flight->has_battery};
  }
  if (s.gripper) {
    in.has_gripper = true;
    in.gripper = {clock.own(s.gripper->stamp_ns), static_cast<GripperHold>(s.gripper->hold),
                  s.gripper->connected, s.gripper->request,
                  static_cast<RequestOutcome>(s.gripper->outcome)};
  }
  for (const BusTarget& t : s.targets)
    if (in.targets.size() < in.targets.kCapacity)
      in.targets.push_back({clock.own(t.stamp_ns), static_cast<TargetKind>(t.kind),
                            vec3(t.position_m), t.id, vec3(t.sigma_m), t.visible_share,
                            t.confidence});
}

BusCommand command_of(const Outputs& out, std::int64_t now_ns) {
  BusCommand c;
  c.now_ns = now_ns;
  c.armed = out.arm == stack::ArmState::kArmed;
  c.live = out.authority != stack::Authority::kSafe;
  c.command.assign(out.actuation.command.begin(), out.actuation.command.end());
  c.effort.assign(out.actuation.effort.begin(), out.actuation.effort.end());
  c.ignition = out.actuation.ignition;
  c.velocity_m_s = three(out.motion.v_H);
  c.yaw_rate_rad_s = out.motion.yaw_rate_rad_s;
  c.flight_request = static_cast<std::uint8_t>(out.flight_request.kind);
  c.flight_number = out.flight_request.number;
  c.gripper_request = static_cast<std::uint8_t>(out.gripper_request.kind);
  c.gripper_number = out.gripper_request.number;
  return c;
}

}  // namespace

std::string not_over_topics(const craft::VehicleFile& file) {
  if (!control::traits(file.laws.law).allocates)
    return "law: " + std::string(to_string(file.laws.law)) +
           " needs the reports of its flight controller, which /state does not carry: the node  "
           "jet  "
           "flies such a craft";
  const vehicle::Vehicle built = vehicle::build(file.vehicle);
  for (const vehicle::Propulsor& p : built.propulsors)
    if (propulsion::needs_ignition(p.model))
      return p.name + ": it must be lit, and ThrusterAllocs carries no ignition";
  for (const vehicle::Propulsor& p : built.propulsors)
    if (propulsion::channels(p.model) > 1)
      return p.name +
             ": it is told a direction too, and ThrusterAllocs carries one number for each";
  return {};
}

void Faults::put(const stack::Model& model, const Outputs& out, BusCommand& command) {
  const bool same = std::equal(out.alarms.begin(), out.alarms.end(), alarms_.begin(), alarms_.end(),
                               [](const Alarm& a, const Alarm& b) {
                                 return a.code == b.code && a.severity == b.severity &&
                                        a.subject == b.subject && a.value == b.value;
                               });
  if (!same) {
    alarms_ = out.alarms;
    words_ = flight::sentences(alarms_, flight::event_names(model));
    gravest_ = Severity::kInfo;
    for (const Alarm& a : alarms_) gravest_ = std::max(gravest_, a.severity);
  }
  command.faults = words_;
  command.gravest = static_cast<std::uint8_t>(gravest_);
}

bool SimulatedOverBus::sense(Time due, Inputs& in) {
  Inputs sensed;
  if (!bus_.ok() || !world_.sense(due, sensed)) return false;
  const Clock clock{epoch_ns_};
  bus_.tell(sample_of(sensed, clock));
  in.now = sensed.now;
  BusSample heard;
  if (bus_.hear(clock.bus(sensed.now), heard)) take(heard, clock, in);
  return bus_.ok();
}

void SimulatedOverBus::act(const stack::Model& model, const Outputs& out) {
  const std::int64_t now_ns = Clock{epoch_ns_}.bus(world_.now());
  BusCommand told = command_of(out, now_ns);
  faults_.put(model, out, told);
  bus_.tell(told);
  // what has not come moves nothing
  Outputs done;
  done.actuation.command.resize(out.actuation.command.size());
  BusCommand heard;
  if (bus_.hear(now_ns, heard)) {
    done.actuation.command.clear();
    for (const double x : heard.command) done.actuation.command.push_back(x);
    done.actuation.ignition = heard.ignition;
    done.motion = {vec3(heard.velocity_m_s), heard.yaw_rate_rad_s};
    done.flight_request = {static_cast<FlightRequestKind>(heard.flight_request),
                           heard.flight_number};
    done.gripper_request = {static_cast<GripperRequestKind>(heard.gripper_request),
                            heard.gripper_number};
  }
  world_.act(model, done);
}

std::int64_t StackSite::Stamp::take(std::int64_t stamp_ns, std::int64_t ros_ns,
                                    std::int64_t now_ns) noexcept {
  const std::int64_t age_ns = stamp_ns == 0 ? 0 : ros_ns - stamp_ns;
  if (stamp_ns == 0 || stamp_ns != told_ns)
    counts_ns = age_ns < -kSoon_ns && stamp_ns <= greatest_ns
                    ? greatest_counts_ns
                    : now_ns - std::max<std::int64_t>(0, age_ns);
  if (stamp_ns > greatest_ns) {
    greatest_ns = stamp_ns;
    greatest_counts_ns = counts_ns;
  }
  told_ns = stamp_ns;
  return counts_ns;
}

bool StackSite::sense(Time due, Inputs& in) {
  const Clock clock{epoch_ns_};
  BusSample heard;
  const bool goes_on = bus_.hear_until(clock.bus(due), heard);
  const std::int64_t bus_ns = bus_.now_ns();
  now_ = std::max(due, clock.own(bus_ns));
  in.now = now_;
  if (heard.state) heard.state->stamp_ns = state_.take(heard.state->stamp_ns, heard.now_ns, bus_ns);
  if (heard.imu) heard.imu->stamp_ns = imu_.take(heard.imu->stamp_ns, heard.now_ns, bus_ns);
  take(heard, clock, in);
  return goes_on;
}

void StackSite::act(const stack::Model& model, const Outputs& out) {
  BusCommand told = command_of(out, Clock{epoch_ns_}.bus(now_));
  faults_.put(model, out, told);
  bus_.tell(told);
}

}  // namespace pintle::ros1_site
