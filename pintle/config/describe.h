/// What a field wants, in words. For the sources of this room.
#pragma once
#include <string>
#include <string_view>

#include "pintle/base/fields.h"

namespace pintle::config {

/// "a number above 0", "a whole number from 0 to 7", "true or false", "one of x, y".
[[nodiscard]] std::string expected(const Field& field);

/// "write a number in newtons, such as  max_thrust_N: 50". `object` holds the field's default; may
/// be null.
[[nodiscard]] std::string suggestion(const Field& field, std::string_view key, const void* object);

/// The same for one element, which holds its default still; may be null.
[[nodiscard]] std::string suggestion_for(const Field& field, std::string_view key,
                                         const void* element);

/// A value of one element of the field that is in range, as it would be written: what it holds, if
/// that is. `element` may be null.
[[nodiscard]] std::string example(const Field& field, const void* element);

/// Smallest and largest value of a whole-number kind.
[[nodiscard]] double smallest_of(Kind kind) noexcept;
[[nodiscard]] double largest_of(Kind kind) noexcept;

[[nodiscard]] bool in_range(const Field& field, double value) noexcept;

/// A child of a struct field as it stands in the file: unit and range of the struct field hold for
/// its numbers where they have none of their own.
[[nodiscard]] Field inherit(const Field& child, const Field& parent);

/// "x, y and z".
[[nodiscard]] std::string enumerate(const std::vector<std::string>& names, std::string_view last);

}  // namespace pintle::config
