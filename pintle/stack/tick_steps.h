/// One tick under way: the steps are methods so that each reads on its own. For the sources of this
/// room.
#pragma once
#include "pintle/stack/tick.h"

namespace pintle::stack {

/// Where an effort may lie.
struct Range {
  double lower, upper;
};

struct Tick {
  const Model& model;
  State& state;
  Workspace& work;
  const Inputs& in;
  Outputs& out;
  Time now{};
  double dt_s = 0;
  bool fresh = false;        ///< Odometry of this tick was accepted …
  bool begins = false;       ///< … and begins a row (see estimation::Estimate) …
  double odometry_dt_s = 0;  ///< … so long after the one before.
  OperatorCommand asked{};   ///< Of the mission in this tick.
  bool cut_off = false;      ///< What was under way does not go on: it was disarmed.
  double blow_m_s = 0;       ///< Told by the flight report of this tick; 0: none.
  Vec3 pushed_B{};           ///< Force of the propulsors, the mean since the last tick.
  bool new_goal = false;     ///< Of the mission in this tick …
  bool servo = false;        ///< … which follows a target …
  bool finished = false;     ///< … or has come to its end.

  void say(EventCode code, std::int32_t subject = -1, double value = 0) noexcept {
    if (!out.events.push_back({now, code, subject, value})) ++out.events_lost;
  }
  void say(EventCode code, InputCode input, double value = 0) noexcept {
    say(code, static_cast<std::int32_t>(input), value);
  }

  void take_time(ClockStep clock) noexcept;
  void predict() noexcept;
  void take_thrust() noexcept;
  void take_health() noexcept;
  [[nodiscard]] Range box_of(std::size_t propulsor) const noexcept;
  void take_bus_voltage() noexcept;
  void take_kill() noexcept;
  void obey_kill(mission::EngineInput& mission) noexcept;
  void disarm(mission::EngineInput& mission) noexcept;
  void estimate() noexcept;
  void tell_leap(const Pose& X_WB, const Vec3& v_B) noexcept;
  void carry_on() noexcept;
  void watch_ground(mission::EngineInput& mission) noexcept;
  [[nodiscard]] bool lifts() const noexcept;
  [[nodiscard]] bool looks_standing() const noexcept;
  void feel_blows(mission::EngineInput& mission) noexcept;
  void feel_flight(const FlightReport& before) noexcept;
  void land_what_is_struck(mission::EngineInput& mission) noexcept;
  void struck(double by_m_s) noexcept;
  [[nodiscard]] Setpoint blind_setpoint() const noexcept;
  /// Which engines burn.
  [[nodiscard]] std::uint64_t burning() const noexcept {
    return state.arm == ArmState::kArmed ? state.ignition : 0;
  }
  [[nodiscard]] bool is_aloft() const noexcept;
  void latch(mission::EngineInput& mission) noexcept;
  void take_commands(mission::EngineInput& mission) noexcept;
  [[nodiscard]] bool take_command(const OperatorCommand& c, mission::EngineInput& mission) noexcept;
  [[nodiscard]] bool take_arm() noexcept;
  [[nodiscard]] ArmObstacles obstacles() const noexcept;
  [[nodiscard]] bool needs_state() const noexcept;
  void answered(const OperatorCommand& c, bool refused) noexcept;
  /// `lost`: who commanded is not there any more.
  void command_by(mission::Operator commander, bool lost = false) noexcept;
  void watch_state(mission::EngineInput& mission) noexcept;
  void take_housekeeping() noexcept;
  void feel_vibration(double dt) noexcept;
  [[nodiscard]] double tilt_rad() const noexcept;
  [[nodiscard]] bool looks_lying() const noexcept;
  [[nodiscard]] double charge_at_home() const noexcept;
  [[nodiscard]] std::optional<Time> operator_heard_at() const noexcept;
  void note_home() noexcept;
  void note_height() noexcept;
  [[nodiscard]] inline bool read(const FailsafeRow& row, double& x) const noexcept;
  void watch_failsafes(mission::EngineInput& mission) noexcept;
  void act_on(const FailsafeRow& row, mission::EngineInput& mission) noexcept;
  /// In place of what was asked for in this tick.
  void instead(mission::EngineInput& mission, mission::Command command) noexcept {
    mission.command = command;
    asked = {};
  }
  void begin_failsafe(FailsafeAction action, FailsafeCondition cause) noexcept;
  [[nodiscard]] bool lands_by_itself() const noexcept;
  [[nodiscard]] bool lacks_axis() const noexcept;
  void come_down(mission::EngineInput& mission) noexcept;
  void land_or_abort(mission::EngineInput& mission) noexcept;
  void be_off(mission::EngineInput& mission) noexcept;
  void land_what_is_off(mission::EngineInput& mission) noexcept;
  [[nodiscard]] Setpoint failsafe_setpoint() noexcept;
  [[nodiscard]] double foreseen_m(const Fence& fence, const Vec3& v_W) const noexcept;
  [[nodiscard]] Vec3 asked_W() const noexcept;
  [[nodiscard]] bool leads_out(const Fence& fence) const noexcept;
  [[nodiscard]] bool is_led_back() const noexcept;
  [[nodiscard]] double size_of(const FailsafeRow& row) const noexcept;
  void follow_failsafe() noexcept;
  void find_failures() noexcept;
  void excite() noexcept;
  [[nodiscard]] std::uint64_t hear_propulsors() noexcept;
  void judge_report(const PropulsorReport& report, double dt) noexcept;
  [[nodiscard]] std::uint64_t vouched() const noexcept;
  void measure_power(std::uint64_t spoke) noexcept;
  void derate() noexcept;
  void believe(std::size_t propulsor) noexcept;
  [[nodiscard]] bool goes_by_findings() const noexcept;
  [[nodiscard]] OutCause cause(std::size_t propulsor) const noexcept;
  [[nodiscard]] bool reaches_nobody() const noexcept;
  void tell_health() noexcept;
  void raise_alarms(std::uint64_t spoke) noexcept;
  bool set_out(std::int32_t propulsor, bool is_out) noexcept;
  bool trust(std::int32_t propulsor) noexcept;
  void arm() noexcept;
  void choose_setpoint(mission::EngineInput& mission) noexcept;
  void take_planner() noexcept;
  [[nodiscard]] bool begins_to_follow(const Setpoint& s) const noexcept;
  [[nodiscard]] std::optional<FailsafeCondition> is_beyond(const Setpoint& setpoint) const noexcept;
  void follow_planner() noexcept;
  void let_go_of_planner(bool wrench, bool velocity, bool pose) noexcept;
  void ignite(std::int32_t propulsor, bool on, bool& refused) noexcept;
  void linearise() noexcept;
  void control() noexcept;
  void reset(control::ResetCause cause) noexcept;
  [[nodiscard]] control::LawInput law_input() const noexcept;
  void measure(bool whole) noexcept;
  void steer() noexcept;
  [[nodiscard]] Vec3 flow_B() const noexcept;
  void feel_wind() noexcept;
  void guide_landing() noexcept;
  void follow_landing() noexcept;
  [[nodiscard]] Setpoint landing_setpoint() noexcept;
  [[nodiscard]] control::LandingCraft landing_craft() const noexcept;
  [[nodiscard]] control::CraftNow craft() const noexcept;
  [[nodiscard]] const PropulsorHealth* channel_health() const noexcept;
  void allocate() noexcept;
  void allocate_nothing() noexcept;
  void allocate_in(const Effectiveness& effectiveness) noexcept;
  struct Bounded {
    double effort, lower, upper;
  };
  [[nodiscard]] Bounded wanted(std::size_t channel, bool is_live, double keep) const noexcept;
  void send_thruster(const propulsion::Thruster& thruster, std::size_t i, std::size_t channel,
                     bool is_live, double keep) noexcept;
  void send_other(std::size_t i, std::size_t first, bool is_live, double keep) noexcept;
  void send() noexcept;
  [[nodiscard]] bool live() const noexcept {
    return state.arm == ArmState::kArmed && (!state.lost || state.copes);
  }
  void report_allocation() noexcept;
  void report() noexcept;

  void take() noexcept;
  void act() noexcept;

  // supervision, where a flight controller reports
  void take_reports() noexcept;
  void locate() noexcept;
  [[nodiscard]] bool repeats(const estimation::Measurement& next) const noexcept;
  [[nodiscard]] const estimation::Measurement* plausible_odometry() noexcept;
  void find_origin() noexcept;
  void look_at_pad() noexcept;
  [[nodiscard]] bool is_off_its_place(Vec3 p) const noexcept;
  void watch_motion() noexcept;
  [[nodiscard]] ArmObstacles aircraft_obstacles() const noexcept;
  [[nodiscard]] bool site_may_ask(CommandCode code) const noexcept;
  void rest_on_ground() noexcept;
  void note_alarms(const mission::AircraftInput& told) noexcept;
  void watch_aircraft(mission::EngineInput& mission) noexcept;
  void navigate(mission::EngineInput& mission) noexcept;
  void end_navigation(mission::NavigationEnd end) noexcept;
  void arbitrate(mission::EngineOutput& answer) noexcept;
  [[nodiscard]] bool has_to_stay() const noexcept;
  void report_aircraft() noexcept;
  [[nodiscard]] bool stands() const noexcept;
};

}  // namespace pintle::stack
