#include "pintle/yarp_world/serve.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pintle/flight/pacer.h"

namespace pintle::yarp_world {
namespace {

using namespace std::chrono_literals;
using yarp::Bottle;
using yarp::Value;

enum class Phase : std::uint8_t { kWaiting, kRunning, kRunDown };

/// What the network's thread tells of the thread that serves.
struct Status {
  Phase phase = Phase::kWaiting;
  double time_s = 0;
  std::int64_t heard_ns = 0;
  std::uint64_t inputs = 0, restarts = 0, lost = 0;
};

const char* name_of(Phase phase) noexcept {
  constexpr const char* kNames[]{"waiting", "running", "run_down"};
  return kNames[static_cast<std::size_t>(phase)];
}

class Service {
 public:
  Service(Plant& plant, const ServeOptions& o)
      : plant_(plant),
        o_(o),
        network_(o.network),
        input_(network_.input(o.names.input, {plant.inputs()})),
        thrust_(network_.output(o.names.thrust)),
        d_thrust_(o.names.d_thrust.empty() ? nullptr : &network_.output(o.names.d_thrust)),
        state_(o.names.state.empty() ? nullptr : &network_.output(o.names.state)),
        imu_(o.names.imu.empty() ? nullptr : &network_.output(o.names.imu)),
        status_port_(network_.port(status_options())),
        rpc_port_(network_.port(rpc_options())),
        held_(plant.inputs()) {
    input_.taken = [this] { tell(); };
    network_.loop().after(100ms, [this] { publish_status(); });
    network_.start();
    say("{}", o.what);
    say("input {}, {} numbers; thrust {}", o.names.input, plant.inputs(), o.names.thrust);
    if (!network_.is_named())
      say("no name server answers at {}: start  pintle yarp server  (or yarpserver)",
          to_string(network_.name_server()));
  }

  void run() {
    // the default slack of 50 us would show at a thousand steps a second
    prctl(PR_SET_TIMERSLACK, 1);
    flight::Pacer pacer(flight::Pacer::Clock::now());
    Duration served{};
    while (!stopped()) {
      if (o_.lockstep && !wait_for_input()) break;
      if (restart_asked_.load(std::memory_order_acquire)) restart();
      take_input();
      bool state_told = false;
      do {
        plant_.step(held_, phase_ != Phase::kRunDown);
        state_told = publish();
      } while (o_.lockstep && state_ != nullptr && !state_told && !stopped());
      if (o_.lockstep) continue;
      served = served + plant_.step_time();
      std::this_thread::sleep_until(pacer.due({served.ns}, flight::Pacer::Clock::now()));
      if (pacer.missed_s() > 0)
        say("the machine stood or was too slow: {:.1f} s dropped", pacer.missed_s());
    }
  }

 private:
  template <class... A>
  void say(fmt::format_string<A...> text, A&&... a) const {
    if (o_.say) o_.say(fmt::format(text, std::forward<A>(a)...));
  }
  [[nodiscard]] bool stopped() const { return o_.stop != nullptr && o_.stop->load(); }

  yarp::PortOptions status_options() const {
    yarp::PortOptions p;
    p.name = o_.names.status;
    return p;
  }
  yarp::PortOptions rpc_options() {
    yarp::PortOptions p;
    p.name = o_.names.rpc;
    p.is_rpc = true;
    p.heard = [this](const yarp::Message& m, const yarp::Answer& answer) {
      return command(m, answer);
    };
    return p;
  }

  // ---- of the thread that serves

  void take_input() {
    const yarp::Heard& heard = input_.newest();
    const std::int64_t now = yarp::steady_ns();
    if (heard.count != taken_) {
      taken_ = heard.count;
      heard_ns_ = heard.heard_ns;
      held_.clear();
      for (const double x : heard.values) held_.push_back(x);
      if (phase_ == Phase::kRunDown) say("{:8.2f} s  the input is back", plant_.now().seconds());
      phase_ = Phase::kRunning;
    } else if (phase_ == Phase::kRunning && o_.input_timeout_s > 0 && !o_.lockstep &&
               static_cast<double>(now - heard_ns_) > 1e9 * o_.input_timeout_s) {
      phase_ = Phase::kRunDown;
      say("{:8.2f} s  no input for {} s: the jets are run down", plant_.now().seconds(),
          o_.input_timeout_s);
    }
    if (phase_ == Phase::kRunDown) held_ = plant_.run_down();
  }

  void tell_thrust() noexcept {
    const yarp::Stamp stamp{static_cast<std::int32_t>(count_), plant_.now().seconds()};
    const auto all = [](const ChannelVector& v) { return std::span(v.data(), v.size()); };
    thrust_.write(all(plant_.thrust_N()), stamp);
    if (d_thrust_ != nullptr) d_thrust_->write(all(plant_.rate_N_s()), stamp);
  }

  /// True: also its state.
  bool publish() noexcept {
    ++count_;
    tell_thrust();
    if (const auto imu = imu_ != nullptr ? plant_.take_imu() : std::nullopt) {
      const std::array numbers{imu->w_B.x, imu->w_B.y, imu->w_B.z,
                               imu->f_B.x, imu->f_B.y, imu->f_B.z};
      imu_->write(numbers, {static_cast<std::int32_t>(++imus_), imu->stamp.seconds()});
    }
    const auto sample = state_ != nullptr ? plant_.take_odometry() : std::nullopt;
    if (sample) {
      const Pose& X = sample->X_WB;
      const Twist& V = sample->V_WB_B;
      last_state_ = {X.p.x, X.p.y, X.p.z, X.q.x, X.q.y, X.q.z, X.q.w,
                     V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z};
      last_stamp_ = {static_cast<std::int32_t>(++states_), sample->stamp.seconds()};
      told_s_[states_ % told_s_.size()] = last_stamp_.time_s;
      state_->write(last_state_, last_stamp_);
    }
    status_.write({phase_, plant_.now().seconds(), heard_ns_, taken_, restarts_, thrust_.lost()});
    return sample.has_value();
  }

  void restart() {
    plant_.restart();
    held_ = ChannelVector(plant_.inputs());
    phase_ = Phase::kWaiting;
    taken_ = input_.newest().count;
    ++restarts_;
    count_ = imus_ = 0;
    told_s_ = {};
    (void)publish();
    states_ = 0;
    say("restarted");
    yarp::Answer answer;
    {
      const std::lock_guard lock(mutex_);
      answer = std::exchange(restart_answer_, nullptr);
      restart_asked_ = false;
    }
    if (answer) answer(Bottle{Value::vocab("ok")});
  }

  /// The answer to a state before the last, which came twice.
  [[nodiscard]] bool answers_earlier(double time_s) const {
    return time_s != last_stamp_.time_s &&
           std::find(told_s_.begin(), told_s_.end(), time_s) != told_s_.end();
  }

  /// In lockstep: a message that answers the state as it stands, or none of before. False: it is to
  /// stop.
  bool wait_for_input() {
    // the first state is told without being asked for
    while (state_ != nullptr && states_ == 0 && !publish() && !stopped()) plant_.step(held_, true);
    std::unique_lock lock(mutex_);
    while (!stopped() && !restart_asked_) {
      const yarp::Heard& heard = input_.newest();
      if (heard.count != taken_) {
        if (state_ == nullptr || !heard.has_stamp || !answers_earlier(heard.stamp.time_s))
          return true;
        taken_ = heard.count;
      }
      // who has just come, or has lost it, is told again where it stands
      if (come_.wait_for(lock, 100ms) == std::cv_status::timeout && states_ > 0) {
        tell_thrust();
        state_->write(last_state_, last_stamp_);
      }
    }
    return !stopped();
  }

  // ---- of the network's thread

  void tell() {
    if (!o_.lockstep) return;
    const std::lock_guard lock(mutex_);
    come_.notify_one();
  }

  bool command(const yarp::Message& m, const yarp::Answer& answer) {
    std::string why;
    const auto words = m.bottle(why);
    // each word stands alone
    const std::string verb = words && words->size() == 1 ? words->front().word() : "";
    if (verb == "restart") {
      const std::lock_guard lock(mutex_);
      if (restart_answer_) return answer(Bottle{Value::vocab("fail")}), m.wants_reply();
      if (m.wants_reply()) restart_answer_ = answer;
      restart_asked_.store(true, std::memory_order_release);
      come_.notify_one();
      return m.wants_reply();
    }
    if (!m.wants_reply()) return false;
    if (verb == "status")
      answer(status_bottle());
    else if (verb == "help")
      answer(
          Bottle{Value::string("restart: time 0, input, thrust and thrust rate 0; status; help")});
    else
      answer(Bottle{Value::vocab("fail"), Value::string("expected restart, status or help")});
    return true;
  }

  [[nodiscard]] Bottle status_bottle() {
    const Status s = status_.read();
    const auto pair = [](const char* key, Value v) {
      return Value::list({Value::string(key), std::move(v)});
    };
    const auto number = [](std::uint64_t n) { return Value::int32(static_cast<std::int32_t>(n)); };
    const double age_s =
        s.inputs == 0 ? -1 : 1e-9 * static_cast<double>(yarp::steady_ns() - s.heard_ns);
    return {pair("phase", Value::string(name_of(s.phase))),
            pair("time_s", Value::float64(s.time_s)),
            pair("input_age_s", Value::float64(age_s)),
            pair("inputs", number(s.inputs)),
            pair("refused", number(input_.refused())),
            pair("writers", number(input_.port().writers().size())),
            pair("restarts", number(s.restarts)),
            pair("lost", number(s.lost))};
  }
  void publish_status() {
    input_.watch_writers();
    status_port_.publish(packet_of(status_bottle()));
    network_.loop().after(100ms, [this] { publish_status(); });
  }

  Plant& plant_;
  const ServeOptions& o_;
  TripleBuffer<Status> status_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::atomic<bool> restart_asked_{false};
  yarp::Answer restart_answer_;
  yarp::Network network_;
  yarp::VectorInput& input_;
  yarp::VectorOutput& thrust_;
  yarp::VectorOutput* d_thrust_;
  yarp::VectorOutput* state_;
  yarp::VectorOutput* imu_;
  yarp::Port& status_port_;
  yarp::Port& rpc_port_;

  ChannelVector held_;
  std::array<double, 13> last_state_{};
  yarp::Stamp last_stamp_;
  Phase phase_ = Phase::kWaiting;
  std::array<double, 16> told_s_{};  ///< Stamps of the last states.
  std::uint64_t taken_ = 0, count_ = 0, states_ = 0, imus_ = 0, restarts_ = 0;
  std::int64_t heard_ns_ = 0;
};

}  // namespace

void serve(Plant& plant, const ServeOptions& options) { Service(plant, options).run(); }

}  // namespace pintle::yarp_world
