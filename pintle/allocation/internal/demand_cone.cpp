#include "pintle/allocation/internal/demand_cone.h"

#include <algorithm>
#include <cmath>

namespace pintle::allocation {
namespace {

// how far inside its plane a part must reach, of the box
constexpr double kMargin = 1e-7;
// what rounding may make of a slack
constexpr double kSlack = 1e-11;
// a smaller number is no pivot
constexpr double kPivot = 1e-10;
constexpr int kKeenPivots = 40;
constexpr int kMostPivots = 2000;

thread_local long programmes_solved = 0;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PINTLE_CLONES [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define PINTLE_CLONES
#endif

using Row = std::array<double, kConeAxes + 1>;

// the slack of `own` in place of one that was zero
PINTLE_CLONES void put_in(Row* rows, std::size_t count, const Row& own, std::size_t column) {
  const double inverse = 1 / own[column];
  for (std::size_t r = 0; r < count; ++r) {
    const double part = rows[r][column] * inverse;
    for (std::size_t c = 0; c <= kConeAxes; ++c) rows[r][c] -= part * own[c];
    rows[r][column] = part;
  }
}

}  // namespace

long DemandCone::programmes() { return programmes_solved; }

DemandCone::DemandCone(unsigned empty) {
  for (std::size_t k = 0; k < kConeAxes; ++k)
    if ((empty >> k & 1) == 0) axis_[axes_++] = static_cast<std::uint8_t>(k);
  for (std::size_t j = 0; j < axes_; ++j) {
    const double lower = axis_[j] == kConeAxes - 1 ? 0 : -1;
    z_[j] = {};
    z_[j][j] = 1;
    z_[j].back() = lower;
    Row above{};
    above[j] = 1;
    at_zero_[j] = static_cast<std::int32_t>(rows_.size());
    rows_.push_back(above);
    Row below{};
    below[j] = -1;
    below.back() = 1 - lower;
    rows_.push_back(below);
  }
}

Form DemandCone::witness() const {
  Form z{};
  for (std::size_t j = 0; j < axes_; ++j) z[axis_[j]] = z_[j].back();
  return z;
}

DemandCone::Row DemandCone::in_terms_of_slacks(const Form& form) const {
  Row row{};
  for (std::size_t j = 0; j < axes_; ++j)
    for (std::size_t c = 0; c <= kConeAxes; ++c) row[c] += form[axis_[j]] * z_[j][c];
  return row;
}

void DemandCone::pivot(std::size_t r, std::size_t column) {
  const Row own = rows_[r];
  put_in(rows_.data(), rows_.size(), own, column);
  put_in(z_.data(), axes_, own, column);
  rows_[r] = {};
  rows_[r][column] = 1;
  at_zero_[column] = static_cast<std::int32_t>(r);
}

// whether all slacks can be above zero at once
bool DemandCone::make_good() {
  ++programmes_solved;
  for (int count = 0; count < kMostPivots; ++count) {
    const bool keen = count < kKeenPivots;
    std::size_t worst = rows_.size();
    double least = -kSlack;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!(rows_[r].back() < least)) continue;
      worst = r;
      if (!keen) break;  // the first: Bland's rule, which ends
      least = rows_[r].back();
    }
    if (worst == rows_.size()) return true;
    std::size_t column = kConeAxes;
    for (std::size_t c = 0; c < axes_; ++c) {
      if (!(rows_[worst][c] > kPivot)) continue;
      if (column == kConeAxes ||
          (keen ? rows_[worst][c] > rows_[worst][column] : at_zero_[c] < at_zero_[column]))
        column = c;
    }
    if (column == kConeAxes) return false;
    pivot(worst, column);
  }
  return true;  // not settled: rather too many demands than too few
}

DemandCone::Side DemandCone::split(const Form& form, DemandCone& rest) {
  double size = 0;
  for (std::size_t j = 0; j < axes_; ++j) size = std::max(size, std::abs(form[axis_[j]]));
  if (!(size > 0)) return Side::kBelow;
  Form even;
  for (std::size_t k = 0; k < kConeAxes; ++k) even[k] = form[k] / size;
  Row above = in_terms_of_slacks(even);
  Row below;
  for (std::size_t c = 0; c <= kConeAxes; ++c) below[c] = -above[c];
  above.back() -= kMargin;
  below.back() -= kMargin;
  // the point at hand lies on one side: the other needs a programme
  const bool is_above = above.back() >= 0;
  thread_local DemandCone other(0);
  other = *this;
  other.rows_.push_back(is_above ? below : above);
  if (!other.make_good()) return is_above ? Side::kAbove : Side::kBelow;
  DemandCone own = *this;
  own.rows_.push_back(is_above ? above : below);
  if (!own.make_good()) return is_above ? Side::kBelow : Side::kAbove;
  *this = is_above ? std::move(own) : other;
  rest = is_above ? other : std::move(own);
  return Side::kBoth;
}

}  // namespace pintle::allocation
