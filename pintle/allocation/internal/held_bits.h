/// Which of eight channels are held and how, as bits. Internal to this room.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "pintle/allocation/internal/bounded_least_squares.h"

namespace pintle::allocation {

struct HeldBits {
  unsigned lower = 0, upper = 0, fixed = 0;
};

// bytes 0xFF, 0, 1 and 2
static_assert(sizeof(Held) == 1 && static_cast<int>(Held::kLower) == -1 &&
              static_cast<int>(Held::kFree) == 0 && static_cast<int>(Held::kUpper) == 1 &&
              static_cast<int>(Held::kFixed) == 2);

[[gnu::always_inline]] inline HeldBits read_eight(const Held* held) noexcept {
  std::uint64_t eight = 0;
  std::memcpy(&eight, held, sizeof(eight));
  if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
  // bit k of every byte, gathered
  const auto each = [eight](int k) {
    return static_cast<unsigned>((eight >> k & 0x0101'0101'0101'0101) * 0x0102'0408'1020'4080 >>
                                 56);
  };
  const unsigned lower = each(7);
  return {lower, each(0) & ~lower, each(1) & ~lower};
}

/// The others are free.
[[gnu::always_inline]] inline void write_eight(const HeldBits& bits, Held* held) noexcept {
  // 1 in the byte of every bit
  const auto spread = [](unsigned some) {
    const std::uint64_t own = (some * 0x0101'0101'0101'0101U) & 0x8040'2010'0804'0201U;
    return (own + 0x7F7F'7F7F'7F7F'7F7FU) >> 7 & 0x0101'0101'0101'0101U;
  };
  std::uint64_t eight = spread(bits.lower) * 0xFF | spread(bits.upper) | spread(bits.fixed) << 1;
  if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
  std::memcpy(held, &eight, sizeof(eight));
}

}  // namespace pintle::allocation
