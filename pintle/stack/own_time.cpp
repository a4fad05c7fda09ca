#include "pintle/stack/own_time.h"

#include <algorithm>

namespace pintle::stack {
namespace {

constexpr std::int64_t kFarthest_ns = std::int64_t{1} << 62;
/// More than this was no coarse clock: it stood.
constexpr Duration kCoarsest{100'000'000};

}  // namespace

ClockStep advance(OwnTime& own, Time clock, Duration period) noexcept {
  if (!own.begun) {
    const bool far = clock.ns > kFarthest_ns || clock.ns < -kFarthest_ns;
    own = {};
    own.begun = true;
    own.clock = clock;
    own.now = far ? Time{} : clock;
    own.shift = own.now - clock;
    return {};
  }
  const Duration off = clock - own.clock;
  own.clock = clock;
  if (off == Duration{}) {
    own.ahead = own.ahead + period;
    own.now = own.now + period;
    return {ClockVerdict::kStood, off};
  }
  if (off < Duration{} || off > kLongestStep) {
    const bool back = off < Duration{};
    own.now = own.now + (back ? period : kLongestStep);
    own.ahead = {};
    own.shift = own.now - clock;
    return {back ? ClockVerdict::kBack : ClockVerdict::kLeapt, off};
  }
  if (own.ahead > kCoarsest) {
    own.shift = own.shift + own.ahead;
    own.ahead = {};
  }
  const Duration counted = std::min(own.ahead, off);
  own.ahead = own.ahead - counted;
  own.now = own.now + (off - counted);
  return {ClockVerdict::kGood, off};
}

}  // namespace pintle::stack
