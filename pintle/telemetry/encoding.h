/// Structs as bytes and text, through their field tables.
///
/// Binary: CDR little-endian as ROS 2 writes it (4-byte encapsulation header 00 01 00 00, natural
/// alignment counted after the header, sequences and strings with a uint32 length, strings with a
/// final zero). Text: the `ros2msg` definition of a table (nested types after "===" lines as MCAP
/// asks), JSON lines. Time and Duration are int64 nanoseconds; enums are
/// uint8 (an enum stored wider is as wide here) with constants in the definition; an std::optional
/// is a sequence of at most one. NaN and infinities pass through the binary form unchanged; JSON
/// writes them as the strings "NaN", "Infinity", "-Infinity", and an absent optional as null.
/// Names are those of the tables everywhere but in the `ros2msg` text, where ROS 2 demands lower
/// case: "X_WB" is "x_wb" there, and units in names too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/base/fields.h"

namespace pintle::telemetry {

/// Appends one message. Grows `out` only if its capacity is too small. The table must live as long
/// as the program, as those of `table_of` do: what is worked out from it is kept.
void encode_cdr(const Table& table, const void* object, std::vector<std::byte>& out);
template <class T>
void encode_cdr(const T& object, std::vector<std::byte>& out) {
  encode_cdr(table_of<T>(), &object, out);
}

/// False when the bytes end early or a length is impossible; `object` is then partly filled.
[[nodiscard]] bool decode_cdr(const Table& table, std::span<const std::byte> bytes, void* object);
template <class T>
[[nodiscard]] bool decode_cdr(std::span<const std::byte> bytes, T& object) {
  return decode_cdr(table_of<T>(), bytes, &object);
}

/// "pintle/msg/NAME"; a table whose name has a package keeps that: "tf2_msgs/msg/TFMessage".
[[nodiscard]] std::string ros2msg_name(const Table& table);
/// Schema text; types are named `pintle/NAME`, or as their table has it.
[[nodiscard]] std::string ros2msg_definition(const Table& table);
/// Whether messages of that definition can be decoded with this table: equal but for comments.
[[nodiscard]] bool same_layout(std::string_view definition, const Table& table);

/// One line, no newline. Numbers in the shortest form that reads back to the same bits.
void append_json(const Table& table, const void* object, std::string& out);
template <class T>
[[nodiscard]] std::string to_json(const T& object) {
  std::string s;
  append_json(table_of<T>(), &object, s);
  return s;
}

/// Text in quotes, escaped; bytes that are not UTF-8 become U+FFFD.
void append_json_text(std::string_view text, std::string& out);

/// Text for HTML and XML: &, <, >, quotes; control characters and bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string escape_html(std::string_view text);

/// Shortest decimal text that reads back to the same bits; "nan", "inf", "-inf".
[[nodiscard]] std::string number_text(double value);

}  // namespace pintle::telemetry
