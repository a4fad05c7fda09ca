#include "pintle/telemetry/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <stdexcept>

#include "pintle/telemetry/encoding.h"

namespace pintle::telemetry {
namespace {

void append_quoted(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_cell(const Field& f, const void* element, std::string& out) {
  switch (f.kind) {
    case Kind::kString: return append_quoted(f.text->get(element), out);
    case Kind::kFloat64: out += number_text(number_of(f, element)); return;
    case Kind::kFloat32: {
      // the shortest text of the narrow number, not of its image in the wide one
      const auto value = static_cast<float>(number_of(f, element));
      out += value == value && value - value == 0 ? fmt::format("{}", value)
                                                  : number_text(static_cast<double>(value));
      return;
    }
    case Kind::kUint64:
      fmt::format_to(std::back_inserter(out), "{}",
                     static_cast<std::uint64_t>(integer_of(f, element)));
      return;
    case Kind::kEnum: {
      const std::int64_t value = integer_of(f, element);
      for (const EnumValue& v : f.enumeration->values)
        if (v.value == value) return append_quoted(v.name, out);
      fmt::format_to(std::back_inserter(out), "{}", value);
      return;
    }
    default: fmt::format_to(std::back_inserter(out), "{}", integer_of(f, element)); return;
  }
}

/// `object` may be null: then its cells are empty. Every cell ends with a comma.
void append_cells(const Table& table, const void* object, std::size_t items, std::string& out) {
  for (const Field& f : table.fields) {
    const std::size_t there = object ? f.size(object) : 0;
    const bool one = f.shape == Shape::kSingle || f.shape == Shape::kOptional;
    const std::size_t cells = one ? 1 : f.shape == Shape::kArray ? f.capacity : items;
    for (std::size_t i = 0; i < cells; ++i) {
      const void* element = i < there ? f.element(object, i) : nullptr;
      if (f.kind == Kind::kStruct) {
        append_cells(*f.table, element, items, out);
        continue;
      }
      if (element) append_cell(f, element, out);
      out += ',';
    }
  }
}

/// Seconds with every digit of the nanoseconds that is not a trailing zero.
std::string time_text(Time time) {
  std::string text = fmt::format("{}.{:09}", time.ns / 1'000'000'000, time.ns % 1'000'000'000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

void append_csv_cells(const Table& table, const void* object, std::size_t items, std::string& out) {
  const std::size_t before = out.size();
  append_cells(table, object, items, out);
  if (out.size() > before) out.pop_back();
}

std::size_t longest_sequence(const Table& table, const void* object) {
  std::size_t longest = 0;
  for (const Field& f : table.fields) {
    const std::size_t n = f.size(object);
    if (f.shape == Shape::kSequence || f.shape == Shape::kVector) longest = std::max(longest, n);
    if (f.kind != Kind::kStruct) continue;
    for (std::size_t i = 0; i < n; ++i)
      longest = std::max(longest, longest_sequence(*f.table, f.element(object, i)));
  }
  return longest;
}

std::uint64_t export_csv(McapReader& log, std::string_view topic, const Table& table, void* scratch,
                         std::ostream& out) {
  // the first pass says how wide the lines are
  std::size_t items = 0;
  std::uint64_t lines = 0;
  std::string known_layout;
  const auto decode = [&](const McapMessage& m) {
    if (m.topic != topic) return false;
    if (m.schema_text != known_layout) {
      if (!same_layout(m.schema_text, table))
        throw std::runtime_error(
            fmt::format("{} was recorded with another layout of {}", topic, table.name));
      known_layout = m.schema_text;
    }
    return decode_cdr(table, m.bytes, scratch);
  };
  log.for_each([&](const McapMessage& m) {
    if (decode(m)) {
      ++lines;
      items = std::max(items, longest_sequence(table, scratch));
    }
    return true;
  });
  if (lines == 0) throw std::runtime_error(fmt::format("the log has no messages on {}", topic));

  std::string line = "log_time_s";
  for (const std::string& name : flat_names(table, items)) {
    line += ',';
    append_quoted(name, line);
  }
  out << line << '\n';
  log.for_each([&](const McapMessage& m) {
    if (!decode(m)) return true;
    line = time_text(m.time);
    line += ',';
    append_csv_cells(table, scratch, items, line);
    line += '\n';
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
    return true;
  });
  return lines;
}

}  // namespace pintle::telemetry
