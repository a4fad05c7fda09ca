/// The sanitizers make a flight many times slower and look for what one flight shows as well as
/// many: under them a test goes through the first of its cases, or a tenth of its random ones, and
/// through all in every other build.
#pragma once
#include <initializer_list>
#include <vector>

namespace pintle::testing {

#ifdef PINTLE_SANITIZED
inline constexpr bool kThorough = false;
#else
inline constexpr bool kThorough = true;
#endif

/// The number of cases, or of seeds, of `all` to go through.
template <class T>
[[nodiscard]] constexpr T cases(T all) noexcept {
  return kThorough ? all : T{1};
}

/// The number of random trials, or of ticks, of `all` to make.
template <class T>
[[nodiscard]] constexpr T few(T all) noexcept {
  return kThorough ? all : static_cast<T>((all + 9) / 10);
}

/// The same as cases() of a list.
template <class T>
[[nodiscard]] std::vector<T> cases(std::initializer_list<T> all) {
  return kThorough ? std::vector<T>(all) : std::vector<T>(all.begin(), all.begin() + 1);
}

}  // namespace pintle::testing
