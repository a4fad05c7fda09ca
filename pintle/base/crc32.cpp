#include "pintle/base/crc32.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pintle {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320U;  // reflected
constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables make_tables() {
  Tables t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1U) ? kPolynomial ^ (c >> 1U) : c >> 1U;
    t[0][i] = c;
  }
  for (std::size_t s = 1; s < kSlices; ++s)
    for (std::size_t i = 0; i < 256; ++i) t[s][i] = (t[s - 1][i] >> 8U) ^ t[0][t[s - 1][i] & 0xFFU];
  return t;
}

constexpr Tables kTables = make_tables();
static_assert(std::endian::native == std::endian::little, "eight bytes are taken as they lie");

std::uint32_t by_tables(const std::byte* p, std::size_t n, std::uint32_t c) noexcept {
  for (; n >= 8; p += 8, n -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    word ^= c;
    c = kTables[7][word & 0xFF] ^ kTables[6][(word >> 8) & 0xFF] ^ kTables[5][(word >> 16) & 0xFF] ^
        kTables[4][(word >> 24) & 0xFF] ^ kTables[3][(word >> 32) & 0xFF] ^
        kTables[2][(word >> 40) & 0xFF] ^ kTables[1][(word >> 48) & 0xFF] ^ kTables[0][word >> 56];
  }
  for (; n > 0; ++p, --n) c = kTables[0][(c ^ static_cast<std::uint32_t>(*p)) & 0xFFU] ^ (c >> 8U);
  return c;
}

#if defined(__x86_64__)

// x^n mod P, reflected and shifted left by one as the carry-less product of reflected numbers needs
constexpr long long power_of_x(unsigned n) {
  std::uint32_t r = 0x80000000U;
  for (unsigned i = 0; i < n; ++i) r = (r & 1U) ? kPolynomial ^ (r >> 1U) : r >> 1U;
  return static_cast<long long>(r) * 2;
}

constexpr std::array<long long, 2> kOver512{power_of_x(512 + 32), power_of_x(512 - 32)};
constexpr std::array<long long, 2> kOver128{power_of_x(128 + 32), power_of_x(128 - 32)};

// Carries 128 bits of remainder over the distance that `by` stands for, onto what lies there.
__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i r, __m128i by,
                                                             __m128i onto) noexcept {
  const __m128i low = _mm_clmulepi64_si128(r, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(r, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i lanes_at(const std::byte* p) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// Folds 64 bytes at a time, four remainders side by side; the last 16 bytes go through the tables.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t by_products(const std::byte* p,
                                                                   std::size_t n,
                                                                   std::uint32_t c) noexcept {
  const __m128i over_512 = _mm_set_epi64x(kOver512[1], kOver512[0]);
  const __m128i over_128 = _mm_set_epi64x(kOver128[1], kOver128[0]);
  __m128i a = _mm_xor_si128(lanes_at(p), _mm_cvtsi32_si128(static_cast<int>(c)));
  __m128i b = lanes_at(p + 16), d = lanes_at(p + 32), e = lanes_at(p + 48);
  for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
    a = fold(a, over_512, lanes_at(p));
    b = fold(b, over_512, lanes_at(p + 16));
    d = fold(d, over_512, lanes_at(p + 32));
    e = fold(e, over_512, lanes_at(p + 48));
  }
  a = fold(fold(fold(a, over_128, b), over_128, d), over_128, e);
  for (; n >= 16; p += 16, n -= 16) a = fold(a, over_128, lanes_at(p));

  // what is left has the same remainder as the whole
  std::array<std::byte, 16> rest;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest.data()), a);
  return by_tables(p, n, by_tables(rest.data(), rest.size(), 0));
}

bool has_products() noexcept {
  static const bool has = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return has;
}

#endif

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc) noexcept {
#if defined(__x86_64__)
  if (bytes.size() >= 64 && has_products()) return ~by_products(bytes.data(), bytes.size(), ~crc);
#endif
  return ~by_tables(bytes.data(), bytes.size(), ~crc);
}

}  // namespace pintle
