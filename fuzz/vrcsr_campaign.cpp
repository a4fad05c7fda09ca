// Mutated VRCSR frames: none is accepted for what was never sent, none crashes.
//
//   vrcsr_campaign FRAMES    JSON on stdout; 1 when something was accepted that must not be
//
// Each frame is hit by one to six mutations (bit, byte, lost or doubled bytes, burst) and stands
// between two good ones; all go through one decoder. What is accepted must be one of the three.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pintle/base/random.h"
#include "pintle/device/m5_messages.h"

namespace {

using namespace pintle;
using namespace pintle::device;
using Bytes = std::vector<std::uint8_t>;

std::size_t below(RandomStream& random, std::size_t n) { return random.bits() % n; }

Bytes any_frame(RandomStream& random) {
  std::array<std::uint8_t, kM5MaxFrame> out{};
  const auto node = static_cast<std::uint8_t>(below(random, 128));
  const float value = static_cast<float>(random.uniform(-1, 1));
  std::size_t n = 0;
  switch (below(random, 5)) {
    case 0: n = encode_propulsion(node, node, std::array{value}, out); break;
    case 1: n = encode_propulsion(0x81, node, std::array{value, -value, value, 0.0F}, out); break;
    case 2: n = encode_read(node, m5::kRpm, 20, out); break;
    case 3: n = encode_read_reply(node, m5::kNodeId, 1, std::array{node}, out); break;
    default: n = encode_standard_response(node, 1, {3600 * value, 48, 10 * value, 30, 0}, out);
  }
  return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n)};
}

void mutate(RandomStream& random, Bytes& bytes) {
  for (std::size_t k = 1 + below(random, 6); k > 0 && !bytes.empty(); --k) {
    const std::size_t i = below(random, bytes.size());
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(i);
    switch (below(random, 5)) {
      case 0: *at = static_cast<std::uint8_t>(*at ^ (1U << below(random, 8))); break;
      case 1: *at = static_cast<std::uint8_t>(random.bits()); break;
      case 2: bytes.erase(at); break;
      case 3: bytes.insert(at, *at); break;
      default:
        for (std::size_t j = i; j < std::min(i + 4, bytes.size()); ++j)
          bytes[j] = static_cast<std::uint8_t>(random.bits());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long frames = argc > 1 ? std::atol(argv[1]) : 100000;
  RandomStream random(1, "vrcsr campaign");
  VrcsrDecoder decoder;
  long wrong = 0, lost = 0;
  std::array<std::uint8_t, kVrcsrMaxFrame> again{};
  for (long i = 0; i < frames; ++i) {
    const Bytes before = any_frame(random), hit = any_frame(random), after = any_frame(random);
    Bytes mutated = hit, stream = before;
    mutate(random, mutated);
    stream.insert(stream.end(), mutated.begin(), mutated.end());
    stream.insert(stream.end(), after.begin(), after.end());
    std::span<const std::uint8_t> rest = stream;
    bool found_before = false;
    while (const auto f = decoder.next(rest)) {
      const std::size_t n = encode_vrcsr(*f, again);
      const auto is = [&](const Bytes& sent) {
        return n == sent.size() && std::equal(sent.begin(), sent.end(), again.begin());
      };
      found_before = found_before || is(before);
      // a lost end may be completed by the next frame's first bytes: that is what was sent, too
      if (n == 0 || !(is(before) || is(hit) || is(after))) ++wrong;
    }
    // an exchange is over: what has begun is given up, as the driver does
    decoder.reset();
    if (!found_before) ++lost;
  }
  std::printf("{\"mutated_frames\": %ld, \"accepted_wrongly\": %ld, \"good_frames_lost\": %ld}\n",
              frames, wrong, lost);
  return wrong == 0 && lost == 0 ? 0 : 1;
}
