#include "pintle/allocation/internal/demand_cone.h"

#include <algorithm>
#include <cmath>

namespace pintle::allocation {
namespace {

// how far inside its plane a part must reach, of the box: with kSamePlane 1e-7
constexpr double kMargin = 1e-7 - kSamePlane;
// of the largest number in a form: places of a hash that near ones mostly share
constexpr double kPlace = 1e-5;
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

Form operator*(double f, Form a) {
  for (double& x : a) x *= f;
  return a;
}
Form operator+(Form a, const Form& b) {
  for (std::size_t k = 0; k < kConeAxes; ++k) a[k] += b[k];
  return a;
}
Form operator-(const Form& a, const Form& b) { return a + -1.0 * b; }

double magnitude_of(const Form& a) {
  double most = 0;
  for (double x : a) most = std::max(most, std::abs(x));
  return most;
}

Plane Planes::of(Form form) {
  const double size = magnitude_of(form);
  if (!(size > 0)) return 0;
  // one sign for both of a plane: that of the first large number
  const auto first =
      std::find_if(form.begin(), form.end(), [&](double x) { return std::abs(x) > 0.99 * size; });
  const int sign = *first > 0 ? 1 : -1;
  form = sign / size * form;
  std::uint64_t place = 0;
  for (const double x : form)
    place = (place ^ static_cast<std::uint64_t>(std::llround(x / kPlace))) * 0x9E37'79B9'7F4A'7C15U;
  const auto [begin, end] = near_.equal_range(place);
  for (auto at = begin; at != end; ++at) {
    double off = 0;
    for (std::size_t k = 0; k < kConeAxes; ++k)
      off += std::abs(form[k] - forms_[static_cast<std::size_t>(at->second)][k]);
    if (off <= tolerance_) return sign * at->second;
  }
  const auto number = static_cast<Plane>(forms_.size());
  forms_.push_back(form);
  near_.emplace(place, number);
  return sign * number;
}

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

// rows that the seven slacks keep above zero by themselves
void DemandCone::drop_implied() {
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const auto column =
        std::find(at_zero_.begin(), at_zero_.begin() + static_cast<std::ptrdiff_t>(axes_),
                  static_cast<std::int32_t>(r)) -
        at_zero_.begin();
    const bool is_one = column < static_cast<std::ptrdiff_t>(axes_);
    if (!is_one && std::all_of(row.begin(), row.end(), [](double x) { return x >= 0; })) continue;
    if (is_one) at_zero_[static_cast<std::size_t>(column)] = static_cast<std::int32_t>(kept);
    if (kept != r) rows_[kept] = rows_[r];
    ++kept;
  }
  rows_.resize(kept);
}

bool DemandCone::keep(const Form& form) {
  rows_.push_back(in_terms_of_slacks(form));
  rows_.back().back() -= kMargin;
  return make_good();
}

DemandCone::Side DemandCone::split(const Form& form, DemandCone& rest) {
  Row above = in_terms_of_slacks(form);
  Row below;
  for (std::size_t c = 0; c <= kConeAxes; ++c) below[c] = -above[c];
  above.back() -= kMargin;
  below.back() -= kMargin;
  // the point at hand lies on one side: the other needs a programme
  const bool is_above = above.back() >= 0;
  const Row& here = is_above ? above : below;
  const Row& beyond = is_above ? below : above;
  const Side side = is_above ? Side::kAbove : Side::kBelow;
  // no slack moves it there
  if (beyond.back() < -kSlack &&
      std::none_of(beyond.begin(), beyond.begin() + static_cast<std::ptrdiff_t>(axes_),
                   [](double x) { return x > kPivot; }))
    return side;
  thread_local DemandCone other(0);
  other = *this;
  other.rows_.push_back(beyond);
  if (!other.make_good()) return side;
  rest = *this;
  rest.rows_.push_back(here);
  if (here.back() < 0 && !rest.make_good()) return is_above ? Side::kBelow : Side::kAbove;
  rest.drop_implied();
  other.drop_implied();
  if (is_above)
    std::swap(*this, rest), rest = other;
  else
    *this = other;
  return Side::kBoth;
}

}  // namespace pintle::allocation
