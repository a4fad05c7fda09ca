/// What time a state message stands for, from its stamp and its arrival.
///
///   the loops step by      its arrival; where messages have queued up, by half the difference of
///                          their stamps at least: arrivals a few microseconds apart would make any
///                          derivative enormous. Or by the stamp.
///   its age counts from    its stamp. One ahead of the clock by more than kSoon counts as just made
///                          where it is greater than all before it; what comes again ages.
///
/// A stamp of zero is none: the arrival is all there is.
#pragma once
#include <algorithm>
#include <cstdint>

namespace pintle::ros1 {

class Arrivals {
 public:
  struct Times {
    std::int64_t steps_ns, counts_from_ns;
  };
  explicit Arrivals(bool by_stamp) : by_stamp_(by_stamp) {}

  Times take(std::int64_t stamp_ns, std::int64_t now_ns) {
    const bool has_stamp = stamp_ns != 0;
    Times t{now_ns, now_ns};
    if (has_stamp && stamp_ns <= now_ns + kSoon_ns)
      t.counts_from_ns = std::min(stamp_ns, now_ns);
    else if (has_stamp && stamp_ns <= greatest_stamp_ns_)
      t.counts_from_ns = std::min(greatest_counts_from_ns_, now_ns);
    if (has_stamp && stamp_ns > greatest_stamp_ns_) {
      greatest_stamp_ns_ = stamp_ns;
      greatest_counts_from_ns_ = t.counts_from_ns;
    }
    if (by_stamp_ && has_stamp) {
      t.steps_ns = stamp_ns;
    } else if (has_stamp && has_last_ && stamp_ns > last_stamp_ns_) {
      // none that lie absurdly far apart: these are no two of a row
      const auto apart =
          static_cast<std::uint64_t>(stamp_ns) - static_cast<std::uint64_t>(last_stamp_ns_);
      if (apart < kRow_ns && last_.steps_ns <= now_ns + kRow_ns)
        t.steps_ns = std::max(now_ns, last_.steps_ns + static_cast<std::int64_t>(apart / 2));
    }
    last_ = t;
    last_stamp_ns_ = stamp_ns;
    has_last_ = has_stamp;
    return t;
  }

 private:
  static constexpr std::int64_t kRow_ns = 1'000'000'000, kSoon_ns = 100'000'000;
  bool by_stamp_, has_last_ = false;
  std::int64_t last_stamp_ns_ = 0, greatest_stamp_ns_ = 0, greatest_counts_from_ns_ = 0;
  Times last_{};
};

}  // namespace pintle::ros1
