#include "pintle/foxglove/hub.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "pintle/base/signals.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::foxglove {
namespace {

using Json = nlohmann::json;

class FakeDeeds : public Deeds {
 public:
  [[nodiscard]] const std::vector<Service>& services() const override { return services_; }
  std::string call(const ServiceCall& c) override {
    calls.push_back(c);
    return refusal;
  }
  void left(ClientId client) override { gone.push_back(client); }
  [[nodiscard]] std::vector<Parameter> parameters() const override { return values; }
  std::string set(const std::vector<Parameter>& wanted, std::string& note) override {
    for (const Parameter& w : wanted)
      for (Parameter& p : values)
        if (p.name == w.name) p = w;
    note = warning;
    return refusal;
  }
  std::string publish(const ClientMessage& m) override {
    published.emplace_back(m.topic);
    return refusal;
  }
  [[nodiscard]] std::optional<std::string> asset(std::string_view uri) const override {
    return uri == "pintle:here" ? std::optional<std::string>("found") : std::nullopt;
  }

  std::vector<ClientId> gone;
  std::vector<ServiceCall> calls;
  std::vector<std::string> published;
  std::vector<Parameter> values{{"kp", 1.5}, {"on", true}};
  std::string refusal, warning;

 private:
  std::vector<Service> services_{{"/pintle/pause", "pintle/Command", "{}", "{}"}};
};

class HubTest : public ::testing::Test {
 protected:
  HubTest() : hub({"pintle", "1"}, deeds), pose(hub.add_channel("/pose", table_of<Vec3>())) {}

  /// All that waits for a client: texts as JSON, data as (first byte, rest).
  struct Heard {
    std::vector<Json> texts;
    std::vector<std::string> data;
    [[nodiscard]] Json of(const std::string& op) const {
      for (const Json& j : texts)
        if (j["op"] == op) return j;
      return {};
    }
    [[nodiscard]] std::size_t count(char op) const {
      std::size_t n = 0;
      for (const std::string& d : data) n += d[0] == op ? 1 : 0;
      return n;
    }
  };
  Heard drain(ClientId id) {
    Heard h;
    while (const auto f = hub.next(id)) {
      std::string all = f->head;
      if (f->body) all.append(reinterpret_cast<const char*>(f->body->data()), f->body->size());
      if (f->is_text)
        h.texts.push_back(Json::parse(all));
      else
        h.data.push_back(std::move(all));
    }
    return h;
  }
  void say(ClientId id, const Json& j) { hub.hear_text(id, j.dump()); }
  void subscribe(ClientId id, unsigned number, Hub::Channel channel) {
    say(id, {{"op", "subscribe"}, {"subscriptions", {{{"id", number}, {"channelId", channel}}}}});
  }
  void tell(double x) { hub.write(pose, Vec3{x, 0, 0}, Time{static_cast<std::int64_t>(1e9 * x)}); }
  /// x of a data message.
  static double x_of(const std::string& data) {
    Vec3 v;
    EXPECT_TRUE(telemetry::decode_cdr(std::as_bytes(std::span(data)).subspan(13), v));
    return v.x;
  }

  FakeDeeds deeds;
  Hub hub;
  Hub::Channel pose;
};

TEST_F(HubTest, WhoComesIsToldWhatThereIs) {
  hub.connect(1);
  const Heard h = drain(1);
  EXPECT_EQ(h.of("serverInfo")["sessionId"], "1");
  EXPECT_EQ(h.of("advertise")["channels"][0]["topic"], "/pose");
  EXPECT_EQ(h.of("advertise")["channels"][0]["schemaEncoding"], "ros2msg");
  EXPECT_EQ(h.of("advertiseServices")["services"][0]["name"], "/pintle/pause");
  // a channel that is made later, too
  static_cast<void>(hub.add_channel("/later", table_of<Vec3>()));
  EXPECT_EQ(drain(1).of("advertise")["channels"][0]["topic"], "/later");
}

TEST_F(HubTest, WhatIsNestedWithoutEndIsRefusedAsAnythingElse) {
  hub.connect(1);
  static_cast<void>(drain(1));
  const std::string deep = std::string(400'000, '[') + std::string(400'000, ']');
  for (const std::string& op :
       {R"("setParameters","parameters":[{"name":"kp","value":)" + deep + "}]",
        R"("subscribe","subscriptions":)" + deep, R"("advertise","channels":[{"id":)" + deep + "}]",
        deep}) {
    hub.hear_text(1, "{\"op\":" + op + "}");
    EXPECT_EQ(drain(1).texts.size(), 1U) << op.substr(0, 60);
  }
  EXPECT_EQ(deeds.values[0].value, ParameterValue(1.5));
}

TEST_F(HubTest, ASlowClientGetsTheNewestAndIsToldWhatItMissed) {
  hub.connect(1);
  hub.connect(2);
  drain(1);
  drain(2);
  subscribe(1, 7, pose);
  subscribe(2, 7, pose);
  for (int i = 1; i <= 1000; ++i) {
    tell(i);
    EXPECT_EQ(drain(2).data.size(), 1U) << "who reads gets each";
  }
  const Heard slow = drain(1);
  ASSERT_EQ(slow.data.size(), 1U);
  EXPECT_EQ(x_of(slow.data[0]), 1000);
  EXPECT_EQ(static_cast<unsigned char>(slow.data[0][1]), 7) << "the subscription's own number";
  hub.time(Time{5'000'000'000});
  EXPECT_NE(drain(1).of("status")["message"].get<std::string>().find("999 messages"),
            std::string::npos);
  hub.time(Time{7'000'000'000});
  EXPECT_TRUE(drain(1).of("status").is_null()) << "nothing new was missed";
}

TEST_F(HubTest, WhatIsToldAsAListKeepsItsLastHundredAndWhoComesLaterGetsThem) {
  hub.tell(pose, Telling::kEvery);
  for (int i = 1; i <= 250; ++i) tell(i);
  hub.connect(1);
  drain(1);
  subscribe(1, 1, pose);
  Heard h = drain(1);
  ASSERT_EQ(h.data.size(), 100U);
  EXPECT_EQ(x_of(h.data.front()), 151);
  EXPECT_EQ(x_of(h.data.back()), 250);
  hub.tell(pose, Telling::kLatched);
  tell(300);
  hub.connect(2);
  drain(2);
  subscribe(2, 1, pose);
  h = drain(2);
  ASSERT_EQ(h.data.size(), 1U);
  EXPECT_EQ(x_of(h.data[0]), 300);
}

TEST_F(HubTest, NothingIsEncodedThatNobodyWants) {
  EXPECT_FALSE(hub.is_wanted(pose));
  hub.connect(1);
  drain(1);
  subscribe(1, 1, pose);
  EXPECT_TRUE(hub.is_wanted(pose));
  say(1, {{"op", "unsubscribe"}, {"subscriptionIds", {1}}});
  EXPECT_FALSE(hub.is_wanted(pose));
  subscribe(1, 2, pose);
  hub.disconnect(1);
  EXPECT_FALSE(hub.is_wanted(pose)) << "and not after its client has left";
}

TEST_F(HubTest, EachOfManySubscriptionsHasItsTurn) {
  const Hub::Channel other = hub.add_channel("/other", table_of<Vec3>());
  hub.tell(pose, Telling::kEvery);
  hub.connect(1);
  drain(1);
  subscribe(1, 1, pose);
  subscribe(1, 2, other);
  for (int i = 1; i <= 50; ++i) tell(i);
  hub.write(other, Vec3{9, 0, 0}, Time{1});
  // the busy one has fifty, and the other is second at the latest
  static_cast<void>(hub.next(1));
  const auto second = hub.next(1), third = hub.next(1);
  EXPECT_TRUE(second->head[1] == 2 || third->head[1] == 2);
}

TEST_F(HubTest, ParametersAreReadSetAndFollowed) {
  hub.connect(1);
  hub.connect(2);
  drain(1);
  drain(2);
  say(1, {{"op", "getParameters"}, {"parameterNames", {"kp"}}, {"id", "a"}});
  Json got = drain(1).of("parameterValues");
  EXPECT_EQ(got["id"], "a");
  ASSERT_EQ(got["parameters"].size(), 1U);
  EXPECT_EQ(got["parameters"][0]["value"], 1.5);
  EXPECT_EQ(got["parameters"][0]["type"], "float64");
  say(2, {{"op", "subscribeParameterUpdates"}, {"parameterNames", {"kp"}}});
  EXPECT_TRUE(drain(2).texts.empty());
  say(1, {{"op", "setParameters"},
          {"parameters", {{{"name", "kp"}, {"value", 2}}, {{"name", "on"}, {"value", false}}}},
          {"id", "b"}});
  EXPECT_EQ(drain(1).of("parameterValues")["parameters"].size(), 2U);
  got = drain(2).of("parameterValues");
  ASSERT_EQ(got["parameters"].size(), 1U) << "only what it asked for";
  EXPECT_EQ(got["parameters"][0]["value"], 2.0);
  say(1, {{"op", "setParameters"}, {"parameters", {{{"name", "kp"}, {"value", nullptr}}}}});
  EXPECT_EQ(drain(1).of("status")["level"], 2);
}

TEST_F(HubTest, ServiceCallsReachTheirDeedAndAreAnswered) {
  hub.connect(1);
  drain(1);
  const auto call = [&](std::uint32_t service, const std::string& encoding) {
    std::string m(1, '\2');
    for (const std::uint32_t n : {service, 42U, static_cast<std::uint32_t>(encoding.size())})
      for (int i = 0; i < 4; ++i) m.push_back(static_cast<char>((n >> (8 * i)) & 0xFF));
    m += encoding + "{}";
    hub.hear_binary(1, std::as_bytes(std::span(m)));
  };
  call(0, "json");
  ASSERT_EQ(deeds.calls.size(), 1U);
  EXPECT_EQ(deeds.calls[0].request, "{}");
  hub.answer(1, 0, 42, R"({"accepted":true})");
  const Heard h = drain(1);
  ASSERT_EQ(h.data.size(), 1U);
  EXPECT_EQ(h.data[0].substr(13), R"(json{"accepted":true})");
  call(5, "json");
  EXPECT_EQ(drain(1).of("serviceCallFailure")["callId"], 42);
  call(0, "cdr");
  EXPECT_EQ(drain(1).of("serviceCallFailure")["message"], "expected a request in JSON");
  EXPECT_EQ(deeds.calls.size(), 1U);
}

TEST_F(HubTest, WhatLayThereWhileTheServerStoodStillSetsNothingAndIsMarkedWhereItAsks) {
  hub.connect(1);
  say(1, {{"op", "advertise"}, {"channels", {{{"id", 9}, {"topic", "/setpoint/pose"}}}}});
  drain(1);
  const std::string setpoint = std::string("\1\11\0\0\0", 5) + "{}",
                    call = std::string("\2\0\0\0\0\4\0\0\0\4\0\0\0", 13) + "json{}";
  const Json set{
      {"op", "setParameters"}, {"id", "s"}, {"parameters", {{{"name", "kp"}, {"value", 9}}}}};
  for (int i = 0; i < 200; ++i) {
    hub.hear_binary(1, std::as_bytes(std::span(setpoint)), true);
    hub.hear_text(1, set.dump(), true);
  }
  hub.hear_binary(1, std::as_bytes(std::span(call)), true);
  EXPECT_TRUE(deeds.published.empty());
  const Heard h = drain(1);
  EXPECT_EQ(h.of("parameterValues")["parameters"][0]["value"], 1.5) << "what stands is answered";
  const auto told = [](const Json& t) { return t["op"] == "status"; };
  EXPECT_EQ(std::count_if(h.texts.begin(), h.texts.end(), told), 1);
  EXPECT_FALSE(hub.is_to_go(1)) << "it is no nonsense";
  hub.hear_binary(1, std::as_bytes(std::span(setpoint)));
  hub.hear_text(1, set.dump());
  hub.hear_binary(1, std::as_bytes(std::span(call)));
  EXPECT_EQ(deeds.published.size(), 1U);
  EXPECT_EQ(drain(1).of("parameterValues")["parameters"][0]["value"], 9.0);
  ASSERT_EQ(deeds.calls.size(), 2U);
  EXPECT_TRUE(deeds.calls[0].is_late);
  EXPECT_FALSE(deeds.calls[1].is_late);
}

TEST_F(HubTest, ThatAClientHasLeftIsSaidOnce) {
  hub.connect(1);
  hub.connect(2);
  hub.disconnect(1);
  hub.disconnect(1);
  EXPECT_EQ(deeds.gone, std::vector<ClientId>{1});
}

TEST_F(HubTest, WhoDoesNotReadItsAnswersIsToldToGo) {
  hub.connect(1);
  for (int i = 0; i < 100'000 && !hub.is_to_go(1); ++i)
    say(1, {{"op", "getParameters"}, {"parameterNames", Json::array()}, {"id", "x"}});
  EXPECT_TRUE(hub.is_to_go(1));
}

TEST_F(HubTest, WhoTalksNonsenseIsToldSoAndThenToGo) {
  hub.connect(1);
  drain(1);
  for (const char* text :
       {"", "{", "[]", "7", R"({"op": 3})", R"({"op": "fly"})",
        R"({"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 0}]})",
        R"({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 99}]})"}) {
    hub.hear_text(1, text);
    EXPECT_EQ(drain(1).of("status")["level"], 2) << text;
  }
  EXPECT_FALSE(hub.is_to_go(1));
  for (int i = 0; i < 100; ++i) hub.hear_text(1, "nonsense");
  EXPECT_TRUE(hub.is_to_go(1));
}

TEST_F(HubTest, NoBytesHarmIt) {
  std::mt19937_64 bits(5);
  const auto below = [&bits](std::size_t n) { return n == 0 ? 0 : bits() % n; };
  const std::string texts[] = {
      R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":0}]})",
      R"({"op":"advertise","channels":[{"id":1,"topic":"/t","encoding":"json","schemaName":"s"}]})",
      R"({"op":"setParameters","parameters":[{"name":"kp","value":3}],"id":"q"})",
      R"({"op":"fetchAsset","uri":"pintle:here","requestId":1})",
      R"({"op":"subscribeConnectionGraph"})"};
  for (int round = 0; round < 20'000; ++round) {
    const ClientId id = static_cast<ClientId>(round);
    hub.connect(id);
    for (int n = 0; n < 4; ++n) {
      std::string m = texts[below(std::size(texts))];
      for (std::size_t k = below(4); k > 0; --k) m[below(m.size())] = static_cast<char>(below(256));
      m.resize(m.size() - (below(4) == 0 ? below(m.size()) : 0));
      hub.hear_text(id, m);
      std::string b(below(40), '\0');
      for (char& c : b) c = static_cast<char>(below(below(2) == 0 ? 4 : 256));
      hub.hear_binary(id, std::as_bytes(std::span(b)));
    }
    tell(1);
    hub.time(Time{round});
    while (hub.next(id)) continue;
    hub.disconnect(id);
  }
  EXPECT_FALSE(hub.has_clients());
  EXPECT_FALSE(hub.is_wanted(pose));
}

TEST_F(HubTest, AssetsAndTheGraphAreGivenOnRequest) {
  hub.connect(1);
  drain(1);
  say(1, {{"op", "fetchAsset"}, {"uri", "pintle:here"}, {"requestId", 3}});
  say(1, {{"op", "fetchAsset"}, {"uri", "file:///etc/passwd"}, {"requestId", 4}});
  const Heard h = drain(1);
  ASSERT_EQ(h.count('\4'), 2U);
  EXPECT_EQ(h.data[0].substr(10), "found");
  EXPECT_EQ(h.data[1][5], '\1') << "an error";
  say(1, {{"op", "subscribeConnectionGraph"}});
  drain(1);
  subscribe(1, 1, pose);
  EXPECT_EQ(drain(1).of("connectionGraphUpdate")["subscribedTopics"][0]["subscriberIds"][0],
            "client 1");
}

}  // namespace
}  // namespace pintle::foxglove
