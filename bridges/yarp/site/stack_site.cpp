#include "pintle/yarp_site/stack_site.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pintle/yarp/dialogues.h"

namespace pintle::yarp_site {
namespace {

using namespace std::chrono_literals;
using stack::Inputs;
using yarp::Bottle;
using yarp::Value;

// a sender that was quicker once and is no longer: its clock runs at another pace, or stood
constexpr std::int64_t kOutOfStep_ns = 50'000'000;

Pose pose_of(const yarp::Values& v, std::size_t at) noexcept {
  return {{v[at], v[at + 1], v[at + 2]}, {v[at + 3], v[at + 4], v[at + 5], v[at + 6]}};
}
Twist twist_of(const yarp::Values& v, std::size_t at) noexcept {
  return {{v[at], v[at + 1], v[at + 2]}, {v[at + 3], v[at + 4], v[at + 5]}};
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
      setpoint_(options_.with_setpoint
                    ? &network_.input(options_.prefix + "/setpoint:i", {6, 7, 25})
                    : nullptr),
      command_(network_.output(options_.prefix + "/command:o")),
      wrench_(network_.output(options_.prefix + "/wrench:o")),
      status_port_(network_.port([this] {
        yarp::PortOptions p;
        p.name = options_.prefix + "/status:o";
        return p;
      }())) {
  yarp::PortOptions rpc;
  rpc.name = options_.prefix + "/rpc:i";
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
  if (!options_.state_from.empty()) keeper_ = std::thread([this] { keep_connected(); });
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

bool StackSite::wait_for_state() {
  std::unique_lock lock(mutex_);
  while (!stopped()) {
    const yarp::Heard& heard = state_.newest();
    if (heard.count != states_) {
      states_ = heard.count;
      if (!origin_s_ || heard.stamp.time_s > answered_s_) return heard.has_stamp;
      // the same state once more: our answer has not come to anybody
      send();
    }
    come_.wait_for(lock, 50ms);
  }
  return false;
}

Time StackSite::converted(const yarp::Heard& heard) {
  const std::int64_t here = heard.heard_ns - start_ns_;
  if (!heard.has_stamp) return {here};
  const std::int64_t there = Duration::from_seconds(heard.stamp.time_s).ns;
  const std::int64_t behind = here - there;
  if (!behind_ns_ || behind < *behind_ns_ || behind - *behind_ns_ > kOutOfStep_ns)
    behind_ns_ = behind;
  return {there + *behind_ns_};
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
    s.mode.fill(AxisMode::kVelocity);
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
  const std::uint64_t before = states_;
  if (options_.lockstep) {
    if (!wait_for_state()) {
      // told to stop: one more tick, which disarms
      now_ = now_ + Duration::from_seconds(0.001);
      in.now = now_;
      return stopped();
    }
  } else {
    std::this_thread::sleep_until(
        yarp::Loop::Clock::time_point(std::chrono::nanoseconds(start_ns_ + due.ns)));
    now_ = {std::max(due.ns, yarp::steady_ns() - start_ns_)};
  }
  const yarp::Heard& heard = state_.newest();
  if (!options_.lockstep) states_ = heard.count;
  if (options_.lockstep) {
    if (!origin_s_) origin_s_ = heard.stamp.time_s;
    answered_s_ = heard.stamp.time_s;
    now_ = Time::from_seconds(answered_s_ - *origin_s_);
  }
  in.now = now_;
  if (states_ != before) {
    state_ns_ = heard.heard_ns;
    in.has_odometry = true;
    Time stamp = options_.lockstep ? now_ : converted(heard);
    if (stamp <= last_stamp_) stamp = last_stamp_ + Duration{1000};
    last_stamp_ = stamp;
    if (!options_.lockstep) answered_s_ = heard.has_stamp ? heard.stamp.time_s : stamp.seconds();
    in.odometry = {stamp, pose_of(heard.values, 0), twist_of(heard.values, 7)};
  }
  take_setpoint(in);
  return true;
}

void StackSite::send() {
  command_.write(std::span(sent_.data(), sent_.size()), {ticks_, answered_s_});
}

void StackSite::act(const stack::Model&, const stack::Outputs& out) {
  ++ticks_;
  sent_.clear();
  for (const double x : out.actuation.command) sent_.push_back(x);
  send();
  const Wrench &d = out.demand.F_Bo_B, &a = out.allocation.achieved;
  const std::array<double, 12> both{d.force.x,  d.force.y,  d.force.z,  d.torque.x,
                                    d.torque.y, d.torque.z, a.force.x,  a.force.y,
                                    a.force.z,  a.torque.x, a.torque.y, a.torque.z};
  wrench_.write(both, {ticks_, answered_s_});
  const double age_s =
      states_ == 0 ? -1 : 1e-9 * static_cast<double>(yarp::steady_ns() - state_ns_);
  status_.write({now_.seconds(), age_s, out.arm, out.mission.phase, out.mission.state});
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
  const std::lock_guard lock(mutex_);
  if (questions_.size() >= 16) return false;
  questions_.emplace_back(text, waits ? answer : yarp::Answer{});
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
    const auto [words, answer] = questions_.front();
    questions_.erase(questions_.begin());
    lock.unlock();
    const std::string said =
        options_.command ? options_.command(words) : "failed\nnobody listens (--listen none)\n";
    if (answer) {
      Bottle reply;
      for (std::size_t at = 0; at < said.size();) {
        const std::size_t end = std::min(said.find('\n', at), said.size());
        if (end > at) reply.push_back(Value::string(said.substr(at, end - at)));
        at = end + 1;
      }
      answer(reply);
    }
    lock.lock();
  }
}

void StackSite::keep_connected() {
  while (!ending_ && !stopped()) {
    bool missing = false;
    network_.loop().call_and_wait([&] { missing = state_.port().writers().empty(); });
    if (missing) {
      try {
        // not there yet, or not now: tried again
        (void)yarp::connect_ports(network_.name_server(), options_.state_from, state_.port().name(),
                                  yarp::Carrier::kTcp);
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
  return {
      pair("time_s", Value::float64(s.time_s)), pair("state_age_s", Value::float64(s.state_age_s)),
      pair("arm", Value::string(to_string(s.arm))),
      pair("mission", Value::string(to_string(s.phase))),
      pair("state", Value::string(known ? states[static_cast<std::size_t>(s.state)].name : ""))};
}

void StackSite::publish_status() {
  status_port_.publish(packet_of(status_bottle()));
  network_.loop().after(100ms, [this] { publish_status(); });
}

}  // namespace pintle::yarp_site
