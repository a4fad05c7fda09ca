/// The flight in messages that viewers draw by themselves, beside the stack's own, in a log and on a
/// live server:
///
///   /tf             world -> base_link, world -> setpoint
///   /tf_static      base_link -> each propulsor's mount, which pushes along its x axis
///   /robot_description  the craft as URDF: a box, and a rod for each propulsor along the way it pushes
///   /pose /twist    of the body origin: in the world; in the body
///   /wrench/demand  /wrench/achieved   in the body, in the vehicle's unit
///   /efforts        JointState: one entry a channel, `effort` in its unit, `position` the command
///   /scene          the body, and an arrow for each propulsor: its push, the longest full thrust
///   /diagnostics    once a second, and when arm state, phase or number of alarms have changed
///   /rosout         events in words
///
/// At a rate of its own: what is drawn needs no thousand pictures a second. A pose that is not
/// valid is not drawn; numbers that are not finite never are.
#pragma once
#include <string>
#include <vector>

#include "pintle/flight/event_words.h"
#include "pintle/flight/names.h"
#include "pintle/telemetry/message_sink.h"
#include "pintle/telemetry/ros_messages.h"

namespace pintle::flight {

class Picture {
 public:
  /// Adds its channels. `rate_Hz` above 0.
  Picture(telemetry::MessageSink& log, double rate_Hz);

  /// Of a new generation: names, mounts, sizes.
  void model(const Model& model, Time time);
  void take(const Outputs& out);

 private:
  void description(const telemetry::ros::TFMessage& mounts, double reach, Time time);
  void moving(const Outputs& out, const telemetry::ros::Stamp& stamp);
  void pushes(const Outputs& out, const telemetry::ros::Stamp& stamp);
  void diagnostics(const Outputs& out, const telemetry::ros::Stamp& stamp);
  void line(const Event& event, const AlarmList& alarms);

  using Channel = telemetry::MessageSink::Channel;
  telemetry::MessageSink& log_;
  Channel tf_, tf_static_, description_, pose_, twist_, demand_, achieved_, efforts_, scene_,
      diagnostics_, rosout_;
  Duration every_;
  bool begun_ = false;
  Time due_{}, told_{};
  ArmState arm_ = ArmState::kDisarmed;
  MissionPhase phase_ = MissionPhase::kIdle;
  std::size_t alarms_ = 0;

  EventNames names_;
  std::vector<std::size_t> owner_;  ///< Of each channel.
  std::vector<Vec3> mount_m_, per_effort_;
  double full_ = 1;    ///< The strongest push of one propulsor.
  double length_ = 1;  ///< Of an arrow at that, m.

  // kept from one message to the next for their memory
  telemetry::ros::TFMessage frames_;
  telemetry::ros::PoseStamped pose_message_;
  telemetry::ros::TwistStamped twist_message_;
  telemetry::ros::WrenchStamped wrench_message_;
  telemetry::ros::JointState joints_;
  telemetry::ros::MarkerArray markers_;
};

}  // namespace pintle::flight
