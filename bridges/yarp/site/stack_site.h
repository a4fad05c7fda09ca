/// A stack on ports: it flies a vehicle that is simulated, or real, elsewhere.
///
///   state:i     pose and twist as an odometry says them, in the frame that the vehicle file
///               declares: x y z qx qy qz qw vx vy vz wx wy wz, with a stamp or without
///   setpoint:i  for a stack without a mission: 7 numbers, a pose to hold; 6, a twist in the body
///   to
///               keep; 25, pose, twist, wrench, and a mode an axis (0 pose, 1 twist, 2 wrench)
///   command:o   one number a channel, what its driver takes, after each tick
///   wrench:o    demanded and achieved, six numbers each, at Bo in the body
///   status:o    ten times a second
///   rpc:i       the words of  pintle command ; an answer in words
///
/// The clock is this machine's. Stamps are of the sender's clock: what lies between the two is
/// found from the quickest messages, and anew after a silence. In lockstep the clock is that of
/// the stamps, and a tick is made for each new state; the command carries the stamp of the state
/// that it answers, and is sent again when the same state is.
///
/// It looks after its connections: command:o to the vehicle's input port, and the state port of the
/// other side to its own, whenever one of them is not there.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pintle/craft/load.h"
#include "pintle/flight/site.h"
#include "pintle/yarp/network.h"

namespace pintle::yarp_site {

struct StackSiteOptions {
  yarp::NetworkOptions network;
  std::string prefix;      ///< Of its own ports: "/flying_box/stack".
  std::string state_from;  ///< Port of the other side; empty: somebody else connects.
  std::string command_to;
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
  [[nodiscard]] bool is_named() const noexcept { return network_.is_named(); }

 private:
  struct Status {
    double time_s = 0, state_age_s = -1;
    stack::ArmState arm{};
    MissionPhase phase{};
    std::int32_t state = -1;
  };

  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  bool wait_for_state();
  [[nodiscard]] Time converted(const yarp::Heard& heard);
  void take_setpoint(stack::Inputs& in);
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
  std::vector<std::pair<std::string, yarp::Answer>> questions_;
  std::atomic<bool> ending_{false};
  TripleBuffer<Status> status_;

  yarp::Network network_;
  yarp::VectorInput& state_;
  yarp::VectorInput* setpoint_;
  yarp::VectorOutput& command_;
  yarp::VectorOutput& wrench_;
  yarp::Port& status_port_;

  Time now_{}, last_stamp_{-1};
  std::uint64_t states_ = 0, setpoints_ = 0;
  std::int64_t state_ns_ = 0;
  std::optional<double> origin_s_;         ///< Lockstep: the first stamp.
  std::optional<std::int64_t> behind_ns_;  ///< Own clock minus the sender's.
  std::int32_t ticks_ = 0;
  double answered_s_ = 0;  ///< Stamp of the state that the command answers.
  yarp::Values sent_;
  std::thread keeper_, answerer_;
};

}  // namespace pintle::yarp_site
