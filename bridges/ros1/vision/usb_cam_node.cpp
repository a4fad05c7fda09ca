/// The program `usb_cam_node`: pictures of a camera with its calibration.
///
/// ~video_device     /dev/videoN (V4L2), a video file, or `world`: pictures of jet_world
/// ~camera_info_url  its calibration: a path, file://…; set_camera_info saves into it
/// ~camera_frame_id, ~camera_name
/// ~image_width, ~image_height  must be those of the calibration
/// ~framerate        of a camera, or a video file
/// ~pixel_format, ~brightness …  what the camera is told: camera.h. What it does not take is told
///                   once, and it runs without
/// ~io_method        pictures come by mmap
/// ~image_raw/compressed/…  see picture_publisher.h
///
/// A camera that is not there, or has gone, is looked for again once a second. A picture's stamp says
/// when it was taken, where the driver says that on the steady clock; else when it came.
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <sensor_msgs/CameraInfo.h>
#include <sensor_msgs/SetCameraInfo.h>
#include <std_srvs/Empty.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "common/node.h"
#include "common/run_loop_node.h"
#include "common/service.h"
#include "vision/camera.h"
#include "vision/picture_publisher.h"

namespace pintle::ros1 {

constexpr double kLookAgain_s = 1;
/// Parameters that count for a camera alone.
const std::vector<std::string> kOfACamera{
    "pixel_format", "io_method",    "brightness", "contrast",  "saturation", "sharpness",
    "gain",         "autoexposure", "exposure",   "autofocus", "focus",      "auto_white_balance",
    "white_balance"};

class UsbCamNode {
 public:
  UsbCamNode() : own_("~") {
    read();
    picture_ = PicturePublisher(own_, "image_raw");
    info_ = own_.advertise<sensor_msgs::CameraInfo>("camera_info", 1);
    serve("start_capture", true);
    serve("stop_capture", false);
    const boost::function<bool(sensor_msgs::SetCameraInfo::Request&,
                               sensor_msgs::SetCameraInfo::Response&)>
        set = [this](sensor_msgs::SetCameraInfo::Request& q,
                     sensor_msgs::SetCameraInfo::Response& r) {
          r.status_message = take(q.camera_info);
          r.success = r.status_message.empty();
          if (r.success)
            ROS_INFO("the calibration is saved in %s", file_.c_str());
          else
            ROS_ERROR("set_camera_info: %s", r.status_message.c_str());
          return true;
        };
    servers_.push_back(own_.advertiseService("set_camera_info", set));
    start(true);
    thread_ = std::thread([this] { device_ == "world" ? follow_world() : capture(); });
  }
  ~UsbCamNode() {
    stop_ = true;
    // who waits for a master waits no more
    ros::shutdown();
    thread_.join();
  }

  void run(const Stop& stop) {
    while (ros::ok() && !stop)
      ros::getGlobalCallbackQueue()->callAvailable(ros::WallDuration(0.05));
  }
  [[nodiscard]] std::vector<std::string> services() const {
    std::vector<std::string> names;
    for (const ros::ServiceServer& s : servers_) names.push_back(s.getService());
    return names;
  }

 private:
  void read() {
    std::vector<std::string> known = kOfACamera;
    known.insert(known.end(), {"video_device", "camera_info_url", "camera_name", "camera_frame_id",
                               "framerate", "image_width", "image_height",
                               "image_raw/compressed/format", "image_raw/compressed/jpeg_quality"});
    refuse_unknown_params(own_, known);
    device_ = text_param(own_, "video_device", "/dev/video0");
    file_ = path_param(own_, "camera_info_url", "");
    if (file_.empty())
      throw std::runtime_error("parameter " + own_.resolveName("camera_info_url") +
                               ": expected the path of the camera's calibration, camera_*.yaml");
    if (file_.find("://") != std::string::npos || file_.find("${") != std::string::npos)
      throw std::runtime_error("parameter " + own_.resolveName("camera_info_url") +
                               ": expected a path or file:// and a path, got \"" + file_ +
                               "\"; in a launch file  file://$(find vision)/config/camera.yaml");
    calibration_ = load_calibration(file_);
    (void)text_param(own_, "camera_name", "");
    frame_ = text_param(own_, "camera_frame_id", "camera");
    controls_ = read_controls();
    const auto same = [&](const char* key, std::uint32_t value) {
      if (number_param(own_, key, value, 1, 8192) != value)
        throw std::runtime_error("parameter " + own_.resolveName(key) + ": expected " +
                                 std::to_string(value) + ", as in " + file_);
    };
    same("image_width", calibration_.width);
    same("image_height", calibration_.height);
  }

  CameraControls read_controls() {
    CameraControls c;
    c.pixel_format = word_param(own_, "pixel_format", c.pixel_format, pixel_formats());
    c.framerate_Hz = number_param(own_, "framerate", c.framerate_Hz, 0.1, 200);
    const auto number = [&](const char* name, int& value) {
      const double given = number_param(own_, name, value, -1, 65535);
      value = static_cast<int>(given);
      if (value != given)
        throw std::runtime_error("parameter " + own_.resolveName(name) +
                                 ": expected a whole number, -1 to leave it as it is");
    };
    number("brightness", c.brightness);
    number("contrast", c.contrast);
    number("saturation", c.saturation);
    number("sharpness", c.sharpness);
    number("gain", c.gain);
    c.auto_white_balance = bool_param(own_, "auto_white_balance", c.auto_white_balance);
    number("white_balance", c.white_balance);
    c.autoexposure = bool_param(own_, "autoexposure", c.autoexposure);
    number("exposure", c.exposure);
    c.autofocus = bool_param(own_, "autofocus", c.autofocus);
    number("focus", c.focus);
    const std::string io = word_param(own_, "io_method", "mmap", {"mmap", "read", "userptr"});
    if (device_ == "world" || is_file(device_))
      tell_idle();
    else if (io != "mmap")
      ROS_WARN("~io_method %s: pictures come by mmap all the same", io.c_str());
    return c;
  }

  /// Of settings without a camera.
  void tell_idle() {
    std::string list;
    for (const std::string& name : kOfACamera)
      if (own_.hasParam(name)) list += (list.empty() ? "~" : ", ~") + name;
    if (!list.empty())
      ROS_INFO("%s is no camera: nothing comes of %s", device_.c_str(), list.c_str());
  }

  void serve(const char* name, bool on) {
    servers_.push_back(advertise_service<std_srvs::Empty>(
        own_, name, [this, on](const std_srvs::Empty::Request&, std_srvs::Empty::Response&) {
          start(on);
          return std::string();
        }));
  }

  void start(bool on) {
    if (runs_.exchange(on) != on) ROS_INFO("usb_cam: capture %s", on ? "started" : "stopped");
  }

  /// In a thread of its own: without a master a subscription waits for one, and who starts or stops
  /// the camera does not.
  void follow_world() {
    while (!stop_ && ros::ok()) {
      if (runs_ && !world_)
        world_ = root_.subscribe<sensor_msgs::Image>(
            "/jet_world/image", 1, [this](const sensor_msgs::Image::ConstPtr& m) { pass_on(*m); },
            {}, no_delay());
      if (!runs_ && world_) world_.shutdown();
      ros::WallDuration(0.01).sleep();
    }
  }

  std::string take(const sensor_msgs::CameraInfo& m) {
    PlainCameraInfo info;
    info.width = m.width;
    info.height = m.height;
    info.distortion_model = m.distortion_model;
    info.D = m.D;
    std::copy(m.K.begin(), m.K.end(), info.K.begin());
    std::copy(m.R.begin(), m.R.end(), info.R.begin());
    std::copy(m.P.begin(), m.P.end(), info.P.begin());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (info.width != calibration_.width || info.height != calibration_.height)
      return "expected a calibration for " + std::to_string(calibration_.width) + " x " +
             std::to_string(calibration_.height) + " px";
    const std::string why = save_calibration(file_, info);
    if (why.empty()) calibration_ = info;
    return why;
  }

  void publish(const sensor_msgs::Image& picture) {
    sensor_msgs::CameraInfo m;
    m.header = picture.header;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      m.width = calibration_.width;
      m.height = calibration_.height;
      m.distortion_model = calibration_.distortion_model;
      m.D = calibration_.D;
      std::copy(calibration_.K.begin(), calibration_.K.end(), m.K.begin());
      std::copy(calibration_.R.begin(), calibration_.R.end(), m.R.begin());
      std::copy(calibration_.P.begin(), calibration_.P.end(), m.P.begin());
    }
    // first: who searches the picture knows its calibration then
    info_.publish(m);
    picture_.publish(picture);
  }

  void pass_on(const sensor_msgs::Image& picture) {
    if (!runs_) return;
    if (picture.width != calibration_.width || picture.height != calibration_.height) {
      ROS_ERROR_THROTTLE(
          10,
          "/jet_world/image: pictures of %u x %u px are not passed on: the calibration in %s is "
          "for %u x %u",
          picture.width, picture.height, file_.c_str(), calibration_.width, calibration_.height);
      return;
    }
    sensor_msgs::Image out = picture;
    out.header.frame_id = frame_;
    publish(out);
  }

  /// In ROS time. `taken_s`: by the steady clock, where the driver says it.
  ros::Time taken_at(const std::optional<double>& taken_s) {
    const ros::Time now = ros::Time::now();
    // the clock of V4L2's buffers
    const auto steady = std::chrono::steady_clock::now().time_since_epoch();
    const double age_s = taken_s ? std::chrono::duration<double>(steady).count() - *taken_s : 0;
    return age_s < now.toSec() ? now - ros::Duration(age_s) : now;
  }

  /// In a thread of its own: a camera makes who reads it wait.
  void capture() {
    VideoDevice video;
    PlainImage image;
    std::optional<double> taken_s;
    bool is_told_arrival = false;
    bool keeps_pace = false;
    double due_s = 0;  // of the next picture of a file
    bool is_open = false;
    std::string told, told_refused;
    while (!stop_ && ros::ok()) {
      if (!runs_) {
        if (is_open) video.close();
        is_open = false;
        ros::WallDuration(0.01).sleep();
        continue;
      }
      std::string why;
      if (!is_open) {
        why = video.open(device_, static_cast<int>(calibration_.width),
                         static_cast<int>(calibration_.height), controls_);
        keeps_pace = is_file(device_);
        const std::string refused = video.refused();
        if (!refused.empty() && std::exchange(told_refused, refused) != refused)
          ROS_WARN("%s does not take %s and runs without", device_.c_str(), refused.c_str());
      }
      if (why.empty()) why = video.read(image, taken_s);
      is_open = why.empty();
      if (!why.empty()) {
        if (why != told) ROS_ERROR("%s; it is tried again", why.c_str());
        told = why;
        video.close();
        for (int i = 0; i < 20 && !stop_; ++i) ros::WallDuration(kLookAgain_s / 20).sleep();
        continue;
      }
      told.clear();
      sensor_msgs::Image m;
      if (!taken_s && !keeps_pace && !std::exchange(is_told_arrival, true))
        ROS_WARN(
            "%s does not say by the steady clock when a picture was taken: stamps say when it came",
            device_.c_str());
      m.header.stamp = taken_at(taken_s);
      m.header.frame_id = frame_;
      m.width = image.width;
      m.height = image.height;
      m.encoding = "rgb8";
      m.step = 3 * image.width;
      m.data.swap(image.rgb);
      publish(m);
      if (!keeps_pace) continue;
      const double period_s = 1 / controls_.framerate_Hz;
      due_s = std::max(due_s, steady_s() - period_s) + period_s;
      for (double left_s; !stop_ && (left_s = due_s - steady_s()) > 0;)
        ros::WallDuration(std::min(left_s, 0.05)).sleep();
    }
  }

  ros::NodeHandle root_, own_;
  std::string device_, file_, frame_;
  CameraControls controls_;
  std::mutex mutex_;
  PlainCameraInfo calibration_;  ///< Under the mutex; its size never changes.
  std::atomic<bool> runs_{false}, stop_{false};
  PicturePublisher picture_;
  ros::Publisher info_;
  ros::Subscriber world_;
  std::vector<ros::ServiceServer> servers_;
  std::thread thread_;
};

}  // namespace pintle::ros1

int main(int argc, char** argv) {
  return pintle::ros1::run_loop_node(argc, argv, "usb_cam",
                                     [] { return pintle::ros1::UsbCamNode(); });
}
