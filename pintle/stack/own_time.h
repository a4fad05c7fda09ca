/// The time that the stack goes by, made from the clock that its inputs bring.
///
///   own time = clock + shift + ahead,   never back, and at least one period a tick where the clock
///                                       gives no sense
///
/// Whoever gives the clock may stop it, set it, or be wrong once. What measures how long something
/// has been so (ramp, latch, age, time limits) must go on all the same:
///
///   the clock stands       one period is counted (`ahead`), and taken back when it goes on before
///                          more than 0.1 s was counted (a clock coarser than the ticks costs
///                          nothing); of more, all stays (`shift`)
///   it goes back           one period is counted and the new clock is followed from there: `shift`
///   it leaps by over 10 s  10 s are counted and the new clock is followed
///
/// Stamps of inputs are moved by `shift`, so that an age by the clock they share stays what it is.
/// A clock that creeps is not told apart from a caller that ticks fast.
#pragma once
#include <cstdint>

#include "pintle/base/time.h"

namespace pintle::stack {

/// Longer than any period and any hiccup of a driver; longer than this nothing is believed at once.
inline constexpr Duration kLongestStep{10'000'000'000};

struct OwnTime {
  Time now{};        ///< Own time of this tick.
  Time clock{};      ///< The clock of this tick.
  Duration shift{};  ///< Followed clock to own time: added to stamps.
  Duration ahead{};  ///< Counted while the clock stood.
  bool begun = false;
};

enum class ClockVerdict : std::uint8_t { kGood, kStood, kBack, kLeapt };

/// `off`: by how much the clock has moved since the last tick; zero in the first.
struct ClockStep {
  ClockVerdict verdict = ClockVerdict::kGood;
  Duration off{};
};

/// One tick. Where the first one begins more than 146 years from zero, own time begins at zero.
[[nodiscard]] ClockStep advance(OwnTime& own, Time clock, Duration period) noexcept;

}  // namespace pintle::stack
