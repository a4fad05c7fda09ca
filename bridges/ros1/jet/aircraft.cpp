#include "jet/aircraft.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/faults_of.h"
#include "common/plain_geometry.h"
#include "jet/edge.h"
#include "jet/flight_link.h"
#include "jet/gripper_link.h"
#include "jet/live_parameters.h"
#include "pintle/config/reader.h"
#include "pintle/console/console.h"
#include "pintle/console/departure.h"
#include "pintle/console/endpoint.h"
#include "pintle/flight/flight.h"
#include "pintle/flight/operator_request.h"
#include "pintle/mission/navigation.h"
#include "pintle/mission/target_track.h"
#include "pintle/vehicle/vision_files.h"

namespace pintle::ros1 {
namespace {

constexpr std::int32_t kStates = vehicle::kJetStates;

template <class E>
std::string meaning_of(E value) {
  for (const EnumValue& v : enum_table<E>().values)
    if (v.value == static_cast<std::int64_t>(value)) return std::string(v.meaning);
  return "";
}

FlightService service_of(FlightRequestKind kind) {
  switch (kind) {
    case FlightRequestKind::kTakeControl: return FlightService::kTakeControl;
    case FlightRequestKind::kReleaseControl: return FlightService::kReleaseControl;
    case FlightRequestKind::kTakeOff: return FlightService::kTakeOff;
    case FlightRequestKind::kLand: return FlightService::kLand;
    case FlightRequestKind::kNone: break;
  }
  return FlightService::kNone;
}

std::optional<device::GripperParams> gripper_of(const AircraftOptions& options) {
  if (!options.enable_serial) return std::nullopt;
  device::GripperParams p;
  p.serial_port = options.serial_port;
  p.serial_baudrate = options.serial_baudrate;
  // it speaks when it is spoken to: what it said holds through a dwell
  p.status_timeout_s = 10;
  for (const Finding& f : check(p))
    if (f.is_error) throw std::runtime_error(std::string(f.path) + ": " + std::string(f.message));
  return p;
}

std::unique_ptr<flight::Recorder> log_of(const AircraftOptions& options) {
  if (options.log.empty()) return nullptr;
  return std::make_unique<flight::Recorder>(
      options.log, flight::LogTitle{"delivery", "", options.vehicle_file, 0, {}},
      flight::RecorderOptions{.mcap = {.waits = false}});
}

DeliveryOptions delivery_of(const AircraftOptions& o) {
  return {o.enable_serial, o.proof_by_carrying, o.rate_Hz, o.fence_m, o.ceiling_m};
}

}  // namespace

struct Aircraft::Impl {
  AircraftOptions options;
  LiveParameters parameters;

  flight::Flight flight;
  bool has_ended = false;
  const stack::Outputs& out;  ///< Of its last tick.
  flight::EventNames names;
  stack::Inputs inputs;
  JetCycle cycle;

  OdometryEdge edge;
  FlightLink link;
  GripperLink gripper;
  bool has_flight = false, has_target = false;
  std::uint64_t called_off = 0;  ///< A goal that was canceled before its first tick.
  FlightReport report;
  TargetSighting target;
  std::string wrong_frame, told_frame;  ///< Of targets that are not taken.

  std::unique_ptr<console::Console> console;
  std::unique_ptr<console::Endpoint> endpoint;
  std::string deaf;  ///< Why there is no endpoint; told once.
  flight::RequestRunner requests;
  console::Departure departure;

  explicit Impl(const AircraftOptions& o)
      : options(o),
        parameters(o.vehicle_file, o.config_dir, delivery_of(o)),
        flight(parameters.take(), log_of(o)),
        out(flight.last()),
        names(flight::event_names(flight.model())),
        edge(o.use_guidance ? estimation::OdometryFrame::kNed : estimation::OdometryFrame::kNeu),
        gripper(gripper_of(o)) {
    if (!o.listen.empty()) endpoint = console::open_endpoint(o.listen, "jet", mission(), {}, deaf);
    if (o.console_out < 0) return;
    console::ConsoleOptions look;
    look.title = "jet";
    look.quitting = "at once";
    look.craft_stops_too = false;
    if (endpoint) look.listens = endpoint->path().string();
    look.out = o.console_out;
    console = std::make_unique<console::Console>(console::menu_states(mission()), look);
  }

  void put(stack::CommandCode code, std::int32_t argument = -1,
           mission::Operator from = mission::Operator::kRos) {
    inputs.commands.push_back({code, argument, from});
  }
  /// That another operator commands, who has to hand over first; "" when none does.
  [[nodiscard]] std::string commanded_elsewhere() const {
    if (mission::may_ask(out.commander, mission::Operator::kRos, false)) return "";
    return "the " + std::string(to_string(out.commander)) +
           " commands; take_over takes it from there";
  }
  [[nodiscard]] bool moves() const { return mission::is_moving(out.mission.phase); }
  /// Why it would not be armed now; "" when it would.
  [[nodiscard]] std::string obstacle() const;
  [[nodiscard]] std::string unarmed() const;
  [[nodiscard]] std::string hand_on(const flight::OperatorRequest& asked);
  [[nodiscard]] std::string no_charge() const;
  [[nodiscard]] std::optional<TargetKind> meant_by(const std::string& frame) const;
  [[nodiscard]] mission::TargetChoice looked_for() const;
  [[nodiscard]] int number_of_state() const;
  [[nodiscard]] const mission::Mission& mission() const { return flight.model().mission; }
  void answer();
  void note_events();
};

std::string Aircraft::Impl::obstacle() const {
  if (out.arm == stack::ArmState::kLatchedSafe) return "latched safe: disarm it first";
  if (out.tick == 0 && out.now.ns == 0) return "it has not ticked yet";
  return flight::pre_arm_list(out.obstacles, out.failsafe);
}

/// Why what is to move does not, for want of being armed; "" when it is, or may be armed by that.
std::string Aircraft::Impl::unarmed() const {
  if (out.arm == stack::ArmState::kArmed) return "";
  if (options.require_arming) return "not armed: call /jet/arm, or arm it at the console";
  return obstacle();
}

/// To the next tick.
std::string Aircraft::Impl::hand_on(const flight::OperatorRequest& asked) {
  if (requests.is_busy()) return "what was asked for before has no answer yet";
  requests.begin(asked, out);
  return "";
}

/// Why a charge is not obeyed, whoever is armed.
std::string Aircraft::Impl::no_charge() const {
  if (moves()) return "the delivery is under way";
  if (out.mission.phase == MissionPhase::kPaused)
    return "the delivery is paused: its operator resumes it, or cuts it off and arms it anew";
  if (out.aircraft.in_flight) return "it is in the air: its operator has to land it";
  if (out.arm == stack::ArmState::kArmed && !out.aircraft.may_be_charged)
    return "it was started since it was armed: arm it anew for another delivery";
  return "";
}

mission::TargetChoice Aircraft::Impl::looked_for() const {
  const auto i = static_cast<std::size_t>(out.mission.state);
  if (out.mission.state < 0 || i >= mission().states.size()) return {};
  const mission::State& s = mission().states[i];
  return s.servo.target != mission::TargetChoice::kNone ? s.servo.target : s.success.target.kind;
}

/// The original's message does not say which target it is; the state that looks for one does. None:
/// in another frame than the body's.
std::optional<TargetKind> Aircraft::Impl::meant_by(const std::string& frame) const {
  const std::string bare = frame.empty() || frame[0] != '/' ? frame : frame.substr(1);
  if (bare == "pad") return TargetKind::kPad;
  if (bare == "marker") return TargetKind::kMarker;
  if (!bare.empty() && bare != "object" && bare != "base_link") return std::nullopt;
  if (const auto choice = looked_for(); choice != mission::TargetChoice::kNone)
    return choice == mission::TargetChoice::kPad ? TargetKind::kPad : TargetKind::kMarker;
  return cycle.state >= 11 ? TargetKind::kPad : TargetKind::kMarker;
}

/// The abort path has no numbers of its own: it says what it does, so that who looks at pictures
/// looks for the pad.
int Aircraft::Impl::number_of_state() const {
  const MissionStatus& m = out.mission;
  // whatever way it has ended: as the original after its last state
  if (!moves() && m.phase != MissionPhase::kPaused) return 0;
  const auto i = static_cast<std::size_t>(m.state);
  if (m.state < 0 || i >= mission().states.size()) return cycle.state;
  if (m.state < kStates) return m.state;
  const mission::State& s = mission().states[i];
  if (s.servo.target == mission::TargetChoice::kPad) return 12;
  if (s.success.target.kind == mission::TargetChoice::kPad) return 11;
  if (s.request == mission::Request::kLand) return 13;
  if (s.request == mission::Request::kReleaseControl) return 14;
  return cycle.state;
}

void Aircraft::Impl::note_events() {
  cycle.notes.clear();
  if (std::exchange(told_frame, wrong_frame) != wrong_frame && !wrong_frame.empty())
    cycle.notes.push_back(
        {Note::Level::kWarn, "targets in frame " + wrong_frame +
                                 " are not taken: expected object, base_link, marker or pad, and "
                                 "forward, right, down of the body"});
  for (const Event& e : out.events) {
    Note note;
    note.text = flight::sentence(e, names);
    const Severity severity = severity_of(e, out.alarms);
    note.level = severity >= Severity::kError     ? Note::Level::kError
                 : severity == Severity::kWarning ? Note::Level::kWarn
                                                  : Note::Level::kInfo;
    cycle.notes.push_back(std::move(note));
  }
}

/// What the tick decided, in the conventions outside.
void Aircraft::Impl::answer() {
  const MissionStatus& m = out.mission;
  cycle.state = number_of_state();
  cycle.activity = std::string(to_string(m.phase));
  cycle.armed = out.arm == stack::ArmState::kArmed;

  const Pose& X = out.used.X_WB;
  cycle.pose_valid = out.used.validity == Validity::kValid;
  cycle.pose = plain(X);
  cycle.origin = three(out.aircraft.origin_m);
  cycle.pose_neu = three(swap_north_east(X.p));
  cycle.yaw_north = swap_yaw(yaw_of(X.q));

  cycle.velocity = three(out.motion.v_H);
  cycle.yaw_rate = out.motion.yaw_rate_rad_s;
  link.ask(out.flight_request);
  cycle.service = service_of(link.call().kind);
  cycle.service_number = link.call().number;
  gripper.ask(out.gripper_request);

  const NavigationStatus& n = out.navigation;
  cycle.navigation = {n.active, n.id, n.progress, n.ended_id, ""};
  if (n.ended_as != 0)
    cycle.navigation.ended_as =
        std::string(to_string(static_cast<mission::NavigationOutcome>(n.ended_as)));
  if (const std::uint64_t id = std::exchange(called_off, 0); id != 0) {
    cycle.navigation.ended_id = id;
    cycle.navigation.ended_as = "canceled";
  }

  cycle.has_target = has_target && mission::can_be_seen(target);
  if (cycle.has_target) {
    cycle.target = three(target.p_BT_B);
    cycle.target_stamp_ns = target.stamp.ns;
  }
  note_events();
}

bool is_urgent(const std::string& words) { return flight::is_urgent(words); }

Aircraft::Aircraft(const AircraftOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Aircraft::~Aircraft() { end(); }

void Aircraft::end() {
  Impl& s = *impl_;
  if (std::exchange(s.has_ended, true)) return;
  s.console.reset();
  if (flight::Recorder* log = s.flight.log()) log->finish(to_string(s.out.mission.phase));
}

PlainPose Aircraft::camera(const std::string& file) const {
  CameraModel camera;
  if (const auto& own = impl_->flight.model().vehicle.camera) camera = own->calibration;
  if (!file.empty()) {
    const auto document = config::Document::load(file);
    config::Reader reader(document);
    vehicle::CameraFile read{"", camera};
    vehicle::read_camera_file(reader, document, read);
    (void)reader.finish();
    camera = read.model;
  }
  return plain(camera.X_BC);
}

void Aircraft::odometry(std::int64_t stamp_ns, const PlainPose& pose, double position_std_m) {
  stack::Inputs& in = impl_->inputs;
  in.has_odometry = true;
  in.odometry = impl_->edge.take({stamp_ns}, pose);
  in.odometry.position_std_m = position_std_m;
}

void Aircraft::flight(const PlainFlight& r) {
  FlightReport& to = impl_->report;
  to = {};
  to.stamp = {r.stamp_ns};
  to.phase =
      r.phase >= 0 && r.phase <= 5 ? static_cast<FlightPhase>(r.phase) : FlightPhase::kMotorsOff;
  to.has_control = r.has_control;
  to.v_W = vec3(r.velocity);
  to.has_battery = r.has_battery;
  to.battery = r.battery;
  if (r.has_attitude) {
    const Quat q = quat(r.attitude);
    to.has_yaw = true;
    to.yaw_rad = yaw_of(q);
    impl_->edge.attitude(to.stamp, q);
  }
  impl_->has_flight = true;
}

double Aircraft::oldest_target_s() noexcept { return mission::kPoseHistory_s; }

void Aircraft::target(std::int64_t stamp_ns, const Three& forward_right_down,
                      const std::string& frame) {
  const std::optional<TargetKind> kind = impl_->meant_by(frame);
  impl_->wrong_frame = kind ? "" : frame;
  if (!kind) return;
  impl_->target = {{stamp_ns}, *kind, from_forward_right_down(forward_right_down)};
  impl_->has_target = true;
}

void Aircraft::answered(std::uint32_t number, ServiceAnswer answer) {
  impl_->link.answered(number, answer == ServiceAnswer::kAccepted  ? CallAnswer::kAccepted
                               : answer == ServiceAnswer::kRefused ? CallAnswer::kRefused
                                                                   : CallAnswer::kFailed);
}

std::string Aircraft::arm(bool on) {
  if (std::string why = impl_->commanded_elsewhere(); !why.empty()) return why;
  if (on && impl_->out.arm != stack::ArmState::kArmed) {
    std::string why = impl_->obstacle();
    if (!why.empty()) return why;
  }
  if (!on && impl_->out.aloft) return "in the air: land it, or say disarm force";
  flight::OperatorRequest asked;
  asked.command = {on ? stack::CommandCode::kArm : stack::CommandCode::kDisarm, -1,
                   mission::Operator::kRos};
  return impl_->hand_on(asked);
}

std::string Aircraft::charge(int& result) {
  result = flight_status();
  // a request of the site and no operator's: who armed it has said that it may
  std::string why = impl_->no_charge();
  if (why.empty() && impl_->out.arm != stack::ArmState::kArmed) why = impl_->commanded_elsewhere();
  if (why.empty()) why = impl_->unarmed();
  if (!why.empty()) return why;
  flight::OperatorRequest asked;
  asked.command = {stack::CommandCode::kMissionStart, -1, mission::Operator::kSite};
  asked.arms_first = true;
  return impl_->hand_on(asked);
}

std::string Aircraft::command(const std::string& line) {
  using stack::CommandCode;
  flight::OperatorRequest asked;
  try {
    asked = flight::parse_request(line, impl_->mission(), mission::Operator::kRos);
  } catch (const std::invalid_argument& e) {
    return std::string("not what was expected: ") + e.what();
  }
  const CommandCode code = asked.command.code;
  if (code == CommandCode::kArm || code == CommandCode::kDisarm)
    return arm(code == CommandCode::kArm);
  // the abort path is entered by abort alone
  if (asked.command.argument >= kStates) return "expected a state from 0 to 14";
  // on the ground the craft is handed back whether or not it is armed
  const auto state = static_cast<std::size_t>(std::max(asked.command.argument, 0));
  const auto& states = impl_->mission().states;
  const bool lets_go = code == CommandCode::kMissionStep && state < states.size() &&
                       states[state].request == mission::Request::kReleaseControl;
  if (code == CommandCode::kMissionStart || code == CommandCode::kMissionResume ||
      (code == CommandCode::kMissionStep && !lets_go)) {
    if (std::string why = impl_->unarmed(); !why.empty()) return why;
    asked.arms_first = impl_->out.arm != stack::ArmState::kArmed;
  }
  return impl_->hand_on(asked);
}

std::string Aircraft::navigate(std::uint64_t id, const Three& north_east_up, double yaw_north) {
  if (!is_finite(vec3(north_east_up)) || !std::isfinite(yaw_north)) return "the goal is not finite";
  if (impl_->moves()) return "the delivery is under way: pause it first";
  const Vec3 goal = swap_north_east(vec3(north_east_up));
  if (const std::string why = mission::why_beyond(impl_->mission().aircraft, goal); !why.empty())
    return "the goal is " + why;
  impl_->inputs.has_navigation = true;
  impl_->inputs.navigation = {NavigationAsk::kGoal, id, goal, swap_yaw(yaw_north)};
  return "";
}

void Aircraft::cancel_navigation(std::uint64_t id) {
  NavigationRequest& asked = impl_->inputs.navigation;
  // never flown: there is nothing that the stack could end
  if (impl_->inputs.has_navigation && asked.ask == NavigationAsk::kGoal && asked.id == id) {
    impl_->inputs.has_navigation = false;
    impl_->called_off = id;
    return;
  }
  impl_->inputs.has_navigation = true;
  impl_->inputs.navigation = {};
  impl_->inputs.navigation.ask = NavigationAsk::kCancel;
  impl_->inputs.navigation.id = id;
}

std::string Aircraft::grabber(int command) {
  if (command != 0 && command != 1) return "expected 1 to grab or 0 to release";
  if (impl_->moves()) return "the delivery is under way: pause it first";
  impl_->gripper.command(command == 1);
  return "";
}

Faults Aircraft::faults() const { return faults_of(impl_->out.alarms, impl_->names); }

std::string Aircraft::log_trouble() const {
  flight::Recorder* log = impl_->flight.log();
  return log != nullptr ? log->trouble() : std::string();
}

int Aircraft::grabber_progress() const {
  switch (impl_->gripper.command_outcome()) {
    case RequestOutcome::kPending: return -1;
    case RequestOutcome::kDone: return 1;
    default: return 0;
  }
}
int Aircraft::grabber_status() const { return impl_->gripper.status(); }
int Aircraft::flight_status() const { return static_cast<int>(impl_->report.phase); }

std::string Aircraft::start_with(JetPart part, const std::string& text, std::string& warning) {
  return impl_->parameters.start_with(part, text, warning);
}
std::string Aircraft::reload(JetPart part, const std::string* text) {
  return impl_->parameters.reload(part, text);
}
std::string Aircraft::parameter(const std::string& line, std::string& told) {
  return impl_->parameters.command(line, told);
}

bool Aircraft::console_left() const { return impl_->console && impl_->console->left(); }

bool Aircraft::leave(double time_s) {
  Impl& s = *impl_;
  const stack::Outputs& o = s.out;
  const console::DepartureView now{o.aircraft.in_flight, o.mission.phase == MissionPhase::kAborting,
                                   s.report.phase >= FlightPhase::kLanding, true};
  const console::DepartureStep step = s.departure.stage() == console::Departure::Stage::kNone
                                          ? s.departure.ask(now, time_s, false)
                                          : s.departure.update(now, time_s);
  if (step.command) s.put(*step.command, -1, mission::Operator::kNobody);
  return step.leave;
}

const JetCycle& Aircraft::cycle(std::int64_t now_ns) {
  Impl& s = *impl_;
  if (auto next = s.parameters.take()) s.flight.adopt(std::move(next));
  stack::Inputs& in = s.inputs;
  in.now = {now_ns};
  in.has_flight = s.has_flight;
  if (s.has_flight) {
    in.flight = s.report;
    s.link.complete(in.flight);
  }
  in.has_gripper = true;
  in.gripper = s.gripper.update(in.now);
  if (s.has_target) in.targets.push_back(s.target);

  if (s.console) s.console->commands(in.commands);
  if (s.endpoint) s.endpoint->put(s.out, in);
  s.requests.put(in);

  s.flight.step(in);
  s.answer();
  if (s.endpoint) s.endpoint->take(in, s.out);
  s.cycle.answer.clear();
  if (const auto told = s.requests.take(s.out)) {
    s.cycle.accepted = told->accepted;
    s.cycle.answer = flight::sentence(*told, s.mission());
  }
  if (!s.deaf.empty()) s.cycle.notes.push_back({Note::Level::kWarn, std::exchange(s.deaf, "")});
  if (s.console) s.console->take(s.flight.model(), in, s.out);

  s.has_flight = s.has_target = false;
  in.has_odometry = in.has_navigation = false;
  in.commands.clear();
  in.targets.clear();
  return s.cycle;
}

}  // namespace pintle::ros1
