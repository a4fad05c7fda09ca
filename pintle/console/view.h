/// What a person at the controls sees: made from what goes into and comes out of each tick.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "pintle/stack/tick.h"

namespace pintle::console {

/// One moment of the craft, in words and numbers. Ages are absent for what never came.
struct View {
  double time_s = 0;
  std::string arm, phase, owner;
  std::string commander;  ///< Another operator than the console, who commands; empty: none.
  bool armed = false, latched = false;
  bool in_flight = false;  ///< Or about to be (AircraftStatus); without a flight controller: armed.
  bool comes_down = false;  ///< The flight controller lands it.
  bool moving = false;      ///< The mission, or a step of it, is under way.
  bool aborting = false;    ///< On the abort path.
  bool paused = false;
  int state = -1;          ///< Number in the mission …
  std::string state_name;  ///< … and name.
  unsigned attempt = 0;
  double time_in_state_s = 0, settled_s = 0;
  bool state_valid = false;
  Vec3 position_m{}, velocity_m_s{};  ///< World.
  double yaw_deg = 0;
  Vec3 error_m{};  ///< Wanted minus actual, world.
  double yaw_error_deg = 0;
  std::optional<double> odometry_age_s, target_age_s, gripper_age_s, flight_age_s;
  std::string target, gripper, flight;
  bool has_control = false;
  std::optional<double> battery;
  std::string obstacle;             ///< Why it would not be armed now; empty: nothing.
  std::vector<std::string> alarms;  ///< What is wrong now.
  std::vector<std::string> events;  ///< The last ones, oldest first: "12.30 s state entered: dive".
};

class ViewBuilder {
 public:
  /// Once per tick.
  void take(const stack::Model& model, const stack::Inputs& in, const stack::Outputs& out);
  /// A line among the events: what the stack itself cannot know.
  void note(std::string text);
  [[nodiscard]] const View& view() const { return view_; }

 private:
  void take_reports(const stack::Inputs& in, Time now);
  void show_events();
  View view_;
  std::optional<Time> odometry_, target_, gripper_, flight_;
  std::deque<std::string> events_;
};

}  // namespace pintle::console
