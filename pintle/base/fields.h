/// Field tables: each struct that crosses a border says once what its fields are.
///
/// A table gives every field a name (which carries its unit), a unit, a range, whether it must be
/// present, and one sentence of meaning. YAML keys, JSON Schemas, log schemas, JSON output and
/// error texts are all made from it, so that the same thing has the same name everywhere. The
/// default of an optional field is what a default-constructed struct holds.
///
///   struct Lag { double tau_s = 0.1; };
///   template <> const Table& table_of<Lag>() {
///     static const Table table = TableBuilder<Lag>("Lag", "First-order lag.")
///         .field("tau_s", &Lag::tau_s, "s", "Time constant; 0 is no lag.").range(0, 10)
///         .build();
///     return table;
///   }
///
/// Tables are reached at run time through offsets: generic code (readers, writers) is compiled once
/// and is not a template. The tick makes no use of tables: it works on the structs themselves.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pintle/base/fixed_vector.h"
#include "pintle/base/time.h"

namespace pintle {

/// One value of an enumeration: its name in files and logs, and one sentence.
struct EnumValue {
  std::int64_t value;
  std::string_view name;
  std::string_view meaning;
};

/// A row of an enumeration's table.
template <class E>
constexpr EnumValue enum_value(E value, std::string_view name, std::string_view meaning) {
  return {static_cast<std::int64_t>(value), name, meaning};
}

struct EnumTable {
  std::string_view name;
  std::span<const EnumValue> values;

  [[nodiscard]] std::string_view name_of(
      std::int64_t value) const noexcept;  ///< "unknown" if there is none.
  [[nodiscard]] std::optional<std::int64_t> value_of(std::string_view name) const noexcept;
};

/// Specialised for every enumeration that is logged or read.
template <class E>
const EnumTable& enum_table();

template <class E>
[[nodiscard]] std::string_view to_string(E value) noexcept requires std::is_enum_v<E> {
  return enum_table<E>().name_of(static_cast<std::int64_t>(value));
}

struct Table;

/// Specialised for every struct that is logged or read.
template <class T>
const Table& table_of();

/// What one element of a field is. Time and Duration are kInt64 in nanoseconds.
enum class Kind : std::uint8_t {
  kBool,
  kUint8,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64,
  kString,
  kEnum,
  kStruct
};

/// How many elements a field has.
enum class Shape : std::uint8_t {
  kSingle,    ///< Exactly one.
  kArray,     ///< std::array: exactly `capacity`.
  kSequence,  ///< FixedVector: 0 to `capacity`.
  kVector,    ///< std::vector: any number (configuration only).
  kOptional,  ///< std::optional: none or one (configuration only).
};

/// Uniform access to the elements of a field, whatever its container.
struct Access {
  std::size_t (*size)(const void* field);
  /// First element. The elements lie side by side, `element_size` apart.
  void* (*data)(void* field);
  /// False when the container cannot have that size; it then has the nearest that it can.
  bool (*resize)(void* field, std::size_t n);
};

/// Text held by a field (std::string or FixedString).
struct TextAccess {
  std::string_view (*get)(const void* element);
  bool (*set)(void* element, std::string_view text);  ///< False when it does not fit.
};

struct Field {
  /// As in files and logs. A unit at its end ("mass_kg") is the one in `unit`; names of formulas
  /// (p, X_WB) carry none.
  std::string_view name;
  std::string_view unit;     ///< "kg"; "" for a pure number and for what has several.
  std::string_view meaning;  ///< One sentence for the person who writes the file.
  Kind kind = Kind::kFloat64;
  Shape shape = Shape::kSingle;
  std::size_t offset = 0;
  std::size_t element_size = 0;
  std::size_t capacity = 1;
  double minimum = -std::numeric_limits<double>::infinity();  ///< Inclusive.
  double maximum = std::numeric_limits<double>::infinity();   ///< Inclusive.
  bool above_minimum = false;                                 ///< The minimum itself is excluded.
  bool required = false;                                      ///< A file must give it.
  std::size_t minimum_items = 0;                              ///< For vectors and sequences.
  /// Names of the elements of an array: in files it is a map (x:, y:, … yaw:), in columns a path
  /// ("kp.x").
  std::span<const std::string_view> keys{};
  const Table* table = nullptr;            ///< Of a kStruct element.
  const EnumTable* enumeration = nullptr;  ///< Of a kEnum element.
  const Access* access = nullptr;
  const TextAccess* text = nullptr;

  [[nodiscard]] const void* in(const void* object) const noexcept {
    return static_cast<const std::byte*>(object) + offset;
  }
  [[nodiscard]] void* in(void* object) const noexcept {
    return static_cast<std::byte*>(object) + offset;
  }
  [[nodiscard]] std::size_t size(const void* object) const { return access->size(in(object)); }
  [[nodiscard]] const void* element(const void* object, std::size_t i) const {
    return static_cast<const std::byte*>(access->data(const_cast<void*>(in(object)))) +
           i * element_size;
  }
  [[nodiscard]] void* element(void* object, std::size_t i) const {
    return static_cast<std::byte*>(access->data(in(object))) + i * element_size;
  }
};

/// One of several shapes that a struct may have in a file: the whole table for one value of a key.
struct TableCase {
  std::string_view value;
  const Table* table;
};

struct Table {
  std::string_view name;     ///< Type name in schemas: "Pose".
  std::string_view meaning;  ///< One sentence.
  std::vector<Field> fields;
  /// In a file it may be written as a list in field order: [1, 2, 3].
  bool as_list = false;
  std::size_t object_size = 0;
  /// A default-constructed object, from which the defaults are read.
  const void* defaults = nullptr;
  /// A text field that decides which further fields there are, such as `type`; empty: none does.
  /// `fields` are then those of every case. A missing key means the first case.
  std::string_view chosen_by{};
  std::vector<TableCase> cases{};

  /// The table of the case that an object is of; itself where there are no cases, or not that one.
  [[nodiscard]] const Table& of(const void* object) const noexcept;
  /// The same by the value of the key; null when there is no such case.
  [[nodiscard]] const Table* of(std::string_view value) const noexcept;
  [[nodiscard]] const Field* find(std::string_view field_name) const noexcept;
};

/// Takes the fields of a member struct over into the table of the struct that holds it: all, or
/// those named, in that order. See TableBuilder::inlined.
void inline_fields(Table& table, const Table& member, std::size_t offset,
                   std::span<const std::string_view> only);

/// One element of a number, bool or enum field; 0 for text and structs. Exact, save for 64-bit
/// integers beyond 2^53.
[[nodiscard]] double number_of(const Field& field, const void* element) noexcept;
/// The same as an integer. A kUint64 of 2^63 or more comes out negative, its bits unchanged; of a
/// floating-point kind the fraction is cut off, NaN gives 0 and what does not fit the nearest.
[[nodiscard]] std::int64_t integer_of(const Field& field, const void* element) noexcept;
/// An integer kind takes the whole part, cut to what the kind can hold; NaN gives it 0.
void set_number(const Field& field, void* element, double value) noexcept;
/// Keeps the lowest bits where the kind has fewer (so kUint64 takes what `integer_of` gave).
void set_integer(const Field& field, void* element, std::int64_t value) noexcept;
[[nodiscard]] bool is_integer(Kind kind) noexcept;  ///< Bool and enum count as integers.

/// Text of at most N bytes inside a struct that is copied as bytes. Longer text is cut after N
/// bytes, be it inside a character of UTF-8.
template <std::size_t N>
struct FixedString {
  std::array<char, N> chars{};
  std::uint8_t length = 0;
  static_assert(N < 256);

  FixedString() = default;
  FixedString(std::string_view s) noexcept { assign(s); }  // NOLINT: a string is a string
  /// False when it was cut.
  bool assign(std::string_view s) noexcept {
    length = static_cast<std::uint8_t>(s.size() < N ? s.size() : N);
    for (std::size_t i = 0; i < N; ++i) chars[i] = i < length ? s[i] : '\0';
    return s.size() <= N;
  }
  [[nodiscard]] std::string_view view() const noexcept { return {chars.data(), length}; }
  friend bool operator==(const FixedString& a, const FixedString& b) noexcept {
    return a.view() == b.view();
  }
};

namespace detail {

template <class C>
struct Container {
  using Element = C;
  static constexpr Shape kShape = Shape::kSingle;
  static constexpr std::size_t kCapacity = 1;
  static std::size_t size(const void*) { return 1; }
  static void* data(void* f) { return f; }
  static bool resize(void*, std::size_t n) { return n == 1; }
};
template <class T, std::size_t N>
struct Container<std::array<T, N>> {
  using Element = T;
  static constexpr Shape kShape = Shape::kArray;
  static constexpr std::size_t kCapacity = N;
  static std::size_t size(const void*) { return N; }
  static void* data(void* f) { return static_cast<std::array<T, N>*>(f)->data(); }
  static bool resize(void*, std::size_t n) { return n == N; }
};
template <class T, std::size_t N>
struct Container<FixedVector<T, N>> {
  using Element = T;
  static constexpr Shape kShape = Shape::kSequence;
  static constexpr std::size_t kCapacity = N;
  static std::size_t size(const void* f) {
    return static_cast<const FixedVector<T, N>*>(f)->size();
  }
  static void* data(void* f) { return static_cast<FixedVector<T, N>*>(f)->data(); }
  static bool resize(void* f, std::size_t n) {
    static_cast<FixedVector<T, N>*>(f)->resize(n);
    return n <= N;
  }
};
template <class T>
struct Container<std::vector<T>> {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no elements to point at");
  using Element = T;
  static constexpr Shape kShape = Shape::kVector;
  static constexpr std::size_t kCapacity = std::numeric_limits<std::size_t>::max();
  static std::size_t size(const void* f) { return static_cast<const std::vector<T>*>(f)->size(); }
  static void* data(void* f) { return static_cast<std::vector<T>*>(f)->data(); }
  static bool resize(void* f, std::size_t n) {
    static_cast<std::vector<T>*>(f)->resize(n);
    return true;
  }
};
template <class T>
struct Container<std::optional<T>> {
  using Element = T;
  static constexpr Shape kShape = Shape::kOptional;
  static constexpr std::size_t kCapacity = 1;
  static std::size_t size(const void* f) {
    return static_cast<const std::optional<T>*>(f)->has_value() ? 1 : 0;
  }
  static void* data(void* f) {
    auto& o = *static_cast<std::optional<T>*>(f);
    return o ? &*o : nullptr;
  }
  static bool resize(void* f, std::size_t n) {
    auto& o = *static_cast<std::optional<T>*>(f);
    if (n == 0)
      o.reset();
    else if (!o)
      o.emplace();
    return n <= 1;
  }
};

template <class T>
struct TextOf {
  static constexpr bool kIs = false;
};
template <>
struct TextOf<std::string> {
  static constexpr bool kIs = true;
  static std::string_view get(const void* e) { return *static_cast<const std::string*>(e); }
  static bool set(void* e, std::string_view s) {
    *static_cast<std::string*>(e) = s;
    return true;
  }
};
template <std::size_t N>
struct TextOf<FixedString<N>> {
  static constexpr bool kIs = true;
  static std::string_view get(const void* e) {
    return static_cast<const FixedString<N>*>(e)->view();
  }
  static bool set(void* e, std::string_view s) {
    return static_cast<FixedString<N>*>(e)->assign(s);
  }
};

template <class M>
Field describe_member() {
  using C = Container<M>;
  using E = typename C::Element;
  static const Access access{&C::size, &C::data, &C::resize};
  Field f;
  f.shape = C::kShape;
  f.capacity = C::kCapacity;
  f.element_size = sizeof(E);
  f.access = &access;
  if constexpr (TextOf<E>::kIs) {
    static const TextAccess text{&TextOf<E>::get, &TextOf<E>::set};
    f.kind = Kind::kString;
    f.text = &text;
  } else if constexpr (std::is_enum_v<E>) {
    f.kind = Kind::kEnum;
    f.enumeration = &enum_table<E>();
  } else if constexpr (std::is_same_v<E, bool>) {
    f.kind = Kind::kBool;
  } else if constexpr (std::is_same_v<E, std::uint8_t>) {
    f.kind = Kind::kUint8;
  } else if constexpr (std::is_same_v<E, std::uint16_t>) {
    f.kind = Kind::kUint16;
  } else if constexpr (std::is_same_v<E, std::int32_t>) {
    f.kind = Kind::kInt32;
  } else if constexpr (std::is_same_v<E, std::uint32_t>) {
    f.kind = Kind::kUint32;
  } else if constexpr (std::is_same_v<E, std::int64_t> || std::is_same_v<E, Time> ||
                       std::is_same_v<E, Duration>) {
    f.kind = Kind::kInt64;
  } else if constexpr (std::is_same_v<E, std::uint64_t>) {
    f.kind = Kind::kUint64;
  } else if constexpr (std::is_same_v<E, float>) {
    f.kind = Kind::kFloat32;
  } else if constexpr (std::is_same_v<E, double>) {
    f.kind = Kind::kFloat64;
  } else {
    f.kind = Kind::kStruct;
    f.table = &table_of<E>();
  }
  return f;
}

}  // namespace detail

/// Builds a table; the modifiers act on the field added last.
template <class T>
class TableBuilder {
 public:
  TableBuilder(std::string_view name, std::string_view meaning) {
    static const T defaults{};
    table_.name = name;
    table_.meaning = meaning;
    table_.object_size = sizeof(T);
    table_.defaults = &defaults;
  }

  template <class M>
  TableBuilder& field(std::string_view name, M T::*member, std::string_view unit,
                      std::string_view meaning) {
    Field f = detail::describe_member<M>();
    f.name = name;
    f.unit = unit;
    f.meaning = meaning;
    f.offset = offset_of(member);
    table_.fields.push_back(f);
    return *this;
  }
  /// The fields of a member struct as if they were this struct's own: its keys stand beside the
  /// others in a file. `only`: those names alone, each of which must be there.
  template <class M>
  TableBuilder& inlined(M T::*member, std::span<const std::string_view> only = {}) {
    inline_fields(table_, table_of<M>(), offset_of(member), only);
    return *this;
  }
  TableBuilder& required() {
    last().required = true;
    return *this;
  }
  TableBuilder& range(double minimum, double maximum) {
    last().minimum = minimum;
    last().maximum = maximum;
    return *this;
  }
  TableBuilder& at_least(double minimum) {
    last().minimum = minimum;
    return *this;
  }
  TableBuilder& above(double minimum) {
    last().minimum = minimum;
    last().above_minimum = true;
    return *this;
  }
  TableBuilder& items_at_least(std::size_t n) {
    last().minimum_items = n;
    return *this;
  }
  TableBuilder& keyed(std::span<const std::string_view> keys) {
    last().keys = keys;
    return *this;
  }
  TableBuilder& as_list() {
    table_.as_list = true;
    return *this;
  }
  [[nodiscard]] Table build() { return std::move(table_); }

 private:
  template <class M>
  [[nodiscard]] std::size_t offset_of(M T::*member) const {
    const T& object = *static_cast<const T*>(table_.defaults);
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(object.*member)) -
                                    reinterpret_cast<const std::byte*>(&object));
  }
  Field& last() { return table_.fields.back(); }
  Table table_;
};

}  // namespace pintle
