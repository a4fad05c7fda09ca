#include "pintle/foxglove/live.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "pintle/base/spsc_ring.h"
#include "pintle/base/triple_buffer.h"
#include "pintle/config/json_text.h"
#include "pintle/config/reader.h"
#include "pintle/flight/operator_desk.h"
#include "pintle/flight/picture.h"
#include "pintle/flight/trial.h"
#include "pintle/foxglove/view.h"
#include "pintle/foxglove/workbench.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_reader.h"

namespace pintle::foxglove {

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kEvery = std::chrono::milliseconds(33);
// what viewers draw is drawn with each copy
constexpr double kDrawn_Hz = 1e6;
constexpr std::size_t kEvents = 512;
// of one client, what stops and the rest
constexpr std::ptrdiff_t kMostCalls = 8;
constexpr auto kAskedBack = std::chrono::seconds(30);

struct Word {
  const char* name;
  const char* argument;  ///< What it takes, for a person; null: nothing.
};
constexpr Word kWords[] = {
    {"arm", nullptr},
    {"disarm", "nothing, or force: also in the air"},
    {"terminate", nullptr},
    {"reset_latch", nullptr},
    {"reset_control", nullptr},
    {"free_style", nullptr},
    {"pause", nullptr},
    {"resume", nullptr},
    {"cutoff", nullptr},
    {"abort", nullptr},
    {"land", nullptr},
    {"step", "name or number of a state"},
    {"select", "name or number of a state"},
    {"jump", "name or number of a state"},
    {"take_over", nullptr},
    {"hand_over", nullptr},
    {"heartbeat", nullptr},
    {"ready_ignition", nullptr},
    {"ignite", "nothing, or the name of an engine"},
    {"shut_down", "nothing, or the name of an engine"},
    {"leak", nullptr},
    {"dry", nullptr},
    {"fail", "name or number of a propulsor"},
    {"restore", "name or number of a propulsor, or all"},
    {"trust", "name or number of a propulsor, or all"},
};

std::vector<Service> services_of_words() {
  constexpr const char* kAnswer =
      R"({"type":"object","properties":{"accepted":{"type":"boolean"},"answer":{"type":"string"}}})";
  std::vector<Service> all;
  for (const Word& w : kWords) {
    Json request{{"type", "object"}};
    if (w.argument != nullptr)
      request["properties"] = {{"argument", {{"type", "string"}, {"description", w.argument}}}};
    all.push_back({"/pintle/" + std::string(w.name), "pintle/Command", request.dump(), kAnswer});
  }
  all.push_back({"/pintle/command", "pintle/Words",
                 R"({"type":"object","properties":{"words":{"type":"string"}}})", kAnswer});
  for (Service& s : workbench_services()) all.push_back(std::move(s));
  return all;
}

std::string session_name() {
  return std::to_string(std::chrono::system_clock::now().time_since_epoch() /
                        std::chrono::milliseconds(1));
}

ParameterValue value_of(const craft::LiveParameter& p) {
  if (p.field->kind == Kind::kBool) return p.value != 0;
  if (p.field->enumeration != nullptr)
    return std::string(p.field->enumeration->name_of(static_cast<std::int64_t>(p.value)));
  return p.value;
}

/// What comes as text or as a switch, as the number that it stands for.
std::optional<double> number_of(const ParameterValue& value, const Field& field) {
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1 : 0;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (field.enumeration == nullptr) return std::nullopt;
  const auto found = field.enumeration->value_of(std::get<std::string>(value));
  return found ? std::optional<double>(static_cast<double>(*found)) : std::nullopt;
}

/// "geometry_msgs/msg/PoseStamped" is "geometry_msgs/PoseStamped".
bool is_schema(std::string_view name, std::string_view package, std::string_view type) {
  return name.starts_with(package) && name.ends_with(type);
}

Vec3 vec3_of(const Json& j) { return {j.at("x"), j.at("y"), j.at("z")}; }

}  // namespace

class Live::Impl : public Deeds {
 public:
  Impl(WebOptions web, LiveFiles files)
      : services_(services_of_words()),
        workbench_(std::move(files)),
        hub_({"pintle", session_name()}, *this),
        configuration_(hub_.add_channel("/configuration", table_of<craft::Configuration>())),
        inputs_(hub_.add_channel("/inputs", table_of<stack::Inputs>())),
        outputs_(hub_.add_channel("/outputs", table_of<stack::Outputs>())),
        view_(hub_.add_json_channel("/view", "pintle.View", view_schema())),
        picture_(hub_, kDrawn_Hz),
        server_(std::move(web), hub_) {
    for (const char* topic : {"/configuration", "/tf_static", "/robot_description", "/diagnostics"})
      hub_.tell(topic == std::string_view("/configuration") ? configuration_ : hub_.channel(topic),
                Telling::kLatched);
    hub_.tell(hub_.channel("/rosout"), Telling::kEvery);
  }

  [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
  void begin(flight::Tuning& tuning);
  void put(const stack::Model& model, const stack::Outputs& last, stack::Inputs& in) noexcept;
  void take(const stack::Model& model, const stack::Inputs& in, const stack::Outputs& out) noexcept;
  void end();
  [[nodiscard]] std::uint64_t looks() const noexcept { return looks_; }

  // Deeds
  [[nodiscard]] const std::vector<Service>& services() const override { return services_; }
  std::string call(const ServiceCall& call) override;
  [[nodiscard]] std::vector<Parameter> parameters() const override;
  std::string set(const std::vector<Parameter>& wanted, std::string& note) override;
  std::string publish(const ClientMessage& message) override;
  [[nodiscard]] std::optional<std::string> asset(std::string_view uri) const override;
  void left(ClientId client) override;

 private:
  void turn();
  void take_generation(Time now);
  void show(Time now);
  void answer();

  std::vector<Service> services_;
  Workbench workbench_;
  Hub hub_;
  Hub::Channel configuration_, inputs_, outputs_, view_;
  flight::Picture picture_;
  WebServer server_;

  // of the server's thread
  flight::Tuning* tuning_ = nullptr;
  std::shared_ptr<const flight::Generation> generation_;
  flight::EventNames names_;
  stack::Outputs shown_;
  std::uint64_t shown_tick_ = 0;
  struct Call {
    flight::OperatorDesk::Client number = 0;
    ServiceCall call;
    bool is_urgent = false;
  };
  std::vector<Call> calls_;
  std::set<ClientId> asking_;  ///< Who has asked for something and is there.
  bool was_asked_ = false;     ///< By somebody who may have left.
  flight::OperatorDesk::Client next_call_ = 0;
  std::uint64_t next_setpoint_ = 0;
  /// What was wanted last, and a file would be warned about: done when it is wanted again.
  std::vector<std::pair<std::string, double>> asked_back_;
  Clock::time_point asked_back_at_{};

  // between the threads
  flight::OperatorDesk desk_;
  TripleBuffer<Snapshot> snapshot_;
  SpscRing<Event, kEvents> events_;
  std::atomic<std::uint64_t> events_lost_{0};
  struct GivenSetpoint {
    std::uint64_t number = 0;
    Setpoint setpoint;
  };
  TripleBuffer<GivenSetpoint> setpoint_;
  std::atomic<bool> watched_{false}, ended_{false}, deserted_{false};
  std::atomic<std::uint64_t> looks_{0};
  SpscRing<flight::TrialRequest, 8> wanted_trial_;
  SpscRing<flight::TrialOutcome, 8> trial_outcomes_;
  SpscRing<control::StepSample, 16384> trial_samples_;

  // of the thread that ticks
  Seen seen_;
  Clock::time_point due_{};
  stack::ArmState shown_arm_{};
  std::uint64_t taken_setpoint_ = 0;
  flight::Trial trial_;
};

// ---------------------------------------------------------------------------------------------
// the thread that ticks

void Live::Impl::begin(flight::Tuning& tuning) {
  tuning_ = &tuning;
  take_generation({});
  server_.start([this] { turn(); });
}

void Live::Impl::put(const stack::Model& model, const stack::Outputs& last,
                     stack::Inputs& in) noexcept {
  // who commanded by the page is gone; in a tick of nobody else, and after what was tried out
  if (in.commands.empty() && !trial_.is_busy() &&
      deserted_.exchange(false, std::memory_order_relaxed) &&
      last.commander == mission::Operator::kPage)
    in.commands.push_back({stack::CommandCode::kHandOver, 1, mission::Operator::kPage});
  desk_.put(last, in);
  if (const GivenSetpoint& given = setpoint_.read(); given.number != taken_setpoint_) {
    taken_setpoint_ = given.number;
    in.has_setpoint = true;
    in.setpoint = given.setpoint;
    in.setpoint_parts = stack::kWholeSetpoint;
  }
  for (flight::TrialRequest wanted; wanted_trial_.pop(wanted);)
    if (const auto refused = trial_.begin(model, wanted, last)) trial_outcomes_.push(*refused);
  trial_.put(model, last, in);
}

void Live::Impl::take(const stack::Model& model, const stack::Inputs& in,
                      const stack::Outputs& out) noexcept {
  desk_.take(out);
  if (const auto outcome = trial_.take(model, out)) trial_outcomes_.push(*outcome);
  if (const auto sample = trial_.sample()) trial_samples_.push(*sample);
  update(seen_, in, out.now);
  for (const Event& e : out.events)
    if (!events_.push(e)) events_lost_.fetch_add(1, std::memory_order_relaxed);
  if (!watched_.load(std::memory_order_relaxed)) return;
  const auto now = Clock::now();
  // that it was armed or disarmed may be the last there is to see
  if (now < due_ && out.arm == shown_arm_) return;
  due_ = now + kEvery;
  shown_arm_ = out.arm;
  Snapshot& s = snapshot_.draft();
  s.seen = seen_;
  s.in = in;
  s.out = out;
  snapshot_.publish();
}

void Live::Impl::end() {
  ended_ = true;
  server_.stop();
  tuning_ = nullptr;
}

// ---------------------------------------------------------------------------------------------
// the server's thread

void Live::Impl::take_generation(Time now) {
  std::shared_ptr<const flight::Generation> newest = tuning_->newest();
  if (newest == generation_) return;
  const bool is_first = generation_ == nullptr;
  generation_ = std::move(newest);
  if (is_first) names_ = flight::event_names(generation_->model);
  if (is_first) workbench_.begin(generation_->configuration.vehicle);
  hub_.write(configuration_, generation_->configuration, now);
  picture_.model(generation_->model, now);
  if (!is_first) hub_.parameters_changed();
}

void Live::Impl::turn() {
  if (!desk_.is_busy()) looks_.fetch_add(1, std::memory_order_relaxed);
  watched_.store(hub_.has_clients(), std::memory_order_relaxed);
  const Snapshot& s = snapshot_.read();
  take_generation(s.out.now);
  show(s.out.now);
  answer();
}

void Live::Impl::show(Time now) {
  const Snapshot& s = snapshot_.read();
  const bool is_new = s.out.tick != shown_tick_;
  if (is_new) {
    shown_ = s.out;
    shown_tick_ = s.out.tick;
  }
  // events of ticks that were not copied, too
  shown_.events.clear();
  for (Event e; !shown_.events.full() && events_.pop(e);) shown_.events.push_back(e);
  if (is_new || !shown_.events.empty()) picture_.take(shown_);
  while (!shown_.events.empty()) {
    shown_.events.clear();
    for (Event e; !shown_.events.full() && events_.pop(e);) shown_.events.push_back(e);
    if (!shown_.events.empty()) picture_.take(shown_);
  }
  if (const std::uint64_t lost = events_lost_.exchange(0, std::memory_order_relaxed); lost > 0)
    hub_.status(1, std::to_string(lost) + " events came too fast to be told; the log has them");
  if (!is_new) return;
  hub_.write(inputs_, s.in, now);
  hub_.write(outputs_, s.out, now);
  if (hub_.is_wanted(view_)) {
    const std::string text = view_json(s, generation_->model, names_);
    hub_.write(view_, std::as_bytes(std::span(text)), now);
  }
  hub_.time(now);
}

void Live::Impl::answer() {
  for (control::StepSample sample; trial_samples_.pop(sample);) workbench_.take(sample);
  for (flight::TrialOutcome outcome; trial_outcomes_.pop(outcome);)
    workbench_.take(outcome, *generation_);
  if (ended_) workbench_.end();
  for (const Workbench::Answer& a : workbench_.answers())
    hub_.answer(a.call.client, a.call.service, a.call.call, a.json);
  for (const flight::OperatorDesk::Answer& a : desk_.turn()) {
    const auto it = std::find_if(calls_.begin(), calls_.end(),
                                 [&](const Call& c) { return c.number == a.client; });
    if (it == calls_.end()) continue;
    const ServiceCall& c = it->call;
    if (!a.outcome)
      hub_.fail(c.client, c.service, c.call, "nothing was done: the run does not tick");
    else
      hub_.answer(c.client, c.service, c.call,
                  Json{{"accepted", a.outcome->accepted},
                       {"answer", sentence(*a.outcome, generation_->model.mission)}}
                      .dump());
    calls_.erase(it);
  }
  // once the last that has asked for something is gone nobody is at the page who could command
  if (was_asked_ && asking_.empty() && calls_.empty()) {
    was_asked_ = false;
    deserted_ = true;
  }
  if (!ended_) return;
  for (const Call& c : calls_)
    hub_.fail(c.call.client, c.call.service, c.call.call, "the run has ended");
  calls_.clear();
}

/// What makes it stay or come down is heard beside whatever else waits, and also when it is late.
std::string Live::Impl::call(const ServiceCall& call) {
  const Json request = call.request.empty() ? Json::object() : config::json_of<Json>(call.request);
  if (!request.is_object()) return "expected a JSON object, such as {\"argument\": \"dive\"}";
  asking_.insert(call.client);
  was_asked_ = true;
  if (call.service > std::size(kWords)) {
    // what comes behind the words and /pintle/command
    const std::size_t bench = call.service - std::size(kWords) - 1;
    if (call.is_late && bench != static_cast<std::size_t>(Bench::kStop)) return flight::kSaidLate;
    const auto trial = workbench_.call(bench, call, call.request, *generation_);
    if (trial) wanted_trial_.push(*trial);
    answer();
    return {};
  }
  const auto text = [&request](const char* key) {
    const auto it = request.find(key);
    return it != request.end() && it->is_string() ? it->get<std::string>() : std::string{};
  };
  const bool is_word = call.service < std::size(kWords);
  std::string words = is_word ? kWords[call.service].name : text("words");
  if (is_word && kWords[call.service].argument != nullptr) words += " " + text("argument");
  while (words.ends_with(' ')) words.pop_back();
  try {
    const flight::OperatorRequest asked = flight::parse_request(
        words, generation_->model.mission, mission::Operator::kPage, names_.propulsors);
    const bool is_urgent = flight::is_urgent(asked);
    if (call.is_late && !is_urgent) return flight::kSaidLate;
    const auto same = [&](const Call& c) {
      return c.call.client == call.client && c.is_urgent == is_urgent;
    };
    if (std::count_if(calls_.begin(), calls_.end(), same) >= kMostCalls)
      return "too many requests of this client wait";
    calls_.push_back({++next_call_, call, is_urgent});
    desk_.ask(next_call_, asked);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  answer();  // to the tick at once, if nobody else is there
  return {};
}

/// What it asked for and has not come to the tick is not done, but what stops.
void Live::Impl::left(ClientId client) {
  asking_.erase(client);
  std::erase_if(calls_, [&](const Call& c) {
    const bool goes = c.call.client == client && !c.is_urgent;
    if (goes) desk_.leave(c.number);
    return goes;
  });
}

std::vector<Parameter> Live::Impl::parameters() const {
  std::vector<Parameter> all;
  for (const craft::LiveParameter& p : craft::live_parameters(generation_->configuration.vehicle))
    all.push_back({p.path, value_of(p)});
  return all;
}

std::string Live::Impl::set(const std::vector<Parameter>& wanted, std::string& note) {
  std::vector<std::pair<std::string, double>> changes;
  const auto known = craft::live_parameters(generation_->configuration.vehicle);
  for (const Parameter& w : wanted) {
    const auto it =
        std::find_if(known.begin(), known.end(), [&](const auto& p) { return p.path == w.name; });
    if (it == known.end()) {
      std::vector<std::string_view> names;
      names.reserve(known.size());
      for (const auto& p : known) names.emplace_back(p.path);
      const std::string near = config::did_you_mean(w.name, names);
      return "there is no parameter \"" + w.name + "\"" +
             (near.empty() ? "" : ", did you mean \"" + near + "\"");
    }
    const std::optional<double> value = number_of(w.value, *it->field);
    if (!value) return w.name + ": expected a number or one of its names";
    changes.emplace_back(w.name, *value);
  }
  if (changes.empty()) return {};
  craft::LiveModel trial(tuning_->newest()->configuration, {});
  const std::string doubt = trial.set_all(changes, false).warning;
  const bool is_meant =
      std::exchange(asked_back_, {}) == changes && Clock::now() < asked_back_at_ + kAskedBack;
  if (!doubt.empty() && !is_meant) {
    asked_back_ = std::move(changes);
    asked_back_at_ = Clock::now();
    return doubt + ": not done; if it is meant, set the same once more";
  }
  const craft::ChangeResult done = tuning_->set(changes);
  if (!done.warning.empty()) note = done.warning;
  if (!done.applied) return done.message;
  take_generation(shown_.now);
  return {};
}

std::string Live::Impl::publish(const ClientMessage& m) {
  const bool is_pose = m.topic == "/setpoint/pose", is_twist = m.topic == "/setpoint/twist";
  if (!is_pose && !is_twist)
    return "expected /setpoint/pose (geometry_msgs/PoseStamped) or /setpoint/twist "
           "(geometry_msgs/TwistStamped)";
  if (generation_->model.has_mission)
    return "a mission is flown; setpoints are taken by a stack without one (--planner)";
  GivenSetpoint given;
  Setpoint& s = given.setpoint;
  namespace ros = telemetry::ros;
  if (!is_schema(m.schema_name, "geometry_msgs/", is_pose ? "/PoseStamped" : "/TwistStamped"))
    return std::string("expected geometry_msgs/") + (is_pose ? "PoseStamped" : "TwistStamped");
  if (m.encoding == "cdr") {
    ros::PoseStamped pose;
    ros::TwistStamped twist;
    if (!(is_pose ? telemetry::decode_cdr(m.bytes, pose) : telemetry::decode_cdr(m.bytes, twist)))
      return "the message ends early";
    s.X_WD.p = {pose.pose.position.x, pose.pose.position.y, pose.pose.position.z};
    s.X_WD.q = {pose.pose.orientation.x, pose.pose.orientation.y, pose.pose.orientation.z,
                pose.pose.orientation.w};
    s.V_WD_B.v = {twist.twist.linear.x, twist.twist.linear.y, twist.twist.linear.z};
    s.V_WD_B.w = {twist.twist.angular.x, twist.twist.angular.y, twist.twist.angular.z};
  } else if (m.encoding == "json") {
    try {
      const auto j =
          config::json_of<Json>({reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()});
      if (is_pose) {
        s.X_WD.p = vec3_of(j.at("pose").at("position"));
        const Json& q = j.at("pose").at("orientation");
        s.X_WD.q = {q.at("x"), q.at("y"), q.at("z"), q.at("w")};
      } else {
        s.V_WD_B.v = vec3_of(j.at("twist").at("linear"));
        s.V_WD_B.w = vec3_of(j.at("twist").at("angular"));
      }
    } catch (const nlohmann::json::exception&) {
      return is_pose
                 ? "expected {\"pose\": {\"position\": {x, y, z}, \"orientation\": {x, y, z, w}}}"
                 : "expected {\"twist\": {\"linear\": {x, y, z}, \"angular\": {x, y, z}}}";
    }
  } else {
    return "expected the encoding json or cdr";
  }
  s.mode.fill(is_pose ? AxisMode::kPosition : AxisMode::kVelocity);
  given.number = ++next_setpoint_;
  setpoint_.write(given);
  return {};
}

std::optional<std::string> Live::Impl::asset(std::string_view uri) const {
  if (uri == "pintle:parameters.json") return parameters_json(generation_->configuration.vehicle);
  if (uri == "pintle:vehicle.json") return vehicle_json(generation_->model);
  return std::nullopt;
}

// ---------------------------------------------------------------------------------------------

Live::Live(WebOptions web, LiveFiles files)
    : impl_(std::make_unique<Impl>(std::move(web), std::move(files))) {}
Live::~Live() = default;
std::uint16_t Live::port() const noexcept { return impl_->port(); }
void Live::begin(flight::Tuning& tuning) { impl_->begin(tuning); }
void Live::put(const stack::Model& model, const stack::Outputs& last, stack::Inputs& in) noexcept {
  impl_->put(model, last, in);
}
void Live::take(const stack::Model& model, const stack::Inputs& in,
                const stack::Outputs& out) noexcept {
  impl_->take(model, in, out);
}
void Live::end() { impl_->end(); }
std::uint64_t Live::looks() const noexcept { return impl_->looks(); }

}  // namespace pintle::foxglove
