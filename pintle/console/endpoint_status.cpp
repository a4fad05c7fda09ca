#include "pintle/console/endpoint_status.h"

#include <fmt/format.h>

#include "pintle/base/rotation.h"
#include "pintle/flight/event_words.h"

namespace pintle::console {
namespace {

std::string name_of(const EndpointStatus& s, const flight::EventNames& names) {
  const auto index = static_cast<std::size_t>(s.mission.state);
  return s.mission.state >= 0 && index < names.states.size() ? names.states[index] : "none";
}

}  // namespace

void update(EndpointStatus& s, const stack::Inputs& in, const stack::Outputs& out) noexcept {
  s.time_s = out.now.seconds();
  s.arm = out.arm;
  s.obstacles = out.obstacles;
  s.failsafe = out.failsafe;
  s.mission = out.mission;
  s.owner = out.owner;
  s.commander = out.commander;
  s.state_valid = out.used.validity == Validity::kValid;
  const Pose& X_WB = out.used.X_WB;
  s.position_m = X_WB.p;
  s.velocity_m_s = rotate(X_WB.q, out.used.V_WB_B.v);
  s.error_m = out.setpoint.X_WD.p - X_WB.p;
  s.yaw_deg = degrees(yaw_of(X_WB.q));
  s.yaw_error_deg = degrees(wrap_angle(yaw_of(out.setpoint.X_WD.q) - yaw_of(X_WB.q)));
  s.alarms = out.alarms;
  if (!in.has_flight) return;
  s.has_flight = true;
  s.flight = in.flight;
}

std::string text_of(const EndpointStatus& s, const flight::EventNames& names) {
  std::string out = fmt::format(
      "time      {:.1f} s\n"
      "craft     {}{}\n"
      "mission   {}, state {} {}, attempt {}, {:.1f} s\n"
      "owner     {}\n"
      "commander {}\n",
      s.time_s, to_string(s.arm),
      s.obstacles == 0 ? std::string{}
                       : fmt::format(" ({})", flight::pre_arm_list(s.obstacles, s.failsafe)),
      to_string(s.mission.phase), s.mission.state, name_of(s, names), s.mission.attempt + 1,
      s.mission.time_in_state_s, to_string(s.owner), to_string(s.commander));
  const Vec3 p = s.position_m, e = s.error_m, v = s.velocity_m_s;
  out += fmt::format(
      "position  x {:+.2f}  y {:+.2f}  height {:+.2f} m  yaw {:+.1f} deg{}\n"
      "error     x {:+.2f}  y {:+.2f}  height {:+.2f} m  yaw {:+.1f} deg\n"
      "velocity  x {:+.2f}  y {:+.2f}  up {:+.2f} m/s\n",
      p.x, p.y, p.z, s.yaw_deg, s.state_valid ? "" : "  (not valid)", e.x, e.y, e.z,
      s.yaw_error_deg, v.x, v.y, v.z);
  if (s.failsafe.on != 0)
    out += fmt::format("failsafe  {}: {}\n", flight::failsafes_on(s.failsafe),
                       to_string(s.failsafe.action));
  if (s.has_flight)
    out += fmt::format(
        "flight    {}, {}, battery {}\n", to_string(s.flight.phase),
        s.flight.has_control ? "obeys" : "does not obey",
        s.flight.has_battery ? fmt::format("{:.0f} %", 100 * s.flight.battery) : "unknown");
  for (const Alarm& a : s.alarms)
    out += fmt::format("alarm     {}, {}\n", flight::sentence(a, names), to_string(a.severity));
  return out;
}

std::string fields_of(const EndpointStatus& s, const flight::EventNames& names) {
  const Vec3 p = s.position_m, e = s.error_m, v = s.velocity_m_s;
  std::string out = fmt::format(
      "time_s {}\narm {}\nobstacles {}\nfailsafes {}\nphase {}\nstate {}\nstate_name {}\nattempt "
      "{}\n"
      "time_in_state_s {}\nowner {}\ncommander {}\nstate_valid {}\n",
      s.time_s, to_string(s.arm), s.obstacles == 0 ? "none" : flight::pre_arm(s.obstacles),
      s.failsafe.on == 0 ? "none" : flight::failsafes_on(s.failsafe), to_string(s.mission.phase),
      s.mission.state, name_of(s, names), s.mission.attempt, s.mission.time_in_state_s,
      to_string(s.owner), to_string(s.commander), s.state_valid);
  out += fmt::format(
      "x_m {}\ny_m {}\nheight_m {}\nyaw_deg {}\nerror_x_m {}\nerror_y_m {}\nerror_height_m {}\n"
      "yaw_error_deg {}\nvx_m_s {}\nvy_m_s {}\nvz_m_s {}\n",
      p.x, p.y, p.z, s.yaw_deg, e.x, e.y, e.z, s.yaw_error_deg, v.x, v.y, v.z);
  if (s.has_flight)
    out += fmt::format("flight {}\nhas_control {}\nbattery {}\n", to_string(s.flight.phase),
                       s.flight.has_control,
                       s.flight.has_battery ? fmt::format("{}", s.flight.battery) : "unknown");
  for (const Alarm& a : s.alarms)
    out += fmt::format("alarm {} {}\n", to_string(a.severity), flight::sentence(a, names));
  return out;
}

}  // namespace pintle::console
