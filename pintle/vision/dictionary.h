/// The patterns of markers.
///
/// Original ArUco: five rows of one of the words 10000, 10111, 01001, 01110, which mean 00, 01, 10,
/// 11; the ten bits are the number, the upper row first. AprilTag 36h11: as OpenCV holds it. Both
/// have one cell of black border. 1 is white.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "pintle/base/visual_target.h"

namespace pintle::vision {

inline constexpr int kMostCells = 8;  ///< Along a side, border included.

/// Along a side, border included.
[[nodiscard]] int cells_along(MarkerFamily family) noexcept;

/// All cells of a marker, border included, row by row. Empty: there is no such number.
[[nodiscard]] std::vector<std::uint8_t> marker_cells(MarkerFamily family, std::uint32_t id);

/// Which of some markers a pattern is; every bit has to be right.
class Dictionary {
 public:
  Dictionary() = default;
  explicit Dictionary(const MarkerTargets& markers);

  struct Match {
    std::uint32_t id = 0;
    double side_m = 0;
    /// Quarter turns, to the right, from the marker as it is printed to the pattern given.
    int turns = 0;
  };
  /// The cells inside of the border, row by row, the first the highest bit.
  [[nodiscard]] std::optional<Match> find(std::uint64_t pattern) const noexcept;
  /// How near the pattern came to being another marker of the family, counted here or not: the least
  /// sum of the margins of the bits that would have to be different. `margins`: by bit, the lowest
  /// first.
  [[nodiscard]] double nearest_rival(std::uint64_t pattern, std::uint32_t id,
                                     const std::array<double, 64>& margins) const noexcept;
  [[nodiscard]] int cells() const noexcept { return cells_; }
  /// All cells of one of these markers, as printed.
  [[nodiscard]] const std::vector<std::uint8_t>& cells_of(std::uint32_t id) const noexcept;

 private:
  struct Entry {
    std::uint64_t pattern;
    Match match;
  };
  int cells_ = 7;
  std::vector<Entry> entries_;                                   // by pattern
  std::vector<std::pair<std::uint64_t, std::uint32_t>> family_;  // every pattern, and its number
  std::vector<std::pair<std::uint32_t, std::vector<std::uint8_t>>> printed_;
};

}  // namespace pintle::vision
