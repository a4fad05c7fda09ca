/// What time a state message stands for, from its stamp and its arrival.
///
///   the loops step by      its arrival; where messages have queued up, by half the difference of
///                          their stamps at least: arrivals a few microseconds apart would make any
///                          derivative enormous. Without stamps that grow by half of what arrivals
///                          have been apart in the mean. Or by the stamp.
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
    if (begun_)
      apart_ns_ +=
          (std::clamp<std::int64_t>(now_ns - last_now_ns_, 0, kGap_ns) - apart_ns_) / kMean;
    if (by_stamp_ && has_stamp)
      t.steps_ns = stamp_ns;
    else if (begun_ && last_.steps_ns <= now_ns + kRow_ns)
      t.steps_ns = std::max(now_ns, last_.steps_ns + apart_ns(stamp_ns) / 2);
    last_ = t;
    last_now_ns_ = now_ns;
    last_stamp_ns_ = stamp_ns;
    begun_ = true;
    return t;
  }

 private:
  /// From the message before.
  [[nodiscard]] std::int64_t apart_ns(std::int64_t stamp_ns) const {
    if (stamp_ns == 0 || last_stamp_ns_ == 0 || stamp_ns <= last_stamp_ns_) return apart_ns_;
    const auto apart =
        static_cast<std::uint64_t>(stamp_ns) - static_cast<std::uint64_t>(last_stamp_ns_);
    // those that lie absurdly far apart are no two of a row
    return apart < kRow_ns ? static_cast<std::int64_t>(apart) : apart_ns_;
  }

  static constexpr std::int64_t kRow_ns = 1'000'000'000, kSoon_ns = 100'000'000;
  // arrivals: how many the mean is of, what counts as a gap, and what they are taken for at first.
  // However long a queue is, it steps less than kRow_ns ahead
  static constexpr std::int64_t kMean = 32, kGap_ns = 50'000'000, kFirst_ns = 10'000'000;
  bool by_stamp_, begun_ = false;
  std::int64_t last_stamp_ns_ = 0, greatest_stamp_ns_ = 0, greatest_counts_from_ns_ = 0;
  std::int64_t last_now_ns_ = 0, apart_ns_ = kFirst_ns;
  Times last_{};
};

}  // namespace pintle::ros1
