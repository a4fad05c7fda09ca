/// The effectiveness matrix of a vehicle, its pseudo-inverse and what they say about it.
///
/// Column i is [d_i; p_i x d_i] in the vehicle's unit. CSV as seed 003 describes it: six rows, no
/// header, rounded to 10 decimals, -0 written 0; pseudo-inverse from the unrounded matrix, then
/// rounded.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {

/// Bounds from the propulsors, preferred 0, bias 0.
[[nodiscard]] Effectiveness effectiveness_of(const Vehicle& vehicle) noexcept;

struct MatrixReport {
  std::vector<Vec6> columns;            ///< Unrounded.
  std::vector<Vec6> pinv_rows;          ///< n rows of 6, unrounded.
  std::vector<double> singular_values;  ///< Falling.
  int rank = 0;
  Vec6 attainable_positive;  ///< Most along each axis alone (others exactly zero), positive
                             ///< direction …
  Vec6 attainable_negative;  ///< … and negative (as a negative number).
};
[[nodiscard]] MatrixReport analyse(const Vehicle& vehicle);

/// Six rows (matrix) or n rows (pinv), 10 decimals, "\n" between lines and at the end.
[[nodiscard]] std::string matrix_csv(const MatrixReport& report);
[[nodiscard]] std::string pinv_csv(const MatrixReport& report);

/// Numbers of a bare CSV. Accepts whitespace around values, CRLF, trailing comma, missing last
/// newline.
/// @throws config::ConfigError for ragged rows, blank lines, no rows, other separators, text, nan
/// or inf: with line and column.
[[nodiscard]] std::vector<std::vector<double>> read_matrix_csv(const std::filesystem::path& file);

/// A wrench matrix path of a robot file: relative to the folder above `config/` if the file lies in
/// one, else to the file's folder.
[[nodiscard]] std::filesystem::path resolve_beside(const std::filesystem::path& vehicle_file,
                                                   std::string_view relative);

}  // namespace pintle::vehicle
