/// Internal to active_set.h, where it is explained.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dual_search.h"
#include "pintle/allocation/internal/guess.h"
#include "pintle/allocation/internal/held_bits.h"
#include "pintle/allocation/internal/kink_search.h"

namespace pintle::allocation {

inline constexpr int kFirstPatience = 0;
inline constexpr int kManyWrong = 3;
inline constexpr int kPatience = 2;
// a demand far out of reach takes no more steps, as a rule
inline constexpr int kFewSteps = 11;

namespace PINTLE_LEVEL {

class BlockSolver {
 public:
  BlockSolver(const BoxProblem& problem, BoxSolution& solution) noexcept
      : p_(problem), s_(solution), guess_(problem, solution) {}

  /// Counts on from the iterations in the solution.
  bool run(bool warm, int max_iterations) noexcept {
    guess_.system.empty = guess_.rows.empty();
    start(warm);
    if (!warm && far_out()) {
      const int few = std::min(max_iterations, s_.iterations + kFewSteps);
      if (KinkSearch(p_, guess_.rows, p_.b, s_).run(p_.b, few) &&
          exchange_blocks(max_iterations, kFirstPatience))
        return finish();
      start(false);
    }
    bool found = exchange_blocks(max_iterations, kFirstPatience);
    if (!found && warm) {
      found = follow(max_iterations);
      if (!found) {
        start(false);
        found = exchange_blocks(max_iterations, kFirstPatience);
      }
    }
    if (!found) {
      if (!guess_.trusted()) return false;
      if (!search(max_iterations)) return false;
    }
    return finish();
  }

  /// The set to begin with and no more.
  bool leave(bool warm) noexcept {
    start(warm);
    return false;
  }

 private:
  bool finish() noexcept {
    // the held ones are on their bound bit for bit
    for (std::size_t at = 0; at < p_.n; at += kLanes)
      store(clamped(load(&s_.x[at]), load(&p_.lower[at]), load(&p_.upper[at])), &s_.x[at]);
    s_.converged = true;
    s_.loses_digits = guess_.system.loses;
    return true;
  }

  // exchanges all wrong channels at once while that makes them fewer
  bool exchange_blocks(int max_iterations, int patience) noexcept {
    int fewest = static_cast<int>(p_.n) + 1;
    int left = patience;
    while (++s_.iterations <= max_iterations) {
      if (!guess_.solve()) return false;
      const int wrong = guess_.exchange();
      if (wrong == 0) return true;
      // with many wrong the first guess says little: the falling search takes fewer steps
      if (patience == kFirstPatience && wrong >= kManyWrong) return false;
      if (wrong < fewest) {
        fewest = wrong;
        left = patience;
      } else if (--left < 0) {
        return false;
      }
    }
    return false;
  }

  void start(bool warm) noexcept {
    for (std::size_t c = 0; c < guess_.rows.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned fixed =
          guess_.rows.used(c) & ~bits_of(load(&p_.lower[at]) < load(&p_.upper[at]));
      HeldBits held = warm ? read_eight(&s_.held[at]) : HeldBits{};
      held.lower &= ~fixed;
      held.upper &= ~fixed;
      held.fixed = fixed;
      write_eight(held, &s_.held[at]);
    }
  }

  // a demand beyond what all channels together move along some axis
  [[nodiscard]] bool far_out() const noexcept {
    SixLanes reach;
    reach.fill(all_lanes(0));
    for (std::size_t c = 0; c < guess_.rows.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const Lanes bound =
          greater_of(magnitude(load(&p_.lower[at])), magnitude(load(&p_.upper[at])));
      const Lanes most = select(lanes_of(guess_.rows.used(c)), bound, all_lanes(0));
      for (std::size_t k = 0; k < kAxes; ++k) reach[k] += most * magnitude(guess_.rows[c][k]);
    }
    const Vec6 sum = six_sums(reach);
    return bits_of(pad(sum.v.data()) < magnitude(pad(p_.b.v.data()))) != 0;
  }

  // the residual of the last set leads to that of a demand which is still out of reach
  bool follow(int max_iterations) noexcept {
    return guess_.trusted() && !guess_.system.spanned &&
           dot(guess_.system.d, guess_.system.d) > kNearEdge * dot(p_.b, p_.b) &&
           KinkSearch(p_, guess_.rows, p_.b, s_).run(guess_.system.d, max_iterations) &&
           exchange_blocks(max_iterations, kFirstPatience);
  }

  // over the multipliers; over the residual if those say that the demand is out of reach; and with
  // more ties than a residual can tell apart over the multipliers again, from where it ended
  bool search(int max_iterations) noexcept {
    // what no channel produces changes no channel
    const Vec6 b = guess_.system.spanned ? p_.b : p_.b - guess_.system.d;
    DualSearch dual(p_, guess_.rows, b, s_);
    if (dual.run(guess_.system.l, max_iterations))
      return exchange_blocks(max_iterations, kPatience);
    if (!dual.out_of_reach()) return false;
    KinkSearch kinks(p_, guess_.rows, b, s_);
    if (kinks.run(dual.residual(), max_iterations) &&
        exchange_blocks(max_iterations, kFirstPatience))
      return true;
    if (!guess_.trusted()) return false;
    dual.go_through_rays();
    return dual.run(guess_.system.l + (1 / dual.r()) * kinks.residual(), max_iterations) &&
           exchange_blocks(max_iterations, kPatience);
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  Guess guess_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
