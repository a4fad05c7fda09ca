#include "pintle/base/crc32.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace pintle {
namespace {

std::span<const std::byte> bytes_of(std::string_view s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

// the definition, one bit at a time
std::uint32_t slow_crc(std::span<const std::byte> bytes) {
  std::uint32_t c = ~0U;
  for (const std::byte b : bytes) {
    c ^= static_cast<std::uint32_t>(b);
    for (int i = 0; i < 8; ++i) c = (c & 1U) ? (c >> 1U) ^ 0xEDB88320U : c >> 1U;
  }
  return ~c;
}

TEST(Crc32, GivesThePublishedCheckValue) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32({}), 0U);
}

TEST(Crc32, EveryPathAgreesWithTheDefinitionAtEveryLengthAndAlignment) {
  std::vector<std::byte> data(700);
  std::uint32_t x = 1;
  for (std::byte& b : data) b = static_cast<std::byte>((x = x * 1664525U + 1013904223U) >> 24U);
  for (std::size_t begin = 0; begin < 17; ++begin)
    for (std::size_t n = 0; n + begin <= data.size(); n += n < 200 ? 1 : 37) {
      const auto part = std::span<const std::byte>(data).subspan(begin, n);
      ASSERT_EQ(crc32(part), slow_crc(part)) << begin << "+" << n;
    }
}

TEST(Crc32, CarriesOnFromAnEarlierPart) {
  std::vector<std::byte> data(1000, std::byte{0x5a});
  data[500] = std::byte{1};
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{500}}) {
    const std::span<const std::byte> all(data);
    EXPECT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), slow_crc(all));
  }
}

}  // namespace
}  // namespace pintle
