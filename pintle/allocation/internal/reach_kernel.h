/// Which axes the channels with width reach, from the sums of outer products of their columns, six
/// by six. Internal to this room.
///
///   G = sum a a' / |a|^2       what geometry gives        (torques per longest lever)
///   S = sum a a' (width/2)^2   what the strokes give
///
/// each with forces and torques in units of their strongest axis. The authority of an axis is
/// 1 / sqrt(e_k' G^+ e_k). Nearly always G is far from singular, which the traces of it and of its
/// inverse prove, or of it with directions that are not there at all filled; then S need not be
/// looked at where it cannot say anything else: with rho the squares of stroke times length,
/// min rho G <= S <= max rho G. Else eigenvalues decide.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/definite.h"
#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/internal/row_system.h"
#include "pintle/allocation/internal/scaling_kernels.h"
#include "pintle/allocation/prepared.h"

namespace pintle::allocation {

// directions of S weaker than this part of the strongest are lost, and so is an axis of whose
// square more than the share lies along them; of G it is geometry_share, and
inline constexpr double kWeakestStroke = 1e-7;
inline constexpr double kStrokeLost = 1e-12;
inline constexpr double kGeometryLost = 0.01;
// an eigenvalue below this part of the largest is rounding
inline constexpr double kNoEigenvalue = 1e-14;
// vectors from coefficients of a matrix nearer to singular than this would say too little
inline constexpr double kWeakestPivots = 1e-3;
// of the square of an axis, along directions that are not there: rounding
inline constexpr double kNoShare = 1e-20;
// squares of shorter columns leave the range
inline constexpr double kShortest2 = 1e-290;

namespace PINTLE_LEVEL {
namespace {

// to 24 bits, halves up; a width without a next number up stays
PINTLE_INLINE Lanes rounded(const Lanes& width) noexcept {
  constexpr std::int64_t kCut = (std::int64_t{1} << 29) - 1;
  Lanes up;
  each_part([&](auto p) PINTLE_EACH {
    up.part[p] = (Part)(((PartMask)width.part[p] + (kCut + 1) / 2) & ~kCut);
  });
  return select(finite(up), up, width);
}

// rows of different units: forces and torques each in units of their strongest axis, which is what
// comes back; those of nothing are zero
PINTLE_INLINE Vec6 scale_kinds(SixLanes& gram) noexcept {
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

// The diagonal of the inverse of scaled rows. Directions that are not there at all, as with fewer
// channels than axes, are taken for ones: of an axis of whose square more than `largest_share` lies
// along them, as `lost` says, it is 0. False where something else may be nearer to singular than
// `weakest`: by the traces of the matrix and its inverse.
bool invert_clear(const SixLanes& m, double weakest, double largest_share, Vec6& inverse,
                  Lanes& lost) noexcept {
  Definite system;
  system.row = m;
  unsigned missing = 0;
  if (!system.factor(missing)) return false;
  lost = all_lanes(0);
  if (missing != 0) {
    Lost none;
    none.find(system, missing);
    system.row = m;
    none.fill(system.row, 1);
    // vectors from nearly singular coefficients would say too little
    weakest = std::max(weakest, kWeakestPivots);
    for (std::size_t s = 0; s < none.count; ++s) lost += none.direction[s] * none.direction[s];
    if (!system.factor()) return false;
  }
  double trace = 0;
  for (const double own : system.diagonal) trace += own;
  const Lanes own = system.inverse_diagonal();
  const Lanes rest = own - lost;
  store_six(select(lost <= all_lanes(largest_share), rest, all_lanes(0)), inverse.v.data());
  return trace * sum_of(select(lanes_of(kAllAxes), own, all_lanes(0))) * (weakest * weakest) < 1;
}

// eigenvalues on the diagonal, and eigenvectors (rows of v), of a symmetric matrix, by Jacobi
// rotations
struct Eigen {
  alignas(64) std::array<std::array<double, kLanes>, kAxes> m, v;
  double strongest = 0;

  explicit Eigen(const SixLanes& gram) noexcept {
    double largest = 0;
    m = both_halves(gram);
    for (std::size_t k = 0; k < kAxes; ++k) {
      store(units()[k], v[k].data());
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

PINTLE_SELDOM void look_closely(const SixLanes& gram, const Vec6& unit, double share,
                                Reach& reach) noexcept {
  const Eigen eigen(gram);
  reach.inverse = inverse_without(eigen, share, kGeometryLost);
  bool some = false;
  for (std::size_t j = 0; j < kAxes; ++j) {
    if (!(eigen.value(j) <= share * share * eigen.strongest)) continue;
    some |= eigen.value(j) > kNoEigenvalue * eigen.strongest;
    for (std::size_t k = 0; k < kAxes; ++k) {
      reach.from[reach.traces][k] = eigen.v[j][k] / unit[k];
      reach.along[reach.traces][k] = eigen.v[j][k] * unit[k];
    }
    ++reach.traces;
  }
  // what is not there at all goes only with what is: the two are not told apart to the last digit
  if (!some) reach.traces = 0;
}

class ReachKernel {
 public:
  ReachKernel(const Effectiveness& effectiveness, const Working& working, Reach& reach) noexcept
      : e_(effectiveness), w_(working), r_(reach) {}

  /// From the map without bounds of up to eight channels, H = P^+ A of P = sum a a' in other units
  /// of the axes: the diagonal of P^+ is that of H H', and with the lengths of the columns
  /// P / max |a|^2 <= G <= P / min |a|^2. False where that does not say that every axis is there by
  /// geometry or, with directions that are not there at all, which ones are.
  bool by_factor(const Prepared& p, double threshold) noexcept {
    const Lanes zero = all_lanes(0);
    const Lanes unit = inverse_of_unit(p.scaled.gain_unit) * pad(p.weight.data());
    const Lanes unit2 = unit * unit;
    const Lanes per_unit2 = all_lanes(1) / unit2;
    SixLanes square, h;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const Lanes row = load(p.row[k].data());
      square[k] = per_unit2[k] * (row * row);
      h[k] = load(p.free_map.gain[k].data());
    }
    const Lanes force = square[0] + square[1] + square[2];
    const Lanes torque = square[3] + square[4] + square[5];
    const double lever2 = greatest_of(select(zero < force, torque / force, zero));
    const Lanes length2 = force + (lever2 > 0 ? 1 / lever2 : 1) * torque;
    const LaneMask some = all_lanes(kShortest2) < length2;
    const double longest = greatest_of(select(some, length2, zero));
    const double shortest = -greatest_of(select(some, zero - length2, all_lanes(-HUGE_VAL)));
    // written so that NaN fails, here and below
    AxisMask there = kAllAxes;
    keep_lost(zero);
    if (p.map.lost == 0) {
      for (Lanes& each : h) each = each * each;
      const Lanes inverse = unit2 * pad(six_sums(h).v.data());
      store_six(inverse, r_.inverse.v.data());
      const double share2 = 1.001 * (longest / shortest) * e_.geometry_share * e_.geometry_share;
      double trace = 0;
      for (std::size_t kind = 0; kind < kAxes; kind += 3) {
        const double x = inverse[kind], y = inverse[kind + 1], z = inverse[kind + 2];
        if (!(std::min({x, y, z}) >= share2 * std::max({x, y, z}))) return false;
        trace += sum_of(kind == 0 ? force : torque) * (x + y + z);
      }
      if (!(kAxes * trace * share2 < 1)) return false;
    } else {
      const Lanes per_length2 = select(some, all_lanes(1) / length2, zero);
      if (!without_lost(p, unit, six_sums(times_each(per_length2, square)), longest / shortest,
                        longest, h, there))
        return false;
    }
    store(rounded(load(w_.upper.data()) - load(w_.lower.data())), r_.width.data());
    store(select(some, all_lanes(1), zero), r_.length2.data());
    r_.moves = p.wide;
    r_.by_geometry = there;
    r_.ready = true;
    r_.traces = 0;
    r_.axes = static_cast<AxisMask>(e_.controlled & r_.by_geometry & by_stroke(threshold));
    return true;
  }

  void run(bool known, double threshold) noexcept {
    ChannelMask moves = 0;
    bool as_wide = known;  // before that there is nothing to compare with
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes lower = load(&w_.lower[at]);
      const Lanes upper = load(&w_.upper[at]);
      const Lanes width = rounded(upper - lower);
      const unsigned used = used_of(w_.n, at);
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
  [[nodiscard]] unsigned moving_at(std::size_t at) const noexcept { return eight_at(r_.moves, at); }

  // of the square of each axis, along directions that are not there
  void keep_lost(const Lanes& share) noexcept {
    const LaneMask leans = (all_lanes(kNoShare) < share) & (share <= all_lanes(kGeometryLost));
    r_.leaning = static_cast<AxisMask>(bits_of(leans) & kAllAxes);
    r_.least_lean = -greatest_of(select(leans, all_lanes(0) - share, all_lanes(-HUGE_VAL)));
    r_.clear = true;
  }

  // the same with directions that are not there; `own`: the diagonal of G, but for units of kinds
  bool without_lost(const Prepared& p, const Lanes& unit, const Vec6& own, double ratio,
                    double longest, SixLanes& h, AxisMask& there) noexcept {
    Vec6 scale;
    for (std::size_t kind = 0; kind < kAxes; kind += 3) {
      const double largest = std::max({own[kind], own[kind + 1], own[kind + 2]});
      const double length = largest > 0 ? std::sqrt(largest) : 1;
      for (std::size_t k = kind; k < kind + 3; ++k) scale[k] = unit[k] * length;
    }
    for (std::size_t k = 0; k < kAxes; ++k) h[k] = scale[k] * h[k];
    Lost none;
    Lanes lost = all_lanes(0);
    for (std::size_t s = 0; s < p.map.lost; ++s) {
      none.add(pad(scale.v.data()) * load(p.map.direction[s].data()));
      const Lanes& v = none.direction[s];
      const Lanes part = combined(v, h);
      for (std::size_t k = 0; k < kAxes; ++k) h[k] -= v[k] * part;
      lost += v * v;
    }
    keep_lost(lost);
    r_.least_lean /= ratio;
    const unsigned kept = bits_of(lost <= all_lanes(kGeometryLost)) & kAllAxes;
    for (Lanes& each : h) each = each * each;
    const Lanes inverse = select(lanes_of(kept), pad(six_sums(h).v.data()), all_lanes(0));
    store_six(inverse, r_.inverse.v.data());
    there = static_cast<AxisMask>(kept);
    const double weakest = std::max(e_.geometry_share, kWeakestPivots);
    const double share2 = 1.001 * weakest * weakest;
    const auto count = static_cast<double>(none.count);
    return above_share(r_.inverse, std::sqrt(ratio * share2)) == there &&
           (kAxes + count) * (longest * sum_of(inverse) + count) * share2 < 1;
  }

  // row by row what of eight moves along the axes that are asked for
  [[nodiscard]] PINTLE_INLINE SixLanes rows_at(std::size_t at) const noexcept {
    SixLanes row = rows_of(w_.column.data() + at, moving_at(at));
    for (std::size_t k = 0; k < kAxes && e_.controlled != kAllAxes; ++k)
      if ((e_.controlled >> k & 1) == 0) row[k] = all_lanes(0);
    return row;
  }

  // the sum of outer products, each channel's of eight times its share
  static void add_products(const SixLanes& row, const Lanes& share, bool first, SixLanes& gram) {
    SixLanes times;
    for (std::size_t k = 0; k < kAxes; ++k) times[k] = share * row[k];
    SixLanes sum;
    gram_of_eight(times, row, sum);
    for (std::size_t k = 0; k < kAxes; ++k) gram[k] = first ? sum[k] : gram[k] + sum[k];
  }

  // axes of more than geometry error
  void by_geometry() noexcept {
    // squares of forces and torques, and with them the longest lever; 1 where there is none
    Uncleared<SixLanes, kMaxChannels / kLanes> rows;
    Uncleared<Lanes, kMaxChannels / kLanes> force2, torque2;
    double lever2 = 0;
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const SixLanes row = rows[at / kLanes] = rows_at(at);
      const Lanes force = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
      const Lanes torque = row[3] * row[3] + row[4] * row[4] + row[5] * row[5];
      force2[at / kLanes] = force;
      torque2[at / kLanes] = torque;
      const LaneMask some = all_lanes(0) < force;
      lever2 = std::max(lever2, greatest_of(select(some, torque / force, all_lanes(0))));
    }
    if (!(lever2 > 0)) lever2 = 1;
    const double lever = std::sqrt(lever2);
    const double per_lever = 1 / lever;
    SixLanes gram{};
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes length2 = force2[at / kLanes] + (per_lever * per_lever) * torque2[at / kLanes];
      const LaneMask some = all_lanes(kShortest2) < length2;
      store(select(some, length2, all_lanes(0)), &r_.length2[at]);
      SixLanes row = rows[at / kLanes];
      for (std::size_t k = 3; k < kAxes; ++k) row[k] = per_lever * row[k];
      add_products(row, select(some, all_lanes(1) / length2, all_lanes(0)), at == 0, gram);
    }
    Vec6 unit = scale_kinds(gram);
    for (std::size_t k = 3; k < kAxes; ++k) unit[k] *= lever;
    r_.traces = 0;
    Lanes lost;
    if (invert_clear(gram, e_.geometry_share, kGeometryLost, r_.inverse, lost)) {
      keep_lost(lost);
    } else {
      r_.clear = false;
      look_closely(gram, unit, e_.geometry_share, r_);
    }
    r_.by_geometry = above_share(r_.inverse, e_.geometry_share);
  }

  // axes of at least `threshold` of their kind's largest
  [[nodiscard]] AxisMask by_stroke(double threshold) const noexcept {
    if (r_.clear && strokes_are_alike(threshold)) return kAllAxes & ~r_.leaning;
    double stroke = 0;
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      Lanes most = all_lanes(0);
      for (const Lanes& row : rows_at(at)) most = greater_of(most, magnitude(row));
      stroke = std::max(stroke, greatest_of(most * width_at(at)) / 2);
    }
    if (!(stroke > 0) || !std::isfinite(stroke)) return 0;
    SixLanes gram{};
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes half = (0.5 / stroke) * width_at(at);
      add_products(rows_at(at), half * half, at == 0, gram);
    }
    static_cast<void>(scale_kinds(gram));
    Vec6 inverse;
    Lanes lost;
    if (!invert_clear(gram, kWeakestStroke, kStrokeLost, inverse, lost))
      inverse = inverse_without(Eigen(gram), kWeakestStroke, kStrokeLost);
    return above_share(inverse, threshold);
  }

  // 0 behind the last channel
  [[nodiscard]] PINTLE_INLINE Lanes width_at(std::size_t at) const noexcept {
    return select(lanes_of(moving_at(at)), load(&r_.width[at]), all_lanes(0));
  }

  // so much that every axis of the geometry is above the threshold, but for those that lean. Units
  // of the kinds are then so near that what lies along lost directions by far, in part or not at
  // all does so by strokes as well
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
    if (!(weakest * r_.least_lean > 2 * kStrokeLost * greatest_of(most))) return false;
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
};

void update_reach(const Effectiveness& effectiveness, const Working& working, bool same_columns,
                  double threshold, Reach& reach) noexcept {
  const bool known = reach.ready && same_columns;
  reach.ready = working.usable;
  if (working.usable) {
    ReachKernel(effectiveness, working, reach).run(known, threshold);
  } else {
    reach.axes = 0;
    reach.traces = 0;
  }
}

}  // namespace
}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
