/// Eight problems at a time, one per lane: the free optimum of each, and up to eight channels then
/// those that leave their box put on it while that makes them fewer. With the operations of
/// free_system.h and small_solver.h in their order. Internal to this room.
#pragma once
#include <algorithm>
#include <array>

#include "pintle/allocation/batch.h"
#include "pintle/allocation/internal/free_system.h"
#include "pintle/allocation/internal/gram.h"
#include "pintle/allocation/internal/lanes.h"
#include "pintle/allocation/internal/uneven.h"

namespace pintle::allocation::PINTLE_LEVEL {

class BatchOfEight {
 public:
  explicit BatchOfEight(const Batch& batch) noexcept
      : batch_(batch),
        n_(batch.n),
        rows_of_eight_(kAxes + (batch.same_columns ? 2 : 2 + kAxes) * batch.n) {
    eight_.n = n_;
  }

  /// Problems j to j + 7; the bits of those that are solved. What is known of the others is in
  /// `eight`. Writes x of all.
  unsigned run(std::size_t j, double* x) noexcept {
    if (j < first_ || j >= end_) fetch(j);
    eight_.row = &row_[(j - first_) / kLanes * rows_of_eight_];
    x_ = x + j;
    store(all_lanes(0), eight_.systems.data());
    if (!batch_.same_columns || !factored_) {
      factor<false>(whole_);
      factored_ = true;
    }
    eight_.sound = whole_.trusted & bits_of(bounds());
    SixLanes l = demand();
    solve<false>(whole_, l);
    LaneMask inside = lanes_of(eight_.sound);
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes target = along(i, l);
      const Lanes lower = load(eight_.lower(i).data());
      const Lanes upper = load(eight_.upper(i).data());
      inside = inside & (lower - kInside <= target) & (target <= upper + kInside);
      store(clamped(target, lower, upper), x_of(i));
      if (i < kLanes) target_[i] = target;
    }
    const unsigned solved = bits_of(inside);
    if (n_ > kLanes || (solved == 0xFF && may_be_far_out(l) == 0)) return solved;
    const unsigned here = eight_.sound & ~far_out();
    return (here & solved) | cut_again(here & ~solved, l);
  }

  /// Those of the last run.
  [[nodiscard]] const EightProblems& eight() const noexcept { return eight_; }

 private:
  struct Factors {
    std::array<SixLanes, kAxes> upper;
    SixLanes inverse;
    unsigned trusted = 0;
    unsigned weak = 0;
  };

  [[nodiscard]] Lanes column(std::size_t i, std::size_t k) const noexcept {
    return batch_.same_columns ? all_lanes(batch_.column[kAxes * i + k])
                               : load(eight_.column(i, k).data());
  }

  [[nodiscard]] SixLanes columns(std::size_t i) const noexcept {
    SixLanes a;
    for (std::size_t k = 0; k < kAxes; ++k) a[k] = column(i, k);
    return a;
  }

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

  // a_i' l
  [[nodiscard]] Lanes along(std::size_t i, const SixLanes& l) const noexcept {
    return combined(l, columns(i));
  }

  // the problems from j on, for some runs: the rows lie far apart in memory, push each other out of
  // the cache, and have neighbours in one line of it
  void fetch(std::size_t j) noexcept {
    const std::size_t most = std::min(kMostFetched, row_.size() / rows_of_eight_);
    const std::size_t groups = std::min(most, (batch_.count - j) / kLanes);
    first_ = j;
    end_ = j + kLanes * groups;
    for (std::size_t r = 0; r < rows_of_eight_; ++r) {
      const double* const from = batch_.numbers(r) + j;
      for (std::size_t g = 0; g < groups; ++g)
        store(load(from + kLanes * g), row_[g * rows_of_eight_ + r].data());
    }
  }

  // of numbers above 0
  struct Spread {
    Lanes largest = all_lanes(0);
    Lanes least = all_lanes(1e300);

    PINTLE_INLINE void take(const Lanes& x) noexcept {
      largest = greater_of(largest, x);
      least = select((all_lanes(0) < x) & (x < least), x, least);
    }
    [[nodiscard]] PINTLE_INLINE LaneMask even() const noexcept {
      return largest <= kMostUneven * least;
    }
  };

  // all with width, finite and even, and the demand finite
  [[nodiscard]] LaneMask bounds() const noexcept {
    LaneMask good = lanes_of(0xFF);
    Spread per_room, through;
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes lower = load(eight_.lower(i).data());
      const Lanes upper = load(eight_.upper(i).data());
      good = good & (lower < upper) & finite(lower) & finite(upper);
      const Lanes most = greater_of(magnitude(lower), magnitude(upper));
      const Gains gains = gains_of(columns(i), lanes_of(0xFF), most);
      per_room.take(gains.per_room);
      through.take(gains.through);
    }
    // else to be solved in more digits: uneven.h
    good = good & per_room.even() & through.even();
    for (std::size_t k = 0; k < kAxes; ++k) good = good & finite(load(eight_.b(k).data()));
    return good;
  }

  [[nodiscard]] double* x_of(std::size_t i) const noexcept { return x_ + i * batch_.count; }

  [[nodiscard]] SixLanes demand() const noexcept {
    SixLanes b;
    for (std::size_t k = 0; k < kAxes; ++k) b[k] = load(eight_.b(k).data());
    return b;
  }

  // efforts inside their bounds meet the demand but for r l: that much has to be beyond
  [[nodiscard]] unsigned may_be_far_out(const SixLanes& l) const noexcept {
    const double share = (kFarOut - 1) / 2;
    LaneMask may = lanes_of(0);
    for (std::size_t k = 0; k < kAxes; ++k)
      may = may | (share * magnitude(load(eight_.b(k).data())) < batch_.r * magnitude(l[k]));
    return bits_of(may);
  }

  // a demand beyond what all channels move along some axis: that starts elsewhere
  [[nodiscard]] unsigned far_out() const noexcept {
    LaneMask far = lanes_of(0);
    for (std::size_t k = 0; k < kAxes; ++k) {
      const Lanes reach = sum_of_all([&](std::size_t i) PINTLE_EACH {
        return greater_of(magnitude(load(eight_.lower(i).data())),
                          magnitude(load(eight_.upper(i).data()))) *
               magnitude(column(i, k));
      });
      far = far | (kFarOut * reach < magnitude(load(eight_.b(k).data())));
    }
    return bits_of(far);
  }

  // those of the lanes that settle while as many channels are free as there are axes
  unsigned cut_again(unsigned lanes, const SixLanes& first) noexcept {
    eight_.free.fill(0xFF);
    eight_.up.fill(0);
    unsigned solved = 0;
    Lanes fewest = find_wrong(lanes, first);
    unsigned open = lanes & bits_of(all_lanes(0) < fewest);
    note(open, 1);
    exchange();
    for (int systems = 2; (open &= spanning()) != 0; ++systems) {
      factor<true>(some_);
      SixLanes l = left_over();
      solve<true>(some_, l);
      for (std::size_t i = 0; i < n_; ++i) target_[i] = along(i, l);
      // what cannot be trusted goes another way, from the beginning
      note(open & ~some_.trusted, 0);
      open &= some_.trusted;
      const Lanes wrong = find_wrong(open, l);
      const unsigned right = open & bits_of(wrong == all_lanes(0));
      take(right);
      solved |= right;
      note(open & ~right, systems);
      exchange();
      open &= ~right & bits_of(wrong < fewest);
      fewest = wrong;
    }
    return solved;
  }

  void note(unsigned lanes, int systems) noexcept {
    double* const noted = eight_.systems.data();
    store(select(lanes_of(lanes), all_lanes(systems), load(noted)), noted);
  }

  // the lanes with as many free channels as axes
  [[nodiscard]] unsigned spanning() const noexcept {
    Lanes count = all_lanes(0);
    for (std::size_t i = 0; i < n_; ++i)
      count += select(lanes_of(eight_.free[i]), all_lanes(1), all_lanes(0));
    return bits_of(all_lanes(static_cast<double>(kAxes)) <= count);
  }

  // efforts of what is held, else 0
  [[nodiscard]] Lanes held(std::size_t i) const noexcept {
    const Lanes bound =
        select(lanes_of(eight_.up[i]), load(eight_.upper(i).data()), load(eight_.lower(i).data()));
    return select(lanes_of(eight_.free[i]), all_lanes(0), bound);
  }

  // the demand without what the held channels make
  [[nodiscard]] SixLanes left_over() const noexcept {
    SixLanes c = demand();
    for (std::size_t k = 0; k < kAxes; ++k)
      c[k] -= sum_of_all([&](std::size_t i) PINTLE_EACH { return held(i) * column(i, k); });
    return c;
  }

  // the channels whose condition fails, among the lanes; how many in each
  Lanes find_wrong(unsigned lanes, const SixLanes& l) noexcept {
    const Lanes zero = all_lanes(0);
    Lanes count = zero;
    for (std::size_t i = 0; i < n_; ++i) {
      const unsigned free = eight_.free[i];
      const Lanes target = target_[i];
      const unsigned under = bits_of(target < load(eight_.lower(i).data()) - kInside);
      const unsigned over = bits_of(load(eight_.upper(i).data()) + kInside < target);
      unsigned wrong = (under | over) & free;
      if ((lanes & ~free) != 0) {
        const Lanes x = held(i);
        const Lanes second = select(lanes_of(eight_.up[i]), x - target, target - x);
        Lanes size = magnitude(x);
        for (std::size_t k = 0; k < kAxes; ++k) size += magnitude(l[k] * column(i, k));
        wrong |= bits_of((zero < second) & (kNoise * size < second)) & ~free;
      }
      wrong_[i] = static_cast<std::uint8_t>(wrong & lanes);
      over_[i] = static_cast<std::uint8_t>(over);
      count += select(lanes_of(wrong_[i]), all_lanes(1), zero);
    }
    return count;
  }

  // puts them where they want to be
  void exchange() noexcept {
    for (std::size_t i = 0; i < n_; ++i) {
      const auto out = static_cast<std::uint8_t>(wrong_[i] & eight_.free[i]);
      eight_.up[i] = static_cast<std::uint8_t>((eight_.up[i] & ~out) | (over_[i] & out));
      eight_.free[i] ^= wrong_[i];
    }
  }

  // the answers of the lanes
  void take(unsigned lanes) noexcept {
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes target = target_[i];
      const Lanes lower = load(eight_.lower(i).data());
      const Lanes upper = load(eight_.upper(i).data());
      const Lanes inside = clamped(target, lower, upper);
      const Lanes x = select(lanes_of(eight_.free[i]), inside, held(i));
      store(select(lanes_of(lanes), x, load(x_of(i))), x_of(i));
    }
  }

  template <bool kSome>
  void factor(Factors& f) const noexcept {
    std::array<SixLanes, kAxes> m;
    for (std::size_t j = 0; j < kAxes; ++j)
      for (std::size_t k = j; k < kAxes; ++k)
        m[j][k] = sum_of_all([&](std::size_t i) PINTLE_EACH {
          const Lanes product = column(i, j) * column(i, k);
          return kSome ? select(lanes_of(eight_.free[i]), product, all_lanes(0)) : product;
        });
    Lanes largest = all_lanes(0);
    Lanes least = m[0][0];
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
    f.trusted = bits_of(trusted);
    f.weak = ~bits_of(strong) & 0xFFU;
  }

  template <bool kSome>
  void solve(const Factors& f, SixLanes& x) const noexcept {
    const SixLanes c = x;
    solve_factored(f.upper, f.inverse, x);
    if (f.weak != 0) correct<kSome>(f, c, x);
  }

  // one step of iterative refinement for the weak ones
  template <bool kSome>
  void correct(const Factors& f, const SixLanes& c, SixLanes& l) const noexcept {
    SixLanes error;
    for (std::size_t k = 0; k < kAxes; ++k) error[k] = c[k] - batch_.r * l[k];
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes product = along(i, l);
      for (std::size_t k = 0; k < kAxes; ++k) {
        const Lanes less = error[k] - product * column(i, k);
        error[k] = kSome ? select(lanes_of(eight_.free[i]), less, error[k]) : less;
      }
    }
    solve_factored(f.upper, f.inverse, error);
    const LaneMask weak = lanes_of(f.weak);
    for (std::size_t k = 0; k < kAxes; ++k) l[k] = select(weak, l[k] + error[k], l[k]);
  }

  const Batch& batch_;
  std::size_t n_;
  std::size_t rows_of_eight_;
  EightProblems eight_;
  double* x_ = nullptr;
  bool factored_ = false;
  Factors whole_, some_;                          // of all channels, and of some
  static constexpr std::size_t kMostFetched = 4;  // times eight
  std::size_t first_ = 0, end_ = 0;               // of what is fetched
  alignas(64) std::array<EightProblems::Lane, kAxes + (2 + kAxes) * kMaxChannels> row_;
  std::array<Lanes, kLanes> target_;
  std::array<std::uint8_t, kLanes> wrong_, over_;  // a bit for each lane
};

}  // namespace pintle::allocation::PINTLE_LEVEL
