/// Internal to active_set.h, where it is explained.
#pragma once
#include <algorithm>
#include <cmath>

#include "pintle/allocation/internal/dual_search.h"
#include "pintle/allocation/internal/guess.h"
#include "pintle/allocation/internal/held_bits.h"
#include "pintle/allocation/internal/kink_search.h"

namespace pintle::allocation {

// of the largest bound: moves below this are rounding
inline constexpr double kMoved = 1e-13;

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
      remember_start();
      if (!search(max_iterations) && !descend(max_iterations)) return false;
    }
    return finish();
  }

  /// The set to begin with and no more.
  bool leave(bool warm) noexcept {
    start(warm);
    return false;
  }

  // the set in `solution` evaluated for this problem, without a proof
  bool settle() noexcept {
    if (!guess_.solve()) return false;
    for (std::size_t i = 0; i < n(); ++i) {
      if (!guess_.is_free(i)) continue;
      s_.x[i] = std::clamp(guess_.target(i), p_.lower[i], p_.upper[i]);
    }
    s_.loses_digits = guess_.system.loses;
    return true;
  }

 private:
  bool finish() noexcept {
    // the held ones are on their bound bit for bit
    for (std::size_t at = 0; at < n(); at += kLanes) store(cut(load(&s_.x[at]), at), &s_.x[at]);
    s_.converged = true;
    s_.loses_digits = guess_.system.loses;
    return true;
  }

  // exchanges all wrong channels at once while that makes them fewer
  bool exchange_blocks(int max_iterations, int patience) noexcept {
    int fewest = static_cast<int>(n()) + 1;
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
    for (std::size_t c = 0; c < chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned fixed = used(c) & ~bits_of(load(&p_.lower[at]) < load(&p_.upper[at]));
      HeldBits held = warm ? read_eight(&s_.held[at]) : HeldBits{};
      held.lower &= ~fixed;
      held.upper &= ~fixed;
      held.fixed = fixed;
      write_eight(held, &s_.held[at]);
    }
  }

  // a demand beyond what all channels together move along some axis
  [[nodiscard]] bool far_out() const noexcept {
    // far from it if the others are like the first
    const double others = 0.5 * static_cast<double>(chunks());
    for (std::size_t k = 0; k < kAxes; ++k) {
      const double asked = std::abs(p_.b[k]);
      if (asked > others * sum_of(reach(k, 0, 1)) && asked > sum_of(reach(k, 0, chunks())))
        return true;
    }
    return false;
  }
  // what the channels of some chunks move along an axis at most
  PINTLE_INLINE Lanes reach(std::size_t k, std::size_t first, std::size_t last) const noexcept {
    Lanes sum = all_lanes(0);
    for (std::size_t c = first; c < last; ++c) {
      const std::size_t at = kLanes * c;
      const Lanes bound =
          greater_of(magnitude(load(&p_.lower[at])), magnitude(load(&p_.upper[at])));
      const Lanes most = select(lanes_of(used(c)), bound, all_lanes(0));
      sum += most * magnitude(guess_.rows.row[k][c]);
    }
    return sum;
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

  // the last answer cut to the box: where the searches below begin
  void remember_start() noexcept {
    for (std::size_t at = 0; at < n(); at += kLanes) store(cut(load(&s_.x[at]), at), &start_[at]);
    std::copy_n(s_.held.begin(), n(), start_held_.begin());
  }

  // to the box
  PINTLE_INLINE Lanes cut(const Lanes& x, std::size_t at) const noexcept {
    const Lanes lower = load(&p_.lower[at]);
    const Lanes upper = load(&p_.upper[at]);
    return select(x < lower, lower, select(upper < x, upper, x));
  }

  // the reference's descent with this solver's kernels: inside the box, the cost falls each step
  PINTLE_SELDOM bool descend(int max_iterations) noexcept {
    if (s_.iterations >= max_iterations) return false;
    for (std::size_t i = 0; i < n(); ++i) {
      s_.x[i] = start_[i];
      if (s_.held[i] != Held::kFixed) s_.held[i] = start_held_[i];
      if (s_.held[i] == Held::kFree && start_[i] == p_.lower[i]) s_.held[i] = Held::kLower;
      if (s_.held[i] == Held::kFree && start_[i] == p_.upper[i]) s_.held[i] = Held::kUpper;
    }
    bool moved = true;
    while (++s_.iterations <= max_iterations) {
      if (!guess_.solve()) return false;
      if (!advance(moved)) continue;
      const int wrong = release(moved);
      if (wrong <= 0) return wrong == 0;
      moved = false;
    }
    return false;
  }

  // moves the free channels towards their targets as far as the box lets them; true when all arrive
  bool advance(bool& moved) noexcept {
    bool blocked = false;
    bool back = false;
    double length = 1;
    std::array<double, kMaxChannels> goal;
    for (std::size_t i = 0; i < n(); ++i) {
      if (!guess_.is_free(i)) continue;
      goal[i] = std::clamp(guess_.target(i), p_.lower[i], p_.upper[i]);
      if (std::abs(goal[i] - guess_.target(i)) <= kInside) continue;
      blocked = true;
      if (goal[i] == s_.x[i]) {
        // on its bound and wants out
        s_.held[i] = guess_.target(i) < goal[i] ? Held::kLower : Held::kUpper;
        back = true;
      } else {
        length = std::min(length, (goal[i] - s_.x[i]) / (guess_.target(i) - s_.x[i]));
      }
    }
    if (back) return false;
    if (blocked && !falls(goal)) {
      for (std::size_t i = 0; i < n(); ++i) {
        if (!guess_.is_free(i)) continue;
        const double step = length * (guess_.target(i) - s_.x[i]);
        // those that reach their bound first end on it bit for bit
        if (goal[i] == guess_.target(i) || std::abs(goal[i] - s_.x[i]) > std::abs(step))
          goal[i] = std::clamp(s_.x[i] + step, p_.lower[i], p_.upper[i]);
      }
    }
    for (std::size_t i = 0; i < n(); ++i) {
      if (!guess_.is_free(i)) continue;
      moved = moved || std::abs(goal[i] - s_.x[i]) > kMoved;
      s_.x[i] = goal[i];
      if (!blocked) continue;
      if (goal[i] == p_.lower[i] && guess_.target(i) < goal[i]) s_.held[i] = Held::kLower;
      if (goal[i] == p_.upper[i] && guess_.target(i) > goal[i]) s_.held[i] = Held::kUpper;
    }
    return !blocked;
  }

  // whether the cost is safely lower with the free channels there
  [[nodiscard]] bool falls(const std::array<double, kMaxChannels>& goal) const noexcept {
    Vec6 now = guess_.left();
    Vec6 then = guess_.left();
    double now_r = 0;
    double then_r = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      if (!guess_.is_free(i)) continue;
      now = now - s_.x[i] * p_.column[i];
      then = then - goal[i] * p_.column[i];
      now_r += s_.x[i] * s_.x[i];
      then_r += goal[i] * goal[i];
    }
    return dot(then, then) + p_.r * then_r < 0.999 * (dot(now, now) + p_.r * now_r);
  }

  // releases all held channels that want in, or only the keenest when the last release moved
  // nothing; how many, -1 when nothing would come of it
  int release(bool all) noexcept {
    int wrong = 0;
    for (std::size_t i = 0; i < n(); ++i) {
      if (s_.held[i] != Held::kLower && s_.held[i] != Held::kUpper) continue;
      if (!guess_.wants_inwards(i, s_.held[i] == Held::kLower ? 1 : -1)) continue;
      ++wrong;
      if (all) s_.held[i] = Held::kFree;
    }
    return !all && wrong > 0 ? -1 : wrong;
  }

  [[nodiscard]] std::size_t n() const noexcept { return p_.n; }

  [[nodiscard]] std::size_t chunks() const noexcept { return (n() + kLanes - 1) / kLanes; }

  [[nodiscard]] unsigned used(std::size_t c) const noexcept {
    const std::size_t left = n() - kLanes * c;
    return left >= kLanes ? 0xFFU : (1U << left) - 1;
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  Guess guess_;
  std::array<double, kMaxChannels> start_;
  std::array<Held, kMaxChannels> start_held_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
