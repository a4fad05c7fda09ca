#include "pintle/base/fields.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pintle {
namespace {

template <class T>
T load(const void* p) noexcept {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T, class V>
void store(void* p, V value) noexcept {
  const T v = static_cast<T>(value);
  std::memcpy(p, &v, sizeof v);
}

// an enum is stored in whatever integer its type has
std::int64_t load_sized(const void* p, std::size_t size) noexcept {
  switch (size) {
    case 1: return load<std::uint8_t>(p);
    case 2: return load<std::uint16_t>(p);
    case 4: return load<std::int32_t>(p);
    default: return load<std::int64_t>(p);
  }
}

void store_sized(void* p, std::size_t size, std::int64_t value) noexcept {
  switch (size) {
    case 1: store<std::uint8_t>(p, value); break;
    case 2: store<std::uint16_t>(p, value); break;
    case 4: store<std::int32_t>(p, value); break;
    default: store<std::int64_t>(p, value); break;
  }
}

/// What the integer kinds can hold, as far as an int64 can say it.
struct Limits {
  std::int64_t least, most;
};

template <class T>
constexpr Limits kLimitsOf{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};

Limits limits_of(const Field& field) noexcept {
  switch (field.kind) {
    case Kind::kBool: return {0, 1};
    case Kind::kUint8: return kLimitsOf<std::uint8_t>;
    case Kind::kUint16: return kLimitsOf<std::uint16_t>;
    case Kind::kInt32: return kLimitsOf<std::int32_t>;
    case Kind::kUint32: return kLimitsOf<std::uint32_t>;
    case Kind::kEnum:
      switch (field.element_size) {
        case 1: return kLimitsOf<std::uint8_t>;
        case 2: return kLimitsOf<std::uint16_t>;
        case 4: return kLimitsOf<std::int32_t>;
        default: return kLimitsOf<std::int64_t>;
      }
    default: return kLimitsOf<std::int64_t>;
  }
}

// a cast of what does not fit would be undefined: 2^63 is the first double that does not
std::int64_t whole_part(double value) noexcept {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  if (value < -0x1p63) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

std::uint64_t whole_part_unsigned(double value) noexcept {
  if (!(value > 0)) return 0;
  if (value >= 0x1p64) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(value);
}

}  // namespace

std::string_view EnumTable::name_of(std::int64_t value) const noexcept {
  for (const EnumValue& v : values)
    if (v.value == value) return v.name;
  return "unknown";
}

std::optional<std::int64_t> EnumTable::value_of(std::string_view wanted) const noexcept {
  for (const EnumValue& v : values)
    if (v.name == wanted) return v.value;
  return std::nullopt;
}

const Table* Table::of(std::string_view value) const noexcept {
  for (const TableCase& c : cases)
    if (c.value == value) return c.table;
  return nullptr;
}

const Table& Table::of(const void* object) const noexcept {
  const Field* key = cases.empty() ? nullptr : find(chosen_by);
  const Table* chosen = key != nullptr ? of(key->text->get(key->element(object, 0))) : nullptr;
  return chosen != nullptr ? *chosen : *this;
}

const Field* Table::find(std::string_view field_name) const noexcept {
  for (const Field& f : fields)
    if (f.name == field_name) return &f;
  return nullptr;
}

void inline_fields(Table& table, const Table& member, std::size_t offset,
                   std::span<const std::string_view> only) {
  const auto take = [&](Field field) {
    field.offset += offset;
    table.fields.push_back(field);
  };
  if (only.empty())
    for (const Field& field : member.fields) take(field);
  else
    for (const std::string_view name : only) take(*member.find(name));
}

bool is_integer(Kind kind) noexcept {
  return kind != Kind::kFloat32 && kind != Kind::kFloat64 && kind != Kind::kString &&
         kind != Kind::kStruct;
}

double number_of(const Field& field, const void* element) noexcept {
  switch (field.kind) {
    case Kind::kFloat64: return load<double>(element);
    case Kind::kFloat32: return static_cast<double>(load<float>(element));
    case Kind::kUint64: return static_cast<double>(load<std::uint64_t>(element));
    default: return static_cast<double>(integer_of(field, element));
  }
}

std::int64_t integer_of(const Field& field, const void* element) noexcept {
  switch (field.kind) {
    case Kind::kBool: return load<std::uint8_t>(element) != 0 ? 1 : 0;
    case Kind::kUint8: return load<std::uint8_t>(element);
    case Kind::kUint16: return load<std::uint16_t>(element);
    case Kind::kInt32: return load<std::int32_t>(element);
    case Kind::kUint32: return load<std::uint32_t>(element);
    case Kind::kInt64: return load<std::int64_t>(element);
    case Kind::kUint64: return static_cast<std::int64_t>(load<std::uint64_t>(element));
    case Kind::kEnum: return load_sized(element, field.element_size);
    case Kind::kFloat32: return whole_part(static_cast<double>(load<float>(element)));
    case Kind::kFloat64: return whole_part(load<double>(element));
    case Kind::kString:
    case Kind::kStruct: break;
  }
  return 0;
}

void set_number(const Field& field, void* element, double value) noexcept {
  switch (field.kind) {
    case Kind::kFloat64: store<double>(element, value); break;
    case Kind::kFloat32: store<float>(element, value); break;
    case Kind::kUint64: store<std::uint64_t>(element, whole_part_unsigned(value)); break;
    default: {
      const Limits limits = limits_of(field);
      set_integer(field, element, std::clamp(whole_part(value), limits.least, limits.most));
    }
  }
}

void set_integer(const Field& field, void* element, std::int64_t value) noexcept {
  switch (field.kind) {
    case Kind::kBool: store<bool>(element, value != 0); break;
    case Kind::kUint8: store<std::uint8_t>(element, value); break;
    case Kind::kUint16: store<std::uint16_t>(element, value); break;
    case Kind::kInt32: store<std::int32_t>(element, value); break;
    case Kind::kUint32: store<std::uint32_t>(element, value); break;
    case Kind::kInt64: store<std::int64_t>(element, value); break;
    case Kind::kUint64: store<std::uint64_t>(element, value); break;
    case Kind::kEnum: store_sized(element, field.element_size, value); break;
    case Kind::kFloat32: store<float>(element, value); break;
    case Kind::kFloat64: store<double>(element, value); break;
    case Kind::kString:
    case Kind::kStruct: break;
  }
}

}  // namespace pintle
