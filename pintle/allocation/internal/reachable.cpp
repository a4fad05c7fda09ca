#include "pintle/allocation/internal/reachable.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "pintle/allocation/allocator.h"
#include "pintle/allocation/internal/free_system.h"
#include "pintle/allocation/internal/health.h"

namespace pintle::allocation {
namespace {

using Mat6 = std::array<Vec6, kAxes>;

// eigenvalues and eigenvectors (rows of v) of a symmetric matrix, by Jacobi rotations
void eigen(Mat6& m, Mat6& v) noexcept {
  for (std::size_t k = 0; k < kAxes; ++k) {
    v[k] = {};
    v[k][k] = 1;
  }
  for (int sweep = 0; sweep < 20; ++sweep) {
    bool rotated = false;
    for (std::size_t p = 0; p + 1 < kAxes; ++p)
      for (std::size_t q = p + 1; q < kAxes; ++q) {
        if (!(std::abs(m[p][q]) > 1e-16 * std::sqrt(m[p][p] * m[q][q]))) continue;
        rotated = true;
        const double zeta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
        const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t);
        const double s = c * t;
        for (std::size_t k = 0; k < kAxes; ++k) {
          const double a = m[k][p];
          const double b = m[k][q];
          m[k][p] = c * a - s * b;
          m[k][q] = s * a + c * b;
        }
        for (std::size_t k = 0; k < kAxes; ++k) {
          const double a = m[p][k];
          const double b = m[q][k];
          m[p][k] = c * a - s * b;
          m[q][k] = s * a + c * b;
          const double x = v[p][k];
          const double y = v[q][k];
          v[p][k] = c * x - s * y;
          v[q][k] = s * x + c * y;
        }
      }
    if (!rotated) return;
  }
}

// rows of different units: forces and torques each in units of their strongest axis
Vec6 scale_kinds(Mat6& m) noexcept {
  Vec6 unit;
  for (std::size_t kind = 0; kind < kAxes; kind += 3) {
    const double largest = std::max({m[kind][kind], m[kind + 1][kind + 1], m[kind + 2][kind + 2]});
    for (std::size_t k = kind; k < kind + 3; ++k) unit[k] = largest > 0 ? std::sqrt(largest) : 1;
  }
  for (std::size_t j = 0; j < kAxes; ++j)
    for (std::size_t k = 0; k < kAxes; ++k) m[j][k] = m[j][k] / unit[j] / unit[k];
  return unit;
}

// 1 / sqrt(e_k' M^+ e_k). Directions weaker than `weakest` of the strongest one are lost, and so is
// an axis whose square has more than `share` along them: then the result is 0.
Vec6 authority_near_singular(Mat6 m, double weakest, double largest_share) noexcept {
  Mat6 v;
  eigen(m, v);
  double strongest = 0;
  for (std::size_t j = 0; j < kAxes; ++j) strongest = std::max(strongest, m[j][j]);
  Vec6 result;
  for (std::size_t k = 0; k < kAxes; ++k) {
    double sum = 0;
    double lost = 0;
    for (std::size_t j = 0; j < kAxes; ++j) {
      const double share = v[j][k] * v[j][k];
      if (m[j][j] > weakest * weakest * strongest)
        sum += share / m[j][j];
      else
        lost += share;
    }
    result[k] = !(lost <= largest_share) || !(sum > 0) ? 0 : 1 / std::sqrt(sum);
  }
  return result;
}

// The numbers on the diagonal of the inverse, of scaled rows; rows of zeros are no axes, and theirs
// are 0. False where something may be nearer to singular than `weakest`: nearly always nothing is,
// which the traces of M and its inverse prove.
bool invert_clear(const Mat6& m, double weakest, Vec6& inverse) noexcept {
  baseline::Definite system;
  double trace = 0, trace_of_inverse = 0;
  for (std::size_t j = 0; j < kAxes; ++j) {
    trace += m[j][j];
    system.row[j] = baseline::pad(m[j].v.data());
    if (m[j][j] == 0) system.row[j].set(j, 1);
  }
  for (std::size_t k = 0; k < kAxes; ++k) {
    Vec6 x;
    x[k] = 1;
    if (k > 0)
      system.solve(x);
    else if (!system.factor_and_solve(x))
      return false;
    inverse[k] = m[k][k] == 0 ? 0 : x[k];
    trace_of_inverse += inverse[k];
  }
  return trace * trace_of_inverse * weakest * weakest < 1;
}

// `clear`: nothing is near singular
Vec6 authority(Mat6 m, double weakest, double largest_share, bool& clear) noexcept {
  (void)scale_kinds(m);
  Vec6 result;
  clear = invert_clear(m, weakest, result);
  if (!clear) return authority_near_singular(m, weakest, largest_share);
  for (double& x : result.v) x = x > 0 ? 1 / std::sqrt(x) : 0;
  return result;
}

AxisMask above_share(const Vec6& authority, double share) noexcept {
  AxisMask mask = 0;
  for (std::size_t kind = 0; kind < kAxes; kind += 3) {
    const double largest = std::max({authority[kind], authority[kind + 1], authority[kind + 2]});
    for (std::size_t k = kind; k < kind + 3; ++k)
      if (authority[k] > 0 && authority[k] >= share * largest)
        mask = static_cast<AxisMask>(mask | axis_bit(k));
  }
  return mask;
}

void add_outer(Mat6& gram, const Vec6& a) noexcept {
  unrolled<kAxes>([&](auto j) {
    for (std::size_t k = 0; k < kAxes; ++k) gram[j][k] += a[j] * a[k];
  });
}

// the longest lever of these columns; 1 where there is none
double longest_lever(const Vec6* column, std::size_t n) noexcept {
  double lever = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Wrench a = to_wrench(column[i]);
    if (norm(a.force) > 0) lever = std::max(lever, norm(a.torque) / norm(a.force));
  }
  return lever > 0 ? lever : 1;
}

// to 24 bits, halves up; a width without a next number up stays
double rounded(double width) noexcept {
  constexpr std::uint64_t kCut = (std::uint64_t{1} << 29) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(width) + (kCut + 1) / 2;
  const auto up = std::bit_cast<double>(bits & ~kCut);
  return std::isfinite(up) ? up : width;
}

// the channels with width, with the axes that are asked for; widths of every one
struct Moving {
  std::size_t n = 0;
  std::array<Vec6, kMaxChannels> column;
  std::array<double, kMaxChannels> width;
};

void take_moving(const Working& working, AxisMask controlled,
                 const std::array<double, kMaxChannels>& width, Moving& out) noexcept {
  for (std::size_t i = 0; i < working.n; ++i) {
    if (!(working.lower[i] < working.upper[i])) continue;
    out.column[out.n] = working.column[i];
    for (std::size_t k = 0; k < kAxes; ++k)
      if ((controlled & axis_bit(k)) == 0) out.column[out.n][k] = 0;
    out.width[out.n++] = width[i];
  }
}

// axes of more than geometry error; `clear`: and no direction is
AxisMask by_geometry(const Moving& moving, double share, bool& clear) noexcept {
  const double lever = longest_lever(moving.column.data(), moving.n);
  Mat6 gram{};
  for (std::size_t i = 0; i < moving.n; ++i) {
    Vec6 direction = moving.column[i];
    for (std::size_t k = 3; k < kAxes; ++k) direction[k] /= lever;
    const double length = norm(direction);
    if (length > 0) add_outer(gram, (1 / length) * direction);
  }
  return above_share(authority(gram, share, 0.01, clear), share);
}

// axes of at least `threshold` of their kind's largest
AxisMask by_stroke(const Moving& moving, double threshold) noexcept {
  double stroke = 0;
  for (std::size_t i = 0; i < moving.n; ++i)
    for (double x : moving.column[i].v)
      stroke = std::max(stroke, std::abs(x) * moving.width[i] / 2);
  if (!(stroke > 0) || !std::isfinite(stroke)) return 0;
  Mat6 gram{};
  for (std::size_t i = 0; i < moving.n; ++i)
    add_outer(gram, (moving.width[i] / 2 / stroke) * moving.column[i]);
  bool clear = false;
  return above_share(authority(gram, 1e-7, 1e-12, clear), threshold);
}

}  // namespace

bool remove_traces(const Effectiveness& effectiveness, Working& working) noexcept {
  Moving moving;
  take_moving(working, kAllAxes, {}, moving);
  const double lever = longest_lever(moving.column.data(), moving.n);
  Mat6 gram{};
  for (std::size_t i = 0; i < working.n; ++i) {
    if (!(working.lower[i] < working.upper[i])) continue;
    Vec6 direction = working.column[i];
    for (std::size_t k = 0; k < kAxes; ++k) {
      // what nobody asks for is no reason to take anything away
      if ((effectiveness.controlled & axis_bit(k)) == 0) direction[k] = 0;
      if (k >= 3) direction[k] /= lever;
    }
    const double length = norm(direction);
    if (length > 0 && std::isfinite(length)) add_outer(gram, (1 / length) * direction);
  }
  Vec6 unit = scale_kinds(gram);
  const double share = effectiveness.geometry_share;
  Mat6 direction;
  if (Vec6 inverse; invert_clear(gram, share, inverse)) return false;
  eigen(gram, direction);
  double strongest = 0;
  for (std::size_t j = 0; j < kAxes; ++j) strongest = std::max(strongest, gram[j][j]);
  for (std::size_t k = 3; k < kAxes; ++k) unit[k] *= lever;
  bool removed = false;
  for (std::size_t j = 0; j < kAxes; ++j) {
    // what is not there at all cannot be taken away
    if (!(gram[j][j] > 1e-14 * strongest && gram[j][j] <= share * share * strongest)) continue;
    removed = true;
    for (std::size_t i = 0; i < working.n; ++i) {
      double part = 0;
      for (std::size_t k = 0; k < kAxes; ++k)
        part += direction[j][k] * working.column[i][k] / unit[k];
      for (std::size_t k = 0; k < kAxes; ++k)
        working.column[i][k] -= part * direction[j][k] * unit[k];
    }
  }
  return removed;
}

void update_reach(const Effectiveness& effectiveness, const Working& working, bool same_columns,
                  double threshold, Reach& reach) noexcept {
  const bool known = reach.ready && same_columns;
  reach.ready = working.usable;
  if (!working.usable) {
    reach.axes = 0;
    reach.no_traces = false;
    return;
  }
  ChannelMask moves = 0;
  bool as_wide = known;  // before that there is nothing to compare with
  for (std::size_t i = 0; i < working.n; ++i) {
    if (working.lower[i] < working.upper[i]) moves |= ChannelMask{1} << i;
    const double width = rounded(working.upper[i] - working.lower[i]);
    as_wide = as_wide && width == reach.width[i];
    reach.width[i] = width;
  }
  const bool same_moves = known && moves == reach.moves;
  if (same_moves && as_wide) return;
  reach.moves = moves;
  Moving moving;
  take_moving(working, effectiveness.controlled, reach.width, moving);
  if (!same_moves) {
    bool clear = false;
    reach.by_geometry = by_geometry(moving, effectiveness.geometry_share, clear);
    // where all axes are asked for remove_traces looks at the same directions
    reach.no_traces = clear && effectiveness.controlled == kAllAxes;
  }
  reach.axes = static_cast<AxisMask>(effectiveness.controlled & reach.by_geometry &
                                     by_stroke(moving, threshold));
}

AxisMask reachable_axes(const Effectiveness& effectiveness, const PropulsorHealth* health,
                        double threshold) noexcept {
  Working working;
  apply_health(effectiveness, health, working);
  Reach reach;
  update_reach(effectiveness, working, false, threshold, reach);
  return reach.axes;
}

}  // namespace pintle::allocation
