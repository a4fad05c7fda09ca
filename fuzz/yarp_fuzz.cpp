// Any bytes on a connection: neither a crash, nor a hang, nor memory beyond the limits; and what is
// read as a bottle is written back as it was.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "pintle/yarp/name_server.h"
#include "pintle/yarp/vector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pintle::yarp;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Decoder decoder;
  decoder.feed(bytes);
  static NameTable table({"127.0.0.1", 10000});
  for (auto e = decoder.next(); e != Decoder::Event::kNone; e = decoder.next()) {
    if (e == Decoder::Event::kBroken) break;
    if (decoder.waiting() > size) abort();
    std::string why;
    if (e == Decoder::Event::kLine) (void)table.answer(decoder.message().data);
    if (e != Decoder::Event::kMessage) continue;
    (void)values_of(decoder.message(), why);
    (void)stamp_of(decoder.message().envelope());
    const auto bottle = decoder.message().bottle(why);
    if (!bottle || decoder.message().is_text) continue;
    const auto again = from_bytes(to_bytes(*bottle), why);
    if (!again || !(*again == *bottle)) abort();
  }
  for (const Carrier carrier : {Carrier::kTcp, Carrier::kTextAck}) {
    Answers answers(carrier);
    answers.feed(bytes);
  }
  return 0;
}
