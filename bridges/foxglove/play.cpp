#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "pintle/foxglove/live.h"
#include "pintle/telemetry/mcap_reader.h"

namespace pintle::foxglove {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostWaiting = 1000;

/// A log can be looked at; nothing can be done.
class NoDeeds : public Deeds {
 public:
  [[nodiscard]] const std::vector<Service>& services() const override { return none_; }
  std::string call(const ServiceCall&) override { return kWhy; }
  [[nodiscard]] std::vector<Parameter> parameters() const override { return {}; }
  std::string set(const std::vector<Parameter>&, std::string&) override { return kWhy; }
  std::string publish(const ClientMessage&) override { return kWhy; }
  [[nodiscard]] std::optional<std::string> asset(std::string_view) const override {
    return std::nullopt;
  }

 private:
  static constexpr const char* kWhy = "this is a log that is played";
  std::vector<Service> none_;
};

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
    while (!stopped() && items_.size() >= kMostWaiting)
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
  NoDeeds deeds;
  Hub hub({log.filename().string(), std::to_string(Clock::now().time_since_epoch().count())},
          deeds);
  std::map<std::string, Hub::Channel, std::less<>> channels;
  Waiting waiting(options.stop);
  WebServer server(std::move(web), hub);
  server.start([&] {
    for (const Item& item : waiting.take()) {
      auto it = channels.find(item.topic);
      if (it == channels.end()) {
        it =
            channels.emplace(item.topic, hub.add_channel(item.topic, item.schema_name, item.schema))
                .first;
        const bool is_rare = item.topic == "/configuration" || item.topic == "/tf_static" ||
                             item.topic == "/diagnostics";
        hub.tell(it->second, is_rare                   ? Telling::kLatched
                             : item.topic == "/rosout" ? Telling::kEvery
                                                       : Telling::kNewest);
      }
      hub.write(it->second, std::span<const std::byte>(item.bytes), item.time);
      hub.time(item.time);
    }
  });
  listening(server.port());
  bool goes_on = true;
  do {
    const auto start = Clock::now();
    std::optional<Time> first;
    const telemetry::McapSummary summary = reader.for_each([&](const telemetry::McapMessage& m) {
      if (!first) first = m.time;
      const auto due = start + std::chrono::nanoseconds(static_cast<std::int64_t>(
                                   static_cast<double>((m.time - *first).ns) / options.speed));
      goes_on = waiting.until(due) && waiting.put({std::string(m.topic), std::string(m.schema_name),
                                                   std::string(m.schema_text), m.time,
                                                   Bytes(m.bytes.begin(), m.bytes.end())});
      return goes_on;
    });
    if (summary.messages == 0) throw std::runtime_error(log.string() + ": no messages in it");
  } while (goes_on && options.loop);
  // what was put last is told
  waiting.until(Clock::now() + std::chrono::milliseconds(200));
  server.stop();
}

}  // namespace pintle::foxglove
