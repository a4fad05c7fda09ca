/// Tables on stdin, stdout and in files: a header names the columns, numbers read back to the same
/// bits.
#pragma once
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::app {

/// Bad input table: what, in which file and line, and what was expected.
struct CsvError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The lines of a file or of stdin, of at most 1 MiB each.
class InputLines {
 public:
  /// `path` "-" or empty reads stdin. @throws CsvError when it cannot be opened.
  explicit InputLines(const std::string& path);
  /// False at the end. @throws CsvError when a line is too long.
  bool next(std::string& line);
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// "FILE:12", the line that came last.
  [[nodiscard]] std::string place() const { return name_ + ":" + std::to_string(number_); }

 private:
  bool from_stdin_;
  std::string name_;
  std::ifstream file_;
  int number_ = 0;
};

/// The header line of a table; cells may stand in quotes (RFC 4180).
struct CsvHeader {
  std::string name;  ///< File name, or "stdin".
  std::vector<std::string> columns;

  /// Index of a column. -1 when it is absent.
  [[nodiscard]] int find(std::string_view column) const noexcept;
  /// Throws unless every required column is there and no other than the required and optional ones.
  void expect(const std::vector<std::string>& required,
              const std::vector<std::string>& optional = {}) const;
};

struct CsvTable : CsvHeader {
  std::vector<std::vector<double>> rows;  ///< Each as long as `columns`.

  [[nodiscard]] double at(std::size_t row, std::string_view column, double fallback) const noexcept;
};

/// A table whose cells are not all numbers.
struct CsvText : CsvHeader {
  struct Row {
    std::string where;  ///< "stdin:7"
    std::vector<std::string> cells;
  };
  std::vector<Row> rows;

  /// Empty where the column is absent.
  [[nodiscard]] std::string_view at(const Row& row, std::string_view column) const noexcept;
};

/// `path` "-" or empty reads stdin. At most ten million cells. @throws CsvError.
[[nodiscard]] CsvTable read_csv(const std::string& path);
[[nodiscard]] CsvText read_csv_text(const std::string& path);

/// Writes one line of cells: numbers in the shortest form that reads back to the same bits, text in
/// quotes where RFC 4180 asks for them.
class CsvWriter {
 public:
  explicit CsvWriter(std::FILE* out) : out_(out) {}
  CsvWriter& cell(double value);
  CsvWriter& cell(std::string_view text);
  void end_row();

 private:
  std::FILE* out_;
  bool first_ = true;
};

}  // namespace pintle::app
