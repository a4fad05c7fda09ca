#include "csv.h"

#include <algorithm>
#include <fstream>
#include <iostream>

#include "pintle/config/problem.h"
#include "pintle/config/reader.h"
#include "pintle/telemetry/encoding.h"

namespace pintle::app {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

double parse_cell(std::string_view cell, const std::string& where) {
  // a table may carry what a sensor may say: nan and inf are numbers here
  if (cell == "nan" || cell == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (cell == "inf" || cell == "+inf") return std::numeric_limits<double>::infinity();
  if (cell == "-inf") return -std::numeric_limits<double>::infinity();
  const auto value = config::parse_number(cell);
  if (!value) throw CsvError(where + ": expected a number, got \"" + std::string(cell) + "\"");
  return *value;
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

CsvText read_csv_text(const std::string& path) {
  CsvText table;
  const bool from_stdin = path.empty() || path == "-";
  table.name = from_stdin ? "stdin" : path;
  std::ifstream file;
  if (!from_stdin) {
    file.open(path);
    if (!file) throw CsvError(path + ": cannot be opened");
  }
  std::istream& in = from_stdin ? std::cin : file;
  std::string line;
  if (!std::getline(in, line))
    throw CsvError(table.name + ": is empty; expected a header line with column names");
  for (std::string_view cell : split(line)) table.columns.emplace_back(cell);
  for (int number = 2; std::getline(in, line); ++number) {
    if (trim(line).empty()) continue;
    CsvText::Row row{table.name + ":" + std::to_string(number), {}};
    for (std::string_view cell : split(line)) row.cells.emplace_back(cell);
    if (row.cells.size() != table.columns.size())
      throw CsvError(row.where + ": expected " + std::to_string(table.columns.size()) +
                     " values, got " + std::to_string(row.cells.size()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

CsvTable read_csv(const std::string& path) {
  const CsvText text = read_csv_text(path);
  CsvTable table;
  table.name = text.name;
  table.columns = text.columns;
  for (const CsvText::Row& line : text.rows) {
    std::vector<double> row;
    row.reserve(line.cells.size());
    for (const std::string& cell : line.cells) row.push_back(parse_cell(cell, line.where));
    table.rows.push_back(std::move(row));
  }
  return table;
}

CsvWriter& CsvWriter::cell(double value) { return cell(telemetry::number_text(value)); }

CsvWriter& CsvWriter::cell(std::string_view text) {
  std::fprintf(out_, first_ ? "%.*s" : ",%.*s", static_cast<int>(text.size()), text.data());
  first_ = false;
  return *this;
}

void CsvWriter::end_row() {
  std::fputc('\n', out_);
  first_ = true;
}

}  // namespace pintle::app
