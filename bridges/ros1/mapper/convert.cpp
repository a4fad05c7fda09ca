#include "mapper/convert.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pintle::ros1 {
namespace {

using XmlRpc::XmlRpcValue;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string number(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string scalar(const XmlRpcValue& value) {
  switch (value.getType()) {
    case XmlRpcValue::TypeBoolean: return static_cast<const bool&>(value) ? "true" : "false";
    case XmlRpcValue::TypeInt: return std::to_string(static_cast<const int&>(value));
    case XmlRpcValue::TypeDouble: return number(static_cast<const double&>(value));
    case XmlRpcValue::TypeString: return quoted(static_cast<const std::string&>(value));
    default: return "\"\"";
  }
}

bool is_container(const XmlRpcValue& value) {
  return (value.getType() == XmlRpcValue::TypeStruct ||
          value.getType() == XmlRpcValue::TypeArray) &&
         value.size() > 0;
}

std::string inline_text(const XmlRpcValue& value) {
  if (value.getType() == XmlRpcValue::TypeStruct) return "{}";
  if (value.getType() != XmlRpcValue::TypeArray) return scalar(value);
  std::string out = "[";
  for (int i = 0; i < value.size(); ++i) out += (i > 0 ? ", " : "") + inline_text(value[i]);
  return out + "]";
}

bool is_inline(const XmlRpcValue& value) {
  if (value.getType() == XmlRpcValue::TypeStruct) return value.size() == 0;
  if (value.getType() != XmlRpcValue::TypeArray) return true;
  for (int i = 0; i < value.size(); ++i)
    if (is_container(value[i])) return false;
  return true;
}

/// One line a scalar, so that a message about it shows that line.
void write(const XmlRpcValue& value, const std::string& indent, std::string& out) {
  const auto child = [&](const std::string& head, const XmlRpcValue& v) {
    out += indent + head;
    if (is_inline(v)) {
      out += " " + inline_text(v) + "\n";
      return;
    }
    out += "\n";
    write(v, indent + "  ", out);
  };
  if (value.getType() == XmlRpcValue::TypeStruct) {
    for (auto it = value.begin(); it != value.end(); ++it)
      child(quoted(it->first) + ":", it->second);
  } else {
    for (int i = 0; i < value.size(); ++i) child("-", value[i]);
  }
}

}  // namespace

std::string to_yaml(const XmlRpcValue& value) {
  if (is_inline(value)) return inline_text(value) + "\n";
  std::string out;
  write(value, "", out);
  return out;
}

Six from_ros(const geometry_msgs::Wrench& w) {
  return {w.force.x, w.force.y, w.force.z, w.torque.x, w.torque.y, w.torque.z};
}

geometry_msgs::Wrench to_ros(const Six& wrench) {
  geometry_msgs::Wrench out;
  out.force.x = wrench[0];
  out.force.y = wrench[1];
  out.force.z = wrench[2];
  out.torque.x = wrench[3];
  out.torque.y = wrench[4];
  out.torque.z = wrench[5];
  return out;
}

sub8_msgs::Thrust to_ros(const Layout& layout, const std::vector<float>& thrust_N) {
  sub8_msgs::Thrust out;
  for (std::size_t i = 0; i < std::min(thrust_N.size(), layout.thrusters.size()); ++i) {
    sub8_msgs::ThrusterCmd command;
    command.name = layout.thrusters[i].name;
    command.thrust = thrust_N[i];
    out.thruster_commands.push_back(command);
  }
  return out;
}

sub8_msgs::ThrusterStatus to_ros(const ThrusterStatus& s) {
  sub8_msgs::ThrusterStatus out;
  out.name = s.name;
  out.node_id = static_cast<std::uint8_t>(s.node_id);
  out.effort = static_cast<float>(s.effort);
  out.thrust = static_cast<float>(s.thrust_N);
  out.power = static_cast<float>(s.power_W);
  out.rpm = static_cast<float>(s.rpm);
  out.bus_v = static_cast<float>(s.bus_V);
  out.bus_i = static_cast<float>(s.bus_A);
  out.temp = static_cast<float>(s.temperature_C);
  out.fault = s.fault;
  out.command_tx_count = s.sent;
  out.status_rx_count = s.received;
  out.command_latency_avg = static_cast<float>(s.latency_s);
  return out;
}

sub8_msgs::ThrusterInfo::Response to_ros(const ThrusterFacts& f) {
  sub8_msgs::ThrusterInfo::Response out;
  out.node_id = static_cast<std::uint8_t>(f.node_id);
  out.min_force = inside(f.lower_N, f.lower_N, f.upper_N);
  out.max_force = inside(f.upper_N, f.lower_N, f.upper_N);
  out.position.x = f.position_m[0];
  out.position.y = f.position_m[1];
  out.position.z = f.position_m[2];
  out.direction.x = f.direction[0];
  out.direction.y = f.direction[1];
  out.direction.z = f.direction[2];
  return out;
}

Driver::Commands from_ros(const sub8_msgs::Thrust& thrust) {
  Driver::Commands out;
  for (const sub8_msgs::ThrusterCmd& c : thrust.thruster_commands)
    out.emplace_back(c.name, static_cast<double>(c.thrust));
  return out;
}

Six in_body(const Six& w, const geometry_msgs::Transform& body_from_frame) {
  const auto& q = body_from_frame.rotation;
  const auto& p = body_from_frame.translation;
  const auto cross = [](const Three& a, const Three& b) {
    return Three{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  // v + 2 s (u x v) + 2 u x (u x v), for a quaternion of any length
  const Three u{q.x, q.y, q.z};
  const double length2 = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  const auto turned = [&](const Three& v) {
    const Three uv = cross(u, v), uuv = cross(u, uv);
    Three out = v;
    for (std::size_t k = 0; k < 3; ++k) out[k] += 2 * (q.w * uv[k] + uuv[k]) / length2;
    return out;
  };
  const Three force = turned({w[0], w[1], w[2]}), torque = turned({w[3], w[4], w[5]});
  const Three lever = cross({p.x, p.y, p.z}, force);
  return {force[0],
          force[1],
          force[2],
          torque[0] + lever[0],
          torque[1] + lever[1],
          torque[2] + lever[2]};
}

std::string without_slash(const std::string& frame) {
  const std::size_t first = frame.find_first_not_of('/');
  return first == std::string::npos ? "" : frame.substr(first);
}

std::string to_json(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + quoted(n);
  return "[" + out + "]";
}

std::string to_json(const std::vector<ThrusterFacts>& thrusters) {
  std::string out;
  const auto list = [](const std::array<double, 3>& v) {
    return "[" + number(v[0]) + ", " + number(v[1]) + ", " + number(v[2]) + "]";
  };
  for (const ThrusterFacts& t : thrusters)
    out += (out.empty() ? "" : ",\n ") + std::string("{\"name\": ") + quoted(t.name) +
           ", \"node_id\": " + std::to_string(t.node_id) + ", \"port\": " + quoted(t.port) +
           ", \"min_force\": " + number(t.lower_N) + ", \"max_force\": " + number(t.upper_N) +
           ", \"position\": " + list(t.position_m) + ", \"direction\": " + list(t.direction) + "}";
  return "[" + out + "]";
}

}  // namespace pintle::ros1
