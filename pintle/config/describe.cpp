#include "pintle/config/describe.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "pintle/config/reader.h"
#include "pintle/config/units.h"

namespace pintle::config {
namespace {

// the value of a field, lists included
std::string example_list(const Field& field, const void* object) {
  const bool has_value = object != nullptr && field.size(object) > 0;
  std::string value = example(field, has_value ? field.element(object, 0) : nullptr);
  if (field.shape == Shape::kSingle || field.shape == Shape::kOptional) return value;
  // one item stands for the list when the list is open; a fixed one is written out
  const bool fixed = field.shape == Shape::kArray && field.capacity <= 12;
  std::string list = "[" + value;
  for (std::size_t i = 1; fixed && i < field.capacity; ++i) list += ", " + value;
  return list + "]";
}

// the least that a map may hold: {mass_kg: 1, inertia_kgm2: [1, 1, 1]}
std::string example_map(const Table& table) {
  std::string out;
  for (const Field& field : table.fields) {
    const bool itself = field.kind == Kind::kStruct && field.table == &table;
    if (!field.required || itself) continue;
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", field.name,
                       example_list(field, table.defaults));
  }
  return out.empty() ? "{…}" : "{" + out + "}";
}

bool is_number(Kind kind) noexcept { return kind != Kind::kString && kind != Kind::kStruct; }

std::string in_words(const Field& field, std::string_view key, std::string value) {
  const bool has_unit = is_number(field.kind) || field.kind == Kind::kStruct;
  const std::string unit = has_unit ? unit_in_words(field.unit) : std::string{};
  const std::string_view what = field.kind == Kind::kEnum || field.kind == Kind::kBool
                                    ? "one of these"
                                : field.kind == Kind::kString ? "text"
                                : field.kind == Kind::kStruct ? "it"
                                                              : "a number";
  // an item of a list is written without its index
  if (!key.ends_with(']')) value = fmt::format("{}: {}", key, value);
  return fmt::format("write {}{}{}, such as  {}", what, unit.empty() ? "" : " in ", unit, value);
}

std::string range_in_words(const Field& field) {
  const bool whole = is_integer(field.kind);
  // limits of the kind itself go without saying, but "0 to 255" is worth it
  double low = field.minimum, high = field.maximum;
  if (whole && !(low > smallest_of(field.kind))) low = smallest_of(field.kind);
  if (whole && !(high < largest_of(field.kind))) high = largest_of(field.kind);
  const bool has_low = low > -1e9, has_high = high < 1e9;
  const std::string from = shortest(low), to = shortest(high);
  if (has_low && has_high)
    return field.above_minimum ? fmt::format(" above {} and up to {}", from, to)
                               : fmt::format(" from {} to {}", from, to);
  if (has_low) return field.above_minimum ? " above " + from : " of at least " + from;
  if (has_high) return " of at most " + to;
  return {};
}

}  // namespace

double smallest_of(Kind kind) noexcept {
  if (kind == Kind::kInt32) return std::numeric_limits<std::int32_t>::min();
  if (kind == Kind::kInt64) return -0x1p63;
  return 0;
}

double largest_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::kUint8: return std::numeric_limits<std::uint8_t>::max();
    case Kind::kUint16: return std::numeric_limits<std::uint16_t>::max();
    case Kind::kInt32: return std::numeric_limits<std::int32_t>::max();
    case Kind::kUint32: return std::numeric_limits<std::uint32_t>::max();
    case Kind::kUint64: return 0x1p64;
    default: return 0x1p63;
  }
}

bool in_range(const Field& field, double value) noexcept {
  return value >= field.minimum && value <= field.maximum &&
         !(field.above_minimum && value == field.minimum);
}

Field inherit(const Field& child, const Field& parent) {
  Field field = child;
  if (field.unit.empty()) field.unit = parent.unit;
  const bool free = std::isinf(field.minimum) && std::isinf(field.maximum);
  if (free) {
    field.minimum = parent.minimum;
    field.maximum = parent.maximum;
    field.above_minimum = parent.above_minimum;
  }
  return field;
}

std::string enumerate(const std::vector<std::string>& names, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? fmt::format(" {} ", last) : ", ";
    out += names[i];
  }
  return out;
}

std::string expected(const Field& field) {
  if (field.shape == Shape::kVector || field.shape == Shape::kSequence) return "a list";
  if (field.shape == Shape::kArray)
    return field.keys.empty() ? fmt::format("a list of {} items", field.capacity) : "a map";
  switch (field.kind) {
    case Kind::kBool: return "true or false";
    case Kind::kString: return "text";
    case Kind::kStruct: return field.table->as_list ? "a list or a map" : "a map";
    case Kind::kEnum: {
      std::vector<std::string> names;
      for (const EnumValue& value : field.enumeration->values) names.emplace_back(value.name);
      return enumerate(names, "or");
    }
    case Kind::kFloat32:
    case Kind::kFloat64: return "a number" + range_in_words(field);
    default: return "a whole number" + range_in_words(field);
  }
}

std::string example(const Field& field, const void* element) {
  switch (field.kind) {
    case Kind::kBool: return "true";
    case Kind::kString: return "name";
    case Kind::kEnum: {
      const auto& values = field.enumeration->values;
      if (values.empty()) return "";
      const std::int64_t held = element != nullptr ? integer_of(field, element) : values[0].value;
      for (const EnumValue& value : values)
        if (value.value == held) return std::string(value.name);
      return std::string(values[0].name);
    }
    case Kind::kStruct: {
      if (!field.table->as_list) return example_map(*field.table);
      std::string out;
      for (const Field& child : field.table->fields) {
        const void* part = element != nullptr ? child.element(element, 0) : nullptr;
        out += (out.empty() ? "[" : ", ") + example(inherit(child, field), part);
      }
      return out + "]";
    }
    default: break;
  }
  // what it holds where a file may give that, else a number that is easy to read
  if (element != nullptr) {
    const double value = number_of(field, element);
    if (std::isfinite(value) && in_range(field, value)) return shortest(value);
  }
  const double middle = is_integer(field.kind) ? std::ceil((field.minimum + field.maximum) / 2)
                                               : (field.minimum + field.maximum) / 2;
  for (const double value : {1.0, 0.0, middle, field.minimum + 1, field.maximum - 1})
    if (std::isfinite(value) && in_range(field, value)) return shortest(value);
  return "…";
}

std::string suggestion(const Field& field, std::string_view key, const void* object) {
  return in_words(field, key, example_list(field, object));
}

std::string suggestion_for(const Field& field, std::string_view key, const void* element) {
  // 0 is the default of what is not used: nobody who writes the key wants it
  const bool numeric = is_number(field.kind) && field.kind != Kind::kEnum && element != nullptr;
  if (numeric && number_of(field, element) == 0) element = nullptr;
  return in_words(field, key, example(field, element));
}

}  // namespace pintle::config
