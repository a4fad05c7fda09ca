#include "pintle/yarp/vector.h"

#include <charconv>
#include <cmath>

#include "pintle/yarp/bytes.h"

namespace pintle::yarp {
namespace {

constexpr std::int32_t kVectorTag = 276;
const char* const kTooMany = "more numbers than a port takes";

/// The quick way; false: it is no vector as YARP writes them.
bool read_vector(std::string_view bytes, Values& out, std::string& why) {
  if (bytes.size() < 8 || get<std::int32_t>(bytes, 0) != kVectorTag) return false;
  const auto n = static_cast<std::uint32_t>(get<std::int32_t>(bytes, 4));
  if (bytes.size() - 8 != std::size_t{8} * n) return false;
  if (n > kMaxValues) {
    why = kTooMany;
    return true;
  }
  for (std::size_t i = 0; i < n; ++i) out.push_back(get<double>(bytes, 8 + 8 * i));
  return true;
}

}  // namespace

std::string to_envelope(const Stamp& stamp) {
  char time[40];
  const auto r = std::to_chars(time, time + sizeof time, stamp.time_s);
  return std::to_string(stamp.count) + " " + std::string(time, r.ptr);
}

std::optional<Stamp> stamp_of(std::string_view envelope) {
  Stamp out;
  const char* const end = envelope.data() + envelope.size();
  const auto count = std::from_chars(envelope.data(), end, out.count);
  if (count.ec != std::errc() || count.ptr == end || *count.ptr != ' ') return std::nullopt;
  const auto time = std::from_chars(count.ptr + 1, end, out.time_s);
  if (time.ec != std::errc() || !std::isfinite(out.time_s)) return std::nullopt;
  return out;
}

Packet packet_of(std::span<const double> values, std::string envelope) {
  Packet out;
  put(out.bytes, kVectorTag);
  put(out.bytes, static_cast<std::int32_t>(values.size()));
  Bottle bottle;
  for (const double x : values) {
    put(out.bytes, x);
    bottle.push_back(Value::float64(x));
  }
  out.line = to_text(bottle);
  out.envelope = std::move(envelope);
  return out;
}

Values values_of(const Message& message, std::string& why) {
  why.clear();
  Values out;
  if (message.is_text || !read_vector(message.data, out, why)) {
    const auto bottle = message.bottle(why);
    if (!bottle) return {};
    const Bottle* numbers = &*bottle;
    if (bottle->size() == 1 && bottle->front().kind == Value::Kind::kList)
      numbers = &bottle->front().items;
    if (numbers->size() > kMaxValues) why = kTooMany;
    for (const Value& v : *numbers) {
      if (!v.is_number()) why = "expected numbers alone";
      out.push_back(v.as_number());
    }
  }
  for (const double x : out)
    if (!std::isfinite(x) && why.empty()) why = "a number that is not finite";
  return why.empty() ? out : Values{};
}

}  // namespace pintle::yarp
