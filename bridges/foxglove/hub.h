/// The Foxglove WebSocket protocol, without sockets: what each client is told and what it may say.
///
///   client text, binary -> hear -> answers          channels, parameters, services -> clients
///
/// Subprotocols `foxglove.sdk.v1` and `foxglove.websocket.v1` (the same here). Text is JSON, data is
/// binary, numbers in it little-endian. One thread.
///
/// A client that does not read costs memory up to a bound and nobody else anything: of each channel
/// it waits for the newest message alone, of those that are told as a list (kEvery) for the last
/// hundred; what was passed over is counted and told to it. Answers are never passed over: a client
/// that leaves 4 MB of them unread is told to go.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pintle/telemetry/message_sink.h"

namespace pintle::foxglove {

using ClientId = std::uint64_t;
using Bytes = std::vector<std::byte>;

using ParameterValue = std::variant<bool, double, std::string>;
struct Parameter {
  std::string name;
  ParameterValue value;
};

struct Service {
  std::string name;     ///< "/pintle/pause".
  std::string type;     ///< Of the request and the answer, for a person.
  std::string request;  ///< JSON Schemas.
  std::string response;
};

struct ServiceCall {
  ClientId client = 0;
  std::uint32_t service = 0;  ///< Number in Deeds::services().
  std::uint32_t call = 0;     ///< The client's number.
  std::string request;        ///< JSON, as it came.
  bool is_late = false;       ///< It lay here while the server stood still.
};

/// A message of a client.
struct ClientMessage {
  std::string_view topic, encoding, schema_name;
  std::span<const std::byte> bytes;
};

/// What can be done through the server, beside looking. Of its thread.
class Deeds {
 public:
  virtual ~Deeds() = default;
  [[nodiscard]] virtual const std::vector<Service>& services() const = 0;
  /// Answered with Hub::answer, at once or later, unless it returns why it will not be.
  virtual std::string call(const ServiceCall& call) = 0;
  [[nodiscard]] virtual std::vector<Parameter> parameters() const = 0;
  /// All or none; empty, or why none. Warnings are appended to `note`.
  virtual std::string set(const std::vector<Parameter>& wanted, std::string& note) = 0;
  /// Empty, or why it was not taken.
  virtual std::string publish(const ClientMessage& message) = 0;
  /// Null: there is none of that name.
  [[nodiscard]] virtual std::optional<std::string> asset(std::string_view uri) const = 0;
  /// Nobody waits any more for what it called.
  virtual void left(ClientId) {}
};

struct HubOptions {
  std::string name = "pintle";
  std::string session;  ///< Another one in each run: clients then forget what they had.
};

/// How a channel is told.
enum class Telling : std::uint8_t {
  kNewest,   ///< The newest alone counts.
  kLatched,  ///< And who subscribes later gets it at once.
  kEvery,    ///< Each one, in order; who subscribes later gets the last hundred.
};

class Hub : public telemetry::MessageSink {
 public:
  /// A message on its way: two pieces, the second shared between clients.
  struct Frame {
    bool is_text = false;
    std::string head;
    std::shared_ptr<const Bytes> body;  ///< May be null.
  };

  Hub(HubOptions options, Deeds& deeds);

  // channels
  [[nodiscard]] Channel add_channel(std::string_view topic, const Table& table) override;
  [[nodiscard]] Channel add_channel(std::string_view topic, std::string_view schema_name,
                                    std::string_view schema);
  /// Of JSON text.
  [[nodiscard]] Channel add_json_channel(std::string_view topic, std::string_view schema_name,
                                         std::string_view schema);
  void tell(Channel channel, Telling how);
  /// By its topic, which there is.
  [[nodiscard]] Channel channel(std::string_view topic) const;
  /// Whether anybody would get a message now.
  [[nodiscard]] bool is_wanted(Channel channel) const;
  /// Encoded only when somebody has subscribed, or may get it later.
  bool write(Channel channel, const void* object, Time time) override;
  /// What is encoded already, or JSON.
  void write(Channel channel, std::span<const std::byte> bytes, Time time);
  using MessageSink::write;
  [[nodiscard]] bool has_clients() const noexcept { return !clients_.empty(); }
  /// The server's clock, to those who watch.
  void time(Time now);

  // clients
  void connect(ClientId client);
  void disconnect(ClientId client);
  /// Late is what lay there while the server stood still, and whose sender may have given up: calls
  /// are marked, parameters and messages are not taken, once told.
  void hear_text(ClientId client, std::string_view text, bool is_late = false);
  void hear_binary(ClientId client, std::span<const std::byte> bytes, bool is_late = false);
  /// The next for this client; null when nothing waits.
  [[nodiscard]] std::optional<Frame> next(ClientId client);
  /// Whether it leaves its answers unread, or says too much that makes no sense.
  [[nodiscard]] bool is_to_go(ClientId client) const;

  // answers
  void answer(ClientId client, std::uint32_t service, std::uint32_t call, std::string_view json);
  void fail(ClientId client, std::uint32_t service, std::uint32_t call, std::string_view why);
  /// To everybody: level 0 info, 1 warning, 2 error.
  void status(int level, std::string_view text);
  /// Tells who has subscribed to them of what has changed since they were told last.
  void parameters_changed();

  struct Counters {
    std::uint64_t clients = 0, told = 0, passed_over = 0, refused = 0;
  };
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

 private:
  using Body = std::shared_ptr<const Bytes>;
  struct Message {
    Body body;
    std::uint64_t time_ns = 0;
  };
  struct ChannelState {
    std::string topic, schema_name, schema;
    bool is_json = false;
    const Table* table = nullptr;
    Telling how = Telling::kNewest;
    std::deque<Message> kept;  ///< For who subscribes later.
    std::size_t subscribers = 0;
  };
  struct Subscription {
    Channel channel = 0;
    std::deque<Message> waiting;
  };
  struct ClientChannel {
    std::string topic, encoding, schema_name;
  };
  struct Client {
    std::deque<Frame> answers;
    std::size_t answer_bytes = 0;
    std::map<std::uint32_t, Subscription> subscriptions;
    std::uint32_t last_told = 0;  ///< Subscription: the others come first.
    std::map<std::uint32_t, ClientChannel> channels;
    std::set<std::string, std::less<>> parameters;  ///< Of whose changes it wants to hear.
    bool graph = false, goes = false;
    bool is_late = false, late_told = false;  ///< What it says now.
    std::uint64_t passed_over = 0, passed_told = 0;
    unsigned nonsense = 0;
    std::int64_t told_ns = 0;
  };
  struct Said;  // a message of a client, read

  void hear(ClientId id, Client& client, const Said& said);
  void subscribe(ClientId id, Client& client, const Said& said);
  void say(Client& client, std::string text);
  void put(Client& client, Frame frame);
  void complain(Client& client, std::string_view why);
  /// True, and told once, where what it says now is late.
  bool refuses_late(Client& client);
  void offer(Client& client, Subscription& subscription, const Message& message);
  Channel add(std::string_view topic, std::string_view schema_name, std::string_view schema,
              bool is_json);
  void publish(Channel channel, Body body, Time time);
  [[nodiscard]] std::string channel_json(std::size_t first) const;
  void tell_graph();

  HubOptions options_;
  Deeds& deeds_;
  std::vector<ChannelState> channels_;
  std::map<ClientId, Client> clients_;
  std::map<std::string, ParameterValue, std::less<>> told_parameters_;
  Counters counters_;
  Bytes scratch_;
};

}  // namespace pintle::foxglove
