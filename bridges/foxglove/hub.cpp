#include "pintle/foxglove/hub.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "pintle/config/json_text.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::foxglove {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kKept = 100;               // messages of a list, for each who waits
constexpr std::size_t kMostSubscriptions = 256;  // of a client; and channels of its own
constexpr std::size_t kMostAnswerBytes = 4U << 20U;
constexpr unsigned kMostNonsense = 100;
constexpr const char* kLate =
    "the server stood still: parameters and messages of that time are not taken";

// the first byte of binary messages
constexpr unsigned char kData = 1, kTime = 2, kServiceAnswer = 3, kAsset = 4;  // to a client
constexpr unsigned char kClientData = 1, kServiceCall = 2;                     // from one

template <class T>
void put_number(std::string& out, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof value; ++i)
    out.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

/// Reads little-endian numbers and texts; what is missing is told at the end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T number() {
    T value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
      value = static_cast<T>(value | (static_cast<T>(byte()) << (8 * i)));
    return value;
  }
  std::string_view text() {
    const auto n = number<std::uint32_t>();
    if (n > bytes_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view t(reinterpret_cast<const char*>(bytes_.data()), n);
    bytes_ = bytes_.subspan(n);
    return t;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_; }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::uint8_t byte() {
    if (bytes_.empty()) {
      good_ = false;
      return 0;
    }
    const auto b = static_cast<std::uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return b;
  }
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json as_json(const Parameter& p) {
  Json j{{"name", p.name}};
  std::visit(
      [&j](const auto& v) {
        j["value"] = v;
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>) j["type"] = "float64";
      },
      p.value);
  return j;
}

std::uint64_t stamp_ns(Time time) { return time.ns > 0 ? static_cast<std::uint64_t>(time.ns) : 0; }

}  // namespace

struct Hub::Said {
  Json json;
  std::string op;

  /// The list of that name; an empty one when it is none.
  [[nodiscard]] const Json& list(const char* name) const {
    static const Json none = Json::array();
    const auto it = json.find(name);
    return it != json.end() && it->is_array() ? *it : none;
  }
  [[nodiscard]] std::string text(const char* name) const { return text_of(json, name); }
  static std::string text_of(const Json& j, const char* name) {
    const auto it = j.is_object() ? j.find(name) : j.end();
    return j.is_object() && it != j.end() && it->is_string() ? it->get<std::string>()
                                                             : std::string{};
  }
  static std::optional<std::uint32_t> number_of(const Json& j) {
    if (!j.is_number_unsigned() || j.get<std::uint64_t>() > 0xFFFF'FFFFU) return std::nullopt;
    return j.get<std::uint32_t>();
  }
  static std::optional<std::uint32_t> number_of(const Json& j, const char* name) {
    if (!j.is_object()) return std::nullopt;
    const auto it = j.find(name);
    return it == j.end() ? std::nullopt : number_of(*it);
  }
  [[nodiscard]] std::vector<std::string> names(const char* name) const {
    std::vector<std::string> all;
    for (const Json& n : list(name))
      if (n.is_string()) all.push_back(n.get<std::string>());
    return all;
  }
};

Hub::Hub(HubOptions options, Deeds& deeds) : options_(std::move(options)), deeds_(deeds) {}

// ---------------------------------------------------------------------------------------------
// channels

Hub::Channel Hub::add_channel(std::string_view topic, const Table& table) {
  const Channel channel =
      add_channel(topic, telemetry::ros2msg_name(table), telemetry::ros2msg_definition(table));
  channels_[channel].table = &table;
  return channel;
}

Hub::Channel Hub::add_channel(std::string_view topic, std::string_view schema_name,
                              std::string_view schema) {
  return add(topic, schema_name, schema, false);
}

Hub::Channel Hub::add_json_channel(std::string_view topic, std::string_view schema_name,
                                   std::string_view schema) {
  return add(topic, schema_name, schema, true);
}

Hub::Channel Hub::add(std::string_view topic, std::string_view schema_name, std::string_view schema,
                      bool is_json) {
  ChannelState state;
  state.topic = topic;
  state.schema_name = schema_name;
  state.schema = schema;
  state.is_json = is_json;
  channels_.push_back(std::move(state));
  const std::size_t at = channels_.size() - 1;
  if (!clients_.empty()) {
    const std::string text = channel_json(at);
    for (auto& [id, client] : clients_) say(client, text);
    tell_graph();
  }
  return static_cast<Channel>(at);
}

std::string Hub::channel_json(std::size_t first) const {
  Json all = Json::array();
  for (std::size_t i = first; i < channels_.size(); ++i) {
    const ChannelState& c = channels_[i];
    all.push_back({{"id", i},
                   {"topic", c.topic},
                   {"encoding", c.is_json ? "json" : "cdr"},
                   {"schemaName", c.schema_name},
                   {"schema", c.schema},
                   {"schemaEncoding", c.is_json ? "jsonschema" : "ros2msg"}});
  }
  return dump({{"op", "advertise"}, {"channels", std::move(all)}});
}

void Hub::tell(Channel channel, Telling how) { channels_[channel].how = how; }

Hub::Channel Hub::channel(std::string_view topic) const {
  std::size_t at = 0;
  while (channels_.at(at).topic != topic) ++at;
  return static_cast<Channel>(at);
}

bool Hub::is_wanted(Channel channel) const {
  const ChannelState& c = channels_[channel];
  return c.subscribers > 0 || c.how != Telling::kNewest;
}

bool Hub::write(Channel channel, const void* object, Time time) {
  if (!is_wanted(channel)) return true;
  scratch_.clear();
  telemetry::encode_cdr(*channels_[channel].table, object, scratch_);
  publish(channel, std::make_shared<const Bytes>(scratch_), time);
  return true;
}

void Hub::write(Channel channel, std::span<const std::byte> bytes, Time time) {
  if (!is_wanted(channel)) return;
  publish(channel, std::make_shared<const Bytes>(bytes.begin(), bytes.end()), time);
}

void Hub::publish(Channel channel, Body body, Time time) {
  ChannelState& c = channels_[channel];
  const Message message{std::move(body), stamp_ns(time)};
  if (c.how != Telling::kNewest) {
    c.kept.push_back(message);
    if (c.kept.size() > (c.how == Telling::kEvery ? kKept : 1)) c.kept.pop_front();
  }
  if (c.subscribers == 0) return;
  for (auto& [id, client] : clients_)
    for (auto& [number, s] : client.subscriptions)
      if (s.channel == channel) offer(client, s, message);
}

void Hub::offer(Client& client, Subscription& s, const Message& message) {
  const std::size_t most = channels_[s.channel].how == Telling::kEvery ? kKept : 1;
  while (s.waiting.size() >= most) {
    s.waiting.pop_front();
    ++client.passed_over;
    ++counters_.passed_over;
  }
  s.waiting.push_back(message);
}

void Hub::time(Time now) {
  for (auto& [id, client] : clients_) {
    if (!client.answers.empty()) continue;  // it reads nothing: no clock either
    Frame f;
    f.head.push_back(static_cast<char>(kTime));
    put_number(f.head, stamp_ns(now));
    put(client, std::move(f));
    // that it is slow is told at most once a second of the clock that it sees
    if (client.passed_over == client.passed_told || now.ns - client.told_ns < 1'000'000'000)
      continue;
    say(client, dump({{"op", "status"},
                      {"level", 1},
                      {"message", std::to_string(client.passed_over) +
                                      " messages were passed over: this client reads too slowly"},
                      {"id", "passed_over"}}));
    client.passed_told = client.passed_over;
    client.told_ns = now.ns;
  }
}

// ---------------------------------------------------------------------------------------------
// clients

void Hub::connect(ClientId id) {
  Client& client = clients_[id];
  ++counters_.clients;
  say(client, dump({{"op", "serverInfo"},
                    {"name", options_.name},
                    {"capabilities",
                     {"clientPublish", "parameters", "parametersSubscribe", "time", "services",
                      "connectionGraph", "assets"}},
                    {"supportedEncodings", {"json", "cdr"}},
                    {"metadata", Json::object()},
                    {"sessionId", options_.session}}));
  if (!channels_.empty()) say(client, channel_json(0));
  Json services = Json::array();
  for (std::size_t i = 0; i < deeds_.services().size(); ++i) {
    const Service& s = deeds_.services()[i];
    const auto side = [&s](const char* what, const std::string& schema) {
      return Json{{"encoding", "json"},
                  {"schemaName", s.type + what},
                  {"schemaEncoding", "jsonschema"},
                  {"schema", schema}};
    };
    services.push_back({{"id", i},
                        {"name", s.name},
                        {"type", s.type},
                        {"request", side("_Request", s.request)},
                        {"response", side("_Response", s.response)}});
  }
  if (!services.empty())
    say(client, dump({{"op", "advertiseServices"}, {"services", std::move(services)}}));
}

void Hub::disconnect(ClientId id) {
  const auto it = clients_.find(id);
  if (it == clients_.end()) return;
  for (const auto& [number, s] : it->second.subscriptions) --channels_[s.channel].subscribers;
  clients_.erase(it);
  deeds_.left(id);
  tell_graph();
}

void Hub::say(Client& client, std::string text) {
  Frame f;
  f.is_text = true;
  f.head = std::move(text);
  put(client, std::move(f));
}

void Hub::put(Client& client, Frame frame) {
  client.answer_bytes += frame.head.size() + (frame.body ? frame.body->size() : 0);
  client.goes = client.goes || client.answer_bytes > kMostAnswerBytes;
  if (client.goes) return;
  client.answers.push_back(std::move(frame));
}

void Hub::complain(Client& client, std::string_view why) {
  ++counters_.refused;
  client.goes = client.goes || ++client.nonsense > kMostNonsense;
  say(client, dump({{"op", "status"}, {"level", 2}, {"message", why}}));
}

bool Hub::refuses_late(Client& client) {
  if (!client.is_late) return false;
  if (!std::exchange(client.late_told, true))
    say(client, dump({{"op", "status"}, {"level", 1}, {"message", kLate}}));
  return true;
}

std::optional<Hub::Frame> Hub::next(ClientId id) {
  const auto it = clients_.find(id);
  if (it == clients_.end()) return std::nullopt;
  Client& client = it->second;
  if (!client.answers.empty()) {
    Frame f = std::move(client.answers.front());
    client.answers.pop_front();
    client.answer_bytes -= f.head.size() + (f.body ? f.body->size() : 0);
    return f;
  }
  // in turn, so that no busy channel keeps the others waiting
  auto& all = client.subscriptions;
  auto at = all.upper_bound(client.last_told);
  for (std::size_t i = 0; i < all.size(); ++i, ++at) {
    if (at == all.end()) at = all.begin();
    Subscription& s = at->second;
    if (s.waiting.empty()) continue;
    Frame f;
    f.head.push_back(static_cast<char>(kData));
    put_number(f.head, at->first);
    put_number(f.head, s.waiting.front().time_ns);
    f.body = std::move(s.waiting.front().body);
    s.waiting.pop_front();
    client.last_told = at->first;
    ++counters_.told;
    return f;
  }
  return std::nullopt;
}

bool Hub::is_to_go(ClientId id) const {
  const auto it = clients_.find(id);
  return it != clients_.end() && it->second.goes;
}

// ---------------------------------------------------------------------------------------------
// what a client says

void Hub::hear_text(ClientId id, std::string_view text, bool is_late) {
  const auto it = clients_.find(id);
  if (it == clients_.end()) return;
  it->second.is_late = is_late;
  it->second.late_told = it->second.late_told && is_late;
  Said said;
  said.json = config::json_of<Json>(text);
  said.op = said.text("op");
  if (said.op.empty())
    return complain(it->second,
                    "expected a JSON object with \"op\", such as {\"op\": \"subscribe\"}");
  hear(id, it->second, said);
}

void Hub::subscribe(ClientId, Client& client, const Said& said) {
  for (const Json& s : said.list("subscriptions")) {
    const auto number = Said::number_of(s, "id"), channel = Said::number_of(s, "channelId");
    if (!number || !channel || *channel >= channels_.size()) {
      complain(client, "subscribe: there is no such channel");
      continue;
    }
    if (client.subscriptions.contains(*number)) {
      complain(client, "subscribe: that id is in use");
      continue;
    }
    if (client.subscriptions.size() >= kMostSubscriptions) {
      complain(client, "subscribe: no more than 256 at a time");
      return;
    }
    Subscription& mine = client.subscriptions[*number];
    mine.channel = static_cast<Channel>(*channel);
    ChannelState& c = channels_[*channel];
    ++c.subscribers;
    for (const Message& m : c.kept) offer(client, mine, m);
  }
  tell_graph();
}

void Hub::hear(ClientId id, Client& client, const Said& said) {
  if (said.op == "subscribe") return subscribe(id, client, said);
  if (said.op == "unsubscribe") {
    for (const Json& n : said.list("subscriptionIds")) {
      const auto number = Said::number_of(n);
      const auto it = number ? client.subscriptions.find(*number) : client.subscriptions.end();
      if (it == client.subscriptions.end()) {
        complain(client, "unsubscribe: there is no such subscription");
        continue;
      }
      --channels_[it->second.channel].subscribers;
      client.subscriptions.erase(it);
    }
    return tell_graph();
  }
  if (said.op == "advertise") {
    for (const Json& c : said.list("channels")) {
      const auto number = Said::number_of(c, "id");
      const ClientChannel channel{Said::text_of(c, "topic"), Said::text_of(c, "encoding"),
                                  Said::text_of(c, "schemaName")};
      if (!number || channel.topic.empty() || client.channels.size() >= kMostSubscriptions ||
          client.channels.contains(*number))
        complain(client, "advertise: expected a new id and a topic, 256 at most");
      else
        client.channels[*number] = channel;
    }
    return;
  }
  if (said.op == "unadvertise") {
    for (const Json& n : said.list("channelIds"))
      if (const auto number = Said::number_of(n); !number || client.channels.erase(*number) == 0)
        complain(client, "unadvertise: there is no such channel");
    return;
  }
  if (said.op == "getParameters") {
    const std::vector<std::string> names = said.names("parameterNames");
    Json values = Json::array();
    for (const Parameter& p : deeds_.parameters())
      if (names.empty() || std::find(names.begin(), names.end(), p.name) != names.end())
        values.push_back(as_json(p));
    Json answer{{"op", "parameterValues"}, {"parameters", std::move(values)}};
    if (const std::string number = said.text("id"); !number.empty()) answer["id"] = number;
    return say(client, dump(answer));
  }
  if (said.op == "setParameters") {
    std::vector<Parameter> wanted;
    for (const Json& p : said.list("parameters")) {
      Parameter one;
      one.name = Said::text_of(p, "name");
      const Json value = p.is_object() ? p.value("value", Json()) : Json();
      if (value.is_boolean())
        one.value = value.get<bool>();
      else if (value.is_number())
        one.value = value.get<double>();
      else if (value.is_string())
        one.value = value.get<std::string>();
      else
        return complain(client, one.name + ": expected a number, true, false or a name");
      wanted.push_back(std::move(one));
    }
    std::string note;
    const std::string why = refuses_late(client) ? "" : deeds_.set(wanted, note);
    if (!why.empty()) complain(client, why);
    if (!note.empty()) say(client, dump({{"op", "status"}, {"level", 1}, {"message", note}}));
    parameters_changed();
    if (const std::string number = said.text("id"); !number.empty()) {
      Json values = Json::array();
      for (const Parameter& p : deeds_.parameters())
        for (const Parameter& w : wanted)
          if (w.name == p.name) values.push_back(as_json(p));
      say(client, dump({{"op", "parameterValues"}, {"parameters", values}, {"id", number}}));
    }
    return;
  }
  if (said.op == "subscribeParameterUpdates") {
    // changes count from what is so now
    parameters_changed();
    for (const std::string& n : said.names("parameterNames")) client.parameters.insert(n);
    return;
  }
  if (said.op == "unsubscribeParameterUpdates") {
    for (const std::string& n : said.names("parameterNames")) client.parameters.erase(n);
    return;
  }
  if (said.op == "subscribeConnectionGraph") {
    client.graph = true;
    return tell_graph();
  }
  if (said.op == "unsubscribeConnectionGraph") {
    client.graph = false;
    return;
  }
  if (said.op == "fetchAsset") {
    const auto number = Said::number_of(said.json, "requestId");
    if (!number) return complain(client, "fetchAsset: expected a requestId");
    const std::optional<std::string> found = deeds_.asset(said.text("uri"));
    Frame f;
    f.head.push_back(static_cast<char>(kAsset));
    put_number(f.head, *number);
    f.head.push_back(found ? '\0' : '\1');
    const std::string why = found ? "" : "there is no such asset";
    put_number(f.head, static_cast<std::uint32_t>(why.size()));
    f.head += why;
    if (found) f.head += *found;
    return put(client, std::move(f));
  }
  complain(client, "there is no op \"" + said.op.substr(0, 40) + "\"");
}

void Hub::hear_binary(ClientId id, std::span<const std::byte> bytes, bool is_late) {
  const auto it = clients_.find(id);
  if (it == clients_.end()) return;
  Client& client = it->second;
  client.is_late = is_late;
  client.late_told = client.late_told && is_late;
  Cursor in(bytes);
  const auto op = in.number<std::uint8_t>();
  if (op == kClientData) {
    const auto number = in.number<std::uint32_t>();
    const auto channel = client.channels.find(number);
    if (!in.good() || channel == client.channels.end())
      return complain(client, "a message on a channel that was not advertised");
    if (refuses_late(client)) return;
    const ClientChannel& c = channel->second;
    const std::string why = deeds_.publish({c.topic, c.encoding, c.schema_name, in.rest()});
    if (!why.empty()) complain(client, c.topic + ": " + why);
    return;
  }
  if (op == kServiceCall) {
    ServiceCall call;
    call.client = id;
    call.service = in.number<std::uint32_t>();
    call.call = in.number<std::uint32_t>();
    call.is_late = is_late;
    const std::string_view encoding = in.text();
    const auto rest = in.rest();
    if (!in.good()) return complain(client, "a service call that ends early");
    call.request.assign(reinterpret_cast<const char*>(rest.data()), rest.size());
    std::string why;
    if (call.service >= deeds_.services().size())
      why = "there is no such service";
    else if (encoding != "json")
      why = "expected a request in JSON";
    else
      why = deeds_.call(call);
    if (!why.empty()) fail(id, call.service, call.call, why);
    return;
  }
  complain(client, "a binary message of an unknown kind");
}

// ---------------------------------------------------------------------------------------------
// answers

void Hub::answer(ClientId id, std::uint32_t service, std::uint32_t call, std::string_view json) {
  const auto it = clients_.find(id);
  if (it == clients_.end()) return;
  Frame f;
  f.head.push_back(static_cast<char>(kServiceAnswer));
  put_number(f.head, service);
  put_number(f.head, call);
  constexpr std::string_view kEncoding = "json";
  put_number(f.head, static_cast<std::uint32_t>(kEncoding.size()));
  f.head += kEncoding;
  f.head += json;
  put(it->second, std::move(f));
}

void Hub::fail(ClientId id, std::uint32_t service, std::uint32_t call, std::string_view why) {
  const auto it = clients_.find(id);
  if (it == clients_.end()) return;
  say(it->second, dump({{"op", "serviceCallFailure"},
                        {"serviceId", service},
                        {"callId", call},
                        {"message", why}}));
}

void Hub::status(int level, std::string_view text) {
  const std::string s = dump({{"op", "status"}, {"level", level}, {"message", text}});
  for (auto& [id, client] : clients_) say(client, s);
}

void Hub::parameters_changed() {
  std::vector<const Parameter*> changed;
  const std::vector<Parameter> all = deeds_.parameters();
  for (const Parameter& p : all) {
    const auto [it, is_new] = told_parameters_.try_emplace(p.name, p.value);
    if (is_new || it->second == p.value) continue;
    it->second = p.value;
    changed.push_back(&p);
  }
  if (changed.empty()) return;
  for (auto& [id, client] : clients_) {
    Json values = Json::array();
    for (const Parameter* p : changed)
      if (client.parameters.contains(p->name)) values.push_back(as_json(*p));
    if (!values.empty())
      say(client, dump({{"op", "parameterValues"}, {"parameters", std::move(values)}}));
  }
}

void Hub::tell_graph() {
  const bool anybody =
      std::any_of(clients_.begin(), clients_.end(), [](const auto& c) { return c.second.graph; });
  if (!anybody) return;
  Json published = Json::array(), subscribed = Json::array(), services = Json::array();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    published.push_back({{"name", channels_[i].topic}, {"publisherIds", {options_.name}}});
    Json who = Json::array();
    for (const auto& [id, client] : clients_)
      for (const auto& [number, s] : client.subscriptions)
        if (s.channel == i) {
          who.push_back("client " + std::to_string(id));
          break;
        }
    subscribed.push_back({{"name", channels_[i].topic}, {"subscriberIds", std::move(who)}});
  }
  for (const Service& s : deeds_.services())
    services.push_back({{"name", s.name}, {"providerIds", {options_.name}}});
  const std::string text = dump({{"op", "connectionGraphUpdate"},
                                 {"publishedTopics", std::move(published)},
                                 {"subscribedTopics", std::move(subscribed)},
                                 {"advertisedServices", std::move(services)},
                                 {"removedTopics", Json::array()},
                                 {"removedServices", Json::array()}});
  for (auto& [id, client] : clients_)
    if (client.graph) say(client, text);
}

}  // namespace pintle::foxglove
