// Any bytes as a table, as `trace`, `allocate` and `device` read it, and as the CSV of a matrix. What is refused says where,
// what is taken is rectangular, and written out it reads back to the same.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "apps/pintle/csv.h"
#include "pintle/config/problem.h"
#include "pintle/vehicle/effectiveness.h"

namespace {

using namespace pintle;

/// A file that holds these bytes.
class Held {
 public:
  Held(const void* data, std::size_t size) : fd_(::memfd_create("fuzz.csv", 0)) {
    if (fd_ < 0 || ::write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~Held() { ::close(fd_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

void expect_place(std::string_view text) {
  if (text.find("/proc/self/fd/") != 0) std::abort();
}

void read_again(const app::CsvText& table) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  app::CsvWriter writer(out);
  const auto row = [&](const std::vector<std::string>& cells) {
    for (const std::string& c : cells) writer.cell(c);
    writer.end_row();
  };
  row(table.columns);
  for (const auto& r : table.rows) {
    if (r.cells.size() != table.columns.size()) std::abort();
    row(r.cells);
  }
  std::fclose(out);
  const Held file(text, size);
  std::free(text);
  const app::CsvText again = app::read_csv_text(file.path());
  if (again.columns != table.columns) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 20'000) return 0;
  const Held file(data, size);
  try {
    const app::CsvText table = app::read_csv_text(file.path());
    // what stands in quotes may hold the end of a line, which no line of these tables may
    if (std::memchr(data, '"', size) == nullptr && std::memchr(data, '\r', size) == nullptr &&
        std::memchr(data, 0, size) == nullptr)
      read_again(table);
  } catch (const app::CsvError& e) {
    expect_place(e.what());
  }
  try {
    const app::CsvTable table = app::read_csv(file.path());
    for (const auto& row : table.rows)
      if (row.size() != table.columns.size()) std::abort();
  } catch (const app::CsvError& e) {
    expect_place(e.what());
  }
  try {
    const auto rows = vehicle::read_matrix_csv(file.path());
    for (const auto& row : rows) {
      if (row.size() != rows[0].size()) std::abort();
      for (const double x : row)
        if (!std::isfinite(x)) std::abort();
    }
  } catch (const config::ConfigError& e) {
    for (const auto& p : e.problems())
      if (p.where.line < 1 || p.message.empty()) std::abort();
  }
  return 0;
}
