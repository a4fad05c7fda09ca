/// Internal to active_set.h, where it is explained.
#pragma once
#include <utility>

#include "pintle/allocation/internal/guess.h"
#include "pintle/allocation/internal/multiplier_search.h"

namespace pintle::allocation::PINTLE_LEVEL {

inline constexpr int kFirstPatience = 0;
inline constexpr int kManyWrong = 3;

class BlockSolver {
 public:
  BlockSolver(const BoxProblem& problem, BoxSolution& solution) noexcept
      : p_(problem), s_(solution), guess_(problem, solution) {}

  /// Counts on from the iterations in the solution.
  bool run(bool warm, int max_iterations) noexcept {
    start(warm);
    Vec6 most;
    if (guess_.uneven(most)) return false;
    const Lanes reach = pad(most.v.data());
    // weights of zero, or axes that no channel moves
    guess_.system.empty = bits_of(reach == all_lanes(0)) & kAllAxes;
    if (!warm && bits_of(reach < magnitude(pad(p_.b.v.data()))) != 0) {
      // most of the demand is missing
      if (search(p_.b, {}, p_.b, max_iterations)) return finish();
      start(false);
    }
    const auto exchange_or_search = [&] {
      const FreeSystem& system = guess_.system;
      if (exchange_blocks(max_iterations, kFirstPatience)) return true;
      if (!guess_.trusted()) return false;
      // what no channel produces changes no channel
      if (!warm) return search(p_.b - system.d, system.l, {}, max_iterations);
      return search(p_.b, system.l, system.d, max_iterations);
    };
    bool found = exchange_or_search();
    if (!found && std::exchange(warm, false)) {
      start(false);
      found = exchange_or_search();
    }
    return found && finish();
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
    Fewer fewer{patience};
    while (++s_.iterations <= max_iterations && guess_.solve()) {
      const int wrong = guess_.exchange();
      if (wrong == 0) return true;
      // with many wrong the first guess says little: the falling search takes fewer steps
      if (patience == kFirstPatience && wrong >= kManyWrong) return false;
      if (!fewer.go_on(wrong)) return false;
    }
    return false;
  }

  void start(bool warm) noexcept {
    for (std::size_t c = 0; c < guess_.rows.chunks(); ++c) {
      const std::size_t at = kLanes * c;
      const unsigned fixed =
          guess_.rows.used(c) & ~bits_of(load(&p_.lower[at]) < load(&p_.upper[at]));
      const HeldBits held = warm ? read_eight(&s_.held[at]) : HeldBits{};
      write_eight({held.lower & ~fixed, held.upper & ~fixed, fixed}, &s_.held[at]);
    }
  }

  // of the demand b, from the multipliers and what is missing
  bool search(const Vec6& b, const Vec6& l, const Vec6& d, int max_iterations) noexcept {
    return MultiplierSearch(p_, guess_.rows, b, s_).run(l, d, max_iterations) &&
           exchange_blocks(max_iterations, kPatience);
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  Guess guess_;
};

}  // namespace pintle::allocation::PINTLE_LEVEL
