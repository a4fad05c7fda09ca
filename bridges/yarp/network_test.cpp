#include "pintle/yarp/network.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "pintle/testing/heap_counter.h"
#include "pintle/yarp/dialogues.h"
#include "pintle/yarp/name_server.h"
#include "pintle/yarp/socket.h"

namespace pintle::yarp {
namespace {

using namespace std::chrono_literals;

template <class Condition>
void wait_for(const Condition& condition) {
  const auto until = Loop::Clock::now() + 120s;
  bool is_met = condition();
  for (; !is_met && Loop::Clock::now() < until; is_met = condition())
    std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(is_met);
}

NetworkOptions at(const NameServer& names) {
  NetworkOptions o;
  o.name_server = names.address();
  return o;
}

TEST(YarpNetwork, SamplesComeInOrderAndAsTheyWereAndTakeNoMemoryOfWhoTicks) {
  const NameServer names({"127.0.0.1", 0});
  Network from(at(names)), to(at(names));
  VectorInput& input = to.input("/in", {3});
  VectorOutput& output = from.output("/out");
  std::vector<double> heard;
  input.taken = [&] { heard.push_back(input.newest().values[0]); };
  to.start();
  from.start();
  ASSERT_EQ(connect_ports(names.address(), "/out", "/in", Carrier::kTcp), "");

  std::uint64_t of_who_ticks = 0;
  for (int i = 1; i <= 500; ++i) {
    const double values[]{static_cast<double>(i), 0.1, -1e300};
    const std::uint64_t before = pintle::testing::heap_allocations();
    const bool written = output.write(values, {i, 0.001 * i});
    of_who_ticks += pintle::testing::heap_allocations() - before;
    EXPECT_TRUE(written);
  }
  EXPECT_EQ(of_who_ticks, 0U);
  wait_for([&] {
    std::size_t n = 0;
    to.loop().call_and_wait([&] { n = heard.size(); });
    return n == 500;
  });
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], static_cast<double>(i + 1));
}

TEST(YarpNetwork, APortThatSomebodyHasOrThatIsNoneIsRefused) {
  const NameServer names({"127.0.0.1", 0});
  Address taken = names.address();
  EXPECT_THROW((void)listen_at(taken), std::runtime_error);
  Address any{"127.0.0.1", 0};
  Socket closed = listen_at(any);
  EXPECT_TRUE(closed.is_open());
  closed.close();
  EXPECT_FALSE(closed.is_open());
  // sixteen bits of it would be the server's
  const Address beyond{"127.0.0.1", names.address().port + 65536};
  EXPECT_THROW(Dialogue(beyond, Dialogue::Seconds(5)), std::runtime_error);
  EXPECT_NO_THROW(Dialogue(names.address(), Dialogue::Seconds(5)));
}

TEST(YarpNetwork, WhoSpeaksToAPortAsToANameServerIsHungUpOn) {
  const NameServer names({"127.0.0.1", 0});
  Network network(at(names));
  VectorInput& input = network.input("/in", {1});
  network.start();
  Dialogue other(input.port().address(), Dialogue::Seconds(60));
  other.say("NAME_SERVER query /in\n");
  std::string heard;
  while (other.hear(heard)) {
  }
  EXPECT_EQ(heard.find("registration"), std::string::npos);
}

TEST(YarpNetwork, ANameThatSomebodyHasIsNotTaken) {
  const NameServer names({"127.0.0.1", 0});
  Network first(at(names)), second(at(names));
  (void)first.output("/mine");
  first.start();
  EXPECT_THROW((void)second.output("/mine"), std::runtime_error);
  EXPECT_THROW((void)second.output("no slash"), std::runtime_error);
}

TEST(YarpNetwork, WithoutANameServerPortsAreOpenAllTheSame) {
  NetworkOptions nobody;
  nobody.name_server = {"127.0.0.1", 1};
  std::vector<std::string> said;
  nobody.say = [&](const std::string& text) { said.push_back(text); };
  Network network(nobody);
  VectorInput& input = network.input("/in", {1});
  network.start();
  EXPECT_FALSE(network.is_named());
  Dialogue writer(input.port().address(), Dialogue::Seconds(60));
  const double value[]{2.5};
  writer.say(hello(Carrier::kFastTcp, "/w") + message(Carrier::kFastTcp, "D", packet_of(value)));
  wait_for([&] { return input.newest().count == 1; });
  EXPECT_EQ(input.newest().values[0], 2.5);
  // looked after all the same, and said once what is missing
  wait_for([&] {
    bool is_said = false;
    network.loop().call_and_wait([&] { is_said = !said.empty(); });
    return is_said;
  });
  network.loop().call_and_wait([&] {
    EXPECT_EQ(said, std::vector<std::string>{"no name server reached at 127.0.0.1:1: /in is told "
                                             "to it when there is one"});
  });
}

TEST(YarpNetwork, ANameServerThatDoesNotAnswerIsToldOfOnce) {
  Address at{"127.0.0.1", 0};
  const Socket server = listen_at(at);
  NameServerPlace place(at);
  Loop loop;
  std::vector<std::string> said;
  PortContext context{loop,    place, at.host,
                      at.host, 5s,    [&](const std::string& text) { said.push_back(text); }};
  PortOptions options;
  options.name = "/in";
  const Port port(context, options);
  // hangs up on whoever asks
  std::atomic<int> questions{0};
  loop.watch(server.descriptor(), POLLIN, [&](short) {
    bool starved = false;
    if (accept_from(server, starved).is_open()) ++questions;
  });
  loop.start();
  // the third comes after the second was not answered
  wait_for([&] { return questions >= 3; });
  loop.stop();
  EXPECT_EQ(said, std::vector<std::string>{"no name server reached at " + to_string(at) +
                                           ": /in is told to it when there is one"});
}

TEST(YarpNetwork, AServerThatTricklesIsGivenUpInTime) {
  Address at{"127.0.0.1", 0};
  const Socket listener = listen_at(at);
  std::atomic<bool> over{false};
  std::atomic<int> sent{0};
  std::thread trickle([&] {
    Socket peer;
    bool starved = false;
    while (!over) {
      if (!peer.is_open()) peer = accept_from(listener, starved);
      std::string byte = "x";
      const Io was = peer.is_open() ? send(peer, byte) : Io::kLater;
      if (was == Io::kDone) ++sent;
      // who has hung up makes room for the next
      if (was == Io::kClosed) peer.close();
      std::this_thread::sleep_for(20ms);
    }
  });
  // each byte comes long before a patience of its own would end; all of it has one
  wait_for([&] {
    const int before = sent;
    EXPECT_THROW((void)ask(at, "query /x", 0.5), std::runtime_error);
    // where the machine stood all that while nothing has trickled: once more
    return sent > before + 2;
  });
  // and is not waited for when it is to stop
  const int before = sent;
  EXPECT_THROW((void)ask(at, "query /x", 3600, [&] { return sent > before + 5; }),
               std::runtime_error);
  over = true;
  trickle.join();
}

/// Dials and says nothing.
std::vector<std::unique_ptr<Dialogue>> silent_ones(const Address& at, std::size_t n) {
  std::vector<std::unique_ptr<Dialogue>> out;
  while (out.size() < n) out.push_back(std::make_unique<Dialogue>(at, Dialogue::Seconds(60)));
  return out;
}

TEST(YarpNetwork, SilentConnectionsGiveWayAndSpeakingOnesStay) {
  const NameServer names({"127.0.0.1", 0});
  Network network(at(names));
  VectorInput& input = network.input("/in", {1});
  network.start();
  const auto figures = [&] {
    PortFigures f;
    network.loop().call_and_wait([&] { f = input.port().figures(); });
    return f;
  };
  const double value[]{1};
  const std::string hail = hello(Carrier::kFastTcp, "/w"),
                    data = message(Carrier::kFastTcp, "D", packet_of(value));
  Dialogue first(input.port().address(), Dialogue::Seconds(60));
  first.say(hail + data);
  wait_for([&] { return input.newest().count == 1; });
  const auto idle = silent_ones(input.port().address(), 100);
  wait_for([&] { return figures().gave_way == 100 + 1 - kMaxConnections; });
  // the one that had spoken before them all is still there, and one more gets in
  first.say(data);
  wait_for([&] { return input.newest().count == 2; });
  Dialogue late(input.port().address(), Dialogue::Seconds(60));
  late.say(hello(Carrier::kFastTcp, "/late") + data);
  wait_for([&] { return input.newest().count == 3; });
  EXPECT_EQ(figures().refused, 0U);
}

/// No descriptor more than now, but one.
class OneDescriptorLeft {
 public:
  OneDescriptorLeft() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(STDIN_FILENO);
    close(next);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next) + 1;
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~OneDescriptorLeft() { setrlimit(RLIMIT_NOFILE, &before_); }
  OneDescriptorLeft(const OneDescriptorLeft&) = delete;
  OneDescriptorLeft& operator=(const OneDescriptorLeft&) = delete;

 private:
  rlimit before_{};
};

TEST(YarpNetwork, WithoutDescriptorsItPausesAndThenLetsIn) {
  NetworkOptions options;
  options.name_server = Address{"127.0.0.1", 1};
  std::string said;
  options.say = [&](const std::string& text) { said += text + "\n"; };
  Network network(options);
  VectorInput& input = network.input("/in", {1});
  network.start();
  PortFigures figures;
  std::unique_ptr<Dialogue> writer;
  {
    const OneDescriptorLeft tight;
    const auto begun = Loop::Clock::now();
    // the port's own questions to a name server want it too, for a moment
    wait_for([&] {
      try {
        if (!writer)
          writer = std::make_unique<Dialogue>(input.port().address(), Dialogue::Seconds(600));
      } catch (const std::runtime_error&) {
      }
      return writer != nullptr;
    });
    wait_for([&] {
      network.loop().call_and_wait([&] { figures = input.port().figures(); });
      return figures.starved >= 3;
    });
    // tried once a second, however long this took
    const std::chrono::duration<double> took = Loop::Clock::now() - begun;
    EXPECT_LE(static_cast<double>(figures.starved), took.count() + 1);
  }
  const double value[]{1};
  writer->say(hello(Carrier::kFastTcp, "/w") + message(Carrier::kFastTcp, "D", packet_of(value)));
  wait_for([&] { return input.newest().count == 1; });
  network.loop().call_and_wait([&] {
    EXPECT_NE(said.find("/in: no descriptors or no memory left"), std::string::npos) << said;
  });
}

TEST(YarpNetwork, ANameServerFullOfSilentConnectionsStillAnswers) {
  const NameServer names({"127.0.0.1", 0});
  const auto idle = silent_ones(names.address(), 100);
  EXPECT_EQ(ask(names.address(), "query /root", 60).size(), 1U);
}

TEST(YarpNetwork, TurnedRoundConnectionsCountToo) {
  const NameServer names({"127.0.0.1", 0});
  Network network(at(names));
  Port& port = network.output("/out").port();
  network.start();
  std::vector<std::unique_ptr<Dialogue>> readers;
  for (std::size_t i = 0; i < 2 * kMaxReaders; ++i) {
    readers.push_back(std::make_unique<Dialogue>(port.address(), Dialogue::Seconds(60)));
    readers.back()->say(hello(Carrier::kText, "/r" + std::to_string(i)) + "r\r\n");
  }
  PortFigures figures;
  std::size_t standing = 0;
  wait_for([&] {
    network.loop().call_and_wait([&] {
      figures = port.figures();
      standing = port.readers().size();
    });
    return figures.refused == kMaxReaders;
  });
  EXPECT_EQ(standing, kMaxReaders);
  // and somebody can still ask
  EXPECT_NE(describe_port(names.address(), "/out"), "");
  EXPECT_NE(connect_ports(names.address(), "/out", "/root", Carrier::kTcp), "");
}

TEST(YarpNetwork, AReaderWhoTakesNothingIsHungUpOnByCarriersWithoutAcknowledgements) {
  const NameServer names({"127.0.0.1", 0});
  for (const Carrier carrier : {Carrier::kText, Carrier::kFastTcp}) {
    NetworkOptions options = at(names);
    options.acknowledge_within = 200ms;
    std::mutex mutex;
    std::string said;
    options.say = [&](const std::string& text) {
      const std::lock_guard lock(mutex);
      said += text + "\n";
    };
    Network network(options);
    VectorOutput& output = network.output("/out");
    network.start();
    Dialogue reader(output.port().address(), Dialogue::Seconds(600));
    reader.say(hello(carrier, "/idle") + message(carrier, "r"));
    const std::vector<double> many(kMaxValues, 0.125);
    std::int32_t n = 0;
    wait_for([&] {
      // much more than sockets hold
      for (int i = 0; i < 500; ++i) (void)output.write(many, {++n, 0.0});
      const std::lock_guard lock(mutex);
      return said.find("/out: /idle takes nothing: hung up") != std::string::npos;
    });
    wait_for([&] {
      std::size_t standing = 1;
      network.loop().call_and_wait([&] { standing = output.port().readers().size(); });
      return standing == 0;
    });
  }
}

TEST(YarpNetwork, WhatHappensOverAndOverIsSaidOnceWithTheNumberOfTheOthers) {
  const NameServer names({"127.0.0.1", 0});
  NetworkOptions options = at(names);
  std::vector<std::string> said;
  options.say = [&](const std::string& text) { said.push_back(text); };
  Network network(options);
  Port& port = network.input("/in", {1}).port();
  network.start();
  network.loop().call_and_wait([&] {
    port.say_rarely("alone", "alone");
    for (int i = 0; i < 1000; ++i) {
      port.say_rarely("garbage", "garbage " + std::to_string(i));
      port.say_rarely("sizes", "sizes " + std::to_string(i));
    }
  });
  wait_for([&] {
    std::size_t n = 0;
    network.loop().call_and_wait([&] { n = said.size(); });
    return n == 5;
  });
  // its time was over before that of the others: it is news again
  network.loop().call_and_wait([&] { port.say_rarely("alone", "alone again"); });
  EXPECT_EQ(said, (std::vector<std::string>{"alone", "garbage 0", "sizes 0",
                                            "garbage 999; and 998 more like it",
                                            "sizes 999; and 998 more like it", "alone again"}));
}

TEST(YarpNetwork, AnAnswerInPiecesIsWaitedForAndHalfOfOneIsNone) {
  Address at{"127.0.0.1", 0};
  const Socket listener = listen_at(at);
  NameServerPlace server(at);
  Loop loop;
  loop.start();
  const std::string whole =
      "registration name /x ip 1.2.3.4 port 5 type tcp\r\n*** end of message\r\n";
  const auto is_found = [&](std::size_t told) {
    std::atomic<int> answers{0};
    bool found = false;
    loop.call([&] {
      query_later(loop, server, "/x", [&](const std::optional<Registration>& r) {
        found = r.has_value();
        ++answers;
      });
    });
    Socket peer;
    wait_for([&] {
      bool starved = false;
      if (!peer.is_open()) peer = accept_from(listener, starved);
      return peer.is_open();
    });
    for (std::size_t i = 0; i < told; i += 20) {
      std::string some = whole.substr(i, std::min<std::size_t>(20, told - i));
      (void)send(peer, some);
      std::this_thread::sleep_for(20ms);
    }
    peer.close();
    wait_for([&] { return answers == 1; });
    return found;
  };
  // on a machine that stands for a second the answer is no longer waited for: once more
  wait_for([&] { return is_found(whole.size()); });
  EXPECT_FALSE(is_found(whole.size() / 2));
  loop.stop();
}

TEST(YarpNetwork, WhoSaysNothingWhenItIsDialledIsGivenUp) {
  const NameServer names({"127.0.0.1", 0});
  Address place{"127.0.0.1", 0};
  const Socket mute = listen_at(place);
  (void)ask(names.address(), "register /mute tcp 127.0.0.1 " + std::to_string(place.port));
  Network network(at(names));
  Port& port = network.output("/out").port();
  network.start();
  EXPECT_FALSE(network.connect(port, "/mute", Carrier::kTcp, false));
}

TEST(YarpNetwork, AReaderWhoIsDisconnectedIsToldOfAtOnceAndTakesNoTimeAfterwards) {
  const NameServer names({"127.0.0.1", 0});
  Network from(at(names)), to(at(names));
  (void)to.input("/in", {1});
  to.start();
  Port* port = nullptr;
  std::vector<std::size_t> readers;
  PortOptions options;
  options.name = "/out";
  options.changed = [&] { readers.push_back(port->readers().size()); };
  port = &from.port(std::move(options));
  from.start();
  const auto is_now = [&](std::size_t n) {
    bool is = false;
    from.loop().call_and_wait([&] { is = !readers.empty() && readers.back() == n; });
    return is;
  };
  ASSERT_TRUE(from.connect(*port, "/in", Carrier::kTcp, false));
  wait_for([&] { return is_now(1); });
  from.loop().call_and_wait([&] { EXPECT_TRUE(port->disconnect("/in")); });
  EXPECT_TRUE(is_now(0));
  // of the network's thread: nobody is there to be looked after
  const auto used_s = [&] {
    timespec t{};
    from.loop().call_and_wait([&] { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); });
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double before_s = used_s();
  std::atomic<bool> later{false};
  from.loop().call([&] { from.loop().after(500ms, [&] { later = true; }); });
  wait_for([&] { return later.load(); });
  EXPECT_LT(used_s() - before_s, 0.025);
}

TEST(YarpNetwork, ANameOfAnotherIsLeftToItAndOneOfTheDeadIsWonBack) {
  const NameServer names({"127.0.0.1", 0});
  Address alive{"127.0.0.1", 0};
  const Socket other = listen_at(alive);
  std::vector<std::string> said;
  {
    NetworkOptions options = at(names);
    options.say = [&](const std::string& text) { said.push_back(text); };
    Network network(options);
    const Address lost = network.input("/lost", {1}).port().address();
    (void)network.input("/taken", {1});
    network.start();
    (void)ask(names.address(), "register /lost tcp 127.0.0.1 1");
    (void)ask(names.address(), "register /taken tcp 127.0.0.1 " + std::to_string(alive.port));
    const auto said_of = [&](const std::string& words) {
      bool found = false;
      network.loop().call_and_wait([&] {
        for (const std::string& line : said) found |= line.find(words) != std::string::npos;
      });
      return found;
    };
    wait_for([&] { return query(names.address(), "/lost", 60)->at == lost; });
    wait_for(
        [&] { return said_of("/lost: had been taken for 127.0.0.1:1, where nobody answers"); });
    wait_for([&] {
      return said_of("/taken: another program has taken this name, at " + to_string(alive));
    });
  }
  EXPECT_FALSE(query(names.address(), "/lost", 60));
  EXPECT_EQ(query(names.address(), "/taken", 60)->at, alive);
}

TEST(YarpNetwork, ANameThatTheKilledLeftBehindIsTakenWhereItsNumberIsAnothersByNow) {
  const NameServer names({"127.0.0.1", 0});
  Network others(at(names)), network(at(names));
  const Address stranger = others.input("/stranger", {1}).port().address();
  const auto leave_behind = [&](const std::string& name, const Address& where) {
    (void)ask(names.address(), "register " + name + " tcp 127.0.0.1 " + std::to_string(where.port));
  };
  leave_behind("/of_the_killed", stranger);
  others.start();
  Address own;
  // one that stands for a second counts as the one that has the name
  wait_for([&] {
    try {
      own = network.input("/of_the_killed", {1}).port().address();
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
  EXPECT_EQ(query(names.address(), "/of_the_killed", 60)->at, own);
  EXPECT_THROW((void)network.input("/stranger", {1}), std::runtime_error);
  EXPECT_TRUE(is_there({"/stranger", stranger, "tcp"}, Dialogue::Seconds(60)));
  EXPECT_FALSE(is_there({"/strange", stranger, "tcp"}, Dialogue::Seconds(60)));
  // what is no port of YARP hangs up on such words
  Address deaf{"127.0.0.1", 0};
  Socket listener = listen_at(deaf);
  std::thread web_server([&] {
    bool starved = false;
    pollfd caller{listener.descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&caller, 1, 120'000), 1);
    EXPECT_TRUE(accept_from(listener, starved).is_open());
  });
  EXPECT_FALSE(is_there({"/of_a_web_server", deaf, "tcp"}, Dialogue::Seconds(60)));
  web_server.join();
  // who takes the call and says nothing may be a program that stands
  leave_behind("/of_the_standing", deaf);
  EXPECT_THROW((void)network.input("/of_the_standing", {1}), std::runtime_error);
}

TEST(YarpNetwork, AtAllAddressesOthersAreToldOneThatCanBeDialled) {
  const NameServer names({"127.0.0.1", 0});
  NetworkOptions options = at(names);
  options.bind = "0.0.0.0";
  std::string said;
  options.say = [&](const std::string& text) { said = text; };
  Network network(options);
  const Address own = network.input("/in", {1}).port().address();
  EXPECT_NE(own.host, "0.0.0.0");
  EXPECT_EQ(query(names.address(), "/in", 60)->at, own);
  EXPECT_EQ(said, "listening at all addresses; others are told " + own.host);
  network.start();
  const Dialogue reached(own, Dialogue::Seconds(60));
}

TEST(YarpNetwork, LocalhostIsAnAddressAndNumbersAreTold) {
  const NameServer names({"localhost", 0});
  EXPECT_EQ(names.address().host, "127.0.0.1");
  EXPECT_EQ(ask({"localhost", names.address().port}, "query /root", 60).size(), 1U);
}

/// A reader of samples.
struct Sink {
  explicit Sink(const NameServer& names) : network(at(names)), input(network.input("/r", {1})) {
    network.start();
  }
  Network network;
  VectorInput& input;
};

TEST(YarpNetwork, TheNextProgramOfANameHearsNothingOfWhatTheLastWasConnectedTo) {
  const NameServer names({"127.0.0.1", 0});
  Network from(at(names));
  VectorOutput& output = from.output("/out");
  from.start();
  const auto connections = [&] {
    std::size_t n = 0;
    from.loop().call_and_wait([&] { n = output.port().connections(); });
    return n;
  };
  {
    const Sink sink(names);
    ASSERT_EQ(connect_ports(names.address(), "/out", "/r", Carrier::kFastTcp), "");
    EXPECT_EQ(connections(), 1U);
  }
  // not even an attempt is left
  EXPECT_EQ(connections(), 0U);
}

TEST(YarpNetwork, AConnectionThatIsKeptComesBackAfterItsReaderWasClosed) {
  const NameServer names({"127.0.0.1", 0});
  Network from(at(names));
  VectorOutput& output = from.output("/out");
  from.start();
  from.loop().call([&] { output.port().connect("/r", Carrier::kTcp, true); });
  const double value[]{1};
  std::int32_t n = 0;
  for (int i = 0; i < 2; ++i) {
    Sink sink(names);
    wait_for([&] {
      (void)output.write(value, {++n, 0.0});
      return sink.input.newest().count > 0;
    });
  }
}

}  // namespace
}  // namespace pintle::yarp
