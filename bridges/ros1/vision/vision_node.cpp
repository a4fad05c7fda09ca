/// The program `vision`: pictures to the pose of what the state of the mission looks for.
///
/// ~config_dir  of circle.yaml, detection_mode.yaml, marker.yaml, pad_marker.yaml     ~camera  file
/// ~circle, ~detection_mode, ~marker  as parameters, before the files
/// ~draw_result, ~image_is_rectified, ~detect_markers_only, ~spin_rate
/// ~result/compressed/…  see picture_publisher.h
/// ~usb_cam     whose start_capture and stop_capture are called
///
/// Services of the camera are called by a thread of their own, and so are the master's parameters
/// read for a reload: what hangs holds up no picture. What it answered is held against the pictures:
/// it is asked again where they do not come, or come although nobody looks at them.
#include <geometry_msgs/PoseStamped.h>
#include <geometry_msgs/QuaternionStamped.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/Image.h>
#include <std_msgs/UInt8.h>
#include <std_srvs/Empty.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "common/health.h"
#include "common/node.h"
#include "common/parameter_text.h"
#include "common/run_loop_node.h"
#include "common/service.h"
#include "common/stream_watch.h"
#include "vision/eye.h"
#include "vision/picture_publisher.h"

namespace pintle::ros1 {
namespace {

constexpr double kAttitudeFresh_s = 0.1, kAttitudeKept_s = 1;
constexpr double kCallAgain_s = 0.5, kCallPatience_s = 5;
// pictures that contradict what the camera answered
constexpr double kAskAgain_s = 2, kStillComes_s = 0.5;
constexpr double kFrozen_s = 2;

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
    // nothing less ends a call to a camera that hangs
    ros::shutdown();
    thread_.join();
  }
  void want(int on) { wanted_ = on; }
  /// Whatever it answered last.
  void ask_again() { done_ = -1; }
  /// Gives up a call that has had no answer for too long; it is made anew.
  void give_up_late() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (client_ && steady_s() - called_s_ > kCallPatience_s) client_.shutdown();
  }

 private:
  bool call(ros::NodeHandle& node, const std::string& name) {
    // a persistent one can be closed while it waits; its connection is made anew for each call
    ros::ServiceClient client = node.serviceClient<std_srvs::Empty>(name, true);
    if (!client.isValid()) return false;
    hold(client);
    std_srvs::Empty service;
    const bool done = client.call(service);
    hold({});
    return done;
  }
  void hold(const ros::ServiceClient& client) {
    const std::lock_guard<std::mutex> lock(mutex_);
    client_ = client;
    called_s_ = steady_s();
  }
  void work() {
    ros::NodeHandle node;
    int told = -1;
    while (!stop_ && ros::ok()) {
      const int wanted = wanted_;
      if (wanted < 0 || wanted == done_) {
        ros::WallDuration(0.01).sleep();
        continue;
      }
      const std::string name = camera_ + (wanted == 1 ? "/start_capture" : "/stop_capture");
      done_ = wanted;
      if (call(node, name)) {
        if (std::exchange(told, wanted) != wanted) ROS_INFO("%s", name.c_str());
        continue;
      }
      done_ = told = -1;
      if (stop_) return;
      ROS_WARN_THROTTLE(10, "%s does not answer; it is asked again", name.c_str());
      ros::WallDuration(kCallAgain_s).sleep();
    }
  }

  std::string camera_;
  std::atomic<int> wanted_{-1}, done_{-1};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  ros::ServiceClient client_;  ///< Of the call that is under way.
  double called_s_ = 0;
  std::thread thread_;
};

class VisionNode {
 public:
  VisionNode()
      : own_("~"),
        is_simulated_(ros::Time::isSimTime()),
        eye_(read()),
        health_("vision: pictures"),
        pictures_(root_.resolveName("/image"), "pictures"),
        capture_(camera_) {
    slow_.setCallbackQueue(&slow_queue_);
    for (const Part& part : parts()) {
      if (const auto text = text_of(own_, part.keys)) {
        const std::string why = eye_.reload(part.part, &*text);
        if (!why.empty()) throw std::runtime_error(why);
      }
      servers_.push_back(advertise_service<std_srvs::Empty>(
          slow_, std::string("reload_") + part.name + "_param",
          [this, &part](const std_srvs::Empty::Request&, std_srvs::Empty::Response&) {
            return read_and_reload(part);
          }));
    }
    target_ = own_.advertise<geometry_msgs::PoseStamped>("target_pose", 10);
    mode_ = own_.advertise<std_msgs::UInt8>("detection_mode", 10);
    result_ = PicturePublisher(own_, "result");
    subscribers_.push_back(root_.subscribe<std_msgs::UInt8>(
        "/jet/state", 10, [this](const std_msgs::UInt8::ConstPtr& m) { on_state(m->data); }, {},
        no_delay()));
    subscribers_.push_back(
        root_.subscribe("/camera_info", 10, &VisionNode::on_info, this, no_delay()));
    // one picture waits at most: an old one is of no use
    subscribers_.push_back(root_.subscribe("/image", 1, &VisionNode::on_image, this, no_delay()));
    subscribers_.push_back(root_.subscribe("/flight_controller/attitude", 50,
                                           &VisionNode::on_attitude, this, no_delay()));
    tell_notes();
    reader_.start();
    ROS_INFO("vision: waits for a state of the mission and for pictures");
  }

  ~VisionNode() {
    ends_ = true;
    reader_.stop();
  }

  void run(const Stop& stop) {
    while (ros::ok() && !stop) {
      ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05));
      take_reload();
      tend();
    }
  }
  [[nodiscard]] std::vector<std::string> services() const {
    std::vector<std::string> names;
    for (const ros::ServiceServer& s : servers_) names.push_back(s.getService());
    return names;
  }

 private:
  EyeOptions read() {
    camera_ = text_param(own_, "usb_cam", "/usb_cam");
    if (std::string why; !ros::names::validate(camera_, why))
      throw std::runtime_error("parameter " + own_.resolveName("usb_cam") +
                               ": expected the name of the camera's node: " + why);
    refuse_unknown_params(own_, {"config_dir", "camera", "circle", "detection_mode", "marker",
                                 "draw_result", "image_is_rectified", "detect_markers_only",
                                 "spin_rate", "usb_cam", "draw_markers_cube", "draw_markers_axis",
                                 "result/compressed/format", "result/compressed/jpeg_quality"});
    // axes are always drawn
    (void)bool_param(own_, "draw_markers_axis", true);
    if (bool_param(own_, "draw_markers_cube", false))
      ROS_WARN("~draw_markers_cube: no cubes are drawn, but outlines, axes and numbers");
    EyeOptions o;
    o.config_dir = text_param(own_, "config_dir", package_folder() + "/config");
    o.camera_file = path_param(own_, "camera", o.config_dir + "/camera_onboard.yaml");
    o.image_is_rectified = bool_param(own_, "image_is_rectified", false);
    o.markers_only = bool_param(own_, "detect_markers_only", false);
    draws_ = bool_param(own_, "draw_result", true);
    period_s_ = 1 / number_param(own_, "spin_rate", 30, 1, 200);
    return o;
  }

  /// Of the thread that reads. What it waits for the master with, and for the other.
  std::string read_and_reload(const Part& part) {
    Reload asked{&part, {}, {}, {}};
    try {
      asked.text = text_of(slow_, part.keys);
    } catch (const std::exception& e) {
      asked.failed = e.what();
    }
    std::future<std::string> answer = asked.answer.get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      reload_ = std::move(asked);
    }
    while (answer.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
      if (ends_ || !ros::ok()) return "the node ends";
    return answer.get();
  }

  void take_reload() {
    std::unique_lock<std::mutex> lock(mutex_);
    std::optional<Reload> asked = std::exchange(reload_, std::nullopt);
    lock.unlock();
    if (asked) asked->answer.set_value(reload(*asked->part, asked->text, asked->failed));
  }

  std::string reload(const Part& part, const std::optional<std::string>& text, std::string why) {
    try {
      if (why.empty()) why = eye_.reload(part.part, text ? &*text : nullptr);
    } catch (const std::exception& e) {
      why = e.what();
    }
    if (why.empty()) {
      ROS_INFO("%s reloaded from the %s", part.name, text ? "ROS parameter" : "file");
      tell_notes();
    } else
      ROS_ERROR("%s not reloaded, nothing has changed: %s", part.name, why.c_str());
    want();
    return why;
  }

  void tell_notes() {
    for (const std::string& note : eye_.take_notes()) ROS_WARN("%s", note.c_str());
  }

  /// Simulated time that stands does not make what is silent worse.
  [[nodiscard]] double now_s() const {
    return is_simulated_ ? ros::Time::now().toSec() : steady_s();
  }

  void on_state(int state) {
    state_ = state;
    eye_.state(state);
    want();
  }
  void want() {
    const int wanted = eye_.capture();
    capture_.want(wanted);
    pictures_.want(wanted == 1, now_s());
    if (std::exchange(wanted_, wanted) != wanted) asked_s_ = now_s();
  }

  /// Besides what comes: holds the camera to its word, and says how it stands.
  void tend() {
    const double t = now_s();
    capture_.give_up_late();
    const bool is_missing = pictures_.is_silent(t);
    const bool is_unwanted = wanted_ == 0 && t - pictures_.came_s() < kStillComes_s;
    if ((is_missing || is_unwanted) && !(std::abs(t - asked_s_) < kAskAgain_s)) {
      asked_s_ = t;
      capture_.ask_again();
    }
    for (const std::string& line : pictures_.news(t)) ROS_WARN("%s", line.c_str());
    const std::string& trouble = pictures_.trouble();
    health_.tell("vision-pictures", {3, trouble}, "Pictures can be searched, or none are needed.");
    const Health::Level level = trouble.empty() ? Health::Level::kOk : Health::Level::kError;
    const std::string message = !trouble.empty() ? trouble
                                : wanted_ == 1   ? "searches pictures"
                                                 : "waits for a state that looks for something";
    if (health_.due(level, message))
      health_.report(level, message,
                     {{"state", std::to_string(state_)},
                      {"searched", std::to_string(searched_)},
                      {"targets", std::to_string(targets_)}});
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
      pictures_.bad(now_s(), "the calibration on camera_info is not taken: " + why);
    else if (first)
      ROS_INFO("vision: camera parameters obtained");
  }

  void on_attitude(const geometry_msgs::QuaternionStamped::ConstPtr& m) {
    attitudes_.push_back(m);
    while (attitudes_.size() > 1 &&
           m->header.stamp.toSec() - attitudes_.front()->header.stamp.toSec() > kAttitudeKept_s)
      attitudes_.pop_front();
    if (attitudes_.size() > 1000) attitudes_.clear();
  }
  /// The nearest in time; none: none is near.
  [[nodiscard]] bool attitude_at(const ros::Time& t, Four& out) const {
    double best_s = kAttitudeFresh_s;
    bool found = false;
    for (const auto& a : attitudes_) {
      // not their difference as a ros::Duration: stamps that are too far apart throw
      const double off_s = std::abs(a->header.stamp.toSec() - t.toSec());
      if (!(off_s < best_s)) continue;
      best_s = off_s;
      found = true;
      out = {a->quaternion.x, a->quaternion.y, a->quaternion.z, a->quaternion.w};
    }
    return found;
  }

  /// Whether a picture is to be searched; what is wrong with it is told.
  [[nodiscard]] bool is_to_be_searched(const sensor_msgs::Image::ConstPtr& m, double t) {
    const ros::Time stamp = m->header.stamp;
    const auto before = std::exchange(newest_, m);
    if (!before || before->data != m->data) same_since_s_ = t;
    if (eye_.capture() != 1) {
      pictures_.passed(t);
      return false;
    }
    if (!eye_.has_calibration()) {
      pictures_.bad(t, "pictures without camera_info are not searched");
      return false;
    }
    if (stamp.isZero() || (before && stamp == before->header.stamp)) {
      pictures_.bad(t, stamp.isZero() ? "pictures whose stamp is 0 are not searched"
                                      : "pictures whose stamp stands are not searched: it is " +
                                            std::to_string(stamp.toSec()));
      return false;
    }
    // a camera over still ground has its noise; a target in an old picture under a new stamp is an
    // old one
    same_since_s_ = std::min(same_since_s_, t);
    if (const double same_s = t - same_since_s_; same_s > kFrozen_s) {
      pictures_.bad(
          t, "pictures are the same to the byte and not searched: is the camera frozen? For " +
                 std::to_string(same_s) + " s");
      return false;
    }
    // half a period early is in time: what jitters about the rate is searched, and no more than it
    const double stamp_s = stamp.toSec();
    if (stamp_s >= last_s_ && stamp_s < due_s_ - 0.5 * period_s_) {
      pictures_.passed(t);
      return false;
    }
    const bool goes_on = stamp_s >= last_s_ && stamp_s < due_s_ + period_s_;
    due_s_ = (goes_on ? due_s_ : stamp_s) + period_s_;
    last_s_ = stamp_s;
    return true;
  }

  void on_image(const sensor_msgs::Image::ConstPtr& m) {
    const double t = now_s();
    if (!is_to_be_searched(m, t)) return;
    const PlainPicture picture{m->width,    m->height,      m->step,
                               m->encoding, m->data.data(), m->data.size()};
    Four attitude{};
    const bool known = attitude_at(m->header.stamp, attitude);
    const bool draw = draws_ && result_.is_wanted();
    const EyeLook seen = eye_.look(picture, known ? &attitude : nullptr, draw ? &drawn_ : nullptr);
    if (seen.why.empty()) {
      pictures_.used(t);
      ++searched_;
    } else {
      pictures_.bad(t, "pictures are not searched: " + seen.why);
    }
    if (seen.has_target) {
      ++targets_;
      publish(seen.target, m->header.stamp);
    }
    if (!seen.has_looked) return;
    // the last word on a picture: who waits for it has the target too
    std_msgs::UInt8 mode;
    mode.data = static_cast<std::uint8_t>(state_);
    mode_.publish(mode);
    if (!draw) return;
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

  /// One at a time: the thread that reads waits for the answer.
  struct Reload {
    const Part* part;
    std::optional<std::string> text;
    std::string failed;  ///< Why the parameter could not be read.
    std::promise<std::string> answer;
  };

  ros::NodeHandle root_, own_, slow_{"~"};
  ros::CallbackQueue slow_queue_;
  std::mutex mutex_;
  std::optional<Reload> reload_;
  std::atomic<bool> ends_{false};
  bool draws_ = true;
  const bool is_simulated_;
  double period_s_ = 0;  ///< Pictures are searched no more often, on average.
  std::string camera_;
  Eye eye_;
  Health health_;
  StreamWatch pictures_;
  Capture capture_;
  int state_ = 0, wanted_ = -1;
  double asked_s_ = 0;  ///< The camera, last.
  std::uint64_t searched_ = 0, targets_ = 0;
  double last_s_ = 0, due_s_ = 0;        ///< Stamp of the one that was searched last; of the next.
  sensor_msgs::Image::ConstPtr newest_;  ///< Searched or not …
  double same_since_s_ = 0;              ///< … and since when it is the same, byte by byte.
  std::deque<geometry_msgs::QuaternionStamped::ConstPtr> attitudes_;
  PlainImage drawn_;
  ros::Publisher target_, mode_;
  PicturePublisher result_;
  std::vector<ros::Subscriber> subscribers_;
  std::vector<ros::ServiceServer> servers_;
  ros::AsyncSpinner reader_{1, &slow_queue_};
};

}  // namespace
}  // namespace pintle::ros1

int main(int argc, char** argv) {
  return pintle::ros1::run_loop_node(argc, argv, "vision",
                                     [] { return pintle::ros1::VisionNode(); });
}
