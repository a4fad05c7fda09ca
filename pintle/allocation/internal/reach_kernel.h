/// Which axes the channels with width reach, from the sums of outer products of their columns, six
/// by six. Internal to this room.
///
///   G = sum a a' / |a|^2       what geometry gives        (torques per longest lever)
///   S = sum a a' (width/2)^2   what the strokes give
///
/// each with forces and torques in units of their strongest axis. The authority of an axis is
/// 1 / sqrt(e_k' G^+ e_k). Nearly always G is far from singular but for directions that are not
/// there at all: its spread, largest over least eigenvalue, is at most the trace of it times that of
/// G^+, and the authorities of two axes, squared, are not further apart. Then S need not be looked at
/// where it cannot say anything else: with rho the squares of stroke times length,
/// min rho G <= S <= max rho G. Else S is looked at the same way; eigenvalues decide where a matrix is
/// near singular. Up to eight channels the map of nothing held mostly says it without forming G
/// (by_factor).
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>

#include "pintle/allocation/internal/definite.h"
#include "pintle/allocation/internal/reachable.h"
#include "pintle/allocation/internal/row_system.h"
#include "pintle/allocation/internal/scaling_kernels.h"
#include "pintle/allocation/prepared.h"

namespace pintle::allocation::PINTLE_LEVEL {

// directions of S weaker than this part of the strongest are lost, and so is an axis of whose
// square more than the share lies along them; of G it is geometry_share, and
inline constexpr double kWeakestStroke = 1e-7;
inline constexpr double kStrokeLost = 1e-12;
inline constexpr double kGeometryLost = 0.01;
// an eigenvalue below this part of the largest is rounding
inline constexpr double kNoEigenvalue = 1e-14;
// the cosine of a right angle
inline constexpr double kRightAngle = 1e-14;
// a map says which axes are there only while the spread is below one over the square of this
inline constexpr double kLeastSpread = 1e-3;
// of the square of an axis, along directions that are not there: rounding
inline constexpr double kNoShare = 1e-20;
// squares of shorter columns leave the range
inline constexpr double kShortest2 = 1e-290;

namespace {

// forces and torques each have the unit of their strongest axis; `square`: of each axis
PINTLE_INLINE Vec6 units_of_kinds(const Vec6& square) noexcept {
  Vec6 unit;
  for (std::size_t kind = 0; kind < kAxes; kind += 3) {
    const double largest = std::max({square[kind], square[kind + 1], square[kind + 2]});
    unit[kind] = unit[kind + 1] = unit[kind + 2] = largest > 0 ? std::sqrt(largest) : 1;
  }
  return unit;
}

// in these units, which come back; rows of nothing are zero
PINTLE_INLINE Vec6 scale_kinds(SixLanes& gram) noexcept {
  Vec6 square, inverse;
  for (std::size_t k = 0; k < kAxes; ++k) square[k] = gram[k][k];
  const Vec6 unit = units_of_kinds(square);
  for (std::size_t k = 0; k < kAxes; ++k)
    inverse[k] = square[k] > kNoRow * unit[k] * unit[k] ? 1 / unit[k] : 0;
  for (std::size_t k = 0; k < kAxes; ++k) gram[k] = inverse[k] * (gram[k] * pad(inverse.v.data()));
  return unit;
}

/// What a matrix without negative eigenvalues, in units of the kinds, has along the axes.
struct Along {
  Lanes inverse;              // e_k' M^+ e_k without directions that are weak,
  Lanes lost = all_lanes(0);  // and of the square of each axis, what lies along those
  double spread = 0;          // largest over least eigenvalue of the others at most
  std::size_t weak = 0;       // directions of less than a share of the strongest, not only rounding
  SixLanes direction;

  Along(const SixLanes& gram, double share) noexcept {
    Definite system;
    system.row = gram;
    if (system.factor()) {
      double trace = 0;
      for (const double own : system.diagonal) trace += own;
      SixLanes all = units();
      system.solve(all);
      inverse = diagonal_of(all);
      spread = trace * sum_of(inverse);
      if (spread * (share * share) < 1) return;
    }
    look_closely(gram, std::max(share * share, kNoEigenvalue));
  }

 private:
  // by eigenvalues: rows turned two by two until all are at right angles (Hestenes 1958)
  PINTLE_SELDOM void look_closely(const SixLanes& gram, double share2) noexcept {
    SixLanes row, v = units();
    for (std::size_t j = 0; j < kAxes; ++j)
      for (std::size_t k = 0; k < kLanes; ++k) row[j].set(k, k < j ? gram[k][j] : gram[j][k]);
    bool turned = true;
    for (int sweep = 0; turned && sweep < 20; ++sweep) {
      turned = false;
      for (std::size_t p = 0; p < kAxes; ++p)
        for (std::size_t q = p + 1; q < kAxes; ++q) turned |= turn(row[p], row[q], v[p], v[q]);
    }
    Vec6 value;
    double strongest = 0;
    for (std::size_t j = 0; j < kAxes; ++j) {
      value[j] = std::sqrt(sum_of(row[j] * row[j]));
      strongest = std::max(strongest, value[j]);
    }
    double least = strongest;
    inverse = all_lanes(0);
    bool some = false;
    for (std::size_t j = 0; j < kAxes; ++j) {
      const Lanes square = v[j] * v[j];
      if (value[j] > share2 * strongest) {
        least = std::min(least, value[j]);
        inverse += (1 / value[j]) * square;
      } else {
        some |= value[j] > kNoEigenvalue * strongest;
        lost += square;
        direction[weak++] = v[j];
      }
    }
    spread = strongest / least;
    // what is not there at all goes only with what is: the two are not told apart to the last digit
    if (!some) weak = 0;
  }

  static bool turn(Lanes& a, Lanes& b, Lanes& v, Lanes& w) noexcept {
    const double a2 = sum_of(a * a), b2 = sum_of(b * b), both = sum_of(a * b);
    if (!(both * both > kRightAngle * kRightAngle * (a2 * b2))) return false;
    const double zeta = (b2 - a2) / (2 * both);
    const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
    const double c = 1 / std::sqrt(1 + t * t);
    for (auto [x, y] : {std::pair{&a, &b}, std::pair{&v, &w}}) {
      const Lanes before = *x;
      *x = c * before - (c * t) * *y;
      *y = (c * t) * before + c * *y;
    }
    return true;
  }
};

class ReachKernel {
 public:
  ReachKernel(const Effectiveness& effectiveness, const Working& working, Reach& reach) noexcept
      : e_(effectiveness), w_(working), r_(reach) {}

  /// From the map without bounds of up to eight channels, H = P^+ A of P = sum a a' in other units
  /// of the axes: the diagonal of P^+ is that of H H', and with the lengths of the columns
  /// P / max |a|^2 <= G <= P / min |a|^2. False where that does not say which axes are there.
  bool by_factor(const Prepared& p, double threshold) noexcept {
    // the map is one of the axes that are demanded
    if (p.demanded != e_.controlled) return false;
    r_.moves = p.wide;
    measure_columns();
    const Lanes length2 = load(r_.length2.data());
    const Lanes inverse2 = select(all_lanes(0) < length2, all_lanes(1) / length2, all_lanes(0));
    SixLanes h2;
    for (std::size_t k = 0; k < kAxes; ++k) {
      const Lanes h = load(p.free_map.gain[k].data());
      h2[k] = h * h;
    }
    const Lanes weight = pad(p.weight.data());
    const Lanes unit =
        inverse_of_unit(p.scaled.gain_unit) * select(weight == all_lanes(0), all_lanes(1), weight);
    const Lanes inverse = unit * unit * pad(six_sums(h2).v.data());
    const double trace = sum_of(force2_) * (inverse[0] + inverse[1] + inverse[2]) +
                         sum_of(torque2_) * (inverse[3] + inverse[4] + inverse[5]);
    set_geometry(lost_to_map(p.map, unit, inverse2),
                 kAxes * trace * greatest_of(length2) * greatest_of(inverse2));
    const double weakest = std::max(e_.geometry_share, kLeastSpread);
    // written so that NaN fails
    r_.ready = r_.spread * weakest * weakest < 1;
    if (r_.ready) set_axes(threshold);
    return r_.ready;
  }

  void run(bool known, double threshold) noexcept {
    const ChannelMask before = std::exchange(r_.moves, channels_with_width(w_));
    if (!known || r_.moves != before) find_by_geometry();
    set_axes(threshold);
  }

 private:
  // of the square of each axis, what lies along directions that the map has filled
  [[nodiscard]] PINTLE_INLINE Lanes lost_to_map(const SetMap& map, const Lanes& unit,
                                                const Lanes& inverse2) const noexcept {
    Lanes share = all_lanes(0);
    if (map.lost == 0) return share;
    SixLanes square;
    for (std::size_t k = 0; k < kAxes; ++k) square[k] = inverse2 * (rows_[0][k] * rows_[0][k]);
    const Lanes scale = unit * pad(units_of_kinds(six_sums(square)).v.data());
    Lost lost;
    for (std::size_t s = 0; s < map.lost; ++s) {
      lost.add(scale * load(map.direction[s].data()));
      share += lost.direction[s] * lost.direction[s];
    }
    return share;
  }

  [[nodiscard]] unsigned moving_at(std::size_t at) const noexcept { return eight_at(r_.moves, at); }

  // `lost`: of the square of each axis, along directions that are not there, or weak
  void set_geometry(const Lanes& lost, double spread) noexcept {
    const LaneMask there = lost <= all_lanes(kGeometryLost);
    const LaneMask leans = (all_lanes(kNoShare) < lost) & there;
    r_.by_geometry = static_cast<AxisMask>(bits_of(there) & kAllAxes);
    r_.leaning = static_cast<AxisMask>(bits_of(leans) & kAllAxes);
    r_.least_lean = -greatest_of(select(leans, all_lanes(0) - lost, all_lanes(-HUGE_VAL)));
    r_.spread = 1.001 * spread;
    r_.traces = 0;
  }

  // row by row what of eight moves along these axes
  [[nodiscard]] PINTLE_INLINE SixLanes rows_at(std::size_t at, AxisMask axes) const noexcept {
    SixLanes row = rows_of(w_.column.data() + at, moving_at(at));
    for (std::size_t k = 0; k < kAxes && axes != kAllAxes; ++k)
      if ((axes >> k & 1) == 0) row[k] = all_lanes(0);
    return row;
  }

  // the sum of outer products, each with its share
  template <class Share>
  [[nodiscard]] SixLanes gram_of(const Share& share_at) const noexcept {
    SixLanes gram{}, sum;
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const SixLanes row = rows_at(at, e_.controlled);
      gram_of_eight(times_each(share_at(at), row), row, sum);
      for (std::size_t k = 0; k < kAxes; ++k) gram[k] += sum[k];
    }
    return gram;
  }

  // the rows, and the lengths of columns with torques per longest lever, 1 where there is none
  void measure_columns() noexcept {
    const auto squares = [](const Lanes* a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; };
    double lever2 = 0;
    force2_ = torque2_ = all_lanes(0);
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const std::size_t part = at / kLanes;
      const SixLanes& row = rows_[part] = rows_at(at, e_.controlled);
      force2_ += force_[part] = squares(&row[0]);
      torque2_ += torque_[part] = squares(&row[3]);
      // lever and length are those of the whole column
      if (e_.controlled != kAllAxes) {
        const SixLanes whole = rows_at(at, kAllAxes);
        force_[part] = squares(&whole[0]);
        torque_[part] = squares(&whole[3]);
      }
      const LaneMask some = all_lanes(0) < force_[part];
      const Lanes each2 = select(some, torque_[part] / force_[part], all_lanes(0));
      lever2 = std::max(lever2, greatest_of(each2));
    }
    if (!(lever2 > 0)) lever2 = 1;
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes length2 = force_[at / kLanes] + (1 / lever2) * torque_[at / kLanes];
      store(select(all_lanes(kShortest2) < length2, length2, all_lanes(0)), &r_.length2[at]);
    }
  }

  // axes of more than geometry error
  void find_by_geometry() noexcept {
    measure_columns();
    SixLanes gram = gram_of([&](std::size_t at) {
      const Lanes length2 = load(&r_.length2[at]);
      return select(all_lanes(0) < length2, all_lanes(1) / length2, all_lanes(0));
    });
    const Lanes unit = pad(scale_kinds(gram).v.data());
    const Along along(gram, e_.geometry_share);
    set_geometry(along.lost, along.spread);
    r_.traces = along.weak;
    for (std::size_t t = 0; t < r_.traces; ++t) {
      store_six(along.direction[t] / unit, r_.from[t].v.data());
      store_six(along.direction[t] * unit, r_.along[t].v.data());
    }
  }

  void set_axes(double threshold) noexcept {
    const AxisMask by_stroke = r_.traces == 0 && strokes_are_alike(threshold)
                                   ? static_cast<AxisMask>(kAllAxes & ~r_.leaning)
                                   : find_by_stroke(threshold);
    r_.axes = static_cast<AxisMask>(e_.controlled & r_.by_geometry & by_stroke);
  }

  // axes of at least `threshold` of their kind's largest
  [[nodiscard]] AxisMask find_by_stroke(double threshold) const noexcept {
    double widest = 0;
    for (std::size_t at = 0; at < w_.n; at += kLanes)
      widest = std::max(widest, greatest_of(width_at(at)));
    if (!(widest > 0) || !std::isfinite(widest)) return 0;
    SixLanes gram = gram_of([&](std::size_t at) {
      const Lanes width = (1 / widest) * width_at(at);
      return width * width;
    });
    scale_kinds(gram);
    const Along along(gram, kWeakestStroke);
    const Lanes inverse = select(along.lost <= all_lanes(kStrokeLost), along.inverse, all_lanes(0));
    std::array<double, 2> least{HUGE_VAL, HUGE_VAL};
    for (std::size_t k = 0; k < kAxes; ++k)
      if (inverse[k] > 0) least[k / 3] = std::min(least[k / 3], inverse[k]);
    AxisMask mask = 0;
    for (std::size_t k = 0; k < kAxes; ++k)
      if (inverse[k] > 0 && least[k / 3] >= threshold * threshold * inverse[k])
        mask = static_cast<AxisMask>(mask | axis_bit(k));
    return mask;
  }

  // 0 behind the last channel
  [[nodiscard]] PINTLE_INLINE Lanes width_at(std::size_t at) const noexcept {
    return select(lanes_of(moving_at(at)), load(&w_.upper[at]) - load(&w_.lower[at]), all_lanes(0));
  }

  // so much that every axis of the geometry is above the threshold, but for those that lean. Units
  // of the kinds are then so near that what lies along lost directions by far, in part or not at
  // all does so by strokes as well
  [[nodiscard]] bool strokes_are_alike(double threshold) const noexcept {
    Lanes most = all_lanes(0), least = all_lanes(-HUGE_VAL);
    for (std::size_t at = 0; at < w_.n; at += kLanes) {
      const Lanes width = width_at(at);
      const Lanes rho = width * width * load(&r_.length2[at]);
      const LaneMask counts = lanes_of(moving_at(at)) & (all_lanes(0) < load(&r_.length2[at]));
      most = greater_of(most, select(counts, rho, all_lanes(0)));
      least = greater_of(least, select(counts, all_lanes(0) - rho, all_lanes(-HUGE_VAL)));
    }
    const double part = std::max(threshold, kReachThreshold);
    const double largest = greatest_of(most), smallest = -greatest_of(least);
    // written so that NaN fails
    return smallest * r_.least_lean > 2 * kStrokeLost * largest &&
           smallest >= part * part * r_.spread * largest;
  }

  const Effectiveness& e_;
  const Working& w_;
  Reach& r_;
  Uncleared<SixLanes, kMaxChannels / kLanes> rows_;
  Uncleared<Lanes, kMaxChannels / kLanes> force_, torque_;  // squares, of whole columns, …
  Lanes force2_, torque2_;  // … and of what is asked for, of all channels of a lane
};

void update_reach(const Effectiveness& effectiveness, const Working& working, bool same_columns,
                  double threshold, Reach& reach) noexcept {
  const bool known = reach.ready && same_columns;
  reach.ready = working.usable;
  if (working.usable) return ReachKernel(effectiveness, working, reach).run(known, threshold);
  reach.traces = reach.axes = 0;
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
