/// Eight problems at a time, one per lane: the free optimum of each, with the operations of
/// free_system.h and small_solver.h in their order. Internal to this room.
#pragma once
#include <array>

#include "pintle/allocation/batch.h"
#include "pintle/allocation/free_system.h"
#include "pintle/allocation/kink_search.h"
#include "pintle/allocation/lanes.h"

namespace pintle::allocation::PINTLE_LEVEL {

class BatchOfEight {
 public:
  BatchOfEight(const Batch& batch, EightProblems& eight) noexcept
      : batch_(batch), eight_(eight), n_(batch.n) {}

  /// Problems j to j + 7; the bits of those that bounds do not cut. Writes x of all.
  unsigned run(std::size_t j, double* x) noexcept {
    fetch(j);
    LaneMask good = bounds();
    if (!batch_.same_columns || !factored_) {
      clear_ = bits_of(factor());
      factored_ = true;
    }
    Six c;
    for (std::size_t k = 0; k < kAxes; ++k) c[k] = load(eight_.b[k].data());
    for (std::size_t k = 0; k < kAxes; ++k) good = good & is_finite(c[k]);
    Six l = c;
    solve(l);
    if (weak_ != 0) correct(c, l);
    for (std::size_t i = 0; i < n_; ++i) {
      Lanes target = l[0] * column(i, 0);
      for (std::size_t k = 1; k < kAxes; ++k) target += l[k] * column(i, k);
      const Lanes lower = load(eight_.lower[i].data());
      const Lanes upper = load(eight_.upper[i].data());
      good = good & (lower - kInside <= target) & (target <= upper + kInside);
      store(select(target < lower, lower, select(target > upper, upper, target)),
            x + i * batch_.count + j);
    }
    return bits_of(good) & clear_;
  }

 private:
  using Six = std::array<Lanes, kAxes>;

  [[nodiscard]] Lanes column(std::size_t i, std::size_t k) const noexcept {
    const std::size_t at = kAxes * i + k;
    return batch_.same_columns ? all_lanes(batch_.column[at]) : load(eight_.column[at].data());
  }

  // every number once: far apart in memory, they push each other out of the cache
  void fetch(std::size_t j) noexcept {
    const std::size_t count = batch_.count;
    for (std::size_t k = 0; k < kAxes; ++k)
      store(load(&batch_.b[k * count + j]), eight_.b[k].data());
    for (std::size_t i = 0; i < n_; ++i) {
      store(load(&batch_.lower[i * count + j]), eight_.lower[i].data());
      store(load(&batch_.upper[i * count + j]), eight_.upper[i].data());
    }
    if (batch_.same_columns) return;
    for (std::size_t at = 0; at < kAxes * n_; ++at)
      store(load(&batch_.column[at * count + j]), eight_.column[at].data());
  }

  static LaneMask is_finite(const Lanes& v) noexcept { return v - v == all_lanes(0); }

  // all with width, and finite
  [[nodiscard]] LaneMask bounds() const noexcept {
    LaneMask good = lanes_of(0xFF);
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes lower = load(eight_.lower[i].data());
      const Lanes upper = load(eight_.upper[i].data());
      good = good & (lower < upper) & is_finite(lower) & is_finite(upper);
    }
    return good;
  }

  // those whose system can be trusted
  [[nodiscard]] LaneMask factor() noexcept {
    std::array<Six, kAxes> m;
    for (Six& row : m) row.fill(all_lanes(0));
    for (std::size_t i = 0; i < n_; ++i) {
      Six a;
      for (std::size_t k = 0; k < kAxes; ++k) a[k] = column(i, k);
      unrolled<kAxes>([&](auto j) {
        unrolled<kAxes - j>([&](auto rest) { m[j][j + rest] += a[j] * a[j + rest]; });
      });
    }
    Lanes largest = all_lanes(0);
    Lanes least = m[0][0];
    Six diagonal;
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
      trusted = trusted & (enough * diagonal[j] <= m[j][j]) & is_finite(m[j][j]);
      strong = strong & (kRefineBelow * diagonal[j] <= m[j][j]);
      inverse_[j] = one / m[j][j];
      unrolled<kAxes - j - 1>(
          [&](auto rest) { upper_[j][j + 1 + rest] = inverse_[j] * m[j][j + 1 + rest]; });
      unrolled<kAxes - j - 1>([&](auto rest) {
        constexpr std::size_t i = j + 1 + rest;
        unrolled<kAxes - i>([&](auto next) { m[i][i + next] -= m[j][i] * upper_[j][i + next]; });
        keep_[j][i] = m[j][i];
      });
    });
    weak_ = ~bits_of(strong) & 0xFFU;
    return trusted;
  }

  // forward with the rows as they were: what the right side goes through as the seventh number
  void solve(Six& x) const noexcept {
    unrolled<kAxes>([&](auto j) {
      const Lanes part = inverse_[j] * x[j];
      unrolled<kAxes - j - 1>([&](auto rest) { x[j + 1 + rest] -= keep_[j][j + 1 + rest] * part; });
      x[j] = part;
    });
    finish(x);
  }

  void finish(Six& x) const noexcept {
    unrolled<kAxes>([&](auto back) {
      constexpr std::size_t j = kAxes - 1 - back;
      unrolled<j>([&](auto i) { x[i] -= upper_[i][j] * x[j]; });
    });
  }

  // one step of iterative refinement for the weak ones
  void correct(const Six& c, Six& l) const noexcept {
    Six error;
    for (std::size_t k = 0; k < kAxes; ++k) error[k] = c[k] - batch_.r * l[k];
    for (std::size_t i = 0; i < n_; ++i) {
      Six a;
      for (std::size_t k = 0; k < kAxes; ++k) a[k] = column(i, k);
      Lanes product = a[0] * l[0];
      for (std::size_t k = 1; k < kAxes; ++k) product += a[k] * l[k];
      for (std::size_t k = 0; k < kAxes; ++k) error[k] -= product * a[k];
    }
    unrolled<kAxes>([&](auto j) {
      unrolled<kAxes - j - 1>(
          [&](auto rest) { error[j + 1 + rest] -= upper_[j][j + 1 + rest] * error[j]; });
    });
    for (std::size_t k = 0; k < kAxes; ++k) error[k] = error[k] * inverse_[k];
    finish(error);
    const LaneMask weak = lanes_of(weak_);
    for (std::size_t k = 0; k < kAxes; ++k) l[k] = select(weak, l[k] + error[k], l[k]);
  }

  const Batch& batch_;
  EightProblems& eight_;
  std::size_t n_;
  bool factored_ = false;
  unsigned clear_ = 0;
  unsigned weak_ = 0;
  std::array<Six, kAxes> upper_, keep_;
  Six inverse_;
};

}  // namespace pintle::allocation::PINTLE_LEVEL
