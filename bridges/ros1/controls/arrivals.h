/// What time a state message stands for, from its stamp and its arrival.
///
///   the loops step by      its arrival; where messages have queued up, by half the difference of
///                          their stamps at least: arrivals a few microseconds apart would make any
///                          derivative enormous. Or by the stamp.
///   its age counts from    its stamp. One ahead of the clock counts as just made, as long as the
///                          next is another one; one that stands still ages.
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
    const bool same = has_stamp && has_last_ && stamp_ns == last_stamp_ns_;
    Times t{now_ns, now_ns};
    if (has_stamp && stamp_ns <= now_ns)
      t.counts_from_ns = stamp_ns;
    else if (same)
      t.counts_from_ns = std::min(last_.counts_from_ns, now_ns);
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
  static constexpr std::int64_t kRow_ns = 1'000'000'000;
  bool by_stamp_, has_last_ = false;
  std::int64_t last_stamp_ns_ = 0;
  Times last_{};
};

}  // namespace pintle::ros1
