#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pintle/config/file.h"
#include "pintle/config/problem.h"
#include "pintle/config/reader.h"
#include "pintle/config/save.h"
#include "pintle/config/text.h"
#include "pintle/vehicle/effectiveness.h"

namespace pintle::vehicle {
namespace {

namespace fs = std::filesystem;
using config::ConfigError;
using config::Problem;

constexpr std::size_t kMaxCells = 1000;  // of a row or a column; a craft has tens of channels

/// Ten decimals without trailing zeros, as "0.5", "1.0", "0.7071067812"; never "-0.0".
std::string decimals(double x) {
  std::string text = fmt::format("{:.10f}", x);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text += '0';
  return text == "-0.0" ? "0.0" : text;
}

[[noreturn]] void refuse(const fs::path& file, int line, int column, const std::string& excerpt,
                         std::string message, std::string fix = {}) {
  throw ConfigError(Problem{{file.string(), line, column},
                            config::excerpt_of(excerpt),
                            std::move(message),
                            std::move(fix)});
}

std::string_view trimmed(std::string_view s) {
  const std::size_t from = s.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return s.substr(from, s.find_last_not_of(" \t\r") - from + 1);
}

std::vector<double> read_row(const fs::path& file, const std::string& text, int line) {
  if (trimmed(text).empty())
    refuse(file, line, 1, text, "expected a row of numbers, got a blank line",
           "delete the blank line");
  std::vector<double> row;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view cell = trimmed(std::string_view(text).substr(at, comma - at));
    // a comma at the very end closes the last number
    if (cell.empty() && comma == text.size() && !row.empty()) break;
    const int column = static_cast<int>(at) + 1;
    if (cell.empty())
      refuse(file, line, column, text, "expected a number between commas, got nothing");
    if (cell.find_first_of("; \t") != std::string_view::npos)
      refuse(file, line, column, text,
             "expected numbers with commas between, got " + config::in_quotes(cell),
             "separate the numbers by commas");
    const std::optional<double> value = config::parse_number(cell);
    if (!value || !std::isfinite(*value))
      refuse(file, line, column, text, "expected a finite number, got " + config::in_quotes(cell),
             "the file has no header and no other text");
    if (row.size() == kMaxCells)
      refuse(file, line, column, {}, fmt::format("more than {} numbers in a row", kMaxCells),
             "is it a matrix?");
    row.push_back(*value);
    at = comma + 1;
  }
  return row;
}

using Rows = std::vector<std::vector<double>>;

Rows matrix_rows(const MatrixReport& report) {
  Rows rows(kAxes);
  for (std::size_t a = 0; a < kAxes; ++a)
    for (const Vec6& column : report.columns) rows[a].push_back(column[a]);
  return rows;
}

Rows pinv_rows(const MatrixReport& report) {
  Rows rows;
  for (const Vec6& row : report.pinv_rows) rows.emplace_back(row.v.begin(), row.v.end());
  return rows;
}

std::string csv(const Rows& rows) {
  std::string text;
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + decimals(row[i]);
    text += '\n';
  }
  return text;
}

/// Links followed, as far as there is anything.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path.empty() ? fs::path(".") : path, error);
  return error ? fs::path() : real;
}

/// Whether a path leads into a folder, or below it.
bool is_inside(const fs::path& folder, const fs::path& path) {
  const fs::path outer = real_path(folder), inner = real_path(path);
  if (outer.empty() || inner.empty()) return false;
  const auto [end, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end() && rest != inner.end();
}

/// Why a file must not be written; empty: it may.
std::string objection(const fs::path& folder, const fs::path& file) {
  if (!is_inside(folder, file))
    return fmt::format("{} is not written: it lies outside {}, the folder of the vehicle",
                       file.string(), folder.empty() ? "." : folder.string());
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return {};
  if (fs::is_regular_file(file, error) && fs::file_size(file, error) == 0) return {};
  try {
    (void)read_matrix_csv(file);
  } catch (const ConfigError&) {
    return fmt::format("{} is not replaced: it is there and is no matrix", file.string());
  }
  return {};
}

void save(const fs::path& folder, MatrixFile& file, const std::string& text) {
  if (file.path.empty()) return;
  file.reason = objection(folder, file.path);
  if (!file.reason.empty()) return;
  std::error_code error;
  if (file.path.has_parent_path()) fs::create_directories(file.path.parent_path(), error);
  config::SaveResult result = config::save_atomically(file.path, text);
  file.saved = result.saved;
  file.reason = std::move(result.reason);
}

/// What paths of a vehicle file count from.
fs::path base_folder(const fs::path& vehicle_file) {
  fs::path folder = vehicle_file.parent_path();
  std::error_code error;
  if (folder.filename() == "config")
    folder = folder.parent_path();
  else if (folder.empty() && fs::current_path(error).filename() == "config")
    folder = "..";
  return folder;
}

/// Of two matrices of one size, beyond rounding; empty: none.
std::string first_difference(const Rows& expected, const Rows& rows) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const double want = expected[r][c];
      if (std::fabs(rows[r][c] - want) <= 1e-9 * std::max(1.0, std::fabs(want))) continue;
      return fmt::format("row {}, column {} is {}, they give {}", r + 1, c + 1,
                         config::shortest(rows[r][c]), decimals(want));
    }
  return {};
}

/// Compares one file with what the propulsors give.
void compare(const Rows& expected, const fs::path& file, std::string_view key, Findings& out) {
  const auto warn = [&](std::string message, std::string fix) {
    out.push_back({std::string(key), std::move(message), std::move(fix), false});
  };
  std::error_code error;
  if (!fs::exists(file, error)) {
    warn(fmt::format("{} does not exist: computed from the propulsors", file.string()),
         "pintle matrix --write  makes it");
    return;
  }
  Rows rows;
  try {
    rows = read_matrix_csv(file);
  } catch (const ConfigError& e) {
    const Problem& p = e.problems().front();
    warn(fmt::format("{}:{}:{}: {}; computed from the propulsors instead", file.string(),
                     p.where.line, p.where.column, p.message),
         "delete it; pintle matrix --write  makes it anew");
    return;
  }
  if (rows.size() != expected.size() || rows[0].size() != expected[0].size()) {
    warn(fmt::format("{} has {} rows of {}, the propulsors give {} of {}", file.string(),
                     rows.size(), rows[0].size(), expected.size(), expected[0].size()),
         "it belongs to another vehicle; pintle matrix --write  makes it anew");
    return;
  }
  const std::string difference = first_difference(expected, rows);
  if (!difference.empty())
    warn(fmt::format("{} disagrees with the propulsors: {}", file.string(), difference),
         "the propulsors are used (the ROS node controls asks which); pintle matrix --write  makes "
         "the file anew");
}

}  // namespace

std::string matrix_csv(const MatrixReport& report) { return csv(matrix_rows(report)); }
std::string pinv_csv(const MatrixReport& report) { return csv(pinv_rows(report)); }

Rows read_matrix_csv(const fs::path& file) {
  std::string text = config::read_file(file);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (trimmed(text).empty() && text.find('\n') == std::string::npos)
    refuse(file, 1, 1, text, "expected at least one row of numbers, got an empty file");

  Rows rows;
  std::size_t at = 0;
  for (int line = 1; at <= text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string row = text.substr(at, end - at);
    if (!row.empty() && row.back() == '\r') row.pop_back();
    if (rows.size() == kMaxCells)
      refuse(file, line, 1, {}, fmt::format("more than {} rows", kMaxCells), "is it a matrix?");
    rows.push_back(read_row(file, row, line));
    if (rows.back().size() != rows.front().size())
      refuse(file, line, 1, row,
             fmt::format("expected {} numbers as in the first row, got {}", rows.front().size(),
                         rows.back().size()));
    at = end + 1;
  }
  return rows;
}

fs::path resolve_beside(const fs::path& vehicle_file, std::string_view relative) {
  return (base_folder(vehicle_file) / fs::path(relative)).lexically_normal();
}

MatrixFiles write_matrices(const VehicleSpec& spec, const fs::path& vehicle_file) {
  const MatrixReport report = analyse(build(spec));
  MatrixFiles files;
  if (!spec.wrench_matrix_file.empty())
    files.matrix.path = resolve_beside(vehicle_file, spec.wrench_matrix_file);
  if (!spec.wrench_matrix_pinv_file.empty())
    files.pinv.path = resolve_beside(vehicle_file, spec.wrench_matrix_pinv_file);
  save(base_folder(vehicle_file), files.matrix, matrix_csv(report));
  save(base_folder(vehicle_file), files.pinv, pinv_csv(report));
  return files;
}

Findings check_matrices(const VehicleSpec& spec, const fs::path& vehicle_file,
                        const MatrixKeys& keys) {
  Findings out;
  if (spec.wrench_matrix_file.empty() && spec.wrench_matrix_pinv_file.empty()) return out;
  const MatrixReport report = analyse(build(spec));
  if (!spec.wrench_matrix_file.empty())
    compare(matrix_rows(report), resolve_beside(vehicle_file, spec.wrench_matrix_file), keys.matrix,
            out);
  if (!spec.wrench_matrix_pinv_file.empty())
    compare(pinv_rows(report), resolve_beside(vehicle_file, spec.wrench_matrix_pinv_file),
            keys.pinv, out);
  return out;
}

MatrixClaim claim_of_matrix(const VehicleSpec& spec, const fs::path& vehicle_file) {
  MatrixClaim claim;
  if (spec.wrench_matrix_file.empty()) return claim;
  Rows rows;
  try {
    rows = read_matrix_csv(resolve_beside(vehicle_file, spec.wrench_matrix_file));
  } catch (const ConfigError&) {  // the load has said so
    return claim;
  }
  if (rows.size() != kAxes) return claim;
  const Rows expected = matrix_rows(analyse(build(spec)));
  const std::size_t n = rows[0].size();
  claim.difference = n != expected[0].size()
                         ? fmt::format("it has {} columns, they are {}", n, expected[0].size())
                         : first_difference(expected, rows);
  if (claim.difference.empty()) return claim;

  VehicleSpec other = spec;
  const bool renamed = n != spec.propulsors.size();
  if (renamed) other.devices.clear();
  other.propulsors.resize(n, spec.propulsors.front());
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 f{rows[0][i], rows[1][i], rows[2][i]}, torque{rows[3][i], rows[4][i], rows[5][i]};
    if (!(std::abs(norm(f) - 1) < 1e-3) || !(std::abs(dot(f, torque)) < 1e-6)) return claim;
    PropulsorSpec& p = other.propulsors[i];
    if (renamed) p.name = fmt::format("thruster_{}", i);
    p.position_m = (1 / dot(f, f)) * cross(f, torque);
    p.direction = f;
    p.rpy_deg.reset();
    p.flipped = false;
  }
  const Findings findings = check(other);
  if (std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.is_error; }))
    claim.spec = std::move(other);
  return claim;
}

}  // namespace pintle::vehicle
