// Any bytes as a message: decoding must be total, and what was decoded must survive a round trip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pintle/base/signals.h"
#include "pintle/telemetry/encoding.h"

namespace {

struct Part {
  std::uint8_t a = 0;
  double b = 0;
  bool c = false;
  pintle::FixedString<10> name;
};

/// What the signals lack: text, vectors, optionals, wide arrays of structs.
struct Mixed {
  std::vector<Part> parts;
  std::array<Part, 20> many;
  std::vector<std::string> words;
  std::vector<double> numbers;
  std::optional<Part> maybe;
  std::optional<double> number;
  pintle::FixedVector<bool, 9> flags;
  float narrow = 0;
};

}  // namespace

namespace pintle {

template <>
const Table& table_of<Part>() {
  static const Table table = TableBuilder<Part>("Part", "")
                                 .field("a", &Part::a, "", "")
                                 .field("b", &Part::b, "", "")
                                 .field("c", &Part::c, "", "")
                                 .field("name", &Part::name, "", "")
                                 .build();
  return table;
}

template <>
const Table& table_of<Mixed>() {
  static const Table table = TableBuilder<Mixed>("Mixed", "")
                                 .field("parts", &Mixed::parts, "", "")
                                 .field("many", &Mixed::many, "", "")
                                 .field("words", &Mixed::words, "", "")
                                 .field("numbers", &Mixed::numbers, "", "")
                                 .field("maybe", &Mixed::maybe, "", "")
                                 .field("number", &Mixed::number, "", "")
                                 .field("flags", &Mixed::flags, "", "")
                                 .field("narrow", &Mixed::narrow, "", "")
                                 .build();
  return table;
}

}  // namespace pintle

namespace {

template <class T>
void check(std::span<const std::byte> bytes) {
  T value{};
  if (!pintle::telemetry::decode_cdr(bytes, value)) return;
  std::vector<std::byte> once, twice;
  pintle::telemetry::encode_cdr(value, once);
  T back{};
  if (!pintle::telemetry::decode_cdr(once, back)) abort();
  pintle::telemetry::encode_cdr(back, twice);
  if (once != twice) abort();
  (void)pintle::telemetry::to_json(value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  switch (data[0] % 5) {
    case 0: check<Mixed>(bytes); break;
    case 1: check<pintle::Allocation>(bytes); break;
    case 2: check<pintle::Event>(bytes); break;
    case 3: check<pintle::Setpoint>(bytes); break;
    default: check<pintle::VehicleState>(bytes); break;
  }
  return 0;
}
