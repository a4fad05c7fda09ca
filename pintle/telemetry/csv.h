/// One topic of a log as CSV: a header of flat names, then a line a message.
///
/// The first column is `log_time_s`, exact to the nanosecond; the others are those of `flat_names`.
/// Numbers are the shortest text that reads back to the same bits ("nan", "inf", "-inf"), enums
/// their names, bools 1 and 0. A sequence gets as many columns as the longest one seen has items;
/// cells of items that are not there are empty. Text is quoted where RFC 4180 asks for it.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "pintle/base/fields.h"
#include "pintle/telemetry/mcap_reader.h"

namespace pintle::telemetry {

/// Cells of one object in the order of `flat_names(table, items)`, without a line end.
void append_csv_cells(const Table& table, const void* object, std::size_t items, std::string& out);
/// Length of the longest sequence in it.
[[nodiscard]] std::size_t longest_sequence(const Table& table, const void* object);

/// Returns the number of lines below the header. `scratch` is an object of the table.
/// @throws std::runtime_error when the topic is not there, or was recorded with another layout.
std::uint64_t export_csv(McapReader& log, std::string_view topic, const Table& table, void* scratch,
                         std::ostream& out);
template <class T>
std::uint64_t export_csv(McapReader& log, std::string_view topic, std::ostream& out) {
  T scratch{};
  return export_csv(log, topic, table_of<T>(), &scratch, out);
}

}  // namespace pintle::telemetry
