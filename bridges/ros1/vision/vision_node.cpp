/// The program `vision`: pictures to the pose of what the state of the mission looks for.
///
/// ~config_dir  of circle.yaml, detection_mode.yaml, marker.yaml, pad_marker.yaml     ~camera  file
/// ~circle, ~detection_mode, ~marker  as parameters, before the files
/// ~draw_result, ~image_is_rectified, ~detect_markers_only, ~spin_rate
/// ~usb_cam     whose start_capture and stop_capture are called
///
/// Services of the camera are called by a thread of their own: a camera that hangs holds up
/// nothing.
#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/QuaternionStamped.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>
#include <std_msgs/UInt8.h>
#include <std_srvs/Empty.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <thread>

#include "common/node.h"
#include "common/parameter_text.h"
#include "common/run_loop_node.h"
#include "common/service.h"
#include "vision/eye.h"

namespace pintle::ros1 {
namespace {

constexpr double kAttitudeFresh_s = 0.1, kAttitudeKept_s = 1;
constexpr double kCallAgain_s = 0.5;

std::string package_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

struct Part {
  EyePart part;
  const char* name;
  std::vector<std::string> keys;  ///< Parameters that go before the file; none: the file alone.
};
const std::vector<Part>& parts() {
  static const std::vector<Part> all{{EyePart::kCamera, "camera", {}},
                                     {EyePart::kCircle, "circle", {"circle"}},
                                     {EyePart::kDetectionMode, "detmod", {"detection_mode"}},
                                     {EyePart::kMarker, "marker", {"marker"}}};
  return all;
}

/// Starts and stops the camera, until it has done so.
class Capture {
 public:
  explicit Capture(const std::string& camera) : camera_(camera), thread_([this] { work(); }) {}
  ~Capture() {
    stop_ = true;
    thread_.join();
  }
  void want(int on) { wanted_ = on; }

 private:
  void work() {
    ros::NodeHandle node;
    int done = -1;
    while (!stop_ && ros::ok()) {
      const int wanted = wanted_;
      if (wanted >= 0 && wanted != done) {
        std_srvs::Empty call;
        const std::string name = camera_ + (wanted == 1 ? "/start_capture" : "/stop_capture");
        if (ros::service::exists(name, false) && ros::service::call(name, call)) {
          ROS_INFO("%s", name.c_str());
          done = wanted;
          continue;
        }
        ROS_WARN_THROTTLE(10, "%s does not answer; it is asked again", name.c_str());
        ros::WallDuration(kCallAgain_s).sleep();
        continue;
      }
      ros::WallDuration(0.01).sleep();
    }
  }

  std::string camera_;
  std::atomic<int> wanted_{-1};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class VisionNode {
 public:
  VisionNode() : own_("~"), eye_(read()), capture_(text_param(own_, "usb_cam", "/usb_cam")) {
    for (const Part& part : parts()) {
      if (const auto text = text_of(own_, part.keys)) {
        const std::string why = eye_.reload(part.part, &*text);
        if (!why.empty()) throw std::runtime_error(why);
      }
      servers_.push_back(advertise_service<std_srvs::Empty>(
          own_, std::string("reload_") + part.name + "_param",
          [this, &part](const std_srvs::Empty::Request&, std_srvs::Empty::Response&) {
            return reload(part);
          }));
    }
    target_ = own_.advertise<geometry_msgs::PoseStamped>("target_pose", 10);
    mode_ = own_.advertise<std_msgs::UInt8>("detection_mode", 10);
    result_ = own_.advertise<sensor_msgs::Image>("result", 1);
    subscribers_.push_back(root_.subscribe<std_msgs::UInt8>(
        "/jet/state", 10, [this](const std_msgs::UInt8::ConstPtr& m) { on_state(m->data); }, {},
        no_delay()));
    subscribers_.push_back(
        root_.subscribe("/camera_info", 10, &VisionNode::on_info, this, no_delay()));
    // one picture waits at most: an old one is of no use
    subscribers_.push_back(root_.subscribe("/image", 1, &VisionNode::on_image, this, no_delay()));
    subscribers_.push_back(root_.subscribe("/flight_controller/attitude", 50,
                                           &VisionNode::on_attitude, this, no_delay()));
    ROS_INFO("vision: waits for a state of the mission and for pictures");
  }

  void run(const std::atomic<bool>& stop) {
    while (ros::ok() && !stop)
      ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05));
  }
  [[nodiscard]] std::vector<std::string> services() const {
    std::vector<std::string> names;
    for (const ros::ServiceServer& s : servers_) names.push_back(s.getService());
    return names;
  }

 private:
  EyeOptions read() {
    refuse_unknown_params(
        own_, {"config_dir", "camera", "circle", "detection_mode", "marker", "draw_result",
               "image_is_rectified", "detect_markers_only", "spin_rate", "usb_cam"});
    EyeOptions o;
    o.config_dir = text_param(own_, "config_dir", package_folder() + "/config");
    o.camera_file = text_param(own_, "camera", o.config_dir + "/camera_onboard.yaml");
    o.image_is_rectified = bool_param(own_, "image_is_rectified", false);
    o.markers_only = bool_param(own_, "detect_markers_only", false);
    draws_ = bool_param(own_, "draw_result", true);
    least_step_s_ = 0.9 / number_param(own_, "spin_rate", 30, 1, 200);
    return o;
  }

  std::string reload(const Part& part) {
    std::string why;
    bool from_parameter = false;
    try {
      const auto text = text_of(own_, part.keys);
      from_parameter = text.has_value();
      why = eye_.reload(part.part, text ? &*text : nullptr);
    } catch (const std::exception& e) {
      why = e.what();
    }
    if (why.empty())
      ROS_INFO("%s reloaded from the %s", part.name, from_parameter ? "ROS parameter" : "file");
    else
      ROS_ERROR("%s not reloaded, nothing has changed: %s", part.name, why.c_str());
    capture_.want(eye_.capture());
    return why;
  }

  void on_state(int state) {
    state_ = state;
    eye_.state(state);
    capture_.want(eye_.capture());
  }

  void on_info(const sensor_msgs::CameraInfo::ConstPtr& m) {
    PlainCameraInfo info;
    info.width = m->width;
    info.height = m->height;
    info.distortion_model = m->distortion_model;
    info.D = m->D;
    std::copy(m->K.begin(), m->K.end(), info.K.begin());
    std::copy(m->R.begin(), m->R.end(), info.R.begin());
    std::copy(m->P.begin(), m->P.end(), info.P.begin());
    const bool first = !eye_.has_calibration();
    const std::string why = eye_.calibration(info);
    if (!why.empty())
      ROS_ERROR_THROTTLE(5, "the calibration on camera_info is not taken: %s", why.c_str());
    else if (first)
      ROS_INFO("vision: camera parameters obtained");
  }

  void on_attitude(const geometry_msgs::QuaternionStamped::ConstPtr& m) {
    attitudes_.push_back(m);
    while (attitudes_.size() > 1 &&
           (m->header.stamp - attitudes_.front()->header.stamp).toSec() > kAttitudeKept_s)
      attitudes_.pop_front();
    if (attitudes_.size() > 1000) attitudes_.clear();
  }
  /// The nearest in time; none: none is near.
  [[nodiscard]] bool attitude_at(const ros::Time& t, Four& out) const {
    double best_s = kAttitudeFresh_s;
    bool found = false;
    for (const auto& a : attitudes_) {
      const double off_s = std::abs((a->header.stamp - t).toSec());
      if (!(off_s < best_s)) continue;
      best_s = off_s;
      found = true;
      out = {a->quaternion.x, a->quaternion.y, a->quaternion.z, a->quaternion.w};
    }
    return found;
  }

  void on_image(const sensor_msgs::Image::ConstPtr& m) {
    if (eye_.capture() != 1) return;
    if (!eye_.has_calibration()) {
      ROS_WARN_THROTTLE(5, "pictures without camera_info are not searched");
      return;
    }
    const double since_s = (m->header.stamp - last_).toSec();
    if (since_s >= 0 && since_s < least_step_s_) return;
    last_ = m->header.stamp;
    const PlainPicture picture{m->width,    m->height,      m->step,
                               m->encoding, m->data.data(), m->data.size()};
    Four attitude{};
    const bool known = attitude_at(m->header.stamp, attitude);
    const bool draw = draws_ && result_.getNumSubscribers() > 0;
    const EyeLook seen = eye_.look(picture, known ? &attitude : nullptr, draw ? &drawn_ : nullptr);
    if (!seen.why.empty()) ROS_ERROR_THROTTLE(5, "not searched: %s", seen.why.c_str());
    if (seen.has_target) publish(seen.target, m->header.stamp);
    // the last word on a picture: who waits for it has the target too
    std_msgs::UInt8 mode;
    mode.data = static_cast<std::uint8_t>(state_);
    mode_.publish(mode);
    if (!draw || !seen.has_looked) return;
    sensor_msgs::Image out;
    out.header = m->header;
    out.width = drawn_.width;
    out.height = drawn_.height;
    out.encoding = "rgb8";
    out.step = 3 * drawn_.width;
    out.data = drawn_.rgb;
    result_.publish(out);
  }

  void publish(const EyeTarget& target, const ros::Time& stamp) {
    geometry_msgs::PoseStamped m;
    m.header.stamp = stamp;
    m.header.frame_id = target.is_pad ? "pad" : "marker";
    m.pose.position.x = target.forward_right_down[0];
    m.pose.position.y = target.forward_right_down[1];
    m.pose.position.z = target.forward_right_down[2];
    m.pose.orientation.x = target.orientation[0];
    m.pose.orientation.y = target.orientation[1];
    m.pose.orientation.z = target.orientation[2];
    m.pose.orientation.w = target.orientation[3];
    target_.publish(m);
  }

  ros::NodeHandle root_, own_;
  bool draws_ = true;
  double least_step_s_ = 0;
  Eye eye_;
  Capture capture_;
  int state_ = 0;
  ros::Time last_;
  std::deque<geometry_msgs::QuaternionStamped::ConstPtr> attitudes_;
  PlainImage drawn_;
  ros::Publisher target_, mode_, result_;
  std::vector<ros::Subscriber> subscribers_;
  std::vector<ros::ServiceServer> servers_;
};

}  // namespace
}  // namespace pintle::ros1

int main(int argc, char** argv) {
  return pintle::ros1::run_loop_node(argc, argv, "vision",
                                     [] { return pintle::ros1::VisionNode(); });
}
