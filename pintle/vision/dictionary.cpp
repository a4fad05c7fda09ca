#include "pintle/vision/dictionary.h"

#include <algorithm>
#include <bit>
#include <opencv2/aruco/dictionary.hpp>

namespace pintle::vision {
namespace {

using Cells = std::vector<std::uint8_t>;

Cells with_border(const Cells& inner, int n) {
  Cells all(static_cast<std::size_t>((n + 2) * (n + 2)), 0);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      all[static_cast<std::size_t>((r + 1) * (n + 2) + c + 1)] =
          inner[static_cast<std::size_t>(r * n + c)];
  return all;
}

Cells aruco_original(std::uint32_t id) {
  constexpr std::array<unsigned, 4> kWords{0b10000, 0b10111, 0b01001, 0b01110};
  Cells inner;
  for (int row = 0; row < 5; ++row) {
    const unsigned word = kWords[(id >> (8 - 2 * row)) & 3];
    for (int c = 0; c < 5; ++c) inner.push_back(static_cast<std::uint8_t>((word >> (4 - c)) & 1));
  }
  return with_border(inner, 5);
}

Cells tag36h11(std::uint32_t id) {
  static const cv::Ptr<cv::aruco::Dictionary> dictionary =
      cv::aruco::getPredefinedDictionary(cv::aruco::DICT_APRILTAG_36h11);
  if (static_cast<int>(id) >= dictionary->bytesList.rows) return {};
  const cv::Mat bits = cv::aruco::Dictionary::getBitsFromByteList(
      dictionary->bytesList.rowRange(static_cast<int>(id), static_cast<int>(id) + 1), 6);
  Cells inner;
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) inner.push_back(bits.at<std::uint8_t>(r, c) != 0 ? 1 : 0);
  return with_border(inner, 6);
}

/// What is at (r, c) after a quarter turn to the right was at (n - 1 - c, r).
std::uint64_t inner_pattern(const Cells& cells, int all, int turns) {
  const int n = all - 2;
  std::uint64_t pattern = 0;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      int y = r, x = c;
      for (int t = 0; t < turns; ++t) {
        const int before = y;
        y = n - 1 - x;
        x = before;
      }
      pattern = pattern << 1 | cells[static_cast<std::size_t>((y + 1) * all + x + 1)];
    }
  return pattern;
}

}  // namespace

int cells_along(MarkerFamily family) noexcept {
  return family == MarkerFamily::kArucoOriginal ? 7 : 8;
}

Cells marker_cells(MarkerFamily family, std::uint32_t id) {
  if (family == MarkerFamily::kTag36h11) return tag36h11(id);
  return id < 1024 ? aruco_original(id) : Cells{};
}

Dictionary::Dictionary(const MarkerTargets& markers) : cells_(cells_along(markers.family)) {
  const auto add = [&](std::uint32_t id, double side_m) {
    Cells cells = marker_cells(markers.family, id);
    if (cells.empty()) return;
    for (int turns = 0; turns < 4; ++turns)
      entries_.push_back({inner_pattern(cells, cells_, turns), {id, side_m, turns}});
    printed_.emplace_back(id, std::move(cells));
  };
  for (const std::uint32_t id : markers.ids) add(id, markers.side_m);
  for (const MarkerSize& m : markers.nested) add(m.id, m.side_m);
  for (std::uint32_t id = 0;; ++id) {
    const Cells cells = marker_cells(markers.family, id);
    if (cells.empty()) break;
    for (int turns = 0; turns < 4; ++turns)
      family_.emplace_back(inner_pattern(cells, cells_, turns), id);
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.pattern < b.pattern; });
}

std::optional<Dictionary::Match> Dictionary::find(std::uint64_t pattern) const noexcept {
  const auto at =
      std::lower_bound(entries_.begin(), entries_.end(), pattern,
                       [](const Entry& e, std::uint64_t wanted) { return e.pattern < wanted; });
  if (at == entries_.end() || at->pattern != pattern) return std::nullopt;
  return at->match;
}

/// Bits that are set; without an instruction for it std::popcount is a call.
static int bits_of(std::uint64_t x) noexcept {
  x -= x >> 1 & 0x5555555555555555U;
  x = (x & 0x3333333333333333U) + (x >> 2 & 0x3333333333333333U);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FU;
  return static_cast<int>(x * 0x0101010101010101U >> 56);
}

double Dictionary::nearest_rival(std::uint64_t pattern, std::uint32_t id,
                                 const std::array<double, 64>& margins) const noexcept {
  double least = 64;
  for (const auto& [other, number] : family_) {
    std::uint64_t differs = other ^ pattern;
    // more bits than this are never all in doubt
    if (number == id || bits_of(differs) > 6) continue;
    double sum = 0;
    for (; differs != 0; differs &= differs - 1)
      sum += margins[static_cast<std::size_t>(std::countr_zero(differs))];
    least = std::min(least, sum);
  }
  return least;
}

const Cells& Dictionary::cells_of(std::uint32_t id) const noexcept {
  static const Cells none;
  for (const auto& [number, cells] : printed_)
    if (number == id) return cells;
  return none;
}

}  // namespace pintle::vision
