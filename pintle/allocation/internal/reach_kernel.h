/// Which axes the channels with width reach, from the sums of outer products of their columns, six
/// by six. Internal to this room.
///
///   G = sum a a' / |a|^2       what geometry gives        (torques per longest lever)
///   S = sum a a' (width/2)^2   what the strokes give
///
/// each with forces and torques in units of their strongest axis. The authority of an axis is
/// 1 / sqrt(e_k' G^+ e_k). Nearly always G is far from singular, which the Frobenius norms of it and
/// of its inverse prove, or of it without directions that are not there at all; then S need not be looked at where it cannot say anything else: with rho
/// the squares of stroke times length, min rho G <= S <= max rho G. Else eigenvalues decide.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/definite.h"
#include "pintle/allocation/internal/free_system.h"
#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/internal/scaling_kernels.h"
#include "pintle/allocation/internal/tableau.h"

namespace pintle::allocation {

// directions of S weaker than this part of the strongest are lost, and so is an axis of whose
// square more than the share lies along them; of G it is geometry_share, and
inline constexpr double kWeakestStroke = 1e-7;
inline constexpr double kStrokeLost = 1e-12;
inline constexpr double kGeometryLost = 0.01;
// a row so small beside its kind is rounding (the cosine of a right angle), squared
inline constexpr double kNoRow = 1e-28;
// an eigenvalue below this part of the largest is rounding
inline constexpr double kNoEigenvalue = 1e-14;
inline constexpr double kWeakestPivots = 1e-3;
// of the square of an axis, along directions that are not there: rounding
inline constexpr double kNoShare = 1e-20;
// squares of shorter columns leave the range
inline constexpr double kShortest2 = 1e-290;

namespace PINTLE_LEVEL {
namespace {

using SixRows = FreeSystem::Six;

// to 24 bits, halves up; a width without a next number up stays
PINTLE_INLINE Lanes rounded(const Lanes& width) noexcept {
  constexpr std::int64_t kCut = (std::int64_t{1} << 29) - 1;
  Lanes up;
  each_part([&](auto p) PINTLE_EACH {
    up.part[p] = (Part)(((PartMask)width.part[p] + (kCut + 1) / 2) & ~kCut);
  });
  return select(finite(up), up, width);
}

PINTLE_INLINE void add_outer(SixRows& gram, double share, const Lanes& a) noexcept {
  const Lanes b = share * a;
  unrolled<kAxes>([&](auto j_) {
    constexpr std::size_t j = j_;
    gram[j] += b[j] * a;
  });
}

// rows of different units: forces and torques each in units of their strongest axis, which is what
// comes back; those of nothing are zero
PINTLE_INLINE Vec6 scale_kinds(SixRows& gram) noexcept {
  Vec6 unit, least, inverse;
  for (std::size_t kind = 0; kind < kAxes; kind += 3) {
    const double largest =
        std::max({gram[kind][kind], gram[kind + 1][kind + 1], gram[kind + 2][kind + 2]});
    const double length = largest > 0 ? std::sqrt(largest) : 1;
    for (std::size_t k = kind; k < kind + 3; ++k) {
      unit[k] = length;
      inverse[k] = 1 / length;
      least[k] = kNoRow * largest;
    }
  }
  unsigned some = 0;
  for (std::size_t k = 0; k < kAxes; ++k) some |= gram[k][k] > least[k] ? 1U << k : 0U;
  const Lanes columns = select(lanes_of(some), pad(inverse.v.data()), all_lanes(0));
  for (std::size_t k = 0; k < kAxes; ++k)
    gram[k] = ((some >> k & 1) != 0 ? inverse[k] : 0) * (gram[k] * columns);
  return unit;
}

// The numbers on the diagonal of the inverse, of scaled rows; rows of zeros are no axes, and theirs
// are 0. False where something may be nearer to singular than `weakest`.
bool invert_clear(const SixRows& m, double weakest, Vec6& inverse) noexcept {
  Definite system;
  Lanes size2 = all_lanes(0);
  unsigned there = 0;
  for (std::size_t k = 0; k < kAxes; ++k) {
    size2 += m[k] * m[k];
    system.row[k] = m[k];
    if (m[k][k] == 0)
      system.row[k].set(k, 1);
    else
      there |= 1U << k;
  }
  Vec6 none;
  if (!system.factor_and_solve(none)) return false;
  SixRows x = FreeSystem::units();
  system.solve(x);
  Lanes inverse2 = all_lanes(0);
  for (std::size_t k = 0; k < kAxes; ++k) {
    const bool axis = (there >> k & 1) != 0;
    inverse[k] = axis ? x[k][k] : 0;
    if (axis) inverse2 += x[k] * x[k];
  }
  const double weakest2 = weakest * weakest;
  return sum_of(size2) * sum_of(inverse2) * (weakest2 * weakest2) < 1;
}

// The same where directions are not there at all, as with fewer channels than axes: elimination
// with the largest number of the diagonal as pivot leaves nothing but rounding, its coefficients
// are the vectors that M makes nothing of, and with those as ones M is far from singular. `apart`:
// each axis lies along them by far or not at all.
bool invert_deflated(const SixRows& m, double weakest, double largest_share, Vec6& inverse,
                     bool& apart) noexcept {
  std::array<Lanes, kLanes> rows;
  for (std::size_t k = 0; k < kLanes; ++k) rows[k] = k < kAxes ? m[k] : all_lanes(0);
  unsigned pivots = 0;
  for (std::size_t step = 0; step < kAxes; ++step) {
    double most = kNoEigenvalue;
    unsigned at = kLanes;
    for (unsigned k = 0; k < kAxes; ++k)
      if ((pivots >> k & 1) == 0 && rows[k][k] > most) {
        most = rows[k][k];
        at = k;
      }
    if (at == kLanes) break;
    const Lanes own = rows[at];
    sweep_rows(rows, at, own, 1 / most, 1 / most);
    pivots |= 1U << at;
  }
  if (pivots == kAllAxes) return false;
  SixRows filled = m, none;
  std::size_t count = 0;
  Lanes lost = all_lanes(0);
  for (unsigned k = 0; k < kAxes; ++k) {
    if ((pivots >> k & 1) != 0) continue;
    Lanes v = select(lanes_of(pivots), all_lanes(0) - rows[k], all_lanes(0));
    v.set(k, 1);
    for (std::size_t s = 0; s < count; ++s) v -= sum_of(none[s] * v) * none[s];
    v = (1 / std::sqrt(sum_of(v * v))) * v;
    add_outer(filled, 1, v);
    lost += v * v;
    none[count++] = v;
  }
  // vectors from nearly singular coefficients would say too little
  if (!invert_clear(filled, std::max(weakest, kWeakestPivots), inverse)) return false;
  apart = true;
  for (std::size_t k = 0; k < kAxes; ++k) {
    const bool kept = lost[k] <= largest_share;
    inverse[k] = kept ? inverse[k] - lost[k] : 0;
    apart = apart && (!kept || lost[k] <= kNoShare);
  }
  return true;
}

// eigenvalues on the diagonal, and eigenvectors (rows of v), of a symmetric matrix, by Jacobi
// rotations
struct Eigen {
  alignas(64) std::array<std::array<double, kLanes>, kAxes> m, v;
  double strongest = 0;

  explicit Eigen(const SixRows& gram) noexcept {
    double largest = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      store(gram[k], m[k].data());
      store(select(lanes_of(1U << k), all_lanes(1), all_lanes(0)), v[k].data());
      largest = std::max(largest, m[k][k]);
    }
    for (int sweep = 0; sweep < 20; ++sweep) {
      bool rotated = false;
      for (std::size_t p = 0; p + 1 < kAxes; ++p)
        for (std::size_t q = p + 1; q < kAxes; ++q) rotated |= rotate(p, q, largest);
      if (!rotated) break;
    }
    for (std::size_t k = 0; k < kAxes; ++k) strongest = std::max(strongest, m[k][k]);
  }

  [[nodiscard]] double value(std::size_t j) const noexcept { return m[j][j]; }

 private:
  // what is left must neither count beside the two nor beside the largest
  bool rotate(std::size_t p, std::size_t q, double largest) noexcept {
    const double off = m[p][q];
    const double level = 1e-32 * std::max(m[p][p] * m[q][q], 1e-32 * largest * largest);
    if (!(off * off > level)) return false;
    const double zeta = (m[q][q] - m[p][p]) / (2 * off);
    const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
    const double c = 1 / std::sqrt(1 + t * t);
    const double own_p = m[p][p] - t * off;
    const double own_q = m[q][q] + t * off;
    turn(m[p], m[q], c, c * t);
    turn(v[p], v[q], c, c * t);
    m[p][p] = own_p;
    m[q][q] = own_q;
    m[p][q] = m[q][p] = 0;
    for (std::size_t k = 0; k < kAxes; ++k) {
      if (k == p || k == q) continue;
      m[k][p] = m[p][k];
      m[k][q] = m[q][k];
    }
    return true;
  }

  static void turn(std::array<double, kLanes>& p, std::array<double, kLanes>& q, double c,
                   double s) noexcept {
    const Lanes a = load(p.data());
    const Lanes b = load(q.data());
    store(c * a - s * b, p.data());
    store(s * a + c * b, q.data());
  }
};

// e_k' M^+ e_k without the directions weaker than `weakest` of the strongest one; 0 for an axis of
// whose square more than `largest_share` lies along them
Vec6 inverse_without(const Eigen& eigen, double weakest, double largest_share) noexcept {
  Vec6 result;
  for (std::size_t k = 0; k < kAxes; ++k) {
    double sum = 0;
    double lost = 0;
    for (std::size_t j = 0; j < kAxes; ++j) {
      const double share = eigen.v[j][k] * eigen.v[j][k];
      if (eigen.value(j) > weakest * weakest * eigen.strongest)
        sum += share / eigen.value(j);
      else
        lost += share;
    }
    result[k] = lost <= largest_share ? sum : 0;
  }
  return result;
}

// what has less authority than `share` of the most of its kind is not there
AxisMask above_share(const Vec6& inverse, double share) noexcept {
  AxisMask mask = 0;
  for (std::size_t kind = 0; kind < kAxes; kind += 3) {
    double least = HUGE_VAL;
    for (std::size_t k = kind; k < kind + 3; ++k)
      if (inverse[k] > 0) least = std::min(least, inverse[k]);
    for (std::size_t k = kind; k < kind + 3; ++k)
      if (inverse[k] > 0 && least >= share * share * inverse[k])
        mask = static_cast<AxisMask>(mask | axis_bit(k));
  }
  return mask;
}

PINTLE_SELDOM void look_closely(const SixRows& gram, const Vec6& unit, double share,
                                Reach& reach) noexcept {
  const Eigen eigen(gram);
  reach.inverse = inverse_without(eigen, share, kGeometryLost);
  for (std::size_t j = 0; j < kAxes; ++j) {
    // what is not there at all cannot be taken away
    if (!(eigen.value(j) > kNoEigenvalue * eigen.strongest &&
          eigen.value(j) <= share * share * eigen.strongest))
      continue;
    for (std::size_t k = 0; k < kAxes; ++k) {
      reach.from[reach.traces][k] = eigen.v[j][k] / unit[k];
      reach.along[reach.traces][k] = eigen.v[j][k] * unit[k];
    }
    ++reach.traces;
  }
}

class ReachKernel {
 public:
  ReachKernel(const Effectiveness& effectiveness, const Working& working, Reach& reach) noexcept
      : e_(effectiveness), w_(working), r_(reach), asked_(lanes_of(effectiveness.controlled)) {}

  void run(bool known, double threshold) noexcept {
    ChannelMask moves = 0;
    bool as_wide = known;  // before that there is nothing to compare with
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes lower = load(&w_.lower[at]);
      const Lanes upper = load(&w_.upper[at]);
      const Lanes width = rounded(upper - lower);
      const unsigned used = channels_at(w_.n, at);
      moves |= static_cast<ChannelMask>(bits_of(lower < upper) & used) << at;
      as_wide = as_wide && (bits_of(width == load(&r_.width[at])) & used) == used;
      store(width, &r_.width[at]);
    }
    const bool same_moves = known && moves == r_.moves;
    r_.moves = moves;
    if (same_moves && as_wide) return;
    if (!same_moves) by_geometry();
    r_.axes = static_cast<AxisMask>(e_.controlled & r_.by_geometry & by_stroke(threshold));
  }

 private:
  [[nodiscard]] unsigned moving_at(std::size_t at) const noexcept {
    return static_cast<unsigned>(r_.moves >> at) & 0xFFU;
  }

  [[nodiscard]] PINTLE_INLINE Lanes column(std::size_t i) const noexcept {
    return select(asked_, pad(w_.column[i].v.data()), all_lanes(0));
  }

  // axes of more than geometry error
  void by_geometry() noexcept {
    // squares of forces and torques, and with them the longest lever; 1 where there is none
    alignas(64) std::array<double, kMaxChannels> force2, torque2;
    double lever2 = 0;
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      Uncleared<Padded, kLanes> eight;
      for (std::size_t i = 0; i < kLanes; ++i)
        eight[i].v = (moving_at(at) >> i & 1) != 0 ? column(at + i) : all_lanes(0);
      SixRows row;
      transpose(eight.data(), row.data());
      const Lanes force = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
      const Lanes torque = row[3] * row[3] + row[4] * row[4] + row[5] * row[5];
      store(force, &force2[at]);
      store(torque, &torque2[at]);
      const LaneMask some = all_lanes(0) < force;
      lever2 = std::max(lever2, greatest_of(select(some, torque / force, all_lanes(0))));
    }
    if (!(lever2 > 0)) lever2 = 1;
    const double lever = std::sqrt(lever2);
    SixRows gram;
    gram.fill(all_lanes(0));
    const double per_lever = 1 / lever;
    const Lanes units = select(lanes_of(0x7), all_lanes(1), all_lanes(per_lever));
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes length2 = load(&force2[at]) + (per_lever * per_lever) * load(&torque2[at]);
      const LaneMask some = all_lanes(kShortest2) < length2;
      alignas(64) std::array<double, kLanes> share;
      store(select(some, all_lanes(1) / length2, all_lanes(0)), share.data());
      store(select(some, length2, all_lanes(0)), &r_.length2[at]);
      for (std::size_t i = 0; i < kLanes && at + i < w_.n; ++i)
        if ((moving_at(at) >> i & 1) != 0) add_outer(gram, share[i], units * column(at + i));
    }
    Vec6 unit = scale_kinds(gram);
    for (std::size_t k = 3; k < kAxes; ++k) unit[k] *= lever;
    r_.traces = 0;
    r_.clear = invert_clear(gram, e_.geometry_share, r_.inverse);
    if (!r_.clear && !invert_deflated(gram, e_.geometry_share, kGeometryLost, r_.inverse, r_.clear))
      look_closely(gram, unit, e_.geometry_share, r_);
    r_.by_geometry = above_share(r_.inverse, e_.geometry_share);
  }

  // axes of at least `threshold` of their kind's largest
  [[nodiscard]] AxisMask by_stroke(double threshold) const noexcept {
    if (r_.clear && strokes_are_alike(threshold)) return kAllAxes;
    double stroke = 0;
    for (std::size_t i = 0; i < w_.n; ++i)
      if ((r_.moves >> i & 1) != 0)
        stroke = std::max(stroke, greatest_of(magnitude(column(i))) * r_.width[i] / 2);
    if (!(stroke > 0) || !std::isfinite(stroke)) return 0;
    SixRows gram;
    gram.fill(all_lanes(0));
    for (std::size_t i = 0; i < w_.n; ++i)
      if ((r_.moves >> i & 1) != 0) add_outer(gram, 1, (r_.width[i] / 2 / stroke) * column(i));
    static_cast<void>(scale_kinds(gram));
    Vec6 inverse;
    bool apart = false;
    if (!invert_clear(gram, kWeakestStroke, inverse) &&
        !invert_deflated(gram, kWeakestStroke, kStrokeLost, inverse, apart))
      inverse = inverse_without(Eigen(gram), kWeakestStroke, kStrokeLost);
    return above_share(inverse, threshold);
  }

  // so much that every axis of the geometry is above the threshold. Units of the kinds are then so
  // near that what lies along lost directions by far or not at all does so by strokes as well
  [[nodiscard]] bool strokes_are_alike(double threshold) const noexcept {
    Lanes most = all_lanes(0);
    Lanes least = all_lanes(-HUGE_VAL);
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes width = load(&r_.width[at]);
      const Lanes length2 = load(&r_.length2[at]);
      const Lanes rho = width * width * length2;
      const LaneMask counts = lanes_of(moving_at(at)) & (all_lanes(0) < length2);
      most = greater_of(most, select(counts, rho, all_lanes(0)));
      least = greater_of(least, select(counts, all_lanes(0) - rho, all_lanes(-HUGE_VAL)));
    }
    const double part = std::max(threshold, kReachThreshold);
    const double level = 1.001 * part * part * greatest_of(most);
    const double weakest = -greatest_of(least);
    for (std::size_t kind = 0; kind < kAxes; kind += 3) {
      double strong = HUGE_VAL, weak = 0;
      for (std::size_t k = kind; k < kind + 3; ++k) {
        if (r_.inverse[k] > 0) strong = std::min(strong, r_.inverse[k]);
        weak = std::max(weak, r_.inverse[k]);
      }
      // written so that NaN fails
      if (weak > 0 && !(weakest * strong >= level * weak)) return false;
    }
    return true;
  }

  const Effectiveness& e_;
  const Working& w_;
  Reach& r_;
  const LaneMask asked_;
};

void update_reach(const Effectiveness& effectiveness, const Working& working, bool known,
                  double threshold, Reach& reach) noexcept {
  ReachKernel(effectiveness, working, reach).run(known, threshold);
}

}  // namespace
}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
