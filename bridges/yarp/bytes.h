/// Little-endian numbers in strings of bytes. For sources of this room.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace pintle::yarp {

static_assert(std::endian::native == std::endian::little, "written for little-endian machines");

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

/// At `at`, which must leave room for it.
template <class T>
[[nodiscard]] T get(std::string_view bytes, std::size_t at) noexcept {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

}  // namespace pintle::yarp
