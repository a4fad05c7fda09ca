// real sockets, in the process that ticks
#include "pintle/foxglove/live.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "pintle/craft/live.h"
#include "pintle/craft/load.h"

namespace pintle::foxglove {
namespace {

/// A connection that takes what is given to it; the protocol as its documents have it.
class Peer {
 public:
  explicit Peer(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~Peer() {
    if (fd_ >= 0) ::close(fd_);
  }
  Peer(Peer&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), heard_(std::move(other.heard_)) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void say(const std::string& bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// Reads what there is; false: it has been left.
  bool look() {
    char chunk[65536];
    for (;;) {
      const ssize_t n = ::recv(fd_, chunk, sizeof chunk, MSG_DONTWAIT);
      if (n <= 0) return n < 0 && errno == EAGAIN;
      heard_.append(chunk, static_cast<std::size_t>(n));
    }
  }
  [[nodiscard]] bool has_heard(const std::string& text) const {
    return heard_.find(text) != std::string::npos;
  }
  void wait_for(const std::string& text) {
    while (!has_heard(text)) {
      pollfd one{fd_, POLLIN, 0};
      ::poll(&one, 1, 60'000);
      ASSERT_TRUE(look()) << heard_;
    }
  }
  /// Comes in and is told what it may ask for.
  void upgrade(std::uint16_t port) {
    say("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
        "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n\r\n");
    wait_for("\"/pintle/step_test\"");
  }
  void call(const std::string& service) const {
    const std::string name = ",\"name\":\"" + service + "\"", key = "\"id\":";
    const std::size_t at = heard_.rfind(key, heard_.find(name));
    ASSERT_NE(at, std::string::npos) << service;
    std::string out("\x02", 1);
    for (const std::uint32_t n :
         {static_cast<std::uint32_t>(std::stoul(heard_.substr(at + key.size()))), 7U, 4U})
      out.append(reinterpret_cast<const char*>(&n), 4);
    out += "json{}";
    send('\x82', out);
  }
  void set(const std::string& name, const std::string& value, const std::string& id) const {
    send('\x81', R"({"op":"setParameters","id":")" + id + R"(","parameters":[{"name":")" + name +
                     R"(","value":)" + value + "}]}");
  }

 private:
  /// Of at most 125 bytes. A mask of zeros changes nothing.
  void send(char kind, const std::string& out) const {
    ASSERT_LT(out.size(), 126U);
    say(std::string{kind, static_cast<char>(0x80U | out.size()), 0, 0, 0, 0} + out);
  }

  int fd_;
  std::string heard_;
};

class LiveTest : public ::testing::Test {
 protected:
  static craft::Configuration pool() {
    const craft::MissionFile m =
        craft::load_mission(std::string(PINTLE_SOURCE_DIR) + "/missions/pool.yaml");
    return {1, m.vehicle, m.mission, false};
  }
  static WebOptions any_port() {
    WebOptions web;
    web.port = 0;
    return web;
  }
  LiveTest() { live_.begin(tuning_); }
  ~LiveTest() override { live_.end(); }
  /// At the pace of a flight: a loop that spins is through with the mission in a second, and it ends
  /// by itself.
  void tick() {
    std::this_thread::sleep_for(std::chrono::nanoseconds(model_.period.ns));
    in_ = {};
    in_.now = now_;
    in_.generation = model_.generation;
    in_.has_odometry = true;
    in_.odometry = {now_, {{1, 2, -3}, {}}, {}};
    live_.put(model_, out_, in_);
    stack::tick(model_, state_, work_, in_, out_);
    live_.take(model_, in_, out_);
    now_ = now_ + model_.period;
  }
  Peer asks(const std::string& service) {
    Peer peer(live_.port());
    peer.upgrade(live_.port());
    peer.call(service);
    return peer;
  }

  flight::Tuning tuning_{pool()};
  Live live_{any_port()};
  const stack::Model& model_ = tuning_.newest()->model;
  stack::State state_ = stack::initial_state(model_);
  stack::Workspace work_;
  stack::Inputs in_;
  stack::Outputs out_;
  Time now_{};
};

TEST_F(LiveTest, WhatAFileWouldBeWarnedAboutIsAskedBack) {
  flight::Tuning tuning(
      {1, craft::load_vehicle(PINTLE_SOURCE_DIR "/vehicles/quad.yaml"), std::nullopt, false});
  Live live(any_port());
  live.begin(tuning);
  Peer peer(live.port());
  peer.upgrade(live.port());
  const std::string name = "velocity.xy.Emax";
  const auto is = [&] {
    for (const craft::LiveParameter& p :
         craft::live_parameters(tuning.newest()->configuration.vehicle))
      if (p.path == name) return p.value;
    return std::nan("");
  };
  const double before = is();
  int asked = 0;
  const auto set = [&](double value) {
    const std::string id = "n" + std::to_string(++asked);
    peer.set(name, std::to_string(value), id);
    peer.wait_for("\"id\":\"" + id + "\"");
  };
  set(0);
  EXPECT_EQ(is(), before);
  EXPECT_TRUE(peer.has_heard("velocity.xy.Emax: a limit of 0 clamps to 0"));
  EXPECT_TRUE(peer.has_heard("if it is meant, set the same once more"));
  // something else in between: it is asked back anew
  set(before);
  set(0);
  EXPECT_EQ(is(), before);
  set(0);
  EXPECT_EQ(is(), 0);
  // what is in effect, however it came there, is asked back no more
  set(0);
  EXPECT_EQ(is(), 0);
  ASSERT_TRUE(tuning.set({{name, before}}).applied);
  set(0);
  EXPECT_EQ(is(), before) << "once asked and meant is not for ever";
  live.end();
}

TEST_F(LiveTest, AHundredSilentClientsDoNotDelayAnAbort) {
  const Peer starts = asks("/pintle/free_style");
  while (out_.mission.phase != MissionPhase::kRunning) tick();
  std::vector<Peer> silent, half_way;
  for (int i = 0; i < 25; ++i) {
    silent.emplace_back(live_.port()).upgrade(live_.port());
    silent.emplace_back(live_.port()).upgrade(live_.port());
    silent.back().say({'\x82', '\xE4', 0, 0, 0, 0, '\x02'});  // 100 bytes are to come
  }
  for (int i = 0; i < 25; ++i) {
    half_way.emplace_back(live_.port());
    half_way.emplace_back(live_.port()).say("GET / HTTP/1.1\r\nHost: ");
  }
  const std::uint64_t came = live_.looks();
  Peer who = asks("/pintle/abort");
  const std::uint64_t begun = live_.looks();
  // it takes four turns of both threads to come in
  EXPECT_LE(begun - came, 200U) << "of 5 ms: a second";
  std::uint64_t looks = 0;
  // what is under way stops its clock: what it said before the tick that is told is when it heard
  for (; out_.mission.phase != MissionPhase::kAborting && looks < 100; tick())
    looks = live_.looks() - begun;
  EXPECT_LE(looks, 20U) << "of 5 ms: 100 ms";
  while (who.look() && !who.has_heard("\"accepted\":true")) tick();
  EXPECT_TRUE(who.has_heard("\"accepted\":true"));
  // none of them had to be left first
  for (Peer& s : silent) EXPECT_TRUE(s.look());
}

}  // namespace
}  // namespace pintle::foxglove
