/// The flight controller on ROS: this table of names, in plain types, each of which a launch file
/// can remap.
///
///   out      /flight_controller/set_velocity   geometry_msgs/TwistStamped   every tick: forward,
///                                              left, up in the frame turned by the heading only,
///                                              m/s; rad/s
///   call     /flight_controller/control        std_srvs/SetBool             true: obey,
///                                                                           false: no more
///            /flight_controller/take_off       std_srvs/Trigger
///            /flight_controller/land           std_srvs/Trigger
///   in       /flight_controller/flight_status  std_msgs/UInt8               numbers of Charge.srv
///            /flight_controller/has_control    std_msgs/Bool
///            /flight_controller/velocity       geometry_msgs/Vector3Stamped east, north, up
///            /flight_controller/attitude       geometry_msgs/QuaternionStamped  body in that world
///            /flight_controller/battery        std_msgs/Float32             0 to 1
///
/// What of these makes a report, and how old each may be: flight_parts.h. A service that hangs holds
/// up nothing: each has a thread of its own. The adapter for another flight controller is a node that speaks these
/// names, or remaps; one for dji_sdk is not here, because no package of it is.
#pragma once
#include <geometry_msgs/QuaternionStamped.h>
#include <geometry_msgs/Vector3Stamped.h>
#include <ros/ros.h>
#include <std_msgs/Bool.h>
#include <std_msgs/Float32.h>
#include <std_msgs/UInt8.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jet/flight_parts.h"

namespace pintle::ros1 {

/// One service, called from a thread of its own: the newest request, the others are given up.
class ServiceCaller {
 public:
  using Call = std::function<ServiceAnswer()>;
  using Answered = std::function<void(std::uint32_t, ServiceAnswer)>;
  explicit ServiceCaller(Answered answered);
  ~ServiceCaller();
  ServiceCaller(const ServiceCaller&) = delete;
  ServiceCaller& operator=(const ServiceCaller&) = delete;

  void ask(std::uint32_t number, Call call);

 private:
  void work();

  Answered answered_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<std::pair<std::uint32_t, Call>> waiting_;
  bool stop_ = false;
  std::thread thread_;
};

class FlightAdapter {
 public:
  using ToReport = std::function<std::int64_t(const ros::Time&)>;
  /// `clock` turns a stamp into the core's time.
  FlightAdapter(ros::NodeHandle& node, Aircraft& aircraft, ToReport clock);

  /// Every tick, in the thread of the callbacks; says which part of the reports has fallen silent.
  void send(const JetCycle& cycle, const ros::Time& now);
  void take_answers();

 private:
  void on_velocity(const geometry_msgs::Vector3Stamped::ConstPtr& m);
  void on_attitude(const geometry_msgs::QuaternionStamped::ConstPtr& m);
  void answered(std::uint32_t number, ServiceAnswer answer);

  Aircraft& aircraft_;
  ToReport clock_;
  FlightParts parts_;
  std::uint32_t called_ = 0;
  ros::Publisher set_velocity_;
  std::vector<ros::Subscriber> subscribers_;
  ros::ServiceClient control_client_, take_off_client_, land_client_;
  std::mutex mutex_;
  std::vector<std::pair<std::uint32_t, ServiceAnswer>> answers_;
  std::unique_ptr<ServiceCaller> control_, take_off_, land_;  ///< Last: their threads use the rest.
};

}  // namespace pintle::ros1
