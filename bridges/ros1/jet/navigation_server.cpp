#include "jet/navigation_server.h"

namespace pintle::ros1 {

NavigationServer::NavigationServer(ros::NodeHandle& node, Aircraft& aircraft)
    : aircraft_(aircraft), server_(node, "/jet/nav_action", false) {
  server_.registerGoalCallback([this] { on_goal(); });
  server_.registerPreemptCallback([this] { on_preempt(); });
  server_.start();
}

void NavigationServer::on_goal() {
  // ends the one before as preempted
  const jet::JetNavGoalConstPtr goal = server_.acceptNewGoal();
  if (!goal) return;
  ++id_;
  const std::string why = aircraft_.navigate(id_, {goal->x, goal->y, goal->z}, goal->yaw);
  if (why.empty()) return;
  ROS_WARN("nav_action: %s", why.c_str());
  server_.setAborted({}, why);
}

void NavigationServer::on_preempt() {
  if (!server_.isNewGoalAvailable()) aircraft_.cancel_navigation(id_);
}

void NavigationServer::tell(const NavigationNews& news) {
  if (!server_.isActive()) return;
  const bool ended = news.ended_id == id_ && !news.ended_as.empty();
  const bool success = ended && news.ended_as == "succeeded";
  if ((news.active && news.id == id_) || success) {
    jet::JetNavFeedback f;
    const auto& p = news.progress;
    f.x_progress = success ? 100 : p[0];
    f.y_progress = success ? 100 : p[1];
    f.z_progress = success ? 100 : p[2];
    f.yaw_progress = success ? 100 : p[3];
    server_.publishFeedback(f);
  }
  if (!ended) return;
  jet::JetNavResult result;
  result.result = success;
  if (success)
    server_.setSucceeded(result, "arrived");
  else if (news.ended_as == "canceled" || news.ended_as == "preempted")
    server_.setPreempted(result, news.ended_as);
  else
    server_.setAborted(result, news.ended_as);
}

}  // namespace pintle::ros1
