/// The border of the controls node: one `flight::Flight` in plain values.
///
///   state message  -> a tick that takes it in (`on_state`), or the whole one where it allocates
///   timer or state -> the whole tick (`allocate`)
///   desired_*, enable, control types, reset -> a tick that takes it in and answers
///
/// Nothing is decided here: what a message means is the tick's, what a topic shows is in its
/// outputs. Clean C++17 and nothing of Pintle's rooms, so that the ROS shell can include it.
/// Times are integer nanoseconds of one clock, that of the stamps.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/plain.h"

namespace pintle::ros1 {

struct PlainGain {
  int loop = 0, axis = 0, gain = 0;
  double value = 0;
};

struct PlainAnswer {
  bool success = false;
  std::string message;
  bool saved = false;        ///< Whatever was to be saved is in the file …
  bool save_failed = false;  ///< … or is applied and not in it.
  std::string warning{};     ///< Applied, and questionable: a gain below zero.
};

/// One PID controller after its last step.
struct PlainPid {
  double p = 0, i = 0, d = 0, ff = 0;
  double filtered_error = 0, integral = 0, filtered_derivative = 0;
  double calculated_derivative = 0, provided_derivative = 0;
  int derivative_type = 0;
};

enum class StateOutcome { kUsed, kFirst, kNoTransform, kRefused };

struct StateMessage {
  std::int64_t stamp_ns = 0;  ///< 0: it has none, and is as old as its arrival.
  PlainPose pose;
  Six twist{};
  const PlainPose* transform = nullptr;  ///< The pose to control; null: there is none now.
  double position_std_m = 0;             ///< Of its place, as the message says; 0: it does not.
};

/// What a state message gave: the topics of that rate.
struct StateReport {
  StateOutcome outcome = StateOutcome::kFirst;
  double delta_time_s = 0;
  Six position_error{}, position_efforts{}, velocity_error{}, velocity_efforts{};
  std::array<PlainPid, 6> position{}, velocity{};
  Three static_power_local{};
};

/// Why nothing is sent.
enum class Hold { kNone, kDisabled, kNoState, kStale, kLatched, kRefused };
[[nodiscard]] const char* name_of(Hold hold);
[[nodiscard]] const char* words_of(Hold hold);

/// What an allocation gave: the topics of that rate.
struct CycleReport {
  Hold hold = Hold::kDisabled;
  bool status = false;
  bool send = false;  ///< `allocs` goes to the thrusters.
  std::vector<double> allocs, constrained, unconstrained;
  Six base{}, unscaled{}, set{}, actual{}, disparity{};
  double disparity_norm = 0;
  std::array<int, 6> control_types{};
  std::vector<PlainGain> gains;
  Three static_power_global{};
  double power_scale_factor = 1;
};

enum class MatrixAnswer { kAsk, kMatrix, kThrusters };

struct ControllerOptions {
  /// A robot or vehicle file, or a mission: then its vehicle with what the mission puts over it.
  std::string file;
  std::string log;  ///< MCAP file for replay; empty: none.
  /// Whether it waits for the disk rather than lose a tick: for a caller whose time is its own.
  bool log_waits = false;
  /// Which is flown where matrix file and thrusters of a robot file disagree; with kAsk the matrix,
  /// as the original does, and nothing is enabled before somebody has said so.
  MatrixAnswer matrix = MatrixAnswer::kAsk;
  bool enable_position = false, enable_velocity = false, cascaded = false;
  bool zero_on_disable = true;  ///< Off: as the original, nothing is sent on disable.
  bool stamp_dt = false;        ///< The loops step by stamps instead of by arrivals.
  double state_timeout_s = 0.5;
  double latch_after_s = 5;       ///< 0: never.
  double setpoint_timeout_s = 1;  ///< 0: never.
};

/// Where the robot file is: `config_dir` if given, else `environment_dir` if given, else
/// `package_dir`/config; in it NAME.yaml, by `robot_name`, oogway where that is empty. A folder
/// that is given and lacks the file is an error, not a reason to take another robot's.
/// @throws std::runtime_error that says where was looked.
[[nodiscard]] std::string find_robot_file(const std::string& config_dir,
                                          const std::string& environment_dir,
                                          const std::string& package_dir,
                                          const std::string& robot_name);

/// One thread, but for the three that save.
class Controller {
 public:
  /// @throws std::runtime_error with everything that is wrong with the file.
  explicit Controller(const ControllerOptions& options);
  ~Controller();

  /// Empty when taken, else why the old value stays.
  std::string desired_position(const PlainPose& pose, std::int64_t now_ns);
  std::string desired_velocity(const Six& twist, std::int64_t now_ns);
  std::string desired_power(const Six& twist, std::int64_t now_ns);

  PlainAnswer enable(bool on, std::int64_t now_ns);
  PlainAnswer set_control_types(const std::array<int, 6>& types, std::int64_t now_ns);
  PlainAnswer reset_pid_loops(std::int64_t now_ns);

  /// These build a model and write a file: for a thread of their own, which may be another than
  /// that of the rest. In force from the next message on.
  PlainAnswer set_pid_gains(const std::vector<PlainGain>& gains);
  PlainAnswer set_static_power(const Three& power);
  PlainAnswer set_power_scale_factor(double factor);

  /// `acts`: a whole tick; `last_cycle` is its other half.
  const StateReport& on_state(const StateMessage& message, std::int64_t now_ns, bool acts);
  const CycleReport& allocate(std::int64_t now_ns);
  [[nodiscard]] const CycleReport& last_cycle() const;

  /// How old what is controlled with is; infinite before the first.
  [[nodiscard]] double age_s() const;
  [[nodiscard]] std::uint64_t refused() const;
  [[nodiscard]] double rate_Hz() const;  ///< That the file asks for; 20 in a robot file.
  [[nodiscard]] std::string vehicle_name() const;
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// What has happened since the last call and a person should know: "propulsor failed: front, out".
  [[nodiscard]] std::vector<std::string> take_events();
  /// What stands against its being armed, or the failsafes that are on, in words; empty: nothing.
  [[nodiscard]] std::string against() const;
  /// The alarms of the tick that stand.
  [[nodiscard]] Faults faults() const;
  /// The last word on it; nothing is to follow.
  void close_log();
  /// One sentence when a log was asked for and is not whole.
  [[nodiscard]] std::string log_trouble() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
