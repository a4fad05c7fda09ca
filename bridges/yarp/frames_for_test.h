/// Random bottles and streams of messages, and ways to spoil them. For tests of this room.
#pragma once
#include <random>

#include "pintle/yarp/wire.h"

namespace pintle::yarp::testing {

using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t n) { return random() % n; }

inline Value random_value(Random& random, int depth) {
  Value v;
  v.kind = static_cast<Value::Kind>(below(random, depth > 3 ? 10 : 12));
  const auto bits = random();
  switch (v.kind) {
    case Value::Kind::kInt8: v.integer = static_cast<std::int8_t>(bits); break;
    case Value::Kind::kInt16: v.integer = static_cast<std::int16_t>(bits); break;
    case Value::Kind::kInt32:
    case Value::Kind::kVocab32: v.integer = static_cast<std::int32_t>(bits); break;
    case Value::Kind::kInt64:
    case Value::Kind::kVocab64: v.integer = static_cast<std::int64_t>(bits); break;
    case Value::Kind::kFloat32:
      v.number = static_cast<double>(static_cast<float>(static_cast<std::int32_t>(bits)) * 1e-3F);
      break;
    case Value::Kind::kFloat64: v.number = std::bit_cast<double>(bits); break;
    case Value::Kind::kString:
    case Value::Kind::kBlob:
      for (std::uint64_t n = below(random, 12); n > 0; --n) v.text += static_cast<char>(random());
      break;
    default:
      for (std::uint64_t n = below(random, 5); n > 0; --n)
        v.items.push_back(random_value(random, depth + 1));
  }
  return v;
}

inline Bottle random_bottle(Random& random) {
  Bottle out;
  const bool alike = below(random, 3) == 0;
  for (std::uint64_t n = below(random, 8); n > 0; --n)
    out.push_back(alike && !out.empty() ? out.front() : random_value(random, 0));
  return out;
}

/// Carrier, name, and a few messages.
inline std::string random_stream(Random& random) {
  static constexpr std::string_view kCommands[]{"D", "d",  "a",  "D 6 1.5", "q",
                                                "*", "/x", "~y", "?"};
  const auto carrier = static_cast<Carrier>(below(random, 4));
  std::string out = hello(carrier, "/peer");
  for (std::uint64_t n = below(random, 4); n > 0; --n) {
    Packet packet = packet_of(random_bottle(random));
    if (below(random, 2) == 0) packet.envelope = "7 0.25";
    out += message(carrier, kCommands[below(random, std::size(kCommands))], packet);
  }
  return out;
}

/// Bits flipped, bytes put in, cut, repeated; numbers of four bytes made extreme.
inline void spoil(Random& random, std::string& bytes) {
  static constexpr std::int32_t kExtremes[]{
      -1, 0, 1, 255, 256, 276, 768, 0x7FFFFFFF, -0x7FFFFFFF - 1};
  for (std::uint64_t n = 1 + below(random, 6); n > 0 && !bytes.empty(); --n) {
    const std::size_t at = below(random, bytes.size());
    switch (below(random, 6)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8))); break;
      case 1: bytes[at] = static_cast<char>(random()); break;
      case 2: bytes.insert(at, 1 + below(random, 4), static_cast<char>(random())); break;
      case 3: bytes.erase(at, 1 + below(random, 4)); break;
      case 4: bytes.insert(at, bytes.substr(at, below(random, 40))); break;
      default: {
        const std::int32_t x = kExtremes[below(random, std::size(kExtremes))];
        for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
          bytes[at + i] = static_cast<char>(static_cast<std::uint32_t>(x) >> (8 * i));
      }
    }
  }
}

}  // namespace pintle::yarp::testing
