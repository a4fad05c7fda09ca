#include "jet/node.h"

#include <jet/Command.h>
#include <jet/StatGrabber.h>
#include <std_msgs/UInt8.h>
#include <std_srvs/SetBool.h>

#include <cstdio>
#include <utility>

#include "common/node.h"
#include "common/service.h"

namespace pintle::ros1 {
namespace {

constexpr double kGrabPatience_s = 10;  // for the tick: the grabber itself has its own
constexpr double kCommandPatience_s = 2;
constexpr double kStandingClock_s = 0.1, kStandingTold_s = 1;
constexpr double kAhead_s = 1e-9 * TickClock::kSoon_ns;  // a period of the tick
const char* const kCharge = "charge";  // no operator's word: what the service asks of the tick
const char* const kReloads[] = {"dropoint", "duration", "flight", "pid", "timeout"};

}  // namespace

JetNode::JetNode(const JetOptions& options)
    : options_(options),
      simulated_time_(ros::Time::isSimTime()),
      own_("~"),
      aircraft_(options.aircraft),
      health_("jet: delivery"),
      targets_(root_.resolveName("/vision/target_pose"), "targets"),
      flight_(root_, aircraft_, [this](const ros::Time& t) { return clock(t); }),
      navigation_(root_, aircraft_),
      tf_(root_, aircraft_.camera(options.camera_file)) {
  use_parameters_at_start();
  state_ = root_.advertise<std_msgs::UInt8>("/jet/state", 10);
  pose_ = root_.advertise<geometry_msgs::PoseStamped>("/jet/pose_calied", 10);
  subscribers_.push_back(
      root_.subscribe("/jet/odom_in", 10, &JetNode::on_odometry, this, no_delay()));
  subscribers_.push_back(
      root_.subscribe("/vision/target_pose", 10, &JetNode::on_target, this, no_delay()));
  advertise_quick();
  advertise_slow();
  advertise_commands();
  const AircraftOptions& a = options_.aircraft;
  ROS_INFO("%s; odometry is declared %s; %s", a.vehicle_file.c_str(),
           a.use_guidance ? "north, east, down" : "north, east, up",
           a.enable_serial ? ("the grabber is at " + a.serial_port).c_str()
                           : "without a grabber: its commands count as done");
  if (!a.require_arming) ROS_WARN("~require_arming is false: whoever calls /jet/charge starts it");
}

JetNode::~JetNode() {
  if (spinner_) spinner_->stop();
  if (command_spinner_) command_spinner_->stop();
}

/// Files give what parameters do not.
void JetNode::use_parameters_at_start() {
  for (const JetPart part : kJetParts) {
    const auto text = text_of(own_, keys_of(part));
    if (!text) continue;
    std::string warning;
    const std::string why = aircraft_.start_with(part, *text, warning);
    if (!why.empty()) throw std::runtime_error(why);
    if (!warning.empty()) ROS_WARN("%s", warning.c_str());
  }
}

void JetNode::advertise_quick() {
  servers_.push_back(advertise_service<jet::StatGrabber>(
      root_, "/jet/grabber/stat",
      [this](const jet::StatGrabber::Request&, jet::StatGrabber::Response& r) {
        r.result = static_cast<std::uint8_t>(aircraft_.grabber_status());
        return std::string();
      }));
}

/// In a thread of the commands: hands the words to the tick and waits for what becomes of them.
CommandAnswer JetNode::ask(const std::string& words) {
  const CommandAnswer answer = command_desk_.ask(words, is_urgent(words), kCommandPatience_s);
  if (answer.text == CommandDesk::kTooMany)
    ROS_WARN_THROTTLE(1, "%s %s", words.c_str(), answer.text.c_str());
  else if (!answer.accepted)
    ROS_WARN("%s refused: %s", words.c_str(), answer.text.c_str());
  return answer;
}

void JetNode::advertise_commands() {
  commands_.setCallbackQueue(&command_queue_);
  servers_.push_back(advertise_service<jet::Charge>(
      commands_, "/jet/charge", [this](const jet::Charge::Request&, jet::Charge::Response& r) {
        r.result = static_cast<std::uint8_t>(flight_status_.load());
        const CommandAnswer answer = ask(kCharge);
        return answer.accepted ? std::string() : answer.text;
      }));
  servers_.push_back(advertise_service<std_srvs::SetBool>(
      commands_, "/jet/arm",
      [this](const std_srvs::SetBool::Request& q, std_srvs::SetBool::Response& r) {
        const CommandAnswer answer = ask(q.data ? "arm" : "disarm");
        r.success = answer.accepted;
        r.message = answer.text;
        return std::string();
      }));
  servers_.push_back(advertise_service<jet::Command>(
      commands_, "/jet/command", [this](const jet::Command::Request& q, jet::Command::Response& r) {
        const CommandAnswer answer = ask(q.line);
        r.success = answer.accepted;
        r.message = answer.text;
        return std::string();
      }));
  command_spinner_ = std::make_unique<ros::AsyncSpinner>(CommandDesk::kThreads, &command_queue_);
  command_spinner_->start();
}

/// In the tick's thread: one at a time, answered by the cycle that decides it.
void JetNode::obey_command() {
  if (is_asked_) return;
  const auto words = command_desk_.take();
  if (!words) return;
  int flight_status = 0;
  const std::string why =
      *words == kCharge ? aircraft_.charge(flight_status) : aircraft_.command(*words);
  is_asked_ = why.empty();
  if (!is_asked_) command_desk_.tell({false, why});
}

void JetNode::advertise_slow() {
  slow_.setCallbackQueue(&slow_queue_);
  for (const JetPart part : kJetParts) {
    const std::string name = kReloads[static_cast<std::size_t>(part)];
    servers_.push_back(advertise_service<std_srvs::Empty>(
        slow_, "/jet/reload_" + name + "_param",
        [this, part](const std_srvs::Empty::Request&, std_srvs::Empty::Response&) {
          return reload(part);
        }));
  }
  servers_.push_back(advertise_service<jet::CmdGrabber>(
      slow_, "/jet/grabber/cmd",
      [this](const jet::CmdGrabber::Request& q, jet::CmdGrabber::Response& r) {
        return grab(q, r);
      }));
  servers_.push_back(advertise_service<jet::Command>(
      slow_, "/jet/parameter", [this](const jet::Command::Request& q, jet::Command::Response& r) {
        const std::string why = aircraft_.parameter(q.line, r.message);
        r.success = why.empty();
        if (!why.empty()) r.message = why;
        if (why.empty())
          ROS_INFO("parameter %s: %s", q.line.c_str(), r.message.c_str());
        else
          ROS_WARN("parameter %s refused, nothing has changed: %s", q.line.c_str(), why.c_str());
        return std::string();
      }));
  spinner_ = std::make_unique<ros::AsyncSpinner>(1, &slow_queue_);
  spinner_->start();
}

std::string JetNode::reload(JetPart part) {
  const char* name = kReloads[static_cast<std::size_t>(part)];
  std::string why;
  bool from_parameter = false;
  try {
    const auto text = text_of(own_, keys_of(part));
    from_parameter = text.has_value();
    why = aircraft_.reload(part, text ? &*text : nullptr);
  } catch (const std::exception& e) {
    why = e.what();
  }
  if (why.empty())
    ROS_INFO("%s reloaded from the %s", name, from_parameter ? "ROS parameter" : "file");
  else
    ROS_ERROR("%s not reloaded, nothing has changed: %s", name, why.c_str());
  return why;
}

/// In the slow thread: hands the command to the tick and waits for what the grabber says.
std::string JetNode::grab(const jet::CmdGrabber::Request& q, jet::CmdGrabber::Response& r) {
  if (q.cmd > 1) return "expected 1 to grab or 0 to release";
  const std::uint32_t number = grab_desk_.ask(q.cmd == 1);
  const double until_s = steady_s() + kGrabPatience_s;
  while (grab_desk_.answer(number) < 0 && steady_s() < until_s && ros::ok())
    ros::WallDuration(0.005).sleep();
  r.result = grab_desk_.answer(number) == 1 ? 1 : 0;
  return "";
}

void JetNode::on_odometry(const nav_msgs::Odometry::ConstPtr& m) {
  const auto& p = m->pose.pose.position;
  const auto& q = m->pose.pose.orientation;
  aircraft_.odometry(clock(m->header.stamp), {{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}},
                     position_std_m(m->pose.covariance));
  odometry_stamp_ = m->header.stamp;
  has_odometry_ = true;
}

void JetNode::on_target(const geometry_msgs::PoseStamped::ConstPtr& m) {
  const auto& p = m->pose.position;
  const std::int64_t stamp_ns = clock(m->header.stamp);
  aircraft_.target(stamp_ns, {p.x, p.y, p.z}, m->header.frame_id);
  watch_target(*m, 1e-9 * static_cast<double>(tick_clock_.of(now_ns()) - stamp_ns));
  target_stamp_ = m->header.stamp;
  target_frame_ = m->header.frame_id;
}

/// What the tick cannot take for want of a sensible stamp is told here, where the stamp is known.
void JetNode::watch_target(const geometry_msgs::PoseStamped& m, double age_s) {
  const double t = 1e-9 * static_cast<double>(now_ns());
  const double oldest_s = Aircraft::oldest_target_s();
  const auto seconds = [](double s) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", s);
    return std::string(text);
  };
  if (m.header.stamp.isZero())
    targets_.bad(t, "targets whose stamp is 0 are not taken");
  else if (m.header.stamp == target_stamp_ && m.header.frame_id == target_frame_)
    targets_.bad(t, "targets whose stamp stands are not taken: it is " +
                        std::to_string(m.header.stamp.toSec()));
  else if (age_s < -kAhead_s)
    targets_.bad(
        t, "targets of a time to come are not taken: they are stamped ahead by " + seconds(-age_s));
  else if (age_s > oldest_s)
    targets_.bad(t, "targets that are too old are not taken: by " + seconds(age_s - oldest_s) +
                        " over " + seconds(oldest_s));
  else
    targets_.used(t);
}

/// As the clock says it: not the tick's time, which never goes back.
std::int64_t JetNode::now_ns() const {
  if (simulated_time_) {
    const auto clock_ns = static_cast<std::int64_t>(ros::Time::now().toNSec());
    const std::int64_t ahead_ns = heard_ns_ - clock_ns;
    return ahead_ns > 0 && ahead_ns < TickClock::kLate_ns ? heard_ns_ : clock_ns;
  }
  return static_cast<std::int64_t>(ros::SteadyTime::now().toNSec());
}

std::int64_t JetNode::clock(const ros::Time& stamp) {
  const auto stamp_ns = static_cast<std::int64_t>(stamp.toNSec());
  if (simulated_time_) return tick_clock_.of(heard_ns_ = stamp_ns);
  const auto [steady_ns, wall_ns] = TickClock::read_as_one(
      [] { return static_cast<std::int64_t>(ros::SteadyTime::now().toNSec()); },
      [] { return static_cast<std::int64_t>(ros::Time::now().toNSec()); });
  return tick_clock_.of(steady_ns - TickClock::age_ns(wall_ns, stamp_ns));
}

void JetNode::publish_pose(const JetCycle& c) {
  geometry_msgs::PoseStamped m;
  m.header.stamp = odometry_stamp_;
  m.header.frame_id = "pose_calied";
  m.pose.position.x = c.pose_neu[0];
  m.pose.position.y = c.pose_neu[1];
  m.pose.position.z = c.pose_neu[2];
  m.pose.orientation.z = std::sin(c.yaw_north / 2);
  m.pose.orientation.w = std::cos(c.yaw_north / 2);
  pose_.publish(m);
  tf_.pose(c, odometry_stamp_);
}

void JetNode::report(const JetCycle& c) {
  for (const Note& note : c.notes) {
    if (note.level == Note::Level::kError)
      ROS_ERROR("%s", note.text.c_str());
    else if (note.level == Note::Level::kWarn)
      ROS_WARN("%s", note.text.c_str());
    else
      ROS_INFO("%s", note.text.c_str());
  }
  const Health::Level level = c.pose_valid ? Health::Level::kOk : Health::Level::kError;
  const std::string message = c.pose_valid ? c.activity : "no fresh odometry";
  health_.tell("jet-faults", aircraft_.faults(), "Nothing is wrong with the craft any more.");
  for (const std::string& line : targets_.news(1e-9 * static_cast<double>(now_ns())))
    ROS_WARN("%s", line.c_str());
  health_.tell("jet-targets", {3, targets_.trouble()}, "Targets can be taken, or none come.");
  if (const std::string trouble = aircraft_.log_trouble(); !trouble.empty())
    health_.raise("jet-log", 1, trouble);
  if (!health_.due(level, message)) return;
  health_.report(level, message,
                 {{"state", std::to_string(c.state)},
                  {"armed", c.armed ? "true" : "false"},
                  {"flight_status", std::to_string(aircraft_.flight_status())},
                  {"grabber", std::to_string(aircraft_.grabber_status())},
                  {"cycles", std::to_string(cycles_)}});
}

void JetNode::cycle() {
  // what it asked for before is taken in this tick
  left_ = aircraft_.console_left();
  const auto period_ns = static_cast<std::int64_t>(1e9 / options_.aircraft.rate_Hz);
  // simulated time that has not begun is no time
  if (simulated_time_ && cycles_ == 0 && ros::Time::now().isZero()) return tell_standing();
  const TickClock::Now now = tick_clock_.take(now_ns(), period_ns);
  const bool stands = now.step == TickClock::Step::kStands;
  if (stands) {
    // where it has stood, each tick counts a period: what is old ages, and an operator is heard
    if (steady_s() - moved_s_ < kStandingTold_s) return;
    tell_standing();
  }
  if (now.step == TickClock::Step::kSetBack)
    ROS_WARN("the time was set back by %.3f s: the delivery goes on from where it was",
             1e-9 * static_cast<double>(now.back_ns));
  if (!stands) {
    if (std::exchange(told_standing_, false)) ROS_WARN("simulated time goes on");
    moved_s_ = steady_s();
  }
  ++cycles_;
  flight_.take_answers();
  const int asked = grab_desk_.take();
  if (asked >= 0) {
    const std::string why = aircraft_.grabber(asked);
    is_grabbing_ = why.empty();
    if (!why.empty()) {
      ROS_WARN("grabber refused: %s", why.c_str());
      grab_desk_.tell(false);
    }
  }

  obey_command();
  const JetCycle& c = aircraft_.cycle(now.ns);
  flight_status_ = aircraft_.flight_status();
  if (is_asked_ && !c.answer.empty()) {
    is_asked_ = false;
    command_desk_.tell({c.accepted, c.answer});
  }
  flight_.send(c, ros::Time::now());
  navigation_.tell(c.navigation);
  std_msgs::UInt8 state;
  state.data = static_cast<std::uint8_t>(c.state);
  state_.publish(state);
  if (has_odometry_ && c.pose_valid) publish_pose(c);
  if (c.has_target && c.pose_valid) tf_.target(c, target_stamp_);
  has_odometry_ = false;
  if (is_grabbing_ && aircraft_.grabber_progress() >= 0) {
    grab_desk_.tell(aircraft_.grabber_progress() == 1);
    is_grabbing_ = false;
  }
  report(c);
}

void JetNode::tell_standing() {
  if (told_standing_ || steady_s() - moved_s_ < kStandingTold_s) return;
  told_standing_ = true;
  ROS_WARN("simulated time stands");
  if (health_.due(Health::Level::kError, "simulated time stands"))
    health_.report(Health::Level::kError, "simulated time stands", {});
}

void JetNode::wait_for_period() {
  const double period_s = 1.0 / options_.aircraft.rate_Hz;
  if (simulated_time_) {
    const ros::Time due = next_ + ros::Duration(period_s);
    // time that stands does not keep it from leaving
    const double until_s = steady_s() + kStandingClock_s;
    while (ros::ok() && steady_s() < until_s && ros::Time::now() < due && ros::Time::now() >= next_)
      ros::WallDuration(0.0005).sleep();
    next_ = ros::Time::now();
    return;
  }
  next_s_ += period_s;
  const double now_s = steady_s();
  // a cycle that was missed is not made up for
  if (next_s_ < now_s) next_s_ = now_s;
  ros::WallDuration(next_s_ - now_s).sleep();
}

void JetNode::run(const Stop& stop) {
  next_s_ = moved_s_ = steady_s();
  next_ = ros::Time::now();
  while (ros::ok() && !left_) {
    wait_for_period();
    command_desk_.look();
    ros::getGlobalCallbackQueue()->callAvailable();
    if (stop && aircraft_.leave(steady_s())) break;
    cycle();
  }
  aircraft_.end();
}

std::vector<std::string> JetNode::services() const {
  std::vector<std::string> names;
  for (const ros::ServiceServer& s : servers_) names.push_back(s.getService());
  return names;
}

}  // namespace pintle::ros1
