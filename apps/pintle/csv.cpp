#include "csv.h"

#include <algorithm>
#include <iostream>

#include "pintle/config/problem.h"
#include "pintle/config/reader.h"
#include "pintle/config/text.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::app {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

/// Cells of a line; what stands in quotes is taken as it is, with "" for a quote.
std::vector<std::string> split(std::string_view line, const std::string& where) {
  std::vector<std::string> cells;
  while (true) {
    line = trim(line);
    std::string cell;
    if (line.starts_with('"')) {
      std::size_t at = 1;
      for (; at < line.size(); ++at) {
        if (line[at] != '"') {
          cell += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          cell += line[at++];
        } else {
          break;
        }
      }
      if (at >= line.size()) throw CsvError(where + ": a quote is never closed");
      line = trim(line.substr(at + 1));
      if (!line.empty() && line.front() != ',')
        throw CsvError(where + ": expected a comma behind the quote");
    } else {
      const std::size_t end = std::min(line.find(','), line.size());
      cell = trim(line.substr(0, end));
      line = line.substr(end);
    }
    cells.push_back(std::move(cell));
    if (line.empty()) return cells;
    line.remove_prefix(1);
  }
}

double parse_cell(std::string_view cell, const std::string& where) {
  // a table may carry what a sensor may say: nan and inf are numbers here
  if (cell == "nan" || cell == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (cell == "inf" || cell == "+inf") return std::numeric_limits<double>::infinity();
  if (cell == "-inf") return -std::numeric_limits<double>::infinity();
  const auto value = config::parse_number(cell);
  if (!value) throw CsvError(where + ": expected a number, got " + config::in_quotes(cell));
  return *value;
}

/// The header line, then `take(cells, place)` for each line below it.
template <class Take>
void read_rows(const std::string& path, CsvHeader& header, const Take& take) {
  constexpr std::size_t kMost = 10'000'000;
  InputLines in(path);
  header.name = in.name();
  std::string line;
  if (!in.next(line))
    throw CsvError(header.name + ": is empty; expected a header line with column names");
  header.columns = split(line, in.place());
  for (std::size_t cells_read = 0; in.next(line);) {
    if (trim(line).empty()) continue;
    std::vector<std::string> cells = split(line, in.place());
    if (cells.size() != header.columns.size())
      throw CsvError(in.place() + ": expected " + std::to_string(header.columns.size()) +
                     " values, got " + std::to_string(cells.size()));
    cells_read += cells.size();
    if (cells_read > kMost)
      throw CsvError(in.place() + ": more than " + std::to_string(kMost) +
                     " values: split the table");
    take(std::move(cells), in.place());
  }
}

}  // namespace

int CsvHeader::find(std::string_view column) const noexcept {
  const auto it = std::find(columns.begin(), columns.end(), column);
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

void CsvHeader::expect(const std::vector<std::string>& required,
                       const std::vector<std::string>& optional) const {
  std::string missing, unknown;
  for (const std::string& c : required)
    if (find(c) < 0) missing += (missing.empty() ? "" : ", ") + c;
  std::vector<std::string_view> known(required.begin(), required.end());
  known.insert(known.end(), optional.begin(), optional.end());
  for (const std::string& c : columns) {
    if (std::find(known.begin(), known.end(), c) != known.end()) continue;
    const std::string near = config::did_you_mean(c, known);
    unknown +=
        (unknown.empty() ? "" : ", ") + c + (near.empty() ? "" : " (did you mean " + near + "?)");
  }
  if (missing.empty() && unknown.empty()) return;
  std::string all;
  for (const std::string& c : required) all += (all.empty() ? "" : ",") + c;
  throw CsvError(name + ":1: " + (missing.empty() ? "" : "missing columns: " + missing) +
                 (missing.empty() || unknown.empty() ? "" : "; ") +
                 (unknown.empty() ? "" : "unknown columns: " + unknown) +
                 "\n  the header line must be:  " + all);
}

double CsvTable::at(std::size_t row, std::string_view column, double fallback) const noexcept {
  const int c = find(column);
  return c < 0 ? fallback : rows[row][static_cast<std::size_t>(c)];
}

std::string_view CsvText::at(const Row& row, std::string_view column) const noexcept {
  const int c = find(column);
  return c < 0 ? std::string_view() : std::string_view(row.cells[static_cast<std::size_t>(c)]);
}

InputLines::InputLines(const std::string& path)
    : from_stdin_(path.empty() || path == "-"), name_(from_stdin_ ? "stdin" : path) {
  if (from_stdin_) return;
  file_.open(path);
  if (!file_) throw CsvError(path + ": cannot be opened");
}

bool InputLines::next(std::string& line) {
  constexpr std::size_t kLongest = 1 << 20;
  std::streambuf& in = *(from_stdin_ ? std::cin.rdbuf() : file_.rdbuf());
  line.clear();
  ++number_;
  for (int c = in.sbumpc(); c != EOF; c = in.sbumpc()) {
    if (c == '\n') return true;
    line += static_cast<char>(c);
    if (line.size() > kLongest) throw CsvError(place() + ": the line is longer than 1 MiB");
  }
  return !line.empty();
}

CsvText read_csv_text(const std::string& path) {
  CsvText table;
  read_rows(path, table, [&](std::vector<std::string> cells, std::string where) {
    table.rows.push_back({std::move(where), std::move(cells)});
  });
  return table;
}

CsvTable read_csv(const std::string& path) {
  CsvTable table;
  read_rows(path, table, [&](const std::vector<std::string>& cells, const std::string& where) {
    std::vector<double> row;
    row.reserve(cells.size());
    for (const std::string& cell : cells) row.push_back(parse_cell(cell, where));
    table.rows.push_back(std::move(row));
  });
  return table;
}

CsvWriter& CsvWriter::cell(double value) { return cell(telemetry::number_text(value)); }

CsvWriter& CsvWriter::cell(std::string_view text) {
  std::string quoted;
  if (text.find_first_of(",\"\r\n") != std::string_view::npos) {
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    text = quoted = '"' + quoted + '"';
  }
  std::fprintf(out_, first_ ? "%.*s" : ",%.*s", static_cast<int>(text.size()), text.data());
  first_ = false;
  return *this;
}

void CsvWriter::end_row() {
  std::fputc('\n', out_);
  first_ = true;
}

}  // namespace pintle::app
