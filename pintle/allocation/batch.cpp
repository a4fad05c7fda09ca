#include "pintle/allocation/batch.h"

#include <bit>
#include <cmath>

#include "pintle/allocation/internal/active_set.h"
#include "pintle/allocation/internal/dispatch.h"
#include "pintle/allocation/internal/health.h"
#include "pintle/allocation/internal/lanes.h"

namespace pintle::allocation {
namespace {

// one problem after the other
class OneByOne {
 public:
  OneByOne(const Batch& batch, std::span<double> x) noexcept : batch_(batch), x_(x) {
    problem_.n = batch.n;
    problem_.r = batch.r;
    if (!batch.same_columns) return;
    for (std::size_t i = 0; i < batch.n; ++i)
      for (std::size_t k = 0; k < kAxes; ++k) problem_.column[i][k] = batch.column[kAxes * i + k];
  }

  /// Lane by lane, those of the bits.
  void solve_lanes(std::size_t j, unsigned lanes, const EightProblems& eight) noexcept {
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
      read([&](std::size_t row) { return eight.row[row][lane]; });
      const bool good = (eight.sound >> lane & 1) != 0 || usable();
      write(j + lane, good && solve_this(reached(lane, eight)));
    }
  }

  void solve_at(std::size_t j) noexcept {
    read([&](std::size_t row) { return batch_.numbers(row)[j]; });
    write(j, usable() && solve_this({}));
  }

  std::size_t refused = 0;

 private:
  // each number of the problem, in the order of the rows
  template <class Number>
  void read(const Number& number) noexcept {
    std::size_t row = 0;
    for (std::size_t k = 0; k < kAxes; ++k) problem_.b[k] = number(row++);
    for (std::size_t i = 0; i < batch_.n; ++i) problem_.lower[i] = number(row++);
    for (std::size_t i = 0; i < batch_.n; ++i) problem_.upper[i] = number(row++);
    for (std::size_t i = 0; i < batch_.n && !batch_.same_columns; ++i)
      for (std::size_t k = 0; k < kAxes; ++k) problem_.column[i][k] = number(row++);
  }

  [[nodiscard]] bool usable() const noexcept {
    // anything that is not finite leaves no zero
    double sum = 0;
    for (std::size_t k = 0; k < kAxes; ++k) sum += 0 * problem_.b[k];
    bool in_order = true;
    for (std::size_t i = 0; i < batch_.n; ++i) {
      sum += 0 * problem_.lower[i] + 0 * problem_.upper[i];
      in_order &= problem_.lower[i] <= problem_.upper[i];
      for (std::size_t k = 0; k < kAxes; ++k) sum += 0 * problem_.column[i][k];
    }
    return in_order && sum == 0;
  }

  [[nodiscard]] ReachedSet reached(std::size_t lane, const EightProblems& eight) const noexcept {
    ReachedSet set{static_cast<int>(eight.systems[lane])};
    if (set.systems == 0) return set;
    for (std::size_t i = 0; i < batch_.n; ++i) {
      set.free |= (eight.free[i] >> lane & 1U) << i;
      set.up |= (eight.up[i] >> lane & 1U) << i;
    }
    return set;
  }

  bool solve_this(const ReachedSet& set) noexcept {
    solve_from(problem_, set, 10 * static_cast<int>(batch_.n) + 20, solution_);
    return solution_.converged;
  }

  void write(std::size_t j, bool solved) noexcept {
    for (std::size_t i = 0; i < batch_.n; ++i)
      x_[i * batch_.count + j] =
          solved ? solution_.x[i] : safe_effort(problem_.lower[i], problem_.upper[i]);
    refused += solved ? 0 : 1;
  }

  const Batch& batch_;
  std::span<double> x_;
  BoxProblem problem_;
  BoxSolution solution_;
};

void solve_rest(void* self, std::size_t j, unsigned lanes, const EightProblems& eight) noexcept {
  static_cast<OneByOne*>(self)->solve_lanes(j, lanes, eight);
}

}  // namespace

std::size_t solve_batch(const Batch& batch, std::span<double> x) noexcept {
  const std::size_t n = batch.n;
  const std::size_t count = batch.count;
  if (n > kMaxChannels || !(batch.r >= 0) || !std::isfinite(batch.r)) return 0;
  if (x.size() != n * count || batch.b.size() != kAxes * count || batch.lower.size() != n * count ||
      batch.upper.size() != n * count ||
      batch.column.size() != kAxes * n * (batch.same_columns ? 1 : count))
    return 0;
  OneByOne rest(batch, x);
  // fewer channels than axes are quicker one by one
  const std::size_t groups = n < kAxes ? 0 : count / kLanes;
  kernels().batch(batch, 0, groups, x.data(), {&rest, solve_rest});
  for (std::size_t j = kLanes * groups; j < count; ++j) rest.solve_at(j);
  return count - rest.refused;
}

}  // namespace pintle::allocation
