/// The tick's time, which never goes back, out of a clock that may be set back (simulated time).
///
///   tick time = clock + shift;   set back by more than kLate: shift grows by as much, and a period
#pragma once
#include <cstdint>
#include <limits>
#include <utility>

namespace pintle::ros1 {

class TickClock {
 public:
  /// What is stamped ahead of the clock by less than this is late, not another time.
  static constexpr std::int64_t kLate_ns = 100'000'000;

  /// A period of the tick: by less than this two clocks of one machine may be apart.
  static constexpr std::int64_t kSoon_ns = 20'000'000;
  /// How old a stamp is by the clock that it was made by.
  [[nodiscard]] static constexpr std::int64_t age_ns(std::int64_t clock_ns,
                                                     std::int64_t stamp_ns) noexcept {
    const std::int64_t age = clock_ns - stamp_ns;
    return age < 0 && age > -kSoon_ns ? 0 : age;
  }

  /// Two clocks as of one moment: what goes by between them is an error of each age, so they are read again
  /// (three times at most) where that was more than this.
  static constexpr std::int64_t kAtOnce_ns = 100'000;
  template <class Steady, class Wall>
  [[nodiscard]] static std::pair<std::int64_t, std::int64_t> read_as_one(const Steady& steady,
                                                                         const Wall& wall) {
    std::pair<std::int64_t, std::int64_t> both;
    for (int attempt = 0; attempt < 3; ++attempt) {
      both = {steady(), wall()};
      if (steady() - both.first <= kAtOnce_ns) break;
    }
    return both;
  }

  enum class Step { kOn, kStands, kSetBack };
  struct Now {
    Step step;
    std::int64_t ns;       ///< Of the tick.
    std::int64_t back_ns;  ///< By which it was set back.
  };

  /// Once a cycle. Where it stands for a moment only, it is not to be ticked.
  Now take(std::int64_t clock_ns, std::int64_t period_ns) noexcept {
    // a clock that was at the end of time and back several times has shifted this one too far
    std::int64_t now = 0;
    if (__builtin_add_overflow(clock_ns, shift_ns_, &now))
      now = last_ns_ + period_ns, shift_ns_ = now - clock_ns;
    if (has_ticked_ && now < last_ns_ - kLate_ns) {
      const std::int64_t back = last_ns_ - now;
      shift_ns_ += back + period_ns;
      last_ns_ += period_ns;
      return {Step::kSetBack, last_ns_, back};
    }
    if (has_ticked_ && now <= last_ns_) return {Step::kStands, last_ns_, 0};
    has_ticked_ = true;
    last_ns_ = now;
    return {Step::kOn, now, 0};
  }
  /// A stamp of that clock in the tick's time.
  [[nodiscard]] std::int64_t of(std::int64_t clock_ns) const noexcept {
    std::int64_t out = 0;
    return __builtin_add_overflow(clock_ns, shift_ns_, &out)
               ? std::numeric_limits<std::int64_t>::max()
               : out;
  }

 private:
  bool has_ticked_ = false;
  std::int64_t last_ns_ = 0, shift_ns_ = 0;
};

}  // namespace pintle::ros1
