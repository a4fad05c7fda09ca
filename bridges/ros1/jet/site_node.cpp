/// The program `jet_world`: an aircraft with a flight controller, odometry, a camera and a grabber,
/// simulated, in place of the real one around the node jet. Speaks the table of flight_adapter.h.
///
/// ~use_guidance  odometry in north, east, down on /guidance/odom; else north, east, up on
///                /dji_sdk/odometry; both names as the original's launch files remap them
/// ~world         where it flies: worlds/delivery_site.yaml                   ~vehicle, ~seed
/// ~car           where the marker of the car is: [north, east, up]
/// ~serial_port   a link to the grabber's device is made here
/// ~lift          service: a hand lifts it and puts it down, the proof of the odometry's frame
/// ~clock, ~speed, ~lockstep: served_world.h; in lockstep, once there are motion commands, it goes on
///                only while the last one is not older than a tick of the node jet (its 50 Hz), so
///                that a slow machine changes nothing but the pace; nor before what looks at its
///                pictures has answered for the last one
/// ~targets       false: it publishes no targets, which are then seen in its pictures
///                (/jet_world/image, drawn while somebody listens)
#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/QuaternionStamped.h>
#include <geometry_msgs/TwistStamped.h>
#include <geometry_msgs/Vector3Stamped.h>
#include <nav_msgs/Odometry.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <sensor_msgs/Image.h>
#include <std_msgs/Bool.h>
#include <std_msgs/Float32.h>
#include <std_msgs/UInt8.h>
#include <std_srvs/SetBool.h>
#include <std_srvs/Trigger.h>

#include <filesystem>

#include "common/node.h"
#include "common/run_loop_node.h"
#include "common/served_world.h"
#include "jet/site.h"

namespace {

std::string package_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

}  // namespace

namespace pintle::ros1 {

constexpr std::int64_t kSenses_ns = 20'000'000;   // odometry and reports, as the original's 50 Hz
constexpr std::int64_t kPicture_ns = 40'000'000;  // targets
constexpr std::int64_t kTick_ns = 20'000'000;     // of the node jet
constexpr double kPatience_s = 0.3;               // then a request counts as taken on
constexpr double kLookPatience_s = 0.5;           // of real time for one picture
constexpr double kGiveUp_s = 10;                  // of real time without a motion command

class SiteNode {
 public:
  SiteNode()
      : own_("~"), options_(read()), site_(options_), served_(root_, own_, site_.period_s()) {
    refuse_unknown_params(own_, {"use_guidance", "world", "vehicle", "seed", "car", "serial_port",
                                 "clock", "speed", "lockstep", "targets"});
    const std::string odometry = options_.guidance ? "/guidance/odom" : "/dji_sdk/odometry";
    odometry_ = root_.advertise<nav_msgs::Odometry>(odometry, 10);
    if (bool_param(own_, "targets", true))
      target_ = root_.advertise<geometry_msgs::PoseStamped>("/vision/target_pose", 10);
    image_ = root_.advertise<sensor_msgs::Image>("/jet_world/image", 2);
    const std::string fc = "/flight_controller/";
    status_ = root_.advertise<std_msgs::UInt8>(fc + "flight_status", 10);
    control_ = root_.advertise<std_msgs::Bool>(fc + "has_control", 10);
    velocity_ = root_.advertise<geometry_msgs::Vector3Stamped>(fc + "velocity", 10);
    attitude_ = root_.advertise<geometry_msgs::QuaternionStamped>(fc + "attitude", 10);
    battery_ = root_.advertise<std_msgs::Float32>(fc + "battery", 10);
    truth_ = root_.advertise<geometry_msgs::PoseStamped>("/jet_world/truth", 10);
    payload_ = root_.advertise<geometry_msgs::PoseStamped>("/jet_world/payload", 10);
    grabbed_ = root_.advertise<std_msgs::UInt8>("/jet_world/grabber", 10);
    motion_node_.setCallbackQueue(&motion_queue_);
    motion_ = motion_node_.subscribe<geometry_msgs::TwistStamped>(
        fc + "set_velocity", 1,
        [this](const geometry_msgs::TwistStamped::ConstPtr& m) {
          const auto& v = m->twist.linear;
          site_.command({v.x, v.y, v.z}, m->twist.angular.z);
          commanded_ = m->header.stamp;
        },
        {}, no_delay());
    looked_ = motion_node_.subscribe<std_msgs::UInt8>(
        "/vision/detection_mode", 10, [this](const std_msgs::UInt8::ConstPtr&) { unanswered_ = 0; },
        {}, no_delay());
    serve(fc + "take_off", FlightService::kTakeOff);
    serve(fc + "land", FlightService::kLand);
    const boost::function<bool(std_srvs::SetBool::Request&, std_srvs::SetBool::Response&)> control =
        [this](std_srvs::SetBool::Request& q, std_srvs::SetBool::Response& r) {
          r.success =
              get(q.data ? FlightService::kTakeControl : FlightService::kReleaseControl, r.message);
          return true;
        };
    servers_.push_back(root_.advertiseService(fc + "control", control));
    const boost::function<bool(std_srvs::Trigger::Request&, std_srvs::Trigger::Response&)> lift =
        [this](std_srvs::Trigger::Request&, std_srvs::Trigger::Response& r) {
          r.success = site_.lift();
          r.message = r.success ? "Up and down again within three seconds." : "Its motors turn.";
          return true;
        };
    servers_.push_back(own_.advertiseService("lift", lift));
    Three middle{};
    bool held = false;
    if (!site_.payload(middle, held)) ROS_WARN("built without MuJoCo: no car and no payload");
    link_grabber();
  }
  ~SiteNode() {
    std::error_code error;
    if (!link_.empty()) std::filesystem::remove(link_, error);
  }

  void run(const Stop& stop) {
    served_.serve(stop, [this] {
      ros::getGlobalCallbackQueue()->callAvailable();
      step();
    });
  }
  [[nodiscard]] std::vector<std::string> services() const {
    std::vector<std::string> names;
    for (const ros::ServiceServer& s : servers_) names.push_back(s.getService());
    return names;
  }

 private:
  SiteOptions read() {
    SiteOptions o;
    o.vehicle_file = text_param(own_, "vehicle", package_folder() + "/vehicles/quad.yaml");
    o.world_file = text_param(own_, "world", package_folder() + "/worlds/delivery_site.yaml");
    o.seed = static_cast<std::uint64_t>(number_param(own_, "seed", 1, 0, 1e9));
    o.guidance = bool_param(own_, "use_guidance", false);
    std::vector<double> car;
    if (own_.getParam("car", car)) {
      if (car.size() != 3) throw std::runtime_error("~car: expected [north, east, up] in m");
      o.car = {car[0], car[1], car[2]};
    }
    return o;
  }

  void serve(const std::string& name, FlightService service) {
    const boost::function<bool(std_srvs::Trigger::Request&, std_srvs::Trigger::Response&)> call =
        [this, service](std_srvs::Trigger::Request&, std_srvs::Trigger::Response& r) {
          r.success = get(service, r.message);
          return true;
        };
    servers_.push_back(root_.advertiseService(name, call));
  }

  /// Time goes on while the flight controller thinks: what it does not refuse soon it has taken on.
  bool get(FlightService service, std::string& message) {
    const std::uint32_t number = site_.request(service);
    const double until_s = 1e-9 * static_cast<double>(site_.now_ns()) + kPatience_s;
    int verdict = -1;
    while (verdict < 0 && 1e-9 * static_cast<double>(site_.now_ns()) < until_s) {
      step();
      served_.sleep();
      verdict = site_.verdict(number);
    }
    message = verdict == 0 ? "refused" : "taken on";
    return verdict != 0;
  }

  void link_grabber() {
    link_ = text_param(own_, "serial_port", "");
    if (link_.empty()) {
      ROS_INFO("the grabber is at %s", site_.gripper_device().c_str());
      return;
    }
    // never over something that is there and is no link
    if (std::filesystem::is_symlink(link_)) std::filesystem::remove(link_);
    std::filesystem::create_symlink(site_.gripper_device(), link_);
  }

  [[nodiscard]] ros::Time stamp() const { return served_.stamp(site_.now_ns()); }

  void step() {
    wait_for_command();
    site_.advance();
    served_.tell(site_.now_ns());
    const std::int64_t now = site_.now_ns();
    if (now >= senses_due_) {
      senses_due_ = now + kSenses_ns;
      publish_senses();
    }
    if (now >= picture_due_) {
      picture_due_ = now + kPicture_ns;
      if (target_) publish_target();
      if (image_.getNumSubscribers() > 0) publish_picture();
    }
  }

  void wait_for_command() {
    motion_queue_.callAvailable();
    if (motion_.getNumPublishers() == 0) commanded_ = {};
    const double until_s = steady_s() + kGiveUp_s;
    while (served_.lockstep() && !commanded_.isZero() &&
           stamp().toNSec() > commanded_.toNSec() + kTick_ns && motion_.getNumPublishers() > 0 &&
           ros::ok() && !stop_asked()) {
      motion_queue_.callAvailable(ros::WallDuration(0.01));
      if (steady_s() < until_s) continue;
      ROS_WARN("no motion command within %.0f seconds: time goes on", kGiveUp_s);
      commanded_ = {};
    }
    wait_for_look();
  }

  /// What stops looking, as the state says, leaves its last picture without an answer.
  void wait_for_look() {
    const double until_s = steady_s() + kLookPatience_s;
    while (served_.lockstep() && unanswered_ > 0 && image_.getNumSubscribers() > 0 &&
           looked_.getNumPublishers() > 0 && steady_s() < until_s && ros::ok() && !stop_asked())
      motion_queue_.callAvailable(ros::WallDuration(0.005));
    unanswered_ = 0;
  }

  void publish_picture() {
    if (!site_.draw(picture_)) return;
    sensor_msgs::Image m;
    m.header.stamp = stamp();
    m.header.frame_id = "camera";
    m.width = picture_.width;
    m.height = picture_.height;
    m.encoding = "rgb8";
    m.step = 3 * picture_.width;
    m.data = picture_.rgb;
    image_.publish(m);
    ++unanswered_;
  }

  void publish_senses() {
    const ros::Time at = stamp();
    nav_msgs::Odometry o;
    o.header.stamp = at;
    o.header.frame_id = "odom";
    PlainPose X;
    if (site_.take_odometry(X)) {
      fill(X.position, o.pose.pose.position);
      fill(X.orientation, o.pose.pose.orientation);
      odometry_.publish(o);
    }

    const PlainFlight f = site_.flight();
    std_msgs::UInt8 status;
    status.data = static_cast<std::uint8_t>(f.phase);
    status_.publish(status);
    std_msgs::Bool control;
    control.data = f.has_control;
    control_.publish(control);
    std_msgs::Float32 battery;
    battery.data = static_cast<float>(f.battery);
    battery_.publish(battery);
    geometry_msgs::QuaternionStamped q;
    q.header.stamp = at;
    fill(f.attitude, q.quaternion);
    attitude_.publish(q);
    geometry_msgs::Vector3Stamped v;
    v.header.stamp = at;
    v.header.frame_id = "world";
    fill(f.velocity, v.vector);
    velocity_.publish(v);

    geometry_msgs::PoseStamped truth;
    truth.header.stamp = at;
    fill(site_.truth(), truth.pose.position);
    truth_.publish(truth);
    geometry_msgs::PoseStamped payload;
    payload.header.stamp = at;
    Three middle{};
    bool held = false;
    if (site_.payload(middle, held)) {
      payload.header.frame_id = held ? "claw" : "world";
      fill(middle, payload.pose.position);
      payload_.publish(payload);
    }
    std_msgs::UInt8 grabbed;
    grabbed.data = static_cast<std::uint8_t>(site_.gripper_status());
    grabbed_.publish(grabbed);
  }

  void publish_target() {
    SiteTarget seen;
    if (!site_.look(seen)) return;
    geometry_msgs::PoseStamped m;
    m.header.stamp = stamp();
    m.header.frame_id = seen.is_pad ? "pad" : "marker";
    fill(seen.forward_right_down, m.pose.position);
    m.pose.orientation.w = 1;
    target_.publish(m);
  }

  template <class To>
  static void fill(const Three& from, To& to) {
    to.x = from[0];
    to.y = from[1];
    to.z = from[2];
  }
  static void fill(const Four& from, geometry_msgs::Quaternion& to) {
    to.x = from[0];
    to.y = from[1];
    to.z = from[2];
    to.w = from[3];
  }

  ros::NodeHandle root_, own_, motion_node_;
  ros::CallbackQueue motion_queue_;  ///< Served also while a request is under way.
  SiteOptions options_;
  Site site_;
  ServedWorld served_;
  ros::Time commanded_;
  std::int64_t senses_due_ = 0, picture_due_ = 0;
  std::string link_;
  ros::Publisher odometry_, target_, status_, control_, velocity_, attitude_, battery_, truth_,
      payload_, grabbed_, image_;
  ros::Subscriber motion_, looked_;
  PlainImage picture_;
  int unanswered_ = 0;  ///< Pictures that nobody has looked at yet.
  std::vector<ros::ServiceServer> servers_;
};

}  // namespace pintle::ros1

int main(int argc, char** argv) {
  return pintle::ros1::run_loop_node(argc, argv, "jet_world",
                                     [] { return pintle::ros1::SiteNode(); });
}
