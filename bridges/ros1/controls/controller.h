/// The border of the controls node: `stack::Controls` in plain values.
///
/// Clean C++17 and nothing of Pintle's rooms, so that the ROS shell can include it. Vectors are
/// x, y, z; quaternions x, y, z, w; six numbers are x, y, z, roll, pitch, yaw. Times are integer
/// nanoseconds.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pintle::ros1 {

using Three = std::array<double, 3>;
using Four = std::array<double, 4>;
using Six = std::array<double, 6>;

struct PlainPose {
  Three position{};
  Four orientation{0, 0, 0, 1};
};

struct PlainGain {
  int loop = 0, axis = 0, gain = 0;
  double value = 0;
};

struct PlainAnswer {
  bool success = false;
  std::string message;
  bool save_failed = false;
};

/// One PID controller after its last step.
struct PlainPid {
  double p = 0, i = 0, d = 0, ff = 0;
  double filtered_error = 0, integral = 0, filtered_derivative = 0;
  double calculated_derivative = 0, provided_derivative = 0;
  int derivative_type = 0;
};

enum class StateOutcome { kUsed, kFirst, kNoTransform, kRefused };

/// What a state message gave: the topics of that rate.
struct StateReport {
  StateOutcome outcome = StateOutcome::kFirst;
  double delta_time_s = 0;
  Six position_error{}, position_efforts{}, velocity_error{}, velocity_efforts{};
  std::array<PlainPid, 6> position{}, velocity{};
  Three static_power_local{};
};

/// What an allocation gave: the topics of that rate.
struct CycleReport {
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

struct ControllerOptions {
  /// A robot or vehicle file, or a mission: then its vehicle with what the mission puts over it.
  std::string file;
  bool enable_position = false, enable_velocity = false, cascaded = false;
  bool zero_on_disable = true;
  double state_timeout_s = 0.5, latch_after_s = 5;
};

/// Where the robot file is: `config_dir` if given, else `environment_dir` if given, else
/// `package_dir`/config; in it NAME.yaml, by `robot_name`, oogway where that is empty. A folder
/// that is given and lacks the file is an error, not a reason to take another robot's.
/// @throws std::runtime_error that says where was looked.
[[nodiscard]] std::string find_robot_file(const std::string& config_dir,
                                          const std::string& environment_dir,
                                          const std::string& package_dir,
                                          const std::string& robot_name);

class Controller {
 public:
  /// @throws std::runtime_error with everything that is wrong with the file.
  explicit Controller(const ControllerOptions& options);
  ~Controller();

  /// Empty when taken, else why the old value stays.
  std::string desired_position(const PlainPose& pose);
  std::string desired_velocity(const Six& twist);
  std::string desired_power(const Six& twist);

  PlainAnswer enable(bool on);
  PlainAnswer set_control_types(const std::array<int, 6>& types);
  PlainAnswer set_pid_gains(const std::vector<PlainGain>& gains);
  PlainAnswer reset_pid_loops();
  PlainAnswer set_static_power(const Three& power);
  PlainAnswer set_power_scale_factor(double factor);

  /// `transform` may be null: the lookup failed. `at_ns` steps the loops, `now_ns` ages the state.
  const StateReport& on_state(const PlainPose& pose, const Six& twist, const PlainPose* transform,
                              std::int64_t at_ns, std::int64_t now_ns);
  /// `dt_s`: see stack::Controls::allocate.
  const CycleReport& allocate(std::int64_t now_ns, double dt_s);

  /// none, disabled, no_state, stale or latched: why nothing is sent; and in words.
  [[nodiscard]] std::string hold() const;
  [[nodiscard]] std::string hold_text() const;
  [[nodiscard]] double age_s(std::int64_t now_ns) const;
  [[nodiscard]] std::uint64_t refused() const;
  [[nodiscard]] double rate_Hz() const;  ///< That the file asks for; 20 in a robot file.
  [[nodiscard]] std::string vehicle_name() const;
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pintle::ros1
