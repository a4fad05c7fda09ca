/// Vectors (yarp::sig::Vector): lists of numbers.
///
///   int32 276 (= 256 | 20), int32 n, n x float64
///
/// A vector port of YARP takes nothing else. Here also a bottle of numbers of any kind counts, or
/// one with a single list of numbers in it, so that `1 2 3 4` from a keyboard is what it looks
/// like.
#pragma once
#include <span>
#include <string>

#include "pintle/base/fixed_vector.h"
#include "pintle/yarp/wire.h"

namespace pintle::yarp {

inline constexpr std::size_t kMaxValues = 64;
using Values = FixedVector<double, kMaxValues>;

/// When a sample was taken: a running number and seconds.
struct Stamp {
  std::int32_t count = 0;
  double time_s = 0;
};
/// "6 1795221647.19".
[[nodiscard]] std::string to_envelope(const Stamp& stamp);
[[nodiscard]] std::optional<Stamp> stamp_of(std::string_view envelope);

[[nodiscard]] Packet packet_of(std::span<const double> values, std::string envelope = {});
/// Empty `why`: they are the numbers of the message. Numbers that are not finite are refused.
[[nodiscard]] Values values_of(const Message& message, std::string& why);

}  // namespace pintle::yarp
