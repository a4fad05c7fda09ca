/// Up to eight channels: one number per lane. Internal to this room.
///
/// The free optimum first, and those that leave their box put on it while that makes them fewer.
/// Where this does not settle, the tableau guesses the held set, with the rows as they are; where
/// these differ much in length, with next to no trade and then brought to one length (which finds
/// the answer to demands that can be met). A demand beyond what all channels move along some axis
/// goes to the tableau at once, from the bounds that it pulls to, and so do fewer free channels
/// than axes where rows are even. What is guessed is proved by Newton's step and the gradient, or in
/// the arithmetic of block_solver.h, which takes over where nothing is.
#pragma once
#include <bit>

#include "pintle/allocation/internal/block_solver.h"
#include "pintle/allocation/internal/tableau.h"

namespace pintle::allocation {

// rows whose lengths differ by more go another way: see above
inline constexpr double kUneven = 3e-3;

// each step is at most about this part of the one before
inline constexpr double kShrinks = 1e-6;
// of the largest bound: the step after one so short is rounding
inline constexpr double kLastStep = 1e-9;
inline constexpr int kRounds = 3;

namespace PINTLE_LEVEL {

class SmallSolver {
 public:
  SmallSolver(const BoxProblem& problem, BoxSolution& solution) noexcept
      : p_(problem), s_(solution) {}

  bool run(bool warm, int max_iterations) noexcept {
    if (!read_problem()) return false;
    const HeldBits held = warm ? read_eight(s_.held.data()) : HeldBits{};
    free_ = all_ & ~(held.lower | held.upper | fixed_);
    up_ = held.upper & all_ & ~fixed_;
    const bool uneven = !free_spans() && rows_uneven();
    if (!warm && far_out_) {
      up_ = bits_of(combined(p_.b, row_) > Lanes{}) & ~fixed_;
      free_ = 0;
    } else if (uneven || free_spans()) {
      // few out of their bounds: cut, they often are the whole set
      int wrong = static_cast<int>(kLanes) + 1, fewest = 0;
      do {
        ++s_.iterations;
        if (!solve_free()) return false;
        const bool alone = s_.iterations == 1 && !warm && !system_.spanned;
        if (alone &&
            system_.rank + static_cast<std::size_t>(std::popcount(system_.empty)) < kAxes) {
          system_.never_spans = true;
          rank_of_all_ = system_.rank;
        }
        fewest = std::exchange(wrong, exchange());
        if (wrong == 0) return finish();
      } while (wrong < fewest && system_.spanned && free_spans());
    }
    return guess_and_prove(uneven, max_iterations);
  }

  /// Goes on where the cutting of `run` has ended.
  bool run_from(const ReachedSet& set, int max_iterations) noexcept {
    static_cast<void>(read_problem());
    free_ = set.free & all_;
    up_ = set.up & all_;
    s_.iterations = set.systems;
    return guess_and_prove(false, max_iterations);
  }

 private:
  bool guess_and_prove(bool uneven, int max_iterations) noexcept {
    Tableau tableau;
    if (!uneven && !rows_uneven())
      return guess(tableau, false, kTableauTrade) &&
             (confirm(tableau) || prove(max_iterations, kPatience)) && finish();
    return ((guess(tableau, false, kTableauLeast) && prove(max_iterations, 0)) ||
            (guess(tableau, true, kTableauTrade) && prove(max_iterations, kPatience))) &&
           finish();
  }

  // whether there are free channels for all axes
  [[nodiscard]] bool free_spans() const noexcept {
    return std::popcount(free_) + std::popcount(system_.empty) >= static_cast<int>(kAxes);
  }

  // false where channels are uneven
  bool read_problem() noexcept {
    all_ = (1U << p_.n) - 1;
    row_ = rows_of(p_.column.data(), all_);
    const LaneMask used = lanes_of(all_);
    lower_ = select(used, load(p_.lower.data()), all_lanes(0));
    upper_ = select(used, load(p_.upper.data()), all_lanes(0));
    const LaneMask moves = lower_ < upper_;
    fixed_ = ~bits_of(moves) & 0xFFU;
    const Lanes most = greater_of(magnitude(lower_), magnitude(upper_));
    Unevenness unevenness;
    unevenness.add(row_, moves, most);
    // the most that all channels together move along each axis
    const Vec6 sum = six_sums(times_each(most, magnitudes(row_)));
    const Lanes reach = pad(sum.v.data());
    // weights of zero, or axes that no channel moves
    system_.empty = bits_of(reach == all_lanes(0)) & ((1U << kAxes) - 1);
    far_out_ = bits_of(kFarOut * reach < magnitude(pad(p_.b.v.data()))) != 0;
    return !unevenness.some();
  }

  bool solve_free() noexcept {
    const Lanes zero{};
    x_ = select(lanes_of(free_), zero, select(lanes_of(up_), upper_, lower_));
    const auto gram = [this] { return gram_of_free(row_, free_); };
    const Vec6 c = free_ == all_ ? p_.b : p_.b - six_sums(times_each(x_, row_));
    if (!system_.solve(gram, p_.column.data(), free_, p_.r, c)) return false;
    target_ = combined(system_.l, row_);
    return true;
  }

  [[nodiscard]] unsigned wrong_channels() noexcept {
    const LaneMask out = (target_ < lower_ - kInside) | (target_ > upper_ + kInside);
    const unsigned wrong = bits_of(out) & free_, held = all_ & ~free_ & ~fixed_;
    if (held == 0) return wrong;
    const bool only_second = system_.spanned || system_.rank == rank_of_all_;
    if (!only_second) multipliers_.set_missing(system_, p_.b, magnitudes(times_each(x_, row_)));
    return wrong | multipliers_.wrong(system_, only_second, p_.r, row_, x_, target_, up_, held);
  }

  // puts every channel whose condition fails where it wants to be; how many there were
  int exchange() noexcept {
    const unsigned wrong = wrong_channels(), above = bits_of(target_ > upper_) & wrong & free_;
    up_ = (up_ & ~(wrong & free_)) | above;
    free_ ^= wrong;
    if (wrong == 0) system_.see_what_cancels(p_.column.data(), free_);
    return std::popcount(wrong);
  }

  [[nodiscard]] bool rows_uneven() noexcept {
    SixLanes squares;
    for (std::size_t k = 0; k < kAxes; ++k) squares[k] = row_[k] * row_[k];
    length2_ = six_sums(squares);
    const Lanes size = pad(length2_.v.data());
    const LaneMask some = all_lanes(0) < size;
    const double least = -greatest_of(select(some, all_lanes(0) - size, all_lanes(-1e300)));
    return least < kUneven * kUneven * greatest_of(size);
  }

  bool guess(Tableau& tableau, bool even, double trade) noexcept {
    tableau.free = free_;
    tableau.up = up_;
    tableau.fixed = fixed_;
    SixLanes row = row_;
    Vec6 b = p_.b;
    for (std::size_t k = 0; even && k < kAxes; ++k) {
      const double unit = length2_[k] > 0 ? 1 / std::sqrt(length2_[k]) : 0;
      row[k] = unit * row[k];
      b[k] *= unit;
    }
    const bool settled = tableau.run(row, lower_, upper_, b, even ? 0 : p_.r, trade);
    free_ = tableau.free;
    up_ = tableau.up;
    return settled;
  }

  // The proof without another system, where the free columns are well apart and no multiplier is
  // near zero: Newton's steps take the trade out of the tableau's efforts, and the gradient says
  // the rest.
  bool confirm(const Tableau& tableau) noexcept {
    const Lanes zero{};
    const Lanes length2 = combined(row_, row_);
    const Lanes inverse = inverse_diagonal(tableau.rows(), free_);
    const LaneMask apart = inverse * length2 <= all_lanes(kWellApart);
    const LaneMask shrinks = tableau.added * inverse <= all_lanes(kShrinks);
    if (bits_of(apart & shrinks) != 0xFF) return false;
    const LaneMask is_free = lanes_of(free_), is_up = lanes_of(up_);
    x_ = select(is_free, zero, select(is_up, upper_, lower_));
    target_ = select(is_free, tableau.efforts(), x_);
    Lanes gradient = downhill();
    for (int round = 0; round < kRounds; ++round) {
      const Lanes step = step_of(tableau.rows(), free_, gradient);
      target_ += step;
      gradient = downhill();
      if (bits_of(magnitude(step) <= all_lanes(kLastStep)) == 0xFF) break;
    }
    const Lanes through = most_through(p_) * sizes_of(row_);
    const LaneMask out = (target_ < lower_ - kInside) | (target_ > upper_ + kInside);
    const Lanes outwards = select(is_up, gradient, zero - gradient);
    const unsigned still = bits_of(magnitude(gradient) <= kNoise * through) & free_;
    const unsigned clear = bits_of(outwards > kClear * through) & ~free_;
    if ((bits_of(out) & free_) != 0 || ((still | clear | fixed_) & all_) != all_) return false;
    ++s_.iterations;
    system_.loses = false;
    return true;
  }

  // A'(b - A x) - r x
  [[nodiscard]] Lanes downhill() const noexcept {
    const Vec6 missing = p_.b - six_sums(times_each(target_, row_));
    const Lanes sum = combined(missing, row_);
    return p_.r > 0 ? sum - p_.r * target_ : sum;
  }

  // a few exchanges, while they make the wrong ones fewer
  bool prove(int max_iterations, int patience) noexcept {
    Fewer fewer{patience};
    while (++s_.iterations <= max_iterations && solve_free()) {
      const int wrong = exchange();
      if (wrong == 0) return true;
      if (!fewer.go_on(wrong)) return false;
    }
    return false;
  }

  bool finish() noexcept {
    const Lanes x = select(lanes_of(free_), clamped(target_, lower_, upper_), x_);
    store(x, s_.x.data());
    const unsigned held = 0xFFU & ~(free_ | fixed_);
    write_eight({held & ~up_, held & up_, fixed_}, s_.held.data());
    s_.converged = true;
    s_.loses_digits = system_.loses;
    return true;
  }

  const BoxProblem& p_;
  BoxSolution& s_;
  bool far_out_ = false;  ///< The demand, beyond what all channels move along some axis.
  unsigned all_ = 0, fixed_ = 0, free_ = 0, up_ = 0;
  std::size_t rank_of_all_ = kAxes + 1;  ///< Above six: not known.
  SixLanes row_;
  Lanes lower_, upper_, x_, target_;
  Multipliers multipliers_;
  Vec6 length2_;
  FreeSystem system_;
};

}  // namespace PINTLE_LEVEL
}  // namespace pintle::allocation
