#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "pintle/flight/event_words.h"
#include "pintle/flight/replay.h"
#include "pintle/foxglove/live.h"
#include "pintle/foxglove/view.h"
#include "pintle/telemetry/encoding.h"
#include "pintle/telemetry/mcap_reader.h"

namespace pintle::foxglove {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostItems = 1000;

/// A log can be looked at, its first parameters too; nothing can be done.
class LogDeeds : public Deeds {
 public:
  explicit LogDeeds(const flight::Generation* flown) : flown_(flown) {}
  [[nodiscard]] const std::vector<Service>& services() const override { return none_; }
  std::string call(const ServiceCall&) override { return kWhy; }
  [[nodiscard]] std::vector<Parameter> parameters() const override {
    std::vector<Parameter> all;
    if (flown_ == nullptr) return all;
    for (const craft::LiveParameter& p : craft::live_parameters(flown_->configuration.vehicle))
      all.push_back({p.path, p.value});
    return all;
  }
  std::string set(const std::vector<Parameter>&, std::string&) override { return kWhy; }
  std::string publish(const ClientMessage&) override { return kWhy; }
  [[nodiscard]] std::optional<std::string> asset(std::string_view uri) const override {
    if (flown_ == nullptr) return std::nullopt;
    if (uri == "pintle:parameters.json") return parameters_json(flown_->configuration.vehicle);
    if (uri == "pintle:vehicle.json") return vehicle_json(flown_->model);
    return std::nullopt;
  }

 private:
  static constexpr const char* kWhy = "this is a log that is played";
  const flight::Generation* flown_;
  std::vector<Service> none_;
};

/// What the page shows, made again from inputs and outputs.
class Moments {
 public:
  Moments(const flight::Generation& flown, Hub& hub)
      : model_(flown.model),
        names_(flight::event_names(flown.model)),
        hub_(hub),
        view_(hub.add_json_channel("/view", "pintle.View", view_schema())) {}

  void take(std::string_view topic, std::span<const std::byte> bytes, Time time) {
    if (topic == "/inputs" && telemetry::decode_cdr(bytes, moment_.in)) {
      update(moment_.seen, moment_.in, time);
    } else if (topic == "/outputs" && telemetry::decode_cdr(bytes, moment_.out) &&
               hub_.is_wanted(view_)) {
      const std::string text = view_json(moment_, model_, names_);
      hub_.write(view_, std::as_bytes(std::span(text)), time);
    }
  }

 private:
  const stack::Model& model_;
  flight::EventNames names_;
  Hub& hub_;
  Hub::Channel view_;
  Snapshot moment_;
};

/// What was flown; null where the log does not say it in words of this version.
std::unique_ptr<const flight::Generation> flown_in(telemetry::McapReader& reader) {
  try {
    bool known = true;
    reader.for_each([&](const telemetry::McapMessage& m) {
      if (m.topic == "/outputs")
        known = telemetry::same_layout(m.schema_text, table_of<stack::Outputs>());
      return m.topic != "/outputs";
    });
    if (!known) return nullptr;
    const flight::MissionFile mission = flight::mission_of(reader);
    return std::make_unique<const flight::Generation>(
        flight::Configuration{1, mission.vehicle, mission.mission});
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// What was read and is not told yet.
struct Item {
  std::string topic, schema_name, schema;
  Time time;
  Bytes bytes;
};

class Waiting {
 public:
  explicit Waiting(const std::atomic<bool>* stop) : stop_(stop) {}
  /// False: it is to stop.
  bool put(Item item) {
    std::unique_lock lock(mutex_);
    while (!stopped() && items_.size() >= kMostItems)
      room_.wait_for(lock, std::chrono::milliseconds(50));
    items_.push_back(std::move(item));
    return !stopped();
  }
  std::deque<Item> take() {
    const std::lock_guard lock(mutex_);
    room_.notify_one();
    return std::exchange(items_, {});
  }
  /// Waits until then; false: it is to stop.
  bool until(Clock::time_point due) {
    while (!stopped() && Clock::now() < due)
      std::this_thread::sleep_until(std::min(due, Clock::now() + std::chrono::milliseconds(50)));
    return !stopped();
  }

 private:
  [[nodiscard]] bool stopped() const { return stop_ != nullptr && stop_->load(); }
  const std::atomic<bool>* stop_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::deque<Item> items_;
};

}  // namespace

void play(const std::filesystem::path& log, WebOptions web, const PlayOptions& options,
          const std::function<void(std::uint16_t port)>& listening) {
  telemetry::McapReader reader(log);
  const std::unique_ptr<const flight::Generation> flown = flown_in(reader);
  LogDeeds deeds(flown.get());
  Hub hub({log.filename().string(), std::to_string(Clock::now().time_since_epoch().count())},
          deeds);
  std::map<std::string, Hub::Channel, std::less<>> channels;
  const auto moments = flown ? std::make_unique<Moments>(*flown, hub) : nullptr;
  Waiting waiting(options.stop);
  const std::function<void(const std::string&)> note = web.note;
  WebServer server(std::move(web), hub);
  server.start([&] {
    for (const Item& item : waiting.take()) {
      auto it = channels.find(item.topic);
      if (it == channels.end()) {
        it =
            channels.emplace(item.topic, hub.add_channel(item.topic, item.schema_name, item.schema))
                .first;
        const bool is_rare = item.topic == "/configuration" || item.topic == "/tf_static" ||
                             item.topic == "/robot_description" || item.topic == "/diagnostics";
        hub.tell(it->second, is_rare                   ? Telling::kLatched
                             : item.topic == "/rosout" ? Telling::kEvery
                                                       : Telling::kNewest);
      }
      hub.write(it->second, std::span<const std::byte>(item.bytes), item.time);
      if (moments) moments->take(item.topic, item.bytes, item.time);
      hub.time(item.time);
    }
  });
  listening(server.port());
  bool goes_on = true, is_told = false;
  do {
    const auto start = Clock::now();
    std::optional<Time> first;
    const telemetry::McapSummary summary = reader.for_each([&](const telemetry::McapMessage& m) {
      if (!first) first = m.time;
      // a foreign log may tell of times centuries apart: it is shown up to thirty years of waiting
      const double after_ns =
          (static_cast<double>(m.time.ns) - static_cast<double>(first->ns)) / options.speed;
      const auto due = start + std::chrono::nanoseconds(
                                   static_cast<std::int64_t>(std::clamp(after_ns, 0.0, 1e18)));
      goes_on = waiting.until(due) && waiting.put({std::string(m.topic), std::string(m.schema_name),
                                                   std::string(m.schema_text), m.time,
                                                   Bytes(m.bytes.begin(), m.bytes.end())});
      return goes_on;
    });
    const std::string why = summary.note.empty() ? "" : ": " + summary.note;
    if (summary.messages == 0) throw std::runtime_error(log.string() + ": no messages in it" + why);
    if (goes_on && !std::exchange(is_told, true) && note && !why.empty()) note(log.string() + why);
  } while (goes_on && options.loop);
  // what was put last is told
  waiting.until(Clock::now() + std::chrono::milliseconds(200));
  server.stop();
}

}  // namespace pintle::foxglove
