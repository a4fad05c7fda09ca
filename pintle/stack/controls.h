/// Duke Robotics' `controls` node without ROS: what each message and service does, at the node's
/// two rates.
///
///   state message -> both loops, static force        (`on_state`)
///   timer or state -> base -> demand -> allocation   (`allocate`)
///
/// Deliberate differences, none of which finite, fresh input meets: what is not finite is refused
/// and counted; a negative scale is refused; a state (or transform) older than `state_timeout_s`
/// turns the status off by itself, fresh ones turn it on again, and after `latch_after_s` of loss
/// only `enable` does; the first allocation after the status turned off is the safe one, zero; a
/// save that fails keeps the running value and says so. A state after a loss counts as the first.
///
/// A vehicle whose axes all follow the desired wrench, without a static force, needs no state.
/// Off the tick path (strings, saves) except `on_state` and `allocate`.
#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "pintle/stack/live.h"

namespace pintle::stack {

struct ControlsOptions {
  bool enable_position = true, enable_velocity = true, cascaded = false;
  bool zero_on_disable = true;   ///< Off: as the original, nothing is sent on disable.
  double state_timeout_s = 0.5;  ///< 0: never (the original).
  double latch_after_s = 5;      ///< Of loss while enabled; 0: never.
};

/// One gain as the message names it: loop 0 position, 1 velocity; axis; 0 Kp, 1 Ki, 2 Kd, 3 Ff.
struct GainChange {
  std::size_t loop = 0, axis = 0, gain = 0;
  double value = 0;
};

struct ControlsAnswer {
  bool success = false;
  std::string message;
  bool save_failed = false;  ///< Applied all the same.
};

enum class StateUse : std::uint8_t {
  kUsed,
  kFirst,        ///< No time has passed: only delta_time is new.
  kNoTransform,  ///< The same; the efforts hold.
  kRefused,      ///< Not finite: nothing is new.
};

/// Why nothing is sent.
enum class ControlsHold : std::uint8_t { kNone, kDisabled, kNoState, kStale, kLatched };

/// What one allocation gives: the values of the topics.
struct ControlsCycle {
  bool status = false;
  bool send = false;  ///< Publish `allocs` as the command: while enabled, and the safe one after.
  std::vector<double> allocs, constrained, unconstrained;
  Vec6 base{}, unscaled{}, wanted{}, achieved{};
};

class Controls {
 public:
  /// `save_to`: where tuned values go; empty: nowhere. @throws as build_model does.
  Controls(VehicleFile file, const ControlsOptions& options, std::filesystem::path save_to);

  // topics: empty when taken, else why the old value stays (counted)
  std::string desired_position(const Pose& X_WD);
  std::string desired_velocity(const Twist& V_WD_B);
  std::string desired_power(const Wrench& F_Bo_B);

  // services, with the original's words first
  ControlsAnswer enable(bool on);
  ControlsAnswer set_control_types(const std::array<int, kAxes>& types);
  ControlsAnswer set_pid_gains(const std::vector<GainChange>& changes);
  ControlsAnswer reset_pid_loops();
  ControlsAnswer set_static_power(Vec3 force_W);
  ControlsAnswer set_power_scale_factor(double scale);

  /// `at` is what steps the loops (the stamp or the arrival), `now` what ages. The transform is the
  /// pose to control; without one (null) nothing but delta_time changes.
  StateUse on_state(const Pose& X_WB, const Twist& V_WB_B, const Pose* transform, Time at,
                    Time now);
  /// `dt_s` is what anti-windup integrates over: the time since the last allocation, 0 for one out
  /// of turn.
  void allocate(Time now, double dt_s, ControlsCycle& cycle);

  [[nodiscard]] ControlsHold hold() const { return hold_; }
  /// How old what is controlled with is; infinite before the first.
  [[nodiscard]] double age_s(Time now) const;
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  [[nodiscard]] std::size_t channels() const { return model_->effectiveness.n; }
  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const control::SixAxisTrace& trace() const { return trace_; }
  [[nodiscard]] const control::SixAxisState& state() const { return state_; }
  /// The position loop in use.
  [[nodiscard]] const control::PerAxis<control::PidParams>& position_loop() const;

 private:
  std::string offer(const Setpoint& wanted);
  ControlsAnswer change(const std::vector<std::pair<std::string, double>>& values,
                        const std::string& good, const std::string& bad);
  ControlsAnswer refuse(const std::string& bad, const std::string& why);
  [[nodiscard]] bool needs_state() const;
  void judge(Time now);

  ControlsOptions options_;
  LiveModel live_;
  std::shared_ptr<const Model> model_;
  std::vector<Vec6> pinv_rows_;
  control::SixAxisState state_;
  control::SixAxisTrace trace_;
  allocation::Prepared prepared_;
  bool enabled_ = false, latched_ = false, has_state_ = false, has_good_ = false, lost_ = false;
  bool was_on_ = false;
  Time last_state_{}, last_arrival_{}, last_good_{}, lost_at_{};
  ControlsHold hold_ = ControlsHold::kDisabled;
  std::uint64_t refused_ = 0;
};

}  // namespace pintle::stack

namespace pintle {
template <>
const EnumTable& enum_table<stack::ControlsHold>();
}
