/// A stack on ports: it flies a vehicle that is simulated, or real, elsewhere.
///
///   state:i     pose and twist as an odometry says them, in the frame that the vehicle file
///               declares: x y z qx qy qz qw vx vy vz wx wy wz, with a stamp or without
///   thrust:i    one number a propulsor, newtons: what turbines give. Without it that is computed from
///               what was sent, and is off when a command is lost
///   imu:i       wx wy wz fx fy fz, with the stamps of the state's clock: a craft that flies goes on
///               by it where the state stops. Not in lockstep, where a state is waited for
///   setpoint:i  for a stack without a mission: 7 numbers, a pose to hold; 6, a twist in the body to
///               keep, level where it says no roll and pitch rate; 25, pose, twist, wrench, and a
///               mode an axis (0 pose, 1 twist, 2 wrench)
///   command:o   one number a channel, what its driver takes, after each tick
///   wrench:o    demanded and achieved, six numbers each, at Bo in the body
///   status:o    ten times a second
///   rpc:i       the words of  pintle command , by an operator of its own; an answer in words
///
/// The clock is this machine's. Stamps are of the sender's clock (SenderClock): states that come late
/// all at once are old ones while it is armed, also where the sender has only stood; a simulator that
/// is to be paused in flight wants lockstep. A state whose stamp does not rise is no measurement, a clock
/// that is set back by a second is another one, and is said; twice within ten seconds, armed, it is a
/// recording that goes round, and none. In lockstep the
/// clock is that of the stamps, and a tick is made for each new state; the command carries the stamp
/// of the state that it answers, and is sent again when the same state is. Stamps that are set back,
/// or leap ten seconds, count one period.
///
/// It looks after its connections: command:o to the vehicle's input port, and the other side's ports
/// to its own, whenever one of them is not there. What it was told last stands: it comes down before
/// it ends, and ends disarmed.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "pintle/craft/load.h"
#include "pintle/flight/event_words.h"
#include "pintle/flight/site.h"
#include "pintle/flight/stood.h"
#include "pintle/yarp/network.h"
#include "pintle/yarp_site/sender_clock.h"

namespace pintle::yarp_site {

struct StackSiteOptions {
  yarp::NetworkOptions network;
  std::string prefix;  ///< Of its own ports: "/flying_box/stack".
  /// Ports of the other side; empty: somebody else connects.
  std::string state_from, thrust_from, imu_from, command_to;
  bool lockstep = false;
  bool with_setpoint = false;
  /// A command in the words of an operator; its answer. Of a thread of its own, may take seconds.
  std::function<std::string(const std::string& words)> command;
  const std::atomic<bool>* stop = nullptr;
};

/// What ports cannot carry of this vehicle; empty: nothing.
[[nodiscard]] std::string not_over_ports(const craft::VehicleFile& file);

class StackSite final : public flight::Site {
 public:
  /// @throws std::runtime_error for what keeps it from starting.
  StackSite(const craft::MissionFile& mission, StackSiteOptions options);
  ~StackSite() override;

  [[nodiscard]] Time now() const noexcept override { return now_; }
  bool sense(Time due, stack::Inputs& in) override;
  void act(const stack::Model& model, const stack::Outputs& out) override;
  [[nodiscard]] bool outlasts() const noexcept override { return true; }
  [[nodiscard]] bool is_gone() const noexcept override { return is_gone_; }
  [[nodiscard]] bool waits() const noexcept override { return options_.lockstep; }
  [[nodiscard]] bool is_named() const noexcept { return network_.is_named(); }

 private:
  struct Status {
    double time_s = 0;
    std::int64_t heard_ns = 0;  ///< The state; 0: none yet.
    stack::ArmState arm{};
    Validity validity{};
    stack::Authority authority{};
    MissionPhase phase{};
    std::int32_t state = -1;
    AlarmList alarms;
  };

  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  bool wait_for_state();
  [[nodiscard]] bool is_next(const yarp::Heard& heard);
  [[nodiscard]] Time converted(const yarp::Heard& heard, SenderClock& clock) const;
  void take_state(stack::Inputs& in);
  void take_sensors(stack::Inputs& in);
  void take_setpoint(stack::Inputs& in);
  void say(const std::string& text) const;
  void tell(const stack::Outputs& out) const;
  void send();
  void keep_connected();
  void answer_commands();
  [[nodiscard]] yarp::Bottle status_bottle();
  void publish_status();
  bool hear_command(const yarp::Message& message, const yarp::Answer& answer);

  const craft::MissionFile& mission_;
  StackSiteOptions options_;
  std::int64_t start_ns_;
  std::mutex mutex_;
  std::condition_variable come_, asked_;
  struct Question {
    std::string words;
    yarp::Answer answer;
    bool is_urgent = false;
    std::chrono::steady_clock::time_point at;
  };
  std::deque<Question> questions_;  ///< Urgent ones first, else as they came.
  std::atomic<bool> ending_{false};
  TripleBuffer<Status> status_;
  flight::Stood stood_;  ///< Of the thread of the ports.

  yarp::Network network_;
  yarp::VectorInput& state_;
  yarp::VectorInput& thrust_;
  yarp::VectorInput& imu_;
  yarp::VectorInput* setpoint_;
  yarp::VectorOutput& command_;
  yarp::VectorOutput& wrench_;
  yarp::Port& status_port_;

  const Duration period_;
  const flight::EventNames names_;
  bool is_gone_ = false;  ///< See Site.
  Time now_{}, last_stamp_{-1};
  std::uint64_t states_ = 0, thrusts_ = 0, imus_ = 0, setpoints_ = 0;
  std::int64_t state_ns_ = 0;
  std::optional<double> there_s_;  ///< The newest stamp of a state …
  double offset_s_ = 0;            ///< … in lockstep: to be added to it.
  SenderClock states_clock_, imus_clock_;
  std::optional<Time> restarted_at_;  ///< The other side, while armed.
  bool armed_ = false;
  bool anew_ = true;  ///< The other side has begun, or begun anew.
  bool repeats_ = false;
  std::int32_t ticks_ = 0;
  double answered_s_ = 0;  ///< Stamp of the state that the command answers.
  yarp::Values sent_;
  std::thread keeper_, answerer_;
};

}  // namespace pintle::yarp_site
