/// Units as people write them behind numbers and in keys. For the sources of this room.
///
/// Only for the words of error messages: Pintle never converts a number silently.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pintle::config {

/// "newtons" for "N"; the unit itself where there is no word; "" for a pure number.
[[nodiscard]] std::string unit_in_words(std::string_view unit);

/// `value` of `from` in `to`: 1 kgf is 9.80665 N. nullopt for unknown or different quantities.
[[nodiscard]] std::optional<double> convert(double value, std::string_view from,
                                            std::string_view to);

/// A number with something behind it: "50 kgf".
struct WithUnit {
  double value = 0;
  std::string_view unit;
};
[[nodiscard]] std::optional<WithUnit> split_unit(std::string_view text) noexcept;

/// True when two keys differ only in the unit at their end: mass and mass_kg, length_mm and
/// length_m.
[[nodiscard]] bool same_stem(std::string_view a, std::string_view b);
/// The unit at the end of a key, as text: "m/s" of "speed_m_s"; "" if there is none.
[[nodiscard]] std::string unit_of_key(std::string_view key);

}  // namespace pintle::config
