#include "pintle/vision/dictionary.h"

#include <gtest/gtest.h>

#include <string>

namespace pintle::vision {
namespace {

std::string rows_of(const std::vector<std::uint8_t>& cells, int n) {
  std::string out;
  for (int r = 1; r < n - 1; ++r) {
    for (int c = 1; c < n - 1; ++c) out += cells[static_cast<std::size_t>(r * n + c)] ? '1' : '0';
    if (r < n - 2) out += ' ';
  }
  return out;
}

std::uint64_t pattern_of(const std::string& rows) {
  std::uint64_t p = 0;
  for (const char c : rows)
    if (c != ' ') p = p << 1 | (c == '1' ? 1u : 0u);
  return p;
}

TEST(Dictionary, OriginalMarkersAreMadeOfTheirFourWords) {
  EXPECT_EQ(rows_of(marker_cells(MarkerFamily::kArucoOriginal, 100), 7),
            "10000 10111 01001 10111 10000");
  EXPECT_EQ(rows_of(marker_cells(MarkerFamily::kArucoOriginal, 152), 7),
            "10000 01001 10111 01001 10000");
  EXPECT_TRUE(marker_cells(MarkerFamily::kArucoOriginal, 1024).empty());
}

TEST(Dictionary, BordersAreBlack) {
  for (const auto family : {MarkerFamily::kArucoOriginal, MarkerFamily::kTag36h11}) {
    const int n = cells_along(family);
    const auto cells = marker_cells(family, 586);
    ASSERT_EQ(cells.size(), static_cast<std::size_t>(n * n));
    for (int i = 0; i < n; ++i)
      for (const int at : {i, (n - 1) * n + i, i * n, i * n + n - 1})
        EXPECT_EQ(cells[static_cast<std::size_t>(at)], 0);
  }
  EXPECT_TRUE(marker_cells(MarkerFamily::kTag36h11, 587).empty());
}

TEST(Dictionary, FindsAMarkerThatIsTurned) {
  const Dictionary d({MarkerFamily::kArucoOriginal, 0.15, {100, 152}, {{7, 0.05}}});
  const auto upright = d.find(pattern_of("10000 01001 10111 01001 10000"));
  ASSERT_TRUE(upright);
  EXPECT_EQ(upright->id, 152u);
  EXPECT_EQ(upright->side_m, 0.15);
  EXPECT_EQ(upright->turns, 0);
  // a quarter turn to the right: the first column, from below, is the first row
  const auto turned = d.find(pattern_of("10101 01010 00100 00100 01110"));
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->id, 152u);
  EXPECT_EQ(turned->turns, 1);
  EXPECT_EQ(d.find(pattern_of("10000 10000 10000 10111 01110"))->side_m, 0.05);
}

TEST(Dictionary, OneWrongBitAndNumbersOutsideOfTheListAreNoMarker) {
  const Dictionary d({MarkerFamily::kArucoOriginal, 0.15, {100}, {}});
  EXPECT_TRUE(d.find(pattern_of("10000 10111 01001 10111 10000")));
  for (int bit = 0; bit < 25; ++bit)
    EXPECT_FALSE(d.find(pattern_of("10000 10111 01001 10111 10000") ^ (std::uint64_t{1} << bit)));
  EXPECT_FALSE(d.find(pattern_of("10000 01001 10111 01001 10000")));
}

TEST(Dictionary, TheNearestRivalIsTheOneWhoseBitsAreLeastSure) {
  const Dictionary d({MarkerFamily::kArucoOriginal, 0.15, {100}, {}});
  const std::uint64_t p = pattern_of("10000 10111 01001 10111 10000");
  std::array<double, 64> margins{};
  margins.fill(0.5);
  // words differ in three bits or more
  EXPECT_NEAR(d.nearest_rival(p, 100, margins), 1.5, 1e-12);
  // the last row, 10000, could as well be 10111, which is marker 101 and not in the list
  margins[0] = 0.02, margins[1] = 0.03, margins[2] = 0.04;
  EXPECT_NEAR(d.nearest_rival(p, 100, margins), 0.09, 1e-12);
}

}  // namespace
}  // namespace pintle::vision
