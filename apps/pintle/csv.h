/// Tables on stdin, stdout and in files: a header names the columns, numbers read back to the same
/// bits.
#pragma once
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::app {

/// Bad input table: what, in which file and line, and what was expected.
struct CsvError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The header line of a table.
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

/// `path` "-" or empty reads stdin. @throws CsvError.
[[nodiscard]] CsvTable read_csv(const std::string& path);
[[nodiscard]] CsvText read_csv_text(const std::string& path);

/// Writes one line of cells; numbers in the shortest form that reads back to the same bits.
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
