#include "pintle/flight/picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "pintle/base/rotation.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::flight {
namespace {

namespace ros = telemetry::ros;

/// The rotation that turns x into `direction`.
Quat x_towards(Vec3 direction) {
  const double n = norm(direction);
  if (!(n > 0)) return {};
  const Vec3 d = direction / n;
  // half way between the two; straight back it turns about z
  const Quat q{0, -d.z, d.y, 1 + d.x};
  return 1 + d.x > 1e-9 ? normalized(q) : Quat{0, 0, 1, 0};
}

bool is_drawn(const VehicleState& state) {
  return state.validity == Validity::kValid && is_finite(state.X_WB) && is_finite(state.V_WB_B);
}

std::uint8_t log_level(Severity severity) noexcept {
  switch (severity) {
    case Severity::kWarning: return ros::LogLine::kWarn;
    case Severity::kError: return ros::LogLine::kError;
    case Severity::kCritical: return ros::LogLine::kFatal;
    default: return ros::LogLine::kInfo;
  }
}

}  // namespace

Picture::Picture(telemetry::MessageSink& log, double rate_Hz)
    : log_(log),
      tf_(log.add_channel("/tf", table_of<ros::TFMessage>())),
      tf_static_(log.add_channel("/tf_static", table_of<ros::TFMessage>())),
      description_(log.add_channel("/robot_description", table_of<ros::Text>())),
      pose_(log.add_channel("/pose", table_of<ros::PoseStamped>())),
      twist_(log.add_channel("/twist", table_of<ros::TwistStamped>())),
      demand_(log.add_channel("/wrench/demand", table_of<ros::WrenchStamped>())),
      achieved_(log.add_channel("/wrench/achieved", table_of<ros::WrenchStamped>())),
      efforts_(log.add_channel("/efforts", table_of<ros::JointState>())),
      scene_(log.add_channel("/scene", table_of<ros::MarkerArray>())),
      diagnostics_(log.add_channel("/diagnostics", table_of<ros::DiagnosticArray>())),
      rosout_(log.add_channel("/rosout", table_of<ros::LogLine>())),
      every_(Duration::from_seconds(1 / rate_Hz)) {}

void Picture::model(const Model& model, Time time) {
  names_ = event_names(model);
  owner_ = model.owner;
  const std::size_t n = model.vehicle.propulsors.size();
  const std::vector<std::string> channels = model.vehicle.channel_names();
  joints_.name = channels;
  joints_.position.assign(channels.size(), 0);
  joints_.effort.assign(channels.size(), 0);

  mount_m_.assign(n, {});
  per_effort_.assign(owner_.size(), {});
  full_ = 0;
  double reach = 0.1;
  for (std::size_t c = 0; c < owner_.size(); ++c) {
    const Vec6& column = model.effectiveness.column[c];
    per_effort_[c] = {column[0], column[1], column[2]};
    const double most =
        std::max(std::abs(model.effectiveness.lower[c]), std::abs(model.effectiveness.upper[c]));
    const double push = most * norm(per_effort_[c]);
    if (std::isfinite(push)) full_ = std::max(full_, push);
  }
  if (!(full_ > 0)) full_ = 1;

  ros::TFMessage mounts;
  for (std::size_t i = 0; i < n; ++i) {
    const vehicle::Propulsor& p = model.vehicle.propulsors[i];
    mount_m_[i] = p.mount.position_m;
    reach = std::max(reach, norm(p.mount.position_m));
    const auto first = std::find(owner_.begin(), owner_.end(), i);
    const Vec3 along = first == owner_.end()
                           ? p.mount.direction
                           : per_effort_[static_cast<std::size_t>(first - owner_.begin())];
    ros::TransformStamped t;
    t.header = {ros::stamp_of(time), "base_link"};
    t.child_frame_id = p.name;
    t.transform = {ros::vector3(p.mount.position_m), ros::quaternion(x_towards(along))};
    mounts.transforms.push_back(std::move(t));
  }
  length_ = reach;
  log_.write(tf_static_, mounts, time);
  description(mounts, reach, time);

  // the body as a box about what it carries
  markers_.markers.assign(n + 1, {});
  ros::Marker& body = markers_.markers[0];
  body.header.frame_id = "base_link";
  body.ns = "body";
  body.scale = {reach, 0.6 * reach, 0.4 * reach};
  body.color = {0.45F, 0.5F, 0.55F, 0.8F};
  for (std::size_t i = 0; i < n; ++i) {
    ros::Marker& arrow = markers_.markers[i + 1];
    arrow.header.frame_id = "base_link";
    arrow.ns = "push";
    arrow.id = static_cast<std::int32_t>(i);
    arrow.type = ros::Marker::kArrow;
    arrow.scale = {0.03 * reach, 0.07 * reach, 0};
    arrow.color = {0.1F, 0.45F, 0.8F, 1};
    arrow.points.assign(2, ros::point(mount_m_[i]));
  }
}

void Picture::description(const ros::TFMessage& mounts, double reach, Time time) {
  ros::Text urdf;
  std::string& text = urdf.data;
  const auto link = [&](const std::string& name, const std::string& origin,
                        const std::string& shape, const char* color) {
    text += fmt::format(
        "<link name=\"{0}\"><visual>{1}<geometry>{2}</geometry><material name=\"{3}\"><color "
        "rgba=\"{3}\"/></material></visual></link>\n",
        name, origin, shape, color);
  };
  text = "<?xml version=\"1.0\"?>\n<robot name=\"craft\">\n";
  link("base_link", "",
       fmt::format("<box size=\"{:.4g} {:.4g} {:.4g}\"/>", reach, 0.6 * reach, 0.4 * reach),
       "0.45 0.5 0.55 0.8");
  for (const ros::TransformStamped& t : mounts.transforms) {
    const std::string name = telemetry::escape_html(t.child_frame_id);
    const ros::Quaternion& q = t.transform.rotation;
    const RollPitchYaw rpy = to_rpy(to_matrix({q.x, q.y, q.z, q.w}));
    const auto& p = t.transform.translation;
    // a cylinder stands along z, the push is along x
    link(name, "<origin rpy=\"0 1.5707963 0\"/>",
         fmt::format("<cylinder length=\"{:.4g}\" radius=\"{:.4g}\"/>", 0.3 * reach, 0.06 * reach),
         "0.1 0.45 0.8 1");
    text += fmt::format(
        "<joint name=\"{0} mount\" type=\"fixed\"><parent link=\"base_link\"/><child "
        "link=\"{0}\"/><origin xyz=\"{1:.6g} {2:.6g} {3:.6g}\" rpy=\"{4:.6g} {5:.6g} "
        "{6:.6g}\"/></joint>\n",
        name, p.x, p.y, p.z, rpy.roll, rpy.pitch, rpy.yaw);
  }
  text += "</robot>\n";
  log_.write(description_, urdf, time);
}

void Picture::moving(const Outputs& out, const ros::Stamp& stamp) {
  const Pose& X = out.used.X_WB;
  frames_.transforms.resize(is_finite(out.setpoint.X_WD) ? 2 : 1);
  for (ros::TransformStamped& t : frames_.transforms) {
    const bool is_body = &t == &frames_.transforms[0];
    const Pose& pose = is_body ? X : out.setpoint.X_WD;
    t.header.stamp = stamp;
    t.header.frame_id = "world";
    t.child_frame_id = is_body ? "base_link" : "setpoint";
    t.transform = {ros::vector3(pose.p), ros::quaternion(pose.q)};
  }
  log_.write(tf_, frames_, out.now);
  pose_message_.header.stamp = twist_message_.header.stamp = stamp;
  pose_message_.header.frame_id = "world";
  pose_message_.pose = {ros::point(X.p), ros::quaternion(X.q)};
  log_.write(pose_, pose_message_, out.now);
  twist_message_.header.frame_id = "base_link";
  twist_message_.twist = {ros::vector3(out.used.V_WB_B.v), ros::vector3(out.used.V_WB_B.w)};
  log_.write(twist_, twist_message_, out.now);
}

void Picture::pushes(const Outputs& out, const ros::Stamp& stamp) {
  const std::size_t n = std::min(owner_.size(), out.actuation.effort.size());
  if (n == 0) return;
  const auto wrench = [&](Channel channel, const Wrench& w) {
    if (!is_finite(w)) return;
    wrench_message_.header.stamp = stamp;
    wrench_message_.header.frame_id = "base_link";
    wrench_message_.wrench = {ros::vector3(w.force), ros::vector3(w.torque)};
    log_.write(channel, wrench_message_, out.now);
  };
  wrench(demand_, out.demand.F_Bo_B);
  wrench(achieved_, out.allocation.achieved);

  joints_.header.stamp = stamp;
  joints_.header.frame_id = "base_link";
  for (ros::Marker& m : markers_.markers) {
    m.header.stamp = stamp;
    if (m.type == ros::Marker::kArrow && m.points.size() == 2) m.points[1] = m.points[0];
  }
  for (std::size_t c = 0; c < n; ++c) {
    joints_.effort[c] = out.actuation.effort[c];
    joints_.position[c] = out.actuation.command[c];
    if (owner_[c] + 1 >= markers_.markers.size()) continue;
    ros::Point& tip = markers_.markers[owner_[c] + 1].points[1];
    const Vec3 push = (length_ / full_ * out.actuation.effort[c]) * per_effort_[c];
    tip = {tip.x + push.x, tip.y + push.y, tip.z + push.z};
  }
  log_.write(efforts_, joints_, out.now);
  log_.write(scene_, markers_, out.now);
}

void Picture::diagnostics(const Outputs& out, const ros::Stamp& stamp) {
  const auto name = [](const std::vector<std::string>& names, std::int32_t i) {
    const auto at = static_cast<std::size_t>(i);
    return i >= 0 && at < names.size() ? names[at] : std::string("none");
  };
  ros::DiagnosticStatus stack;
  stack.name = "pintle";
  stack.level = out.arm == ArmState::kLatchedSafe         ? ros::DiagnosticStatus::kError
                : out.used.validity == Validity::kStale   ? ros::DiagnosticStatus::kStale
                : out.used.validity == Validity::kMissing ? ros::DiagnosticStatus::kWarn
                                                          : ros::DiagnosticStatus::kOk;
  stack.message = spaced(to_string(out.arm)) + ", " + spaced(to_string(out.mission.phase));
  stack.values = {{"state", std::string(to_string(out.used.validity))},
                  {"authority", std::string(to_string(out.authority))},
                  {"mission state", name(names_.states, out.mission.state)},
                  {"grade", std::string(to_string(out.allocation.grade))}};
  ros::DiagnosticArray all;
  all.header.stamp = stamp;
  all.status.push_back(std::move(stack));
  for (const Alarm& a : out.alarms) {
    ros::DiagnosticStatus alarm;
    alarm.name = "pintle: " + spaced(to_string(a.code));
    alarm.level = a.severity == Severity::kWarning ? ros::DiagnosticStatus::kWarn
                                                   : ros::DiagnosticStatus::kError;
    alarm.message = sentence(a, names_);
    alarm.values = {{"severity", std::string(to_string(a.severity))}};
    all.status.push_back(std::move(alarm));
  }
  log_.write(diagnostics_, all, out.now);
}

void Picture::line(const Event& e, const AlarmList& alarms) {
  ros::LogLine line;
  line.stamp = ros::stamp_of(e.time);
  line.level = log_level(severity_of(e, alarms));
  line.name = "pintle";
  line.msg = sentence(e, names_);
  log_.write(rosout_, line, e.time);
}

void Picture::take(const Outputs& out) {
  for (const Event& e : out.events) line(e, out.alarms);
  const ros::Stamp stamp = ros::stamp_of(out.now);
  const bool is_news =
      out.arm != arm_ || out.mission.phase != phase_ || out.alarms.size() != alarms_;
  if (!begun_ || is_news || (out.now - told_).seconds() >= 1) {
    diagnostics(out, stamp);
    told_ = out.now;
    arm_ = out.arm;
    phase_ = out.mission.phase;
    alarms_ = out.alarms.size();
  }
  if (begun_ && out.now < due_) return;
  // a tick that was late is not drawn twice
  due_ = begun_ ? std::max(due_ + every_, out.now) : out.now + every_;
  begun_ = true;
  if (is_drawn(out.used)) moving(out, stamp);
  pushes(out, stamp);
}

}  // namespace pintle::flight
