#include "pintle/yarp_site/stack_site.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pintle/flight/operator_request.h"
#include "pintle/yarp/dialogues.h"

namespace pintle::yarp_site {
namespace {

using namespace std::chrono_literals;
using stack::Inputs;
using yarp::Bottle;
using yarp::Value;
using SteadyClock = std::chrono::steady_clock;

// a stamp set back so far, or in lockstep one that leaps so far, is another clock's; one beyond all
// sense is none
constexpr double kSetBack_s = 1, kLeap_s = 10, kLongest_s = 4e9;
constexpr auto kPatience = 2s;
// told to stop, so long without a state is the end of them
constexpr auto kLeft = 2s;
// words of operators that wait, and as many more of those that stop
constexpr std::ptrdiff_t kMostQuestions = 16;
constexpr const char* kNotTakenUp = "failed\nnothing was done: too many ask at once\n";

Pose pose_of(const yarp::Values& v, std::size_t at) noexcept {
  return {{v[at], v[at + 1], v[at + 2]}, {v[at + 3], v[at + 4], v[at + 5], v[at + 6]}};
}
Twist twist_of(const yarp::Values& v, std::size_t at) noexcept {
  return {{v[at], v[at + 1], v[at + 2]}, {v[at + 3], v[at + 4], v[at + 5]}};
}

Bottle in_lines(const std::string& said) {
  Bottle reply;
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    if (end > at) reply.push_back(Value::string(said.substr(at, end - at)));
    at = end + 1;
  }
  return reply;
}

AxisMode mode_of(double x) noexcept {
  return x == 1 ? AxisMode::kVelocity : x == 2 ? AxisMode::kWrench : AxisMode::kPosition;
}

}  // namespace

std::string not_over_ports(const craft::VehicleFile& file) {
  if (!file.vehicle.yarp)
    return "yarp: the vehicle has no such section: write  yarp:  with  input-port-name: "
           "/jets/input:i  and  thrust-port-name: /jets/thrust:o";
  if (!control::traits(file.laws.law).allocates)
    return "law: " + std::string(to_string(file.laws.law)) +
           " needs the reports of a flight controller, which no port carries";
  const vehicle::Vehicle built = vehicle::build(file.vehicle);
  for (const vehicle::Propulsor& p : built.propulsors)
    if (propulsion::needs_ignition(p.model))
      return p.name + ": it must be lit, and a port of numbers carries no ignition";
  return {};
}

StackSite::StackSite(const craft::MissionFile& mission, StackSiteOptions options)
    : mission_(mission),
      options_(std::move(options)),
      start_ns_(yarp::steady_ns()),
      network_(options_.network),
      state_(network_.input(options_.prefix + "/state:i", {13})),
      thrust_(network_.input(options_.prefix + "/thrust:i",
                             {mission.vehicle.vehicle.propulsors.size()})),
      imu_(network_.input(options_.prefix + "/imu:i", {6})),
      setpoint_(options_.with_setpoint
                    ? &network_.input(options_.prefix + "/setpoint:i", {6, 7, 25})
                    : nullptr),
      command_(network_.output(options_.prefix + "/command:o")),
      wrench_(network_.output(options_.prefix + "/wrench:o")),
      status_port_(network_.port([this] {
        yarp::PortOptions p;
        p.name = options_.prefix + "/status:o";
        return p;
      }())),
      period_(Duration::from_seconds(1 / mission.vehicle.control_rate_Hz)),
      names_(flight::event_names(mission)) {
  yarp::PortOptions rpc;
  rpc.name = options_.prefix + "/rpc:i";
  rpc.is_rpc = true;
  rpc.heard = [this](const yarp::Message& m, const yarp::Answer& a) { return hear_command(m, a); };
  network_.port(std::move(rpc));
  state_.taken = [this] {
    const std::lock_guard lock(mutex_);
    come_.notify_one();
  };
  network_.loop().after(100ms, [this] { publish_status(); });
  if (!options_.command_to.empty())
    network_.loop().call(
        [this] { command_.port().connect(options_.command_to, yarp::Carrier::kTcp, true); });
  network_.start();
  answerer_ = std::thread([this] { answer_commands(); });
  if (!(options_.state_from + options_.thrust_from + options_.imu_from).empty())
    keeper_ = std::thread([this] { keep_connected(); });
  prctl(PR_SET_TIMERSLACK, 1);
}

StackSite::~StackSite() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    asked_.notify_all();
  }
  if (keeper_.joinable()) keeper_.join();
  answerer_.join();
}

// ---------------------------------------------------------------------------------------------
// of the thread that ticks

void StackSite::say(const std::string& text) const {
  if (options_.network.say)
    options_.network.say(fmt::format("{:8.2f} s  {}", now_.seconds(), text));
}

/// Whether a state is a new measurement; sets the clocks right where the sender's is another one.
bool StackSite::is_next(const yarp::Heard& heard) {
  if (!heard.has_stamp) {
    if (options_.lockstep && !std::exchange(repeats_, true))
      say("a state without a stamp: in lockstep it is none");
    return !options_.lockstep;
  }
  const double there_s = heard.stamp.time_s;
  if (!(std::abs(there_s) < kLongest_s)) {
    if (!std::exchange(repeats_, true)) say(fmt::format("a state of {:g} s is none", there_s));
    return false;
  }
  const double step_s = there_s - there_s_.value_or(there_s);
  const bool other_clock =
      there_s_ && (step_s < -kSetBack_s || (options_.lockstep && (step_s < 0 || step_s > kLeap_s)));
  if (there_s_ && !other_clock && step_s <= 0) {
    if (!options_.lockstep && !std::exchange(repeats_, true))
      say("states whose stamps do not rise are no measurements");
    return false;
  }
  // a recording that goes round is no craft
  if (other_clock && !options_.lockstep && armed_) {
    const bool again = restarted_at_ && (now_ - *restarted_at_).seconds() < kLeap_s;
    restarted_at_ = now_;
    if (again) {
      if (!std::exchange(repeats_, true))
        say("the clock of the other side is set back again and again: its states are none");
      return false;
    }
  }
  if (other_clock)
    say(fmt::format("the clock of the other side goes {:+.2f} s: it was started anew", step_s));
  if (!there_s_ || other_clock) {
    offset_s_ = there_s_ ? (now_ + period_).seconds() - there_s : -there_s;
    states_clock_.forget();
    imus_clock_.forget();
    anew_ = true;
  }
  if (std::exchange(repeats_, false)) say("states come again");
  there_s_ = there_s;
  return true;
}

bool StackSite::wait_for_state() {
  std::unique_lock lock(mutex_);
  auto since = yarp::Loop::Clock::now();
  bool told = false;
  for (;;) {
    const yarp::Heard& heard = state_.newest();
    if (heard.count != states_) {
      states_ = heard.count;
      if (heard.has_stamp && heard.stamp.time_s == there_s_)
        send();  // the same state once more: our answer has not come to anybody
      else if (is_next(heard))
        break;
    }
    // who is told to stop in the air comes down by more states, for as long as there are any
    if (stopped() && yarp::Loop::Clock::now() - since > kLeft) return false;
    come_.wait_for(lock, 50ms);
    if (!told && yarp::Loop::Clock::now() - since > kPatience) {
      say("no state to answer: the stack stands (lockstep)");
      told = true;
    }
  }
  if (told) say("states come again");
  return true;
}

Time StackSite::converted(const yarp::Heard& heard, SenderClock& clock) const {
  const Time here{heard.heard_ns - start_ns_};
  if (!heard.has_stamp || !(std::abs(heard.stamp.time_s) < kLongest_s)) return here;
  return clock.own(Time::from_seconds(heard.stamp.time_s), here, armed_);
}

void StackSite::take_state(Inputs& in) {
  const yarp::Heard& heard = state_.newest();
  if (!options_.lockstep) {
    if (heard.count == states_) return;
    states_ = heard.count;
    if (!is_next(heard)) return;
  }
  state_ns_ = heard.heard_ns;
  in.has_odometry = true;
  Time stamp = options_.lockstep ? now_ : converted(heard, states_clock_);
  if (stamp <= last_stamp_) stamp = last_stamp_ + Duration{1000};
  last_stamp_ = stamp;
  answered_s_ = heard.has_stamp ? heard.stamp.time_s : stamp.seconds();
  in.odometry = {stamp, pose_of(heard.values, 0), twist_of(heard.values, 7)};
}

/// In lockstep thrust counts when the other side begins: it stands then. Later no command is lost.
void StackSite::take_sensors(Inputs& in) {
  const yarp::Heard& thrust = thrust_.newest();
  // of the clock before, it is what the jets gave then
  const bool of_now =
      !options_.lockstep || (anew_ && in.has_odometry && thrust.has_stamp &&
                             std::abs(thrust.stamp.time_s - *there_s_) < kSetBack_s);
  if (thrust.count != thrusts_ && of_now) {
    thrusts_ = thrust.count;
    anew_ = false;
    in.has_thrust = true;
    in.thrust.stamp = options_.lockstep ? now_ : Time{thrust.heard_ns - start_ns_};
    for (const double x : thrust.values) in.thrust.thrust_N.push_back(x);
  }
  const yarp::Heard& imu = imu_.newest();
  if (options_.lockstep || imu.count == imus_) return;
  imus_ = imu.count;
  const yarp::Values& v = imu.values;
  in.has_imu = true;
  in.imu = {converted(imu, imus_clock_), {v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

void StackSite::take_setpoint(Inputs& in) {
  if (setpoint_ == nullptr) return;
  const yarp::Heard& heard = setpoint_->newest();
  if (heard.count == setpoints_) return;
  setpoints_ = heard.count;
  const yarp::Values& v = heard.values;
  in.has_setpoint = true;
  Setpoint& s = in.setpoint;
  if (v.size() == 6) {
    s.V_WD_B = twist_of(v, 0);
    // level, unless it is to turn over
    s.mode.fill(AxisMode::kVelocity);
    if (v[3] == 0 && v[4] == 0) s.mode[3] = s.mode[4] = AxisMode::kPosition;
    return;
  }
  s.X_WD = pose_of(v, 0);
  s.mode.fill(AxisMode::kPosition);
  if (v.size() != 25) return;
  s.V_WD_B = twist_of(v, 7);
  s.F_Bo_B = {{v[13], v[14], v[15]}, {v[16], v[17], v[18]}};
  for (std::size_t i = 0; i < kAxes; ++i) s.mode[i] = mode_of(v[19 + i]);
}

bool StackSite::sense(Time due, Inputs& in) {
  if (options_.lockstep) {
    is_gone_ = !wait_for_state();
    now_ = !is_gone_ ? Time::from_seconds(*there_s_ + offset_s_) : now_ + period_;
  } else {
    std::this_thread::sleep_until(
        yarp::Loop::Clock::time_point(std::chrono::nanoseconds(start_ns_ + due.ns)));
    now_ = {std::max(due.ns, yarp::steady_ns() - start_ns_)};
  }
  in.now = now_;
  if (is_gone_) return true;
  take_state(in);
  take_sensors(in);
  take_setpoint(in);
  return true;
}

void StackSite::send() {
  command_.write(std::span(sent_.data(), sent_.size()), {ticks_, answered_s_});
}

void StackSite::act(const stack::Model&, const stack::Outputs& out) {
  ++ticks_;
  armed_ = out.arm == stack::ArmState::kArmed;
  sent_.clear();
  for (const double x : out.actuation.command) sent_.push_back(x);
  send();
  const Wrench &d = out.demand.F_Bo_B, &a = out.allocation.achieved;
  const std::array<double, 12> both{d.force.x,  d.force.y,  d.force.z,  d.torque.x,
                                    d.torque.y, d.torque.z, a.force.x,  a.force.y,
                                    a.force.z,  a.torque.x, a.torque.y, a.torque.z};
  wrench_.write(both, {ticks_, answered_s_});
  status_.write({now_.seconds(), state_ns_, out.arm, out.used.validity, out.authority,
                 out.mission.phase, out.mission.state, out.alarms});
  if (options_.network.say) tell(out);
}

/// What somebody at a terminal must know; all of it is in the log.
void StackSite::tell(const stack::Outputs& out) const {
  for (const Event& e : out.events) {
    if (severity_of(e, out.alarms) >= Severity::kWarning || is_all_clear(e.code))
      say(flight::sentence(e, names_));
  }
}

// ---------------------------------------------------------------------------------------------
// of others

bool StackSite::hear_command(const yarp::Message& message, const yarp::Answer& answer) {
  std::string why;
  const auto words = message.bottle(why);
  if (!words) return false;
  std::string text;
  for (const Value& v : *words) {
    const std::string word = v.word();
    text += (text.empty() ? "" : " ") + (word.empty() ? yarp::to_text({v}) : word);
  }
  const bool waits = message.wants_reply();
  const bool is_urgent = flight::is_urgent(text);
  stood_.look();
  if (stood_.is_late() && !is_urgent) {
    if (waits) answer(in_lines(std::string("failed\n") + flight::kSaidLate + "\n"));
    return waits;
  }
  const std::lock_guard lock(mutex_);
  const auto first = std::find_if(questions_.begin(), questions_.end(),
                                  [](const Question& q) { return !q.is_urgent; });
  const auto like_it = is_urgent ? first - questions_.begin() : questions_.end() - first;
  if (like_it >= kMostQuestions) {
    if (waits) answer(in_lines(kNotTakenUp));
    return waits;
  }
  questions_.insert(is_urgent ? first : questions_.end(),
                    {text, waits ? answer : yarp::Answer{}, is_urgent, SteadyClock::now()});
  asked_.notify_all();
  return waits;
}

void StackSite::answer_commands() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (questions_.empty()) {
      asked_.wait(lock);
      continue;
    }
    const Question asked = std::move(questions_.front());
    questions_.pop_front();
    lock.unlock();
    // who has waited for so long may have given up
    const bool is_old = !asked.is_urgent && SteadyClock::now() - asked.at > flight::kTakenUpWithin;
    const std::string said = is_old             ? kNotTakenUp
                             : options_.command ? options_.command(asked.words)
                                                : "failed\nnobody listens (--listen none)\n";
    if (asked.answer) asked.answer(in_lines(said));
    lock.lock();
  }
}

void StackSite::keep_connected() {
  const std::array<std::pair<const std::string*, yarp::VectorInput*>, 3> wanted{
      {{&options_.state_from, &state_},
       {&options_.thrust_from, &thrust_},
       {&options_.imu_from, &imu_}}};
  while (!ending_) {
    for (const auto& [from, to] : wanted) {
      bool missing = false;
      network_.loop().call_and_wait([&, port = &to->port()] { missing = port->writers().empty(); });
      if (!missing || from->empty() || ending_) continue;
      try {
        // not there yet, or not now: tried again
        (void)yarp::connect_ports(network_.name_server(), *from, to->port().name(),
                                  yarp::Carrier::kTcp, [this] { return ending_.load(); });
      } catch (const std::runtime_error&) {
      }
    }
    std::unique_lock lock(mutex_);
    asked_.wait_for(lock, 200ms, [this] { return ending_.load(); });
  }
}

Bottle StackSite::status_bottle() {
  const Status s = status_.read();
  const auto pair = [](const char* key, Value v) {
    return Value::list({Value::string(key), std::move(v)});
  };
  const auto& states = mission_.mission.states;
  const bool known = s.state >= 0 && static_cast<std::size_t>(s.state) < states.size();
  const double age_s =
      s.heard_ns == 0 ? -1 : 1e-9 * static_cast<double>(yarp::steady_ns() - s.heard_ns);
  Bottle alarms;
  for (const Alarm& a : s.alarms)
    alarms.push_back(Value::list(
        {Value::string(to_string(a.severity)), Value::string(flight::sentence(a, names_))}));
  return {pair("time_s", Value::float64(s.time_s)),
          pair("state_age_s", Value::float64(age_s)),
          pair("validity", Value::string(to_string(s.validity))),
          pair("arm", Value::string(to_string(s.arm))),
          pair("authority", Value::string(to_string(s.authority))),
          pair("mission", Value::string(to_string(s.phase))),
          pair("state", Value::string(known ? states[static_cast<std::size_t>(s.state)].name : "")),
          pair("alarms", Value::list(std::move(alarms)))};
}

void StackSite::publish_status() {
  state_.watch_writers();
  // what lay there when it went on has been heard after a few of these
  stood_.look();
  stood_.find_nothing();
  status_port_.publish(packet_of(status_bottle()));
  network_.loop().after(100ms, [this] { publish_status(); });
}

}  // namespace pintle::yarp_site
