/// Eight problems at a time, one per lane: the free optimum of each, and up to eight channels then
/// those that leave their box put on it while that makes them fewer. With the operations of
/// free_system.h and small_solver.h in their order. What does not settle so is solved one by one, up
/// to eight channels from the set that was reached. Internal to this room.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "pintle/allocation/batch.h"
#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/free_system.h"
#include "pintle/allocation/internal/health.h"
#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/row_system.h"

namespace pintle::allocation::PINTLE_LEVEL {

class BatchOfEight {
 public:
  explicit BatchOfEight(const Batch& batch) noexcept
      : batch_(batch),
        n_(batch.n),
        rows_of_eight_(kAxes + (batch.same_columns ? 2 : 2 + kAxes) * batch.n) {
    problem_.n = batch.n;
    problem_.r = batch.r;
    if (!batch.same_columns) return;
    Lanes* const column = &row_[row_.size() - kAxes * n_];
    for (std::size_t i = 0; i < kAxes * n_; ++i) {
      column[i] = all_lanes(batch.column[i]);
      problem_.column[i / kAxes][i % kAxes] = batch.column[i];
    }
    whole_.column = six(column);
  }

  /// Problems j to j + 7, as far as there are; how many could not be solved.
  std::size_t run(std::size_t j, double* x) noexcept {
    if (j >= end_) fetch(j);
    eight_ = &row_[(j - first_) / kLanes * rows_of_eight_];
    if (!batch_.same_columns) whole_.column = six(eight_ + kAxes + 2 * n_);
    const unsigned used = used_of(batch_.count, j);
    std::size_t refused = 0;
    for (unsigned left = used & ~solve_together(); left != 0; left &= left - 1)
      refused += solve_alone(static_cast<std::size_t>(std::countr_zero(left))) ? 0 : 1;
    for (std::size_t i = 0; i < n_; ++i) {
      double* const to = x + i * batch_.count + j;
      if (used == 0xFF)
        store(x_[i], to);
      else
        for (std::size_t lane = 0; (used >> lane & 1) != 0; ++lane) to[lane] = x_[i][lane];
    }
    return refused;
  }

 private:
  // six rows that lie one behind the other
  static const SixLanes* six(const Lanes* rows) noexcept {
    return reinterpret_cast<const SixLanes*>(rows);
  }

  // A A' + r I of columns, those that are held zero
  struct Factors {
    const SixLanes* column;
    std::array<SixLanes, kAxes> upper;
    SixLanes inverse;
    unsigned trusted = 0, weak = 0;
  };

  // the solved ones, one bit each: with all channels free, and up to eight of them then while as
  // many are free as there are axes
  unsigned solve_together() noexcept {
    systems_ = all_lanes(0);
    free_.fill(0xFF);
    up_.fill(0);
    if (!batch_.same_columns || !factored_) factor(whole_);
    factored_ = true;
    unsigned open = bits_of(bounds());
    sound_ = open & whole_.trusted;
    unsigned solved = 0;
    Lanes fewest = all_lanes(HUGE_VAL);
    for (int systems = 1; open != 0; ++systems) {
      const bool first = systems == 1;
      const Factors& f = first ? whole_ : some_;
      SixLanes l = demand();
      if (!first) leave_out_held(l);
      solve(f, l);
      // what cannot be trusted goes another way, from the beginning
      systems_ = select(lanes_of(open & ~f.trusted), all_lanes(0), systems_);
      open &= f.trusted;
      for (std::size_t i = 0; i < n_; ++i) target_[i] = combined(l, whole_.column[i]);
      const Lanes wrong = find_wrong(open, l);
      const unsigned right = bits_of(wrong == all_lanes(0));
      if (first && ((open & right) != 0xFF || may_be_far_out(l))) open &= ~far_out();
      take(open & right);
      solved |= open & right;
      open &= ~right;
      if (n_ > kLanes || open == 0) break;
      systems_ = select(lanes_of(open), all_lanes(systems), systems_);
      open &= exchange(open) & bits_of(wrong < fewest);
      fewest = wrong;
    }
    return solved;
  }

  // one of the eight, from the set that it has come to
  bool solve_alone(std::size_t lane) noexcept {
    const Lanes* number = eight_;
    const auto read = [&](double& to) { to = (*number++)[lane]; };
    for (double& b : problem_.b.v) read(b);
    for (std::size_t i = 0; i < n_; ++i) read(problem_.lower[i]);
    for (std::size_t i = 0; i < n_; ++i) read(problem_.upper[i]);
    for (std::size_t i = 0; i < n_ && !batch_.same_columns; ++i)
      for (double& a : problem_.column[i].v) read(a);
    ReachedSet set{static_cast<int>(systems_[lane])};
    for (std::size_t i = 0; i < n_ && set.systems != 0; ++i) {
      set.free |= (free_[i] >> lane & 1U) << i;
      set.up |= (up_[i] >> lane & 1U) << i;
    }
    bool solved = (sound_ >> lane & 1) != 0 || usable();
    if (solved) {
      solve_from(problem_, set, 10 * static_cast<int>(n_) + 20, solution_);
      solved = solution_.converged;
    }
    for (std::size_t i = 0; i < n_; ++i)
      x_[i].set(lane, solved ? solution_.x[i] : safe_effort(problem_.lower[i], problem_.upper[i]));
    return solved;
  }

  // whether it has nothing to refuse
  [[nodiscard]] bool usable() const noexcept {
    bool good = is_finite(problem_.b);
    for (std::size_t i = 0; i < n_; ++i)
      good = good && is_finite(problem_.column[i]) && std::isfinite(problem_.lower[i]) &&
             std::isfinite(problem_.upper[i]) && problem_.lower[i] <= problem_.upper[i];
    return good;
  }

  // of the eight at hand, in the order of their rows
  [[nodiscard]] const SixLanes& demand() const noexcept { return *six(eight_); }
  [[nodiscard]] const Lanes& lower(std::size_t i) const noexcept { return eight_[kAxes + i]; }
  [[nodiscard]] const Lanes& upper(std::size_t i) const noexcept { return eight_[kAxes + n_ + i]; }

  // of each channel, in the order in which the other solvers add what eight lanes hold
  template <class F>
  PINTLE_INLINE Lanes sum_of_all(const F& f) const noexcept {
    const auto term = [&](std::size_t i) PINTLE_EACH { return i < n_ ? f(i) : all_lanes(0); };
    std::array<Lanes, kLanes> sum;
    unrolled<kLanes>([&](auto i) PINTLE_EACH { sum[i] = term(i); });
    for (std::size_t at = kLanes; at < n_; at += kLanes)
      unrolled<kLanes>([&](auto i) PINTLE_EACH { sum[i] += term(at + i); });
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
  }

  // the problems from j on, for some runs: the rows lie far apart in memory, push each other out of
  // the cache, and have neighbours in one line of it. The last eight are filled up with the last one
  void fetch(std::size_t j) noexcept {
    const std::size_t room = row_.size() - (batch_.same_columns ? kAxes * n_ : 0);
    const std::size_t most = kLanes * std::min(kMostFetched, room / rows_of_eight_);
    first_ = j;
    end_ = std::min(j + most, batch_.count);
    const auto columns = batch_.same_columns ? std::span<const double>{} : batch_.column;
    Lanes* row = row_.data();
    for (const auto& rows : {batch_.b, batch_.lower, batch_.upper, columns})
      for (std::size_t own = 0; own < rows.size(); own += batch_.count, ++row) {
        const double* const from = &rows[own];
        Lanes* to = row;
        for (std::size_t at = j; at < end_; at += kLanes, to += rows_of_eight_)
          if (end_ - at >= kLanes)
            *to = load(from + at);
          else
            for (std::size_t i = 0; i < kLanes; ++i) to->set(i, from[std::min(at + i, end_ - 1)]);
      }
  }

  // all with width, finite and even, and the demand finite
  [[nodiscard]] LaneMask bounds() const noexcept {
    LaneMask good = lanes_of(0xFF);
    Unevenness unevenness;
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes &low = lower(i), &high = upper(i);
      good = good & (low < high) & finite(low) & finite(high);
      unevenness.add(whole_.column[i], lanes_of(0xFF), greater_of(magnitude(low), magnitude(high)));
    }
    for (const Lanes& b : demand()) good = good & finite(b);
    // uneven ones are to be solved in more digits
    return good & unevenness.none();
  }

  // efforts inside their bounds meet the demand but for r l: that much has to be beyond
  [[nodiscard]] bool may_be_far_out(const SixLanes& l) const noexcept {
    const double share = (kFarOut - 1) / 2;
    LaneMask may = lanes_of(0);
    for (std::size_t k = 0; k < kAxes; ++k)
      may = may | (share * magnitude(demand()[k]) < batch_.r * magnitude(l[k]));
    return bits_of(may) != 0;
  }

  // a demand beyond what all channels move along some axis: that starts elsewhere
  [[nodiscard]] unsigned far_out() const noexcept {
    LaneMask far = lanes_of(0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      const Lanes reach = sum_of_all([&](std::size_t i) PINTLE_EACH {
        return greater_of(magnitude(lower(i)), magnitude(upper(i))) *
               magnitude(whole_.column[i][k]);
      });
      far = far | (kFarOut * reach < magnitude(demand()[k]));
    }
    return bits_of(far);
  }

  // efforts of what is held, else 0
  [[nodiscard]] Lanes held(std::size_t i) const noexcept {
    const Lanes bound = select(lanes_of(up_[i]), upper(i), lower(i));
    return select(lanes_of(free_[i]), all_lanes(0), bound);
  }

  // the system of the free channels, and the demand without what the held ones make
  void leave_out_held(SixLanes& c) noexcept {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < kAxes; ++k)
        free_column_[i][k] = select(lanes_of(free_[i]), whole_.column[i][k], all_lanes(0));
    some_.column = free_column_.data();
    factor(some_);
    for (std::size_t k = 0; k < kAxes; ++k)
      c[k] -= sum_of_all([&](std::size_t i) PINTLE_EACH { return held(i) * whole_.column[i][k]; });
  }

  // the channels whose condition fails, among the lanes; how many in each
  Lanes find_wrong(unsigned lanes, const SixLanes& l) noexcept {
    const Lanes zero = all_lanes(0);
    Lanes count = zero;
    for (std::size_t i = 0; i < n_; ++i) {
      const unsigned free = free_[i];
      const Lanes& target = target_[i];
      // written so that NaN is wrong
      unsigned wrong =
          free & ~bits_of((lower(i) - kInside <= target) & (target <= upper(i) + kInside));
      if ((lanes & ~free) != 0) {
        const Lanes x = held(i), second = select(lanes_of(up_[i]), x - target, target - x);
        Lanes size = magnitude(x);
        for (std::size_t k = 0; k < kAxes; ++k) size += magnitude(l[k] * whole_.column[i][k]);
        wrong |= bits_of((zero < second) & (kNoise * size < second)) & ~free;
      }
      wrong_[i] = static_cast<std::uint8_t>(wrong);
      over_[i] = static_cast<std::uint8_t>(bits_of(upper(i) + kInside < target));
      count += select(lanes_of(wrong), all_lanes(1), zero);
    }
    return count;
  }

  // puts them where they want to be; the lanes that have as many free channels as axes then
  unsigned exchange(unsigned lanes) noexcept {
    Lanes count = all_lanes(0);
    for (std::size_t i = 0; i < n_; ++i) {
      const unsigned wrong = wrong_[i] & lanes, out = wrong & free_[i];
      up_[i] = static_cast<std::uint8_t>((up_[i] & ~out) | (over_[i] & out));
      free_[i] = static_cast<std::uint8_t>(free_[i] ^ wrong);
      count += select(lanes_of(free_[i]), all_lanes(1), all_lanes(0));
    }
    return bits_of(all_lanes(static_cast<double>(kAxes)) <= count);
  }

  // the answers of the lanes
  void take(unsigned lanes) noexcept {
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes inside = clamped(target_[i], lower(i), upper(i));
      const Lanes x = select(lanes_of(free_[i]), inside, held(i));
      x_[i] = select(lanes_of(lanes), x, x_[i]);
    }
  }

  void factor(Factors& f) const noexcept {
    std::array<SixLanes, kAxes> m;
    for (std::size_t j = 0; j < kAxes; ++j)
      for (std::size_t k = j; k < kAxes; ++k)
        m[j][k] =
            sum_of_all([&](std::size_t i) PINTLE_EACH { return f.column[i][j] * f.column[i][k]; });
    Lanes largest = all_lanes(0), least = m[0][0];
    SixLanes diagonal;
    for (std::size_t j = 0; j < kAxes; ++j) {
      largest = greater_of(largest, m[j][j]);
      least = select(m[j][j] < least, m[j][j], least);
      m[j][j] = diagonal[j] = m[j][j] + batch_.r;
    }
    LaneMask trusted = kIndependent * kIndependent * largest < least;
    const double enough = batch_.r > 0 ? kCarriedByR : kTrustedPivot;
    LaneMask strong = lanes_of(0xFF);
    const Lanes one = all_lanes(1);
    unrolled<kAxes>([&](auto j) {
      trusted = trusted & (enough * diagonal[j] <= m[j][j]) & finite(m[j][j]);
      strong = strong & (kRefineBelow * diagonal[j] <= m[j][j]);
      f.inverse[j] = one / m[j][j];
      unrolled<kAxes - j - 1>(
          [&](auto rest) { f.upper[j][j + 1 + rest] = f.inverse[j] * m[j][j + 1 + rest]; });
      unrolled<kAxes - j - 1>([&](auto rest) {
        constexpr std::size_t i = j + 1 + rest;
        unrolled<kAxes - i>([&](auto next) { m[i][i + next] -= m[j][i] * f.upper[j][i + next]; });
      });
    });
    // fewer channels than axes are quicker one by one
    f.trusted = n_ < kAxes ? 0 : bits_of(trusted);
    f.weak = ~bits_of(strong) & 0xFFU;
  }

  // with one step of iterative refinement for the weak ones
  void solve(const Factors& f, SixLanes& l) const noexcept {
    const SixLanes c = l;
    solve_factored(f.upper, f.inverse, l);
    if (f.weak == 0) return;
    SixLanes error;
    for (std::size_t k = 0; k < kAxes; ++k) error[k] = c[k] - batch_.r * l[k];
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes product = combined(l, f.column[i]);
      for (std::size_t k = 0; k < kAxes; ++k) error[k] -= product * f.column[i][k];
    }
    solve_factored(f.upper, f.inverse, error);
    const LaneMask weak = lanes_of(f.weak);
    for (std::size_t k = 0; k < kAxes; ++k) l[k] = select(weak, l[k] + error[k], l[k]);
  }

  const Batch& batch_;
  std::size_t n_;
  std::size_t rows_of_eight_;
  static constexpr std::size_t kMostFetched = 4;  // times eight
  std::size_t first_ = 0, end_ = 0;               // of what is fetched
  std::array<Lanes, kAxes + (2 + kAxes) * kMaxChannels> row_;
  const Lanes* eight_ = nullptr;  // rows of the eight at hand
  unsigned sound_ = 0;            // of those, with nothing to refuse; others may be as well
  bool factored_ = false;
  Factors whole_, some_;  // of all channels, and of the free ones
  std::array<SixLanes, kLanes> free_column_;
  std::array<Lanes, kMaxChannels> target_, x_;
  Lanes systems_;                                     // until the set below; 0: none is known
  std::array<std::uint8_t, kMaxChannels> free_, up_;  // of a channel, a bit for each lane
  std::array<std::uint8_t, kMaxChannels> wrong_, over_;
  BoxProblem problem_;  // of one lane
  BoxSolution solution_;
};

namespace {

std::size_t solve_batch(const Batch& batch, double* x) noexcept {
  BatchOfEight eight(batch);
  std::size_t solved = batch.count;
  for (std::size_t j = 0; j < batch.count; j += kLanes) solved -= eight.run(j, x);
  return solved;
}

}  // namespace
}  // namespace pintle::allocation::PINTLE_LEVEL
