// Any bytes as an allocation problem: mostly small round numbers, for ties; sometimes anything
// that a double can be.
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>

#include "fuzz/allocation_checks.h"

namespace pintle::allocation::fuzz {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::uint8_t byte() {
    if (at_ >= size_) return 0;
    return data_[at_++];
  }
  double number() {
    const std::uint8_t kind = byte();
    if (kind < 160) return (static_cast<int>(kind) - 80) / 16.0;
    if (kind < 200) return (static_cast<int>(byte()) - 128) / 128.0 * std::exp2(kind - 180);
    switch (kind) {
      case 250: return std::numeric_limits<double>::quiet_NaN();
      case 251: return std::numeric_limits<double>::infinity();
      case 252: return -std::numeric_limits<double>::infinity();
      case 253: return std::numeric_limits<double>::denorm_min();
      case 254: return 1e300;
      case 255: {
        double x = 0;
        std::uint8_t raw[8];
        for (std::uint8_t& b : raw) b = byte();
        std::memcpy(&x, raw, sizeof x);
        return x;
      }
      default: return 0;
    }
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

inline Input decode(Bytes& bytes) {
  Input in;
  in.effectiveness.n = bytes.byte() % 68;
  in.settings.objective.k2 = bytes.byte() % 2 == 0 ? 0 : std::abs(bytes.number());
  const std::uint8_t flags = bytes.byte();
  if ((flags & 16) != 0)
    for (std::uint8_t& g : in.demand.group) g = bytes.byte() % 3;
  in.settings.objective.preserve_direction = (flags & 96) == 96;
  Vec6 w;
  for (double& x : w.v) x = bytes.number();
  in.demand.F_Bo_B = to_wrench(w);
  if ((flags & 1) != 0)
    for (double& x : in.demand.weight) x = std::abs(bytes.number());
  for (std::size_t i = 0; i < std::min<std::size_t>(in.effectiveness.n, kMaxChannels); ++i) {
    for (double& x : in.effectiveness.column[i].v) x = bytes.number();
    in.effectiveness.lower[i] = (flags & 2) != 0 ? bytes.number() : -1;
    in.effectiveness.upper[i] = (flags & 2) != 0 ? bytes.number() : 1;
    if ((flags & 4) != 0) in.effectiveness.preferred[i] = bytes.number();
    if ((flags & 8) != 0)
      in.health[i] = {static_cast<Health>(bytes.byte() % 5), bytes.number(), bytes.number()};
  }
  return in;
}

}  // namespace pintle::allocation::fuzz
