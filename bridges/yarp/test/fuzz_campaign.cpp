// Spoilt streams, as many as asked for: through the decoders alone, and at a port that serves a
// good writer all the while. Prints its figures as JSON; ends with 0 when nothing was lost and the
// memory stayed what it was.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "../frames_for_test.h"
#include "pintle/yarp/name_server.h"

namespace {

using namespace pintle::yarp;
using pintle::yarp::testing::Random;

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Counts {
  std::uint64_t streams = 0, messages = 0, bottles = 0, refused = 0, broken = 0, lines = 0;
};

void digest(const std::string& stream, NameTable& table, Counts& c) {
  Decoder decoder;
  decoder.feed(stream);
  for (auto e = decoder.next(); e != Decoder::Event::kNone; e = decoder.next()) {
    std::string why;
    if (e == Decoder::Event::kBroken) {
      ++c.broken;
      break;
    }
    if (e == Decoder::Event::kLine) {
      ++c.lines;
      (void)table.answer(decoder.message().data);
    }
    if (e != Decoder::Event::kMessage) continue;
    ++c.messages;
    (void)stamp_of(decoder.message().envelope());
    (void)values_of(decoder.message(), why);
    const auto bottle = decoder.message().bottle(why);
    ++(bottle ? c.bottles : c.refused);
    if (!bottle || decoder.message().is_text) continue;
    const auto again = from_bytes(to_bytes(*bottle), why);
    if (!again || !(*again == *bottle)) std::abort();
  }
}

/// A good writer at a port, message by message, between bad ones. Messages that were lost.
std::uint64_t at_a_port(std::uint64_t streams, Random& random) {
  NetworkOptions options;
  options.name_server = {"127.0.0.1", 1};  // none
  Network network(options);
  VectorInput& input = network.input("/fuzzed", {3});
  const Address address = input.port().address();
  network.start();
  Dialogue good(address, Dialogue::Seconds(30));
  good.say(hello(Carrier::kTcp, "/good"));
  std::string heard;
  while (heard.size() < 8) (void)good.hear(heard);
  std::uint64_t acknowledged = 0;
  const double values[]{1, 2, 3};
  const std::string frame = message(Carrier::kTcp, "D", packet_of(values));
  for (std::uint64_t i = 0; i < streams; ++i) {
    std::string bad = pintle::yarp::testing::random_stream(random);
    pintle::yarp::testing::spoil(random, bad);
    try {
      Dialogue one(address, Dialogue::Seconds(30));
      one.say(bad);
    } catch (const std::runtime_error&) {
      // hung up on while it talked
    }
    if (i % 16 != 0) continue;
    good.say(frame);
    heard.clear();
    while (heard.size() < 8) (void)good.hear(heard);
    ++acknowledged;
  }
  bool taken = false;
  network.loop().call_and_wait([&] { taken = true; });
  const Heard& newest = input.newest();
  return taken ? acknowledged - std::min(acknowledged, newest.count) : acknowledged;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::uint64_t at_port = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100'000;
  Random random(1);
  NameTable table({"127.0.0.1", 10000});
  Counts c;
  long early_kib = 0;
  for (c.streams = 0; c.streams < wanted; ++c.streams) {
    std::string stream = testing::random_stream(random);
    if (c.streams % 50 == 0)
      stream = "NAME_SERVER register /a tcp 1.2.3.4 5\nVER list\nVER bot query /a\n";
    testing::spoil(random, stream);
    digest(stream, table, c);
    if (c.streams == wanted / 10) early_kib = peak_kib();
  }
  const long decoded_kib = peak_kib();
  const std::uint64_t lost = at_a_port(at_port, random);
  std::printf(
      "{\"streams\": %llu, \"messages\": %llu, \"bottles\": %llu, \"refused\": %llu, \"broken\": "
      "%llu, \"name_server_lines\": %llu, \"streams_at_a_port\": %llu, \"good_messages_lost\": "
      "%llu, "
      "\"peak_kib_after_a_tenth\": %ld, \"peak_kib\": %ld, \"peak_kib_with_the_port\": %ld}\n",
      static_cast<unsigned long long>(c.streams), static_cast<unsigned long long>(c.messages),
      static_cast<unsigned long long>(c.bottles), static_cast<unsigned long long>(c.refused),
      static_cast<unsigned long long>(c.broken), static_cast<unsigned long long>(c.lines),
      static_cast<unsigned long long>(at_port), static_cast<unsigned long long>(lost), early_kib,
      decoded_kib, peak_kib());
  return lost == 0 && decoded_kib < early_kib + 20'000 ? 0 : 1;
}
