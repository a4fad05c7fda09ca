/// The ROS shell of the delivery aircraft: one thread, the global callback queue, one tick a
/// period.
///
/// Beside it: one thread for services that take time (reload, grabber), one for each service of the
/// flight controller. None of them holds up the tick.
///
/// The tick's clock is the steady one (the ROS clock when that is simulated): a wall clock that is
/// set changes nothing. A stamp counts as old as it is on the ROS clock when it arrives. Simulated
/// time comes by a thread of its own: what is stamped a little ahead of it has told the time first.
/// Set back, it goes on from where it was (tick_clock.h); standing, it is told.
#pragma once
#include <geometry_msgs/PoseStamped.h>
#include <jet/Charge.h>
#include <jet/CmdGrabber.h>
#include <nav_msgs/Odometry.h>
#include <ros/callback_queue.h>
#include <ros/ros.h>
#include <std_srvs/Empty.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/health.h"
#include "common/parameter_text.h"
#include "common/stop.h"
#include "common/stream_watch.h"
#include "jet/aircraft.h"
#include "jet/command_desk.h"
#include "jet/flight_adapter.h"
#include "jet/grab_desk.h"
#include "jet/navigation_server.h"
#include "jet/tf_tree.h"
#include "jet/tick_clock.h"

namespace pintle::ros1 {

struct JetOptions {
  AircraftOptions aircraft;
  std::string camera_file;  ///< Of the camera that gives the targets; "": the vehicle's.
};

inline constexpr JetPart kJetParts[] = {JetPart::kDropoint, JetPart::kDuration, JetPart::kFlight,
                                        JetPart::kPid, JetPart::kTimeout};

/// Keys at the top of its file, which are the names of its private parameters.
[[nodiscard]] const std::vector<std::string>& keys_of(JetPart part);

/// From the private parameters. @throws std::runtime_error
[[nodiscard]] JetOptions read_jet_options(const ros::NodeHandle& own);

class JetNode {
 public:
  explicit JetNode(const JetOptions& options);
  ~JetNode();
  void run(const Stop& stop);
  [[nodiscard]] std::vector<std::string> services() const;

 private:
  void advertise_quick();
  void advertise_commands();
  [[nodiscard]] CommandAnswer ask(const std::string& words);
  void obey_command();
  void tell_standing();
  void advertise_slow();
  void wait_for_period();
  void on_odometry(const nav_msgs::Odometry::ConstPtr& m);
  void on_target(const geometry_msgs::PoseStamped::ConstPtr& m);
  void watch_target(const geometry_msgs::PoseStamped& m, double age_s);
  void use_parameters_at_start();
  [[nodiscard]] std::string reload(JetPart part);
  [[nodiscard]] std::string grab(const jet::CmdGrabber::Request& q, jet::CmdGrabber::Response& r);
  void cycle();
  void publish_pose(const JetCycle& c);
  void report(const JetCycle& c);
  [[nodiscard]] std::int64_t now_ns() const;
  [[nodiscard]] std::int64_t clock(const ros::Time& stamp);

  JetOptions options_;
  bool simulated_time_ = false;
  ros::NodeHandle root_, own_;
  Aircraft aircraft_;
  Health health_;
  StreamWatch targets_;
  FlightAdapter flight_;
  NavigationServer navigation_;
  TfTree tf_;
  ros::CallbackQueue slow_queue_, command_queue_;  ///< Outlive the services that are in them.
  ros::Publisher state_, pose_;
  std::vector<ros::Subscriber> subscribers_;
  std::vector<ros::ServiceServer> servers_;

  // the thread of the slow services talks to the tick by these
  ros::NodeHandle slow_;
  GrabDesk grab_desk_;
  bool is_grabbing_ = false;
  std::unique_ptr<ros::AsyncSpinner> spinner_;
  // commands have threads of their own: a pause waits neither for the grabber nor for other words
  ros::NodeHandle commands_;
  CommandDesk command_desk_;
  bool is_asked_ = false;
  std::atomic<int> flight_status_{0};
  std::unique_ptr<ros::AsyncSpinner> command_spinner_;

  ros::Time odometry_stamp_, target_stamp_;
  std::string target_frame_;
  bool has_odometry_ = false;
  double next_s_ = 0;
  ros::Time next_;
  TickClock tick_clock_;
  std::int64_t heard_ns_ = 0;  ///< Newest stamp, of simulated time.
  double moved_s_ = 0;  ///< Of the steady clock: when the tick's clock was last seen to move.
  bool told_standing_ = false;
  std::uint64_t cycles_ = 0;
  bool left_ = false;  ///< By the console.
};

}  // namespace pintle::ros1
