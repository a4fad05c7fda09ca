/// The action /jet/nav_action: goals to the stack's navigation, its progress and ends back.
///
/// All in the thread of the callbacks. A newer goal ends the one before it as preempted; a cancel
/// is answered after the tick that obeyed it; everything that is no success is told as aborted,
/// with the reason.
#pragma once
#include <actionlib/server/simple_action_server.h>
#include <jet/JetNavAction.h>
#include <ros/ros.h>

#include "jet/aircraft.h"

namespace pintle::ros1 {

class NavigationServer {
 public:
  NavigationServer(ros::NodeHandle& node, Aircraft& aircraft);
  /// Every tick.
  void tell(const NavigationNews& news);

 private:
  void on_goal();
  void on_preempt();

  Aircraft& aircraft_;
  std::uint64_t id_ = 0;
  actionlib::SimpleActionServer<jet::JetNavAction> server_;
};

}  // namespace pintle::ros1
