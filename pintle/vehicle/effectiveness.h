/// The effectiveness matrix of a vehicle, its pseudo-inverse and what they say about it.
///
/// Column i is [d_i; p_i x d_i] in the vehicle's unit. CSV as the Duke robots keep it: six rows, no
/// header, rounded to 10 decimals, -0 written 0; pseudo-inverse from the unrounded matrix, then
/// rounded.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/vehicle/vehicle.h"

namespace pintle::vehicle {

/// Bounds from the propulsors; preferred 0 but for thrusters that say otherwise. Of those whose
/// columns change: in still air at sea level, engines at full thrust with their gimbals straight (a
/// fin then pushes nowhere).
[[nodiscard]] Effectiveness effectiveness_of(const Vehicle& vehicle) noexcept;

struct MatrixReport {
  std::vector<Vec6> columns;            ///< Unrounded.
  std::vector<Vec6> pinv_rows;          ///< n rows of 6, unrounded.
  std::vector<double> singular_values;  ///< Falling.
  int rank = 0;
  /// Most along each axis alone (others exactly zero), positive direction …
  Vec6 attainable_positive;
  Vec6 attainable_negative;  ///< … and negative (as a negative number).
};
/// Singular values below 1e-9 of the largest count as zero. The attainable wrenches are the exact
/// optima of a linear programme (see linear_programme.h). May throw std::bad_alloc alone.
[[nodiscard]] MatrixReport analyse(const Vehicle& vehicle);

/// Six rows (matrix) or n rows (pinv), at most 10 decimals and at least one ("0.0"), "\n" after
/// every line.
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

/// Where the two CSV files of a vehicle stand in its file.
struct MatrixKeys {
  std::string_view matrix = "wrench_matrix_file";
  std::string_view pinv = "wrench_matrix_pinv_file";
};

/// What became of one file.
struct MatrixFile {
  std::filesystem::path path;  ///< Empty: the vehicle file names none.
  bool saved = false;
  std::string reason;  ///< Why not: it could not be, lies outside the folder, is no matrix.
};
struct MatrixFiles {
  MatrixFile matrix, pinv;
};
/// Computes both CSV files and saves each atomically under the path that the vehicle file gives,
/// making its folder if need be. A vehicle file without the paths saves nothing.
[[nodiscard]] MatrixFiles write_matrices(const VehicleSpec& spec,
                                         const std::filesystem::path& vehicle_file);

/// Compares the CSV files that the vehicle file names with its propulsors: a warning for one that
/// is missing (what is computed is used), cannot be read, has another size, or differs by more than
/// 1e-9 of the entry (or of 1) at its first such entry. Matrices on disk are never used for
/// allocation.
[[nodiscard]] Findings check_matrices(const VehicleSpec& spec,
                                      const std::filesystem::path& vehicle_file,
                                      const MatrixKeys& keys = {});

/// What a matrix file says about the thrusters, where it says something else than the vehicle file.
struct MatrixClaim {
  std::string difference;           ///< The first one, in words; empty: there is none.
  std::optional<VehicleSpec> spec;  ///< The vehicle as the matrix has it, where columns are those
                                    ///< of thrusters: [f; p x f] with |f| = 1.
};
/// The vehicle file's matrix against its thrusters, within rounding (as above). No file, or one
/// that cannot be read, claims nothing. Thrusters keep names and parameters in their order; each is
/// at the point of its line of action that is nearest to the origin.
[[nodiscard]] MatrixClaim claim_of_matrix(const VehicleSpec& spec,
                                          const std::filesystem::path& vehicle_file);

}  // namespace pintle::vehicle
